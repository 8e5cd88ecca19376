"""Finds the corrections that lead from some labels of a run to others, for imports."""

from collections.abc import Iterator

from appellate.core.kind import Table
from appellate.core.trace import Trace
from appellate.traits.steps.edits import Edit
from appellate.traits.steps.labels import Labels, StepLabel, all_right, from_table
from appellate.traits.steps.spec import StepsRubricTrait


def edits_toward(
    trait: StepsRubricTrait,
    trace: Trace,
    labels: Labels,
    table: Table,
) -> list[Edit]:
    """Return edits that lead from labels to those of a table, in order.

    Steps that are not in the run, or have other words there, get none. An outcome stays if the
    table has none. A run that nobody labelled and whose steps are all right in the table gets one
    edit: it gives the first step its verdict, which labels all others as right, too. Empty if the
    labels agree with the table already.
    """
    target = from_table(trait, trace, table)
    steps = labels.steps or all_right(trait, trace)
    edits: list[Edit] = []
    current = {step.no: step for step in steps}
    for wanted in target.steps:
        if wanted.no in current:
            edits += _of_step(current[wanted.no], wanted)
    if target.outcome and target.outcome != labels.outcome:
        edits.append(Edit("outcome", outcome=target.outcome))
    if labels.is_blank and not edits and steps:
        edits.append(Edit("verdict", steps[0].no, steps[0].sha, trait.good))
    return edits


def _of_step(before: StepLabel, wanted: StepLabel) -> Iterator[Edit]:
    """Yield the edits that lead from one label of a step to another.

    If the wanted verdict is the good one or "cannot tell", only the verdict is given: it removes
    error and alternative.
    """
    if wanted.verdict != before.verdict:
        yield Edit("verdict", wanted.no, wanted.sha, wanted.verdict)
    if wanted.is_right or not wanted.is_told:
        return
    if wanted.error != before.error:
        yield Edit("error", wanted.no, wanted.sha, error=wanted.error)
    if wanted.instead != before.instead:
        yield Edit("instead", wanted.no, wanted.sha, instead=wanted.instead)
