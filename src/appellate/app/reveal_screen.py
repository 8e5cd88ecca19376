"""What the judge says of a cell whose verdict is locked, beside that verdict."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Literal, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key as KeyPressed
from textual.events import Resize
from textual.message import Message
from textual.widgets import Static

from appellate.app.borrowed_keys import BorrowedKeys, Command
from appellate.app.reveal_rows import RevealRows
from appellate.app.sign_off_key import HELD
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Key, first_names
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks, spelt
from appellate.ui.overlay import Box
from appellate.ui.text import plain

MOST_NUMBERS = 3  # lines
LOCKED = "Your verdict is locked; what you change from here on is saved beside it."
Where = Literal["next", "previous", "proposals", "item", "cell"]


class RevealLeft(NamedTuple):
    """Where one goes: to the next cell or the one before that is not signed off, to the judge's
    proposals, to the item of that name, or back to the cell.
    """

    to: Where
    name: str = ""


class RevealScreen(Box[RevealLeft]):
    """Two columns of answers, or three where a person changed their mind since.

    `arrived` tells when a key was pressed: the one `pressed` last, which locked the verdict, may
    still be held down, and only goes on once it was let go.
    """

    DEFAULT_CSS = """
    RevealScreen { align: center middle; }
    RevealScreen > Vertical {
        width: 96%; max-width: 130; height: 96%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    RevealScreen .reveal--title { height: 1; text-style: bold; }
    RevealScreen .reveal--told { height: 1; color: $muted; }
    RevealScreen Lines { height: 1fr; margin: 1 0; }
    RevealScreen .reveal--numbers { height: auto; }
    RevealScreen .reveal--keys { height: 1; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave('cell')", "stay", show=False, id="reveal.close"),
    ]

    def __init__(
        self,
        rows: RevealRows,
        keys: Sequence[Key],
        marks: Marks,
        arrived: Callable[[Message], float],
        pressed: tuple[str, float],
    ) -> None:
        super().__init__()
        self._rows = rows
        self._marks = marks
        self._arrived = arrived
        self._before = pressed
        shown = first_names(keys)
        self._keys = (
            f"{shown['cell.sign']} next cell · Enter to the item · "
            f"{shown['cell.proposals']} proposals · Esc stays"
        )
        leave: dict[str, Command] = {
            "cell.sign": self._go_on,
            "unreviewed.next": self._go_on,
            "unreviewed.previous": partial(self.action_leave, "previous"),
            "cell.proposals": partial(self.action_leave, "proposals"),
        }
        self._borrowed = BorrowedKeys(keys, {}, lambda _: None, leave)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(classes="reveal--title", markup=False)
            yield Static(plain(spelt(LOCKED, self._marks)), classes="reveal--told")
            yield Lines(marks=self._marks, id="compared")
            yield Static(classes="reveal--numbers", markup=False)
            yield Static(plain(spelt(self._keys, self._marks)), classes="reveal--keys")

    def on_mount(self) -> None:
        lines = self.query_one(Lines)
        lines.show(*self._rows.sections())
        lines.go(0, 0)
        lines.focus()

    def on_resize(self, event: Resize) -> None:
        room = event.size.width * 96 // 100 - 4
        fields = {
            ".reveal--title": (self._rows.title(), 1),
            ".reveal--numbers": (self._rows.numbers(), MOST_NUMBERS),
        }
        for name, (text, most) in fields.items():
            shown = fitting(plain(spelt(text, self._marks)), max(room, 20), most)
            self.query_one(name, Static).update(shown)

    def on_key(self, event: KeyPressed) -> None:
        """A key that may still be held down does nothing."""
        (key, then), self._before = self._before, (event.key, self._arrived(event))
        if key != event.key or self._before[1] - then >= HELD:
            self._borrowed.press(event)

    @on(Lines.Chosen, "#compared")
    def _chosen(self, event: Lines.Chosen) -> None:
        row = self._rows.at(event.section, event.index)
        self.dismiss(RevealLeft("item", row.name if row else ""))

    def _go_on(self) -> None:
        self.dismiss(RevealLeft("next"))

    def action_leave(self, to: Where) -> None:
        self.dismiss(RevealLeft(to))
