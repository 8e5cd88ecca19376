"""The rules of a cell: `fold` applies all of its facts, `evolve` one more.

- Undo takes one act out and folds the cell again, so a judge's reply that arrived in between stays.
- A later round of judging leaves signed-off labels alone. Elsewhere its proposal replaces the
  labels, and corrections whose item still exists are applied again.
- A changed trait makes the cell pending, and its corrections wait for the next proposal. If the
  change is undone, the cell is as it was before.
- A cell that is drawn blind starts again without labels, and proposals leave it alone until a
  person has ruled on it. If its sample is withdrawn, the cell is as if it had not been drawn.
- A sign-off or a ruling over a text that was changed since signs nothing. It leaves the labels as
  they are, and the cell has to be signed off again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.facts import (
    Adopted,
    Commented,
    Contested,
    Corrected,
    Drawn,
    Fact,
    Failed,
    Flagged,
    Proposed,
    Reasoned,
    Redone,
    Revised,
    Ruled,
    Shown,
    SignedOff,
    Undone,
    Undrawn,
    What,
    Withheld,
    without_nulls,
)
from appellate.core.kept import kept
from appellate.core.kind import (
    DEFAULT_READS,
    PART_DIGITS,
    Check,
    Edit,
    Figures,
    Instruction,
    Outcome,
    Subject,
    Table,
    json_sha256,
)
from appellate.core.problem import Refused

TOO_LATE = (
    "The sample cannot be withdrawn: cells in it are already ruled on or signed off, and dropping a"
    " sample after seeing its numbers would bias the estimate. You can still add to it."
)


def is_settled_since(facts: Iterable[Fact], draw: int) -> bool:
    """Return whether a person ruled or signed off after the fact numbered `draw`.

    It counts even if it was undone later.
    """
    return any(
        fact.n > draw and isinstance(fact.what, Ruled | SignedOff) for fact in facts
    )


def set_aside(facts: tuple[Fact, ...]) -> dict[int, Fact]:
    """Return what put facts out of force with their sample or trait, by the numbers of these facts.

    Out of force are withdrawn draws, what was done blind after them, and what was said under
    changed traits that were taken back. The values are the withdrawals and the undos of traits,
    of two the first.
    Raises Refused if a withdrawn draw does not exist, or a verdict came after it.
    """
    out_of_force = _set_aside_with_traits(facts)
    for index, fact in enumerate(facts):
        if not isinstance(fact.what, Undrawn):
            continue
        draw_no = fact.what.of
        earlier_facts = facts[:index]
        draw = next(
            (earlier.what for earlier in earlier_facts if earlier.n == draw_no),
            None,
        )
        if not isinstance(draw, Drawn):
            raise Refused(f"There was no draw {draw_no} to withdraw.")
        if is_settled_since(earlier_facts, draw_no):
            raise Refused(TOO_LATE)

        out_of_force[draw_no] = fact
        if not draw.blind:
            continue
        for earlier in earlier_facts:
            if earlier.n > draw_no and isinstance(earlier.what, Corrected | Adopted):
                former = out_of_force.get(earlier.n, fact)
                out_of_force[earlier.n] = min(former, fact, key=attrgetter("n"))
    return out_of_force


OF_THE_TRAIT = Proposed | Failed | Corrected | Adopted | SignedOff | Ruled
"""Facts that say something about the trait as it was when they happened."""


def _set_aside_with_traits(facts: tuple[Fact, ...]) -> dict[int, Fact]:
    """Return the undo of a changed trait for each fact that went with it, by that fact's number.

    If a `Revised` was undone last, not redone, it takes along what happened between it and that
    undo: proposals, failures, corrections, adoptions, sign-offs and rulings.
    """
    last_turns = {
        fact.what.of: fact for fact in facts if isinstance(fact.what, Undone | Redone)
    }
    undos: dict[int, Fact] = {}
    for fact in facts:
        turn = last_turns.get(fact.n)
        if (
            not isinstance(fact.what, Revised)
            or turn is None
            or isinstance(turn.what, Redone)
        ):
            continue
        for later in facts:
            if fact.n < later.n < turn.n and isinstance(later.what, OF_THE_TRAIT):
                undos[later.n] = turn
    return undos


def labels_of_side(subject: Subject, side: Table) -> Any:
    """Return the labels of one side of a contest: its table with its edits applied.

    Without a table they are applied to blank labels. Raises Refused, or ValueError or TypeError,
    for an edit that does not fit.
    """
    kind = subject.kind
    labels = kind.blank
    if "table" in side:
        labels = subject.labels(side["table"])
    for row in side.get("edits", ()):
        edit = kind.edit(row)
        outcome = kind.apply(subject.trait, subject.trace, labels, edit)
        labels = outcome.labels
    return labels


State = Literal["pending", "failed", "proposed", "corrected", "reviewed"]
STATES: tuple[State, ...] = get_args(State)
MOMENT = 1.0
"""Seconds. Who signs off sooner has hardly read what they sign."""


class Step(Struct, frozen=True):
    """A correction in force."""

    n: int
    """The number of its fact."""
    edit: Edit
    anchor: Any
    """What it was about, in terms that hold for other labels, too (`TraitKind.anchor`)."""


class Cell(Struct, frozen=True, dict=True):
    """One trace judged under one trait: its current labels, and every fact that led to them.

    What labels and a judge's table measure to is found once, and handed on while they stay the same
    (`evolve`).
    """

    subject: Subject
    facts: tuple[Fact, ...] = ()
    labels: Any = None
    """None until a judge proposed labels or a person filled the cell in."""
    base: Fact | None = None
    """The proposal that `labels` started from; None if a person started them."""
    judged: Fact | None = None
    """The latest proposal under the current trait."""
    rounds: tuple[Fact, ...] = ()
    """The proposals before that, oldest first."""
    failure: Fact | None = None
    """The latest failure of a judge, until a proposal follows."""
    signed: Fact | None = None
    """The sign-off or ruling that is in force."""
    edits: frozenset[int] = frozenset()
    """The fact numbers of the corrections and adoptions that the labels include."""
    steps: tuple[Step, ...] = ()
    """The corrections to be applied to the next proposal again."""
    orphaned: tuple[int, ...] = ()
    """The fact numbers of corrections that have no place in a later proposal."""
    undone: frozenset[int] = frozenset()
    """The fact numbers of what is not in force."""
    revised: int = 0
    """The number of the fact by which the trait became what it is; 0 if it was never changed."""
    flag: bool = False
    example: bool = False
    """Whether a judge was shown the cell as an example."""
    drawn: Fact | None = None
    """The fact by which the cell came into the sample."""
    contest: Fact | None = None
    """The fact that put the labels of two people into the cell."""
    ruled: Fact | None = None
    """The ruling on a blind or contested cell that is in force."""
    lapsed: Fact | None = None
    """The last ruling whose text was changed since, whatever came after it."""
    unsettled: Fact | None = None
    """The sign-off or ruling whose text was changed since, until somebody signs off again."""
    verdict: Any = None
    """The labels at the time of `ruled`."""
    hidden: bool = False
    """Whether the judge's labels may not be seen yet."""

    @property
    def is_blind(self) -> bool:
        """Whether the cell was drawn to be ruled on before the judge is seen; also after that."""
        return (
            self.drawn is not None
            and isinstance(self.drawn.what, Drawn)
            and self.drawn.what.blind
        )

    @property
    def shown(self) -> "Cell":
        """The cell as people, rows and numbers see it.

        While the judge is hidden, it is as if no judge had answered, with one `Withheld` for all
        that each person did before.
        """
        return self._as_unjudged if self.hidden else self

    @kept
    def _as_unjudged(self) -> "Cell":
        """The cell without judges' answers and without the facts that would show them.

        One `Withheld` stands for all that a person did before the judge was hidden.
        """
        facts = tuple(_visible_facts(self))
        numbers = [fact.n for fact in facts if not isinstance(fact.what, Withheld)]
        undone = self.undone.intersection(numbers)
        return replace(
            self,
            judged=None,
            rounds=(),
            failure=None,
            facts=facts,
            undone=undone,
        )

    def withholds(self, fact: Fact) -> bool:
        """Return whether a fact stays hidden with the judge, as it tells of the judge's labels.

        Those are the judge's answers, and what happened before the judge was hidden. Flags, draws
        and their withdrawal, contests, changes of the trait, and that the cell was an example are
        never hidden. False while the judge is not hidden.
        """
        if not self.hidden or isinstance(fact.what, _SHOWN_WHILE_BLIND):
            return False
        if isinstance(fact.what, Proposed | Failed):
            return True
        return fact.n < self.hidden_since

    def is_unseeing(self, fact: Fact) -> bool:
        """Return whether a fact happened while the judge was hidden, so that it corrects no judge.

        The facts before it decide: a blind draw or a contest hides the judge, a ruling or a
        withdrawal shows it. In a blind cell, a change of the trait that is in force hides it again.
        """
        return was_hidden(
            self.facts,
            fact.n,
            undone=self.undone,
            is_blind=self.is_blind,
        )

    @property
    def hidden_since(self) -> int:
        """The number of the last fact that could hide the judge; 0 if there is none."""
        latest = self.revised
        if self.drawn is not None:
            latest = max(latest, self.drawn.n)
        if self.contest is not None:
            latest = max(latest, self.contest.n)
        return latest

    @property
    def ruled_blind(self) -> bool:
        """Whether there is a verdict that was given without sight of the judge.

        A ruling between two reviewers does not count: they saw the judge.
        """
        return self.is_blind and self.ruled is not None

    @property
    def is_imported(self) -> bool:
        """Whether the sign-off in force came in with another tool's file."""
        return self._claim is not None

    @property
    def is_claimed_blind(self) -> bool:
        """Whether the importer of the sign-off in force claims that the judge was not in sight.

        That is no verdict that was given blind here: nobody but the importer vouches for it.
        """
        return self._claim is True

    @property
    def _claim(self) -> bool | None:
        """Whether the importer of the sign-off in force claims that the judge was not in sight.

        None without a sign-off, for a ruling, and for a sign-off that was given here.
        """
        if self.signed is None or not isinstance(self.signed.what, SignedOff):
            return None
        return self.signed.what.said_blind

    @property
    def state(self) -> State:
        """The state of the cell, the first that applies; people see and ask for that of `shown`.

        It is "reviewed" once signed off or ruled on, "corrected" with corrections or an unsettled
        sign-off, "proposed" with a proposal, "failed" after a failure, else "pending".
        """
        if self.signed:
            return "reviewed"
        if self.edits or self.unsettled:
            return "corrected"
        if self.judged:
            return "proposed"
        if self.failure:
            return "failed"

        return "pending"

    @property
    def hides_names(self) -> bool:
        """Whether it is hidden who wrote the two responses of a pair, with the trace's metadata.

        They are hidden until a person has signed the cell off or ruled on it, and again
        once that is undone. False for a trace with one response.
        """
        if self.subject.asked.other is None:
            return False
        rulings = [
            fact.n for fact in self.facts if isinstance(fact.what, SignedOff | Ruled)
        ]
        return self.undone.issuperset(rulings)

    @property
    def judge(self) -> Proposed | None:
        """The judge's latest proposal under the current trait; None without one.

        It is there while it is hidden, too; `shown` is without it.
        """
        if self.judged and isinstance(self.judged.what, Proposed):
            return self.judged.what
        return None

    @property
    def round(self) -> int:
        """The round of judging that `judged` belongs to; 0 before the first."""
        return round_of(self.judge) if self.judge else 0

    @property
    def outdated(self) -> bool:
        """Whether the last sign-off or ruling in force is of another version of the trait.

        False without any in force.
        """
        for fact in reversed(self.facts):
            if not isinstance(fact.what, SignedOff | Ruled):
                continue
            if fact.n in self.undone:
                continue
            current_sha256 = self.subject.trait.sha256()
            return bool(fact.what.trait_sha256 != current_sha256)
        return False

    @property
    def hasty(self) -> bool:
        """Whether the cell was signed off after less than a moment in sight."""
        return self.signed is not None and is_hasty(self.signed.what)

    @property
    def error(self) -> Failed | None:
        """Why the judge gave no judgment, and what it answered; None if it did not fail.

        A failure before the latest proposal does not count.
        """
        if self.failure and isinstance(self.failure.what, Failed):
            return self.failure.what
        return None

    @property
    def comments(self) -> list[Fact]:
        """The comments that are not undone, in order."""
        return [
            fact
            for fact in self.facts
            if isinstance(fact.what, Commented) and fact.n not in self.undone
        ]

    @property
    def corrections(self) -> list[Fact]:
        """All corrections, also those that are undone."""
        return [f for f in self.facts if isinstance(f.what, Corrected)]

    @kept
    def figures(self) -> Figures | None:
        """What the current labels measure to; None without labels."""
        if self.labels is None:
            return None
        return self.subject.kind.measure(self.subject.trait, self.labels)

    @kept
    def judge_figures(self) -> Figures | None:
        """What the judge's own table measures to, in its words; None if it has not been judged.

        It is that of the latest proposal under the current trait, also while the judge is hidden.
        """
        if self.judge is None:
            return None

        kind = self.subject.kind
        trait = self.subject.trait
        table = self.judge.table
        labels = self.judge_labels
        if labels is self.labels and kind.is_verbatim(trait, table, labels):
            return self.figures

        return kind.measure_table(trait, table, labels)

    @kept
    def verdict_figures(self) -> Figures | None:
        """What the verdict measures to, as it was locked; None without one in force."""
        if self.ruled is None:
            return None
        if self.verdict is self.labels:
            return self.figures
        return self.subject.kind.measure(self.subject.trait, self.verdict)

    @kept
    def verdict_answers(self) -> Mapping[Instruction, str]:
        """How the verdict answers each instruction, as it was locked; {} without one in force."""
        if self.ruled is None:
            return {}
        if self.verdict is self.labels:
            return self.answers
        return self.subject.kind.answers(self.subject.trait, self.verdict)

    @kept
    def answers(self) -> Mapping[Instruction, str]:
        """How the current labels answer each instruction; empty without labels."""
        if self.labels is None:
            return {}
        return self.subject.kind.answers(self.subject.trait, self.labels)

    @kept
    def standings(self) -> Mapping[Instruction, str]:
        """How the current labels answer each instruction, in the words of the screen.

        Empty without labels.
        """
        if self.labels is None:
            return {}
        return self.subject.kind.standings(self.subject.trait, self.labels)

    @kept
    def asides(self) -> Mapping[Instruction, Sequence[str]]:
        """What the current labels say about instructions besides their answers.

        Empty without labels.
        """
        if self.labels is None:
            return {}
        return self.subject.kind.asides(self.subject.trait, self.labels)

    @kept
    def judge_answers(self) -> Mapping[Instruction, str]:
        """How the judge's table answers each instruction; empty if it has not been judged.

        It is that of the latest proposal under the current trait, also while the judge is hidden.
        """
        if self.judge is None:
            return {}
        if self.judge_labels is self.labels:
            return self.answers
        return self.subject.kind.answers(self.subject.trait, self.judge_labels)

    @kept
    def judge_standings(self) -> Mapping[Instruction, str]:
        """How the judge's table answers each instruction, in the words of the screen.

        It is that of the latest proposal under the current trait, also while the judge is hidden.
        Empty if the cell has not been judged.
        """
        if self.judge is None:
            return {}
        if self.judge_labels is self.labels:
            return self.standings
        return self.subject.kind.standings(self.subject.trait, self.judge_labels)

    @property
    def former_answers(self) -> Mapping[Instruction, str]:
        """How the judge of the round before answered each instruction under the same trait.

        Empty without such a round.
        """
        before = [fact for fact in self.rounds if fact.n > self.revised]
        if not before:
            return {}
        latest = before[-1].what
        if not isinstance(latest, Proposed):
            return {}
        labels = self.subject.labels(latest.table)
        return self.subject.kind.answers(self.subject.trait, labels)

    @property
    def flips(self) -> Mapping[Instruction, tuple[str, str]]:
        """The answers that turned with the last round: what the judge said before, and says now.

        Instructions that only one of the two rounds answers are left out.
        """
        return turned_answers(self.former_answers, self.judge_answers)

    @kept
    def judge_labels(self) -> Any:
        """The labels of the judge's table, without corrections; None if it has not been judged.

        It is that of the latest proposal under the current trait, also while the judge is hidden.
        """
        if self.judge is None:
            return None
        if self.base is self.judged and not self.edits:
            return self.labels
        return self.subject.labels(self.judge.table)

    @kept
    def checks(self) -> Sequence[Check]:
        """What is inconsistent in the current labels, and excerpts that were not found.

        Empty without labels.
        """
        if self.labels is None:
            return ()
        return self.subject.kind.checks(self.subject.trait, self.labels)

    def breaches(self) -> list[str]:
        """Return what is inconsistent in the current labels, a sentence each; [] without labels."""
        return [check.sentence for check in self.checks if check.name == "breach"]

    @property
    def unverified(self) -> int:
        """How many excerpts were not found where they should be from."""
        return sum(check.name == "unverified" for check in self.checks)

    @kept
    def count_in_context(self) -> int:
        """How many stretches that the current labels are based on are a user's or the system's.

        It is 0 without labels, and for a trait that reads the response. Documents do not count.
        """
        if self.labels is None:
            return 0
        return self.subject.count_in_context(self.labels)

    @kept
    def _corrected(self) -> list[tuple[Edit, Outcome[Any]]]:
        """The last edit that was tried, with its outcome."""
        return []

    def corrected(self, edit: Edit) -> Outcome[Any]:
        """Return the outcome of an edit of the labels, or of blank ones; the cell does not change.

        Raises Refused for an edit that does not fit. It is computed once: first `decide` asks for
        it, then `evolve`.
        """
        if self._corrected and self._corrected[0][0] == edit:
            return self._corrected[0][1]
        subject = self.subject
        outcome = subject.kind.apply(
            subject.trait,
            subject.trace,
            labels_or_blank(self),
            edit,
        )
        self._corrected[:] = [(edit, outcome)]
        return outcome

    @kept
    def _folded(self) -> dict[What, "Cell"]:
        """The last undo, redo or withdrawal that was tried, with the cell after it."""
        return {}

    def folded(self, fact: Fact) -> "Cell":
        """Return the cell after an undo, redo or withdrawal; raises Refused if it cannot be.

        It is folded once: first `decide` asks for it, then `evolve`. Raises KeyError for an unknown
        version of the trait.
        """
        facts = (*self.facts, fact)
        if fact.what not in self._folded:
            self._folded.clear()
            self._folded[fact.what] = fold(self.subject, facts)
        cell = self._folded[fact.what]
        return replace(cell, facts=facts)


