"""The tables of an audit file: what is at its top, and its traces one after the other.

The program writes an audit as a head, then a part for each trace, which begins with a line
`[[traces]]`. Each of these is TOML by itself, so that a file of any size is read with one trace in
memory. What a person wrote may look otherwise: then the file is read whole.

If every part is TOML by itself, the parts say what the whole says. A part ends between two
statements then, so the next line `[[traces]]` is a header and no line of a text. What a header of a
trace opens is below that trace alone.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomli
from msgspec import Struct

from appellate.core.kind import Table
from appellate.store.files.text_file import (
    MIB,
    check_lengths,
    opened,
    text_of,
    toml_table,
)

LARGEST = 4096 * MIB
"""Bytes that are read at once: of a whole file, or of a part of it."""
_TRACES = "traces"
_HEADERS = (b"[[traces]]\n", b"[[traces]]\r\n")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class NotByTrace(Exception):
    """A file cannot be read trace by trace. Whether it can be read whole is another question."""


class AuditDocument(Struct, frozen=True):
    """An audit file that is being read."""

    top: Table
    """The keys of the file. The traces are among them if it is read whole."""
    traces: Iterator[tuple[Table, float]] | None
    """Each trace, and the share of the file before it. None if the file is read whole."""


def whole_document(path: Path) -> AuditDocument:
    """Return a file with all its tables in memory; raises Unusable if it is no TOML."""
    return AuditDocument(toml_table(text_of(path, LARGEST), str(path)), None)


def document_by_trace(path: Path) -> AuditDocument:
    """Read the top of an audit file; its traces are read one by one as a caller iterates over them.

    Raises NotByTrace, at once or on iterating, if the file must be read whole: it is no regular
    file or does not exist, its top has a key `traces`, or the top or a trace is no TOML by itself.
    Raises Unusable, also at once or on iterating, if the disk refuses.
    """
    if not os.path.isfile(path):  # noqa: PTH113 - pathlib's raises where a folder cannot be read
        raise NotByTrace  # what comes out of a pipe cannot be read a second time
    parts = _parts(path)
    head, _ = next(parts)
    top = _table(head.removeprefix(_BYTE_ORDER_MARK))
    if _TRACES in top:
        raise NotByTrace
    return AuditDocument(top, _traces(parts))


def _traces(parts: Iterator[tuple[bytes, float]]) -> Iterator[tuple[Table, float]]:
    """Yield the traces in the parts after the head, each with the share of the file before it.

    Raises NotByTrace if a part has anything but traces, or is no TOML by itself, and Unusable if
    the disk refuses.
    """
    for part, share in parts:
        table = _table(part)
        if table.keys() != {_TRACES}:
            raise NotByTrace
        for trace in table[_TRACES]:
            yield trace, share


def _parts(path: Path) -> Iterator[tuple[bytes, float]]:
    """Yield the head of a file, which may be empty, then each part that begins with a trace.

    Each comes with the share of the file that is before it, from 0 to 1. A part begins with a line
    that is `[[traces]]` and nothing else. Raises NotByTrace for a part of more than `LARGEST`
    bytes, and Unusable for a file that cannot be read.
    """
    with opened(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        done = 0
        lines: list[bytes] = []
        length = 0
        for line in stream:
            if line in _HEADERS:
                yield b"".join(lines), done / size
                done += length
                lines = []
                length = 0
            lines.append(line)
            length += len(line)
            if length > LARGEST:
                raise NotByTrace
        yield b"".join(lines), done / (size or 1)


def _table(octets: bytes) -> dict[str, Any]:
    """Return a part of a file as a table; raise NotByTrace if it is no TOML in UTF-8 by itself."""
    try:
        text = octets.decode()
        table = tomli.loads(text)
        check_lengths(table, text)
    except (ValueError, RecursionError) as error:
        raise NotByTrace from error
    return table
