"""How a fault of loaded data is told: the key's path, what stands there, what should, in plain
words.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from appellate.core.problem import Problem, describe_value, quoted, unknown_key
from appellate.core.trace import name_of

Step = str | int
Path = tuple[Step, ...]

EITHER = {
    "reference": "must be text or a list of texts",
    "documents": "must be text, or a table with a text and perhaps an id",
}

SENTENCES = {
    "missing": "is missing",
    "string_type": "must be text in quotes, not {found}",
    "string_too_short": "must not be empty",
    "string_unicode": "holds a lone surrogate, which is no character",
    "too_short": "must name at least one",
    "list_type": "must be a list in square brackets, not {found}",
    "bool_type": "must be true or false, not {found}",
    "bool_parsing": "must be true or false, not {found}",
    "int_type": "must be a whole number, not {found}",
    "greater_than_equal": "must be 0 or more, not {found}",
    "less_than_equal": "is too large: {found}",
    "literal_error": "must be {expected}, not {found}",
    "model_type": "must be a table, not {found}",
    "dict_type": "must be a table, not {found}",
}


def key_path(steps: Sequence[Step]) -> str:
    """A path as TOML would write it: `metric_traits[0].metrics`, `judgments."A b".tp[1]`."""
    return "".join(_step(step) for step in steps).removeprefix(".")


def faults(
    error: ValidationError, given: Any, known: Mapping[str, Collection[str]]
) -> Iterator[tuple[Path, str, str]]:
    """Path, wrong and right of every fault that pydantic found in `given`.

    `known` has the keys of a table by the name of the list it stands in ("" for the whole). Faults
    of the whole (no path) are left out.
    """
    told: set[Path] = set()
    for detail in error.errors(include_url=False):
        path = _real(detail["loc"], given)
        either = _either(path)
        path = either or path
        if path and path not in told:
            told.add(path)
            yield (
                (path, _neither(path, given), "") if either else (path, *_told(detail, path, known))
            )


def problems(
    error: ValidationError, given: Any, file: str, known: Mapping[str, Collection[str]]
) -> list[Problem]:
    """The faults that pydantic found, as problems of a file."""
    return [Problem(file, key_path(path), *rest) for path, *rest in faults(error, given, known)]


def of_trace(given: Any, found: Iterable[Problem]) -> list[Problem]:
    """The faults of one trace, each with its name, where `given` has one."""
    told = given if isinstance(given, Mapping) else {}
    known, epoch = told.get("id"), told.get("epoch", 1)
    if not isinstance(known, str) and type(known) is not int:
        return list(found)
    name = name_of(str(known), epoch if type(epoch) is int else 1)
    return [replace(one, trace=name) for one in found]


def _step(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return "." + (step if re.fullmatch(r"[A-Za-z0-9_-]+", step) else quoted(step))


def _real(loc: Sequence[Step], given: Any) -> Path:
    """`loc` without the names of union branches that pydantic puts between real keys."""
    path: list[Step] = []
    for index, step in enumerate(loc):
        if _has(given, step):
            given = given[step]
            path.append(step)
        elif index == len(loc) - 1 and isinstance(given, dict):
            path.append(step)
    return tuple(path)


def _either(path: Path) -> Path:
    """The part of `path` that may be one of several things, where it has such a part."""
    for index, step in enumerate(path):
        if step == "documents" and index == 0:
            return path[:2] if len(path) > 1 else ()
        if step == "reference" and (index == 0 or path[0] == "questions"):
            return path[: index + 1]
    return ()


def _neither(path: Path, given: Any) -> str:
    step = next(step for step in reversed(path) if isinstance(step, str))
    return f"{EITHER[step]}, not {describe_value(_at(given, path))}"


def _has(given: Any, step: Step) -> bool:
    if isinstance(given, list):
        return isinstance(step, int) and step < len(given)
    return isinstance(given, dict) and step in given


def _at(given: Any, path: Path) -> Any:
    for step in path:
        given = given[step]
    return given


def _told(
    detail: ErrorDetails, path: Path, known: Mapping[str, Collection[str]]
) -> tuple[str, str]:
    if detail["type"] == "extra_forbidden":
        return unknown_key(str(path[-1]), known[_shelf(path[:-1])])
    return _wrong(detail), ""


def _shelf(path: Path) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _wrong(detail: ErrorDetails) -> str:
    kind, given = detail["type"], detail["input"]
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    if kind == "list_type" and isinstance(given, dict):
        return (
            "must be a list of tables, each under its own [[header]] in two brackets, not one table"
        )
    expected = str(detail.get("ctx", {}).get("expected", "")).replace("'", '"')
    return SENTENCES.get(kind, "cannot be read as what it should be: {found}").format(
        found=describe_value(given), expected=expected
    )
