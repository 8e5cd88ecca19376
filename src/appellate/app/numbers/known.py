"""The numbers of an audit for the screens of numbers.

`KnownNumbers` has totals at once. It counts everything else in threads, and tells the screen by
messages (`Found`) when it is done. `NumbersPlace` remembers where the reviewer was on each page.
"""

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace
from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from appellate.core.agreement import FULL_NAMES, Agreement, Rates
from appellate.core.breakdown import (
    Breakdown,
    BreakdownSums,
    InstructionFigures,
    SideFigures,
)
from appellate.core.figures import RowOrder
from appellate.core.kind import TraitKey
from appellate.core.problem import Refused, many
from appellate.core.step_progress import OnProgress
from appellate.core.totals import AS_THEY_STAND, AnswerStats
from appellate.numbers.judge_page import INSTRUCTIONS, InstructionLine, TraitNumbers
from appellate.session.workbench import Workbench
from appellate.store import breakdowns
from appellate.store.breakdowns import breakdown, groupings
from appellate.store.database import NotKept
from appellate.ui.figure_list import TOP, FigureList
from appellate.ui.marks import Marks
from appellate.ui.row_layout import Cursor

if TYPE_CHECKING:
    from appellate.numbers.judges import ComparedJudges
    from appellate.numbers.samples import SampleNumbers

JUDGE = "judge"
FIGURES = "figures"
WORTH = "worth"
JUDGES = "judges"
PAGES = {
    JUDGE: "Judge",
    WORTH: "Estimate",
    FIGURES: "Figures",
    JUDGES: "Judges",
    "session": "Session",
}
"""The names of the pages and their titles, in the order of the tabs."""


class PagePlace(Struct):
    """Where the reviewer was on a page."""

    cursor: Cursor = TOP
    column: int = 0
    scrolled: float = 0
    """Rows that the page was scrolled down."""


class NumbersPlace(Struct):
    """Where the reviewer is in the numbers, and how they are sorted and filtered."""

    page: str = next(iter(PAGES))
    """The open page, a key of `PAGES`."""
    words: str = ""
    """The words that a row must have to be shown; "" for all rows."""
    grouping: str = ""
    """What traces are grouped by; "" before it is known."""
    orders: dict[str, RowOrder] = field(default_factory=dict)
    """The order of each table that was sorted, by the key of the table."""
    pages: dict[str, PagePlace] = field(default_factory=dict)
    """Where the reviewer was on each page that was left."""

    def leave(self, lines: FigureList) -> None:
        """Remember cursor, column and scrolling of the open page, for when it is opened again."""
        self.pages[self.page] = PagePlace(
            lines.cursor,
            lines.column,
            lines.scroll_offset.y,
        )

    def come_back(self, lines: FigureList) -> None:
        """Put cursor and scrolling where they were when the open page was left.

        A page that was never left begins at its top.
        """
        place = self.pages.get(self.page, PagePlace())
        lines.column = place.column
        lines.go(*place.cursor)
        self.scroll_back(lines)

    def scroll_back(self, lines: FigureList) -> None:
        """Scroll the page to where it was left, unless the cursor was moved since."""
        place = self.pages.get(self.page, PagePlace())
        if lines.cursor == place.cursor:
            lines.scroll_to(y=place.scrolled, animate=False, force=True, immediate=True)

    def turn(self, by: int) -> None:
        """Note as open the page `by` pages on, or back if negative; after the last comes the first.

        Nothing is drawn, and the place on the page before is not remembered.
        """
        names = list(PAGES)
        self.page = names[(names.index(self.page) + by) % len(names)]

    def sort(self, key: str, column: int) -> None:
        """Note that the table with this key is sorted by a column, from 0: highest first.

        By column 0, that of names, A comes first. A second call with the same column turns the
        order round, and a third one undoes it. Nothing is drawn.
        """
        current = self.orders.get(key)
        first_order = RowOrder(column, column > 0)
        if current == first_order:
            self.orders[key] = RowOrder(column, not first_order.falling)
        elif current is not None and current.column == column:
            del self.orders[key]
        else:
            self.orders[key] = first_order


