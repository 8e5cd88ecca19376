"""What a model is told about one cell, in the words of prompt.toml beside this file.

A recorded response is anybody's text: nothing in it can end the material or pass for a turn of the chat.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from appellate.core.briefing import UNBRIEFED, Briefing, Example
from appellate.core.trace import Trace
from appellate.talk.dialogue import MOST_ROOM, Form, Prompt, readable
from appellate.talk.schema import Schema, shape
from appellate.traits.metric.labels import from_table
from appellate.traits.metric.reply import as_reply, is_numbered, listed_schema, schema
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.template import Wording, wording

ROOM, ROOM_PER_ANSWER = 4096, 256
"""Tokens that a first reply may take; more where there are many instructions to answer."""
USUAL_PER_ANSWER = 70
"""Tokens that an answer takes: its row of the reply, a short sentence and an excerpt."""


def opening(trait: MetricRubricTrait, trace: Trace, briefing: Briefing = UNBRIEFED) -> Prompt:
    """The first prompt about a cell; the same for the same cell and briefing."""
    words = wording(briefing.parts)
    given, checklist = _material(trace), readable(_checklist(words, trait))

    def form(schema: Schema, *, as_list: bool) -> Form:
        asked = _joined([checklist, words.say("shape", shape=shape(schema))])
        shown = [(_material(example.trace), _reply(trait, example, as_list=as_list)) for example in briefing.examples]
        inside = [text for material, reply in shown for text in (*material.values(), reply)]
        parts = [_examples(words, shown, _nonce(inside, [asked, *given.values()]))] if shown else []
        parts += [_say_material(words, given, _nonce(given.values(), [asked, *inside])), asked]
        return Form("\n\n".join(parts).strip(), schema)

    listed = form(listed_schema(trait), as_list=True)
    first = form(schema(trait), as_list=False) if is_numbered(trait) else listed
    system, usual = words.say("system").strip(), USUAL_PER_ANSWER * _answers(trait)
    return Prompt(system, *first, _room(trait), template=words.sha256, usual=usual, listed=listed)


def again(briefing: Briefing, fault: str) -> str:
    """What is said below the prompt when a reply could not be used."""
    return _below(wording(briefing.parts).say("again", fault=fault))


def not_found(excerpts: Sequence[str], briefing: Briefing = UNBRIEFED) -> str:
    """What is said below the prompt about excerpts that do not stand in the response."""
    lines = (json.dumps(text, ensure_ascii=False) for text in excerpts)
    numbered = "\n".join(f"{n}. {_inert(line)}" for n, line in enumerate(lines, 1))
    return _below(wording(briefing.parts).say("excerpts", excerpts=numbered))


def _below(text: str) -> str:
    return f"\n{text}\n"


# -- the material -----------------------------------------------------------------------------------


def _material(trace: Trace) -> dict[str, str]:
    """What there is of a trace, by the part that holds it, inert."""
    texts = {"question": trace.question, "reference": _reference(trace), "response": trace.response}
    return {name: _inert(text or "") for name, text in texts.items() if text or name == "response"}


def _reply(trait: MetricRubricTrait, example: Example, *, as_list: bool) -> str:
    labels = from_table(trait, example.trace.response, example.table)
    return _inert(as_reply(trait, labels, as_list=as_list))


def _say_material(words: Wording, given: Mapping[str, str], nonce: str) -> str:
    return _joined(words.say(name, nonce=nonce, **{name: text}) for name, text in given.items())


def _examples(words: Wording, shown: Sequence[tuple[Mapping[str, str], str]], nonce: str) -> str:
    """The examples under a code of their own: the same for every cell that is shown the same ones."""
    told = [
        words.say("example", number=str(number), nonce=nonce, material=_say_material(words, given, nonce), reply=reply)
        for number, (given, reply) in enumerate(shown, 1)
    ]
    return words.say("examples", examples=_joined(told))


def _joined(parts: Iterable[str]) -> str:
    """Parts with an empty line between, without those that a template leaves out."""
    return "\n\n".join(part for part in parts if part)


def _reference(trace: Trace) -> str:
    return "\n".join(trace.reference) if isinstance(trace.reference, list) else trace.reference or ""


def _room(trait: MetricRubricTrait) -> int:
    """Room that can be doubled at least once."""
    return min(max(ROOM, ROOM_PER_ANSWER * _answers(trait)), MOST_ROOM // 2)


def _answers(trait: MetricRubricTrait) -> int:
    return len(trait.instructions("tp")) + len(trait.instructions("tn"))


def _nonce(material: Iterable[str], others: Iterable[str]) -> str:
    """A code, the same for the same material, that occurs nowhere in the prompt: no text can forge a tag with it."""
    whole = "\0".join(material)
    digest = hashlib.sha256(whole.encode())
    everything = "\0".join([whole, *others])
    while digest.hexdigest()[:16] in everything:
        digest.update(b"\0")
    return digest.hexdigest()[:16]


# -- the trait --------------------------------------------------------------------------------------


def _checklist(words: Wording, trait: MetricRubricTrait) -> str:
    hints, overlooked, say = trait.instructions("fp"), trait.fn_instructions, words.say
    parts = [say("trait", name=_line(trait.name))]
    parts += [say("description", description=trait.description)] if trait.description else []
    parts += [say("tp", tp=_numbered(trait.instructions("tp")))]
    parts += [say("fn", fn="\n".join(f"- {_line(text)}" for text in overlooked))] if overlooked else []
    parts += [say("tn", tn=_numbered(trait.instructions("tn")))] if trait.full else []
    parts += [say("fp", fp=_numbered(hints))] if hints else []
    parts += [say("hint")] if trait.full and hints else []
    parts += [] if trait.full else [say("wrong")]
    parts += [say("wrong_hint")] if hints and not trait.full else []
    return _joined(parts)


def _numbered(instructions: Sequence[str]) -> str:
    return "\n".join(f"{number}. {_line(text)}" for number, text in enumerate(instructions, 1))


def _line(text: str) -> str:
    return " ".join(text.split())


_MARKER = re.compile(
    r"(<)(?=[|｜]|\w{2,20}\|>|/?(?:turn|start_of_|end_of_|bos|eos|sop|eop|eoh|eoa|think|tool_call|system|reserved_|"
    r"extra_id_)|<?/?SYS>|/?s>)|(\[)(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK)\])"
)
_JOINER = "\u2060"


def _inert(text: str) -> str:
    """The text with chat-template markers broken by an invisible character: servers obey them anywhere."""
    return _MARKER.sub(lambda match: match.group() + _JOINER, readable(text))


def restored(text: str, found: Callable[[str], bool]) -> str:
    """An excerpt without the invisible characters, where only they keep it from being found."""
    return text if _JOINER not in text or found(text) else text.replace(_JOINER, "")
