"""Ruling on what two reviewers differ in, cell by cell: both label sets are named 1 and 2 until the
verdict is locked.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType
from textual.geometry import Size
from textual.widget import Widget

from appellate.app.compare.screen import (
    ComparingScreen,
    answer_column,
    borne_out,
    own_keys,
    place_text,
    prompt_in,
)
from appellate.core.kind import Grounds, Instruction
from appellate.core.problem import Refused, many
from appellate.core.trace import name_of
from appellate.session.adjudicating import BOTH, Adjudicating
from appellate.ui.bar import Part
from appellate.ui.contract import READS_ONLY, Choice
from appellate.ui.conversation import begin
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import raised, spelt
from appellate.ui.own_keys import in_own_keys
from appellate.ui.page import StyledSpan
from appellate.ui.picker import Picker
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import clip, entitle, flat, plain, update_text
from appellate.ui.text_view import TextView

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

NAME = 16  # cells of who a side is, at most
SHARE = 0.5  # of the height that rows below the response take, at most
EDGES, FEWEST = 2, 6  # lines of a frame, and of all rows with it
HELP = (
    "{adjudication.one:1} or {adjudication.two:2} takes all that one of them says; go down to pick"
    " row by row; {adjudication.own:e} makes your own."
    " Who 1 and 2 are is shown once you have ruled."
)
LOCKED = "The verdict is locked. {adjudication.own:e} opens the cell: labels may be changed there."
ALL_RULED = (
    "Every contested cell is ruled on. {adjudication.leave:Esc} goes to the bench, "
    "{quit:q} there exports the audit."
)


class AdjudicationScreen(ComparingScreen[int | None]):
    """One contested cell after the other; gives the cell to open on the bench, None for none."""

    NAME = "RULING"
    PAGE = "reviewers"
    WIDE = 110
    OWN = own_keys(
        "adjudication",
        """\
one  1  1  pick(0)  these labels hold: in the row under the cursor; on the first row, all of it
two  2  2  pick(1)  "
turn  space  Space  turn  the other of them holds, where one is picked
unpick  0  0  unpick  take a pick back
lines.choose  enter  Enter  -  all that can be done, to pick from
own  e  e  own  make your own: open the cell with what is picked in it
scroll  plus  +  scroll(1)  scroll the response on
scroll_back  minus  -  scroll(-1)  ", and back
leave  escape,q  Esc  leave  back to the bench""",
    )
    BINDINGS: ClassVar[list[BindingType]] = [*OWN.bindings]
    SHARED = """\
cell.sign  rule  rule: lock what is picked; on a ruled cell, go on
item.reason  reason  say why, before you rule
unreviewed.next  walk(1)  the next contested cell that is not ruled
unreviewed.previous  walk(-1)  the one before
cell.next  step(1)  the next contested cell, ruled or not
cell.previous  step(-1)  the one before, ruled or not
cell.proposals  leave  back to the bench"""
    STRIP = """\
2  one  holds
2  two  holds
3  cell.sign  rule
4  own  own
7  item.reason  reason
5  unreviewed.next  next
1  help  keys
6  leave  bench"""
    RULED = """\
