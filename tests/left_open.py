"""Finds what a test leaves open: a connection, a file or an event loop that nobody closed.

Python complains of such a thing when its garbage collector comes to it, which is in the middle of some other test. So
`conftest.py` asks here after every test. The collector, which takes a tenth of a second, is called only after a test
with more open files than before it.
"""

import sys
from pathlib import Path

import quick

_DESCRIPTORS = Path("/proc/self/fd")


def open_files() -> int:
    """Return how many files and connections this process has open; 0 where the system does not tell."""
    try:
        return sum(1 for _ in _DESCRIPTORS.iterdir())
    except OSError:
        return 0


def complaints_since(before: int) -> list[str]:
    """Return what Python says of things that were left open since `open_files()` was `before`.

    Collects garbage if more files are open than then. What is still in use is not complained of.
    """
    complaints: list[str] = []
    if open_files() <= before:
        return complaints

    def note(unraisable: "sys.UnraisableHookArgs") -> None:
        complaints.append(str(unraisable.exc_value or unraisable.object))

    hook = sys.unraisablehook
    sys.unraisablehook = note
    try:
        quick.collect()
    finally:
        sys.unraisablehook = hook
    return complaints
