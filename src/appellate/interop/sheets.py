"""Spreadsheets as tables: Excel (`.xlsx`, `.xlsb`, `.xls`) and OpenDocument (`.ods`).

The first row of a sheet has the names of the columns. Formulas are not computed: their last result
is in the file. Dates come as ISO 8601 writes them.
"""

import shlex
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from appellate.core.problem import Unusable, closest, quoted
from appellate.interop import OLE
from appellate.interop.columns_of_rows import named_columns
from appellate.store.files.text_file import unusable

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_PARTS = ("xl/workbook.xml", "xl/workbook.bin")
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"


def is_spreadsheet(path: Path) -> bool:
    """Return whether a file is a spreadsheet of Excel or OpenDocument, by its content.

    Any old Microsoft Office file counts as one. False for a broken zip. Raises OSError if the file
    cannot be opened.
    """
    with path.open("rb") as file:
        if file.read(len(OLE)) == OLE:
            return True
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if any(part in names for part in _PARTS):
                return True
            if "mimetype" not in names:
                return False
            return archive.read("mimetype").startswith(_OPEN_DOCUMENT)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError):
        return False


class SheetTable:
    """The rows of one sheet of a spreadsheet, from the beginning each time that it is called.

    The sheet is the one of a name, or for "" the only one that has rows. Making it raises Unusable
    for a file that cannot be read, for a name that no sheet has, and without a name if several
    sheets have rows.
    """

    def __init__(self, path: Path, sheet_name: str = "") -> None:
        """Open a spreadsheet, and choose its sheet of this name, or for "" the only one with rows.

        Raises Unusable for a file that cannot be read, for a name that no sheet has, and without a
        name if no sheet or several have a row below the first. The name must be in its exact case.
        """
        import python_calamine  # few files are spreadsheets

        self._path = path
        try:
            self._book = python_calamine.CalamineWorkbook.from_path(path)
        except (python_calamine.CalamineError, OSError) as error:
            raise self._unreadable(error) from error
        self.name = sheet_name or self._only_sheet_with_rows()
        sheet_names = self._book.sheet_names
        if self.name not in sheet_names:
            listed = ", ".join(map(quoted, sheet_names))
            wrong = f"no sheet is {quoted(self.name)}; there are {listed}"
            suggestion = closest(self.name, sheet_names)
            right = f"did you mean {quoted(suggestion)}?" if suggestion else ""
            raise unusable(str(path), wrong, right)
        self.blank_rows = 0
        """Rows without a value that were left out as the sheet was last read."""

    def __call__(self) -> Iterator[dict[str, Any]]:
        """Yield each row below the first filled one, by the names of columns that this one has.

        Cells are texts, ints, floats or bools, and "" without a value; dates are ISO 8601 text. The
        second `score` is called "score (2)". Only the first column may be without a name, as the
        index of a data frame is: its values are under "". Blank rows are left out and counted in
        `blank_rows`, which begins at 0. Raises Unusable for a value beyond the last named column,
        and for a sheet that cannot be read.
        """
        self.blank_rows = 0
        blank_rows = 0
        columns: list[str] = []
        for number, cells in enumerate(self._sheet(self.name).iter_rows(), 1):
            values = [_cell_value(cell) for cell in cells]
            if all(value == "" for value in values):
                blank_rows += bool(columns)
                continue
            if not columns:
                columns = named_columns([str(value) for value in values])
                continue
            if any(value != "" for value in values[len(columns) :]):
                place = f"row {number} of {quoted(self.name)}"
                wrong = f"{place} has a value in a column without a name"
                right = "name the columns in the first row"
                raise unusable(str(self._path), wrong, right)
            self.blank_rows += blank_rows
            blank_rows = 0
            row = dict(zip(columns, values, strict=False))
            if row.get("") == "":
                del row[""]
            yield row
        self.blank_rows += blank_rows

    def _only_sheet_with_rows(self) -> str:
        """Return the name of the spreadsheet's only sheet that has a row below its first.

        Raises Unusable if there is none, and if there are several: the message names these, and the
        option `--sheet` with the first one. Raises it as well if a sheet cannot be read.
        """
        filled: list[str] = []
        for name in self._book.sheet_names:
            if self._sheet(name).height > 1:
                filled.append(name)
        if len(filled) == 1:
            return filled[0]
        if not filled:
            raise unusable(str(self._path), "no sheet has a row below its first")
        wrong = f"several sheets have rows: {', '.join(map(quoted, filled))}"
        right = f"say which one is meant: --sheet {shlex.quote(filled[0])}"
        raise unusable(str(self._path), wrong, right)

    def _sheet(self, name: str) -> "CalamineSheet":
        """Return the spreadsheet's sheet of this name, read; raises Unusable if it is broken."""
        import python_calamine  # few files are spreadsheets

        try:
            return self._book.get_sheet_by_name(name)
        except python_calamine.CalamineError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> Unusable:
        """Return, without raising it, what says that this spreadsheet cannot be read, and why."""
        return unusable(
            str(self._path),
            f"this spreadsheet cannot be read: {error}",
        )


def _cell_value(cell: object) -> Any:
    """Return the value of a spreadsheet's cell: a text, int, float or bool; "" if it is empty.

    3.0 becomes 3. Dates and times become ISO 8601 text, a moment at midnight only its date, and a
    duration text as "1:30:00".
    """
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, date | time):  # a datetime is a date
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return str(cell)
    if cell is None:
        return ""
    return cell
