"""One instruction in all cells that are asked it: which rows are shown and in which order, what is
marked, and which words an answer would take.

A row is read when it comes into sight. Only sorting out rows reads all of them, a few at a time.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import NamedTuple

from appellate.app.compare.answers import EvidenceOffers
from appellate.app.compare.rows import AskedRow, RowReader, row_of
from appellate.core.trace import name_of
from appellate.session.workbench import Change, Workbench
from appellate.store.files.wordings import MAYBE, AskedCell, Wording, Wordings, cells_asked, maybe

NAMED = 64  # rows of a group by whose names the width of the column is chosen
OVERRULED, UNSIGNED, SPLIT = "overruled", "unsigned", "split"
ANSWER = "answer"
ONLY = {
    "": "every cell",
    OVERRULED: "those where a person overruled the judge",
    UNSIGNED: "those that are not signed off",
    SPLIT: "those on which the panel differs",
}
"""What may be shown, beside each answer."""
ORDERS = {
    "": "as the traces were loaded",
    ANSWER: "by answer",
    SPLIT: "those on which the panel differs first",
}


class Sorting(NamedTuple):
    """Which rows are shown, by a key of `ONLY` or an answer's word, and in which order, by one of
    `ORDERS`.
    """

    only: str = ""
    order: str = ""


class WordingGroup(NamedTuple):
    """A wording and the cells that are asked it, as they are shown."""

    wording: Wording
    cells: list[AskedCell]


class InstructionList:
    """The rows of one wording, and those of like ones where they are wanted."""

    def __init__(self, bench: Workbench, wordings: Wordings, wording: Wording) -> None:
        self.wordings, self.wording = wordings, wording
        self.like = wordings.like(wording)
        self.with_like = bool(self.like) and not wording.is_global
        self.sorting = Sorting()
        self.groups: list[WordingGroup] = []
        self.marked: set[AskedCell] = set()
        self._answers: dict[AskedCell, str] = {}
        self._counts: Counter[str] = Counter()
        self._bench = bench
        self._reader = RowReader(bench)
        self._places: dict[AskedCell, tuple[int, int]] = {}
        self.offers = EvidenceOffers(self.row)
        self.gather()

    def __len__(self) -> int:
        return len(self._places)

    # -- which rows ------------------------------------------------------------------------------

    def gather(self) -> None:
        """Shows all rows, in the order loaded."""
        self._show(self._everything())

    def _everything(self) -> list[WordingGroup]:
        """The groups with all their rows; takes note of how each row answers."""
        shown = [self.wording]
        if self.with_like:
            shown += self.like
        self._answers, self._counts = {}, Counter()
        groups = []
        for wording in shown:
            found = dict(cells_asked(self._bench.workspace, wording))
            self._answers |= found
            self._counts.update(found.values())
            groups.append(WordingGroup(wording, list(found)))
        return groups

    def _show(self, groups: Iterable[WordingGroup]) -> None:
        """Takes on rows; marks stay on those that are still there."""
        self.groups = [group for group in groups if group.cells or group.wording is self.wording]
        self._places = {}
        for section, group in enumerate(self.groups):
            for index, asked in enumerate(group.cells):
                self._places[asked] = section, index
        self.marked &= self._places.keys()

    def place(self, asked: AskedCell) -> tuple[int, int] | None:
        """The group and the row of a cell, where it is shown."""
        return self._places.get(asked)

    def place_of(self, cell: int) -> tuple[int, int] | None:
        """The first row of a cell, which may be asked two like instructions."""
        return next((place for asked, place in self._places.items() if asked.cell == cell), None)

    def at(self, section: int, index: int) -> AskedCell | None:
        """The cell of a row, where there is one."""
        if section < len(self.groups) and index < len(self.groups[section].cells):
            return self.groups[section].cells[index]
        return None

    def between(self, one: AskedCell, other: AskedCell) -> list[AskedCell]:
        """The rows from one to another, both among them."""
        shown = list(self._places)
        low, high = sorted((shown.index(one), shown.index(other)))
        return shown[low : high + 1]

    def everywhere(self) -> list[AskedCell]:
        """All rows, in the order shown."""
        return list(self._places)

    def next_unsigned(self, here: AskedCell | None, by: int) -> AskedCell | None:
        """The next row whose cell is not signed off, the first behind the last; None where none is
        so.
        """
        rows = self.everywhere()
        if here in self._places:
            at = rows.index(here)
            rows = [*rows[at + 1 :], *rows[: at + 1]]
        if by < 0:
            rows = [*rows[-2::-1], *rows[-1:]]
        unsigned = maybe(self._bench.workspace, self.wording.trait, UNSIGNED)
        return next((asked for asked in rows if asked.cell in unsigned), None)

    def aimed(self, here: AskedCell | None) -> list[AskedCell]:
        """The marked rows in the order shown, else the one under the cursor."""
        if self.marked:
            return [asked for asked in self._places if asked in self.marked]
        return [here] if here else []

    def sort_out(self, sorting: Sorting) -> Iterator[int]:
        """Shows what is asked for; where cells have to be looked at, tells before each how many
        were.
        """
        groups = self._everything()
        wanted = set(self._answers)
        if sorting.only in MAYBE:
            wanted = yield from self._true(sorting.only)
        elif sorting.only:
            wanted = {one for one, word in self._answers.items() if word == sorting.only}
        first: set[AskedCell] = set()
        if sorting.order == SPLIT:
            first = yield from self._true(SPLIT)
        words = [*self.answers(), ""]
        for group in groups:
            group.cells[:] = [asked for asked in group.cells if asked in wanted]
            if sorting.order == ANSWER:
                group.cells.sort(key=lambda asked: words.index(self._answers[asked]))
            elif sorting.order == SPLIT:
                group.cells.sort(key=lambda asked: asked not in first)
        self.sorting = sorting
        self._show(groups)

    def _true(self, what: str) -> Generator[int, None, set[AskedCell]]:
        """The rows of which something is true, found among the cells of which it may be."""
        cells = maybe(self._bench.workspace, self.wording.trait, what)
        likely = [asked for asked in self._answers if asked.cell in cells]
        if what == UNSIGNED:
            return set(likely)
        found = set()
        for count, asked in enumerate(likely):
            yield count
            row = row_of(asked, self._bench.workspace.cell(asked.cell)[1].shown, offering=False)
            if (what == SPLIT and row.is_split) or (what == OVERRULED and row.was):
                found.add(asked)
        return found

    # -- what is known of them -------------------------------------------------------------------

    def row(self, asked: AskedCell) -> AskedRow:
        return self._reader.row(asked)

    def names(self) -> list[str]:
        """What the first traces are called."""
        numbers = [asked.cell for group in self.groups for asked in group.cells[:NAMED]]
        rows = self._bench.workspace.cells.rows_of(dict.fromkeys(numbers))
        return [name_of(row.trace_id, row.epoch) for row in rows]

    def forget(self) -> None:
        """To call when any cell may have changed."""
        self._reader.forget()
        for wording in [self.wording, *self.like]:
            for asked, word in cells_asked(self._bench.workspace, wording):
                self._now(asked, word)

    def changed(self, change: Change) -> None:
        """Takes in what happened to a cell; rows stay where they are."""
        self._reader.forget(change.no)
        subject, words = change.after.subject, change.after.standings
        for instruction in subject.kind.standings(subject.trait, subject.kind.blank):
            self._now(AskedCell(change.no, instruction), words.get(instruction, ""))

    def _now(self, asked: AskedCell, word: str) -> None:
        """Takes note of how a row answers by now."""
        if asked in self._answers:
            self._counts[self._answers[asked]] -= 1
            self._counts[word] += 1
            self._answers[asked] = word

    @property
    def total(self) -> int:
        """How many rows there are, shown or not."""
        return len(self._answers)

    def answer(self, asked: AskedCell | None) -> str:
        """The word for how a row answers; "" for one without labels."""
        return self._answers.get(asked, "") if asked else ""

    def answers(self) -> dict[str, int]:
        """How often each answer stands, those that may be given first."""
        fields = dict.fromkeys(self._sayable.values(), 0)
        fields |= {word: count for word, count in self._counts.items() if word and count}
        return fields

    @property
    def _sayable(self) -> Mapping[str, str]:
        wording = self.wording
        if wording.kind.answering is None:
            return {}
        first = wording.asked[0]
        return wording.kind.answering.sayable(first.trait, first.instruction)

    def words_of(self, answers: Mapping[str, str]) -> dict[str, str]:
        """What answers are called, by what each is the answer of; those that may not be given are
        left out.
        """
        words = self._sayable
        return {key: words[answer] for key, answer in answers.items() if answer in words}

    @property
    def may_take_words(self) -> bool:
        """Whether an answer may have to be borne out by words of the response."""
        answering = self.wording.kind.answering
        return answering is not None and answering.rests_on_words
