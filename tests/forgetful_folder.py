"""A folder whose disk forgets what was not synced, or fails once: `../shared/tools/lossyfs.py`, mounted.

It takes root and /dev/fuse. Run as a program it is the same folder on a disk that fails once in place of a power
cut: `forgetful_folder.py LOSSYFS ERRNO BACKING MOUNT`.
"""

import errno
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

LOSSYFS = Path(__file__).resolve().parents[2] / "shared/tools/lossyfs.py"
CUT = "cut "


class NotMounted(Exception):
    """No such folder can be had here; the message says why."""


class Point(NamedTuple):
    """Where the disk ends, or fails: at the nth operation of a sort, before or after it took effect."""

    operation: str
    nth: int
    when: str

    def __str__(self) -> str:
        return ":".join(map(str, self))

    @classmethod
    def read(cls, text: str) -> "Point":
        operation, nth, when = text.split(":")
        return cls(operation, int(nth), when)


NEVER = Point("write", 10**9, "before")


class ForgetfulFolder:
    """A mounted copy of a folder, of which everything was synced when it was mounted."""

    def __init__(
        self,
        given: Path,
        parent: Path,
        *,
        data: str = "torn",
        meta: str = "dir",
        seed: int = 0,
        fails: int | None = None,
    ) -> None:
        """`fails`: the number of the error that an armed point gives once, in place of the power cut.

        Raises NotMounted.
        """
        self.durable = parent / "durable"
        """What the disk has once the power was cut."""
        self.live = parent / "durable.live"
        """What programs saw at that moment."""
        self.path = parent / "mounted"
        shutil.copytree(given, self.durable)
        self.path.mkdir()
        program = (
            [str(LOSSYFS)] if fails is None else [__file__, str(LOSSYFS), str(fails)]
        )
        options = ["--data", data, "--meta", meta, "--seed", str(seed)]
        if fails is not None:
            options = []
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-IS",
                *program,
                str(self.durable),
                str(self.path),
                *options,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if self._line() != "mounted":
            _, told = self._process.communicate()
            raise NotMounted(told.strip().splitlines()[-1])

    def arm(self, point: Point) -> None:
        """Has the power cut at a point, or the disk fail there."""
        self._say(f"arm {point.operation} . {point.nth} {point.when}")

    def cut(self) -> dict[str, Any]:
        """Cuts the power, unless an armed point did; returns why, and what was counted until then."""
        self._say("cut")
        while not (line := self._line()).startswith(CUT):
            if not line:
                raise AssertionError(self._process.communicate()[1])
        told: dict[str, Any] = json.loads(line.removeprefix(CUT))
        return told

    def unmount(self) -> None:
        self._say("umount")
        self._process.communicate(timeout=30)

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")


def why_not(folder: Path) -> str:
    """Return why no forgetful folder can be had here, or "" if one can."""
    if not LOSSYFS.exists():
        return (
            "the reference files are not beside the project: no shared/tools/lossyfs.py"
        )
    given = folder / "given"
    given.mkdir()
    try:
        ForgetfulFolder(given, folder).unmount()
    except NotMounted as why:
        return f"no folder that forgets can be mounted here ({why})"
    return ""


# -- a disk that fails once -------------------------------------------------------------------------


def _loaded(path: str) -> ModuleType:
    found = importlib.util.spec_from_file_location("lossyfs", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def _serve(lossyfs: str, error: str, backing: str, mount: str) -> None:
    """Serves a folder that fails once where it is armed, and then works."""
    module = _loaded(lossyfs)
    number = int(error)

    class Failing(module.LossyFS):  # type: ignore[misc, name-defined]
        def _point(self, operation: str, name: str, when: str) -> None:
            armed = self.armed
            if armed and armed[0] == operation and armed[3] == when:
                armed[2] -= 1
                if armed[2] <= 0:
                    self.armed = None
                    raise OSError(number, os.strerror(number))
            if when == "before":
                self.counts[operation] = self.counts.get(operation, 0) + 1

        def do_fsync(self, node: Any, body: bytes, uid: int, gid: int) -> None:
            try:
                super().do_fsync(node, body, uid, gid)
            except OSError as refusal:
                if refusal.errno == errno.EIO:
                    # as Linux does: what could not be written counts as written from then on
                    node.dirty.clear()
                raise

    Failing(os.path.abspath(backing), os.path.abspath(mount), "drop", "dir").serve()  # noqa: PTH100


if __name__ == "__main__":
    _serve(*sys.argv[1:])
