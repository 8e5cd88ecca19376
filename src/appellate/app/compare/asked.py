"""Comparisons of cells that are asked instructions: what is known of each, the words an answer
would take, and many answers as one act.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from msgspec import Struct, field

from appellate.app.compare.screen import CompareContext, Comparison, Outcome
from appellate.app.keys.bindings import pane_of
from appellate.core import describe
from appellate.core.cell import Cell, labels_or_blank
from appellate.core.deciding import Act, Correct, Flag, Reason
from appellate.core.facts import Corrected
from appellate.core.kind import Answering, AnyKind, Grounds, Instruction, Trait
from appellate.core.problem import Refused, many, wording
from appellate.session.workbench import Change, Direction
from appellate.store.files.wordings import AskedCell
from appellate.ui.page import StyledSpan
from appellate.ui.selecting import Stretch

KEPT = 400  # cells that are known at once
NO_WORDS = -1  # the place among the candidates of no words at all
UNSEEN = "what would be taken was not in sight yet: go there, or mark those that are"
NO_OFFER = "no sentence shares words with it: Enter opens the cell to select some, 0 takes none"


class AskedRow(NamedTuple):
    """How one cell answers an instruction.

    `was` is how the judge answered where a person says otherwise, `agreed` how many members of a
    panel answer as it is, of how many.
    """

    grounds: Grounds
    was: str = ""
    agreed: tuple[int, int] | None = None

    @property
    def is_split(self) -> bool:
        return self.agreed is not None and self.agreed[0] < self.agreed[1]


class KnownCell(Struct):
    """A cell as it was read, with what was found out of it about instructions."""

    cell: Cell
    rows: dict[Instruction, AskedRow] = field(default_factory=dict)
    offers: dict[Instruction, Sequence[Stretch] | None] = field(default_factory=dict)


def answering_of(kind: AnyKind) -> Answering[Any, Any, Any]:
    """How cells are answered instruction by instruction; those of other kinds are in no list."""
    if kind.answering is None:
        raise LookupError(f"a {kind.name} trait is not gone through by instruction")
    return kind.answering


def row_of(cell: Cell, asked: Instruction) -> AskedRow:
    """What there is to know of a cell about an instruction."""
    subject = cell.subject
    now = cell.answers.get(asked)
    was = ""
    judged = cell.judge_answers.get(asked)
    if now and judged and now != judged:
        was = cell.judge_standings[asked]
    agreed = None
    panel = describe.panel_of(cell)
    if panel and now is not None:
        vote = describe.votes(subject, [member.table for member in panel]).get(asked, {})
        agreed = len(vote.get(now, ())), len(panel)
    grounds = answering_of(subject.kind).grounds(subject.trait, labels_or_blank(cell), asked)
    return AskedRow(grounds, was, agreed)


class AskedCells(Comparison):
    """One in which the row under the cursor is answered, or all that are `marked`: every cell that
    takes an answer is kept in one transaction, and one undo takes all of them back.

    Rows are read when they come into sight, and kept for a while. Which candidate an answer would
    take is chosen by the cell. `refused` is why the last answer was not taken, by row; `opened` the
    cell that a person went to from here.
    """

    opened: int | None = None

    def __init__(self, context: CompareContext, kind: AnyKind, trait: Trait) -> None:
        super().__init__(context)
        self.answer_keys = pane_of(kind.name).ANSWER_KEYS(trait)
        self.marked: set[AskedCell] = set()
        self.refused: dict[AskedCell, str] = {}
        self._known: dict[int, KnownCell] = {}
        self._chosen: dict[AskedCell, int] = {}
        self._seen: set[AskedCell] = set()
        self._answered: list[Change] = []

    @property
    def here(self) -> AskedCell | None:
        """The row under the cursor, of the cell that is answered."""
        raise NotImplementedError

    def aimed(self) -> list[AskedCell]:
        """The rows that an answer goes to."""
        return [self.here] if self.here else []

    # -- what is known ----------------------------------------------------------------------------

    def known(self, number: int) -> KnownCell:
        """A cell as it is by now."""
        if number not in self._known:
            if len(self._known) > KEPT:
                self._known.clear()
            self._known[number] = KnownCell(self.bench.workspace.cell(number)[1].shown)
        return self._known[number]

    def row(self, asked: AskedCell) -> AskedRow:
        known = self.known(asked.cell)
        instruction = asked.instruction
        if instruction not in known.rows:
            known.rows[instruction] = row_of(known.cell, instruction)
        return known.rows[instruction]

    def come_back(self) -> None:
        """Forgets what was known, which may have changed since, and what was answered here."""
        self._known.clear()
        self._answered = []

    def changed(self, change: Change) -> bool:
        self._known.pop(change.no, None)
        return True

    # -- the words that an answer takes ----------------------------------------------------------

    def offers(self, asked: AskedCell) -> Sequence[Stretch] | None:
        """What may bear out an answer that lacks words, None where none does."""
        known = self.known(asked.cell)
        instruction = asked.instruction
        if instruction not in known.offers:
            known.offers[instruction] = _likely(known.cell, instruction)
        return known.offers[instruction]

    def offered(self, asked: AskedCell) -> Stretch | None:
        """The stretch that an answer would take, if any; it counts as seen from now on."""
        self._seen.add(asked)
        offers = self.offers(asked)
        place = self._chosen.get(asked, 0)
        if not offers or place == NO_WORDS:
            return None
        return offers[place % len(offers)]

    def offered_spans(self) -> list[StyledSpan]:
        """The words that an answer to the row under the cursor would take."""
        offered = self.offered(self.here) if self.here else None
        if offered is None:
            return []
        return [StyledSpan(*offered, "evidence", self.marks.doubt, selected=True)]

    def take_none(self) -> Outcome:
        """Has an answer take no words."""
        if self.here and self.offers(self.here) is None:
            return "An answer takes no words here."
        if self.here:
            self._chosen[self.here] = NO_WORDS
        return ""

    def offer(self, by: int) -> Outcome:
        """Goes to the next candidate or the one before, round the corner."""
        if self.here is None:
            return ""
        offers = self.offers(self.here)
        place = self._chosen.get(self.here, 0)
        if not offers:
            return "There is no sentence to choose here."
        place = 0 if place == NO_WORDS else (place + by) % len(offers)
        self._chosen[self.here] = place
        return f"Sentence {place + 1} of {len(offers)} that may bear the instruction out."

    def _words(self, asked: AskedCell) -> Stretch | None:
        """The words in sight, None for no words; raises Refused where there are none to take."""
        if self._chosen.get(asked) == NO_WORDS:
            return None
        if asked not in self._seen:
            raise Refused(UNSEEN)
        offered = self.offered(asked)
        if offered is None:
            raise Refused(NO_OFFER)
        return offered

    # -- answers ----------------------------------------------------------------------------------

    def answer(self, answer: str) -> Outcome:
        """Gives an answer to the rows; marks stay on those that refuse it."""
        aimed = self.aimed()
        refused = dict[AskedCell, str]()
        if not aimed:
            return ""
        self.may_change()
        already: list[AskedCell] = []

        def answer_each(act: Act) -> None:
            for asked in aimed:
                cell = act.cell(asked.cell)
                trait = cell.subject.trait
                answering = answering_of(cell.subject.kind)
                try:
                    edits = answering.edits(trait, labels_or_blank(cell), asked.instruction, answer)
                    if answering.takes_words(edits):
                        edits = answering.bear_out(edits, self._words(asked))
                    act.do(asked.cell, [Correct(edit) for edit in edits])
                    if not edits:
                        already.append(asked)
                except Refused as refusal:
                    refused[asked] = wording(refusal).removesuffix(".")

        changes = self.bench.do_together(answer_each)
        self.refused = refused
        self.marked -= set(aimed) - refused.keys()
        if changes:
            self._answered = changes
        made = _describe(len(aimed), len(already), list(refused.values()))
        return " ".join([*made, *_describe_beside(changes)])

    @property
    def given(self) -> Mapping[str, str]:
        """The answers that keys give to the row under the cursor, by what they are called."""
        keys = self.answer_keys.values()
        return {word: answer for answer, word in self.sayable().items() if answer in keys}

    def turn_to(self, now: str, there: str = "") -> Outcome:
        """Gives the answer `there`, or else the other one of two than `now`."""
        others = {word: answer for word, answer in self.given.items() if word != now}
        if there not in others and len(others) == 1:
            there = next(iter(others))
        if there not in others:
            return "There is no other answer that this could turn to."
        return self.answer(others[there])

    def turn_back(self, which: Direction) -> Outcome:
        """Takes the last act back, or does it again."""
        self.may_change()
        if self.bench.would_change_rubric(which):
            raise Refused("Your last act was on the rubric: go back to the cell for that (Esc).")
        turned = self.context.acts.undo_or_redo(which, self.in_sight())
        self.turned(turned.changes)
        return turned.text

    def in_sight(self) -> Collection[int]:
        """The numbers of the cells that are shown, under the cursor or not."""
        raise NotImplementedError

    def turned(self, changes: Sequence[Change]) -> None:
        """Goes to what was taken back, where that is not in sight."""

    def flag(self) -> Outcome:
        """Sets the flag of cells, or takes it down where all have it."""
        aimed = self.aimed()
        if not aimed:
            return ""
        self.may_change()
        on = not all(self.known(asked.cell).cell.flag for asked in aimed)

        def flag_each(act: Act) -> None:
            for number in dict.fromkeys(asked.cell for asked in aimed):
                if act.cell(number).flag != on:
                    act.do(number, [Flag(on)])

        changes = self.bench.do_together(flag_each)
        verb = "Flagged" if on else "No longer flagged"
        return f"{verb}: {many(len(changes), 'cell')}."

    async def reason(self) -> Outcome:
        """Asks why the last answers were given, those of them that stand; "" is no reason."""
        text = await self.pick_reason()
        self.may_change()
        if not text:
            return "No reason given."
        given: list[Change] = []

        def give_each(act: Act) -> None:
            for change in self._answered:
                cell = act.cell(change.no)
                new = change.after.facts[len(change.before.facts) :]
                facts = [fact for fact in new if isinstance(fact.what, Corrected)]
                standing = [fact for fact in facts if fact.n not in cell.undone]
                if standing:
                    act.do(change.no, [Reason(standing[-1].n, text)])
                    given.append(change)

        self.bench.do_together(give_each)
        if not given:
            raise Refused("A reason belongs to an answer given here, and there is none.")
        return f"Reason saved for {many(len(given), 'answer')}: {text}"


def _likely(cell: Cell, instruction: Instruction) -> Sequence[Stretch] | None:
    trait = cell.subject.trait
    answering = answering_of(cell.subject.kind)
    for answer in answering.sayable(trait, instruction):
        with suppress(Refused):
            edits = answering.edits(trait, labels_or_blank(cell), instruction, answer)
            if answering.takes_words(edits):
                return answering.likely(cell, instruction)
    return None


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
        labels = (labels_or_blank(change.before), labels_or_blank(change.after))
        remarks += answering_of(subject.kind).remarks(subject.trait, *labels)
    if len(remarks) > 1:
        remarks = [f"{remarks[0].removesuffix('.')} (and {len(remarks) - 1} more)."]
    yield from remarks
    signed = sum(change.before.signed is not None for change in changes)
    if signed == 1:
        yield "Its cell is no longer signed off: sign it there (Enter)."
    elif signed:
        yield f"{many(signed, 'cell')} are no longer signed off."
