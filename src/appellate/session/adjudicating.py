"""Ruling on what two reviewers differ in, for screen and lines."""

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
from appellate.store.audits.adjudication import contested, joined_of, not_ruled, whose

BOTH = (0, 1)
AT_ONCE = 200
"""Cells that are looked through while somebody waits."""
UNPICKED = "Pick first: 1 or 2 says whose answer holds, for all of it or row by row."
NO_ROWS = "This trait is ruled on as a whole: go to the first row and pick there, or open it."


class LabelSet(Struct, dict=True):
    """What labels of a cell say, without who they are by."""

    subject: Subject
    labels: Any

    @cached_property
    def answers(self) -> Mapping[Instruction, str]:
        return self.subject.kind.answers(self.subject.trait, self.labels)

    @cached_property
    def standings(self) -> Mapping[Instruction, str]:
        return self.subject.kind.standings(self.subject.trait, self.labels)

    def word(self, question: Instruction) -> str:
        """How a question is answered, in the word of the screen."""
        return self.standings.get(question, "") or self.answers.get(question, "")

    def grounds(self, question: Instruction) -> Grounds:
        """What the answer rests on: for kinds that cannot tell, all that the labels rest on."""
        kind = self.subject.kind
        trait = self.subject.trait
        if kind.answering:
            return kind.answering.grounds(trait, self.labels, question)
        spans = [s[:2] for s in kind.evidence(trait, self.labels) if s.document is None]
        return Grounds(self.word(question), spans=tuple(spans))


class ContestedCell(Struct, dict=True):
    """A contested cell as somebody rules on it: `picks` are which side holds, by question."""

    no: int
    cell: Cell
    picks: dict[Instruction, int] = field(default_factory=dict)

    @property
    def fact(self) -> Fact:
        """The fact by which its two label sets came."""
        if self.cell.contest is None:
            raise LookupError(f"cell {self.no} is not contested")
        return self.cell.contest

    @cached_property
    def sides(self) -> Sequence[LabelSet]:
        what = self.fact.what
        subject = self.cell.subject
        if not isinstance(what, Contested):
            return ()
        return [LabelSet(subject, labels_of_side(subject, side)) for side in what.sides]

    @property
    def asked(self) -> int:
        """How many questions the cell is asked."""
        return len({*self.sides[0].answers, *self.sides[1].answers})

    @cached_property
    def questions(self) -> Sequence[Instruction]:
        """Those that the two answer otherwise."""
        one, other = (side.answers for side in self.sides)
        return [asked for asked in {**one, **other} if one.get(asked) != other.get(asked)]

    def verdict(self, question: Instruction) -> str:
        """How the verdict answers, and what is there by now: `verdict: found, now missing`."""
        now = self.cell.standings.get(question, "")
        if self.cell.ruled is None:  # what was read was changed since
            return f"now {now}"
        verdict = LabelSet(self.cell.subject, self.cell.verdict)
        ruled = verdict.standings.get(question, "")
        text = f"verdict: {ruled}"
        if now != ruled:
            text += f", now {now}"
        return text

    # -- picking ----------------------------------------------------------------------------------

    def pick(self, side: int, question: Instruction | None = None) -> None:
        """Says which side holds, in one question or in all; raises Refused where it cannot."""
        if question is None:
            self.picks = dict.fromkeys(self.questions, side)
            return
        if len(self.questions) > 1:
            self._sayable(question, self.sides[side].word(question))
        self.picks[question] = side

    @property
    def is_picked(self) -> bool:
        """Whether every question has a side that holds."""
        return bool(self.questions) and self.picks.keys() >= {*self.questions}

    @property
    def whole(self) -> int | None:
        """The side that holds in all of it; None where there is no such."""
        sides = set(self.picks.values())
        return sides.pop() if self.is_picked and len(sides) == 1 else None

    def _sayable(self, question: Instruction, word: str) -> str:
        """The answer that a person may give which is called so."""
        subject = self.cell.subject
        if subject.kind.answering is None:
            raise Refused(NO_ROWS)
        sayable = subject.kind.answering.sayable(subject.trait, question)
        for answer, text in sayable.items():
            if text == word:
                return answer
        raise Refused(f"“{word}” cannot be taken by itself: pick all of one side, or open it.")

    def check(self) -> None:
        """Raises Refused where it is not decided yet what holds."""
        if self.picks and not self.is_picked:
            raise Refused("Some rows have no pick yet: 1 or 2 there, or 0 on the first row.")
        if not self.picks and self.cell.labels is None:
            raise Refused(UNPICKED)

    def take(self, act: Act, reason: str) -> None:
        """Takes the labels of the side that was picked most, then what was picked of the other."""
        self.check()
        if not self.picks:
            return
        sides = list(self.picks.values())
        main = max(BOTH, key=sides.count)
        if act.cell(self.no).labels != self.sides[main].labels:
            act.do(self.no, [Adopt(self.fact.n, main)])
            if reason:
                act.do(self.no, [Reason(act.last_n, reason)])
        for question, side in self.picks.items():
            if side != main:
                act.do(self.no, [Correct(edit, reason) for edit in self._edits(act, question)])

    def _edits(self, act: Act, question: Instruction) -> Sequence[Any]:
        """The corrections that make the labels answer a question as the side that holds there."""
        side = self.picks[question]
        subject = self.cell.subject
        answering = subject.kind.answering
        if answering is None:
            raise Refused(NO_ROWS)
        answer = self._sayable(question, self.sides[side].word(question))
        edits = answering.edits(subject.trait, act.cell(self.no).labels, question, answer)
        if answering.takes_words(edits):
            spans = self.sides[side].grounds(question).spans
            edits = answering.bear_out(edits, spans[0] if spans else None)
        return edits


