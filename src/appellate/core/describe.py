"""What happened to a cell and who judged it, in words; and what several judges say together."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from appellate.core.cell import Cell, is_hasty, round_of
from appellate.core.design_facts import (
    DesignEvent,
    Joined,
    Looked,
    LookedUnplanned,
    LooksPlanned,
    Probed,
    RubricTaken,
    RubricTakenAgain,
    RubricTakenBack,
    Sampled,
    SecondPass,
    Withdrawn,
)
from appellate.core.facts import (
    Adopted,
    Commented,
    Contested,
    Corrected,
    Drawn,
    Fact,
    Failed,
    Flagged,
    Planted,
    Proposed,
    Revised,
    Ruled,
    Shown,
    SignedOff,
    Undone,
    Undrawn,
    Unmasked,
    What,
    Withheld,
)
from appellate.core.kind import (
    CONVERSATION,
    DEFAULT_READS,
    AnyKind,
    Instruction,
    Subject,
    Table,
    reads_conversation,
)
from appellate.core.problem import many
from appellate.stats.looks import read_decision

NO_PLACE = "found no place in a later proposal"
"""What became of an act that `Cell.orphaned` lists."""


# -- what happened -----------------------------------------------------------------------------


def describe(cell: Cell, fact: Fact) -> str:
    """One fact of a cell in words; nothing for those that only concern others."""
    if isinstance(fact.what, Adopted):
        return _adopted(cell, fact.what)
    if isinstance(fact.what, Proposed):
        return describe_event(cell.subject.kind, fact.what) + _read(cell, fact.what)
    return describe_event(cell.subject.kind, fact.what)


def _read(cell: Cell, what: Proposed) -> str:
    """What a judge read, for the end of a sentence; "" where nobody reads more than responses."""
    read = what.judge.get("read")
    if read == CONVERSATION:
        return ", of the whole conversation"
    if read == DEFAULT_READS and reads_conversation(cell.subject.trait):
        return ", of the response alone"
    return ""


def _adopted(cell: Cell, what: Adopted) -> str:
    """Whose labels were taken."""
    if cell.contest and cell.contest.n == what.of:
        return f"took the labels that are shown as {(what.member or 0) + 1}"
    proposed = next(
        one.what for one in cell.facts if one.n == what.of and isinstance(one.what, Proposed)
    )
    who = judge_name(proposed.judge)
    if what.member is not None:
        who = members(proposed.judge)[what.member].name
    return f"took the labels of {who}, round {round_of(proposed)}"


_SENTENCES: Mapping[type[What], str] = {
    Adopted: "took the labels of another proposal",
    Revised: "the trait was changed",
    Drawn: "drawn into the sample",
    Undrawn: "out of the sample again, which was withdrawn",
    Contested: "two reviewers differ here: somebody is to rule",
    Ruled: "locked the verdict",
    SignedOff: "signed off",
    Withheld: "worked on before the judge was hidden: what was done is shown once you have ruled",
}


_FLAGGED = {True: "flagged", False: "took the flag down"}
_UNMASKED = {
    True: "caught a known error that had been planted",
    False: "let a known error pass that had been planted",
}


def describe_event(kind: AnyKind, what: What) -> str:  # noqa: C901 - a case for each fact
    """What happened to some cell of a kind, in words, as far as that is known without the cell."""
    match what:
        case Corrected(row, before, after):
            return kind.describe(kind.edit(row), before, after)
        case Shown(to):
            return f"shown to {to} as an example"
        case Flagged(on):
            return _FLAGGED[on]
        case Commented(text):
            return f"commented: {text}"
        case Proposed(_, judge):
            wording = f"judged by {judge_name(judge)}"
            if round_of(what) > 1:
                wording += f" in round {round_of(what)}"
            return wording
        case Failed(error):
            return f"the judge failed: {error}"
        case Planted(asked, answer):
            question = asked.get("text", "")
            return f"showed “{answer}” for “{question}”, a known error: the labels never had it"
        case Unmasked(caught):
            return _UNMASKED[caught]
        case SignedOff(_, seconds) | Ruled(_, seconds) if is_hasty(what):
            return f"{_SENTENCES[type(what)]} in haste, after {seconds} s"
        case _:
            return _SENTENCES.get(type(what), "")


def describe_loss(cell: Cell, fact: Fact) -> str:
    """Why an act is not in force; nothing where it is.

    It was undone, has no place in the labels, or was over what was changed since.
    """
    if fact.n in cell.undone:
        return f"undone by {undone_by(cell, fact)}"
    if fact in (cell.unsettled, cell.lapsed) and isinstance(fact.what, SignedOff | Ruled):
        return f"does not count: {changed_text(changed_parts(cell.subject, fact.what))} since"
    if fact.n in cell.orphaned:
        return NO_PLACE
    return ""


PARTS: Mapping[str, str] = {
    "response": "the response",
    "conversation": "the conversation",
    "transcript": "the conversation, or how this version makes a text of it,",
    "question": "the question",
    "reference": "the reference",
}
"""What is read, by the names of `changed_parts`, as sentences have it."""


def changed_parts(subject: Subject, signed: SignedOff | Ruled) -> list[str]:
    """Return which parts read otherwise than when they were signed, of the keys of `PARTS`.

    Empty where the parts are the same or were not kept.
    """
    before = signed.read or {}
    now = subject.read_parts()
    changed: list[str] = []
    if before.get("text", now["text"]) != now["text"]:
        changed.append(_text_name(before, now))
    for name in ("question", "reference"):
        if before.get(name, now[name]) != now[name]:
            changed.append(name)
    return changed


def _text_name(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return what the text is, or that its rules are others: then nobody need have changed it."""
    if "transcript" not in now:
        return "response"
    if before.get("transcript") != now["transcript"]:
        return "transcript"
    return "conversation"


