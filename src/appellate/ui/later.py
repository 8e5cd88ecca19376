"""Something to do once, a moment later."""

import asyncio
from collections.abc import Callable

from textual.message_pump import MessagePump


def later(seconds: float, pump: MessagePump, do: Callable[[], object]) -> asyncio.TimerHandle:
    """Has a widget, a screen or the application do something once, unless it is closed by then.

    Not by a timer of Textual's, whose only tick never comes where the machine stalls as it is set.
    """
    return asyncio.get_running_loop().call_later(seconds, pump.call_next, do)
