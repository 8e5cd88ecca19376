"""The question of a callable trait in any cell: how it stands, and the edit that overrules it."""

from collections.abc import Mapping, Sequence

from appellate.core.kind import Grounds, Instruction
from appellate.core.problem import Refused
from appellate.traits.callable.edits import Edit
from appellate.traits.callable.labels import UNANSWERED, Labels
from appellate.traits.callable.spec import CallableRubricTrait, Value


def grounds(
    trait: CallableRubricTrait,
    labels: Labels,
    asked: Instruction,  # noqa: ARG001
) -> Grounds:
    """The verdict; a function gives no words for it."""
    return Grounds(trait.describe(labels.value) or UNANSWERED)


def sayable(trait: CallableRubricTrait, asked: Instruction) -> Mapping[str, str]:  # noqa: ARG001
    """The verdicts that have a digit: 1 and 0 are yes and no, a class counts from 0."""
    if trait.kind == "boolean":
        return {"1": "yes", "0": "no"}
    return {str(value): trait.describe(value) for value in trait.counted}


def edits(
    trait: CallableRubricTrait, labels: Labels, asked: Instruction, answer: str
) -> Sequence[Edit]:
    """The overruling; raises Refused for a verdict that the trait does not have."""
    if answer not in sayable(trait, asked):
        raise Refused(f"The verdict of this trait is {trait.wanted()}.")
    value: Value = int(answer)
    if trait.kind == "boolean":
        value = answer == "1"
    if labels.value is not None and labels.value == value:
        return ()
    return (Edit("overrule", value),)
