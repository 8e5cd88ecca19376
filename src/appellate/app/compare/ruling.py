"""The screen to rule on cells whose labels two reviewers disagree about.

Both label sets are only called 1 and 2 until the verdict is locked.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from time import monotonic
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import BindingType
from textual.widget import Widget

from appellate.app.compare.screen import (
    Beside,
    CompareContext,
    ComparingScreen,
    Comparison,
    Leave,
    Outcome,
    ShownRows,
    ShownText,
    answer_column,
    bindings,
    borne_out,
    help_key,
    of_bench,
    place_text,
    prompt_in,
    together,
)
from appellate.core.describe import describe_unsettled
from appellate.core.kind import Grounds, Instruction
from appellate.core.problem import Refused, many
from appellate.core.trace import name_of
from appellate.session.adjudicating import BOTH, Adjudicating
from appellate.ui.bar import Part
from appellate.ui.contract import NOTHING, Choice
from appellate.ui.key import Act, Key, OwnAct, Strip
from appellate.ui.lines import ListSection
from appellate.ui.marks import raised
from appellate.ui.page import StyledSpan
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import clip, flat
from appellate.ui.text_view import TextView

NAME = 16
"""Columns that the name of a reviewer may take."""
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


class Ruling(Comparison):
    """One contested cell after another, from the open cell on; closes with the cell to open."""

    NAME = "RULING"
    PAGE = "reviewers"

    def __init__(self, context: CompareContext) -> None:
        """Begin with the context's cell and nothing picked; greet with the context's sentence."""
        super().__init__(context)
        self.greeting = context.said
        self._adjudicating = Adjudicating(context.bench)
        self._begin_cell(context.cell_no)

    def _begin_cell(self, number: int) -> Outcome:
        """Show contested cell `number`, with nothing picked and no reason, from its first row.

        The time that the ruling takes counts from now. Returns "", the outcome of a key without a
        sentence.
        """
        self.contested = self._adjudicating.cell(number)
        self.cursor = Cursor(0, 0)
        self._opened = monotonic()
        self._reason = ""
        """The reason for the ruling that is not locked yet."""
        return ""

    @property
    def question(self) -> Instruction | None:
        """The question under the cursor; None on the first row, which stands for all of them."""
        row = self.cursor.row
        return self.contested.questions[row - 1] if row else None

    # -- what is shown ----------------------------------------------------------------------------

    def rows(self) -> ShownRows:
        """Return a row for all questions, and one for each question answered differently.

        Above them are the cell's name, whether it is ruled or has changed since, and how many of
        the contested cells are ruled. Below them is the reason, if one was given.
        """
        contested = self.contested
        subject = contested.cell.subject
        marks = self.marks
        contested_count = len(self._adjudicating.cell_nos)
        ruled_count = contested_count - len(self._adjudicating.unruled_nos)
        done = Part(f"{marks.pending} not ruled yet", "", 2)
        if not contested.cell.hidden:
            done = Part(f"{marks.reviewed} ruled", "good", 2)
        if contested.cell.unsettled:
            done = Part(
                f"{marks.corrected} {describe_unsettled(contested.cell)}",
                "busy",
                2,
            )
        left = [
            Part("Two reviewers differ", "strong", 2),
            Part(subject.trait.name, "", 1),
            Part(name_of(*subject.trace.key), "", 1),
        ]
        section = ListSection(
            DrawnRows([None, *contested.questions], self._drawn_row),
            whole=True,
        )
        right = [done, Part(f"{ruled_count} of {contested_count} ruled", "", 1)]
        questions = many(contested.question_count, "question")
        title = f"{len(contested.questions)} of {questions} answered differently"
        because = f"because: {self._reason}" if self._reason else ""
        return ShownRows([section], left, right, title, because)

    def _drawn_row(self, question: Instruction | None) -> ListRow:
        """Return the row of a question that the reviewers answer differently; None: the first row.

        In the row of a question, both answers stand on one line, the picked one marked, and the
        verdict after them once the cell is ruled. The excerpts that they are based on show under
        the cursor. A judge's reason is left out, since it would reveal whose labels they are.
        """
        contested = self.contested
        marks = self.marks
        if question is None:
            return self._first_row()
        names = [
            clip(name, NAME, marks) for name in self._adjudicating.names(contested.cell)
        ]
        answers: list[StyledText] = []
        excerpts: list[tuple[StyledText, ...]] = []
        for side in BOTH:
            grounds = contested.sides[side].grounds(question)._replace(reason="")
            sign = " "
            style = "muted"
            if contested.picks.get(question) == side:
                sign = marks.reviewed
                style = "key"
            answer = Grounds(contested.sides[side].word(question), grounds.style)
            label = StyledText(f"{sign} {names[side]} ", style)
            answers += [label, answer_column(answer, marks)]
            if excerpt := borne_out(grounds, contested.cell.subject, marks):
                excerpts.append((StyledText(f"{names[side]}: ", "muted"), *excerpt))
        if not contested.cell.hidden:
            answers.append(StyledText(contested.verdict(question), "key"))
        left = place_text(contested.cell, question)
        return ListRow(
            question.text,
            left,
            below=(tuple(answers),),
            under_cursor=tuple(excerpts),
        )

    def _first_row(self) -> ListRow:
        """Return the row above the questions: "All of it", with how much is picked so far.

        Its help shows under the cursor. Once the cell is ruled, the row says instead who the two
        reviewers were; they stay 1 and 2 in an audit that was not joined from two.
        """
        contested = self.contested
        if not contested.cell.hidden:
            first_name, second_name = self._adjudicating.names(contested.cell)
            return ListRow(f"1 was {first_name}, 2 was {second_name}", style="key")
        text = "nothing picked yet"
        if contested.only_side is not None:
            text = (
                f"{contested.only_side + 1} picked in all of it: {{cell.sign:a}} rules"
            )
        elif contested.is_picked:
            text = "picked in every row: {cell.sign:a} rules"
        elif contested.picks:
            text = f"{len(contested.picks)} of {len(contested.questions)} picked"
        right = StyledText(f" {self.context.with_own_keys(text)}", "muted")
        help_text = StyledText(self.context.with_own_keys(HELP), "muted")
        return ListRow(
            "All of it",
            right=(right,),
            style="key",
            under_cursor=((help_text,),),
        )

    def beside(self) -> Beside:
        """Return what the response answers, and the response with the evidence of the cursor's row.

        What it answers is the newest turn of its prompt, in one line. The response is scrolled to
        the first piece of evidence. On the first row it has the evidence of all questions, and
        stays where it is.
        """
        trace = self.contested.cell.subject.trace
        spans = self._spans()
        revealed = None
        if self.question and spans:
            revealed = (spans[0].start, spans[0].end)
        _, prompt_text = prompt_in(self.bench, self.contested.cell)
        text = ShownText(trace.text, spans, revealed, transcript=trace.transcript)
        return Beside(flat(prompt_text), [text])

    def _spans(self) -> list[StyledSpan]:
        """Return the evidence of both label sets in the order of the text, marked 1 and 2.

        Evidence that both have is returned once, with both marks. On the first row that is the
        evidence of all questions.
        """
        selected = self.question
        questions = self.contested.questions if selected is None else [selected]
        sides_of_span: defaultdict[Stretch, list[int]] = defaultdict(list)
        styles: dict[Stretch, str] = {}
        for question in questions:
            for side in BOTH:
                grounds = self.contested.sides[side].grounds(question)
                for span in grounds.spans:
                    if side not in sides_of_span[span]:
                        sides_of_span[span].append(side)
                    styles[span] = grounds.style or "evidence"

        spans: list[StyledSpan] = []
        for (start, end), sides in sorted(sides_of_span.items()):
            mark = raised("".join(str(side + 1) for side in sides), self.marks)
            style = styles[start, end]
            spans.append(
                StyledSpan(start, end, style, mark, selected=selected is not None),
            )
        return spans

    def strip(self, keys: Sequence[Key]) -> Sequence[Key]:
        """Return the keys that the strip may show: all for a cell that awaits its ruling, else few.

        Those few sign the cell, go to the next one, open the help and leave; they are copies with
        "go on" for "rule" in the label.
        """
        if self.contested.cell.hidden:
            return keys
        ids = (
            "cell.sign",
            "unreviewed.next",
            "adjudication.help",
            "adjudication.leave",
        )
        return [
            replace(key, label=key.label.replace("rule", "go on"))
            for key in keys
            if key.id in ids
        ]

    def signs(self) -> dict[str, str]:
        return {self.marks.reviewed: "picked, or ruled"}

    # -- acts -------------------------------------------------------------------------------------

    def hold(self, side: int) -> Outcome:
        """Pick a label set (0 or 1) for the question under the cursor, or for all on the first row.

        A pick replaces an earlier one, and nothing is saved. The cursor goes on to the next
        question, if there is one; from the first row it does not move. Returns "". Raises Refused
        after the verdict is locked, in a session that only reads, and if the answer to that
        question cannot be given by itself.
        """
        self.may_change()
        if not self.contested.cell.hidden:
            raise Refused(LOCKED)
        self.contested.pick(side, self.question)
        if 0 < self.cursor.row < len(self.contested.questions):
            self.cursor = Cursor(0, self.cursor.row + 1)
        return ""

    def unpick(self) -> Outcome:
        """Take back the pick for the question under the cursor, or all picks on the first row.

        Returns "", also if nothing was picked. Raises Refused after the verdict is locked.
        """
        if not self.contested.cell.hidden:
            raise Refused(LOCKED)
        if self.question is None:
            self.contested.picks.clear()
        else:
            self.contested.picks.pop(self.question, None)
        return ""

    def turn(self) -> Outcome:
        """Pick the other label set for the question under the cursor; on the first row, for all.

        If no set is picked for the question, or on the first row not the same set for all
        questions, nothing changes and a sentence is returned. Otherwise picks, goes on and raises
        Refused as `hold` does, and returns "".
        """
        picked = self.contested.only_side
        if self.question is not None:
            picked = self.contested.picks.get(self.question)
        if picked is None:
            keys = ": {adjudication.one:1} or {adjudication.two:2} picks"
            picks = self.context.with_own_keys(keys)
            return f"Nothing is picked here yet to turn{picks}."
        return self.hold(1 - picked)

    async def open(self) -> Outcome | Awaitable[Outcome]:
        """Ask what to do, with nothing as the first choice, and do it; return its outcome.

        That outcome may be awaited in its turn. Raises Left if the reviewer leaves the question,
        and what the chosen act raises.
        """
        acts: dict[str, tuple[str, Callable[[], Outcome | Awaitable[Outcome]]]] = {
            "1": ("the labels of 1 hold", partial(self.hold, 0)),
            "2": ("the labels of 2 hold", partial(self.hold, 1)),
            "0": ("take the pick back", self.unpick),
            "r": ("say why", self.reason),
            "a": ("rule: lock what is picked", self.rule),
            "e": ("make your own", self.open_to_edit),
        }
        choices = [
            NOTHING,
            *(Choice(key, key, text) for key, (text, _) in acts.items()),
        ]
        key = await self.pick("What to do here", choices)
        if key == NOTHING.key:
            return ""
        _, act = acts[key]
        return act()

    def rule(self) -> Outcome:
        """Lock what is picked as the verdict, with the reason; say whose labels it took.

        Without any pick, the labels that a person filled in are the verdict. On a ruled cell go on
        instead to the next one that is not ruled, as `walk` does. Raises Refused if only some
        questions have a pick, if there is neither pick nor labels, if the verdict is not complete
        or an answer cannot be given by itself, to an agent, and in a session that only reads.
        Raises NotKept. Nothing is saved then.
        """
        contested = self.contested
        adjudicating = self._adjudicating
        if not contested.cell.hidden:
            return self.walk(1)
        self.may_change()
        contested.check()
        seconds = monotonic() - self._opened
        contested.cell = adjudicating.rule(contested, self._reason, seconds).after
        remaining = many(len(adjudicating.unruled_nos), "cell")
        whose_labels = adjudicating.describe_sided(contested.cell)
        return f"Ruled. {whose_labels} {{cell.sign:a}} continues; {remaining} left."

    async def reason(self) -> Outcome:
        """Ask for the reason of the next ruling, keep it in place of an earlier one, and return "".

        If the cell is ruled, nothing is asked, and a sentence says where to give a reason. Raises
        Refused in a session that only reads, and Left if the reviewer leaves the question.
        """
        if not self.contested.cell.hidden:
            return (
                "The verdict is locked: "
                "on the bench ({adjudication.leave:Esc}) {item.reason:r} says why."
            )
        self.may_change()
        self._reason = await self.pick_reason()
        return ""

    def walk(self, by: int) -> Outcome:
        """Go to the next contested cell (1) or the one before (-1) that is not ruled; return "".

        After the last one comes the first. If none is left, or only this one, nothing changes and a
        sentence is returned. What was picked in the cell that is left, and the reason, are dropped
        unless they were locked.
        """
        number = self._adjudicating.next(self.contested.no, by)
        if number is None:
            return f"{ALL_RULED} {self._adjudicating.tally()}".strip()
        if number == self.contested.no:
            return "This is the only cell that is not ruled."
        return self._begin_cell(number)

    def step(self, by: int) -> Outcome:
        """Go `by` contested cells on, or back if negative, ruled or not; return "".

        What was picked in the cell that is left, and the reason, are dropped unless they were
        locked. Beyond the first or the last cell nothing changes, and a sentence says so.
        """
        numbers = self._adjudicating.cell_nos
        index = numbers.index(self.contested.no) + by
        if 0 <= index < len(numbers):
            return self._begin_cell(numbers[index])
        return "There is no further contested cell."

    def open_to_edit(self) -> Outcome:
        """Return a `Leave` with the cell's number, which closes the screen to open that cell.

        If the cell is not ruled and every question has a pick, the picks are saved first, as labels
        that are not ruled yet. Other picks are dropped. Raises Refused if there are picks to save
        in a session that only reads, or if an answer cannot be given by itself, and NotKept if they
        cannot be saved.
        """
        if self.contested.cell.hidden and self.contested.is_picked:
            self.may_change()
            self._adjudicating.fill_in_picks(self.contested)
        return Leave(self.contested.no)


class AdjudicationScreen(ComparingScreen):
    """Shows the rows below the response, or next to it if wide."""

    DEFAULT_CSS = """
    AdjudicationScreen {
        #prompt { max-height: 1; text-wrap: nowrap; }
        #across { layout: grid; grid-size: 1 2; }
        #rows:focus { border-title-color: $text; }
        &.-tall #prompt { max-height: 2; text-wrap: wrap; }
        &.-wide #across { grid-size: 2 1; grid-columns: 1fr 1fr; }
    }
    """
    WIDE = 110
    BELOW = True

    def parts(self) -> Iterable[Widget]:
        """Make the view of the response, which takes no focus; return it and the rows."""
        text = TextView(id="response", marks=self.marks)
        text.can_focus = False
        self.texts = [text]
        return text, self.lines

    # -- keys --------------------------------------------------------------------------------------

    KEYS = (
        help_key("adjudication.help", Strip(1, 7)),
        *together(
            "these labels hold: in the row under the cursor; on the first row, all of it",
            Key(
                "adjudication.one",
                "1",
                "holds",
                "",
                Act(Ruling.hold, 0),
                strip=Strip(2, 1),
            ),
            Key(
                "adjudication.two",
                "2",
                "holds",
                "",
                Act(Ruling.hold, 1),
                strip=Strip(2, 2),
            ),
        ),
        Key(
            "adjudication.turn",
            "space",
            "",
            "the other of them holds, where one is picked",
            Act(Ruling.turn),
            shown="Space",
        ),
        Key("adjudication.unpick", "0", "", "take a pick back", Act(Ruling.unpick)),
        Key(
            "lines.choose",
            "enter",
            "",
            "all that can be done, to pick from",
            shown="Enter",
        ),
        Key(
            "adjudication.own",
            "e",
            "own",
            "make your own: open the cell with what is picked in it",
            Act(Ruling.open_to_edit),
            strip=Strip(4, 4),
        ),
        *together(
            "scroll the response on, and back",
            Key(
                "adjudication.scroll",
                "plus",
                "",
                "scroll the response on",
                OwnAct(ComparingScreen.scroll_texts, 1),
                shown="+",
            ),
            Key(
                "adjudication.scroll_back",
                "minus",
                "",
                "back",
                OwnAct(ComparingScreen.scroll_texts, -1),
                shown="-",
            ),
        ),
        Key(
            "adjudication.leave",
            "escape,q",
            "bench",
            "back to the bench",
            Act(Comparison.leave),
            shown="Esc",
            strip=Strip(6, 8),
        ),
    )
    OF_BENCH = (
        of_bench(
            "cell.sign",
            Act(Ruling.rule),
            "rule",
            "rule: lock what is picked; on a ruled cell, go on",
            strip=Strip(3, 3),
        ),
        of_bench(
            "item.reason",
            Act(Ruling.reason),
            "reason",
            "say why, before you rule",
            strip=Strip(7, 5),
        ),
        of_bench(
            "unreviewed.next",
            Act(Ruling.walk, 1),
            "next",
            "the next contested cell that is not ruled",
            strip=Strip(5, 6),
        ),
        of_bench("unreviewed.previous", Act(Ruling.walk, -1), text="the one before"),
        of_bench(
            "cell.next",
            Act(Ruling.step, 1),
            text="the next contested cell, ruled or not",
        ),
        of_bench(
            "cell.previous",
            Act(Ruling.step, -1),
            text="the one before, ruled or not",
        ),
        of_bench("cell.proposals", Act(Comparison.leave), text="back to the bench"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
