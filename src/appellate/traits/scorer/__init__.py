"""The scorer kind: inspect_ai's scorers, by rules of our own or graded by a judge."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from appellate.core.kind import Asked, Briefing, Computed, Table, TraitKind
from appellate.core.trace import Trace
from appellate.traits.scorer import edits, labels, measures
from appellate.traits.scorer.spec import ScorerRubricTrait

if TYPE_CHECKING:
    from appellate.talk.dialogue import Dialogue


def _dialogue(
    trait: ScorerRubricTrait, trace: Trace, briefing: Briefing
) -> "Dialogue[dict[str, Any]]":
    from appellate.traits.scorer import asking  # what it is made of, only where a model is asked

    return asking.dialogue(trait, trace, briefing)


def _prompt() -> str:
    from appellate.traits.scorer.asking import TEMPLATE

    return TEMPLATE.shipped_text()


def _prompt_faults(parts: Table) -> Iterable[tuple[str, str]]:
    from appellate.traits.scorer.asking import TEMPLATE

    return TEMPLATE.faults(parts)


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
    asked=Asked(_dialogue, _scores_the_same, _prompt, _prompt_faults),
    computed=Computed("scorer", labels.compute, _scores_the_same),
    is_computed=_is_computed,
    majority=measures.majority,
    edit=edits.from_row,
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
    answers=measures.answers,
    called=measures.called,
    positives=measures.POSITIVES,
    unanswered=frozenset({measures.UNANSWERED}),
    checks=measures.checks,
    evidence=measures.evidence,
    fields=measures.FIELDS,
    form=measures.form,
    vocabulary=measures.vocabulary,
    reading=measures.READING,
    turned=edits.turned,
    reasons=("explanation",),
)
