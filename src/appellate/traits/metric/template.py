"""The words a model is told, part by part: those of prompt.toml beside this file, or what replaces them.

A part is text with $names. What a part must hold is checked before anything is sent, so that no
template leaves a response where its text could pass for instructions.
"""

import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from appellate.core.problem import quoted
from appellate.traits.digest import digest


class Slots(NamedTuple):
    """The names that a part must hold, and those that it may; `spare` where "" leaves the part out."""

    needed: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    spare: bool = False


PARTS: Mapping[str, Slots] = {
    "system": Slots(),
    "examples": Slots(("examples",)),
    "example": Slots(("nonce", "material", "reply"), ("number",)),
    "question": Slots(("nonce", "question"), spare=True),
    "reference": Slots(("nonce", "reference"), spare=True),
    "response": Slots(("nonce", "response")),
    "trait": Slots((), ("name",)),
    "description": Slots(("description",), spare=True),
    "tp": Slots(("tp",)),
    "fn": Slots(("fn",), spare=True),
    "tn": Slots(("tn",)),
    "fp": Slots(("fp",)),
    "wrong": Slots(),
    "wrong_hint": Slots(spare=True),
    "hint": Slots(),
    "shape": Slots(("shape",)),
    "again": Slots(("fault",)),
    "excerpts": Slots(("excerpts",)),
}
"""What each part is filled with, in the order of a prompt."""
_FENCED = {
    "question": ("question",),
    "reference": ("reference",),
    "response": ("response",),
    "example": ("material", "reply"),
}
"""The parts that hold what others wrote, and by what names."""


class Wording:
    """A whole template: what `say` fills in, and the hash of all its words."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        self._templates = {name: Template(text.strip("\n")) for name, text in parts.items()}
        self.sha256 = digest(parts)

    def say(self, part: str, /, **values: str) -> str:
        return self._templates[part].substitute(values)


def wording(parts: Mapping[str, str]) -> Wording:
    """The shipped template with these parts in place of its own."""
    return _wording(frozenset(parts.items()))


@lru_cache(16)
def _wording(parts: frozenset[tuple[str, str]]) -> Wording:
    return Wording({**shipped(), **dict(parts)})


@cache
def shipped() -> dict[str, str]:
    """The parts of prompt.toml."""
    return tomllib.loads(shipped_text())


def shipped_text() -> str:
    """prompt.toml as it is: what a template of one's own starts from."""
    return files("appellate.traits.metric").joinpath("prompt.toml").read_text("utf-8")


# -- what a part may be -----------------------------------------------------------------------------


def faults(parts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Everything that keeps these parts from being used: the part, and what is wrong and would be right."""
    for name, text in parts.items():
        if name not in PARTS:
            yield name, f"there is no part {quoted(name)} of a prompt; {_meant(name)}"
        elif not isinstance(text, str):
            yield name, "must be text in quotes"
        elif text.strip():
            yield from ((name, wrong) for wrong in _wrong(name, text))
        elif not PARTS[name].spare:
            yield name, "must not be empty: a judge cannot do without it"


def _meant(name: str) -> str:
    close = get_close_matches(name, PARTS, 1)
    return f"did you mean {quoted(close[0])}?" if close else f"parts are {', '.join(PARTS)}"


def _wrong(part: str, text: str) -> Iterator[str]:
    template = Template(text)
    if not template.is_valid():
        yield "holds a $ that begins no name: write $$ for a dollar sign"
        return
    slots, found = PARTS[part], template.get_identifiers()
    known = (*slots.needed, *slots.allowed)
    for name in found:
        if name not in known:
            yield f"holds ${name}, which is not filled in here; {_filled(known)}"
    lacking = [f"${name}" for name in slots.needed if name not in found]
    if lacking:
        yield f"lacks {' and '.join(lacking)}"
    else:
        yield from (wrong for held in _FENCED.get(part, ()) for wrong in _open(template, held))


def _filled(known: tuple[str, ...]) -> str:
    return f"only {', '.join(f'${name}' for name in known)}" if known else "nothing is: write $$ for a dollar sign"


def _open(template: Template, held: str) -> Iterator[str]:
    """A part whose code does not stand on both sides of what others wrote, or that holds it twice."""
    names = [found["named"] or found["braced"] for found in template.pattern.finditer(template.template)]
    names = [name for name in names if name]
    if names.count(held) != 1:
        yield f"holds ${held} more than once"
    elif "nonce" not in names[: names.index(held)] or "nonce" not in names[names.index(held) :]:
        yield f"must hold $nonce before and after ${held}: without it, text of others could forge the end of itself"
