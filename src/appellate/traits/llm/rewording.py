"""The one question of an LLM trait asked otherwise: classes in another order, a yes as a no."""

from collections.abc import Sequence

from appellate.core.kind import Instruction, OtherOrder, Reworded
from appellate.traits.llm.spec import LLMRubricTrait


def reordered(trait: LLMRubricTrait, other: OtherOrder) -> Sequence[Reworded[LLMRubricTrait]]:
    """The classes in another order; nothing where there are none, or one."""
    names = trait.class_names
    if len(names) < 2 or trait.classes is None:  # noqa: PLR2004 - of one there is no other
        return ()
    classes = {names[place]: trait.classes[names[place]] for place in other(len(names))}
    return (_asking(trait, trait.model_copy(update={"classes": classes})),)


def negated(trait: LLMRubricTrait, contrary: str = "") -> Sequence[Reworded[LLMRubricTrait]]:
    """The contrary of a question that is answered by yes or no; nothing of any other."""
    if trait.kind != "boolean":
        return ()
    words = contrary or "The following does not hold of the response:"
    fresh = {
        "name": f"{contrary or 'Not so:'} {trait.name}",
        "description": f"{words} {trait.question}",
    }
    return (_asking(trait, trait.model_copy(update=fresh)),)


def alone(trait: LLMRubricTrait) -> Sequence[Reworded[LLMRubricTrait]]:  # noqa: ARG001
    """Nothing: there is but one question."""
    return ()


def _asking(trait: LLMRubricTrait, fresh: LLMRubricTrait) -> Reworded[LLMRubricTrait]:
    return Reworded(fresh, {("verdict", 1): Instruction("verdict", 1, trait.question)})
