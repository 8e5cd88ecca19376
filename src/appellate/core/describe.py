"""What happened to a cell and who judged it, in words; and what the judges of a panel say
together.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from appellate.core.cell import JUDGED, Cell, is_hasty, judged_part, round_of, set_aside
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
    WaveSampled,
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
    Redone,
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

BLIND_BY_CLAIM = "blind by the importer's claim"
"""What is said of an imported ruling of which only its importer says that it was made blind."""
NO_PLACE = "does not fit a later proposal"
"""What is said of an act that `Cell.orphaned` lists."""


# -- what happened -----------------------------------------------------------------------------


def describe(cell: Cell, fact: Fact) -> str:
    """Return one fact of a cell in words; "" for a fact that says nothing about the cell.

    The words are in the past tense, without who did it and when, and without reason. An undo is
    such a fact that says nothing.
    """
    event = fact.what
    if isinstance(event, Adopted):
        return _adoption_text(cell, event)
    text = describe_event(cell.subject.kind, event)
    if isinstance(event, Proposed):
        text += _reading_text(cell, event)
    return text


def _reading_text(cell: Cell, proposal: Proposed) -> str:
    """Return what a judge read, for the end of a sentence: ", of the whole conversation".

    It is ", of the response only" if the trait reads conversations now, but the judge read only the
    response. Otherwise, and if it is not known what the judge read, it is "".
    """
    read = proposal.judge.get("read")
    if read == CONVERSATION:
        return ", of the whole conversation"
    if read == DEFAULT_READS and reads_conversation(cell.subject.trait):
        return ", of the response only"
    return ""


def _adoption_text(cell: Cell, event: Adopted) -> str:
    """Return in words whose labels were adopted: those of a proposal, of a member of its panel.

    In a contested cell it is only said which of the two sides they were, from 1.
    """
    if cell.contest and cell.contest.n == event.of:
        side_no = (event.member or 0) + 1
        return f"took the labels that are shown as {side_no}"

    proposed = next(
        fact.what
        for fact in cell.facts
        if fact.n == event.of and isinstance(fact.what, Proposed)
    )
    who = judge_name(proposed.judge)
    if event.member is not None:
        voices = members(proposed.judge)
        who = voices[event.member].name
    round_no = round_of(proposed)
    return f"took the labels of {who}, round {round_no}"


_SENTENCES: Mapping[type[What], str] = {
    Adopted: "took the labels of another proposal",
    Revised: "the trait was changed",
    Drawn: "drawn into the sample",
    Undrawn: "removed from the sample, which was withdrawn",
    Contested: "two reviewers differ here: it awaits a ruling",
    Ruled: "locked the verdict",
    SignedOff: "signed off",
    Withheld: "worked on before the judge was hidden: what was done is shown once you have ruled",
}
"""What is said of facts that need no details."""


_FLAGGED = {True: "flagged", False: "removed the flag"}
_UNMASKED = {
    True: "caught a known error that had been planted",
    False: "let a known error pass that had been planted",
}


def describe_event(kind: AnyKind, event: What) -> str:  # noqa: C901 - a case for each fact
    """Return an event of some cell of a kind in words, as far as that is known without the cell.

    It says what was done, without by whom. "" for an event that says nothing about a cell, such as
    an undo.
    """
    match event:
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
            if round_of(event) > 1:
                wording += f" in round {round_of(event)}"
            return wording
        case Failed(error):
            return f"the judge failed: {error}"
        case Planted(question_row, answer):
            question = question_row.get("text", "")
            return f"showed “{answer}” for “{question}”, a known error: the labels never had it"
        case Unmasked(caught):
            return _UNMASKED[caught]
        case SignedOff(_, seconds) | Ruled(_, seconds) if is_hasty(event):
            return f"{_SENTENCES[type(event)]} in haste, after {seconds} s"
        case SignedOff(said_blind=bool()):
            return _imported_sign_off_text(event)
        case _:
            return _SENTENCES.get(type(event), "")


def _imported_sign_off_text(signed: SignedOff) -> str:
    """Return in words how a sign-off came in with a file: when it was made, and whether blind."""
    details = ["imported"]
    if signed.said_at is not None:
        details.append(f"made {signed.said_at}")
    if signed.said_blind:
        details.append(BLIND_BY_CLAIM)
    what = _SENTENCES[SignedOff]
    how = ", ".join(details)
    return f"{what} ({how})"


def describe_loss(cell: Cell, fact: Fact) -> str:
    """Return why an act was lost, in a clause; "" if it was not.

    It was undone, is over a text that was changed since, or has no place in the labels. An act that
    a later one replaced, as a correction replaces a sign-off, is not lost.
    """
    if fact.n in cell.undone:
        return f"undone by {undone_by(cell, fact)}"
    if fact in (cell.unsettled, cell.lapsed) and isinstance(
        fact.what,
        SignedOff | Ruled,
    ):
        return f"does not count: {changed_text(parts_changed_since(cell, fact))} since"
    if fact.n in cell.orphaned:
        return NO_PLACE
    return ""


PARTS: Mapping[str, str] = {
    "response": "the response",
    "conversation": "the conversation",
    "transcript": "the conversation, or how this version makes a text of it,",
    "question": "the question",
    "reference": "the reference",
    JUDGED: "what the judge had said",
}
"""What is read, by the names that `changed_parts` returns, as sentences call it."""


def changed_parts(
    subject: Subject,
    signed: SignedOff | Ruled,
    before: Iterable[Fact],
) -> list[str]:
    """Return which parts of what was read changed since they were signed, as keys of `PARTS`.

    `before` are the facts of the cell before the sign-off. Empty if the parts are equal. A part
    that was not kept with the sign-off is taken for unchanged.
    """
    parts_signed = signed.read or {}
    parts_now = subject.read_parts()
    names: list[str] = []
    if parts_signed.get("text", parts_now["text"]) != parts_now["text"]:
        if "transcript" not in parts_now:
            names.append("response")
        elif parts_signed.get("transcript") != parts_now["transcript"]:
            names.append("transcript")
        else:
            names.append("conversation")
    for name in ("question", "reference"):
        if parts_signed.get(name, parts_now[name]) != parts_now[name]:
            names.append(name)
    judged = parts_signed.get(JUDGED)
    if judged is not None and judged != judged_part(before):
        names.append(JUDGED)
    return names


def parts_changed_since(cell: Cell, fact: Fact) -> list[str]:
    """Return which parts of what was read changed since a sign-off or ruling of a cell.

    They are keys of `PARTS`. Empty for any other fact.
    """
    event = fact.what
    if not isinstance(event, SignedOff | Ruled):
        return []
    before = [earlier for earlier in cell.facts if earlier.n < fact.n]
    return changed_parts(cell.subject, event, before)


def changed_text(parts: Sequence[str]) -> str:
    """Return which parts, keys of `PARTS`, were changed, in words: `the reference was changed`.

    Without any it says that what was read was changed.
    """
    if not parts:
        return "what was read was changed"
    names = [PARTS[part] for part in parts]
    verb = "was" if len(names) == 1 else "were"
    subject = " and ".join(names)
    return f"{subject} {verb} changed"


def describe_unsettled(cell: Cell) -> str:
    """Return what was changed after a cell was signed off or ruled on, and by whom it was signed.

    That is a clause, as "the reference was changed after Ada signed it off". A ruling that no
    longer counts is also told of if somebody signed the cell off since. Returns "" for a cell whose
    sign-off or ruling still counts, and for one that was never signed off.
    """
    fact = cell.unsettled or cell.lapsed
    if fact is None:
        return ""
    if not isinstance(fact.what, SignedOff | Ruled):
        return ""
    parts = parts_changed_since(cell, fact)
    text = changed_text(parts)
    past_tense = "ruled on it" if isinstance(fact.what, Ruled) else "signed it off"
    return f"{text} after {fact.by} {past_tense}"


def describe_moved(cell: Cell) -> str:
    """Return in a clause that the text was changed after the judge's latest proposal.

    Returns "" if it was not, without a proposal, and for a judgment without a fingerprint.
    Returns "" also if the text differs only because this version makes it by other rules.
    """
    if cell.judge is None:
        return ""
    return moved_text(cell.subject, cell.judge.judge)


def moved_text(subject: Subject, judge: Table) -> str:
    """Return in a clause that a subject's text is not the one in a judge's record.

    Returns "" if it is that text, and if the record does not tell. Returns "" also if the
    text differs only because this version makes it by other rules.
    """
    if subject.as_judged(judge) is not None:
        return ""
    text = "the response"
    if "transcript" in judge:
        text = "the conversation"
        if judge["transcript"] != subject.reading(judge).get("transcript"):
            return ""
    return f"{text} was changed after it was judged"


def why_not_folded(subject: Subject, facts: Iterable[Fact]) -> str:
    """Return in a clause what was changed in a subject's text since people or judges read it.

    The first proposal, sign-off or ruling among the facts that shows a change is told.
    Returns "" if nothing was changed. Corrections may not fit a text that was changed under
    them.
    """
    earlier: list[Fact] = []
    for fact in facts:
        match fact.what:
            case Proposed(_, judge):
                moved = moved_text(subject, judge)
                if moved:
                    return moved
            case SignedOff() | Ruled():
                parts = changed_parts(subject, fact.what, earlier)
                if parts:
                    return f"{changed_text(parts)} after it was signed off"
            case _:
                pass
        earlier.append(fact)
    return ""


def undone_by(cell: Cell, fact: Fact) -> str:
    """Return who put an act out of force; "" for an act that is in force.

    That is who undid it last, or who withdrew the sample, or took back the change of the trait,
    that it went with. "" also if the cell's facts do not tell.
    """
    if fact.n not in cell.undone:
        return ""

    last_turn = None
    for other in cell.facts:
        if isinstance(other.what, Undone | Redone) and other.what.of == fact.n:
            last_turn = other
    if last_turn is None or isinstance(last_turn.what, Redone):
        last_turn = set_aside(cell.facts).get(fact.n)
    return "" if last_turn is None else last_turn.by


def describe_design(event: DesignEvent) -> str:  # noqa: C901, PLR0912 - a case for each fact
    """Return an event of the audit as a whole in words, such as "drew 40 of 900, seed 7".

    It says what was done, without who did it and when, and has no full stop.
    """
    match event:
        case WaveSampled(wave=wave):
            counts = f"{len(event.drawn):,} of {event.frame:,}, seed {event.seed}"
            return f"drew {counts}, as the wave {wave}"
        case Sampled():
            return f"drew {len(event.drawn):,} of {event.frame:,}, seed {event.seed}"
        case Withdrawn():
            text = f"withdrew the sample of {event.units:,}, before any verdict"
            if event.begun:
                text += f"; {many(event.begun, 'cell')} had been begun"
            return text
        case LooksPlanned(trait, bar, rule="any", level=level):
            text = f"planned any look for {trait} {bar}".replace("  ", " ")
            if event.horizon is not None:
                text += f", meant for {many(event.horizon, 'audit')}"
            return f"{text}, level {level:g}"
        case LooksPlanned(trait, bar, looks, level):
            places = ", ".join(map(str, looks))
            asked = f"{trait} {bar}".strip()
            return f"planned looks at {places} for {asked}, level {level:g}"
        case Looked(look=look, units=units):
            return f"look {look}, at {units:,}: {_decision_text(event.decision)}"
        case LookedUnplanned(trait, bar, units, rule=rule):
            when = f"at {units:,}" if rule == "any" else f"at the end, {units:,}"
            decision = _decision_text(event.decision)
            return f"{trait} {bar}, not planned, {when}: {decision}".strip()
        case Probed():
            return f"probed the judge: {event.probe}, {many(event.cells, 'cell')}"
        case SecondPass():
            return f"second pass of {event.reviewer}: {many(event.cells, 'cell')}"
        case Joined():
            return (
                f"joined two audits: {many(event.settled, 'cell')} settled,"
                f" {event.contested:,} contested"
            )
        case RubricTaken():
            return f"took a revised rubric: {_rubric_changes_text(event)}"
        case RubricTakenBack():
            return f"took the revised rubric back{_rubric_turn_text(event)}"
        case RubricTakenAgain():  # pragma: no branch - there are no others
            return f"took the revised rubric again{_rubric_turn_text(event)}"


def _rubric_changes_text(event: RubricTaken) -> str:
    """Return which traits a revised rubric changed, and what that cost, in clauses with commas.

    Without any it says that no trait was changed.
    """
    clauses = []
    if event.changed:
        names = ", ".join(event.changed)
        costs = [f"{many(event.cells, 'cell')} to judge again"]
        if event.lost:
            costs.append(f"{many(event.lost, 'correction')} that no longer fit")
        if event.signed:
            costs.append(f"{many(event.signed, 'sign-off')} lost")
        cost_text = ", ".join(costs)
        clauses.append(f"{names} changed ({cost_text})")
    if event.remeasured:
        names = ", ".join(event.remeasured)
        clauses.append(f"{names} measured differently")
    if event.added:
        names = ", ".join(event.added)
        count = many(event.fresh, "cell")
        clauses.append(f"{names} new ({count})")
    if event.unsettled:
        count = many(event.unsettled, "sign-off")
        clauses.append(f"questions or references reworded ({count} to be given again)")
    if clauses:
        return ", ".join(clauses)
    if event.order and not event.before:
        return "questions added or moved"
    return "no trait changed"


def _rubric_turn_text(event: RubricTakenBack | RubricTakenAgain) -> str:
    """Return what an undo or redo of a revised rubric brought back, and what it set aside.

    Counts of corrections and sign-offs in force again come first, then of the judge's answers set
    aside. It begins with a colon, to follow a sentence: ": 2 sign-offs in force again". Returns ""
    if all counts are 0.
    """
    restored = []
    if event.corrections:
        restored.append(many(event.corrections, "correction"))
    if event.signed:
        restored.append(many(event.signed, "sign-off"))

    clauses = []
    if restored:
        counts = " and ".join(restored)
        clauses.append(f"{counts} in force again")
    if event.answers:
        answers = many(event.answers, "answer")
        clauses.append(f"{answers} of the judge set aside")
    if not clauses:
        return ""
    return ": " + ", ".join(clauses)


def _decision_text(decision: str) -> str:
    """Return the decision of a look in words, or as it is kept if this version does not know it."""
    from appellate.stats.looks import read_decision  # for few facts

    return read_decision(decision) or decision


# -- who judged --------------------------------------------------------------------------------


class PanelVoice(Struct, frozen=True):
    """One judge of a panel."""

    place: int
    """Its position in the panel, from 0."""
    name: str
    """Its name, which no other member has."""
    table: Table
    """Its table in the judge's record."""

    @property
    def error(self) -> str:
        """Why it gave no labels; "" if it gave some."""
        return str(self.table.get("error", ""))


