"""The gate that all requests to one server pass: when it asks for patience, everyone waits.

Retries that each request decides by itself lose a third of the cells on a limited server. Here a
pause is shared, and how many may be under way is learnt: it doubles from round to round until
the server is first full, is halved then, and grows by one per round from there on. A server that
turns single requests away may do so with a fifth before it is asked less; who was turned away
waits behind the others.

A server that gives nobody a good answer is waited for by one clock for all, whatever it does in
place of answering. Who asks does so within `lasting`, which ends for all of them at once.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

# -- patience --------------------------------------------------------------------------------------


PATIENCE = 600.0
"""Seconds."""
CONNECTING = 15.0
"""Seconds for a server that was never reached: its address is wrong, or it does not run."""
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

    host: str = ""
    silent: float = 0.0
    left: float = 0.0
    trouble: str = ""
    status: int = 0
    asked: float | None = None

    @property
    def is_long(self) -> bool:
        """Whether that is worth telling: trouble often passes at once."""
        return bool(self.trouble) and max(self.silent, self.asked or 0.0) >= _LONG


class Patience:
    """The clock of one server: it runs from the last good answer on while anything is asked.

    As long as no connection to the server ever came about, it has only `connecting` seconds.
    """

    def __init__(self, seconds: float = PATIENCE, connecting: float = CONNECTING) -> None:
        self.seconds = seconds
        self._connecting = min(connecting, seconds)
        self.was_reached = False
        self._cannot_be_reached = False
        self.met = Waiting()  # what came of the last request in place of a good answer
        self._since: float | None = None
        self._is_over = False
        self._bounds: set[asyncio.Timeout] = set()
        self._timer: asyncio.TimerHandle | None = None

    def renew(self) -> None:
        """Forgets the past, before anybody asks again."""
        self._is_over = False
        self._since = None
        self.met = Waiting()

    def reached(self) -> None:
        """Notes that a connection came about: the server is there, whatever it does then."""
        self.was_reached = True

    def unreached(self) -> None:
        """Notes that no connection came about."""
        if not self.was_reached and not self._cannot_be_reached:
            self._cannot_be_reached = True
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._watch()

    @property
    def allowed(self) -> float:
        """Seconds that this server is waited for in all."""
        if self._cannot_be_reached and not self.was_reached:
            return self._connecting
        return self.seconds

    def check(self) -> None:
        if self._is_over:
            raise GivenUp

    def sent(self) -> None:
        if self._since is None:
            self._since = time.monotonic()
            self._watch()

    def answered(self, *, asking: bool) -> None:
        """A good answer came; `asking` where other requests are still out."""
        self._since = time.monotonic() if asking else None
        self.met = Waiting()

    @property
    def left(self) -> float:
        """Seconds until the server is given up, if it answers nobody until then."""
        if self._since is None:
            return self.allowed
        return max(0.0, self._since + self.allowed - time.monotonic())

    def waiting(self, host: str) -> Waiting | None:
        """How it is with a server, where anybody waits for it."""
        if self._since is None or not self._bounds:
            return None
        silent = time.monotonic() - self._since
        return replace(self.met, host=host, silent=silent, left=self.left)

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


# -- the gate --------------------------------------------------------------------------------------


_AT_FIRST = 8.0
_SHARE = 1 / 2
"""Requests under way before the first answer: so many, or that share of what is allowed."""
_STRAY = 4
"""Answers that a request outweighs which is turned away while others are answered."""


class Limits(Struct, frozen=True):
    """Requests at once, requests and tokens a minute, seconds that a server may answer nobody.

    `connecting` are the seconds after which a server that was never reached is given up.
    """

    concurrency: int = 8
    rpm: float | None = None
    tpm: float | None = None
    patience: float = PATIENCE
    connecting: float = CONNECTING


class Budget:
    """What may be spent a minute: a minute's worth at once, and what flows in from there on."""

    def __init__(self, per_minute: float) -> None:
        self._most = per_minute
        self._has = per_minute
        self._at = time.monotonic()

    def wait(self, amount: float) -> float:
        """Seconds until there is enough: for more than a minute's worth, until it is full."""
        self._flow()
        short = min(amount, self._most) - self._has
        return max(0.0, short * 60 / self._most)

    def spend(self, amount: float) -> None:
        """Takes it out, or puts back what is negative."""
        self._flow()
        self._has = min(self._most, self._has - amount)

    def _flow(self) -> None:
        now = time.monotonic()
        self._has = min(self._most, self._has + (now - self._at) * self._most / 60)
        self._at = now