def changed_text(parts: Sequence[str]) -> str:
    """Return which parts were changed, in words: `the reference was changed`."""
    names = [PARTS[part] for part in parts] or ["what was read"]
    verb = "was" if len(names) == 1 else "were"
    return f"{' and '.join(names)} {verb} changed"


def describe_unsettled(cell: Cell) -> str:
    """What was changed after a cell was signed off or ruled on, in a clause that names who did.

    Of a ruling that counts no more also where somebody signed the cell off since. "" for a cell
    that reads as it did.
    """
    fact = cell.unsettled or cell.lapsed
    if fact is None or not isinstance(fact.what, SignedOff | Ruled):
        return ""
    text = changed_text(changed_parts(cell.subject, fact.what))
    done = "ruled on it" if isinstance(fact.what, Ruled) else "signed it off"
    return f"{text} after {fact.by} {done}"


def describe_moved(cell: Cell) -> str:
    """Return that the text was changed after it was judged, by what it is; "" where it was not.

    Nothing is said of a text that is made by other rules of this version, or of a judgment without
    a fingerprint.
    """
    if cell.judge is None:
        return ""
    return moved_text(cell.subject, cell.judge.judge)


def moved_text(subject: Subject, judge: Table) -> str:
    """Return that a text is not the one of a judge's record; "" where it is, or nobody knows."""
    if subject.as_judged(judge) is not None:
        return ""
    text = "the response"
    if "transcript" in judge:
        text = "the conversation"
        if judge["transcript"] != subject.reading(judge).get("transcript"):
            return ""
    return f"{text} was changed after it was judged"


def why_not_folded(subject: Subject, facts: Iterable[Fact]) -> str:
    """Return what of a subject was changed after the first of these facts that tells; "" if none.

    Corrections need not fit what was changed under them.
    """
    for fact in facts:
        match fact.what:
            case Proposed(_, judge):
                moved = moved_text(subject, judge)
                if moved:
                    return moved
            case SignedOff() | Ruled():
                parts = changed_parts(subject, fact.what)
                if parts:
                    return f"{changed_text(parts)} after it was signed off"
            case _:
                pass
    return ""


