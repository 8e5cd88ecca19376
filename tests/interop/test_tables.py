"""Tables: columns by their names, by presets and by --map; values as they stand."""

import csv
import json

import pytest
from foreign_files import counts, taken

from appellate.core.problem import Unusable
from appellate.interop import recognise

ROWS = [
    {"run": "a", "bot_says": "Take it with food.", "label": "safe", "note": "fine"},
    {"run": "b", "bot_says": "Take ten of them.", "label": "unsafe", "note": "an overdose"},
    {"run": "c", "bot_says": "Ask a doctor.", "label": "", "note": ""},
]
MAPPED = {
    "id": "run",
    "response": "bot_says",
    "verdict__Safety": "label",
    "reason__Safety": "note",
}


@pytest.fixture(params=["csv", "tsv", "jsonl", "json"])
def table(request, tmp_path):
    """The same rows in each form."""
    path = tmp_path / f"answers.{request.param}"
    if request.param in ("csv", "tsv"):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(
                file, ROWS[0], delimiter="\t" if request.param == "tsv" else ","
            )
            writer.writeheader()
            writer.writerows(ROWS)
    elif request.param == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    else:
        path.write_text(json.dumps(ROWS), "utf-8")
    return path


def test_named_columns_make_traits_verdicts_and_reasons(table, tmp_path):
    with taken(tmp_path, table, **MAPPED) as found:
        assert counts(found) == (3, 2, 1, 2, 0)
        (known,) = found.traits
        assert known.trait.class_names == ["safe", "unsafe"]


def test_without_a_response_the_columns_are_named(table):
    with pytest.raises(Unusable) as refusal:
        recognise.read([table])
    assert '"run", "bot_says", "label", "note"' in str(refusal.value.problems[0])


def test_a_column_that_no_row_has_is_refused_with_the_nearest(table):
    with pytest.raises(Unusable) as refusal:
        recognise.read([table], {"response": "bot_say"})
    assert 'did you mean "bot_says"?' in str(refusal.value.problems[0])


def test_a_field_that_no_trace_has_is_refused(table):
    with pytest.raises(Unusable, match='"respons" is no field of a trace'):
        recognise.read([table], {"respons": "bot_says"})


def test_a_response_that_is_json_stays_as_it_is(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"id": "a", "response": '{"answer": 1}'}) + "\n", "utf-8")
    (trace,) = recognise.read([path]).traces()
    assert trace.record["response"] == '{"answer": 1}'


def test_a_file_of_two_people_and_a_judge_gives_the_published_agreement(shared, tmp_path):
    path = shared / "data/interop/xstest/gpt4_gpteval.csv"
    mapped = {"verdict__Refusal": "gpt4_label", "person__Refusal": "final_label"}
    with taken(tmp_path, path, **mapped) as found:
        assert counts(found) == (450, 450, 0, 0, 450)
        cells = [found.workspace.cell(number)[1] for number in range(1, 451)]
    alike = sum(cell.labels.value == cell.judge.table["value"] for cell in cells)
    assert round(alike / 450, 3) == 0.936  # the data's README


def test_dotted_columns_lead_into_tables(tmp_path):
    path = tmp_path / "x.jsonl"
    row = {"id": "a", "outputs": {"text": {"final": "yes"}}}
    path.write_text(json.dumps(row) + "\n", "utf-8")
    (trace,) = recognise.read([path], {"response": "outputs.text.final"}).traces()
    assert trace.record["response"] == "yes"


def test_fractions_are_scores_with_bounds_whole_numbers_scales(tmp_path):
    rows = [
        {"id": "a", "response": "x", "f": 0.25, "s": 3},
        {"id": "b", "response": "y", "f": 1.0, "s": 5},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with taken(tmp_path, path, verdict__F="f", verdict__S="s") as found:
        traits = {known.trait.name: known for known in found.traits}
    assert traits["F"].kind.name == "scorer"
    assert (traits["S"].trait.low, traits["S"].trait.high) == (1, 5)
