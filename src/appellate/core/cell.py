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
from typing import Any, Final, Literal, get_args

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


def is_settled_since(facts: Iterable[Fact], draw_no: int) -> bool:
    """Return whether somebody ruled or signed off after the fact with number `draw_no`.

    It counts even if it was undone later. `facts` are those of one cell.
    """
    return any(
        fact.n > draw_no and isinstance(fact.what, Ruled | SignedOff) for fact in facts
    )


def set_aside(facts: tuple[Fact, ...]) -> dict[int, Fact]:
    """Return by number each fact that a withdrawn sample or a trait taken back put out of force.

    The value is the withdrawal (`Undrawn`), or the undo of the trait, that did it; of several the
    first. A withdrawal puts its draw out of force. After a blind draw it does so with the
    corrections and adoptions since, too. Acts that were only undone by themselves are not here.
    Raises Refused if a withdrawn draw does not exist, or if a ruling or sign-off came after it.
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
    """Return by its number each fact that went with a trait that was taken back.

    The value is the undo of the `Revised` that changed the trait. What happened between the two
    goes with it: proposals, failures, corrections, adoptions, sign-offs and rulings. A `Revised`
    that was redone since takes nothing along.
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
    """Return the labels of one side of a contest: those of its `table`, after its `edits`.

    Both keys may be missing in `side`: without a table the edits, which are rows, are applied in
    order to blank labels. Raises Refused for an edit that does not fit, and ValueError or TypeError
    for a row that the kind cannot read.
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
        """Whether the cell is drawn to be ruled on before the judge is seen; also after that.

        False once the sample is withdrawn. A contest hides the judge, too, but makes no cell blind.
        """
        return (
            self.drawn is not None
            and isinstance(self.drawn.what, Drawn)
            and self.drawn.what.blind
        )

    @property
    def shown(self) -> "Cell":
        """The cell as people, rows and numbers see it: the cell itself, unless the judge is hidden.

        While the judge is hidden, it is as if no judge had answered: without proposals, failures,
        and the acts from before it was hidden, of which each person has one `Withheld`. Labels that
        were given since stay.
        """
        return self._as_unjudged if self.hidden else self

    @kept
    def _as_unjudged(self) -> "Cell":
        """The cell without judges' answers, and with only those facts that do not show them.

        It is right only while the judge is hidden: `shown` asks for it then. Facts that `withholds`
        tells are left out, but undone and redone flags are not. One `Withheld` stands for all acts
        of a person that are left out, in the place of the last.
        """
        last_hidden_acts: dict[str, Fact] = {}
        flags: set[int] = set()
        for fact in self.facts:
            if isinstance(fact.what, Flagged):
                flags.add(fact.n)
            if fact.is_act and self.withholds(fact):
                last_hidden_acts[fact.by] = fact

        facts: list[Fact] = []
        numbers: list[int] = []
        for fact in self.facts:
            turns_flag = (
                isinstance(fact.what, Undone | Redone) and fact.what.of in flags
            )
            if last_hidden_acts.get(fact.by) is fact:
                facts.append(replace(fact, what=Withheld(), part_of=None))
            elif turns_flag or not self.withholds(fact):
                facts.append(fact)
                numbers.append(fact.n)
        return replace(
            self,
            judged=None,
            rounds=(),
            failure=None,
            facts=tuple(facts),
            undone=self.undone.intersection(numbers),
        )

    def withholds(self, fact: Fact) -> bool:
        """Return whether a fact is hidden now, as it would tell of the judge's labels.

        While the judge is hidden, all proposals and failures are, and any other fact from before it
        was hidden. Flags, draws and their withdrawal, contests, changes of the trait, and that the
        cell was an example are never hidden. False for every fact while the judge is not hidden.
        """
        if not self.hidden or isinstance(fact.what, _SHOWN_WHILE_BLIND):
            return False
        if isinstance(fact.what, Proposed | Failed):
            return True
        return fact.n < self.hidden_since

    def is_unseeing(self, fact: Fact) -> bool:
        """Return whether a fact happened while the judge was hidden, so that it corrects no judge.

        Only facts before it count. A blind draw or a contest hides the judge; a ruling, an open
        draw or a withdrawal shows it, even if undone since. A change of the trait in force hides it
        again in a blind cell.
        """
        return was_hidden(
            self.facts,
            fact.n,
            undone=self.undone,
            is_blind=self.is_blind,
        )

    @property
    def hidden_since(self) -> int:
        """The number of the latest draw, contest or change of the trait; 0 if there is none.

        Only those in force count. If the judge is hidden, it is hidden since that fact; an open
        draw counts, too, so the number alone does not say that anything is hidden.
        """
        latest = self.revised
        if self.drawn is not None:
            latest = max(latest, self.drawn.n)
        if self.contest is not None:
            latest = max(latest, self.contest.n)
        return latest

    @property
    def ruled_blind(self) -> bool:
        """Whether a ruling is in force that was given without sight of the judge.

        True also once its labels were corrected. A ruling between two reviewers does not count:
        they saw the judge.
        """
        return self.is_blind and self.ruled is not None

    @property
    def is_imported(self) -> bool:
        """Whether the sign-off in force came in with another tool's file."""
        return self._claim is not None

    @property
    def is_claimed_blind(self) -> bool:
        """Whether the importer of the sign-off in force claims that it was given blind.

        Nobody but the importer vouches for that: `ruled_blind` is False for such a cell.
        """
        return self._claim is True

    @property
    def _claim(self) -> bool | None:
        """Whether the importer of the sign-off in force claims that it was given blind.

        None without a sign-off in force, for a ruling, and for a sign-off that was given here.
        False is an imported sign-off for which nobody claims it.
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

        They are hidden until a person has signed the cell off or ruled on it, and again once all
        that is undone. A sign-off shows them even if its text was changed since. False for a trace
        with one response.
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

        It is there while the judge is hidden, too. After a change of the trait it is None until the
        judge answers again. Use `shown.judge` for what people may see.
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
        """Whether the last sign-off or ruling is of another version of the trait.

        One that was undone is passed over; one whose text was changed since is not. False if there
        is none.
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
        """The last failure of the judge, with its reason and answer; None if there is none.

        A failure counts until a proposal follows or the trait is changed. That of a later round
        counts even if an earlier round gave labels.
        """
        if self.failure and isinstance(self.failure.what, Failed):
            return self.failure.what
        return None

    @property
    def comments(self) -> list[Fact]:
        """The facts of the comments that are not undone, oldest first.

        Each holds its text, author and time. Empty if there are none.
        """
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
        """What the judge's own table measures to, in the judge's words; None if not judged.

        It is the table of the latest proposal under the current trait, without corrections. It is
        there while the judge is hidden, too.
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
        """What the labels of the ruling in force measure to; None without one.

        These are the labels as they were locked, without later corrections.
        """
        if self.ruled is None:
            return None
        if self.verdict is self.labels:
            return self.figures
        return self.subject.kind.measure(self.subject.trait, self.verdict)

    @kept
    def verdict_answers(self) -> Mapping[Instruction, str]:
        """How the labels of the ruling in force answer each instruction; {} without one.

        These are the labels as they were locked, without later corrections. The answers are in the
        words of `TraitKind.answers`.
        """
        if self.ruled is None:
            return {}
        if self.verdict is self.labels:
            return self.answers
        return self.subject.kind.answers(self.subject.trait, self.verdict)

    @kept
    def answers(self) -> Mapping[Instruction, str]:
        """How the current labels answer each instruction, in the words of `TraitKind.answers`.

        Empty without labels.
        """
        if self.labels is None:
            return {}
        return self.subject.kind.answers(self.subject.trait, self.labels)

    @kept
    def standings(self) -> Mapping[Instruction, str]:
        """How the current labels answer each instruction, in the words of the screen.

        These are also the words of queries, and may differ from those of `answers`. Empty without
        labels.
        """
        if self.labels is None:
            return {}
        return self.subject.kind.standings(self.subject.trait, self.labels)

    @kept
    def asides(self) -> Mapping[Instruction, Sequence[str]]:
        """What the current labels say about instructions besides their answers, in words.

        Only instructions of which something is said are there. Empty without labels.
        """
        if self.labels is None:
            return {}
        return self.subject.kind.asides(self.subject.trait, self.labels)

    @kept
    def judge_answers(self) -> Mapping[Instruction, str]:
        """How the judge's table answers each instruction; {} if the cell was not judged.

        It is the table of the latest proposal under the current trait, without corrections. It is
        there while the judge is hidden, too.
        """
        if self.judge is None:
            return {}
        if self.judge_labels is self.labels:
            return self.answers
        return self.subject.kind.answers(self.subject.trait, self.judge_labels)

    @kept
    def judge_standings(self) -> Mapping[Instruction, str]:
        """How the judge's table answers each instruction, in the words of the screen.

        It is the table of the latest proposal under the current trait, without corrections. It is
        there while the judge is hidden, too. Empty if the cell was not judged.
        """
        if self.judge is None:
            return {}
        if self.judge_labels is self.labels:
            return self.standings
        return self.subject.kind.standings(self.subject.trait, self.judge_labels)

    @property
    def former_answers(self) -> Mapping[Instruction, str]:
        """How the judge answered each instruction in the round before the latest.

        Both rounds are under the current trait; empty without such a round. Corrections do not
        count. The answers are there while the judge is hidden, too.
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
        """The answers that the judge changed in the last round: (before, now) by instruction.

        Only instructions that both rounds under the current trait answer are there. Empty after a
        single round, and if no answer changed. They are there while the judge is hidden, too.
        """
        return turned_answers(self.former_answers, self.judge_answers)

    @kept
    def judge_labels(self) -> Any:
        """The labels of the judge's table, without corrections; None if the cell was not judged.

        It is the table of the latest proposal under the current trait. It is there while the judge
        is hidden, too.
        """
        if self.judge is None:
            return None
        if self.base is self.judged and not self.edits:
            return self.labels
        return self.subject.labels(self.judge.table)

    @kept
    def checks(self) -> Sequence[Check]:
        """What is inconsistent in the current labels, and each excerpt that was not found.

        `name` tells the two apart: "breach" and "unverified". Empty without labels.
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
        """How many stretches that the current labels rest on are words of a user or the system.

        It is 0 without labels, and for a trait that reads the response only. Stretches of documents
        do not count.
        """
        if self.labels is None:
            return 0
        return self.subject.count_in_context(self.labels)

    @kept
    def _corrected(self) -> list[tuple[Edit, Outcome[Any]]]:
        """The last edit that was tried, with its outcome."""
        return []

    def corrected(self, edit: Edit) -> Outcome[Any]:
        """Return the outcome of an edit: new labels, and the item's text before and after.

        The edit is applied to the current labels, or to blank ones if there are none. Raises
        Refused if it does not fit. The outcome is kept until another edit is tried: `decide` asks
        first, then `evolve`.
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
        """Return the cell after one more fact that is an undo, a redo or a withdrawal.

        Raises Refused if a correction that stays in force then no longer fits, or a draw cannot be
        withdrawn. Raises KeyError for an unknown version of the trait. The result is kept until
        another such event is tried: `decide` asks first, then `evolve`.
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
    """Return by instruction each answer that differs, as a pair of the one before and the one now.

    They are in the order of `before`. Instructions that only one of the two answers are left out.
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


