"""What may be asked of a cell: a request becomes what happens, or is refused with a sentence."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

from msgspec import Struct

from appellate.core.cell import (
    TOO_LATE,
    Cell,
    at_hand,
    evolve,
    fold,
    is_judged_since,
    labels_of,
    round_of,
    set_aside,
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
from appellate.core.kind import Edit, Grounds, Instruction, Subject, Table
from appellate.core.problem import Refused, many
from appellate.core.trace import Trace

BLIND = "Blind: what the judge says shows once your verdict is locked ({cell.sign:a})."
AT_WORK = "The judge is at work, and has not come to this cell"
MOST_NAMED = 8
"""So many instructions are named in a sentence."""


def locks(cell: Cell) -> str:
    """What a blind pane says after the keys that give a verdict."""
    if cell.contest:
        return "{cell.sign:a} locks it. {cell.proposals:V} shows what the two reviewers say."
    return "{cell.sign:a} locks it: then the judge's shows beside it."


def unruled(subject: Subject, labels: Any) -> list[Instruction]:
    """The questions that labels leave open.

    A question is open where its kind says so, or where the answer is the one that blank labels
    have, and none that a person gives: a class may be called "unanswered".
    """
    kind = subject.kind
    trait = subject.trait
    blank = kind.answers(trait, kind.blank)
    now = kind.standings(trait, labels)
    found = []
    for asked, answer in kind.answers(trait, labels).items():
        if kind.called(trait, labels, asked).is_open:
            found.append(asked)
        if answer != blank.get(asked):
            continue
        sayable: Mapping[str, str] = {}
        if kind.answering:
            sayable = kind.answering.sayable(trait, asked)
        if now.get(asked, "") not in sayable.values():
            found.append(asked)
    return found


def why_unruled(cell: Cell) -> str:
    """Which questions of a cell are not ruled yet, in a sentence; nothing where all are."""
    subject = cell.subject
    labels = cell.labels
    kind = subject.kind
    trait = subject.trait
    if labels is None:
        labels = kind.blank
    total = len(kind.answers(trait, labels))
    still = unruled(subject, labels)
    if not total:
        return "Nothing is ruled here yet: the judge shows once your verdict is locked."
    if not still:
        return ""
    names = [kind.called(trait, labels, asked).name for asked in still]
    if total == 1 or not any(names):
        return "There is no verdict here yet: give one, then it can be locked."
    if len(still) == total:
        return f"None of the {total} instructions is ruled yet: the judge shows once all are."
    text = ", ".join(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        text += f" and {len(names) - MOST_NAMED} more"
    return f"Not ruled yet: {text} ({len(still)} of {total}). The judge shows once all are."


class RuledQuestion(Struct, frozen=True):
    """One question as a person ruled it blind, as the judge answers it, and as it stands now.

    `name` is what people call it, `text` its words. An answer is "" on a side that was not asked.
    """

    name: str
    text: str
    verdict: Grounds
    judge: Grounds
    now: Grounds

    @property
    def differs(self) -> bool:
        return self.verdict.word != self.judge.word

    @property
    def is_changed(self) -> bool:
        """Whether the person changed their mind afterwards."""
        return self.now.word != self.verdict.word


def compared(cell: Cell) -> list[RuledQuestion]:
    """A verdict beside the judge's answers, by question; nothing while either is unknown."""
    if cell.verdict is None or cell.judge is None:
        return []
    verdict = _answered(cell.subject, cell.verdict)
    judge = _answered(cell.subject, cell.judge_labels)
    now = _answered(cell.subject, cell.labels)
    nothing = Grounds("")
    rows = []
    for asked in verdict | judge:
        name, text = asked
        sides = verdict.get(asked, nothing), judge.get(asked, nothing), now.get(asked, nothing)
        rows.append(RuledQuestion(name, text, *sides))
    return rows


def _answered(subject: Subject, labels: Any) -> dict[tuple[str, str], Grounds]:
    """The answers, by the names and words of their questions, which may be each cell's own."""
    kind = subject.kind
    trait = subject.trait
    words = kind.standings(trait, labels) or kind.answers(trait, labels)
    found: dict[tuple[str, str], Grounds] = {}
    for asked, word in words.items():
        grounds = Grounds(kind.spelled.get(word, word))
        if kind.answering:
            grounds = kind.answering.grounds(trait, labels, asked)
        called = kind.called(trait, labels, asked)
        found[called.name, called.text] = grounds
    return found


