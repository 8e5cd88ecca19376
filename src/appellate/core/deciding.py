"""What may be asked of a cell: `decide` turns a request into what happens, or refuses it.

`Act` carries out several requests together. Refusals are sentences for the person.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from appellate.core.cell import (
    JUDGED,
    TOO_LATE,
    Cell,
    evolve,
    fold,
    is_settled_since,
    judged_part,
    labels_or_blank,
    proposed_labels,
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
from appellate.core.problem import Refused, first_texts, many
from appellate.core.trace import Trace

BLIND = "Blind: the judge's answer is shown once you lock your verdict ({cell.sign:a})."
AT_WORK = "The judge is working and has not reached this cell"
MOST_NAMED = 8
"""Instructions that a sentence names at most."""


def locking_text(cell: Cell) -> str:
    """Return the sentences that a pane says of a blind cell after the keys that give a verdict.

    They say which key locks the verdict, and what is shown then; in a contested cell, where the two
    reviewers' answers are. A key stands in them as `{id:usual key}`, to be replaced by the person's
    own. The cell must be hidden.
    """
    if cell.contest:
        return "{cell.sign:a} locks it. {cell.proposals:V} shows what the two reviewers say."
    return "{cell.sign:a} locks it, and then the judge's answer is shown next to it."


def unruled(subject: Subject, labels: Any) -> list[Instruction]:
    """Return the questions that labels leave open, in the order of the kind's answers; [] if none.

    A question is open if its kind calls it so. It is also open if its answer is that of blank
    labels, unless a person can give that answer: a class may be called "unanswered". `labels` must
    not be None.
    """
    kind = subject.kind
    trait = subject.trait
    blank_answers = kind.answers(trait, kind.blank)
    current_words = kind.standings(trait, labels)

    open_questions = []
    for instruction, answer in kind.answers(trait, labels).items():
        called = kind.called(trait, labels, instruction)
        if called.is_open:
            open_questions.append(instruction)
            continue
        if answer != blank_answers.get(instruction):
            continue
        sayable: Mapping[str, str] = {}
        if kind.answering:
            sayable = kind.answering.sayable(trait, instruction)
        word = current_words.get(instruction, "")
        if word not in sayable.values():
            open_questions.append(instruction)
    return open_questions


def why_unruled(cell: Cell) -> str:
    """Return which questions keep a verdict from being locked, in a sentence; "" if none does.

    At most `MOST_NAMED` are named, and none if the questions have no names or all are open. Without
    labels all questions are open. A cell without questions always gets a sentence.
    """
    subject = cell.subject
    labels = cell.labels
    kind = subject.kind
    trait = subject.trait
    if labels is None:
        labels = kind.blank
    total = len(kind.answers(trait, labels))
    open_questions = unruled(subject, labels)
    if not total:
        return "You have ruled on nothing here yet: the judge is shown once you lock your verdict."
    if not open_questions:
        return ""

    names: list[str] = []
    for instruction in open_questions:
        called = kind.called(trait, labels, instruction)
        names.append(called.name)
    if total == 1 or not any(names):
        return "There is no verdict here yet: give one, then it can be locked."
    if len(open_questions) == total:
        return f"None of the {total} instructions is ruled on yet: the judge is shown once all are."

    text = first_texts(names, MOST_NAMED)
    count = f"{len(open_questions)} of {total}"
    return f"Not ruled on yet: {text} ({count}). The judge is shown once all are."


class RuledQuestion(Struct, frozen=True):
    """One question with three answers: the person's blind verdict, the judge's, and the current.

    An answer is "" where the question was not asked.
    """

    name: str
    """What people call the question."""
    text: str
    """Its words."""
    verdict: Grounds
    judge: Grounds
    now: Grounds

    @property
    def differs(self) -> bool:
        """Whether the verdict is not the judge's answer."""
        return self.verdict.word != self.judge.word

    @property
    def is_changed(self) -> bool:
        """Whether the person changed the answer after the verdict."""
        return self.now.word != self.verdict.word


def ruled_questions(cell: Cell) -> list[RuledQuestion]:
    """Return by question the verdict, the judge's answer and the current one, in screen words.

    Empty unless a ruling is in force and there is a judge's proposal under the current trait.
    Questions of the verdict come first, then those that only the judge answers. The answer is
    `Grounds("")` where one of the three does not have the question.
    """
    if cell.verdict is None or cell.judge is None:
        return []

    verdict = _answers_by_question(cell.subject, cell.verdict)
    judge = _answers_by_question(cell.subject, cell.judge_labels)
    current = _answers_by_question(cell.subject, cell.labels)
    nothing = Grounds("")

    rows = []
    for question in verdict | judge:
        name, text = question
        sides = (
            verdict.get(question, nothing),
            judge.get(question, nothing),
            current.get(question, nothing),
        )
        rows.append(RuledQuestion(name, text, *sides))
    return rows


