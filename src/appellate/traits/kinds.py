"""Finds the trait kinds: every folder here that has a `KIND`, as `verdict/`, which some share, has
not. Adding a kind is adding a folder.

A folder elsewhere takes part where its parent is on `appellate.traits.__path__`, as the tests' own
kind is, or is the package that an entry point `appellate.kinds` of an installed package names.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules

import appellate.traits
from appellate.core.kind import AnyKind


@cache
def kinds() -> dict[str, AnyKind]:
    """Every kind by its name, which is its folder's, in the order of the folders."""
    found: dict[str, AnyKind] = {}
    for plugin in entry_points(group="appellate.kinds"):
        appellate.traits.__path__.extend(plugin.load().__path__)
    for module in iter_modules(appellate.traits.__path__):
        if module.ispkg:
            kind: AnyKind | None
            kind = getattr(import_module(f"appellate.traits.{module.name}"), "KIND", None)
            if kind:
                found[kind.name] = kind
    return found


@cache
def implied_kind() -> AnyKind:
    """The kind that files mean where they name none."""
    return next(kind for kind in kinds().values() if kind.implied)
