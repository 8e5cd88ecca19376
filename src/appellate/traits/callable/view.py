"""A callable trait and its verdicts in the words of the screen, without drawing any."""

from appellate.core.cell import Cell
from appellate.core.replay import reason_for
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.verdict.labels import Verdict
from appellate.traits.verdict.scale import has_digits, key_of, scale_text


def scale(trait: CallableRubricTrait) -> str:
    """What sort of verdict it is, and which end of it is good."""
    text = scale_text(trait)
    if trait.is_inverted:
        return text.replace(" ·", ", the contrary of what the function returns ·", 1)
    return text


def who(trait: CallableRubricTrait, labels: Verdict) -> str:
    """Whose word the verdict is."""
    if labels.found is None:
        return "by hand"
    if labels.is_overruled:
        return f"was {trait.describe(labels.found)}"
    return "as the function says"


def why(cell: Cell) -> str:
    """The reason that a person gave last for overruling the function."""
    given = [reason_for(cell, step.n) for step in cell.steps]
    return given[-1] if given else ""


def keys_text(trait: CallableRubricTrait) -> str:
    """The keys that give a verdict."""
    if trait.kind == "boolean":
        return "1 (yes) and 2 (no)"
    if not has_digits(trait):
        return "i"
    values = trait.counted
    return f"{key_of(trait, values[0])} to {key_of(trait, values[-1])}"
