"""A driver for a terminal that may go away: its window is closed, or a connection is lost."""

import asyncio
import os
import select
import signal
import threading
from errno import ENXIO
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver

from appellate.ui.terminal_input import TerminalInput
from appellate.ui.textual_compat import replace_output

SYNC_START = "\x1b[?2026h"
"""Tells the terminal to show nothing of an update before all of it has arrived."""
SYNC_END = "\x1b[?2026l"
LOOK = 0.1
"""Seconds after which the thread checks whether it must end."""
MOST = 65536
"""Bytes of one read."""


class TerminalDriver(LinuxDriver):
    """A driver that ends the program as SIGHUP does once its terminal is gone.

    Textual's own driver would read the end of its input for ever.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        """Take the arguments of Textual's driver, and start to watch whether the terminal is gone.

        A thread watches until the program ends. Output to a terminal that is gone is dropped.
        """
        super().__init__(*given, **named)
        self._hang_up_once = threading.Lock()
        self._has_terminal = False
        self._update: list[str] = []
        """What was written of an update that is not complete."""
        replace_output(self, OutlivingFile)
        threading.Thread(target=self._watch, name="terminal-watch", daemon=True).start()

    def start_application_mode(self) -> None:
        """Take over the terminal; if the driver has it already, let it go and take it again soon.

        The second happens at a SIGCONT without a stop, which may arrive during a write: so it is
        left to the event loop. Without letting go first, a second thread would read keys and
        outlive the program.
        """
        if self._has_terminal:
            asyncio.get_running_loop().call_soon_threadsafe(self._take_anew)
            return
        self._has_terminal = True
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def _take_anew(self) -> None:
        """Let the terminal go, and take it again."""
        self.suspend_application_mode()
        self.start_application_mode()

    def stop_application_mode(self) -> None:
        """Let the terminal go; what was begun of an update is sent before."""
        if self._update:  # stopped by a signal between two parts
            self.write(SYNC_END)
        self._has_terminal = False
        super().stop_application_mode()

    def write(self, data: str) -> None:
        """Send text to the terminal; the parts of an update are sent together, at its end.

        An update is from the text `SYNC_START` to the text `SYNC_END`, each given by itself. Its
        parts are kept until then, as each by itself would wake the thread that writes.
        """
        if self._update or data == SYNC_START:
            self._update.append(data)
            if data != SYNC_END:
                return
            data = "".join(self._update)
            self._update = []
        super().write(data)

    def run_input_thread(self) -> None:
        """Read until the program ends; runs in a thread of its own.

        If the terminal can no longer be read, the program gets SIGHUP. Any other error is raised in
        the app, which ends with it; nothing is raised here.
        """
        try:
            self._read_input()
        except OSError:  # nothing can be read any more
            self._hang_up()
        except Exception as error:  # noqa: BLE001 - the app ends with it as with any other
            self._app.call_later(_fail, error)

    def _read_input(self) -> None:
        """Read input, and hand its events to the app, until the program tells the thread to end.

        What arrives in the last moments is still read. Raises OSError if the terminal is gone.
        """
        terminal = TerminalInput(debug=self._debug)
        while not self.exit_event.is_set():
            for event in terminal.tick():
                self.process_message(event)
            self._read_once(terminal, terminal.seconds_to_tick(LOOK))
        # what the terminal sent before it was told to stop
        self._read_once(terminal, LOOK)

    def _read_once(self, terminal: TerminalInput, seconds: float) -> None:
        """Wait for some seconds for input, and hand the events of one read, if any, to the app.

        One read has at most `MOST` bytes. Raises OSError if nothing will ever arrive.
        """
        readable, _, _ = select.select([self.fileno], [], [], seconds)
        if not readable:
            return
        data = os.read(self.fileno, MOST)
        if not data:
            raise OSError(ENXIO, "the terminal is gone")
        for event in terminal.feed(data):
            self.process_message(event)

    def _watch(self) -> None:
        """Wait until nobody is at the other end of the terminal, then send SIGHUP to the program.

        Runs in a thread of its own.
        """
        end = select.poll()
        end.register(self.fileno, 0)
        for _, event in end.poll():
            if event & select.POLLHUP:
                self._hang_up()

    def _hang_up(self) -> None:
        """Send SIGHUP to the main thread, once: later calls do nothing.

        The main thread gets no other signal while it waits for an editor.
        """
        main = threading.main_thread().ident
        if main is not None and self._hang_up_once.acquire(blocking=False):
            signal.pthread_kill(main, signal.SIGHUP)


def _fail(error: Exception) -> None:
    raise error


class OutlivingFile:
    """A terminal's output that is dropped once the terminal is gone, so that no write waits for
    ever.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._is_gone = False

    def fileno(self) -> int:
        return self._file.fileno()

    def write(self, text: str) -> None:
        """Write a text to the file; raises nothing if the terminal is gone.

        The first OSError means that it is gone: that text and all later ones are dropped.
        """
        if not self._is_gone:
            try:
                self._file.write(text)
            except OSError:
                self._is_gone = True

    def flush(self) -> None:
        """Flush the file; after an OSError, which means that the terminal is gone, do nothing."""
        if not self._is_gone:
            try:
                self._file.flush()
            except OSError:
                self._is_gone = True
