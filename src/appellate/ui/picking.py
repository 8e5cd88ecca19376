"""What a picker shows for what was typed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to pick: `number` is what a person calls it, `likely` from 0 to 1 how well it fits."""

    key: str
    number: str
    text: str
    note: str = ""
    likely: float = 0.0


def likeliest_first(choices: Sequence[Choice]) -> list[Choice]:
    """The likeliest choices first, in their own order where they are equally likely."""
    return sorted(choices, key=lambda choice: -choice.likely)


def matching(choices: Sequence[Choice], typed: str) -> list[Choice]:
    """The choices that hold every word typed, those whose number it is first; else the letters in order."""
    words = typed.casefold().split()
    if not words:
        return list(choices)
    numbered = [choice for choice in choices if choice.number.casefold() == typed.strip().casefold()]
    held = [choice for choice in choices if all(word in _searched(choice) for word in words)]
    scattered = _scattered(choices, words) if not held else []
    return list(dict.fromkeys([*numbered, *held, *scattered]))


def _searched(choice: Choice) -> str:
    return f"{choice.number} {choice.text} {choice.note}".casefold()


def _scattered(choices: Sequence[Choice], words: list[str]) -> list[Choice]:
    letters = "".join(words)
    pattern = re.compile("[^\0]*?".join(map(re.escape, letters[:40])))
    return [choice for choice in choices if pattern.search(_searched(choice))]
