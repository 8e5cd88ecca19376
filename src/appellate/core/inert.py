"""Text from a file or a model made inert: it may not act on a terminal, nor hide or turn its line.

The rules are only here, in a form for each reader:

- `escaped` for messages and data on a terminal: Python's escape instead of what is not printable;
- `inert_json` for programs, whose output may be read on a terminal;
- `spelled_out` for a report, which is read without the text: `⟨U+202E⟩` says which code point it
  was;
- `stand_ins` for the screen: one code point for one code point, so that offsets stay right.
  `ui.text` knows how wide these are drawn, and which may stand on which.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeGuard

import msgspec

_QUIET = "\n\t\u00ad\u200c\u200d"
"""What a report leaves: a soft hyphen, and what joins Persian words and emoji."""

STRAY = "◌"
"""Stands for a combining mark that has no letter, or one with too many already."""
STACK = 8
"""Combining marks on one letter; further ones are drawn apart."""
_HIDDEN = "␢"
_ACTING = "␦"
_TURNING = "⇄"
_LINE = "␤"
_SELECTOR = "\ufe00"
_ZWNJ = "\u200c"
_ZWJ = "\u200d"

_C0 = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n"}
_C1 = dict.fromkeys(range(0x80, 0xA0), _ACTING)
_BIDI = dict.fromkeys(
    (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    _TURNING,
)
_INVISIBLE = dict.fromkeys(
    (
        *(
            0x034F,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            0x180E,
            0x200B,
            0x3164,
            0xFEFF,
            0xFFA0,
        ),
        *range(0x2060, 0x2066),
        *range(0x206A, 0x2070),
        *range(0xFFF0, 0xFFFC),
        *range(0xE0000, 0xE0080),
    ),
    _HIDDEN,
)
FLAGS = {0x1F1E6 + letter: chr(0x41 + letter) for letter in range(26)}
"""The halves of flags, with the letter that each stands for."""
_STAND_INS = {
    **_C0,
    **_C1,
    **_BIDI,
    **_INVISIBLE,
    **FLAGS,
    0x7F: "␡",
    0x85: _LINE,
    0x2028: _LINE,
    0x2029: _LINE,
    0xAD: "-",
    0xFE0E: _SELECTOR,
    0xFE0F: _SELECTOR,
}


def escaped(text: str, keep: str = "") -> str:
    r"""Return a text with Python's escape, as `\x1b`, for each character that is not printable.

    Newlines and tabs are escaped, too. Characters in `keep` stay, and so does a backslash. A
    terminal obeys none of the escaped characters.
    """
    if text.isprintable():
        return text

    inert = []
    for char in text:
        if char.isprintable() or char in keep:
            inert.append(char)
        else:
            inert.append(repr(char)[1:-1])
    return "".join(inert)


def visible(text: str) -> str:
    """Return lines for a terminal, escaped; newlines and tabs stay."""
    return escaped(text, "\n\t")


def inert_json(value: object, indent: int | None = None) -> str:
    """Return JSON of a value on one line or, with an `indent`, on lines indented by so many spaces.

    Every text keeps its exact value: a character that is not printable is JSON's escape, which no
    terminal obeys, and others beyond ASCII stay. Numbers that JSON has not are `NaN`, `Infinity`
    and `-Infinity`, as Python writes them. Raises TypeError or ValueError for any other value that
    JSON cannot have.
    """
    # Python writes it on one line, and msgspec breaks the lines: both are compiled, while Python's
    # own line breaks are not. Python alone writes what msgspec does not read: NaN, and halves of
    # characters.
    text = inert_json_text(json.dumps(value, ensure_ascii=False))
    if indent is None:
        return text
    try:
        return msgspec.json.format(text, indent=indent)
    except ValueError:
        return inert_json_text(json.dumps(value, ensure_ascii=False, indent=indent))


def inert_json_parts(table: Mapping[str, object], indent: int) -> Iterator[str]:
    """Yield in parts what `inert_json` returns of a table; the parts are to be joined as they are.

    An iterator that is a value of the table, or of a table among such an iterator's entries, is
    written as a list. Its entries are taken when they are written, so that they need not be in
    memory together. Raises what `inert_json` raises.
    """
    pieces = _table_pieces(table, indent, 0)
    while batch := list(islice(pieces, _PIECES)):
        yield "".join(batch)


_PIECES = 200
"""Pieces of JSON, as entries of a list, that are yielded as one part."""


def _table_pieces(
    table: Mapping[str, object],
    indent: int,
    level: int,
) -> Iterator[str]:
    """Yield the JSON of a table in pieces, to be joined as they are: one or more for each key.

    A value that is an iterator is written as a list, with a piece for each entry. The table begins
    on a line that is indented `level` times by `indent` spaces, and these are not yielded.
    """
    line_end = _line_end((level + 1) * indent)
    start = "{"
    for key, value in table.items():
        key_json = inert_json(key)
        head = f"{start}{line_end}{key_json}: "
        if isinstance(value, Iterator):
            yield head
            yield from _list_pieces(value, indent, level + 1)
        else:
            yield head + _json_at_level(value, indent, level + 1)
        start = ","
    if table:
        yield _line_end(level * indent) + "}"
    else:
        yield "{}"


def _list_pieces(
    entries: Iterator[object],
    indent: int,
    level: int,
) -> Iterator[str]:
    """Yield the JSON of a list in pieces, to be joined as they are: one or more for each entry.

    An entry is taken from `entries` as its piece is asked for. The list begins on a line that is
    indented `level` times by `indent` spaces, and these are not yielded. Without entries it is
    "[]".
    """
    start = "["
    line_end = _line_end((level + 1) * indent)
    for entry in entries:
        head = start + line_end
        if _has_iterator(entry):
            yield head
            yield from _table_pieces(entry, indent, level + 1)
        else:
            yield head + _json_at_level(entry, indent, level + 1)
        start = ","
    is_empty = start == "["
    yield "[]" if is_empty else f"{_line_end(level * indent)}]"


def _has_iterator(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether a value is a table with an iterator among its values.

    Tables and lists in it are not searched.
    """
    if not isinstance(value, dict):
        return False
    return any(isinstance(entry, Iterator) for entry in value.values())


