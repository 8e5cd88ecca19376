"""Going about: cells, traces, what is left to do, back and forward, bookmarks, and the queue itself."""

import re
from functools import partial

from textual import on
from textual.events import DescendantFocus

from appellate.app.lineup import Lineup
from appellate.app.queue import QueueRows, cell_name
from appellate.app.room import Room
from appellate.core.refused import Refused
from appellate.core.trace import name_of
from appellate.query.language import Completion
from appellate.store.database import NotKept
from appellate.store.queue import Queue
from appellate.ui.lines import Lines
from appellate.ui.picking import Choice as Pick
from appellate.ui.text import clip

NAMED = 40  # cells of a name that is not there
MANY = 50  # traces offered while one is being named
BETWEEN = " ·,/"  # a trace's name and a trait, wherever the two are printed
DONE = "Every cell {here}is signed off. q writes the audit; S tells the numbers, appellate report the rest."


class Going(Room):
    """From one cell to another."""

    # -- step by step -----------------------------------------------------------------------------

    def action_cell(self, by: int) -> None:
        self._go_or_say(self.line.step(self.no, by), "cell", by)

    def action_trace(self, by: int) -> None:
        self._go_or_say(self.line.step_trace(self.no, by), "trace", by)

    def _go_or_say(self, number: int | None, what: str, by: int) -> None:
        if number is None:
            self.say(f"This is the {'last' if by > 0 else 'first'} {what} {self._here}".rstrip() + ".")
        else:
            self.go(number)

    @property
    def _here(self) -> str:
        return "of this queue (f widens it) " if self.lineup.narrowed else ""

    def action_next(self, by: int) -> None:
        """The next hit while a search is open, else the next cell that is not signed off."""
        if self.response.searching:
            self.next_hit(by)
        else:
            self.next_unreviewed(by)

    def next_hit(self, by: int) -> None:
        raise NotImplementedError

    def next_unreviewed(self, by: int, *, after: bool = False) -> None:
        found = self.line.next_open(self.no, by) or self._round_the_corner(by)
        if found is None or (found == self.no and after):
            self.say(DONE.format(here=self._here))
        elif found == self.no:
            self.say(f"This is the only cell {self._here}that is not signed off.")
        else:
            self.go(found)

    def _round_the_corner(self, by: int) -> int | None:
        if not len(self.line):
            return None
        end = self.line.number(0 if by > 0 else len(self.line) - 1)
        return end if self.bench.workspace.cells.row(end).state != "reviewed" else self.line.next_open(end, by)

    # -- back and forward -------------------------------------------------------------------------

    def go(self, number: int) -> None:
        """Goes to a cell, and remembers where from."""
        if number != self.no:
            self.trail.left(self.no)
        self.open(number)

    def action_back(self) -> None:
        self._retrace(self.trail.back(self.no), "There is nothing to go back to.")

    def action_forward(self) -> None:
        self._retrace(self.trail.forward(self.no), "There is nothing to go forward to.")

    def _retrace(self, number: int | None, nowhere: str) -> None:
        if number is None:
            self.say(nowhere)
        else:
            self.open(number)

    # -- by name ----------------------------------------------------------------------------------

    def action_go_to(self) -> None:
        self.ask(
            "Go to trace",
            "",
            self._named,
            purpose="trace",
            completing=self._traces,
            hint="a name from the queue, a number, a part of an id",
        )

    def _traces(self, text: str, _: int) -> list[Completion]:
        found = self.bench.workspace.traces.like(self.bench.workspace.rubric, text, MANY)
        return [
            Completion(0, len(text), name_of(one.id, one.epoch), f"trace {one.no}  {one.question or ''}")
            for one in found
        ]

    def _named(self, text: str) -> None:
        name = text.strip()
        cell = self._cell_of(name) if name else None
        if cell is None:
            self.say(f"There is no trace “{clip(name, NAMED, self.marks)}” with anything to review.")
        else:
            self.go(cell)

    def _cell_of(self, name: str) -> int | None:
        """The first cell of the trace of that very id, else the cell that is called so, else of the likeliest trace."""
        workspace = self.bench.workspace
        trace = workspace.traces.number((name, 1))
        if trace is None and (called := self._cell_called(name)):
            return called
        if trace is None:
            trace = next((one.no for one in workspace.traces.like(workspace.rubric, name, 1)), None)
        cell = None if trace is None else workspace.cells.first_of_next(trace - 1, 1)
        return cell if cell and workspace.cells.row(cell).trace_no == trace else None

    def _cell_called(self, text: str) -> int | None:
        """The cell of a trace's name with a trait behind it, parted as any line of the program parts them."""
        workspace = self.bench.workspace
        for trait in workspace.rubric.trait_names():
            before = text.removesuffix(trait)
            name = before.rstrip(BETWEEN)
            if name != before and (cell := workspace.cells.named(name, trait)):
                return cell
        return None

    # -- bookmarks --------------------------------------------------------------------------------

    def action_bookmark(self) -> None:
        on = self.no not in self.bookmarks
        try:
            self.bench.set_bookmark(self.no, on)
        except Refused as refusal:
            self.say(str(refusal))
            return
        except NotKept as refusal:
            self.say(f"No bookmark was set: {refusal}.")
            return
        self.bookmarks ^= {self.no}
        self.rows_changed(self.no)
        self.say("Bookmarked: ' lists the bookmarks." if on else "The bookmark is gone.")

    def action_bookmarks(self) -> None:
        if not self.bookmarks:
            self.say("There are no bookmarks; B sets one on the cell in sight.")
            return
        rows = self.bench.workspace.cells.rows_of(sorted(self.bookmarks))
        choices = [Pick(str(row.no), str(row.trace_no), cell_name(row), row.state) for row in rows]
        self.pick("Bookmarks", choices, "", lambda key: self.go(int(key)))

    # -- the queue --------------------------------------------------------------------------------

    @on(DescendantFocus)
    def _focused(self) -> None:
        """The narrow screen's queue is there for as long as it has the focus."""
        if self.focused is self.pane.lines:
            self.remove_class("-queue")

    def action_queue(self) -> None:
        if self.focused is self.queue:
            self.remove_class("-queue")
            self.rest()
        else:
            self.add_class("-queue")
            self.queue_follows()
            self.set_focus(self.queue)

    @on(Lines.Highlighted, "#queue")
    def _queue_moved(self) -> None:
        if self._is_wide:
            self.go(self.line.number(self.queue.cursor.row))

    @on(Lines.Chosen, "#queue")
    def _queue_chosen(self, event: Lines.Chosen) -> None:
        self.remove_class("-queue")
        self.go(self.line.number(event.cursor.row))
        self.rest()

    def action_filter(self) -> None:
        lineup = self.lineup
        self.ask(
            "Filter",
            lineup.filter,
            lambda text: self.line_up(lineup.filtered(text)),
            purpose="filter",
            completing=lineup.completions,
            checking=lineup.fault,
            hint="state:proposed f1<0.5 trait:… text:…   (empty: every cell)",
            whole=True,
        )

    def action_order(self) -> None:
        lineup = self.lineup
        choices = [
            Pick(order.id, "", order.name, "now" if order.id == lineup.order else "") for order in lineup.orders()
        ]
        self.pick("Order of the queue", choices, "", self._ordered)

    def _ordered(self, order: str) -> None:
        if order == "random":
            seed = str(self.lineup.seed)
            self.ask("Seed of the random order", seed, partial(self._seeded, order), checking=_no_seed)
        else:
            self.line_up(self.lineup.ordered(order), afresh=True)

    def _seeded(self, order: str, text: str) -> None:
        self.line_up(self.lineup.ordered(order, int(text)), afresh=True)

    def line_up(self, lineup: Lineup, *, quietly: bool = False, afresh: bool = False) -> None:
        """Finds the cells of a filter and an order, off the screen's own time, and shows them.

        Quietly: nothing is said, and the cell in sight stays even where it is not among them. Afresh: from the first
        that is not signed off.
        """
        self.run_worker(self._line_up(lineup, quietly, afresh), group="line", exclusive=True)

    async def _line_up(self, lineup: Lineup, quietly: bool, afresh: bool) -> None:
        try:
            line = await lineup.look_up(self.say)
        except Refused as refusal:
            self.say(str(refusal))
            return
        if not len(line):
            self.say(f"No cell fits {lineup.filter}: the queue stays as it was.")
            return
        self._put_in_line(lineup, line)
        if quietly:
            return
        lineup.remember()
        if afresh or line.position(self.no) is None:
            self.go(self._round_the_corner(1) or line.number(0))
        self.say(f"{line.told}. f filters, O orders.")

    def _put_in_line(self, lineup: Lineup, line: Queue) -> None:
        """Puts other cells in the queue."""
        self.lineup, self.line = lineup, line
        self._rows = QueueRows(line, self.marks, self.bookmarks)
        self.queue.show_rows(self._rows)
        self.queue_follows()
        self.show_titles()
        self.show_standing()


def _no_seed(text: str) -> str:
    return "" if re.fullmatch(r"\s*\d{1,10}\s*", text) else "A seed is a whole number of at most ten digits."