def turned_answers(
    before: Mapping[Instruction, str],
    now: Mapping[Instruction, str],
) -> Mapping[Instruction, tuple[str, str]]:
    """Return the answers that differ, each as it was and as it is, in the order of `before`.

    Instructions that only one of the two answers are left out.
    """
    turned: dict[Instruction, tuple[str, str]] = {}
    for instruction, answer in before.items():
        later_answer = now.get(instruction, answer)
        if later_answer != answer:
            turned[instruction] = (answer, later_answer)
    return turned


_COMPUTED_FROM = {
    "figures": "labels",
    "answers": "labels",
    "standings": "labels",
    "asides": "labels",
    "checks": "labels",
    "count_in_context": "labels",
    "verdict_figures": "ruled",
    "verdict_answers": "ruled",
    "judge_labels": "judged",
    "judge_figures": "judged",
    "judge_answers": "judged",
    "judge_standings": "judged",
}
"""For each cached property of `Cell`, the field that it is computed from."""


_SHOWN_WHILE_BLIND = Flagged | Drawn | Undrawn | Contested | Revised | Shown
"""Facts that reveal nothing of the judge's labels, so a blind reviewer may see them."""


def _visible_facts(cell: Cell) -> Iterator[Fact]:
    """Yield the facts of a hidden cell that may be shown, in order.

    Of each person's acts that are hidden, one `Withheld` stands in the position of the last. Undone
    and redone flags are shown.
    """
    last_hidden_acts: dict[str, Fact] = {}
    flags: set[int] = set()
    for fact in cell.facts:
        if isinstance(fact.what, Flagged):
            flags.add(fact.n)
        if fact.is_act and cell.withholds(fact):
            last_hidden_acts[fact.by] = fact

    for fact in cell.facts:
        turns_flag = isinstance(fact.what, Undone | Redone) and fact.what.of in flags
        if last_hidden_acts.get(fact.by) is fact:
            yield replace(fact, what=Withheld(), part_of=None)
        elif turns_flag or not cell.withholds(fact):
            yield fact


