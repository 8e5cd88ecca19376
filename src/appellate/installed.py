"""What is installed: the version of this package, and what others add by entry points, kinds of
traits and readers of files.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from appellate.core.problem import Problem, Unusable

Result = TypeVar("Result")


def running() -> str:
    """The version that is running."""
    from importlib.metadata import version

    return version("appellate")


def plugins(group: str, use: Callable[[Any], Result]) -> Iterator[Result]:
    """What `use` makes of each object that the entry points of a group name.

    Raises Unusable, with the name of its package, where one cannot be loaded or used.
    """
    if not _are_named(group):
        return
    from importlib.metadata import entry_points

    for point in entry_points(group=group):
        try:
            found = use(point.load())
        except Unusable:
            raise
        except Exception as error:
            package = point.dist.name if point.dist else point.value
            wrong = f"its {point.name!r} ({group}) fails: {type(error).__name__}: {error}"
            problem = Problem(f"package {package}", "", wrong, "mend the package, or uninstall it")
            raise Unusable([problem]) from error
        yield found


def _are_named(group: str) -> bool:
    """Whether a package may have entry points of a group, in a tenth of the time that
    importlib.metadata takes to find none; an archive on the path is left to that.
    """
    folders = [Path(folder) for folder in sys.path]
    files = [file for folder in folders for file in folder.glob("*-info/entry_points.txt")]
    named = group.encode()
    return any(map(Path.is_file, folders)) or any(named in file.read_bytes() for file in files)
