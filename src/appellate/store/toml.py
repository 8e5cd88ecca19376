"""TOML as the audit writes it: literals by tomli_w, tables laid out here, so that `git diff` reads well.

A list of tables always becomes `[[…]]`, a text of several lines a multi-line string unless it holds a
carriage return, which only the escaped form keeps.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import tomli_w

INLINE = ("traces", "judgments", "signed")
"""The one table that stands on one line."""


def emit(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[str]:
    """The lines of a table's own keys, then its tables, each under its header."""
    tables = []
    for key, value in table.items():
        if _is_table(value) and (*path, key) != INLINE:
            tables.append((key, value))
        else:
            yield _literal(key, value)
    for key, value in tables:
        yield from _tables((*path, key), value)


def _is_table(value: Any) -> bool:
    if isinstance(value, str | int):  # what most values are, told faster than what a Mapping is
        return False
    listed = isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)
    return isinstance(value, Mapping) or listed


def _tables(path: tuple[str, ...], value: Any) -> Iterator[str]:
    name = ".".join(map(_key, path))
    if isinstance(value, Mapping):
        yield f"\n[{name}]\n"
        yield from emit(value, path)
        return
    for row in value:
        yield f"\n[[{name}]]\n"
        yield from emit(row, path)


def _key(part: str) -> str:
    return tomli_w.dumps({part: 0}).removesuffix(" = 0\n")


def _literal(key: str, value: Any) -> str:
    if key.isidentifier() and key.isascii():  # most of an audit's lines are numbers and words of its items
        if type(value) is int:
            return f"{key} = {value}\n"
        if type(value) is str and value.isprintable() and not ('"' in value or "\\" in value):
            return f'{key} = "{value}"\n'
    if isinstance(value, Mapping):
        inside = ", ".join(_literal(k, v).strip() for k, v in value.items())
        return f"{_key(key)} = {{{inside}}}\n"
    if isinstance(value, datetime) and value.tzinfo == UTC:
        return f"{_key(key)} = {stamp(value)}\n"
    several_lines = isinstance(value, str) and "\n" in value and "\r" not in value
    return tomli_w.dumps({key: value}, multiline_strings=several_lines)


def stamp(moment: datetime) -> str:
    """A moment as files and facts keep it: UTC, ISO 8601, ending in Z."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def moment(stamped: str) -> datetime:
    """The inverse of `stamp`."""
    return datetime.fromisoformat(stamped)
