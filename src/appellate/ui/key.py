"""A key as a person has it: what a keymap calls it, what it does, where strip and help name it."""

from collections.abc import Iterable
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace
from textual.binding import Binding

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


def as_remapped(given: Iterable[Hint], keys: Iterable[Key]) -> list[Hint]:
    """Hints with the keys that a person gave to what they do."""
    shown = {key.id: key.shown for key in keys}
    return [replace(hint, key=shown.get(hint.action, hint.key)) for hint in given]
