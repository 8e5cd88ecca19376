"""Planning a draw: what can be drawn, by which design, and how wide intervals will be.

A trace that was an example for a judge is not drawn, nor is one without a trait. The traces of
one cluster come in together, or not at all. For any thread.
"""

import json
import sqlite3
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain
from math import sqrt
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from appellate.core.design_facts import (
    ALL,
    GIANTS,
    LARGEST,
    REST,
    Sample,
    Sampled,
    WaveSampled,
    wave_name,
)
from appellate.core.kind import Figures, KnownTrait, Measure, TraitKey, headline
from appellate.core.problem import Refused, many, quoted
from appellate.core.scale import is_bounded
from appellate.core.trace import TraceKey, name_of
from appellate.query.language import META
from appellate.stats import designs
from appellate.stats.betting import UnitPrior, corners_of_sum
from appellate.stats.designs import CannotDraw, FrameUnit
from appellate.stats.estimates import Pair as EstimatePair
from appellate.stats.estimates import expected_half_width
from appellate.store import trace_rows
from appellate.store.database import reading
from appellate.store.samples.expected_bets import ExpectedBets
from appellate.store.tables import rubric_of
from appellate.traits.rubric import Rubric

UNSAID = "(none)"
"""The group of a trace that says nothing of what it is grouped by."""
DISAGREEMENT = "disagreement"
GROUPINGS = ("question", "model", DISAGREEMENT)
"""What strata go by, beside the keys of the metadata: `meta.site`."""


class DrawableUnit(Struct, frozen=True):
    """What is drawn as one unit: a trace, or all traces of a cluster."""

    name: str
    traces: Sequence[int]
    """The numbers of its traces."""
    keys: Sequence[TraceKey]


class SampleFrame(Struct, frozen=True):
    """The units that can be drawn, and how many traces are left out."""

    units: Sequence[DrawableUnit]
    traces: int
    """How many traces the audit has, with those that are left out."""
    examples: int = 0
    """Traces that are left out because a judge was shown one of their unit as an example."""
    without: int = 0
    """Traces that are left out because they have no trait."""

    @property
    def clusters(self) -> int:
        """How many units have several traces."""
        return sum(len(unit.traces) > 1 for unit in self.units)

    @property
    def word(self) -> str:
        return "cluster" if self.clusters else "trace"

    def written(self, strata: Sequence[int]) -> str:
        """Return the stratum of every trace in order, as runs of letters: `412a-3b`.

        `strata` has the stratum of each unit, from 0, in the order of `units`. All traces of a unit
        have its letter; `a` stands for stratum 0, and `-` for a trace that cannot be drawn. Raises
        ValueError unless there is one stratum for each unit, and IndexError for a stratum above the
        52 letters.
        """
        of_traces: list[int | None] = [None] * self.traces
        for unit, stratum in zip(self.units, strata, strict=True):
            for no in unit.traces:
                of_traces[no - 1] = stratum
        return designs.written(of_traces)

    def in_strata(self, strata: Sequence[int]) -> list[FrameUnit]:
        """Return the units by name, each with its stratum.

        `strata` are those of the units, in their order. Raises ValueError unless there is one for
        each.
        """
        pairs = zip(self.units, strata, strict=True)
        return [FrameUnit(unit.name, stratum) for unit, stratum in pairs]


def read_frame(path: Path, after: int = 0) -> SampleFrame:
    """Return what can be drawn from a workspace for a first time, or from traces added since.

    Units with a trace that was an example for a judge are left out, and those without any trait.
    The first `after` traces are no part of any unit: an earlier draw knew them. Raises
    sqlite3.Error if the workspace cannot be read.
    """
    with reading(path) as db:
        examples_by_trace = dict(
            db.execute("SELECT trace, max(example) FROM cells GROUP BY trace"),
        )
        (count,) = db.execute("SELECT count(*) FROM traces").fetchone()
        units = _units(db, range(after + 1, count + 1))
    unit_names_left_out: set[str] = set()
    for unit in units:
        if any(examples_by_trace.get(trace_no) for trace_no in unit.traces):
            unit_names_left_out.add(unit.name)
    drawable = []
    examples = 0
    without = 0
    for unit in units:
        if unit.name in unit_names_left_out:
            examples += len(unit.traces)
        elif not any(no in examples_by_trace for no in unit.traces):
            without += len(unit.traces)
        else:
            drawable.append(unit)
    return SampleFrame(drawable, count, examples, without)


def known_traces(sample: Sample | None) -> int:
    """Return how many traces there were when the last wave of a sample was begun; 0 without one."""
    if sample is None:
        return 0
    return len(designs.read(sample.last.frame_strata))


def count_new(path: Path, sample: Sample) -> int:
    """Return how many traces a workspace got since the last wave of a sample was begun."""
    with reading(path) as db:
        (count,) = db.execute("SELECT count(*) FROM traces").fetchone()
    return int(count) - known_traces(sample)


