"""Questions asked on one line above the keys, not over the work: a text to type, or yes and no."""

from collections.abc import Callable
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Input, Static

from appellate.ui.completing import (
    Candidate,
    CandidateList,
    Candidates,
    Checking,
    Completing,
    History,
    Line,
    offered,
    taken,
)
from appellate.ui.conversation import PendingAnswer
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.text import cell_width, clip, inert, plain
from appellate.ui.textual_compat import put_class

_ON_ONE_LINE = str.maketrans("\n\t", "␤ ")


class InertText(Highlighter):
    """Draws a line inert, codepoint for codepoint."""

    def __call__(self, text: str | Text) -> Text:
        shown = inert(str(text)).translate(_ON_ONE_LINE)
        return Text(shown, no_wrap=True, overflow="ignore", end="")

    def highlight(self, text: Text) -> None:
        """Colours nothing."""


class LineInput(Input):
    """An input whose text may come from a file: drawn inert, but kept, edited and answered as it
    is.
    """

    DEFAULT_CSS = """
    LineInput { width: 1fr; }
    """

    def __init__(self, hint: str = "", *, at_end: Callable[[], None] | None = None) -> None:
        super().__init__(
            placeholder=hint, select_on_focus=False, compact=True, highlighter=InertText()
        )
        self.cursor_blink = False
        self._at_end = at_end

    def action_cursor_right(self, select: bool = False) -> None:
        """Goes on; → at the line's end is told to whoever wants to hear of it."""
        if self._at_end and not select and self.cursor_position >= len(self.value):
            self._at_end()
        else:
            super().action_cursor_right(select)

    def on_resize(self) -> None:
        """Brings the cursor into sight, which a line that was hidden cannot do."""
        before = cell_width(inert(self.value[: self.cursor_position]))
        self.scroll_to_region(Region(before, 0, 1, 1), force=True, animate=False)


