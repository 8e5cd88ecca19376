"""Kill -9 at every step: a deed is done again and again, and killed each time one step later.

A step is an SQL statement that changes something, or a file that is opened to be written, renamed, linked or
removed: Python and SQLite tell of them, and nothing in the program is there for this alone.
"""

import os
import shutil
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable
from functools import partial
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
folder, module, name = sys.argv[1:4]
sys.path.insert(0, folder)
deed = importlib.import_module(module).DEEDS[name]
print(json.dumps(outcomes(deed, Path(sys.argv[4]))))
"""


class Deed(NamedTuple):
    """What is done before, what is done and killed, and how it stands for who comes after (as JSON)."""

    before: Callable[[Path], object]
    act: Callable[[Path], object]
    after: Callable[[Path], Any]


def stands(test_file: str, name: str, folder: Path) -> list[Any]:
    """How it stands after each kill, and last after the deed that nobody killed."""
    path = Path(test_file)
    found: list[Any] = said(_CHILD, path.parent, path.stem, name, folder)
    return found


def outcomes(deed: Deed, folder: Path) -> list[Any]:
    """`stands`, in a process that may be forked."""
    told = []
    given = folder / "given"
    given.mkdir()
    deed.before(given)
    for number in count():
        there = shutil.copytree(given, folder / str(number))
        child = os.fork()
        if not child:
            try:
                _die_at(number, there)
                deed.act(there)
            except BaseException:  # noqa: BLE001 - the child goes nowhere else
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        ended = os.waitpid(child, 0)[1]
        told.append(deed.after(there))
        shutil.rmtree(there)
        if os.WIFEXITED(ended):
            assert not ended, "what nobody killed went wrong"
            return told
    raise AssertionError


def _die_at(step: int, folder: Path) -> None:
    steps = count()

    def took() -> None:
        if next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def told(sql: str) -> None:
        if not sql.startswith("SELECT"):
            took()

    def heard(event: str, given: tuple[Any, ...]) -> None:
        only_read = event == "open" and not given[2] & _WRITING
        if event in _FILES and not only_read and str(given[0]).startswith(str(folder)):
            took()

    class Heard(sqlite3.Connection):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.set_trace_callback(told)

    sqlite3.connect = partial(sqlite3.connect, factory=Heard)  # type: ignore[assignment]
    sys.addaudithook(heard)
