"""The workspace's tables: made for a new file, brought up to date in an old one, refused in a newer
one.

What is read for many cells at once (`cells`) stays apart from what is long (`traces`, `facts`), so
that looking through all of them reads little.
"""

import json
import sqlite3
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from appellate.core.cell import Cell, fold
from appellate.core.facts import Fact, from_row
from appellate.core.kind import KnownTrait, Subject
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.totals import overruled, standing_and_judge
from appellate.core.trace import Trace
from appellate.query.sql import lot
from appellate.store import metadata_rows, projection, same_question, trace_texts
from appellate.store.files.toml import emit
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric

APPLICATION = 0x41505045  # "APPE"
VERSION = 12

_CELLS = """
CREATE TABLE cells (
  no INTEGER PRIMARY KEY, trace INTEGER NOT NULL REFERENCES traces,
  trait TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
  flag INTEGER NOT NULL, breaches INTEGER NOT NULL, unverified INTEGER NOT NULL,
  headline REAL, figures TEXT NOT NULL, round INTEGER NOT NULL DEFAULT 0, disagreement REAL,
  suspect INTEGER NOT NULL DEFAULT -1, example INTEGER NOT NULL DEFAULT 0,
  outdated INTEGER NOT NULL DEFAULT 0, goodness REAL, standing TEXT, judge TEXT,
  judged_by TEXT NOT NULL DEFAULT '', lot INTEGER NOT NULL DEFAULT 0,
  checklist INTEGER NOT NULL DEFAULT 0, answered TEXT NOT NULL DEFAULT '',
  overruled INTEGER NOT NULL DEFAULT 0, hasty INTEGER NOT NULL DEFAULT 0,
  heading INTEGER NOT NULL DEFAULT 0, source TEXT NOT NULL DEFAULT 'model',
  judged_as TEXT NOT NULL DEFAULT '', sampled INTEGER NOT NULL DEFAULT 0,
  ruled_as TEXT NOT NULL DEFAULT '');
"""  # heading: how many stand over the cells up to this one, where each trace has its own
# source: where the labels come from, by `core.kind.Source`
# sampled: 0 not in the sample, 1 in sight of the judge, 2 blind, 3 ruled
_CELL_INDEXES = """
CREATE INDEX cells_by_trace ON cells (trace, no);
CREATE INDEX cells_by_state ON cells (state, no);
"""
_ROUNDS = """
CREATE INDEX cells_by_round ON cells (round, no);
CREATE TABLE earlier (sha256 TEXT PRIMARY KEY, kind TEXT NOT NULL,
  trait TEXT NOT NULL) WITHOUT ROWID;
"""
_JUDGES = "CREATE INDEX cells_by_judge ON cells (judged_by, no);"
_TEXTS = """
CREATE TABLE texts (
  first INTEGER PRIMARY KEY, last INTEGER NOT NULL, ids BLOB NOT NULL, models BLOB NOT NULL,
  question_ids BLOB NOT NULL, questions BLOB NOT NULL, responses BLOB NOT NULL);
"""  # what the traces from first to last say: `query.words`
_HEADS = """
CREATE TABLE heads (trace INTEGER PRIMARY KEY, model TEXT NOT NULL, question TEXT NOT NULL,
  question_id TEXT NOT NULL);
"""  # what the queue says of a trace: who answered, and the beginning of what was asked
_EXTRAS = """
CREATE TABLE extras (trace INTEGER NOT NULL, cell INTEGER NOT NULL, toml TEXT NOT NULL,
  PRIMARY KEY (trace, cell)) WITHOUT ROWID;
"""  # the keys that this version does not know: of a trace (cell 0), or of one of its cells
_STANDING = """
CREATE INDEX acts_by_name ON acts (name, by, undone, n);
CREATE TABLE bookmarks (by TEXT NOT NULL, cell INTEGER NOT NULL,
  PRIMARY KEY (by, cell)) WITHOUT ROWID;
"""
_ANSWERS = """
CREATE TABLE instructions (
  trait TEXT NOT NULL, of TEXT NOT NULL, instruction TEXT NOT NULL, overruled INTEGER NOT NULL,
  cells INTEGER NOT NULL, PRIMARY KEY (trait, of, instruction)) WITHOUT ROWID;
CREATE INDEX instructions_overruled ON instructions (trait, overruled) WHERE overruled > 0;
CREATE TABLE answers (
  trait TEXT NOT NULL, of TEXT NOT NULL, instruction TEXT NOT NULL, answer TEXT NOT NULL,
  cells INTEGER NOT NULL, PRIMARY KEY (trait, of, instruction, answer)) WITHOUT ROWID;
"""
_INSTRUCTIONS = """
CREATE TABLE checklists (
  no INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, instructions TEXT NOT NULL);
CREATE TABLE letters (letter TEXT PRIMARY KEY, answer TEXT NOT NULL UNIQUE) WITHOUT ROWID;
CREATE TABLE seen (by TEXT NOT NULL, cell INTEGER NOT NULL, since INTEGER NOT NULL,
  items TEXT NOT NULL, PRIMARY KEY (by, cell)) WITHOUT ROWID;
CREATE INDEX cells_by_answers ON cells (checklist, answered);
"""  # what `store.answered` keeps, and the items that a reviewer has been on since a proposal
_ASKED = """
CREATE TABLE asked (question BLOB NOT NULL, trace INTEGER NOT NULL,
  PRIMARY KEY (question, trace)) WITHOUT ROWID;
"""  # fingerprints of what each trace was asked: `store.same_question`
_METADATA = """
CREATE TABLE metadata (name TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  names TEXT NOT NULL, said TEXT NOT NULL, PRIMARY KEY (name, first)) WITHOUT ROWID;
"""  # what the traces from first to last have under a name: `store.metadata_rows`
_SAMPLE = """
CREATE INDEX cells_missing ON cells (no)
  WHERE (state IN ('pending', 'failed') OR (sampled > 0 AND round = 0));
CREATE INDEX cells_sampled ON cells (sampled, no) WHERE sampled > 0;
CREATE TABLE drawn (place INTEGER PRIMARY KEY, trace INTEGER NOT NULL UNIQUE,
  unit INTEGER NOT NULL, stratum INTEGER NOT NULL);
CREATE TABLE measured (cell INTEGER PRIMARY KEY, judge TEXT, members TEXT, verdict TEXT);
"""  # the traces of the sample in the order drawn, and what estimates are made of
_SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE traces (
  no INTEGER PRIMARY KEY, id TEXT NOT NULL, epoch INTEGER NOT NULL,
  body TEXT NOT NULL, UNIQUE (id, epoch));
{_TEXTS}{_HEADS}{_CELLS}{_CELL_INDEXES}{_ROUNDS}{_JUDGES}{_EXTRAS}{_INSTRUCTIONS}{_ASKED}
{_METADATA}{_SAMPLE}
CREATE TABLE facts (
  n INTEGER PRIMARY KEY, cell INTEGER NOT NULL, at TEXT NOT NULL, by TEXT NOT NULL,
  name TEXT NOT NULL, body TEXT NOT NULL, part_of INTEGER);
