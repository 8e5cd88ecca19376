"""Answers to one instruction, given to many cells as one act."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from appellate.app.compare.rows import AskedRow
from appellate.core.deciding import Act, Correct, Flag, Reason
from appellate.core.facts import Corrected
from appellate.core.problem import Refused, many, wording
from appellate.session.workbench import Change, Workbench
from appellate.store.files.wordings import AskedCell
from appellate.ui.selecting import Stretch

NO_WORDS = -1  # the place among the candidates of no words at all


class EvidenceOffers:
    """Which candidate an answer would take, by the cell; `row` gives what is known of one."""

    def __init__(self, row: Callable[[AskedCell], AskedRow]) -> None:
        self._row = row
        self._chosen: dict[AskedCell, int] = {}
        self._seen: set[AskedCell] = set()

    def show(self, asked: AskedCell) -> Stretch | None:
        """The stretch that is proposed for a row; it counts as seen from now on."""
        self._seen.add(asked)
        return self.of(asked)

    def was_seen(self, asked: AskedCell) -> bool:
        """Whether what would be taken for a row has been in sight."""
        return asked in self._seen

    def of(self, asked: AskedCell) -> Stretch | None:
        """The stretch that an answer would take; None for none, or where there is none to take."""
        offers, place = self._row(asked).offers, self._chosen.get(asked, 0)
        if not offers or place == NO_WORDS:
            return None
        return offers[place % len(offers)]

    def takes_none(self, asked: AskedCell) -> bool:
        """Whether a person said that an answer takes no words of the response."""
        return self._chosen.get(asked) == NO_WORDS

    def take_none(self, asked: AskedCell) -> str:
        """Has an answer take no words; says why that means nothing."""
        if self._row(asked).offers is None:
            return "An answer takes no words here."
        self._chosen[asked] = NO_WORDS
        return ""

    def next(self, asked: AskedCell, by: int) -> str:
        """Goes to the next candidate or the one before, round the corner, and tells which it is."""
        offers = self._row(asked).offers or ()
        if not offers:
            return "There is no sentence to choose here."
        place = self._chosen.get(asked, 0)
        if place == NO_WORDS:
            self._chosen[asked] = 0
        else:
            self._chosen[asked] = (place + by) % len(offers)
        place = self._chosen[asked] + 1
        return f"Sentence {place} of {len(offers)} that may bear the instruction out."


UNSEEN = "what would be taken was not in sight yet: go there, or mark those that are"
NO_OFFER = "no sentence shares words with it: Enter opens the cell to select some, 0 takes none"


class AnsweredRows(Protocol):
    """Rows that are shown: those marked, the words that answers would take, what is known of
    each.
    """

    marked: set[AskedCell]
    offers: EvidenceOffers

    def row(self, asked: AskedCell) -> AskedRow: ...


class InstructionAnswers:
    """Gives answers: every cell that takes one is kept in one transaction, and one undo takes all
    of them back.
    """

    def __init__(self, bench: Workbench, shown: AnsweredRows) -> None:
        self._bench = bench
        self._shown = shown
        self.last: list[Change] = []
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
                    refused[asked] = wording(refusal)

        changes = self._bench.do_together(answer_each)
        self._shown.marked -= set(aimed) - refused.keys()
        if changes:
            self.last = changes
        done = len(aimed) - len(refused) - len(already)
        return self._describe(changes, done, already, refused)

    def _answer(self, act: Act, asked: AskedCell, answer: str) -> bool:
        """Makes one cell answer so; false where it does."""
        cell = act.cell(asked.cell)
        subject = cell.subject
        answering = subject.kind.answering
        if answering is None:
            raise Refused("This trait is answered cell by cell.")
        labels = cell.labels or subject.kind.blank
        edits = answering.edits(subject.trait, labels, asked.instruction, answer)
        if answering.takes_words(edits):
            edits = answering.bear_out(edits, self._words(asked))
        act.do(asked.cell, [Correct(edit) for edit in edits])
        return bool(edits)

    def _words(self, asked: AskedCell) -> tuple[int, int] | None:
        """The words that are in sight as those to take; raises Refused where none are."""
        if self._shown.offers.takes_none(asked):
            return None
        if not self._shown.offers.was_seen(asked):
            raise Refused(UNSEEN)
        offered = self._shown.offers.of(asked)
        if offered is None:
            raise Refused(NO_OFFER)
        return offered

    def _describe(
        self,
        changes: Sequence[Change],
        done: int,
        already: Sequence[AskedCell],
        refused: dict[AskedCell, str],
    ) -> str:
        texts: list[str] = []
        if done + len(already) + len(refused) == 1:
            texts += [f"{why[0].upper()}{why[1:]}." for why in _without_stop(refused.values())]
            if already:
                texts.append("It says so already.")
        else:
            texts.append(
                f"{done} changed: {{cell.undo:u}} takes them back together."
                if done
                else "None changed."
            )
            if already:
                texts.append(f"{len(already)} said so already.")
            for why, count in Counter(_without_stop(refused.values())).most_common():
                texts.append(f"{count} not, and still marked: {why}.")
        texts += self._remarks(changes)
        return " ".join(texts)

    def _remarks(self, changes: Sequence[Change]) -> list[str]:
        """What the answers did beside what was asked."""
        remarks: list[str] = []
        for change in changes:
            subject = change.after.subject
            blank = subject.kind.blank
            labels = change.before.labels or blank, change.after.labels or blank
            if subject.kind.answering:
                remarks += subject.kind.answering.remarks(subject.trait, *labels)
        signed = sum(change.before.signed is not None for change in changes)
        texts = remarks[:1]
        if len(remarks) > 1:
            texts = [f"{remarks[0].removesuffix('.')} (and {len(remarks) - 1} more)."]
        if signed == 1:
            texts.append("Its cell is no longer signed off: sign it there (Enter).")
        elif signed:
            texts.append(f"{many(signed, 'cell')} are no longer signed off.")
        return texts

    # -- what else is said of them ---------------------------------------------------------------

    def flag(self, aimed: Sequence[AskedCell]) -> str:
        """Sets the flag of cells, or takes it down where all have it."""
        on = not all(self._shown.row(asked).flag for asked in aimed)

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
            for change in self.last:
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


def _without_stop(whys: Iterable[str]) -> list[str]:
    return [why.removesuffix(".") for why in whys]
