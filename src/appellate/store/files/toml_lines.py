"""The lines of a TOML file that the parts of its table stand on: `tomli` does not tell them.

A statement of TOML, a header or a key with its value, is TOML by itself. So the file is read
statement by statement, and each is placed under the header that it follows.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import tomli

Path = tuple[str | int, ...]
MOST_OPEN = 500
"""Lines that one statement may go on for: each further one has it parsed once more."""


def lines_of(text: str) -> dict[Path, int]:
    """Return the line (from 1) on which each table and each key of a TOML file begins, by path.

    A path is as ("questions", 0, "id"), with the index of an entry of a list of tables. Parts of an
    inline value are not in it. After a fault in the TOML, or a statement of more than `MOST_OPEN`
    lines, nothing more is in it.
    """
    line_by_path: dict[Path, int] = {}
    lengths: dict[Path, int] = {}
    header: Path = ()
    statement: list[str] = []
    for line_no, line in enumerate(text.split("\n"), 1):
        statement.append(line)
        if len(statement) > MOST_OPEN:
            break
        try:
            table = tomli.loads("\n".join(statement))
        except (ValueError, RecursionError):
            continue
        begin = line_no - len(statement) + 1
        if table and statement[0].lstrip().startswith("["):
            header = _opened(table, lengths)
            line_by_path.setdefault(header, begin)
        else:
            for path in _keys(table):
                line_by_path.setdefault((*header, *path), begin)
        statement = []
    return line_by_path


def line_of(path: Sequence[str | int], lines: Mapping[Path, int]) -> int | None:
    """Return the line of the part at `path`, or of the nearest part around it.

    `lines` is what `lines_of` returns. None if it has no part around it either.
    """
    for length in range(len(path), 0, -1):
        line_no = lines.get(tuple(path[:length]))
        if line_no is not None:
            return line_no
    return None


def _opened(table: Mapping[str, Any], lengths: dict[Path, int]) -> Path:
    """Return the path of the table that a header opens, as ("questions", 1).

    `table` is the header alone, parsed. `lengths` has how many entries each list of tables has so
    far; an entry that the header begins is counted in it, and its path ends in its index.
    """
    path: Path = ()
    part: Any = table
    while part:
        if isinstance(part, list):  # of the form [[name]]: the next in its list
            lengths[path] = lengths.get(path, 0) + 1
            return (*path, lengths[path] - 1)
        (key,) = part
        if path in lengths:
            path = (*path, lengths[path] - 1)
        path = (*path, key)
        part = part[key]
    if path in lengths:
        path = (*path, lengths[path] - 1)
    return path


def _keys(table: Mapping[str, Any]) -> list[Path]:
    """Return the paths that one statement sets, the outermost first.

    `table` is the statement alone, parsed: `a.b = 1` gives ("a",) and ("a", "b"), and an empty line
    none. Keys of an inline table are among them as long as it has only one.
    """
    paths: list[Path] = []
    path: Path = ()
    part: Any = table
    while isinstance(part, Mapping) and len(part) == 1:
        (key,) = part
        path = (*path, key)
        paths.append(path)
        part = part[key]
    return paths
