"""The common part of the comparisons in which instructions are answered.

`AskedCells` reads cells when they are shown, suggests the words of the response that an answer
would take as evidence, and gives one answer to many cells as one act.
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
from appellate.core.facts import Corrected, Fact
from appellate.core.kind import Answering, AnyKind, Grounds, Instruction, Trait
from appellate.core.problem import Refused, many, wording
from appellate.session.workbench import Change, Direction
from appellate.store.files.wordings import AskedCell
from appellate.ui.page import StyledSpan
from appellate.ui.selecting import Stretch

KEPT = 400
"""Number of cells that are kept in memory."""
NO_WORDS = -1
"""Stands for no words at all, in place of the index of a suggestion."""
UNSEEN = "what would be taken was not in sight yet: go there, or mark those that are"
NO_OFFER = "no sentence shares words with it: Enter opens the cell to select some"


class AskedRow(NamedTuple):
    """The answer of one cell to an instruction."""

    grounds: Grounds
    """The answer and what it is based on."""
    overruled: str = ""
    """The judge's answer if a person answered differently; else ""."""
    agreed: tuple[int, int] | None = None
    """How many members of a panel gave this answer, and how many there are; None without one."""

    @property
    def is_split(self) -> bool:
        """Whether members of the panel answered differently."""
        return self.agreed is not None and self.agreed[0] < self.agreed[1]


class KnownCell(Struct):
    """A cell as it was read, with what was worked out about its instructions so far."""

    cell: Cell
    rows: dict[Instruction, AskedRow] = field(default_factory=dict)
    offers: dict[Instruction, Sequence[Stretch] | None] = field(default_factory=dict)
    """Suggested evidence by instruction; None for one whose answers take no words."""


def answering_of(kind: AnyKind) -> Answering[Any, Any, Any]:
    """Return how cells of a kind are answered instruction by instruction.

    Raises LookupError for a kind whose cells are not.
    """
    if kind.answering is None:
        raise LookupError(f"a {kind.name} trait is not gone through by instruction")
    return kind.answering


def row_of(cell: Cell, instruction: Instruction) -> AskedRow:
    """Return how the current labels of a cell answer an instruction, and what that is based on.

    A cell without labels is answered as blank labels are. The row has the judge's answer, in the
    words of the screen, if a person answered differently. It has the votes of the panel that judged
    last, if one did. Raises LookupError for a kind whose cells are not gone through by instruction,
    and for an instruction that the trait does not have.
    """
    subject = cell.subject
    answer = cell.answers.get(instruction)
    judge_answer = cell.judge_answers.get(instruction)
    overruled = ""
    if answer and judge_answer and answer != judge_answer:
        overruled = cell.judge_standings[instruction]
    agreed = None
    panel = describe.panel_of(cell)
    if panel and answer is not None:
        votes = describe.votes(subject, [member.table for member in panel]).get(
            instruction,
            {},
        )
        agreed = (len(votes.get(answer, ())), len(panel))
    grounds = answering_of(subject.kind).grounds(
        subject.trait,
        labels_or_blank(cell),
        instruction,
    )
    return AskedRow(grounds, overruled, agreed)