def _json_at_level(value: object, indent: int, level: int) -> str:
    """Return inert JSON of a value that begins on a line indented by `level` times `indent` spaces.

    Its first line has no spaces before it, and its further lines have those of that line besides
    their own.
    """
    text = inert_json(value, indent)
    return text.replace("\n", _line_end(level * indent))  # a string has it escaped


def _line_end(spaces: int) -> str:
    """Return a line end, and the spaces at the beginning of the next line."""
    return "\n" + " " * spaces


def inert_json_text(text: str) -> str:
    """Return a JSON text in which each character that is not printable is JSON's escape.

    A terminal obeys none of the escapes, and the values stay the same. Tabs and line ends stay:
    they can only be white space between values, since JSON has them escaped within its texts.
    """
    if text.isprintable():
        return text

    escapes: dict[int, str] = {}
    for char in set(text):
        if not char.isprintable() and char not in "\t\r\n":
            escapes[ord(char)] = json.dumps(char).strip('"')
    if "\x7f" in text:  # the only one that JSON itself does not escape
        escapes[0x7F] = "\\u007f"
    return text.translate(escapes)


def in_unicode(text: str) -> str:
    """Return a text of the command line or the environment without halves of characters.

    Python has bytes that the locale could not read as such halves. They are read as UTF-8, and
    become U+FFFD if they are not UTF-8. A file can hold the result.
    """
    try:
        return text.encode(errors="surrogateescape").decode(errors="replace")
    except UnicodeEncodeError:  # half a character, as Windows may pass it on
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_utf8(text: str) -> bool:
    """Return whether UTF-8 can hold a text: it has no half of a character (lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def in_whole_characters(text: str) -> str:
    """Return a text with U+FFFD for each half of a character (lone surrogate); offsets stay."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def spelled_out(text: str) -> str:
    """Return a text with its code point, as `⟨U+202E⟩`, for each character that is not printable.

    Newlines, tabs, joiners and soft hyphens stay. CR LF and CR become newlines, and blanks of other
    widths become spaces. All other line ends, such as U+2028, are spelled out.
    """
    if text.isprintable():
        return text

    spelled = []
    for char in text.replace("\r\n", "\n").replace("\r", "\n"):
        if char.isprintable() or char in _QUIET:
            spelled.append(char)
        elif unicodedata.category(char) == "Zs":
            spelled.append(" ")
        else:
            spelled.append(f"⟨U+{ord(char):04X}⟩")
    return "".join(spelled)


def stand_ins(text: str) -> str:
    """Return a text with another character for each that acts, hides or misaligns others.

    One code point stands for one, so that offsets stay; tabs and newlines stay, too. Most stand-ins
    are visible, and a half of a flag becomes its letter. Variation selectors, and joiners inside a
    word of a script that is spelt with them, become a code point that is drawn as nothing.
    """
    if text.isascii() and text.isprintable():
        return text
    return _SUSPECT.sub(_stand_in, text)


def _stand_in(match: re.Match[str]) -> str:
    """Return the one character that is drawn in the place of a match's only character.

    A joiner between two letters of a script that is spelt with joiners becomes a ZWNJ, which is
    drawn as nothing. Any other joiner is visible as something hidden.
    """
    char = match[0]
    text = match.string
    if char not in (_ZWNJ, _ZWJ):
        return _STAND_INS.get(ord(char), _ACTING)
    before = text[match.start() - 1 : match.start()]
    after = text[match.end() : match.end() + 1]
    for neighbour in (before, after):
        if not neighbour:
            return _HIDDEN
        if unicodedata.category(neighbour) not in ("Lo", "Mn", "Mc"):
            return _HIDDEN
    # Inside a word of a script that is spelt with joiners, such as Persian.
    return _ZWNJ


def character_class(ranges: Iterable[tuple[int, int]]) -> str:
    """Return the regular expression `[…]` for characters in ranges of code points, ends included.

    There must be at least one range.
    """
    return (
        "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges) + "]"
    )


_SUSPECTS = {*_STAND_INS, ord(_ZWNJ), ord(_ZWJ), *range(0xD800, 0xE000)}
_FIRST = sorted(code for code in _SUSPECTS if code - 1 not in _SUSPECTS)
_LAST = sorted(code for code in _SUSPECTS if code + 1 not in _SUSPECTS)
# few ranges: the engine tries codes beyond U+FFFF one by one
_SUSPECT = re.compile(character_class(zip(_FIRST, _LAST, strict=True)))