def is_hasty(what: What) -> bool:
    """Return whether an event is a sign-off or ruling after less than `MOMENT` seconds in sight.

    It is not if the seconds are unknown.
    """
    return (
        isinstance(what, SignedOff | Ruled)
        and what.seconds is not None
        and what.seconds < MOMENT
    )


def round_of(what: Proposed | Failed) -> int:
    """Return the round of judging that an answer belongs to: 1 if it names no whole number."""
    number = what.judge.get("round", 1)
    return number if isinstance(number, int) else 1


def fold(subject: Subject, facts: Iterable[Fact]) -> Cell:
    """Return the cell that all facts, in order, add up to.

    Facts out of force are left out. Facts before a `Revised` are applied under the trait as it was
    then. Raises Refused if a correction in force does not fit, and KeyError for an unknown version
    of the trait. An edit that its kind cannot read raises ValueError or TypeError.
    """
    facts = tuple(facts)
    if not facts:
        return Cell(subject)
    # nearly every cell of an import
    first = facts[0]
    if len(facts) == 1 and isinstance(first.what, Proposed):
        labels = subject.labels(first.what.table)
        return Cell(subject, facts, labels, base=first, judged=first)

    out_of_force = undone(facts)
    versions = _versions(subject, facts, out_of_force)
    cell = Cell(next(versions), undone=out_of_force)

    for index, fact in enumerate(facts):
        if fact.n in out_of_force:
            continue
        if isinstance(fact.what, Revised):
            cell = _after_revision(cell, fact, next(versions))
        elif isinstance(fact.what, SignedOff):
            before = facts[:index]
            if is_over_what_stands(before, out_of_force):
                cell = _after_fact(cell, fact, before)
        elif isinstance(fact.what, Ruled):
            cell = _after_fact(cell, fact, facts[:index])
        else:
            cell = _after_fact(cell, fact, ())
    return replace(cell, facts=facts)


