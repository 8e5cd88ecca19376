"""Logs of inspect_ai as audits: the scores that came with the traces come to the results that the logs hold."""

import gzip
import json
from functools import cache
from math import isclose

import pytest

from appellate.core.breakdown import BreakdownSums
from appellate.core.cell import fold
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.traits.scorer import KIND
from appellate.traits.scorer.spec import ScorerRubricTrait

TRAIT = ScorerRubricTrait(name="Score", scorer="recorded")


@cache
def logs(shared):
    with gzip.open(shared / "oracle" / "inspect.json.gz") as stream:
        return json.load(stream)["logs"]


def cell(row, value, clustered):
    """A cell whose score came with the trace."""
    cluster = row["category"] if clustered else None
    trace = Trace(
        id=str(row["id"]),
        epoch=row["epoch"],
        response="said",
        cluster=cluster,
    )
    table = {"value": "unscored" if value == "__nan__" else value}
    assert not list(KIND.faults(TRAIT, trace, table))
    located = KIND.locate(TRAIT, trace, table)
    return fold(
        Subject(KIND, TRAIT, trace),
        [Fact(1, "", "", Proposed(located, {"name": "inspect"}))],
    )


def figures(log, result, *, clustered):
    """What the scores of one of a log's results come to, its epochs reduced as there."""
    sums = BreakdownSums(KIND, reducers=[result["reducer"] or "mean"])
    for row in log["rows"]:
        value = row["scores"].get(result["scorer"])
        if isinstance(value, dict):
            value = value[result["name"]]
        if value is not None:
            sums.add(cell(row, value, clustered))
    found = sums.breakdown()
    if found.epochs:
        return found.epochs[0].sides["score"]["standing"]
    return found.whole.sides["score"]["standing"]


@pytest.mark.parametrize(
    "name",
    [
        "graded_qa_30x3",
        "multi_scorer_14x2",
        "choice_20x1",
        "agent_tools_8x1",
        "seed_era_0_3_160_12x2",
    ],
)
def test_the_scores_of_a_log_come_to_its_results(shared, name):
    (log,) = (one for one in logs(shared) if one["id"] == f"{name}.eval")
    for result in log["results"]:
        for metric, told in result["metrics"].items():
            of = figures(log, result, clustered=bool(told["params"].get("cluster")))
            assert (of.n, of.unscored) == (
                result["scored_samples"],
                result["unscored_samples"],
            )
            ours = {"accuracy": of.macro, "mean": of.macro, "std": of.std}.get(
                metric,
                of.stderr,
            )
            assert isclose(ours, told["value"], rel_tol=1e-9), (
                result["name"],
                result["reducer"],
                metric,
            )