CREATE INDEX facts_by_cell ON facts (cell, n);
CREATE TABLE acts (
  n INTEGER PRIMARY KEY, cell INTEGER NOT NULL, by TEXT NOT NULL, undone INTEGER,
  name TEXT NOT NULL DEFAULT '');
CREATE INDEX acts_by_reviewer ON acts (by, n);
CREATE INDEX acts_by_standing ON acts (by, undone, n);
{_STANDING}{_ANSWERS}
CREATE TABLE totals (trait TEXT NOT NULL, key TEXT NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (trait, key)) WITHOUT ROWID;
"""


class WorkspaceUnknown(Exception):
    """The file is not a workspace that this version can open; the message says why."""


def create(db: sqlite3.Connection, rubric: Rubric, version: str) -> None:
    """All of it or nothing, so that a workspace that is there can be opened."""
    db.executescript(
        f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {_SCHEMA}"
    )
    fields = {"rubric": json.dumps(rubric.to_file(), ensure_ascii=False), "version": version}
    db.executemany("INSERT INTO meta VALUES (?, ?)", fields.items())
    db.execute("COMMIT")


def is_blank(db: sqlite3.Connection) -> bool:
    """Whether the file holds no trace of anybody's work: nothing at all, or a workspace that was
    only begun.
    """
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        return application == 0 and db.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    return db.execute("SELECT 1 FROM traces LIMIT 1").fetchone() is None


def recognise(
    db: sqlite3.Connection, path: Path, *, readonly: bool, on_progress: OnProgress = ignore_progress
) -> int:
    """Refuses what is no workspace of ours; an older one is brought up to date by who may write it.

    Returns the version that the file had.
    """
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise WorkspaceUnknown(f"{path} is not an Appellate workspace.")
    if version in _STEPS and readonly:
        text = f"open it once to review, and it is brought to {VERSION}"
        raise WorkspaceUnknown(f"{path} is of workspace version {version}: {text}.")
    if version in _STEPS:
        _migrate(db, version, on_progress)
    elif version != VERSION:
        raise WorkspaceUnknown(
            f"{path} is of workspace version {version}; this program reads version {VERSION}."
        )
    return int(version)


def earlier_traits(db: sqlite3.Connection) -> dict[str, KnownTrait]:
    """The versions of traits that facts were made under, by their hash."""
    found = {}
    for sha256, name, value in db.execute("SELECT sha256, kind, trait FROM earlier"):
        kind = kinds()[name]
        found[sha256] = KnownTrait(kind, kind.spec.model_validate(json.loads(value)))
    return found


# -- from older versions --------------------------------------------------------------------------

_TO_2 = f"""
CREATE TABLE judgments (cell INTEGER PRIMARY KEY, extra TEXT NOT NULL, toml TEXT NOT NULL);
INSERT INTO judgments SELECT no, extra, toml FROM cells;
{_CELLS.replace("cells", "cells_2")}
INSERT INTO cells_2 (no, trace, trait, kind, state, flag, breaches, unverified, headline, figures)
  SELECT no, trace, trait, kind, state, flag, breaches, unverified, headline, '' FROM cells;
