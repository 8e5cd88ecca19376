"""Names of keys: as a person writes them, as Textual has them, as the screen shows them. One that
is no key, or that no terminal sends, is refused.
"""

import re
import unicodedata
from collections.abc import Iterable
from itertools import islice
from string import ascii_lowercase, digits

from textual.binding import Binding
from textual.keys import REPLACED_KEYS, Keys, key_to_character

from appellate.core.problem import closest, quoted

FRIENDLY = {
    "esc": "escape",
    "return": "enter",
    "spacebar": "space",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "page_up": "pageup",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "page_down": "pagedown",
    "←": "left",
    "→": "right",
    "↑": "up",
    "↓": "down",
    " ": "space",
    ",": "comma",  # which parts keys in a binding
}
SHOWN = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "Esc",
    "delete": "Del",
    "insert": "Ins",
}
MODIFIERS = {"ctrl": "ctrl", "control": "ctrl", "shift": "shift", "alt": "alt", "option": "alt"}
MOST_SHOWN = 3
SENT_AS = {
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+j": "Enter",
    "ctrl+h": "Backspace",
    "ctrl+left_square_bracket": "Esc",
}
BARE = ("enter", "tab", "escape", "space", "backspace")  # sent without their Ctrl and Shift
NOT_SENT = {
    *("<any>", "<scroll-up>", "<scroll-down>", "<ignore>", "return", "ctrl-at", "ctrl+@"),
    *("shift+escape", *SENT_AS),
    *(f"{modifiers}+{digit}" for modifiers in ("ctrl", "ctrl+shift") for digit in digits),
}
WITH_ALT = {f"alt+{typed}" for typed in ascii_lowercase + digits}
SENT = {key.value for key in Keys} - NOT_SENT


class KeyUnknown(ValueError):
    """A name that is no key, or a key that cannot be bound."""


def named(written: object) -> str:
    """A key as Textual names it, from how a person writes it; raises KeyUnknown with why not."""
    if not isinstance(written, str):
        raise KeyUnknown("a key must be text in quotes")
    modifiers, last = _parts(written)
    if modifiers == ["shift"] and len(last) == 1 and last.isalpha():
        return last.upper()
    key = _key(last.lower() if modifiers else last)
    name = "+".join([*modifiers, key])
    if name in SENT | WITH_ALT or (character(key) and not modifiers):
        return name
    raise KeyUnknown(_why_not(written, modifiers, key))


def _parts(written: str) -> tuple[list[str], str]:
    """The modifiers as Textual names them, and the key, which may be `+` itself."""
    *given, last = re.split(r"\s*\+\s*(?=.)", written.strip() or written[:1])
    modifiers = sorted({MODIFIERS.get(one.casefold(), "") for one in given})
    if "" in modifiers or not last or last[1:].endswith("+"):
        raise KeyUnknown(f"there is no key {quoted(written)}")
    return modifiers, last


def _key(last: str) -> str:
    if last in FRIENDLY:
        return FRIENDLY[last]
    if len(last) == 1 and last.isprintable():
        (binding,) = Binding.make_bindings([Binding(last, "")])
        return binding.key
    name = last.casefold().replace(" ", "_")
    return FRIENDLY.get(name, name)


def _why_not(written: str, modifiers: list[str], key: str) -> str:
    """Why a key cannot be bound: it is none, or terminals send another in its place."""
    name = "+".join([*modifiers, key])
    if name in SENT_AS:
        return f"terminals send {quoted(written)} as {SENT_AS[name]}"
    if key in BARE:
        return f"most terminals send {quoted(written)} as {shown(key)}"
    if character(key) and modifiers == ["shift"]:
        return f"what {quoted(written)} types depends on the keyboard: write that character"
    if character(key):
        return f"most terminals cannot send {quoted(written)}"
    meant = closest(written.casefold(), [*SENT, *FRIENDLY])
    if meant:
        return f"there is no key {quoted(written)}; did you mean {quoted(meant)}?"
    return f"there is no key {quoted(written)}"


def character(key: str) -> str:
    """The character that a key of Textual's types; "" for keys such as Enter, Space or Ctrl+S."""
    found = key_to_character(REPLACED_KEYS.get(key, key))
    if found is None or found == " " or not found.isprintable() or _key(found) != key:
        return ""
    return found


def friendly(key: str) -> str:
    """A key of Textual's as a person writes it; `named` takes it back."""
    *modifiers, last = key.split("+")
    return "+".join([*modifiers, character(last) or last])


def shown(key: str) -> str:
    """A key of Textual's as the screen names it: `Ctrl+S`, `←`, `?`, `A`."""
    *modifiers, last = key.split("+")
    name = SHOWN.get(last) or character(last) or last.capitalize()
    if modifiers and unicodedata.category(name[0]) == "Ll":
        name = name.upper()
    return "+".join([*map(str.capitalize, modifiers), name])


def shown_together(keys: Iterable[str]) -> str:
    """The names of at most three keys, or a dash where there is none."""
    return " ".join(shown(key) for key in islice(keys, MOST_SHOWN)) or "–"
