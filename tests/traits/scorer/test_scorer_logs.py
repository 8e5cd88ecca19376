"""A log of inspect_ai (`shared/data/inspect`): its scores load as recorded labels, and the rules give them again."""

import json
from math import isnan
from typing import Any

import pytest

from appellate.core.trace import Trace
from appellate.store.files.trace_record import label_faults
from appellate.traits.rubric import KnownTrait
from appellate.traits.scorer import KIND
from appellate.traits.scorer.spec import ScorerRubricTrait

TRAITS = {
    "match": ScorerRubricTrait(name="match", scorer="match", location="any"),
    "includes": ScorerRubricTrait(name="includes", scorer="includes"),
    "f1": ScorerRubricTrait(name="f1", scorer="f1"),
    "exact": ScorerRubricTrait(name="exact", scorer="exact"),
    "rubric_dict": ScorerRubricTrait(
        name="rubric_dict",
        scorer="recorded",
        keys=["faithful", "complete", "style"],
    ),
    "sometimes_none": ScorerRubricTrait(name="sometimes_none", scorer="recorded"),
    "model_graded_qa": ScorerRubricTrait(
        name="model_graded_qa",
        scorer="model_graded_qa",
        partial_credit=True,
    ),
}


@pytest.fixture
def samples(shared) -> list[dict[str, Any]]:
    log = json.loads(
        (shared / "data" / "inspect" / "multi_scorer_14x2.json").read_bytes(),
    )
    return log["samples"]


def trace_of(sample: dict[str, Any]) -> Trace:
    (choice,) = sample["output"]["choices"]
    return Trace(
        id=sample["id"],
        epoch=sample["epoch"],
        question=sample["input"],
        response=choice["message"]["content"],
        reference=sample["target"],
    )


def test_the_scores_of_a_log_load_as_recorded_labels_and_rules_give_them_again(samples):
    counted: dict[str, int] = {}
    for sample in samples:
        trace = trace_of(sample) if sample["output"]["choices"] else None
        for name, score in sample["scores"].items():
            if trace is None or score["value"] is None:
                continue
            trait, given = TRAITS[name], score["value"]
            table = {"value": given, "answer": score.get("answer") or ""}
            assert list(label_faults(table, trace, KnownTrait(KIND, trait))) == []
            located = KIND.locate(trait, trace, table)
            if isinstance(given, float) and isnan(given):
                assert located["value"] == "unscored"
            if KIND.source_name(trait) == "rule":
                again = KIND.locate(trait, trace, KIND.computed.compute(trait, trace))
                assert again["value"] == located["value"]
            counted[name] = counted.get(name, 0) + 1
    assert counted.keys() == TRAITS.keys()
    assert sum(counted[name] for name in ("match", "includes", "f1", "exact")) >= 100