def _answers_by_question(
    subject: Subject,
    labels: Any,
) -> dict[tuple[str, str], Grounds]:
    """Return each answer of labels, and what it is based on, by its question's name and words.

    They are in the order of the questions, and in the words of the screen. Two labels are compared
    by these keys, since the number of a question that a cell has for itself differs between them.
    `labels` must not be None.
    """
    kind = subject.kind
    trait = subject.trait
    words = kind.standings(trait, labels)
    if not words:
        words = kind.answers(trait, labels)

    answers: dict[tuple[str, str], Grounds] = {}
    for instruction, word in words.items():
        if kind.answering:
            grounds = kind.answering.grounds(trait, labels, instruction)
        else:
            word_of_people = kind.spelled.get(word, word)
            grounds = Grounds(word_of_people)
        called = kind.called(trait, labels, instruction)
        answers[called.name, called.text] = grounds
    return answers


def standing_verdict(cell: Cell) -> str:
    """Return in a few words how the verdict compares with the judge and the current labels.

    For one question it says the answers: "blind yes, judge no, now no". For several it counts: "2
    of 5 differ from the judge, 1 changed since". The last part is left out if nothing changed
    since. Without a judge's proposal it is "your blind verdict". The cell must have a verdict.
    """
    rows = ruled_questions(cell)
    if not rows:
        return "your blind verdict"
    if len(rows) == 1:
        row = rows[0]
        text = f"blind {row.verdict.word}, judge {row.judge.word}"
        if row.is_changed:
            text += f", now {row.now.word}"
        return text

    different = sum(row.differs for row in rows)
    changed = sum(row.is_changed for row in rows)
    text = f"{different} of {len(rows)} differ from the judge"
    if changed:
        text += f", {changed} changed since"
    return text


def difference_text(cell: Cell) -> str:
    """Return in a sentence how a verdict that was just locked compares with the judge's answers.

    It says that all are the same, or how many differ, with the names of at most `MOST_NAMED` of
    their questions. In a cell with a single question that differs it says the judge's answer
    instead. Without a proposal it says that the judge failed, or has not judged the cell yet.
    """
    rows = ruled_questions(cell)
    if not rows:
        if cell.failure:
            return "The judge failed here."
        return "The judge has not judged this cell yet."

    different = [row for row in rows if row.differs]
    if not different:
        count = many(len(rows), "answer")
        return f"The judge says the same ({count})."
    if len(rows) == 1:
        judge_word = rows[0].judge.word
        return f"The judge says {judge_word}."

    text = f"{len(different)} of {len(rows)} answers differ from the judge's"
    names = [row.name for row in different[:MOST_NAMED] if row.name]
    if names:
        text += ": " + ", ".join(names)
    return f"{text}."


class Correct(Struct, frozen=True):
    """Apply one edit of the cell's kind."""

    edit: Edit
    reason: str = ""


class Adopt(Struct, frozen=True):
    """Replace the labels by those of proposal number `of`, or of a member of its panel."""

    of: int
    member: int | None = None
    """Counted from 0; None for the proposal itself."""


class SignOff(Struct, frozen=True):
    """Sign the labels off, under the trait with this hash, after `seconds` in sight.

    The fingerprints of what was read are as in the fact `SignedOff`, and so is what an import says
    of when and how the person ruled.
    """

    trait_sha256: str
    seconds: float | None = None
    read_sha256: str | None = None
    read: Table | None = None
    said_at: str | None = None
    said_blind: bool | None = None


class Draw(Struct, frozen=True):
    """Put the cell into the sample; if `blind`, its judge is hidden until a person has ruled."""

    blind: bool


class Undraw(Struct, frozen=True):
    """Take the cell out of a sample that is withdrawn."""


class Rule(Struct, frozen=True):
    """Lock the verdict of a blind cell, under the trait with this hash, after `seconds` in sight.

    The fingerprints of what was read are as in the fact `Ruled`.
    """

    trait_sha256: str
    seconds: float | None = None
    read_sha256: str | None = None
    read: Table | None = None


class Flag(Struct, frozen=True):
    """Set the flag, or remove it."""

    on: bool