def members(judge: Table) -> list[PanelVoice]:
    """Return the members in a judge's record, in order; empty for a single judge.

    A second one with a name that was there is called `name #2`. What is no table is left out, since
    nobody checks the record of a judge that failed.
    """
    tables = judge.get("members", ())
    if not tables or not isinstance(tables, Sequence):
        return []

    name_counts: Counter[str] = Counter()
    voices: list[PanelVoice] = []
    for place, table in enumerate(tables):
        if not isinstance(table, Mapping):
            continue
        name = judge_name(table)
        name_counts[name] += 1
        if name_counts[name] > 1:
            name = f"{name} #{name_counts[name]}"
        voices.append(PanelVoice(place, name, table))
    return voices


def answered(judge: Table) -> list[PanelVoice]:
    """Return the members in a judge's record that gave labels, in order; [] for a single judge."""
    return [member for member in members(judge) if "error" not in member.table]


def panel_of(cell: Cell) -> list[PanelVoice]:
    """Return the members that gave labels in the panel that judged a cell last.

    Empty for a single judge, if fewer than two gave labels, and for a cell without a proposal.
    """
    voices = answered(cell.judge.judge) if cell.judge else []
    return voices if len(voices) > 1 else []


def missing(judge: Table) -> int:
    """Return how many members in a judge's record gave no labels; 0 for a single judge."""
    return len(members(judge)) - len(answered(judge))


