"""The text of a file in the encoding that it was written in.

Tools write UTF-8. Spreadsheets also save UTF-16 ("Unicode text") and the Latin-1 of Windows.

    decoded_beginning()   what a file is, from its first bytes
    opened()              the whole text
    encoding_note()       what is to be said where it is not UTF-8
"""

import codecs
import re
from functools import lru_cache
from pathlib import Path
from typing import TextIO

UTF_8 = "utf-8-sig"
_LATIN = "cp1252"
"""Latin-1 as Windows writes it: with quotes, dashes and the euro where Latin-1 has controls."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHUNK = 1 << 18
_ESCAPED = re.compile("[\udc80-\udcff]")
"""Bytes that are no UTF-8, as Python escapes them."""
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_NAMES = {
    "utf-32": "UTF-32",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    _LATIN: "Latin-1 (Windows-1252)",
}


def decoded_beginning(begin: bytes) -> str:
    """Return the first bytes of a file as text, in the encoding that they show, else as UTF-8.

    UTF-16 and UTF-32 are recognised; Latin-1 is not. A byte-order mark at the beginning is left
    out. Bytes that cannot be decoded become U+FFFD, also a letter that is cut at the end. Raises
    nothing.
    """
    return begin.decode(_marked(begin) or UTF_8, "replace")


def opened(path: Path, *, errors: str = "strict", newline: str | None = None) -> TextIO:
    """Open a file for reading as text, in the encoding that it was written in (`encoding_of`).

    `errors` and `newline` are passed to `open`. The caller closes the file. Raises OSError. With
    `errors="strict"` reading raises UnicodeDecodeError where a file is neither UTF-8 nor
    Windows-1252.
    """
    return path.open(encoding=encoding_of(path), errors=errors, newline=newline)


def encoding_of(path: Path) -> str:
    """Return the encoding that a file was written in, as a name that Python's `open` takes.

    It is UTF-16 or UTF-32 by its first bytes, else UTF-8, or Windows-1252 ("cp1252") if the file
    reads as that and mostly not as UTF-8. A file is UTF-8 as well if it is broken: if its valid
    UTF-8 letters are at least as many as its broken bytes, or if a byte is no Windows-1252. Reads
    the whole file, but only once until it changes. Raises OSError.
    """
    stat = path.stat()
    return _encoding(path, stat.st_size, stat.st_mtime_ns)


def encoding_note(path: Path) -> str:
    """Return a clause such as "a.csv is not UTF-8: it was read as UTF-16"; "" for a UTF-8 file.

    It has the file's name without folders, and no full stop. Raises OSError.
    """
    name = _NAMES.get(encoding_of(path))
    if name is None:
        return ""
    return f"{path.name} is not UTF-8: it was read as {name}"


@lru_cache(64)
def _encoding(path: Path, _size: int, _changed: int) -> str:
    """Return the name of a file's encoding, read from its content.

    It is UTF-16 or UTF-32 by its first bytes. Else it is UTF-8, unless the file has more bytes that
    are no UTF-8 than valid letters beyond ASCII and all of it is Windows-1252. The result is kept
    for the same path, size and time of change; `_size` and `_changed` (in nanoseconds) serve only
    for that. Raises OSError.
    """
    with path.open("rb") as file:
        begin = file.read(4)
    marked = _marked(begin)
    if marked is not None:
        return marked
    letters, broken = _letters(path)
    if broken <= letters or not _is_latin(path):
        return UTF_8
    return _LATIN


def _marked(begin: bytes) -> str | None:
    """Return UTF-16 or UTF-32 as Python's name if a file's first bytes show it, else None.

    They show it by a byte-order mark. Without one, UTF-16 is known by every second of the first
    four bytes being 0. None for fewer bytes, and for UTF-8, also with a mark.
    """
    for mark, name in _MARKS:
        if begin.startswith(mark):
            return name
    if len(begin) < 4:  # noqa: PLR2004 - two letters
        return None
    is_zero = [byte == 0 for byte in begin[:4]]
    if is_zero == [False, True, False, True]:
        return "utf-16-le"
    if is_zero == [True, False, True, False]:
        return "utf-16-be"
    return None


def _letters(path: Path) -> tuple[int, int]:
    """Return how many letters beyond ASCII a file has as UTF-8, and how many bytes are no UTF-8.

    Reads the file to its end, a chunk at a time. Raises OSError.
    """
    decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
    letters = 0
    broken = 0
    with path.open("rb") as file:
        is_at_end = False
        while not is_at_end:
            chunk = file.read(_CHUNK)
            is_at_end = not chunk
            text = decode(chunk, is_at_end)  # a letter may be cut at the end
            if text.isascii():
                continue
            escaped = len(_ESCAPED.findall(text))
            letters += len(_BEYOND_ASCII.findall(text)) - escaped
            broken += escaped
    return letters, broken


def _is_latin(path: Path) -> bool:
    """Return whether a whole file can be decoded as Windows-1252.

    Five bytes have no letter there. True for an empty file. Raises OSError.
    """
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            try:
                chunk.decode(_LATIN)
            except UnicodeDecodeError:
                return False
    return True
