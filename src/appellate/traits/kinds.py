"""Finds the trait kinds: every folder here that has a `KIND`, as `verdict/`, which some share, has
not. Adding a kind is adding a folder.

A folder elsewhere takes part where its parent is on `appellate.traits.__path__`, as the tests' own
kind is, or is the package that an entry point `appellate.kinds` of an installed package names.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType

import appellate.traits
from appellate.core.kind import AnyKind
from appellate.installed import plugins


@cache
def kinds() -> dict[str, AnyKind]:
    """Every kind by its name, which is its folder's, in the order of the folders."""
    found = {kind.name: kind for kind in _kinds_in(appellate.traits.__path__)}
    for added in plugins("appellate.kinds", _added):
        found |= {kind.name: kind for kind in added}
    return found


def _added(package: ModuleType) -> list[AnyKind]:
    """The kinds of another package, whose folders become folders of `appellate.traits`."""
    appellate.traits.__path__.extend(package.__path__)
    return list(_kinds_in(package.__path__))


def _kinds_in(path: Iterable[str]) -> Iterator[AnyKind]:
    for module in iter_modules(path):
        if module.ispkg:
            kind = getattr(import_module(f"appellate.traits.{module.name}"), "KIND", None)
            if kind:
                yield kind


@cache
def implied_kind() -> AnyKind:
    """The kind that files mean where they name none."""
    return next(kind for kind in kinds().values() if kind.implied)


def module_of(kind: str, name: str) -> ModuleType | None:
    """One of the modules in a kind's folder; None where it has none of that name."""
    folder = f"appellate.traits.{kind}"
    if find_spec(folder) is None or find_spec(f"{folder}.{name}") is None:
        return None
    return import_module(f"{folder}.{name}")
