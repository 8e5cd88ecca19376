"""The driver for a browser's tab instead of a terminal; closing the tab writes the audit."""

import asyncio
import os
import signal
from functools import partial
from typing import Any

from textual.drivers.web_driver import WebDriver

from appellate.ui.terminal_input import GatedParser
from appellate.ui.textual_compat import replace_parser


class BrowserDriver(WebDriver):
    """Textual's driver for a browser, which also tells the application when the tab is closed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Begin as Textual does, but with an input parser and a writer of our own."""
        super().__init__(*args, **kwargs)
        replace_parser("web_driver", GatedParser)
        self._write = partial(self._write_packet)

    def start_application_mode(self) -> None:
        """Begin as Textual does, but end the program on Ctrl+C and SIGTERM as for a closed tab."""
        super().start_application_mode()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._hang_up)

    def on_meta(self, packet_type: str, payload: dict[str, object]) -> None:
        """Handle a message about the tab; when it is closed, have the audit written and end."""
        if packet_type == "quit":
            self._hang_up()
        else:
            super().on_meta(packet_type, payload)

    def run_input_thread(self) -> None:
        """Read input until it ends; then have the audit written and end the program.

        Input ends because the server was killed or the application ends.
        """
        super().run_input_thread()
        self._hang_up()

    def _hang_up(self) -> None:
        """Send this process SIGHUP, on which the application writes the audit and ends.

        Does nothing once the application is ending.
        """
        # later nobody hears the signal, and it would kill
        if not self.exit_event.is_set():
            os.kill(os.getpid(), signal.SIGHUP)

    def _write_packet(self, packet: bytes) -> int:
        """Write a packet to the browser and return how many bytes were taken.

        If nobody reads any more, it is dropped and its whole length returned: the input ends then
        too, and an exception here would keep the audit from being written.
        """
        try:
            return os.write(self.fileno, packet)
        except BrokenPipeError:
            return len(packet)
