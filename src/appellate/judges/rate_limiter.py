"""The gate that all requests to one server pass: when it asks for patience, everyone waits.

Retries that each request decides by itself lose a third of the cells on a limited server, because
the others go on asking. Here a pause is shared, and how many may be under way is learnt: it doubles
from round to round until the server says for the first time that it is full, is halved then, and
grows by one per round of answers from there on. Where a server turns single requests away while it
answers others, each takes back what four answers gave: it may turn away a fifth before it is asked
less. Who was turned away waits behind the others, so that no request holds them up for ever.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct

from appellate.judges.patience import PATIENCE, Patience

_AT_FIRST, _SHARE = 8.0, 1 / 2
"""Requests under way before the first answer: so many, or that share of what is allowed."""
_STRAY = 4
"""Answers that a request outweighs which is turned away while others are answered."""


class Limits(Struct, frozen=True):
    """How much one server may be asked: requests at once, requests and tokens a minute.

    `patience` are the seconds that it may answer nobody.
    """

    concurrency: int = 8
    rpm: float | None = None
    tpm: float | None = None
    patience: float = PATIENCE


class Budget:
    """What may be spent a minute: a minute's worth at once, and what flows in from there on."""

    def __init__(self, per_minute: float) -> None:
        self._most = per_minute
        self._has = per_minute
        self._at = time.monotonic()

    def wait(self, amount: float) -> float:
        """Seconds until there is enough.

        What is more than a minute's worth needs only a full budget.
        """
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


class Slot:
    """One request on the far side of the gate: it tells how it fared."""

    def __init__(self, gate: "RateLimiter", size: int) -> None:
        self.size = size
        self.tokens = 0.0
        self.round = 0
        self.answers = 0
        self.is_pausing = False
        self._gate = gate

    @property
    def is_silent(self) -> bool:
        """Whether nobody had an answer since this request went through."""
        return self.answers == self._gate.answers

    def answered(self, tokens: int | None = None) -> None:
        """An answer came, and took so many tokens."""
        self._gate._welcome(self, tokens)  # noqa: SLF001 - its own passage

    def refused(self, seconds: float) -> None:
        """The server is full: nobody asks it for a while."""
        self.is_pausing = True
        self._gate._pause(self, seconds)  # noqa: SLF001 - its own passage

    def turned_away(self) -> None:
        """The server had no room for this request, but for others."""
        self._gate._shrink()  # noqa: SLF001 - its own passage


class RateLimiter:
    """Lets requests through in the order they came; lives in one event loop at a time."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self.limits = limits
        self.patience = Patience(limits.patience)
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
        """Waits for its turn; inside, one request of so many characters is under way.

        Raises GivenUp where the server is given up already.
        """
        self.patience.check()
        slot = Slot(self, size)
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
        slot.round, slot.answers = self._round, self.answers
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

    def _welcome(self, slot: Slot, tokens: int | None) -> None:
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

    def _shrink(self) -> None:
        self._allowed = max(1.0, self._allowed - _STRAY * self._step)

    def _pause(self, slot: Slot, seconds: float) -> None:
        """Lets nobody through for a while.

        A whole round of refusals halves only once what may pass.
        """
        if slot.round == self._round:
            self._round += 1
            self.pauses += 1
            self._allowed = max(1.0, min(self._allowed, self._busy) / 2)
        more = self._chance.uniform(0, seconds / 50 + min(seconds, 0.05))
        self._until = max(self._until, time.monotonic() + seconds + more)