class AskedCells(Comparison):
    """A comparison in which the row under the cursor is answered, or all `marked` rows.

    All answers given with one key are saved in one transaction, and one undo takes them back. Rows
    are read when they are drawn, and kept for a while.
    """

    opened: int | None = None
    """The number of the cell that was opened from here; None if none was."""

    def __init__(self, context: CompareContext, kind: AnyKind, trait: Trait) -> None:
        """Begin with no rows read, none marked, and the answer keys of the trait's pane."""
        super().__init__(context)
        self.answer_keys = pane_of(kind.name).ANSWER_KEYS(trait)
        self.marked: set[AskedCell] = set()
        self.refused: dict[AskedCell, str] = {}
        """Why rows did not take the last answer."""
        self._known_cells: dict[int, KnownCell] = {}
        self._chosen: dict[AskedCell, int] = {}
        """The index of the suggestion that a row would take, or `NO_WORDS`."""
        self._seen: set[AskedCell] = set()
        """The rows whose suggestion was on screen."""
        self._answered: list[Change] = []
        """The changes of the last answers."""

    @property
    def current_row(self) -> AskedCell | None:
        """The row under the cursor; None if there is none."""
        raise NotImplementedError

    def aimed(self) -> list[AskedCell]:
        """Return the rows that an answer goes to."""
        return [self.current_row] if self.current_row else []

    # -- what is known ----------------------------------------------------------------------------

    def known_cell(self, number: int) -> KnownCell:
        """Return the cell with this number in its current state, without what is hidden of it.

        It is read from the workspace once, and again after it changed. When more than `KEPT` cells
        are kept, all are dropped.
        """
        if number not in self._known_cells:
            if len(self._known_cells) > KEPT:
                self._known_cells.clear()
            self._known_cells[number] = KnownCell(
                self.bench.workspace.cell(number)[1].shown,
            )
        return self._known_cells[number]

    def row(self, asked_cell: AskedCell) -> AskedRow:
        """Return the current answer of a row, worked out once for each state of its cell."""
        known_cell = self.known_cell(asked_cell.cell)
        instruction = asked_cell.instruction
        if instruction not in known_cell.rows:
            known_cell.rows[instruction] = row_of(known_cell.cell, instruction)
        return known_cell.rows[instruction]

    def come_back(self) -> None:
        """Forget what was read of cells, because it may have changed, and which answers were given.

        No reason can be given for those answers any more.
        """
        self._known_cells.clear()
        self._answered = []

    def changed(self, change: Change) -> bool:
        self._known_cells.pop(change.no, None)
        return True

    # -- the words that an answer takes ----------------------------------------------------------

    def offers(self, asked_cell: AskedCell) -> Sequence[Stretch] | None:
        """Return suggestions of evidence for an answer to a row, the likeliest first.

        Empty if there are none; None for a row whose answers take no words. Worked out once for
        each state of its cell.
        """
        known_cell = self.known_cell(asked_cell.cell)
        instruction = asked_cell.instruction
        if instruction not in known_cell.offers:
            known_cell.offers[instruction] = _suggested_words(
                known_cell.cell,
                instruction,
            )
        return known_cell.offers[instruction]

    def offered(self, asked_cell: AskedCell) -> Stretch | None:
        """Return the words that an answer to a row would take, or None for no words.

        They are the suggestion that was chosen, or the first one. The row counts as seen from now
        on, so this must be called when it is drawn.
        """
        self._seen.add(asked_cell)
        offers = self.offers(asked_cell)
        index = self._chosen.get(asked_cell, 0)
        if not offers or index == NO_WORDS:
            return None
        return offers[index % len(offers)]

    def offered_spans(self) -> list[StyledSpan]:
        """Return a span for the words that an answer to the row under the cursor would take.

        Empty if it would take none. The row counts as seen from now on.
        """
        offered = self.offered(self.current_row) if self.current_row else None
        if offered is None:
            return []
        return [StyledSpan(*offered, "evidence", self.marks.doubt, selected=True)]

    def take_none(self) -> Outcome:
        """Have an answer to the row under the cursor take no words, and return "".

        Without a row, only return that. If answers there take no words anyway, change nothing and
        return a sentence that says so.
        """
        if self.current_row and self.offers(self.current_row) is None:
            return "An answer takes no words here."
        if self.current_row:
            self._chosen[self.current_row] = NO_WORDS
        return ""

    def offer(self, by: int) -> Outcome:
        """Choose the suggested words `by` places further on for the row under the cursor.

        The first follows the last; after no words were chosen it is the first. Returns "Sentence 2
        of 5 …", or that there is none to choose; "" without a row. The cell is not changed.
        """
        if self.current_row is None:
            return ""
        offers = self.offers(self.current_row)
        if not offers:
            return "There is no sentence to choose here."
        index = self._chosen.get(self.current_row, 0)
        index = 0 if index == NO_WORDS else (index + by) % len(offers)
        self._chosen[self.current_row] = index
        return (
            f"Sentence {index + 1} of {len(offers)} that may bear the instruction out."
        )

    def _words_for_answer(self, asked_cell: AskedCell) -> Stretch | None:
        """Return the suggested words that an answer takes, or None if none were wanted.

        Raises Refused if there is no suggestion, or if the row was never on screen with it.
        """
        if self._chosen.get(asked_cell) == NO_WORDS:
            return None
        if asked_cell not in self._seen:
            raise Refused(UNSEEN)
        offered = self.offered(asked_cell)
        if offered is None:
            takes_none = self.context.with_own_keys(", {text.none:0} takes none")
            raise Refused(f"{NO_OFFER}{takes_none}")
        return offered

    # -- answers ----------------------------------------------------------------------------------

    def answer(self, answer: str) -> Outcome:
        """Give an answer to the rows that are aimed at, as one act.

        Rows that refuse it stay marked. Returns how many rows took it, why others did not, and what
        else the answers changed. For a single row that took it only what else changed is told.
        Returns "" if there is nothing to tell, and if no row is aimed at. Rows that took it, or
        have it already, are unmarked. Raises Refused in a session that only reads, and NotKept if
        it cannot be saved.
        """
        aimed = self.aimed()
        if not aimed:
            return ""
        self.may_change()
        refused: dict[AskedCell, str] = {}
        unchanged: list[AskedCell] = []

        def answer_each(act: Act) -> None:
            """Give the answer to each row that is aimed at, by corrections of its cell.

            Rows that have it already are added to `unchanged`. A row is refused if its kind refuses
            the answer, or if the answer needs words and none were suggested or seen. `refused` gets
            it with the reason, in words without a full stop, and the others go on.
            """
            for asked_cell in aimed:
                cell = act.cell(asked_cell.cell)
                trait = cell.subject.trait
                answering = answering_of(cell.subject.kind)
                try:
                    edits = answering.edits(
                        trait,
                        labels_or_blank(cell),
                        asked_cell.instruction,
                        answer,
                    )
                    if answering.takes_words(edits):
                        edits = answering.bear_out(
                            edits,
                            self._words_for_answer(asked_cell),
                        )
                    act.do(asked_cell.cell, [Correct(edit) for edit in edits])
                    if not edits:
                        unchanged.append(asked_cell)
                except Refused as refusal:
                    refused[asked_cell] = wording(refusal).removesuffix(".")

        changes = self.bench.do_together(answer_each)
        self.refused = refused
        self.marked -= set(aimed) - refused.keys()
        if changes:
            self._answered = changes
        sentences = list(
            _describe_outcome(len(aimed), len(unchanged), list(refused.values())),
        )
        sentences += _describe_side_effects(changes)
        return " ".join(sentences)

    @property
    def answers_by_word(self) -> Mapping[str, str]:
        """The answers that keys give to the current row, by their words; {} without a row."""
        keys = self.answer_keys.values()
        return {
            word: answer for answer, word in self.sayable().items() if answer in keys
        }

    def turn_to(self, current_word: str, target_word: str = "") -> Outcome:
        """Give the rows that are aimed at the answer with the word `target_word`.

        `current_word` is the answer that the row under the cursor has. If `target_word` is that
        answer, or none that a key gives, the only other answer is given instead. Returns as
        `answer` does, or a sentence that there is no answer to give. Raises Refused in a session
        that only reads, and NotKept if it cannot be saved.
        """
        other_answers = {
            word: answer
            for word, answer in self.answers_by_word.items()
            if word != current_word
        }
        if target_word not in other_answers and len(other_answers) == 1:
            target_word = next(iter(other_answers))
        if target_word not in other_answers:
            return "There is no other answer that this could turn to."
        return self.answer(other_answers[target_word])

    def turn_back(self, direction: Direction) -> Outcome:
        """Undo or redo the reviewer's latest act; return the sentence that says what it was.

        The cursor goes to what changed. An act in cells that are not shown is only named by Refused
        at first, and carried out at the next call. Raises Refused, too, for an act on the rubric,
        if there is no act, and in a session that only reads. Raises NotKept if it cannot be saved.
        """
        self.may_change()
        if self.bench.would_change_rubric(direction):
            raise Refused(
                "Your last act was on the rubric: go back to the cell for that (Esc).",
            )
        turned = self.context.acts.undo_or_redo(direction, self.in_sight())
        self.turned(turned.changes)
        return turned.text

    def in_sight(self) -> Collection[int]:
        """Return the numbers of the cells that are shown."""
        raise NotImplementedError

    def turned(self, changes: Sequence[Change]) -> None:
        """Put the cursor on what was undone or redone, in comparisons where it can be elsewhere."""

    def flag(self) -> Outcome:
        """Set the flag of the cells that are aimed at, or remove it if all of them have it.

        It is one act. Returns how many cells were changed, or "" if none is aimed at. Raises
        Refused in a session that only reads, and NotKept if it cannot be saved.
        """
        aimed = self.aimed()
        if not aimed:
            return ""
        self.may_change()
        on = not all(self.known_cell(asked_cell.cell).cell.flag for asked_cell in aimed)

        def flag_each(act: Act) -> None:
            """Set the flag of each cell that is aimed at, or remove it, as `on` says.

            Cells that are so already are left, and several rows of a cell change it once.
            """
            for number in dict.fromkeys(asked_cell.cell for asked_cell in aimed):
                if act.cell(number).flag != on:
                    act.do(number, [Flag(on)])

        changes = self.bench.do_together(flag_each)
        verb = "Flagged" if on else "No longer flagged"
        return f"{verb}: {many(len(changes), 'cell')}."

    async def reason(self) -> Outcome:
        """Ask for the reason of the last answers, and save it for those that were not undone.

        Returns how many got it, or that no reason was given. Raises Refused, and asks nothing, if
        no answer was given here or all were undone, and in a session that only reads. Raises
        NotKept if it cannot be saved, and Left if the reviewer leaves the question.
        """
        self.may_change()
        if not any(self._last_correction_of(change) for change in self._answered):
            raise Refused(
                "A reason belongs to an answer given here, and there is none.",
            )
        text = await self.pick_reason()
        if not text:
            return "No reason given."
        explained: list[Change] = []

        def explain_each(act: Act) -> None:
            """Give the last correction of each of the latest answers the reason that was picked.

            A correction that was undone does not count, and an answer without another is left out.
            The changes of answers that got the reason are added to `explained`.
            """
            for change in self._answered:
                correction = self._last_correction_of(change)
                if correction is not None:
                    act.do(change.no, [Reason(correction.n, text)])
                    explained.append(change)

        self.bench.do_together(explain_each)
        return f"Reason saved for {many(len(explained), 'answer')}: {text}"

    def _last_correction_of(self, change: Change) -> Fact | None:
        """Return the last correction among the facts that an answer added to its cell, or None.

        One that has been undone since does not count. `change` is what the answer made of the cell.
        """
        _, cell = self.bench.workspace.cell(change.no)
        last: Fact | None = None
        for fact in change.after.facts[len(change.before.facts) :]:
            if isinstance(fact.what, Corrected) and fact.n not in cell.undone:
                last = fact
        return last


