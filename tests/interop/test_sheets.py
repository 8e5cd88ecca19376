"""Spreadsheets, made here of the parts that a reader needs."""

import zipfile
from xml.sax.saxutils import escape

import pytest
from foreign_files import taken

from appellate.core.problem import Unusable
from appellate.interop import is_foreign, recognise
from appellate.interop.sheets import SheetTable
from appellate.interop.table_map import TableMap

NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DATE = 1
"""The style of a date in `STYLES`."""
STYLES = f"""<styleSheet xmlns="{NAMESPACE}"><cellXfs count="2"><xf numFmtId="0"/>
<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>"""
HEADS = ["id", "answer", "score", "when", ""]
ROWS = [
    [1, "red & green", 0.5, (46000, DATE), ""],
    [2, "blue", "#N/A", "", ""],
    ["", "", "", "", ""],
]


def workbook(path, **sheets):
    """Write a spreadsheet with these sheets, each a list of rows."""
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    named = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        for number, name in enumerate(sheets, 1)
    )
    links = "".join(
        f'<Relationship Id="r{number}" Type="{relations}/worksheet"'
        f' Target="worksheets/sheet{number}.xml"/>'
        for number, _ in enumerate(sheets, 1)
    )
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("[Content_Types].xml", "<Types/>")
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}"><Relationship Id="r1"'
            f' Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        file.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{NAMESPACE}" xmlns:r="{relations}"><sheets>{named}</sheets>'
            "</workbook>",
        )
        file.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}">{links}</Relationships>',
        )
        file.writestr("xl/styles.xml", STYLES)
        for number, rows in enumerate(sheets.values(), 1):
            body = "".join(
                f'<row r="{row}">{_cells(row, cells)}</row>'
                for row, cells in rows_of(rows)
            )
            sheet = f'<worksheet xmlns="{NAMESPACE}"><sheetData>{body}</sheetData></worksheet>'
            file.writestr(f"xl/worksheets/sheet{number}.xml", sheet)
    return path


def rows_of(rows):
    return enumerate(rows, 1)


def _cells(row, cells):
    written = []
    for column, value in zip("ABCDEFGH", cells, strict=False):
        place = f"{column}{row}"
        if isinstance(value, tuple):
            number, style = value
            written.append(f'<c r="{place}" s="{style}"><v>{number}</v></c>')
        elif isinstance(value, int | float):
            written.append(f'<c r="{place}"><v>{value}</v></c>')
        elif value:
            text = escape(value)
            written.append(f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>')
    return "".join(written)


def test_a_sheet_is_a_table_with_dates_and_numbers(tmp_path):
    path = workbook(tmp_path / "x.xlsx", Answers=[HEADS, *ROWS], Notes=[])
    assert is_foreign(path)
    table = SheetTable(path)
    assert list(table()) == [
        {"id": 1, "answer": "red & green", "score": 0.5, "when": "2025-12-09"},
        {"id": 2, "answer": "blue", "score": "#N/A", "when": ""},
    ]
    with taken(tmp_path, path, verdict__V="score") as found:
        assert (found.traces, found.verdicts, found.failed) == (2, 1, 1)


def test_several_sheets_are_asked_for_by_name(tmp_path):
    path = workbook(tmp_path / "x.xlsx", Old=[HEADS, *ROWS], New=[HEADS, ROWS[0]])
    with pytest.raises(
        Unusable,
        match=r'several sheets have rows: "Old", "New"; .*--sheet Old',
    ):
        recognise.read([path])
    (trace,) = recognise.read([path], TableMap(sheet="New")).traces()
    assert trace.record["id"] == "1"
    with pytest.raises(
        Unusable,
        match='no sheet is "Nw"; there are "Old", "New"; did you mean',
    ):
        recognise.read([path], TableMap(sheet="Nw"))


def test_a_value_beside_the_named_columns_is_refused_and_not_lost(tmp_path):
    path = workbook(tmp_path / "x.xlsx", Answers=[["id", "answer"], [1, "red", "lost"]])
    with pytest.raises(
        Unusable,
        match='row 2 of "Answers" has a value in a column without a name',
    ):
        list(recognise.read([path]).traces())


def test_the_index_of_a_data_frame_has_no_name_and_is_kept(tmp_path):
    rows = [["", "id", "answer"], [7, 1, "red"], ["", 2, "blue"]]
    path = workbook(tmp_path / "x.xlsx", Answers=rows)
    assert list(SheetTable(path)()) == [
        {"": 7, "id": 1, "answer": "red"},
        {"id": 2, "answer": "blue"},
    ]
    first, second = recognise.read([path]).traces()
    assert first.record["metadata"] == {"index": 7}
    assert "metadata" not in second.record


def test_the_advised_sheet_is_one_word_of_a_shell(tmp_path):
    sheets = {"R&amp;D": [HEADS, *ROWS], "New": [HEADS, ROWS[0]]}
    path = workbook(tmp_path / "x.xlsx", **sheets)
    with pytest.raises(Unusable, match="--sheet 'R&D'"):
        SheetTable(path)


def test_a_broken_sheet_that_is_asked_for_by_name_is_refused_with_a_sentence(tmp_path):
    path = workbook(tmp_path / "x.xlsx", Answers=[HEADS, *ROWS])
    broken = tmp_path / "broken.xlsx"
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(broken, "w") as file:
        for name in whole.namelist():
            content = whole.read(name)
            if name.endswith("sheet1.xml"):
                content = content[:-30] + b"<<<"
            file.writestr(name, content)
    with pytest.raises(Unusable, match="this spreadsheet cannot be read"):
        recognise.read([broken], TableMap(sheet="Answers"))


@pytest.mark.parametrize("content", [b"", b"<workbook/>"])
def test_a_broken_spreadsheet_is_refused_with_a_sentence(tmp_path, content):
    path = tmp_path / "x.xlsx"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/workbook.xml", content)
    with pytest.raises(Unusable, match="this spreadsheet cannot be read"):
        recognise.read([path])


def test_a_spreadsheet_without_rows_is_refused(tmp_path):
    path = workbook(tmp_path / "x.xlsx", Answers=[HEADS])
    with pytest.raises(Unusable, match="no sheet has a row below its first"):
        recognise.read([path])


@pytest.mark.parametrize("place", range(40, 60, 3))
def test_a_damaged_zip_is_told_in_a_sentence(tmp_path, place):
    path = tmp_path / "x.ods"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        kind = "application/vnd.oasis.opendocument.spreadsheet"
        archive.writestr("mimetype", kind)
        archive.writestr("content.xml", "<a/>")
    damaged = bytearray(path.read_bytes())
    damaged[place] ^= 0xFF
    path.write_bytes(damaged)
    with pytest.raises(Unusable, match=r"x\.ods"):
        recognise.read([path])
