"""Ruling on what two reviewers differ in, cell by cell: both label sets are named 1 and 2 until the
verdict is locked.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import Key as KeyPressed
from textual.events import Resize
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.instructions.rows import WORD, answer_text, omission_text
from appellate.app.keys.borrowed_keys import BorrowedHints, BorrowedKeys, Command, OwnKeys, describe
from appellate.app.keys.help import show_help
from appellate.core.kind import Grounds, Instruction
from appellate.core.problem import Refused
from appellate.core.trace import name_of
from appellate.core.turns import asked as prompt_of
from appellate.core.turns import turns_of
from appellate.core.wordforms import many
from appellate.session.adjudicating import BOTH, Adjudicating, ContestedCell
from appellate.store.database import NotKept
from appellate.ui.bar import Hint, KeyStrip, Part, StatusStrip
from appellate.ui.contract import READS_ONLY, Choice
from appellate.ui.conversation import begin
from appellate.ui.key import Key
from appellate.ui.lines import DrawnRows, Lines, ListRow, ListSection
from appellate.ui.marks import Marks, in_quotes, raised, spelt
from appellate.ui.overlay import Overlay
from appellate.ui.page import StyledSpan
from appellate.ui.picker import Picker, reasons_to_pick
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import clip, column, entitle, flat, plain, update_text
from appellate.ui.text_view import TextView

BESIDE = 110
"""The columns from which the rows stand beside the response."""
TALL = 30
NAME = 16  # cells of who a side is, at most
SHARE = 0.5  # of the height that rows below the response take, at most
HELP = (
    "1 or 2 takes all that one of them says; go down to pick row by row; e makes your own."
    " Who 1 and 2 are is shown once you have ruled."
)
EDGES, FEWEST = 2, 6  # lines of a frame, and of all rows with it


class AdjudicationFrame:
    """The widgets; `lines` has the cursor, on the whole of it or on one question."""

    def __init__(self, marks: Marks, *, rendered: bool) -> None:
        self._marks, self._rendered = marks, rendered
        self.lines = Lines(marks=marks, id="rows")
        self.text = TextView(id="response", marks=marks)
        self.keys = KeyStrip(marks=marks, id="keys")
        self._title = StatusStrip(marks=marks, id="counts")
        self._question = Static(id="prompt", markup=False)
        self._message = Static(id="said", markup=False)
        self._across = Container(id="across")
        self._here: ContestedCell | None = None
        self._names = ("1", "2")

    def composed(self) -> ComposeResult:
        yield self._title
        yield self._question
        with self._across:
            yield self.text
            yield self.lines
        yield self._message
        yield self.keys

    def fit(self, screen: Widget, size: Size) -> None:
        """Lays the parts out for the room there is."""
        beside = size.width >= BESIDE and not screen.app.has_class("-plain")
        screen.set_class(beside, "-beside")
        screen.set_class(size.height < TALL, "-low")
        rows = "1fr"
        if not beside:
            most = int(size.height * SHARE)
            rows = f"1fr {max(min(self.lines.height_uncut + EDGES, most), FEWEST)}"
        self._across.styles.grid_rows = rows

    # -- the cell ---------------------------------------------------------------------------------

    @property
    def question(self) -> Instruction | None:
        """The question under the cursor; None on the row of all of it."""
        row = self.lines.cursor.row
        if self._here is None or not 0 < row <= len(self._here.questions):
            return None
        return self._here.questions[row - 1]

    def show(
        self, here: ContestedCell, names: tuple[str, str], asked: str, reason: str, *, fresh: bool
    ) -> None:
        """Shows a cell, from its beginning where it is `fresh`; `asked` is what it answers,
        `reason` goes with the ruling.
        """
        self._here, self._names = here, names
        update_text(self._question, plain(flat(asked)))
        self._question.display = bool(asked)
        self.text.empty = "The response is empty."
        self.text.set_rendered(self._rendered)
        rows = DrawnRows([None, *here.questions], self._drawn)
        self.lines.show(ListSection(rows, whole=True))
        if fresh:
            self.lines.go(0, 0)
        title = f"{len(here.questions)} of {many(here.asked, 'question')} answered otherwise"
        because = f"because: {reason}" if reason else ""
        entitle(self.lines, spelt(title, self._marks), spelt(because, self._marks))
        self.fit(self.lines.screen, self.lines.screen.size)
        self.look()

    def count(self, ruled: int, contested: int) -> None:
        """Which cell it is, and how far one is."""
        if self._here is None:
            return
        subject = self._here.cell.subject
        name = name_of(*subject.trace.key)
        done = Part(f"{self._marks.pending} not ruled yet", "", 2)
        if not self._here.cell.hidden:
            done = Part(f"{self._marks.reviewed} ruled", "good", 2)
        left = [Part("Two reviewers differ", "strong", 2), Part(subject.trait.name, "", 1)]
        right = [done, Part(f"{ruled} of {contested} ruled", "", 1)]
        self._title.show([*left, Part(name, "", 1)], right)

    def look(self) -> None:
        """Shows what the row under the cursor rests on in the response."""
        if self._here is None:
            return
        spans = self._spans(self._here)
        self.text.show(self._here.cell.subject.trace.response, spans)
        if self.question and spans:
            self.text.reveal(spans[0].start, spans[0].end)

    def _spans(self, here: ContestedCell) -> list[StyledSpan]:
        """The evidence of both; where it is the same, with both marks."""
        selected = self.question
        found: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        styles: dict[tuple[int, int], str] = {}
        for question in here.questions if selected is None else [selected]:
            for side in BOTH:
                grounds = here.grounds(side, question)
                for span in grounds.spans:
                    if side not in found[span]:
                        found[span].append(side)
                    styles[span] = grounds.style or "evidence"
        spans = []
        for (start, end), sides in sorted(found.items()):
            mark = raised("".join(str(side + 1) for side in sides), self._marks)
            style = styles[start, end]
            spans.append(StyledSpan(start, end, style, mark, selected=selected is not None))
        return spans

    def say(self, text: str) -> None:
        """A line in the place of the keys, until the next key."""
        update_text(self._message, plain(spelt(text, self._marks)))
        self._message.display = bool(text)
        self.keys.display = not text

    # -- the rows ---------------------------------------------------------------------------------

    def _drawn(self, question: Instruction | None) -> ListRow:
        here = self._here
        if here is None:
            return ListRow("")
        if question is None:
            return self._whole(here)
        spelled = here.cell.subject.kind.spelled
        left: tuple[StyledText, ...] = ()
        if question.of:
            place = f"{spelled.get(question.of, question.of)} {question.number} "
            left = (StyledText(place, "muted"),)
        answers = [*self._side(here, 0, question), *self._side(here, 1, question)]
        if not here.cell.hidden:
            answers.append(StyledText(here.verdict(question), "key"))
        words = filter(None, (self._words(here, 0, question), self._words(here, 1, question)))
        return ListRow(question.text, left, below=(tuple(answers),), under_cursor=tuple(words))

    def _whole(self, here: ContestedCell) -> ListRow:
        """All of it at once, and what is picked so far."""
        if not here.cell.hidden:
            one, other = self._names
            return ListRow(f"1 was {one}, 2 was {other}", style="key")
        picked = len(here.picks)
        text = "nothing picked yet"
        if here.whole is not None:
            text = f"{here.whole + 1} picked in all of it: a rules"
        elif here.is_picked:
            text = "picked in every row: a rules"
        elif picked:
            text = f"{picked} of {len(here.questions)} picked"
        right, help_text = StyledText(f" {text}", "muted"), StyledText(HELP, "muted")
        return ListRow("All of it", right=(right,), style="key", under_cursor=((help_text,),))

    def _side(
        self, here: ContestedCell, side: int, question: Instruction
    ) -> tuple[StyledText, ...]:
        """How a side answers: both stand on one line, so that no cut parts them."""
        marks = self._marks
        style = here.grounds(side, question).style
        is_picked = here.picks.get(question) == side
        label = f"{marks.reviewed if is_picked else ' '} {self._name(side)} "
        word = Grounds(here.answer(side, question), style)
        answer = column(answer_text(word, marks), WORD, marks)
        return (
            StyledText(label, "key" if is_picked else "muted"),
            StyledText(f"{answer} ", style or "key"),
        )

    def _name(self, side: int) -> str:
        return clip(self._names[side], NAME, self._marks)

    def _words(
        self, here: ContestedCell, side: int, question: Instruction
    ) -> tuple[StyledText, ...]:
        """The excerpts that an answer rests on; no judge's reason, which would tell who took it."""
        grounds = here.grounds(side, question)
        label = StyledText(f"{self._name(side)}: ", "muted")
        if grounds.spans:
            response = here.cell.subject.trace.response
            words = [flat(response[start:end]) for start, end in grounds.spans]
            return (label, StyledText(f" {self._marks.dot} ".join(words), grounds.style))
        if grounds.loose:
            loose = in_quotes(flat(grounds.loose[0]), self._marks)
            styled_text = StyledText("not in the response: ", "flag")
            return (label, styled_text, StyledText(loose, grounds.style))
        if grounds.omission:
            return (label, *omission_text(grounds._replace(reason=""), self._marks))
        return ()


