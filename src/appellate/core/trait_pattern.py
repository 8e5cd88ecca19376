"""A regular expression that a trait looks for, so that it can be tried before anything is
judged.
"""

from typing import NamedTuple


class PatternOfTrait(NamedTuple):
    """A regular expression that a trait looks for in responses."""

    path: tuple[str | int, ...]
    """Where it is in the trait."""
    text: str
    case_sensitive: bool = True
    is_verdict: bool = False
    """Whether a match is the trait's yes."""
    is_inverted: bool = False
    """Whether a match of such a pattern is the trait's no instead."""