def read_frame_again(path: Path, written: str) -> tuple[SampleFrame, list[int]]:
    """Return what could be drawn when a sample was begun, and the stratum of each unit.

    `path` is the workspace, which is opened anew. `written` is the `frame_strata` of one of its
    draws. The counts of traces left out are 0, since the draw does not say them.
    """
    strata_of_traces = designs.read(written)
    numbered = enumerate(strata_of_traces, 1)
    strata_by_no = {no: stratum for no, stratum in numbered if stratum is not None}
    with reading(path) as db:
        units = _units(db, strata_by_no)
    frame = SampleFrame(units, len(strata_of_traces))
    strata: list[int] = []
    for unit in units:
        first_trace_no = unit.traces[0]
        strata.append(strata_by_no[first_trace_no])
    return frame, strata


def _units(
    db: sqlite3.Connection,
    among: Container[int] | None = None,
) -> list[DrawableUnit]:
    """Return traces as units, in the order loaded, also those without a trait.

    These are all traces, or with `among` those with these numbers. The traces of a cluster are one
    unit with the name `cluster NAME`, at the place of the first. Any other unit has its trace's
    name.
    """
    clusters = dict(trace_rows.by_trace(db, "cluster"))
    members: dict[str, list[tuple[int, TraceKey]]] = defaultdict(list)
    rows = db.execute("SELECT no, id, epoch FROM traces ORDER BY no")
    for no, trace_id, epoch in rows:
        if among is not None and no not in among:
            continue
        unit = name_of(trace_id, epoch)
        if no in clusters:
            unit = f"cluster {clusters[no]}"
        members[unit].append((no, (trace_id, epoch)))
    units: list[DrawableUnit] = []
    for name, trace_members in members.items():
        numbers, keys = zip(*trace_members, strict=True)
        units.append(DrawableUnit(name, numbers, keys))
    return units


# -- what strata go by ----------------------------------------------------------------------------


def groups(
    path: Path,
    units: Sequence[DrawableUnit],
    groupings: Sequence[str],
) -> list[str]:
    """Return the group of each unit: what its traces say of each of `groupings`, parted by " · ".

    Several words of one thing are sorted and joined by " + ". What the traces do not say is
    `UNSAID` there. The workspace at `path` is opened anew.
    """
    with reading(path) as db:
        values = [trace_rows.words_by(db, grouping) for grouping in groupings]
    return [" · ".join(_words(of_trace, unit) for of_trace in values) for unit in units]


def _words(fields: Mapping[int, Sequence[str]], unit: DrawableUnit) -> str:
    """Return the group of a unit: the values that its traces have in one field.

    `fields` has the values by the number of a trace. Several values are sorted and joined by " + ".
    Returns `UNSAID` if no trace has one.
    """
    words: set[str] = set()
    for trace_no in unit.traces:
        words.update(fields.get(trace_no, ()))
    joined = " + ".join(sorted(words))
    return joined or UNSAID


NO_PANEL = (
    "No panel judged these traces, so there is no disagreement to go by: judge them with several"
    " judges, or draw without regard to it."
)


Pair = tuple[float, float]


class JudgedCell(NamedTuple):
    """What a cell that was judged adds to its trait's measure."""

    trace: int
    pairs: Sequence[Pair]
    """What it adds to numerator and denominator, by the judge, or by each member of a panel."""
    corners: Sequence[Pair] | None = None
    """The extreme pairs that people could give it; None if there are none."""


def _measures_by_trait(
    rubric: Rubric,
    measure_name: str = "",
) -> dict[TraitKey, Measure]:
    """Return the measure that reports name each trait by.

    With a `measure_name` it is the measure of that name. Traits without such a measure are left
    out.
    """
    measures: dict[TraitKey, Measure] = {}
    for known_trait in rubric.every_trait():
        measures_of_trait = [
            measure
            for measure in known_trait.kind.measures(known_trait.trait)
            if measure_name in ("", measure.name)
        ]
        if measures_of_trait:
            measures[known_trait.key] = headline(measures_of_trait)
    return measures


def _judged(
    path: Path,
    measure_name: str = "",
) -> tuple[dict[TraitKey, Measure], dict[TraitKey, list[JudgedCell]]]:
    """Return the measure that reports name each trait by, and the judged cells of each trait.

    With a `measure_name` it is the measure of that name. Traits without it are in neither, and a
    trait without judged cells has only its measure. The workspace at `path` is opened anew.
    """
    judged_cells: dict[TraitKey, list[JudgedCell]] = defaultdict(list)
    with reading(path) as db:
        rubric = rubric_of(db)
        measures = _measures_by_trait(rubric, measure_name)
        traits_by_trace = _traits_by_trace(db, rubric)
        rows = db.execute(
            "SELECT c.trace, c.trait, m.judge, m.members FROM measured m"
            " JOIN cells c ON c.no = m.cell WHERE m.judge IS NOT NULL ORDER BY c.no",
        ).fetchall()
    figures_of_rows = [judged_figures(judge, members) for *_, judge, members in rows]
    most_items = 0
    for figures in chain.from_iterable(figures_of_rows):
        most_items = max(most_items, figures.counts.get("fp", 0))
    for row, figures_of_row in zip(rows, figures_of_rows, strict=True):
        trace_no, name, *_ = row
        trait = traits_by_trace[trace_no].get(name)
        if trait is None or trait.key not in measures:
            continue
        key = trait.key
        measure = measures[key]
        corners = None
        if is_bounded(measure):
            corners = trait.kind.corners(trait.trait, measure, most_items)
        pairs = [measure.parts(figures) for figures in figures_of_row]
        judged_cells[key].append(JudgedCell(trace_no, pairs, corners))
    return measures, judged_cells


