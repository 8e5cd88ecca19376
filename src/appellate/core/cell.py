"""The rules of a cell: `evolve` and `fold` apply facts.

Undo takes one act out and folds the cell again, so a judge's reply that arrived in between stays. A
later round of judging leaves signed-off labels alone; elsewhere its proposal comes in, with the
corrections that still have their item. A changed trait makes the cell pending, and its corrections
wait for the next proposal; one whose changed trait was taken back is as it was before the change. A
cell that is drawn blind begins anew without labels, and proposals leave it alone until a person has
ruled on it; one whose sample was withdrawn is as it would be without the draw. A sign-off or a
ruling over what reads otherwise by now signs nothing, and leaves the labels as it would else: the
cell is to be signed off again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
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
)
from appellate.core.kind import (
    DEFAULT_READS,
    Check,
    Edit,
    Figures,
    Instruction,
    Outcome,
    Subject,
    Table,
)
from appellate.core.problem import Refused

TOO_LATE = (
    "The sample stays: something in it is ruled on or signed off already, and whoever has seen a"
    " number may withdraw what does not suit them."
)


def is_judged_since(facts: Iterable[Fact], draw: int) -> bool:
    """Whether a person gave a verdict after the draw of that number, be it undone by now."""
    return any(fact.n > draw and isinstance(fact.what, Ruled | SignedOff) for fact in facts)


def set_aside(facts: tuple[Fact, ...]) -> frozenset[int]:
    """The numbers of withdrawn draws, and of what was done blind in between. Raises Refused where
    there was no such draw, or a verdict after it.
    """
    gone: set[int] = set()
    for place, fact in enumerate(facts):
        if not isinstance(fact.what, Undrawn):
            continue
        before = facts[:place]
        of = fact.what.of
        drawn = next((one.what for one in before if one.n == of), None)
        if not isinstance(drawn, Drawn):
            raise Refused(f"There was no draw {of} to withdraw.")
        if is_judged_since(before, of):
            raise Refused(TOO_LATE)
        gone.add(of)
        if drawn.blind:
            begun = (one.n for one in before if isinstance(one.what, Corrected | Adopted))
            gone.update(n for n in begun if n > of)
    return frozenset(gone | _under_traits_taken_back(facts))


OF_THE_TRAIT = Proposed | Failed | Corrected | Adopted | SignedOff | Ruled
"""Facts that say something about the trait as it was when they happened."""


def _under_traits_taken_back(facts: tuple[Fact, ...]) -> set[int]:
    """The numbers of what was said about changed traits that are no longer in force.

    A `Revised` that is undone takes along what happened between it and its undo.
    """
    turns = {fact.what.of: fact for fact in facts if isinstance(fact.what, Undone | Redone)}
    gone: set[int] = set()
    for fact in facts:
        turn = turns.get(fact.n)
        if not isinstance(fact.what, Revised) or turn is None or isinstance(turn.what, Redone):
            continue
        for said in facts:
            if fact.n < said.n < turn.n and isinstance(said.what, OF_THE_TRAIT):
                gone.add(said.n)
    return gone


def labels_of_side(subject: Subject, side: Table) -> Any:
    """The labels that a side stands for."""
    kind, labels = subject.kind, subject.kind.blank
    if "table" in side:
        labels = subject.labels(side["table"])
    for row in side.get("edits", ()):
        labels = kind.apply(subject.trait, subject.trace, labels, kind.edit(row)).labels
    return labels


State = Literal["pending", "failed", "proposed", "corrected", "reviewed"]
STATES: tuple[State, ...] = get_args(State)
MOMENT = 1.0
"""Seconds: who signs off sooner has hardly read what they sign."""


class Step(Struct, frozen=True):
    """A correction in force, by its number; `anchor` is what it was about (`TraitKind.anchor`)."""

    n: int
    edit: Edit
    anchor: Any


class Cell(Struct, frozen=True, dict=True):
    """A fold of facts: the current labels and everything that led to them.

    `labels` is None while nothing was proposed and nobody filled the cell by hand; `base` is the
    proposal they rest on, None where they are by hand. `judged` is the latest proposal under the
    trait as it is, `rounds` are the ones before it. `edits` are the numbers of the corrections in
    the labels, `orphaned` those of the corrections that found no place in a later round. `signed`
    is the sign-off that still holds, `revised` the number of the fact since which the trait is what
    it is, `example` whether a judge was shown the cell. `drawn` is the fact by which it came into
    the sample, `contest` that which put two people's labels in it, `ruled` that by which a blind or
    contested one was ruled, `verdict` the labels as they then were. `unsettled` is the sign-off or
    ruling that would hold if what was read were not changed since, until somebody signs off again;
    `lapsed` the ruling of which that is true, whatever came after it.
    `hidden` is whether what the judge says is not to be seen yet.

    What labels and a judge's table come to is found once, and handed on while they stay (`evolve`).
    """

    subject: Subject
    facts: tuple[Fact, ...] = ()
    labels: Any = None
    base: Fact | None = None
    judged: Fact | None = None
    rounds: tuple[Fact, ...] = ()
    failure: Fact | None = None
    signed: Fact | None = None
    edits: frozenset[int] = frozenset()
    steps: tuple[Step, ...] = ()
    orphaned: tuple[int, ...] = ()
    undone: frozenset[int] = frozenset()
    revised: int = 0
    flag: bool = False
    example: bool = False
    drawn: Fact | None = None
    contest: Fact | None = None
    ruled: Fact | None = None
    lapsed: Fact | None = None
    unsettled: Fact | None = None
    verdict: Any = None
    hidden: bool = False

    @property
    def is_blind(self) -> bool:
        """Whether it was drawn to be ruled before the judge is seen."""
        return (
            self.drawn is not None and isinstance(self.drawn.what, Drawn) and self.drawn.what.blind
        )

    @property
    def shown(self) -> "Cell":
        """The cell as people, rows and numbers have it: while the judge is hidden, as if none had
        answered, with one `Withheld` for what each person did before.
        """
        return self._as_unjudged if self.hidden else self

    @cached_property
    def _as_unjudged(self) -> "Cell":
        facts = tuple(_seen(self))
        numbers = [fact.n for fact in facts if not isinstance(fact.what, Withheld)]
        undone = self.undone.intersection(numbers)
        return replace(self, judged=None, rounds=(), failure=None, facts=facts, undone=undone)

    def withholds(self, fact: Fact) -> bool:
        """Whether a fact stays hidden with the judge, as it rests on the judge's labels."""
        if not self.hidden or isinstance(fact.what, _TELLS_NOTHING):
            return False
        if isinstance(fact.what, Proposed | Failed):
            return True
        return fact.n < self.hidden_since

    def is_unseeing(self, fact: Fact) -> bool:
        """Whether it was done while the judge was hidden: it corrects nothing of the judge's."""
        hidden = False
        for one in self.facts:
            if one.n >= fact.n:
                break
            match one.what:
                case Drawn(blind):
                    hidden = blind
                case Contested():
                    hidden = True
                case Ruled() | Undrawn():
                    hidden = False
                case Revised() if one.n not in self.undone:
                    hidden = hidden or self.is_blind
                case _:
                    pass
        return hidden

    @property
    def hidden_since(self) -> int:
        """The number of the fact since which the judge is hidden; 0 where it never was."""
        hiding = (self.drawn, self.contest)
        return max(self.revised, *(fact.n for fact in hiding if fact), 0)

    @property
    def ruled_blind(self) -> bool:
        """Whether the verdict owes nothing to the judge; nobody rules so on the labels of two
        reviewers who saw it.
        """
        return self.is_blind and self.ruled is not None

    @property
    def state(self) -> State:
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
    def judge(self) -> Proposed | None:
        """The judgment in `judged`."""
        if self.judged and isinstance(self.judged.what, Proposed):
            return self.judged.what
        return None

    @property
    def round(self) -> int:
        """The round of judging that `judged` belongs to; 0 before there is one."""
        return round_of(self.judge) if self.judge else 0

    @property
    def outdated(self) -> bool:
        """Whether the last sign-off was over another version of the trait."""
        for fact in reversed(self.facts):
            if isinstance(fact.what, SignedOff | Ruled) and fact.n not in self.undone:
                return bool(fact.what.trait_sha256 != self.subject.trait.sha256())
        return False

    @property
    def hasty(self) -> bool:
        """Whether it is signed off by somebody who had it in sight for less than a moment."""
        return self.signed is not None and is_hasty(self.signed.what)

    @property
    def error(self) -> Failed | None:
        """Why the judge gave no judgment, and what it answered."""
        if self.failure and isinstance(self.failure.what, Failed):
            return self.failure.what
        return None

    @property
    def comments(self) -> list[Fact]:
        return [f for f in self.facts if isinstance(f.what, Commented) and f.n not in self.undone]

    @property
    def corrections(self) -> list[Fact]:
        return [f for f in self.facts if isinstance(f.what, Corrected)]

    @cached_property
    def figures(self) -> Figures | None:
        """The metrics of the current labels; None where there are none."""
        if self.labels is None:
            return None
        return self.subject.kind.measure(self.subject.trait, self.labels)

    @cached_property
    def judge_figures(self) -> Figures | None:
        """The metrics of the judge's own lists; None where no judge has judged."""
        if self.judge is None:
            return None
        kind = self.subject.kind
        trait = self.subject.trait
        table = self.judge.table
        labels = self.judge_labels
        if labels is self.labels and kind.is_verbatim(trait, table, labels):
            return self.figures
        return kind.measure_table(trait, table, labels)

    @cached_property
    def verdict_figures(self) -> Figures | None:
        """The metrics of the verdict; None where there is none."""
        if self.ruled is None:
            return None
        if self.verdict is self.labels:
            return self.figures
        return self.subject.kind.measure(self.subject.trait, self.verdict)

    @cached_property
    def verdict_answers(self) -> Mapping[Instruction, str]:
        """How the verdict answers each instruction; empty where there is none."""
        if self.ruled is None:
            return {}
        if self.verdict is self.labels:
            return self.answers
        return self.subject.kind.answers(self.subject.trait, self.verdict)

    @cached_property
    def answers(self) -> Mapping[Instruction, str]:
        """How the current labels answer each instruction; empty where there are none."""
        if self.labels is None:
            return {}
        return self.subject.kind.answers(self.subject.trait, self.labels)

    @cached_property
    def standings(self) -> Mapping[Instruction, str]:
        """How the current labels say each instruction stands, in the words of the screen."""
        if self.labels is None:
            return {}
        return self.subject.kind.standings(self.subject.trait, self.labels)

    @cached_property
    def asides(self) -> Mapping[Instruction, Sequence[str]]:
        """What the current labels say of instructions beside their answers."""
        if self.labels is None:
            return {}
        return self.subject.kind.asides(self.subject.trait, self.labels)

    @cached_property
    def judge_answers(self) -> Mapping[Instruction, str]:
        """How the judge's table answers each instruction; empty where no judge has judged."""
        if self.judge is None:
            return {}
        if self.judge_labels is self.labels:
            return self.answers
        return self.subject.kind.answers(self.subject.trait, self.judge_labels)

    @cached_property
    def judge_standings(self) -> Mapping[Instruction, str]:
        """How the judge's table says each instruction stands, in the words of the screen."""
        if self.judge is None:
            return {}
        if self.judge_labels is self.labels:
            return self.standings
        return self.subject.kind.standings(self.subject.trait, self.judge_labels)

    @cached_property
    def judge_labels(self) -> Any:
        """The labels of the judge's table; None where no judge has judged."""
        if self.judge is None:
            return None
        if self.base is self.judged and not self.edits:
            return self.labels
        return self.subject.labels(self.judge.table)

    @cached_property
    def checks(self) -> Sequence[Check]:
        """What is inconsistent in the current labels, and excerpts that are not there."""
        if self.labels is None:
            return ()
        return self.subject.kind.checks(self.subject.trait, self.labels)

    def breaches(self) -> list[str]:
        """What is inconsistent in the current labels, a sentence each."""
        return [check.sentence for check in self.checks if check.name == "breach"]

    @property
    def unverified(self) -> int:
        """How many excerpts are not where they should be from."""
        return sum(check.name == "unverified" for check in self.checks)

    @cached_property
    def in_context(self) -> int:
        """How many stretches of evidence are words of a user or of the system."""
        if self.labels is None:
            return 0
        return self.subject.in_context(self.labels)

    @cached_property
    def _corrected(self) -> list[tuple[Edit, Outcome[Any]]]:
        return []

    def corrected(self, edit: Edit) -> Outcome[Any]:
        """What an edit makes of the labels; found once, as `decide` asks and `evolve` after it."""
        if self._corrected and self._corrected[0][0] == edit:
            return self._corrected[0][1]
        subject = self.subject
        outcome = subject.kind.apply(subject.trait, subject.trace, at_hand(self), edit)
        self._corrected[:] = [(edit, outcome)]
        return outcome

    @cached_property
    def _folded(self) -> dict[What, "Cell"]:
        return {}

    def folded(self, fact: Fact) -> "Cell":
        """The cell after an undo, redo or withdrawal; folded once for `decide` and `evolve`."""
        facts = (*self.facts, fact)
        if fact.what not in self._folded:
            self._folded.clear()
            self._folded[fact.what] = fold(self.subject, facts)
        return replace(self._folded[fact.what], facts=facts)


