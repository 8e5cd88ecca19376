"""The one question of an LLM trait in any cell: how it stands, and the edit that answers it."""

from collections.abc import Iterator, Sequence

from appellate.core.cell import Cell
from appellate.core.kind import Grounds, Instruction
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Labels
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.edits import given
from appellate.traits.verdict.labels import word_of


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
