"""Estimates with their intervals, as SVG by hand: a row for each number, on the scale of its
measure.
"""

from collections.abc import Iterator, Sequence

from appellate.core.kind import Measure
from appellate.core.scale import NO_BOUND, bounds
from appellate.report.formatting import bar_name, cut, number_or_dash
from appellate.report.markup import Markup, element
from appellate.report.pictures import WIDTH, picture, text
from appellate.stats.estimates import Estimate, Interval
from appellate.worth.worth_sentences import between, whose
from appellate.worth.worths import Worth

PLOT_KEYS = ("signed", "people", "judge")
PLOT_WORDS = ("corrected", "people only", "judge only")
_ROW = 46
_NAME = 52  # characters of what is estimated, above its row
_NUMBERS = 118  # room for the number and its interval


def estimate_rows(anchor: str, found: Sequence[Worth]) -> Markup:
    """Of each number the corrected estimate, people's own and the judge's, on its own scale."""
    rows, texts = [], []
    for place, one in enumerate(found):
        if one.estimate is None:
            continue
        rows.append(element("g", *_row(one, one.estimate, place * _ROW)))
        people = one.estimate.people_only
        texts.append(
            f"{_name(one)}: corrected {number_or_dash(one.estimate.value)},"
            f" {between(one.estimate.low, one.estimate.high)},"
            f" people only {number_or_dash(people.value)}, {between(people.low, people.high)},"
            f" judge only {number_or_dash(one.estimate.judge_only)}"
        )
    title = "Estimates with 95 % intervals"
    return picture(anchor, len(found) * _ROW, title, "; ".join(texts), rows)


def _name(found: Worth) -> str:
    scale = bounds(found.measure)
    if (found.measure.low, found.measure.high) == (0, 1):
        scale = "0–1"
    name = ", ".join(filter(None, (f"{bar_name(found.measure)} · {whose(found)}", scale)))
    if found.group is not None:
        name = f"{found.group or '–'}: {name}"
    return cut(name, _NAME)


def _row(found: Worth, one: Estimate, top: int) -> Iterator[Markup]:
    scale = _Scale(found.measure, one)
    yield text(0, top + 13, _name(found), "small")
    yield element("line", x1=0, x2=scale.reach, y1=top + 40, y2=top + 40, class_="axis")
    yield from _interval(scale, one.interval, top + 22, "signed")
    yield from _interval(scale, one.people_only, top + 33, "people")
    if one.judge_only is not None:
        at = scale.place(one.judge_only)
        yield element("line", x1=at, x2=at, y1=top + 17, y2=top + 40, class_="judge")
    wording = f"{number_or_dash(one.value)}  {between(one.low, one.high)}"
    yield text(scale.reach + 6, top + 27, wording, "small")


def _interval(scale: "_Scale", one: Interval, middle: int, class_: str) -> Iterator[Markup]:
    ends = {"x1": scale.place(one.low), "x2": scale.place(one.high)}
    yield element("line", **ends, y1=middle, y2=middle, class_=f"error {class_}")
    yield element("circle", cx=scale.place(one.value), cy=middle, r=4, class_=class_)


class _Scale:
    """From the lower bound of a measure to the upper; from what is shown, where it has none."""

    reach = WIDTH - _NUMBERS

    def __init__(self, measure: Measure, one: Estimate) -> None:
        shown = [one.low, one.high, one.people_only.low, one.people_only.high]
        if one.judge_only is not None:
            shown.append(one.judge_only)
        self._low, self._high = measure.low, measure.high
        if self._low <= -NO_BOUND or self._high >= NO_BOUND:
            self._low, self._high = min(shown), max(shown)

    def place(self, value: float) -> float:
        """How far to the right a value is."""
        wide = self._high - self._low or 1.0
        return self.reach * min(max((value - self._low) / wide, 0.0), 1.0)
