"""Planning a draw: which units would come into the sample of an audit, and by which design."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.design_facts import ALL, Sample, Sampled
from appellate.core.problem import Refused, many
from appellate.query.language import META
from appellate.stats import designs
from appellate.stats.designs import CannotDraw, FrameUnit
from appellate.store import trace_rows
from appellate.store.database import reading
from appellate.store.samples.expected_widths import has_panel, spreads
from appellate.store.samples.sample_frame import (
    DISAGREEMENT,
    SampleFrame,
    groups,
    read_frame,
    read_frame_again,
)

USUAL = 60
THIRDS = ("little disagreement", "some disagreement", "most disagreement")
EVEN = "The panel disagrees nowhere, or everywhere alike: draw without regard to it."
OTHER_FRAME = (
    "The traces are not those that the sample was drawn from: it cannot be added to. Begin an audit"
    " of its own for them."
)


class SampleWish(Struct, frozen=True):
    """What is asked for: so many units in all, or so many more where there is a sample.

    `by` is what strata go by; `active` has the chances go by the panel's disagreement.
    """

    n: int
    seed: int = 1
    by: Sequence[str] = ()
    active: bool = False
    blind: bool = True

    @property
    def design(self) -> str:
        if self.active:
            return "active"
        return "stratified" if self.by else "simple"


class PlannedDraw(Struct, frozen=True):
    """A draw that nobody has kept yet: the fact of it, the numbers of its traces in draw order, how
    many of these have a cell that is signed off, and what the frame leaves out.
    """

    what: Sampled
    traces: Sequence[int]
    signed: int
    frame: SampleFrame

    @property
    def after(self) -> int:
        """How many units are drawn with it, those of before among them."""
        return sum(int(stratum["drawn"]) for stratum in self.what.strata)

    def describe(self) -> list[str]:
        """What a person should know of it, in sentences."""
        frame, texts = self.frame, []
        if frame.examples:
            left = many(frame.examples, "trace stays", "traces stay")
            texts.append(f"{left} out: a judge was shown them as examples.")
        if frame.without:
            texts.append(f"{many(frame.without, 'trace has', 'traces have')} no trait to judge by.")
        if frame.clusters:
            texts.append("Traces of one cluster come in together: the cluster is what is drawn.")
        if self.signed and self.what.blind:
            those = many(self.signed, "trace was signed off", "traces were signed off")
            texts.append(
                f"{those} before: to be ruled on anew, blind. What was said stays in the history."
            )
        return texts


class SampleSetting(NamedTuple):
    """How many units could be drawn, and what strata may go by."""

    units: int
    groupings: Sequence[str]


def setting(path: Path) -> SampleSetting:
    """What a first draw can be of. By a connection of its own, for any thread."""
    frame = read_frame(path)
    with reading(path) as db:
        words = trace_rows.names(db).words
        found = [by for by, text in _TOLD_APART.items() if db.execute(text).fetchone()[0]]
    for name, values in words.items():
        if name.startswith(META) and FEW[0] <= len(values) <= FEW[-1]:
            found.append(name)
    if has_panel(path):
        found.append(DISAGREEMENT)
    return SampleSetting(len(frame.units), found)


_TOLD_APART = {
    "model": "SELECT count(DISTINCT model) > 1 FROM heads",
    "question": "SELECT count(DISTINCT question_id || char(0) || question) BETWEEN 2 AND"
    " (SELECT count(*) / 2 FROM heads) FROM heads",
}
"""Whether traces fall into groups by it."""
FEW = range(2, 21)
"""How many values a key of the metadata has that is offered."""


def usual_size(units: int) -> int:
    """How many are drawn where nobody says."""
    return min(USUAL, units)


def draw_command(units: int, audit: str = "AUDIT") -> str:
    """The command that draws as many, from so many that could be drawn."""
    return f"appellate sample {audit} -n {usual_size(units)}"


def plan(path: Path, wish: SampleWish, before: Sample | None = None) -> PlannedDraw:
    """What a wish would draw from the audit in a workspace; raises Refused. By a connection of its
    own, for any thread.
    """
    try:
        if before is None:
            return _Planning(path, wish).begun()
        return _Planning(path, wish).added(before)
    except CannotDraw as cannot:
        raise Refused(str(cannot)) from cannot


class _Planning:
    """One plan: what it goes by, step by step."""

    def __init__(self, path: Path, wish: SampleWish) -> None:
        self._path = path
        self._wish = wish

    def begun(self) -> PlannedDraw:
        """The first draw."""
        wish, frame = self._wish, read_frame(self._path)
        if wish.active:
            return self._by_chance(frame)
        if not wish.by:
            return self._drawn(frame, [ALL], [0] * len(frame.units), "simple")
        if DISAGREEMENT in wish.by:
            thirds = designs.terciles(spreads(self._path, frame.units))
            present = sorted(set(thirds))
            if len(present) < 2:  # noqa: PLR2004 - one stratum parts nothing
                raise Refused(EVEN)
            names = list(map(THIRDS.__getitem__, present))
            return self._drawn(frame, names, list(map(present.index, thirds)), "stratified")
        names, strata = designs.strata_of(groups(self._path, frame.units, wish.by), wish.n)
        return self._drawn(frame, names, strata, "stratified")

    def added(self, sample: Sample) -> PlannedDraw:
        """A further draw from the same frame, by the design that the sample has."""
        frame, strata = read_frame_again(self._path, sample.last.frame_strata)
        if designs.fingerprint(frame.in_strata(strata)) != sample.last.frame_sha256:
            raise Refused(OTHER_FRAME)
        names = list(map(attrgetter("name"), sample.strata))
        before = list(map(attrgetter("drawn"), sample.strata))
        self._wish = SampleWish(
            len(sample) + self._wish.n,
            sample.last.seed,
            sample.last.strata_by,
            sample.last.design == "active",
            sample.last.blind,
        )
        if sample.last.design == "active":
            return self._by_chance(frame, strata, names, len(sample))
        return self._drawn(frame, names, strata, sample.last.design, before)

    # -- the two ways -----------------------------------------------------------------------------

    def _drawn(
        self,
        frame: SampleFrame,
        names: Sequence[str],
        strata: Sequence[int],
        design: str,
        before: Sequence[int] = (),
    ) -> PlannedDraw:
        """So many of each stratum."""
        sizes = _sizes(strata, len(names))
        before = before or [0] * len(names)
        wanted = designs.allocate(self._wish.n, sizes, *self._weights(frame, strata), before)
        units = frame.in_strata(strata)
        drawn = designs.draw(units, self._wish.seed, wanted, before)
        rows: list[Mapping[str, Any]] = []
        for name, size, n in zip(names, sizes, wanted, strict=True):
            rows.append({"name": name, "units": size, "drawn": n})
        return self._planned(frame, strata, units, rows, drawn, design)

    def _weights(self, frame: SampleFrame, strata: Sequence[int]) -> tuple[list[float] | None, int]:
        """What the sizes go by, and the least of each."""
        if DISAGREEMENT not in self._wish.by:
            least = designs.FLOOR
            if len(set(strata)) < 2:  # noqa: PLR2004 - any number is in proportion
                least = 1
            return None, least
        weights = designs.disagreement_weights(strata, spreads(self._path, frame.units))
        return weights, designs.DISAGREEMENT_FLOOR

    def _by_chance(
        self,
        frame: SampleFrame,
        strata: Sequence[int] = (),
        names: Sequence[str] = (),
        before: int = 0,
    ) -> PlannedDraw:
        """By chances that go by how much the panel disagrees."""
        if not strata:
            steps = designs.levels(spreads(self._path, frame.units))
            present = sorted(set(steps))
            if len(present) < 2:  # noqa: PLR2004 - all have the same chance
                raise Refused(EVEN)
            names = list(map(designs.level_name, present))
            strata = list(map(present.index, steps))
        sizes, units = _sizes(strata, len(names)), frame.in_strata(strata)
        share = designs.shares_of(names, sizes)
        new, chances = designs.draw_unequally(units, self._wish.seed, share, self._wish.n, before)
        whole, _ = designs.draw_unequally(units, self._wish.seed, share, self._wish.n)
        drawn = Counter(unit.stratum for unit in whole)
        rows = []
        for stratum, (name, size, chance) in enumerate(zip(names, sizes, chances, strict=True)):
            row: dict[str, Any] = {"name": name, "units": size, "drawn": drawn[stratum]}
            rows.append(row | {"chance": chance})
        return self._planned(frame, strata, units, rows, new, "active")

    def _planned(
        self,
        frame: SampleFrame,
        strata: Sequence[int],
        units: Sequence[FrameUnit],
        rows: Sequence[Mapping[str, Any]],
        drawn: Sequence[FrameUnit],
        design: str,
    ) -> PlannedDraw:
        wish, by_name = self._wish, {unit.name: unit for unit in frame.units}
        traces: list[int] = []
        values: list[Mapping[str, Any]] = []
        for unit in drawn:
            those = by_name[unit.name]
            traces += those.traces
            values.append(
                {"traces": [list(key) for key in those.keys], "stratum": rows[unit.stratum]["name"]}
            )
        what = Sampled(
            design,
            list(wish.by),
            wish.seed,
            wish.blind,
            len(units),
            designs.fingerprint(units),
            frame.written(strata),
            rows,
            values,
        )
        return PlannedDraw(what, traces, self._signed(traces), frame)

    def _signed(self, traces: Sequence[int]) -> int:
        """How many of these traces have a cell that is signed off."""
        with reading(self._path) as db:
            sql = "SELECT DISTINCT trace FROM cells WHERE state = 'reviewed'"
            signed = chain.from_iterable(db.execute(sql))
            return len(set(traces).intersection(signed))


def _sizes(strata: Sequence[int], count: int) -> list[int]:
    counted = Counter(strata)
    return list(map(counted.__getitem__, range(count)))
