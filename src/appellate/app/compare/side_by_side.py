"""Two answers to one question beside each other, with how each instruction is answered in both, to
see what they differ in and judge them by one measure.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual import on
from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Size
from textual.widget import Widget

from appellate.app.compare.asked import AskedRows
from appellate.app.compare.screen import (
    WORD,
    AnsweringScreen,
    answer_column,
    borne_out,
    own_keys,
    place_text,
    prompt_in,
)
from appellate.app.header import done, measure_line
from appellate.app.reading.response_spans import behind
from appellate.core.cell import Cell
from appellate.core.kind import Instruction
from appellate.core.problem import many
from appellate.core.trace import Trace, name_of
from appellate.session.workbench import Change, Workbench
from appellate.store.files.wordings import AskedCell
from appellate.store.trace_rows import OtherAnswer
from appellate.ui.bar import Part
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.measures_bar import MeasureValue, value
from appellate.ui.page import StyledSpan
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import cell_width, clip, column, entitle, flat, plain
from appellate.ui.text_view import TextView

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

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
    """Compares two texts word by word, in any case and leaving punctuation aside; very long ones
    sentence by sentence.
    """
    from rapidfuzz.distance import LCSseq  # only here: 10 ms

    unit = _WORD
    if len(one) * len(other) > LARGEST:
        unit = _SENTENCE
    words, others = _pieces(unit, one), _pieces(unit, other)
    parts, texts = _folded(one, words), _folded(other, others)
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


def _pieces(pattern: re.Pattern[str], text: str) -> list[Stretch]:
    return [found.span() for found in pattern.finditer(text)]


def _folded(text: str, pieces: Sequence[Stretch]) -> list[str]:
    return [" ".join(text[start:end].casefold().split()) for start, end in pieces]


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

HERE, THERE = 0, 1
"""The sides: the cell that one came from, and the one beside it."""
BOTH = (HERE, THERE)
LABEL = 14  # cells of what tells a side from the other, at most
LEAST = 76  # the columns for two responses beside each other; below, the active one is alone
FRAME = 4  # cells of a frame at both ends of its words
SHARE = 0.5  # of the height that rows below take, at most
USUAL, EDGES, FEWEST = 3, 2, 5  # lines of a row, of the frame around all, and of all with it
NONE = "Cells of this trait have no instruction in common to compare."


class Sides(AskedRows):
    """A cell and those that answer the same question, one of which is beside it."""

    def __init__(self, bench: Workbench, here: int, others: Sequence[OtherAnswer]) -> None:
        super().__init__(bench)
        self._here, self._others = here, others
        self._differences: dict[int, Differences] = {}
        self.partner = 0
        self.active = HERE
        self.marks_words = True
        subject = self.side(HERE).subject
        self.asked: Sequence[Instruction] = ()
        if subject.kind.answering:
            self.asked = list(subject.kind.standings(subject.trait, subject.kind.blank))

    # -- which cells ------------------------------------------------------------------------------

    @property
    def numbers(self) -> tuple[int, int]:
        """The cells of both sides."""
        return self._here, self._others[self.partner].cell

    @property
    def partners(self) -> int:
        return len(self._others)

    def next_partner(self) -> None:
        """Another answer comes beside the first, the first of them after the last."""
        self.partner = (self.partner + 1) % len(self._others)

    def side(self, side: int) -> Cell:
        return self.cell(self.numbers[side])

    def trace(self, side: int) -> Trace:
        return self.side(side).subject.trace

    @property
    def question(self) -> str:
        """What both answer, as far as it is known: the newest turn of a conversation."""
        for side in BOTH:
            prompt = prompt_in(self._bench, self.trace(side))
            if prompt and prompt.earlier:
                return f"After {many(len(prompt.earlier), 'turn')}: {prompt.newest.text}"
            if prompt:
                return prompt.newest.text
        return ""

    def label(self, side: int) -> str:
        """What tells a side from the other: its model, its epoch, or else its id."""
        here, other = self.trace(side), self.trace(THERE - side)
        if here.model != other.model and here.model:
            return here.model
        if here.model == other.model and here.epoch != other.epoch:
            return f"epoch {here.epoch}"
        return name_of(here.id, here.epoch)

    # -- the rows ---------------------------------------------------------------------------------

    def at(self, side: int, index: int) -> AskedCell | None:
        """A row of one side, where there is any."""
        if index < len(self.asked):
            return AskedCell(self.numbers[side], self.asked[index])
        return None

    def answer(self, side: int, index: int) -> str:
        """The word for how a side answers; "" where it has no labels."""
        return self.side(side).standings.get(self.asked[index], "")

    def differs(self, index: int) -> bool:
        """Whether both sides are judged, and answer an instruction otherwise."""
        one, other = self.answer(HERE, index), self.answer(THERE, index)
        return bool(one and other) and one != other

    def differing(self) -> list[int]:
        """The rows that are answered otherwise, in order."""
        return [index for index in range(len(self.asked)) if self.differs(index)]

    # -- the words --------------------------------------------------------------------------------

    @property
    def differences(self) -> Differences:
        partner = self.numbers[THERE]
        if partner not in self._differences:
            one, other = (self.trace(side).response for side in BOTH)
            self._differences[partner] = differences(one, other)
        return self._differences[partner]

    @property
    def are_alike(self) -> bool:
        """Whether so much is in common that differences are worth marking."""
        return self.differences.alike >= ALIKE

    def spans(self, side: int, index: int, marks: Marks) -> list[StyledSpan]:
        """What is marked in a side's response: the evidence of all rows, with that of one selected,
        what else its labels stand on, and the words that the other has not.
        """
        found = [*self._evidence(side, index, marks)]
        shown = {(span.start, span.end) for span in found}
        subject, labels = self.side(side).subject, self.side(side).labels
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

    def _evidence(self, side: int, index: int, marks: Marks) -> Iterator[StyledSpan]:
        for place, asked in enumerate(self.asked):
            grounds = self.row(AskedCell(self.numbers[side], asked)).grounds
            mark = behind(grounds.style, str(asked.number) if asked.of else "", marks)
            for start, end in grounds.spans:
                yield StyledSpan(
                    start, end, grounds.style or "evidence", mark, selected=place == index
                )


class SidesScreen(AnsweringScreen[AskedCell | int | None]):
    """Both answers; gives the cell to open, with the instruction that is under the cursor."""

    NAME = "SIDE BY SIDE"
    WIDE = 160  # the rows are between the responses
    TALL = 36
    OWN = own_keys(
        "sides",
        """\
