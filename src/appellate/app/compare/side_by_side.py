"""The screen with two answers to one question side by side.

Below them each instruction has the answers of both cells, so that both are judged by the same
standard. `differences` finds the words in which two texts differ.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final, Literal

from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Size
from textual.widget import Widget

from appellate.app.cell_view import mark_after
from appellate.app.compare.asked import AskedCells
from appellate.app.compare.screen import (
    WORD,
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
from appellate.app.header import done
from appellate.core.cell import Cell
from appellate.core.differences import ALIKE, Differences, differences
from appellate.core.kind import Instruction
from appellate.core.problem import many
from appellate.core.trace import Trace, name_of
from appellate.session.workbench import Change
from appellate.store.files.wordings import AskedCell
from appellate.store.trace_rows import OtherAnswer
from appellate.ui.bar import Part
from appellate.ui.key import Act, Key, OwnAct, Strip
from appellate.ui.lines import ListSection
from appellate.ui.marks import spelt
from appellate.ui.measures import measure_line, value
from appellate.ui.page import StyledSpan
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import cell_width, clip, column, entitle, flat
from appellate.ui.text_view import TextView


def own_differences(first: Trace, second: Trace) -> Differences:
    """Compare what the assistant says in two traces, and return how it differs.

    Offsets are in the texts that are judged. In conversations only the assistant's steps are
    compared, since the runs of one task begin with the same policy and the same questions.
    """
    first_own = first.own_words
    second_own = second.own_words
    compared = differences(first_own.text, second_own.text)
    places: list[tuple[int, int]] = []
    for first_offset, second_offset in compared.places:
        first_start, _ = first_own.in_text((first_offset, first_offset + 1))
        second_start, _ = second_own.in_text((second_offset, second_offset + 1))
        places.append((first_start, second_start))
    return Differences(
        [piece for stretch in compared.first for piece in first_own.pieces(stretch)],
        [piece for stretch in compared.second for piece in second_own.pieces(stretch)],
        compared.alike,
        places,
    )


# -- the two cells ---------------------------------------------------------------------------------

HERE: Final = 0
THERE: Final = 1
"""The two sides: the cell that the screen was opened from, and the one next to it."""
Side = Literal[0, 1]
"""`HERE` or `THERE`."""
BOTH: Final[tuple[Side, Side]] = (HERE, THERE)
LABEL = 14
"""Columns that the name of a side may take in a row."""
FRAME = 6
"""Columns of a frame beside its title."""
NONE = "Cells of this trait have no instruction in common to compare."


def opposite(side: Side) -> Side:
    """Return the other of the two sides."""
    return THERE if side == HERE else HERE


class Sides(AskedCells):
    """A cell and one of the other cells that answer its question.

    Its screen closes with the cell to open, and the instruction under the cursor.
    """

    NAME = "SIDE BY SIDE"

    def __init__(
        self,
        context: CompareContext,
        cell_no: int,
        other_answers: Sequence[OtherAnswer],
    ) -> None:
        """Show cell `cell_no` next to the first of `other_answers`.

        Answers go to cell `cell_no` until the other side is made the active one.
        """
        subject = context.bench.workspace.cell(cell_no)[1].subject
        super().__init__(context, subject.kind, subject.trait)
        self._cell_no = cell_no
        self._other_answers = other_answers
        self._differences: dict[int, Differences] = {}
        """The differences from each other cell, by its number."""
        self.partner = 0
        """The index of the other cell that is shown."""
        self.active: Side = HERE
        """The side that answers go to."""
        self.marks_words = True
        """Whether the words are marked in which the responses differ."""
        self.instructions: Sequence[Instruction] = ()
        if subject.kind.answering:
            self.instructions = list(
                subject.kind.standings(subject.trait, subject.kind.blank),
            )

    # -- which cells ------------------------------------------------------------------------------

    @property
    def numbers(self) -> tuple[int, int]:
        """The numbers of the cells of both sides."""
        return self._cell_no, self._other_answers[self.partner].cell

    def side(self, side: Side) -> Cell:
        """Return the cell of a side in its current state, without what is hidden of it."""
        return self.known_cell(self.numbers[side]).cell

    def trace(self, side: Side) -> Trace:
        """Return the trace of a side."""
        return self.side(side).subject.trace

    def changed(self, change: Change) -> bool:
        super().changed(change)
        return change.no in self.numbers

    @property
    def question(self) -> str:
        """The newest turn that the cells answer, or "" if no question was recorded.

        It is that of the first of both cells that has one. After other turns, the text is like
        "After 2 turns: text". A note stands before `text` if the judge was not shown that turn.
        """
        for side in BOTH:
            prompt, text = prompt_in(self.bench, self.side(side))
            if prompt and prompt.earlier:
                return f"After {many(len(prompt.earlier), 'turn')}: {text}"
            if prompt:
                return text
        return ""

    def label(self, side: Side) -> str:
        """Return what distinguishes a side from the other: its model, or its epoch, or its id.

        The model does if the sides have different ones and this side's is known. It never does for
        a pair, whose models may be hidden. The epoch does if the models are the same and the epochs
        are not.
        """
        trace = self.trace(side)
        other_trace = self.trace(opposite(side))
        if trace.model == other_trace.model:
            if trace.epoch != other_trace.epoch:
                return f"epoch {trace.epoch}"
        elif trace.model:
            is_pair = trace.other is not None or other_trace.other is not None
            if not is_pair:
                return trace.model
        return name_of(trace.id, trace.epoch)

    # -- the rows ---------------------------------------------------------------------------------

    @property
    def current_row(self) -> AskedCell | None:
        """The instruction under the cursor in the cell of the active side; None without one."""
        if self.cursor.row < len(self.instructions):
            return AskedCell(
                self.numbers[self.active],
                self.instructions[self.cursor.row],
            )
        return None

    def word(self, side: Side, instruction: Instruction) -> str:
        """Return the word of a side's answer to an instruction; "" if it has no labels."""
        return self.side(side).standings.get(instruction, "")

    def differing(self) -> list[int]:
        """Return the indexes of the instructions that the sides answer differently, in order.

        Only instructions that have an answer on both sides count.
        """
        indexes: list[int] = []
        for index, instruction in enumerate(self.instructions):
            answer = self.word(HERE, instruction)
            other_answer = self.word(THERE, instruction)
            if answer and other_answer and answer != other_answer:
                indexes.append(index)
        return indexes

    def rows(self) -> ShownRows:
        """Return a row for each instruction, with what stands around the rows.

        Above them are the trait, which of several other answers is shown, and how much the texts
        have in common. The title says how many instructions are answered differently. In plain
        output, which has no titles of frames, the names of both sides are above the rows, too.
        """
        marks = self.marks
        differing = self.differing()
        left = [
            Part("Side by side", "strong"),
            Part(self.side(HERE).subject.trait.name, "", 1),
        ]
        if not marks.bars:  # plain output has no frames with titles
            labels = [self.label(side) for side in BOTH]
            labels[self.active] = f"{marks.cursor}{labels[self.active]}"
            left.append(Part(" beside ".join(labels), "", 1))
        if len(self._other_answers) > 1:
            left.append(
                Part(f"answer {self.partner + 1} of {len(self._other_answers)}", "", 2),
            )
        compared_words = "the words"
        if self.trace(HERE).transcript is not None:
            compared_words = "the assistant's words"
        alike = f"{int(100 * self.differences.alike)} % of {compared_words} in common"
        if not self.are_alike:
            alike = "texts too different to mark"
        title = "Instructions"
        if differing:
            count_text = f"{len(differing)} of {len(self.instructions)}"
            title += f" · {marks.split} {count_text} answered differently"
        elif self.instructions:
            title += " · none answered differently"
        rows = [
            (instruction, index in differing)
            for index, instruction in enumerate(self.instructions)
        ]
        section = ListSection(DrawnRows(rows, self._drawn_row), empty=NONE, whole=True)
        return ShownRows([section], left, [Part(alike, "muted", 3)], title)

    def _drawn_row(self, row: tuple[Instruction, bool]) -> ListRow:
        """Return the row of an instruction; `row` also has whether the sides answer it differently.

        Both answers stand on one line, so that they are cut off together; a side without one is not
        judged. An answer that a person overruled shows the judge's, too. What each answer is based
        on follows below, a line each.
        """
        instruction, differs = row
        marks = self.marks
        sign = column(marks.split if differs else "", cell_width(marks.split) + 1)
        answers: list[StyledText] = []
        below: list[tuple[StyledText, ...]] = []
        for side in BOTH:
            name = f"{clip(self.label(side), LABEL, marks)}: "
            label = StyledText(name, "key" if side == self.active else "muted")
            if not self.word(side, instruction):
                unjudged = StyledText(column("not judged", WORD + 1, marks), "muted")
                answers += [label, unjudged]
                continue
            answer = self.row(AskedCell(self.numbers[side], instruction))
            answers += [label, answer_column(answer.grounds, marks)]
            if answer.overruled:
                answers.append(StyledText(f"was {answer.overruled}  ", "corrected"))
            if grounds := borne_out(answer.grounds, self.side(side).subject, marks):
                below.append((label, *grounds))
        left = (StyledText(sign, "flag"), *place_text(self.side(HERE), instruction))
        return ListRow(instruction.text, left, below=(tuple(answers), *below))

    # -- the responses ----------------------------------------------------------------------------

    @property
    def differences(self) -> Differences:
        """The differences of the two responses; the first is that of the cell that was open.

        They are worked out once for each other cell.
        """
        partner_no = self.numbers[THERE]
        if partner_no not in self._differences:
            self._differences[partner_no] = own_differences(
                self.trace(HERE),
                self.trace(THERE),
            )
        return self._differences[partner_no]

    @property
    def are_alike(self) -> bool:
        """Whether the responses have so much in common that differences are worth marking."""
        return self.differences.alike >= ALIKE

    def beside(self) -> Beside:
        """Return the question and both responses, scrolled to the evidence of the cursor's row.

        The question is one line. If only one response has evidence, and they are alike enough, the
        other is scrolled to the corresponding place. Evidence includes the words that an answer to
        the active side would take.
        """
        spans: list[list[StyledSpan]] = []
        revealed: dict[Side, Stretch] = {}
        for side in BOTH:
            spans.append(self._spans(side))
            if side == self.active:
                spans[side] += self.offered_spans()
            selected = [span for span in spans[side] if span.selected]
            if selected:
                revealed[side] = (selected[0].start, selected[0].end)
        if len(revealed) == 1 and self.are_alike:
            side = next(iter(revealed))
            offset, _ = revealed[side]
            counterpart = self.differences.counterpart(offset, back=side == THERE)
            revealed[opposite(side)] = (counterpart, counterpart)

        texts: list[ShownText] = []
        for side in BOTH:
            trace = self.trace(side)
            texts.append(
                ShownText(
                    trace.text,
                    spans[side],
                    revealed.get(side),
                    is_active=side == self.active,
                    transcript=trace.transcript,
                ),
            )
        return Beside(flat(self.question), texts)

    def _spans(self, side: Side) -> list[StyledSpan]:
        """Return the marked spans of a side's response, with those of the cursor's row selected.

        First come the excerpts that answers are based on, each with the number of its instruction
        after it, if that is in a list. Other evidence of the labels in that text is dim. Words that
        the other response does not have are marked if the reviewer wants it and the responses are
        alike enough.
        """
        spans: list[StyledSpan] = []
        for index, instruction in enumerate(self.instructions):
            grounds = self.row(AskedCell(self.numbers[side], instruction)).grounds
            label = str(instruction.number) if instruction.of else ""
            mark = mark_after(grounds.style, label, self.marks)
            selected = index == self.cursor.row
            for start, end in grounds.spans:
                spans.append(
                    StyledSpan(
                        start,
                        end,
                        grounds.style or "evidence",
                        mark,
                        selected=selected,
                    ),
                )

        marked = {(span.start, span.end) for span in spans}
        subject = self.side(side).subject
        labels = self.side(side).labels
        if labels is not None:
            for evidence in subject.kind.evidence(subject.trait, labels):
                if evidence.document is None and evidence[:2] not in marked:
                    spans.append(
                        StyledSpan(evidence.start, evidence.end, "evidence", dim=True),
                    )
        if self.marks_words and self.are_alike:
            differing = (self.differences.first, self.differences.second)[side]
            spans += [
                StyledSpan(*stretch, "differs", aside=True) for stretch in differing
            ]
        return spans

    def titles(self, side: Side, width: int) -> tuple[str, str]:
        """Return the title of a response's frame and the text below it, each within `width`.

        `width` is in columns. The title has the side's label and the trace, and is cut. The text
        says what was done to the cell and has its numbers. If they do not fit, what was done is
        left out first, then numbers from the first on, until "".
        """
        cell = self.side(side)
        marks = self.marks
        cursor = marks.cursor if side == self.active else " "
        state_mark = getattr(marks, cell.state)
        trace = self.trace(side)
        names = [self.label(side)]
        trace_name = name_of(trace.id, trace.epoch)
        if trace_name not in names:
            names.append(trace_name)
        title = f"{cursor} {state_mark} " + " · ".join(names)

        numbers: list[str] = []
        for measure in measure_line(None, cell, "").now:
            numbers.append(f"{measure.short} {value(measure, marks)}")
        all_numbers = "  ".join(numbers)
        candidates = [f"{done(cell, marks)}   {all_numbers}".rstrip(), all_numbers]
        for first in range(len(numbers) + 1):
            candidates.append(" ".join(numbers[first:]))
        room = max(width, 0)
        text = next(text for text in candidates if cell_width(text) <= room)
        return spelt(clip(title, width, marks), marks), text

    def strip(self, keys: Sequence[Key]) -> Sequence[Key]:
        """Return the keys that the strip may show: all, or without the one for the next answer.

        That one is left out if there is only one other answer.
        """
        if len(self._other_answers) > 1:
            return keys
        return [key for key in keys if key.id != "side_by_side"]

    def signs(self) -> dict[str, str]:
        """Return the marks that have a meaning of their own here, and the meaning, by mark.

        They are those of the states of both cells, and of answers that differ.
        """
        signs: dict[str, str] = {}
        for side in BOTH:
            state = self.side(side).state
            mark = getattr(self.marks, state)
            signs[mark] = f"the cell is {state}"
        signs[self.marks.split] = "answered differently on the other side"
        return signs

    # -- acts -------------------------------------------------------------------------------------

    def sayable(self) -> Mapping[str, str]:
        """Return the answers that the instruction under the cursor can be given, with their words.

        There are none if the kind of trait has no instructions to answer.
        """
        subject = self.side(HERE).subject
        if subject.kind.answering is None or not self.instructions:
            return {}
        return subject.kind.answering.sayable(
            subject.trait,
            self.instructions[self.cursor.row],
        )

    def turn(self) -> Outcome:
        """Give the active side the other side's answer, or the other of two if they agree.

        Returns as `answer` does, or a sentence that there is no other answer. Does nothing and
        returns "" if no key gives answers here. Raises Refused in a session that only reads, and
        NotKept if it cannot be saved.
        """
        if not self.answers_by_word:
            return ""
        instruction = self.instructions[self.cursor.row]
        own_answer = self.word(self.active, instruction)
        other_answer = self.word(opposite(self.active), instruction)
        return self.turn_to(own_answer, other_answer)

    def in_sight(self) -> Collection[int]:
        return self.numbers

    def make_active(self, side: Side | None = None) -> Outcome:
        """Make a side the active one, or the side that is not active now for None; return ""."""
        self.active = opposite(self.active) if side is None else side
        return ""

    def walk(self, by: int) -> Outcome:
        """Go to the next instruction (1) or the one before (-1) that is answered differently.

        After the last one comes the first. Returns "", or a sentence if there is no other one.
        """
        rows = self.differing()[::by]
        if not rows:
            return "No instruction is answered differently."
        if rows == [self.cursor.row]:
            return "This is the only one that is answered differently."
        rows_ahead = [row for row in rows if (row - self.cursor.row) * by > 0]
        self.cursor = Cursor(0, (rows_ahead or rows)[0])
        return ""

    def next_partner(self) -> Outcome:
        """Choose the next answer to the question beside the open cell, and return "".

        After the last comes the first. If there is only one, return a sentence. The screen draws
        the answer after the act.
        """
        if len(self._other_answers) == 1:
            return "There is no further answer to this question."
        self.partner = (self.partner + 1) % len(self._other_answers)
        return ""

    def words(self) -> Outcome:
        """Mark the words in which the responses differ, or unmark them, and return "".

        If the responses are too different to mark words, return a sentence and change nothing. The
        screen draws the marks after the act.
        """
        if not self.are_alike:
            return "Too little is in common: nearly every word would be marked."
        self.marks_words = not self.marks_words
        return ""

    def open(self) -> Outcome:
        return Leave(self.current_row or self.numbers[self.active])


