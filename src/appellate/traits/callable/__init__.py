"""The callable kind: a function that a rubric names, run only where a person allows it."""

from appellate.core.foreign_code import Code
from appellate.core.kind import Answering, Computed, TraitKind
from appellate.traits.callable import labels
from appellate.traits.callable.spec import CallableRubricTrait, notes, runs_the_same
from appellate.traits.verdict import edits
from appellate.traits.verdict import labels as verdict

BY_HAND = edits.Overruling("function")

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
    blank=verdict.Verdict(),
    write=labels.written,
    computed=Computed(
        "callable", labels.never, runs_the_same, Code(labels.function, labels.FunctionSession)
    ),
    edit=BY_HAND.from_row,
    permit=edits.permit,
    apply=BY_HAND.apply,
    anchor=edits.anchor,
    carried=edits.carried,
    describe=BY_HAND.describe,
    brief=edits.brief,
    measures=verdict.measures,
    every_measure=verdict.EVERY_MEASURE,
    measure=labels.measure,
    measure_table=labels.measure_table,
    answers=labels.answers,
    positives=frozenset({"yes"}),
    checks=labels.checks,
    evidence=labels.evidence,
    fields=verdict.FIELDS,
    answering=Answering(labels.grounds, verdict.sayable, edits.answered),
    form=CallableRubricTrait.form,
    called=verdict.called,
    vocabulary=verdict.vocabulary,
    reading=labels.READING,
)
