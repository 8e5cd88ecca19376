"""Counting the numbers of an audit beside the screen, trait by trait."""

import sqlite3
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from appellate.app.instructions.by_instruction import InstructionLine
from appellate.app.numbers.judge import INSTRUCTIONS
from appellate.app.numbers.known import KnownNumbers, NumbersPlace, Sides, TraitNumbers, by_name
from appellate.app.numbers.queries import of_trait, part
from appellate.core.kind import Measure
from appellate.core.scale import full_name, part_name, parts
from appellate.core.step_progress import OnProgress
from appellate.core.totals import AS_THEY_STAND
from appellate.core.wordforms import many
from appellate.session.workbench import Workbench
from appellate.store import trait_stats
from appellate.store.agreements import TraitAgreement, agreements
from appellate.store.breakdowns import breakdown, groupings
from appellate.store.panels import panels
from appellate.ui.figure_list import Block
from appellate.ui.figure_table import FigureColumn, FigureRow, FigureTable, ShownFigure
from appellate.ui.marks import Marks
from appellate.ui.plots import bar

if TYPE_CHECKING:
    from appellate.core.breakdown import Breakdown
    from appellate.core.panel_agreement import PanelAgreement
    from appellate.worth.sample_numbers import SampleNumbers

PARTS = 10
LEAST, MOST = 12, 40  # cells of a bar
COUNT = 6
NAMES = 12


def spread(known: KnownNumbers, room: int, marks: Marks) -> list[Block]:
    """A histogram for each trait that has labels."""
    labelled = filter(_has_labels, known.traits)
    return [_histogram(trait, known.spread.get(trait.name, {}), room, marks) for trait in labelled]


def _has_labels(trait: TraitNumbers) -> bool:
    if not trait.measures:
        return False
    return any(f"{side}:{trait.headline.name}:n" in trait.totals for side in AS_THEY_STAND)