DROP TABLE cells;
ALTER TABLE cells_2 RENAME TO cells;
{_CELL_INDEXES}
ALTER TABLE acts ADD COLUMN name TEXT NOT NULL DEFAULT '';
UPDATE acts SET name = (SELECT name FROM facts WHERE facts.n = acts.n);
{_STANDING}
"""  # noqa: S608 - made of the texts above alone
_NEW_COLUMNS = """
ALTER TABLE cells ADD COLUMN round INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN disagreement REAL;
ALTER TABLE cells ADD COLUMN suspect INTEGER NOT NULL DEFAULT -1;
ALTER TABLE cells ADD COLUMN example INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN outdated INTEGER NOT NULL DEFAULT 0;
"""
_TO_3 = f"""
{_ROUNDS}
UPDATE cells SET round = 1 WHERE EXISTS
  (SELECT 1 FROM facts WHERE facts.cell = cells.no AND facts.name = 'proposed');
"""  # noqa: S608 - made of the texts above alone
_TO_4 = f"""
ALTER TABLE facts ADD COLUMN part_of INTEGER;
{_EXTRAS}
INSERT INTO extras
  SELECT trace, cell, extra FROM judgments JOIN cells ON no = cell WHERE extra <> '';
DROP TABLE judgments;
UPDATE totals SET key = 'standing' || substr(key, length('audited') + 1) WHERE key LIKE 'audited:%';
UPDATE totals SET key = 'judge_all' || substr(key, length('judge') + 1) WHERE key LIKE 'judge:%';
UPDATE cells SET figures = '{{"standing"' || substr(figures, length('{{"audited"') + 1)
  WHERE figures LIKE '{{"audited"%';
"""  # noqa: S608 - made of the text above alone
_TO_5 = f"""
ALTER TABLE cells ADD COLUMN goodness REAL;
UPDATE cells SET goodness = headline;
{_ANSWERS}
INSERT INTO instructions SELECT trait, of, instruction, overruled, cells FROM hits;
INSERT INTO answers SELECT trait, of, instruction, 'found', found FROM hits WHERE found > 0;
INSERT INTO answers SELECT trait, of, instruction, 'missing', missing FROM hits WHERE missing > 0;
INSERT INTO answers SELECT trait, of, instruction, 'unclear', cells - found - missing FROM hits
  WHERE cells > found + missing;
