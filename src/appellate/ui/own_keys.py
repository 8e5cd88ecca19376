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
    """Return a Textual binding for each key, in the given order.

    A key on no key is bound to `UNBOUND`, so that a keymap may give it a key.
    """
    key_bindings = []
    for key in keys:
        names = key.keys or UNBOUND
        key_bindings.append(
            Binding(names, key.action, key.label, id=key.id, tooltip=key.help),
        )
    return key_bindings


def own_names(app: App[Any]) -> KeyNames:
    """Return what the person at the screen calls the keys, by their ids; {} if there are none."""
    names: KeyNames = getattr(app, "key_names", {})
    return names


def in_own_keys(text: str, app: App[Any]) -> str:
    """Return a text in which each `{id:usual key}` is the person's own key.

    For an id that the app does not know it is the usual key. A sentence or hint that names a
    command on no key is left out, so the result of a hint may be "".
    """
    return with_keys(text, own_names(app))


def key_of(screen: Screen[Any], name: str) -> str:
    """Return the first key on which a binding with the id `name` acts now on a screen, else "".

    The key is as Textual names it, such as "full_stop". Bindings whose action is refused now do not
    count.
    """
    for key, active in screen.active_bindings.items():
        if active.binding.id == name:
            return key
    return ""
