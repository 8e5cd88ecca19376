"""The grounding kind: how a response stands on the documents that were retrieved for it (TRACe)."""

from types import ModuleType
from typing import Any

from appellate.core.kind import TraitKind, asked_by
from appellate.core.trace import Trace
from appellate.traits.grounding import edits, labels, measures
from appellate.traits.grounding.measures import majority
from appellate.traits.grounding.spec import GroundingRubricTrait


def _asking() -> ModuleType:
    from appellate.traits.grounding import asking  # what it is made of, only where a model is asked

    return asking


def _asks_the_same(trait: GroundingRubricTrait, other: GroundingRubricTrait) -> bool:
    return trait.description == other.description


def _lexical(trait: GroundingRubricTrait, trace: Trace) -> dict[str, Any]:
    from appellate.traits.grounding.lexical import propose

    return propose(trait, trace)


KIND = TraitKind(
    name="grounding",
    rubric_key="grounding_traits",
    spec=GroundingRubricTrait,
    notes=GroundingRubricTrait.notes,
    label_keys=labels.KEYS,
    label_schema=labels.LABEL_SCHEMA,
    faults=labels.faults,
    locate=labels.located,
    labels=labels.from_table,
    blank=labels.Labels(),
    write=labels.write,
    unjudged=labels.unjudged,
    asked=asked_by(_asking, _asks_the_same, _lexical),
    majority=majority,
    edit=edits.Edit.from_row,
    permit=edits.permit,
    apply=edits.apply,
    anchor=edits.anchor,
    carried=edits.carried,
    describe=edits.describe,
    brief=edits.brief,
    measures=measures.measures,
    every_measure=measures.EVERY_MEASURE,
    measure=measures.measure,
    measure_table=measures.measure_table,
    between=measures.between,
    answers=measures.answers,
    called=measures.called,
    positives=measures.POSITIVES,
    unanswered=frozenset({"unlabelled"}),
    compared=measures.COMPARED,
    standing=measures.standings,
    checks=measures.checks,
    evidence=measures.evidence,
    fields=measures.FIELDS,
    form=measures.form,
    vocabulary=measures.vocabulary,
    spelled={"full": "supported", "partial": "partly", "none": "not supported"},
    reading=measures.READING,
    turned=edits.turned,
    reasons=(labels.OVERALL, labels.WHY_OVERALL),
)
