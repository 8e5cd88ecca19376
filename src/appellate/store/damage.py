"""What is wrong with the file of a workspace: looked for only where working with it has failed."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import tomli

from appellate.core.problem import Unusable, many
from appellate.store import meta, tables
from appellate.store.database import connected_aside
from appellate.store.fact_rows import WHOLE_AUDIT, cell_reader, design_in
from appellate.store.files.toml import moment

_STORED_AS = {
    "INTEGER": ("integer",),
    "REAL": ("real", "integer"),
    "TEXT": ("text",),
    "BLOB": ("blob",),
}
"""How SQLite stores the values of a column of each type."""
_SPOILT = "the disk image is malformed"


def damage(path: Path) -> str:
    """Return what is wrong with the file of a workspace, a clause, or "" if nothing is found.

    Every page, table, column and row is read, and nothing is changed. A workspace of an earlier
    version is not compared with the tables of today. A file that SQLite cannot open or read is no
    exception here: the clause says so.
    """
    try:
        with closing(connected_aside(path)) as db:
            wrong = _damaged_page(db) or _unmarked(db)
            if not wrong and _is_of_today(db):
                wrong = _missing_column(db) or _wrong_type(db) or _unreadable_cell(db)
            return wrong or _unreadable_part(db)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # UnicodeDecodeError: SQLite quotes a schema that is no text
        if isinstance(error, UnicodeDecodeError) or "UTF-8" in str(error):
            return "a text in it is no text any more"
        return str(error)


def _damaged_page(db: sqlite3.Connection) -> str:
    """Return in a clause the first thing that SQLite finds wrong with the pages of a file, or "".

    Raises sqlite3.DatabaseError if the pages cannot even be checked.
    """
    (result,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if result == "ok":
        return ""
    on_one_line = " ".join(str(result).split())
    return f"{_SPOILT}: {on_one_line}"


def _unmarked(db: sqlite3.Connection) -> str:
    """Return in a clause that a file is not marked as a workspace, or has no version; else "".

    Versions begin with 1. Raises sqlite3.DatabaseError for a file that is no database.
    """
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application != tables.APPLICATION:
        return "it is not marked as a workspace"
    if version < 1:
        return f"{version} is no version of a workspace"
    return ""


def _missing_column(db: sqlite3.Connection) -> str:
    """Return in a clause the first of today's tables or columns that a workspace lacks, or "".

    Tables and columns that it has besides do not matter.
    """
    for table, columns in _columns_of_today().items():
        known = dict(
            db.execute("SELECT name, type FROM pragma_table_info(?)", (table,)),
        )
        if not known:
            return f"its table {table} is gone"
        for column in columns:
            if column not in known:
                return f"its table {table} has no column {column}"
    return ""


def _is_of_today(db: sqlite3.Connection) -> bool:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return bool(version == tables.VERSION)


def _columns_of_today() -> dict[str, dict[str, str]]:
    """Return the SQL type of each column of this version's tables, by table and then by column.

    `{"meta": {"key": "TEXT", …}, …}`, made of empty tables in memory.
    """
    with closing(sqlite3.connect(":memory:")) as today:
        tables.create_tables(today)
        names = today.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'",
        ).fetchall()
        columns_by_table = {}
        for (table,) in names:
            sql = "SELECT name, type FROM pragma_table_info(?)"
            columns_by_table[table] = dict(today.execute(sql, (table,)).fetchall())
    return columns_by_table


def _wrong_type(db: sqlite3.Connection) -> str:
    """Return in a clause which column holds a value that is not of its type; "" if none does.

    NULL is of every type. All of today's tables must be there. Every row is read. Raises
    sqlite3.OperationalError for a text that is no UTF-8.
    """
    for table, columns in _columns_of_today().items():
        for column, type_name in columns.items():
            stored = _STORED_AS.get(type_name)
            if stored is None:
                continue
            listed = ", ".join(f"'{one}'" for one in ("null", *stored))
            where = f"typeof({column}) NOT IN ({listed})"
            sql = f"SELECT 1 FROM {table} WHERE {where} LIMIT 1"  # noqa: S608 - names of ours
            if db.execute(sql).fetchone():
                return f"{column} in its table {table} holds what is no {type_name}"
        rows = db.execute(f"SELECT * FROM {table}")  # noqa: S608 - a name of ours
        for _ in rows:  # raises for a text that is no UTF-8
            pass
    return ""


def _unreadable_part(db: sqlite3.Connection) -> str:
    """Return in a clause which part of the whole audit cannot be read; "" if all can.

    Parts are small values, unknown keys and facts of the audit as a whole. Raises sqlite3.Error if
    SQLite cannot read their tables.
    """
    for key in (meta.RUBRIC, meta.WRITTEN, meta.WRITING):
        row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is not None and row[0] and not _is_table(row[0]):
            return f"what it keeps as {key} cannot be read"
    try:
        for fact in design_in(db):
            moment(fact.at)
        if _is_of_today(db):
            for (text,) in db.execute("SELECT toml FROM extras"):
                tomli.loads(text)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        return f"what it is made of cannot be read: {type(error).__name__}"
    return ""


def _is_table(text: str) -> bool:
    """Return whether a text is a JSON object with at least one key."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and bool(value)


def _unreadable_cell(db: sqlite3.Connection) -> str:
    """Return in a clause which cell cannot be made of its facts, or is not as its row says; or "".

    The first such cell is named by its number. Facts that belong to no cell are counted, too. All
    of today's tables must be there. Raises sqlite3.Error if SQLite cannot read them.
    """
    try:
        folded = cell_reader(db)
    except (LookupError, TypeError, ValueError, AttributeError, Unusable) as error:
        return (
            f"its rubric, or an earlier trait, cannot be read: {type(error).__name__}"
        )
    rows = db.execute(
        "SELECT c.no, c.trait, c.kind, c.state, c.figures, t.body FROM cells c"
        " LEFT JOIN traces t ON t.no = c.trace ORDER BY c.no",
    )
    for number, trait, kind, state, figures, body in rows:
        try:
            json.loads(figures or "{}")
            cell = folded(number, trait, body)
            for fact in cell.facts:
                moment(fact.at)
        except Exception as error:  # noqa: BLE001 - whatever a row that is spoilt leads to
            return f"cell {number} cannot be read: {type(error).__name__}"
        if (cell.subject.kind.name, cell.state) != (kind, state):
            return f"cell {number} is not what its history makes it"
    stray = "SELECT count(*) FROM facts WHERE cell <> ? AND cell NOT IN (SELECT no FROM cells)"
    (count,) = db.execute(stray, (WHOLE_AUDIT,)).fetchone()
    if count:
        facts = many(count, "fact")
        return f"{facts} of it belong to no cell"
    return ""