def standing_verdict(cell: Cell) -> str:
    """In a few words how a locked verdict stands to the judge, and to the current labels."""
    rows = compared(cell)
    if not rows:
        return "your blind verdict"
    apart = sum(map(attrgetter("differs"), rows))
    changed = sum(map(attrgetter("is_changed"), rows))
    if len(rows) == 1:
        text = f"blind {rows[0].verdict.word}, judge {rows[0].judge.word}"
        return f"{text}, now {rows[0].now.word}" if changed else text
    text = f"{apart} of {len(rows)} not as the judge"
    return f"{text}, {changed} changed since" if changed else text


def difference_text(cell: Cell) -> str:
    """How a verdict that was just locked compares with the judge, in a sentence."""
    rows = compared(cell)
    if not rows:
        if cell.failure:
            return "The judge failed here."
        return "The judge has not judged this cell yet."
    apart = list(filter(attrgetter("differs"), rows))
    if not apart:
        return f"The judge says the same ({many(len(rows), 'answer')})."
    if len(rows) == 1:
        return f"The judge says {rows[0].judge.word}."
    names = ", ".join(filter(None, map(attrgetter("name"), apart[:MOST_NAMED])))
    more = f": {names}" if names else ""
    return f"{len(apart)} of {len(rows)} answers differ from the judge's{more}."


class Correct(Struct, frozen=True):
    """Apply one edit of the cell's kind."""

    edit: Edit
    reason: str = ""


class Adopt(Struct, frozen=True):
    """Take a judge's labels as they are: of the proposal `of`, or of its `member` (0-based)."""

    of: int
    member: int | None = None


class SignOff(Struct, frozen=True):
    """Sign the labels off, under the trait with this hash, after `seconds` in sight.

    The fingerprints of what was read are as in the fact, `SignedOff`.
    """

    trait_sha256: str
    seconds: float | None = None
    read_sha256: str | None = None
    read: Table | None = None


class Draw(Struct, frozen=True):
    """Take the cell into the sample; where `blind`, its judge is hidden until it is ruled."""

    blind: bool


class Undraw(Struct, frozen=True):
    """Take the cell out of a sample that is withdrawn."""


class Rule(Struct, frozen=True):
    """Lock a blind cell's verdict, under the trait with this hash, after `seconds` in sight.

    The fingerprints of what was read are as in the fact, `Ruled`.
    """

    trait_sha256: str
    seconds: float | None = None
    read_sha256: str | None = None
    read: Table | None = None


class Flag(Struct, frozen=True):
    """Set the flag or take it down."""

    on: bool


class Comment(Struct, frozen=True):
    """Remark on the cell."""

    text: str


class Reason(Struct, frozen=True):
    """Say why the correction numbered `of` was made."""

    of: int
    reason: str


class Receive(Struct, frozen=True):
    """Take in what a judge answered."""

    what: Proposed | Failed


class Show(Struct, frozen=True):
    """Note that a judge was shown the cell as an example."""

    to: str


class Undo(Struct, frozen=True):
    """Take back the act numbered `of`."""

    of: int


class Redo(Struct, frozen=True):
    """Let the act numbered `of` stand again."""

    of: int


def sealing(cell: Cell, seconds: float | None) -> SignOff | Rule:
    """Return the request by which the person who has a cell before them settles it.

    It rules on a cell whose judge is hidden, and signs off any other, after so many seconds of
    looking.
    """
    if seconds is not None:
        seconds = round(seconds, 2)
    subject = cell.subject
    sha256 = subject.trait.sha256()
    command = Rule if cell.hidden else SignOff
    return command(sha256, seconds, subject.read_sha256(sha256), subject.read_parts())


Command = (
    Correct
    | Adopt
    | SignOff
    | Draw
    | Undraw
    | Rule
    | Flag
    | Comment
    | Reason
    | Receive
    | Show
    | Undo
    | Redo
)


def decide(cell: Cell, command: Command) -> What:
    """What happens if the command is carried out; raises Refused where it cannot be."""
    match command:
        case Correct(edit, reason):
            return _correct(cell, edit, reason)
        case Adopt(of, member):
            return _adopted(cell, of, member)
        case SignOff():
            return _sign_off(cell, command)
        case Rule():
            return _rule(cell, command)
        case Flag() | Comment() | Show() | Draw() | Undraw():
            return _noted(cell, command)
        case Reason(of, reason):
            return _reasoned(cell, of, reason)
        case Receive(what):
            return _receive(cell, what)
        case Undo(of):
            return _trial(cell, Undone(_act(cell, of, stands=True)))
        case Redo(of):  # pragma: no branch - every command is a case
            return _trial(cell, Redone(_act(cell, of, stands=False)))