def judged_figures(judge: str | None, members: str | None) -> list[Figures]:
    """Return the figures of the judge's labels of a cell, or of each member of a panel.

    `judge` and `members` are JSON as the workspace keeps it. Empty without labels.
    """
    if members:
        return [Figures.of(**member) for member in json.loads(members)]
    if judge:
        return [Figures.of(**json.loads(judge))]
    return []


def spreads(path: Path, units: Sequence[DrawableUnit]) -> list[float]:
    """Return for each unit how far panel members are apart, over its traces and all traits.

    It is the standard deviation of what they add to the traits' numbers; 0 for a unit that no panel
    judged. `path` is the workspace, which is opened anew. Raises Refused if no panel judged any
    cell.
    """
    _, judged = _judged(path)
    has_panel = False
    variances: dict[int, float] = defaultdict(float)
    for cells in judged.values():
        cells_of_panels = [cell for cell in cells if len(cell.pairs) > 1]
        if cells_of_panels:
            has_panel = True
        for trace_no, variance in _variances(cells_of_panels):
            variances[trace_no] += variance
    if not has_panel:
        raise Refused(NO_PANEL)
    deviations: list[float] = []
    for unit in units:
        variance = sum(variances[trace_no] for trace_no in unit.traces)
        deviations.append(sqrt(variance))
    return deviations


def _variances(cells: Sequence[JudgedCell]) -> Iterable[tuple[int, float]]:
    """Yield each cell's trace with the variance of what its members add to the trait's number.

    Yields nothing if the number is 0/0.
    """
    pairs = [pair for cell in cells for pair in cell.pairs]
    above = sum(a for a, _ in pairs)
    below = sum(b for _, b in pairs)
    if not below:
        return
    value = above / below
    mean = below / len(pairs)
    for cell in cells:
        yield cell.trace, pvariance([(a - value * b) / mean for a, b in cell.pairs])


HALF_HELP = sqrt(0.5)
"""How much of the deviation is left where the judge explains half of what people say."""


class ExpectedWidth(NamedTuple):
    """How wide the interval of a trait's number will be, after any number of audits."""

    trait: str
    measure: str
    deviation: float
    """The standard deviation of the number from unit to unit, by the judge's labels."""
    guard: float
    """The size of the two pseudo-residuals; 0 for a number without bounds."""
    frame: int
    """How many units can be drawn."""
    range: float = 1.0
    """How far the number's bounds are apart."""
    bets: ExpectedBets | None = None
    """What betting is expected to give; None for a number without an exact interval."""
    whole: int = 0
    """Units of the frame that are all ruled on, with cells of the trait or without."""

    def half(self, n: int, deviation_share: float = 1.0) -> float:
        """Return half the width of the interval after n audits of units.

        The units are of the whole frame, and those without cells of the trait tell nothing of it.
        `deviation_share` is the part of the deviation that the judge does not explain, from 0 to 1.
        """
        if self.bets is not None:
            own = self._own_audits(n, self.bets)
            return self.bets.half(own, helped=deviation_share < 1)
        return expected_half_width(
            n,
            self.frame,
            deviation_share * self.deviation,
            self.guard,
        )

    def _own_audits(self, n: int, bets: ExpectedBets) -> int:
        """Return how many of n audits are expected to have cells of the trait, rounded down.

        Units that are all ruled on count in full, even if n is below their number; the other audits
        are spread by chance. If n is the whole frame or more, all units with cells of the trait are
        counted.
        """
        if n >= self.frame:
            return bets.frame
        by_chance = max(0, n - self.whole)
        own_by_chance = bets.frame - bets.whole
        return bets.whole + by_chance * own_by_chance // (self.frame - self.whole)

    def audits(self, half: float, deviation_share: float = 1.0) -> int:
        """Return how many audits an interval of ± `half` takes: at least 2, at most all units.

        It is all units if no number of audits gives one so narrow. `deviation_share` is the part of
        the deviation that the judge does not explain, from 0 to 1.
        """
        return bisect_left(
            range(self.frame),
            True,
            2,
            key=lambda n: self.half(n, deviation_share) <= half,
        )