def judge_name(judge: Table) -> str:
    """Return a judge's model, or else its name, by its record; "judge" if it has neither."""
    return str(judge.get("model") or judge.get("name") or "judge")


LEXICAL = "lexical"
"""The name of the judge that compares words; with a share of words it is as in "lexical:0.5"."""


def is_lexical(name: object) -> bool:
    """Return whether this is the name of the judge that compares words, with or without a share."""
    return isinstance(name, str) and name.partition(":")[0] == LEXICAL


def asking_cost(judge: Table) -> float | None:
    """Return what it costs to ask a judge about a cell, by its record; None if not known.

    Replies of the cache count with what they cost when they were sent for. Comparing words costs
    nothing.
    """
    compares_words = is_lexical(judge.get("name")) and "model" not in judge
    if compares_words:
        return 0.0
    cost = judge.get("full_cost")
    if cost is None and not judge.get("cached"):
        cost = judge.get("cost")
    if isinstance(cost, bool):
        return None
    if not isinstance(cost, int | float):
        return None
    return float(cost)


def other_models(judge: Table) -> list[tuple[str, str]]:
    """Return each model that a judge's record asks for, with another model that answered instead.

    A pair is (requested, served), as the record has them. The pairs are of the judge and then of
    the members of its panel, each once. A dated edition of the requested model, or its name with a
    path before it, is not another one. Empty if all answered themselves.
    """
    records = [judge]
    for voice in members(judge):
        records.append(voice.table)

    pairs: list[tuple[str, str]] = []
    for record in records:
        parameters = record.get("parameters")
        if not isinstance(parameters, Mapping):
            continue
        requested = str(record.get("model") or "")
        served = str(parameters.get("served_model") or "")
        if not requested or not served:
            continue
        if _model_without_edition(requested) == _model_without_edition(served):
            continue
        pair = (requested, served)
        if pair not in pairs:
            pairs.append(pair)
    return pairs


