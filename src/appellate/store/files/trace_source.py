"""Where traces are in a file: TOML, JSON Lines or a JSON array, by what the text looks like."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from functools import lru_cache
from itertools import count
from typing import Any, BinaryIO

from msgspec import Struct

from appellate.core.inert import is_utf8
from appellate.core.problem import Problem, Unusable, closest, describe_value, quoted
from appellate.core.trace import Trace
from appellate.store.files.text_file import bounded, decoded, toml_table, unusable, utf8
from appellate.store.files.wording import LONE_SURROGATE, Path, key_path, with_lines
from appellate.traits.rubric import every_list_name

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
TOML_START = re.compile(r"""\[\[?[ \t]*["'A-Za-z0-9_-]|#|[A-Za-z0-9_."' \t-]+=""")
OPEN = frozenset({"metadata", "messages", "judgments", "other"})
_TYPED = Trace.model_fields.keys() - OPEN
"""Fields of a trace that cannot hold any value: what is in them stays as it is."""


class Record(Struct, frozen=True):
    """One trace as the file has it, and how to name a place within it."""

    value: Any
    line: int | None = None  # of JSON Lines
    prefix: Path = ()  # in TOML or a JSON array
    suspect: bool = (
        False  # whether it may hold lone surrogates, which are worth a walk then
    )
    toml: str = ""  # the whole file, where it is TOML

    def place(self, path: Path = ()) -> str:
        """Return where a part of the record is in the file, for a problem: line and key path.

        `path` is the part's path within the record; without one it is the record itself. In a JSON
        array there is no line.
        """
        if self.line is None:
            steps = (*self.prefix, *path)
            line_no = _line_of(steps, self.toml)
            if line_no is None:
                return key_path(steps)
            return f"line {line_no}: {key_path(steps)}"
        if not path:
            return f"line {self.line}"
        return f"line {self.line}: {key_path(path)}"


def _line_of(steps: Path, toml: str) -> int | None:
    """Return the line (from 1) of a part of a TOML file, or of the nearest part around it.

    None if no line is known, as in a file that is no TOML.
    """
    from appellate.store.files.toml_lines import line_of  # a sound file needs no lines

    return line_of(steps, _lines_of(toml))


@lru_cache(1)
def _lines_of(toml: str) -> Mapping[Path, int]:
    """Return the line of each part of a TOML file; those of the last file are kept."""
    from appellate.store.files.toml_lines import lines_of

    return lines_of(toml)


class Repeated(Exception):
    """A JSON object gives one key twice, so that one of the two would be lost."""


def records(stream: BinaryIO, file: str, largest: int) -> Iterator[Record | Problem]:
    """Yield a record for each trace of a stream, or a problem for a line that holds none.

    JSON Lines are read line by line, each of at most `largest` bytes, anything else at once. Raises
    Unusable for what is larger, no text, or of no known form.
    """
    head = stream.readline(largest + 1)
    blank = 0
    while head and head.isspace():
        head = stream.readline(largest + 1)
        blank = blank + 1
    octets = bounded(b"\n" * blank + head, file, largest)
    first = None
    if octets.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        first = _tried(decoded(octets, file))
    if not isinstance(first, dict) or isinstance(first.get("traces"), list):
        octets = bounded(octets + stream.read(largest + 1), file, largest)
        yield from _whole_records(decoded(octets, file), file)
        return
    line = decoded(octets, file).removeprefix("\n" * blank).removesuffix("\n")
    yield _line(line, blank + 1, file)
    for number in count(blank + 2):
        octets = bounded(stream.readline(largest + 1), file, largest)
        if not octets:
            return
        line = utf8(octets, file, number).removesuffix("\n")
        if line and not line.isspace():
            yield _line(line, number, file)


def _whole_records(text: str, file: str) -> Iterator[Record | Problem]:
    """Return the records of a text that is read at once: TOML, JSON or JSON Lines.

    Raises Unusable if it is empty or of no known form.
    """
    start = text.lstrip()
    if not start:
        raise unusable(file, "the file is empty", "it should hold at least one trace")
    if start.startswith("{"):
        return _objects(text, file)
    if TOML_START.match(start) and not isinstance(_tried(text), list):
        return _toml(text, file)
    if start.startswith("["):
        return _listed(_parsed_json(text, file), (), suspect=_is_suspect(text))
    return iter(_lines(text, file))


def surrogates(value: object) -> Iterator[tuple[Path, str]]:
    """Yield the path of every text and key that holds a lone surrogate, and a clause on it.

    They come in the order of the value; the keys of a table come before what is below them.
    """
    remaining: list[tuple[Path, object]] = [((), value)]
    while remaining:
        path, item = remaining.pop()
        if isinstance(item, str) and not is_utf8(item):
            yield path, f"holds {LONE_SURROGATE}"
        elif isinstance(item, dict):
            for key in item:
                if not is_utf8(key):
                    yield (*path, key), f"this key holds {LONE_SURROGATE}"
            remaining += reversed(
                [((*path, key), below) for key, below in item.items()],
            )
        elif isinstance(item, list):
            remaining += reversed(
                [((*path, index), below) for index, below in enumerate(item)],
            )


def _objects(text: str, file: str) -> Iterator[Record | Problem]:
    """Return the records of a text that begins with "{".

    That is JSON Lines, or one object over several lines: a trace, or {"traces": […]}.
    Raises Unusable for an object over several lines that is no JSON.
    """
    first = text.lstrip().split("\n", 1)[0].rstrip()
    document = _tried(first)
    if not isinstance(document, dict):
        document = _tried(text)
        if isinstance(document, dict) and not isinstance(document.get("traces"), list):
            return iter(
                [Record(_parsed_json(text, file), line=1, suspect=_is_suspect(text))],
            )
    if isinstance(document, dict) and isinstance(document.get("traces"), list):
        return _listed(
            _parsed_json(text, file)["traces"],
            ("traces",),
            suspect=_is_suspect(text),
        )
    return iter(_lines(text, file))


def _is_suspect(text: str) -> bool:
    return "\\u" in text and SURROGATE.search(text) is not None


def _lines(text: str, file: str) -> list[Record | Problem]:
    """Return a record for each of the JSON Lines, or a problem for one that is not JSON.

    Blank lines are left out. Raises Unusable, with one problem, if no line is an object: for a text
    that does not begin like an object, and for an object over several lines that is not JSON.
    """
    lines = text.split("\n")  # not splitlines: U+2028 may be inside a JSON text
    records = []
    for number, line in enumerate(lines, 1):
        if line and not line.isspace():
            records.append(_line(line, number, file))
    if any(
        isinstance(item, Record) and isinstance(item.value, dict) for item in records
    ):
        return records
    if not text.lstrip().startswith("{"):
        wrong = "this is neither TOML, nor JSON Lines, nor a JSON array"
        raise unusable(
            file,
            wrong,
            'write one JSON object a line: {"id": "a", "response": "…"}',
        )
    if not text.lstrip().split("\n", 1)[0].rstrip().endswith("}"):
        # an object over several lines: one problem, not one a line
        _parsed_json(text, file)
    return records


def _line(line: str, number: int, file: str) -> Record | Problem:
    """Return the record of one line of JSON, or its problem; `number` counts from 1."""
    try:
        return Record(
            _parsed_json(line, file, number),
            line=number,
            suspect=_is_suspect(line),
        )
    except Unusable as refusal:
        return refusal.problems[0]


def _parsed_json(text: str, file: str, line: int = 0) -> Any:
    """Return the JSON value that a text is; raise Unusable with its place.

    The text is a file, or its line number `line` (from 1). A key that is given twice is a fault.
    """
    place = f"line {line}" if line else ""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        line_no = line or error.lineno
        place = f"line {line_no}, column {error.colno}"
        wording = error.msg[:1].lower() + error.msg[1:]
        raise unusable(file, f"not valid JSON: {wording}", place=place) from None
    except Repeated as error:
        key = quoted(str(error))
        wrong = f"the key {key} is given twice"
        raise unusable(file, wrong, place=place) from None
    except RecursionError:
        raise unusable(file, "nested too deeply", place=place) from None
    except ValueError:
        wrong = "a number has more than 4,300 digits"
        raise unusable(file, wrong, "write it as text", place) from None


def _toml(text: str, file: str) -> Iterator[Record | Problem]:
    """Return the records of a file of traces in TOML; raise Unusable if there is anything else.

    Dates in metadata, messages and labels become text.
    """
    table = toml_table(text, file)
    faults: list[Problem] = []
    for key in table:
        if key != "traces":
            wrong, right = _foreign(key, table)
            faults.append(Problem(file, key_path((key,)), wrong, right))
    traces = table.get("traces", [])
    if not isinstance(traces, list):
        wrong = f"must be a list of tables, not {describe_value(traces)}"
        right = "write each trace under its own [[traces]]"
        faults.append(Problem(file, "traces", wrong, right))
    if faults:
        raise Unusable(with_lines(faults, text))
    for trace in traces:
        if isinstance(trace, dict):
            _write_dates_as_text(trace)
    return _listed(traces, ("traces",), toml=text)


def _write_dates_as_text(trace: dict[str, Any]) -> None:
    """Change a trace's table so that its dates and times are text, where any value may be.

    That is in metadata, messages, labels, the second response, and keys that no trace has. Other
    fields stay as they are.
    """
    for key in trace.keys() - _TYPED:
        trace[key] = _plain(trace[key])


def _foreign(key: str, table: dict[str, Any]) -> tuple[str, str]:
    """Return what is wrong with a key at the top of a file of traces, and what would be right.

    The file may be an audit or a rubric instead; `table` is its top.
    """
    if key == "format" and str(table[key]).startswith("appellate-audit"):
        wrong = "this is an audit, not a file of traces"
        return wrong, "open it alone: appellate review AUDIT"
    is_of_rubric = key in every_list_name()
    if key == "questions" and "traces" not in table:
        is_of_rubric = True
    if is_of_rubric:
        wrong = "this belongs to a rubric, not to a file of traces"
        return wrong, "name the rubric first, then the traces"
    right = "every trace goes under its own [[traces]]"
    if closest(key, ["traces"]):
        right = "write [[traces]]"
    return f"there is no key {quoted(key)} outside of traces", right


def _listed(
    items: Sequence[object],
    prefix: Path,
    *,
    suspect: bool = False,
    toml: str = "",
) -> Iterator[Record | Problem]:
    """Yield a record for each item of a list, whatever it is, with its place below `prefix`.

    `suspect` is whether it may hold lone surrogates. `toml` is the text of the file, for line
    numbers.
    """
    for index, item in enumerate(items):
        yield Record(item, prefix=(*prefix, index), suspect=suspect, toml=toml)


def _plain(value: object) -> object:
    """Return a value of TOML with its dates and times as text, also those inside it."""
    if isinstance(value, dict):
        return {key: _plain(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_plain(below) for below in value]
    if isinstance(value, (date, time)):
        return value.isoformat()
    return value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the table of these pairs; raise Repeated with the key that is there twice."""
    table = dict(pairs)
    if len(table) != len(pairs):
        key_counts = Counter(key for key, _ in pairs)
        [(repeated_key, _)] = key_counts.most_common(1)
        raise Repeated(repeated_key)
    return table


def _tried(text: str) -> Any:
    """Return the value of a text in JSON; None if it is not JSON, or null."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