class Comment(Struct, frozen=True):
    """Add a comment to the cell."""

    text: str


class Reason(Struct, frozen=True):
    """Say why the correction with fact number `of` was made."""

    of: int
    reason: str


class Receive(Struct, frozen=True):
    """Accept what a judge answered."""

    what: Proposed | Failed


class Show(Struct, frozen=True):
    """Note that the cell was shown to the judge `to` as an example."""

    to: str


class Undo(Struct, frozen=True):
    """Undo the act with fact number `of`."""

    of: int


class Redo(Struct, frozen=True):
    """Put the act with fact number `of` back into force."""

    of: int


def sealing(cell: Cell, seconds: float | None) -> SignOff | Rule:
    """Return the request by which the person who reads a cell settles it: a ruling or a sign-off.

    It is a ruling while the judge is hidden. It has the fingerprints of the trait and of all that
    is read here, judges' proposals included. `seconds` is how long the cell was in sight, None if
    unknown; two decimals are kept. Nothing is carried out or refused yet.
    """
    if seconds is not None:
        seconds = round(seconds, 2)
    subject = cell.subject
    trait_sha256 = subject.trait.sha256()
    read_sha256 = subject.read_sha256(trait_sha256)
    parts = subject.read_parts()
    judged = judged_part(cell.facts)
    if judged is not None:
        parts[JUDGED] = judged
    if cell.hidden:
        return Rule(trait_sha256, seconds, read_sha256, parts)
    return SignOff(trait_sha256, seconds, read_sha256, parts)


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


def decide(  # noqa: C901, PLR0912 - a case for each command
    cell: Cell,
    command: Command,
    *,
    as_agent: bool = False,
) -> What:
    """Return the event that a command leads to, which `evolve` applies; the cell stays.

    Raises Refused, with a sentence, if the command does not fit the cell. Refused are also a second
    draw, a blank comment, and a judge's answer unless its round is later than the last that gave
    labels. With `as_agent` it is an agent who asks, and what only a person may do is refused.
    Comments and reasons are stripped in the event.
    """
    if as_agent:
        _check_agent(cell, command)
    match command:
        case Correct(edit, reason):
            return _correction(cell, edit, reason)
        case Adopt(fact_no, member):
            return _adoption(cell, fact_no, member)
        case SignOff():
            return _new_sign_off(cell, command)
        case Rule():
            return _ruling(cell, command)
        case Flag(on):
            return Flagged(on)
        case Show(to):
            return Shown(to)
        case Draw(blind):
            if cell.drawn:
                raise Refused("This cell is in the sample already.")
            return Drawn(blind)
        case Undraw():
            return _withdrawal(cell)
        case Comment(text):
            if not text.strip():
                raise Refused("The comment is empty: type it, then press Enter.")
            return Commented(text.strip().encode("utf-8", "replace").decode())
        case Reason(fact_no, reason):
            return _reason(cell, fact_no, reason)
        case Receive(answer):
            if round_of(answer) <= cell.round:
                raise Refused(
                    "This cell has a judgment of this round already;"
                    " a second one never replaces it.",
                )
            return answer
        case Undo(fact_no):
            return _checked_turn(cell, Undone(fact_no))
        case Redo(fact_no):  # pragma: no branch - every command is a case
            return _checked_turn(cell, Redone(fact_no))


WAITS_FOR_PERSON = (
    "This cell waits for a person's blind ruling; an agent gets nothing of it."
)


def _check_agent(cell: Cell, command: Command) -> None:
    """Raise Refused for a command that an agent may not give for this cell.

    It may not sign off or rule, correct or replace labels that are signed off, or undo or redo what
    a person did. While the judge is hidden it may do nothing of its own, not even comment or flag.
    Judges' answers, draws, their withdrawal and notes of examples are never refused here.
    """
    match command:
        case SignOff():
            raise Refused(
                "An agent cannot sign off: a label counts once a person has read it.",
            )
        case Rule():
            raise Refused(
                "An agent cannot rule: a person rules, without having seen the judge.",
            )
        case Receive() | Show() | Draw() | Undraw():
            return
        case _:
            pass
    if cell.hidden:
        raise Refused(WAITS_FOR_PERSON)
    if isinstance(command, Undo | Redo):
        if any(fact.n == command.of and not fact.as_agent for fact in cell.facts):
            raise Refused("An agent cannot take back what a person did.")
        return
    if isinstance(command, Correct | Adopt) and cell.signed is not None:
        raise Refused(
            f"{cell.signed.by} signed these labels off, so an agent cannot change them."
            " It can comment.",
        )