def _noted(cell: Cell, command: Flag | Comment | Show | Draw | Undraw) -> What:
    match command:
        case Flag(on):
            return Flagged(on)
        case Show(to):
            return Shown(to)
        case Draw(blind):
            if cell.drawn:
                raise Refused("This cell is in the sample already.")
            return Drawn(blind)
        case Undraw():
            return _undrawn(cell)
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


def _rule(cell: Cell, command: Rule) -> Ruled:
    if not cell.hidden:
        raise Refused("Only a blind cell is ruled: sign this one off.")
    if cell.base is None and (unruled := why_unruled(cell)):  # a side that was taken stood already
        raise Refused(unruled)
    return Ruled(command.trait_sha256, command.seconds, command.read_sha256, command.read)


def _sign_off(cell: Cell, command: SignOff) -> SignedOff:
    if cell.hidden:
        raise Refused("A blind cell is not signed off: rule on it.")
    if cell.state == "pending":
        raise Refused(
            "Nothing to sign off: this cell is not judged yet. "
            "Judge it ({cell.judge:J}) or fill it by hand."
        )
    if cell.state == "failed":
        raise Refused(
            "Nothing to sign off: the judge failed here. "
            "Ask it again ({cell.judge:J}) or fill it by hand."
        )
    if cell.signed:
        raise Refused(f"Already signed off by {cell.signed.by}.")
    return SignedOff(command.trait_sha256, command.seconds, command.read_sha256, command.read)


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
    """The number of an act that is in force, or that is not; raises Refused for any other, and
    where the sample or a verdict keeps it as it is.
    """
    nothing = "There is nothing to redo here."
    if stands:
        nothing = "There is nothing to undo here."
    act = next((fact for fact in cell.facts if fact.n == of and fact.is_act), None)
    if act is None:
        raise Refused(nothing)
    if act.n in set_aside(cell.facts):
        raise Refused("That was done in a sample that was withdrawn: it stays set aside.")
    if cell.withholds(act):
        raise Refused(
            "That was done before the judge was hidden here, and would show what it said: it stays."
        )
    led_to_it = isinstance(act.what, Corrected | Adopted | SignedOff | Ruled)
    ruled = cell.ruled or cell.lapsed
    if ruled and act.n <= ruled.n and led_to_it:
        raise Refused("The verdict is locked and stays: change the labels instead.")
    if (of not in cell.undone) != stands:
        raise Refused(nothing)
    return of


def _trial(cell: Cell, what: Undone | Redone) -> What:
    """Refuses an undo or redo on which a later correction or sign-off of somebody else depends."""
    number = cell.facts[-1].n + 1
    try:
        after = cell.folded(Fact(number, "", "", what))
    except Refused as refusal:
        raise Refused(f"A later correction depends on it: {refusal}") from refusal
    signed = after.signed or after.unsettled
    if signed:
        till_then = after.facts[: after.facts.index(signed) + 1]
        if fold(cell.subject, till_then).labels != after.labels:
            over = f"the sign-off by {signed.by} over other labels than were signed off"
            raise Refused(f"It would leave {over}.")
    return what


class Act:
    """Requests that are kept together; `cells` are the changed ones: trace, cell before, cell now.

    `known` gives a cell by its number.
    """

    def __init__(
        self, known: Callable[[int], tuple[Trace, Cell]], by: str, last_n: int, at: str
    ) -> None:
        self.cells: dict[int, tuple[Trace, Cell, Cell]] = {}
        self.turned: list[Fact] = []
        self.last_n = last_n
        self._known = known
        self._by = by
        self._first = last_n + 1
        self._at = at

    def cell(self, number: int) -> Cell:
        """A cell as it is by now."""
        return self._opened(number)[2]

    def do(self, number: int, commands: Iterable[Command]) -> None:
        """Carries requests out, one after the other: all of them, or none where one is Refused."""
        before = self.cells.copy(), self.turned.copy(), self.last_n
        try:
            for command in commands:
                trace, kept, cell = self._opened(number)
                what = decide(cell, command)
                self.last_n += 1
                part_of = None if self.last_n == self._first else self._first
                fact = Fact(self.last_n, self._at, self._by, what, part_of)
                after = evolve(cell, fact)
                self.cells[number] = trace, kept, after
                if isinstance(command, Undo | Redo):
                    self.turned += [one for one in after.facts if one.n == command.of]
        except Refused:
            self.cells, self.turned, self.last_n = before
            raise

    def _opened(self, number: int) -> tuple[Trace, Cell, Cell]:
        """Return the trace of a cell, the cell before the act, and the cell as it is by now."""
        if number in self.cells:
            return self.cells[number]
        trace, cell = self._known(number)
        return trace, cell, cell
