"""The open file of a workspace: who may write it, its transactions, and its small values.

What was kept survives a crash; opening costs the same for any number of traces.
"""

import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from errno import EINVAL, ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, Self

import msgspec
from filelock import FileLock, Timeout

from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.store import meta, projection, tables
from appellate.store.files import atomic
from appellate.store.tables import WorkspaceDamaged, WorkspaceUnknown
from appellate.traits.rubric import Rubric

_PAGE = 4096
_LOG_HEAD = 32
"""Bytes at the beginning of a log that tell it from an earlier one: its salts."""
_PRIMARY = 0xFF
"""The part of SQLite's error codes that says what sort of error it is."""
LOG_PAGES = 10_000
"""Pages of the log that are folded into the file at once: that takes a while, so not too often."""


OpenMode = Literal["ro", "ro&immutable=1", "rw"]
"""How SQLite opens a file: to be read, to be read as it is and without locks, to be written."""


class NotKept(Exception):
    """Nothing was changed; the message is a clause that says why."""

    standing = "What was saved before is safe."

    def __init__(self, reason: str, advice: str = "make room") -> None:
        super().__init__(reason)
        self.advice = advice

    @classmethod
    def by_disk(cls, error: Exception) -> Self:
        """Return the exception for an error of SQLite or of the system while something was kept.

        If SQLite was busy, it says that another program has the workspace open. For any other error
        it says that the disk refuses, and why. It is not raised here.
        """
        if isinstance(error, sqlite3.Error) and _primary_code(error) in _BUSY:
            return cls("the workspace is busy: another program has it open")
        reason = getattr(error, "strerror", None) or error
        return cls(f"the disk refuses ({reason})")


class WorkspaceLost(NotKept):
    """The file is not where it was opened, or it is another process's now."""

    standing = "What was done since it was opened may be in no file."


class WorkspaceLocked(Exception):
    """Another process writes this workspace, or keeps it locked; the message says who, if known."""