def is_hasty(event: What) -> bool:
    """Return whether an event is a sign-off or ruling after less than `MOMENT` seconds in sight.

    It is not if the seconds are unknown.
    """
    return (
        isinstance(event, SignedOff | Ruled)
        and event.seconds is not None
        and event.seconds < MOMENT
    )


def round_of(answer: Proposed | Failed) -> int:
    """Return the round of judging of an answer, by the judge's record: 1 for the first.

    It is 1 also if the record has none, or one that is no whole number.
    """
    number = answer.judge.get("round", 1)
    return number if isinstance(number, int) else 1


def fold(subject: Subject, facts: Iterable[Fact]) -> Cell:
    """Return the cell that all of its facts, in order, add up to.

    Facts out of force (`undone`) change nothing, but stay in `facts`. A sign-off counts only by
    `is_over_what_stands`, and facts before a `Revised` are applied under the trait as it was then.
    Raises Refused if a correction in force does not fit or a withdrawal is impossible, KeyError for
    an unknown version of the trait, and ValueError or TypeError for an edit that its kind cannot
    read.
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
    """Yield the subject under each version of its trait, from the oldest to the current one.

    Each `Revised` in force tells of the version before it; without any, only `subject` is yielded.
    Raises KeyError, once it comes to it, for a version that the subject does not know.
    """
    for fact in facts:
        if isinstance(fact.what, Revised) and fact.n not in out_of_force:
            yield subject.under(fact.what.was)
    yield subject


def is_over_what_stands(
    earlier: tuple[Fact, ...],
    undone_at_end: AbstractSet[int],
) -> bool:
    """Return whether a sign-off counts, by the `earlier` facts and what is undone at the end.

    `undone_at_end` has the numbers of the facts that are not in force after all facts (`undone`).
    The sign-off counts only if exactly those edits before it, corrections and adoptions, are in
    force now that were in force then:

    | before it          | after it         | it counts                           |
    |--------------------|------------------|-------------------------------------|
    | edit               |                  | yes                                 |
    | edit, its undo     |                  | yes: it was over no edit            |
    | edit               | its undo         | no: the labels were others          |
    | edit, its undo     | its redo         | no, likewise                        |
    | edit               | its undo, redo   | yes                                 |
    | edit               | another edit     | yes, until that edit takes it away  |
    """
    edits = {fact.n for fact in earlier if isinstance(fact.what, Corrected | Adopted)}
    return edits - undone(earlier) == edits - undone_at_end


def evolve(cell: Cell, fact: Fact) -> Cell:
    """Return the cell after one more fact; the given cell stays, but for answers noted in it.

    An undo, a redo and a withdrawal fold the cell again. A change of the trait is only added to
    `facts`: use `fold` for it. What was computed of the cell is handed on where it stays right.
    Raises Refused if the fact does not fit, ValueError or TypeError for an edit that its kind
    cannot read, and KeyError if the cell is folded with a version of the trait that is unknown.
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


