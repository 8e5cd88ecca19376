"""What is known of an audit's numbers: totals at once, what takes counting as it comes."""

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace
from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from appellate.core.agreement import Agreement
from appellate.core.breakdown import Breakdown, BreakdownSums, InstructionFigures, SideFigures
from appellate.core.figures import RowOrder
from appellate.core.kind import KnownTrait
from appellate.core.panel_agreement import PanelAgreement
from appellate.core.problem import many
from appellate.core.scale import parts
from appellate.core.step_progress import OnProgress
from appellate.core.totals import AS_THEY_STAND, AnswerStats
from appellate.numbers.judge_page import INSTRUCTIONS, InstructionLine, TraitNumbers
from appellate.session.workbench import Workbench
from appellate.store import breakdowns
from appellate.store.breakdowns import TraitAgreement, agreements, breakdown, groupings, panels
from appellate.ui.figure_list import TOP, FigureList
from appellate.ui.marks import Marks
from appellate.ui.row_layout import Cursor

if TYPE_CHECKING:
    from appellate.numbers.samples import SampleNumbers

JUDGE = "judge"
FIGURES = "figures"
WORTH = "worth"
PAGES = {JUDGE: "Judge", WORTH: "Estimate", FIGURES: "Figures", "session": "Session"}
"""The pages by what they are called; where the judge is bad comes first."""


class PagePlace(Struct):
    """The cursor on a page, its column, and how far the page is scrolled."""

    cursor: Cursor = TOP
    column: int = 0
    scrolled: float = 0


class NumbersPlace(Struct):
    """The page in sight, how its tables are sorted, what rows are narrowed to and grouped by."""

    page: str = next(iter(PAGES))
    words: str = ""
    grouping: str = ""
    orders: dict[str, RowOrder] = field(default_factory=dict)
    pages: dict[str, PagePlace] = field(default_factory=dict)

    def leave(self, lines: FigureList) -> None:
        """Takes note of where the cursor is."""
        self.pages[self.page] = PagePlace(lines.cursor, lines.column, lines.scroll_offset.y)

    def come_back(self, lines: FigureList) -> None:
        """Puts the cursor to where it was on the page in sight."""
        place = self.pages.get(self.page, PagePlace())
        lines.column = place.column
        lines.go(*place.cursor)
        self.scroll_back(lines)

    def scroll_back(self, lines: FigureList) -> None:
        """Shows the part of the page that was in sight, unless the cursor is elsewhere by now."""
        place = self.pages.get(self.page, PagePlace())
        if lines.cursor == place.cursor:
            lines.scroll_to(y=place.scrolled, animate=False, force=True, immediate=True)

    def turn(self, by: int) -> None:
        """Goes to another page, round the corner."""
        names = list(PAGES)
        self.page = names[(names.index(self.page) + by) % len(names)]

    def sort(self, key: str, column: int) -> None:
        """Sorts tables by a column: the highest or A first, then the other way, then as before."""
        before = self.orders.get(key)
        first = RowOrder(column, column > 0)
        if before == first:
            self.orders[key] = RowOrder(column, not first.falling)
        elif before is not None and before.column == column:
            del self.orders[key]
        else:
            self.orders[key] = first


Spread = Mapping[str, Sequence[int]]
"""How many cells lie in each part of a scale, by side."""
PARTS = 10  # of a scale, in a histogram
SLICE = 0.01  # seconds of counting at once, and left to the keys between
PAUSE = 0.005
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


