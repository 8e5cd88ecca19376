"""Where the folders that ship with the program are: in an installed wheel, or beside `src` in a
checkout.
"""

from pathlib import Path

from appellate.core.problem import Problem, Unusable

PACKAGE = Path(__file__).resolve().parent


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