DROP TABLE hits;
"""  # noqa: S608 - made of the text above alone
_COLUMNS_6 = """
ALTER TABLE cells ADD COLUMN standing TEXT;
ALTER TABLE cells ADD COLUMN judge TEXT;
ALTER TABLE cells ADD COLUMN judged_by TEXT NOT NULL DEFAULT '';
ALTER TABLE cells ADD COLUMN lot INTEGER NOT NULL DEFAULT 0;
"""
_TO_6 = f"""
UPDATE cells SET standing = json_extract(figures, '$.standing'),
  judge = json_extract(figures, '$.judge'),
  judged_by = ifnull(json_extract(figures, '$.by'), ''),
  figures = json_remove(figures, '$.standing', '$.judge', '$.by') WHERE figures <> '';
UPDATE cells SET lot =
  (SELECT lot(id, epoch, cells.trait) FROM traces WHERE traces.no = cells.trace);
{_JUDGES}{_TEXTS}
"""  # noqa: S608 - made of the texts above alone
_COLUMNS_7 = """
ALTER TABLE cells ADD COLUMN checklist INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN answered TEXT NOT NULL DEFAULT '';
ALTER TABLE cells ADD COLUMN overruled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN hasty INTEGER NOT NULL DEFAULT 0;
"""
_COLUMNS_8 = "ALTER TABLE cells ADD COLUMN heading INTEGER NOT NULL DEFAULT 0;"
_TO_8 = f"""
{_ASKED}{_HEADS}
UPDATE cells SET heading = counted.heading FROM (
  SELECT no, sum(begins) OVER (ORDER BY no) AS heading FROM (
    SELECT no, trace IS NOT lag(trace) OVER (ORDER BY no) AS begins FROM cells)) AS counted
  WHERE counted.no = cells.no;
"""  # noqa: S608 - made of the texts above alone
_COLUMNS_9 = "ALTER TABLE cells ADD COLUMN source TEXT NOT NULL DEFAULT 'model';"
_TO_9 = "UPDATE cells SET source = 'rule' WHERE kind = 'regex';"
_COLUMNS_11 = "ALTER TABLE cells ADD COLUMN judged_as TEXT NOT NULL DEFAULT '';"
_COLUMNS_12 = """
ALTER TABLE cells ADD COLUMN sampled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN ruled_as TEXT NOT NULL DEFAULT '';
"""
_FROM_11 = _COLUMNS_12 + "DROP INDEX cells_missing;" + _SAMPLE
_FROM_10 = _COLUMNS_11 + _FROM_11
_FROM_8 = _COLUMNS_9 + _TO_9 + _METADATA + _FROM_10
_FROM_7 = _COLUMNS_8 + _TO_8 + _FROM_8
_FROM_6 = _COLUMNS_7 + _INSTRUCTIONS + _FROM_7
_FROM_5 = _COLUMNS_6 + _TO_6 + _FROM_6
_STEPS = {
    1: _TO_2
    + _TO_3
    + _TO_4
    + _ANSWERS
    + _TO_6
    + _INSTRUCTIONS
    + _TO_8
    + _TO_9
    + _METADATA
    + _SAMPLE,
    2: _NEW_COLUMNS + _TO_3 + _TO_4 + _TO_5 + _FROM_5,
    3: _TO_4 + _TO_5 + _FROM_5,
    4: _TO_5 + _FROM_5,
    5: _FROM_5,
    6: _FROM_6,
    7: _FROM_7,
    8: _FROM_8,
    9: _METADATA + _FROM_10,
    10: _FROM_10,
    11: _FROM_11,
}
_NO_TOML = _OWN_SIDES = 4
"""The version since which traces have no TOML, and signed-off cells totals of their own."""
_SQUARES = 5
"""The version since which squares of values are summed."""
_TEXTS_APART = 6
"""The version since which the words of traces stand apart."""
_ANSWERED = 7
"""The version since which it is known how single cells answer their instructions."""
_HEADED = 8
"""The version since which it is known what each trace was asked."""
_METADATA_APART = 10
"""The version since which the metadata of traces stand apart."""
_JUDGED_AS = 11
"""The version since which it is known how the judge answers single instructions."""
_MEASURED = 12
"""The version since which there are samples, and what the judge's labels count to."""


