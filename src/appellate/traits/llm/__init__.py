"""The LLM kind: one question that a model answers by judgment: yes or no, a score, a class."""

from collections.abc import Iterable
from types import ModuleType

from appellate.core.asked_otherwise import Rewording
from appellate.core.kind import Answering, TraitKind, Weakness, asked_by
from appellate.traits.llm import edits, measures, rewording
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import KEYS, Labels, faults, from_table, located, write
from appellate.traits.llm.spec import OLD_KEYS, LLMRubricTrait, renew
from appellate.traits.verdict import labels as verdict

_SCHEMA = {
    "value": {"type": ["boolean", "integer"]},
    "class": {"type": "string"},
    "evidence": {"type": "array", "items": {"type": "string"}},
    "rationale": {"type": "string"},
    "items": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "index": {"type": "integer"},
                "start": {"type": "integer"},
                "end": {"type": "integer"},
            },
        },
    },
}


def _asking() -> ModuleType:
    from appellate.traits.llm import asking  # what it is made of, only where a model is asked

    return asking


def _asks_the_same(trait: LLMRubricTrait, other: LLMRubricTrait) -> bool:
    return trait.asked() == other.asked()


def _weaknesses(trait: LLMRubricTrait) -> Iterable[Weakness]:
    from appellate.traits.llm.weaknesses import weaknesses  # for `check --lint` alone

    return weaknesses(trait)


KIND = TraitKind(
    name="llm",
    rubric_key="llm_traits",
    spec=LLMRubricTrait,
    notes=LLMRubricTrait.notes,
    weaknesses=_weaknesses,
    old_keys=OLD_KEYS,
    renew=renew,
    label_keys=KEYS,
    label_schema=_SCHEMA,
    faults=faults,
    locate=located,
    labels=from_table,
    blank=Labels(),
    write=write,
    asked=asked_by(_asking, _asks_the_same),
    majority=measures.majority,
    edit=Edit.from_row,
    permit=edits.permit,
    apply=edits.apply,
    anchor=edits.anchor,
    carried=edits.carried,
    describe=edits.describe,
    brief=edits.brief,
    measures=verdict.measures,
    every_measure=verdict.EVERY_MEASURE,
    measure=measures.measure,
    measure_table=measures.measure_table,
    answers=measures.answers,
    positives=frozenset({"yes"}),
    checks=measures.checks,
    evidence=measures.evidence,
    fields=measures.FIELDS,
    answering=Answering(
        measures.grounds, verdict.sayable, measures.edits, remarks=measures.remarks
    ),
    rewording=Rewording(rewording.reordered, rewording.negated, rewording.alone),
    form=LLMRubricTrait.form,
    vocabulary=verdict.vocabulary,
    reading=measures.READING,
    turned=measures.turned,
    reasons=("rationale",),
)
