"""Two answers to one question beside each other, with how each instruction is answered in both, to
see what they differ in and judge them by one measure.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import ClassVar

from msgspec import Struct
from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Size
from textual.widget import Widget

from appellate.app.cell_view import behind
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

ALIKE = 0.3
"""The share of words in common from which differences are worth marking."""
FEW = 3  # words in common that say nothing between so many others
LARGEST = 33_000**2  # pairs of characters: longer texts are compared by sentences
_WORD = re.compile(r"\w+(?:[.,'’\-]\w+)*|[<>≤≥=±+%°]")
_SENTENCE = re.compile(r"[^\n.!?\s][^\n.!?]*[.!?]*")


Common = tuple[int, int, int]
"""From which places on the same words follow one another in both texts, and how many."""


class Differences(Struct, frozen=True):
    """What is in one text alone, what in the other, and the share of words in common (0 … 1).

    `places` are offsets in both texts from which the same follows, in order.
    """

    one: Sequence[Stretch]
    other: Sequence[Stretch]
    alike: float
    places: Sequence[tuple[int, int]]

    def counterpart(self, offset: int, *, back: bool = False) -> int:
        """The offset in the other text that a place in the one is at; `back` the other way."""
        at = [place[back] for place in self.places]
        found = bisect_right(at, offset) - 1
        if found < 0:
            return 0
        there = self.places[found][not back] + offset - at[found]
        if found + 1 < len(self.places):
            there = min(there, self.places[found + 1][not back])
        return there


def differences(one: str, other: str) -> Differences:
    """Compares two texts by words, without case and punctuation; very long ones by sentences."""
    from rapidfuzz.distance import LCSseq  # only here: 10 ms

    unit = _WORD
    if len(one) * len(other) > LARGEST:
        unit = _SENTENCE
    words, parts = _pieces(unit, one)
    others, texts = _pieces(unit, other)
    blocks = LCSseq.opcodes(parts, texts).as_matching_blocks()
    common = _telling([(block.a, block.b, block.size) for block in blocks])
    count = sum(size for _, _, size in common)
    alike = 1.0
    if parts or texts:
        alike = 2 * count / (len(parts) + len(texts))
    return Differences(
        list(_alone(words, [(place, size) for place, _, size in common])),
        list(_alone(others, [(place, size) for _, place, size in common])),
        alike,
        [(words[here][0], others[there][0]) for here, there, _ in common],
    )


def own_differences(one: Trace, other: Trace) -> Differences:
    """Compares what the assistant says in two traces, with places in what is judged of them.

    Of a conversation that is its own steps: runs begin with one policy and the same questions.
    """
    own = one.own_words
    others = other.own_words
    found = differences(own.text, others.text)
    places: list[tuple[int, int]] = []
    for here, there in found.places:
        places.append((own.in_text((here, here + 1))[0], others.in_text((there, there + 1))[0]))
    return Differences(
        [piece for stretch in found.one for piece in own.pieces(stretch)],
        [piece for stretch in found.other for piece in others.pieces(stretch)],
        found.alike,
        places,
    )


def _pieces(pattern: re.Pattern[str], text: str) -> tuple[list[Stretch], list[str]]:
    """Where the pieces of a text are, and what they are compared by."""
    found = [piece.span() for piece in pattern.finditer(text)]
    return found, [" ".join(text[start:end].casefold().split()) for start, end in found]


def _telling(blocks: Sequence[Common]) -> list[Common]:
    """Without words in common that stand alone among others: an `of` between two changed halves of
    a sentence. The last block is the end of both texts.
    """
    kept: list[Common] = []
    for block, following in pairwise(blocks):
        before = _gap(kept[-1] if kept else (0, 0, 0), block)
        behind = _gap(block, following)
        count = block[-1]
        if count >= FEW or min(before, behind) < max(count, FEW - 1):
            kept.append(block)
    return kept


def _gap(block: Common, following: Common) -> int:
    """How many words, of the text that has more, stand between two."""
    one, other, count = block
    return max(following[0] - one, following[1] - other) - count


def _alone(pieces: Sequence[Stretch], common: Iterable[tuple[int, int]]) -> Iterator[Stretch]:
    """The stretches of what is not in common, those that follow one another as one."""
    done = 0
    for start, count in [*common, (len(pieces), 0)]:
        if done < start:
            yield pieces[done][0], pieces[start - 1][1]
        done = start + count


# -- the two cells ---------------------------------------------------------------------------------

HERE = 0
THERE = 1
"""The sides: the cell that one came from, and the one beside it."""
BOTH = (HERE, THERE)
LABEL = 14  # cells of what tells a side from the other, at most
FRAME = 6  # cells of a frame at both ends of its words
NONE = "Cells of this trait have no instruction in common to compare."


class Sides(AskedCells):
    """A cell and the others that answer its question, one at a time beside it; gives the cell to
    open, with the instruction under the cursor.
    """

    NAME = "SIDE BY SIDE"

    def __init__(self, context: CompareContext, here: int, others: Sequence[OtherAnswer]) -> None:
        subject = context.bench.workspace.cell(here)[1].subject
        super().__init__(context, subject.kind, subject.trait)
        self._here = here
        self._others = others
        self._differences: dict[int, Differences] = {}
        self.partner = 0
        self.active = HERE
        self.marks_words = True
        self.asked: Sequence[Instruction] = ()
        if subject.kind.answering:
            self.asked = list(subject.kind.standings(subject.trait, subject.kind.blank))

    # -- which cells ------------------------------------------------------------------------------

    @property
    def numbers(self) -> tuple[int, int]:
        """The cells of both sides."""
        return self._here, self._others[self.partner].cell

    def side(self, side: int) -> Cell:
        return self.known(self.numbers[side]).cell

    def trace(self, side: int) -> Trace:
        return self.side(side).subject.trace

    def changed(self, change: Change) -> bool:
        super().changed(change)
        return change.no in self.numbers

    @property
    def question(self) -> str:
        """What both answer, as far as it is known: the newest turn of a conversation."""
        for side in BOTH:
            prompt, words = prompt_in(self.bench, self.side(side))
            if prompt:
                before = f"After {many(len(prompt.earlier), 'turn')}: " if prompt.earlier else ""
                return before + words
        return ""

    def label(self, side: int) -> str:
        """What tells a side from the other: its model, its epoch, or else its id."""
        here = self.trace(side)
        other = self.trace(THERE - side)
        if here.model != other.model and here.model:
            return here.model
        if here.model == other.model and here.epoch != other.epoch:
            return f"epoch {here.epoch}"
        return name_of(here.id, here.epoch)

    # -- the rows ---------------------------------------------------------------------------------

    @property
    def here(self) -> AskedCell | None:
        """The row under the cursor, of the active side."""
        if self.cursor.row < len(self.asked):
            return AskedCell(self.numbers[self.active], self.asked[self.cursor.row])
        return None

    def word(self, side: int, asked: Instruction) -> str:
        """How a side answers; "" where it has no labels."""
        return self.side(side).standings.get(asked, "")

    def differing(self) -> list[int]:
        """The rows that both sides, judged, answer otherwise, in order."""
        found = []
        for index, asked in enumerate(self.asked):
            one = self.word(HERE, asked)
            other = self.word(THERE, asked)
            if one and other and one != other:
                found.append(index)
        return found

    def rows(self) -> ShownRows:
        """The instructions, what is compared, how alike the words are, how many rows differ."""
        marks = self.marks
        differing = self.differing()
        left = [Part("Side by side", "strong"), Part(self.side(HERE).subject.trait.name, "", 1)]
        if not marks.bars:  # plain output has no frames with titles
            labels = [self.label(side) for side in BOTH]
            labels[self.active] = f"{marks.cursor}{labels[self.active]}"
            left.append(Part(" beside ".join(labels), "", 1))
        if len(self._others) > 1:
            left.append(Part(f"answer {self.partner + 1} of {len(self._others)}", "", 2))
        whose = "the words"
        if self.trace(HERE).transcript is not None:
            whose = "the assistant's words"
        alike = f"{int(100 * self.differences.alike)} % of {whose} in common"
        if not self.are_alike:
            alike = "texts too different to mark"
        title = "Instructions"
        if differing:
            title += f" · {marks.split} {len(differing)} of {len(self.asked)} answered differently"
        elif self.asked:
            title += " · none answered differently"
        things = [(asked, index in differing) for index, asked in enumerate(self.asked)]
        section = ListSection(DrawnRows(things, self._drawn), empty=NONE, whole=True)
        return ShownRows([section], left, [Part(alike, "muted", 3)], title)

    def _drawn(self, row: tuple[Instruction, bool]) -> ListRow:
        """An instruction, marked where the answers differ; both on one line, so that no cut parts
        them, then what each rests on.
        """
        (asked, differs) = row
        marks = self.marks
        sign = column(marks.split if differs else "", cell_width(marks.split) + 1)
        answers: list[StyledText] = []
        below: list[tuple[StyledText, ...]] = []
        for side in BOTH:
            name = f"{clip(self.label(side), LABEL, marks)}: "
            label = StyledText(name, "key" if side == self.active else "muted")
            if not self.word(side, asked):
                unjudged = StyledText(column("not judged", WORD + 1, marks), "muted")
                answers += [label, unjudged]
                continue
            known = self.row(AskedCell(self.numbers[side], asked))
            answers += [label, answer_column(known.grounds, marks)]
            if known.was:
                answers.append(StyledText(f"was {known.was}  ", "corrected"))
            if grounds := borne_out(known.grounds, self.side(side).subject, marks):
                below.append((label, *grounds))
        left = (StyledText(sign, "flag"), *place_text(self.side(HERE), asked))
        return ListRow(asked.text, left, below=(tuple(answers), *below))

    # -- the responses ----------------------------------------------------------------------------

    @property
    def differences(self) -> Differences:
        partner = self.numbers[THERE]
        if partner not in self._differences:
            one, other = (self.trace(side) for side in BOTH)
            self._differences[partner] = own_differences(one, other)
        return self._differences[partner]

    @property
    def are_alike(self) -> bool:
        """Whether so much is in common that differences are worth marking."""
        return self.differences.alike >= ALIKE

    def beside(self) -> Beside:
        """The row under the cursor in both responses."""
        spans = []
        revealed = dict[int, Stretch]()
        for side in BOTH:
            spans.append(self._spans(side))
            if side == self.active:
                spans[side] += self.offered_spans()
            chosen = [span for span in spans[side] if span.selected]
            if chosen:
                revealed[side] = chosen[0].start, chosen[0].end
        if len(revealed) == 1 and self.are_alike:
            ((side, (offset, _)),) = revealed.items()
            there = self.differences.counterpart(offset, back=side == THERE)
            revealed[THERE - side] = there, there
        texts = []
        for side in BOTH:
            trace = self.trace(side)
            shown = revealed.get(side)
            active = side == self.active
            text = ShownText(
                trace.text, spans[side], shown, is_active=active, transcript=trace.transcript
            )
            texts.append(text)
        return Beside(flat(self.question), texts)

    def _spans(self, side: int) -> list[StyledSpan]:
        """What is marked in a response: the evidence of all rows, what else the labels rest on, and
        the words that the other response has not.
        """
        found = [*self._evidence(side)]
        shown = {(span.start, span.end) for span in found}
        subject = self.side(side).subject
        labels = self.side(side).labels
        if labels is not None:
            found += [
                StyledSpan(span.start, span.end, "evidence", dim=True)
                for span in subject.kind.evidence(subject.trait, labels)
                if span.document is None and span[:2] not in shown
            ]
        if self.marks_words and self.are_alike:
            differing = (self.differences.one, self.differences.other)[side]
            found += [StyledSpan(*stretch, "differs", aside=True) for stretch in differing]
        return found

    def _evidence(self, side: int) -> Iterator[StyledSpan]:
        for place, asked in enumerate(self.asked):
            grounds = self.row(AskedCell(self.numbers[side], asked)).grounds
            mark = behind(grounds.style, str(asked.number) if asked.of else "", self.marks)
            for start, end in grounds.spans:
                style = grounds.style or "evidence"
                selected = place == self.cursor.row
                yield StyledSpan(start, end, style, mark, selected=selected)

    def titles(self, side: int, room: int) -> tuple[str, str]:
        """What the frame of a response says, in so many cells: which it is, what was done to its
        cell, its numbers. Where there is little room the last numbers stay.
        """
        cell = self.side(side)
        trace = self.trace(side)
        marks = self.marks
        sign = marks.cursor if side == self.active else " "
        names = dict.fromkeys((self.label(side), name_of(trace.id, trace.epoch)))
        title = f"{sign} {getattr(marks, cell.state)} {' · '.join(names)}"
        numbers = [f"{one.short} {value(one, marks)}" for one in measure_line(None, cell, "").now]
        text = "  ".join(numbers)
        offered = [f"{done(cell, marks)}   {text}".rstrip(), text]
        offered += [" ".join(numbers[first:]) for first in range(len(numbers) + 1)]
        text = next(text for text in offered if cell_width(text) <= max(room, 0))
        return spelt(clip(title, room, marks), marks), text

    def strip(self, keys: Sequence[Key]) -> Sequence[Key]:
        if len(self._others) > 1:
            return keys
        return [key for key in keys if key.id != "side_by_side"]

    def signs(self) -> dict[str, str]:
        states = [self.side(side).state for side in BOTH]
        signs = {getattr(self.marks, state): f"the cell is {state}" for state in states}
        signs[self.marks.split] = "answered differently on the other side"
        return signs

    # -- acts -------------------------------------------------------------------------------------

    def sayable(self) -> Mapping[str, str]:
        subject = self.side(HERE).subject
        if subject.kind.answering is None or not self.asked:
            return {}
        return subject.kind.answering.sayable(subject.trait, self.asked[self.cursor.row])

    def turn(self) -> Outcome:
        """The active side answers as the other does; where they agree, the other of two answers."""
        if not self.given:
            return ""
        asked = self.asked[self.cursor.row]
        return self.turn_to(self.word(self.active, asked), self.word(THERE - self.active, asked))

    def in_sight(self) -> Collection[int]:
        return self.numbers

    def make_active(self, side: int) -> Outcome:
        """Makes a side the active one; -1 is the other."""
        self.active = THERE - self.active if side < HERE else side
        return ""

    def walk(self, by: int) -> Outcome:
        """The next row that is answered differently, the first behind the last."""
        rows = self.differing()[::by]
        if not rows:
            return "No instruction is answered differently."
        if rows == [self.cursor.row]:
            return "This is the only one that is answered differently."
        further = [row for row in rows if (row - self.cursor.row) * by > 0]
        self.cursor = Cursor(0, (further or rows)[0])
        return ""

    def next_partner(self) -> Outcome:
        """Another answer comes beside the first, the first of them after the last."""
        if len(self._others) == 1:
            return "There is no further answer to this question."
        self.partner = (self.partner + 1) % len(self._others)
        return ""

    def words(self) -> Outcome:
        """Marks the words in which the answers differ, or leaves them unmarked."""
        if not self.are_alike:
            return "Too little is in common: nearly every word would be marked."
        self.marks_words = not self.marks_words
        return ""

    def open(self) -> Outcome:
        return Leave(self.here or self.numbers[self.active])


class SidesScreen(ComparingScreen):
    """Both responses above the rows, or at both sides; on a narrow screen the active one."""

    WIDE = 160  # the rows are between the responses
    TALL = 36
    BELOW = True
    of: Sides

    def parts(self) -> Iterable[Widget]:
        self.texts = [TextView(id=name, marks=self.marks) for name in ("one", "other")]
        for text in self.texts:
            text.can_focus = False
        self.texts[self.of.active].add_class("-active")
        return self.texts[HERE], self.lines, self.texts[THERE]

    def fit(self, size: Size) -> None:
        super().fit(size)
        if self.across.is_mounted:
            if self.has_class("-wide"):
                self.across.move_child(self.lines, before=self.texts[THERE])
            else:
                self.across.move_child(self.lines, after=self.texts[THERE])

    def entitle(self, view: TextView, _: ShownText) -> None:
        room = view.outer_size.width - FRAME
        entitle(view, *self.of.titles(self.texts.index(view), room))

    def on_click(self, event: Click) -> None:
        for side in BOTH:
            if event.widget is self.texts[side]:
                self.do(partial(self.of.make_active, side))

    # -- keys --------------------------------------------------------------------------------------

    KEYS = (
        help_key("sides.help", Strip(1, 9)),
        Key(
            "sides.turn",
            "tab,shift+tab",
            "side",
            "the other side: answers go to the active one",
            Act(Sides.make_active, -1),
            shown="Tab",
            strip=Strip(2, 1),
        ),
        *together(
            "the left side, the right",
            Key("sides.left", "left,h", "", "the left side", Act(Sides.make_active, 0), shown="←"),
            Key("sides.right", "right,l", "", "the right", Act(Sides.make_active, 1), shown="→"),
        ),
        *together(
            "another sentence for an answer, the one before",
            Key("sides.offer", "p", "", "another sentence for an answer", Act(AskedCells.offer, 1)),
            Key("sides.offer_before", "P", "", "the one before", Act(AskedCells.offer, -1)),
        ),
        *together(
            "open the cell of the active side there; {side_by_side:s} or {back:(} comes back",
            Key("lines.choose", "enter", "its cell", "", shown="Enter", strip=Strip(5, 6)),
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
            "text.none", Act(AskedCells.take_none), text="the answer takes no words of the response"
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
        of_bench("back", Act(Comparison.leave), text="back to the cell that you came from"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
