"""Rules on cells for which two reviewers gave different labels, for the screen and line mode.

`Adjudicating` knows which cells those are and locks verdicts. A `ContestedCell` is one of them
while a person picks, question by question, which reviewer's answer holds.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from appellate.core.cell import Cell, labels_of_side
from appellate.core.deciding import Act, Adopt, Correct, Reason, sealing
from appellate.core.facts import Contested, Fact
from appellate.core.kind import Grounds, Instruction, Subject
from appellate.core.problem import Refused
from appellate.session.workbench import Change, Workbench
from appellate.store.audits import adjudication

BOTH = (0, 1)
"""The indices of the two label sets of a contested cell, in the order shown."""
MOST_TALLIED = 200
"""Contested cells that are opened to count whose answers held: a person waits for it."""
UNPICKED = (
    "Pick first whose answer holds: {adjudication.one:1} or {adjudication.two:2}, "
    "for all questions or row by row."
)
NO_ROWS = (
    "This trait is ruled on as a whole: go to the first row and pick there, or open it."
)


class LabelSet(Struct, dict=True):
    """The labels that one of two reviewers gave a cell, without the reviewer's name."""

    subject: Subject
    labels: Any

    @cached_property
    def answers(self) -> Mapping[Instruction, str]:
        """The answer to each question, in the order of the questions, by the kind's own values."""
        return self.subject.kind.answers(self.subject.trait, self.labels)

    @cached_property
    def standings(self) -> Mapping[Instruction, str]:
        """The answer to each question in the words of the screen, such as `found`."""
        return self.subject.kind.standings(self.subject.trait, self.labels)

    def word(self, question: Instruction) -> str:
        """Return the answer of these labels to a question in the words of the screen.

        An example is `found`. It is the kind's own value for the answer if the screen has no words
        for it. Labels that lack the answer mostly have a word for that, such as `unanswered`. It is
        "" if they do not have the question, as one that only the other side answers.
        """
        words = self.standings.get(question, "")
        if words:
            return words
        return self.answers.get(question, "")

    def grounds(self, question: Instruction) -> Grounds:
        """Return the answer to a question, in the words of the screen, and the evidence for it.

        A question without an answer has a word for that, such as `unanswered`, or "". Kinds that do
        not link evidence to questions give all evidence that the labels have in the response, but
        none in documents. Some others raise IndexError for a question that the trait does not have.
        """
        kind = self.subject.kind
        trait = self.subject.trait
        if kind.answering:
            return kind.answering.grounds(trait, self.labels, question)

        spans: list[tuple[int, int]] = []
        for evidence in kind.evidence(trait, self.labels):
            if evidence.document is None:
                spans.append(evidence[:2])
        return Grounds(self.word(question), spans=tuple(spans))