_EDITION = re.compile(
    r"(?:[-@:._](?:latest|preview|free|\d{3,8}(?:-\d{2}){0,2})|\.gguf){1,8}$",
)
"""How the names of one model may end: a date, a number of three digits or more, an alias.

They are bounded, so that a name of a megabyte takes no longer than its length.
"""


def _model_without_edition(name: str) -> str:
    """Return the name of a model without its path and its edition, in lower case."""
    path = name.casefold().replace("\\", "/")
    last_part = path.rpartition("/")[2]
    return _EDITION.sub("", last_part)


# -- what several judges say, taken together -----------------------------------------------------

Vote = Mapping[str, tuple[int, ...]]
"""For each answer to an instruction, the positions of the members that give it."""


def votes(subject: Subject, tables: Iterable[Table]) -> dict[Instruction, Vote]:
    """Return how the members of a panel answer each instruction that any of them answers.

    `tables` are their located tables in order, by which a vote counts them from 0.
    """
    votes_by_instruction: dict[Instruction, dict[str, tuple[int, ...]]] = {}
    for place, table in enumerate(tables):
        labels = subject.labels(table)
        answers = subject.kind.answers(subject.trait, labels)
        for instruction, answer in answers.items():
            vote = votes_by_instruction.setdefault(instruction, {})
            earlier_places = vote.get(answer, ())
            vote[answer] = (*earlier_places, place)
    return dict(votes_by_instruction)


