"""What is installed: the version of this package, the folders that ship with it, and what others
add by entry points, kinds of traits, readers and writers of files.
"""

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any, TypeVar

from appellate.core.problem import Problem, Unusable

Result = TypeVar("Result")


PACKAGE = Path(__file__).resolve().parent
"""Where the program is: in an installed wheel, or in the `src` of a checkout."""


def running() -> str:
    """The version that is running."""
    return version("appellate")


def plugins(group: str, use: Callable[[Any], Result], name: str | None = None) -> Iterator[Result]:
    """What `use` makes of each object that the entry points of a group name, or those of one name.

    Raises Unusable, with the name of its package, where one cannot be loaded or used.
    """
    for point in entry_points(group=group):
        if name not in (None, point.name):
            continue
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


def themes() -> Path:
    """The folder of the bundled themes; raises Unusable where the installation has none."""
    return shipped("themes")


def shipped(name: str, package: Path = PACKAGE) -> Path:
    """A folder that came with `package`, which a wheel holds as `_name` and a checkout beside
    `src`.
    """
    places = [package / f"_{name}"]
    source = package.parent
    if source.name == "src":  # else there is no checkout around it: other neighbours are strangers
        places.append(source.parent / name)
    for place in places:
        if place.is_dir():
            return place
    looked = " and ".join(map(str, places))
    wrong = f"the folder {name} that ships with Appellate is missing; looked for it at {looked}"
    right = "install Appellate again, or run it from a whole checkout"
    raise Unusable([Problem(name, "", wrong, right)])
