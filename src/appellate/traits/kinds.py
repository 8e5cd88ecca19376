"""Finds the trait kinds: every folder here that has a `KIND`. Adding a kind is adding a folder."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import appellate.traits
from appellate.core.kind import AnyKind


@cache
def kinds() -> dict[str, AnyKind]:
    """Every kind by its name."""
    folders = [module.name for module in iter_modules(appellate.traits.__path__) if module.ispkg]
    found: list[AnyKind] = [import_module(f"appellate.traits.{name}").KIND for name in folders]
    return {kind.name: kind for kind in found}
