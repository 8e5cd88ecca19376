"""The callable kind: a function that a rubric names, run only where a person allows it."""

from appellate.core.foreign_code import Code
from appellate.core.kind import Answering, Computed, TraitKind
from appellate.traits.callable import answering, edits, labels
from appellate.traits.callable.spec import CallableRubricTrait, notes, runs_the_same

KIND = TraitKind(
    name="callable",
    rubric_key="callable_traits",
    spec=CallableRubricTrait,
    notes=notes,
    label_keys=labels.LABEL_KEYS,
    label_schema=labels.LABEL_SCHEMA,
    faults=labels.faults,
    locate=labels.located,
    labels=labels.from_table,
    blank=labels.Labels(),
    write=labels.written,
    computed=Computed(
        "callable", labels.never, runs_the_same, Code(labels.function, labels.FunctionSession)
    ),
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
    positives=frozenset({"yes"}),
    checks=labels.checks,
    evidence=labels.evidence,
    fields=labels.FIELDS,
    answering=Answering(answering.grounds, answering.sayable, answering.edits),
    form=labels.form,
    called=labels.called,
    vocabulary=labels.vocabulary,
    reading=labels.READING,
)
