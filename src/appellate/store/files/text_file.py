"""A file's text, or a sentence about why it has none: before anything is parsed."""

import codecs
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import tomli

from appellate.core.inert import escaped
from appellate.core.problem import Problem, Unusable

MIB = 1 << 20
PACKED = {
    b"\x1f\x8b": "gzip-compressed",
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "zstd-compressed",
    b"SQLite format 3": "an SQLite file",
}
WIDE = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def expanded(path: str) -> Path:
    """Return a path with `~` as the home folder; as it is if there is no such home."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - pathlib's raises where there is none


def unusable(file: str, wrong: str, right: str = "", place: str = "") -> Unusable:
    """Return, and do not raise, an Unusable with one problem of a file.

    `wrong` says what is wrong, `right` what would be right, and `place` where it is in the file;
    the last two may be empty.
    """
    return Unusable([Problem(file, place, wrong, right)])


def text_of(path: str | Path, largest: int) -> str:
    """Return the text of a whole UTF-8 file without its BOM.

    Raises Unusable if the file is missing or cannot be read, is larger than `largest` bytes, is
    packed or is not UTF-8.
    """
    with opened(path) as stream:
        return stream_text(stream, str(path), largest)


def stream_text(stream: BinaryIO, file: str, largest: int) -> str:
    """Return the rest of an open UTF-8 stream as text, without a BOM.

    Raises Unusable, naming `file`, if it is larger than `largest` bytes, packed or not UTF-8, and
    OSError if it cannot be read.
    """
    return decoded(bounded(stream.read(largest + 1), file, largest), file)


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file to be read as bytes, and close it after the block.

    Raises Unusable for a missing file, a folder, a device, a file that may not be read and a name
    that no file can have; also for any OSError in the block. A pipe may be read.
    """
    file = str(path)
    if "\0" in file:
        raise unusable(file, "no file can have this name: it holds a null byte")
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise unusable(file, "this is a folder", "name a file in it")
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            raise unusable(file, "this is a device, not a file")
        with Path(path).open("rb") as stream:
            yield stream
    except FileNotFoundError:
        raise unusable(file, "there is no such file") from None
    except PermissionError:
        raise unusable(file, "no permission to read it") from None
    except OSError as error:
        raise unusable(file, f"it cannot be read: {error.strerror or error}") from None
    except UnicodeEncodeError:
        raise unusable(file, "no file can have this name: it is no text") from None


def bounded(octets: bytes, file: str, largest: int) -> bytes:
    """Return these bytes unchanged; raise Unusable, naming `file`, if they are more than `largest`.

    As many as `largest` bytes are allowed.
    """
    if len(octets) > largest:
        wrong = f"larger than {largest // MIB} MiB, which is as much as is read at once"
        raise unusable(file, wrong, "split it")
    return octets


def standard_input() -> BinaryIO:
    """Return standard input as bytes; raise Unusable if it is closed."""
    if sys.stdin is None:
        raise unusable(
            "-",
            "standard input is closed",
            "name a file, or pipe JSON Lines in",
        )
    return sys.stdin.buffer


def toml_table(text: str, file: str) -> dict[str, Any]:
    """Return the table that a text in TOML is; raise Unusable, naming `file`, if it is none.

    The problem has the line and column of the fault. It has no place for a text that is nested too
    deeply or has a number of more than 4,300 digits.
    """
    try:
        table = tomli.loads(text)
        check_lengths(table, text)
    except tomli.TOMLDecodeError as error:
        place, wrong = _located(str(error), text)
        raise unusable(file, f"not valid TOML: {wrong}", place=place) from None
    except RecursionError:
        raise unusable(file, "nested too deeply") from None
    except ValueError:
        raise unusable(
            file,
            "a number has more than 4,300 digits",
            "write it as text",
        ) from None
    return table


def check_lengths(table: dict[str, Any], text: str) -> None:
    """Raise ValueError if a table has a whole number of more decimal digits than Python writes.

    Only a number that is written in another base than ten can be so long: tomli refuses the others.
    `text` is the TOML that the table was read from.
    """
    if not any(prefix in text for prefix in ("0x", "0o", "0b")):
        return
    remaining: list[object] = [table]
    while remaining:
        value = remaining.pop()
        if isinstance(value, dict):
            remaining += value.values()
        elif isinstance(value, list):
            remaining += value
        elif isinstance(value, int):
            str(value)


def decoded(octets: bytes, file: str) -> str:
    """Return the text of a whole file's bytes, in UTF-8, without its BOM.

    Raises Unusable for bytes that begin as a packed file or as UTF-16 or UTF-32 do, and for any
    that are not UTF-8, with the line.
    """
    for start, format_name in PACKED.items():
        if octets.startswith(start):
            raise unusable(
                file,
                f"this is {format_name}, not text",
                "unpack or export it first",
            )
    for start, encoding in WIDE.items():
        if octets.startswith(start):
            raise unusable(file, f"this is {encoding}", "save it as UTF-8")
    return utf8(octets, file).removeprefix("\ufeff")


def utf8(octets: bytes, file: str, line: int = 1) -> str:
    """Return the text that bytes of a file are; raise Unusable, with the line, if it is not UTF-8.

    `line` is the number of the line (from 1) that the bytes begin with. A BOM stays in the text.
    """
    try:
        return octets.decode()
    except UnicodeDecodeError as error:
        line += octets.count(b"\n", 0, error.start)
        wrong = f"not UTF-8: byte 0x{octets[error.start]:02x} begins no character"
        raise unusable(file, wrong, "save it as UTF-8", f"line {line}") from None


def _located(message: str, text: str) -> tuple[str, str]:
    """Split a message of tomli into place and fault, as ("line 3, column 5", "Expected '='").

    `message` is as in "Expected '=' (at line 3, column 5)". A fault at the end of the document is
    placed in the last line of `text` that is not blank, as "line 3, the last". Control characters
    in the fault are escaped.
    """
    wrong, _, place = message.removesuffix(")").rpartition(" (at ")
    if place == "end of document":
        line_count = text.rstrip().count("\n") + 1
        place = f"line {line_count}, the last"
    return place, escaped(wrong)