def _suggested_words(cell: Cell, instruction: Instruction) -> Sequence[Stretch] | None:
    """Return stretches of the response that may support an answer, the likeliest first.

    They are for the first answer that a person can give there that takes words; empty if there are
    none. Returns None if no answer takes words. Raises LookupError for a kind that is not gone
    through by instruction.
    """
    trait = cell.subject.trait
    answering = answering_of(cell.subject.kind)
    for answer in answering.sayable(trait, instruction):
        with suppress(Refused):
            edits = answering.edits(trait, labels_or_blank(cell), instruction, answer)
            if answering.takes_words(edits):
                return answering.likely(cell, instruction)
    return None


def _describe_outcome(
    aimed: int,
    unchanged: int,
    refusals: Sequence[str],
) -> Iterator[str]:
    """Yield sentences on how many of the rows took an answer, and why others did not.

    `aimed` is the number of all rows, `unchanged` that of those that had the answer already, and
    `refusals` has a reason for each row that refused, without a full stop. Of a single row, nothing
    is said if it took the answer. Reasons of several rows are counted, the commonest first. Keys
    stand in them as `{cell.undo:u}`.
    """
    changed = aimed - unchanged - len(refusals)
    if aimed == 1:
        for refusal in refusals:
            yield f"{refusal[0].upper()}{refusal[1:]}."
        if unchanged:
            yield "It says so already."
        return

    if changed:
        yield f"{changed} changed: {{cell.undo:u}} undoes them together."
    else:
        yield "None changed."
    if unchanged:
        yield f"{unchanged} said so already."
    for refusal, count in Counter(refusals).most_common():
        yield f"{count} not, and still marked: {refusal}."


def _describe_side_effects(changes: Sequence[Change]) -> Iterator[str]:
    """Yield sentences on what answers changed besides the answer; none if nothing.

    The first is what the kind of trait remarks, with the number of further remarks. The other says
    how many cells lost their sign-off.
    """
    remarks: list[str] = []
    signed = 0
    for change in changes:
        subject = change.after.subject
        labels_before = labels_or_blank(change.before)
        labels_after = labels_or_blank(change.after)
        answering = answering_of(subject.kind)
        remarks += answering.remarks(subject.trait, labels_before, labels_after)
        if change.before.signed is not None:
            signed += 1

    if len(remarks) == 1:
        yield remarks[0]
    elif remarks:
        first = remarks[0].removesuffix(".")
        yield f"{first} (and {len(remarks) - 1} more)."
    if signed == 1:
        yield "Its cell is no longer signed off: sign it there (Enter)."
    elif signed:
        cells = many(signed, "cell")
        yield f"{cells} are no longer signed off."
