"""Runs a process that answers line by line and may be ended while it computes.

`Matcher` and `CodeRunner` use it.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, cast


class WorkerProcess:
    """A process, and the thread that talks with it, so that waiting for an answer can end."""

    def __init__(
        self,
        *command: str,
        name: str,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Begin the process and its thread, called `name`.

        Without `environ` the process has this one's environment. It is in a session of its own.
        Raises OSError if the command cannot be started.
        """
        self.is_stuck = False
        self._process = subprocess.Popen(  # noqa: S603 - a program of ours
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environ,
            start_new_session=True,  # Ctrl+C is not for it, and what it starts ends with it
        )
        self.id = self._process.pid
        self._sent: SimpleQueue[bytes | None] = SimpleQueue()
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._thread = threading.Thread(target=self._talk, name=name, daemon=True)
        self._thread.start()

    def line(self, seconds: float, request: bytes = b"") -> bytes:
        """Send a request as it is, and return the line that the process writes next.

        `request` ends with its own line break, as does the line; with an empty one, the line is
        only waited for. Returns b"" if the process ended. After `seconds` without an answer the
        process is killed, `is_stuck` is set, and b"" is returned.
        """
        self._sent.put(request)
        try:
            return self._lines.get(timeout=seconds)
        except Empty:
            self.is_stuck = True
            self.kill()
            return b""

    def kill(self) -> None:
        """Kill the process and what it started, from any thread, without waiting for their end.

        A caller that waits for a line gets b"". It is no error if the process has ended.
        """
        if hasattr(os, "killpg"):
            with suppress(OSError):  # it has ended
                os.killpg(self.id, signal.SIGKILL)
        else:  # pragma: no cover - Windows has no groups of processes
            self._process.kill()
        self._lines.put(b"")

    def end(self) -> int:
        """Kill the process and what it started, wait for that, and return its exit code.

        The code is negative if a signal ended it, as the killing does; a process that had ended
        before keeps its own. Its thread ends too; it is waited for one second at most.
        """
        self.kill()
        self._sent.put(None)
        code = self._process.wait()
        # a process that it left behind may hold its output open for ever
        self._thread.join(1)
        return code

    def _talk(self) -> None:
        """Write each request that is sent and keep the line that answers it, until None is sent.

        This is the thread's work. A line without an end, as of a process that ended, becomes b"".
        For an empty request only the line is read. At the end the pipes are closed and the end of
        the process is waited for.
        """
        stdin = cast("IO[bytes]", self._process.stdin)
        stdout = cast("IO[bytes]", self._process.stdout)
        for request in iter(self._sent.get, None):
            # it has ended, as there is nothing to read will tell
            with suppress(OSError):
                stdin.write(request)
                stdin.flush()
            line = stdout.readline()
            self._lines.put(line if line.endswith(b"\n") else b"")
        with suppress(OSError), self._process:
            pass  # leaving closes its pipes, and waits for it
