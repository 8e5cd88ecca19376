"""Every key and every mark, to read and to search; the screen behind it stays as it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from appellate.ui.lines import Lines, Listed, ListRow, ListSection
from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.prompt import LineInput
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import cell_width, column, plain

WIDEST_KEYS = 22  # cells


@dataclass(frozen=True, slots=True)
class HelpEntry:
    """One thing to know: a group, keys or a mark, and what it does or means.

    `style` colours a mark; `action` is what Enter does, in the words of the screen that the help
    was asked on; `id` is the binding that the keys are of.
    """

    group: str
    keys: str
    what: str
    style: str = ""
    action: str = ""
    id: str = ""

    @property
    def searched(self) -> str:
        return f"{self.group} {self.keys} {self.what}".casefold()


def found(told: Sequence[HelpEntry], typed: str) -> list[HelpEntry]:
    """What holds every word typed, in its group, its keys or its sentence."""
    words = typed.casefold().split()
    return [one for one in told if all(word in one.searched for word in words)]


def sections(
    told: Sequence[HelpEntry], width: int, empty: str = "nothing fits what was typed"
) -> Iterator[ListSection]:
    """Groups in the order given, each with its header; the keys in a column of `width` cells."""
    if not told:
        yield ListSection(Listed(), empty=empty)
    for group, ones in groupby(told, key=lambda one: one.group):
        rows = []
        for one in ones:
            keys = StyledText(column(one.keys, width) + "  ", one.style or "key")
            rows.append(ListRow(one.what, (keys,) if one.keys else (), key=one.action))
        yield ListSection(Listed(rows), header=ListRow(group, style="header"))


class HelpScreen(ModalScreen[str | None]):
    """Keys and marks by group; / searches, Esc, ? and q close; Enter on a key gives its action."""

    AUTO_FOCUS = "Lines"
    DEFAULT_CSS = """
    HelpScreen { align: center middle; }
    HelpScreen > Vertical {
        width: 94%; max-width: 100; height: 94%; padding: 0 1;
        border: round $primary; background: $surface;
    }
    HelpScreen LineInput { display: none; }
    HelpScreen LineInput.-searching { display: block; }
    HelpScreen Lines { height: 1fr; }
    HelpScreen .help--detail { height: auto; max-height: 3; color: $muted; }
    HelpScreen .help--keys { height: 1; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", show=False, id="help.leave"),
        Binding("question_mark,q,f1", "dismiss", "close", show=False, id="help.close"),
        Binding("slash", "search", "search", show=False, id="help.search"),
        Binding("down", "into_list", "into the list", show=False, id="help.list"),
    ]

    def __init__(
        self, told: Sequence[HelpEntry], *, title: str = "Keys and marks", marks: Marks = UNICODE
    ) -> None:
        super().__init__()
        self.told, self.heading, self.marks = tuple(told), title, marks
        widest = max((cell_width(one.keys) for one in told), default=0)
        self._keys_width = min(widest, WIDEST_KEYS)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self.heading), classes="help--title")
            yield LineInput("words to look for")
            yield Lines(marks=self.marks)
            yield Static(classes="help--detail", markup=False)
            keys = spelt("/ search · ↑ ↓ read · Enter does it · Esc closes", self.marks)
            yield Static(plain(keys), classes="help--keys")

    @property
    def lines(self) -> Lines:
        return self.query_one(Lines)

    def on_mount(self) -> None:
        self._show("")

    def _show(self, typed: str) -> None:
        self.lines.go(0, 0)
        self.lines.show(*sections(found(self.told, typed), self._keys_width))
        self._detail()

    def _detail(self) -> None:
        row, told = self.lines.row, ""
        if row:
            told = row.text
            if row.key:
                told = f"Enter does it: {told}"
        self.query_one(".help--detail", Static).update(plain(told))

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._detail()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        row = self.lines.row
        if row and row.key:
            self.dismiss(row.key)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._show(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.lines.focus()

    def action_search(self) -> None:
        line = self.query_one(LineInput)
        line.add_class("-searching")
        line.focus()

    def action_into_list(self) -> None:
        self.lines.focus()

    def action_leave(self) -> None:
        """Leaves the search first, if there is one, then the help."""
        line = self.query_one(LineInput)
        if not line.has_class("-searching"):
            self.dismiss(None)
            return
        line.value = ""
        line.remove_class("-searching")
        self.lines.focus()