class ContestedCell(Struct, dict=True):
    """A cell with two label sets, its "sides", while a person rules on it."""

    no: int
    cell: Cell
    picks: dict[Instruction, int] = field(default_factory=dict)
    """The side (0 or 1) whose answer the person picked, by question."""

    @property
    def fact(self) -> Fact:
        """The fact that holds the two label sets; raises LookupError for an uncontested cell."""
        if self.cell.contest is None:
            raise LookupError(f"cell {self.no} is not contested")
        return self.cell.contest

    @cached_property
    def sides(self) -> Sequence[LabelSet]:
        """The two label sets, in the order shown, which tells nothing of whose they are.

        Raises LookupError for a cell that is not contested.
        """
        event = self.fact.what
        subject = self.cell.subject
        if not isinstance(event, Contested):
            return ()
        return [
            LabelSet(subject, labels_of_side(subject, side)) for side in event.sides
        ]

    @property
    def question_count(self) -> int:
        """The number of questions that at least one side answers, with those answered alike."""
        questions: set[Instruction] = set()
        for side in self.sides:
            questions.update(side.answers)
        return len(questions)

    @cached_property
    def questions(self) -> Sequence[Instruction]:
        """The questions that the two sides answer differently, or that only one of them answers.

        The order is that of the first side's labels. Questions of the second side alone come last.
        Raises LookupError for a cell that is not contested.
        """
        first = self.sides[0].answers
        second = self.sides[1].answers
        all_questions = {**first, **second}
        return [
            question
            for question in all_questions
            if first.get(question) != second.get(question)
        ]

    def verdict(self, question: Instruction) -> str:
        """Return how a locked verdict answers a question, as `verdict: found`.

        If the cell's current labels answer differently, that follows: `verdict: found, now
        missing`. If the text was changed since the verdict, it is only `now missing`. The answers
        are in the words of the screen. It is for cells that were ruled on.
        """
        current_answer = self.cell.standings.get(question, "")
        if self.cell.ruled is None:  # the verdict was on a text that was changed since
            return f"now {current_answer}"

        verdict = LabelSet(self.cell.subject, self.cell.verdict)
        ruled_answer = verdict.standings.get(question, "")
        text = f"verdict: {ruled_answer}"
        if current_answer != ruled_answer:
            text += f", now {current_answer}"
        return text

    # -- picking ----------------------------------------------------------------------------------

    def pick(self, side: int, question: Instruction | None = None) -> None:
        """Pick the side (0 or 1) whose answer holds, for one question or, with None, for all.

        A pick for all replaces earlier picks. Nothing is saved. Raises Refused, and picks nothing,
        if that side's answer to the one question cannot be given by itself; a side as a whole can
        always be picked. If only one question differs, picking it is picking the whole.
        """
        if question is None:
            self.picks = dict.fromkeys(self.questions, side)
            return
        if len(self.questions) > 1:
            answer = self.sides[side].word(question)
            self._answer_called(question, answer)
        self.picks[question] = side

    @property
    def is_picked(self) -> bool:
        """Whether a side is picked for every contested question; False if there is no question."""
        if not self.questions:
            return False
        return all(question in self.picks for question in self.questions)

    @property
    def only_side(self) -> int | None:
        """The side (0 or 1) that is picked for every question.

        None if both sides were picked, if a question has no pick yet, and without questions.
        """
        sides = set(self.picks.values())
        if self.is_picked and len(sides) == 1:
            return sides.pop()
        return None

    def _answer_called(self, question: Instruction, word: str) -> str:
        """Return the kind's own value for an answer that the screen calls `word`.

        Raises Refused if a person cannot give that answer to this question by itself, as
        `unanswered`, or if the kind has no questions that are answered one by one.
        """
        subject = self.cell.subject
        if subject.kind.answering is None:
            raise Refused(NO_ROWS)
        sayable = subject.kind.answering.sayable(subject.trait, question)
        for answer, text in sayable.items():
            if text == word:
                return answer
        raise Refused(
            f"“{word}” cannot be picked by itself: pick all of one side, or open the cell.",
        )

    def check(self) -> None:
        """Raise Refused, with a sentence that names keys, if the cell is not ready to be ruled on.

        It is ready if a side is picked for every question, and without any pick if it has labels,
        which a person filled in. The keys are written as `{id:usual key}`, for `with_keys`.
        """
        if self.picks and not self.is_picked:
            raise Refused(
                "Some rows have no pick yet: {adjudication.one:1} or {adjudication.two:2} there, "
                "or {adjudication.unpick:0} on the first row.",
            )
        if not self.picks and self.cell.labels is None:
            raise Refused(UNPICKED)

    def apply_picks(self, act: Act, reason: str) -> None:
        """Make the labels that were picked the cell's labels, within an act that is not saved yet.

        The side that was picked most often, on a tie the first, is adopted unless the cell has its
        labels already. The answers picked from the other side then correct it. `reason` is saved
        with each of these steps; "" gives none. Without any pick nothing is done, and the cell
        stays as the person filled it in. Raises Refused if `check` does or if an answer cannot be
        given by itself; the act may then hold a part of it and must not be saved.
        """
        self.check()
        if not self.picks:
            return

        picked_sides = list(self.picks.values())
        main_side = max(BOTH, key=picked_sides.count)
        if act.cell(self.no).labels != self.sides[main_side].labels:
            act.do(self.no, [Adopt(self.fact.n, main_side)])
            if reason:
                act.do(self.no, [Reason(act.last_n, reason)])

        for question, side in self.picks.items():
            if side == main_side:
                continue
            labels = act.cell(self.no).labels
            corrections: list[Correct] = []
            for edit in self._edits_to_agree(labels, side, question):
                corrections.append(Correct(edit, reason))
            act.do(self.no, corrections)

    def _edits_to_agree(
        self,
        labels: Any,
        side: int,
        question: Instruction,
    ) -> Sequence[Any]:
        """Return the edits, in order, by which `labels` come to answer a question as a side does.

        `side` is 0 or 1. Empty if they answer so already. An answer that rests on an excerpt gets
        the side's first one in the response, or none if the side has none. Nothing is changed.
        Raises Refused if that answer cannot be given by itself, or if the kind is ruled on as a
        whole.
        """
        subject = self.cell.subject
        answering = subject.kind.answering
        if answering is None:
            raise Refused(NO_ROWS)
        label_set = self.sides[side]
        answer = self._answer_called(question, label_set.word(question))
        edits = answering.edits(subject.trait, labels, question, answer)
        if not answering.takes_words(edits):
            return edits

        spans = label_set.grounds(question).spans
        first_span = spans[0] if spans else None
        return answering.bear_out(edits, first_span)


