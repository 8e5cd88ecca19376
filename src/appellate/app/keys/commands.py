"""Every key that there is: those of the whole screen (`ui/commands.py`), and of the kinds' panes."""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec

from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric
from appellate.ui.commands import KEYS
from appellate.ui.key import Key
from appellate.ui.pane import KindPane


def pane_of(kind: str) -> type[KindPane]:
    """The pane of a kind, loaded only where there is a screen; a plain one where it has none."""
    name = f"appellate.traits.{kind}.pane"
    if find_spec(f"appellate.traits.{kind}") is None or find_spec(name) is None:
        return KindPane
    found: type[KindPane] = import_module(name).PANE
    return found


def kinds_of(rubric: Rubric) -> list[str]:
    """The names of the kinds that a rubric has traits of."""
    return list(dict.fromkeys(kind.name for kind, _ in rubric.every_trait()))


def keys_of(names: Iterable[str]) -> list[Key]:
    """The keys of a screen for these kinds: theirs first, then the screen's own."""
    found: list[Key] = []
    for name in names:
        found += pane_of(name).KEYS
    return [*dict.fromkeys(found), *KEYS]


def every_key() -> list[Key]:
    """All keys that there are, of every kind."""
    return keys_of(kinds())