def _versions(
    subject: Subject,
    facts: Iterable[Fact],
    out_of_force: AbstractSet[int],
) -> Iterator[Subject]:
    """Yield the subject under each version of its trait that facts tell of, the current one last.

    A `Revised` out of force makes no version. Raises KeyError for a version that the subject does
    not know.
    """
    for fact in facts:
        if isinstance(fact.what, Revised) and fact.n not in out_of_force:
            yield subject.under(fact.what.was)
    yield subject


def is_over_what_stands(
    before: tuple[Fact, ...],
    undone_at_end: AbstractSet[int],
) -> bool:
    """Return whether a sign-off counts, by the facts before it and what is undone at the end.

    `undone_at_end` has the numbers of the acts that are undone after all facts. It
    counts only if exactly those edits before it are in force now that were in force then:

    | before it          | after it         | it counts                           |
    |--------------------|------------------|-------------------------------------|
    | edit               |                  | yes                                 |
    | edit, its undo     |                  | yes: it was over no edit            |
    | edit               | its undo         | no: the labels were others          |
    | edit, its undo     | its redo         | no, likewise                        |
    | edit               | its undo, redo   | yes                                 |
    | edit               | another edit     | yes, until that edit takes it away  |
    """
    edits = {fact.n for fact in before if isinstance(fact.what, Corrected | Adopted)}
    return edits - undone(before) == edits - undone_at_end