def expected_of(
    path: Path,
    sample: Sample | None,
    measure_name: str = "",
    wish: "SampleWish | None" = None,
) -> tuple[SampleFrame, list[ExpectedWidth]]:
    """Return what can be drawn, and how wide intervals will be, for each trait with judged cells.

    With a sample it is what could be drawn when its last wave was begun. The units that are all
    ruled on are those that it draws whole or, without a sample, those that `wish` asks to draw
    whole. Widths are for the measure named `measure_name`, or for "" for that by which reports name
    a trait. The workspace is opened anew. Raises Refused if no units can be drawn whole as asked.
    """
    if sample is None:
        frame = read_frame(path)
        whole: Sequence[int] = ()
        if wish is not None and wish.giants is not None:
            whole = _giants(path, frame, wish)
        return frame, expected_widths(path, frame.units, measure_name, frozenset(whole))
    wave = sample.waves[-1]
    frame, strata = read_frame_again(path, wave.last.frame_strata)
    drawn_whole = [
        index for index, stratum in enumerate(strata) if stratum == wave.whole_stratum
    ]
    return frame, expected_widths(
        path,
        frame.units,
        measure_name,
        frozenset(drawn_whole),
    )


def expected_widths(
    path: Path,
    units: Sequence[DrawableUnit],
    measure_name: str = "",
    whole: frozenset[int] = frozenset(),
) -> list[ExpectedWidth]:
    """Return how wide the interval of each trait will be, for the measure that reports name it by.

    With a `measure_name` it is the measure of that name. `whole` are the indexes of units that will
    all be ruled on. Traits without such a measure are left out, those without judged cells among
    the units, and those whose number is 0/0. The workspace at `path` is opened anew.
    """
    measures, judged = _judged(path, measure_name)
    unit_of: dict[int, int] = {}
    for index, unit in enumerate(units):
        unit_of |= dict.fromkeys(unit.traces, index)
    widths: list[ExpectedWidth] = []
    for key, cells in judged.items():
        sums = _sums_of_units(cells, unit_of, len(units))
        if not any(below for _, below in sums):
            continue
        measure = measures[key]
        _, trait = key
        mean = fmean(below for _, below in sums)
        value = fmean(above for above, _ in sums) / mean
        squares = [(above - value * below) ** 2 for above, below in sums]
        largest: float = 1
        if measure.ratio is not None:
            largest = max(measure.ratio.above.values())
        guard = 0.0
        width = measure.high - measure.low
        if is_bounded(measure):
            guard = largest * width / mean
        expected_width = ExpectedWidth(
            trait,
            measure.name,
            deviation=sqrt(fmean(squares)) / mean,
            guard=guard,
            frame=len(units),
            range=width,
            bets=_expected_bets(cells, unit_of, measure, whole),
            whole=len(whole),
        )
        widths.append(expected_width)
    return widths


def _sums_of_units(
    cells: Sequence[JudgedCell],
    unit_of: Mapping[int, int],
    unit_count: int,
) -> list[tuple[float, float]]:
    """Return what each unit's cells add to a measure's numerator and denominator, by the judge.

    Of a panel it is the mean of its members. `unit_of` has the index of the unit by the number of
    a trace; cells of other traces are left out. A unit without cells adds two zeros.
    """
    sums = [(0.0, 0.0)] * unit_count
    for cell in cells:
        if cell.trace not in unit_of:
            continue
        index = unit_of[cell.trace]
        above, below = sums[index]
        cell_above, cell_below = map(fmean, zip(*cell.pairs, strict=True))
        sums[index] = (above + cell_above, below + cell_below)
    return sums


def _expected_bets(
    cells: Sequence[JudgedCell],
    unit_of: Mapping[int, int],
    measure: Measure,
    whole: Container[int],
) -> ExpectedBets | None:
    """Return what betting is expected to give over the judged units.

    `whole` are the indexes of units that will all be ruled on. Cells of traces that are in no unit
    are left out. None if a cell has no corners.
    """
    corners_by_unit: dict[int, list[Sequence[EstimatePair]]] = defaultdict(list)
    judge_by_unit: dict[int, list[EstimatePair]] = defaultdict(list)
    for cell in cells:
        if cell.trace not in unit_of:
            continue
        if cell.corners is None:
            return None
        unit = unit_of[cell.trace]
        corners_by_unit[unit].append([EstimatePair(*corner) for corner in cell.corners])
        above, below = map(fmean, zip(*cell.pairs, strict=True))
        judge_by_unit[unit].append(EstimatePair(above, below))
    units: list[UnitPrior] = []
    units_whole: list[UnitPrior] = []
    corners_of_parts: dict[
        tuple[tuple[EstimatePair, ...], ...],
        tuple[EstimatePair, ...],
    ] = {}
    for unit, parts in corners_by_unit.items():
        key = tuple(map(tuple, parts))
        if key not in corners_of_parts:
            corners_of_parts[key] = corners_of_sum(parts)
        above = sum(pair.a for pair in judge_by_unit[unit])
        below = sum(pair.b for pair in judge_by_unit[unit])
        prior = UnitPrior(corners_of_parts[key], EstimatePair(above, below))
        if unit in whole:
            units_whole.append(prior)
        else:
            units.append(prior)
    # all of those that have this trait, so that nothing is left to chance
    if not units:
        return ExpectedBets(units_whole, measure.low, measure.high)
    return ExpectedBets(units, measure.low, measure.high, units_whole)


