"""The dashboard: progress, pace, this session, and what each trait comes to, with the audit as it
stands now.
"""

import sqlite3
from asyncio import TimerHandle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static
from textual.worker import get_current_worker

from appellate.app import numbers
from appellate.app.by_instruction import InstructionLine
from appellate.app.numbers import TraitNumbers
from appellate.core.kind import KnownTrait
from appellate.core.scale import parts
from appellate.core.totals import AS_THEY_STAND
from appellate.core.wordforms import many
from appellate.review_session import ReviewSession
from appellate.store import trait_stats
from appellate.ui.counting import HINT, CountedLines
from appellate.ui.lines import Lines, Listed, ListRow, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import plain
from appellate.ui.textual_compat import later
from appellate.workbench import Change, Workbench

SOON, RECOUNT = 1.0, 15.0  # seconds till a change is drawn, and till all cells are counted for it
EVERY = 2.0  # seconds between two looks at what another process did
TRAITS, INSTRUCTIONS = 20, 100  # as many as one reads; `metrics` and `report` tell all
EDGE = 3  # cells that the list takes for its cursor and its scrollbar


class DashboardScreen(Screen[str | InstructionLine | None]):
    """Numbers to read; Enter on a line gives the query that shows its cells, or its instruction."""

    AUTO_FOCUS = "Lines"
    DEFAULT_CSS = """
    DashboardScreen { align: center top; }
    DashboardScreen Vertical { max-width: 120; }
    DashboardScreen Lines { height: 1fr; }
    DashboardScreen .dashboard--title { height: 1; padding: 0 1; text-style: bold; }
    DashboardScreen .dashboard--told { height: 2; padding: 0 1; color: $muted; }
    DashboardScreen .dashboard--keys { height: 1; padding: 0 1; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,S,q", "close", "close", show=False, id="dashboard.close"),
        Binding("b", "choose", "by instruction", show=False, id="dashboard.by_instruction"),
    ]

    @dataclass
    class Counted(Message):
        """How many cells of a trait have which value of its last metric, by side."""

        trait: str
        sides: Mapping[str, Sequence[int]]

    def __init__(self, bench: Workbench, session: ReviewSession, marks: Marks) -> None:
        super().__init__()
        self._bench, self._session, self._marks = bench, session, marks
        self._spread: dict[str, Mapping[str, Sequence[int]]] = {}
        self._n = bench.workspace.facts.last_n()
        self._drawing: TimerHandle | None = None
        self._counting: TimerHandle | None = None
        self._instructions: dict[str, list[InstructionLine | None]] = {}
        self._named: dict[str, list[KnownTrait]] = {}
        for known in bench.workspace.rubric.every_trait():
            self._named.setdefault(known.trait.name, []).append(known)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(
                plain(f"Session and numbers of {self._bench.audit.name}"),
                classes="dashboard--title",
            )
            yield CountedLines(marks=self._marks)
            yield Static(classes="dashboard--told", markup=False)
            yield Static(classes="dashboard--keys", markup=False)

    def on_mount(self) -> None:
        self._show()
        self._recount()
        if self._bench.readonly:  # what happens is done by another process, which tells nobody
            self.set_interval(EVERY, self._look)
        else:
            self._bench.listeners.append(self._changed)

    def on_unmount(self) -> None:
        self._bench.dismiss(self._changed)

    def on_resize(self, _: Resize) -> None:
        self._show()

    @property
    def lines(self) -> Lines:
        return self.query_one(Lines)

    def _look(self) -> None:
        before, self._n = self._n, self._bench.workspace.facts.last_n()
        if self._n != before:
            self._changed()

    def _changed(self, _: Change | None = None) -> None:
        """Takes a change in after a moment, with all that come meanwhile: a judge brings many."""
        self._drawing = self._drawing or later(SOON, self, self._show)
        self._counting = self._counting or later(RECOUNT, self, self._recount)

    def _recount(self) -> None:
        self._counting = None
        self._count(self._traits())

    def _show(self) -> None:
        """Draws all there is now; what is read stays where it is."""
        self._drawing = None
        sections = list(self._sections(max(min(self.size.width, 120) - EDGE, 0)))
        counts = [len(section.rows) for section in sections]
        if counts == self.lines.placed.counts:
            self.lines.sections = tuple(sections)
            self.lines.refresh()
        else:
            self.lines.show(*sections)
        self._tell()

    def _sections(self, room: int) -> Iterator[ListSection]:
        totals, marks = self._bench.workspace.totals(), self._marks
        yield _section("Progress", numbers.progress_of(totals, room, marks))
        yield _section("Pace", numbers.pace_of(self._session, totals, room, marks))
        yield _section("This session", numbers.sentences(self._session.summary(), room))
        for trait in self._traits():
            yield from self._trait(trait, room)
        more = len(self._named) - TRAITS
        if more > 0:
            yield _section(
                f"and {many(more, 'trait')} more",
                [ListRow("appellate metrics tells all.", style="muted")],
            )

    def _trait(self, trait: TraitNumbers, room: int) -> Iterator[ListSection]:
        marks, totals = self._marks, trait.totals
        told = f"{totals.get('state:reviewed', 0)} of {totals.get('cells', 0)} signed off"
        rows = numbers.metrics(trait, room, marks)
        if any(row.key for row in rows):
            rows += numbers.spread_of(trait.headline, self._spread.get(trait.name), room, marks)
        yield _section(trait.name, rows, told)
        found = trait_stats.answer_stats(self._bench.workspace, trait.name, INSTRUCTIONS)
        order = "as labels stand, most overruled first"
        if len(found) == INSTRUCTIONS:
            order = f"the first {INSTRUCTIONS}, {order}"
        heading = f"Instructions of {trait.name}"
        lines = [InstructionLine(trait.name, one.of, one.instruction) for one in found]
        self._instructions[heading] = [None, *lines]  # the first line has the titles
        yield _section(heading, numbers.answers(trait, found, room, marks), order)

    def _traits(self) -> list[TraitNumbers]:
        found = []
        for name, known in islice(self._named.items(), TRAITS):
            totals = self._bench.workspace.totals(name)
            if totals.get("cells"):
                traits = [one.trait for one in known]
                found.append(TraitNumbers(name, known[0].kind, traits, totals))
        return found

    @work(thread=True, exclusive=True)
    def _count(self, traits: Sequence[TraitNumbers]) -> None:
        """Counts the cells by their metric, away from the keys."""
        worker, path = get_current_worker(), self._bench.workspace.path
        for trait in traits:
            try:
                count = parts(trait.headline, numbers.BINS)
                counted = {
                    side: trait_stats.distribution(path, trait.name, trait.headline, side, count)
                    for side in AS_THEY_STAND
                }
            except sqlite3.Error:
                # the file is away or busy: what was counted stands, the next change counts anew
                return
            if worker.is_cancelled:
                return
            self.post_message(
                self.Counted(trait.name, counted)
            )  # does not wait, as a thread must not at the end

    @on(Counted)
    def _take(self, event: Counted) -> None:
        self._spread[event.trait] = event.sides
        self._show()

    @on(Lines.Highlighted)
    @on(CountedLines.Counting)
    def _tell(self) -> None:
        """The whole of the line under the cursor, where the list had to cut it."""
        row = self.lines.row
        self._say(row.text if row and row.right else "")
        shows = f" · Enter shows {row.key} in the queue" if row and row.key else ""
        if self._instruction:
            shows = " · Enter goes by this instruction, from cell to cell"
        keys = f"↑ ↓ read{shows} · Esc closes"
        typed = self.query_one(CountedLines).typed
        if typed:
            keys = HINT.format(typed)
        self.query_one(".dashboard--keys", Static).update(plain(spelt(keys, self._marks)))

    def _say(self, text: str) -> None:
        self.query_one(".dashboard--told", Static).update(plain(text))

    @property
    def _instruction(self) -> InstructionLine | None:
        """The instruction whose line the cursor is on."""
        section, row = self.lines.cursor
        header = self.lines.sections[section].header
        lines = self._instructions.get(header.text if header else "", ())
        return lines[row] if row < len(lines) else None

    @on(Lines.Chosen)
    def action_choose(self) -> None:
        row = self.lines.row
        if self._instruction:
            self.dismiss(self._instruction)
        elif row and row.key:
            self.dismiss(row.key)
        else:
            self._say("This line stands for no cells of its own.")

    def action_close(self) -> None:
        self.dismiss(None)


def _section(heading: str, rows: list[ListRow], told: str = "") -> ListSection:
    right = (StyledText(told, "muted"),) if told else ()
    return ListSection(Listed(rows), header=ListRow(heading, right=right, style="header"))
