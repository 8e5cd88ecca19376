"""Data frames in JSON, in each way that pandas writes them."""

import json

import pytest
from foreign_files import taken

from appellate.core.problem import Unusable
from appellate.interop import recognise
from appellate.interop.table_map import map_of

COLUMNS = ["id", "question", "answer", "label"]
VALUES = [["a", "Was?", "grün", "yes"], ["b", "Wie?", "blau", "no"]]
ROWS = [dict(zip(COLUMNS, values, strict=True)) for values in VALUES]
WRITTEN = {
    "records": ROWS,
    "split": {"columns": COLUMNS, "index": [0, 1], "data": VALUES},
    "MLflow's eval_results_table": {"columns": COLUMNS, "data": VALUES},
    "columns": {
        name: {str(number): row[name] for number, row in enumerate(ROWS)}
        for name in COLUMNS
    },
    "index": {str(number): row for number, row in enumerate(ROWS)},
    "values with names": [COLUMNS, *VALUES],
    "table": {
        "schema": {
            "fields": [{"name": name} for name in COLUMNS],
            "primaryKey": ["index"],
        },
        "data": [{"index": number, **row} for number, row in enumerate(ROWS)],
    },
}


@pytest.mark.parametrize("orient", WRITTEN)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_data_frame_opens_in_each_orient(tmp_path, orient, indent):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(WRITTEN[orient], indent=indent))
    with taken(tmp_path, path, verdict__V="label") as found:
        assert (found.traces, found.verdicts) == (2, 2)
        assert found.workspace.traces.get(2).response == "blau"


def test_columns_without_names_have_their_numbers(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(VALUES))
    with pytest.raises(Unusable, match='the columns are "0", "1", "2", "3"'):
        recognise.read([path])
    with taken(tmp_path, path, id="0", response="2", verdict__V="3") as found:
        assert found.workspace.traces.get(1).id == "a"


def test_labels_of_rows_that_are_no_numbers_are_a_column(tmp_path):
    path = tmp_path / "x.json"
    rows = {row["id"]: {"answer": row["answer"], "label": row["label"]} for row in ROWS}
    path.write_text(json.dumps(rows))
    with taken(tmp_path, path, id="index", verdict__V="label") as found:
        assert [found.workspace.traces.get(number).id for number in (1, 2)] == [
            "a",
            "b",
        ]


def test_one_row_of_tables_is_no_data_frame(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        json.dumps({"inputs": {"answer": "x"}, "outputs": {"answer": "y"}, "id": "1"}),
    )
    (trace,) = recognise.read([path], map_of({"response": "outputs.answer"})).traces()
    assert trace.record["response"] == "y"
