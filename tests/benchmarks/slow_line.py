"""What keys cost over a line of 9,600 baud with a round trip of 200 ms, beside Textual's own output.

Run: python tests/benchmarks/slow_line.py [--size 100x30]
It takes a quarter of an hour, nearly all of it Textual's. Measured at 100x30 on the demo, bytes and seconds from
the key to the last cell:

    key              changed cells     Textual's own
    next item        1128 B   1.4 s     4736 B   5.2 s
    next cell        5635 B   6.2 s    14537 B  15.5 s
    correction       3777 B   4.2 s     8375 B   9.0 s
    undo             6607 B   7.1 s    37143 B  39.0 s
    open a list     23256 B  24.5 s    74222 B  78.3 s
    open a comment   4743 B   5.2 s    40544 B  43.3 s
"""

import argparse
import os
import pty
import select
import subprocess
import sys
import tempfile
import termios
import time
from contextlib import suppress
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
BYTES_PER_SECOND = 960
ONE_WAY = 0.1
"""Seconds from one end of the line to the other."""
AT_ONCE = 96
"""Bytes that leave the program together, as a serial port's buffer has them."""
QUIET = 1.2
"""Seconds without a byte after which a key is done."""
KEYS = {
    "next item": "j",
    "next item again": "j",
    "next cell": ".",
    "previous cell": ",",
    "correction": "2",
    "undo": "u",
    "open a list": "\r",
    "close it": "\x1b",
    "open a comment": "c",
    "a letter": "a",
    "leave it": "\x1b",
}
OURS = "from appellate.cli import run; run()"
TEXTUALS = """
from textual.app import App
from appellate.ui.frame import FramedApp
FramedApp._display = App._display
from appellate.cli import run
run()
"""


class SlowLine:
    """The demo at the other end of a slow line."""

    def __init__(self, code: str, cols: int, rows: int) -> None:
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(self._master, (rows, cols))
        settings = tempfile.mkdtemp()
        (Path(settings) / "seen").touch()  # no card for whoever is new
        environment = {
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(SOURCE),
            "APPELLATE_CONFIG": settings,
            "APPELLATE_REVIEWER": "ada",
        }
        self._program = subprocess.Popen(
            [sys.executable, "-c", code, "demo", "--folder", tempfile.mkdtemp()],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)

    def start(self) -> None:
        """Waits for the first paint, on a quick line."""
        while select.select([self._master], [], [], 3.0)[0]:
            if b"\x1b[?2026$p" in os.read(self._master, 65536):
                os.write(self._master, b"\x1b[?2026;2$y")

    def press(self, key: str) -> tuple[int, float]:
        """Presses a key. Returns the bytes that came, and the seconds until the last was there."""
        pressed = time.monotonic()
        time.sleep(ONE_WAY)
        os.write(self._master, key.encode())
        count, line_is_free = 0, time.monotonic()
        while select.select([self._master], [], [], QUIET)[0]:
            time.sleep(max(line_is_free - time.monotonic(), 0))
            data = os.read(self._master, AT_ONCE)
            line_is_free = (
                max(line_is_free, time.monotonic()) + len(data) / BYTES_PER_SECOND
            )
            count += len(data)
        return count, line_is_free + ONE_WAY - pressed

    def end(self) -> None:
        with suppress(ProcessLookupError):
            self._program.kill()
        self._program.wait()
        os.close(self._master)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--size", default="100x30", help="columns and rows")
    cols, rows = map(int, arguments.parse_args().size.split("x"))
    for name, code in (("changed cells", OURS), ("Textual's own", TEXTUALS)):
        line = SlowLine(code, cols, rows)
        line.start()
        for label, key in KEYS.items():
            count, seconds = line.press(key)
            print(f"{name:14} {label:16} {count:6} B {seconds:5.1f} s", flush=True)
        line.end()


main()