BINDINGS = [
    Binding("escape,q", "leave", "back", show=False, id="adjudication.leave"),
    Binding("1", "pick(0)", "1", show=False, id="adjudication.one"),
    Binding("2", "pick(1)", "2", show=False, id="adjudication.two"),
    Binding("0", "unpick", "take back", show=False, id="adjudication.unpick"),
    Binding("e", "own", "make your own", show=False, id="adjudication.own"),
    Binding("space", "turn", "the other", show=False, id="adjudication.turn"),
    Binding("plus", "scroll(1)", "scroll", show=False, id="adjudication.scroll"),
    Binding("minus", "scroll(-1)", "scroll back", show=False, id="adjudication.scroll_back"),
    Binding("question_mark,f1", "help", "keys", show=False, id="adjudication.help"),
]
SHARED = {
    "cell.sign": "rule: lock what is picked; on a ruled cell, go on",
    "item.reason": "say why, before you rule",
    "unreviewed.next": "the next contested cell that is not ruled",
    "unreviewed.previous": "the one before",
    "cell.next": "the next contested cell, ruled or not",
    "cell.previous": "the one before, ruled or not",
    "cell.proposals": "back to the bench",
}
OWN = (
    ("1 2", "these labels hold: in the row under the cursor, or, on the first row, in all of it"),
    ("Space", "the other of them holds, where one is picked"),
    ("0", "take a pick back"),
    ("Enter", "all that can be done, to pick from"),
    ("e", "make your own: open the cell with what is picked in it; a there rules"),
    ("+ -", "scroll the response on, and back"),
    ("Esc", "back to the bench"),
)


