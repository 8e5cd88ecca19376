"""Opens an audit for a command that only reads it: numbers have one reader, of a workspace.

    what there is                              what is read
    a workspace, and the file it wrote         the workspace, with what is not exported yet
    a file that somebody else changed since    the file, in a temporary workspace, with a note
    a file without a workspace                 the file, in a temporary workspace
    a workspace without a file                 the workspace

Nothing is written and nothing is locked, and a snapshot of one moment is read. What follows from
the facts is in the tables of a workspace. `reading_audit` believes these tables. `recounted_audit`
does not: it makes them again of the facts, for what decides or is handed on.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from appellate.core.problem import many
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.store.audits.audit import load_audit
from appellate.store.audits.audit_sync import is_foreign
from appellate.store.audits.open_audit import AuditFiles, in_temporary, missing_facts
from appellate.store.database import NotKept, WorkspaceLocked, is_begun
from appellate.store.tables import WorkspaceOlder, WorkspaceUnknown
from appellate.store.workspace import TemporaryWorkspace, Workspace


class AuditRead(Struct, frozen=True):
    """An audit that is open to be read."""

    workspace: Workspace
    notes: list[str]
    """What a person should know of where it was read, in sentences."""

    @property
    def db(self) -> sqlite3.Connection:
        """The connection that sees the audit as of one moment."""
        return self.workspace.db


@contextmanager
def reading_audit(place: AuditFiles) -> Iterator[AuditRead]:
    """Open an audit to read its numbers; raises Unusable if its file cannot be read either."""
    with _read(place, _opened(place)) as read:
        yield read


@contextmanager
def recounted_audit(
    place: AuditFiles, on_progress: OnProgress = ignore_progress
) -> Iterator[AuditRead]:
    """Open an audit with everything made again of its facts; raises as `reading_audit` does."""
    with _read(place, _recounted(place, on_progress)) as read:
        yield read


@contextmanager
def _read(place: AuditFiles, workspace: Workspace | None) -> Iterator[AuditRead]:
    """Yield a workspace that was opened beside a file, or the file alone, which may be newer."""
    notes: list[str] = []
    if workspace is None and is_begun(place.workspace) and place.audit.exists():
        notes = [f"{place.workspace} cannot be read: it may have facts that {place.audit} lacks."]
    if workspace is not None and is_foreign(workspace, place.audit):
        notes = [_note_of_change(place, workspace)]
        workspace.close()
        workspace = None
    if workspace is None:
        audit = load_audit(place.audit)
        if audit.recounted:
            notes.append(audit.recounted)
        workspace = in_temporary(audit)
    with workspace, workspace.snapshot():
        yield AuditRead(workspace, notes)


def _opened(place: AuditFiles) -> Workspace | None:
    """Return the workspace of an audit, opened to be read; None if there is none.

    None, too, for one that cannot be read, as long as the audit file is there to be read instead.
    """
    if not is_begun(place.workspace):
        return None
    try:
        return Workspace(place.workspace, readonly=True)
    except WorkspaceOlder:
        return _recounted(place, ignore_progress)
    except _UNREADABLE:
        if not place.audit.exists():
            raise
        return None


def _recounted(place: AuditFiles, on_progress: OnProgress) -> Workspace | None:
    """Return a workspace made of the facts in that of an audit; None as `_opened` does."""
    if not is_begun(place.workspace):
        return None
    try:
        return TemporaryWorkspace(source=place.workspace, on_progress=on_progress)
    except _UNREADABLE:
        if not place.audit.exists():
            raise
        return None


_UNREADABLE = (WorkspaceUnknown, WorkspaceLocked, NotKept)
"""Why a workspace is not opened: it is damaged, newer, or its disk refuses."""


def _note_of_change(place: AuditFiles, workspace: Workspace) -> str:
    """Return that the file is read, and what the workspace has that the file lacks."""
    text = f"{place.audit} was changed since its workspace wrote it, so it is read, and"
    ahead = missing_facts(place, workspace.db)
    if ahead:
        return f"{text} {place.workspace} is not, which has {many(ahead, 'fact')} more."
    return f"{text} {place.workspace} is not."
