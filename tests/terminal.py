"""A terminal for the tests: a program on a pty, keys in, the screen and every raw byte out.

Only stdlib and pyte. It says that it knows synchronized output, so the screen is always a whole frame.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

import pyte

import appellate

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "space": " ",
}
CLEAN = {7, 25}  # line wrap and a visible cursor
_SEAT = "import fcntl,os,sys,termios; fcntl.ioctl(0,termios.TIOCSCTTY,0); os.execvp(sys.argv[1],sys.argv[1:])"
_NOT_PYTES = re.compile(r"\x1b\[[<>=][0-?]*[ -/]*[@-~]|\x1b\[\?[\d;]*(\$p|[unm])")
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_UNFINISHED = re.compile(r"\x1b(\[[0-?]*[ -/]*)?$")
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
PATIENCE = 60.0
"""Seconds for what comes at once where the machine has nothing else to do."""
APPELLATE = [sys.executable, "-m", "appellate"]
NO_SETTINGS = tempfile.mkdtemp(prefix="no-settings-")
(Path(NO_SETTINGS) / "seen").touch()  # nobody here is new
_SOURCES = [str(Path(appellate.__file__).parents[1]), str(Path(__file__).parent)]


def ctrl(letter: str) -> str:
    return chr(ord(letter.upper()) & 0x1F)


class Terminal:
    """A program on a terminal of its own; leaving the `with` ends it."""

    def __init__(
        self,
        argv: Sequence[object],
        rows: int = 45,
        cols: int = 140,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.raw = bytearray()
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._pending = ""
        self._screen = pyte.Screen(cols, rows)
        self._stream = pyte.Stream(self._screen)
        self._text: str | None = None
        self._master, self._slave = pty.openpty()
        termios.tcsetwinsize(self._master, (rows, cols))
        self._attributes = termios.tcgetattr(self._slave)
        told = {
            name: value
            for name, value in os.environ.items()
            if name not in ("LINES", "COLUMNS", "NO_COLOR")
        }
        told |= {
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "APPELLATE_REVIEWER": "ada",
        }
        told |= {
            "PYTHONPATH": os.pathsep.join(_SOURCES),
            "PYTHONFAULTHANDLER": "1",  # what waits too long is ended with SIGABRT
            "APPELLATE_CONFIG": NO_SETTINGS,
            **(env or {}),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", _SEAT, *map(str, argv)],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=told,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.hang_up()
        os.close(self._slave)

    # -- hands ------------------------------------------------------------------------------------

    def send(self, *keys: str) -> None:
        """Presses keys, by name or as themselves."""
        for key in keys:
            self.write(KEYS.get(key, key).encode())

    def write(self, data: bytes) -> None:
        """Sends bytes, as a terminal does for more than keys."""
        os.write(self._master, data)

    def resize(self, rows: int, cols: int) -> None:
        termios.tcsetwinsize(self._master, (rows, cols))
        self._screen.resize(rows, cols)
        self._text = None

    def kill(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def hang_up(self) -> None:
        """Takes the terminal away, as closing its window does."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    # -- eyes -------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = "\n".join(line.rstrip() for line in self._screen.display)
        return self._text

    def line(self, regex: str) -> str:
        """The first line of the screen in which this is found."""
        return next(
            (line for line in self.text.splitlines() if re.search(regex, line)),
            "",
        )

    def wait(self, regex: str, timeout: float = PATIENCE) -> str:
        """Reads on until the screen shows this; returns the screen."""
        end = time.monotonic() + timeout
        while not re.search(regex, self.text, re.MULTILINE):
            ended = self.process.poll() is not None
            if not self._read(0.05) and (ended or time.monotonic() > end):
                why = (
                    f"the program ended with {self.process.returncode}"
                    if ended
                    else f"{timeout} s"
                )
                raise AssertionError(
                    f"{regex!r} was not shown: {why}\n{self.text}\n{self.parting}",
                )
        return self.text

    def watch(self, seconds: float) -> str:
        """Reads for so long; returns the screen."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._read(left)
        return self.text

    def rest(self, quiet: float = 0.15) -> str:
        """Reads until all keys were taken and nothing has come for so long; returns the screen."""
        while self._read(quiet) or self._holds_keys:
            pass
        return self.text

    def status(self, timeout: float = PATIENCE) -> int:
        """Reads to the program's end; returns its exit status, negative for a signal."""
        end = time.monotonic() + timeout
        while self.process.poll() is None:
            self._read(0.05)
            if time.monotonic() > end:
                shown = self.text
                self.kill(signal.SIGABRT)
                raise AssertionError(
                    f"still there after {timeout} s\n{shown}\n{self.watch(1)}",
                )
        self.rest(0.01)
        return self.process.returncode

    @property
    def parting(self) -> str:
        """What the program said after it gave the screen back."""
        _, left, said = self.raw.decode(errors="replace").rpartition("\x1b[?1049l")
        return _ESCAPE.sub("", said) if left else ""

    @property
    def left_on(self) -> set[int | str]:
        """What is not as a shell wants it: private modes, kitty's keyboard, the line discipline."""
        on: set[int | str] = set(CLEAN)
        for number, way in re.findall(rb"\x1b\[\?(\d+)([hl])", self.raw):
            (on.add if way == b"h" else on.discard)(int(number))
        kitty = len(re.findall(rb"\x1b\[>\d*u", self.raw)) > len(
            re.findall(rb"\x1b\[<\d*u", self.raw),
        )
        same = termios.tcgetattr(self._slave) == self._attributes
        return (
            (on ^ CLEAN)
            | ({"kitty"} if kitty else set())
            | (set() if same else {"line discipline"})
        )

    @property
    def _holds_keys(self) -> bool:
        """Whether keys wait that the program, if there is one still, has not read."""
        left = fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4))
        return any(left) and self.process.poll() is None

    def _read(self, timeout: float) -> bool:
        """Takes in what comes within this time; whether anything came."""
        if self._master < 0 or not select.select([self._master], [], [], timeout)[0]:
            return False
        data = os.read(self._master, 65536)
        self.raw += data
        if b"\x1b[?2026$p" in data:
            with suppress(OSError):
                self.send("\x1b[?2026;2$y")
        self._feed(self._pending + self._decode(data))
        return True

    def _feed(self, text: str) -> None:
        """Draws what is whole; an update that was begun, or half a sequence, waits for the rest."""
        ended = text.rfind(_END)
        begun = text.find(_BEGIN, max(ended, 0))
        cut = _UNFINISHED.search(text)
        end = begun if begun >= 0 else cut.start() if cut else len(text)
        self._pending = text[end:]
        self._stream.feed(_NOT_PYTES.sub("", text[:end]))
        self._text = None