_MADE_OF = {
    "figures": "labels",
    "answers": "labels",
    "standings": "labels",
    "asides": "labels",
    "checks": "labels",
    "in_context": "labels",
    "verdict_figures": "ruled",
    "verdict_answers": "ruled",
    "judge_labels": "judged",
    "judge_figures": "judged",
    "judge_answers": "judged",
    "judge_standings": "judged",
}


_TELLS_NOTHING = Flagged | Drawn | Undrawn | Contested | Revised | Shown
"""What shows of a hidden cell whenever it happened."""


def _seen(cell: Cell) -> Iterator[Fact]:
    """The facts of a hidden cell that may show, and one `Withheld` for each person's others."""
    last = {fact.by: fact for fact in cell.facts if fact.is_act and cell.withholds(fact)}
    flags = {fact.n for fact in cell.facts if isinstance(fact.what, Flagged)}
    for fact in cell.facts:
        of_flag = isinstance(fact.what, Undone | Redone) and fact.what.of in flags
        if last.get(fact.by) is fact:
            yield replace(fact, what=Withheld(), part_of=None)
        elif of_flag or not cell.withholds(fact):
            yield fact


def is_hasty(what: What) -> bool:
    """Whether something that happened is a sign-off after less than a moment."""
    return (
        isinstance(what, SignedOff | Ruled) and what.seconds is not None and what.seconds < MOMENT
    )


