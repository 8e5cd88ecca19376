"""A regular expression that a trait looks for, for those who try it before anything is judged."""

from typing import NamedTuple


class PatternOfTrait(NamedTuple):
    """A regular expression that a trait looks for in responses.

    `path` leads to it in the trait. Where it `is_verdict`, a match is the trait's yes, or its no
    where it `is_inverted`.
    """

    path: tuple[str | int, ...]
    text: str
    case_sensitive: bool = True
    is_verdict: bool = False
    is_inverted: bool = False
