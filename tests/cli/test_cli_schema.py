"""The schemas say what the programs write."""

import json

import pytest

from appellate.cli import main
from appellate.core.trace import Trace
from appellate.store.files.trace_record import ALIASES, IDS
from appellate.store.judgment import OWN
from appellate.traits.metric.spec import KNOWN, MetricRubricTrait


def printed(capsys, of: str) -> dict:
    assert main(["schema", of]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("of", ["rubric", "traces", "audit"])
def test_every_format_has_one(of, capsys):
    assert printed(capsys, of)["$schema"].startswith("https://json-schema.org/")


def test_a_rubric_has_every_key_of_a_metric_trait(capsys):
    trait = printed(capsys, "rubric")["$defs"]["MetricRubricTrait"]
    assert set(trait["properties"]) == MetricRubricTrait.model_fields.keys() - {
        "omissions",
        "weights",
        "tags",
        "aliases",
    }
    _, marked, old = trait["properties"]["tn_instructions"]["items"]["anyOf"]
    assert set(marked["properties"]) == {
        "text",
        "omission",
        "weight",
        "tags",
        "aliases",
    }
    assert old["deprecated"]
    _, hint, _ = trait["properties"]["fp_instructions"]["items"]["anyOf"]
    assert set(hint["properties"]) == {"text", "aliases"}


def test_a_metric_trait_has_its_metrics_to_choose_from_and_something_expected(capsys):
    trait = printed(capsys, "rubric")["$defs"]["MetricRubricTrait"]
    assert trait["properties"]["metrics"]["items"] == {"enum": list(KNOWN)}
    assert trait["properties"]["tp_instructions"]["minItems"] == 1
    assert "tp_instructions" in trait["required"]


def test_a_rubric_has_what_the_loader_takes_besides(capsys):
    rubric = printed(capsys, "rubric")
    question = rubric["$defs"]["Question"]
    assert question["properties"]["id"]["type"] == ["string", "integer"]
    for holder in (rubric, question):
        assert holder["additionalProperties"] is False
        for old in ("traits", "manual_traits"):
            assert holder["properties"][old]["items"]["type"] == "object"


def test_traces_have_every_key_and_every_other_name_of_a_trace(capsys):
    trace = printed(capsys, "traces")["$defs"]["Trace"]
    assert set(trace["properties"]) == {*Trace.model_fields, *ALIASES}
    assert (
        trace["properties"]["ideal"]["anyOf"]
        == trace["properties"]["reference"]["anyOf"]
    )
    assert trace["additionalProperties"] is True


def test_traces_are_a_list_or_a_table_with_one(capsys):
    traces = printed(capsys, "traces")
    assert traces["type"] == ["array", "object"]
    listed = {"minItems": 1, "items": {"$ref": "#/$defs/Trace"}}
    assert {key: traces[key] for key in listed} == listed
    assert traces["required"] == ["traces"]
    assert traces["properties"] == {"traces": {"type": "array", **listed}}


def test_ids_may_be_whole_numbers(capsys):
    defined = printed(capsys, "traces")["$defs"]
    assert defined["Trace"]["properties"]["id"]["type"] == ["string", "integer"]
    for place in (
        *map(defined["Trace"]["properties"].get, IDS[1:]),
        defined["Document"]["properties"]["id"],
    ):
        assert {"type": "integer"} in place["anyOf"]


def test_an_audit_has_every_key_that_a_judgment_is_written_with(capsys):
    trace = printed(capsys, "audit")["properties"]["traces"]["items"]
    assert set(trace["properties"]["judgments"]["items"]["properties"]) == set(OWN)
