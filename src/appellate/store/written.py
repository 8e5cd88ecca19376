"""The audit file beside its workspace: writing it, and knowing whether it is still what was written."""

import hashlib
import json
import sqlite3
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from appellate.store import atomic
from appellate.store.audit import header
from appellate.store.schema import WorkspaceUnknown
from appellate.store.workspace import Workspace


class NotWritten(Exception):
    """The audit file could not be written; everything stays kept in the workspace."""


@dataclass(frozen=True, slots=True)
class Written:
    """What the audit file was when this workspace last wrote or read it.

    `n` is the last fact in it, `traces` how many traces are.
    """

    n: int
    size: int
    mtime_ns: int
    sha256: str
    traces: int = 0


def workspace_path(audit: Path) -> Path:
    """`x.audit.toml` ↔ `x.audit.db`."""
    return audit.with_suffix(".db") if audit.suffix == ".toml" else audit.with_name(audit.name + ".db")


def remembered(workspace: Workspace) -> Written | None:
    told = workspace.meta("written")
    return Written(**json.loads(told)) if told else None


def remember(workspace: Workspace, audit: Path, n: int, sha256: str) -> None:
    """Notes that the audit file, as it is now, holds all traces and the facts up to `n`."""
    _note(workspace, audit, n, sha256, workspace.count_traces())


def forget(workspace: Workspace, audit: Path, sha256: str) -> None:
    """Notes that the audit file, as it is now, may be written over and holds nothing of this workspace."""
    _note(workspace, audit, 0, sha256, 0)


def fall_behind(workspace: Workspace) -> None:
    """Notes that the audit file lacks something that is no fact: a changed rubric."""
    known = remembered(workspace)
    if known:
        workspace.set_meta("written", json.dumps(asdict(replace(known, n=known.n - 1, traces=0))))


def _note(workspace: Workspace, audit: Path, n: int, sha256: str, traces: int) -> None:
    stat = audit.stat()
    written = Written(n, stat.st_size, stat.st_mtime_ns, sha256, traces)
    workspace.set_meta("written", json.dumps(asdict(written)))


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_foreign(workspace: Workspace, audit: Path) -> bool:
    """Whether somebody else wrote the audit file since this workspace did."""
    if not audit.exists():
        return False
    known = remembered(workspace)
    if known is None:
        return True
    stat = audit.stat()
    same_stat = (stat.st_size, stat.st_mtime_ns) == (known.size, known.mtime_ns)
    return not same_stat and digest(audit) != known.sha256


def write_audit(workspace_file: Path, audit: Path) -> tuple[int, str]:
    """Writes the audit of one moment of a workspace; returns its last fact's number and its hash.

    Opens the workspace as a reader of its own, so that it can run in a thread beside the writer.
    """
    sha256 = hashlib.sha256()
    try:
        with Workspace(workspace_file, readonly=True) as workspace, workspace.snapshot():
            if is_foreign(workspace, audit):
                raise NotWritten(
                    f"{audit.name} was changed by someone else meanwhile; it was left alone."
                    " Quit and open it again to choose between the two."
                )
            atomic.write(audit, _hashed(workspace, sha256))
            return workspace.last_n(), sha256.hexdigest()
    except OSError as error:
        raise NotWritten(f"{audit} could not be written: {error.strerror or error}") from error
    except (sqlite3.Error, WorkspaceUnknown) as error:
        raise NotWritten(f"{audit} could not be written: {error}") from error


def _hashed(workspace: Workspace, sha256: "hashlib._Hash") -> Iterator[bytes]:
    for text in audit_text(workspace):
        chunk = text.encode()
        sha256.update(chunk)
        yield chunk


def text_digest(workspace: Workspace) -> str:
    """The hash of the audit as it would be written now."""
    sha256 = hashlib.sha256()
    for _ in _hashed(workspace, sha256):
        pass
    return sha256.hexdigest()


def audit_text(workspace: Workspace) -> Iterator[str]:
    """The whole audit, in parts."""
    extra = tomllib.loads(workspace.meta("extra") or "")
    version = workspace.meta("version") or ""
    yield header(workspace.rubric, workspace.last_at(), version, workspace.reviewers(), extra, workspace.earlier)
    yield from workspace.texts()