class SidesScreen(ComparingScreen):
    """Shows both responses above the instructions, or at their sides if wide.

    On a narrow screen only the active response is shown.
    """

    DEFAULT_CSS = """
    SidesScreen {
        #prompt { max-height: 1; text-wrap: nowrap; }
        #across { layout: grid; grid-size: 2 2; grid-columns: 1fr 1fr; }
        #one.-active, #other.-active { border: round $primary; border-title-color: $text; }
        #rows { column-span: 2; }
        #rows:focus { border: round $border-blurred; }
        &.-tall #prompt { max-height: 3; text-wrap: wrap; }
        &.-wide #across { grid-size: 3 1; grid-columns: 1fr 1fr 1fr; }
        &.-wide #rows { column-span: 1; }
        &.-narrow #across { grid-size: 1 2; grid-columns: 1fr; }
        &.-narrow #one, &.-narrow #other { display: none; }
        &.-narrow #one.-active, &.-narrow #other.-active { display: block; }
        &.-narrow #rows { column-span: 1; }
    }
    """
    WIDE = 160
    TALL = 36
    BELOW = True
    comparison: Sides

    def parts(self) -> Iterable[Widget]:
        """Return new views of both responses, the open cell's first, with the rows between them.

        The views take no focus. The view of the active side is marked as active.
        """
        self.texts = [TextView(id=name, marks=self.marks) for name in ("one", "other")]
        for text in self.texts:
            text.can_focus = False
        self.texts[self.comparison.active].add_class("-active")
        return self.texts[HERE], self.lines, self.texts[THERE]

    def fit(self, size: Size) -> None:
        """Move the rows between the two responses on a wide screen, and below both on others.

        Below them, the rows get their share of the lines as in any comparison.
        """
        super().fit(size)
        if self.across.is_mounted:
            if self.has_class("-wide"):
                self.across.move_child(self.lines, before=self.texts[THERE])
            else:
                self.across.move_child(self.lines, after=self.texts[THERE])

    def entitle(self, view: TextView, _: ShownText) -> None:
        """Write which trace a response is, and the numbers of its cell, into its frame."""
        width = view.outer_size.width - FRAME
        side: Side = HERE if view is self.texts[HERE] else THERE
        entitle(view, *self.comparison.titles(side, width))

    def on_click(self, event: Click) -> None:
        """Make the side whose response was clicked the active one; ignore other clicks."""
        for side in BOTH:
            if event.widget is self.texts[side]:
                self.do(partial(self.comparison.make_active, side))

    # -- keys --------------------------------------------------------------------------------------

    KEYS = (
        help_key("sides.help", Strip(1, 9)),
        Key(
            "sides.turn",
            "tab,shift+tab",
            "side",
            "the other side: answers go to the active one",
            Act(Sides.make_active),
            shown="Tab",
            strip=Strip(2, 1),
        ),
        *together(
            "the left side, the right",
            Key(
                "sides.left",
                "left,h",
                "",
                "the left side",
                Act(Sides.make_active, HERE),
                shown="←",
            ),
            Key(
                "sides.right",
                "right,l",
                "",
                "the right",
                Act(Sides.make_active, THERE),
                shown="→",
            ),
        ),
        *together(
            "another sentence for an answer, the one before",
            Key(
                "sides.offer",
                "p",
                "",
                "another sentence for an answer",
                Act(AskedCells.offer, 1),
            ),
            Key(
                "sides.offer_before",
                "P",
                "",
                "the one before",
                Act(AskedCells.offer, -1),
            ),
        ),
        *together(
            "open the cell of the active side there; {side_by_side:s} or {back:(} comes back",
            Key(
                "lines.choose",
                "enter",
                "its cell",
                "",
                shown="Enter",
                strip=Strip(5, 6),
            ),
            Key("sides.open", "o", "", "", Act(Sides.open)),
        ),
        Key(
            "sides.otherwise",
            "space",
            "",
            "the answer of the other side",
            Act(Sides.turn),
            shown="Space",
        ),
        Key(
            "sides.words",
            "d",
            "differences",
            "mark the words that the other answer has not, or leave them unmarked",
            Act(Sides.words),
            strip=Strip(8, 7),
        ),
        *together(
            "scroll both responses on, and back",
            Key(
                "sides.scroll",
                "plus",
                "",
                "scroll both responses on",
                OwnAct(ComparingScreen.scroll_texts, 1),
                shown="+",
            ),
            Key(
                "sides.scroll_back",
                "minus",
                "",
                "back",
                OwnAct(ComparingScreen.scroll_texts, -1),
                shown="-",
            ),
        ),
        Key(
            "sides.leave",
            "escape,q",
            "back",
            "leave",
            Act(Comparison.leave),
            shown="Esc",
            strip=Strip(9, 10),
        ),
    )
    ANSWER = Key("answers", "", "", "the active side answers “{}”", strip=Strip(4, 3))
    OF_BENCH = (
        of_bench(
            "cell.undo",
            Act(AskedCells.turn_back, "undo"),
            "undo",
            "take back your last act; one elsewhere is named first",
            strip=Strip(7, 5),
        ),
        of_bench("cell.redo", Act(AskedCells.turn_back, "redo"), text="do it again"),
        of_bench(
            "item.reason",
            Act(AskedCells.reason),
            "reason",
            "say why the last answer was given",
            strip=Strip(10, 8),
        ),
        of_bench(
            "cell.flag",
            Act(AskedCells.flag),
            text="set the flag of the active side's cell, or take it down",
        ),
        of_bench(
            "text.none",
            Act(AskedCells.take_none),
            text="the answer takes no words of the response",
        ),
        of_bench(
            "unreviewed.next",
            Act(Sides.walk, 1),
            "next difference",
            "the next instruction that is answered otherwise",
            strip=Strip(3, 2),
        ),
        of_bench(
            "unreviewed.previous",
            Act(Sides.walk, -1),
            text="the one before that is answered differently",
        ),
        of_bench(
            "side_by_side",
            Act(Sides.next_partner),
            "next answer",
            "the next answer to the question beside this one",
            strip=Strip(6, 4),
        ),
        of_bench(
            "back",
            Act(Comparison.leave),
            text="back to the cell that you came from",
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