USUAL = 60
THIRDS = ("little disagreement", "some disagreement", "most disagreement")
EVEN = "The panel disagrees nowhere, or everywhere alike: draw without regard to it."
OTHER_FRAME = (
    "The traces are not those that the sample was drawn from: it cannot be added to. Begin an audit"
    " of its own for them."
)
NO_NEW_TRACES = (
    "No trace is new since the last draw, so there is nothing for another wave: add traces first"
    " (`appellate import`, `review` or `judge` with the new file), or draw more with --add."
)
OTHER_MODE = (
    "All waves of a sample are ruled on alike, since blind and sighted labels are never pooled:"
    " draw this one {mode}, too."
)
SAME_SEED = (
    "Seed {seed} is that of the wave {wave}. Each wave is drawn by chance of its own: choose"
    " another seed, or give none."
)
NO_WAVE_ADDED = (
    "No wave can follow a sample whose traces were drawn by chances of their own: new traces take"
    " an audit of their own."
)
USUAL_SEED = 1
NOTHING_ADDED = (
    "Nothing can be added to this sample: its traces were drawn by chances that go by the panel's"
    " disagreement, and no version draws so any more. What is drawn keeps its weights, and every"
    " verdict in it counts. Until the first verdict --withdraw takes it back for another; after"
    " that, more traces take an audit of their own."
)


STANDING_OUT = 0
"""In a wish: as many of the largest units whole as stand out (`stats.designs.giants`)."""


class SampleWish(Struct, frozen=True):
    """The draw that somebody asks for."""

    n: int
    """How many units; for an addition to a sample, how many more."""
    seed: int = USUAL_SEED
    by: Sequence[str] = ()
    """The groupings that make the strata."""
    blind: bool = True
    giants: int | None = None
    """How many of the largest units are drawn whole, or `STANDING_OUT`; None if none are."""
    wave: str = ""
    """The name of a wave, drawn from traces that are new since the last draw; "" for none."""

    @property
    def design(self) -> str:
        """The design: "giants", else "stratified" with anything to go by, else "simple"."""
        if self.giants is not None:
            return GIANTS
        return "stratified" if self.by else "simple"


class PlannedDraw(Struct, frozen=True):
    """A draw that is not saved yet."""

    what: Sampled
    """The fact that will be saved."""
    traces: Sequence[int]
    """The numbers of the traces that are drawn now, in the order of the draw."""
    signed: int
    """How many of `traces` have a cell that is signed off."""
    of_census: bool
    """Whether all cells of the audit are signed off, so that no number needs an estimate."""
    frame: SampleFrame
    standing_out: int = 0
    """How many units are so large that they are better drawn whole, and are left to chance."""

    @property
    def after(self) -> int:
        """How many units are drawn with it, those of before among them."""
        return sum(int(stratum["drawn"]) for stratum in self.what.strata)

    def describe(self) -> list[str]:
        """Return what a person should know of the draw, in sentences; empty if there is nothing."""
        frame = self.frame
        texts = []
        if frame.examples:
            stay = many(frame.examples, "trace stays", "traces stay")
            texts.append(f"{stay} out: a judge was shown them as examples.")
        if frame.without:
            traces_have = many(frame.without, "trace has", "traces have")
            texts.append(f"{traces_have} no trait to judge by.")
        if frame.clusters:
            texts.append(
                "Traces of one cluster come in together: the cluster is what is drawn.",
            )
        if self.standing_out:
            texts.append(standing_out_text(self.standing_out, frame.word))
        if self.signed and self.what.blind:
            signed = many(self.signed, "trace was signed off", "traces were signed off")
            texts.append(
                f"{signed} before: to be ruled on anew, blind. What was said stays in the history.",
            )
        return texts


def standing_out_text(count: int, unit: str) -> str:
    """Return a sentence on what can be done about `count` units that are very large."""
    units_have = many(count, f"{unit} has", f"{unit}s have")
    return (
        f"{units_have} many more items than most, so the result hangs on whether"
        " chance draws them. --giants (on the screen: Group by, largest) rules on all of them, and"
        " leaves the others to chance."
    )


class SampleSetting(NamedTuple):
    """How many units could be drawn, and what strata may go by."""

    units: int
    groupings: Sequence[str]
    standing_out: int = 0
    """How many units are so large that a usual sample is better to take them whole."""


