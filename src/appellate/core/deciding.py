"""What may be asked of a cell: a request becomes what happens, or is refused with a sentence."""

from appellate.core.cell import Cell, at_hand, fold, labels_of, round_of
from appellate.core.commands import (
    Adopt,
    Command,
    Comment,
    Correct,
    Draw,
    Flag,
    Plant,
    Reason,
    Receive,
    Redo,
    Rule,
    Show,
    SignOff,
    Undo,
    Undraw,
)
from appellate.core.facts import (
    Adopted,
    Commented,
    Corrected,
    Drawn,
    Fact,
    Failed,
    Flagged,
    Proposed,
    Reasoned,
    Redone,
    Ruled,
    Shown,
    SignedOff,
    Undone,
    Undrawn,
    What,
)
from appellate.core.kind import Edit
from appellate.core.problem import Refused
from appellate.core.ruling import why_unruled
from appellate.core.withdrawn_draws import TOO_LATE, is_judged_since, set_aside


def decide(cell: Cell, command: Command) -> What:
    """What happens if the command is carried out; raises Refused and changes nothing where it
    cannot be.
    """
    match command:
        case Correct(edit, reason):
            return _correct(cell, edit, reason)
        case Adopt(of, member):
            return _adopted(cell, of, member)
        case SignOff() | Rule():
            return _stood_by(cell, command)
        case Flag() | Comment() | Show() | Draw() | Plant():
            return _noted(cell, command)
        case Undraw():
            return _undrawn(cell)
        case Reason(of, reason):
            return _reasoned(cell, of, reason)
        case Receive(what):
            return _receive(cell, what)
        case Undo(of):
            return _trial(cell, Undone(_act(cell, of, stands=True)))
        case Redo(of):  # pragma: no branch - every command is a case
            return _trial(cell, Redone(_act(cell, of, stands=False)))


def _noted(cell: Cell, command: Flag | Comment | Show | Draw | Plant) -> What:
    """What is not about the labels."""
    match command:
        case Flag(on):
            return Flagged(on)
        case Show(to):
            return Shown(to)
        case Draw(blind):
            if cell.drawn:
                raise Refused("This cell is in the sample already.")
            return Drawn(blind)
        case Plant(what):
            if cell.state != "proposed" or cell.drawn or cell.planted:
                raise Refused("An error is planted in a proposal outside of the sample alone.")
            return what
        case Comment(text):  # pragma: no branch - every command is a case
            if not text.strip():
                raise Refused("An empty comment says nothing.")
            return Commented(text.strip().encode("utf-8", "replace").decode())


def _undrawn(cell: Cell) -> Undrawn:
    if cell.drawn is None:
        raise Refused("This cell is in no sample.")
    if cell.contest:
        raise Refused("The sample is that of the two audits that are ruled on here: it stays.")
    if is_judged_since(cell.facts, cell.drawn.n):
        raise Refused(TOO_LATE)
    return Undrawn(cell.drawn.n)


def _correct(cell: Cell, edit: Edit, reason: str) -> Corrected:
    subject = cell.subject
    edit = subject.kind.permit(subject.trait, subject.trace, at_hand(cell), edit)
    outcome = cell.corrected(edit)
    return Corrected(edit.to_row(), outcome.before, outcome.after, reason.strip())


def _adopted(cell: Cell, of: int, member: int | None) -> Adopted:
    if cell.hidden and (cell.contest is None or cell.contest.n != of):
        raise Refused("What the judge says is hidden until you have ruled.")
    if labels_of(cell, of, member) == cell.labels:
        raise Refused("The cell has these labels already.")
    return Adopted(of, member)


def _stood_by(cell: Cell, command: SignOff | Rule) -> SignedOff | Ruled:
    match command:
        case SignOff():
            return _sign_off(cell, command)
        case Rule():  # pragma: no branch - there are these two
            return _rule(cell, command)


def _rule(cell: Cell, command: Rule) -> Ruled:
    if not cell.hidden:
        raise Refused("Only a blind cell is ruled: sign this one off.")
    if cell.base is None and (unruled := why_unruled(cell)):  # a side that was taken stood already
        raise Refused(unruled)
    return Ruled(command.trait_sha256, command.seconds)


def _sign_off(cell: Cell, command: SignOff) -> SignedOff:
    if cell.hidden:
        raise Refused("A blind cell is not signed off: rule on it.")
    if cell.state == "pending":
        raise Refused(
            "Nothing to sign off: this cell is not judged yet. Judge it (J) or fill it by hand."
        )
    if cell.state == "failed":
        raise Refused(
            "Nothing to sign off: the judge failed here. Ask it again (J) or fill it by hand."
        )
    if cell.signed:
        raise Refused(f"Already signed off by {cell.signed.by}.")
    return SignedOff(command.trait_sha256, command.seconds)


def _receive(cell: Cell, what: Proposed | Failed) -> Proposed | Failed:
    if round_of(what) <= cell.round:
        raise Refused(
            "This cell has a judgment of this round already; a second one never replaces it."
        )
    return what


def _reasoned(cell: Cell, of: int, reason: str) -> Reasoned:
    if not any(fact.n == of and isinstance(fact.what, Corrected | Adopted) for fact in cell.facts):
        raise Refused("A reason belongs to a correction, and there is none of that number here.")
    return Reasoned(of, reason.strip())


def _act(cell: Cell, of: int, *, stands: bool) -> int:
    """The number of an act that stands, or that does not; raises Refused where it is none such."""
    act = next((fact for fact in cell.facts if fact.n == of and fact.is_act), None)
    if act:
        _hold_open(cell, act)
    if act and (of not in cell.undone) == stands:
        return of
    if stands:
        raise Refused("There is nothing to undo here.")
    raise Refused("There is nothing to redo here.")


def _hold_open(cell: Cell, act: Fact) -> None:
    """Refuses to undo or redo what the sample or a verdict keeps as it is."""
    if act.n in set_aside(cell.facts):
        raise Refused("That was done in a sample that was withdrawn: it stays set aside.")
    if cell.withholds(act):
        raise Refused(
            "That was done before the judge was hidden here, and would show what it said: it stays."
        )
    if _led_to_verdict(cell, act):
        known = "what the judge says"
        if cell.contest:
            known = "whose labels they are"
        raise Refused(f"The verdict is locked, since you know {known}: change the labels instead.")


def _led_to_verdict(cell: Cell, act: Fact) -> bool:
    """Whether an act is the verdict, or made the labels that it locked."""
    if cell.ruled is None or act.n > cell.ruled.n:
        return False
    return isinstance(act.what, Corrected | Adopted | SignedOff | Ruled)


def _trial(cell: Cell, what: Undone | Redone) -> What:
    """Refuses an undo or redo on which a later correction or sign-off of somebody else depends."""
    number = cell.facts[-1].n + 1
    try:
        after = fold(cell.subject, (*cell.facts, Fact(number, "", "", what)))
    except Refused as refusal:
        raise Refused(f"A later correction depends on it: {refusal}") from refusal
    if after.signed:
        till_then = after.facts[: after.facts.index(after.signed) + 1]
        if fold(cell.subject, till_then).labels != after.labels:
            over = f"the sign-off by {after.signed.by} over other labels than were signed off"
            raise Refused(f"It would leave {over}.")
    return what
