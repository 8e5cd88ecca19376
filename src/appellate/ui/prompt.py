"""Questions on one line above the keys: for a text, with candidates above the line, or
yes or no.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, Protocol

from msgspec import Struct, field
from rich.highlighter import Highlighter
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, Paste
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import Input, Static

from appellate.ui.conversation import PendingAnswer
from appellate.ui.lines import Lines
from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.own_keys import in_own_keys
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import cell_width, clip, column, flat, inert, plain
from appellate.ui.textual_compat import put_class

_ON_ONE_LINE = str.maketrans("\n\t", "␤ ")


class InertText(Highlighter):
    """A highlighter that draws a line without control characters, code point for code point."""

    def __call__(self, text: str | Text) -> Text:
        inert_text = inert(str(text)).translate(_ON_ONE_LINE)
        return Text(inert_text, no_wrap=True, overflow="ignore", end="")

    def highlight(self, text: Text) -> None:
        """Do nothing: colours are not needed."""


class LineInput(Input):
    """An input whose text may come from a file: it is drawn inert, and kept as it is.

    `at_end` is called for → at the end of the line.
    """

    DEFAULT_CSS = """
    LineInput { width: 1fr; }
    """

    def __init__(
        self,
        hint: str = "",
        *,
        at_end: Callable[[], None] | None = None,
    ) -> None:
        """Make an empty line; `hint` is shown while it is empty.

        `at_end` is called when the cursor is moved right at the end of the line.
        """
        super().__init__(
            placeholder=hint,
            select_on_focus=False,
            compact=True,
            highlighter=InertText(),
        )
        self.cursor_blink = False
        self._at_end = at_end

    def action_cursor_right(self, select: bool = False) -> None:
        """Move the cursor right; at the end of the line call `at_end` instead, if there is one.

        With `select` the selection is extended, and `at_end` is not called.
        """
        is_at_end = self.cursor_position >= len(self.value)
        if self._at_end and is_at_end and not select:
            self._at_end()
        else:
            super().action_cursor_right(select)

    def on_paste(self, event: Paste) -> None:
        """Insert a paste, its lines joined by spaces, at the cursor or instead of what is selected.

        Textual, which gets the event no more, would insert only the first line.
        """
        event.prevent_default()
        event.stop()
        start, end = sorted(self.selection)
        on_one_line = " ".join(event.text.splitlines())
        self.replace(on_one_line, start, end)

    def on_resize(self) -> None:
        """Scroll to the cursor, which was not possible while the line was hidden."""
        before_cursor = self.value[: self.cursor_position]
        cursor_column = cell_width(inert(before_cursor))
        cursor_region = Region(cursor_column, 0, 1, 1)
        self.scroll_to_region(cursor_region, force=True, animate=False)


# -- what may come next ----------------------------------------------------------------------------


MOST = 6
"""Candidates that are visible at a time."""
LONGEST_FAULT = 4
"""Lines of a fault that are shown at most."""
LONGEST_TEXT = 30
"""Columns of a candidate's text at most."""
KEPT = 50
"""Answers that the history keeps for each purpose."""
KEYS = (
    "{prompt.take:Tab} completes · {prompt.up:↑} {prompt.down:↓} choose · Enter answers · "
    "{prompt.leave:Esc} leaves · {prompt.page_up:PgUp} {prompt.page_down:PgDn} a page"
)
"""What is said about the keys while there are candidates."""


