"""The grounding kind: how a response stands on the documents that were retrieved for it (TRACe)."""

from typing import Any

from appellate.core.kind import TraitKind, asked_by
from appellate.core.trace import Trace
from appellate.traits.grounding import edits, measures
from appellate.traits.grounding import labels as tables
from appellate.traits.grounding.spec import GroundingRubricTrait


def _asks_the_same(trait: GroundingRubricTrait, other: GroundingRubricTrait) -> bool:
    return trait.description == other.description


def _lexical(trait: GroundingRubricTrait, trace: Trace) -> dict[str, Any]:
    from appellate.traits.grounding.lexical import propose

    return propose(trait, trace)


class GroundingKind(TraitKind[GroundingRubricTrait, tables.Labels, edits.Edit]):
    """Sentences of the response, and what they rest on in the documents."""

    name = "grounding"
    rubric_key = "grounding_traits"
    spec = GroundingRubricTrait
    label_schema = tables.LABEL_SCHEMA
    faults = staticmethod(tables.faults)
    locate = staticmethod(tables.located)
    labels = staticmethod(tables.from_table)
    blank = tables.Labels()
    write = staticmethod(tables.write)
    unjudged = staticmethod(tables.unjudged)
    asked = asked_by("appellate.traits.grounding.asking", _asks_the_same, _lexical)
    edit = staticmethod(edits.Edit.from_row)
    permit = staticmethod(edits.permit)
    apply = staticmethod(edits.apply)
    anchor = staticmethod(edits.anchor)
    carried = staticmethod(edits.carried)
    describe = staticmethod(edits.describe)
    brief = staticmethod(edits.brief)
    majority = staticmethod(measures.majority)
    measure = staticmethod(measures.measure)
    measure_table = staticmethod(measures.measure_table)
    between = staticmethod(measures.between)
    answers = staticmethod(measures.answers)
    called = staticmethod(measures.called)
    positives = measures.POSITIVES
    unanswered = frozenset({"unlabelled"})
    compared = measures.COMPARED
    standings = staticmethod(measures.standings)
    checks = staticmethod(measures.checks)
    evidence = staticmethod(measures.evidence)
    fields = measures.FIELDS
    form = staticmethod(measures.form)
    vocabulary = staticmethod(measures.vocabulary)
    spelled = {"full": "supported", "partial": "partly", "none": "not supported"}
    reading = measures.READING
    turned = staticmethod(edits.turned)
    reasons = (tables.OVERALL, tables.WHY_OVERALL)
    measures = staticmethod(measures.measures)  # it hides the module from here on

    def notes(self, trait: GroundingRubricTrait) -> list[str]:
        return trait.notes()


KIND = GroundingKind()
