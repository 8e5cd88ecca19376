"""How labels answer each instruction of a trait, which is what a hit list counts."""

from appellate.core.kind import Instruction
from appellate.traits.metric.labels import Labels, List
from appellate.traits.metric.ledger import lists, sides
from appellate.traits.metric.spec import MetricRubricTrait

_TOLD = {(True, False): "found", (False, True): "missing"}


def standing(trait: MetricRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """Of each instruction, "found" or "missing"; "unclear" where it is in both of its buckets or in neither."""
    return {one: stands for of in lists(trait) for one, stands in _of_list(trait, labels, of)}


def _of_list(trait: MetricRubricTrait, labels: Labels, of: List) -> list[tuple[Instruction, str]]:
    yes, no = sides(of)
    held, left = labels.links(yes), labels.links(no)
    found = []
    for number, text in enumerate(trait.instructions(of), 1):
        stands = _TOLD.get(((of, number) in held, (of, number) in left), "unclear")
        found.append((Instruction(of, number, text), stands))
    return found
