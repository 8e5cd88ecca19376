"""Questions asked on one line above the keys, not over the work: a text to type, or yes and no."""

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.text import clip, inert, plain, width

_ON_ONE_LINE = str.maketrans("\n\t", "␤ ")


class LineInput(Input):
    """An input whose text may come from a file: drawn inert, but kept, edited and answered as it is."""

    DEFAULT_CSS = """
    LineInput { width: 1fr; }
    """

    def __init__(self, hint: str = "") -> None:
        super().__init__(placeholder=hint, select_on_focus=False, compact=True)
        self.cursor_blink = False

    def on_resize(self) -> None:
        """Brings the cursor into sight, which a line that was hidden cannot do."""
        before = width(inert(self.value[: self.cursor_position]))
        self.scroll_to_region(Region(before, 0, 1, 1), force=True, animate=False)

    @property
    def _value(self) -> Text:
        return Text(inert(self.value).translate(_ON_ONE_LINE), no_wrap=True, overflow="ignore", end="")


@dataclass
class Answered(Message):
    """A person pressed Enter, on whatever the line held."""

    value: str
    purpose: str


@dataclass
class Dismissed(Message):
    """A person left the question without an answer."""

    purpose: str


class LinePrompt(Widget):
    """A label and a line to type in; the owner mounts or shows it, and gives the focus back afterwards."""

    DEFAULT_CSS = """
    LinePrompt { layout: horizontal; height: 1; width: 100%; background: $boost; display: none; }
    LinePrompt.-asking { display: block; }
    LinePrompt > .prompt--label { width: auto; height: 1; padding: 0 1; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss_prompt", "leave", show=False, id="prompt.leave"),
    ]

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.marks = marks
        self.purpose = ""

    def compose(self) -> ComposeResult:
        yield Static(classes="prompt--label", markup=False)
        yield LineInput()

    def ask(self, purpose: str, label: str, value: str = "", hint: str = "") -> None:
        """Shows the line and takes the focus; answers with `Answered` or `Dismissed`."""
        self.purpose = purpose
        self.query_one(Static).update(plain(clip(label, max(self.app.size.width // 2, 8), self.marks)))
        line = self.query_one(LineInput)
        line.placeholder = clip(hint, self.app.size.width, self.marks)
        line.value = value
        line.cursor_position = len(value)
        self.add_class("-asking")
        self.screen.set_focus(line)

    @property
    def asking(self) -> bool:
        return self.has_class("-asking")

    def put_away(self) -> None:
        """Hides the line without a message."""
        self.remove_class("-asking")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.put_away()
        self.post_message(Answered(event.value, self.purpose))

    def action_dismiss_prompt(self) -> None:
        self.put_away()
        self.post_message(Dismissed(self.purpose))


class Confirm(Static, can_focus=True):
    """A question that y answers with yes, n and Esc with no; no other key does, and Enter does not."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Confirm { height: auto; max-height: 3; width: 100%; padding: 0 1; display: none; }
    Confirm { background: $boost; text-style: bold; }
    Confirm.-asking { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False, id="confirm.yes"),
        Binding("n,escape", "answer(False)", "no", show=False, id="confirm.no"),
    ]

    @dataclass
    class Decided(Message):
        """A person answered yes or no."""

        yes: bool
        purpose: str

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes, markup=False)
        self.purpose = ""

    @property
    def asking(self) -> bool:
        return self.has_class("-asking")

    def ask(self, purpose: str, question: str) -> None:
        """Shows the question and takes the focus; answers with `Decided`."""
        self.purpose = purpose
        self.update(plain(f"{question}  y yes · n no"))
        self.add_class("-asking")
        self.screen.set_focus(self)

    def action_answer(self, yes: bool) -> None:
        self.remove_class("-asking")
        self.post_message(self.Decided(yes, self.purpose))

    def on_click(self, event: Click) -> None:
        event.stop()
        self.focus()
