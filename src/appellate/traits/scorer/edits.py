"""Corrections of a scorer cell: a person gives a value by hand, says what the answer is (which is
scored again), or takes all of that back.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from math import isfinite
from operator import attrgetter
from typing import Literal

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import Instruction, Outcome, Table
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.evidence import selected
from appellate.traits.scorer.labels import (
    FEWEST,
    Labels,
    Ruling,
    Scalar,
    legal,
    scalar,
    targets_of,
    value_text,
    values_in,
    wanted,
)
from appellate.traits.scorer.spec import ScorePart, ScorerRubricTrait
from appellate.traits.verdict.edits import RowEdit


class Edit(RowEdit, frozen=True):
    """One correction.

    "overrule" says `value`, of the `key` of a dictionary; "answer" says what was answered, as words
    selected in the response (`start`, `end`) or as `text`; "restore" takes both back.
    """

    OF = "a scorer trait"

    action: Literal["overrule", "answer", "restore"]
    value: Scalar | None = None
    key: str = ""
    text: str | None = None
    start: int | None = None
    end: int | None = None


def from_row(row: Table) -> Edit:
    """The edit that a row of a file is; raises ValueError for what is none."""
    edit = Edit.from_row(row)
    if edit.action == "overrule" and edit.value is None:
        raise ValueError('action = "overrule" has a value')
    return edit


def permit(
    trait: ScorerRubricTrait,
    trace: Trace,  # noqa: ARG001
    labels: Labels,
    edit: Edit,
) -> Edit:
    """An edit as it is kept: to say by hand what the scorer says is to take an overruling back."""
    proposed, standing = labels.proposed, labels.standing
    if edit.action != "overrule" or proposed is None or not labels.is_overruled:
        return edit
    part = _part(trait, edit.key)
    if part is None:
        return edit
    values = _with(trait, standing, edit.key, scalar(part, edit.value))
    if replace(standing, values=values, why=proposed.why) == proposed:
        return Edit("restore")
    return edit


def apply(trait: ScorerRubricTrait, trace: Trace, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """The labels after an edit, and the value or the answer before and after.

    Raises Refused with what to do instead.
    """
    match edit.action:
        case "restore":
            if labels.proposed is None or not labels.is_overruled:
                raise Refused("Nobody overruled the score here.")
            standing = labels.proposed
        case "answer":
            standing = _answered(trait, trace, labels, edit)
            if standing.answer == labels.standing.answer and standing == labels.standing:
                raise Refused("That is the answer already.")
        case _:
            standing = _overruled(trait, labels, edit)
    after = replace(labels, standing=standing)
    if edit.action == "answer":
        return Outcome(after, _with_answer(labels.standing), _with_answer(standing))
    return Outcome(after, _shown(labels.standing, edit.key), _shown(standing, edit.key))


def _part(trait: ScorerRubricTrait, key: str) -> ScorePart | None:
    return next((part for part in trait.parts if part.key == key), None)


def _with(
    trait: ScorerRubricTrait, standing: Ruling, key: str, value: Scalar | None
) -> tuple[tuple[str, Scalar], ...]:
    """The values with another one for a key, in the order of the trait's."""
    values = dict(standing.values)
    if value is not None:
        values[key] = value
    return tuple((part.key, values[part.key]) for part in trait.parts if part.key in values)


def _overruled(trait: ScorerRubricTrait, labels: Labels, edit: Edit) -> Ruling:
    part = _part(trait, edit.key)
    if part is None:
        known_keys = ", ".join(map(attrgetter("key"), trait.parts))
        raise Refused(f"There is no value {edit.key}; the values are: {known_keys or 'one'}.")
    value = legal(part, edit.value)
    if value is None:
        raise Refused(f"The value here is {wanted(part)}.")
    standing = labels.standing
    known = standing.of(edit.key)
    if known is not None and known == value:
        raise Refused(f"The value is {value_text(value)} already: {{cell.sign:a}} signs it off.")
    return replace(standing, values=_with(trait, standing, edit.key, value), why="")


