"""The LLM kind: one question that a model answers by judgment: yes or no, a score, a class."""

from appellate.core.kind import Answering, Asked, TraitKind
from appellate.traits.llm import answering, edits, measures
from appellate.traits.llm.asking import TEMPLATE, dialogue
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import KEYS, Labels, faults, from_table, located, write
from appellate.traits.llm.spec import OLD_KEYS, LLMRubricTrait, renew

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


def _asks_the_same(trait: LLMRubricTrait, other: LLMRubricTrait) -> bool:
    return trait.asked() == other.asked()


KIND = TraitKind(
    name="llm",
    rubric_key="llm_traits",
    spec=LLMRubricTrait,
    notes=LLMRubricTrait.notes,
    old_keys=OLD_KEYS,
    renew=renew,
    label_keys=KEYS,
    label_schema=_SCHEMA,
    faults=faults,
    locate=located,
    labels=from_table,
    blank=Labels(),
    write=write,
    source=Asked(dialogue, _asks_the_same, TEMPLATE.shipped_text, TEMPLATE.faults),
    majority=measures.majority,
    edit=Edit.from_row,
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
    checks=measures.checks,
    evidence=measures.evidence,
    fields=measures.FIELDS,
    answering=Answering(
        answering.grounds, answering.sayable, answering.edits, remarks=answering.remarks
    ),
    form=measures.form,
    vocabulary=measures.vocabulary,
    reading=measures.READING,
)
