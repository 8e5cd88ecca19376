"""The regex kind: a pattern that a response matches or not, which needs no judge."""

from appellate.core.kind import Answering, Computed, TraitKind
from appellate.traits.regex import labels, preview
from appellate.traits.regex.spec import MANUAL, RegexRubricTrait, matches_the_same, notes, renew
from appellate.traits.verdict import edits
from appellate.traits.verdict import labels as verdict

BY_HAND = edits.Overruling("pattern", (bool,))

KIND = TraitKind(
    name="regex",
    rubric_key="regex_traits",
    spec=RegexRubricTrait,
    notes=notes,
    old_keys=(MANUAL,),
    renew=renew,
    preview=preview.preview,
    label_keys=labels.LABEL_KEYS,
    label_schema=labels.LABEL_SCHEMA,
    faults=labels.faults,
    locate=labels.located,
    labels=labels.from_table,
    blank=labels.Labels(),
    write=labels.written,
    computed=Computed("regex", labels.compute, matches_the_same),
    edit=BY_HAND.from_row,
    permit=edits.permit,
    apply=BY_HAND.apply,
    anchor=edits.anchor,
    carried=edits.carried,
    describe=BY_HAND.describe,
    brief=edits.brief,
    measures=verdict.measures,
    every_measure=labels.EVERY_MEASURE,
    measure=labels.measure,
    measure_table=labels.measure_table,
    answers=labels.answers,
    positives=frozenset({"match"}),
    checks=labels.checks,
    evidence=labels.evidence,
    fields=labels.FIELDS,
    answering=Answering(labels.grounds, verdict.sayable, edits.answered),
    form=labels.form,
    called=verdict.called,
    vocabulary=labels.vocabulary,
    reading=labels.READING,
)