class KnownNumbers:
    """The numbers of an audit, counted in a thread that tells the screen; older ones are shown
    until they are counted anew.
    """

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._named: dict[str, list[KnownTrait]] = {}  # which several questions may share
        self._traits: Sequence[TraitNumbers] = ()  # by the totals over their cells
        self._breakdowns: dict[Wanted, Breakdown] = {}
        self._agreements: Mapping[str, TraitAgreement] = {}
        self._panels: Mapping[str, PanelAgreement] = {}
        self.is_blind = False  # whether any cell was drawn to be ruled blind
        self.spread: dict[str, Spread] = {}
        self.groupings: Sequence[str] | None = None  # None until they are looked for
        self.question_ids: Collection[str] = ()
        self.sampled: SampleNumbers | None = None
        self.sampled_n: int | None = None  # None until the sample is counted
        self._stale: set[Wanted] = set()
        self._last_n = 0

    def show_on(self, screen: Screen[str | InstructionLine | None]) -> None:
        """Tells this screen from now on."""
        self._screen = screen
        self._wanted: list[Wanted] = []
        self.read()

    def numbers(self) -> list[TraitNumbers]:
        """All traits over their cells: totals as they are now, and what was counted last."""
        return list(map(self._trait, self._traits))

    def _trait(self, trait: TraitNumbers) -> TraitNumbers:
        numbers = trait.numbers
        whole = numbers.whole
        counted = self._breakdowns.get((trait.name, ""))
        if counted is not None:
            sides: dict[str, dict[str, SideFigures]] = {}
            for name, by_side in whole.sides.items():
                known = counted.whole.sides.get(name, {})
                for side, figures in by_side.items():
                    spread = known.get(side, figures)
                    sides.setdefault(name, {})[side] = replace(
                        figures, std=spread.std, stderr=spread.stderr, clusters=spread.clusters
                    )
            whole = replace(whole, sides=sides)
        instructions = list(numbers.instructions)
        compared = self._compared(trait.name)
        if compared is not None:
            whole = replace(whole, agreement=compared.whole, blind=compared.blind)
            for place, one in enumerate(instructions):
                key = (one.stats.of, one.stats.instruction)
                nothing = Agreement({})
                sighted = compared.instructions.get(key, nothing)
                blind = compared.blind_instructions.get(key, nothing)
                instructions[place] = InstructionFigures(one.stats, sighted, blind)
        panel = self._panels.get(trait.name)
        numbers = replace(numbers, whole=whole, instructions=tuple(instructions), panel=panel)
        return replace(trait, numbers=numbers, is_compared=compared is not None)

    def _compared(self, trait: str) -> TraitAgreement | None:
        """The judge against the person, once that is counted."""
        if trait in self._agreements:
            return self._agreements[trait]
        counted = self._breakdowns.get((trait, ""))
        if counted is None:
            return None
        named = {(one.stats.of, one.stats.instruction): one for one in counted.instructions}
        sighted = {key: one.agreement for key, one in named.items()}
        blind = {key: one.blind for key, one in named.items()}
        return TraitAgreement(counted.whole.agreement, sighted, counted.whole.blind, blind)

    def grouped(self, traits: Iterable[TraitNumbers], grouping: str) -> list[TraitNumbers]:
        """Traits by groups of traces, as far as they are counted."""
        found: list[TraitNumbers] = []
        for trait in traits:
            counted = self._breakdowns.get((trait.name, grouping))
            if counted is not None:
                found.append(replace(trait, numbers=counted))
        return found

    def read(self) -> None:
        """Reads what costs the same for any number of cells."""
        workspace = self._bench.workspace
        self._named = {}
        for one in workspace.rubric.every_trait():
            self._named.setdefault(one.trait.name, []).append(one)
        totals = {name: workspace.totals(name) for name in self._named}
        names = [name for name in self._named if totals[name].get("cells")]
        worst: dict[str, list[AnswerStats]] = {name: [] for name in names}
        for name, stats in breakdowns.worst(workspace, names, INSTRUCTIONS):
            worst[name].append(stats)
        found: list[TraitNumbers] = []
        for name in names:
            kind, first = self._named[name][0]
            sums = BreakdownSums(kind)
            for _, trait in self._named[name]:
                sums.know(trait)
            sums.add_totals(totals[name])
            shares = bool(kind.standings(first, kind.blank))
            found.append(TraitNumbers(sums.breakdown(worst[name]), shares))
        self._traits = found
        self.is_blind = breakdowns.is_blind(workspace)

    def count(self, place: NumbersPlace) -> None:
        """Counts what the page in sight shows, groups too where it has them."""
        match place.page:
            case "worth":
                n = self._bench.workspace.facts.last_n()
                if n != self.sampled_n:
                    self._begin("worth", partial(self._estimate, n))
            case "figures":
                if self.groupings is None:
                    self._begin("groups", self._look_for_groups)
                self._count(place.grouping)
            case _:
                self._count()

    def _begin(self, group: str, work: Callable[[], None]) -> None:
        self._screen.run_worker(work, thread=True, exclusive=True, group=group)

    def _post(self, take: Callable[[], None]) -> None:
        self._screen.post_message(Found(take))

    # -- traits ----------------------------------------------------------------------------------

    def _count(self, grouping: str = "") -> None:
        """Counts what changed since it was counted, and what never was."""
        workspace = self._bench.workspace
        now = workspace.facts.last_n()
        if now != self._last_n:
            changed = breakdowns.changed_since(workspace, self._last_n)
            self._stale.update(pair for pair in self._breakdowns if pair[0] in changed)
            self._last_n = now
        self._wanted = []
        for by in dict.fromkeys(["", grouping]):
            for trait in self._traits:
                pair = trait.name, by
                if pair not in self._breakdowns or pair in self._stale:
                    self._wanted.append(pair)
        if self._wanted:
            work = partial(self._break_down, list(self._wanted), list(self._traits))
            self._begin("numbers", work)

    def _break_down(self, wanted: Sequence[Wanted], traits: Sequence[TraitNumbers]) -> None:
        """Counts away from the keys; in a thread."""
        path = self._bench.workspace.path
        by_trait = {trait.name: trait for trait in traits}
        on_progress = _pauses()
        try:
            # neither waits, as a thread must not at the end
            compared = agreements(path, self._named, on_progress)
            self._post(partial(setattr, self, "_agreements", compared))
            found_panels = panels(path, on_progress)
            if found_panels:
                self._post(partial(setattr, self, "_panels", found_panels))
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

    def _counted(self, pair: Wanted, found: Breakdown | None, spread: Spread) -> None:
        """A trait is counted, in groups or over all its cells together."""
        if pair in self._wanted:
            self._wanted.remove(pair)
        self._stale.discard(pair)
        if found is not None:
            self._breakdowns[pair] = found
        if spread:
            self.spread[pair[0]] = spread

    def describe(self, marks: Marks) -> str:
        """What is still being counted, in a few words behind others."""
        if not self._wanted:
            return ""
        return f", {many(len(self._wanted), 'trait')} being counted {marks.ellipsis}"

    # -- the sample, and groups ------------------------------------------------------------------

    def _estimate(self, n: int) -> None:
        """Counts the sample as it is after the fact `n`; in a thread."""
        from appellate.numbers.samples import sample_at, sample_numbers

        on_progress = _pauses()
        try:
            at = sample_at(self._bench.workspace.path, on_progress)
            numbers = None
            if at is not None:
                numbers = sample_numbers(at, on_progress)
        except (_Stopped, sqlite3.Error):
            return
        self._post(partial(self._estimated, n, numbers))

    def _estimated(self, n: int, numbers: "SampleNumbers | None") -> None:
        """The sample is counted; the looks that were taken by its numbers are kept."""
        from appellate.numbers.bars import keep_looks

        self.sampled = numbers
        self.sampled_n = n
        if numbers and keep_looks(self._bench, numbers.gates):
            self.sampled_n = self._bench.workspace.facts.last_n()

    def _look_for_groups(self) -> None:
        """Finds out by what traces can be grouped; in a thread."""
        path = self._bench.workspace.path
        try:
            found = groupings(path)
            ids = breakdowns.question_ids(path)
        except sqlite3.Error:
            return

        def take() -> None:
            self.groupings = found
            self.question_ids = ids

        self._screen.post_message(Groupable(take))


def _pauses() -> OnProgress:
    """Leaves time to the keys between, and stops when the screen is gone; in a thread."""
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


def _spread(path: Path, trait: TraitNumbers) -> Spread:
    if not trait.numbers.measures:
        return {}
    measure = trait.headline
    found = {}
    for side in AS_THEY_STAND:
        count = parts(measure, PARTS)
        found[side] = breakdowns.distribution(path, trait.name, measure, side, count)
    return found