def _withdrawal(cell: Cell) -> Undrawn:
    """Return the withdrawal of the draw of a cell; the cell is not changed.

    Raises Refused if the cell is not in the sample, if it is contested, or if anybody ruled or
    signed off after the draw, even if that was undone.
    """
    if cell.drawn is None:
        raise Refused("This cell is not in the sample.")
    if cell.contest:
        raise Refused(
            "The sample cannot be withdrawn: it belongs to the two audits that you rule on.",
        )
    if is_settled_since(cell.facts, cell.drawn.n):
        raise Refused(TOO_LATE)
    return Undrawn(cell.drawn.n)


def _correction(cell: Cell, edit: Edit, reason: str) -> Corrected:
    """Return a correction, with the item's text before and after it; the cell is not changed.

    The edit is of the current labels, or of blank ones if there are none. It is kept in the form
    that its kind permits, and the reason without blanks around it. Raises Refused if the edit does
    not fit.
    """
    subject = cell.subject
    edit = subject.kind.permit(
        subject.trait,
        subject.trace,
        labels_or_blank(cell),
        edit,
    )
    outcome = cell.corrected(edit)
    return Corrected(edit.to_row(), outcome.before, outcome.after, reason.strip())


def _adoption(cell: Cell, fact_no: int, member: int | None) -> Adopted:
    """Return an adoption of proposal `fact_no`, or of one member of its panel.

    `member` is counted from 0, and None for the proposal itself. The cell does not change. Raises
    Refused if the judge is hidden, if there are no such labels, or if the cell has them already.
    The sides of a contest may be adopted while the judge is hidden.
    """
    is_of_contest = cell.contest is not None and cell.contest.n == fact_no
    if cell.hidden and not is_of_contest:
        raise Refused("What the judge says is hidden until you have ruled.")
    labels = proposed_labels(cell, fact_no, member)
    if labels == cell.labels:
        raise Refused("The cell has these labels already.")
    return Adopted(fact_no, member)


def _ruling(cell: Cell, command: Rule) -> Ruled:
    """Return a ruling with the trait's hash, seconds and fingerprints of the command.

    The event holds no labels: the verdict is those that the cell has. Raises Refused if the judge
    is not hidden, or if a question is open. Labels that were adopted from a side of a contest leave
    nothing open.
    """
    if not cell.hidden:
        raise Refused("Only blind cells are ruled on: sign this one off.")
    # an adopted side leaves nothing open
    if cell.base is None and (open_text := why_unruled(cell)):
        raise Refused(open_text)
    return Ruled(
        command.trait_sha256,
        command.seconds,
        command.read_sha256,
        command.read,
    )


def _new_sign_off(cell: Cell, command: SignOff) -> SignedOff:
    """Return a sign-off with the hash, seconds, fingerprints and import claims of the command.

    The event holds no labels: it is of those that the cell has. Raises Refused while the judge is
    hidden, without labels, and if the cell is signed off or ruled on already.
    """
    if cell.hidden:
        raise Refused("A blind cell is not signed off: rule on it.")
    if cell.state == "pending":
        raise Refused(
            "Nothing to sign off: this cell is not judged yet. "
            "Judge it ({cell.judge:J}) or fill it in yourself.",
        )
    if cell.state == "failed":
        raise Refused(
            "Nothing to sign off: the judge failed here. "
            "Ask it again ({cell.judge:J}) or fill it in yourself.",
        )
    if cell.signed:
        raise Refused(f"Already signed off by {cell.signed.by}.")

    return SignedOff(
        command.trait_sha256,
        command.seconds,
        command.read_sha256,
        command.read,
        command.said_at,
        command.said_blind,
    )


def _reason(cell: Cell, fact_no: int, reason: str) -> Reasoned:
    """Return a reason for a correction or an adoption, stripped; "" takes an earlier reason back.

    It may be of an act that is undone. Raises Refused if fact `fact_no` of the cell is neither a
    correction nor an adoption.
    """
    if not any(
        fact.n == fact_no and isinstance(fact.what, Corrected | Adopted)
        for fact in cell.facts
    ):
        raise Refused(
            "A reason belongs to a correction, and there is none with this number here.",
        )
    return Reasoned(fact_no, reason.strip())