class Slot(Struct, eq=False):
    """One request that passed: its size, what it was let through at, and whether it pauses all."""

    size: int
    tokens: float = 0.0
    round: int = 0
    answers: int = 0
    is_pausing: bool = False


class RateLimiter:
    """Lets requests through in the order they came; lives in one event loop at a time."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self.limits = limits
        self.patience = Patience(limits.patience, limits.connecting)
        self.pauses = 0
        self._requests = Budget(limits.rpm) if limits.rpm else None
        self._tokens = Budget(limits.tpm) if limits.tpm else None
        self._per_character = 0.4
        self._most = float(max(1, limits.concurrency))
        self._allowed = min(max(_AT_FIRST, self._most * _SHARE), self._most)
        self._busy = 0
        self._round = 0
        self.answers = 0
        self._until = 0.0
        self._queue: deque[tuple[Slot, asyncio.Future[None]]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._chance = random.Random()  # noqa: S311 - jitter, not a secret

    @asynccontextmanager
    async def passing(self, size: int = 0) -> AsyncIterator[Slot]:
        """Waits for its turn, for a request of so many characters; raises GivenUp."""
        self.patience.check()
        slot = Slot(size)
        await self._turn(slot)
        try:
            yield slot
        finally:
            self._busy -= 1
            self._open()

    @property
    def closed_for(self) -> float:
        """Seconds until the server wants to be asked again."""
        return max(0.0, self._until - time.monotonic())

    async def _turn(self, slot: Slot) -> None:
        place = slot, asyncio.get_running_loop().create_future()
        self._queue.append(place)
        self._open()
        try:
            await place[1]
        except asyncio.CancelledError:
            if not place[1].cancelled():
                self._busy -= 1
            elif place in self._queue:
                self._queue.remove(place)
            self._open()
            raise

    def _open(self) -> None:
        """Lets through who may pass now, and comes back when the next one may."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._queue and self._busy < int(self._allowed):
            slot, turn = self._queue[0]
            wait = self._wait(slot)
            if wait > 0:
                self._timer = asyncio.get_running_loop().call_later(wait, self._open)
                return
            self._queue.popleft()
            if not turn.done():
                self._admit(slot, turn)

    def _admit(self, slot: Slot, turn: asyncio.Future[None]) -> None:
        slot.tokens = slot.size * self._per_character
        slot.round = self._round
        slot.answers = self.answers
        if self._requests:
            self._requests.spend(1)
        if self._tokens:
            self._tokens.spend(slot.tokens)
        self._busy += 1
        self.patience.sent()
        turn.set_result(None)

    def _wait(self, slot: Slot) -> float:
        waits = [self.closed_for]
        if self._requests:
            waits.append(self._requests.wait(1))
        if self._tokens:
            waits.append(self._tokens.wait(slot.size * self._per_character))
        return max(waits)

    def is_silent(self, slot: Slot) -> bool:
        """Whether nobody had an answer since this request went through."""
        return slot.answers == self.answers

    def answered(self, slot: Slot, tokens: int | None = None) -> None:
        """An answer came, and took so many tokens."""
        self.answers += 1
        self.pauses = 0
        self.patience.answered(asking=self._busy > 1)
        self._allowed = min(self._most, self._allowed + self._step)
        if tokens is None or not slot.size:
            return
        if self._tokens:
            self._tokens.spend(tokens - slot.tokens)
        self._per_character += (tokens / slot.size - self._per_character) / 8

    @property
    def _step(self) -> float:
        """By how much one answer lets more through."""
        if self._round:
            return 1 / self._allowed
        return 1.0

    def turned_away(self) -> None:
        """The server had no room for a request, but for others."""
        self._allowed = max(1.0, self._allowed - _STRAY * self._step)

    def refused(self, slot: Slot, seconds: float) -> None:
        """The server is full: nobody asks for a while; a round of refusals halves what may pass."""
        slot.is_pausing = True
        if slot.round == self._round:
            self._round += 1
            self.pauses += 1
            self._allowed = max(1.0, min(self._allowed, self._busy) / 2)
        more = self._chance.uniform(0, seconds / 50 + min(seconds, 0.05))
        self._until = max(self._until, time.monotonic() + seconds + more)
