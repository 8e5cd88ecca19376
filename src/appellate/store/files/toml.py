"""TOML as the audit writes it, so that `git diff` reads well.

A list of tables becomes `[[…]]`, a list of lists that begin with a text has one of them on each
line, a text of several lines is a multi-line string unless it holds a carriage return.
"""

import re
from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from functools import lru_cache
from typing import Any

import tomli_w

LAYOUT = 2
"""Counts how often the same values came to be written in other bytes."""
INLINE = ("traces", "judgments", "signed")
"""The one table that stands on one line."""
MOMENT = "a date and time with a zone, as 2026-01-31T09:05:00Z"
"""What a moment in a file must be, as a part of a sentence."""


def emit(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[str]:
    """Return a table in TOML, in pieces that end in a line break and are joined as they are.

    The plain keys come first, in their order, then a header for each table and each entry of a list
    of tables, with what is in it. `path` is the table's own place, put before the names in those
    headers; its own header is not written. Raises TypeError for None and other values that TOML
    lacks.
    """
    lines: list[str] = []
    _emit(table, path, lines)
    return lines


def _emit(  # noqa: C901, PLR0912 - a case for each type; calls would take longer than the work
    table: Mapping[str, Any],
    path: tuple[str, ...],
    lines: list[str],
) -> None:
    """Add a table in TOML to `lines`, in pieces that end in a line break.

    It is what `emit` returns, and raises what that does; with `path` ("a",) a table "b" gets the
    header `[a.b]`, after an empty line.
    """
    tables = []
    for key, value in table.items():
        value_type = type(value)
        if value_type is str:
            # most are bare
            if value.isprintable() and '"' not in value and "\\" not in value:
                lines.append(f'{_key(key)} = "{value}"\n')
            else:
                lines.append(f"{_key(key)} = {_text(value)}\n")
        elif value_type is int:
            lines.append(f"{_key(key)} = {value}\n")
        elif value_type is bool:
            lines.append(f"{_key(key)} = {'true' if value else 'false'}\n")
        elif value_type is float:
            lines.append(f"{_key(key)} = {value}\n")
        elif value_type is list and not value:
            lines.append(f"{_key(key)} = []\n")
        elif value_type is dict and (*path, key) != INLINE:
            tables.append((key, value))
        elif value_type is list and set(map(type, value)) <= {str}:
            lines.append(f"{_key(key)} = {_texts(value)}\n")
        elif value_type is datetime and value.tzinfo is UTC:
            lines.append(f"{_key(key)} = {_utc_text(value)}\n")
        elif value_type not in _PLAIN and _is_table(value) and (*path, key) != INLINE:
            tables.append((key, value))
        else:
            lines.append(f"{_key(key)} = {_value(value)}\n")
    for key, value in tables:
        below = (*path, key)
        name = _dotted(below)
        if not isinstance(value, list):
            lines.append(f"\n[{name}]\n")
            _emit(value, below, lines)
            continue
        head = f"\n[[{name}]]\n"
        for row in value:
            lines.append(head)
            _emit(row, below, lines)


_PLAIN = {float, bool, datetime}
_TABLE = (dict, Mapping)


def _is_table(value: object) -> bool:
    """Return whether a value gets headers of its own: a table, or a list of tables only.

    True for an empty table, and False for an empty list.
    """
    if isinstance(value, list):
        return bool(value) and all(isinstance(element, _TABLE) for element in value)
    return isinstance(value, Mapping)


@lru_cache(1 << 14)
def _key(part: str) -> str:
    """Return one key as TOML has it: `a-b` as it is, and `a b`, `a.b` or an empty one in quotes."""
    return _SPECIAL_IN_TOML.sub(
        _escaped,
        tomli_w.dumps({part: 0}).removesuffix(" = 0\n"),
    )


@lru_cache(1 << 14)
def _dotted(path: tuple[str, ...]) -> str:
    """Return the name of a table in its header: its keys with dots between them."""
    return ".".join(map(_key, path))


def _value(value: object) -> str:
    """Return any value in TOML, as what stands right of a `=`.

    A text of several lines, a list of texts and a list of lists may take several lines; a table is
    on one line, in braces. A moment in UTC ends in Z. Raises TypeError for None and other values
    that TOML lacks.
    """
    value_type = type(value)
    if value_type is int or value_type is float:
        return str(value)
    if value_type is bool:
        return str(value).lower()
    match value:
        case str():
            return _text(value)
        case datetime() if value.tzinfo == UTC:
            return _utc_text(value)
        case Mapping():
            inside = [f"{_key(key)} = {_value(below)}" for key, below in value.items()]
            return f"{{{', '.join(inside)}}}"
        case list() if value and all(isinstance(element, str) for element in value):
            return _texts(value)
        case list() if _holds_rows(value):
            return _rows(value, "")
    text = tomli_w.dumps({"": value}).removeprefix('"" = ').removesuffix("\n")
    return _SPECIAL_IN_TOML.sub(_escaped, text)


def _texts(value: list[str]) -> str:
    """Return a list of texts in TOML, each text on a line of its own, indented by four blanks.

    Line breaks in a text are escaped. An empty list is `[]`.
    """
    if not value:
        return "[]"
    return "[\n" + "".join([f"    {_line(text)},\n" for text in value]) + "]"


def _holds_rows(value: list[Any]) -> bool:
    """Return whether a list is to be laid out in rows: lists that begin with a text.

    Lists of such lists are rows, too, and empty lists among them are passed over. False if anything
    else is in the list, or no such row.
    """
    rows = [row for row in value if row != []]
    for row in rows:
        if not isinstance(row, list):
            return False
    for row in rows:
        if not isinstance(row[0], str) and not _holds_rows(row):
            return False
    return len(rows) > 0


def _rows(value: list[Any], margin: str) -> str:
    """Return a list of lists in TOML, with each inner list on a line of its own.

    `margin` is a text of blanks: the indent of the line that the list begins on, and of its last
    bracket. The rows are indented by four more, and rows in a row are laid out likewise. No element
    may be anything but a list.
    """
    lines = []
    for element in value:
        texts = [
            _line(below) if isinstance(below, str) else _value(below)
            for below in element
        ]
        row = f"[{', '.join(texts)}]"
        if _holds_rows(element):
            row = _rows(element, f"{margin}    ")
        lines.append(f"{margin}    {row},\n")
    return f"[\n{''.join(lines)}{margin}]"


_ACTING = r"\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""A class of what a terminal or an editor obeys though TOML allows it: C1 controls, directions."""
_SPECIAL = re.compile(rf'[\x00-\x08\x0a-\x1f"\\{_ACTING}]')
_SPECIAL_IN_LINES = re.compile(rf'[\x00-\x08\x0b-\x1f"\\{_ACTING}]')
_SPECIAL_IN_TOML = re.compile(rf"[{_ACTING}]")
"""In TOML that is written already, where they can only stand between quotation marks."""
_SHORT = {"\b": "\\b", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _text(text: str) -> str:
    """Return a text in TOML, with its quotes and with all escapes.

    A text with line feeds, and no carriage return, is put between triple quotes, beginning on the
    next line; any other stands on one line.
    """
    if _is_bare(text):
        return f'"{text}"'
    if "\n" in text and "\r" not in text:
        if not _is_bare(text.replace("\n", "")):
            text = _SPECIAL_IN_LINES.sub(_escaped, text)
        return f'"""\n{text}"""'
    return _line(text)


def _line(text: str) -> str:
    """Return a text in TOML on one line, in double quotes.

    Quotes, backslashes, line breaks and control characters in it are escaped.
    """
    if not _is_bare(text):
        text = _SPECIAL.sub(_escaped, text)
    return f'"{text}"'


def _is_bare(text: str) -> bool:
    """Return whether a text needs no escapes for certain; False if it may need some."""
    return text.isprintable() and '"' not in text and "\\" not in text


def _escaped(match: re.Match[str]) -> str:
    """Return TOML's escape for the one matched character: a short one, or "u" and four digits.

    The backslash is in front of it.
    """
    char = match.group()
    return _SHORT.get(char) or f"\\u{ord(char):04x}"


@lru_cache(1 << 10)
def stamp(moment: datetime) -> str:
    """Return a moment as files and facts keep it, as "2026-01-31T09:05:00Z": ISO 8601 in UTC.

    Raises ValueError for a moment without a time zone, for a date or a text, and for the years 1
    and 9999, which not every zone has; and TypeError for a list or a table.
    """
    # what is imported has one moment, so that the latest texts are kept in memory
    if getattr(moment, "tzinfo", None) is None:
        raise ValueError(f"{moment} is not {MOMENT}")
    if MINYEAR < moment.year < MAXYEAR:
        in_utc = moment.astimezone(UTC)
        if MINYEAR < in_utc.year < MAXYEAR:
            return _utc_text(in_utc)
    raise ValueError(f"{moment} is in no year from 2 to 9998")


def is_moment(value: Any) -> bool:
    """Return whether a value is a datetime with a time zone in the years 2 to 9998 of UTC.

    `stamp` takes such a value. A text is none, whatever it says, and no value raises.
    """
    try:
        stamp(value)
    except (TypeError, ValueError):
        return False
    return True


@lru_cache(1 << 10)
def _utc_text(moment: datetime) -> str:
    """Return a moment whose zone is UTC in ISO 8601, with Z for its zone; any year is right."""
    return moment.replace(tzinfo=None).isoformat() + "Z"


@lru_cache(1 << 10)
def moment(stamped: str) -> datetime:
    """Return the moment in a text of ISO 8601, as "2026-01-31T09:05:00Z".

    The time zone is the text's, and a text without one gives a moment without one. Raises
    ValueError for any other text.
    """
    return datetime.fromisoformat(stamped)
