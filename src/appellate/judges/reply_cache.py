"""Replies that were paid for once, saved so that asking the same again costs nothing.

They are in two tables of the workspace's file, or of a file that several audits share. Neither keys
nor headers are saved. A `ReplyCache` is how one judge uses a `Cache`, or other `SavedReplies`. A
disk or a lock that refuses means that nothing is cached: it never costs a judgment.
"""

import asyncio
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Protocol

from appellate.core.problem import Refused
from appellate.judges.capabilities import Capabilities, from_saved
from appellate.judges.completion import Completion, mapping, read
from appellate.judges.endpoint import Endpoint
from appellate.judges.request import PATHS, Request

VERSION = 1
"""The version of what `key()` hashes."""
_BUSY = 2.0
"""Seconds to wait while another process writes."""
_CACHE_LOG_PAGES = 10_000
"""Pages of SQLite's log before it is merged into the file, which waits for the disk."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, body BLOB) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS servers (name TEXT PRIMARY KEY, abilities TEXT)",
)


def open_cache(path: Path) -> "Cache":
    """Return the cache in a file, which the first reply makes if it is missing.

    Its folder is not made. Raises Refused if nothing can be saved in it: `path` is no file or no
    database, it cannot be written, or its folder is missing or cannot be written. A file that
    another process has locked is accepted.
    """
    try:
        if not path.exists():
            if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
                raise _cannot_save(path, f"nothing can be written in {path.parent}")
            return Cache(path)
        if not path.is_file():
            raise _cannot_save(path, "this is not a file")
        # a write that is rolled back
        with closing(_open_for_writing(path, timeout=0)) as db:
            db.execute("INSERT OR REPLACE INTO servers VALUES ('', '{}')")
            db.execute("INSERT OR REPLACE INTO replies VALUES ('', '')")
            db.rollback()
    except (sqlite3.Error, OSError) as error:
        if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
            raise _cannot_save(
                path,
                getattr(error, "strerror", None) or str(error),
            ) from error
    return Cache(path)


def _cannot_save(path: Path, reason: str) -> Refused:
    """Return the error that replies cannot be saved in a file, with the options that help.

    It is not raised here. `reason` is a phrase without a full stop.
    """
    problem = f"Replies cannot be saved in {path} ({reason})"
    return Refused(
        f"{problem}: name another file with --cache, "
        "or pay for each request again with --no-cache.",
    )


def key(url: str, body: dict[str, Any], sample: int = 0) -> str:
    """Return the hash of a request, under which its reply is saved: 64 hexadecimal digits.

    `url` is the full address. The order of the body's keys does not matter. `sample` distinguishes
    the times that a panel asks one model the same.
    """
    hashed_text = json.dumps(
        [VERSION, url, body, sample],
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(hashed_text.encode()).hexdigest()


class SavedReplies(Protocol):
    """Answers by the hash of their request, and what was learnt about servers."""

    def get(self, key: str) -> bytes | None:
        """Return the body of the saved answer to a request, or None if there is none."""

    def put(self, replies: dict[str, bytes]) -> None:
        """Save answers by the hash of their request."""

    def drop(self, keys: list[str]) -> None:
        """Delete saved answers by the hash of their request."""

    def abilities(self, server: str) -> dict[str, Any]:
        """Return what was learnt about a server, as saved; {} if nothing was."""

    def learn(self, server: str, abilities: dict[str, Any]) -> None:
        """Save what was learnt about a server, in place of what was saved."""


class Cache:
    """A cache file, with bodies of answers by the hash of the request; any thread may use it."""

    def __init__(self, path: Path) -> None:
        self._reading = _LazyConnection(path, _open_for_reading)
        self._writing = _LazyConnection(path, _open_for_writing)

    def get(self, key: str) -> bytes | None:
        """Return the body of the saved answer to a request, or None if there is none.

        `key` is the hash of the request. None also after an error of the disk.
        """
        for (body,) in self._reading.select(
            "SELECT body FROM replies WHERE key = ?",
            key,
        ):
            if isinstance(body, bytes):
                return body
        return None

    def put(self, replies: dict[str, bytes]) -> None:
        """Save answers by the hash of their request; errors of the disk are ignored."""
        self._writing.write(
            "INSERT OR REPLACE INTO replies VALUES (?, ?)",
            list(replies.items()),
        )

    def drop(self, keys: list[str]) -> None:
        """Delete saved answers by the hash of their request; errors of the disk are ignored."""
        self._writing.write(
            "DELETE FROM replies WHERE key = ?",
            [(key,) for key in keys],
        )

    def abilities(self, server: str) -> dict[str, Any]:
        """Return what was learnt about a server, as saved; {} if nothing was or it cannot be read.

        `server` names the API, the URL and the model.
        """
        rows = self._reading.select(
            "SELECT abilities FROM servers WHERE name = ?",
            server,
        )
        with suppress(ValueError, TypeError, RecursionError):
            for (abilities,) in rows:
                return mapping(json.loads(abilities))
        return {}

    def learn(self, server: str, abilities: dict[str, Any]) -> None:
        """Save what was learnt about a server, in place of what was saved; errors are ignored.

        `server` names the API, the URL and the model.
        """
        row = (server, json.dumps(abilities))
        self._writing.write("INSERT OR REPLACE INTO servers VALUES (?, ?)", [row])


class _LazyConnection:
    """A connection to a cache file, opened when needed; it reads nothing where none opens."""

    def __init__(
        self,
        path: Path,
        connect: Callable[[Path], sqlite3.Connection],
    ) -> None:
        """Open nothing yet; `connect` opens the file at `path` when it is first needed."""
        self._path = path
        self._connect = connect
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def select(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        """Return the rows that a statement selects; [] after an error, and if there is no file."""
        with self._lock, suppress(sqlite3.Error, OSError):
            return self._opened().execute(statement, values).fetchall()
        return []

    def write(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        """Execute a statement for each of the rows in one transaction, and ignore errors.

        If it fails for one row, nothing is written.
        """
        with self._lock, suppress(sqlite3.Error, OSError), self._opened() as db:
            db.executemany(statement, rows)

    def _opened(self) -> sqlite3.Connection:
        """Return the connection, which the first call opens; raises sqlite3.Error or OSError."""
        if self._db is None:
            self._db = self._connect(self._path)
        return self._db

    def __del__(self) -> None:
        if self._db is not None:
            self._db.close()


def _open_for_reading(path: Path) -> sqlite3.Connection:
    """Return a connection to a cache file for reading, and never make the file.

    It may be written: SQLite's last connection merges the log into the file. Raises sqlite3.Error
    if there is no such file.
    """
    uri = f"{path.resolve().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY, check_same_thread=False)


def _open_for_writing(path: Path, timeout: float = _BUSY) -> sqlite3.Connection:
    """Return a connection to a cache file for writing, whose transactions lock it at once.

    A missing file is made, readable by its owner only, but not its folder; missing tables are made
    too. `timeout` is the seconds to wait for another process that writes. Raises OSError if the
    file cannot be made, and sqlite3.Error if it is no database or cannot be written.
    """
    # a file that exists is not opened here: closing it would release SQLite's own locks
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    db = sqlite3.connect(
        path,
        timeout=timeout,
        check_same_thread=False,
        isolation_level="IMMEDIATE",
    )
    try:
        # while another process does the same, which no timeout waits for
        with suppress(sqlite3.OperationalError):
            db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        pages = _CACHE_LOG_PAGES
        if db.execute("PRAGMA application_id").fetchone()[0]:
            # a workspace: its one writer merges the log, and would notice another one that does
            pages = 0
        db.execute(f"PRAGMA wal_autocheckpoint = {pages}")
        db.execute("PRAGMA journal_size_limit = 0")
        for table in _TABLES:
            db.execute(table)
    except sqlite3.Error:
        db.close()
        raise
    return db


class ReplyCache:
    """The cache as one judge uses it. Without a cache file it saves nothing and finds nothing."""

    def __init__(
        self,
        cache: SavedReplies | None,
        endpoint: Endpoint,
        url: str,
        sample: int,
    ) -> None:
        """Take the cache file, or None to save nothing, and what a request's hash is made of.

        `url` is the base URL of the server. `sample` distinguishes the times that a panel asks one
        model.
        """
        self._cache = cache
        self._endpoint = endpoint
        self._url = url
        self._sample = sample
        self._saved_abilities: dict[str, Any] | None = None
        self._unwritten: dict[str, bytes] = {}
        self._writing = asyncio.Lock()

    @property
    def is_missing(self) -> bool:
        """Whether there is no cache file."""
        return self._cache is None

    def abilities(self) -> Capabilities:
        """Return what an earlier session learnt about the server, or what is assumed of any server.

        What was saved is remembered, so that `learn` saves only what differs.
        """
        self._saved_abilities = {}
        if self._cache:
            self._saved_abilities = self._cache.abilities(self._server)
        return from_saved(self._saved_abilities, self._endpoint.api)

    def reply(self, request: Request) -> Completion | None:
        """Return the saved completion of a request, or None if none is saved or there is no cache.

        A saved answer that is no completion counts as none.
        """
        body = self._cache and self._cache.get(self._key_of(request))
        if not body:
            return None
        completion = read(body, {}, request.api)
        if isinstance(completion, Completion):
            return completion
        return None

    def entry(self, request: Request, body: bytes) -> dict[str, bytes]:
        """Return an answer by the hash of its request, for `keep`; {} without a cache.

        Nothing is saved yet.
        """
        if self._cache is None:
            return {}
        return {self._key_of(request): body}

    async def keep(self, replies: Mapping[str, bytes]) -> None:
        """Save answers in a thread, and return once they are; errors of the disk are ignored.

        `replies` are the bodies of answers by the hash of their request. Calls that come during a
        write share the next one. The next one also writes what a cancelled call may have left
        unsaved. Does nothing without a cache.
        """
        if self._cache is None:
            return
        self._unwritten |= replies
        async with self._writing:
            to_write = self._unwritten
            self._unwritten = {}
            if to_write:
                try:
                    await asyncio.to_thread(self._cache.put, to_write)
                except asyncio.CancelledError:  # the thread may not have begun
                    self._unwritten = to_write | self._unwritten
                    raise

    async def drop(self, replies: Collection[str]) -> None:
        """Delete the answers of a dialogue that failed, so that it is asked again.

        `replies` are the hashes of their requests. Errors of the disk are ignored.
        """
        if self._cache and replies:
            await asyncio.to_thread(self._cache.drop, list(replies))

    async def learn(self, capabilities: Capabilities) -> None:
        """Save what the judge learnt about the server, if it differs from what is saved.

        Does nothing without a cache; errors of the disk are ignored.
        """
        abilities = capabilities.to_keep()
        if self._cache and abilities != self._saved_abilities:
            self._saved_abilities = abilities
            await asyncio.to_thread(self._cache.learn, self._server, abilities)

    async def close(self) -> None:
        """Save the answers that cancelled cells had received.

        This object can be used again afterwards, also in another event loop.
        """
        self._writing = asyncio.Lock()
        await self.keep({})

    def _key_of(self, request: Request) -> str:
        """Return the hash of a request, under which its reply is saved."""
        return key(self._url + PATHS[request.api], request.body, self._sample)

    @property
    def _server(self) -> str:
        """The name that the server's abilities are saved under."""
        return f"{self._endpoint.api} {self._url} {self._endpoint.model}"
