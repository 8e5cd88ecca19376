"""Files of other tools: what they hold in our terms, and what goes back to them; and engines that
answer a batch.

Nothing that a file names is imported, run or fetched.
"""

from pathlib import Path
from typing import Any

from appellate.installed import plugins

ZIP, PARQUET = b"PK\x03\x04", b"PAR1"
TABLES = (".csv", ".tsv")
FORMATS = "appellate.formats"
"""The entry points of readers and writers in other packages."""
_PEEK = 4096


def is_foreign(path: Path) -> bool:
    """Whether a file is a log, JSON, a table or a package's, and neither TOML nor a database."""
    try:
        with path.open("rb") as file:
            begin = file.read(_PEEK)
    except OSError:
        return False
    if begin.startswith((ZIP, PARQUET)):
        return True
    text = begin.decode("utf-8-sig", "replace").lstrip()
    if text.startswith("["):
        return text[1:].lstrip()[:1] in ("{", "]")
    is_known = text.startswith("{") or is_table(path)
    if is_known or path.suffix == ".toml" or begin.startswith(b"SQLite format 3"):
        return is_known
    return any(plugins(FORMATS, lambda reader: knows(reader, path)))


def knows(reader: Any, path: Path) -> bool:
    """Whether what an entry point names reads a file; what only writes reads none."""
    only_writes = hasattr(reader, "write") and not hasattr(reader, "knows")
    return not only_writes and bool(reader.knows(path))


def is_table(path: Path) -> bool:
    """Whether a file is a table by its name: the columns of CSV are known by no other sign."""
    return path.suffix.lower() in (*TABLES, ".parquet")
