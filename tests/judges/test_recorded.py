import pytest

from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.offline import Recorded
from appellate.judges.proposal import NotRecorded, Question
from appellate.traits.metric import KIND
from appellate.traits.metric.spec import MetricRubricTrait

X = Subject(KIND, MetricRubricTrait(name="x", metrics=["f1"], tp_instructions=["a"]), Trace(id="t"))
LABELS = {"tp": ["a"], "fn": [], "fp": ["b"], "tn": ["c"], "items": [{"bucket": "tp", "index": 0}]}


def trace(**table):
    return Trace(id="t", judgments={"x": table})


async def test_the_labels_that_came_with_the_trace_are_proposed():
    proposal = await Recorded().judge(Question(X, trace(**LABELS)))
    assert proposal.labels == LABELS
    assert proposal.record.to_file() == {"name": "recorded"}


async def test_lists_that_were_not_given_are_left_out():
    assert (await Recorded().judge(Question(X, trace(tp=["a"])))).labels == {"tp": ["a"]}


async def test_what_is_known_of_the_model_is_kept():
    record = (
        await Recorded().judge(Question(X, trace(name="gpt-5-mini", tokens_in=7, **LABELS)))
    ).record
    assert record.to_file() == {"name": "recorded", "model": "gpt-5-mini", "tokens_in": 7}


async def test_where_the_labels_stood_in_an_audit_is_no_part_of_the_record():
    proposal = await Recorded().judge(
        Question(X, trace(n=1, at="2026-01-01T00:00:00Z", parameters={"temperature": 0}, **LABELS))
    )
    assert proposal.record.to_file() == {"name": "recorded", "parameters": {"temperature": 0}}
    assert proposal.labels == LABELS


async def test_a_trace_without_labels_for_the_trait_is_not_judged():
    with pytest.raises(NotRecorded, match="Trace t brought no labels for x"):
        await Recorded().judge(Question(X, Trace(id="t")))
