"""A browser's tab in the place of a terminal: closing it hangs up, and the audit is written."""

import asyncio
import os
import signal
from functools import partial
from typing import Any

from textual.drivers.web_driver import WebDriver

from appellate.ui.terminal_input import GatedParser
from appellate.ui.textual_compat import replace_parser


class BrowserDriver(WebDriver):
    """Textual's driver for a browser, which by itself leaves without a word to the application."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        replace_parser("web_driver", GatedParser)
        self._write = partial(self._sent)

    def start_application_mode(self) -> None:
        super().start_application_mode()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._hang_up)

    def on_meta(self, packet_type: str, payload: dict[str, object]) -> None:
        if packet_type == "quit":
            self._hang_up()
        else:
            super().on_meta(packet_type, payload)

    def run_input_thread(self) -> None:
        """Ends with the input: the server was killed, or the application leaves."""
        super().run_input_thread()
        self._hang_up()

    def _hang_up(self) -> None:
        if not self.exit_event.is_set():  # later nobody hears the signal, and it would kill
            os.kill(os.getpid(), signal.SIGHUP)

    def _sent(self, packet: bytes) -> int:
        """Where nobody reads any more the input ends, too: a crash here would cost the audit."""
        try:
            return os.write(self.fileno, packet)
        except BrokenPipeError:
            return len(packet)
