"""All numbers of an audit in rows: those of its cells, and what a sample says of all that could be drawn."""

from csv import DictReader
from io import StringIO

import pytest
from sampled_stage import sampled

from appellate.numbers.data import COLUMNS, figures_csv
from appellate.numbers.samples import sample_in, sample_numbers
from cells import breakdowns_of


def rows_of(audit, by="") -> list[dict[str, str]]:
    numbers = sample_numbers(sample_in(audit, by))
    return list(DictReader(StringIO(figures_csv(breakdowns_of(audit, by), numbers))))


@pytest.fixture(scope="module")
def by_model():
    """A hundred and sixty traces of two models, half of them ruled on."""
    return rows_of(sampled(160, 80, 80), "model")


def test_each_number_of_the_sample_stands_on_its_three_sides(by_model):
    told = {
        row["side"]: row
        for row in by_model
        if (row["trait"], row["metric"], row["design"], row["group"])
        == ("Warns", "yes", "simple", "")
    }
    assert set(told) >= {"judge_only", "people_only", "corrected"}
    corrected, people = told["corrected"], told["people_only"]
    assert (corrected["n"], corrected["frame"]) == ("80", "160")
    assert float(corrected["level"]) == pytest.approx(0.95)
    assert (
        float(corrected["low"]) < float(corrected["value"]) < float(corrected["high"])
    )
    assert float(people["low"]) <= float(people["value"]) <= float(people["high"])
    assert people["weight"] == ""
    assert 0 <= float(corrected["weight"]) <= 1
    assert told["judge_only"]["low"] == ""


def test_groups_and_their_difference_have_rows_of_their_own(by_model):
    groups = [row for row in by_model if row["side"] == "corrected" and row["group"]]
    assert {(row["by"], row["group"]) for row in groups} == {
        ("model", "a"),
        ("model", "b"),
    }
    (difference,) = [
        row
        for row in by_model
        if (row["trait"], row["side"]) == ("Warns", "difference")
    ]
    values = {
        row["group"]: float(row["value"]) for row in groups if row["trait"] == "Warns"
    }
    assert float(difference["value"]) == pytest.approx(
        values[difference["group"]] - values[difference["less"]],
    )
    assert difference["by"] == "model"


def test_what_cannot_be_told_yet_says_why_in_place_of_a_number():
    rows = [row for row in rows_of(sampled(audited=0)) if row["wanting"]]
    assert {row["trait"] for row in rows} == {"Warns", "Clear"}
    assert all(row["value"] == "" and row["n"] == "0" for row in rows)
    assert rows[0]["wanting"] == "none of the 40 drawn is audited yet"


def test_every_row_has_every_column_and_without_a_sample_the_last_are_empty():
    rows = list(DictReader(StringIO(figures_csv(breakdowns_of(sampled(20, 10, 5))))))
    assert list(rows[0]) == list(COLUMNS)
    assert {row["design"] for row in rows} == {""}
