"""The scorer kind: inspect_ai's scorers, by rules of our own or graded by a judge."""

from collections.abc import Iterator

from appellate.core.kind import Asked, Computed, TraitKind, asked_by
from appellate.traits.scorer import edits
from appellate.traits.scorer import labels as tables
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.traits.verdict.kind import UNANSWERED


def _scores_the_same(trait: ScorerRubricTrait, other: ScorerRubricTrait) -> bool:
    if trait.is_graded and trait.description != other.description:
        return False
    return trait.scored() == other.scored()


class ScorerKind(TraitKind[ScorerRubricTrait, tables.Labels, edits.Edit]):
    """A score, or several, by a rule or by a judge."""

    name = "scorer"
    rubric_key = "scorer_traits"
    spec = ScorerRubricTrait
    label_schema = tables.LABEL_SCHEMA
    faults = staticmethod(tables.faults)
    locate = staticmethod(tables.located)
    labels = staticmethod(tables.from_table)
    blank = tables.Labels()
    write = staticmethod(tables.written)
    asked = asked_by("appellate.traits.scorer.asking", _scores_the_same)
    computed = Computed("scorer", tables.compute, _scores_the_same)
    majority = staticmethod(tables.majority)
    edit = staticmethod(edits.from_row)
    permit = staticmethod(edits.permit)
    apply = staticmethod(edits.apply)
    anchor = staticmethod(edits.anchor)
    carried = staticmethod(edits.carried)
    describe = staticmethod(edits.describe)
    brief = staticmethod(edits.brief)
    measures = staticmethod(tables.measures)
    measure = staticmethod(tables.measure)
    answers = staticmethod(tables.answers)
    called = staticmethod(tables.called)
    positives = tables.POSITIVES
    unanswered = frozenset({UNANSWERED})
    checks = staticmethod(tables.checks)
    evidence = staticmethod(tables.evidence)
    fields = tables.FIELDS
    form = staticmethod(tables.form)
    vocabulary = staticmethod(tables.vocabulary)
    reading = tables.READING
    turned = staticmethod(edits.turned)
    reasons = ("explanation",)

    def notes(self, trait: ScorerRubricTrait) -> Iterator[str]:
        return trait.notes()

    def source(
        self, trait: ScorerRubricTrait
    ) -> Asked[ScorerRubricTrait] | Computed[ScorerRubricTrait]:
        is_asked = trait.is_graded or trait.scorer == "recorded"
        return self.asked if is_asked else self.computed


KIND = ScorerKind()
