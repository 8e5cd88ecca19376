"""Opens an audit for a command that only reads it.

    what there is                              what is read
    a workspace, and the file it wrote         the workspace, with what is not exported yet
    a file that somebody else changed since    the file, with a note
    a file without a workspace                 the file
    a workspace without a file                 the workspace

Nothing is written and nothing is locked, and a workspace is read as of one moment. Of a workspace
only the facts are believed: `WorkspaceAudit` folds them, as a file is folded.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec import Struct

from appellate.core.problem import many
from appellate.store import tables
from appellate.store.audits.any_audit import AnyAudit, WorkspaceAudit
from appellate.store.audits.audit_sync import is_foreign
from appellate.store.audits.file_audit import file_audit
from appellate.store.audits.open_audit import AuditFiles, missing_facts
from appellate.store.database import (
    NotKept,
    WorkspaceLocked,
    connected_to_read,
    copied,
    is_begun,
)
from appellate.store.tables import WorkspaceOlder, WorkspaceUnknown
from appellate.store.workspace import Workspace, rebuild


class AuditRead(Struct, frozen=True):
    """An audit that is open to be read."""

    audit: AnyAudit
    notes: list[str]
    """What a person should know of where it was read, in sentences."""


@contextmanager
def read_audit(place: AuditFiles, *, is_file_named: bool = True) -> Iterator[AuditRead]:
    """Open an audit to be read, as of one moment, from its workspace or its audit file.

    The workspace is read if there is one that can be read, unless somebody else changed the file.
    With `is_file_named` False it is read even then. Notes say why the file was read instead of a
    workspace. Raises Unusable if the file is to be read and cannot be; if there is no file, what
    opening a workspace raises: WorkspaceUnknown, WorkspaceLocked or NotKept.
    """
    workspace = _workspace_to_read(place)
    if workspace is None:
        with _read_from_file(place) as read:
            yield read
        return
    with workspace:
        if is_file_named and is_foreign(workspace, place.audit):
            with _read_from_file(place, _note_of_change(place, workspace)) as read:
                yield read
            return
        with workspace.snapshot():
            yield AuditRead(WorkspaceAudit(workspace.db), [])


@contextmanager
def _read_from_file(place: AuditFiles, note: str = "") -> Iterator[AuditRead]:
    """Yield an audit that is read from its file alone, and close it after the block.

    A `note` says why its workspace is not read; without one, a note says so of a workspace that is
    there. Raises Unusable for a file that cannot be read.
    """
    with closing(file_audit(place.audit)) as audit:
        notes: list[str] = []
        if audit.recounted:
            notes.append(f"{place.audit}: {audit.recounted}")
        if note:
            notes.append(note)
        elif is_begun(place.workspace):
            unread = (
                f"{place.workspace} cannot be read: it may have facts that"
                f" {place.audit} lacks."
            )
            notes.append(unread)
        yield AuditRead(audit, notes)


def _workspace_to_read(place: AuditFiles) -> Workspace | None:
    """Return an audit's workspace, opened to be read; None if its file is to be read instead.

    That is so if there is no workspace, if it cannot be read and there is an audit file, and for a
    name that no file can have, since reading the file says so. A workspace of an earlier version is
    read from a copy in today's form. Raises WorkspaceUnknown, WorkspaceLocked or NotKept for a
    workspace that cannot be read if there is no audit file.
    """
    try:
        place.audit.stat()
    except FileNotFoundError:
        pass
    except OSError:
        return None
    if not is_begun(place.workspace):
        return None
    try:
        try:
            return Workspace(place.workspace, readonly=True)
        except WorkspaceOlder:
            return _BroughtUpCopy(place.workspace, readonly=True)
    except (WorkspaceUnknown, WorkspaceLocked, NotKept):
        if not place.audit.exists():
            raise
        return None


class _BroughtUpCopy(Workspace):
    """A temporary copy of a workspace of an earlier version, brought up to this one to be read.

    The file stays as it is, and the copy is deleted when it is closed.
    """

    def _connection(self, path: Path) -> sqlite3.Connection:
        """Return a connection to a temporary copy of the workspace at a path."""
        with closing(connected_to_read(path)) as source:
            return copied(source)

    def _prepare(self, db: sqlite3.Connection, path: Path) -> None:
        """Bring the copy up to this version's form; `was_version` is the version that the file had.

        Raises WorkspaceUnknown for a file that is no workspace or of a later version.
        """
        self.was_version = tables.recognise(db, path, readonly=False)
        rebuild(db, self._on_progress)


def _note_of_change(place: AuditFiles, workspace: Workspace) -> str:
    """Return a sentence that the audit file, which was changed, is read, not the workspace.

    It says how many facts more the workspace has, if it has any.
    """
    text = (
        f"{place.audit} was changed since its workspace wrote it, so it is read, and"
        f" {place.workspace} is not"
    )
    missing_count = missing_facts(place, workspace.db)
    if missing_count:
        facts = many(missing_count, "fact")
        text += f", which has {facts} more"
    return f"{text}."
