"""Counting the numbers of an audit beside the screen, trait by trait."""

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from appellate.app.numbers.known import KnownNumbers, NumbersPlace, Spread, TraitTotals, by_name
from appellate.core.problem import many
from appellate.core.scale import parts
from appellate.core.step_progress import OnProgress
from appellate.core.totals import AS_THEY_STAND
from appellate.numbers.judge_page import INSTRUCTIONS, InstructionLine
from appellate.session.workbench import Workbench
from appellate.store import breakdowns
from appellate.store.agreements import TraitAgreement, agreements, panels
from appellate.store.breakdowns import breakdown, groupings
from appellate.ui.marks import Marks

if TYPE_CHECKING:
    from appellate.core.breakdown import Breakdown
    from appellate.core.panel_agreement import PanelAgreement
    from appellate.numbers.samples import SampleNumbers

PARTS = 10  # of a scale, in a histogram


SLICE, PAUSE = 0.01, 0.005  # seconds of counting at once, and left to the keys between
Wanted = tuple[str, str]
"""A trait, and what its traces are grouped by."""


@dataclass
class Found(Message):
    """Something is counted; `take` takes it in."""

    take: Callable[[], None]


class Groupable(Found):
    """It is known by what traces can be grouped."""


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
                found.append(TraitTotals(name, known[0].kind, traits, totals))
        self._known.traits = found
        self._known.is_blind = breakdowns.is_blind(workspace)
        self._known.worst = breakdowns.worst(workspace, [one.name for one in found], INSTRUCTIONS)

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
            changed = breakdowns.changed_since(workspace, known.last_n)
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

    def _count(self, wanted: Sequence[Wanted], traits: Sequence[TraitTotals]) -> None:
        """Counts away from the keys; in a thread."""
        path = self._bench.workspace.path
        by_trait = {trait.name: trait for trait in traits}
        on_progress = _pauses()
        try:
            # neither waits, as a thread must not at the end
            compared = agreements(path, self._named, on_progress)
            self._post(partial(self._compared, compared))
            found_panels = panels(path, on_progress)
            if found_panels:
                self._post(partial(self._compared, compared, found_panels))
            for trait, by in wanted:
                found = breakdown(path, trait, by, on_progress=on_progress)
                spread: Spread = {}
                if not by:
                    spread = _spread(path, by_trait[trait])
                on_progress(0, 0)
                self._post(partial(self._counted, (trait, by), found, spread))
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
        from appellate.numbers.samples import sample_at, sample_numbers

        on_progress = _pauses()
        try:
            at = sample_at(self._bench.workspace.path, on_progress)
            numbers = None
            if at is not None:
                numbers = sample_numbers(at, partial(on_progress, 0, None))
        except (_Stopped, sqlite3.Error):
            return
        self._post(partial(self._estimated, n, numbers))

    def _estimated(self, n: int, numbers: "SampleNumbers | None") -> None:
        """The sample is counted, as it was after the fact of this number; the looks that were taken
        by its numbers are kept.
        """
        from appellate.numbers.bars import keep_looks

        self._known.sampled, self._known.sampled_n = numbers, n
        if numbers and keep_looks(self._bench, numbers.gates):
            self._known.sampled_n = self._bench.workspace.facts.last_n()

    def look_for_groups(self) -> None:
        """Finds out by what traces can be grouped, once."""
        if self._known.groupings is None:
            self._screen.run_worker(self._group, thread=True, exclusive=True, group="groups")

    def _group(self) -> None:
        path = self._bench.workspace.path
        try:
            found, ids = groupings(path), breakdowns.question_ids(path)
        except sqlite3.Error:
            return

        def take() -> None:
            self._known.groupings, self._known.question_ids = found, ids

        self._screen.post_message(Groupable(take))

    def _post(self, take: Callable[[], None]) -> None:
        self._screen.post_message(Found(take))

    def _compared(
        self,
        found: Mapping[str, TraitAgreement],
        found_panels: "Mapping[str, PanelAgreement] | None" = None,
    ) -> None:
        """The judge is compared with the person, by trait; panels a little later."""
        self._known.agreements = found
        if found_panels is not None:
            self._known.panels = found_panels

    def _counted(self, pair: Wanted, found: "Breakdown | None", spread: Spread) -> None:
        """A trait is counted, in groups or over all its cells together."""
        if pair in self._wanted:
            self._wanted.remove(pair)
        self._known.stale.discard(pair)
        if found is not None:
            self._known.breakdowns[pair] = found
        if spread:
            self._known.spread[pair[0]] = spread

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


def _spread(path: Path, trait: TraitTotals) -> Spread:
    if not trait.measures:
        return {}
    measure, found = trait.headline, {}
    for side in AS_THEY_STAND:
        count = parts(measure, PARTS)
        found[side] = breakdowns.distribution(path, trait.name, measure, side, count)
    return found
