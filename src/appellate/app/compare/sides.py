"""Two answers to one question: their cells, how each instruction is answered in both, and where
their words differ.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from appellate.app.compare.answers import EvidenceOffers
from appellate.app.compare.rows import AskedRow, row_of
from appellate.app.reading.response_spans import behind
from appellate.core.cell import Cell
from appellate.core.kind import Instruction
from appellate.core.messages import asked as prompt_of
from appellate.core.messages import turns_of
from appellate.core.problem import many
from appellate.core.trace import Trace, name_of
from appellate.session.workbench import Change, Workbench
from appellate.store.files.wordings import AskedCell
from appellate.store.traces import OtherAnswer
from appellate.ui.marks import Marks
from appellate.ui.page import StyledSpan
from appellate.ui.selecting import Stretch

ALIKE = 0.3
"""The share of words in common from which differences are worth marking."""
FEW = 3  # words in common that say nothing between so many others
LARGEST = 33_000**2  # pairs of characters: longer texts are compared by sentences
_WORD = re.compile(r"\w+(?:[.,'’\-]\w+)*|[<>≤≥=±+%°]")
_SENTENCE = re.compile(r"[^\n.!?\s][^\n.!?]*[.!?]*")


class CommonWords(Struct, frozen=True):
    """So many words that follow one another in both texts, from these places on."""

    one: int
    other: int
    count: int


class Differences(Struct, frozen=True):
    """What is in one text alone, what in the other, and the share of words in common (0 … 1).

    `places` are offsets in both texts from which the same follows, in order.
    """

    one: Sequence[Stretch]
    other: Sequence[Stretch]
    alike: float
    places: Sequence[tuple[int, int]]

    def counterpart(self, offset: int, *, back: bool = False) -> int:
        """The offset in the other text that a place in the one stands at; `back` the other way."""
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
    unit = _WORD
    if len(one) * len(other) > LARGEST:
        unit = _SENTENCE
    words, others = _pieces(unit, one), _pieces(unit, other)
    parts, texts = _folded(one, words), _folded(other, others)
    common = _telling(_common(parts, texts), len(parts), len(texts))
    count = sum(block.count for block in common)
    alike = 1.0
    if parts or texts:
        alike = 2 * count / (len(parts) + len(texts))
    return Differences(
        _left(words, [(block.one, block.count) for block in common]),
        _left(others, [(block.other, block.count) for block in common]),
        alike,
        [(words[block.one][0], others[block.other][0]) for block in common],
    )


def _pieces(pattern: re.Pattern[str], text: str) -> list[Stretch]:
    return [found.span() for found in pattern.finditer(text)]


def _folded(text: str, pieces: Sequence[Stretch]) -> list[str]:
    return [" ".join(text[start:end].casefold().split()) for start, end in pieces]


def _common(one: Sequence[str], other: Sequence[str]) -> list[CommonWords]:
    """The longest sequence of words that both have."""
    from rapidfuzz.distance import LCSseq  # only here: 10 ms

    return [
        CommonWords(step.src_start, step.dest_start, step.src_end - step.src_start)
        for step in LCSseq.opcodes(one, other)
        if step.tag == "equal"
    ]


def _telling(blocks: Sequence[CommonWords], here: int, there: int) -> list[CommonWords]:
    """Without words in common that stand alone among others: an `of` between two changed halves of
    a sentence.
    """
    kept: list[CommonWords] = []
    end = CommonWords(here, there, 0)
    for block, following in pairwise([*blocks, end]):
        before = _gap(kept[-1] if kept else CommonWords(0, 0, 0), block)
        behind = _gap(block, following)
        if block.count >= FEW or min(before, behind) < max(block.count, FEW - 1):
            kept.append(block)
    return kept


def _gap(block: CommonWords, following: CommonWords) -> int:
    """How many words, of the text that has more, stand between two."""
    one = following.one - block.one - block.count
    return max(one, following.other - block.other - block.count)


def _left(pieces: Sequence[Stretch], common: Sequence[tuple[int, int]]) -> list[Stretch]:
    """The stretches of what is not in common, those that follow one another as one."""
    found: list[Stretch] = []
    for first, last in _between(common, len(pieces)):
        found.append((pieces[first][0], pieces[last - 1][1]))
    return found


def _between(common: Sequence[tuple[int, int]], count: int) -> Iterator[tuple[int, int]]:
    done = 0
    for start, length in [*common, (count, 0)]:
        if done < start:
            yield done, start
        done = start + length


HERE, THERE = 0, 1
"""The sides: the cell that one came from, and the one beside it."""
BOTH = (HERE, THERE)


class Sides:
    """A cell and those that answer the same question, one of which stands beside it.

    Cells are folded once, what is known of a row is found when it is shown.
    """

    def __init__(self, bench: Workbench, here: int, others: Sequence[OtherAnswer]) -> None:
        self._bench = bench
        self._here, self._others = here, others
        self._cells: dict[int, Cell] = {}
        self._rows: dict[AskedCell, AskedRow] = {}
        self._offered: dict[AskedCell, AskedRow] = {}
        self._differences: dict[int, Differences] = {}
        self.partner = 0
        self.active = HERE
        self.marks_words = True
        self.marked: set[AskedCell] = set()
        self.offers = EvidenceOffers(self._offering)
        subject = self.cell(HERE).subject
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

    def cell(self, side: int) -> Cell:
        return self._cell(self.numbers[side])

    def _cell(self, number: int) -> Cell:
        if number not in self._cells:
            self._cells[number] = self._bench.workspace.cell(number)[1].shown
        return self._cells[number]

    def trace(self, side: int) -> Trace:
        return self.cell(side).subject.trace

    @property
    def question(self) -> str:
        """What both answer, as far as it is known: the newest turn of a conversation."""
        rubric = self._bench.workspace.rubric
        for side in BOTH:
            trace = self.trace(side)
            prompt = prompt_of(turns_of(trace, rubric.question_text(trace)))
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

    def forget(self) -> None:
        """To call when any cell may have changed."""
        self._cells.clear()
        self._rows.clear()
        self._offered.clear()

    def changed(self, change: Change) -> bool:
        """Takes in what happened to a cell; whether it is one of the two."""
        self._cells.pop(change.no, None)
        for rows in (self._rows, self._offered):
            for asked in [one for one in rows if one.cell == change.no]:
                del rows[asked]
        return change.no in self.numbers

    # -- the rows ---------------------------------------------------------------------------------

    def at(self, side: int, index: int) -> AskedCell | None:
        """A row of one side, where there is any."""
        if index < len(self.asked):
            return AskedCell(self.numbers[side], self.asked[index])
        return None

    def row(self, asked: AskedCell) -> AskedRow:
        """What is known of a row of one side, without what might bear an answer out."""
        if asked not in self._rows:
            self._rows[asked] = row_of(asked, self._cell(asked.cell), offering=False)
        return self._rows[asked]

    def _offering(self, asked: AskedCell) -> AskedRow:
        if asked not in self._offered:
            self._offered[asked] = row_of(asked, self._cell(asked.cell))
        return self._offered[asked]

    def answer(self, side: int, index: int) -> str:
        """The word for how a side answers; "" where it has no labels."""
        return self.cell(side).standings.get(self.asked[index], "")

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
            texts = [self.trace(side).response for side in BOTH]
            self._differences[partner] = differences(*texts)
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
        subject, labels = self.cell(side).subject, self.cell(side).labels
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
