"""The rules of a cell: `decide` turns a request into facts or refuses, `evolve` and `fold` apply facts.

Undo takes one act out and folds the cell again, so a judge's reply that arrived in between stays.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from appellate.core.commands import Command, Comment, Correct, Flag, Reason, Receive, Redo, SignOff, Undo
from appellate.core.facts import (
    Commented,
    Corrected,
    Fact,
    Failed,
    Flagged,
    Proposed,
    Reasoned,
    Redone,
    SignedOff,
    Undone,
    What,
)
from appellate.core.kind import Figures, Outcome, Subject
from appellate.core.refused import Refused

State = Literal["pending", "failed", "proposed", "corrected", "reviewed"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class Cell:
    """A fold of facts: the labels that stand and everything that led to them.

    `labels` is None while nothing was proposed and nobody filled the cell by hand.
    `standing` are the numbers of acts not undone; `signed` is the sign-off that still holds.
    """

    subject: Subject
    facts: tuple[Fact, ...] = ()
    labels: Any = None
    judged: Fact | None = None
    failure: Fact | None = None
    signed: Fact | None = None
    edits: frozenset[int] = frozenset()
    undone: frozenset[int] = frozenset()
    flag: bool = False

    @property
    def state(self) -> State:
        if self.signed:
            return "reviewed"
        if self.edits:
            return "corrected"
        if self.judged:
            return "proposed"
        return "failed" if self.failure else "pending"

    @property
    def judge(self) -> Proposed | None:
        what = self.judged.what if self.judged else None
        return what if isinstance(what, Proposed) else None

    @property
    def error(self) -> Failed | None:
        what = self.failure.what if self.failure else None
        return what if isinstance(what, Failed) else None

    @property
    def comments(self) -> list[Fact]:
        return [f for f in self.facts if isinstance(f.what, Commented) and f.n not in self.undone]

    @property
    def corrections(self) -> list[Fact]:
        return [f for f in self.facts if isinstance(f.what, Corrected)]

    def measure(self) -> Figures | None:
        """The metrics of the labels that stand; None where there are none."""
        return None if self.labels is None else self.subject.kind.measure(self.subject.trait, self.labels)

    def measure_judge(self) -> Figures | None:
        """The metrics of the judge's own lists; None where no judge has judged."""
        table = self.judge.table if self.judge else None
        return None if table is None else self.subject.kind.measure_table(self.subject.trait, table)

    def breaches(self) -> list[str]:
        return [] if self.labels is None else self.subject.kind.breaches(self.subject.trait, self.labels)


def fold(subject: Subject, facts: Iterable[Fact]) -> Cell:
    """The cell that all its facts, in order, add up to."""
    facts = tuple(facts)
    gone = _undone(facts)
    cell = Cell(subject, undone=gone)
    for fact in facts:
        cell = cell if fact.n in gone else _apply(cell, fact)
    return replace(cell, facts=facts, signed=_signed(facts, gone, cell.edits))


def evolve(cell: Cell, fact: Fact) -> Cell:
    """The cell after one more fact."""
    facts = (*cell.facts, fact)
    if isinstance(fact.what, Undone | Redone):
        return fold(cell.subject, facts)
    after = _apply(cell, fact)
    return replace(after, facts=facts, signed=_signed(facts, after.undone, after.edits))


def _apply(cell: Cell, fact: Fact) -> Cell:
    subject = cell.subject
    match fact.what:
        case Proposed(table):
            proposed = subject.kind.labels(subject.trait, subject.response, table)
            labels = cell.labels if cell.edits else proposed
            return replace(cell, judged=fact, labels=labels, failure=None)
        case Failed():
            return replace(cell, failure=fact)
        case Corrected(edit, before):
            outcome = _outcome(cell, edit)
            if outcome.before != before:
                raise Refused("what it changed is not there any more.")
            return replace(cell, labels=outcome.labels, edits=cell.edits | {fact.n})
        case Flagged(on):
            return replace(cell, flag=on)
        case _:
            return cell