def strip(keys: Sequence[Key], *, ruled: bool) -> list[Hint]:
    """What the strip shows of a cell; a hint's action is the key itself."""
    of_bench = BorrowedHints(keys).of
    hints = [Hint("1", "holds", "1", 2), Hint("2", "holds", "2", 2)]
    hints += [*of_bench("cell.sign", "rule", 3), Hint("e", "own", "e", 4)]
    if ruled:
        hints = of_bench("cell.sign", "go on", 2)
    else:
        hints += of_bench("item.reason", "reason", 7)
    hints += of_bench("unreviewed.next", "next", 5)
    return [*hints, Hint("?", "keys", "question_mark", 1), Hint("Esc", "bench", "escape", 6)]


ALL_RULED = "Every contested cell is ruled on. Esc goes to the bench, q there exports the audit."


class AdjudicationScreen(Overlay[int | None]):
    """One contested cell after the other; gives the cell to open on the bench, None for none."""

    AUTO_FOCUS = "#rows"
    DEFAULT_CSS = """
    AdjudicationScreen {
        background: $background;
        #counts { background: $panel; }
        #prompt {
            height: auto; max-height: 2; padding: 0 1; color: $text-muted;
            text-overflow: ellipsis;
        }
        #across { height: 1fr; layout: grid; grid-size: 1 2; }
        #response, #rows {
            border: round $border-blurred; border-title-color: $muted; height: 100%;
        }
        #response { padding: 0 0 0 1; }
        #rows { padding: 0 1; }
        #rows:focus { border: round $primary; border-title-color: $text; }
        #said { height: auto; max-height: 4; padding: 0 1; background: $boost; display: none; }
        &.-low #prompt { max-height: 1; text-wrap: nowrap; }
        &.-beside #across { grid-size: 2 1; grid-columns: 1fr 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(
        self,
        adjudicating: Adjudicating,
        number: int,
        keys: Sequence[Key],
        reasons: Sequence[str],
        marks: Marks,
        *,
        rendered: bool,
        message: str = "",
    ) -> None:
        super().__init__()
        self._message = message
        self._adjudicating, self._keys, self._reasons = adjudicating, keys, reasons
        self._marks = marks
        self._frame = AdjudicationFrame(marks, rendered=rendered)
        self.here: ContestedCell = adjudicating.cell(number)
        self._opened = monotonic()
        self._reason = ""  # for the ruling to come
        shared: dict[str, Command] = {
            "cell.sign": self._rule,
            "item.reason": lambda: begin(self._ask_reason()),
            "unreviewed.next": partial(self._walk, 1),
            "unreviewed.previous": partial(self._walk, -1),
            "cell.next": partial(self._step, 1),
            "cell.previous": partial(self._step, -1),
            "cell.proposals": self.action_leave,
        }
        self._borrowed_keys = BorrowedKeys(keys, {}, lambda _: None, shared)

    def compose(self) -> ComposeResult:
        yield from self._frame.composed()

    def on_mount(self) -> None:
        self._frame.text.can_focus = False
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Shows the cell once there is room, and what was to be said."""
        self._show(fresh=True)
        self._frame.say(self._message)

    def on_resize(self, event: Resize) -> None:
        self._frame.fit(self, event.size)

    # -- looking ----------------------------------------------------------------------------------

    def _show(self, *, fresh: bool = False) -> None:
        adjudicating, here = self._adjudicating, self.here
        rubric, trace = adjudicating.bench.workspace.rubric, here.cell.subject.trace
        prompt = prompt_of(turns_of(trace, rubric.question_text(trace)))
        asked = prompt.newest.text if prompt else ""
        names = adjudicating.names(here.cell)
        self._frame.show(here, names, asked, self._reason, fresh=fresh)
        contested = len(adjudicating.numbers)
        self._frame.count(contested - len(adjudicating.left), contested)
        self._tell_keys()

    def _open(self, number: int) -> None:
        self.here = self._adjudicating.cell(number)
        self._opened = monotonic()
        self._reason = ""
        self._show(fresh=True)

    @on(Lines.Highlighted, "#rows")
    def _moved(self) -> None:
        self._frame.look()

    @on(Lines.Chosen, "#rows")
    def _chosen(self) -> None:
        begin(self._offer())

    def _tell_keys(self) -> None:
        hints = strip(self._keys, ruled=not self.here.cell.hidden)
        self._frame.keys.show(OwnKeys(self, BINDINGS).hints(hints), "RULING")

    # -- keys -------------------------------------------------------------------------------------

    def on_key(self, event: KeyPressed) -> None:
        self._frame.say("")
        self._borrowed_keys.press(event)

    def _may_change(self) -> bool:
        """Whether the cell can be ruled on; says why not."""
        if self._adjudicating.bench.readonly:
            self._frame.say(READS_ONLY)
        elif not self.here.cell.hidden:
            self._frame.say("The verdict is locked. e opens the cell: labels may be changed there.")
        else:
            return True
        return False

    def action_pick(self, side: int) -> None:
        """These labels hold, in the row under the cursor or in all of it; on to the next row."""
        if not self._may_change():
            return
        question = self._frame.question
        try:
            self.here.pick(side, question)
        except Refused as refusal:
            self._frame.say(str(refusal))
            return
        row = self._frame.lines.cursor.row
        self._show()
        if question and row < len(self.here.questions):
            self._frame.lines.go(0, row + 1)
        self._frame.look()

    def action_unpick(self) -> None:
        question = self._frame.question
        if question is None:
            self.here.picks.clear()
        else:
            self.here.picks.pop(question, None)
        self._show()

    def action_turn(self) -> None:
        """The other of them holds, in a row where one is picked or in all of it."""
        picked = self.here.whole
        if self._frame.question is not None:
            picked = self.here.picks.get(self._frame.question)
        if picked is None:
            self._frame.say("Nothing is picked here yet to turn: 1 or 2 picks.")
        else:
            self.action_pick(1 - picked)

    async def _offer(self) -> None:
        """Has one of the things picked that can be done here."""
        offers: dict[str, tuple[str, Callable[[], object]]] = {
            "1": ("the labels of 1 hold", partial(self.action_pick, 0)),
            "2": ("the labels of 2 hold", partial(self.action_pick, 1)),
            "0": ("take the pick back", self.action_unpick),
            "r": ("say why", lambda: begin(self._ask_reason())),
            "a": ("rule: lock what is picked", self._rule),
            "e": ("make your own", self.action_own),
        }
        choices = [Choice(key, key, text) for key, (text, _) in offers.items()]
        picker = Picker("What to do here", choices, marks=self._marks)
        self.app.push_screen(picker)
        _, chosen = offers[await picker.picked]
        chosen()

    def _rule(self) -> None:
        """Locks what is picked, and tells whose labels held."""
        here, adjudicating = self.here, self._adjudicating
        if not here.cell.hidden:
            self._walk(1)
            return
        if not self._may_change():
            return
        seconds = monotonic() - self._opened
        try:
            here.check()
            change = adjudicating.rule(here, self._reason, seconds)
        except (Refused, NotKept) as refusal:
            self._frame.say(str(refusal))
            return
        here.cell = change.after
        self._show()
        left = many(len(adjudicating.left), "cell")
        self._frame.say(f"Ruled. Held: {adjudicating.upheld(here.cell)}. a goes on; {left} left.")

    async def _ask_reason(self) -> None:
        """Has a reason given that goes with the ruling."""
        if not self.here.cell.hidden:
            self._frame.say("The verdict is locked: on the bench (Esc) r says why.")
        elif self._may_change():
            picker = reasons_to_pick(self._reasons, self._marks)
            self.app.push_screen(picker)
            self._reason = await picker.picked
            self._show()

    def _walk(self, by: int) -> None:
        """The next contested cell that is not ruled, the first behind the last."""
        number = self._adjudicating.next(self.here.no, by)
        if number is None:
            self._frame.say(f"{ALL_RULED} {self._adjudicating.tally()}".strip())
        elif number == self.here.no:
            self._frame.say("This is the only cell that is not ruled.")
        else:
            self._open(number)

    def _step(self, by: int) -> None:
        numbers = self._adjudicating.numbers
        at = numbers.index(self.here.no) + by
        if 0 <= at < len(numbers):
            self._open(numbers[at])
        else:
            self._frame.say("There is no further contested cell.")

    def action_own(self) -> None:
        """Opens the cell on the bench, with what is picked in all of it."""
        try:
            if self.here.cell.hidden:
                self._adjudicating.begin_own(self.here)
        except (Refused, NotKept) as refusal:
            self._frame.say(str(refusal))
            return
        self.dismiss(self.here.no)

    def action_scroll(self, by: int) -> None:
        self._frame.text.action_roll_page(by)

    def action_help(self) -> None:
        keys = describe(self._keys, {}, OwnKeys(self, BINDINGS).describe(OWN), SHARED)
        signs = {self._marks.reviewed: "picked, or ruled"}
        show_help(self, self._frame.keys.names, keys, "reviewers", self._marks, signs)

    def action_leave(self) -> None:
        self.dismiss(None)
