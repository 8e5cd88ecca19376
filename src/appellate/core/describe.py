"""What happened to a cell and who judged it, in words; and what the judges of a panel say
together.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

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

    The words are in the past tense and without a full stop, such as "signed off". Of a proposal
    they also tell if the whole conversation was read, or only its response. Who did it, when, and
    the reason of a correction are not in them. An undo, a redo and a reason say nothing.
    """
    event = fact.what
    if isinstance(event, Adopted):
        return _adoption_text(cell, event)
    text = describe_event(cell.subject.kind, event)
    if not isinstance(event, Proposed):
        return text
    read = event.judge.get("read")
    if read == CONVERSATION:
        return f"{text}, of the whole conversation"
    if read == DEFAULT_READS and reads_conversation(cell.subject.trait):
        return f"{text}, of the response only"
    return text


def _adoption_text(cell: Cell, event: Adopted) -> str:
    """Return in words whose labels were adopted, such as "took the labels of gpt-4o, round 2".

    That is the judge of the proposal, or a member of its panel by its name among the members. In a
    contested cell only the number of the side is said, from 1. The adoption must be one of the
    cell.
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

    The words are in the past tense, without who did it and when, and without a full stop:
    "flagged", "commented: looks fine". A hasty sign-off or ruling tells its seconds. Returns "" for
    an event that says nothing about a cell, such as an undo. Raises ValueError or TypeError for a
    correction whose row the kind cannot read.
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
    """Return an imported sign-off in words: "signed off (imported, made 2026-01-31, blind by …)".

    When it was made, and the importer's claim that it was blind, are only there if the sign-off has
    them. The time is as the import gave it.
    """
    details = ["imported"]
    if signed.said_at is not None:
        details.append(f"made {signed.said_at}")
    if signed.said_blind:
        details.append(BLIND_BY_CLAIM)
    return f"{_SENTENCES[SignedOff]} ({', '.join(details)})"


def describe_loss(cell: Cell, fact: Fact) -> str:
    """Return why an act does not count any more, in a clause; "" if it counts or was only replaced.

    It is "undone by Ada", also for an act that went with a withdrawn sample or a trait taken back,
    "does not count: the reference was changed since" for a sign-off or ruling, or `NO_PLACE` for a
    correction. A sign-off that a correction replaced is not lost.
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


Part = Literal[
    "response",
    "conversation",
    "transcript",
    "question",
    "reference",
    "judged",
]
"""A part of what is read in a cell. "transcript" is a conversation's text after other rules."""

PARTS: Mapping[Part, str] = {
    "response": "the response",
    "conversation": "the conversation",
    "transcript": "the conversation, or how this version makes a text of it,",
    "question": "the question",
    "reference": "the reference",
    JUDGED: "what the judge had said",
}
"""What sentences call each part."""
_ASKED_PARTS: Final = ("question", "reference")


def changed_parts(
    subject: Subject,
    signed: SignedOff | Ruled,
    earlier: Iterable[Fact],
) -> list[Part]:
    """Return the keys of `PARTS` for what was changed after a sign-off or ruling had read it.

    The text comes first: "response", "conversation", or "transcript" if this version makes a text
    of conversations by other rules. Question, reference and judges' answers follow. `earlier` are
    the cell's facts before the sign-off, among which judges' answers are looked up. A part whose
    fingerprint the sign-off did not keep counts as unchanged.
    """
    parts_signed = signed.read or {}
    parts_now = subject.read_parts()
    changed: list[Part] = []
    if parts_signed.get("text", parts_now["text"]) != parts_now["text"]:
        if "transcript" not in parts_now:
            changed.append("response")
        elif parts_signed.get("transcript") != parts_now["transcript"]:
            changed.append("transcript")
        else:
            changed.append("conversation")
    for name in _ASKED_PARTS:
        if parts_signed.get(name, parts_now[name]) != parts_now[name]:
            changed.append(name)
    judged = parts_signed.get(JUDGED)
    if judged is not None and judged != judged_part(earlier):
        changed.append(JUDGED)
    return changed


def parts_changed_since(cell: Cell, fact: Fact) -> list[Part]:
    """Return the keys of `PARTS` for what was changed after it was signed off or ruled on.

    Empty for any other fact, and if none of the parts that it kept was changed.
    """
    event = fact.what
    if not isinstance(event, SignedOff | Ruled):
        return []
    earlier = [other for other in cell.facts if other.n < fact.n]
    return changed_parts(cell.subject, event, earlier)


def changed_text(parts: Sequence[Part]) -> str:
    """Return in a clause that these parts, keys of `PARTS`, were changed.

    It is like "the reference was changed"; all parts are named, in their order. Without any it is
    "what was read was changed".
    """
    if not parts:
        return "what was read was changed"
    names = [PARTS[part] for part in parts]
    verb = "was" if len(names) == 1 else "were"
    subject = " and ".join(names)
    return f"{subject} {verb} changed"


