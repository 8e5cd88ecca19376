"""The metric kind: checklists of instructions, sorted into TP, FN, FP and TN, measured by arithmetic."""

from collections.abc import Mapping, Sequence
from typing import Any

from appellate.core.briefing import Briefing
from appellate.core.kind import Figures, Instruction, Outcome, Vote
from appellate.core.trace import Trace
from appellate.talk.dialogue import Dialogue
from appellate.traits.metric import carrying, edits, ledger, panel
from appellate.traits.metric.labels import BUCKETS, Labels, from_table, located, to_lists, to_rows
from appellate.traits.metric.metrics import Counts, defined, value
from appellate.traits.metric.spec import ConfusionLists, MetricRubricTrait
from appellate.traits.metric.standing import standing
from appellate.traits.metric.telling import told

_ASKED = tuple(MetricRubricTrait.model_fields.keys() - {"metrics", "repeated_extraction"})
"""What a judge is told of a trait; the rest is arithmetic."""


class MetricKind:
    """Supplies what the core asks of a kind (`core.kind.Kind`)."""

    name = "metric"
    short: Mapping[str, str] = {"precision": "P", "recall": "R", "specificity": "Sp", "accuracy": "Acc", "f1": "F1"}

    def dialogue(self, trait: MetricRubricTrait, trace: Trace, briefing: Briefing) -> Dialogue[dict[str, Any]]:
        from appellate.traits.metric.assign import dialogue

        return dialogue(trait, trace, briefing)

    def lexical(self, trait: MetricRubricTrait, response: str) -> dict[str, Any]:
        from appellate.traits.metric.lexical import propose

        return propose(trait, response)

    def locate(self, trait: MetricRubricTrait, response: str, table: Mapping[str, Any]) -> dict[str, Any]:
        return located(trait, response, table)

    def labels(self, trait: MetricRubricTrait, response: str, table: Mapping[str, Any]) -> Labels:
        return from_table(trait, response, table)

    def blank(self) -> Labels:
        return Labels()

    def is_blank(self, labels: Labels) -> bool:
        return labels == Labels()

    def asked(self, trait: MetricRubricTrait, labels: Labels, edit: Mapping[str, Any]) -> Mapping[str, Any]:
        return edits.asked(trait, labels, edit)

    def correct(self, trait: MetricRubricTrait, response: str, labels: Labels, edit: Mapping[str, Any]) -> Outcome:
        return edits.correct(trait, response, labels, edit)

    def anchor(self, trait: MetricRubricTrait, labels: Labels, edit: Mapping[str, Any]) -> carrying.Anchor:
        return carrying.anchor(trait, labels, edit)

    def carried(
        self, trait: MetricRubricTrait, labels: Labels, edit: Mapping[str, Any], anchor: carrying.Anchor
    ) -> dict[str, Any] | None:
        return carrying.carried(trait, labels, edit, anchor)

    def asks_the_same(self, trait: MetricRubricTrait, other: MetricRubricTrait) -> bool:
        return all(getattr(trait, name) == getattr(other, name) for name in _ASKED)

    def restored(self, table: Mapping[str, Any]) -> MetricRubricTrait:
        return MetricRubricTrait.model_validate(table)

    def measure(self, trait: MetricRubricTrait, labels: Labels) -> Figures:
        return _figures(trait, labels.texts())

    def measure_table(self, trait: MetricRubricTrait, table: Mapping[str, Any]) -> Figures:
        return _figures(
            trait, ConfusionLists.model_construct(None, **{name: list(table.get(name, ())) for name in BUCKETS})
        )

    def pooled(self, metric: str, counts: Mapping[str, int]) -> float | None:
        found = Counts(*(counts.get(bucket, 0) for bucket in Counts._fields))
        return value(metric, found) if defined(metric, found) else None

    def breaches(self, trait: MetricRubricTrait, labels: Labels) -> list[str]:
        return [breach.sentence for breach in ledger.breaches(trait, labels)]

    def unverified(self, labels: Labels) -> int:
        return sum(item.span is None for item in (*labels.tp, *labels.fp))

    def standing(self, trait: MetricRubricTrait, labels: Labels) -> dict[Instruction, str]:
        return standing(trait, labels)

    def majority(self, trait: MetricRubricTrait, response: str, tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        return panel.majority(panel.seated(trait, response, tables))

    def votes(
        self, trait: MetricRubricTrait, response: str, tables: Sequence[Mapping[str, Any]]
    ) -> Mapping[tuple[str, int], Vote]:
        return panel.seated(trait, response, tables).votes

    def disagreement(self, trait: MetricRubricTrait, response: str, tables: Sequence[Mapping[str, Any]]) -> float:
        return panel.disagreement(self.votes(trait, response, tables).values())

    def tell(self, edit: Mapping[str, Any], before: str, after: str) -> str:
        return told(edits.Edit.of_row(edit), before, after)

    def written(self, labels: Labels) -> dict[str, Any]:
        rows = to_rows(labels)
        return {"audited": to_lists(labels)} | ({"items": rows} if rows else {})


def _figures(trait: MetricRubricTrait, lists: ConfusionLists) -> Figures:
    counted = trait.counts(lists)
    values = {metric: value(metric, counted) for metric in trait.metrics}
    undefined = frozenset(metric for metric in trait.metrics if not defined(metric, counted))
    buckets = trait.get_required_buckets()
    counts = {name: count if name in buckets else 0 for name, count in counted._asdict().items()}
    return Figures(values, undefined, counts)


KIND = MetricKind()