class LinePrompt(Widget):
    """A label and a line to type in; the owner mounts or shows it, and gives the focus back
    afterwards.
    """

    DEFAULT_CSS = """
    LinePrompt { layout: horizontal; height: 1; width: 100%; background: $boost; display: none; }
    LinePrompt.-asking { display: block; }
    LinePrompt > .prompt--label { width: auto; height: 1; padding: 0 1; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss_prompt", "leave", show=False, id="prompt.leave"),
        Binding("tab", "take", "take the candidate", show=False, id="prompt.take"),
        Binding(
            "up,shift+tab",
            "choose(-1)",
            "candidate above; on an empty line what was typed before",
            show=False,
            id="prompt.up",
        ),
        Binding("down", "choose(1)", "candidate below", show=False, id="prompt.down"),
        Binding("pageup", "page(-1)", "page up", show=False, id="prompt.page_up"),
        Binding("pagedown", "page(1)", "page down", show=False, id="prompt.page_down"),
    ]

    def __init__(self, *, marks: Marks = UNICODE) -> None:
        super().__init__()
        self.marks = marks
        self.purpose = ""
        self.answer: PendingAnswer[str] = PendingAnswer()
        self._completing: Completing | None = None
        self._checking: Checking | None = None
        self._history = History()
        self._known = Line("", -1)

    def compose(self) -> ComposeResult:
        yield Candidates(self._take, self.marks)
        yield Static(classes="prompt--label", markup=False)
        yield LineInput(at_end=self.action_take)

    def on_mount(self) -> None:
        self.watch(self.line, "selection", self._look, init=False)

    def on_resize(self) -> None:
        self.candidates.fit()

    @property
    def line(self) -> LineInput:
        return self.query_one(LineInput)

    @property
    def candidates(self) -> Candidates:
        return self.query_one(Candidates)

    def ask(
        self,
        purpose: str,
        label: str,
        value: str = "",
        hint: str = "",
        completing: Completing | None = None,
        checking: Checking | None = None,
    ) -> PendingAnswer[str]:
        """Shows the line and takes the focus; the answer is what it holds at Enter.

        Whoever asked before is left.

        `completing` gives what may stand at a cursor, `checking` a sentence on what is wrong with a
        line, or "".
        """
        self.answer.leave()
        self.answer = PendingAnswer()
        self.purpose, self._completing, self._checking = purpose, completing, checking
        self._history.begin(purpose)
        self.query_one(Static).update(
            plain(clip(label, max(self.app.size.width // 2, 8), self.marks))
        )
        self.line.placeholder = clip(hint, self.app.size.width, self.marks)
        self._take_room(True)
        self._put(Line(value, len(value)))
        self._look(afresh=True)
        self.screen.set_focus(self.line)
        return self.answer

    @property
    def asking(self) -> bool:
        return self.has_class("-asking")

    def leave(self) -> None:
        """Hides the line, and ends whoever asked."""
        if self.asking:
            self._hide()
            self.answer.leave()

    def _hide(self) -> None:
        self._take_room(False)
        self.candidates.show(CandidateList())

    def _take_room(self, asking: bool) -> None:
        """The screen hears of it by a class, to make room without moving anything else."""
        self.set_class(asking, "-asking")
        put_class(self.screen, "-asking", on=asking)

    # -- what is in the line -------------------------------------------------------------------

    def _put(self, line: Line) -> None:
        self.line.value, self.line.cursor_position = line

    def _look(self, *_: object, afresh: bool = False) -> None:
        """Finds out what may come and what is wrong, once for every state of the line."""
        now = Line(self.line.value, self.line.cursor_position)
        if self.asking and (afresh or now != self._known):
            self._known = now
            self.candidates.show(offered(now, self._completing), self._fault(now.text))

    def _fault(self, text: str) -> str:
        return self._checking(text) if self._checking else ""

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._look()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter takes a candidate that was chosen; else it answers, unless something is wrong with
        the line.
        """
        event.stop()
        if self.candidates.offer.chosen is not None:
            self.action_take()
        elif fault := self._fault(event.value):
            self.candidates.show(CandidateList(), fault, refused=True)
        else:
            self._history.keep(event.value)
            self._hide()
            self.answer.answer(event.value)

    # -- keys ----------------------------------------------------------------------------------

    def action_take(self) -> None:
        """Puts the candidate into the line: the one chosen, or the likeliest."""
        if candidate := self.candidates.offer.first:
            self._take(candidate)

    def _take(self, candidate: Candidate) -> None:
        self._put(taken(self.line.value, candidate))
        self.line.focus()

    def action_choose(self, by: int) -> None:
        """Chooses among the candidates, or, on an empty line, among what was answered before."""
        recalled = self.line.value == self._history.shown
        if not recalled and (by > 0 or self.line.value):
            if self.candidates.offer.candidates:
                self.candidates.step(by)
            return
        if not recalled:  # an empty line that was something else in between
            self._history.begin(self.purpose)
        answer = self._history.step(-by)
        if answer is not None:
            self._put(Line(answer, len(answer)))

    def action_page(self, by: int) -> None:
        """Chooses a page further on or back among the candidates."""
        if self.candidates.offer.candidates:
            self.candidates.page(by)

    def action_dismiss_prompt(self) -> None:
        """Leaves, whether a candidate was chosen or not."""
        self.leave()


ANSWERS = "y yes, n no"


class Confirm(Static, can_focus=True):
    """A question that y answers with yes, n and Esc with no; no other key does, nor does Enter."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Confirm { height: auto; max-height: 60%; width: 100%; padding: 0 1; display: none; }
    Confirm { background: $boost; text-style: bold; }
    Confirm.-asking { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False, id="confirm.yes"),
        Binding("n,escape", "answer(False)", "no", show=False, id="confirm.no"),
    ]

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._question = plain("")
        self.answer: PendingAnswer[bool] = PendingAnswer()

    @property
    def asking(self) -> bool:
        return self.has_class("-asking")

    def ask(self, question: str) -> PendingAnswer[bool]:
        """Shows the question and takes the focus; the answer is whether it was yes.

        Whoever asked before is left.
        """
        self.answer.leave()
        self.answer = PendingAnswer()
        self._question = plain(question)
        self._draw()
        self.add_class("-asking")
        self.screen.set_focus(self)
        return self.answer

    def on_resize(self) -> None:
        if self.asking:
            self._draw()

    def _draw(self) -> None:
        """The question, and behind it, or on a line of its own, which keys answer."""
        room = max(self.screen.size.width - 2, len(ANSWERS))
        last = self._question.wrap(room)[-1].rstrip()
        between = "  " if last.cell_length + 2 + len(ANSWERS) <= room else "\n"
        self.update(Content.assemble(self._question, between, ANSWERS))

    def action_answer(self, yes: bool) -> None:
        self.remove_class("-asking")
        self.answer.answer(yes)

    def on_click(self, event: Click) -> None:
        event.stop()
        self.focus()
