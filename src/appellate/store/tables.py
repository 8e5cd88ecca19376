"""The workspace's tables, and which version of them a file has.

What is read for many cells at once (`cells`) is apart from what is long (`traces`, `facts`).
"""

import json
import sqlite3
from pathlib import Path

from appellate.core.kind import KnownTrait
from appellate.store import meta
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric, kept_trait

APPLICATION = 0x41505045  # "APPE"
VERSION = 23

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE earlier (sha256 TEXT PRIMARY KEY, kind TEXT NOT NULL,
  trait TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE traces (
  no INTEGER PRIMARY KEY, id TEXT NOT NULL, epoch INTEGER NOT NULL,
  body TEXT NOT NULL, UNIQUE (id, epoch));
-- what a trace says, as words are looked for in it: in folded case, as UTF-8
CREATE TABLE texts (trace INTEGER PRIMARY KEY, id BLOB NOT NULL, question BLOB NOT NULL);
CREATE TABLE responses (trace INTEGER PRIMARY KEY, response BLOB NOT NULL);
-- the same of the steps of a conversation, by whose they are (a trace without messages has none)
CREATE TABLE said (who TEXT NOT NULL, trace INTEGER NOT NULL, words BLOB NOT NULL);
CREATE INDEX said_by ON said (who, trace);
CREATE INDEX said_in ON said (trace);
-- the tools that a conversation calls
CREATE TABLE calls (tool TEXT NOT NULL, trace INTEGER NOT NULL,
  PRIMARY KEY (tool, trace)) WITHOUT ROWID;
-- what the queue says of a trace: who answered, and the beginning of what was asked
CREATE TABLE heads (trace INTEGER PRIMARY KEY, model TEXT NOT NULL, question TEXT NOT NULL,
  question_id TEXT NOT NULL, steps INTEGER NOT NULL);
-- fingerprints of what each trace was asked
CREATE TABLE asked (question BLOB NOT NULL, trace INTEGER NOT NULL,
  PRIMARY KEY (question, trace)) WITHOUT ROWID;
-- what traces have in their metadata, value by value
CREATE TABLE metadata (name INTEGER NOT NULL REFERENCES metadata_names, trace INTEGER NOT NULL,
  at INTEGER NOT NULL, value NOT NULL, PRIMARY KEY (name, trace, at)) WITHOUT ROWID;
CREATE TABLE metadata_names (no INTEGER PRIMARY KEY, name TEXT NOT NULL,
  is_table INTEGER NOT NULL, UNIQUE (name, is_table));
-- the keys that this version does not know: of a trace (cell 0), or of one of its cells
CREATE TABLE extras (trace INTEGER NOT NULL, cell INTEGER NOT NULL, toml TEXT NOT NULL,
  PRIMARY KEY (trace, cell)) WITHOUT ROWID;

-- heading: how many stand over the cells up to this one, where each trace has its own
-- source: where the labels come from, by `core.kind.Source`
-- sampled: 0 not in the sample, 1 in sight of the judge, 2 blind, 3 ruled, 4 ruled over what was
-- changed since, which counts no more
-- unsettled: 1 signed off or ruled over what was changed since, 2 signed off again after a ruling
-- of that sort
CREATE TABLE cells (
  no INTEGER PRIMARY KEY, trace INTEGER NOT NULL REFERENCES traces,
  trait TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
  flag INTEGER NOT NULL, breaches INTEGER NOT NULL, unverified INTEGER NOT NULL,
  headline REAL, figures TEXT NOT NULL, round INTEGER NOT NULL DEFAULT 0, disagreement REAL,
  suspect INTEGER NOT NULL DEFAULT -1, example INTEGER NOT NULL DEFAULT 0,
  outdated INTEGER NOT NULL DEFAULT 0, goodness REAL, standing TEXT, judge TEXT,
  judged_by TEXT NOT NULL DEFAULT '', lot INTEGER NOT NULL DEFAULT 0,
  checklist INTEGER NOT NULL DEFAULT 0,
  overruled INTEGER NOT NULL DEFAULT 0, hasty INTEGER NOT NULL DEFAULT 0,
  heading INTEGER NOT NULL DEFAULT 0, source TEXT NOT NULL DEFAULT 'model',
  sampled INTEGER NOT NULL DEFAULT 0, unsettled INTEGER NOT NULL DEFAULT 0,
  flipped INTEGER NOT NULL DEFAULT 0);
CREATE INDEX cells_by_trace ON cells (trace, no);
CREATE INDEX cells_by_state ON cells (state, no);
CREATE INDEX cells_by_round ON cells (round, no);
CREATE INDEX cells_by_judge ON cells (judged_by, no);
CREATE INDEX cells_by_checklist ON cells (checklist, no);
CREATE INDEX cells_missing ON cells (no)
  WHERE (state IN ('pending', 'failed') OR (sampled > 0 AND round = 0));
CREATE INDEX cells_sampled ON cells (sampled, no) WHERE sampled > 0;
CREATE INDEX cells_unsettled ON cells (no) WHERE unsettled > 0;
-- the questions of a checklist, in order, and the words that answer any of them
CREATE TABLE checklists (no INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE);
CREATE TABLE questions (no INTEGER PRIMARY KEY, checklist INTEGER NOT NULL REFERENCES checklists,
  of TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX questions_by_checklist ON questions (checklist);
CREATE TABLE words (no INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
-- how each cell answers: its labels, its judge, and what was ruled before that was seen
CREATE TABLE given (cell INTEGER NOT NULL, question INTEGER NOT NULL REFERENCES questions,
  answer INTEGER REFERENCES words, judged INTEGER REFERENCES words,
  ruled INTEGER REFERENCES words, PRIMARY KEY (cell, question)) WITHOUT ROWID;

CREATE TABLE facts (
  n INTEGER PRIMARY KEY, cell INTEGER NOT NULL, at TEXT NOT NULL, by TEXT NOT NULL,
  name TEXT NOT NULL, body TEXT NOT NULL, part_of INTEGER,
  as_agent INTEGER NOT NULL DEFAULT 0);
CREATE INDEX facts_by_cell ON facts (cell, n);
CREATE TABLE acts (
  n INTEGER PRIMARY KEY, cell INTEGER NOT NULL, by TEXT NOT NULL, undone INTEGER,
  name TEXT NOT NULL DEFAULT '');
CREATE INDEX acts_by_reviewer ON acts (by, n);
CREATE INDEX acts_by_standing ON acts (by, undone, n);
CREATE INDEX acts_by_name ON acts (name, by, undone, n);
CREATE TABLE bookmarks (by TEXT NOT NULL, cell INTEGER NOT NULL,
  PRIMARY KEY (by, cell)) WITHOUT ROWID;
-- the items that a reviewer has been on since a proposal
CREATE TABLE seen (by TEXT NOT NULL, cell INTEGER NOT NULL, since INTEGER NOT NULL,
  items TEXT NOT NULL, PRIMARY KEY (by, cell)) WITHOUT ROWID;

-- the traces of the sample in the order drawn, and what estimates are made of
CREATE TABLE drawn (place INTEGER PRIMARY KEY, trace INTEGER NOT NULL UNIQUE,
  unit INTEGER NOT NULL, stratum INTEGER NOT NULL);
CREATE TABLE measured (cell INTEGER PRIMARY KEY, judge TEXT, members TEXT, verdict TEXT);
CREATE TABLE instructions (
  trait TEXT NOT NULL, kind TEXT NOT NULL, of TEXT NOT NULL, instruction TEXT NOT NULL,
  overruled INTEGER NOT NULL, cells INTEGER NOT NULL,
  PRIMARY KEY (trait, kind, of, instruction)) WITHOUT ROWID;
CREATE INDEX instructions_overruled ON instructions (trait, kind, overruled) WHERE overruled > 0;
CREATE TABLE answers (
  trait TEXT NOT NULL, kind TEXT NOT NULL, of TEXT NOT NULL, instruction TEXT NOT NULL,
  answer TEXT NOT NULL, cells INTEGER NOT NULL,
  PRIMARY KEY (trait, kind, of, instruction, answer)) WITHOUT ROWID;
CREATE TABLE totals (trait TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL,
  value INTEGER NOT NULL, PRIMARY KEY (trait, kind, key)) WITHOUT ROWID;
"""


class WorkspaceUnknown(Exception):
    """The file is not a workspace that this version can open; the message says why."""

    def __init__(self, reason: str, advice: str = "move it away") -> None:
        super().__init__(reason)
        self.advice = advice


class WorkspaceOlder(WorkspaceUnknown):
    """The file is a workspace of an earlier version, which only its writer brings up to date."""


class WorkspaceDamaged(WorkspaceUnknown):
    """The file is spoilt; the message is a clause that says what is wrong with it."""


def create(db: sqlite3.Connection, rubric: Rubric, version: str) -> None:
    """Make a blank workspace of this version with a rubric, all of it or nothing.

    `version` is that of the program.
    """
    db.execute("BEGIN")
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    create_tables(db)
    fields = {
        "rubric": json.dumps(rubric.to_file(), ensure_ascii=False),
        "version": version,
    }
    db.executemany("INSERT INTO meta VALUES (?, ?)", fields.items())
    db.execute("COMMIT")


def create_tables(db: sqlite3.Connection) -> None:
    """Make the tables of this version that are not there yet, in the caller's transaction.

    The file has this version then.
    """
    for statement in _SCHEMA.split(";"):
        db.execute(statement.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS "))
    db.execute(f"PRAGMA user_version = {VERSION}")


def is_blank(db: sqlite3.Connection) -> bool:
    """Return whether a file holds no work: it is empty, or a workspace without traces."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        return (
            application == 0
            and db.execute("SELECT 1 FROM sqlite_master").fetchone() is None
        )
    return db.execute("SELECT 1 FROM traces LIMIT 1").fetchone() is None


def recognise(db: sqlite3.Connection, path: Path, *, readonly: bool) -> int:
    """Return the version of the workspace that a file is.

    Raises WorkspaceUnknown for other files and newer versions, WorkspaceDamaged if its marks are
    spoilt, and WorkspaceOlder for an older version if `readonly`.
    """
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'facts'").fetchone():
            raise WorkspaceDamaged("it is damaged: it is not marked as a workspace")
        raise WorkspaceUnknown(f"{path} is not an Appellate workspace.")
    is_older = 0 < version < VERSION
    if is_older and readonly:
        text = f"open it once to review, and it is brought to {VERSION}"
        raise WorkspaceOlder(f"{path} is of workspace version {version}: {text}.")
    if version < 1:
        raise WorkspaceDamaged(f"it is damaged: {version} is no version of a workspace")
    if version > VERSION:
        raise WorkspaceUnknown(
            f"{path} is of workspace version {version}; this program reads version {VERSION}.",
            "update Appellate, or open it with the version that wrote it",
        )
    return int(version)


def rubric_of(db: sqlite3.Connection) -> Rubric:
    """Return the rubric of a workspace."""
    (text,) = db.execute(
        "SELECT value FROM meta WHERE key = ?",
        (meta.RUBRIC,),
    ).fetchone()
    return Rubric.kept(json.loads(text))


def earlier_traits(db: sqlite3.Connection) -> dict[str, KnownTrait]:
    """Return the versions of traits that facts were made under and that changed, by their hash."""
    traits: dict[str, KnownTrait] = {}
    rows = db.execute("SELECT sha256, kind, trait FROM earlier")
    for sha256, kind_name, text in rows:
        kind = kinds()[kind_name]
        trait = kept_trait(kind, json.loads(text))
        traits[sha256] = KnownTrait(kind, trait)
    return traits