def undone_by(cell: Cell, fact: Fact) -> str:
    """Who took an act back last; nothing for one in force."""
    if fact.n not in cell.undone:
        return ""
    undoing = [one for one in cell.facts if one.what == Undone(fact.n)]
    if undoing:
        return undoing[-1].by
    traits = {one.n for one in cell.facts if isinstance(one.what, Revised)}
    for later in cell.facts:
        if later.n < fact.n:
            continue
        if isinstance(later.what, Undrawn):
            return later.by  # it went with its sample
        if isinstance(later.what, Undone) and later.what.of in traits and later.what.of < fact.n:
            return later.by  # it went with the trait that it was said about
    return ""


def describe_design(what: DesignEvent) -> str:  # noqa: C901 - a case for each fact
    """What happened to the audit as a whole, in words."""
    match what:
        case Sampled():
            return f"drew {len(what.drawn):,} of {what.frame:,}, seed {what.seed}"
        case Withdrawn():
            text = f"withdrew the sample of {what.units:,}, before any verdict"
            if what.begun:
                text += f"; {many(what.begun, 'cell')} had been begun"
            return text
        case LooksPlanned(trait, bar, looks, level):
            places = ", ".join(map(str, looks))
            asked = f"{trait} {bar}".strip()
            return f"planned looks at {places} for {asked}, level {level:g}"
        case Looked(look=look, units=units):
            return f"look {look}, at {units:,}: {_decided(what)}"
        case LookedUnplanned(trait, bar, units):
            return f"{trait} {bar}, not planned, at the end, {units:,}: {_decided(what)}".strip()
        case Probed():
            return f"probed the judge: {what.probe}, {many(what.cells, 'cell')}"
        case SecondPass():
            return f"second pass of {what.reviewer}: {many(what.cells, 'cell')}"
        case Joined():
            return (
                f"joined two audits: {what.settled:,} cells settled, {what.contested:,} contested"
            )
        case RubricTaken():
            return f"took a revised rubric: {_rubric_changes(what)}"
        case RubricTakenBack():
            return f"took the revised rubric back{_rubric_turned(what)}"
        case RubricTakenAgain():  # pragma: no branch - there are no others
            return f"took the revised rubric again{_rubric_turned(what)}"


def _rubric_changes(what: RubricTaken) -> str:
    """Which traits a revised rubric changed, and what that took away."""
    parts = []
    if what.changed:
        parts.append(
            f"{', '.join(what.changed)} changed ({many(what.cells, 'cell')} to judge again"
        )
        if what.lost:
            parts[-1] += f", {many(what.lost, 'correction')} without a place"
        if what.signed:
            parts[-1] += f", {many(what.signed, 'sign-off')} gone"
        parts[-1] += ")"
    if what.remeasured:
        parts.append(f"{', '.join(what.remeasured)} measured otherwise")
    if what.added:
        parts.append(f"{', '.join(what.added)} new ({many(what.fresh, 'cell')})")
    if what.unsettled:
        signed = many(what.unsettled, "sign-off")
        parts.append(f"questions or references reworded ({signed} to be given again)")
    return ", ".join(parts) or "no trait changed"


def _rubric_turned(what: RubricTakenBack | RubricTakenAgain) -> str:
    """What an undo or redo of a revised rubric brought back, and what it set aside."""
    parts = []
    back = []
    if what.corrections:
        back.append(many(what.corrections, "correction"))
    if what.signed:
        back.append(many(what.signed, "sign-off"))
    if back:
        parts.append(f"{' and '.join(back)} in force again")
    if what.answers:
        parts.append(f"{many(what.answers, 'answer')} of the judge set aside")
    if not parts:
        return ""
    return f": {', '.join(parts)}"


def _decided(what: Looked | LookedUnplanned) -> str:
    return read_decision(what.decision) or what.decision


# -- who judged --------------------------------------------------------------------------------


class PanelVoice(Struct, frozen=True):
    """One judge of a panel: its place there, its name among the others, its table in the record."""

    place: int
    name: str
    table: Table

    @property
    def error(self) -> str:
        """Why it gave no labels; nothing where it did."""
        return str(self.table.get("error", ""))


def members(judge: Table) -> list[PanelVoice]:
    """The members of a judge's record, in order; the second of one name is `name #2`."""
    seen: Counter[str] = Counter()
    found: list[PanelVoice] = []
    for place, table in enumerate(judge.get("members", ())):
        name = judge_name(table)
        seen[name] += 1
        if seen[name] > 1:
            name = f"{name} #{seen[name]}"
        found.append(PanelVoice(place, name, table))
    return found