class Adjudicating:
    """The contested cells of an audit made of two: all `numbers`, and those `left` to rule on."""

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self.joined = joined_of(bench.workspace)
        self.numbers = contested(bench.workspace)
        self.left = not_ruled(bench.workspace)

    def cell(self, number: int) -> ContestedCell:
        return ContestedCell(number, self.bench.open(number)[1])

    def next(self, number: int, by: int = 1) -> int | None:
        """The next that is not ruled, the first behind the last; None where all are."""
        if not self.left:
            return None
        at = bisect_right(self.left, number)
        if by < 0:
            at = bisect_left(self.left, number) - 1
        return self.left[at % len(self.left)]

    def names(self, cell: Cell) -> tuple[str, str]:
        """Who the two are, in the order shown: "1" and "2" before the cell is ruled."""
        if self.joined is None or cell.hidden:
            return "1", "2"
        return whose(self.joined, cell)

    def rule(self, here: ContestedCell, reason: str, seconds: float | None = None) -> Change:
        """Locks what was picked as the verdict, as one act; raises Refused or NotKept."""

        def ruled(act: Act) -> None:
            here.take(act, reason)
            act.do(here.no, [sealing(act.cell(here.no), seconds)])

        change = self.bench.do_together(ruled)[0]
        if here.no in self.left:
            self.left.remove(here.no)
        return change

    def begin_own(self, here: ContestedCell) -> None:
        """Puts what was picked into the cell to be changed there; else it is filled by hand."""
        if here.is_picked:
            self.bench.do_together(lambda act: here.take(act, ""))
            here.cell = self.bench.open(here.no)[1]

    def upheld(self, cell: Cell) -> str:
        """With whom the verdict sides: `You sided with ada on all 4.`, or on how many with each."""
        return _sided(self._held(cell))

    def _held(self, cell: Cell) -> Counter[str]:
        """How many questions of a ruled cell are answered as each of the two did, or as neither."""
        here = ContestedCell(0, cell)
        names = self.names(cell)
        labels = cell.labels if cell.ruled is None else cell.verdict
        verdict = LabelSet(cell.subject, labels).standings
        counts: Counter[str] = Counter()
        for question in here.questions:
            word = verdict.get(question, "")
            held = "neither"
            for side in BOTH:
                if here.sides[side].word(question) == word:
                    held = names[side]
            counts[held] += 1
        return counts

    def tally(self) -> str:
        """Whose answers held, in a sentence; "" of too many cells to look through at a key."""
        if len(self.numbers) > AT_ONCE:
            return ""
        counts: Counter[str] = Counter()
        for number in self.numbers:
            cell = self.bench.open(number)[1]
            if cell.ruled:
                counts += self._held(cell)
        return _sided(counts)


def _sided(counts: Counter[str]) -> str:
    """With whom verdicts side, in a sentence; "" where nothing was asked."""
    if len(counts) == 1:
        name, count = counts.most_common(1)[0]
        return f"You sided with {name} on {'all ' if count > 1 else ''}{count:,}."
    parts = [f"with {name} on {count:,}" for name, count in counts.most_common()]
    return f"You sided {', '.join(parts)}." if parts else ""