def evolve(cell: Cell, fact: Fact) -> Cell:
    """Return the cell after one more fact; a change of its trait needs `fold`.

    What was computed of the cell is handed on if it stays right. For that, answers of the given
    cell may be noted in it, too. Raises Refused if the fact does not fit, and ValueError or
    TypeError for an edit that its kind cannot read.
    """
    if isinstance(fact.what, Undone | Redone | Undrawn):
        after = cell.folded(fact)
    else:
        facts = (*cell.facts, fact)
        after = replace(_after_fact(cell, fact, cell.facts), facts=facts)

    computed = vars(cell)
    labels_are_judges = cell.base is cell.judged and not cell.edits
    if labels_are_judges and "answers" in computed:
        computed["judge_answers"] = cell.answers
    for name, source in _COMPUTED_FROM.items():
        if name not in computed:
            continue
        if getattr(after, source) is getattr(cell, source):
            vars(after)[name] = computed[name]
    return after


JUDGED = "judged"
"""The part of what was read that tells what judges had said, in `SignedOff.read`."""


def was_hidden(
    facts: Iterable[Fact],
    fact_no: int,
    *,
    undone: Collection[int],
    is_blind: bool,
) -> bool:
    """Return whether the judge of a cell was hidden when the fact with this number happened.

    The facts before it decide. A blind draw or a contest hides the judge; a ruling, another draw or
    a withdrawal shows it. A change of the trait that is in force hides it again if the cell was
    drawn blind, as `is_blind` says. `facts` are all of the cell's, in order, and `undone` the
    numbers of those taken back.
    """
    hidden = False
    for earlier in facts:
        if earlier.n >= fact_no:
            break
        match earlier.what:
            case Drawn(blind):
                hidden = blind
            case Contested():
                hidden = True
            case Ruled() | Undrawn():
                hidden = False
            case Revised() if earlier.n not in undone:
                hidden = hidden or is_blind
            case _:
                pass
    return hidden


