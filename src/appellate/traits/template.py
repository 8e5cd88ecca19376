"""The words a model is told, part by part: those of a kind's prompt.toml, or what replaces them.

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
    """Names that a part must hold, and those that it may; `spare` where "" leaves the part out."""

    needed: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    spare: bool = False


OPENING: Mapping[str, Slots] = {
    "system": Slots(),
    "examples": Slots(("examples",)),
    "example": Slots(("nonce", "material", "reply"), ("number",)),
    "question": Slots(("nonce", "question"), spare=True),
    "reference": Slots(("nonce", "reference"), spare=True),
    "response": Slots(("nonce", "response")),
}
"""The parts that every kind's prompt begins with: rules, examples, the material."""
CLOSING: Mapping[str, Slots] = {
    "shape": Slots(("shape",)),
    "again": Slots(("fault",)),
    "excerpts": Slots(("excerpts",)),
}
"""The parts that every kind's prompt ends with: the shape of a reply, and what is said after one.
"""
_FENCED = {
    "question": ("question",),
    "reference": ("reference",),
    "response": ("response",),
    "example": ("material", "reply"),
}
"""The parts that hold what others wrote, and by what names."""


class PromptWording:
    """A whole template: what `say` fills in, and the hash of all its words."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        self._templates = {name: Template(text.strip("\n")) for name, text in parts.items()}
        self.sha256 = digest(parts)

    def say(self, part: str, /, **values: str) -> str:
        return self._templates[part].substitute(values)


class PromptTemplate:
    """The template of one kind: prompt.toml in its package, and what each part is filled with, in
    order.
    """

    def __init__(self, package: str, own: Mapping[str, Slots]) -> None:
        self.package = package
        self.parts: Mapping[str, Slots] = {**OPENING, **own, **CLOSING}

    def wording(self, parts: Mapping[str, str]) -> PromptWording:
        """The shipped template with these parts in place of its own."""
        return _wording(self.package, frozenset(parts.items()))

    def shipped(self) -> dict[str, str]:
        """The parts of prompt.toml."""
        return dict(_shipped(self.package))

    def shipped_text(self) -> str:
        """prompt.toml as it is: what a template of one's own starts from."""
        return _shipped_text(self.package)

    def faults(self, parts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Everything that keeps parts from being used: the part, and what is wrong and would be
        right.
        """
        for name, text in parts.items():
            if name not in self.parts:
                yield name, f"there is no part {quoted(name)} of a prompt; {self._meant(name)}"
            elif not isinstance(text, str):
                yield name, "must be text in quotes"
            elif text.strip():
                yield from ((name, wrong) for wrong in _wrong(name, self.parts[name], text))
            elif not self.parts[name].spare:
                yield name, "must not be empty: a judge cannot do without it"

    def _meant(self, name: str) -> str:
        close = get_close_matches(name, self.parts, 1)
        if close:
            return f"did you mean {quoted(close[0])}?"
        return f"parts are {', '.join(self.parts)}"


@lru_cache(16)
def _wording(package: str, parts: frozenset[tuple[str, str]]) -> PromptWording:
    return PromptWording({**_shipped(package), **dict(parts)})


@cache
def _shipped(package: str) -> dict[str, str]:
    return tomllib.loads(_shipped_text(package))


def _shipped_text(package: str) -> str:
    return files(package).joinpath("prompt.toml").read_text("utf-8")


# -- what a part may be ----------------------------------------------------------------------------


def _wrong(part: str, slots: Slots, text: str) -> Iterator[str]:
    template = Template(text)
    if not template.is_valid():
        yield "holds a $ that begins no name: write $$ for a dollar sign"
        return
    found = template.get_identifiers()
    known = (*slots.needed, *slots.allowed)
    for name in found:
        if name not in known:
            yield f"holds ${name}, which is not filled in here; {_filled(known)}"
    lacking = [f"${name}" for name in slots.needed if name not in found]
    if lacking:
        yield f"lacks {' and '.join(lacking)}"
        return
    for held in _FENCED.get(part, ()):
        yield from _open(template, held)


def _filled(known: tuple[str, ...]) -> str:
    if not known:
        return "nothing is: write $$ for a dollar sign"
    return f"only {', '.join(f'${name}' for name in known)}"


def _open(template: Template, held: str) -> Iterator[str]:
    """A part whose code does not stand on both sides of others' text, or that holds that twice."""
    found = template.pattern.finditer(template.template)
    names = [one["named"] or one["braced"] for one in found]
    names = [name for name in names if name]
    if names.count(held) != 1:
        yield f"holds ${held} more than once"
        return
    place = names.index(held)
    if "nonce" not in names[:place] or "nonce" not in names[place:]:
        why = "without it, text of others could forge the end of itself"
        yield f"must hold $nonce before and after ${held}: {why}"
