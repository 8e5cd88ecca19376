"""How a fault of loaded data is told: the key's path, what stands there, what should, in plain words."""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from appellate.core.problem import Problem, quoted

Step = str | int
Path = tuple[Step, ...]

EITHER = {
    "reference": "must be text or a list of texts",
    "documents": "must be text, or a table with a text and perhaps an id",
}


def key_path(steps: Sequence[Step]) -> str:
    """A path as TOML would write it: `metric_traits[0].metrics`, `judgments."A b".tp[1]`."""
    return "".join(_step(step) for step in steps).removeprefix(".")


def closest(word: str, words: Collection[str]) -> str:
    """The known word that was probably meant, or ""."""
    return next(iter(difflib.get_close_matches(word, words, 1)), "")


def unknown_key(key: str, known: Collection[str]) -> tuple[str, str]:
    """What is wrong with an unknown key, and what would be right."""
    meant = closest(key, known)
    wrong = f"there is no key {quoted(key)}"
    return wrong, f"did you mean {quoted(meant)}?" if meant else f"keys are {', '.join(known)}"


def standing(value: Any) -> str:
    """What a value is, in a reader's words: `the text "x"`, `a list`, `the number 3`."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {quoted(value, 40)}"
        case int() | float():
            return f"the number {value}" if abs(value) < 10**40 else "a huge number"
        case list():
            return "a list"
        case dict():
            return "a table"
        case None:
            return "null"
        case date() | time():
            return "a date or time"
    return "something else"


def faults(
    error: ValidationError, given: Any, known: Mapping[str, Collection[str]]
) -> Iterator[tuple[Path, str, str]]:
    """Path, wrong and right of every fault that pydantic found in `given`.

    `known` has the keys of a table by the name of the list it stands in ("" for the whole). Faults of
    the whole (no path) are left out.
    """
    told: set[Path] = set()
    for detail in error.errors(include_url=False):
        path = _real(detail["loc"], given)
        cut = next((i for i, step in enumerate(path) if step in EITHER), None)
        if cut is not None and detail["type"] != "list_type":
            path = path[: cut + 2] if path[cut] == "documents" else path[: cut + 1]
            wrong, right = f"{EITHER[str(path[cut])]}, not {standing(_at(given, path))}", ""
        else:
            wrong, right = _told(detail, path, known)
        if path and path not in told:
            told.add(path)
            yield path, wrong, right


def problems(
    error: ValidationError, given: Any, file: str, known: Mapping[str, Collection[str]]
) -> list[Problem]:
    """The faults that pydantic found, as problems of a file."""
    return [Problem(file, key_path(path), *rest) for path, *rest in faults(error, given, known)]


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


def _has(given: Any, step: Step) -> bool:
    if isinstance(given, list):
        return isinstance(step, int) and step < len(given)
    return isinstance(given, dict) and step in given


def _at(given: Any, path: Path) -> Any:
    for step in path:
        given = given[step]
    return given


def _told(detail: ErrorDetails, path: Path, known: Mapping[str, Collection[str]]) -> tuple[str, str]:
    if detail["type"] == "extra_forbidden":
        return unknown_key(str(path[-1]), known[_shelf(path[:-1])])
    return _wrong(detail), ""


def _shelf(path: Path) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _wrong(detail: ErrorDetails) -> str:
    found = standing(detail["input"])
    match detail["type"]:
        case "missing":
            return "is missing"
        case "value_error":
            return str(detail["ctx"]["error"])
        case "string_type":
            return f"must be text in quotes, not {found}"
        case "string_too_short":
            return "must not be empty"
        case "string_unicode":
            return "holds a lone surrogate, which is no character"
        case "too_short":
            return "must name at least one"
        case "list_type" if isinstance(detail["input"], dict):
            return "must be a list of tables, each under its own [[header]] in two brackets, not one table"
        case "list_type":
            return f"must be a list in square brackets, not {found}"
        case "bool_type" | "bool_parsing":
            return f"must be true or false, not {found}"
        case "int_type" | "int_parsing" | "int_from_float":
            return f"must be a whole number, not {found}"
        case "greater_than_equal":
            return f"must be {detail['ctx']['ge']} or more, not {detail['input']}"
        case "literal_error":
            return f"must be {detail['ctx']['expected'].replace(chr(39), chr(34))}, not {found}"
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"must be a table, not {found}"
    return detail["msg"]
