"""Kill -9 at every step: a deed is done once, and what a kill before each step leaves is kept and opened.

A step is an SQL statement that changes something, or a file that is opened to be written, renamed, linked or
removed: Python and SQLite tell of them, and nothing in the program is there for this alone. A kill leaves the files
as they are and takes nothing back of what was handed to the system, so that a copy made before the step is what
it leaves. A process of its own copies, as closing a file lets go all locks that a process has on it.
"""

import os
import shutil
import sqlite3
import sys
import traceback
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from cells import said

_FILES = {"open", "os.rename", "os.link", "os.remove"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHILD = """
import importlib, json, sys
from pathlib import Path
from killing import outcomes
folder, module, name, made = sys.argv[1:5]
sys.path.insert(0, folder)
print(json.dumps(outcomes(importlib.import_module(module).DEEDS[name], Path(made))))
"""


class Deed(NamedTuple):
    """What is done before, what is done and killed, and how it stands for who comes after (as JSON)."""

    before: Callable[[Path], object]
    act: Callable[[Path], object]
    after: Callable[[Path], Any]


def stands(test_file: str, deed: str, folder: Path) -> list[Any]:
    """How it stands after each kill of a deed of a file, and last after the deed that nobody killed."""
    path = Path(test_file)
    found: list[Any] = said(_CHILD, path.parent, path.stem, deed, folder)
    return found


def outcomes(deed: Deed, folder: Path) -> list[Any]:
    """`stands`, in a process that may be forked."""
    given, there, left = (folder / name for name in ("given", "there", "left"))
    given.mkdir()
    left.mkdir()
    deed.before(given)
    shutil.copytree(given, there)
    assert not _apart(partial(_do, deed, there, left)), "what nobody killed went wrong"
    there.rename(left / str(len(list(left.iterdir()))))
    told: list[Any] = []
    known: dict[bytes, Any] = {}
    for number in range(len(list(left.iterdir()))):
        (left / str(number)).rename(there)
        same = _digest(there)
        if same not in known:
            known[same] = deed.after(there)
        told.append(known[same])
        shutil.rmtree(there)
    return told


def _apart(do: Callable[[], object]) -> int:
    """Does it in a process that is a copy of this one, and ends without tidying up; returns its status."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    try:
        do()
    except BaseException:  # noqa: BLE001 - the child goes nowhere else
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _do(deed: Deed, there: Path, left: Path) -> None:
    steps = count()

    def took() -> None:
        # not by a fork, which filelock forbids while a lock is being taken
        words = ["cp", "-R", str(there), str(left / str(next(steps)))]
        copying = os.posix_spawnp("cp", words, os.environ)
        copied = os.waitpid(copying, 0)[1]
        assert not copied, "what a kill would leave could not be copied"

    def told(sql: str) -> None:
        if not sql.startswith("SELECT"):
            took()

    def heard(event: str, given: tuple[Any, ...]) -> None:
        only_read = event == "open" and not given[2] & _WRITING
        if event in _FILES and not only_read and str(given[0]).startswith(f"{there}/"):
            took()

    class OnProgress(sqlite3.Connection):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.set_trace_callback(told)

    sqlite3.connect = partial(sqlite3.connect, factory=OnProgress)  # type: ignore[assignment]
    sys.addaudithook(heard)
    deed.act(there)


def _digest(folder: Path) -> bytes:
    """What lies in a folder: whoever opens the same twice finds the same."""
    files = sorted(folder.iterdir())
    return sha256(
        b"".join(path.name.encode() + path.read_bytes() for path in files),
    ).digest()
