"""Where the folders that ship with the program are: in an installed wheel, or beside `src` in a checkout."""

from pathlib import Path

from appellate.core.problem import Problem, Unusable

PACKAGE = Path(__file__).resolve().parent


def themes() -> Path:
    """The folder of the bundled themes; raises Unusable where the installation has none."""
    return shipped("themes")


def sample_rubrics() -> Path:
    """The folder of the sample rubrics and traces; raises Unusable where the installation has none."""
    return shipped("sample_rubrics")


def shipped(name: str, package: Path = PACKAGE) -> Path:
    """A folder that came with `package`, which a wheel holds as `_name` and a checkout beside `src`."""
    places = _places(name, package)
    found = next((place for place in places if place.is_dir()), None)
    if found is None:
        looked = " and ".join(str(place) for place in places)
        wrong = f"the folder {name} that ships with Appellate is missing; looked for it at {looked}"
        raise Unusable(
            [Problem(name, "", wrong, "install Appellate again, or run it from a whole checkout")]
        )
    return found


def _places(name: str, package: Path) -> list[Path]:
    """Only a package that stands in `src` has a checkout around it; other neighbours are strangers."""
    source = package.parent
    beside = [source.parent / name] if source.name == "src" else []
    return [package / f"_{name}", *beside]