turn  tab,shift+tab  Tab  side(-1)  the other side: answers go to the active one
left  left,h  ←  side(0)  the left side
right  right,l  →  side(1)  ", the right
offer  p  p  offer(1)  another sentence for an answer
offer_before  P  P  offer(-1)  ", the one before
lines.choose  enter  Enter  -  open the cell of the active side there; {side_by_side:s} or \
{back:(} comes back
open  o  o  open  "
otherwise  space  Space  turn  the answer of the other side
words  d  d  words  mark the words that the other answer has not, or leave them unmarked
scroll  plus  +  scroll(1)  scroll both responses on
scroll_back  minus  -  scroll(-1)  ", and back
leave  escape,q  Esc  leave  leave""",
    )
    BINDINGS: ClassVar[list[BindingType]] = [*OWN.bindings]
    SHARED = """\
cell.undo  turn_back('undo')  take back your last act, wherever it was
cell.redo  turn_back('redo')  do it again
item.reason  reason  say why the last answer was given
cell.flag  flag  set the flag of the active side's cell, or take it down
text.none  take_none  the answer takes no words of the response
unreviewed.next  walk(1)  the next instruction that is answered otherwise
unreviewed.previous  walk(-1)  the one before that is answered otherwise
side_by_side  next_partner  the next answer to the question beside this one
back  leave  back to the cell that you came from"""
    STRIP = """\
2  turn  side
3  unreviewed.next  next difference
4  answers
6  side_by_side  next answer
7  cell.undo  undo
5  lines.choose  its cell
8  words  differences
10  item.reason  reason
1  help  keys
9  leave  back"""
    ANSWERS = "the active side answers “{}”"

    def __init__(self, at: "Workplace", sides: Sides, index: int) -> None:
        subject = sides.side(HERE).subject
        super().__init__(at, sides, subject.kind, subject.trait)
        self._sides, self._begin_at = sides, index
        self.texts = [TextView(id=name, marks=at.marks) for name in ("one", "other")]
        self.prompt.update(plain(flat(sides.question)))
        self.prompt.display = bool(sides.question)
        self._shared_rows = ""

    def parts(self) -> Iterable[Widget]:
        """The widgets, laid out for the room that there will be."""
        self._arrange(self.app.size, len(self._sides.asked) * USUAL)
        one, other = self.texts
        if self.has_class("-wide"):
            return one, self.lines, other
        return one, other, self.lines

    def on_mount(self) -> None:
        for text in self.texts:
            text.can_focus = False
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Shows the pair once there is room: what is shown before is wrapped twice."""
        self.show_pair(self._begin_at)

    def fit(self, size: Size) -> None:
        other = self.texts[THERE]
        if self.has_class("-wide"):
            self.across.move_child(self.lines, before=other)
        else:
            self.across.move_child(self.lines, after=other)
        self._arrange(size, self.lines.height_uncut)
        self.count()

    def _arrange(self, size: Size, rows: int) -> None:
        """Gives the rows as many lines as they take, and at most their share, or what the responses
        leave.
        """
        self.set_class(size.width < LEAST, "-narrow")
        shared = "1fr"
        if size.width < self.WIDE:
            shared = f"1fr {self._rows_below(size, rows)}"
        if shared != self._shared_rows:
            self._shared_rows = shared
            self.across.styles.grid_rows = shared
            if self.across.is_mounted:
                self.across.call_after_refresh(self.look)  # less may be in sight

    def _rows_below(self, size: Size, rows: int) -> int:
        taken = max(text.virtual_size.height for text in self.texts) + EDGES
        most = max(int(size.height * SHARE), self.across.size.height - max(taken, FEWEST))
        return max(min(rows + EDGES, most), FEWEST)

    # -- the rows ---------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        """The row under the cursor."""
        return self.lines.cursor.row

    @property
    def here(self) -> AskedCell | None:
        """The row under the cursor, of the active side."""
        return self._sides.at(self._sides.active, self.index)

    def show_pair(self, index: int) -> None:
        """Shows both sides from their beginnings, with the cursor on a row."""
        self.show_rendered()
        self.show_rows()
        self.lines.go(0, index)
        self.look()
        self._arrange(self.size, self.lines.height_uncut)

    def show_rows(self) -> None:
        """Shows how the rows are answered by now."""
        rows = DrawnRows(range(len(self._sides.asked)), self._drawn)
        self.lines.show(ListSection(rows, empty=NONE, whole=True))
        self._arrange(self.size, self.lines.height_uncut)
        self.count()

    def _drawn(self, index: int) -> ListRow:
        """A row: marked where the answers differ; both answers on one line, so that no cut parts
        them, then what each rests on.
        """
        sides, marks = self._sides, self.marks
        asked = sides.asked[index]
        sign = marks.split if sides.differs(index) else ""
        left = [StyledText(column(sign, cell_width(marks.split) + 1), "flag")]
        left += place_text(sides.side(HERE), asked)
        answers: list[StyledText] = []
        below: list[tuple[StyledText, ...]] = []
        for side in BOTH:
            name = f"{clip(sides.label(side), LABEL, marks)}: "
            label = StyledText(name, "key" if side == sides.active else "muted")
            if not sides.answer(side, index):
                unjudged = StyledText(column("not judged", WORD + 1, marks), "muted")
                answers += [label, unjudged]
                continue
            row = sides.row(AskedCell(sides.numbers[side], asked))
            answers += [label, answer_column(row.grounds, marks)]
            if row.was:
                answers.append(StyledText(f"was {row.was}  ", "corrected"))
            if grounds := borne_out(row.grounds, row.trace.response, marks):
                below.append((label, *grounds))
        return ListRow(asked.text, tuple(left), below=(tuple(answers), *below))

    # -- around them ------------------------------------------------------------------------------

    def count(self) -> None:
        """What is compared, how alike the words are, how many rows are answered otherwise."""
        sides, marks = self._sides, self.marks
        trait = sides.side(HERE).subject.trait.name
        left = [Part("Side by side", "strong"), Part(trait, "", 1)]
        if not marks.bars:  # plain output has no frames with titles
            labels = [sides.label(side) for side in BOTH]
            labels[sides.active] = f"{marks.cursor}{labels[sides.active]}"
            left.append(Part(" beside ".join(labels), "", 1))
        if sides.partners > 1:
            left.append(Part(f"answer {sides.partner + 1} of {sides.partners}", "", 2))
        alike = f"{int(100 * sides.differences.alike)} % of the words in common"
        if not sides.are_alike:
            alike = "texts too different to mark"
        self.counts.show(left, [Part(alike, "muted", 3)])
        title = "Instructions"
        if differing := sides.differing():
            title += f" · {marks.split} {len(differing)} of {len(sides.asked)} answered otherwise"
        elif sides.asked:
            title += " · none answered otherwise"
        entitle(self.lines, spelt(title, marks))
        for side in BOTH:
            self._entitle(side)

    def _entitle(self, side: int) -> None:
        sides, marks, view = self._sides, self.marks, self.texts[side]
        cell, trace = sides.side(side), sides.trace(side)
        active = side == sides.active
        view.set_class(active, "-active")
        name = name_of(trace.id, trace.epoch)
        title = f"{marks.cursor if active else ' '} {getattr(marks, cell.state)} "
        title += " · ".join(dict.fromkeys((sides.label(side), name)))
        room = view.outer_size.width - FRAME
        text = _fitted(measure_line(None, cell, "").now, room, marks)
        state = f"{done(cell, marks)}   {text}"
        if cell_width(state) <= room:
            text = state
        entitle(view, spelt(clip(title, room, marks), marks), text)

    def look(self) -> None:
        """Shows the row under the cursor in both responses."""
        sides, marks = self._sides, self.marks
        revealed: dict[int, int] = {}
        for side in BOTH:
            spans = sides.spans(side, self.index, marks)
            if side == sides.active:
                spans += self.offered()
            self.texts[side].show(sides.trace(side).response, spans)
            chosen = [span for span in spans if span.selected]
            if chosen:
                revealed[side] = chosen[0].start
                self.texts[side].reveal(chosen[0].start, chosen[0].end)
        if len(revealed) == 1 and sides.are_alike:
            ((side, offset),) = revealed.items()
            there = sides.differences.counterpart(offset, back=side == THERE)
            self.texts[THERE - side].reveal(there)
        if sides.partners > 1:
            self.show_hints()  # which name the answers of the instruction under the cursor
        else:
            self.show_hints("side_by_side")

    @on(Lines.Chosen, "#rows")
    def action_open(self) -> None:
        self.dismiss(self.here or self._sides.numbers[self._sides.active])

    def changed(self, change: Change) -> None:
        self._sides.forget(change.no)
        if change.no in self._sides.numbers:
            self.call_next(self._draw_anew)

    def _draw_anew(self) -> None:
        self.show_rows()
        self.look()

    # -- answers ----------------------------------------------------------------------------------

    def sayable(self) -> Mapping[str, str]:
        subject = self._sides.side(HERE).subject
        if subject.kind.answering is None or not self._sides.asked:
            return {}
        return subject.kind.answering.sayable(subject.trait, self._sides.asked[self.index])

    def action_turn(self) -> None:
        """The active side answers as the other does; where they agree, the other of two answers."""
        active = self._sides.active
        if self.words():
            now, there = (self._sides.answer(side, self.index) for side in (active, THERE - active))
            self.turn_to(now, there)

    # -- keys -------------------------------------------------------------------------------------

    def on_click(self, event: Click) -> None:
        for side in BOTH:
            if event.widget is self.texts[side]:
                self.action_side(side)

    def action_side(self, side: int) -> None:
        """Makes a side the active one; -1 is the other."""
        if side < HERE:
            side = THERE - self._sides.active
        self._sides.active = side
        self._draw_anew()

    def action_walk(self, by: int) -> None:
        """The next row that is answered otherwise, the first behind the last."""
        rows = self._sides.differing()[::by]
        if not rows:
            self.say("No instruction is answered otherwise.")
        elif rows == [self.index]:
            self.say("This is the only one that is answered otherwise.")
        else:
            further = [row for row in rows if (row - self.index) * by > 0]
            self.lines.go(0, (further or rows)[0])
            self.look()

    def action_next_partner(self) -> None:
        if self._sides.partners == 1:
            self.say("There is no further answer to this question.")
            return
        self._sides.next_partner()
        self.show_pair(self.index)

    def action_words(self) -> None:
        """Marks the words in which the answers differ, or leaves them unmarked."""
        if not self._sides.are_alike:
            self.say("Too little is in common: nearly every word would be marked.")
            return
        self._sides.marks_words = not self._sides.marks_words
        self.count()
        self.look()

    def signs(self) -> dict[str, str]:
        states = [self._sides.side(side).state for side in BOTH]
        signs = {getattr(self.marks, state): f"the cell is {state}" for state in states}
        signs[self.marks.split] = "answered otherwise on the other side"
        return signs


def _fitted(values: Sequence[MeasureValue], room: int, marks: Marks) -> str:
    """Numbers in so many cells; where not all fit, the last, which are what one looks at first."""
    texts = [f"{one.short} {value(one, marks)}" for one in values]
    for gap in ("  ", " "):
        if cell_width(gap.join(texts)) <= room:
            return gap.join(texts)
    while texts and cell_width(" ".join(texts)) > room:
        texts.pop(0)
    return " ".join(texts)
