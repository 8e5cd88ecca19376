"""Writes every text on standard output and standard error, also if these are not in UTF-8.

Both streams get an error handler, so that every text can be written: a mark of ours as its ASCII
twin, another character as `?` on standard output and as Python's escape on standard error. JSON and
HTML have escapes of their own, which lose nothing.
"""

import codecs
import json
import sys
from io import TextIOWrapper

from appellate.ui.marks import twins

_OUTPUT = "appellate.output"
_ERROR = "appellate.error"
_JSON = "appellate.json"
"""Names of error handlers."""
_NOTE = (
    "standard output is in {encoding}, which lacks some characters: each is shown as ?."
    " PYTHONIOENCODING=utf-8 keeps them, and so does -o FILE where a command has it"
)


_lost: set[str] = set()
"""The characters that standard output lacked so far."""


def accept_every_text() -> None:
    """Set the error handlers of standard output and standard error, so that no text is refused.

    What their encoding lacks is written as the ASCII twin of a mark of ours. Any other character is
    `?` on standard output, and Python's escape on standard error. A stream that is not a text file,
    as in a test, is left as it is. Nothing is raised.
    """
    codecs.register_error(_OUTPUT, write_on_output)
    codecs.register_error(_ERROR, write_on_error)
    for stream, handler in ((sys.stdout, _OUTPUT), (sys.stderr, _ERROR)):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=handler)


def loss_note() -> str:
    """Return a note that standard output lacked characters, or "" if it has lacked none so far.

    The note names the encoding, not the characters, and has no full stop. Marks that were written
    as their ASCII twin do not count.
    """
    if not _lost:
        return ""
    return _NOTE.format(encoding=sys.stdout.encoding)


def json_to_write(text: str) -> str:
    """Return JSON text that standard output can write: with JSON's escapes if it is not Unicode.

    All characters outside ASCII are escaped then, and a byte order mark is removed. For an output
    in UTF-8, UTF-16 or UTF-32 the text is returned as it is.
    """
    if _is_unicode():
        return text
    codecs.register_error(_JSON, _escape_in_json)
    return text.removeprefix("\ufeff").encode("ascii", _JSON).decode("ascii")


def html_to_write(text: str) -> str:
    """Return HTML that standard output can write: with numbered references if it is not Unicode.

    All characters outside ASCII are replaced then: the document says that it is in UTF-8, so one of
    another encoding would be misread. For an output in Unicode the text is returned as it is.
    """
    if _is_unicode():
        return text
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _is_unicode() -> bool:
    """Return whether standard output can write every character, by its encoding.

    It can in UTF-8, UTF-16 and UTF-32, and without an encoding.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return codecs.lookup(encoding).name.startswith("utf")


# -- error handlers -------------------------------------------------------------------------------


def write_on_output(error: UnicodeError) -> tuple[str, int]:
    """Return what standard output gets for characters that its encoding lacks, and the offset after
    them.

    It is the ASCII twin of our marks, and `?` for any other character, which is remembered for
    `loss_note`. Raises `error` if it is not about encoding.
    """
    unwritable, end = _unwritable(error)
    ascii_twins = twins()
    _lost.update(char for char in unwritable if char not in ascii_twins)
    return "".join(ascii_twins.get(char, "?") for char in unwritable), end


def write_on_error(error: UnicodeError) -> tuple[str, int]:
    """Return what standard error gets for characters that its encoding lacks, and the offset after
    them.

    It is the ASCII twin of our marks, and Python's escape of any other character. Raises `error` if
    it is not about encoding.
    """
    unwritable, end = _unwritable(error)
    text = "".join(twins().get(char, char) for char in unwritable)
    return text.encode("ascii", "backslashreplace").decode("ascii"), end


def _escape_in_json(error: UnicodeError) -> tuple[str, int]:
    """Return JSON's escapes of characters that the encoding lacks, and the offset after them.

    An escape is a backslash with `u` and four hexadecimal digits; a character beyond U+FFFF has
    two. Raises `error` if it is not about encoding.
    """
    unwritable, end = _unwritable(error)
    return json.dumps(unwritable)[1:-1], end


def _unwritable(error: UnicodeError) -> tuple[str, int]:
    """Return the characters that cannot be encoded, and the offset after them.

    Raises `error` if it is not about encoding.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end], error.end
