"""The words for a fault of loaded data: the key's path, what is there, what should be."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
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

LONE_SURROGATE = "a lone surrogate, half a character; write both halves, or \\ufffd"
SENTENCES = {
    "missing": "is missing",
    "string_type": "must be text in quotes, not {found}",
    "string_too_short": "must not be empty",
    "string_unicode": f"holds {LONE_SURROGATE}",
    "too_short": "must name at least one",
    "list_type": "must be a list in square brackets, not {found}",
    "bool_type": "must be true or false, not {found}",
    "bool_parsing": "must be true or false, not {found}",
    "int_type": "must be a whole number, not {found}",
    "int_parsing": "must be a whole number, not {found}",
    "int_from_float": "must be a whole number, not {found}",
    "float_type": "must be a number, not {found}",
    "float_parsing": "must be a number, not {found}",
    "finite_number": "must be a finite number, not {found}",
    "greater_than_equal": "must be {least} or more, not {found}",
    "less_than_equal": "must be {most} or less, not {found}",
    "literal_error": "must be {expected}, not {found}",
    "model_type": "must be a table, not {found}",
    "dict_type": "must be a table, not {found}",
}


def key_path(steps: Sequence[Step]) -> str:
    """Return a path as TOML would write it: `metric_traits[0].metrics`, `judgments."A b".tp[1]`."""
    return "".join(_step(step) for step in steps).removeprefix(".")


_STEP = re.compile(r"\.?([A-Za-z0-9_-]+)|\[(\d+)\]")


def steps_in(place: str) -> Path:
    """Return the steps of a path as TOML writes it, up to the first that is in quotes.

    A name is a text and an index is a number: ("metric_traits", 0, "metrics") for
    `metric_traits[0].metrics`. Empty if it begins with none of them.
    """
    steps: list[Step] = []
    position = 0
    while match := _STEP.match(place, position):
        name, index = match.groups()
        steps.append(int(index) if name is None else name)
        position = match.end()
    return tuple(steps)


def with_lines(problems: Iterable[Problem], text: str) -> list[Problem]:
    """Return the problems of a TOML file, each with its line (from 1) before its place.

    `text` is the file. A place of which no line is known stays as it is.
    """
    # a sound file needs no lines
    from appellate.store.files.toml_lines import line_of, lines_of

    lines = lines_of(text)
    located: list[Problem] = []
    for problem in problems:
        place = problem.place
        line_no = line_of(steps_in(place), lines)
        if line_no is not None:
            place = f"line {line_no}: {place}"
        located.append(replace(problem, place=place))
    return located


def faults(
    error: ValidationError,
    value: object,
    known_keys: Mapping[str, Collection[str]],
) -> Iterator[tuple[Path, str, str]]:
    """Yield path, what is wrong and what would be right of every fault that pydantic found.

    `value` is what was validated. `known_keys` has the keys of a table by the name of the list it
    is in ("" for the whole). Of several faults at one path only the first is yielded; those of the
    whole are left out.
    """
    values: set[Path] = set()
    for detail in error.errors(include_url=False):
        path = _real(detail["loc"], value)
        either = _either(path)
        if either and _shelf(either) == "reference":
            reference = _value_at(value, either)
            if isinstance(reference, list):
                if path == either:  # what is wrong in the list comes with its own place
                    continue
                either = ()
        path = either or path
        if not path or path in values:
            continue
        values.add(path)
        if either:
            right = EITHER[_shelf(path)]
            actual = _described(_value_at(value, path))
            yield path, f"{right}, not {actual}", ""
        elif detail["type"] == "extra_forbidden":
            yield path, *unknown_key(str(path[-1]), known_keys[_shelf(path[:-1])])
        else:
            yield path, _wrong(detail), ""


def _described(value: object) -> str:
    """Return a value in words, for a sentence on what is there instead; of a table its keys."""
    if isinstance(value, dict):
        keys = ", ".join(map(quoted, value)) or "nothing"
        return f"one with {keys}"
    return describe_value(value)


def problems(
    error: ValidationError,
    value: object,
    file: str,
    known_keys: Mapping[str, Collection[str]],
) -> list[Problem]:
    """Return the faults that pydantic found, as problems of a file.

    `value` is what was validated. `known_keys` has the keys of a table by the name of the list it
    is in, "" for the whole. Of several faults at one place only the first is there; those of the
    whole are left out.
    """
    return [
        Problem(file, key_path(path), *rest)
        for path, *rest in faults(error, value, known_keys)
    ]


def first_fault_text(error: ValidationError, value: object) -> str:
    """Return in a clause the first fault that pydantic found: `metrics[0] must be text in quotes`.

    `value` is what was validated. A fault of the whole is told without a path.
    """
    detail = error.errors(include_url=False)[0]
    path = _real(detail["loc"], value)
    if detail["type"] == "extra_forbidden":
        return f"there is no key {quoted(key_path(path))}"
    return f"{key_path(path)} {_wrong(detail)}".strip()


def of_trace(value: object, problems_found: Iterable[Problem]) -> list[Problem]:
    """Return the problems of one trace, each with its name, if `value` has an id.

    `value` is the trace as the file has it. Without a whole number as epoch, it is 1.
    """
    if not isinstance(value, Mapping):
        return list(problems_found)
    trace_id = value.get("id")
    epoch = value.get("epoch", 1)
    if not isinstance(trace_id, str) and type(trace_id) is not int:
        return list(problems_found)
    if type(epoch) is not int:
        epoch = 1
    name = name_of(str(trace_id), epoch)
    return [replace(problem, trace=name) for problem in problems_found]


def _step(step: Step) -> str:
    """Return a step of a path as TOML would write it: `[0]`, `.name` or `."a name"`."""
    if isinstance(step, int):
        return f"[{step}]"
    if not re.fullmatch(r"[A-Za-z0-9_-]+", step):
        step = quoted(step)
    return f".{step}"


def _real(loc: Sequence[Step], value: Any) -> Path:
    """Return pydantic's path without the names of union branches, which are no keys of `value`.

    A last step that `value` lacks stays if it could be the key of a table: it is the missing one.
    """
    path: list[Step] = []
    for index, step in enumerate(loc):
        if _has(value, step):
            value = value[step]
            path.append(step)
        elif index == len(loc) - 1 and isinstance(value, dict):
            path.append(step)
    return tuple(path)


def _either(path: Path) -> Path:
    """Return the part of a path that leads to a value of several possible forms, or ().

    Such values are the reference and each document of a trace, and the reference of a question.
    """
    if not path:
        return ()
    first = path[0]
    if first == "documents" and len(path) > 1:
        return path[:2]
    if first == "reference":
        return path[:1]
    is_in_question = first == "questions" and len(path) > _IN_QUESTION
    if is_in_question and path[_IN_QUESTION] == "reference":
        return path[: _IN_QUESTION + 1]
    return ()


_IN_QUESTION = 2  # of `questions[0].reference`; below that stands a trait's own key


def _has(value: object, step: Step) -> bool:
    """Return whether a list has an index, or a table a key; False for any other value."""
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, dict) and step in value


def _shelf(path: Path) -> str:
    """Return the last key in a path, indexes aside; "" if there is none."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _value_at(value: Any, path: Path) -> Any:
    """Return the part of a value at a path; raise KeyError, IndexError or TypeError if none is."""
    for step in path:
        value = value[step]
    return value


def _wrong(detail: ErrorDetails) -> str:
    """Return what is wrong, as a clause, for one fault that pydantic found."""
    kind = detail["type"]
    value = detail["input"]
    if kind == "value_error":
        return str(detail["ctx"]["error"])
    if kind == "list_type" and isinstance(value, dict):
        header = "each under its own [[header]] in two brackets"
        return f"must be a list of tables, {header}, not one table"
    bounds = detail.get("ctx", {})
    expected = str(bounds.get("expected", "")).replace("'", '"')
    sentence = SENTENCES.get(kind, "cannot be read as what it should be: {found}")
    least = int(bounds.get("ge", 0))
    most = int(bounds.get("le", 0))
    description = describe_value(value)
    return sentence.format(found=description, expected=expected, least=least, most=most)
