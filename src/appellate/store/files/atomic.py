"""Writing a whole file: a crash or a full disk leaves the old one, never half of the new one."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import (
    EACCES,
    EBADF,
    EINVAL,
    EISDIR,
    ELOOP,
    ENOSYS,
    ENOTSUP,
    EOPNOTSUPP,
    EPERM,
)
from glob import escape
from pathlib import Path

PRIVATE = 0o600
_ENDING = ".tmp"
_SYNCS_NO_FOLDER = {EACCES, EBADF, EINVAL, EISDIR, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM}
"""Numbers of the errors by which a system says that it lets nobody sync a folder."""


def write(path: Path, chunks: Iterable[bytes | memoryview]) -> None:
    """Write a whole file in one durable step; a crash or a full disk leaves the old one.

    A link stays, and its target is replaced. The old file is kept beside it with `.bak` added to
    its name, in place of an earlier one. A new file is private; one that exists keeps its
    permissions. Raises OSError that names `path`.
    """
    with writing(path, chunks):
        pass


@contextmanager
def writing(path: Path, chunks: Iterable[bytes | memoryview]) -> Iterator[Path]:
    """Write a whole file as `write` does, but run the block before it takes the old one's place.

    Yields the path of the new file, complete and on the disk, beside the old one. If the block
    raises, the old file and its `.bak` stay as they were, and the new one is deleted. Raises
    OSError that names `path`.
    """
    path = target_of(path)
    with naming(path):
        handle, name = tempfile.mkstemp(
            prefix=f".{path.name}.",
            suffix=_ENDING,
            dir=path.parent,
        )
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                if path.exists():
                    shutil.copymode(path, temporary)
                file.writelines(chunks)
                file.flush()
                _sync_handle(file.fileno())
            yield temporary
            _keep_backup(path)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def target_of(path: Path) -> Path:
    """Return the absolute path of the file that a path leads to, through all links.

    That file need not exist. Raises OSError that names `path` if links lead to themselves.
    """
    try:
        target = path.resolve()
        leads_to_itself = target.is_symlink()  # as Python 3.13 returns it
    except RuntimeError:  # what Python 3.11 and 3.12 raise
        leads_to_itself = True
    if leads_to_itself:
        raise OSError(ELOOP, os.strerror(ELOOP), str(path))
    return target


def private(path: str, flags: int) -> int:
    """Open a file and return its descriptor; if it is new, only its owner may read and write it.

    A file that exists keeps its permissions. It is the `opener` of `open`, for files to which text
    is added bit by bit. Raises OSError.
    """
    return os.open(path, flags, PRIVATE)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of an empty file beside `path`, with its ending, for any writer to fill.

    What is in it when the block ends replaces `path`, durably and in one step, even if that is
    nothing. If the block raises, `path` stays as it was. A new file is private; one that exists
    keeps its permissions. No `.bak` is kept. Raises OSError.
    """
    path = target_of(path)
    beginning = f".{path.stem}."
    ending = _ENDING + path.suffix
    with naming(path):
        handle, name = tempfile.mkstemp(
            prefix=beginning,
            suffix=ending,
            dir=path.parent,
        )
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            if path.exists():
                shutil.copymode(path, temporary)
            sync_path(temporary)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an OSError that leaves the block name `path` in place of no file or of a temporary one.

    An error that names any other file passes unchanged.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None or _ENDING in Path(os.fsdecode(error.filename)).name:
            error.filename = str(path)
        raise


def make_folder(folder: Path, *, parents: bool = False) -> None:
    """Make a folder durably; do nothing if it is there already.

    With `parents`, missing folders above it are made, too, and without it they are an error. Raises
    OSError, also for a file of this name.
    """
    new_folders = [
        new_folder
        for new_folder in (folder, *folder.parents)
        if not new_folder.exists()
    ]
    folder.mkdir(parents=parents, exist_ok=True)
    with naming(folder):
        for new_folder in new_folders:
            sync_folder(new_folder.parent)


def sweep(path: Path) -> None:
    """Delete what killed writers left beside a file: temporary files of `write` and `writing`.

    Only the file's one writer may call it, as it would also delete what another one is writing.
    What cannot be deleted stays, and raises nothing.
    """
    path = path.resolve()
    for leftover in path.parent.glob(f".{escape(path.name)}.*{_ENDING}"):
        with suppress(OSError):
            leftover.unlink()


def _keep_backup(path: Path) -> None:
    """Keep the present file also under its name with `.bak` added, in place of an earlier one.

    The file itself stays in its place. Does nothing if there is none. Raises OSError if the backup
    cannot be made; then the earlier one is as it was.
    """
    backup = path.with_name(path.name + ".bak")
    if path.exists():
        temporary = backup.with_name(backup.name + ".tmp")
        temporary.unlink(missing_ok=True)
        try:
            os.link(path, temporary)
        except OSError:  # a file system without hard links
            try:
                with open(temporary, "wb", opener=private) as file:
                    file.write(path.read_bytes())
                sync_path(temporary)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        temporary.replace(backup)
        # two names of one file are not renamed: whoever was killed here left it so
        temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder, where the system can sync folders.

    Raises OSError if the disk fails at it: then nobody may call a rename durable.
    """
    try:
        sync_path(folder)
    except OSError as error:
        if error.errno not in _SYNCS_NO_FOLDER:
            raise


def sync_path(path: Path) -> None:
    """Wait until the disk has what was written to a file, or the names in a folder.

    Raises OSError.
    """
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        _sync_handle(handle)
    finally:
        os.close(handle)


def _sync_handle(handle: int) -> None:
    """Wait until the disk itself has an open file, given by its descriptor. Raises OSError.

    On macOS `fsync` waits only for the drive's cache, so that more is asked for there.
    """
    if sys.platform == "darwin":
        import fcntl

        with suppress(OSError):  # a file system that does not know it
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
            return
    os.fsync(handle)