def setting(path: Path) -> SampleSetting:
    """Return what a first draw can be of, and by what it can be stratified.

    The workspace is opened anew, so any thread may call this.
    """
    frame = read_frame(path)
    groupings: list[str] = []
    with reading(path) as db:
        words = trace_rows.names(db).words
        for grouping, sql in _TOLD_APART.items():
            (tells_apart,) = db.execute(sql).fetchone()
            if tells_apart:
                groupings.append(grouping)
        sql = "SELECT 1 FROM measured WHERE members IS NOT NULL LIMIT 1"
        panel = db.execute(sql).fetchone()
    for name, values in words.items():
        has_few_values = FEW[0] <= len(values) <= FEW[-1]
        if name.startswith(META) and has_few_values:
            groupings.append(name)
    if panel:
        groupings.append(DISAGREEMENT)
    unit_count = len(frame.units)
    sizes = unit_sizes(path, frame.units)
    giants = designs.giants(sizes, usual_size(unit_count))
    return SampleSetting(unit_count, groupings, len(giants))


_TOLD_APART = {
    "model": "SELECT count(DISTINCT model) > 1 FROM heads",
    "question": "SELECT count(DISTINCT question_id || char(0) || question) BETWEEN 2 AND"
    " (SELECT count(*) / 2 FROM heads) FROM heads",
}
"""Whether traces fall into groups by it."""
FEW = range(2, 21)
"""How many values a key of the metadata has that is offered."""


def usual_size(units: int) -> int:
    """Return how many of a frame's units are drawn where nobody says."""
    return min(USUAL, units)


def draw_command(units: int, audit: str = "AUDIT") -> str:
    """Return the command that draws as many as usual, from so many units."""
    return f"appellate sample {audit} -n {usual_size(units)}"


def plan(path: Path, wish: SampleWish, before: Sample | None = None) -> PlannedDraw:
    """Return what a wish would draw from a workspace; nothing is saved.

    With the sample `before` it is a further draw of `wish.n` units by the design of that one, or of
    its last wave, whatever else is wished. A wish for a wave with a name that none has draws from
    the traces that are new. The workspace is opened anew. Raises Refused if that cannot be drawn.
    """
    try:
        if before is not None:
            begins_wave = wish.wave and wish.wave != wave_name(before.last)
            if not begins_wave:
                return _added(path, before.waves[-1], wish.n)
            _check_wave(before, wish)
        after = known_traces(before)
        frame = read_frame(path, after)
        if after and not frame.units:
            raise Refused(NO_NEW_TRACES)
        names, strata = _parted(path, frame, wish)
        return _planned(path, wish, frame, names, strata, [0] * len(names))
    except CannotDraw as cannot:
        raise Refused(str(cannot)) from cannot


def _check_wave(sample: Sample, wish: SampleWish) -> None:
    """Raise Refused for a wave that cannot follow those of a sample.

    It needs a name and a seed that none of them has, and must be blind if and only if they are. No
    wave can follow a draw with unequal chances.
    """
    if sample.has_own_chances:
        raise Refused(NO_WAVE_ADDED)
    for wave in sample.waves:
        if wish.wave == wave.name:
            raise Refused(
                f"There is a wave {quoted(wish.wave)} already: give this one another name.",
            )
        if wish.seed == wave.last.seed:
            raise Refused(SAME_SEED.format(seed=wish.seed, wave=quoted(wave.name)))
        if wish.blind != wave.last.blind:
            raise Refused(
                OTHER_MODE.format(mode="blind" if wave.last.blind else "sighted"),
            )


def usual_seed(sample: Sample | None) -> int:
    """Return the seed of a draw for which nobody says one, greater than that of any earlier wave.

    It is `USUAL_SEED` without a sample.
    """
    if sample is None:
        return USUAL_SEED
    return max(wave.last.seed for wave in sample.waves) + 1


def _added(path: Path, sample: Sample, n: int) -> PlannedDraw:
    """Return a further draw of `n` units from the same frame, by the design that the sample has.

    `path` is the workspace, which is opened anew. The sample is of one wave, and its units are not
    drawn again. Raises Refused if its chances were unequal, or if the traces differ, and CannotDraw
    if there are too few.
    """
    if sample.has_own_chances:
        raise Refused(NOTHING_ADDED)
    last = sample.last
    frame, strata = read_frame_again(path, last.frame_strata)
    if designs.fingerprint(frame.in_strata(strata)) != last.frame_sha256:
        raise Refused(OTHER_FRAME)
    giants = None
    if sample.whole_stratum is not None:
        giants = sample.strata[sample.whole_stratum].units
    wish = SampleWish(
        len(sample) + n,
        last.seed,
        last.strata_by,
        last.blind,
        giants,
        wave_name(last),
    )
    names = [stratum.name for stratum in sample.strata]
    return _planned(
        path,
        wish,
        frame,
        names,
        strata,
        [stratum.drawn for stratum in sample.strata],
    )


def _parted(
    path: Path,
    frame: SampleFrame,
    wish: SampleWish,
) -> tuple[list[str], list[int]]:
    """Return the strata of a first draw: their names, and the number of one for each unit.

    `path` is the workspace, which is opened anew for sizes and groups. Raises Refused or CannotDraw
    if units do not fall into strata.
    """
    if wish.giants is not None:
        largest = frozenset(_giants(path, frame, wish))
        strata: list[int] = []
        for index, _ in enumerate(frame.units):
            strata.append(0 if index in largest else 1)
        return [LARGEST, REST], strata
    if not wish.by:
        return [ALL], [0] * len(frame.units)
    if DISAGREEMENT in wish.by:
        return _thirds(designs.terciles(spreads(path, frame.units)))
    return designs.strata_of(groups(path, frame.units, wish.by), wish.n)


