"""The audit of a file alone, of which one trace is in memory at a time.

The file is read once, trace by trace, and checked. Its traces and facts are kept in a temporary
database, from which they are folded whenever somebody goes through them, as those of a workspace.
That is in memory as long as it is small, then in the system's folder for temporary files.
"""

import sqlite3
from itertools import count
from pathlib import Path

from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.audit_file import (
    AuditFileReading,
    read_audit_file,
)
from appellate.store.database import NotKept, to_json
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace

_TRACE = "INSERT INTO traces (no, id, epoch, body) VALUES (?, ?, ?, ?)"
_CELL = (
    "INSERT INTO cells (no, trace, trait, kind, state, flag, breaches, unverified, figures)"
    " VALUES (?, ?, ?, ?, '', 0, 0, 0, '')"
)
"""A cell without anything that follows from its facts: nobody reads that."""
_CACHE = -32_000
"""The negative number of kibibytes of the database that stay in memory: most files fit in."""


class FileAudit(WorkspaceAudit):
    """An audit as its file tells it. It has no cell that the file lacks; close it after use."""

    def __init__(self, reading: AuditFileReading) -> None:
        """Read a whole audit file into a temporary database, which `close` deletes.

        Raises Unusable or NotByTrace as going through the traces of `reading` does, and
        NotKept if the disk refuses.
        """
        self._copy = _TemporaryCopy(reading)
        super().__init__(self._copy.db)
        self._saved = reading.saved
        self._reviewers = reading.reviewers
        self.recounted = reading.recounted
        """As `Audit.recounted`."""

    @property
    def saved(self) -> str | None:
        """The time at which the file says that it was saved; None if it says none."""
        return self._saved

    @property
    def reviewers(self) -> list[str]:
        """Everybody who ever acted, as the file says."""
        return self._reviewers

    def close(self) -> None:
        """Delete the temporary database."""
        self._copy.close()


def file_audit(path: Path, on_progress: OnProgress = ignore_progress) -> FileAudit:
    """Return the audit of a file, which the caller closes: that deletes its temporary copy.

    Raises Unusable with every problem found, or because there is no room for a temporary file.
    """
    try:
        return read_audit_file(path, FileAudit, on_progress)
    except NotKept as refusal:
        wrong = f"it does not fit into a temporary file: {refusal}"
        raise unusable(
            str(path),
            wrong,
            "make room, or set TMPDIR to another folder",
        ) from refusal


class _TemporaryCopy(Workspace):
    """The traces and facts of an audit file, in a database that is deleted when it is closed."""

    def __init__(self, reading: AuditFileReading) -> None:
        """Read a whole audit file into a new temporary database.

        Raises Unusable or NotByTrace as going through the traces of `reading` does, and NotKept if
        the disk refuses; nothing is left then.
        """
        super().__init__(Path("temporary"), blank=(reading.rubric, reading.version))
        try:
            with self.transaction():
                self._fill(reading)
        except BaseException:
            self.close()
            raise

    def _connection(self, path: Path) -> sqlite3.Connection:  # noqa: ARG002 - it is at no path
        """Return a connection to a new database in a temporary file, whatever the path."""
        db = sqlite3.connect("", isolation_level=None)
        db.execute(f"PRAGMA cache_size = {_CACHE}")
        return db

    def _fill(self, reading: AuditFileReading) -> None:
        """Write all that a file's reading yields into this copy, with cells numbered from 1.

        That is the earlier traits, the traces with their unknown keys, the cells with their facts
        but without their unknown keys, and the design. Raises Unusable with every problem of the
        file, and NotByTrace if it must be read whole; the copy is then incomplete.
        """
        for trait in reading.earlier.values():
            self.keep_earlier(trait)
        cell_numbers = count(1)
        for trace_no, audited in enumerate(reading, 1):
            trace = audited.trace
            body = to_json(trace.model_dump(exclude_none=True))
            self.db.execute(_TRACE, (trace_no, trace.id, trace.epoch, body))
            self._keep_extra(trace_no, 0, audited.extra)
            for audited_cell in audited.cells:
                cell_no = next(cell_numbers)
                subject = audited_cell.cell.subject
                row = (cell_no, trace_no, subject.trait.name, subject.kind.name)
                self.db.execute(_CELL, row)
                facts = [(cell_no, fact) for fact in audited_cell.cell.facts]
                self.facts.insert_all(facts)
        for fact in reading.design:
            self.design.insert(fact)
