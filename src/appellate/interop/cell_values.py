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
    rf"(?P<points>{_NUMBER})\s*(?:/|\s(?:out )?of\s)\s*(?P<most>{_NUMBER})",
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
    """Return whether a text stands for no value, as "None", "NaN" and "n/a" do.

    The others are "NA", "null", "#N/A", "<NA>", "NaT" and blank text. Blanks around it do not
    matter. Case matters only for "None" and "NA": "none" and "na" are values.
    """
    bare = text.strip()
    # a reason of many words is not put in small letters for it
    if len(bare) > _LONGEST_MISSING:
        return False
    return bare in _MISSING or bare.lower() in _MISSING_IN_ANY_CASE


def is_gap(value: object) -> bool:
    """Return whether a value is None or NaN, which data frames write for a gap."""
    return value is None or (isinstance(value, float) and isnan(value))


def known_value(value: Any) -> Any:
    """Return a value of a JSON document unchanged, or None if it stands for no value.

    NaN and the texts that `is_missing` accepts stand for none, also "". Lists and tables stay.
    """
    if is_gap(value) or (isinstance(value, str) and is_missing(value)):
        return None
    return value


def text_value(value: object) -> str:
    """Return a value as text, for reasons and names beside verdicts; "" if it stands for no value.

    None, NaN and texts such as "n/a" (`is_missing`) are no value. A text is returned as it is, with
    its blanks, and anything else as `str` writes it.
    """
    filled_value = known_value(value)
    if filled_value is None:
        return ""
    return str(filled_value)


def as_written(value: object) -> str:
    """Return a value as `str` writes it, for ids, references and names; "" for None and NaN.

    Any text is returned unchanged, also "None" or "n/a": an answer or a name may be such a word.
    """
    return "" if is_gap(value) else str(value)


def cell_value(cell: object) -> Any:
    """Return the value of a cell as a verdict: a bool, a number or a text; None if it says nothing.

    "true" and "false" in any case become a bool, while "yes" and "no" stay text. A text that is a
    number becomes one ("3" is 3, "0,71" is 0.71), but `1,234` stays text. "80 %" is 0.8, and "4/5"
    is 4: `read_cell` returns the 5 as well. Any other text stays, without the blanks around it. A
    bool or number stays; None for NaN, a list, a table, "" and words such as "n/a".
    """
    return read_cell(cell).value


def read_cell(cell: object, *, has_decimal_commas: bool = False) -> CellValue:
    """Return the value of a cell, and the number of points that it is out of ("4/5": 4 of 5).

    "true" and "false" in any case become a bool, while "yes" and "no" stay text. A text that is a
    number becomes one, as a Decimal does, and "80 %" is 0.8. `has_decimal_commas` tells that
    numbers of this column have decimal commas: then "1,234" is 1.234, else it stays text. A bool or
    number stays. `CellValue(None)` for NaN, a list, a table and a cell without a value, such as
    "n/a".
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
    """Return the value that the text of a cell says: None, a bool, a number, or the text itself.

    `text` has no blanks around it. Only "true" and "false", in any case, are a bool. Whole numbers
    are ints. "80 %" is 0.8; "4/5" and "4 out of 5" are 4 with `most` 5, but "4/0" is text.
    Everything else is text, also "yes". With `has_decimal_commas` a single comma is always a
    decimal one; without it "1,234" is text.
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
    """Return the number that a text is as a whole, or None if it is not one.

    Marks between thousands are understood: `1,234.5`, `1.234,5` and `1234.5` are the same, as are
    `0,71` and `0.71`. With `has_decimal_commas` a single comma is always a decimal comma; without
    it `1,234` is None, since it may be a thousand. `1.234` is always 1.234. None for NaN and
    `1_000`; "inf" and "1e5" are numbers.
    """
    digits = text.replace("\N{MINUS SIGN}", "-")
    if _COMMA_GROUPS.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _POINT_GROUPS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif _is_decimal_comma(digits) or (has_decimal_commas and _is_one_comma(digits)):
        digits = digits.replace(",", ".")
    if "_" in digits:  # Python reads 1_000 as a number, and nobody means one
        return None
    try:
        number = float(digits)
    except ValueError:
        return None
    if isnan(number):
        return None
    return number


def _is_one_comma(text: str) -> bool:
    """Return whether a text is a number with one comma, as `1,234`, whatever that means."""
    return _ONE_COMMA.fullmatch(text) is not None


def _is_decimal_comma(text: str) -> bool:
    """Return whether a text is a number whose one comma can only be a decimal comma.

    Such a comma is not followed by exactly three digits, or a 0 stands first: `3,5`,
    `0,71`, `0,125`. False for `1,234`, which may be a thousand, and for all other texts.
    """
    parts = _ONE_COMMA.fullmatch(text)
    if parts is None:
        return False
    return len(parts["decimals"]) != _GROUP or parts["whole"].startswith("0")


def has_decimal_commas(cells: Iterable[object]) -> bool:
    """Return whether a column writes decimal commas: some cell is a text such as `0,71` or `3,5`.

    False for no cells. Stops at the first such cell.
    """
    return any(
        isinstance(cell, str) and _is_decimal_comma(cell.strip()) for cell in cells
    )
