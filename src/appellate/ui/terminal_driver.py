"""A terminal that may go away: its window is closed, a connection is lost."""

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

LOOK = 0.1  # seconds after which the thread looks whether it is to end
MOST = 65536  # bytes of one read


class TerminalDriver(LinuxDriver):
    """Textual's driver reads the end of its input for ever; this one leaves as for SIGHUP once its
    terminal is gone.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._text = threading.Lock()
        self._has_terminal = False
        replace_output(self, OutlivingFile)
        threading.Thread(target=self._watch, name="terminal-watch", daemon=True).start()

    def start_application_mode(self) -> None:
        """Takes the terminal; anew, and not amid a write, where SIGCONT finds that nobody let go of
        it: another thread would read keys besides, and outlive the program.
        """
        if self._has_terminal:
            asyncio.get_running_loop().call_soon_threadsafe(self._take_anew)
            return
        self._has_terminal = True
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def _take_anew(self) -> None:
        self.suspend_application_mode()
        self.start_application_mode()

    def stop_application_mode(self) -> None:
        self._has_terminal = False
        super().stop_application_mode()

    def run_input_thread(self) -> None:
        """Reads until the program leaves; a fault of its own ends the program as any other does."""
        try:
            self._read_input()
        except OSError:  # what cannot be read any more
            self._hang_up()
        except Exception as error:  # noqa: BLE001 - in the app it ends as any other
            self._app.call_later(_fail, error)

    def _read_input(self) -> None:
        terminal = TerminalInput(debug=self._debug)
        while not self.exit_event.is_set():
            for event in terminal.tick():
                self.process_message(event)
            self._read_once(terminal, terminal.seconds_to_tick(LOOK))
        self._read_once(terminal, LOOK)  # what the terminal sent before it was told to stop

    def _read_once(self, terminal: TerminalInput, seconds: float) -> None:
        """Reads what comes within this time; raises OSError where nothing ever will."""
        if not select.select([self.fileno], [], [], seconds)[0]:
            return
        data = os.read(self.fileno, MOST)
        if not data:
            raise OSError(ENXIO, "the terminal is gone")
        for event in terminal.feed(data):
            self.process_message(event)

    def _watch(self) -> None:
        """Waits until nobody is at the other end."""
        end = select.poll()
        end.register(self.fileno, 0)
        for _, event in end.poll():
            if event & select.POLLHUP:
                self._hang_up()

    def _hang_up(self) -> None:
        """Signals the main thread itself: while it waits for an editor it gets no other signal."""
        main = threading.main_thread().ident
        if main is not None and self._text.acquire(blocking=False):
            signal.pthread_kill(main, signal.SIGHUP)


def _fail(error: Exception) -> None:
    raise error


class OutlivingFile:
    """A terminal's output, dropped once the terminal is gone, so that no write waits for ever."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._is_gone = False

    def fileno(self) -> int:
        return self._file.fileno()

    def write(self, text: str) -> None:
        if not self._is_gone:
            try:
                self._file.write(text)
            except OSError:
                self._is_gone = True

    def flush(self) -> None:
        if not self._is_gone:
            try:
                self._file.flush()
            except OSError:
                self._is_gone = True