class Candidate(Protocol):
    """A text that may replace what is between `start` and `end` of the line, and what it means."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def meaning(self) -> str: ...


Completing = Callable[[str, int], Sequence[Candidate]]
"""Returns the candidates for a line and a position of the cursor."""
Checking = Callable[[str], str]
"""Returns what is wrong with a line, in a sentence, or ""."""


class Line(NamedTuple):
    """The text of a line, and the position of its cursor."""

    text: str
    cursor: int


def with_candidate(line: str, candidate: Candidate) -> Line:
    """Return the line with a candidate instead of what it replaces, and the cursor after it."""
    before = line[: candidate.start]
    after = line[candidate.end :]
    text = f"{before}{candidate.text}{after}"
    cursor = candidate.start + len(candidate.text)
    return Line(text, cursor)


def candidates_at(line: Line, completing: Completing | None) -> list[Candidate]:
    """Return the candidates at the cursor of a line, in their order.

    Those that would change nothing are left out. There are none if `completing` is None.
    """
    if completing is None:
        return []
    candidates = completing(line.text, line.cursor)
    return [
        candidate
        for candidate in candidates
        if with_candidate(line.text, candidate).text != line.text
    ]


class History(Struct):
    """What was answered before during this run, by purpose; for the purpose "" nothing is kept."""

    purpose: str = ""
    _answers: dict[str, list[str]] = field(default_factory=dict)
    _back: int = 0
    """How many answers the person has gone back; 0 for none."""

    def begin(self, purpose: str) -> None:
        """Set the purpose whose answers are gone through; the next step is to its latest one."""
        self.purpose = purpose
        self._back = 0

    @property
    def shown(self) -> str | None:
        """The answer gone back to; None if the person has not gone back."""
        if not self._back:
            return None
        return self._answers[self.purpose][-self._back]

    def keep(self, answer: str) -> None:
        """Keep an answer as the latest one for the purpose; an equal earlier one is dropped.

        Blank answers are not kept, and none is for the purpose "". Only the latest `KEPT` stay.
        """
        if not self.purpose or not answer.strip():
            return
        answers = self._answers.setdefault(self.purpose, [])
        if answer in answers:
            answers.remove(answer)
        answers.append(answer)
        del answers[:-KEPT]

    def step(self, by: int) -> str | None:
        """Go `by` answers further back, or for a negative `by` to later ones; return that one.

        After the latest comes "". Returns None, and stays, if there is no such answer.
        """
        back = self._back + by
        answers = self._answers.get(self.purpose, ())
        if not 0 <= back <= len(answers):
            return None
        self._back = back
        return self.shown or ""


class CandidateLines(Lines, can_focus=False):
    """The list of candidates; it takes no focus, which stays in the line below it."""


class Candidates(Vertical):
    """The candidates above the line, of which six are visible at a time, or what is wrong with the
    line.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Candidates {
        overlay: screen; display: none; background: $panel;
        & > Static { height: auto; max-height: 4; padding: 0 1; color: $state-failed; }
        & > .candidates--keys { height: 1; color: $muted; }
        &.-offering > .candidates--fault { color: $muted; }
        &.-refused > .candidates--fault { color: $state-failed; text-style: bold reverse; }
    }
    """

    def __init__(
        self,
        take: Callable[[Candidate], None],
        marks: Marks = UNICODE,
    ) -> None:
        """Make a list without candidates; `take` is called with one that is double-clicked."""
        super().__init__()
        self.marks = marks
        self._take = take
        self.offered: Sequence[Candidate] = ()
        self.chosen: int | None = None
        """The index of the candidate that the person chose; None for none."""
        self.fault = ""
        self.refused = False
        self.lines = CandidateLines(marks=marks)
        self._fault = Static(classes="candidates--fault", markup=False)
        self._keys = Static(classes="candidates--keys", markup=False)

    def compose(self) -> ComposeResult:
        """Yield the list, the line for a fault, and the line about keys, as the person has them."""
        keys = in_own_keys(KEYS, self.app)
        self._keys.update(plain(spelt(keys, self.marks)))
        yield from (self.lines, self._fault, self._keys)

    @property
    def first(self) -> Candidate | None:
        """The candidate that Tab takes: the chosen one, or the first; None if there is none."""
        if not self.offered:
            return None
        return self.offered[self.chosen or 0]

    def show(
        self,
        offered: Sequence[Candidate],
        fault: str = "",
        *,
        refused: bool = False,
    ) -> None:
        """Show candidates and a fault instead of the present ones; none is chosen then.

        Without either, nothing is visible. `refused` is whether the fault kept the line from being
        an answer; it is drawn more strongly then.
        """
        self.fault = fault
        self.refused = refused
        self.set_class(bool(offered), "-offering")
        self.set_class(refused, "-refused")
        if offered != self.offered:
            self.offered = offered
            widest = max(
                (cell_width(flat(candidate.text)) for candidate in offered),
                default=1,
            )
            width = min(widest, LONGEST_TEXT)

            def drawn(candidate: Candidate) -> ListRow:
                """Return a candidate as a row: its text in bold, then its meaning.

                The text is padded or cut to one width.
                """
                text = column(candidate.text, width, self.marks)
                left = (StyledText(f"{text} ", "key"),)
                return ListRow(flat(candidate.meaning), left)

            self.lines.show_rows(DrawnRows(offered, drawn))
        self._choose(None)
        self.fit()

    def _choose(self, chosen: int | None) -> None:
        """Put the cursor on the candidate with an index, from 0, or hide it for None."""
        self.chosen = chosen
        self.lines.points = chosen is not None
        self.lines.go(0, chosen)

    def step(self, by: int) -> None:
        """Choose the candidate `by` further on, in a circle.

        Between the last and the first none is chosen.
        """
        choices: list[int | None] = [None]
        choices += range(len(self.offered))
        position = choices.index(self.chosen) + by
        position %= len(choices)
        self._choose(choices[position])

    def page(self, by: int) -> None:
        """Choose the candidate a page further on, or a page back if `by` is -1 instead of 1.

        It stops at the first and at the last. If none is chosen yet, the first is chosen instead,
        or the last if `by` is -1.
        """
        if self.chosen is None:
            self.step(by)
        else:
            self.lines.action_page(by)
            self._choose(self.lines.cursor.row)

    def fit(self) -> None:
        """Make the list as high as it needs, and draw it above the line, over the screen.

        It is as wide as the screen. At most `MOST` candidates and `LONGEST_FAULT` lines of the
        fault are visible; what is more of the fault is cut. The line about keys is there only with
        candidates. Without candidates and fault it is hidden.
        """
        width = self.app.size.width
        fault_lines: list[str] = []
        if self.fault:
            text_width = max(width - 2, 1)
            wrapped = plain(self.fault).wrap(text_width)
            for line in wrapped[:LONGEST_FAULT]:
                fault_lines.append(line.plain.rstrip())
        self._fault.update(plain("\n".join(fault_lines)))
        self._fault.display = bool(fault_lines)

        rows = min(len(self.offered), MOST)
        self._keys.display = bool(rows)
        self.lines.display = bool(rows)
        self.lines.styles.height = rows

        key_lines = 1 if rows else 0
        height = rows + key_lines + len(fault_lines)
        self.display = bool(height)
        self.styles.width = width
        self.styles.height = height
        self.styles.offset = (0, -height)

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """Choose the candidate that was clicked; the line keeps the focus and its text."""
        event.stop()
        self._choose(event.index)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """Put the candidate that was double-clicked into the line, which is no answer yet.

        It replaces only the part of the line that it completes.
        """
        event.stop()
        self._take(self.offered[event.index])


# -- the line --------------------------------------------------------------------------------------


class LinePrompt(Widget):
    """A label and a line to type in. Its owner gives the focus back after the answer."""

    DEFAULT_CSS = """
    LinePrompt { layout: horizontal; height: 1; width: 100%; background: $boost; display: none; }
    LinePrompt.-asking { display: block; }
    LinePrompt > .prompt--label { width: auto; height: 1; padding: 0 1; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss_prompt", "leave", id="prompt.leave"),
        Binding("tab", "take", "take the candidate", id="prompt.take"),
        Binding(
            "up,shift+tab",
            "choose(-1)",
            "candidate above; on an empty line what was typed before",
            id="prompt.up",
        ),
        Binding("down", "choose(1)", "candidate below", id="prompt.down"),
        Binding("pageup", "page(-1)", "page up", id="prompt.page_up"),
        Binding("pagedown", "page(1)", "page down", id="prompt.page_down"),
    ]

    def __init__(self, *, marks: Marks = UNICODE) -> None:
        """Make a prompt that is hidden, as no question is open."""
        super().__init__()
        self.marks = marks
        self.purpose = ""
        self.answer: PendingAnswer[str] = PendingAnswer()
        self._completing: Completing | None = None
        self._checking: Checking | None = None
        self._takes_faulty = False
        self._history = History()
        self._known = Line("", -1)
        """The state of the line for which candidates were asked last."""
        self.asking = False

    def compose(self) -> ComposeResult:
        """Make and yield the candidates, the label and the line.

        That takes some time: a prompt is made before the first paint.
        """
        self.candidates = Candidates(self._take, self.marks)
        self._label = Static(classes="prompt--label", markup=False)
        self.line = LineInput(at_end=self.action_take)
        yield from (self.candidates, self._label, self.line)

    def on_mount(self) -> None:
        self.watch(self.line, "selection", self._update_candidates, init=False)

    def on_resize(self) -> None:
        self.candidates.fit()

    def ask(
        self,
        purpose: str,
        label: str,
        value: str = "",
        hint: str = "",
        completing: Completing | None = None,
        checking: Checking | None = None,
        *,
        takes_faulty: bool = False,
    ) -> PendingAnswer[str]:
        """Show the line, take the focus, and return the pending answer: what is typed at Enter.

        If the person leaves with Esc, `Left` is raised in the coroutine that awaits the answer. A
        question that is still open is left first, with `Left` in the coroutine that asked it.

        - `purpose`: earlier answers for the same purpose can be chosen; "" keeps none.
        - `label`: the question, which stands before the line, cut at half of the screen.
        - `value`: what is in the line at first.
        - `hint`: shown while the line is empty.
        - `completing`: returns the candidates at a cursor.
        - `checking`: returns what is wrong with a line, or "".
        - `takes_faulty`: whether Enter answers with a wrong line, too. A search does so: that a
          word is not there is its answer.
        """
        self.answer.leave()
        self.answer = PendingAnswer()
        self.purpose = purpose
        self._completing = completing
        self._checking = checking
        self._takes_faulty = takes_faulty
        self._history.begin(purpose)
        screen_width = self.app.size.width
        label_width = max(screen_width // 2, 8)
        label_text = clip(label, label_width, self.marks)
        self._label.update(plain(label_text))
        hint_text = spelt(hint, self.marks)
        self.line.placeholder = clip(hint_text, screen_width, self.marks)
        self._set_asking(True)
        self._put_line(Line(value, len(value)))
        self._update_candidates(afresh=True)
        self.screen.set_focus(self.line)
        return self.answer

    def leave(self) -> None:
        """Hide the line, and leave the question: `Left` is raised in the coroutine that asked it.

        Does nothing if no question is open.
        """
        if self.asking:
            self._hide()
            self.answer.leave()

    def _hide(self) -> None:
        self._set_asking(False)
        self.candidates.show(())

    def _set_asking(self, asking: bool) -> None:
        """Show the line if `asking`, else hide it, and remember whether a question is open.

        The screen gets a class, so that it can make room without moving the rest.
        """
        self.asking = asking
        self.set_class(asking, "-asking")
        put_class(self.screen, "-asking", on=asking)

    # -- what is in the line -------------------------------------------------------------------

    def _put_line(self, line: Line) -> None:
        """Put a text into the line in place of what it holds, and set its cursor."""
        self.line.value = line.text
        self.line.cursor_position = line.cursor

    def _update_candidates(self, *_: object, afresh: bool = False) -> None:
        """Ask for candidates and the fault of the line, and show them, once for every state.

        A state is the line's text and the place of its cursor. `afresh` asks again for the latest
        one. Does nothing while no question is open.
        """
        current = Line(self.line.value, self.line.cursor_position)
        if self.asking and (afresh or current != self._known):
            self._known = current
            self.candidates.show(
                candidates_at(current, self._completing),
                self._fault(current.text),
            )

    def _fault(self, text: str) -> str:
        """Return what is wrong with a text, or ""."""
        return self._checking(text) if self._checking else ""

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._update_candidates()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the chosen candidate at Enter, if one is chosen; else answer with the line.

        Taking one only puts it into the line. A line that is wrong is no answer, unless
        `takes_faulty`: its fault is shown instead of the candidates. An answer is kept in the
        history, the line is hidden, and the coroutine that asked continues within this call.
        """
        event.stop()
        if self.candidates.chosen is not None:
            self.action_take()
        elif not self._takes_faulty and (fault := self._fault(event.value)):
            self.candidates.show((), fault, refused=True)
        else:
            self._history.keep(event.value)
            self._hide()
            self.answer.answer(event.value)

    # -- keys ----------------------------------------------------------------------------------

    def action_take(self) -> None:
        """Put the chosen candidate, or else the first one, into the line; that is no answer yet.

        It replaces only the part of the line that it completes, and the line gets the focus.
        Without any candidate nothing happens.
        """
        if candidate := self.candidates.first:
            self._take(candidate)

    def _take(self, candidate: Candidate) -> None:
        """Put a candidate into the line, instead of the words that it completes.

        The line gets the focus, with the cursor after the candidate. That is no answer yet.
        """
        self._put_line(with_candidate(self.line.value, candidate))
        self.line.focus()

    def action_choose(self, by: int) -> None:
        """Choose the candidate `by` further on, or on an empty line go to an earlier answer.

        Only upwards (`by` < 0) an empty line goes to earlier answers, which replace it, unless a
        candidate is chosen. While an earlier answer is in the line unchanged, both directions go
        through them. Without candidates, or without an earlier answer in that direction, nothing
        happens.
        """
        recalled = self.line.value == self._history.shown
        is_choosing = self.candidates.chosen is not None
        if not recalled and (by > 0 or self.line.value or is_choosing):
            if self.candidates.offered:
                self.candidates.step(by)
            return

        if not recalled:  # the line was changed and emptied since
            self._history.begin(self.purpose)
        answer = self._history.step(-by)
        if answer is not None:
            self._put_line(Line(answer, len(answer)))

    def action_page(self, by: int) -> None:
        if self.candidates.offered:
            self.candidates.page(by)

    def action_dismiss_prompt(self) -> None:
        self.leave()


ANSWERS = "{confirm.yes:y} yes, {confirm.no:n} no"


class Confirm(Static, can_focus=True):
    """A question that is answered with y or n, or with the person's own keys for yes and no.

    Esc answers no. No other key answers, and Enter does not either.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Confirm { height: auto; max-height: 60%; width: 100%; padding: 0 1; display: none; }
    Confirm { background: $boost; text-style: bold; }
    Confirm.-asking { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", id="confirm.yes"),
        Binding("n,escape", "answer(False)", "no", id="confirm.no"),
    ]

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._question = plain("")
        self.answer: PendingAnswer[bool] = PendingAnswer()
        self.asking = False

    def ask(self, question: str) -> PendingAnswer[bool]:
        """Show the question, take the focus, and return the pending answer: whether it was yes.

        The keys for yes and no answer, and Esc is no; Enter does not answer. A question that is
        still open is left first: `Left` is raised in the coroutine that asked it.
        """
        self.answer.leave()
        self.answer = PendingAnswer()
        self._question = plain(question)
        self._draw()
        self.asking = True
        self.add_class("-asking")
        self.screen.set_focus(self)
        return self.answer

    def on_resize(self) -> None:
        if self.asking:
            self._draw()

    def _draw(self) -> None:
        """Draw the question and the keys that answer it, these on a new line if need be."""
        answers = in_own_keys(ANSWERS, self.app)
        answers_width = len(answers)
        width = max(self.screen.size.width - 2, answers_width)
        lines = self._question.wrap(width)
        last_line = lines[-1].rstrip()
        between = "  "
        width_on_one_line = last_line.cell_length + len(between) + answers_width
        if width_on_one_line > width:
            between = "\n"
        content = Content.assemble(self._question, between, answers)
        self.update(content)

    def action_answer(self, yes: bool) -> None:
        """Hide the question and answer it with `yes`; the coroutine that asked continues then."""
        self.asking = False
        self.remove_class("-asking")
        self.answer.answer(yes)

    def on_click(self, event: Click) -> None:
        event.stop()
        self.focus()