2  cell.sign  go on
5  unreviewed.next  next
1  help  keys
6  leave  bench"""

    def __init__(self, at: "Workplace") -> None:
        super().__init__(at)
        self._greeting = at.dialogs.said
        self._adjudicating = Adjudicating(at.bench)
        self.text = TextView(id="response", marks=at.marks)
        self.texts = (self.text,)
        self._begin_cell(at.view.no)

    def _begin_cell(self, number: int) -> None:
        self.here = self._adjudicating.cell(number)
        self._opened = monotonic()
        self._reason = ""  # for the ruling to come

    def parts(self) -> Iterable[Widget]:
        return self.text, self.lines

    def on_mount(self) -> None:
        self.text.can_focus = False
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Shows the cell once there is room, and what was to be said."""
        self._show(fresh=True)
        self.say(self._greeting)

    def fit(self, size: Size) -> None:
        rows = "1fr"
        if not self.has_class("-wide"):
            most = int(size.height * SHARE)
            rows = f"1fr {max(min(self.lines.height_uncut + EDGES, most), FEWEST)}"
        self.across.styles.grid_rows = rows

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
        here, marks = self.here, self.marks
        prompt = prompt_in(self.at.bench, here.cell.subject.trace)
        asked = prompt.newest.text if prompt else ""
        update_text(self.prompt, plain(flat(asked)))
        self.prompt.display = bool(asked)
        self.show_rendered()
        self.lines.show(ListSection(DrawnRows([None, *here.questions], self._drawn), whole=True))
        if fresh:
            self.lines.go(0, 0)
        title = f"{len(here.questions)} of {many(here.asked, 'question')} answered otherwise"
        because = f"because: {self._reason}" if self._reason else ""
        entitle(self.lines, spelt(title, marks), spelt(because, marks))
        self.fit(self.size)
        self.look()
        self._count()
        self.show_hints()

    def _count(self) -> None:
        subject, marks = self.here.cell.subject, self.marks
        contested = len(self._adjudicating.numbers)
        ruled = contested - len(self._adjudicating.left)
        done = Part(f"{marks.pending} not ruled yet", "", 2)
        if not self.here.cell.hidden:
            done = Part(f"{marks.reviewed} ruled", "good", 2)
        left = [Part("Two reviewers differ", "strong", 2), Part(subject.trait.name, "", 1)]
        right = [done, Part(f"{ruled} of {contested} ruled", "", 1)]
        self.counts.show([*left, Part(name_of(*subject.trace.key), "", 1)], right)

    def _open(self, number: int) -> None:
        self._begin_cell(number)
        self._show(fresh=True)

    def look(self) -> None:
        """Shows what the row under the cursor rests on in the response."""
        spans = self._spans()
        self.text.show(self.here.cell.subject.trace.response, spans)
        if self.question and spans:
            self.text.reveal(spans[0].start, spans[0].end)

    def _spans(self) -> list[StyledSpan]:
        """The evidence of both; where it is the same, with both marks."""
        here, selected = self.here, self.question
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
            mark = raised("".join(str(side + 1) for side in sides), self.marks)
            style = styles[start, end]
            spans.append(StyledSpan(start, end, style, mark, selected=selected is not None))
        return spans

    # -- the rows ---------------------------------------------------------------------------------

    def _drawn(self, question: Instruction | None) -> ListRow:
        """How both answer, on one line, so that no cut parts them; the excerpts that they rest on,
        and no judge's reason, which would tell who took it.
        """
        here, marks = self.here, self.marks
        if question is None:
            return self._whole()
        names = [clip(name, NAME, marks) for name in self._adjudicating.names(here.cell)]
        answers, under = list[StyledText](), list[tuple[StyledText, ...]]()
        for side in BOTH:
            grounds = here.grounds(side, question)._replace(reason="")
            sign, style = " ", "muted"
            if here.picks.get(question) == side:
                sign, style = marks.reviewed, "key"
            answer = Grounds(here.answer(side, question), grounds.style)
            label = StyledText(f"{sign} {names[side]} ", style)
            answers += [label, answer_column(answer, marks)]
            if words := borne_out(grounds, here.cell.subject.trace.response, marks):
                under.append((StyledText(f"{names[side]}: ", "muted"), *words))
        if not here.cell.hidden:
            answers.append(StyledText(here.verdict(question), "key"))
        left = place_text(here.cell, question)
        return ListRow(question.text, left, below=(tuple(answers),), under_cursor=tuple(under))

    def _whole(self) -> ListRow:
        """All of it at once, and what is picked so far."""
        here = self.here
        if not here.cell.hidden:
            one, other = self._adjudicating.names(here.cell)
            return ListRow(f"1 was {one}, 2 was {other}", style="key")
        text = "nothing picked yet"
        if here.whole is not None:
            text = f"{here.whole + 1} picked in all of it: {{cell.sign:a}} rules"
        elif here.is_picked:
            text = "picked in every row: {cell.sign:a} rules"
        elif here.picks:
            text = f"{len(here.picks)} of {len(here.questions)} picked"
        right = StyledText(f" {in_own_keys(text, self.app)}", "muted")
        help_text = StyledText(in_own_keys(HELP, self.app), "muted")
        return ListRow("All of it", right=(right,), style="key", under_cursor=((help_text,),))

    # -- keys -------------------------------------------------------------------------------------

    def action_pick(self, side: int) -> None:
        """These labels hold, in the row under the cursor or in all of it; on to the next row."""
        question, row = self.question, self.lines.cursor.row

        def pick() -> str:
            if not self.here.cell.hidden:
                raise Refused(LOCKED)
            self.here.pick(side, question)
            return ""

        if not self.do(pick):
            return
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

    @on(Lines.Chosen, "#rows")
    def _chosen(self) -> None:
        begin(self._offer())

    async def _offer(self) -> None:
        offers: dict[str, tuple[str, Callable[[], object]]] = {
            "1": ("the labels of 1 hold", partial(self.action_pick, 0)),
            "2": ("the labels of 2 hold", partial(self.action_pick, 1)),
            "0": ("take the pick back", self.action_unpick),
            "r": ("say why", self.action_reason),
            "a": ("rule: lock what is picked", self.action_rule),
            "e": ("make your own", self.action_own),
        }
        choices = [Choice(key, key, text) for key, (text, _) in offers.items()]
        _, chosen = offers[await self.pick(Picker("What to do here", choices, marks=self.marks))]
        chosen()

    def action_rule(self) -> None:
        """Locks what is picked, and tells whose labels held."""
        here, adjudicating = self.here, self._adjudicating
        if not here.cell.hidden:
            self.action_walk(1)
            return

        def rule() -> str:
            here.check()
            seconds = monotonic() - self._opened
            here.cell = adjudicating.rule(here, self._reason, seconds).after
            self._show()
            left = many(len(adjudicating.left), "cell")
            held = adjudicating.upheld(here.cell)
            return f"Ruled. Held: {held}. {{cell.sign:a}} goes on; {left} left."

        self.do(rule)

    async def _reasoned(self) -> None:
        if not self.here.cell.hidden:
            self.say(
                "The verdict is locked: "
                "on the bench ({adjudication.leave:Esc}) {item.reason:r} says why."
            )
        elif self.at.bench.readonly:
            self.say(READS_ONLY)
        else:
            self._reason = await self.pick_reason()
            self._show()

    def action_walk(self, by: int) -> None:
        """The next contested cell that is not ruled, the first behind the last."""
        number = self._adjudicating.next(self.here.no, by)
        if number is None:
            self.say(f"{ALL_RULED} {self._adjudicating.tally()}".strip())
        elif number == self.here.no:
            self.say("This is the only cell that is not ruled.")
        else:
            self._open(number)

    def action_step(self, by: int) -> None:
        numbers = self._adjudicating.numbers
        at = numbers.index(self.here.no) + by
        if 0 <= at < len(numbers):
            self._open(numbers[at])
        else:
            self.say("There is no further contested cell.")

    def action_own(self) -> None:
        """Opens the cell on the bench, with what is picked in all of it."""
        here = self.here

        def begin_own() -> str:
            self._adjudicating.begin_own(here)
            return ""

        if not (here.cell.hidden and here.is_picked) or self.do(begin_own):
            self.dismiss(here.no)

    def hint_lines(self) -> str:
        return self.STRIP if self.here.cell.hidden else self.RULED

    def signs(self) -> dict[str, str]:
        return {self.marks.reviewed: "picked, or ruled"}