NONE_STANDS_OUT = (
    "No trace or cluster has so many more items than most that it should not be left to chance:"
    " draw without --giants, or say how many of the largest to rule whole, as in --giants 10."
)


def _giants(path: Path, frame: SampleFrame, wish: SampleWish) -> list[int]:
    """Return the indexes of the units that a wish draws whole, in order.

    Raises Refused if none stands out and no number was asked for, and for a number that leaves
    nothing to chance. The workspace at `path` is opened anew for the units' sizes.
    """
    sizes = unit_sizes(path, frame.units)
    if wish.giants == STANDING_OUT:
        whole = designs.giants(sizes, wish.n)
        if not whole:
            raise Refused(NONE_STANDS_OUT)
        return whole
    count = wish.giants or 0
    drawn_count = min(wish.n, len(frame.units))
    if count >= drawn_count:
        raise Refused(
            f"--giants {count:,} leaves none of {drawn_count:,} to chance: at"
            " least one must be drawn at random.",
        )
    return sorted(designs.largest(sizes, count))


def unit_sizes(path: Path, units: Sequence[DrawableUnit]) -> list[float]:
    """Return how large each unit is, as far as that is known before anybody rules.

    Under one trait that is the most that people could count in its cells, as a multiple of the mean
    unit that has the trait: of lists the instructions, of single verdicts one a cell. Of several
    traits it is the largest of their sizes. It is 0 for a unit in which nothing bounded is counted.
    The workspace is opened anew.
    """
    unit_of: dict[int, int] = {}
    for index, unit in enumerate(units):
        unit_of |= dict.fromkeys(unit.traces, index)
    with reading(path) as db:
        rubric = rubric_of(db)
        measures = _measures_by_trait(rubric)
        items = {key: [0.0] * len(units) for key in measures}
        traits_by_trace = _traits_by_trace(db, rubric)
        most_of_traits: dict[int, float] = {}
        for trace, name in db.execute("SELECT trace, trait FROM cells"):
            trait = traits_by_trace[trace].get(name)
            if trace not in unit_of or trait is None or trait.key not in measures:
                continue
            key = trait.key
            if id(trait) not in most_of_traits:
                most_of_traits[id(trait)] = _most_counted(trait, measures[key])
            items[key][unit_of[trace]] += most_of_traits[id(trait)]
    return _as_multiples(items.values(), len(units))


def _as_multiples(
    items_of_traits: Iterable[Sequence[float]],
    unit_count: int,
) -> list[float]:
    """Return the largest size of each unit under any trait, as a multiple of the mean unit.

    An entry of `items_of_traits` has what is counted in each unit under one trait. Units in which
    nothing is counted are not in its mean. 0 for a unit in which nothing is counted under any.
    """
    sizes = [0.0] * unit_count
    for of_units in items_of_traits:
        having = [count for count in of_units if count]
        if not having:
            continue
        mean = fmean(having)
        for index, count in enumerate(of_units):
            sizes[index] = max(sizes[index], count / mean)
    return sizes


def _most_counted(trait: KnownTrait, measure: Measure) -> float:
    """Return the most that labels of one cell can add below the line of a trait's measure.

    That is the denominator of a ratio, and 1 for another number. 0 if the measure's scale has no
    end, or if its kind gives no extremes (`TraitKind.corners`), as where repeats count.
    """
    if not is_bounded(measure):
        return 0.0
    corners = trait.kind.corners(trait.trait, measure, 0)
    if not corners:
        return 0.0
    return max(below for _, below in corners)


def _by_name(traits: Iterable[KnownTrait]) -> dict[str, KnownTrait]:
    return {known_trait.trait.name: known_trait for known_trait in traits}


def _traits_by_trace(
    db: sqlite3.Connection,
    rubric: Rubric,
) -> dict[int, dict[str, KnownTrait]]:
    """Return the traits of each trace by its number, and by their names.

    They are the rubric's own and those of the question that the trace answers. Only traces whose
    question is in the rubric are keys. A look-up with `[]` gives any other number the rubric's own
    traits and adds it; `get` and iteration do not find it.
    """
    by_question: dict[bytes | None, dict[str, KnownTrait]] = {}
    for question in rubric.questions:
        traits = _by_name(rubric.traits_for(question))
        # a trace names its question by the id, else by the words
        by_question[trace_rows.fingerprint(question.id, None)] = traits
        by_question[trace_rows.fingerprint(None, question.question)] = traits
    own_traits = _by_name(rubric.own_traits())
    traits_by_trace = defaultdict[int, dict[str, KnownTrait]](lambda: own_traits)
    if by_question:
        for question_sha, trace in db.execute("SELECT question, trace FROM asked"):
            if question_sha in by_question:
                traits_by_trace[trace] = by_question[question_sha]
    return traits_by_trace


