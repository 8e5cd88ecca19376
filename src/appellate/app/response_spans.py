"""What is marked in a response: the evidence of items, and what seems to address the judge."""

from collections.abc import Sequence
from functools import lru_cache

from appellate.injection import injections
from appellate.ui.contract import Place
from appellate.ui.marks import Marks, raised
from appellate.ui.page import StyledSpan
from appellate.ui.pane import Evidence


def spans(found: Sequence[Evidence], selected: Place, marks: Marks) -> list[StyledSpan]:
    """Every item's evidence, its label behind it, or the mark of its style where it has none."""
    return [
        StyledSpan(
            one.start,
            one.end,
            one.style,
            raised(one.mark, marks) or getattr(marks, one.style, ""),
            one.place == selected,
            not one.counts,
        )
        for one in found
    ]


@lru_cache(maxsize=4)
def pleas(response: str, marks: Marks) -> tuple[StyledSpan, ...]:
    """The passages that seem to address the judge; kept for the texts in sight, since each key asks
    again.
    """
    return tuple(
        StyledSpan(start, end, "plea", marks.plea, aside=True)
        for start, end in injections(response)
    )
