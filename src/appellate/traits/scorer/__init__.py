"""The scorer kind: inspect_ai's scorers, by rules of our own or graded by a judge."""

from types import ModuleType

from appellate.core.kind import Computed, TraitKind, asked_by
from appellate.traits.scorer import edits, labels
from appellate.traits.scorer.spec import ScorerRubricTrait


def _asking() -> ModuleType:
    from appellate.traits.scorer import asking  # what it is made of, only where a model is asked

    return asking


def _scores_the_same(trait: ScorerRubricTrait, other: ScorerRubricTrait) -> bool:
    if trait.is_graded and trait.description != other.description:
        return False
    return trait.scored() == other.scored()


def _is_computed(trait: ScorerRubricTrait) -> bool:
    return not trait.is_graded and trait.scorer != "recorded"


KIND = TraitKind(
    name="scorer",
    rubric_key="scorer_traits",
    spec=ScorerRubricTrait,
    notes=ScorerRubricTrait.notes,
    label_keys=labels.LABEL_KEYS,
    label_schema=labels.LABEL_SCHEMA,
    faults=labels.faults,
    locate=labels.located,
    labels=labels.from_table,
    blank=labels.Labels(),
    write=labels.written,
    asked=asked_by(_asking, _scores_the_same),
    computed=Computed("scorer", labels.compute, _scores_the_same),
    is_computed=_is_computed,
    majority=labels.majority,
    edit=edits.from_row,
    permit=edits.permit,
    apply=edits.apply,
    anchor=edits.anchor,
    carried=edits.carried,
    describe=edits.describe,
    brief=edits.brief,
    measures=labels.measures,
    every_measure=labels.EVERY_MEASURE,
    measure=labels.measure,
    measure_table=labels.measure_table,
    answers=labels.answers,
    called=labels.called,
    positives=labels.POSITIVES,
    unanswered=frozenset({labels.UNANSWERED}),
    checks=labels.checks,
    evidence=labels.evidence,
    fields=labels.FIELDS,
    form=labels.form,
    vocabulary=labels.vocabulary,
    reading=labels.READING,
    turned=edits.turned,
    reasons=("explanation",),
)
