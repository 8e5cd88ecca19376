"""Names of keys: as a person writes them, as Textual has them, as the screen shows them.

Textual binds any name in silence; here a name that is no key, or a key that no terminal sends, is
refused.
"""

import unicodedata

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
SENT_AS = {
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+j": "Enter",
    "ctrl+h": "Backspace",
    "ctrl+left_square_bracket": "Esc",
}
BARE = ("enter", "tab", "escape", "space", "backspace")  # sent without their Ctrl and Shift
CONTROLS = ("backslash", "right_square_bracket", "circumflex_accent", "underscore")
NO_KEYS = {"<any>", "<scroll-up>", "<scroll-down>", "<ignore>", "return", "ctrl-at"}
SENT = {key.value for key in Keys} - NO_KEYS


class KeyUnknown(Exception):
    """A name that is no key, or a key that cannot be bound."""


def named(written: object) -> str:
    """A key as Textual names it, from how a person writes it: `?`, `Ctrl+S`, `é`, `PgUp`.

    Raises KeyUnknown with why it cannot be bound.
    """
    if not isinstance(written, str):
        raise KeyUnknown("a key must be text in quotes")
    *given, last = _parts(written)
    modifiers = sorted({MODIFIERS.get(one.casefold(), "") for one in given})
    if "" in modifiers or not last:
        raise KeyUnknown(f"there is no key {quoted(written)}")
    if modifiers == ["shift"] and len(last) == 1 and last.isalpha():
        return last.upper()
    if modifiers:
        last = last.lower()
    key = _key(last)
    name = "+".join([*modifiers, key])
    _check_known(written, key, name)
    _check_sent(written, modifiers, key, name)
    return name


def _parts(written: str) -> list[str]:
    """The modifiers, then the key, which may be `+` itself."""
    text = written.strip()
    if text in ("", "+"):
        return [text or written[:1]]
    if text.endswith("++"):
        return [*text[:-2].split("+"), "+"]
    return [part.strip() for part in text.split("+")]


def _key(last: str) -> str:
    """A key without modifiers, as Textual names it."""
    if last in FRIENDLY:
        return FRIENDLY[last]
    if len(last) == 1 and last.isprintable():
        (binding,) = Binding.make_bindings([Binding(last, "")])
        return binding.key
    name = last.casefold().replace(" ", "_")
    return FRIENDLY.get(name, name)


def _check_known(written: str, key: str, name: str) -> None:
    """Raises KeyUnknown for a name that is no key, with the one that was probably meant."""
    if character(key) or name in SENT or name in SENT_AS or key in BARE:
        return
    meant = closest(written.casefold(), [*SENT, *FRIENDLY])
    hint = f"; did you mean {quoted(meant)}?" if meant else ""
    raise KeyUnknown(f"there is no key {quoted(written)}{hint}")


def _check_sent(written: str, modifiers: list[str], key: str, name: str) -> None:
    """Raises KeyUnknown for a key that terminals send as another one, or not at all."""
    if name in SENT_AS:
        raise KeyUnknown(f"terminals send {quoted(written)} as {SENT_AS[name]}")
    if modifiers and key in BARE and name != "shift+tab":
        raise KeyUnknown(f"most terminals send {quoted(written)} as {shown(key)}")
    typed = character(key)
    if not typed or not modifiers:
        return
    if modifiers == ["shift"]:
        wrong = f"what {quoted(written)} types depends on the keyboard"
        raise KeyUnknown(f"{wrong}: write that character")
    control = modifiers == ["ctrl"] and (typed.isalpha() or key in CONTROLS)
    other = modifiers == ["alt"] and typed.isalnum()
    if not (typed.isascii() and (control or other)):
        raise KeyUnknown(f"most terminals cannot send {quoted(written)}")


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
