"""How long a server is waited for that gives nobody a good answer.

One clock for all who ask it, whatever it does in place of answering: it stays silent, it is busy,
it breaks connections, it sends a letter a minute. Who asks does so within `lasting`, which ends for
all of them at once when that has lasted too long.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import astuple

PATIENCE = 600.0
"""Seconds."""
_LONG = 5.0


def spelt(seconds: float) -> str:
    """A time as it is set: 10m, 90s."""
    for size, unit in ((3600, "h"), (60, "m")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:.0f}{unit}"
    return f"{seconds:g}s"


class GivenUp(Exception):
    """The server has answered nobody for too long."""


class Waiting(Struct, frozen=True):
    """A server that answers nobody: for how many seconds, and after how many more it is given up.

    `trouble` is what came of the last request, if anything did, `status` its number in HTTP;
    `asked` are the seconds that the server asked to be left alone for.
    """

    host: str
    silent: float
    left: float
    trouble: str = ""
    status: int = 0
    asked: float | None = None

    @property
    def is_long(self) -> bool:
        """Whether that is worth telling: trouble often passes at once."""
        return bool(self.trouble) and max(self.silent, self.asked or 0.0) >= _LONG


class Met(Struct, frozen=True):
    """What came of a request in place of a good answer, as `Waiting` has it."""

    trouble: str = ""
    status: int = 0
    asked: float | None = None


class Patience:
    """The clock of one server: it runs from the last good answer on while anything is asked."""

    def __init__(self, seconds: float = PATIENCE) -> None:
        self.seconds = seconds
        self.met = Met()
        self._since: float | None = None
        self._is_over = False
        self._bounds: set[asyncio.Timeout] = set()
        self._timer: asyncio.TimerHandle | None = None

    def renew(self) -> None:
        """Forgets the past: whoever asks from here on was told."""
        self._is_over, self._since = False, None
        self.met = Met()

    def check(self) -> None:
        """Raises GivenUp where it is over."""
        if self._is_over:
            raise GivenUp

    def sent(self) -> None:
        """A request goes out."""
        if self._since is None:
            self._since = time.monotonic()
            self._watch()

    def answered(self, *, asking: bool) -> None:
        """A good answer came; `asking` where other requests are still out."""
        self._since = time.monotonic() if asking else None
        self.met = Met()

    @property
    def left(self) -> float:
        """Seconds until the server is given up, if it answers nobody until then."""
        if self._since is None:
            return self.seconds
        return max(0.0, self._since + self.seconds - time.monotonic())

    def waiting(self, host: str) -> Waiting | None:
        """How it is with a server, where anybody waits for it."""
        if self._since is None or not self._bounds:
            return None
        silent = time.monotonic() - self._since
        return Waiting(host, silent, self.left, *astuple(self.met))

    @asynccontextmanager
    async def lasting(self) -> AsyncIterator[None]:
        """What is done within it ends by GivenUp once patience is over."""
        bound = asyncio.timeout(None)
        try:
            async with bound:
                self._bounds.add(bound)
                self._watch()
                yield
        except TimeoutError:
            if not bound.expired():
                raise
            raise GivenUp from None
        finally:
            self._bounds.discard(bound)
            if not self._bounds and self._timer:
                self._timer.cancel()
                self._timer = None

    def _watch(self) -> None:
        """Comes back when patience will be over, if nothing happens until then."""
        if self._timer is None and self._bounds and self._since is not None:
            self._timer = asyncio.get_running_loop().call_later(self.left, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._since is None or self.left > 0:
            self._watch()
            return
        self._is_over = True
        for bound in self._bounds:
            bound.reschedule(asyncio.get_running_loop().time())
