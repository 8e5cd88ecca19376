"""What can be drawn into a sample: the traces of an audit, as units. Read by a connection of its
own, for any thread.

A trace that was shown to a judge as an example is not drawn, nor is one without a trait: neither
can tell what the judge is worth. The traces of one cluster come in together, or not at all.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from appellate.core.trace import TraceKey, name_of
from appellate.query.language import META
from appellate.stats import designs
from appellate.stats.designs import FrameUnit
from appellate.store import trace_rows
from appellate.store.database import reading

UNSAID = "(none)"
"""The group of a trace that says nothing of what it is grouped by."""
DISAGREEMENT = "disagreement"
GROUPINGS = ("question", "model", DISAGREEMENT)
"""What strata go by, beside the keys of the metadata: `meta.site`."""


class DrawableUnit(Struct, frozen=True):
    """What is drawn at once: a trace, or those of a cluster; their numbers and keys."""

    name: str
    traces: Sequence[int]
    keys: Sequence[TraceKey]


class SampleFrame(Struct, frozen=True):
    """The units that can be drawn, in the order loaded, of how many traces; how many traces are
    left out, as examples or for want of a trait.
    """

    units: Sequence[DrawableUnit]
    traces: int
    examples: int = 0
    without: int = 0

    @property
    def clusters(self) -> int:
        """How many units are of several traces."""
        return sum(len(unit.traces) > 1 for unit in self.units)

    @property
    def word(self) -> str:
        """What one unit is."""
        return "cluster" if self.clusters else "trace"

    def written(self, strata: Sequence[int]) -> str:
        """The stratum of every trace, as the facts keep it; `strata` are those of the units."""
        of_traces: list[int | None] = [None] * self.traces
        for unit, stratum in zip(self.units, strata, strict=True):
            for no in unit.traces:
                of_traces[no - 1] = stratum
        return designs.written(of_traces)

    def in_strata(self, strata: Sequence[int]) -> list[FrameUnit]:
        """The units as draws know them."""
        pairs = zip(self.units, strata, strict=True)
        return [FrameUnit(unit.name, stratum) for unit, stratum in pairs]


def is_stratification(by: str) -> bool:
    """Whether strata can go by something."""
    return by in GROUPINGS or (by.startswith(META) and by != META)


def read_frame(path: Path) -> SampleFrame:
    """What can be drawn now."""
    with reading(path) as db:
        shown = dict(db.execute("SELECT trace, max(example) FROM cells GROUP BY trace"))
        units = _units(db)
    left = {unit.name for unit in units if any(map(shown.get, unit.traces))}
    found, examples, without = [], 0, 0
    for unit in units:
        if unit.name in left:
            examples += len(unit.traces)
        elif not any(no in shown for no in unit.traces):
            without += len(unit.traces)
        else:
            found.append(unit)
    return SampleFrame(found, sum(len(unit.traces) for unit in units), examples, without)


def read_frame_again(path: Path, written: str) -> tuple[SampleFrame, list[int]]:
    """What could be drawn when a sample was begun, and the stratum of each unit."""
    traces = designs.read(written)
    kept = {no: stratum for no, stratum in enumerate(traces, 1) if stratum is not None}
    with reading(path) as db:
        units = _units(db, kept)
    return SampleFrame(units, len(traces)), [kept[unit.traces[0]] for unit in units]


def _units(db: sqlite3.Connection, among: Container[int] | None = None) -> list[DrawableUnit]:
    """All traces as units, those without a trait too; or some of the traces."""
    clusters = dict(trace_rows.by_trace(db, "cluster"))
    members: dict[str, list[tuple[int, TraceKey]]] = defaultdict(list)
    for no, trace_id, epoch in db.execute("SELECT no, id, epoch FROM traces ORDER BY no"):
        if among is not None and no not in among:
            continue
        unit = name_of(trace_id, epoch)
        if no in clusters:
            unit = f"cluster {clusters[no]}"
        members[unit].append((no, (trace_id, epoch)))
    units = []
    for name, those in members.items():
        numbers, keys = zip(*those, strict=True)
        units.append(DrawableUnit(name, numbers, keys))
    return units


# -- what strata go by ----------------------------------------------------------------------------


def groups(path: Path, units: Sequence[DrawableUnit], by: Sequence[str]) -> list[str]:
    """The group of each unit: what its traces say of everything that strata go by."""
    with reading(path) as db:
        values = [trace_rows.words_by(db, one) for one in by]
    return [" · ".join(_words(of_trace, unit) for of_trace in values) for unit in units]


def _words(fields: Mapping[int, Sequence[str]], unit: DrawableUnit) -> str:
    words: dict[str, None] = {}
    for no in unit.traces:
        words |= dict.fromkeys(fields.get(no, ()))
    return " + ".join(sorted(words)) or UNSAID
