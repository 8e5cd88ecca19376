"""Keys that arrive in a burst, from a slow line or a paste, handed on one at a time.

Each must find what the one before it left: a list that opened, the focus on a line, another cell. A
key passes from the widget with the focus through its ancestors to the application, each a task with
a queue of its own, and a message that an action sends goes the same way. So whoever follows them up
through the same queues knows that they are done.
"""

from collections import deque
from collections.abc import Awaitable, Callable

from textual.app import App
from textual.events import Key, Paste
from textual.message_pump import MessagePump


class KeyQueue:
    """The keys that are waiting; `deliver` hands one on to whatever has the focus."""

    def __init__(self, app: App[None], deliver: Callable[[Key | Paste], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: deque[Key | Paste] = deque()
        self._path: deque[MessagePump] = deque()
        self._at: MessagePump | None = None
        self._last: MessagePump | None = None

    async def take(self, event: Key | Paste) -> None:
        """Hands a key on, at once or once those before it are done."""
        self._waiting.append(event)
        if self._at is None:
            await self._next()
        elif not self._at.is_attached:  # it went, and what it was to do with it
            self._climb()

    @property
    def is_empty(self) -> bool:
        """Whether no key is waiting or on its way."""
        return self._at is None and not self._waiting

    async def _next(self) -> None:
        """Hands the next key on; after the last screen has closed there is nobody to take it."""
        if not self._app.screen_stack:
            self._waiting.clear()
        if not self._waiting:
            return
        self._at = self._app
        heard = self._ways_up()
        await self._deliver(self._waiting.popleft())
        self._last = None
        self._path = deque(
            [*heard, *heard]
        )  # behind the key, then behind the messages that it led to
        self._climb()

    def _ways_up(self) -> list[MessagePump]:
        """Who hears a key, in their order."""
        if not self._app.screen_stack:
            return [self._app]
        return [*(self._app.focused or self._app.screen).ancestors_with_self]

    def _climb(self) -> None:
        """One step further up, behind whatever the next of them has to hear still."""
        while self._path:
            self._at = self._path.popleft()
            if self._at.call_later(self._climb):
                return
        heard = self._ways_up()
        if (
            heard[0] is not self._last
        ):  # a screen opened, or the focus went: what has it now is to be there
            self._last = heard[0]
            self._path = deque(heard)
            self._climb()
            return
        self._at = None
        if self._waiting:
            self._app.call_later(self._next)
