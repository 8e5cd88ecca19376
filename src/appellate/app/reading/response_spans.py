"""What is marked in a response: the evidence of items, and what seems to address the judge."""

from collections.abc import Sequence
from functools import lru_cache

from appellate.injection import injections
from appellate.ui.contract import Evidence, Place
from appellate.ui.marks import Marks, raised
from appellate.ui.page import StyledSpan


def spans(found: Sequence[Evidence], selected: Place, marks: Marks) -> list[StyledSpan]:
    """Every item's evidence, its mark behind it."""
    shown = []
    for one in found:
        chosen, mark = one.place == selected, behind(one.style, one.mark, marks)
        shown.append(StyledSpan(one.start, one.end, one.style, mark, chosen, not one.counts))
    return shown


def behind(style: str, label: str, marks: Marks) -> str:
    """What is behind evidence: its label, else the mark of its style; both behind what is
    wrong or denies, which needs no colour then.
    """
    shown, sign = raised(label, marks), getattr(marks, style, "")
    if style in ("fp", "denied"):
        return f"{sign}{shown}"
    return shown or sign


@lru_cache(maxsize=4)
def pleas(response: str, marks: Marks) -> tuple[StyledSpan, ...]:
    """The passages that seem to address the judge; kept for the texts in sight, since each key asks
    again.
    """
    return tuple(
        StyledSpan(start, end, "plea", marks.plea, aside=True)
        for start, end in injections(response)
    )