def _thirds(thirds: Sequence[int]) -> tuple[list[str], list[int]]:
    """Return the names of the thirds of disagreement that have units, and the stratum of each unit.

    Raises Refused where all units are in one third.
    """
    present = sorted(set(thirds))
    if len(present) < 2:  # noqa: PLR2004 - one stratum parts nothing
        raise Refused(EVEN)
    names = [THIRDS[third] for third in present]
    strata = [present.index(third) for third in thirds]
    return names, strata


def _signed_count(db: sqlite3.Connection, traces: Sequence[int]) -> int:
    """Return how many of some traces have a cell that is signed off now.

    `traces` are numbers of the workspace's table.
    """
    signed_traces = db.execute(
        "SELECT DISTINCT trace FROM cells WHERE state = 'reviewed'",
    )
    return len(set(traces).intersection(chain.from_iterable(signed_traces)))


def _standing_out(path: Path, wish: SampleWish, frame: SampleFrame) -> int:
    """Return how many units are so large that a simple draw would do better to take them whole.

    0 for another design, and for a draw of all units. The workspace at `path` is opened anew.
    """
    if wish.design != "simple" or wish.n >= len(frame.units):
        return 0
    sizes = unit_sizes(path, frame.units)
    return len(designs.giants(sizes, wish.n))


def _drawn(
    path: Path,
    wish: SampleWish,
    frame: SampleFrame,
    units: Sequence[designs.FrameUnit],
    sizes: Sequence[int],
    counts_before: Sequence[int],
) -> tuple[list[int], list[designs.FrameUnit]]:
    """Return how many units of each stratum are drawn in all, and the new ones in their order.

    `units` are those of the frame in its order, each with its stratum. `sizes` has how many units
    each stratum has, and `counts_before` how many of each were drawn before. `wish.n` counts these,
    too. `path` is the workspace. Raises CannotDraw if that many cannot be drawn, and Refused for a
    draw by disagreement if no panel judged any cell.
    """
    if wish.giants is not None:
        least_counts = [sizes[0], *counts_before[1:]]
        counts = designs.allocate(wish.n, sizes, None, 1, least_counts)
        drawn_units = designs.draw_after_whole(units, wish.seed, counts, counts_before)
        return counts, drawn_units

    weights = None
    least = designs.FLOOR
    if DISAGREEMENT in wish.by:
        strata = [unit.stratum for unit in units]
        weights = designs.disagreement_weights(strata, spreads(path, frame.units))
        least = designs.DISAGREEMENT_FLOOR
    elif len(sizes) == 1:  # any number is in proportion
        least = 1
    counts = designs.allocate(wish.n, sizes, weights, least, counts_before)
    return counts, designs.draw(units, wish.seed, counts, counts_before)


def _planned(
    path: Path,
    wish: SampleWish,
    frame: SampleFrame,
    names: Sequence[str],
    strata: Sequence[int],
    counts_before: Sequence[int],
) -> PlannedDraw:
    """Return a draw from units in strata, of which `counts_before` were drawn before.

    `wish.n` counts those, too; the draw has only the new ones. `names` are those of the strata, and
    `strata` the number of one for each unit. The workspace at `path` is read, and nothing is saved.
    Raises CannotDraw if that many cannot be drawn.
    """
    units = frame.in_strata(strata)
    counted = Counter(strata)
    sizes = [counted[stratum] for stratum in range(len(names))]
    counts_after, drawn_units = _drawn(path, wish, frame, units, sizes, counts_before)
    rows: list[dict[str, Any]] = []
    for name, size, drawn in zip(names, sizes, counts_after, strict=True):
        rows.append({"name": name, "units": size, "drawn": drawn})
    by_name = {unit.name: unit for unit in frame.units}
    traces: list[int] = []
    values: list[Mapping[str, Any]] = []
    for unit in drawn_units:
        drawable = by_name[unit.name]
        keys = [list(key) for key in drawable.keys]
        traces += drawable.traces
        values.append({"traces": keys, "stratum": names[unit.stratum]})
    sampled = Sampled(
        wish.design,
        list(wish.by),
        wish.seed,
        wish.blind,
        len(units),
        designs.fingerprint(units),
        frame.written(strata),
        rows,
        values,
    )
    with reading(path) as db:
        signed_count = _signed_count(db, traces)
        of_census = is_census(db)
    standing_out = 0
    if not any(counts_before):
        standing_out = _standing_out(path, wish, frame)
    what = sampled if not wish.wave else WaveSampled(**asdict(sampled), wave=wish.wave)
    return PlannedDraw(what, traces, signed_count, of_census, frame, standing_out)


def is_census(db: sqlite3.Connection) -> bool:
    """Return whether all cells of a workspace are signed off; True if it has no cells."""
    unsigned = db.execute(
        "SELECT 1 FROM cells WHERE state != 'reviewed' LIMIT 1",
    ).fetchone()
    return unsigned is None
