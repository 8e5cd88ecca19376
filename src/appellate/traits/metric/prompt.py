"""What a model is told about one cell, in the words of prompt.toml beside this file.

A recorded response is anybody's text: nothing in it can end the material or pass for a turn of the chat.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from string import Template

from appellate.core.dialogue import MOST_ROOM, Prompt, readable
from appellate.core.schema import shape
from appellate.core.trace import Trace
from appellate.traits.metric.reply import schema
from appellate.traits.metric.spec import MetricRubricTrait

ROOM, ROOM_PER_ANSWER = 4096, 256
"""Tokens that a first reply may take; more where there are many instructions to answer."""


@cache
def _words() -> dict[str, Template]:
    text = files("appellate.traits.metric").joinpath("prompt.toml").read_text("utf-8")
    return {name: Template(part) for name, part in tomllib.loads(text).items()}


def _say(part: str, /, **values: str) -> str:
    return _words()[part].substitute(values)


def opening(trait: MetricRubricTrait, trace: Trace) -> Prompt:
    """The first prompt about a cell; the same for the same cell."""
    material = {"question": trace.question, "reference": _reference(trace), "response": trace.response}
    given = {name: _inert(text or "") for name, text in material.items() if text or name == "response"}
    checklist = readable(_checklist(trait))
    nonce = _nonce(given.values(), checklist)
    parts = [_say(name, nonce=nonce, **{name: text}) for name, text in given.items()]
    return Prompt(_say("system").strip(), "\n".join([*parts, checklist]).strip(), schema(trait), _room(trait))


def again(fault: str) -> str:
    """What is said below the prompt when a reply could not be used."""
    return _say("again", fault=fault)


def not_found(excerpts: Sequence[str]) -> str:
    """What is said below the prompt about excerpts that do not stand in the response."""
    lines = (json.dumps(text, ensure_ascii=False) for text in excerpts)
    return _say("excerpts", excerpts="\n".join(f"{n}. {_inert(line)}" for n, line in enumerate(lines, 1)))


def _reference(trace: Trace) -> str:
    return "\n".join(trace.reference) if isinstance(trace.reference, list) else trace.reference or ""


def _room(trait: MetricRubricTrait) -> int:
    """Room that can be doubled at least once."""
    answers = len(trait.instructions("tp")) + len(trait.instructions("tn"))
    return min(max(ROOM, ROOM_PER_ANSWER * answers), MOST_ROOM // 2)


def _nonce(material: Iterable[str], checklist: str) -> str:
    """A code, the same for the same material, that occurs nowhere in it: no text can forge a tag with it."""
    whole = "\0".join(material)
    digest = hashlib.sha256(whole.encode())
    while digest.hexdigest()[:16] in whole + checklist:
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def _checklist(trait: MetricRubricTrait) -> str:
    hints, overlooked = trait.instructions("fp"), trait.fn_instructions
    parts = [_say("trait", name=_line(trait.name))]
    parts += [_say("description", description=trait.description)] if trait.description else []
    parts += [_say("tp", tp=_numbered(trait.instructions("tp")))]
    parts += [_say("fn", fn="\n".join(f"- {_line(text)}" for text in overlooked))] if overlooked else []
    parts += [_say("tn", tn=_numbered(trait.instructions("tn")))] if trait.full else []
    parts += [_say("fp", fp=_numbered(hints))] if hints else []
    parts += [_say("hint")] if trait.full and hints else []
    parts += [] if trait.full else [_say("wrong")]
    parts += [_say("wrong_hint")] if hints and not trait.full else []
    return "\n".join([*parts, _say("shape", shape=shape(schema(trait)))])


def _numbered(instructions: Sequence[str]) -> str:
    return "\n".join(f"{number}. {_line(text)}" for number, text in enumerate(instructions, 1))


def _line(text: str) -> str:
    return " ".join(text.split())


_MARKER = re.compile(r"(<)(?=[|｜]|<?/?SYS>|/?s>|(?:start|end)_of_turn>)|(\[)(?=/?INST\])")
_JOINER = "\u2060"


def _inert(text: str) -> str:
    """The text with chat-template markers broken by an invisible character: servers obey them anywhere."""
    return _MARKER.sub(lambda match: match.group() + _JOINER, readable(text))


def restored(text: str, found: Callable[[str], bool]) -> str:
    """An excerpt without the invisible characters, where only they keep it from being found."""
    return text if _JOINER not in text or found(text) else text.replace(_JOINER, "")
