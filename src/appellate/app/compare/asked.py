"""Cells that are asked instructions: what is known of each, which words an answer would take, and
answers given to many as one act.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from appellate.core import describe
from appellate.core.cell import Cell, State
from appellate.core.deciding import Act, Correct, Flag, Reason
from appellate.core.facts import Corrected
from appellate.core.kind import Answering, AnyKind, Grounds, Instruction
from appellate.core.problem import Refused, many, wording
from appellate.core.trace import Trace, name_of
from appellate.session.workbench import Change, Workbench
from appellate.store.files.wordings import AskedCell
from appellate.ui.selecting import Stretch

KEPT = 400  # rows that are known at once
NO_WORDS = -1  # the place among the candidates of no words at all
UNSEEN = "what would be taken was not in sight yet: go there, or mark those that are"
NO_OFFER = "no sentence shares words with it: Enter opens the cell to select some, 0 takes none"


class AskedRow(Struct, frozen=True):
    """What is known of one cell that is asked the instruction.

    `was` is how the judge answered where a person says otherwise, `agreed` how many members of a
    panel answer as it is, of how many.
    """

    trace: Trace
    state: State
    flag: bool
    grounds: Grounds
    was: str
    agreed: tuple[int, int] | None

    @property
    def name(self) -> str:
        return name_of(self.trace.id, self.trace.epoch)

    @property
    def is_split(self) -> bool:
        return self.agreed is not None and self.agreed[0] < self.agreed[1]


def answering_of(kind: AnyKind) -> Answering[Any, Any, Any]:
    """How cells are answered instruction by instruction; those of other kinds are in no list."""
    if kind.answering is None:
        raise LookupError(f"a {kind.name} trait is not gone through by instruction")
    return kind.answering


def row_of(asked: AskedCell, cell: Cell) -> AskedRow:
    """What there is to know of a cell about the instruction that it is asked."""
    subject, instruction = cell.subject, asked.instruction
    labels = cell.labels or subject.kind.blank
    grounds = answering_of(subject.kind).grounds(subject.trait, labels, instruction)
    now, judged = cell.answers.get(instruction), cell.judge_answers.get(instruction)
    was = ""
    if now and judged and now != judged:
        was = cell.judge_standings[instruction]
    agreed = _agreed(cell, instruction, now)
    return AskedRow(subject.trace, cell.state, cell.flag, grounds, was, agreed)


def _agreed(cell: Cell, asked: Instruction, now: str | None) -> tuple[int, int] | None:
    """How many members of the cell's panel answer as it is."""
    if cell.judge is None or now is None:
        return None
    tables = [member.table for member in describe.answered(cell.judge.judge)]
    if len(tables) < 2:  # noqa: PLR2004 - one judge is no panel
        return None
    vote = describe.votes(cell.subject, tables).get(asked, {})
    return len(vote.get(now, ())), len(tables)


class AskedRows:
    """The rows of a screen: read when they come into sight, kept for a while; those `marked`.

    Which candidate an answer would take is chosen by the cell.
    """

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self.marked: set[AskedCell] = set()
        self._cells: dict[int, Cell] = {}
        self._rows: dict[AskedCell, AskedRow] = {}
        self._offers: dict[AskedCell, Sequence[Stretch] | None] = {}
        self._chosen: dict[AskedCell, int] = {}
        self._seen: set[AskedCell] = set()

    def cell(self, number: int) -> Cell:
        if number not in self._cells:
            if len(self._cells) > KEPT:
                self.forget()
            self._cells[number] = self._bench.workspace.cell(number)[1].shown
        return self._cells[number]

    def row(self, asked: AskedCell) -> AskedRow:
        if asked not in self._rows:
            self._rows[asked] = row_of(asked, self.cell(asked.cell))
        return self._rows[asked]

    def forget(self, cell: int | None = None) -> None:
        """To call when a cell changed, or, with no number, when any may have."""
        for number in list(self._cells):
            if cell in (None, number):
                del self._cells[number]
        for asked in {*self._rows, *self._offers}:
            if cell in (None, asked.cell):
                self._rows.pop(asked, None)
                self._offers.pop(asked, None)

    # -- the words that an answer takes ----------------------------------------------------------

    def offers(self, asked: AskedCell) -> Sequence[Stretch] | None:
        """What may bear out an answer that lacks words, None where none does."""
        if asked not in self._offers:
            self._offers[asked] = self._likely(self.cell(asked.cell), asked.instruction)
        return self._offers[asked]

    def _likely(self, cell: Cell, instruction: Instruction) -> Sequence[Stretch] | None:
        subject = cell.subject
        answering, labels = answering_of(subject.kind), cell.labels or subject.kind.blank
        for answer in answering.sayable(subject.trait, instruction):
            with suppress(Refused):
                edits = answering.edits(subject.trait, labels, instruction, answer)
                if answering.takes_words(edits):
                    return answering.likely(cell, instruction)
        return None

    def offered(self, asked: AskedCell) -> Stretch | None:
        """The stretch that an answer would take; None for none, or where there is none to take."""
        offers, place = self.offers(asked), self._chosen.get(asked, 0)
        if not offers or place == NO_WORDS:
            return None
        return offers[place % len(offers)]

    def show_offered(self, asked: AskedCell) -> Stretch | None:
        """The stretch that is proposed for a row; it counts as seen from now on."""
        self._seen.add(asked)
        return self.offered(asked)

    def take_none(self, asked: AskedCell) -> str:
        """Has an answer take no words; says why that means nothing."""
        if self.offers(asked) is None:
            return "An answer takes no words here."
        self._chosen[asked] = NO_WORDS
        return ""

    def next_offer(self, asked: AskedCell, by: int) -> str:
        """Goes to the next candidate or the one before, round the corner, and tells which it is."""
        offers = self.offers(asked) or ()
        if not offers:
            return "There is no sentence to choose here."
        place = self._chosen.get(asked, 0)
        self._chosen[asked] = place = 0 if place == NO_WORDS else (place + by) % len(offers)
        return f"Sentence {place + 1} of {len(offers)} that may bear the instruction out."

    def words(self, asked: AskedCell) -> Stretch | None:
        """The words in sight as those to take, None for no words; raises Refused for no such."""
        if self._chosen.get(asked) == NO_WORDS:
            return None
        if asked not in self._seen:
            raise Refused(UNSEEN)
        offered = self.offered(asked)
        if offered is None:
            raise Refused(NO_OFFER)
        return offered


