"""What is marked in a response: the evidence of items, and what seems to address the judge."""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from appellate.injection import injections
from appellate.ui.contract import Evidence, Place
from appellate.ui.marks import Marks, raised
from appellate.ui.page import StyledSpan


class EvidenceSpans:
    """Every item's evidence, its mark behind it; kept while the evidence is the same."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks
        self._found: Sequence[Evidence] = ()
        self._spans: list[StyledSpan] = []
        self._places: dict[Place, list[int]] = {}

    def of(self, found: Sequence[Evidence], selected: Place) -> list[StyledSpan]:
        """The spans of evidence, of which those of an item are selected."""
        if found is not self._found:
            self._found, self._spans, self._places = found, [], {}
            for index, one in enumerate(found):
                mark = behind(one.style, one.mark, self._marks)
                span = StyledSpan(one.start, one.end, one.style, mark, dim=not one.counts)
                self._spans.append(span)
                self._places.setdefault(one.place, []).append(index)
        spans = self._spans[:]
        for index in self._places.get(selected, ()):
            spans[index] = replace(spans[index], selected=True)
        return spans


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
    """The passages that seem to address the judge; kept, since each key asks again."""
    return tuple(
        StyledSpan(start, end, "plea", marks.plea, aside=True)
        for start, end in injections(response)
    )
