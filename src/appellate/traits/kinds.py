"""Finds the kinds of traits: every folder here except `verdict/` has a `KIND`.

Adding a kind is adding a folder. A folder elsewhere takes part if its parent is on
`appellate.traits.__path__`, as that of the tests' own kind is, or if an entry point
`appellate.kinds` of an installed package names its parent.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType

import appellate.traits
from appellate.core.kind import AnyKind
from appellate.installed import plugins

SHARED = "verdict"
"""The folder that is no kind."""


class Kinds(Mapping[str, AnyKind]):
    """Kinds by key, from the names of their folders; a kind is imported when it is looked up."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        """Have a kind for each key of `folders`, which gives its folder in `appellate.traits`."""
        self._folders = folders
        self._imported: dict[str, AnyKind] = {}
        """The kinds that were looked up, by key: an import that is done still takes its time."""

    def __getitem__(self, key: str) -> AnyKind:
        """Return the kind of a key, imported at first use; raises KeyError for another key."""
        if key not in self._imported:
            folder = self._folders[key]
            self._imported[key] = import_module(f"appellate.traits.{folder}").KIND
        return self._imported[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)


@cache
def kinds() -> Kinds:
    """Return every kind by its name, which is its folder's, those of other packages last.

    They are found once. A kind of Appellate is imported when it is looked up, those of other
    packages at once. Raises Unusable, with the package's name, for a package that cannot be loaded.
    """
    names = _folders(appellate.traits.__path__)
    for added in plugins("appellate.kinds", _added):
        names += added
    return Kinds({name: name for name in names})


def _added(package: ModuleType) -> list[str]:
    """Return the names of the kinds of another package, and add its folders to `appellate.traits`.

    Each folder is imported, so that what is wrong with it is raised at once. Folders without a
    `KIND` are left out.
    """
    appellate.traits.__path__.extend(package.__path__)
    names = _folders(package.__path__)
    kind_names: list[str] = []
    for name in names:
        module = import_module(f"appellate.traits.{name}")
        if hasattr(module, "KIND"):
            kind_names.append(name)
    return kind_names


def _folders(path: Iterable[str]) -> list[str]:
    """Return the names of the packages in some folders that may be kinds; `SHARED` is none.

    Whether they have a `KIND` is not looked at. `path` has the folders' paths.
    """
    names: list[str] = []
    for module in iter_modules(path):
        if module.ispkg and module.name != SHARED:
            names.append(module.name)
    return names


@cache
def implied_kind() -> AnyKind:
    """Return the kind that files mean if they name none."""
    return next(kind for kind in kinds().values() if kind.implied)


def module_of(kind: str, name: str) -> ModuleType | None:
    """Import and return the module `name` in a kind's folder, or return None if it has none.

    Returns None for an unknown kind, too.
    """
    folder = f"appellate.traits.{kind}"
    if find_spec(folder) is None or find_spec(f"{folder}.{name}") is None:
        return None
    return import_module(f"{folder}.{name}")