def answered(judge: Table) -> list[PanelVoice]:
    """The members that gave labels."""
    return [member for member in members(judge) if "error" not in member.table]


def panel_of(cell: Cell) -> list[PanelVoice]:
    """The members of the panel that judged a cell and gave labels; none where one judged alone."""
    found = answered(cell.judge.judge) if cell.judge else []
    return found if len(found) > 1 else []


def missing(judge: Table) -> int:
    """How many members gave no labels."""
    return len(members(judge)) - len(answered(judge))


def judge_name(judge: Table) -> str:
    """A judge's model, else its name."""
    return str(judge.get("model") or judge.get("name") or "judge")


def other_models(judge: Table) -> list[tuple[str, str]]:
    """Return each model that a judge's record asks for, with the other one that answered.

    A dated edition of the model that was asked, or its name with a path before it, is no other.
    """
    records = [judge, *(voice.table for voice in members(judge))]
    found: dict[tuple[str, str], None] = {}
    for record in records:
        parameters = record.get("parameters")
        if not isinstance(parameters, Mapping):
            continue
        asked = str(record.get("model") or "")
        served = str(parameters.get("served_model") or "")
        if asked and served and _bare_model(asked) != _bare_model(served):
            found[asked, served] = None
    return list(found)


_EDITION = re.compile(r"(?:[-@:._](?:latest|preview|free|\d{3,8}(?:-\d{2}){0,2})|\.gguf)+$")
"""What names of one model may end in: a date, a number of three digits or more, an alias."""


def _bare_model(name: str) -> str:
    """Return the name of a model without its path and its edition."""
    return _EDITION.sub("", name.casefold().replace("\\", "/").rpartition("/")[2])


# -- what several judges say, taken together -----------------------------------------------------

Vote = Mapping[str, tuple[int, ...]]
"""Of one instruction, by each answer: the members that give it, by place."""


def votes(subject: Subject, tables: Iterable[Table]) -> dict[Instruction, Vote]:
    """How the members of a panel, by their located tables, answer each instruction."""
    found: dict[Instruction, dict[str, tuple[int, ...]]] = {}
    for place, table in enumerate(tables):
        for instruction, answer in subject.kind.answers(
            subject.trait, subject.labels(table)
        ).items():
            vote = found.setdefault(instruction, {})
            vote[answer] = (*vote.get(answer, ()), place)
    return dict(found)


def verdict(vote: Vote) -> str:
    """The answer that most members give; where they are even, that of the first of them."""
    return min(vote, key=lambda answer: (-len(vote[answer]), vote[answer][0]))


def disagreement(found: Mapping[Instruction, Vote]) -> float:
    """How often two members, drawn at random, answer an instruction differently: 0 where all agree.

    One minus the observed agreement of Fleiss, "Measuring nominal scale agreement among many
    raters" (Psychological Bulletin 76, 1971), which is not corrected for chance; 0 for fewer than
    two members.
    """
    shares = [share for share in map(_differing, found.values()) if share is not None]
    if not shares:
        return 0.0
    return sum(shares) / len(shares)


def _differing(vote: Vote) -> float | None:
    """The share of the pairs of members that differ; None where there is no pair."""
    count = sum(map(len, vote.values()))
    if count < 2:  # noqa: PLR2004 - a pair
        return None
    alike = sum(len(members) * (len(members) - 1) for members in vote.values())
    return 1 - alike / (count * (count - 1))


def majority(subject: Subject, tables: Sequence[Table]) -> dict[str, Any]:
    """The table of what most members hold, as the cell's kind sees it.

    A kind that says nothing of it gets the first table of those that answer every instruction alike
    and are most; where such groups are even, of the one that the earliest member is in.
    """
    chosen = subject.kind.majority(subject.trait, subject.trace, tables)
    if chosen is not None:
        return chosen
    answers = [
        tuple(subject.kind.answers(subject.trait, subject.labels(table)).items())
        for table in tables
    ]
    most = Counter(answers).most_common(1)[0][0]
    return dict(tables[answers.index(most)])
