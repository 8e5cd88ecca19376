"""Replies that were paid for once, kept so that asking the same again costs nothing.

Two tables in the workspace's file, or in one that audits share, without keys or headers. Nothing
here may cost a judgment: a disk or a lock that refuses means no cache.
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
from typing import Any

from appellate.core.problem import Refused
from appellate.judges.capabilities import Capabilities, from_saved
from appellate.judges.completion import Completion, mapping, read
from appellate.judges.endpoint import Endpoint
from appellate.judges.request import PATHS, Request

VERSION = 1
"""Of what a key is made from."""
_BUSY = 2.0
"""Seconds to wait for somebody else's write."""
_CACHE_LOG_PAGES = 10_000
"""Pages of log after which they are folded in, which waits for the disk: not too often."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, body BLOB) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS servers (name TEXT PRIMARY KEY, abilities TEXT)",
)


def opened(path: Path) -> "Cache":
    """The cache in a file, made when first needed; raises Refused where nothing can be kept."""
    if path.exists() and not path.is_file():
        raise _refused(path, "this is not a file")
    if not path.exists():
        if not os.access(path.parent, os.W_OK):
            raise _refused(path, f"nothing can be written in {path.parent}")
        return Cache(path)
    try:  # writes, and takes it back; a file that is locked is one that somebody can write to
        with closing(_writer(path, timeout=0)) as db:
            db.execute("INSERT OR REPLACE INTO servers VALUES ('', '{}')")
            db.execute("INSERT OR REPLACE INTO replies VALUES ('', '')")
            db.rollback()
    except (sqlite3.Error, OSError) as error:
        if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
            raise _refused(path, getattr(error, "strerror", None) or str(error)) from error
    return Cache(path)


def _refused(path: Path, why: str) -> Refused:
    text = f"Replies cannot be saved in {path} ({why})"
    return Refused(
        f"{text}: name another file by --cache, or say --no-cache to pay for each again."
    )


def key(url: str, body: dict[str, Any], sample: int = 0) -> str:
    """The hash of a request; `sample` tells apart the times that one model is asked the same."""
    whole = json.dumps([VERSION, url, body, sample], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()


class Cache:
    """A cache file: bodies of answers by the hash of what was asked; may be used by any thread."""

    def __init__(self, path: Path) -> None:
        self._reading = _LazyConnection(path, _reader)
        self._writing = _LazyConnection(path, _writer)

    def get(self, key: str) -> bytes | None:
        """The body of the answer to the same request, if one is known."""
        for (body,) in self._reading.rows("SELECT body FROM replies WHERE key = ?", key):
            if isinstance(body, bytes):
                return body
        return None

    def put(self, replies: dict[str, bytes]) -> None:
        """Keeps answers; a disk that refuses is no reason to fail."""
        self._writing.many("INSERT OR REPLACE INTO replies VALUES (?, ?)", list(replies.items()))

    def drop(self, keys: list[str]) -> None:
        self._writing.many("DELETE FROM replies WHERE key = ?", [(key,) for key in keys])

    def abilities(self, server: str) -> dict[str, Any]:
        """What a server (URL and model) turned out to be able to do."""
        rows = self._reading.rows("SELECT abilities FROM servers WHERE name = ?", server)
        with suppress(ValueError, TypeError, RecursionError):
            for (abilities,) in rows:
                return mapping(json.loads(abilities))
        return {}

    def learn(self, server: str, abilities: dict[str, Any]) -> None:
        row = (server, json.dumps(abilities))
        self._writing.many("INSERT OR REPLACE INTO servers VALUES (?, ?)", [row])


class _LazyConnection:
    """A connection that comes about when it is needed, and answers nothing where there is none."""

    def __init__(self, path: Path, connect: Callable[[Path], sqlite3.Connection]) -> None:
        self._path = path
        self._connect = connect
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def rows(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        with self._lock, suppress(sqlite3.Error, OSError):
            return self._opened().execute(statement, values).fetchall()
        return []

    def many(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        with self._lock, suppress(sqlite3.Error, OSError), self._opened() as db:
            db.executemany(statement, rows)

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._connect(self._path)
        return self._db

    def __del__(self) -> None:
        if self._db is not None:
            self._db.close()


def _reader(path: Path) -> sqlite3.Connection:
    """Never makes a file; may write, since who leaves last has to tidy up."""
    uri = f"{path.resolve().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY, check_same_thread=False)


def _writer(path: Path, timeout: float = _BUSY) -> sqlite3.Connection:
    """Makes the file, for nobody else to read, and its tables."""
    with suppress(FileExistsError):  # is left alone: closing it lets go of SQLite's own locks
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    db = sqlite3.connect(
        path, timeout=timeout, check_same_thread=False, isolation_level="IMMEDIATE"
    )
    try:
        with suppress(sqlite3.OperationalError):  # somebody else is at it: no timeout holds here
            db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        pages = _CACHE_LOG_PAGES
        if db.execute("PRAGMA application_id").fetchone()[0]:
            pages = (
                0  # a workspace: its one writer folds the log, and takes any other for a stranger
            )
        db.execute(f"PRAGMA wal_autocheckpoint = {pages}")
        db.execute("PRAGMA journal_size_limit = 0")
        for table in _TABLES:
            db.execute(table)
    except sqlite3.Error:
        db.close()
        raise
    return db


class ReplyCache:
    """The cache as one judge uses it; without a cache it knows nothing."""

    def __init__(self, cache: Cache | None, endpoint: Endpoint, url: str, sample: int) -> None:
        self._cache = cache
        self._endpoint = endpoint
        self._url = url
        self._sample = sample
        self._kept: dict[str, Any] | None = None
        self._unwritten: dict[str, bytes] = {}
        self._writing = asyncio.Lock()

    @property
    def blank(self) -> bool:
        """Whether there is nothing to look into."""
        return self._cache is None

    def abilities(self) -> Capabilities:
        """What the server can do, as far as an earlier session learnt it."""
        self._kept = {}
        if self._cache:
            self._kept = self._cache.abilities(self._server)
        return from_saved(self._kept, self._endpoint.api)

    def reply(self, asked: Request) -> Completion | None:
        body = self._cache and self._cache.get(self._key_of(asked))
        if not body:
            return None
        completion = read(body, {}, asked.api)
        return completion if isinstance(completion, Completion) else None

    def entry(self, asked: Request, body: bytes) -> dict[str, bytes]:
        if self._cache is None:
            return {}
        return {self._key_of(asked): body}

    async def keep(self, replies: Mapping[str, bytes]) -> None:
        """Keeps what was paid for, in a thread; those who come at once share a write."""
        if self._cache is None:
            return
        self._unwritten |= replies
        async with self._writing:
            waiting = self._unwritten
            self._unwritten = {}
            if waiting:
                await asyncio.to_thread(self._cache.put, waiting)

    async def drop(self, replies: Collection[str]) -> None:
        """Forgets the replies of a dialogue that failed, so that it is asked anew."""
        if self._cache and replies:
            await asyncio.to_thread(self._cache.drop, list(replies))

    async def learn(self, able: Capabilities) -> None:
        learnt = able.to_keep()
        if self._cache and learnt != self._kept:
            self._kept = learnt
            await asyncio.to_thread(self._cache.learn, self._server, learnt)

    async def close(self) -> None:
        """Keeps what those who were stopped had received; another event loop may come."""
        self._writing = asyncio.Lock()
        await self.keep({})

    def _key_of(self, asked: Request) -> str:
        """What the answer to a request is kept under."""
        asked.key = asked.key or key(self._url + PATHS[asked.api], asked.body, self._sample)
        return asked.key

    @property
    def _server(self) -> str:
        return f"{self._endpoint.api} {self._url} {self._endpoint.model}"
