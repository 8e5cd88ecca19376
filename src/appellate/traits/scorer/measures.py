"""What a scorer trait's labels come to: a number for each value, the answers to its questions, what
is doubtful, and what several graders say together.
"""

from collections.abc import Iterator, Sequence
from itertools import starmap
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from appellate.core.aggregates import value_to_float
from appellate.core.kind import (
    Check,
    Figures,
    Instruction,
    Measure,
    QueryField,
    Span,
    Table,
)
from appellate.core.kind_defaults import Called
from appellate.core.trace import Trace
from appellate.traits.scorer.grades import majority as more_than_half
from appellate.traits.scorer.labels import (
    LETTERS,
    UNSCORED,
    Labels,
    Scalar,
    fits,
    value_text,
    values_in,
)
from appellate.traits.scorer.spec import ScorePart, ScorerRubricTrait

SCORE = "score"
UNANSWERED = "unanswered"
EVERY_MEASURE = (Measure(SCORE, "Score", higher_is_better=None, word="value"),)
"""The measure of a single value; those of a dictionary are "score." and the key."""
POSITIVES = frozenset({"C", "yes"})
FIELDS = (
    QueryField("value", "words.value", "values", "a score: C, P, I, N, a number, yes or no"),
    QueryField("extracted", "words.extracted", "text", "what was extracted from the response"),
)
_LONGEST = 80
"""So many characters of an answer can be asked for."""
READING = (
    "A scorer gives a response a value: C (correct, 1), P (partly, 0.5), I (incorrect, 0), N (no"
    " answer, 0), a number, or yes and no (1 and 0). A value that was left out (unscored) is in no"
    " mean, and counted."
)


def name_of(part: ScorePart) -> str:
    """The measure of a value."""
    return f"{SCORE}.{part.key}".rstrip(".")


def measures(trait: ScorerRubricTrait) -> tuple[Measure, ...]:
    """One for each value, with its bounds and the end of it that is good."""
    found = []
    for part in trait.parts:
        one = replace(
            EVERY_MEASURE[0],
            name=name_of(part),
            short=part.key or "Score",
            low=part.low,
            high=part.high,
            higher_is_better=trait.higher_is_better,
        )
        if part.key:
            one = replace(one, word="")
        found.append(one)
    return tuple(found)


def measure(trait: ScorerRubricTrait, labels: Labels) -> Figures:
    """Each value as a number, 0/0 while there is none, and in words."""
    return _figures(trait, dict(labels.standing.values), labels.standing.answer)


def measure_table(
    trait: ScorerRubricTrait,
    trace: Trace,  # noqa: ARG001
    table: Table,
) -> Figures:
    """The same of a judge's table."""
    return _figures(trait, dict(values_in(trait, table)), table.get("answer") or "")


def _figures(trait: ScorerRubricTrait, values: dict[str, Scalar], answer: str) -> Figures:
    numbers, undefined, unscored = {}, set(), set()
    for part in trait.parts:
        name, value = name_of(part), values.get(part.key)
        numbers[name] = 0.0
        if value is None or value == UNSCORED:
            undefined.add(name)
            if value is not None:
                unscored.add(name)
        else:
            numbers[name] = value_to_float(value)
    words = {}
    if values:
        words["value"] = ", ".join(
            f"{key} {value_text(value)}".strip() for key, value in values.items()
        )
    if answer.strip():
        words["extracted"] = " ".join(answer.split())[:_LONGEST]
    return Figures(numbers, frozenset(undefined), {}, words, frozenset(unscored))


def form(trait: ScorerRubricTrait) -> str:
    """Which scorer it is."""
    return trait.scorer.replace("_", " ")


def vocabulary(trait: ScorerRubricTrait) -> Sequence[str]:
    """What `answers` says, in the order that it is told in, where all of it are letters."""
    if all(map(attrgetter("is_letter"), trait.parts)):
        return (*LETTERS, UNSCORED, UNANSWERED)
    return ()


def answers(trait: ScorerRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """Each value in a word, as the answer to the trait's question, or to that of its key."""
    found = {}
    for number, part in enumerate(trait.parts, 1):
        asked = Instruction(SCORE, number, part.key or trait.question)
        found[asked] = value_text(labels.standing.of(part.key)) or UNANSWERED
    return found


def called(
    trait: ScorerRubricTrait,
    labels: Labels,  # noqa: ARG001 - as `TraitKind.called`
    asked: Instruction,
) -> Called:
    """A value by its key; the only one by the question."""
    return Called(trait.parts[asked.number - 1].key, asked.text)


def checks(trait: ScorerRubricTrait, labels: Labels) -> list[Check]:
    """A value outside of its scale, and an answer that a judge gave, but that is not there."""
    found = list(_outside(trait, labels))
    one = labels.standing
    if one.answer and not one.spans and trait.is_graded:
        shown = " ".join(one.answer.split())[:60]
        found.append(Check("unverified", f"“{shown}” is not in the response."))
    return found


def _outside(trait: ScorerRubricTrait, labels: Labels) -> Iterator[Check]:
    for part in trait.parts:
        value = labels.standing.of(part.key)
        if value is None or fits(part, value):
            continue
        scale = f"{part.low:g} to {part.high:g}"
        text = f"The score {part.key}".rstrip()
        yield Check("breach", f"{text} is {value_text(value)}, outside of {scale}.")


def evidence(trait: ScorerRubricTrait, labels: Labels) -> list[Span]:  # noqa: ARG001
    """Where the answer stands."""
    return list(starmap(Span, labels.standing.spans))


# -- several graders -------------------------------------------------------------------------------


def majority(
    trait: ScorerRubricTrait,
    trace: Trace,  # noqa: ARG001
    tables: Sequence[Table],
) -> dict[str, Any]:
    """The table of what more than half of the graders say, unscored where no value has so many.

    With `reducer = "mode"` it is what most of them say; even votes go with the first.
    """
    given = [dict(values_in(trait, table)) for table in tables]
    chosen: dict[str, Scalar] = {}
    for part in trait.parts:
        if all(part.key not in own for own in given):
            continue
        values = [own.get(part.key, UNSCORED) for own in given]
        if trait.reducer == "mode" and trait.scorer != "multi_scorer":
            chosen[part.key] = max(values, key=values.count)
        else:
            chosen[part.key] = _majority(values)
    for table, own in zip(tables, given, strict=True):
        if own == chosen:
            return dict(table)
    text = "; ".join(_votes(part, given) for part in trait.parts if part.key in chosen)
    value = chosen.get("", chosen)
    return {"value": value, "explanation": f"The graders do not agree: {text}.", "spans": []}


def _majority(values: Sequence[Scalar]) -> Scalar:
    known = [(type(value), value) for value in values if value != UNSCORED]
    found: tuple[type, Scalar] | None = more_than_half(known, len(values))
    if found is None:
        return UNSCORED
    return found[1]


def _votes(part: ScorePart, given: Sequence[dict[str, Scalar]]) -> str:
    votes = ", ".join(value_text(values.get(part.key, UNSCORED)) for values in given)
    return f"{part.key}: {votes}".removeprefix(": ")
