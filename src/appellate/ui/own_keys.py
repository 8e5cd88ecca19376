"""Keys on the screen: as Textual binds them, and as the person at the screen calls them."""

from collections.abc import Iterable
from typing import Any

from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from appellate.core.problem import KeyNames, with_keys
from appellate.ui.key import Key

UNBOUND = "unbound"
"""The key of bindings that have none. No terminal sends it, and Textual refuses ""."""


def bindings(keys: Iterable[Key]) -> list[Binding]:
    """The keys as Textual knows them; one that is on no key may be given one by a keymap."""
    found = []
    for key in keys:
        names = key.keys or UNBOUND
        found.append(Binding(names, key.action, key.label, id=key.id, tooltip=key.help))
    return found


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