class InstructionAnswers:
    """Gives answers: every cell that takes one is kept in one transaction, and one undo takes all
    of them back.
    """

    def __init__(self, bench: Workbench, rows: AskedRows) -> None:
        self._bench = bench
        self._rows = rows
        self._last: list[Change] = []
        self.refused: dict[AskedCell, str] = {}  # why, of those that took no answer at last

    def give(self, aimed: Sequence[AskedCell], answer: str) -> str:
        """Gives an answer to rows, and tells what became of them.

        Raises Refused or NotKept, and then has changed nothing. Marks stay on what was refused.
        """
        refused = self.refused = {}
        already: list[AskedCell] = []

        def answer_each(act: Act) -> None:
            for asked in aimed:
                try:
                    if not self._answer(act, asked, answer):
                        already.append(asked)
                except Refused as refusal:
                    refused[asked] = wording(refusal).removesuffix(".")

        changes = self._bench.do_together(answer_each)
        self._rows.marked -= set(aimed) - refused.keys()
        if changes:
            self._last = changes
        made = _describe(len(aimed), len(already), list(refused.values()))
        return " ".join([*made, *_describe_beside(changes)])

    def _answer(self, act: Act, asked: AskedCell, answer: str) -> bool:
        """Makes one cell answer so; false where it does."""
        cell = act.cell(asked.cell)
        subject = cell.subject
        answering, labels = answering_of(subject.kind), cell.labels or subject.kind.blank
        edits = answering.edits(subject.trait, labels, asked.instruction, answer)
        if answering.takes_words(edits):
            edits = answering.bear_out(edits, self._rows.words(asked))
        act.do(asked.cell, [Correct(edit) for edit in edits])
        return bool(edits)

    def flag(self, aimed: Sequence[AskedCell]) -> str:
        """Sets the flag of cells, or takes it down where all have it."""
        on = not all(self._rows.row(asked).flag for asked in aimed)

        def flag_each(act: Act) -> None:
            for number in dict.fromkeys(asked.cell for asked in aimed):
                if act.cell(number).flag != on:
                    act.do(number, [Flag(on)])

        changes = self._bench.do_together(flag_each)
        verb = "Flagged" if on else "No longer flagged"
        return f"{verb}: {many(len(changes), 'cell')}."

    def reason(self, text: str) -> str:
        """Says why the last answers were given, those of them that stand; "" is no reason."""
        if not text:
            return "No reason given."
        given: list[Change] = []

        def give_each(act: Act) -> None:
            for change in self._last:
                cell = act.cell(change.no)
                new = change.after.facts[len(change.before.facts) :]
                facts = [fact for fact in new if isinstance(fact.what, Corrected)]
                standing = [fact for fact in facts if fact.n not in cell.undone]
                if standing:
                    act.do(change.no, [Reason(standing[-1].n, text)])
                    given.append(change)

        self._bench.do_together(give_each)
        if not given:
            raise Refused("A reason belongs to an answer given here, and there is none.")
        return f"Reason saved for {many(len(given), 'answer')}: {text}"


def _describe(aimed: int, already: int, refused: Sequence[str]) -> Iterator[str]:
    """How many rows took an answer, and why others did not."""
    done = aimed - already - len(refused)
    if aimed == 1:
        yield from (f"{why[0].upper()}{why[1:]}." for why in refused)
        if already:
            yield "It says so already."
        return
    yield f"{done} changed: {{cell.undo:u}} takes them back together." if done else "None changed."
    if already:
        yield f"{already} said so already."
    for why, count in Counter(refused).most_common():
        yield f"{count} not, and still marked: {why}."


def _describe_beside(changes: Sequence[Change]) -> Iterator[str]:
    """What answers did beside what was asked."""
    remarks: list[str] = []
    for change in changes:
        subject = change.after.subject
        blank = subject.kind.blank
        labels = change.before.labels or blank, change.after.labels or blank
        remarks += answering_of(subject.kind).remarks(subject.trait, *labels)
    if len(remarks) > 1:
        remarks = [f"{remarks[0].removesuffix('.')} (and {len(remarks) - 1} more)."]
    yield from remarks
    signed = sum(change.before.signed is not None for change in changes)
    if signed == 1:
        yield "Its cell is no longer signed off: sign it there (Enter)."
    elif signed:
        yield f"{many(signed, 'cell')} are no longer signed off."
