"""What every kind's prompt is made of: the material, examples, excerpts asked for again.

A recorded response is anybody's text: nothing in it can end the material or pass for a turn of the
chat.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from appellate.core.trace import Trace
from appellate.talk.dialogue import Dialogue, NoAnswer, Prompt, readable
from appellate.talk.json_reply import object_in, rows, text_of, whole_number
from appellate.talk.schema import NUMBER, TEXT, listed, table
from appellate.traits.template import PromptWording

Shown = tuple[Mapping[str, str], str]
"""An example: its material by part, and the reply that would have been right."""

CORRECTED = table({"excerpts": listed(table({"number": NUMBER, "text": TEXT}))})
"""The reply to the question about excerpts that were not found."""


def material(trace: Trace, *, reference: bool = True) -> dict[str, str]:
    """What there is of a trace, by the part that holds it, inert; `reference` as the kind wants it
    shown.
    """
    texts = {"question": trace.question, "reference": None, "response": trace.response}
    if reference:
        texts["reference"] = _reference(trace)
    return {name: inert(text or "") for name, text in texts.items() if text or name == "response"}


def _reference(trace: Trace) -> str | None:
    return "\n".join(trace.reference) if isinstance(trace.reference, list) else trace.reference


def user_text(
    words: PromptWording, given: Mapping[str, str], shown: Sequence[Shown], asked: str
) -> str:
    """A first prompt: examples, the material between its tags, and what is asked about it.

    The examples stand under a code of their own, the same for every cell that is shown the same.
    """
    inside = [text for texts, reply in shown for text in (*texts.values(), reply)]
    parts = []
    if shown:
        parts.append(_examples(words, shown, _nonce(inside, [asked, *given.values()])))
    parts += [_say_material(words, given, _nonce(given.values(), [asked, *inside])), asked]
    return "\n\n".join(parts).strip()


def _examples(words: PromptWording, shown: Sequence[Shown], nonce: str) -> str:
    told = []
    for number, (given, reply) in enumerate(shown, 1):
        held = _say_material(words, given, nonce)
        one = words.say("example", number=str(number), nonce=nonce, material=held, reply=reply)
        told.append(one)
    return words.say("examples", examples=joined(told))


def _say_material(words: PromptWording, given: Mapping[str, str], nonce: str) -> str:
    return joined(words.say(name, nonce=nonce, **{name: text}) for name, text in given.items())


def joined(parts: Iterable[str]) -> str:
    """Parts with an empty line between, without those that a template leaves out."""
    return "\n\n".join(part for part in parts if part)


def one_line(text: str) -> str:
    """A rubric's words on one line."""
    return " ".join(text.split())


def _nonce(texts: Iterable[str], others: Iterable[str]) -> str:
    """A code, the same for the same texts, that occurs nowhere in the prompt: no text can forge a
    tag with it.
    """
    whole = "\0".join(texts)
    digest = hashlib.sha256(whole.encode())
    everything = "\0".join([whole, *others])
    while digest.hexdigest()[:16] in everything:
        digest.update(b"\0")
    return digest.hexdigest()[:16]


# -- inert text ------------------------------------------------------------------------------------

_MARKER = re.compile(
    r"(<)(?=[|｜]|\w{2,20}\|>|/?(?:turn|start_of_|end_of_|bos|eos|sop|eop|eoh|eoa|think|tool_call|"
    r"system|reserved_|extra_id_)|<?/?SYS>|/?s>)|"
    r"(\[)(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|gMASK)\])"
)
_JOINER = "\u2060"


def inert(text: str) -> str:
    """The text with chat-template markers broken by an invisible character: servers obey them
    anywhere.
    """
    return _MARKER.sub(lambda match: match.group() + _JOINER, readable(text))


def restored(text: str, found: Callable[[str], bool]) -> str:
    """An excerpt without the invisible characters, where only they keep it from being found."""
    return text if _JOINER not in text or found(text) else text.replace(_JOINER, "")


# -- after a reply ---------------------------------------------------------------------------------


def again(words: PromptWording, fault: str) -> str:
    """What is said below the prompt when a reply could not be used."""
    return _below(words.say("again", fault=fault))


def not_found(words: PromptWording, excerpts: Sequence[str]) -> str:
    """What is said below the prompt about excerpts that do not stand in the response."""
    lines = (json.dumps(text, ensure_ascii=False) for text in excerpts)
    numbered = "\n".join(f"{n}. {inert(line)}" for n, line in enumerate(lines, 1))
    return _below(words.say("excerpts", excerpts=numbered))


def _below(text: str) -> str:
    return f"\n{text}\n"


def found_again(
    words: PromptWording, prompt: Prompt, excerpts: Iterable[str], found: Callable[[str], bool]
) -> Dialogue[dict[str, str]]:
    """Better words by excerpt: those that do not stand in the response are asked for once more.

    What is still not found is not among them: it stays as it was given.
    """
    better = {text: restored(text, found) for text in dict.fromkeys(excerpts)}
    astray = [text for text in dict.fromkeys(better.values()) if not found(text)]
    if not astray:
        return better
    reply = yield prompt.adding(not_found(words, astray)).asking(CORRECTED)
    offered = {} if reply.cut else read_corrected(readable(reply.text), astray)
    for text, said in better.items():
        corrected = restored(offered.get(said, ""), found)
        if found(corrected):
            better[text] = corrected
    return better


def read_corrected(text: str, astray: Sequence[str]) -> dict[str, str]:
    """What is offered instead of each excerpt; nothing where the reply cannot be read."""
    try:
        given = rows(object_in(text).get("excerpts"))
    except NoAnswer:
        return {}
    pairs = [(whole_number(row.get("number")), text_of(row.get("text"))) for row in given]
    offered = {number: text for number, text in pairs if text.strip()}
    return {text: offered[number] for number, text in enumerate(astray, 1) if number in offered}
