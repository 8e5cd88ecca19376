"""What an LLM trait's labels come to: one number, one answer, what is doubtful, and what a panel
says together.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.core.kind import Check, Figures, Grounds, Instruction, QueryField, Span, Table
from appellate.core.trace import Trace
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Labels, from_table
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.edits import given
from appellate.traits.verdict.labels import FIELDS as VERDICT_FIELDS
from appellate.traits.verdict.labels import figures, value_of, word_of
from appellate.traits.verdict.scale import Value

READING = (
    "A response answers the question of an LLM trait with one verdict: yes or no, a score, or a"
    " class. yes is the share of responses whose verdict is yes, be that good or bad; a class"
    " counts as its place in the trait's list, from 0, so that a mean of classes says something"
    " only where they are in order."
)
FIELDS = (
    *VERDICT_FIELDS,
    QueryField("evidence", "counts.evidence", "count", "how many excerpts the verdict rests on"),
)


def measure(trait: LLMRubricTrait, labels: Labels) -> Figures:
    """The verdict as a number, 0/0 while there is none, and in words."""
    return figures(trait, labels.value, {"evidence": len(labels.evidence)})


def measure_table(
    trait: LLMRubricTrait,
    trace: Trace,  # noqa: ARG001
    table: Table,
) -> Figures:
    """The same of a judge's table as the judge worded it."""
    return figures(trait, value_of(trait, table), {"evidence": len(table.get("evidence", ()))})


def answers(trait: LLMRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """The verdict in words, as the answer to the trait's one question."""
    question = Instruction("verdict", 1, trait.question)
    return {question: word_of(trait, labels.value)}


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


# -- the one question in any cell ------------------------------------------------------------------


def grounds(trait: LLMRubricTrait, labels: Labels, asked: Instruction) -> Grounds:  # noqa: ARG001
    """The verdict in words, and the excerpts it rests on."""
    spans = tuple(excerpt.span for excerpt in labels.evidence if excerpt.span)
    loose = tuple(excerpt.text for excerpt in labels.evidence if not excerpt.span)
    return Grounds(word_of(trait, labels.value), "", spans, loose, labels.rationale)


def edits(
    trait: LLMRubricTrait,
    labels: Labels,
    asked: Instruction,  # noqa: ARG001
    answer: str,
) -> Sequence[Edit]:
    """The verdict; raises Refused for one that the trait does not have."""
    value = given(trait, labels.value, answer)
    return () if value is None else (Edit("set", value=value),)


def turned(cell: Cell, asked: Instruction) -> Iterator[Sequence[Edit]]:  # noqa: ARG001
    """The other verdict, another class; of a score the end of the scale that is farther away."""
    trait: LLMRubricTrait = cell.subject.trait
    labels: Labels = cell.labels
    values = [value for value in trait.sayable.values() if value != labels.value]
    if trait.kind == "score" and labels.value is not None:
        verdict = labels.value
        values = [max(values, key=lambda value: abs(value - verdict))]
    for value in values:
        yield (Edit("set", value=value),)


def remarks(trait: LLMRubricTrait, was: Labels, now: Labels) -> list[str]:  # noqa: ARG001
    """That excerpts are still those of another verdict."""
    if was.value in (None, now.value) or was.evidence != now.evidence or not now.evidence:
        return []
    return ["The evidence stayed: d drops what does not speak for it."]