class Database:
    """An open workspace file; the only writer, or a reader."""

    def __init__(
        self,
        path: Path,
        *,
        readonly: bool = False,
        blank: tuple[Rubric, str] | None = None,
        on_progress: OnProgress = ignore_progress,
    ) -> None:
        """Open the workspace at a path; unless it is `readonly`, its lock is held until `close`.

        `blank` is given for a new file of `making`: the rubric and the version that it begins with,
        and no lock is taken then. Raises WorkspaceUnknown if the file is missing or is none that
        this version reads, WorkspaceLocked if another process writes it, NotKept if the disk or its
        file system refuses, and OSError if no lock file can be made. No lock is held after either.
        """
        self.readonly = readonly
        self._on_progress = on_progress
        self._blank = blank
        lock = None if readonly or blank else locked(path)
        try:
            self.attach(path, lock)
        except BaseException:
            if lock:
                lock.release()
            raise

    # -- opening and closing ----------------------------------------------------------------------

    def attach(self, path: Path, lock: FileLock | None) -> None:
        """Open the file at a path, to be written with the `lock` that holds it, or else to be read.

        A file that was open before is left open. A new file that is being made needs no lock.
        Raises WorkspaceUnknown, WorkspaceLocked or NotKept.
        """
        self.db = self._connect(path)
        self.path = path
        self._lock = lock
        self._opened: _Files = []
        if not self.readonly and not self._blank:
            real = path.resolve()
            names = (
                path,
                real.with_name(f"{real.name}-wal"),
                real.with_name(f"{real.name}-shm"),
            )
            self._opened = [(name, _identity(name)) for name in names]
        self._content = _content(self._opened)
        self._distrusts_log = False
        self.sums = projection.Sums()

    def move(self, path: Path, lock: FileLock) -> None:
        """Continue in another file that holds the same, and close this one and release its lock.

        `lock` holds the other file. Raises WorkspaceUnknown, WorkspaceLocked or NotKept if that
        cannot be opened; then this one stays open, and `lock` is still the caller's to release.
        """
        old_db = self.db
        old_lock = self._lock
        opened = self._opened
        is_overwritten = self.is_overwritten
        attributes = vars(self).copy()
        try:
            self.attach(path, lock)
        except BaseException:
            vars(self).update(attributes)
            raise
        _leave(old_db, opened, is_overwritten=is_overwritten)
        if old_lock:
            old_lock.release()

    def detach(self) -> None:
        """Close the file, so that another may be attached; the lock is left to who holds it.

        What `blank` began is an ordinary file from now on.
        """
        self.db.close()
        self._blank = None

    def _connection(self, path: Path) -> sqlite3.Connection:
        """Return a connection to the file at a path, whatever is in it, to be read or written.

        A workspace that is no file of its own has another. Raises sqlite3.OperationalError if the
        file is not there or cannot be opened.
        """
        if self.readonly:
            return connected_to_read(path)
        return connected(path, "rw")

    def _connect(self, path: Path) -> sqlite3.Connection:
        """Return a connection to the file at a path, which is a workspace that can be used.

        The file may be of an older version, as `was_version` tells then, unless it is opened to
        read. Raises WorkspaceUnknown, WorkspaceLocked or NotKept if it cannot be used; then nothing
        stays open.
        """
        try:
            db = self._connection(path)
        except sqlite3.OperationalError as error:
            if _primary_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise _not_opened(path, error) from error
            raise WorkspaceUnknown(f"{path} cannot be opened ({error}).") from error
        try:
            self._prepare(db, path)
        except sqlite3.DatabaseError as error:
            db.close()
            raise _not_opened(path, error) from error
        except UnicodeDecodeError as error:
            # SQLite quotes its schema, which is no text any more
            db.close()
            raise WorkspaceDamaged(
                "it is damaged: its tables cannot be read",
            ) from error
        except BaseException:
            db.close()
            raise
        return db

    def _prepare(self, db: sqlite3.Connection, path: Path) -> None:
        """Make a blank file a workspace, else see that it is one; then note who writes it.

        Keeps in `was_version` which version the file had. Raises WorkspaceUnknown for a file that
        is no workspace, is damaged, is newer than this version or, if it is only read, older.
        Raises NotKept if the file system has no shared memory, and sqlite3.DatabaseError if SQLite
        cannot read or write it.
        """
        db.execute("PRAGMA busy_timeout = 5000")
        # nobody else sees the file, and one that is not finished is thrown away
        if self._blank:
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            tables.create(db, *self._blank)
        self.was_version = tables.recognise(db, path, readonly=self.readonly)
        if not self.readonly and not self._blank:
            (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise _lacking(path, "shared memory", f"journal mode {mode}")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA fullfsync = ON")  # on macOS: to the platter
            db.execute("PRAGMA wal_autocheckpoint = 0")  # `_commit` does it
            db.execute("PRAGMA journal_size_limit = 0")  # cuts a log that begins anew
            # `token` tells one opening from another
            process = {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "token": token_hex(8),
            }
            holder = json.dumps(process)
            db.execute(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                (meta.HOLDER, holder),
            )
            # only now: who moves and cannot goes on where they were
            self._holder = holder

    def close(self) -> None:
        """Close the file and release its lock.

        A log that the disk failed to sync is folded into the file first, if that is possible;
        nothing is raised if it is not.
        """
        if self._distrusts_log:
            # who comes next finds the log as it is
            with suppress(NotKept, sqlite3.Error):
                if not self.lost():
                    self._renew_log()
        _leave(self.db, self._opened, is_overwritten=self.is_overwritten)
        if self._lock:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- transactions -----------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all in the block, durably, or nothing.

        Within another transaction it is part of that one. Raises NotKept, with nothing changed, if
        the disk refuses, if another program has the workspace open, or if the file was lost. If the
        block raises, nothing is changed either, nor are running totals; an error of a statement in
        it, such as a missing table, leaves as it is.
        """
        if self.db.in_transaction:
            yield
            return
        try:
            if self._distrusts_log:
                self._renew_log()
            self.db.execute("BEGIN IMMEDIATE")
            yield
            self.sums.keep(self.db)
            self._commit()
        except BaseException as error:
            self.sums = projection.Sums()
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            if not isinstance(error, sqlite3.OperationalError):
                raise
            if is_not_synced(error):
                self.distrust_log()
            # a table is missing, say: no disk's
            if _primary_code(error) == sqlite3.SQLITE_ERROR:
                raise
            raise NotKept.by_disk(error) from error

    def _commit(self) -> None:
        """Commit the transaction that is open, and fold the log into the file if it became long.

        Raises WorkspaceLost instead if the file is not ours any more, and sqlite3.OperationalError
        if the disk refuses; the transaction is open still.
        """
        if reason := self.lost():
            raise WorkspaceLost(reason)
        self.db.execute("COMMIT")
        if not self._opened:
            return
        self._content = _content(self._opened)
        if self._content.log_size > LOG_PAGES * _PAGE:
            self._fold_log()

    def _fold_log(self) -> None:
        """Fold the log into the file as far as readers allow.

        What is in the log is kept already, so nothing is raised if the disk refuses. If it could
        not be synced, the log is distrusted.
        """
        try:
            self.db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.OperationalError as error:
            if is_not_synced(error):
                self.distrust_log()
            return
        anew = _content(self._opened)._replace(log_head=None, log_size=0)
        # the log begins anew, and is cut, with the next write of anybody
        self._content = anew

    def distrust_log(self) -> None:
        """Have the next transaction begin with a new log, as the disk failed to sync this one.

        A system may count pages as written that it could not write. After a power cut such a gap
        would end the log, and what was saved after it would be lost, or the file damaged.
        """
        self._distrusts_log = True

    def _renew_log(self) -> None:
        """Fold the whole log into the file, and wait until the disk has both.

        Raises NotKept if somebody reads the workspace, and NotKept or sqlite3.OperationalError if
        the disk refuses.
        """
        busy, *_ = self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise NotKept("the workspace is busy: another program is reading it")
        self._content = _content(self._opened)._replace(log_head=None, log_size=0)
        log, _ = self._opened[1]
        try:
            # that it is empty; the file itself was synced, and has SQLite's locks
            atomic.sync_path(log)
        except OSError as error:
            raise NotKept.by_disk(error) from error
        self._distrusts_log = False

    @contextmanager
    def swift_transaction(self) -> Iterator[None]:
        """Do all in the block or nothing, without waiting for the disk.

        Within a transaction that is open, the block only becomes part of it. A crash of the program
        loses nothing; a power cut does, until `settle` has run. Raises NotKept, with nothing
        changed, if the disk refuses, if another program has the workspace open, or if the file was
        lost.
        """
        if self.db.in_transaction:
            yield
            return
        self.db.execute("PRAGMA synchronous = NORMAL")
        try:
            with self.transaction():
                yield
        finally:
            self.db.execute("PRAGMA synchronous = FULL")

    def settle(self) -> None:
        """Wait until the disk has everything that was kept; raise NotKept if it refuses.

        To be called outside of a transaction, after some of `swift_transaction`.
        """
        (last,) = self.db.execute("SELECT ifnull(max(n), 0) FROM facts").fetchone()
        self.set_meta(meta.SETTLED, str(last))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Have reads in the block see one moment, whatever a writer does in the meantime.

        Nothing may be written in it, and no transaction may be open.
        """
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("ROLLBACK")

    def lost(self) -> str:
        """Return why nothing more can be kept in the file, as a clause; "" if it can.

        It cannot if the file was deleted, moved, replaced, overwritten or taken over by another
        process. Always "" if the file is only read, or is being made.
        """
        if not self._opened:
            return ""
        index, opened_as = self._opened[-1]
        if (
            not _content(self._opened).continues(self._content)
            or _identity(index) != opened_as
        ):
            return (
                self.displaced()
                or f"{self.path.name} was overwritten while it was open"
            )
        if self.meta(meta.HOLDER) == self._holder:
            return ""
        return f"{self.path.name} was taken over by another process (its lock file was deleted)"

    def displaced(self) -> str:
        """Return that the file, its log or the log's index is not the one that was opened, or "".

        It is a clause: that file was deleted, moved or replaced. Always "" if the workspace is only
        read, or is being made. Any thread may call this.
        """
        for path, opened in self._opened:
            if _identity(path) != opened:
                return f"{path.name} was deleted, moved or replaced while it was open"
        return ""

    @property
    def is_overwritten(self) -> bool:
        """Whether somebody wrote into the open file or its log: what was kept there is gone.

        False if the file was deleted, moved or replaced, as what is open still holds it all. Always
        False if the file is only read, or is being made.
        """
        if not self._opened or self.displaced():
            return False
        return not _content(self._opened).continues(self._content)

    # -- small values -----------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """Return the value that is kept under a key of `store.meta`; None if there is none."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        """Keep a value under a key of `store.meta`, in place of the one before.

        It is durable at once or, within a transaction, with that. Raises NotKept, with nothing
        changed, if the disk refuses.
        """
        with self.transaction():
            self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def number(self, sql: str, *values: object) -> int:
        """Return the first value of the first row that a query gives, as an int.

        `values` are for the question marks of the query. Raises TypeError if it gives no row, or
        NULL.
        """
        return int(self.db.execute(sql, values).fetchone()[0])

    def column(self, sql: str, *values: object) -> list[Any]:
        """Return the values that a query with one column gives, row by row."""
        return [value for (value,) in self.db.execute(sql, values)]


def from_json(text: str | bytes) -> Any:
    """Return the value of a text in JSON, which may hold NaN and lone surrogates.

    Raises ValueError if the text is no JSON. It is read by `msgspec`, three times as fast as by
    `json`, which reads only what `msgspec` refuses.
    """
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)


def to_json(value: object) -> str:
    """Return a value as a text in JSON that `from_json` reads back the same.

    NaN is spelt `NaN`, and a lone surrogate stays as it is, so that such a text cannot be encoded
    as UTF-8. Raises TypeError for a value that JSON cannot hold. It is written by `msgspec`, five
    times as fast as by `json`, which writes only what has a null, a NaN or a surrogate.
    """
    with suppress(UnicodeEncodeError):
        text = msgspec.json.encode(value).decode()
        if "null" not in text:
            return text
    return json.dumps(value, ensure_ascii=False)


# -- beside the writer ----------------------------------------------------------------------------


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection of its own that reads a workspace as of one moment; any thread may use it.

    It is closed after the block. Raises sqlite3.Error if there is no file, or if it cannot be read.
    """
    with closing(connected_to_read(path)) as db:
        db.execute("PRAGMA busy_timeout = 5000")
        db.execute("BEGIN")
        yield db


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection of its own to note something in a workspace durably, beside its writer.

    Any thread may use it. It waits for up to a minute while the writer writes. Each statement is
    kept at once unless the block begins a transaction. Raises sqlite3.Error if the disk refuses or
    the wait was too long.
    """
    with closing(connected(path, "rw")) as db:
        db.execute("PRAGMA busy_timeout = 60000")
        db.execute("PRAGMA wal_autocheckpoint = 0")  # the writer does it
        db.execute("PRAGMA journal_size_limit = 0")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA fullfsync = ON")
        yield db


def is_begun(path: Path) -> bool:
    """Return whether there is a workspace that holds work, or a file that may be one.

    False if there is no file, if it is empty, and for a workspace without a trace, which is what a
    crash leaves behind. True for any other file, and for one that is damaged or busy.
    """
    if not path.exists() or path.stat().st_size == 0:
        return False
    # only a writer can take back what was broken off, and take away the log that reading makes
    is_broken_off = path.with_name(f"{path.name}-journal").exists()
    has_log = path.with_name(f"{path.name}-wal").exists()
    mode: OpenMode = "ro" if has_log and not is_broken_off else "rw"
    try:
        with closing(connected(path, mode, wait=0)) as db:
            return not tables.is_blank(db)
    except (sqlite3.Error, UnicodeDecodeError):
        return True  # what it is, opening it tells


def connected(path: Path, mode: OpenMode, wait: float = 5.0) -> sqlite3.Connection:
    """Return a connection to a file, whatever is in it, to be read or written as `mode` says.

    It waits for up to `wait` seconds while others lock the file. The file is not made if it is not
    there. Raises sqlite3.OperationalError if it cannot be opened.
    """
    address = f"{path.resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(address, timeout=wait, uri=True, isolation_level=None)


def connected_aside(path: Path) -> sqlite3.Connection:
    """Return a connection that only reads a workspace and makes no file beside it.

    It does not wait for locks. A file that is not there or cannot be opened raises
    sqlite3.OperationalError, here or at the first read.
    """
    has_log = path.with_name(f"{path.name}-wal").exists()
    return connected(path, "ro" if has_log else "ro&immutable=1", wait=0)


def connected_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection that reads a workspace, also one in a folder that cannot be written.

    SQLite reads it by a log and an index of that log, and takes both away at the end if it made
    them. Where they cannot be made, the file is read as it is if there is no log, and else a copy
    of both. A damaged file is connected, too. Raises sqlite3.OperationalError if there is no file,
    or if it is busy, and OSError if it cannot be copied.
    """
    log = path.with_name(f"{path.name}-wal")
    db = connected(path, "ro" if log.exists() else "rw")
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError as error:
        db.close()
        if not path.exists() or _primary_code(error) not in _NOT_WRITABLE:
            raise
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        # what is wrong with it, opening it tells
        return db
    else:
        return db
    if not log.exists():
        return connected(path, "ro&immutable=1")
    with TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy.with_name(log.name))
        with closing(connected(copy, "rw")) as source:
            return copied(source)


