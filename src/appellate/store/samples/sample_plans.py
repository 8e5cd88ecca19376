"""Planning a draw: which units would come into the sample of an audit, and by which design."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
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
    """What a wish would draw from a workspace, by a connection of its own; raises Refused."""
    try:
        if before is None:
            frame = read_frame(path)
            names, strata = _parted(path, frame, wish)
            return _planned(path, wish, frame, names, strata, [0] * len(names))
        return _added(path, before, wish.n)
    except CannotDraw as cannot:
        raise Refused(str(cannot)) from cannot


def _added(path: Path, sample: Sample, n: int) -> PlannedDraw:
    """A further draw from the same frame, by the design that the sample has."""
    last = sample.last
    frame, strata = read_frame_again(path, last.frame_strata)
    if designs.fingerprint(frame.in_strata(strata)) != last.frame_sha256:
        raise Refused(OTHER_FRAME)
    active = last.design == "active"
    wish = SampleWish(len(sample) + n, last.seed, last.strata_by, active, last.blind)
    names = [one.name for one in sample.strata]
    return _planned(path, wish, frame, names, strata, [one.drawn for one in sample.strata])


def _parted(path: Path, frame: SampleFrame, wish: SampleWish) -> tuple[list[str], list[int]]:
    """The strata of a first draw: their names, and a number for each unit."""
    if wish.active:
        return _present(designs.levels(spreads(path, frame.units)), designs.level_name)
    if not wish.by:
        return [ALL], [0] * len(frame.units)
    if DISAGREEMENT in wish.by:
        return _present(designs.terciles(spreads(path, frame.units)), THIRDS.__getitem__)
    return designs.strata_of(groups(path, frame.units, wish.by), wish.n)


def _present(steps: Sequence[int], name: Callable[[int], str]) -> tuple[list[str], list[int]]:
    """The steps of disagreement that there are, as strata."""
    present = sorted(set(steps))
    if len(present) < 2:  # noqa: PLR2004 - one stratum parts nothing
        raise Refused(EVEN)
    return list(map(name, present)), list(map(present.index, steps))


def _planned(
    path: Path,
    wish: SampleWish,
    frame: SampleFrame,
    names: Sequence[str],
    strata: Sequence[int],
    before: Sequence[int],
) -> PlannedDraw:
    """A draw from units in strata, of which so many of each were drawn before."""
    units, counted = frame.in_strata(strata), Counter(strata)
    rows: list[dict[str, Any]] = []
    for stratum, name in enumerate(names):
        rows.append({"name": name, "units": counted[stratum]})
    if wish.active:
        drawn = _by_chance(wish, units, rows, sum(before))
    else:
        weights, least = None, designs.FLOOR
        if DISAGREEMENT in wish.by:
            weights = designs.disagreement_weights(strata, spreads(path, frame.units))
            least = designs.DISAGREEMENT_FLOOR
        elif len(names) == 1:  # any number is in proportion
            least = 1
        sizes = [row["units"] for row in rows]
        wanted = designs.allocate(wish.n, sizes, weights, least, before)
        drawn = designs.draw(units, wish.seed, wanted, before)
        for stratum, n in enumerate(wanted):
            rows[stratum]["drawn"] = n
    by_name = {unit.name: unit for unit in frame.units}
    traces: list[int] = []
    values: list[Mapping[str, Any]] = []
    for unit in drawn:
        those = by_name[unit.name]
        traces += those.traces
        values.append({"traces": list(map(list, those.keys)), "stratum": names[unit.stratum]})
    what = Sampled(
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
        found = db.execute("SELECT DISTINCT trace FROM cells WHERE state = 'reviewed'")
        signed = set(traces).intersection(chain.from_iterable(found))
    return PlannedDraw(what, traces, len(signed), frame)


def _by_chance(
    wish: SampleWish, units: Sequence[FrameUnit], rows: Sequence[dict[str, Any]], before: int
) -> Sequence[FrameUnit]:
    """The units that come in by chances that go by disagreement, which the rows come to hold."""
    share = designs.shares_of([row["name"] for row in rows], [row["units"] for row in rows])
    drawn, chances = designs.draw_unequally(units, wish.seed, share, wish.n, before)
    whole, _ = designs.draw_unequally(units, wish.seed, share, wish.n)
    counted = Counter(unit.stratum for unit in whole)
    for stratum, chance in enumerate(chances):
        rows[stratum] |= {"drawn": counted[stratum], "chance": chance}
    return drawn
