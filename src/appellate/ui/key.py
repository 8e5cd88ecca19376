"""A key as a person has it: what a keymap calls it, what it does, where strip and help name it."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from appellate.core.problem import KeyNames, with_keys
from appellate.ui.bar import Hint


class Key(Struct, frozen=True):
    """One thing to do and its keys.

    `strip` says how long it stays in the key strip as that gets narrower (1 the longest, 0: it is
    not there at all), `place` where it is there. `action` is the action of the widget that the
    key belongs to; the screen's own keys run the command of their id. One that is `near` acts only
    with the focus in its pane.
    """

    id: str
    keys: str
    shown: str
    label: str
    group: str
    help: str
    strip: int = 0
    place: int = 0
    own_action: str = ""
    near: bool = False

    @property
    def action(self) -> str:
        return self.own_action or f"command('{self.id}')"


def keys_in(group: str, table: str, *, about: str = "") -> tuple[Key, ...]:
    """The keys of a group, a line each, two blanks between columns: the id, the keys as Textual
    names them and as the screen does, the label, `strip/place` or `-`, the action of a pane's own
    (`near` behind it where it wants the focus), and what they do, which `about` begins.
    """
    found = []
    for line in table.splitlines():
        name, keys, shown, label, placed, *own, what = line.split("  ")
        strip, _, place = placed.partition("/")
        action, near, _ = "".join(own).partition(" near")
        key = Key(name, keys, shown, label, group, about + what, own_action=action, near=bool(near))
        if place:
            key = replace(key, strip=int(strip), place=int(place))
        found.append(key)
    return tuple(found)


def first_names(keys: Iterable[Key]) -> dict[str, str]:
    """The name of every key by its id, the first that the help has for it."""
    return {key.id: key.shown.split()[0] for key in keys} | {"leave": "Esc"}


def bindings(keys: Iterable[Key]) -> list[Binding]:
    """The keys as Textual knows them."""
    return [
        Binding(key.keys, key.action, key.label, id=key.id, show=False, tooltip=key.help)
        for key in keys
    ]


def hints(keys: Iterable[Key]) -> list[Hint]:
    """The keys that the strip shows, in their places; of two on one key, the earlier."""
    by_key: dict[str, Key] = {}
    for key in keys:
        by_key.setdefault(key.shown, key)
    placed = sorted(by_key.values(), key=attrgetter("place"))
    return [
        Hint(key.shown, key.label, key.id, key.strip) for key in placed if key.strip and key.keys
    ]


def own_names(app: App[Any]) -> KeyNames:
    """Those of the person at the screen."""
    names: KeyNames = getattr(app, "key_names", {})
    return names


def in_own_keys(text: str, app: App[Any]) -> str:
    """A text with the keys of the person at the screen (`with_keys`)."""
    return with_keys(text, own_names(app))


def key_of(screen: Screen[Any], name: str) -> str:
    """A key of the binding of an id that acts on a screen, as Textual names it; "" for none."""
    for key, active in screen.active_bindings.items():
        if active.binding.id == name:
            return key
    return ""


def as_remapped(given: Iterable[Hint], names: KeyNames) -> list[Hint]:
    """Hints with the person's keys; without those that have none left."""
    found = []
    for hint in given:
        key = names.get(hint.action, hint.key)
        if "{" in hint.key:
            key = " ".join(filter(None, (with_keys(word, names) for word in hint.key.split())))
        if key:
            found.append(replace(hint, key=key))
    return list(dict.fromkeys(found))


def keys_described(own: str, names: KeyNames) -> list[tuple[str, str]]:
    """Lines of keys and, behind two blanks, what they do; without keys that a person has not."""
    rows = [row.partition("  ") for row in own.splitlines()]
    hints = as_remapped((Hint(keys, what) for keys, _, what in rows), names)
    return [(hint.key, with_keys(hint.label, names)) for hint in hints]