def _migrate(db: sqlite3.Connection, version: int, on_progress: OnProgress) -> None:
    """One transaction.

    Version 1 has no figures, answers or bookmarks, version 2 no rounds and nothing of suspicion,
    version 3 no totals of the signed cells alone and no acts of several facts, and TOML that is now
    made when the audit is written; version 4 knows the answers found and missing alone, and sums
    no squares; version 5 has the words of traces in their JSON alone, and all figures in one;
    version 6 does not know how single cells answer their instructions, version 7 not which traces
    answer the same question, nor what heads a trace in the queue; version 8 tells by its kind where
    the labels of a cell come from; version 9 has the metadata of traces in their JSON alone;
    version 10 does not know how the judge answers single instructions; version 11 has no samples.
    """
    try:
        db.create_function("lot", 3, lot, deterministic=True)
        db.executescript(f"BEGIN IMMEDIATE; {_STEPS[version]}")
        sums = projection.Sums()
        if version < _TEXTS_APART:
            _keep_texts(db, _half(on_progress, 0), with_toml=version < _NO_TOML)
            on_progress = _half(on_progress, 1)
        if version == 1:
            for _, number, cell in _folded(db):
                if not cell.facts:
                    continue
                projection.update(db, number, projection.figures(cell, standing_and_judge(cell)))
                sums.add_answers(fold(cell.subject, ()), cell)
        if version < _OWN_SIDES:
            for *_, cell in _folded(db, "c.state = 'reviewed'"):
                projection.add_signed(sums, cell)
        if version < _SQUARES:
            signed = version >= _OWN_SIDES  # older ones just got theirs
            projection.add_squares(db, sums, signed=signed)
        _keep_what_is_found(db, version, sums, on_progress)
        sums.keep(db)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.rollback()
        raise


def _keep_what_is_found(
    db: sqlite3.Connection, version: int, sums: projection.Sums, on_progress: OnProgress
) -> None:
    """Keeps how cells answer, what traces were asked and what metadata they have, where the version
    did not.
    """
    if version < _ANSWERED:
        _keep_answers(db, sums, on_progress)
        on_progress = ignore_progress
    elif version < _JUDGED_AS:
        _keep_judged(db, sums, on_progress)
        on_progress = ignore_progress
    if version < _HEADED:
        _keep_asked(db, on_progress)
        on_progress = ignore_progress
    if version < _METADATA_APART:
        _keep_metadata(db, on_progress)
        on_progress = ignore_progress
    if version < _MEASURED:
        _keep_measured(db, on_progress)