def judged_part(facts: Iterable[Fact]) -> str | None:
    """Return a short fingerprint of what judges say in some facts; None if they say nothing.

    Labels, reasons, names, models and all else of their records are in it.
    """
    proposals: list[Any] = []
    for fact in facts:
        if isinstance(fact.what, Proposed):
            proposals.append([fact.what.table, fact.what.judge])
    if not proposals:
        return None
    sha256 = json_sha256(without_nulls(proposals))
    return sha256[:PART_DIGITS]


def _is_as_it_was_read(
    subject: Subject,
    signed: SignedOff | Ruled,
    earlier: Sequence[Fact],
) -> bool:
    """Return whether what a person signed off or ruled on is still what they read.

    Both the cell's text and what judges said before the sign-off, as `earlier` facts have
    it, must be unchanged. Returns True for a sign-off without a fingerprint: nobody knows
    what was read.
    """
    if not signed.read_sha256:
        return True
    judged = (signed.read or {}).get(JUDGED)
    if judged is not None and judged != judged_part(earlier):
        return False
    return subject.read_sha256(signed.trait_sha256) == signed.read_sha256


def _after_fact(  # noqa: C901, PLR0912 - a case for each fact
    cell: Cell,
    fact: Fact,
    earlier: Sequence[Fact],
) -> Cell:
    """Return the cell after a fact, still without the fact itself in `facts`.

    `earlier` are the facts before it, which only a sign-off and a ruling need. An undo, a
    redo, a withdrawal and a change of the trait are not applied here: they need `fold`.
    They and facts that change no state return the cell itself. Raises Refused if the fact
    does not fit, and ValueError or TypeError for an edit that its kind cannot read.
    """
    match fact.what:
        case Proposed():
            return _after_proposal(cell, fact, fact.what)
        case Failed():
            return replace(cell, failure=fact)
        case Corrected(row, before):
            return _after_correction(cell, fact, cell.subject.kind.edit(row), before)
        case Adopted(fact_no, member):
            return _after_adoption(cell, fact, fact_no, member)
        case SignedOff():
            if _is_as_it_was_read(cell.subject, fact.what, earlier):
                return replace(cell, signed=fact, unsettled=None)
            return replace(cell, signed=None, unsettled=fact)
        case Drawn(blind):
            drawn = replace(cell, drawn=fact)
            return _emptied_for_blind_ruling(drawn) if blind else drawn
        case Contested(sides):
            for side in sides:
                # raises for a wrong side while the file is read
                labels_of_side(cell.subject, side)
            return replace(_emptied_for_blind_ruling(cell), contest=fact)
        case Ruled():
            return _after_ruling(cell, fact, fact.what, earlier)
        case Flagged(on):
            return replace(cell, flag=on)
        case Shown():
            return replace(cell, example=True)
        case _:
            return cell


def _after_adoption(cell: Cell, fact: Fact, fact_no: int, member: int | None) -> Cell:
    """Return the cell with the labels of proposal `fact_no`, or of one member of its panel.

    `member` is counted from 0, and None for the proposal itself. Earlier corrections and a sign-off
    are no longer in force. Raises Refused if that proposal or member gave no labels under the
    current trait.
    """
    labels = proposed_labels(cell, fact_no, member)
    possible_bases = [*proposals(cell), cell.contest]
    base = next(fact for fact in possible_bases if fact and fact.n == fact_no)
    return replace(
        cell,
        labels=labels,
        base=base,
        edits=frozenset({fact.n}),
        steps=(),
        signed=None,
        unsettled=None,
    )


