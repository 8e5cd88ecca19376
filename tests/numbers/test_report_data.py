"""The report for programs: JSON that loses nothing, CSV that no spreadsheet can be tricked with."""

import csv
import io
import json

import pytest
from msgspec.structs import replace
from report_stage import EVIL, lived

from appellate.numbers.data import CELL_COLUMNS, csv_parts, json_parts, trait_table
from appellate.numbers.report import report
from cells import breakdowns_of


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    return lived(tmp_path_factory.mktemp("evil"), EVIL)


def rows(told) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(csv_parts(told)), newline="")))


def test_json_has_the_numbers_of_metrics(audit):
    document = json.loads("".join(json_parts(report(audit))))
    traits = map(trait_table, breakdowns_of(audit))
    for told, wanted in zip(document["traits"], traits, strict=True):
        assert {key: told[key] for key in ("name", "kind", "cells", "reviewed")} == {
            key: wanted[key] for key in ("name", "kind", "cells", "reviewed")
        }
        for name, sides in wanted["metrics"].items():
            assert {side: told["metrics"][name][side] for side in sides} == sides


def test_json_has_every_text_exactly_and_nothing_that_a_terminal_obeys(audit):
    text = "".join(json_parts(report(audit)))
    assert json.loads(text)["signed_off"] == {"cells": 1, "of": 3}
    assert json.loads(text)["comments"][0]["did"] == f"Look {EVIL}".strip()
    assert all(char.isprintable() or char == "\n" for char in text)


def test_a_control_character_is_an_escape_also_where_all_else_is_ascii(audit):
    text = "".join(
        json_parts(replace(report(audit), rubric="Facts\x7f", cells=(), comments=())),
    )
    assert "\x7f" not in text
    assert json.loads(text)["rubric"]["name"] == "Facts\x7f"


def test_json_says_its_format_first(audit):
    assert "".join(json_parts(report(audit))).startswith(
        '{\n  "format": "appellate-report/2"',
    )


def test_csv_has_a_row_for_each_metric_of_each_cell(audit):
    told = report(audit)
    found = rows(told)
    assert len(found) == 3 * 5
    counted = ("tp", "fn", "fp", "tn", "denied", "wrong_evidence", "omission")
    counts = [f"{side}_{name}" for side in ("standing", "judge") for name in counted]
    assert list(found[0]) == [*CELL_COLUMNS, *counts]
    assert [row["metric"] for row in found[:5]] == [
        "precision",
        "recall",
        "specificity",
        "accuracy",
        "f1",
    ]
    assert (found[0]["state"], found[0]["signed"]) == ("reviewed", "true")
    assert (found[0]["standing"], found[0]["judge"], found[0]["difference"]) == (
        "1.0",
        "0.75",
        "0.25",
    )
    assert (found[0]["standing_fp"], found[0]["judge_fp"]) == ("0", "1")


def test_csv_leaves_empty_what_is_not_there(audit):
    pending = rows(report(audit))[-1]
    assert pending["state"] == "pending"
    assert {
        pending[name]
        for name in ("standing", "judge", "difference", "standing_tp", "signed_by")
    } == {""}
    assert pending["signed"] == "false"


@pytest.mark.parametrize(
    "formula",
    [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        " =1",
        "\r\n=1",
        "|x",
        "%x",
    ],
)
def test_csv_disarms_what_a_spreadsheet_would_calculate(audit, formula):
    told = report(audit)
    (cell, *_) = told.cells
    spoilt = replace(cell, place=cell.place._replace(trace=formula))
    assert rows(replace(told, cells=(spoilt,)))[0]["trace"].startswith("'")


@pytest.mark.parametrize("name", ["-17", "+4.5", "t-1", "plain"])
def test_csv_keeps_names_that_no_spreadsheet_would_calculate(audit, name):
    told = report(audit)
    (cell, *_) = told.cells
    kept = replace(cell, place=cell.place._replace(trace=name))
    assert rows(replace(told, cells=(kept,)))[0]["trace"] == name
