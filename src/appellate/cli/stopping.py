"""Ends a command that asks judges on SIGTERM and SIGHUP as Ctrl+C does, so that it saves first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from appellate.cli.outcome import Ended, Exit

_CODES = {signal.SIGTERM: Exit.TERMINATED, signal.SIGHUP: Exit.HUNG_UP}


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Have SIGTERM and SIGHUP interrupt the block as Ctrl+C does, but raise Ended with their code.

    The codes are 143 and 129. Only the first signal interrupts, so that what the block does at its
    end is not cut short. A signal that the process was told to ignore, as by `nohup`, stays
    ignored. Ctrl+C itself raises KeyboardInterrupt. What handled the signals before does so again
    after the block. Raises ValueError outside the main thread.
    """
    stopped_by: list[Exit] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        """Note the exit code of the first signal, and interrupt the main thread as Ctrl+C does.

        `number` is the signal's. Later signals do nothing.
        """
        if not stopped_by:
            stopped_by.append(_CODES[signal.Signals(number)])
            signal.raise_signal(signal.SIGINT)

    handlers = {}
    for number in _CODES:
        if signal.getsignal(number) is not signal.SIG_IGN:
            handlers[number] = signal.signal(number, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        if stopped_by:
            raise Ended(stopped_by[0]) from None
        raise
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
