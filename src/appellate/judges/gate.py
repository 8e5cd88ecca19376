"""The gate that all requests to one server pass: when it asks for patience, everyone waits.

Retries that each request decides by itself lose a third of the cells on a limited server, because
the others go on asking. Here a pause is shared, and the number under way is halved with it and then
grows by one per round of answers.
"""

import asyncio
import math
from types import TracebackType


class Gate:
    """An asynchronous context: inside it, one request is under way."""

    def __init__(self) -> None:
        self._until = 0.0
        self._allowed = math.inf
        self._busy = 0
        self._left = asyncio.Event()

    async def __aenter__(self) -> None:
        while (wait := self._until - _now()) > 0 or self._busy >= self._allowed:
            if wait > 0:
                await asyncio.sleep(wait)
            else:
                self._left.clear()
                await self._left.wait()
        self._busy += 1

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._busy -= 1
        self._left.set()

    def pause(self, seconds: float) -> None:
        """Lets nobody through for a while, and half as many afterwards."""
        if _now() >= self._until:
            under_way = min(self._allowed, self._busy + 1)
            self._allowed = max(1.0, under_way / 2)
        self._until = max(self._until, _now() + seconds)

    def welcome(self) -> None:
        """An answer came: a little more may be under way."""
        self._allowed += 1 / self._allowed
        self._left.set()


def _now() -> float:
    return asyncio.get_running_loop().time()
