"""A small box at the bottom of the screen in which a person types several lines, such as
a comment.
"""

from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click, Key
from textual.widget import Widget
from textual.widgets import TextArea

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.overlay import FramedBox
from appellate.ui.text import inert

KEYS = (
    "{note.keep:Enter} saves it · {note.line:Ctrl+O} (or Alt+Enter, Ctrl+J) a new line · "
    "{note.edit:Ctrl+E} your editor · {note.leave:Esc} leaves"
)
"""What the box says below about its keys."""
NEW_LINE = ("ctrl+j", "alt+enter", "shift+enter")
"""Further keys that begin a line. Only some terminals send them, or distinguish them from Enter."""
_TAB = str.maketrans("\t", " ")


class Edited(NamedTuple):
    """What a person's own editor returned."""

    text: str
    why: str = ""
    """Why the text could not be edited; "" if it was."""


class NoteInput(TextArea):
    """The text area of the box: hostile characters are drawn inert, and the text is kept
    as typed.
    """

    DEFAULT_CSS = """
    NoteInput {
        height: auto; min-height: 1; max-height: 8; padding: 0; border: none;
        &:focus { border: none; }
    }
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, compact=True, highlight_cursor_line=False)
        self.cursor_blink = False

    def get_line(self, line_index: int) -> Text:
        """Return a line as it is drawn: inert, and with one space instead of each tab.

        `line_index` counts from 0. The document itself is not changed.
        """
        line = self.document.get_line(line_index).translate(_TAB)
        return Text(inert(line), end="", no_wrap=True)

    def on_key(self, event: Key) -> None:
        """Begin a new line at the keys of `NEW_LINE`; other keys go the usual way.

        Those keys are used up.
        """
        if event.key in NEW_LINE:
            event.stop()
            event.prevent_default()
            self.new_line()

    def new_line(self) -> None:
        """Put a newline at the cursor, or instead of what is selected, and the cursor after it."""
        start, end = sorted(self.selection)
        self.replace("\n", start, end, maintain_selection_offset=False)


class NoteScreen(FramedBox[str | None]):
    """A box that returns the text that was typed, or None if the person leaves it.

    `edit` opens a text in the person's own editor.
    """

    AUTO_FOCUS = "NoteInput"
    DEFAULT_CSS = """
    NoteScreen { align: center bottom; background: transparent; }
    NoteScreen > Vertical { width: 100%; max-width: 100%; }
    NoteScreen .box--keys { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "leave", id="note.leave"),
        Binding("enter,ctrl+s", "keep", "keep", priority=True, id="note.keep"),
        Binding("ctrl+o", "new_line", "new line", priority=True, id="note.line"),
        Binding("ctrl+e", "edit", "editor", priority=True, id="note.edit"),
    ]

    def __init__(
        self,
        title: str,
        text: str,
        edit: Callable[[str], Edited],
        *,
        marks: Marks = UNICODE,
    ) -> None:
        """Make a box that begins with a text.

        `edit` opens a text in the person's editor, waits, and returns what came back or why it
        failed.
        """
        super().__init__(title, marks=marks)
        self.input = NoteInput(text)
        self._edit = edit

    def inside(self) -> Iterator[Widget]:
        yield self.input

    @property
    def text(self) -> str:
        return self.input.text

    def on_mount(self) -> None:
        self.say_keys(KEYS)
        self.input.move_cursor(self.input.document.end)

    def on_click(self, event: Click) -> None:
        if event.widget is self:
            self.dismiss()

    def action_new_line(self) -> None:
        self.input.new_line()

    def action_edit(self) -> None:
        """Open the text in the person's editor, wait for it, and put what came back into the box.

        If it is another text, the cursor goes to its end. If the editor failed, the text stays, and
        the line about keys says why. The box stays open.
        """
        edited = self._edit(self.text)
        if edited.why:
            self.say_keys(edited.why)
            return
        if edited.text != self.text:
            self.input.text = edited.text
            self.input.move_cursor(self.input.document.end)
        self.say_keys(KEYS)

    def action_keep(self) -> None:
        self.dismiss(self.text)
