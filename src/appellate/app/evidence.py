"""What the response view draws on a response: the items' evidence, and passages that address the judge."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from appellate.injection import injections
from appellate.ui.marks import Marks, raised
from appellate.ui.page import Span


class Stands(Protocol):
    """What a pane says about a stretch of the response that an item stands on."""

    start: int
    end: int
    bucket: str
    index: int
    mark: str
    counts: bool


def spans(found: Sequence[Stands], selected: tuple[str, int], marks: Marks) -> list[Span]:
    """Every item's evidence, with its instruction's number behind it (its bucket's mark where it has none)."""
    return [
        Span(
            one.start,
            one.end,
            one.bucket,
            raised(one.mark, marks) or getattr(marks, one.bucket),
            (one.bucket, one.index) == selected,
            not one.counts,
        )
        for one in found
    ]


@lru_cache(maxsize=4)
def pleas(response: str, marks: Marks) -> tuple[Span, ...]:
    """The passages that seem to address the judge; kept for the texts in sight, since each key asks again."""
    return tuple(Span(start, end, "plea", marks.plea, aside=True) for start, end in injections(response))