def describe_unsettled(cell: Cell) -> str:
    """Return in a clause why a cell's sign-off or ruling does not count; "" if there is none such.

    It is like "the reference was changed after Ada signed it off", or "… ruled on it". Of several
    it is the one that waits to be given again, or else the last ruling over a text changed since,
    even if somebody signed off after it.
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
    """Return in a clause that the text was changed since it was judged; "" if it was not.

    It is as in `moved_text`, of the proposal under the current trait. Returns "" without one.
    """
    if cell.judge is None:
        return ""
    return moved_text(cell.subject, cell.judge.judge)


def moved_text(subject: Subject, judge: Table) -> str:
    """Return in a clause that a judge read another text; "" if nothing shows that.

    It is "the response was changed after it was judged", or "the conversation was …". `judge` is
    the judge's record. Returns "" if the text is the same under any version of the trait, if the
    record has no fingerprint of it, and if it differs only because this version makes a text of
    conversations by other rules.
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

    It says why corrections among `facts`, a cell's in order, may not fit any more. The first
    proposal, sign-off or ruling that shows a change is told: "… after it was judged" or "… after it
    was signed off", also for a ruling. Returns "" if none shows a change.
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
    """Return the name of who put an act out of force; "" for an act that is in force.

    That is who undid it last. Otherwise it is who withdrew the sample, or took back the change of
    the trait, that the act went with.
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

    It says what was done, with its counts, but not who did it and when. It begins in lower case
    unless with a trait's name, and has no full stop.
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
    """Return what a revised rubric changed, and what that cost, in clauses with commas.

    An example is "tone changed (3 cells to judge again), clarity new (9 cells)". Lost corrections
    and sign-offs are counted in the brackets. It is "questions added or moved" if that is all, and
    "no trait changed" if nothing is told.
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
    """Return what an undo or redo of a revised rubric brought back and set aside, after a colon.

    It follows a sentence: ": 1 correction and 2 sign-offs in force again, 3 answers of the judge
    set aside". Counts of 0 are left out. Returns "", without the colon, if all are 0.
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
    """Return the decision of a look in words.

    A decision that this version does not know is returned as it is kept.
    """
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
    """Return the members in a judge's record, in order; [] for a single judge.

    A member is called by its model, or else its name. The second of one name becomes `name #2`.
    What is no table is left out, but counted in `place`: nobody checks the record of a judge that
    failed.
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
    """Return those members of the panel that judged a cell last who gave labels.

    It is the panel of the latest proposal under the current trait, also while the judge is hidden.
    Empty for a single judge, if fewer than two members gave labels, and without a proposal.
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
    """Return what it costs to ask a judge about a cell, by its record; None if it does not tell.

    That is "full_cost", which has cached replies at what they cost when they were sent for. Without
    it, it is "cost", unless replies were cached. 0 for the judge that compares words. What is no
    number counts as not told.
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

    A pair is (requested, served), as written in "model" and "served_model" of the "parameters". The
    judge's comes first, then those of its panel's members, each once. Another case, a path before
    the name, or a date or alias after it makes no other model. Empty if all answered themselves, or
    the record does not tell.
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
    """Return the name of a model in lower case, without its path and its edition.

    "openai/GPT-4o-2024-08-06" and "gpt-4o:latest" are both "gpt-4o". An edition is a date, a number
    of three digits or more, or an alias such as "preview" at the end; several are removed.
    """
    path = name.casefold().replace("\\", "/")
    last_part = path.rpartition("/")[2]
    return _EDITION.sub("", last_part)


# -- what several judges say, taken together -----------------------------------------------------

Vote = Mapping[str, tuple[int, ...]]
"""For each answer to an instruction, the positions of the members that give it."""


def votes(subject: Subject, tables: Iterable[Table]) -> dict[Instruction, Vote]:
    """Return how the members of a panel answer each instruction that any of them answers.

    `tables` are the members' located tables, and a vote has their positions, from 0, by answer.
    Answers are in the words of `TraitKind.answers`. Empty without tables.
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

    Every answer must have a member. Raises ValueError for a vote without answers.
    """
    return min(vote, key=lambda answer: (-len(vote[answer]), vote[answer][0]))


def disagreement(all_votes: Mapping[Instruction, Vote]) -> float:
    """Return how often two members of a panel answer an instruction differently, from 0 to 1.

    It is the mean over the instructions of one minus Fleiss's observed agreement, "Measuring
    nominal scale agreement among many raters" (Psychological Bulletin 76, 1971), not corrected for
    chance. Instructions that fewer than two members answer do not count. 0 if there are no others.
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
    """Return the share of pairs of members that answer differently, from 0 to 1.

    None for fewer than two members, who make no pair.
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

    If the kind does not say, it is a copy of the table of the first member in the largest group
    that answers every instruction alike. Of equal groups it is the one with the earliest member.
    `tables` are located tables of the members in order, at least one.
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