def _after_ruling(
    cell: Cell,
    fact: Fact,
    ruling: Ruled,
    earlier: Sequence[Fact],
) -> Cell:
    """Return the cell after a ruling: its labels are the verdict, and the judge is shown.

    If what was read was changed since, the ruling is kept as `lapsed` and `unsettled`
    instead. The cell is then not signed off and has no verdict.
    """
    verdict = labels_or_blank(cell)
    if not _is_as_it_was_read(cell.subject, ruling, earlier):
        return replace(cell, labels=verdict, lapsed=fact, unsettled=fact, hidden=False)
    return replace(
        cell,
        labels=verdict,
        verdict=verdict,
        ruled=fact,
        signed=fact,
        hidden=False,
    )


def _after_correction(cell: Cell, fact: Fact, edit: Edit, before: str) -> Cell:
    """Return the cell after a correction; a sign-off before it is no longer in force.

    Raises Refused if the edit does not fit, or the text of the item is not the one that it had
    `before`.
    """
    outcome = cell.corrected(edit)
    if outcome.before != before:
        raise Refused("the text that it changed is no longer there.")

    subject = cell.subject
    step = Step(
        fact.n,
        edit,
        subject.kind.anchor(subject.trait, labels_or_blank(cell), edit),
    )
    edits = cell.edits | {fact.n}
    steps = (*cell.steps, step)
    return replace(
        cell,
        labels=outcome.labels,
        edits=edits,
        steps=steps,
        signed=None,
        unsettled=None,
    )


def _emptied_for_blind_ruling(cell: Cell) -> Cell:
    """Return the cell without labels, what led to them, and a sign-off; the judge is hidden.

    It is to be ruled on before the judge is seen. Proposals and failures stay.
    """
    return replace(
        cell,
        labels=None,
        base=None,
        signed=None,
        unsettled=None,
        edits=frozenset(),
        steps=(),
        orphaned=(),
        hidden=True,
    )


def _after_proposal(cell: Cell, fact: Fact, proposed: Proposed) -> Cell:
    """Return the cell after a judge's proposal, with the earlier proposals in `rounds`.

    The labels become those of the proposal, with the corrections of the former labels
    applied as far as they fit. They stay as they are if a person signed off, filled the
    cell in by hand, or has to rule first. An unsettled sign-off keeps the labels, too: what
    was corrected after it is based on the labels that were signed.
    """
    judged = replace(cell, judged=fact, rounds=proposals(cell), failure=None)
    if (
        cell.signed
        or cell.unsettled
        or cell.hidden
        or (cell.edits and cell.base is None)
    ):
        return judged
    labels = cell.subject.labels(proposed.table)
    return _with_corrections_again(
        replace(
            judged,
            labels=labels,
            base=fact,
            edits=frozenset(),
            orphaned=_not_repeatable(cell),
        ),
    )


def _not_repeatable(cell: Cell) -> tuple[int, ...]:
    """Return the numbers of corrections that cannot be applied to another proposal.

    These are adoptions of a proposal's labels, and corrections that did not fit the last
    proposal.
    """
    if not (cell.orphaned or cell.edits):
        return ()
    steps = {step.n for step in cell.steps}
    return tuple(
        fact_no
        for fact_no in (*cell.orphaned, *sorted(cell.edits))
        if fact_no not in steps
    )


def _with_corrections_again(cell: Cell) -> Cell:
    """Return the cell with its corrections applied to a new proposal, as far as they fit.

    `edits` gets the numbers of those that were applied, `orphaned` those whose item the
    proposal does not have. A correction that the proposal says already is in neither.
    """
    kind = cell.subject.kind
    trait = cell.subject.trait
    trace = cell.subject.trace

    for step in cell.steps:
        try:
            edit = kind.carried(trait, cell.labels, step.edit, step.anchor)
            if edit is None:
                continue
            outcome = kind.apply(trait, trace, cell.labels, edit)
        except Refused:
            orphaned = (*cell.orphaned, step.n)
            cell = replace(cell, orphaned=orphaned)
        else:
            edits = cell.edits | {step.n}
            cell = replace(cell, labels=outcome.labels, edits=edits)
    return cell


def _after_revision(cell: Cell, fact: Fact, subject: Subject) -> Cell:
    """Return the cell under a changed trait, `subject`: pending, and not signed off.

    Its flag, its draw and its earlier proposals stay. Its corrections are `orphaned` until
    a proposal comes, to which they are applied as far as they fit. A blind cell has none
    any more, and is to be ruled on again.
    """
    orphaned: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()
    if not cell.is_blind:
        steps = cell.steps
        orphaned = (*_not_repeatable(cell), *[step.n for step in steps])
    return Cell(
        subject,
        rounds=proposals(cell),
        steps=steps,
        orphaned=orphaned,
        undone=cell.undone,
        revised=fact.n,
        flag=cell.flag,
        example=cell.example,
        drawn=cell.drawn,
        hidden=cell.is_blind,
    )


def proposals(cell: Cell) -> tuple[Fact, ...]:
    """Return all proposals of the cell, oldest first.

    Those under earlier versions of its trait are among them.
    """
    if cell.judged is None:
        return cell.rounds
    return (*cell.rounds, cell.judged)


