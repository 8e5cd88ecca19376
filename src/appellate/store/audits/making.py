"""Making a workspace: it stands in its place whole or not at all, whatever happens meanwhile.

It grows beside its place, under another name and without a journal; one that was never finished is
thrown away by who opens the workspace next.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path

from appellate.core.problem import Refused
from appellate.store.database import NotKept, WorkspaceLocked, growing, is_begun, locked
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Rubric


@contextmanager
def making(
    path: Path, rubric: Rubric, version: str, aside: Path | None = None
) -> Iterator[Workspace]:
    """A new workspace to fill.

    It stands at `path`, open, once the block is left, and nowhere if that raises. One that is there
    is kept as `aside`; without such a name it stays, and WorkspaceLocked is raised.
    """
    place, beside = path.resolve(), growing(path)
    with ExitStack() as undone:
        try:
            lock = locked(path)
            undone.callback(lock.release)
            if aside is None and is_begun(place):
                raise WorkspaceLocked(f"{path} was made by another process meanwhile.")
            _begin(beside)
            undone.callback(beside.unlink, missing_ok=True)
        except OSError as error:
            raise unusable(str(path), f"cannot be made here: {error.strerror}") from error
        workspace = Workspace(beside, blank=(rubric, version))
        undone.callback(workspace.detach)
        with workspace.transaction():
            yield workspace
        workspace.detach()
        try:
            _put(beside, place, aside)
        except OSError as error:
            raise NotKept.by_disk(error) from error
        workspace.attach(path, lock)
        undone.pop_all()


def elsewhere(workspace: Workspace, path: Path) -> None:
    """Copies all that an open workspace holds to a new file, and goes on there.

    Raises Refused or NotKept. What it was opened by may be deleted or replaced meanwhile: the open
    file still holds it all.
    """
    place, beside = path.resolve(), growing(path)
    with ExitStack() as undone:
        try:
            lock = locked(path)
            undone.callback(lock.release)
            if place.exists():
                raise Refused(f"There is a file {path} already: name another.")
            _begin(beside)
            undone.callback(beside.unlink, missing_ok=True)
            with closing(sqlite3.connect(beside)) as there:
                workspace.copy_to(there)
            _put(beside, place, None)
        except (OSError, sqlite3.Error) as error:
            raise NotKept.by_disk(error) from error
        workspace.move(path, lock)
        undone.pop_all()


def _begin(beside: Path) -> None:
    os.close(os.open(beside, os.O_CREAT | os.O_EXCL, atomic.PRIVATE))


def _put(beside: Path, place: Path, aside: Path | None) -> None:
    """Puts a finished workspace in its place, safe from a power cut."""
    atomic.flush(beside)
    if aside:
        _fold(place)
        place.replace(aside)
    for ending in ("-wal", "-shm", "-journal"):  # they would be taken for the new one's
        place.with_name(place.name + ending).unlink(missing_ok=True)
    beside.replace(place)
    atomic.settle(place.parent)


def _fold(workspace: Path) -> None:
    """Takes everything into the file itself, whoever reads it.

    Raises WorkspaceLocked where that cannot be.
    """
    with closing(sqlite3.connect(workspace, isolation_level=None)) as db:
        (busy, *_) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise WorkspaceLocked(f"{workspace.name} is being read by another process.")


def free_name(path: Path) -> Path:
    """A name beside a workspace under which it can be set aside."""
    names = (path.with_name(f"{path.name}.old{number or ''}") for number in count())
    return next(name for name in names if not name.exists())
