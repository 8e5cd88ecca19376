"""The audit file beside its workspace: writing it, and whether it is still what was written.

The text of a trace is made of its facts alone, so the texts of unchanged traces are copied from
the file, as long as it is the one that this workspace wrote.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, nullcontext
from io import FileIO
from pathlib import Path

import tomli
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.installed import running
from appellate.store import meta
from appellate.store.audits.audit import header
from appellate.store.database import NotKept, WorkspaceLocked, writing
from appellate.store.files import atomic
from appellate.store.files.toml import LAYOUT
from appellate.store.tables import WorkspaceUnknown
from appellate.store.workspace import Workspace

Chunk = bytes | memoryview
_CHUNK = 1 << 20


class NotWritten(Exception):
    """The audit file could not be written; everything stays kept in the workspace."""


class Written(Struct, frozen=True):
    """The audit file as this workspace last wrote or read it."""

    n: int
    """The number of the last fact that is in it."""
    size: int
    mtime_ns: int
    sha256: str
    traces: int = 0
    """How many traces are in it."""


class Text(Struct, frozen=True):
    """An audit file that was written."""

    written: Written
    sizes: list[int]
    """How many bytes its head takes, and then each trace."""


class _Before(Struct, frozen=True):
    """The audit file as it was written before, open to be read."""

    file: FileIO
    n: int
    """The number of the last fact that is in it."""
    sizes: list[int]
    """How many bytes its head takes, and then each trace."""


def workspace_path(audit: Path) -> Path:
    """Return the path of an audit's workspace: `x.audit.db` for `x.audit.toml`.

    Of any name that ends in `.toml`, `.db` takes the place of that ending; to other names it is
    added.
    """
    if audit.suffix == ".toml":
        return audit.with_suffix(".db")
    return audit.parent / f"{audit.name}.db"  # `with_name` refuses the folders . and /


def is_one_of(path: Path, audit: str | Path, source: str | Path | None = None) -> bool:
    """Return whether a path leads to an audit, its workspace, or the `source` that it was made of.

    Links and other spellings of the same file count. False if there is no file at `path`.
    """
    if not path.exists():
        return False
    audit_path = Path(audit)
    audit_files = [audit_path, workspace_path(audit_path)]
    if source:
        audit_files.append(Path(source))
    return any(file.exists() and path.samefile(file) for file in audit_files)


def remembered(workspace: Workspace, key: str = meta.WRITTEN) -> Written | None:
    """Return what the workspace noted of the audit file; None if it noted nothing.

    By default that is the file as it was last written, and for `meta.WRITING` the one that was
    about to be.
    """
    text = workspace.meta(key)
    if not text:
        return None
    return Written(**json.loads(text))


def remember(workspace: Workspace, audit: Path, n: int, sha256: str) -> None:
    """Note that the audit file, as it is now, holds all traces and the facts up to `n`.

    `sha256` is that of the file. Raises OSError if the file is gone, and NotKept if the disk
    refuses.
    """
    _note_file(workspace, audit, n, sha256, workspace.traces.count())


def remember_text(workspace: Workspace, text: Text) -> None:
    """Note durably what `write_audit` wrote, whose parts may be copied the next time.

    Raises NotKept if the disk refuses.
    """
    written = text.written
    parts = {
        "n": written.n,
        "sha256": written.sha256,
        "sizes": text.sizes,
        "version": _writer(),
    }
    with workspace.transaction():
        workspace.set_meta(meta.WRITTEN, _describe(written))
        workspace.set_meta(meta.PARTS, json.dumps(parts))


def _writer() -> str:
    """Return a text that names the running program and the layout in which it writes files.

    Parts of a file that another one wrote are not copied, but written again.
    """
    return f"{running()}, {LAYOUT}"


def forget(workspace: Workspace, audit: Path, sha256: str) -> None:
    """Note that the audit file may be written over and holds nothing of this workspace.

    `sha256` is that of the file. Raises OSError if the file is gone, and NotKept if the disk
    refuses.
    """
    _note_file(workspace, audit, 0, sha256, 0)


def fall_behind(workspace: Workspace) -> None:
    """Note that the audit file lacks a change that is no fact, such as that of a rubric.

    The file then counts as behind by one fact and by all traces. Does nothing if no file was
    written yet. Raises NotKept if the disk refuses.
    """
    noted = remembered(workspace)
    if noted:
        workspace.set_meta(
            meta.WRITTEN,
            _describe(replace(noted, n=noted.n - 1, traces=0)),
        )


def _note_file(
    workspace: Workspace,
    audit: Path,
    n: int,
    sha256: str,
    traces: int,
) -> None:
    """Note what the audit file is now, by its size, its time and `sha256`.

    It then holds `traces` traces and the facts up to `n`. Raises OSError if the file is gone, and
    NotKept if the disk refuses.
    """
    stat = audit.stat()
    written = Written(n, stat.st_size, stat.st_mtime_ns, sha256, traces)
    workspace.set_meta(meta.WRITTEN, _describe(written))


def _set(db: sqlite3.Connection, key: str, written: Written) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, _describe(written)))


def _describe(written: Written) -> str:
    return json.dumps(to_builtins(written))


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal; raise OSError if it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_foreign(workspace: Workspace, audit: Path) -> bool:
    """Return whether the audit file is not one that this workspace wrote; False if there is no
    file.

    Raises OSError if the file must be read for that and cannot be.
    """
    if not audit.exists():
        return False
    return _noted_as(workspace, audit) is None


def is_own(workspace: Workspace, audit: Path) -> bool:
    """Return whether the audit file is one that this workspace wrote, or is gone.

    If it is its own, what a crash kept from being noted is noted, or that the file was only
    touched. Raises NotKept if the disk refuses that, and OSError if the file must be read and
    cannot be.
    """
    if not audit.exists():
        return True
    noted = _noted_as(workspace, audit)
    if noted is None:
        return False
    seen = replace(noted, mtime_ns=audit.stat().st_mtime_ns)
    if seen != remembered(workspace):
        workspace.set_meta(meta.WRITTEN, _describe(seen))
    return True


def _noted_as(workspace: Workspace, audit: Path) -> Written | None:
    """Return which note on the file, as last written or about to be, the audit file agrees with.

    Size and time must agree, or size and content: the file is read only if a size agrees and no
    time does. None if neither note agrees. Raises OSError if the file is gone or cannot be read.
    """
    stat = audit.stat()
    alike = []
    for key in (meta.WRITTEN, meta.WRITING):
        noted = remembered(workspace, key)
        if noted and noted.size == stat.st_size:
            alike.append(noted)
    for noted_file in alike:
        if noted_file.mtime_ns == stat.st_mtime_ns:
            return noted_file
    if not alike:
        return None
    sha256 = digest(audit)
    return next(
        (noted_file for noted_file in alike if noted_file.sha256 == sha256),
        None,
    )


def write_audit(
    workspace_file: Path,
    audit: Path,
    on_progress: OnProgress = ignore_progress,
) -> Text:
    """Write the audit file of a workspace as it is at one moment, durably; return what was written.

    A connection of its own reads the workspace, so that a thread can do it. Raises NotWritten if
    the workspace cannot be read or the file not written, and for a file that somebody else changed,
    which is left alone. `remember_text` is to be called with the result.
    """
    sha256 = hashlib.sha256()
    sizes: list[int] = []
    atomic.sweep(audit)
    try:
        with (
            Workspace(workspace_file, readonly=True) as workspace,
            workspace.snapshot(),
        ):
            current_file = _replaceable(workspace, audit)
            earlier_file = _earlier_file(workspace, audit)
            traces = workspace.traces.count()
            parts = _parts(workspace, earlier_file, sizes)
            chunks = _hashed_and_counted(parts, sizes, traces, on_progress, sha256)
            with (
                closing(earlier_file.file) if earlier_file else nullcontext(),
                atomic.writing(audit, chunks) as temporary,
            ):
                stat = temporary.stat()
                n = workspace.facts.last_n()
                written = Written(
                    n,
                    stat.st_size,
                    stat.st_mtime_ns,
                    sha256.hexdigest(),
                    traces,
                )
                # after a crash both are known for our own
                with writing(workspace_file) as db:
                    if current_file and current_file != remembered(workspace):
                        _set(db, meta.WRITTEN, current_file)
                    _set(db, meta.WRITING, written)
                # writing takes a while, in which anybody may change it
                _replaceable(workspace, audit)
            return Text(written, sizes)
    except OSError as error:
        raise NotWritten(
            f"{audit} could not be written: {error.strerror or error}",
        ) from error
    except (sqlite3.Error, WorkspaceUnknown, WorkspaceLocked, NotKept) as error:
        raise NotWritten(f"{audit} could not be written: {error}") from error


def _replaceable(workspace: Workspace, audit: Path) -> Written | None:
    """Return the note that agrees with the audit file to be replaced; None if there is no file.

    Raises NotWritten if somebody else changed the file, and OSError if it must be read and cannot
    be.
    """
    if not audit.exists():
        return None
    noted = _noted_as(workspace, audit)
    if noted is None:
        raise NotWritten(
            f"{audit.name} was changed by someone else meanwhile; it was left alone."
            " Quit and open it again to choose between the two.",
        )
    return noted


def _hashed_and_counted(
    chunks: Iterator[Chunk],
    sizes: list[int],
    traces: int,
    on_progress: OnProgress,
    sha256: "hashlib._Hash",
) -> Iterator[Chunk]:
    """Yield the same chunks, adding each to the hash `sha256`, and report progress before each.

    Progress is the number of traces that are complete, and their share of `traces`. What makes
    `chunks` adds the size of the head to `sizes`, and then that of each complete trace; this only
    reads them.
    """
    for chunk in chunks:
        on_progress(len(sizes) - 1, (len(sizes) - 1) / max(1, traces))
        sha256.update(chunk)
        yield chunk


def text_digest(workspace: Workspace) -> str:
    """Return the SHA-256, in hexadecimal, of the audit file as it would be written now."""
    sha256 = hashlib.sha256()
    for chunk in _parts(workspace, None, []):
        sha256.update(chunk)
    return sha256.hexdigest()


def _earlier_file(workspace: Workspace, audit: Path) -> _Before | None:
    """Return the audit file as it was last written, open to be read, for the caller to close.

    Returns None if no parts can be copied from it: there is no file, it is not known to be the one
    that this version of the program wrote last, or its size or time is another. Raises OSError if
    the file cannot be opened.
    """
    noted = remembered(workspace)
    text = workspace.meta(meta.PARTS)
    if noted is None or text is None or not audit.exists():
        return None
    parts = json.loads(text)
    if parts["version"] != _writer():
        return None
    if parts["n"] != noted.n or parts["sha256"] != noted.sha256:
        return None
    file = audit.open("rb", buffering=0)
    stat = os.fstat(file.fileno())
    if stat.st_size != noted.size or stat.st_mtime_ns != noted.mtime_ns:
        file.close()
        return None
    return _Before(file, parts["n"], parts["sizes"])


def _parts(
    workspace: Workspace,
    earlier_file: _Before | None,
    sizes: list[int],
) -> Iterator[Chunk]:
    """Yield the bytes of the audit file: its head, then each trace.

    How many bytes the head and each trace take is added to `sizes`, which is empty at first. With
    `earlier_file`, traces that did not change since are copied from it. Raises OSError if that file
    cannot be read or is too short.
    """
    extra = tomli.loads(workspace.meta(meta.EXTRA) or "")
    version = workspace.meta(meta.VERSION) or ""
    last_at = workspace.facts.last_at()
    reviewers = workspace.facts.reviewers()
    design = workspace.design.facts()
    head = header(
        workspace.rubric,
        last_at,
        version,
        reviewers,
        extra,
        workspace.earlier,
        design,
    )
    sizes.append(len(head.encode()))
    yield head.encode()
    if earlier_file:
        earlier_file.file.seek(earlier_file.sizes[0])
        traces = len(earlier_file.sizes)
        for changed in (*workspace.facts.traces_since(earlier_file.n), traces):
            unchanged_sizes = earlier_file.sizes[len(sizes) : changed]
            yield from _copied(earlier_file.file, sum(unchanged_sizes))
            sizes += unchanged_sizes
            if changed >= traces:
                break
            earlier_file.file.seek(earlier_file.sizes[changed], os.SEEK_CUR)
            yield from _new_parts(workspace, changed, changed, sizes)

    yield from _new_parts(workspace, len(sizes), workspace.traces.count(), sizes)


def _copied(file: FileIO, size: int) -> Iterator[Chunk]:
    """Yield the next `size` bytes of a file in chunks.

    A chunk is overwritten by the next one, which saves half of the time, so it must be used before.
    Raises OSError if the file has fewer bytes.
    """
    room = memoryview(bytearray(min(size, _CHUNK)))
    while size:
        read_count = file.readinto(room[:size])
        if not read_count:
            raise OSError("it was changed while it was being read")
        size -= read_count
        yield room[:read_count]


def _new_parts(
    workspace: Workspace,
    first: int,
    last: int,
    sizes: list[int],
) -> Iterator[bytes]:
    """Yield the bytes of each trace from number `first` to `last`; add their counts to `sizes`.

    Both numbers are included; nothing is yielded if `last` is below `first`.
    """
    for text in workspace.texts(first, last):
        part = text.encode()
        sizes.append(len(part))
        yield part
