"""The schemas say what the programs write."""

import json

import pytest

from appellate.cli import main
from appellate.core.trace import Trace
from appellate.store.judgment import OWN
from appellate.traits.metric.spec import MetricRubricTrait


def printed(capsys, of: str) -> dict:
    assert main(["schema", of]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("of", ["rubric", "traces", "audit"])
def test_every_format_has_one(of, capsys):
    assert printed(capsys, of)["$schema"].startswith("https://json-schema.org/")


def test_a_rubric_has_every_key_of_a_metric_trait(capsys):
    trait = printed(capsys, "rubric")["$defs"]["MetricRubricTrait"]
    assert set(trait["properties"]) == set(MetricRubricTrait.model_fields)


def test_traces_have_every_key_of_a_trace(capsys):
    assert set(printed(capsys, "traces")["items"]["properties"]) == set(Trace.model_fields)


def test_an_audit_has_every_key_that_a_judgment_is_written_with(capsys):
    trace = printed(capsys, "audit")["properties"]["traces"]["items"]
    assert set(trace["properties"]["judgments"]["items"]["properties"]) == set(OWN)