def _checked_turn(cell: Cell, turn: Undone | Redone) -> Undone | Redone:
    """Return an undo or redo itself, if the cell allows it; the cell does not change.

    An undo must be of an act in force, a redo of one that is undone. Raises Refused for any other
    fact, and for an act that is hidden with the judge, led to a locked verdict, or went with a
    withdrawn sample or a trait taken back. Raises Refused if a later correction depends on the act,
    or if the labels would differ from those that somebody signed off.
    """
    is_undo = isinstance(turn, Undone)
    nothing = f"There is nothing to {'undo' if is_undo else 'redo'} here."
    acts = [fact for fact in cell.facts if fact.n == turn.of and fact.is_act]
    if not acts:
        raise Refused(nothing)
    act = acts[0]
    if act.n in set_aside(cell.facts):
        raise Refused(
            "That was done in a sample that has been withdrawn, so it stays set aside.",
        )
    if cell.withholds(act):
        raise Refused(
            "That was done before the judge was hidden."
            " Undoing it now would show the judge's labels.",
        )

    ruled = cell.ruled or cell.lapsed
    if ruled and act.n <= ruled.n:
        led_to_verdict = isinstance(act.what, Corrected | Adopted | SignedOff | Ruled)
        if led_to_verdict:
            raise Refused("The verdict is locked and stays: change the labels instead.")
    is_in_force = act.n not in cell.undone
    if is_in_force != is_undo:
        raise Refused(nothing)

    next_no = cell.facts[-1].n + 1
    try:
        after = cell.folded(Fact(next_no, "", "", turn))
    except Refused as refusal:
        raise Refused(f"A later correction depends on it: {refusal}") from refusal

    signed = after.signed or after.unsettled
    if signed:
        facts_until_signed = after.facts[: after.facts.index(signed) + 1]
        if fold(cell.subject, facts_until_signed).labels != after.labels:
            raise Refused(
                f"The labels would differ from those that {signed.by} signed off.",
            )
    return turn


class Act:
    """Requests that are carried out together, as one act of one person or agent.

    - `known`: returns the trace and the cell with a number.
    - `by`: who acts.
    - `last_n`: the number of the last fact of the workspace.
    - `at`: the time, in UTC and ISO 8601.
    - `as_agent`: whether who acts is an agent.
    """

    def __init__(
        self,
        known: Callable[[int], tuple[Trace, Cell]],
        by: str,
        last_n: int,
        at: str,
        *,
        as_agent: bool = False,
    ) -> None:
        """Begin an act that has changed nothing yet.

        `known` returns the trace and the cell with a number. `by` names who acts, and `as_agent` is
        true for an agent. New facts are numbered from `last_n` + 1, `last_n` being the number of
        the audit's last fact. All get the time `at`, in UTC and ISO 8601.
        """
        self.cells: dict[int, tuple[Trace, Cell, Cell]] = {}
        """The changed cells by number: the trace, the cell before the act, and the cell
        after it.
        """
        self.turned: list[Fact] = []
        """The facts that were undone or redone."""
        self.last_n = last_n
        self._known = known
        self._by = by
        self._first = last_n + 1
        self._at = at
        self._as_agent = as_agent

    def cell(self, cell_no: int) -> Cell:
        """Return a cell as it is after the requests so far."""
        return self._opened(cell_no)[2]

    def do(self, cell_no: int, commands: Iterable[Command]) -> None:
        """Carry out requests to the cell with number `cell_no`, in order: all of them, or none.

        The changed cell is then in `cells`, and facts that were undone or redone in `turned`;
        nothing is saved. Raises Refused if a request is refused, and what `known` raises for a
        number without a cell. After any error the act is as it was before.
        """
        state_before = self.cells.copy(), self.turned.copy(), self.last_n
        try:
            for command in commands:
                trace, cell_before, cell = self._opened(cell_no)
                event = decide(cell, command, as_agent=self._as_agent)
                self.last_n += 1
                part_of = None if self.last_n == self._first else self._first
                fact = Fact(
                    self.last_n,
                    self._at,
                    self._by,
                    event,
                    part_of,
                    self._as_agent,
                )
                after = evolve(cell, fact)
                self.cells[cell_no] = trace, cell_before, after
                if isinstance(command, Undo | Redo):
                    self.turned += [
                        other for other in after.facts if other.n == command.of
                    ]
        except Exception:
            self.cells, self.turned, self.last_n = state_before
            raise

    def _opened(self, cell_no: int) -> tuple[Trace, Cell, Cell]:
        """Return the trace of a cell, the cell before this act, and the cell as it is now.

        If the act has not changed the cell, both cells are the same. The act itself stays as it is.
        """
        if cell_no in self.cells:
            return self.cells[cell_no]
        trace, cell = self._known(cell_no)
        return trace, cell, cell
