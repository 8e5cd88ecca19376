"""The same checklist asked otherwise: in another order, each instruction denied, each by itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from appellate.core.kind import Instruction, OtherOrder, Reworded
from appellate.traits.metric.ledger import lists
from appellate.traits.metric.spec import MetricRubricTrait

_BARE: Mapping[str, Any] = {"fp_instructions": [], "fn_instructions": []}
"""Hints are about the instructions as they are."""
_ONE: Mapping[str, Any] = {
    **_BARE,
    "evaluation_mode": "tp_only",
    "metrics": ["recall"],
    "tn_instructions": [],
}


def reordered(trait: MetricRubricTrait, other: OtherOrder) -> Sequence[Reworded[MetricRubricTrait]]:
    """Each list in another order; nothing where no list has two instructions."""
    fresh: dict[str, Any] = {}
    meant: dict[tuple[str, int], Instruction] = {}
    for of in lists(trait):
        texts = trait.instructions(of)
        order = other(len(texts))
        fresh[f"{of}_instructions"] = [texts[place] for place in order]
        for number, place in enumerate(order, 1):
            meant[of, number] = Instruction(of, place + 1, texts[place])
    if all(len(texts) < 2 for texts in fresh.values()):  # noqa: PLR2004 - of one there is no other
        return ()
    return (Reworded(trait.model_copy(update=fresh), meant),)


def negated(trait: MetricRubricTrait, contrary: str = "") -> Sequence[Reworded[MetricRubricTrait]]:
    """The checklist with the contrary of each instruction in its place."""
    words = contrary or "Says that this is not so:"
    fresh: dict[str, Any] = dict(_BARE)
    meant: dict[tuple[str, int], Instruction] = {}
    for of in lists(trait):
        texts = trait.instructions(of)
        fresh[f"{of}_instructions"] = [f"{words} {text}" for text in texts]
        for number, text in enumerate(texts, 1):
            meant[of, number] = Instruction(of, number, text)
    return (Reworded(trait.model_copy(update=fresh), meant),)


def alone(trait: MetricRubricTrait) -> Sequence[Reworded[MetricRubricTrait]]:
    """A checklist for each instruction: one of either list is asked for as what may be said.

    Nothing where there is but one.
    """
    each = []
    for of in lists(trait):
        for number, text in enumerate(trait.instructions(of), 1):
            one = trait.model_copy(update={**_ONE, "tp_instructions": [text]})
            each.append(Reworded(one, {("tp", 1): Instruction(of, number, text)}))
    if len(each) < 2:  # noqa: PLR2004 - one is asked by itself already
        return ()
    return each
