"""The judge works in chambers: in a thread with an event loop of its own, and hands out what is done.

So neither 200 requests under way nor the reading of long replies holds up a screen or a disk. What was
handed out and not yet taken is bounded, and never lost by stopping.
"""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress

from appellate.judges.assigner import Arrival, Ask, assign
from appellate.judges.judge import Judge

_UNTAKEN = 64
"""Answers that may wait to be taken before the judge waits too."""


class BrokenDown(Exception):
    """The judge's thread ended by an error of its own; a sentence."""


class Chambers:
    """One run of a judge: started, listened to, ended."""

    def __init__(self, judge: Judge, asks: Callable[[], AsyncGenerator[Ask, None]], concurrency: int) -> None:
        """`asks` is called in the thread of the judge, so that it opens there what it reads from."""
        self._judge = judge
        self._asks = asks
        self._concurrency = concurrency
        self._outbox: deque[Arrival] = deque()
        self._listener = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._thread = threading.Thread(target=self._work, name="judge", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._stopped = False
        self._over = False
        self._error: BaseException | None = None
        self._drawn = self._done = 0

    # -- for the listener -------------------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()

    @property
    def under_way(self) -> int:
        """How many cells are being asked about."""
        return self._drawn - self._done

    async def news(self, within: float) -> bool:
        """Waits for an answer, or so many seconds; False where the run is over and everything was taken."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._news.wait()
        return bool(self._outbox) or not self._over

    def take(self, most: int) -> list[Arrival]:
        """What arrived, in its order."""
        self._news.clear()
        taken = [self._outbox.popleft() for _ in range(min(most, len(self._outbox)))]
        if self._outbox or self._over:
            self._news.set()
        self._in_chambers(self._room.set)
        return taken

    def stop(self) -> None:
        """Ends what is under way; `news` goes on until everything was taken."""
        self._stopped = True
        if self._task is not None:
            self._in_chambers(self._task.cancel)

    def ended(self) -> list[Arrival]:
        """Stops the judge, waits for its thread and takes the rest."""
        self.stop()
        if self._thread.ident is not None:
            self._thread.join()
        rest = list(self._outbox)
        self._outbox.clear()
        return rest

    def check(self) -> None:
        """Raises BrokenDown where the judge did not end as it should."""
        if self._error is not None:
            told = f"{type(self._error).__name__}: {self._error}"
            raise BrokenDown(f"The judge broke down ({told}).") from self._error

    def _in_chambers(self, act: Callable[[], object]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(act)

    # -- in the thread ----------------------------------------------------------------------------

    def _work(self) -> None:
        try:
            with suppress(asyncio.CancelledError):
                asyncio.run(self._assigned())
        except BaseException as error:  # noqa: BLE001 - the listener raises it
            self._error = error
        self._over = True
        self._tell()

    async def _assigned(self) -> None:
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        try:
            if not self._stopped:
                async with aclosing(self._counted()) as asks:
                    await assign(self._judge, asks, self._concurrency, self._arrived)
        finally:
            await self._judge.close()

    async def _counted(self) -> AsyncGenerator[Ask, None]:
        async with aclosing(self._asks()) as asks:
            async for ask in asks:
                self._drawn += 1
                yield ask

    async def _arrived(self, arrival: Arrival) -> None:
        self._done += 1
        self._outbox.append(arrival)
        self._tell()
        while len(self._outbox) >= _UNTAKEN:
            self._room.clear()
            await self._room.wait()

    def _tell(self) -> None:
        with suppress(RuntimeError):  # nobody listens any more
            self._listener.call_soon_threadsafe(self._news.set)
