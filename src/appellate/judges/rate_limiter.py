"""The gate that all requests to one server pass: when it asks for patience, everyone waits.

Retries that each request decides by itself lose a third of the cells on a limited server, because
the others go on asking. Here a pause is shared, and how many may be under way is learnt: it doubles
from round to round until the server says for the first time that it is full, is halved then, and
grows by one per round of answers from there on. Who was turned away most often goes first when it
opens again.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

_AT_FIRST, _SHARE = 8.0, 1 / 4
"""Requests under way before the first answer: so many, or that share of what is allowed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one server may be asked: requests at once, requests and tokens a minute."""

    concurrency: int = 8
    rpm: float | None = None
    tpm: float | None = None


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

    def __init__(self, gate: "RateLimiter", size: int, again: int = 0) -> None:
        self.size = size
        self.again = again
        self.tokens = 0.0
        self.round = 0
        self.answers = 0
        self._gate = gate

    def answered(self, tokens: int | None = None) -> None:
        """An answer came, and took so many tokens."""
        self._gate._welcome(self, tokens)  # noqa: SLF001 - its own passage

    def refused(self, seconds: float) -> None:
        """The server is full: nobody asks it for a while."""
        self._gate._pause(self, seconds)  # noqa: SLF001 - its own passage


class RateLimiter:
    """Lets requests through in the order they came; lives in one event loop at a time."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self.limits = limits
        self._requests = Budget(limits.rpm) if limits.rpm else None
        self._tokens = Budget(limits.tpm) if limits.tpm else None
        self._per_character = 0.4
        self._most = float(max(1, limits.concurrency))
        self._allowed = min(max(_AT_FIRST, self._most * _SHARE), self._most)
        self._busy = 0
        self._round = 0
        self._answers = 0
        self._until = 0.0
        self._queue: deque[tuple[Slot, asyncio.Future[None]]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._chance = random.Random()  # noqa: S311 - jitter, not a secret

    @asynccontextmanager
    async def passing(self, size: int = 0, *, again: int = 0) -> AsyncIterator[Slot]:
        """Waits for its turn.

        Inside, one request of so many characters is under way, `again` after so many times.
        """
        slot = Slot(self, size, again)
        await self._turn(slot)
        try:
            yield slot
        finally:
            self._busy -= 1
            self._open()

    def silent_since(self, slot: Slot) -> bool:
        """Whether nobody had an answer since this request went through."""
        return slot.answers == self._answers

    @property
    def closed_for(self) -> float:
        """Seconds until the server wants to be asked again."""
        return max(0.0, self._until - time.monotonic())

    async def _turn(self, slot: Slot) -> None:
        place = slot, asyncio.get_running_loop().create_future()
        ahead = len(self._queue)
        if slot.again:
            ahead = sum(1 for other, _ in self._queue if other.again >= slot.again)
        self._queue.insert(ahead, place)
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
        slot.round, slot.answers = self._round, self._answers
        if self._requests:
            self._requests.spend(1)
        if self._tokens:
            self._tokens.spend(slot.tokens)
        self._busy += 1
        turn.set_result(None)

    def _wait(self, slot: Slot) -> float:
        waits = [self.closed_for]
        if self._requests:
            waits.append(self._requests.wait(1))
        if self._tokens:
            waits.append(self._tokens.wait(slot.size * self._per_character))
        return max(waits)

    def _welcome(self, slot: Slot, tokens: int | None) -> None:
        self._answers += 1
        more = 1.0
        if self._round:
            more = 1 / self._allowed
        self._allowed = min(self._most, self._allowed + more)
        if tokens is None or not slot.size:
            return
        if self._tokens:
            self._tokens.spend(tokens - slot.tokens)
        self._per_character += (tokens / slot.size - self._per_character) / 8

    def _pause(self, slot: Slot, seconds: float) -> None:
        """Lets nobody through for a while.

        A whole round of refusals halves only once what may pass.
        """
        if slot.round == self._round:
            self._round += 1
            self._allowed = max(1.0, min(self._allowed, self._busy) / 2)
        more = self._chance.uniform(0, seconds / 50 + min(seconds, 0.05))
        self._until = max(self._until, time.monotonic() + seconds + more)