Spread = Mapping[str, Sequence[int]]
"""How many cells lie in each part of a scale, by side."""
SLICE = 0.01
"""Seconds of counting before keys are handled again."""
PAUSE = 0.005
"""Seconds for keys after each slice of counting."""
BreakdownKey = tuple[TraitKey, str]
"""A trait, and what its traces are grouped by ("" for no groups)."""


@dataclass
class Found(Message):
    """Tells the screen that something was counted."""

    take: Callable[[], None]
    """Stores the result; the screen calls it in its own thread."""


class Groupable(Found):
    """Tells the screen by what traces can be grouped."""


class _Stopped(Exception):
    """The screen was closed, so nobody waits for the numbers any more."""


class KnownNumbers:
    """The numbers of an audit, as far as they are counted.

    Numbers that changed since are shown until they have been counted again.
    """

    def __init__(self, bench: Workbench) -> None:
        """Begin with nothing read or counted; `show_on` reads the totals."""
        self._bench = bench
        self._traits: Sequence[TraitNumbers] = ()
        """The numbers of each trait that has cells, from totals only."""
        self._breakdowns: dict[BreakdownKey, Breakdown] = {}
        self.is_blind = False
        """Whether any cell was drawn to be ruled blind."""
        self.groupings: Sequence[str] | None = None
        """What traces can be grouped by; None until that is known."""
        self.question_ids: Collection[str] = ()
        self.sampled: SampleNumbers | None = None
        """The numbers of the sample; None if there is none or it is not counted yet."""
        self.sampled_n: int | None = None
        """The number of the last fact when the sample was counted; None if it never was."""
        self.judges: ComparedJudges | None = None
        """All judges beside people; None before they are counted."""
        self._judges_n: int | None = None
        """The number of the last fact when the judges were counted; None if they never were."""
        self._stale: set[BreakdownKey] = set()
        """The breakdowns that changed since they were counted."""
        self._last_n = 0
        """The number of the last fact when it was last looked for changes."""

    def show_on(self, screen: Screen[str | InstructionLine | None]) -> None:
        """Read the totals, and send messages to this screen from now on.

        What was being counted for another screen counts as not being counted.
        """
        self._screen = screen
        self._being_counted: list[BreakdownKey] = []
        self.read()

    def numbers(self) -> list[TraitNumbers]:
        """Return the numbers of all traits: current totals, and the rest as it was last counted."""
        return list(map(self._trait, self._traits))

    def _trait(self, trait: TraitNumbers) -> TraitNumbers:
        """Return the numbers of a trait from totals, with what was counted added to them.

        That is the spread, the agreements of the whole and of instructions, and those of a panel.
        Before they were counted, only `is_compared` is set, to False.
        """
        numbers = trait.numbers
        overall = numbers.whole
        counted = self._breakdowns.get((trait.key, ""))
        if counted is None:
            return replace(trait, is_compared=False)

        sides: dict[str, dict[str, SideFigures]] = {}
        for name, figures_by_side in overall.sides.items():
            counted_sides = counted.whole.sides.get(name, {})
            for side, side_figures in figures_by_side.items():
                spread = counted_sides.get(side, side_figures)
                sides.setdefault(name, {})[side] = replace(
                    side_figures,
                    std=spread.std,
                    stderr=spread.stderr,
                    clusters=spread.clusters,
                )
        overall = replace(
            overall,
            sides=sides,
            agreement=counted.whole.agreement,
            blind=counted.whole.blind,
        )
        counted_instructions: dict[tuple[str, str], InstructionFigures] = {}
        for figures in counted.instructions:
            counted_instructions[figures.stats.of, figures.stats.instruction] = figures
        instructions: list[InstructionFigures] = []
        nothing = Agreement({})
        for instruction in numbers.instructions:
            stats = instruction.stats
            known = counted_instructions.get((stats.of, stats.instruction))
            if known is None:
                instructions.append(InstructionFigures(stats, nothing, nothing))
            else:
                instructions.append(
                    InstructionFigures(stats, known.agreement, known.blind),
                )
        numbers = replace(
            numbers,
            whole=overall,
            instructions=tuple(instructions),
            panel=counted.panel,
        )
        return replace(trait, numbers=numbers, is_compared=True)

    def grouped(
        self,
        traits: Iterable[TraitNumbers],
        grouping: str,
    ) -> list[TraitNumbers]:
        """Return the traits with their numbers by group; those not counted yet are left out.

        The numbers may be those before the latest changes.
        """
        grouped_traits: list[TraitNumbers] = []
        for trait in traits:
            counted = self._breakdowns.get((trait.key, grouping))
            if counted is not None:
                grouped_traits.append(replace(trait, numbers=counted))
        return grouped_traits

    @property
    def spread(self) -> dict[TraitKey, Spread]:
        """The histograms of the main measures that were counted, by trait.

        Each has counts by side, and is empty if no cell has a value. Traits without measures are
        left out.
        """
        spreads: dict[TraitKey, Spread] = {}
        for trait in self._traits:
            counted = self._breakdowns.get((trait.key, ""))
            if counted is not None and trait.numbers.measures:
                by_side = counted.spread.get(trait.headline.name, {})
                spreads[trait.key] = {
                    side: by_side[side] for side in AS_THEY_STAND if by_side
                }
        return spreads

    def read(self) -> None:
        """Read the totals of all traits that have cells, and whether any cell is ruled blind.

        It takes the same time for any number of cells. Counted numbers stay.
        """
        workspace = self._bench.workspace
        traits_by_key = workspace.rubric.traits_by_key()
        totals = {key: workspace.totals(key) for key in traits_by_key}
        with_cells = [key for key in traits_by_key if totals[key].get("cells")]
        worst: dict[TraitKey, list[AnswerStats]] = {key: [] for key in with_cells}
        for key, stats in breakdowns.worst(workspace, with_cells, INSTRUCTIONS):
            worst[key].append(stats)

        numbers: list[TraitNumbers] = []
        for key in with_cells:
            kind, first_trait = traits_by_key[key][0]
            sums = BreakdownSums(kind)
            for _, trait in traits_by_key[key]:
                sums.know(trait)
            sums.add_totals(totals[key])
            shares = bool(kind.standings(first_trait, kind.blank))
            numbers.append(TraitNumbers(sums.breakdown(worst[key]), shares))
        self._traits = numbers
        self.is_blind = breakdowns.is_blind(workspace)

    def count(self, place: NumbersPlace) -> None:
        """Count in a thread what the open page shows, if it is not counted yet or changed.

        Returns at once; the screen gets messages. A count of the same kind that is still running is
        stopped.
        """
        n = self._bench.workspace.facts.last_n()
        if place.page in (JUDGE, WORTH) and n != self.sampled_n:
            self._begin("worth", partial(self._estimate, n))
        match place.page:
            case "worth":
                return
            case "judges":
                if n != self._judges_n:
                    self._begin("judges", partial(self._compare_judges, n))
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
        """Count in a thread the breakdowns that are missing or changed, with and without groups.

        `grouping` is what traces are grouped by, "" for no groups. Does nothing if none is missing.
        """
        workspace = self._bench.workspace
        last_n = workspace.facts.last_n()
        if last_n != self._last_n:
            changed = breakdowns.changed_since(workspace, self._last_n)
            self._stale.update(key for key in self._breakdowns if key[0] in changed)
            self._last_n = last_n
        self._being_counted = []
        for group_key in dict.fromkeys(["", grouping]):
            for trait in self._traits:
                key = (trait.key, group_key)
                if key not in self._breakdowns or key in self._stale:
                    self._being_counted.append(key)
        if self._being_counted:
            self._begin("numbers", partial(self._break_down, list(self._being_counted)))

    def _break_down(self, keys: Sequence[BreakdownKey]) -> None:
        """Count the breakdowns with these keys, and send each to the screen once it is counted.

        A key has a trait and a grouping, "" for none. For a trait that no cell is of, None
        is sent. Runs in a thread. Ends early, without an error, if the screen is closed or the
        workspace cannot be read; what was sent before stays.
        """
        path = self._bench.workspace.path
        on_progress = _pauses()
        try:
            for trait, grouping in keys:
                counted = breakdown(path, trait, grouping, on_progress)
                if counted is not None:
                    _work_out(counted, on_progress)
                on_progress(0, 0)
                # this does not wait for the screen, which may be closing
                self._post(partial(self._counted, (trait, grouping), counted))
        except (_Stopped, sqlite3.Error):
            # the file is away or busy: what was counted is kept, the next change counts again
            return

    def _counted(self, key: BreakdownKey, counted: Breakdown | None) -> None:
        """Store a breakdown that was counted; None stores nothing.

        The breakdown no longer counts as changed, or as being counted.
        """
        if key in self._being_counted:
            self._being_counted.remove(key)
        self._stale.discard(key)
        if counted is not None:
            self._breakdowns[key] = counted

    def describe(self, marks: Marks) -> str:
        """Return how many traits are being counted, to follow other words; "" if none are."""
        if not self._being_counted:
            return ""
        return f", {many(len(self._being_counted), 'trait')} being counted {marks.ellipsis}"

    # -- the sample, judges, and groups -----------------------------------------------------------

    def _estimate(self, n: int) -> None:
        """Count the sample in a thread, and send its numbers to the screen, None without a sample.

        `n` is the number of the last fact before the count. Sends nothing if the screen is closed
        or the workspace cannot be read.
        """
        from appellate.numbers.samples import sample_at, sample_numbers

        on_progress = _pauses()
        try:
            sample = sample_at(self._bench.workspace.path, on_progress)
            numbers = None
            if sample is not None:
                numbers = sample_numbers(sample, on_progress)
        except (_Stopped, sqlite3.Error):
            return
        self._post(partial(self._estimated, n, numbers))

    def _estimated(self, n: int, numbers: "SampleNumbers | None") -> None:
        """Store the numbers of the sample, and record the looks at bars that they complete.

        Looks are recorded in the audit, but not in a session that only reads. `n` is the number of
        the last fact before they were counted. Raises Refused if a look cannot be saved now: the
        numbers are stored, and it is recorded when they are counted next.
        """
        from appellate.numbers.bars import keep_looks

        self.sampled = numbers
        self.sampled_n = n
        if numbers is None:
            return
        try:
            look_count = keep_looks(self._bench, numbers.gates)
        except NotKept as error:
            raise Refused(
                f"A look at a bar is NOT SAVED: {error}."
                " It is recorded when the numbers are counted next.",
            ) from error
        if look_count:
            self.sampled_n = self._bench.workspace.facts.last_n()

    def _compare_judges(self, n: int) -> None:
        """Count all judges beside people in a thread, and send them to the screen.

        `n` is the number of the last fact before the count. Sends nothing if the screen is closed
        or the workspace cannot be read.
        """
        from appellate.numbers.judges import judges_at

        try:
            judges = judges_at(self._bench.workspace.path, _pauses())
        except (_Stopped, sqlite3.Error):
            return

        def take() -> None:
            self.judges = judges
            self._judges_n = n

        self._post(take)

    def _look_for_groups(self) -> None:
        """Read in a thread what traces can be grouped by, and send it to the screen.

        Sends nothing if the workspace cannot be read.
        """
        path = self._bench.workspace.path
        try:
            names = groupings(path)
            question_ids = breakdowns.question_ids(path)
        except sqlite3.Error:
            return

        def take() -> None:
            self.groupings = names
            self.question_ids = question_ids

        self._screen.post_message(Groupable(take))


def _pauses() -> OnProgress:
    """Return a function for a thread to call while it counts; it ignores its arguments.

    It pauses for `PAUSE` seconds after every `SLICE`, so that keys are handled. It raises _Stopped
    once the screen is closed.
    """
    worker = get_current_worker()
    since = time.perf_counter()

    def received(_done: int, _part: float | None) -> None:
        """Pause if the slice of time is over; raise _Stopped if the screen is closed.

        The arguments, how far the count is, are ignored.
        """
        nonlocal since
        if worker.is_cancelled:
            raise _Stopped
        if time.perf_counter() - since > SLICE:
            time.sleep(PAUSE)
            since = time.perf_counter()

    return received


def _work_out(counted: Breakdown, on_progress: OnProgress) -> None:
    """Work out the agreements of a breakdown with their intervals, so that no key waits for them.

    Those of groups are left for when they are shown.
    """
    agreements = [counted.whole.agreement, counted.whole.blind]
    for figures in counted.instructions:
        agreements += [figures.agreement, figures.blind]
    for agreement in agreements:
        for name in (*FULL_NAMES, *Rates._fields):
            agreement.known(name)
            on_progress(agreement.n, None)