_NOT_WRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
"""What SQLite says where it cannot make the index of a log."""


def copied(source: sqlite3.Connection) -> sqlite3.Connection:
    """Return a connection to a temporary copy of a database, which is deleted when it is closed.

    SQLite keeps a small one in memory, and a larger one in the folder for temporary files. Raises
    sqlite3.Error if the source cannot be read, or if there is no room.
    """
    db = sqlite3.connect("", isolation_level=None)
    source.backup(db)
    return db


_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_BY_DISK = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_NO_LOCKS = {
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_RDLOCK,
    sqlite3.SQLITE_IOERR_UNLOCK,
}
_NO_MEMORY = {
    sqlite3.SQLITE_IOERR_SHMLOCK,
    sqlite3.SQLITE_IOERR_SHMMAP,
    sqlite3.SQLITE_IOERR_SHMOPEN,
}
"""Not that it cannot be given its size: that is what a full disk says."""


def _primary_code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY


_MAY_WRITE = "see that you may write the file and its folder, or name another with --workspace PATH"


def is_not_synced(error: BaseException | None) -> bool:
    """Return whether an error is SQLite's about a disk that failed to sync."""
    return getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_FSYNC


def _lacking(
    path: Path,
    lacked: Literal["file locks", "shared memory"],
    error: object,
) -> NotKept:
    """Return the exception to raise if the file system of a workspace lacks what SQLite needs.

    `path` is the workspace's file, and `error` is what the system said. The exception advises to
    keep the workspace elsewhere.
    """
    wrong = f"the file system of {path.resolve().parent} has no {lacked}, which a workspace needs"
    return NotKept(
        f"{wrong} ({error})",
        "keep the workspace on another with --workspace PATH",
    )


