"""Writing a whole file: a crash or a full disk leaves the old one, never half of the new one."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EBADF, EINVAL, EISDIR, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM
from glob import escape
from pathlib import Path

PRIVATE = 0o600
_ENDING = ".tmp"
_SYNCS_NO_FOLDER = {EACCES, EBADF, EINVAL, EISDIR, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM}
"""Numbers of the errors by which a system says that it lets nobody sync a folder."""


def write(path: Path, chunks: Iterable[bytes | memoryview]) -> None:
    """Writes beside the file (a link's target), flushes, keeps the old one once as `.bak`, and
    renames. A new file is private; one that is there keeps who may read and write it.
    """
    with writing(path, chunks):
        pass


@contextmanager
def writing(path: Path, chunks: Iterable[bytes | memoryview]) -> Iterator[Path]:
    """The same, around what is to be done before the finished file is renamed."""
    path = path.resolve()
    with naming(path):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_ENDING, dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                if path.exists():
                    shutil.copymode(path, temporary)
                file.writelines(chunks)
                file.flush()
                _sync(file.fileno())
            yield temporary
            _keep(path)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        settle(path.parent)


def private(path: str, flags: int) -> int:
    """Opens a file that nobody else may read: an `opener` for what is written bit by bit."""
    return os.open(path, flags, PRIVATE)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the name of a file beside `path`, with its ending, for a writer that takes a name.

    What is there once the block is left takes the place of `path`, durably; if the block raises,
    `path` stays as it was. A new file is private; one that is there keeps who may read and write
    it.
    """
    path = path.resolve()
    beginning = f".{path.stem}."
    ending = _ENDING + path.suffix
    with naming(path):
        handle, name = tempfile.mkstemp(prefix=beginning, suffix=ending, dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            if path.exists():
                shutil.copymode(path, temporary)
            flush(temporary)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        settle(path.parent)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Have an OSError in the block name `path` where it names no file, or one that grows beside it.

    What the disk refuses while bytes are written or synced names none.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None or _ENDING in Path(os.fsdecode(error.filename)).name:
            error.filename = str(path)
        raise


def make_folder(folder: Path, *, parents: bool = False) -> None:
    """Make a folder unless it is there, and wait until the disk has its name.

    With `parents`, the folders above it are made, too. Raises OSError.
    """
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=parents, exist_ok=True)
    with naming(folder):
        for one in made:
            settle(one.parent)


def sweep(path: Path) -> None:
    """Takes away what was written beside a file by who was killed; for its one writer."""
    path = path.resolve()
    for left in path.parent.glob(f".{escape(path.name)}.*{_ENDING}"):
        left.unlink(missing_ok=True)


def _keep(path: Path) -> None:
    """The present file stays in place until the rename; `.bak` is a second name of it."""
    backup = path.with_name(path.name + ".bak")
    if path.exists():
        beside = backup.with_name(backup.name + ".tmp")
        beside.unlink(missing_ok=True)
        try:
            os.link(path, beside)
        except OSError:  # a file system without hard links
            beside.write_bytes(path.read_bytes())
            beside.chmod(PRIVATE)
            flush(beside)
        beside.replace(backup)
        # two names of one file are not renamed: whoever was killed here left it so
        beside.unlink(missing_ok=True)


def settle(folder: Path) -> None:
    """Makes a rename itself durable, where the system lets a folder be synced.

    Raises OSError where the disk fails at it: then nobody may call the rename durable.
    """
    try:
        flush(folder)
    except OSError as error:
        if error.errno not in _SYNCS_NO_FOLDER:
            raise


def flush(path: Path) -> None:
    """Waits until the disk has what was written to a file."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        _sync(handle)
    finally:
        os.close(handle)


def _sync(handle: int) -> None:
    """Waits for the disk itself: on macOS `fsync` waits only for the drive's cache."""
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):  # a file system that does not know it
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
    os.fsync(handle)
