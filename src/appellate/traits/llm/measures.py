"""What an LLM trait's labels come to: one number, one answer, what is doubtful, and what a panel
says together.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import Check, Figures, Instruction, Measure, QueryField, Span, Table
from appellate.core.trace import Trace
from appellate.traits.llm.labels import Labels, from_table, value_of
from appellate.traits.llm.spec import LLMRubricTrait, Value

UNANSWERED = "unanswered"
NAMES = {"boolean": "yes", "score": "score", "literal": "class_index"}
"""The measure by the kind of the trait.

`yes` is the share of answers that are yes, and is that whether yes is good or bad: `passed` would
be wrong of a trait for which lower is better. `class_index` leaves `class` to the name.
"""
EVERY_MEASURE = (
    Measure("yes", "Yes", word="verdict", higher_is_better=None),
    Measure("score", "Score", float("-inf"), float("inf"), higher_is_better=None),
    Measure("class_index", "Class", 0, float("inf"), higher_is_better=None, word="class"),
)
"""The measures as queries know them, of whatever trait: bounds and direction are the trait's."""
MOST_STEPS = 20
_MEASURES = {measure.name: measure for measure in EVERY_MEASURE}
READING = (
    "A response answers the question of an LLM trait with one verdict: yes or no, a score, or a"
    " class. yes is the share of responses whose verdict is yes, be that good or bad; a class"
    " counts as its place in the trait's list, from 0, so that a mean of classes says something"
    " only where they are in order."
)
FIELDS = (
    QueryField("verdict", "words.verdict", "text", "the verdict: yes, no, a score, a class"),
    QueryField("class", "words.class", "text", "the name of the class"),
    QueryField("evidence", "counts.evidence", "count", "how many excerpts the verdict rests on"),
)


def measures(trait: LLMRubricTrait) -> tuple[Measure]:
    """The one number of the trait, with its bounds and the end of it that is good."""
    known, better = _MEASURES[NAMES[trait.kind]], trait.higher_is_better
    bounded = replace(known, low=trait.low, high=trait.high, higher_is_better=better)
    steps: tuple[str, ...] = ()
    if len(trait.values) <= MOST_STEPS:
        steps = tuple(map(trait.describe, trait.values))
    return (replace(bounded, steps=steps),)


def measure(trait: LLMRubricTrait, labels: Labels) -> Figures:
    """The verdict as a number, 0/0 while there is none, and in words."""
    return _figures(trait, labels.value, len(labels.evidence))


def measure_table(
    trait: LLMRubricTrait,
    trace: Trace,  # noqa: ARG001
    table: Table,
) -> Figures:
    """The same of a judge's table as the judge worded it."""
    return _figures(trait, value_of(trait, table), len(table.get("evidence", ())))


def _figures(trait: LLMRubricTrait, value: Value | None, excerpts: int) -> Figures:
    name, counts = NAMES[trait.kind], {"evidence": excerpts}
    if value is None:
        return Figures({name: 0.0}, frozenset({name}), counts)
    words = {"verdict": trait.describe(value)}
    if trait.kind == "literal":
        words["class"] = trait.describe(value)
    return Figures({name: float(value)}, frozenset(), counts, words)


def form(trait: LLMRubricTrait) -> str:
    """What sort of verdict the trait wants."""
    if trait.kind == "boolean":
        return "yes or no"
    if trait.kind == "score":
        return f"score {trait.low}–{trait.high}"
    return f"{len(trait.get_class_names())} classes"


def vocabulary(trait: LLMRubricTrait) -> list[str]:
    """What `answers` says, in the order that it is told in."""
    if trait.kind == "boolean":
        return ["yes", "no", UNANSWERED]
    return [*map(trait.describe, trait.values), UNANSWERED]


def answers(trait: LLMRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """The verdict in words, as the answer to the trait's one question."""
    question = Instruction("verdict", 1, trait.question)
    return {question: trait.describe(labels.value) or UNANSWERED}


def checks(trait: LLMRubricTrait, labels: Labels) -> list[Check]:  # noqa: ARG001
    """A sentence for each excerpt that is not in the response."""
    found = []
    for excerpt in labels.evidence:
        if not excerpt.span:
            sentence = f"“{excerpt.text[:60]}” is not in the response."
            found.append(Check("unverified", sentence))
    return found


def evidence(trait: LLMRubricTrait, labels: Labels) -> list[Span]:  # noqa: ARG001
    """Where the excerpts stand."""
    return [Span(*excerpt.span) for excerpt in labels.evidence if excerpt.span]


def majority(
    trait: LLMRubricTrait,
    trace: Trace,
    tables: Sequence[Table],
) -> dict[str, Any]:
    """The table of the member that speaks for all: the first with this value whose excerpts stand.

    Of yes or no, and of classes, the value that most give; even votes go with the first member. Of
    scores the median, which is what most give wherever more than half agree: scores are in order,
    so that 2, 3 and 5 have a middle, while "most" would leave it to who was named first. Of two
    middle scores, the earlier member's.
    """
    values = [value_of(trait, table) for table in tables]
    if trait.kind == "score":
        chosen = _median(values)
    else:
        chosen = max(values, key=lambda value: (values.count(value), -values.index(value)))
    backers = [table for table in tables if value_of(trait, table) == chosen]
    for table in backers:
        if not checks(trait, from_table(trait, trace, table)):
            return dict(table)
    return dict(backers[0])


def _median(values: Sequence[Value | None]) -> Value | None:
    given = sorted(value for value in values if value is not None)
    middle = given[(len(given) - 1) // 2 : len(given) // 2 + 1]
    return next((value for value in values if value in middle), None)
