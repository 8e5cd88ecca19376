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
_CHUNK = 1 << 20
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
    """Return the first bytes of a file as text, in the encoding that they tell, else as UTF-8.

    Bytes that are no letters of it become replacement marks. A mark of the encoding at the
    beginning is left out.
    """
    return begin.decode(_marked(begin) or UTF_8, "replace")


def opened(path: Path, *, errors: str = "strict", newline: str | None = None) -> TextIO:
    """Open a file as text in its own encoding, for reading.

    `errors` and `newline` are those of `open`. Raises OSError. Reading raises UnicodeDecodeError at
    bytes that no encoding known here has, unless `errors` says otherwise.
    """
    return path.open(encoding=encoding_of(path), errors=errors, newline=newline)


def encoding_of(path: Path) -> str:
    """Return the name of the encoding that a file was written in, as Python calls it.

    It is UTF-8 also for a file that is broken as UTF-8: one with letters in UTF-8, too, or with
    bytes that Windows-1252 does not have. The whole file is read once, and again after it changed.
    Raises OSError.
    """
    stat = path.stat()
    return _encoding(path, stat.st_size, stat.st_mtime_ns)


def encoding_note(path: Path) -> str:
    """Return a clause on the encoding of a file, without a full stop; "" for UTF-8.

    It has the file's name, and what the file was read as. Raises OSError.
    """
    name = _NAMES.get(encoding_of(path))
    if name is None:
        return ""
    return f"{path.name} is not UTF-8: it was read as {name}"


@lru_cache(64)
def _encoding(path: Path, _size: int, _changed: int) -> str:
    """Return the name of a file's encoding: by its mark, else UTF-8 or `_LATIN` by its letters.

    `_size` and `_changed` only part what is cached for a file from what it was before a change.
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
    """Return the encoding that the first bytes tell; None if they may be UTF-8 or Latin-1.

    UTF-16 without a mark is told by the zero in each of its first letters.
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

    The file is read to its end.
    """
    decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
    letters = 0
    broken = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            text = decode(chunk)
            if text.isascii():
                continue
            escaped = len(_ESCAPED.findall(text))
            letters += len(_BEYOND_ASCII.findall(text)) - escaped
            broken += escaped
    return letters, broken


def _is_latin(path: Path) -> bool:
    """Return whether each byte of a file is a letter of Windows-1252."""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            try:
                chunk.decode(_LATIN)
            except UnicodeDecodeError:
                return False
    return True