def _keep_texts(db: sqlite3.Connection, on_progress: OnProgress, *, with_toml: bool) -> None:
    """Keeps what traces say for queries, and the unknown keys that stood only in their TOML, which
    goes.
    """
    (count,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    toml = "toml" if with_toml else "NULL"
    sql = f"SELECT no, body, {toml} FROM traces ORDER BY no"  # noqa: S608 - one of the two above
    rows = db.execute(sql)
    while batch := rows.fetchmany(trace_texts.BLOCK):
        for number, _, text in batch:
            on_progress(number, number / count)
            if text:
                _keep_extra(db, number, text)
        trace_texts.keep(db, batch[0][0], [json.loads(body) for _, body, _ in batch])
    if with_toml:
        db.execute("ALTER TABLE traces DROP COLUMN toml")


def _keep_asked(db: sqlite3.Connection, on_progress: OnProgress) -> None:
    """Keeps what each trace was asked, to find the same again and as the queue says it."""
    (count,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    for number, body in db.execute("SELECT no, body FROM traces ORDER BY no"):
        on_progress(number, number / count)
        trace = json.loads(body)
        same_question.keep(db, number, [trace])
        trace_texts.keep_heads(db, number, [trace])


def _keep_metadata(db: sqlite3.Connection, on_progress: OnProgress) -> None:
    """Keeps the metadata of traces for queries."""
    (count,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    rows = db.execute("SELECT no, body FROM traces ORDER BY no")
    while batch := rows.fetchmany(trace_texts.BLOCK):
        numbers, bodies = zip(*batch, strict=True)
        metadata_rows.keep(db, numbers[0], list(map(json.loads, bodies)))
        on_progress(numbers[-1], numbers[-1] / count)


def _half(on_progress: OnProgress, which: int) -> OnProgress:
    """Hears the first (0) or the second (1) of two passes over the traces."""
    return lambda done, part: on_progress(done, part and (which + part) / 2)


def _keep_answers(db: sqlite3.Connection, sums: projection.Sums, on_progress: OnProgress) -> None:
    """Keeps of every cell which instructions it has, how it answers them, and how many otherwise
    than the judge.
    """
    (count,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    for trace_no, number, cell in _folded(db):
        on_progress(trace_no, trace_no / count)
        row = sums.answered.row(db, cell) | sums.answered.judged(db, cell)
        projection.update(db, number, row | {"overruled": overruled(cell)})


def _keep_judged(db: sqlite3.Connection, sums: projection.Sums, on_progress: OnProgress) -> None:
    """Keeps of every cell how the judge answers; where nobody did anything, as it stands."""
    (count,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    db.execute(
        "UPDATE cells SET judged_as = answered WHERE state = 'proposed' AND round <= 1"
        " AND no NOT IN (SELECT cell FROM acts)"
    )
    for trace_no, number, cell in _folded(db, "c.judge IS NOT NULL AND c.judged_as = ''"):
        on_progress(trace_no, trace_no / count)
        projection.update(db, number, sums.answered.judged(db, cell))


def _keep_measured(db: sqlite3.Connection, on_progress: OnProgress) -> None:
    """Keeps what judges' labels count to; where nobody did anything, as what stands does."""
    (count,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    db.execute(
        "INSERT INTO measured SELECT no, json_object('counts',"
        " json(json_extract(figures, '$.counts')), 'values', json(judge)), NULL, NULL FROM cells"
        " WHERE state = 'proposed' AND round <= 1 AND disagreement IS NULL"
        " AND json_extract(figures, '$.differs') IS NULL AND no NOT IN (SELECT cell FROM acts)"
    )
    for trace_no, number, cell in _folded(
        db, "c.judge IS NOT NULL AND c.no NOT IN (SELECT cell FROM measured)"
    ):
        on_progress(trace_no, trace_no / count)
        projection.keep_measured(db, number, cell)


def _keep_extra(db: sqlite3.Connection, number: int, text: str) -> None:
    (table,) = tomllib.loads(text)["traces"]
    unknown = {key: value for key, value in table.items() if key not in Trace.model_fields}
    if unknown:
        db.execute("INSERT INTO extras VALUES (?, 0, ?)", (number, "".join(emit(unknown))))


def _folded(db: sqlite3.Connection, which: str = "1") -> Iterator[tuple[int, int, Cell]]:
    """Every cell (of which something is so), folded from its facts, behind its number and that of
    its trace.
    """
    earlier = earlier_traits(db)
    (value,) = db.execute("SELECT value FROM meta WHERE key = 'rubric'").fetchone()
    rubric = Rubric.model_validate_json(value)
    sql = (
        "SELECT c.no, c.trace, t.body, c.trait, c.kind, f.n, f.at, f.by, f.name, f.body"
        " FROM cells c JOIN traces t ON t.no = c.trace LEFT JOIN facts f ON f.cell = c.no"
    )
    found = db.execute(f"{sql} WHERE {which} ORDER BY c.no, f.n")
    for number, rows in groupby(found, key=lambda row: row[0]):
        happened = list(rows)
        trace_no, body, name, kind = happened[0][1:5]
        trace = Trace.model_validate(json.loads(body))
        trait = rubric.traits_of(trace)[name].trait
        facts = [
            Fact(n, at, by, from_row(what, json.loads(value)))
            for *_, n, at, by, what, value in happened
            if n is not None
        ]
        yield trace_no, number, fold(Subject(kinds()[kind], trait, trace, earlier), facts)