JUDGED: Final = "judged"
"""The part of what was read that tells what judges had said, in `SignedOff.read`."""


def was_hidden(
    facts: Iterable[Fact],
    fact_no: int,
    *,
    undone: Collection[int],
    is_blind: bool,
) -> bool:
    """Return whether the judge of a cell was hidden when the fact with number `fact_no` happened.

    Only the facts before it count. A blind draw or a contest hides the judge; a ruling, an open
    draw or a withdrawal shows it, even if undone since. A change of the trait that is not among
    `undone` hides it again if `is_blind`, the cell's draw in force being a blind one. `facts` are
    all of the cell's, in order.
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
    """Return a short fingerprint of all proposals among some facts; None if there is none.

    It covers their tables and the judges' whole records, such as names, models and reasons.
    Failures do not count. It has `PART_DIGITS` hexadecimal digits.
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
    """Return whether what a person read when they signed off or ruled is unchanged.

    That is the cell's text, question and reference. If the sign-off kept a fingerprint of judges'
    proposals, those among the `earlier` facts must be unchanged, too. A change of the trait does
    not count. Returns True for a sign-off without a fingerprint of the text: nobody knows what was
    read.
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

    A sign-off or ruling signs nothing if what was read was changed since: it becomes `unsettled`.
    `earlier` are the facts before it, which only those two need. An undo, a redo, a withdrawal and
    a change of the trait need `fold`: here they return the cell itself, like facts that change no
    state. Raises Refused if the fact does not fit, and ValueError or TypeError for an edit that its
    kind cannot read.
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
    """Return the cell with the labels of proposal `fact_no`, or of a member of its panel.

    `member` is counted from 0, and None for the proposal itself; the sides of a contest are
    members, too. The proposal or contest becomes `base`, and the adoption the only one of `edits`:
    earlier corrections and a sign-off are no longer in force. Raises Refused if there are no such
    labels under the current trait.
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
    """Return the cell after a ruling: its labels are locked as the verdict, and the judge is shown.

    Blank labels are locked if it has none. If what was read was changed since, the judge is shown,
    too, but the cell is not signed off and has no verdict: the ruling is kept as `lapsed` and
    `unsettled` instead. `earlier` are the facts before it.
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


def _after_correction(cell: Cell, fact: Fact, edit: Edit, text_before: str) -> Cell:
    """Return the cell with one edit applied; a sign-off before it is no longer in force.

    `text_before` is the text that the item had when the correction was made. Raises Refused if it
    has another now, or if the edit does not fit.
    """
    outcome = cell.corrected(edit)
    if outcome.before != text_before:
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
    """Return the cell with its judge hidden and without labels, corrections and sign-off.

    Proposals, failures, the flag and the draw stay.
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
    """Return the cell after a judge's proposal, which becomes `judged`.

    The proposal before it goes to `rounds`, and an earlier failure is forgotten. Labels stay if
    they are signed off, also over a text changed since, if a person filled them in by hand, or
    while the judge is hidden. Else they become those of the proposal, with the corrections of
    `steps` applied again. `edits` are then those that were applied, and `orphaned` those whose item
    the proposal lacks; one that the proposal already agrees with is in neither.
    """
    judged = replace(cell, judged=fact, rounds=proposals(cell), failure=None)
    if (
        cell.signed
        or cell.unsettled
        or cell.hidden
        or (cell.edits and cell.base is None)
    ):
        return judged
    subject = cell.subject
    kind = subject.kind
    labels = subject.labels(proposed.table)
    edits: set[int] = set()
    orphaned = list(_not_repeatable(cell))
    for step in cell.steps:
        try:
            edit = kind.carried(subject.trait, labels, step.edit, step.anchor)
            if edit is None:
                continue
            outcome = kind.apply(subject.trait, subject.trace, labels, edit)
        except Refused:
            orphaned.append(step.n)
        else:
            labels = outcome.labels
            edits.add(step.n)
    return replace(
        judged,
        labels=labels,
        base=fact,
        edits=frozenset(edits),
        orphaned=tuple(orphaned),
    )


