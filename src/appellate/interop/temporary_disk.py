"""What is put on the disk for a while as files come in or go out, and a disk that has no room."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import gettempdir

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
        reason = getattr(error, "strerror", None) or str(error)
        wrong = f"there is no room for temporary files in {gettempdir()} ({reason})"
        right = "make room, or name another folder in the variable TMPDIR"
        raise unusable(name, wrong, right) from error


def _says_no_room(error: OSError | sqlite3.OperationalError) -> bool:
    """Return whether an error says that the disk of temporary files is full.

    An error of SQLite in reading or writing a file counts too, since it cannot be told from that.
    False for an error of a named file: that is not one of these.
    """
    if isinstance(error, OSError):
        return error.filename is None and error.errno in _NO_ROOM
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
