"""How much the members of a panel disagree on each unit: what strata and chances may go by."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import pvariance
from typing import Any, NamedTuple

from appellate.core.kind import HEADLINE, Measure
from appellate.core.problem import Refused
from appellate.store import meta
from appellate.store.database import reading
from appellate.store.samples.sample_frame import DrawableUnit
from appellate.traits.rubric import Rubric

NO_PANEL = (
    "No panel judged these traces, so there is no disagreement to go by: judge them with several"
    " judges, or draw without regard to it."
)


class MemberParts(NamedTuple):
    """What the members of a panel say of a cell: above and below the line of its number."""

    trace: int
    pairs: Sequence[tuple[float, float]]


def spreads(path: Path, units: Sequence[DrawableUnit]) -> list[float]:
    """How far the members' parts in the numbers lie apart on each unit, over all its cells; raises
    Refused where no panel judged any of them. By a connection of its own, for any thread.
    """
    with reading(path) as db:
        by_trait = _panels(db)
    if not by_trait:
        raise Refused(NO_PANEL)
    variances: dict[int, float] = defaultdict(float)
    for cells in by_trait.values():
        for trace, variance in _variances(cells):
            variances[trace] += variance
    return [sqrt(sum(variances[no] for no in unit.traces)) for unit in units]


def has_panel(path: Path) -> bool:
    """Whether there is disagreement to go by."""
    with reading(path) as db:
        sql = "SELECT EXISTS (SELECT 1 FROM measured WHERE members IS NOT NULL)"
        return bool(db.execute(sql).fetchone()[0])


def _variances(cells: Sequence[MemberParts]) -> Iterable[tuple[int, float]]:
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


def _panels(db: sqlite3.Connection) -> Mapping[str, Sequence[MemberParts]]:
    """What panels say, by trait: of each the number that its cells stand for in the queue."""
    measures = headlines(db)
    found: dict[str, list[MemberParts]] = defaultdict(list)
    for trace, trait, members in db.execute(
        "SELECT c.trace, c.trait, m.members FROM measured m JOIN cells c ON c.no = m.cell"
        " WHERE m.members IS NOT NULL"
    ):
        if trait in measures:
            pairs = [parts(measures[trait], figures) for figures in json.loads(members)]
            if len(pairs) > 1:
                found[trait].append(MemberParts(trace, pairs))
    return found


def headlines(db: sqlite3.Connection) -> dict[str, Measure]:
    """The number that cells stand for in the queue, by trait."""
    (value,) = db.execute("SELECT value FROM meta WHERE key = ?", (meta.RUBRIC,)).fetchone()
    found: dict[str, Measure] = {}
    for kind, trait in Rubric.model_validate_json(value).every_trait():
        measures = kind.measures(trait)
        if measures:
            found[trait.name] = measures[HEADLINE]
    return found


def parts(measure: Measure, figures: Mapping[str, Any]) -> tuple[float, float]:
    """What a cell's figures add above and below the line of a number; of a mean the value and 1,
    nothing for 0/0.
    """
    ratio, counts = measure.ratio, figures["counts"]
    if ratio is None:
        value = figures["values"].get(measure.name)
        if value is None:
            return 0.0, 0.0
        return float(value), 1.0
    above = sum(times * counts.get(name, 0) for name, times in ratio.above.items())
    below = sum(times * counts.get(name, 0) for name, times in ratio.below.items())
    return float(above), float(below)
