"""Every key and binding there is, by its id, and which of them would hide one another."""

import pkgutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import permutations
from typing import NamedTuple

from textual.binding import Binding
from textual.dom import DOMNode

import appellate
from appellate.app.keys.keynames import friendly
from appellate.core.problem import quoted
from appellate.traits.kinds import module_of
from appellate.traits.rubric import Rubric
from appellate.ui.commands import KEYS
from appellate.ui.key import Key
from appellate.ui.pane import KindPane

FOCUSED = ("lines.", "response.", "reading.")
"""Of the widgets that have the focus while the bench is used."""
SELECTING = ("move.", "item.menu", "text.none")
"""Of the screen's keys, those needed while words are selected."""


def pane_of(kind: str) -> type[KindPane]:
    """The pane of a kind, loaded only where there is a screen; a plain one where it has none."""
    module = module_of(kind, "pane")
    found: type[KindPane] = module.PANE if module else KindPane
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


class Bound(NamedTuple):
    """A binding as the program has it: where it is heard, its keys as Textual names them."""

    id: str
    owner: type[DOMNode]
    keys: tuple[str, ...]
    help: str

    def under(self, overrides: Mapping[str, str]) -> "Bound":
        """The binding with the person's keys, where they gave it any or took them away."""
        if self.id not in overrides:
            return self
        return self._replace(keys=tuple(filter(None, overrides[self.id].split(","))))


@cache
def every() -> tuple[Bound, ...]:
    """Every binding with an id, of the screens and the widgets."""
    for module in pkgutil.walk_packages(appellate.__path__, "appellate."):
        rooms = module.name.split(".")
        draws = rooms[1] in ("ui", "app") or (rooms[1] == "traits" and rooms[-1] == "pane")
        if draws:  # some are loaded only once they are needed, but can be bound before
            import_module(module.name)
    found: list[Bound] = []
    for owner in dict.fromkeys(_owners(DOMNode)):
        found += _bound(owner)
    return tuple(found)


def _owners(of: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for kind in of.__subclasses__():
        if kind.__module__.startswith("appellate."):
            yield kind
        yield from _owners(kind)


def _bound(owner: type[DOMNode]) -> list[Bound]:
    found: dict[str, Bound] = {}
    for binding in Binding.make_bindings(owner.__dict__.get("BINDINGS", ())):
        if not binding.id:
            continue
        text = binding.tooltip or binding.description
        bound = found.setdefault(binding.id, Bound(binding.id, owner, (), text))
        keys = dict.fromkeys((*bound.keys, binding.key))
        found[binding.id] = bound._replace(keys=tuple(keys))
    return list(found.values())


def by_id() -> dict[str, Bound]:
    """Every binding by its id; a widget made of another has that one's, not its own again."""
    found: dict[str, Bound] = {}
    for bound in every():
        found.setdefault(bound.id, bound)
    return found


def clashes(bounds: Sequence[Bound]) -> dict[tuple[str, str, str], str]:
    """What is wrong where two have one key, by the key, the one that is heard and the other."""
    by_key: dict[str, list[Bound]] = defaultdict(list)
    for bound in bounds:
        for key in bound.keys:
            by_key[key].append(bound)
    found = {}
    for key, sharing in by_key.items():
        text = quoted(friendly(key))
        for one, other in permutations(sharing, 2):
            clash = key, one.id, other.id
            if _together(one, other):
                if one.id < other.id:  # once for both
                    found[clash] = f"{text} is the key of both {one.id} and {other.id}"
            elif _hides(one, other):
                found[clash] = f"{text} would never reach {other.id}: {one.id} takes it first"
    return found


def _together(one: Bound, other: Bound) -> bool:
    """Whether both act in one place: of one widget, or of the screen and a pane on it."""
    if issubclass(one.owner, other.owner) or issubclass(other.owner, one.owner):
        return True
    screen = "ReviewScreen" in (one.owner.__name__, other.owner.__name__)
    return screen and _is_bench(one.owner) and _is_bench(other.owner)


def _hides(one: Bound, other: Bound) -> bool:
    """Whether a key of the bench would not be heard where it is needed, because of a widget's."""
    if not _is_bench(other.owner):
        return False
    if one.id.startswith("select."):
        return other.id.startswith(SELECTING)
    return one.id.startswith(FOCUSED)


def _is_bench(owner: type[DOMNode]) -> bool:
    """Whether its keys are heard all over the bench: the screen's own, and those of a pane."""
    return owner.__name__ == "ReviewScreen" or issubclass(owner, KindPane)