def _outcome(cell: Cell, edit: Mapping[str, Any]) -> Outcome:
    subject = cell.subject
    labels = subject.kind.blank() if cell.labels is None else cell.labels
    return subject.kind.correct(subject.trait, subject.response, labels, edit)


def _undone(facts: tuple[Fact, ...]) -> frozenset[int]:
    gone: set[int] = set()
    for fact in facts:
        match fact.what:
            case Undone(of):
                gone.add(of)
            case Redone(of):
                gone.discard(of)
            case _:
                pass
    return frozenset(gone)


def _signed(facts: tuple[Fact, ...], gone: frozenset[int], edits: frozenset[int]) -> Fact | None:
    """The latest sign-off made over exactly the edits that stand now."""
    standing: set[int] = set()
    signed = None
    known = {f.n for f in facts if isinstance(f.what, Corrected)}
    for fact in facts:
        match fact.what:
            case Corrected():
                standing.add(fact.n)
            case Undone(of):
                standing.discard(of)
            case Redone(of) if of in known:
                standing.add(of)
            case SignedOff() if fact.n not in gone and standing == edits:
                signed = fact
            case _:
                pass
    return signed


def decide(cell: Cell, command: Command) -> What:
    """What happens if the command is carried out; raises Refused and changes nothing where it cannot be."""
    match command:
        case Correct(edit, reason):
            return _correct(cell, edit, reason)
        case SignOff(trait_sha256):
            return _sign_off(cell, trait_sha256)
        case Flag(on):
            return Flagged(on)
        case Comment(text):
            return Commented(_said(text, "An empty comment says nothing."))
        case Reason(of, reason):
            return Reasoned(_correction(cell, of), reason.strip())
        case Receive(what):
            return _receive(cell, what)
        case Undo(of):
            return _trial(cell, Undone(_act(cell, of, stands=True)))
        case Redo(of):
            return _trial(cell, Redone(_act(cell, of, stands=False)))


def _correct(cell: Cell, edit: Mapping[str, Any], reason: str) -> Corrected:
    outcome = _outcome(cell, edit)
    return Corrected(dict(edit), outcome.before, outcome.after, reason.strip())


def _sign_off(cell: Cell, trait_sha256: str) -> SignedOff:
    if cell.state == "pending":
        raise Refused("Nothing to sign off: this cell is not judged yet. Judge it (J) or fill it by hand.")
    if cell.state == "failed":
        raise Refused("Nothing to sign off: the judge failed here. Ask it again (J) or fill it by hand.")
    if cell.signed:
        raise Refused(f"Already signed off by {cell.signed.by}.")
    return SignedOff(trait_sha256)


def _receive(cell: Cell, what: Proposed | Failed) -> Proposed | Failed:
    if cell.judged:
        raise Refused("This cell has a judgment already; a second one never replaces it.")
    return what


def _said(text: str, complaint: str) -> str:
    if not text.strip():
        raise Refused(complaint)
    return text.strip().encode("utf-8", "replace").decode()


def _correction(cell: Cell, of: int) -> int:
    if not any(f.n == of for f in cell.corrections):
        raise Refused("A reason belongs to a correction, and there is none of that number here.")
    return of


def _act(cell: Cell, of: int, *, stands: bool) -> int:
    if not any(f.n == of and f.is_act for f in cell.facts) or (of in cell.undone) == stands:
        raise Refused("There is nothing to undo here." if stands else "There is nothing to redo here.")
    return of


def _trial(cell: Cell, what: Undone | Redone) -> What:
    """Refuses an undo or redo on which a later correction, by somebody else, depends."""
    number = cell.facts[-1].n + 1
    try:
        fold(cell.subject, (*cell.facts, Fact(number, "", "", what)))
    except Refused as refusal:
        raise Refused(f"A later correction depends on it: {refusal}") from refusal
    return what


def reason_of(cell: Cell, correction: Fact) -> str:
    """The latest reason given for a correction."""
    given = correction.what.reason if isinstance(correction.what, Corrected) else ""
    for fact in cell.facts:
        if isinstance(fact.what, Reasoned) and fact.what.of == correction.n:
            given = fact.what.reason
    return given
