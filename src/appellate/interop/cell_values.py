"""What a cell of a table says: a number, yes or no, a class, or nothing.

Spreadsheets and data frames write all of these as text, in the manner of their country and of their
language: `0,71`, `80 %`, `4/5`, `None`, `#N/A`.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from math import isnan
from typing import Any, NamedTuple

_MISSING_IN_ANY_CASE = frozenset({"", "null", "nan", "n/a", "#n/a", "<na>", "nat"})
_MISSING = frozenset({"None", "NA"})
"""Python's and R's words for no value; "none" may be a class, as a degree of harm is."""
_LONGEST_MISSING = max(map(len, _MISSING | _MISSING_IN_ANY_CASE))

_NUMBER = r"[-+]?\d[\d.,]*"
_PERCENT = re.compile(rf"(?P<number>{_NUMBER})\s*%")
_OUT_OF = re.compile(
    rf"(?P<points>{_NUMBER})\s*(?:/|\s(?:out )?of\s)\s*(?P<most>{_NUMBER})"
)
_ONE_COMMA = re.compile(r"[-+]?(?P<whole>\d+),(?P<decimals>\d+)")
_COMMA_GROUPS = re.compile(r"[-+]?\d{1,3}(,\d{3})+\.\d+|[-+]?\d{1,3}(,\d{3}){2,}")
_POINT_GROUPS = re.compile(r"[-+]?\d{1,3}(\.\d{3})+,\d+|[-+]?\d{1,3}(\.\d{3}){2,}")
_GROUP = 3
"""Digits between two marks that part thousands."""


class CellValue(NamedTuple):
    """What one cell says."""

    value: Any
    """A bool, a number or a class's name; None where the cell says nothing."""
    most: float | None = None
    """The number of points that `value` is out of, as 5 is in `4/5`; None where it is not said."""


def is_missing(text: str) -> bool:
    """Return whether a text stands for no value, as `None`, `NaN`, `n/a` and blanks do."""
    bare = text.strip()
    if (
        len(bare) > _LONGEST_MISSING
    ):  # a reason of many words is not put in small letters for it
        return False
    return bare in _MISSING or bare.lower() in _MISSING_IN_ANY_CASE


def known_value(value: Any) -> Any:
    """Return a value of a JSON document as it is, but None for one that stands for no value.

    Such are NaN, and texts that `is_missing` knows, also "".
    """
    if isinstance(value, str) and is_missing(value):
        return None
    if isinstance(value, float) and isnan(value):
        return None
    return value


def text_value(value: object) -> str:
    """Return a text beside a verdict, such as its reason; "" for one that stands for no value.

    Anything but text becomes text as Python writes it.
    """
    filled_value = known_value(value)
    return "" if filled_value is None else str(filled_value)


def cell_value(cell: object) -> Any:
    """Return what a cell says: a bool, a number, or text; None if it says nothing.

    Only "true" and "false", in any case, become a bool: "yes" and "no" stay text. `80 %` is 0.8. Of
    `4/5` this is 4: `read_cell` tells the 5 as well. None, too, for a list or a table.
    """
    return read_cell(cell).value


def read_cell(cell: object, *, has_decimal_commas: bool = False) -> CellValue:
    """Return what a cell says, and what it is out of.

    `1,234` may be one or a thousand. It is a number only in a column that `has_decimal_commas`, and
    is text elsewhere. A table or a list gives None, as a cell without a value does.
    """
    if isinstance(cell, str | Decimal):
        text = str(cell).strip()
        if len(text) > _LONGEST_KEPT:
            return _read_text(text, has_decimal_commas=has_decimal_commas)
        return _read_short_text(text, has_decimal_commas=has_decimal_commas)
    if isinstance(cell, float) and isnan(cell):
        return CellValue(None)
    return CellValue(cell if isinstance(cell, bool | int | float) else None)


def _read_text(text: str, *, has_decimal_commas: bool) -> CellValue:
    """Return what the text of a cell says: nothing, true or false, a number, or a class.

    `80 %` is 0.8, and `4/5` is 4 out of 5. Only "true" and "false", in any case, are a bool: "yes"
    and "no" stay text, as does everything else that is no number.
    """
    if is_missing(text):
        return CellValue(None)
    if text.lower() in ("true", "false"):
        return CellValue(text.lower() == "true")
    number = _number(text, has_decimal_commas=has_decimal_commas)
    if number is not None:
        return CellValue(int(number) if number.is_integer() else number)
    percent = _PERCENT.fullmatch(text)
    if percent:
        number = _number(percent["number"], has_decimal_commas=True)
        if number is not None:
            return CellValue(float(Decimal(str(number)) / 100))
    parts = _OUT_OF.fullmatch(text)
    if parts:
        points = _number(parts["points"], has_decimal_commas=has_decimal_commas)
        most = _number(parts["most"], has_decimal_commas=has_decimal_commas)
        if points is not None and most:
            return CellValue(int(points) if points.is_integer() else points, most)
    return CellValue(text)


_LONGEST_KEPT = 60
"""Characters of a cell whose meaning is kept: a column of verdicts says few things many times."""
_read_short_text = lru_cache(1 << 12)(_read_text)


def _number(text: str, *, has_decimal_commas: bool) -> float | None:
    """Return the number that a whole text is, or None; marks between thousands are understood.

    `1,234.5` and `1.234,5` are the same number, as are `0,71` and `0.71`. With `has_decimal_commas`
    one comma is always a decimal comma; without, `1,234` is no number. Nor are NaN and `1_000`.
    Infinity is one.
    """
    digits = text.replace("\N{MINUS SIGN}", "-")
    if _COMMA_GROUPS.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _POINT_GROUPS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif _is_decimal_comma(digits) or (
        has_decimal_commas and _ONE_COMMA.fullmatch(digits)
    ):
        digits = digits.replace(",", ".")
    if "_" in digits:  # Python reads 1_000 as a number, and nobody means one
        return None
    try:
        number = float(digits)
    except ValueError:
        return None
    return None if isnan(number) else number


def _is_decimal_comma(text: str) -> bool:
    """Return whether a text is a number with one comma that cannot part thousands.

    It cannot with other than three digits behind it, or with a 0 first: `0,71`, `0,125`, `3,5`.
    """
    parts = _ONE_COMMA.fullmatch(text)
    if parts is None:
        return False
    return len(parts["decimals"]) != _GROUP or parts["whole"].startswith("0")


def has_decimal_commas(cells: Iterable[object]) -> bool:
    """Return whether a column's numbers have commas before their decimals, as some cell shows."""
    return any(
        isinstance(cell, str) and _is_decimal_comma(cell.strip()) for cell in cells
    )
