"""What a report says of single cells, for those kinds that say it (`TraitKind.closing`)."""

from typing import NamedTuple


class Closing(NamedTuple):
    """What a cell's labels come to in words, for a report.

    `meanings` say what each score is made of, `gaps` name what falls short and how, each with its
    words in the response, and `advice` says what to do.
    """

    meanings: tuple[str, ...]
    gaps: tuple[tuple[str, str], ...]
    advice: tuple[str, ...]