def proposed_labels(cell: Cell, fact_no: int, member: int | None = None) -> Any:
    """Return the labels that fact number `fact_no` proposed, or those of one member of its panel.

    Members are counted from 0, and None is the proposal itself. The two sides of a contest count as
    members, and a contest itself has no labels. Raises Refused for a fact or a member that proposed
    no labels under the current trait. The cell does not change.
    """
    proposal = None
    for fact in (*proposals(cell), cell.contest):
        if fact is not None and fact.n == fact_no:
            proposal = fact.what
            break

    if (
        isinstance(proposal, Contested)
        and member is not None
        and 0 <= member < len(proposal.sides)
    ):
        return labels_of_side(cell.subject, proposal.sides[member])
    if not isinstance(proposal, Proposed):
        raise Refused("There is no such proposal here.")
    if fact_no < cell.revised:
        text = "That proposal is about an earlier version of the trait"
        if proposal.judge.get("read", DEFAULT_READS) != getattr(
            cell.subject.trait,
            "reads",
            DEFAULT_READS,
        ):
            text += ", which read another text"
        raise Refused(f"{text}.")
    if member is None:
        return cell.subject.labels(proposal.table)

    members = proposal.judge.get("members", ())
    if not 0 <= member < len(members) or "error" in members[member]:
        raise Refused("That member of the panel gave no labels here.")

    return cell.subject.labels(members[member])


def labels_or_blank(cell: Cell) -> Any:
    """Return the labels that an edit applies to: blank ones if the cell has none yet."""
    if cell.labels is None:
        return cell.subject.kind.blank
    return cell.labels


_TURNING = (Undone, Redone, Undrawn)
"""Facts that take others out of force, or put them back."""


def undone(facts: tuple[Fact, ...]) -> frozenset[int]:
    """Return the numbers of what is not in force after these facts.

    These are acts and changes of the trait that are undone, withdrawn draws, and what either took
    along. A fact that was undone and redone is in force. Raises Refused for a withdrawal of a draw
    that does not exist, or that came after a verdict.
    """
    if not any([isinstance(fact.what, _TURNING) for fact in facts]):  # noqa: C419 - it is quicker
        return frozenset()  # true for nearly every cell, and quick to tell

    turned_off: set[int] = set()
    for fact in facts:
        match fact.what:
            case Undone(fact_no):
                turned_off.add(fact_no)
            case Redone(fact_no):
                turned_off.discard(fact_no)
            case _:
                pass
    return frozenset(turned_off.union(set_aside(facts)))


def reason_of(cell: Cell, correction: Fact) -> str:
    """Return the latest reason given for a correction, or the one given with it.

    "" for none, and for an adoption without a later one.
    """
    for fact in reversed(cell.facts):
        if isinstance(fact.what, Reasoned) and fact.what.of == correction.n:
            return fact.what.reason
    if isinstance(correction.what, Corrected):
        return correction.what.reason
    return ""


class ReplayedStep(Struct, frozen=True):
    """A correction in force, and the labels before and after it."""

    n: int
    """The number of its fact."""
    edit: Any
    before: Any
    after: Any


def replayed(cell: Cell) -> list[ReplayedStep]:
    """Return what was done to the labels that a judge proposed, step by step.

    The steps are in the order in which they were done. Empty for labels that a person started. Only
    corrections in force are there; those of an earlier proposal are as they were carried over.
    Raises Refused if one does not fit.
    """
    if cell.base is None:
        return []

    member = None
    for fact in cell.facts:
        if fact.n in cell.edits and isinstance(fact.what, Adopted):
            member = fact.what.member
    labels = proposed_labels(cell, cell.base.n, member)
    steps: list[ReplayedStep] = []
    subject = cell.subject
    kind = subject.kind

    for step in cell.steps:
        if step.n not in cell.edits:
            continue
        edit: Any = step.edit
        if step.n < cell.base.n:  # it corrected an earlier proposal
            edit = kind.carried(subject.trait, labels, edit, step.anchor)
        after = kind.apply(subject.trait, subject.trace, labels, edit).labels
        steps.append(ReplayedStep(step.n, edit, labels, after))
        labels = after
    return steps


def reason_for(cell: Cell, fact_no: int) -> str:
    """Return the reason given for fact `fact_no`, or for the act that it is part of.

    "" for none.
    """
    for fact in cell.facts:
        if fact.n == fact_no:
            reason = reason_of(cell, fact)
            if reason or fact.part_of is None:
                return reason
            return reason_for(cell, fact.part_of)
    return ""


def latest_reason(cell: Cell, is_about: Callable[[Any], bool]) -> str:
    """Return the reason for the latest correction in force that has one, or "".

    Only corrections count for whose edit `is_about` returns True.
    """
    for step in reversed(cell.steps):
        if step.n not in cell.edits or not is_about(step.edit):
            continue
        reason = reason_for(cell, step.n)
        if reason:
            return reason
    return ""