def refusal_of(error: Exception) -> NotKept | None:
    """Return the refusal to tell the user if an error of SQLite comes from the disk, or else None.

    A NotKept is returned as it is. Every error but a sqlite3.OperationalError gives None, an
    OSError too.
    """
    if isinstance(error, NotKept):
        return error
    if isinstance(error, sqlite3.OperationalError) and _primary_code(error) in _BY_DISK:
        return NotKept.by_disk(error)
    return None


def _not_opened(path: Path, error: sqlite3.DatabaseError) -> Exception:
    """Return the exception to raise if SQLite does not open a workspace; it is not raised here.

    That is WorkspaceLocked if it is busy, NotKept if disk or file system refuse or if it may not be
    written, else WorkspaceDamaged, which is a WorkspaceUnknown.
    """
    if getattr(error, "sqlite_errorcode", 0) in _NO_LOCKS:
        return _lacking(path, "file locks", error)
    if getattr(error, "sqlite_errorcode", 0) in _NO_MEMORY:
        return _lacking(path, "shared memory", error)
    match _primary_code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return WorkspaceLocked(f"{path} is busy: another program has it open.")
        case sqlite3.SQLITE_PROTOCOL:
            return _lacking(path, "file locks", error)
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return NotKept.by_disk(error)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return NotKept(f"it cannot be opened ({error})", _MAY_WRITE)
    return WorkspaceDamaged(f"it is damaged, or not a workspace ({error})")


