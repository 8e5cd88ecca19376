"""How wide the intervals of a sample will be, before anybody audited: by what the judge says of all
traces. Read by a connection of its own, for any thread.
"""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path
from statistics import fmean, pvariance
from typing import NamedTuple

from appellate.core.design_facts import Sample
from appellate.core.kind import Figures, Measure, headline
from appellate.core.problem import Refused
from appellate.core.scale import NO_BOUND
from appellate.stats.estimates import expected_half_width
from appellate.store.database import reading
from appellate.store.samples.sample_frame import (
    DrawableUnit,
    SampleFrame,
    read_frame,
    read_frame_again,
)
from appellate.store.tables import rubric_of

NO_PANEL = (
    "No panel judged these traces, so there is no disagreement to go by: judge them with several"
    " judges, or draw without regard to it."
)


Pair = tuple[float, float]


class JudgedCell(NamedTuple):
    """What the judge says of a cell, or each member of a panel: above and below the line of the
    number that reports name its trait by.
    """

    trace: int
    pairs: Sequence[Pair]


def _judged(path: Path) -> tuple[dict[str, Measure], dict[str, list[JudgedCell]]]:
    """The measure that reports name each trait by, and the judged cells of each trait."""
    measures: dict[str, Measure] = {}
    found: dict[str, list[JudgedCell]] = defaultdict(list)
    with reading(path) as db:
        for kind, trait in rubric_of(db).every_trait():
            known = kind.measures(trait)
            if known:
                measures[trait.name] = headline(known)
        for trace, name, judge, members in db.execute(
            "SELECT c.trace, c.trait, m.judge, m.members FROM measured m"
            " JOIN cells c ON c.no = m.cell WHERE m.judge IS NOT NULL ORDER BY c.no"
        ):
            if name in measures:
                pairs = list(map(measures[name].parts, judged_figures(judge, members)))
                found[name].append(JudgedCell(trace, pairs))
    return measures, found


def judged_figures(judge: str | None, members: str | None) -> list[Figures]:
    """What the judge's labels of a row measure to, or those of each member of a panel."""
    if members:
        return [Figures.of(**member) for member in json.loads(members)]
    if judge:
        return [Figures.of(**json.loads(judge))]
    return []


def spreads(path: Path, units: Sequence[DrawableUnit]) -> list[float]:
    """How far the members' parts in the numbers lie apart on each unit, over all its cells; raises
    Refused where no panel judged any of them. By a connection of its own, for any thread.
    """
    _, judged = _judged(path)
    panels = [[cell for cell in cells if len(cell.pairs) > 1] for cells in judged.values()]
    if not any(panels):
        raise Refused(NO_PANEL)
    variances: dict[int, float] = defaultdict(float)
    for cells in panels:
        for trace, variance in _variances(cells):
            variances[trace] += variance
    return [sqrt(sum(variances[no] for no in unit.traces)) for unit in units]


def has_panel(path: Path) -> bool:
    """Whether there is disagreement to go by."""
    with reading(path) as db:
        sql = "SELECT EXISTS (SELECT 1 FROM measured WHERE members IS NOT NULL)"
        return bool(db.execute(sql).fetchone()[0])


def _variances(cells: Sequence[JudgedCell]) -> Iterable[tuple[int, float]]:
    """The variance of what each member's labels of a cell add to the number of a trait, by the
    number that all members' labels come to.
    """
    pairs = [pair for cell in cells for pair in cell.pairs]
    above, below = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    if not below:
        return
    value, mean = above / below, below / len(pairs)
    for cell in cells:
        yield cell.trace, pvariance([(a - value * b) / mean for a, b in cell.pairs])


HALF_HELP = sqrt(0.5)
"""How much of the deviation is left where the judge explains half of what people say."""


class ExpectedWidth(NamedTuple):
    """A number of a trait name, how far the part of one unit in it lies from that of another, and
    the size of the pseudo-residuals; of so many units. `range` is from the number's lower bound to
    its upper.
    """

    trait: str
    measure: str
    deviation: float
    guard: float
    frame: int
    range: float = 1.0

    def half(self, n: int, left: float = 1.0) -> float:
        """Half the width of the interval that n audits give, where the judge leaves that part of
        the deviation.
        """
        return expected_half_width(n, self.frame, left * self.deviation, self.guard)

    def audits(self, half: float, left: float = 1.0) -> int:
        """How many audits an interval of ± half takes."""
        return bisect_left(range(self.frame), True, 2, key=lambda n: self.half(n, left) <= half)


def expected_of(path: Path, sample: Sample | None) -> tuple[SampleFrame, list[ExpectedWidth]]:
    """What can be drawn, or could be when the sample was begun, and how wide intervals will be."""
    frame = read_frame(path)
    if sample is not None:
        frame, _ = read_frame_again(path, sample.last.frame_strata)
    return frame, expected_widths(path, frame.units)


def expected_widths(path: Path, units: Sequence[DrawableUnit]) -> list[ExpectedWidth]:
    """For each trait with judged cells, the measure that reports name it by."""
    measures, judged = _judged(path)
    unit_of = {no: place for place, unit in enumerate(units) for no in unit.traces}
    found = []
    for trait, cells in judged.items():
        sums = [(0.0, 0.0)] * len(units)
        for cell in cells:
            if cell.trace in unit_of:
                a, b = sums[unit_of[cell.trace]]
                above, below = map(fmean, zip(*cell.pairs, strict=True))
                sums[unit_of[cell.trace]] = a + above, b + below
        width = _expected(trait, measures[trait], sums)
        if width is not None:
            found.append(width)
    return found


def _expected(trait: str, measure: Measure, pairs: Sequence[Pair]) -> ExpectedWidth | None:
    if not any(b for _, b in pairs):
        return None
    below = fmean(b for _, b in pairs)
    value = fmean(a for a, _ in pairs) / below
    deviation = sqrt(fmean((a - value * b) ** 2 for a, b in pairs)) / below
    largest: float = 1
    if measure.ratio is not None:
        largest = max(measure.ratio.above.values())
    guard, span = 0.0, measure.high - measure.low
    if span < NO_BOUND:
        guard = largest * span / below
    return ExpectedWidth(trait, measure.name, deviation, guard, len(pairs), span)
