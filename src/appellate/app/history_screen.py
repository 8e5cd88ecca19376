"""The list of a reviewer's acts, newest first, to go to a cell, or to undo and redo."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.queue.view import Pages
from appellate.app.reading.material_pages import when
from appellate.session.acts import OF_THE_WHOLE
from appellate.session.workbench import Direction, Workbench
from appellate.store.fact_rows import WHOLE_AUDIT, ActRow
from appellate.ui.lines import CountedLines, Lines, counting_hint
from appellate.ui.marks import Marks, spelt
from appellate.ui.overlay import FramedBox
from appellate.ui.own_keys import in_own_keys, own_names
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.text import plain

KEYS = (
    "{lines.choose:Enter} goes there · {history.undo:u} undo · {history.redo:U} redo · "
    "{history.close:Esc} leaves"
)


class ActRows:
    """The rows of a reviewer's acts, read a page at a time."""

    def __init__(self, bench: Workbench, marks: Marks) -> None:
        self._marks = marks
        self._pages = Pages(partial(bench.workspace.facts.acts, bench.reviewer))
        self._count = bench.workspace.facts.count_acts(bench.reviewer)

    def __len__(self) -> int:
        return self._count

    def act(self, index: int) -> ActRow:
        """Return the act at this index; 0 is the newest."""
        return self._pages.row(index)

    def __getitem__(self, index: int, /) -> ListRow:
        """Return the row of the act at this index: its time, text and place; 0 is the newest.

        An act that was undone is dim and says so.
        """
        act = self.act(index)
        text = act.text
        if act.undone:
            text = f"undone: {text}"
        time = (StyledText(f"{when(act.at)}  ", "muted"),)
        place = (StyledText(f" {act.place}", "muted"),)
        return ListRow(spelt(text, self._marks), time, place, dim=act.undone)


class HistoryScreen(FramedBox[int | None]):
    """The list of acts; closes with the number of the cell to go to, or None.

    u and U undo and redo, as on the review screen.
    """

    DEFAULT_CSS = """
    HistoryScreen > Vertical { max-width: 130; height: 94%; }
    HistoryScreen Lines { height: 1fr; }
    HistoryScreen .history--detail { height: auto; max-height: 6; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,H", "dismiss", "close", id="history.close"),
        Binding("u", "take_back('undo')", "undo", id="history.undo"),
        Binding("U", "take_back('redo')", "redo", id="history.redo"),
    ]

    def __init__(
        self,
        bench: Workbench,
        marks: Marks,
        take_back: Callable[[Direction], str],
    ) -> None:
        """Make the screen; `take_back` undoes or redoes the latest act and returns the sentence to
        say.
        """
        super().__init__(f"What {bench.reviewer} did, newest first", marks=marks)
        self._bench = bench
        self._take_back = take_back
        self._rows: ActRows

    def inside(self) -> Iterator[Widget]:
        yield CountedLines(marks=self.marks)
        yield Static(classes="history--detail", markup=False)

    def on_mount(self) -> None:
        """Show the keys and the list of acts, and put the focus on the list."""
        self.say_keys(KEYS)
        self._show()
        self.query_one(Lines).focus()

    def _show(self, text: str = "") -> None:
        """Read the list of acts again from the workspace, and show `text` below it.

        With "" the full text of the act under the cursor is shown there.
        """
        self._rows = ActRows(self._bench, self.marks)
        self.query_one(Lines).show_rows(self._rows, "You have done nothing here yet.")
        self._detail(text)

    def _detail(self, text: str = "") -> None:
        """Show `text` below the list; with "" show the full text of the act under the cursor."""
        row = self.query_one(Lines).row
        if row and not text:
            text = row.text
        self.query_one(".history--detail", Static).update(plain(text))

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._detail()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """Close the screen with the cell of the act that was chosen.

        If the act was about the whole audit, say so below the list, and stay.
        """
        event.stop()
        cell = self._rows.act(event.index).cell
        if cell == WHOLE_AUDIT:
            self._detail(OF_THE_WHOLE)
        else:
            self.dismiss(cell)

    def on_counted_lines_counting(self, event: CountedLines.Counting) -> None:
        """Show what the number that is being typed will do; the keys again once none is typed."""
        event.stop()
        text = KEYS
        if event.typed:
            text = counting_hint(event.typed, own_names(self.app))
        self.say_keys(text)

    def action_take_back(self, direction: Direction) -> None:
        self._show(in_own_keys(self._take_back(direction), self.app))