def round_of(what: Proposed | Failed) -> int:
    """The round of judging that an answer belongs to: 1 where it names none."""
    number = what.judge.get("round", 1)
    return number if isinstance(number, int) else 1


def fold(subject: Subject, facts: Iterable[Fact]) -> Cell:
    """What all facts, in order, add up to; those before a `Revised` under the trait as it was."""
    facts = tuple(facts)
    if not facts:
        return Cell(subject)
    gone = undone(facts)
    earlier: list[Subject] = []
    for fact in facts:
        if isinstance(fact.what, Revised) and fact.n not in gone:
            earlier.append(subject.under(fact.what.was))
    versions = iter([*earlier, subject])
    cell = Cell(next(versions), undone=gone)
    for place, fact in enumerate(facts):
        if isinstance(fact.what, Revised):
            if fact.n not in gone:
                cell = _revised(cell, fact, next(versions))
        elif isinstance(fact.what, SignedOff) and not is_over_what_stands(facts[:place], gone):
            continue
        elif fact.n not in gone:
            cell = _apply(cell, fact)
    return replace(cell, facts=facts)


def is_over_what_stands(before: tuple[Fact, ...], gone: AbstractSet[int]) -> bool:
    """Whether a sign-off counts, by the facts before it and the numbers of the acts that are undone
    in the end.

    It counts only where exactly those edits before it stand now that stood when it was made:

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
    return edits - undone(before) == edits - gone


def evolve(cell: Cell, fact: Fact) -> Cell:
    """The cell after one more fact; a change of its trait takes `fold`."""
    if isinstance(fact.what, Undone | Redone | Undrawn):
        after = cell.folded(fact)
    else:
        after = replace(_apply(cell, fact), facts=(*cell.facts, fact))
    if "answers" in vars(cell) and cell.base is cell.judged and not cell.edits:
        vars(cell)["judge_answers"] = cell.answers
    for name, source in _MADE_OF.items():
        if name in vars(cell) and getattr(after, source) is getattr(cell, source):
            vars(after)[name] = vars(cell)[name]
    return after


def _holds(subject: Subject, signed: SignedOff | Ruled) -> bool:
    """Return whether what a person signed off or ruled on still reads as it did then.

    True for what was signed without a fingerprint: nobody knows what was read.
    """
    if not signed.read_sha256:
        return True
    return subject.read_sha256(signed.trait_sha256) == signed.read_sha256


def _apply(cell: Cell, fact: Fact) -> Cell:
    match fact.what:
        case Proposed():
            return _proposed(cell, fact, fact.what)
        case Failed():
            return replace(cell, failure=fact)
        case Corrected(row, before):
            return _corrected(cell, fact, cell.subject.kind.edit(row), before)
        case Adopted(of, member):
            labels = labels_of(cell, of, member)
            base = next(f for f in (*proposals(cell), cell.contest) if f and f.n == of)
            return replace(
                cell,
                labels=labels,
                base=base,
                edits=frozenset({fact.n}),
                steps=(),
                signed=None,
                unsettled=None,
            )
        case SignedOff():
            if _holds(cell.subject, fact.what):
                return replace(cell, signed=fact, unsettled=None)
            return replace(cell, signed=None, unsettled=fact)
        case Drawn():
            return _drawn(cell, fact, fact.what)
        case _:
            return _ruled(cell, fact)


def _ruled(cell: Cell, fact: Fact) -> Cell:
    """What there is to rule on, and the verdict."""
    match fact.what:
        case Contested(sides):
            for side in sides:  # one that says nothing is found while the cell is read
                labels_of_side(cell.subject, side)
            return replace(_emptied(cell), contest=fact)
        case Ruled():
            verdict = at_hand(cell)
            if not _holds(cell.subject, fact.what):
                return replace(cell, labels=verdict, lapsed=fact, unsettled=fact, hidden=False)
            return replace(
                cell, labels=verdict, verdict=verdict, ruled=fact, signed=fact, hidden=False
            )
        case _:
            return _noted(cell, fact)


def _noted(cell: Cell, fact: Fact) -> Cell:
    """What leaves the labels as they are."""
    match fact.what:
        case Flagged(on):
            return replace(cell, flag=on)
        case Shown():
            return replace(cell, example=True)
        case _:
            return cell


def _corrected(cell: Cell, fact: Fact, edit: Edit, before: str) -> Cell:
    outcome = cell.corrected(edit)
    if outcome.before != before:
        raise Refused("what it changed is not there any more.")
    subject = cell.subject
    step = Step(fact.n, edit, subject.kind.anchor(subject.trait, at_hand(cell), edit))
    edits = cell.edits | {fact.n}
    steps = (*cell.steps, step)
    return replace(
        cell, labels=outcome.labels, edits=edits, steps=steps, signed=None, unsettled=None
    )


def _drawn(cell: Cell, fact: Fact, drawn: Drawn) -> Cell:
    """Into the sample; a blind cell begins anew, by hand."""
    cell = replace(cell, drawn=fact)
    if not drawn.blind:
        return cell
    return _emptied(cell)


def _emptied(cell: Cell) -> Cell:
    """The cell without labels, to be ruled on before the judge is seen."""
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


def _proposed(cell: Cell, fact: Fact, proposed: Proposed) -> Cell:
    """A judge's labels come in, unless a person signed off, filled it by hand, or is to rule.

    A sign-off that is unsettled keeps them out, too: what was corrected after it rests on the
    labels that were signed.
    """
    judged = replace(cell, judged=fact, rounds=proposals(cell), failure=None)
    if cell.signed or cell.unsettled or cell.hidden or (cell.edits and cell.base is None):
        return judged
    labels = cell.subject.labels(proposed.table)
    return _carried_over(
        replace(judged, labels=labels, base=fact, edits=frozenset(), orphaned=_superseded(cell))
    )


def _superseded(cell: Cell) -> tuple[int, ...]:
    """What cannot be carried over: adoptions, and what found no place before."""
    steps = {step.n for step in cell.steps}
    return tuple(n for n in (*cell.orphaned, *sorted(cell.edits)) if n not in steps)


def _carried_over(cell: Cell) -> Cell:
    """The corrections so far, on a new proposal; `orphaned` are those without their item."""
    kind = cell.subject.kind
    trait = cell.subject.trait
    trace = cell.subject.trace
    for step in cell.steps:
        try:
            edit = kind.carried(trait, cell.labels, step.edit, step.anchor)
            if edit is not None:
                labels = kind.apply(trait, trace, cell.labels, edit).labels
                cell = replace(cell, labels=labels, edits=cell.edits | {step.n})
        except Refused:
            cell = replace(cell, orphaned=(*cell.orphaned, step.n))
    return cell


def _revised(cell: Cell, fact: Fact, subject: Subject) -> Cell:
    waiting: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()
    if not cell.is_blind:
        waiting = (*_superseded(cell), *(step.n for step in cell.steps))
        steps = cell.steps
    return Cell(
        subject,
        rounds=proposals(cell),
        steps=steps,
        orphaned=waiting,
        undone=cell.undone,
        revised=fact.n,
        flag=cell.flag,
        example=cell.example,
        drawn=cell.drawn,
        hidden=cell.is_blind,
    )


def proposals(cell: Cell) -> tuple[Fact, ...]:
    """Every proposal of the cell, oldest first."""
    return (*cell.rounds, cell.judged) if cell.judged else cell.rounds


def labels_of(cell: Cell, of: int, member: int | None = None) -> Any:
    """The labels of a proposal, or of a member of its panel; raises Refused for none."""
    offered = (*proposals(cell), cell.contest)
    found = next((fact.what for fact in offered if fact and fact.n == of), None)
    if isinstance(found, Contested) and member is not None and 0 <= member < len(found.sides):
        return labels_of_side(cell.subject, found.sides[member])
    if not isinstance(found, Proposed):
        raise Refused("There is no such proposal here.")
    if of < cell.revised:
        text = "That proposal is about an earlier version of the trait"
        if found.judge.get("read", DEFAULT_READS) != getattr(
            cell.subject.trait, "reads", DEFAULT_READS
        ):
            text += ", which read another text"
        raise Refused(f"{text}.")
    if member is None:
        return cell.subject.labels(found.table)
    members = found.judge.get("members", ())
    if not 0 <= member < len(members) or "error" in members[member]:
        raise Refused("That member of the panel gave no labels here.")
    return cell.subject.labels(members[member])


def at_hand(cell: Cell) -> Any:
    """The labels that an edit is of: blank ones where there are none yet."""
    if cell.labels is None:
        return cell.subject.kind.blank
    return cell.labels


_TURNING = (Undone, Redone, Undrawn)
"""Facts that take others out, or in again."""


def undone(facts: tuple[Fact, ...]) -> frozenset[int]:
    """The numbers of what is not in force after these facts: acts and changes of the trait that are
    undone, withdrawn draws, and what either took along.
    """
    if not any(isinstance(fact.what, _TURNING) for fact in facts):
        return frozenset()  # of nearly every cell, without a closer look
    gone: set[int] = set()
    for fact in facts:
        match fact.what:
            case Undone(of):
                gone.add(of)
            case Redone(of):
                gone.discard(of)
            case _:
                pass
    return set_aside(facts).union(gone)


def reason_of(cell: Cell, correction: Fact) -> str:
    """The latest reason given for a correction; nothing for what is none."""
    for fact in reversed(cell.facts):
        if isinstance(fact.what, Reasoned) and fact.what.of == correction.n:
            return fact.what.reason
    return correction.what.reason if isinstance(correction.what, Corrected) else ""


class ReplayedStep(Struct, frozen=True):
    """A correction in force, by its number, and the labels before and after it."""

    n: int
    edit: Any
    before: Any
    after: Any


def replayed(cell: Cell) -> list[ReplayedStep]:
    """What was done to the labels that a judge proposed; nothing where they were made by hand."""
    if cell.base is None:
        return []
    labels = _begun(cell, cell.base.n)
    steps = list[ReplayedStep]()
    kind = cell.subject.kind
    subject = cell.subject
    for step in cell.steps:
        if step.n not in cell.edits:
            continue
        edit: Any = step.edit
        if step.n < cell.base.n:  # what was corrected were other labels
            edit = kind.carried(subject.trait, labels, edit, step.anchor)
        after = kind.apply(subject.trait, subject.trace, labels, edit).labels
        steps.append(ReplayedStep(step.n, edit, labels, after))
        labels = after
    return steps


def _begun(cell: Cell, of: int) -> Any:
    """The labels before the first correction: the proposal's, or those of it that were adopted."""
    member = None
    for fact in cell.facts:
        if fact.n in cell.edits and isinstance(fact.what, Adopted):
            of = fact.what.of
            member = fact.what.member
    return labels_of(cell, of, member)


def reason_for(cell: Cell, n: int) -> str:
    """The reason given for a correction, or for the act that it is part of."""
    for fact in cell.facts:
        if fact.n == n:
            given = reason_of(cell, fact)
            if given or fact.part_of is None:
                return given
            return reason_for(cell, fact.part_of)
    return ""