def _not_repeatable(cell: Cell) -> tuple[int, ...]:
    """Return the numbers of those corrections and adoptions that no later proposal can get again.

    These are adoptions, which name the labels of one proposal, and corrections without a step in
    `steps`. The earlier `orphaned` come first.
    """
    if not (cell.orphaned or cell.edits):
        return ()
    steps = {step.n for step in cell.steps}
    return tuple(
        fact_no
        for fact_no in (*cell.orphaned, *sorted(cell.edits))
        if fact_no not in steps
    )


def _after_revision(cell: Cell, fact: Fact, subject: Subject) -> Cell:
    """Return the cell under a changed trait, `subject`: without labels, sign-off and verdict.

    Its flag, its draw and its earlier proposals stay. Corrections are kept as `steps`, and are
    `orphaned` until a proposal comes, to which they are applied again. A cell that was drawn blind
    loses them, and is hidden until somebody rules on it again.
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

    Members are counted from 0; None is the proposal itself. The two sides of a contest count as
    members, and a contest without `member` has no labels. Raises Refused if the fact is no proposal
    of the cell, is older than the current trait, or if the member gave no labels.
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
    """Return the labels that an edit applies to: the cell's, or blank ones if it has none.

    Blank labels are those of the cell's kind, in which every question is open.
    """
    if cell.labels is None:
        return cell.subject.kind.blank
    return cell.labels


_TURNING = (Undone, Redone, Undrawn)
"""Facts that take others out of force, or put them back."""


def undone(facts: tuple[Fact, ...]) -> frozenset[int]:
    """Return the numbers of the facts that are not in force after all of these.

    These are acts and changes of the trait whose last turn was an undo, withdrawn draws, and what
    went with either (`set_aside`). Raises Refused for a withdrawal of a draw that does not exist,
    or that came after a ruling or sign-off.
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
    """Return the latest reason given for a correction or adoption of the cell; "" for none.

    A reason given later replaces the one given with the correction, and an empty one takes it back.
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
    """Return the corrections in force one by one, each with the labels before and after it.

    They are in order and begin with the proposal's labels, or with adopted ones. Corrections of an
    earlier proposal are in the form in which they were applied to this one. Empty if a person
    started the labels, and without corrections. Raises Refused if one does not fit.
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
    """Return the reason given for fact `fact_no` or, without one, for the act that it is part of.

    "" if there is none, and for a number that the cell does not have.
    """
    for fact in cell.facts:
        if fact.n == fact_no:
            reason = reason_of(cell, fact)
            if reason or fact.part_of is None:
                return reason
            return reason_for(cell, fact.part_of)
    return ""


def latest_reason(cell: Cell, is_about: Callable[[Any], bool]) -> str:
    """Return the reason for the latest correction in force that has one; "" if none has.

    Only corrections count for whose edit `is_about` returns True. Adoptions have no edit.
    """
    for step in reversed(cell.steps):
        if step.n not in cell.edits or not is_about(step.edit):
            continue
        reason = reason_for(cell, step.n)
        if reason:
            return reason
    return ""
