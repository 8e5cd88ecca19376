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
from textual.events import Resize
from textual.geometry import Size
from textual.widgets import Static

from appellate.app.compare.rows import WORD, answer_text, borne_out, place_text
from appellate.app.compare.screen import ComparingScreen, Surroundings, usual_bindings
from appellate.app.compare.visits import Visit
from appellate.app.keys.borrowed_keys import BorrowedHints, Command
from appellate.core.kind import Grounds, Instruction
from appellate.core.messages import asked as prompt_of
from appellate.core.messages import turns_of
from appellate.core.problem import Refused, many, wording
from appellate.core.trace import name_of
from appellate.session.adjudicating import BOTH, Adjudicating, ContestedCell
from appellate.store.database import NotKept
from appellate.ui.bar import Hint, Part, StatusStrip
from appellate.ui.contract import READS_ONLY, Choice
from appellate.ui.conversation import begin
from appellate.ui.key import Key
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import raised, spelt
from appellate.ui.page import StyledSpan
from appellate.ui.picker import Picker
from appellate.ui.rows import DrawnRows, ListRow, StyledText
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


BINDINGS = [
    *usual_bindings("adjudication"),
    Binding("1", "pick(0)", "1", show=False, id="adjudication.one"),
    Binding("2", "pick(1)", "2", show=False, id="adjudication.two"),
    Binding("0", "unpick", "take back", show=False, id="adjudication.unpick"),
    Binding("e", "own", "make your own", show=False, id="adjudication.own"),
    Binding("space", "turn", "the other", show=False, id="adjudication.turn"),
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
OWN = """\
{adjudication.one:1} {adjudication.two:2}  these labels hold: in the row under the cursor; on the \
first row, all of it
{adjudication.turn:Space}  the other of them holds, where one is picked
{adjudication.unpick:0}  take a pick back
{lines.choose:Enter}  all that can be done, to pick from
{adjudication.own:e}  make your own: open the cell with what is picked in it
{adjudication.scroll:+} {adjudication.scroll_back:-}  scroll the response on, and back
{adjudication.leave:Esc}  back to the bench
"""


def strip(keys: Sequence[Key], *, ruled: bool) -> list[Hint]:
    """What the strip shows of a cell."""
    of_bench = BorrowedHints(keys).of
    hints = [Hint("1", "holds", "adjudication.one", 2), Hint("2", "holds", "adjudication.two", 2)]
    hints += [*of_bench("cell.sign", "rule", 3), Hint("e", "own", "adjudication.own", 4)]
    if ruled:
        hints = of_bench("cell.sign", "go on", 2)
    else:
        hints += of_bench("item.reason", "reason", 7)
    hints += of_bench("unreviewed.next", "next", 5)
    leave = Hint("Esc", "bench", "adjudication.leave", 6)
    return [*hints, Hint("?", "keys", "adjudication.help", 1), leave]


ALL_RULED = (
    "Every contested cell is ruled on. {adjudication.leave:Esc} goes to the bench, "
    "{quit:q} there exports the audit."
)


class AdjudicationScreen(ComparingScreen[int | None]):
    """One contested cell after the other; gives the cell to open on the bench, None for none."""

    NAME = "RULING"
    PAGE = "reviewers"
    OWN = OWN
    SHARED = SHARED
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(
        self, around: Surroundings, adjudicating: Adjudicating, number: int, *, message: str = ""
    ) -> None:
        shared: dict[str, Command] = {
            "cell.sign": self._rule,
            "item.reason": lambda: begin(self._ask_reason()),
            "unreviewed.next": partial(self._walk, 1),
            "unreviewed.previous": partial(self._walk, -1),
            "cell.next": partial(self._step, 1),
            "cell.previous": partial(self._step, -1),
            "cell.proposals": self.action_leave,
        }
        super().__init__(around, shared)
        self._greeting = message
        self._adjudicating = adjudicating
        self.text = TextView(id="response", marks=around.marks)
        self._counts = StatusStrip(marks=around.marks, id="counts")
        self._prompt = Static(id="prompt", markup=False)
        self._across = Container(id="across")
        self._begin_cell(number)

    def _begin_cell(self, number: int) -> None:
        self.here = self._adjudicating.cell(number)
        self._opened = monotonic()
        self._reason = ""  # for the ruling to come

    def compose(self) -> ComposeResult:
        yield self._counts
        yield self._prompt
        with self._across:
            yield self.text
            yield self.lines
        yield self.message
        yield self.strip

    def on_mount(self) -> None:
        self.text.can_focus = False
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Shows the cell once there is room, and what was to be said."""
        self._show(fresh=True)
        self.say(self._greeting)

    def on_resize(self, event: Resize) -> None:
        self._fit(event.size)

    def _fit(self, size: Size) -> None:
        """Lays the parts out for the room there is."""
        beside = size.width >= BESIDE and not self.app.has_class("-plain")
        self.set_class(beside, "-beside")
        self.set_class(size.height < TALL, "-low")
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
        if not 0 < row <= len(self.here.questions):
            return None
        return self.here.questions[row - 1]

    def _show(self, *, fresh: bool = False) -> None:
        """Shows the cell, from its beginning where it is `fresh`."""
        here, marks = self.here, self.around.marks
        trace = here.cell.subject.trace
        rubric = self.around.bench.workspace.rubric
        prompt = prompt_of(turns_of(trace, rubric.question_text(trace)))
        asked = prompt.newest.text if prompt else ""
        update_text(self._prompt, plain(flat(asked)))
        self._prompt.display = bool(asked)
        self.text.empty = "The response is empty."
        self.text.set_rendered(self.around.rendered)
        self.lines.show(ListSection(DrawnRows([None, *here.questions], self._drawn), whole=True))
        if fresh:
            self.lines.go(0, 0)
        title = f"{len(here.questions)} of {many(here.asked, 'question')} answered otherwise"
        because = f"because: {self._reason}" if self._reason else ""
        entitle(self.lines, spelt(title, marks), spelt(because, marks))
        self._fit(self.size)
        self.look()
        self._count()
        self.show_hints(strip(self.around.keys, ruled=not here.cell.hidden))

    def _count(self) -> None:
        """Which cell it is, and how far one is."""
        subject, marks = self.here.cell.subject, self.around.marks
        contested = len(self._adjudicating.numbers)
        ruled = contested - len(self._adjudicating.left)
        done = Part(f"{marks.pending} not ruled yet", "", 2)
        if not self.here.cell.hidden:
            done = Part(f"{marks.reviewed} ruled", "good", 2)
        left = [Part("Two reviewers differ", "strong", 2), Part(subject.trait.name, "", 1)]
        right = [done, Part(f"{ruled} of {contested} ruled", "", 1)]
        self._counts.show([*left, Part(name_of(*subject.trace.key), "", 1)], right)

    def _open(self, number: int) -> None:
        self._begin_cell(number)
        self._show(fresh=True)

    def look(self) -> None:
        """Shows what the row under the cursor rests on in the response."""
        spans = self._spans(self.here)
        self.text.show(self.here.cell.subject.trace.response, spans)
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
            mark = raised("".join(str(side + 1) for side in sides), self.around.marks)
            style = styles[start, end]
            spans.append(StyledSpan(start, end, style, mark, selected=selected is not None))
        return spans

    # -- the rows ---------------------------------------------------------------------------------

    def _drawn(self, question: Instruction | None) -> ListRow:
        here = self.here
        if question is None:
            return self._whole(here)
        left = place_text(here.cell, question)
        answers = [*self._side(here, 0, question), *self._side(here, 1, question)]
        if not here.cell.hidden:
            answers.append(StyledText(here.verdict(question), "key"))
        words = filter(None, (self._words(here, 0, question), self._words(here, 1, question)))
        return ListRow(question.text, left, below=(tuple(answers),), under_cursor=tuple(words))

    def _whole(self, here: ContestedCell) -> ListRow:
        """All of it at once, and what is picked so far."""
        if not here.cell.hidden:
            one, other = self._adjudicating.names(self.here.cell)
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
        marks = self.around.marks
        style = here.grounds(side, question).style
        is_picked = here.picks.get(question) == side
        label = f"{marks.reviewed if is_picked else ' '} {self._called(side)} "
        word = Grounds(here.answer(side, question), style)
        answer = column(answer_text(word, marks), WORD, marks)
        return (
            StyledText(label, "key" if is_picked else "muted"),
            StyledText(f"{answer} ", style or "key"),
        )

    def _called(self, side: int) -> str:
        return clip(self._adjudicating.names(self.here.cell)[side], NAME, self.around.marks)

    def _words(
        self, here: ContestedCell, side: int, question: Instruction
    ) -> tuple[StyledText, ...]:
        """The excerpts that an answer rests on; no judge's reason, which would tell who took it."""
        grounds = here.grounds(side, question)
        label = StyledText(f"{self._called(side)}: ", "muted")
        response = here.cell.subject.trace.response
        words = borne_out(grounds._replace(reason=""), response, self.around.marks)
        return (label, *words) if words else ()

    # -- keys -------------------------------------------------------------------------------------

    def _may_change(self) -> bool:
        """Whether the cell can be ruled on; says why not."""
        if self.around.bench.readonly:
            self.say(READS_ONLY)
        elif not self.here.cell.hidden:
            self.say(
                "The verdict is locked. {adjudication.own:e} opens the cell: "
                "labels may be changed there."
            )
        else:
            return True
        return False

    def action_pick(self, side: int) -> None:
        """These labels hold, in the row under the cursor or in all of it; on to the next row."""
        if not self._may_change():
            return
        question = self.question
        try:
            self.here.pick(side, question)
        except Refused as refusal:
            self.say(wording(refusal))
            return
        row = self.lines.cursor.row
        self._show()
        if question and row < len(self.here.questions):
            self.lines.go(0, row + 1)
        self.look()

    def action_unpick(self) -> None:
        question = self.question
        if question is None:
            self.here.picks.clear()
        else:
            self.here.picks.pop(question, None)
        self._show()

    def action_turn(self) -> None:
        """The other of them holds, in a row where one is picked or in all of it."""
        picked = self.here.whole
        if self.question is not None:
            picked = self.here.picks.get(self.question)
        if picked is None:
            self.say("Nothing is picked here yet to turn: 1 or 2 picks.")
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
        picker = Picker("What to do here", choices, marks=self.around.marks)
        _, chosen = offers[await self.pick(picker)]
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
            self.say(wording(refusal))
            return
        here.cell = change.after
        self._show()
        left = many(len(adjudicating.left), "cell")
        self.say(
            f"Ruled. Held: {adjudicating.upheld(here.cell)}. {{cell.sign:a}} goes on; {left} left."
        )

    async def _ask_reason(self) -> None:
        """Has a reason given that goes with the ruling."""
        if not self.here.cell.hidden:
            self.say(
                "The verdict is locked: "
                "on the bench ({adjudication.leave:Esc}) {item.reason:r} says why."
            )
        elif self._may_change():
            self._reason = await self.pick_reason()
            self._show()

    def _walk(self, by: int) -> None:
        """The next contested cell that is not ruled, the first behind the last."""
        number = self._adjudicating.next(self.here.no, by)
        if number is None:
            self.say(f"{ALL_RULED} {self._adjudicating.tally()}".strip())
        elif number == self.here.no:
            self.say("This is the only cell that is not ruled.")
        else:
            self._open(number)

    def _step(self, by: int) -> None:
        numbers = self._adjudicating.numbers
        at = numbers.index(self.here.no) + by
        if 0 <= at < len(numbers):
            self._open(numbers[at])
        else:
            self.say("There is no further contested cell.")

    def action_own(self) -> None:
        """Opens the cell on the bench, with what is picked in all of it."""
        try:
            if self.here.cell.hidden:
                self._adjudicating.begin_own(self.here)
        except (Refused, NotKept) as refusal:
            self.say(wording(refusal))
            return
        self.dismiss(self.here.no)

    @on(Lines.Chosen, "#rows")
    def _chosen(self) -> None:
        begin(self._offer())

    def action_scroll(self, by: int) -> None:
        self.text.action_roll_page(by)

    def signs(self) -> dict[str, str]:
        return {self.around.marks.reviewed: "picked, or ruled"}


BACK = "On the bench: {cell.proposals:V} goes on ruling where you are."


class AdjudicationVisit(Visit):
    """Opens the contested cell in sight."""

    async def here(self) -> None:
        """Rules from the cell in sight on; comes back to the cell that was looked at last."""
        adjudicating = Adjudicating(self._bench)
        screen = AdjudicationScreen(
            self._around, adjudicating, self._view.no, message=self._dialogs.said
        )
        opened = await self._dialogs.show(screen)
        self._navigation.go(screen.here.no)
        if opened is None:
            self._dialogs.say(BACK)
        elif screen.here.cell.hidden:
            self._dialogs.say(
                "Make it right, then {cell.sign:a} rules on it; "
                "{cell.proposals:V} shows both again."
            )
