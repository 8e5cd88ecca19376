"""Files in other encodings than UTF-8, and CSV as spreadsheets save it."""

import csv
import json

import pytest
from foreign_files import taken

from appellate.cli import main
from appellate.core.problem import Unusable
from appellate.interop import is_foreign, recognise
from appellate.interop.file_text import encoding_of

ROWS = [
    {"id": "a", "question": "Was?", "answer": "Grün – „ja“", "label": "yes"},
    {"id": "b", "question": "Wie?", "answer": "blau", "label": "no"},
]


def table(delimiter=",", first="", last=""):
    lines = [delimiter.join(ROWS[0])]
    lines += [delimiter.join(row.values()) for row in ROWS]
    return first + "".join(line + "\r\n" for line in lines) + last


WRITTEN = {
    "utf-16.csv": (table("\t").encode("utf-16"), "UTF-16"),
    "utf-16 without mark.csv": (table("\t").encode("utf-16-le"), "UTF-16"),
    "latin.csv": (table(";").encode("cp1252"), "Latin-1 (Windows-1252)"),
    "rows.json": (json.dumps(ROWS, ensure_ascii=False).encode("utf-16"), "UTF-16"),
    "lines.jsonl": (
        "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS).encode(
            "utf-16-be",
        ),
        "UTF-16",
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_in_another_encoding_is_read_and_that_is_said(tmp_path, name):
    content, encoding = WRITTEN[name]
    path = tmp_path / name
    path.write_bytes(content)
    assert is_foreign(path)
    with taken(tmp_path, path, verdict__V="label") as found:
        assert found.verdicts == 2
        assert found.workspace.traces.get(1).response == "Grün – „ja“"
        assert f"{name} is not UTF-8: it was read as {encoding}" in found.notes


def test_utf_8_is_not_worth_a_word(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(table(";"), encoding="utf-8-sig")
    with taken(tmp_path, path, verdict__V="label") as found:
        assert found.notes == []


def test_a_broken_byte_among_letters_in_utf_8_is_not_read_as_latin_1(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(table().encode() + b"c,Was?,gr\xfcn,yes\r\n")
    assert encoding_of(path) == "utf-8-sig"
    with pytest.raises(Unusable, match="'utf-8' codec can't decode byte 0xfc"):
        list(recognise.read([path]).traces())


def test_a_file_in_latin_1_may_end_in_its_only_letter_beyond_ascii(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"id,response\n1,the word is caf\xe9")
    assert encoding_of(path) == "cp1252"
    path.write_bytes("id,response\n1,the word is café".encode())
    assert encoding_of(path).startswith("utf-8")


def test_the_first_line_of_excel_says_what_parts_the_columns(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(table("|", first="sep=|\r\n"))
    with taken(tmp_path, path, verdict__V="label") as found:
        assert (found.traces, found.verdicts) == (2, 2)


def test_blank_lines_before_the_names_do_not_hide_what_parts_the_columns(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(table(";", first="\r\n  \r\n"))
    with taken(tmp_path, path, verdict__V="label") as found:
        assert (found.traces, found.verdicts) == (2, 2)


@pytest.mark.parametrize("last", [";;;\r\n; ;;\r\n\r\n", " ;;;\r\n ; ;;\r\n"])
def test_blank_rows_at_the_end_are_left_out_and_counted(tmp_path, last):
    path = tmp_path / "x.csv"
    path.write_text(table(";", last=last))
    with taken(tmp_path, path, verdict__V="label") as found:
        assert found.traces == 2
        assert found.notes == ["left out: 2 blank rows"]


def test_columns_without_a_name_at_the_end_are_no_columns_while_they_are_empty(
    tmp_path,
):
    path = tmp_path / "x.csv"
    path.write_text("id,answer,label,,\na,red,yes,,\n")
    with taken(tmp_path, path, verdict__V="label") as found:
        assert found.workspace.traces.get(1).metadata is None
    path.write_text("id,answer,label,,\na,red,yes,lost,\n")
    with pytest.raises(
        Unusable,
        match="line 2 has more cells than there are columns with names",
    ):
        list(recognise.read([path]).traces())


def test_a_second_column_of_a_name_is_not_lost(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,answer,label,label\na,red,yes,no\n")
    with taken(tmp_path, path, verdict__V="label", person__V="label (2)") as found:
        assert (found.verdicts, found.people) == (1, 1)


def test_columns_may_be_parted_by_bars(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(table("|"))
    with taken(tmp_path, path, verdict__V="label") as found:
        assert (found.traces, found.verdicts) == (2, 2)


def test_a_page_of_the_viewer_of_hugging_face_is_its_rows(tmp_path):
    path = tmp_path / "rows.json"
    rows = [
        {"row_idx": index, "row": row, "truncated_cells": []}
        for index, row in enumerate(ROWS)
    ]
    path.write_text(json.dumps({"features": [], "rows": rows, "num_rows_total": 2}))
    with taken(tmp_path, path, verdict__V="label") as found:
        assert (found.traces, found.verdicts) == (2, 2)


@pytest.mark.parametrize(
    "name",
    ["interop/promptfoo/made_errors.csv", "karenina/results.csv"],
)
@pytest.mark.parametrize(
    ("delimiter", "encoding"),
    [(";", "cp1252"), ("\t", "utf-16"), (",", "utf-8")],
)
def test_a_tools_csv_may_have_been_saved_by_a_spreadsheet(
    shared,
    tmp_path,
    name,
    delimiter,
    encoding,
):
    original = shared / "data" / name
    with original.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    saved = tmp_path / "saved.csv"
    with saved.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([*rows, [""] * len(rows[0])])
        file.write("\r\n")
    file = recognise.read([saved])
    expected = recognise.read([original])
    assert file.form == expected.form
    assert list(file.traces()) == list(expected.traces())
    assert "left out: 1 blank row" in file.notes()


def test_who_checks_the_traces_of_a_table_is_told_its_encoding(tmp_path, capsys):
    rubric, table = tmp_path / "r.toml", tmp_path / "l.csv"
    rubric.write_text('[[llm_traits]]\nname="x"\ndescription="d"\nkind="boolean"\n')
    table.write_bytes("id,response\n1,café\n2,naïve\n".encode("cp1252"))
    assert main(["check", str(rubric), str(table)]) == 0
    told = capsys.readouterr().err
    assert "is not UTF-8: it was read as Latin-1 (Windows-1252)" in told
