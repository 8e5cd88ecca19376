"""A command as a person has it: its id, its keys, what it does, and where strip and help show it;
free of Textual.
"""

from ast import literal_eval
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.problem import KeyNames, with_keys

LINES = "lines"  # begins the column of a row that line mode has
NO_KEY = "none"
"""Stands for the keys of a row that is on no key: it is in lists and the palette only."""


class Key(Struct, frozen=True):
    """One thing to do and its keys.

    `strip` says how long it stays in the key strip as that gets narrower (1 the longest, 0: it is
    not there at all), `place` where it is there. `action` is the action of the widget that the
    key belongs to; the screen's own keys run the command of their id. One that is `near` acts only
    with the focus in its pane. `lines` is what it does line by line, "" for nothing.
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
    lines: str = ""

    @property
    def action(self) -> str:
        return self.own_action or f"command('{self.id}')"

    def call(self, owner: object) -> Any:
        """Calls the method that the action of a kind's key names, with what that gives it."""
        name, _, given = self.own_action.partition("(")
        act = getattr(owner, name)
        return act(literal_eval(given.removesuffix(")"))) if given else act()


def keys_in(table: str, *, about: str = "") -> tuple[Key, ...]:
    """The keys of a table, a line each below that of their group, two blanks between columns: the
    id, the keys as Textual names them (or `none`) and as the screen does, the label, `strip/place`
    or `-`, the action of a pane's own (`near` behind it where it wants the focus), what they do,
    which `about` begins, and `lines` where line mode has them, `lines: …` where they do something
    else there.
    """
    found, group = [], ""
    for line in table.splitlines():
        columns = line.split("  ")
        if len(columns) == 1:
            group = line
            continue
        by_lines = columns.pop() if columns[-1].startswith(LINES) else ""
        name, keys, shown, label, placed, *own, what = columns
        if keys == NO_KEY:
            keys = ""
        strip, _, place = placed.partition("/")
        action, near, _ = "".join(own).partition(" near")
        key = Key(name, keys, shown, label, group, about + what, own_action=action)
        if near:
            key = replace(key, near=True)
        if place:
            key = replace(key, strip=int(strip), place=int(place))
        if by_lines:
            otherwise = by_lines.removeprefix(LINES).removeprefix(": ")
            key = replace(key, lines=about + (otherwise or what))
        found.append(key)
    return tuple(found)


def first_names(keys: Iterable[Key]) -> dict[str, str]:
    """The name of every key by its id, the first that the help has for it."""
    return {key.id: key.shown.split()[0] for key in keys} | {"leave": "Esc"}


class Hint(Struct, frozen=True):
    """A key and what it does; one of a smaller `priority` stays longer as the screen narrows."""

    key: str
    label: str
    action: str = ""
    priority: int = 0


def hints(keys: Iterable[Key]) -> list[Hint]:
    """The keys that the strip shows, in their places; of two on one key, the earlier."""
    by_key: dict[str, Key] = {}
    for key in keys:
        by_key.setdefault(key.shown, key)
    placed = sorted(by_key.values(), key=attrgetter("place"))
    return [
        Hint(key.shown, key.label, key.id, key.strip) for key in placed if key.strip and key.keys
    ]


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