# -- who writes, and which file it is -------------------------------------------------------------


def growing(path: Path) -> Path:
    """Return the path at which a workspace is made, until it is whole and takes its own name.

    It is in the same folder, hidden; nothing is made or looked up there.
    """
    real = path.resolve()
    return real.with_name(f".{real.name}.new")


def file_lock(path: Path) -> FileLock:
    """Return a lock that is held at a file, which only its owner can read; it is not held yet.

    A process that is killed lets go of it. Holding it raises OSError on a file system without
    locks, with a number in `WITHOUT_LOCKS`.
    """
    # a marker in place of a lock would outlive a process that is killed
    return FileLock(path, mode=0o600, fallback_to_soft=False)


def locked(path: Path) -> FileLock:
    """Return the lock of a workspace, which is held from now on; it is the right to write it.

    What a writer that was killed left half made is deleted. Raises WorkspaceLocked if the lock is
    held already, here or by another process, NotKept if the file system has no locks, and OSError
    if no lock file can be made.
    """
    real = path.resolve()  # two names of one file are one workspace
    lock = file_lock(real.with_name(f".{real.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise WorkspaceLocked(holder(path)) from None
    except OSError as error:
        if error.errno in WITHOUT_LOCKS:
            raise _lacking(path, "file locks", error.strerror) from error
        raise
    growing(path).unlink(missing_ok=True)
    return lock


WITHOUT_LOCKS = {ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP, EINVAL}
"""Numbers of the errors by which a file system says that it locks no files."""


def holder(path: Path) -> str:
    """Return a sentence on who writes a workspace, by process and computer.

    If nobody is noted there, or the file cannot be read, it says that the workspace is busy.
    Nothing is raised.
    """
    try:
        with closing(connected(path, "ro", wait=0)) as db:
            row = db.execute(
                "SELECT value FROM meta WHERE key = ?",
                (meta.HOLDER,),
            ).fetchone()
        process = json.loads(row[0])
        writer = f"process {process['pid']} on {process['host']}"
    except (sqlite3.Error, LookupError, TypeError, ValueError):
        return f"{path} is busy: another process has it open."
    return f"{path} is being reviewed by {writer}."


_Files = list[tuple[Path, tuple[int, int] | None]]
"""What an open workspace consists of (file, log, the log's index), and which these are."""


class _Content(NamedTuple):
    """What shows whether somebody else wrote, since we only add to the log until it is folded."""

    file: tuple[int, ...] = ()
    """Which it is, its bytes, and nanoseconds of its last change."""
    log: tuple[int, ...] = ()
    log_head: bytes | None = b""
    """Begins the log, and is another whenever that begins anew; None where that is expected."""
    log_size: int = 0

    def continues(self, earlier: "_Content") -> bool:
        """Return whether nothing happened since `earlier` but that something was added to the log.

        `self` is what is found now, `earlier` what was found before. False if nothing is known of
        the files now, if the file changed, and if the log became shorter or began anew where that
        was not expected.
        """
        if not self.file or (self.file, self.log) != (earlier.file, earlier.log):
            return False
        if self.log_size < earlier.log_size:
            return False
        return earlier.log_head in {None, b"", self.log_head}


def _content(opened: _Files) -> _Content:
    """Return what shows whether somebody else wrote into an open workspace.

    It is empty if nothing is open, or if the file or its log cannot be read or is another now.
    """
    if not opened:
        return _Content()
    try:
        file_stat = opened[0][0].stat()
        with opened[1][0].open("rb") as file:
            head = file.read(_LOG_HEAD)
            log = os.fstat(file.fileno())
    except OSError:  # `displaced` says so
        return _Content()
    is_file = (file_stat.st_dev, file_stat.st_ino)
    is_log = (log.st_dev, log.st_ino)
    if is_file != opened[0][1] or is_log != opened[1][1]:
        return _Content()
    return _Content(
        (*is_file, file_stat.st_size, file_stat.st_mtime_ns),
        is_log,
        head,
        log.st_size,
    )


def _leave(db: sqlite3.Connection, opened: _Files, *, is_overwritten: bool) -> None:
    """Close a workspace, and see that its log does not come under another file of its name.

    If another file took its place, or somebody wrote into it (`is_overwritten`), the log is renamed
    to end in `.old` instead of being folded into what is there now.
    """
    if not is_overwritten:
        db.close()
        if not opened:
            return
        (workspace_path, workspace_identity), *logs = opened
        is_replaced = _identity(workspace_path) not in {None, workspace_identity}
        for path, identity in logs:
            is_own_log = identity is not None and _identity(path) == identity
            # the other would read it
            if is_replaced and is_own_log:
                path.replace(path.with_name(f"{path.name}.old"))
        return
    (workspace_path, _), *logs = opened
    # only who closes last folds the log
    with closing(connected(workspace_path, "ro")) as last:
        with suppress(sqlite3.Error):
            last.execute("PRAGMA user_version").fetchone()
        db.close()
        for path, _ in logs:
            # of an empty file there is no log any more
            with suppress(FileNotFoundError):
                path.replace(path.with_name(f"{path.name}.old"))


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and number of the file that a name leads to; None if no file is reached."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
