"""Prompts by kind and part, as a rubric and config.toml hold them."""

import pytest

from appellate.traits.prompts import faults, over


def test_parts_of_the_metric_kind_are_taken():
    assert not list(faults({"metric": {"system": "Be brief."}}))


@pytest.mark.parametrize(
    ("given", "place", "wrong"),
    [
        ("x", "", "must be a table"),
        (
            {"lmm": {}},
            "lmm",
            'there is no kind of trait "lmm" with a prompt; kinds are grounding, llm, metric',
        ),
        ({"metric": "x"}, "metric", "must be a table"),
        ({"metric": {"tp": "x"}}, "metric.tp", "lacks $tp"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(given, place, wrong):
    [(where, told)] = faults(given)
    assert where == place
    assert told.startswith(wrong)


def test_a_later_layer_goes_before_an_earlier_one_part_by_part():
    rubric, config, line = (
        {"metric": {"system": "r", "tp": "r"}},
        {"metric": {"system": "c"}},
        {},
    )
    assert over(rubric, config, line) == {"metric": {"system": "c", "tp": "r"}}
    assert rubric["metric"]["system"] == "r"