class Adjudicating:
    """The contested cells of an audit that was joined from the audits of two reviewers."""

    def __init__(self, bench: Workbench) -> None:
        """Look up the contested cells of the workspace, and which of them await a ruling.

        Rulings by `rule` are counted from here on; other changes of the workspace are not followed.
        Raises NotKept if the workspace cannot note which cells are contested.
        """
        self.bench = bench
        self.joined = adjudication.joined_of(bench.workspace)
        self.cell_nos = adjudication.contested(bench.workspace)
        """The numbers of all contested cells, in rising order."""
        self.unruled_nos = adjudication.not_ruled(bench.workspace)
        """The numbers of those that await a ruling, in rising order; `rule` removes one."""

    def cell(self, number: int) -> ContestedCell:
        """Open a cell to rule on, without what is hidden in a blind review and with nothing picked.

        A cell that is not contested is opened, too; reading its `sides` then raises LookupError.
        Raises TypeError if there is no such cell.
        """
        _, cell = self.bench.open(number)
        return ContestedCell(number, cell)

    def next(self, number: int, by: int = 1) -> int | None:
        """Return the number of the next cell that awaits a ruling, or the previous if `by` < 0.

        It is counted from cell `number`, and `by` moves by one cell whatever its size. After the
        last comes the first, and the reverse. It is `number` itself if only that one is left, and
        None if every contested cell is ruled on.
        """
        count = len(self.unruled_nos)
        if not count:
            return None
        index = bisect_right(self.unruled_nos, number)
        if by < 0:
            index = bisect_left(self.unruled_nos, number) - 1
        return self.unruled_nos[index % count]

    def names(self, cell: Cell) -> tuple[str, str]:
        """Return the two reviewers' names in the order in which a cell shows their labels.

        They are "1" and "2" while the judge is hidden, which is before a ruling, and for an audit
        that was not joined from two.
        """
        if self.joined is None or cell.hidden:
            return "1", "2"
        return adjudication.whose(self.joined, cell)

    def rule(
        self,
        contested: ContestedCell,
        reason: str,
        seconds: float | None = None,
    ) -> Change:
        """Lock what was picked as the verdict, as one act, and return the change of the cell.

        Without any pick the labels that a person gave the cell are the verdict. It is for a cell
        whose judge is hidden; any other is signed off instead. `seconds` is how long the cell was
        visible; None is unknown. `reason` is saved with each correction that the picks make; ""
        gives none. The listeners are told, the cell leaves `unruled_nos`, and `contested` is not
        changed. Raises Refused if `contested.check` does, if the verdict is not complete or an
        answer cannot be given by itself, to an agent, and in a session that only reads. Raises
        NotKept. Nothing is saved then.
        """
        act = self.bench.begin()
        contested.apply_picks(act, reason)
        request = sealing(act.cell(contested.no), seconds)
        act.do(contested.no, [request])
        [change] = self.bench.keep(act)
        if contested.no in self.unruled_nos:
            self.unruled_nos.remove(contested.no)
        return change

    def fill_in_picks(self, contested: ContestedCell) -> None:
        """Save what was picked as the cell's labels, for the person to correct before they rule.

        Changes `contested.cell` to the cell with these labels; the picks stay, and no verdict is
        locked. Does nothing unless a side is picked for every question. Raises Refused if an answer
        cannot be given by itself and in a session that only reads. Raises NotKept. Nothing is saved
        then.
        """
        if not contested.is_picked:
            return
        act = self.bench.begin()
        contested.apply_picks(act, "")
        self.bench.keep(act)
        _, contested.cell = self.bench.open(contested.no)

    def describe_sided(self, cell: Cell) -> str:
        """Return with whom a cell's verdict sides, in a sentence: `You sided with ada on all 4.`

        Questions are counted, those that the verdict answers in a third way as `neither`. Without a
        verdict in force the cell's current labels take its place. It is "" if no question is
        contested. Raises LookupError for a cell that is not contested.
        """
        return _sided_sentence(self._count_upheld(cell))

    def _count_upheld(self, cell: Cell) -> Counter[str]:
        """Return how many contested questions each reviewer answered as the cell's verdict does.

        The keys are the reviewers' names, as `names` returns them, and "neither" for questions that
        the verdict answers in a third way; counts of 0 are left out. Without a verdict in force the
        cell's current labels take its place. Raises LookupError for a cell that is not contested.
        """
        contested = ContestedCell(0, cell)
        names = self.names(cell)
        labels = cell.labels if cell.ruled is None else cell.verdict
        verdict = LabelSet(cell.subject, labels).standings

        counts: Counter[str] = Counter()
        for question in contested.questions:
            verdict_word = verdict.get(question, "")
            upheld_name = "neither"
            for side in BOTH:
                if contested.sides[side].word(question) == verdict_word:
                    upheld_name = names[side]
            counts[upheld_name] += 1
        return counts

    def tally(self) -> str:
        """Return with whom all verdicts in force side, in a sentence like that for one cell.

        It is `You sided with ada on 9, with bob on 4.`, which counts questions. It is "" if there
        is no verdict, or if there are more than `MOST_TALLIED` contested cells: opening them would
        take too long while a person waits.
        """
        if len(self.cell_nos) > MOST_TALLIED:
            return ""
        counts: Counter[str] = Counter()
        for number in self.cell_nos:
            cell = self.bench.open(number)[1]
            if cell.ruled:
                counts += self._count_upheld(cell)
        return _sided_sentence(counts)


def _sided_sentence(counts: Counter[str]) -> str:
    """Return a sentence on whom the person sided with, from the number of questions by reviewer.

    It is `You sided with ada on all 4.` for one reviewer, and `You sided with ada on 3, with bob on
    1.` for several, the one with most questions first. It is "" without any.
    """
    if not counts:
        return ""
    if len(counts) == 1:
        [(name, count)] = counts.items()
        all_of = "all " if count > 1 else ""
        return f"You sided with {name} on {all_of}{count:,}."
    parts = [f"with {name} on {count:,}" for name, count in counts.most_common()]
    reviewers = ", ".join(parts)
    return f"You sided {reviewers}."
