"""The sequences of a terminal that mean something here, and the form in which they are read.

Textual reads more than it understands. A number beyond Unicode or an event type raises, a reply is
taken for a key, Caps Lock may be a letter. What is not listed here is dropped before it is read.
"""

import re
from unicodedata import category

from appellate.ui.textual_compat import FUNCTION_KEYS, NAMED_SEQUENCES

_KEY = re.compile(
    r"\x1b\[(\d{1,7})(?:;(\d{0,3})(?:;((?:\d{1,7}:)*\d{1,7}))?)?([u~A-FHPQS])",
)
"""A key as kitty's protocol has it, without event types and alternate keys, which nobody asked for:
its number, modifiers and text.
"""
_OTHER_KEY = re.compile(r"\x1b\[27;(\d{1,3});(\d{1,7})~")
"""A key as xterm has it under `modifyOtherKeys`: its modifiers and its character."""
_MOUSE = re.compile(r"\x1b\[<(\d{1,3});\d{1,5};\d{1,5}[Mm]")
_FIRST_EXTRA_BUTTON = 128
_CURSOR_POSITION = re.compile(r"\x1b\[\d+;\d+R")
"""A report of the cursor's position. F3 with modifiers is the same sequence, and cannot be told
from it.
"""
_MODE_REPORT = re.compile(r"\x1b\[\?(?:2026|2048);\d\$y")
_RESIZE = re.compile(r"\x1b\[48(?:;[1-9]\d{0,4}){4}t")
FOCUS = ("\x1b[I", "\x1b[O")
_MODIFIERS_BESIDE_TEXT = 1 | 64 | 128
"""Shift, Caps Lock and Num Lock: a key with these alone is its character."""
_BACKSPACE = 8
_DELETE = 127
_CONTROL_KEYS = (9, 13, 27, _DELETE)
_LAST_CHARACTER = 0x10FFFF
_PRIVATE_USE = range(0xE000, 0xF900)
_X_KEYS = range(0xFE00, 0x10000)
"""Where X numbers keys without a character, as Caps Lock (0xFFE5) and Num Lock (0xFF7F)."""
_SILENT_KEYS = (
    "caps_lock",
    "scroll_lock",
    "num_lock",
    "left_",
    "right_",
    "iso_",
    "media_",
    "lower_volume",
    "raise_volume",
    "mute_volume",
)
"""How the names of keys begin that do nothing by themselves, or nothing here."""


def known_form(sequence: str) -> str | None:
    """Return the form in which Textual reads a terminal's sequence rightly, or None to drop it.

    Keys of kitty's protocol and of `modifyOtherKeys` may be rewritten. Named keys, focus, mouse
    events, mode reports and resizes stay as they are; mouse buttons from `_FIRST_EXTRA_BUTTON` on,
    reports of the cursor's position and all else are dropped. If this Textual lacks the tables that
    are looked up here, each sequence is returned as it is.
    """
    # another Textual may read sequences otherwise
    if not FUNCTION_KEYS or not NAMED_SEQUENCES:
        return sequence
    if _CURSOR_POSITION.fullmatch(sequence):
        return None
    if other_key := _OTHER_KEY.fullmatch(sequence):
        modifiers = int(other_key[1])
        number = int(other_key[2])
        return _form_of_other_key(sequence, modifiers, number)
    if key := _KEY.fullmatch(sequence):
        return _form_of_key(sequence, key)
    if sequence in NAMED_SEQUENCES or sequence in FOCUS:
        return sequence
    if mouse := _MOUSE.fullmatch(sequence):
        button = int(mouse[1])
        return sequence if button < _FIRST_EXTRA_BUTTON else None
    if _MODE_REPORT.fullmatch(sequence) or _RESIZE.fullmatch(sequence):
        return sequence

    return None


def _form_of_key(sequence: str, key: re.Match[str]) -> str | None:
    """Return a key of kitty's protocol as Textual reads it, or None to drop it.

    `key` is the match of `_KEY` in `sequence`. Dropped are function keys that do nothing here, and
    sequences of another form that Textual does not know. Any other key stays as it is if it has a
    text that can be typed, even if its number is 0, as an input method sends it. A text that cannot
    be typed is taken out of the sequence. A key then without a text is dropped if its number is
    neither a function key nor a character.
    """
    number, modifiers, text_codes, final = key.groups()
    text_numbers: list[int] = []
    if text_codes:
        text_numbers = [int(text) for text in text_codes.split(":")]
    is_typed = all(map(_is_text, text_numbers))

    name = FUNCTION_KEYS.get(f"{int(number)}{final}")
    if name is not None:
        if name.startswith(_SILENT_KEYS):
            return None
        if is_typed:
            return sequence
        return f"\x1b[{number};{modifiers}{final}"
    if final != "u":
        return sequence if sequence in NAMED_SEQUENCES else None
    if text_numbers and is_typed:  # what an input method gives has no number of its own
        return sequence
    if not _is_text(int(number)):
        return None
    if not text_numbers:
        return sequence
    return f"\x1b[{number};{modifiers}u"


def _form_of_other_key(sequence: str, modifiers: int, number: int) -> str | None:
    """Return a key of `modifyOtherKeys` as Textual reads it, or None to drop it.

    `modifiers` is the sequence's sum of modifiers plus 1, and `number` the character's code point.
    Control keys, and characters with Ctrl, Alt or another modifier that types nothing, are
    rewritten as keys of kitty's protocol: Textual would type the letter. Backspace is read as
    Delete's code, 127. Keys without a character are dropped. Any other key is returned as it is.
    """
    if number == _BACKSPACE:
        number = _DELETE
    if number in _CONTROL_KEYS:
        return f"\x1b[{number};{modifiers}u"
    if number in _X_KEYS or not _is_text(number):
        return None
    other_modifiers = (modifiers - 1) & ~_MODIFIERS_BESIDE_TEXT
    if not other_modifiers:
        return sequence
    return f"\x1b[{number};{modifiers}u"


def _is_text(number: int) -> bool:
    """Return whether a number is the code point of a character that can be typed.

    Spaces of all kinds are. Control characters are not, nor numbers for private use or beyond
    Unicode.
    """
    if number in _PRIVATE_USE or number > _LAST_CHARACTER:
        return False
    character = chr(number)
    return character.isprintable() or category(character) == "Zs"
