"""What hands do, in its order: each key and click finds what the one before it left.

A key passes from the widget with the focus through its ancestors to the application, each a task
with a queue of its own, and a message that an action sends goes the same way. So whoever follows
them up through the same queues knows that they are done, and that a screen that opened is there.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from textual.app import App
from textual.events import Callback, InputEvent, Key, MouseMove, Paste
from textual.message_pump import MessagePump

from appellate.ui.textual_compat import beside

Hand = InputEvent | Paste


class KeyQueue:
    """What is waiting; `deliver` hands one on to whatever it is for now."""

    def __init__(self, app: App[None], deliver: Callable[[Hand], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: deque[Hand] = deque()
        self._busy = False
        self._settled: MessagePump | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is waiting or on its way."""
        return not self._busy

    def take(self, event: Hand) -> None:
        """Hands it on when all before it is done; after the last screen has closed, to nobody."""
        if not self._app.screen_stack:
            return
        self._waiting.append(event)
        if not self._busy:
            self._busy = True
            beside(self._app, self._hand_on, "keys")

    async def _hand_on(self) -> None:
        """The one consumer, for as long as anything is waiting."""
        try:
            while self._waiting:
                if self._way_up()[0] is not self._settled:
                    await self._settle()
                event = self._waiting.popleft()
                if isinstance(event, Key) and self._is_escape_and_key(event):
                    self._waiting.appendleft(Key(event.character or "", event.character))
                    event = Key("escape", "\x1b")
                await self._deliver(event)
                if not isinstance(event, MouseMove):
                    await self._settle()
        finally:
            self._busy = False

    def _is_escape_and_key(self, event: Key) -> bool:
        """Whether Alt with a key is Esc and that key, which came in one read: nothing is bound to
        it, and terminals send both alike.
        """
        if not event.key.startswith("alt+") or not event.character:
            return False
        return event.key not in self._app.screen.active_bindings

    def _way_up(self) -> list[MessagePump]:
        """Who gets a key, in their order."""
        if not self._app.screen_stack:
            return [self._app]
        return [*(self._app.focused or self._app.screen).ancestors_with_self]

    async def _settle(self) -> None:
        """Waits for what has begun, until what has the focus then is there to take a key."""
        self._settled = None
        while (way := self._way_up())[0] is not self._settled:
            self._settled = way[0]
            for pump in [*way, *way]:  # behind a key, then behind the messages that it led to
                await _behind(pump)


async def _behind(pump: MessagePump) -> None:
    """Waits until all is done that something was sent by now; what closes does nothing more."""
    done = asyncio.Event()
    if pump.post_message(Callback(callback=done.set)):
        await done.wait()
