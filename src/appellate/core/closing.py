"""What a report says about single cells; kinds that say it return it from `TraitKind.closing`."""

from typing import NamedTuple


class Closing(NamedTuple):
    """What the labels of a cell mean in words, for a report."""

    meanings: tuple[str, ...]
    """What each score is made of."""
    gaps: tuple[tuple[str, str], ...]
    """What falls short and how, each with its words in the response."""
    advice: tuple[str, ...]
    """What to do."""
