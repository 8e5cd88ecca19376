"""Spreadsheets as tables: Excel (`.xlsx`, `.xlsb`, `.xls`) and OpenDocument (`.ods`).

The first row of a sheet has the names of the columns. Formulas are not computed: their last result
is in the file. Dates come as ISO 8601 writes them.
"""

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from appellate.core.problem import closest, quoted
from appellate.interop import OLE
from appellate.interop.columns_of_rows import named_columns
from appellate.store.files.text_file import unusable

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

        Raises Unusable for a file that cannot be read, for a name that no sheet has, and
        without a name if no sheet or several have a row below the first.
        """
        import python_calamine  # few files are spreadsheets

        try:
            self._book = python_calamine.CalamineWorkbook.from_path(path)
            self._path = path
            self.name = sheet_name or self._only_sheet()
            if self.name not in self._book.sheet_names:
                raise self._no_sheet()
        except (python_calamine.CalamineError, OSError) as error:
            raise unusable(
                str(path),
                f"this spreadsheet cannot be read: {error}",
            ) from error
        self.blank_rows = 0
        """Rows without a value that were left out as the sheet was last read."""

    def __call__(self) -> Iterator[dict[str, Any]]:
        """Yield the rows below the first filled one, with the names of the columns from that.

        A cell without a value is "". Blank rows are left out and counted in `blank_rows`. Raises
        Unusable for a value in a column without a name.
        """
        self.blank_rows = 0
        blank_rows = 0
        columns: list[str] = []
        for number, cells in enumerate(
            self._book.get_sheet_by_name(self.name).iter_rows(),
            1,
        ):
            values = [_cell_value(cell) for cell in cells]
            if all(value == "" for value in values):
                blank_rows += bool(columns)
            elif not columns:
                columns = named_columns([str(value) for value in values])
            else:
                self.blank_rows += blank_rows
                blank_rows = 0
                yield self._row(columns, values, number)
        self.blank_rows += blank_rows

    def _row(
        self,
        columns: Sequence[str],
        values: Sequence[Any],
        number: int,
    ) -> dict[str, Any]:
        """Return a spreadsheet row's cells by the names of their columns.

        Cells of a column without a name are left out. Columns beyond the row's last cell
        are missing. `number` is the row's in the sheet, from 1, for messages. Raises
        Unusable if a column without a name has a value in this row.
        """
        row = {
            column: value
            for column, value in zip(columns, values, strict=False)
            if column
        }
        for index, value in enumerate(values):
            if value != "" and (index >= len(columns) or not columns[index]):
                wrong = (
                    f"row {number} of {quoted(self.name)} has a value in a column"
                    " without a name"
                )
                raise unusable(
                    str(self._path),
                    wrong,
                    "name the columns in the first row",
                )
        return row

    def _only_sheet(self) -> str:
        """Return the name of the spreadsheet's only sheet that has a row below its first.

        Raises Unusable if there is none, and if there are several: the message names these, and the
        option `--sheet` with the first one.
        """
        filled = []
        for name in self._book.sheet_names:
            sheet = self._book.get_sheet_by_name(name)
            if sheet.height > 1:
                filled.append(name)
        if len(filled) == 1:
            return filled[0]
        if not filled:
            raise unusable(str(self._path), "no sheet has a row below its first")
        wrong = f"several sheets have rows: {', '.join(map(quoted, filled))}"
        raise unusable(
            str(self._path),
            wrong,
            f"say which one is meant: --sheet {_word(filled[0])}",
        )

    def _no_sheet(self) -> Exception:
        """Return, without raising it, the error that the spreadsheet has no sheet of that name.

        The message lists the sheets and suggests the nearest.
        """
        names = self._book.sheet_names
        listed = ", ".join(map(quoted, names))
        wrong = f"no sheet is {quoted(self.name)}; there are {listed}"
        suggestion = closest(self.name, names)
        right = f"did you mean {quoted(suggestion)}?" if suggestion else ""
        return unusable(str(self._path), wrong, right)


def _word(name: str) -> str:
    """Return a sheet's name as one word of a command line: in quotes if it has a blank."""
    if " " in name:
        return quoted(name)
    return name


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