def verdict(vote: Vote) -> str:
    """Return the answer that most members give; on a tie the one whose first member is earliest.

    Raises ValueError for a vote without answers.
    """

    def most_members_first(answer: str) -> tuple[int, int]:
        """Return the key by which answers are sorted: more members first, then the earlier first
        member.
        """
        members = vote[answer]
        return -len(members), members[0]

    return min(vote, key=most_members_first)


def disagreement(all_votes: Mapping[Instruction, Vote]) -> float:
    """Return how often two members drawn at random answer an instruction differently, from 0 to 1.

    It is one minus the observed agreement of Fleiss, "Measuring nominal scale agreement among many
    raters" (Psychological Bulletin 76, 1971), without a correction for chance. Instructions that
    fewer than two members answer do not count; 0 without others.
    """
    shares = [
        share
        for share in map(_share_that_differs, all_votes.values())
        if share is not None
    ]
    if not shares:
        return 0.0
    return sum(shares) / len(shares)


def _share_that_differs(vote: Vote) -> float | None:
    """Return the share of pairs of members that answer differently.

    None for fewer than two members.
    """
    count = 0
    alike_pairs = 0
    for members in vote.values():
        count += len(members)
        alike_pairs += len(members) * (len(members) - 1)
    if count < 2:  # noqa: PLR2004 - a pair
        return None
    pairs = count * (count - 1)
    return 1 - alike_pairs / pairs


def majority(subject: Subject, tables: Sequence[Table]) -> dict[str, Any]:
    """Return the table of what most members hold, as the cell's kind sees it.

    If the kind does not say, it is a copy of the first table of the largest group that answers
    every instruction alike. On a tie, the group of the earliest member counts. There must be a
    table.
    """
    kind = subject.kind
    by_kind = kind.majority(subject.trait, subject.trace, tables)
    if by_kind is not None:
        return by_kind

    all_answers = []
    for table in tables:
        labels = subject.labels(table)
        answers = kind.answers(subject.trait, labels)
        all_answers.append(tuple(answers.items()))
    [(most_common, _)] = Counter(all_answers).most_common(1)
    first_of_group = all_answers.index(most_common)
    return dict(tables[first_of_group])
