"""What is put on the disk for a while as files come in or go out, and a disk that has no room."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from appellate.core.problem import Unusable
from appellate.store.files.text_file import unusable

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def on_temporary_disk(name: str) -> Iterator[None]:
    """Turn the error of a full disk, in the block, into Unusable, which says what to do.

    It is for temporary files without a name and for SQLite's. Any other error passes unchanged,
    also a full disk under a named file. `name` is what is being read or written, for the message.
    """
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        if not _says_no_room(error):
            raise
        raise no_room(name, error) from error


def no_room(name: str, error: OSError | sqlite3.OperationalError) -> Unusable:
    """Return, without raising it, the error that the disk of temporary files is full.

    `error` is what told it, and `name` is what is being read or written.
    """
    folder = gettempdir()
    if isinstance(error, sqlite3.Error):
        folder = _folder_of_sqlite()
    reason = getattr(error, "strerror", None) or str(error)
    wrong = f"there is no room for temporary files in {folder} ({reason})"
    right = "make room, or name another folder in the variable TMPDIR"
    return unusable(name, wrong, right)


def _folder_of_sqlite() -> str:
    """Return the folder in which SQLite puts temporary files, which is not always Python's.

    Without a variable that names one, SQLite prefers `/var/tmp` to `/tmp`.
    """
    named = [os.environ.get(name, "") for name in ("SQLITE_TMPDIR", "TMPDIR")]
    for folder in (*named, "/var/tmp", "/usr/tmp"):  # noqa: S108 - as SQLite does
        if folder and Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK):
            return folder
    return gettempdir()


def _says_no_room(error: OSError | sqlite3.OperationalError) -> bool:
    """Return whether an error says that the disk of temporary files is full.

    An error of SQLite in reading or writing a file counts too, since it cannot be told from that.
    False for an error of a named file: that is not one of these.
    """
    if isinstance(error, OSError):
        return error.filename is None and error.errno in _NO_ROOM
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
