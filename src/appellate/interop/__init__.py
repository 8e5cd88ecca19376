"""Files of other tools: what they hold in our terms, and what goes back to them; and engines that
answer a batch.

Nothing that a file names is imported, run or fetched.
"""

import re
from pathlib import Path
from typing import Any

from appellate.installed import plugins
from appellate.interop.file_text import decoded_beginning

ZIP = b"PK\x03\x04"
PARQUET = b"PAR1"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How the `.xls` of old versions of Excel begins."""
TABLES = (".csv", ".tsv")
FORMATS = "appellate.formats"
"""The entry points of readers and writers in other packages."""
_PEEK = 4096
_JSON_ARRAY = re.compile(r"""\[\s*(?:[{\]]|\[\s*(?:["{\]\d-]|null|true|false))""")
"""How an array of tables or of arrays begins, which no `[table]` or `[[list]]` of TOML does."""


def is_foreign(path: Path) -> bool:
    """Return whether Appellate should try to read a file as one of another tool.

    The first `_PEEK` bytes decide, and what fits first counts. A zip, a Parquet file and an
    old Excel file are such files. Text that begins with "[" is one only as a JSON array of
    tables or of arrays. Text that begins with "{" is one, and so is a file named .csv, .tsv
    or .parquet. A file named .toml, a SQLite database and a file that cannot be opened are
    none. Any other file is one if a plug-in's reader knows it.
    """
    try:
        with path.open("rb") as file:
            begin = file.read(_PEEK)
    except OSError:
        return False
    if begin.startswith((ZIP, PARQUET, OLE)):
        return True
    text = decoded_beginning(begin).lstrip()
    if text.startswith("["):
        return bool(_JSON_ARRAY.match(text))
    is_known = text.startswith("{") or is_table(path)
    if is_known or path.suffix == ".toml" or begin.startswith(b"SQLite format 3"):
        return is_known
    return any(plugins(FORMATS, lambda reader: knows(reader, path)))


def knows(reader: Any, path: Path) -> bool:
    """Return whether a plug-in's reader says that it reads a file, by its `knows(path)`.

    False for a plug-in that has `write` and no `knows`. What `knows` raises passes through.
    """
    only_writes = hasattr(reader, "write") and not hasattr(reader, "knows")
    return not only_writes and bool(reader.knows(path))


def is_table(path: Path) -> bool:
    """Return whether a file is a table by its name: columns of CSV are known by no other sign."""
    return path.suffix.lower() in (*TABLES, ".parquet")