def _histogram(
    trait: TraitNumbers, sides: Mapping[str, Sequence[int]], room: int, marks: Marks
) -> FigureTable:
    measure = trait.headline
    heading = f"{trait.name} {marks.dot} {full_name(measure)}"
    wide = 0
    if marks.bars:
        wide = min(max((room - NAMES - 2 * COUNT) // 2 - 4, LEAST), MOST)
    columns = (
        FigureColumn("cells", COUNT),
        FigureColumn("now", wide, left=True),
        FigureColumn("cells", COUNT),
        FigureColumn("judge", wide, left=True),
    )
    if not sides:
        empty = f"It is being counted {marks.ellipsis}"
        return FigureTable(f"spread {trait.name}", heading, columns, empty=empty)
    count = parts(measure, PARTS)
    top = max(max(counts) for counts in sides.values())
    rows: list[FigureRow] = []
    for place in range(count):
        figures: list[ShownFigure] = []
        for side in AS_THEY_STAND:
            figures += _bar(trait, side, place, sides[side], top, wide, marks)
        name = _part(measure, place, count)
        rows.append(FigureRow(name, figures, detail=figures[0].detail, query=figures[0].query))
    return FigureTable(
        f"spread {trait.name}", heading, columns, rows, least=NAMES, named=measure.name
    )


def _part(measure: Measure, place: int, count: int) -> str:
    """What a part is called: its step, or from where to where it goes."""
    name = part_name(measure, place, count)
    if measure.steps:
        return name
    step = (measure.high - measure.low) / count
    return f"{name} to {measure.low + (place + 1) * step:g}"


def _bar(
    trait: TraitNumbers,
    side: str,
    place: int,
    counts: Sequence[int],
    top: int,
    wide: int,
    marks: Marks,
) -> Sequence[ShownFigure]:
    """A count, and the bar that stands for it."""
    measure, count = trait.headline, counts[place]
    judge = side != AS_THEY_STAND[0]
    whose = "the judge's labels" if judge else "the labels now"
    name = _part(measure, place, len(counts))
    text = f"{many(count, 'cell')} of {sum(counts)}: {measure.name} of {whose}, {name}."
    query = ""
    if count:
        query = of_trait(trait.name, part(trait.kind, measure, place, len(counts), judge=judge))
    drawn = bar(count, top, wide, marks)
    style = "muted" if judge else "reviewed"
    return (
        ShownFigure(str(count), count, text, query),
        ShownFigure(drawn, count, text, query, style),
    )


SLICE, PAUSE = 0.01, 0.005  # seconds of counting at once, and left to the keys between
Wanted = tuple[str, str]
"""A trait, and what its traces are grouped by."""


@dataclass
class Counted(Message):
    """A trait is counted; `grouped` is by what, "" for all its cells together."""

    trait: str
    grouped: str
    breakdown: "Breakdown | None"
    spread: Sides


@dataclass
class Compared(Message):
    """The judge is compared with the person, by trait; panels a little later."""

    agreements: Mapping[str, TraitAgreement]
    panels: "Mapping[str, PanelAgreement] | None" = None


@dataclass
class Groupable(Message):
    """By what traces can be grouped, and the ids of the questions that they answer."""

    groupings: Sequence[str]
    question_ids: Collection[str]


@dataclass
class Estimated(Message):
    """The sample is counted, as it was after the fact of this number; None for no sample."""

    n: int
    numbers: "SampleNumbers | None"


class _Stopped(Exception):
    """Nobody waits for the numbers any more."""


class NumbersCounting:
    """Has the screen told what a thread counts; what is older stands until then."""

    def __init__(
        self, screen: Screen[str | InstructionLine | None], bench: Workbench, known: KnownNumbers
    ) -> None:
        self._screen, self._bench, self._known = screen, bench, known
        self._named = by_name(list(bench.workspace.rubric.every_trait()))
        self._wanted: list[Wanted] = []

    def read(self) -> None:
        """Reads what costs the same for any number of cells."""
        workspace, found = self._bench.workspace, []
        for name, known in self._named.items():
            totals = workspace.totals(name)
            if totals.get("cells"):
                traits = [one.trait for one in known]
                found.append(TraitNumbers(name, known[0].kind, traits, totals))
        self._known.traits = found
        self._known.is_blind = trait_stats.is_blind(workspace)
        self._known.worst = trait_stats.worst(workspace, [one.name for one in found], INSTRUCTIONS)

    def count(self, place: NumbersPlace) -> None:
        """Counts what the page in sight shows, groups too where it has them."""
        match place.page:
            case "worth":
                self.estimate()
            case "figures":
                self.look_for_groups()
                self.begin(place.grouping)
            case _:
                self.begin()

    def begin(self, grouping: str = "") -> None:
        """Counts what changed since it was counted, and what never was."""
        known, workspace = self._known, self._bench.workspace
        now = workspace.facts.last_n()
        if now != known.last_n:
            changed = trait_stats.changed_since(workspace, known.last_n)
            known.stale.update(pair for pair in known.breakdowns if pair[0] in changed)
            known.last_n = now
        self._wanted = []
        for by in dict.fromkeys(["", grouping]):
            for trait in known.traits:
                pair = trait.name, by
                if pair not in known.breakdowns or pair in known.stale:
                    self._wanted.append(pair)
        if self._wanted:
            work = partial(self._count, list(self._wanted), list(known.traits))
            self._screen.run_worker(work, thread=True, exclusive=True, group="numbers")

    def _count(self, wanted: Sequence[Wanted], traits: Sequence[TraitNumbers]) -> None:
        """Counts away from the keys; in a thread."""
        path = self._bench.workspace.path
        by_trait = {trait.name: trait for trait in traits}
        on_progress = _pauses()
        try:
            # neither waits, as a thread must not at the end
            compared = Compared(agreements(path, self._named, on_progress))
            self._screen.post_message(compared)
            if found_panels := panels(path, on_progress):
                self._screen.post_message(Compared(compared.agreements, found_panels))
            for trait, by in wanted:
                found = breakdown(path, trait, by, on_progress=on_progress)
                spread: Sides = {}
                if not by:
                    spread = _spread(path, by_trait[trait])
                on_progress(0, 0)
                self._screen.post_message(Counted(trait, by, found, spread))
        except (_Stopped, sqlite3.Error):
            # the file is away or busy: what was counted stands, the next change counts anew
            return

    def estimate(self) -> None:
        """Counts the sample, if anything happened since it was counted."""
        n = self._bench.workspace.facts.last_n()
        if n != self._known.sampled_n:
            work = partial(self._estimate, n)
            self._screen.run_worker(work, thread=True, exclusive=True, group="worth")

    def _estimate(self, n: int) -> None:
        """The same in a thread."""
        from appellate.worth.sample_in_workspace import sample_at
        from appellate.worth.sample_numbers import sample_numbers

        on_progress = _pauses()
        try:
            at = sample_at(self._bench.workspace.path, on_progress)
            numbers = None
            if at is not None:
                numbers = sample_numbers(at, partial(on_progress, 0, None))
        except (_Stopped, sqlite3.Error):
            return
        self._screen.post_message(Estimated(n, numbers))

    def _take_sample(self, event: Estimated) -> None:
        """Takes in the numbers of the sample, and keeps the looks that were taken by them."""
        from appellate.worth.gates import keep_looks

        self._known.sampled, self._known.sampled_n = event.numbers, event.n
        if event.numbers and keep_looks(self._bench, event.numbers.gates):
            self._known.sampled_n = self._bench.workspace.facts.last_n()

    def look_for_groups(self) -> None:
        """Finds out by what traces can be grouped, once."""
        if self._known.groupings is None:
            self._screen.run_worker(self._group, thread=True, exclusive=True, group="groups")

    def _group(self) -> None:
        path = self._bench.workspace.path
        try:
            found = Groupable(groupings(path), trait_stats.question_ids(path))
        except sqlite3.Error:
            return
        self._screen.post_message(found)

    def take_groups(self, event: Groupable) -> None:
        """Takes in by what traces can be grouped."""
        self._known.groupings, self._known.question_ids = event.groupings, event.question_ids

    def take(self, event: Compared | Counted | Estimated) -> None:
        """Takes in what was counted."""
        if isinstance(event, Estimated):
            self._take_sample(event)
            return
        if isinstance(event, Compared):
            self._known.agreements = event.agreements
            if event.panels is not None:
                self._known.panels = event.panels
            return
        pair = event.trait, event.grouped
        if pair in self._wanted:
            self._wanted.remove(pair)
        self._known.stale.discard(pair)
        if event.breakdown is not None:
            self._known.breakdowns[pair] = event.breakdown
        if event.spread:
            self._known.spread[event.trait] = event.spread

    def describe(self, marks: Marks) -> str:
        """What is still being counted, in a few words behind others."""
        if not self._wanted:
            return ""
        return f", {many(len(self._wanted), 'trait')} being counted {marks.ellipsis}"


def _pauses() -> OnProgress:
    """Leaves time to the keys between, and stops where nobody waits any more; in a thread."""
    worker = get_current_worker()
    since = time.perf_counter()

    def received(_done: int, _part: float | None) -> None:
        nonlocal since
        if worker.is_cancelled:
            raise _Stopped
        if time.perf_counter() - since > SLICE:
            time.sleep(PAUSE)
            since = time.perf_counter()

    return received


def _spread(path: Path, trait: TraitNumbers) -> Sides:
    if not trait.measures:
        return {}
    measure, found = trait.headline, {}
    for side in AS_THEY_STAND:
        count = parts(measure, PARTS)
        found[side] = trait_stats.distribution(path, trait.name, measure, side, count)
    return found
