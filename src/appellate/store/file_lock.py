"""The lock of a file, which one process has at a time and a killed one loses.

It is the system's own: a package for it takes longer to import than a workspace to open.
"""

import os
import sys
from contextlib import suppress
from errno import EACCES, EAGAIN
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class Taken(Exception):
    """Another process, or another lock of this one, has the lock."""


class FileLock:
    """A lock that is held from its making until `release`, or until nobody refers to it."""

    def __init__(self, path: Path) -> None:
        """Take the lock of the file at a path.

        The file is made if it is missing, and so are its folders; they stay. Raises Taken at once
        if it is not free, and OSError for a file that cannot be opened or a file system that has
        no locks.
        """
        self._descriptor = -1
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            if error.errno in (EACCES, EAGAIN):
                raise Taken from None
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back; does nothing if that was done."""
        descriptor = self._descriptor
        if descriptor < 0:
            return
        self._descriptor = -1
        with suppress(OSError):  # closing gives it back, too
            _unlock(descriptor)
        os.close(descriptor)

    def __del__(self) -> None:
        """Give the lock back when nobody refers to it any more."""
        self.release()


if sys.platform == "win32":

    def _lock(descriptor: int) -> None:
        """Lock the first byte of an open file, or raise OSError."""
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _unlock(descriptor: int) -> None:
        """Unlock the first byte of an open file."""
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def _lock(descriptor: int) -> None:
        """Lock an open file, or raise OSError."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        """Unlock an open file."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)
