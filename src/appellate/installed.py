"""What is installed: the version of this package, the folders that ship with it, and what others
add by entry points, kinds of traits, readers and writers of files, reducers and metrics.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from appellate.core.problem import Problem, Unusable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from appellate.stats.aggregates import Metric, Reduce

Result = TypeVar("Result")


PACKAGE = Path(__file__).resolve().parent
"""Where the program is: in an installed wheel, or in the `src` of a checkout."""
METRICS = "appellate.metrics"
"""The group of entry points for metrics over traces in other packages."""
REDUCERS = "appellate.reducers"
"""The group of entry points for reducers of epochs in other packages."""


def running() -> str:
    """Return the version of Appellate that is running, such as "0.1.0"."""
    from importlib.metadata import version

    return version("appellate")


def entry_points(group: str) -> "Sequence[EntryPoint]":
    """Return what installed packages add to a group of entry points; nothing of it is loaded.

    Python goes through all packages for it, which takes long where many are installed. That is only
    done if one of them may name the group; otherwise the result is empty.
    """
    if not _may_be_named(group):
        return ()
    from importlib import metadata

    return tuple(metadata.entry_points(group=group))


def _may_be_named(group: str) -> bool:
    """Return whether an installed package may name a group of entry points.

    True as well if that is not certain: for packages in archives, and where other finders than
    Python's own know packages.
    """
    for finder in sys.meta_path:
        if finder is not PathFinder and hasattr(finder, "find_distributions"):
            return True
    return any(_names_in(folder or ".", group.encode()) for folder in sys.path)


def _names_in(folder: str, group: bytes) -> bool:
    """Return whether a package in a folder of `sys.path` names a group, or may do so.

    An archive instead of a folder, and a folder with an egg, may. False for a folder that cannot be
    read.
    """
    try:
        paths = list(Path(folder).iterdir())
    except NotADirectoryError:
        return True  # an archive
    except OSError:
        return False
    for path in paths:
        if path.suffix == ".egg":
            return True
        if path.suffix not in (".dist-info", ".egg-info"):
            continue
        with suppress(OSError):  # most packages have no such file
            if group in (path / "entry_points.txt").read_bytes():
                return True
    return False


def plugins(
    group: str,
    use: Callable[[Any], Result],
    name: str | None = None,
) -> Iterator[Result]:
    """Yield what `use` makes of each object that the entry points of a group name.

    With a `name` only those of that name are loaded. Yields nothing if there are none. Raises
    Unusable, with the name of the package, for one that cannot be loaded or used.
    """
    for point in entry_points(group):
        if name not in (None, point.name):
            continue
        try:
            result = use(point.load())
        except Unusable:
            raise
        except Exception as error:
            raise _failing(point, group, f"{type(error).__name__}: {error}") from error
        yield result


def _failing(point: "EntryPoint", group: str, why: str) -> Unusable:
    """Return the error that an entry point fails, and why, with the name of its package."""
    wrong = f"its {point.name!r} ({group}) fails: {why}"
    problem = Problem(
        f"package {_package(point)}",
        "",
        wrong,
        "mend the package, or uninstall it",
    )
    return Unusable([problem])


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist else point.value


def names(group: str) -> list[str]:
    """Return the names of what other packages add to a group, sorted and each once.

    Nothing is loaded.
    """
    return sorted({point.name for point in entry_points(group)})


def reducer(name: str) -> "str | Reduce":
    """Return the name of a built-in reducer as it is, or another package's function of that name.

    An unknown name is returned as it is, too, and whoever uses it refuses it. The function takes
    the values of a trace's epochs. It raises Unusable, with the name of its package, if it fails or
    gives no score. Raises Unusable also if it cannot be loaded, and if several packages have the
    name.
    """
    from appellate.stats import aggregates  # only where epochs are reduced

    try:
        aggregates.reduce_epochs(name, ())
    except ValueError:
        return _added(REDUCERS, name, aggregates.reduced_by) or name
    return name


def metric(name: str) -> "str | Metric":
    """Return the name of a built-in metric over traces as it is, or another package's function.

    The function is the one that a package has under this name. An unknown name is returned as it
    is, too. Raises Unusable for a package that cannot be loaded, and if several have the name.
    """
    from appellate.stats import aggregates  # only where something is measured

    if name in aggregates.METRICS:
        return name
    return _added(METRICS, name, aggregates.measured_by) or name


def _added(
    group: str,
    name: str,
    use: Callable[[Callable[..., Any], list[Any]], Result],
) -> Callable[[list[Any]], Result] | None:
    """Return the function that a package adds under a name, or None if none does.

    It takes a list of values and is called by way of `use`; whatever it raises becomes
    Unusable, with the name of its package. Raises Unusable if several packages have the
    name, and if what the package adds cannot be loaded or is no function.
    """
    points = [point for point in entry_points(group) if point.name == name]
    packages = sorted({_package(point) for point in points})
    if len(packages) > 1:
        several = " and ".join(packages)
        wrong = f"each has a {name!r} ({group}), so that the name means two things"
        raise Unusable(
            [Problem(f"packages {several}", "", wrong, "uninstall one of them")],
        )
    if not points:
        return None
    point = points[0]

    def loaded(function: Any) -> Callable[..., Any]:
        """Return an object that is a function as it is; raises TypeError for any other."""
        if not callable(function):
            raise TypeError(f"it is no function, but a {type(function).__name__}")
        checked: Callable[..., Any] = function
        return checked

    function = next(plugins(group, loaded, name))

    def call(values: list[Any]) -> Result:
        """Return what the function makes of values; raises Unusable if it fails."""
        try:
            return use(function, values)
        except Exception as error:
            raise _failing(point, group, f"{type(error).__name__}: {error}") from error

    return call


def themes() -> Path:
    """Return the folder of the bundled themes; raises Unusable if the installation has none."""
    return shipped("themes")


def shipped(name: str, package: Path = PACKAGE) -> Path:
    """Return the folder `name` that came with Appellate.

    A wheel has it as `_name` in `package`, and a checkout next to its `src`. Raises Unusable if
    neither is there, with the places where it was looked for.
    """
    places = [package / f"_{name}"]
    source = package.parent
    # without it there is no checkout around the package: other neighbours are strangers
    if source.name == "src":
        places.append(source.parent / name)
    for place in places:
        if place.is_dir():
            return place
    looked = " and ".join(map(str, places))
    wrong = f"the folder {name} that ships with Appellate is missing; looked for it at {looked}"
    right = "install Appellate again, or run it from a whole checkout"
    raise Unusable([Problem(name, "", wrong, right)])