def _answered(trait: ScorerRubricTrait, trace: Trace, labels: Labels, edit: Edit) -> Ruling:
    """What the scorer says of the answer that a person gives."""
    from appellate.traits.scorer.rules import Unscorable, scored  # only where something is scored

    if not trait.takes_answer:
        raise Refused("No rule scores the answer here: give the value itself.")
    targets = labels.target or tuple(targets_of(trace))
    if not targets:
        raise Refused("The trace has no reference to score an answer by: give the value itself.")
    answer = (edit.text or "").strip()
    spans = _words(trace.response, answer)
    if edit.span:
        answer, spans = _selected(trace, edit.span)
    if not answer:
        raise Refused("Say what the answer is, or select it in the response ({text.select:v}).")
    try:
        found = scored(trait, answer, targets, trace.choices or (), extracted=True)
    except Unscorable as why:
        raise Refused(str(why)) from None
    values = tuple(values_in(trait, {"value": found.value}))
    return Ruling(values, answer, spans, found.explanation)


def _words(response: str, answer: str) -> tuple[tuple[int, int], ...]:
    """Where an answer that was typed stands in the response, as words by themselves.

    A short one that stands there more than once may be any of them, and none is marked.
    """
    if not answer:
        return ()
    found = list(islice(re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", response), 2))
    if not found or (len(found) > 1 and len(answer) < FEWEST):
        return ()
    return (found[0].span(),)


def _selected(trace: Trace, span: tuple[int, int]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The words without the white space around them, and where they stand."""
    text = selected(trace.response, span, "words do")
    start = span[0] + len(text) - len(text.lstrip())
    bare = text.strip()
    return bare, ((start, start + len(bare)),)


def turned(cell: Cell, asked: Instruction) -> Iterator[Sequence[Edit]]:
    """Right instead of wrong; of a number the end of the scale that is farther away."""
    labels: Labels = cell.labels
    part: ScorePart = cell.subject.trait.parts[asked.number - 1]
    value = labels.standing.of(part.key)
    if part.is_letter and value in ("C", "I"):
        other: Scalar = "I" if value == "C" else "C"
        yield (Edit("overrule", other, key=part.key),)
    elif isinstance(value, int | float) and isfinite(part.low) and isfinite(part.high):
        ends = sorted((part.low, part.high), key=lambda end: abs(end - value))
        yield (Edit("overrule", ends[-1], key=part.key),)


# -- telling ---------------------------------------------------------------------------------------


def _shown(ruling: Ruling, key: str) -> str:
    """The value of a key in a word; of an edit of all of them, each with its key."""
    if key or ruling.value is not None:
        return value_text(ruling.of(key))
    return ", ".join(f"{name} {value_text(value)}" for name, value in ruling.values)


def _with_answer(ruling: Ruling) -> str:
    text = _shown(ruling, "")
    if not ruling.answer:
        return text
    return f"“{ruling.answer}”, {text}"


def describe(edit: Edit, before: str, after: str) -> str:
    """What an edit did, in the past tense."""
    if edit.action == "restore":
        return f"took the overruling back: {before} → {after}"
    if edit.action == "answer":
        if not before:
            return f"gave the answer: {after}"
        return f"changed the answer: {before} → {after}"
    what = "the score"
    if edit.key:
        what = f"the score of {edit.key}"
    if not before:
        return f"gave {what}: {after}"
    return f"overruled {what}: {before} → {after}"


def brief(edit: Edit) -> str:
    """The sort of an edit in a word or two."""
    if edit.action == "restore":
        return "taken back"
    if edit.action == "answer":
        return "answer"
    return "overruled"


# -- carrying to other labels ----------------------------------------------------------------------


def anchor(
    trait: ScorerRubricTrait,
    labels: Labels,  # noqa: ARG001
    edit: Edit,
) -> ScorePart | None:
    """What an edit of these labels is about: the sort of value that it gave."""
    return _part(trait, edit.key)


def carried(
    trait: ScorerRubricTrait, labels: Labels, edit: Edit, anchor: ScorePart | None
) -> Edit | None:
    """The same edit for other labels; None where they say so already.

    A person's value is about the response, so it stands under changed settings, too. Refused where
    it would mean something else.
    """
    if edit.action == "restore":
        if not labels.is_overruled:
            return None
        return edit
    if edit.action == "answer":
        if not trait.takes_answer:
            raise Refused("No rule scores the answer any more.")
        return edit
    part = _part(trait, edit.key)
    if part is None:
        raise Refused(f"There is no value {edit.key} any more.")
    if part != anchor:
        raise Refused("The value means something else now.")
    if labels.standing.of(edit.key) == scalar(part, edit.value):
        return None
    return edit
