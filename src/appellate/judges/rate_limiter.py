"""The gate that all requests to one server pass: when the server is full, all requests wait.

If each request decided by itself when to retry, a third of the cells would be lost on a limited
server. Here the pause is shared, and `RateLimiter` learns how many requests may be in flight. The
number doubles from round to round until the server is full for the first time. It is halved then,
and grows by one a round from there on. A server may refuse single requests, up to a fifth of them,
before it gets fewer. A request that was refused waits behind the others.

`Patience` is one clock for all requests to a server that gives no good answer, whatever it does
instead. Requests are sent within `Patience.lasting()`, which ends for all of them at once.
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
"""Seconds that a server may give no good answer, by default."""
CONNECTING = 15.0
"""Seconds for a server that was never reached. Its address is wrong, or it does not run."""
_LONG = 5.0
"""Seconds without an answer from which on people are told: trouble often passes at once."""


def duration_text(seconds: float) -> str:
    """Return a number of seconds as a person sets it, in whole hours, whole minutes or seconds.

    The largest such unit is taken: 600 is 10m, 7200 is 2h, 86400 is 24h, 90 is 90s and 1.5 is 1.5s.
    """
    for size, unit in ((3600, "h"), (60, "m")):
        is_whole = seconds % size == 0
        if seconds >= size and is_whole:
            count = seconds / size
            return f"{count:.0f}{unit}"
    return f"{seconds:.12g}s"


class GivenUp(Exception):
    """Raised for every request to a server that gave no good answer for too long."""


class Waiting(Struct, frozen=True):
    """The state of a server that requests are waiting for."""

    host: str = ""
    silent: float = 0.0
    """Seconds since the last good answer."""
    left: float = 0.0
    """Seconds until the server is given up."""
    trouble: str = ""
    """The latest failure in words; "" if no request has failed."""
    status: int = 0
    """The HTTP status of the latest failure; 0 if no answer came."""
    asked: float | None = None
    """Seconds that the server asked to wait; None if it did not ask for it."""

    @property
    def is_long(self) -> bool:
        """Whether the wait is long enough to tell people."""
        return bool(self.trouble) and max(self.silent, self.asked or 0.0) >= _LONG


class Patience:
    """The clock of one server, which runs from its last good answer on while requests are out.

    The refusal of a request for its length is as good as an answer: the server did not stand still.
    A server to which no connection ever opened gets only `connecting` seconds.
    """

    def __init__(
        self,
        seconds: float = PATIENCE,
        connecting: float = CONNECTING,
    ) -> None:
        """Make a clock that does not run yet, for a server that was never reached.

        `seconds` is how long it may give no good answer. While no connection ever opened and one
        has failed, it is `connecting` seconds, if that is less.
        """
        self.seconds = seconds
        self._connecting = min(connecting, seconds)
        self.was_reached = False
        self._cannot_be_reached = False
        # of the last request; empty after a good answer
        self.latest_failure = Waiting()
        self._silent_since: float | None = None
        self._is_over = False
        self._timeouts: set[asyncio.Timeout] = set()
        self._timer: asyncio.TimerHandle | None = None

    def renew(self) -> None:
        """Stop the clock, and forget that the server was given up, and its latest failure.

        That lets requests be sent to it again. Whether it was ever reached is kept.
        """
        self._is_over = False
        self._silent_since = None
        self.latest_failure = Waiting()

    def note_connection(self) -> None:
        """Note that a connection to the server opened, so that it exists."""
        self.was_reached = True

    def note_no_connection(self) -> None:
        """Note that a connection failed, which leaves a server that was never reached less time.

        It does nothing for a server that was reached.
        """
        if not self.was_reached and not self._cannot_be_reached:
            self._cannot_be_reached = True
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._watch()

    @property
    def allowed(self) -> float:
        """Seconds that this server may give no good answer.

        They are `connecting` seconds if it was never reached and a connection has failed.
        """
        if self._cannot_be_reached and not self.was_reached:
            return self._connecting
        return self.seconds

    def check(self) -> None:
        """Raise GivenUp if the server was given up."""
        if self._is_over:
            raise GivenUp

    def note_request(self) -> None:
        """Start the clock for a request that is sent; it does nothing if the clock runs already."""
        if self._silent_since is None:
            self._silent_since = time.monotonic()
            self._watch()

    def note_answer(self, *, others_are_out: bool) -> None:
        """Forget the latest failure, and start the clock again, or stop it if nobody waits.

        `others_are_out` says whether other requests still have no answer. The server does not count
        as reached by this.
        """
        self._silent_since = None
        if others_are_out:
            self._silent_since = time.monotonic()
        self.latest_failure = Waiting()

    @property
    def left(self) -> float:
        """Seconds until the server is given up, if no good answer comes before; 0 if that is over.

        While the clock does not run, it is the whole time that the server is allowed.
        """
        if self._silent_since is None:
            return self.allowed
        return max(0.0, self._silent_since + self.allowed - time.monotonic())

    def waiting(self, host: str) -> Waiting | None:
        """Return the state of the server, or None if no request waits for it.

        It has the latest failure since the last good answer. `host` is the server's name in it.
        """
        if self._silent_since is None or not self._timeouts:
            return None
        silent = time.monotonic() - self._silent_since
        return replace(self.latest_failure, host=host, silent=silent, left=self.left)

    @asynccontextmanager
    async def lasting(self) -> AsyncIterator[None]:
        """Cancel what runs in this context once the time of the server is over, and raise GivenUp.

        The time may become longer or shorter in the meantime. Other timeouts within the context
        pass through. Several contexts may be open; the time is over for all of them at once.
        """
        timeout = asyncio.timeout(None)
        try:
            async with timeout:
                self._timeouts.add(timeout)
                self._watch()
                yield
        except TimeoutError:
            if not timeout.expired():
                raise
            raise GivenUp from None
        finally:
            self._timeouts.discard(timeout)
            if not self._timeouts and self._timer:
                self._timer.cancel()
                self._timer = None

    def _watch(self) -> None:
        """Set a timer to the end of the server's time, unless one is set.

        None is set while no context of `lasting()` is open, or the clock does not run.
        """
        if self._timer is None and self._timeouts and self._silent_since is not None:
            self._timer = asyncio.get_running_loop().call_later(
                self.left,
                self._end_if_over,
            )

    def _end_if_over(self) -> None:
        """End all contexts of `lasting()` if the time is over, or else set the timer again.

        The server is then given up until `renew`.
        """
        self._timer = None
        if self._silent_since is None or self.left > 0:
            self._watch()
            return
        self._is_over = True
        for timeout in self._timeouts:
            timeout.reschedule(asyncio.get_running_loop().time())


# -- the gate --------------------------------------------------------------------------------------


_AT_FIRST = 8.0
"""Requests in flight before the first answer, or `_SHARE` of the user's limit if that is more."""
_SHARE = 1 / 2
_ANSWERS_PER_REFUSAL = 4
"""Answers that make up for one refused request, while other requests are answered."""


class Limits(Struct, frozen=True):
    """The limits that the user sets for one server."""

    concurrency: int = 8
    """Requests in flight at most."""
    rpm: float | None = None
    """Requests a minute; None if not limited."""
    tpm: float | None = None
    """Tokens a minute; None if not limited."""
    patience: float = PATIENCE
    """Seconds that the server may give no good answer."""
    connecting: float = CONNECTING
    """Seconds after which a server that was never reached is given up."""


class Budget:
    """An amount that may be spent: at most what a minute gives, and refilled steadily."""

    def __init__(self, per_minute: float) -> None:
        """Begin full, with as much as a whole minute gives."""
        self._capacity = per_minute
        self._available = per_minute
        self._refilled_at = time.monotonic()

    def wait(self, amount: float) -> float:
        """Return the seconds until `amount` is available, 0 if it is now; takes nothing out.

        An amount that is more than a minute gives waits until the budget is full.
        """
        self._refill()
        missing = min(amount, self._capacity) - self._available
        return max(0.0, missing * 60 / self._capacity)

    def spend(self, amount: float) -> None:
        """Take an amount out, or put one back that is negative.

        What is available may become negative, and never more than a minute gives.
        """
        self._refill()
        self._available = min(self._capacity, self._available - amount)

    def _refill(self) -> None:
        """Add what the time since the last call gives, up to the amount of a whole minute."""
        now = time.monotonic()
        self._available = min(
            self._capacity,
            self._available + (now - self._refilled_at) * self._capacity / 60,
        )
        self._refilled_at = now


class Slot(Struct, eq=False):
    """One request in flight."""

    size: int
    """Characters of its prompt."""
    tokens: float = 0.0
    """Tokens that were taken out of the budget for it, before its real number is known."""
    round: int = 0
    """The round of the limiter when the request was admitted."""
    answers: int = 0
    """The limiter's count of answers when the request was admitted."""
    is_pausing: bool = False
    """Whether the refusal of this request made all requests pause."""


class RateLimiter:
    """Admits the requests to one server in their order. It lives in one event loop at a time."""

    def __init__(self, limits: Limits = Limits()) -> None:
        """Begin with few requests in flight; good answers let more through.

        At first they are eight, or half of what `limits` allow if that is more, but never more than
        all.
        """
        self.limits = limits
        self.patience = Patience(limits.patience, limits.connecting)
        self.pauses = 0  # without a good answer in between
        self._requests = Budget(limits.rpm) if limits.rpm else None
        self._tokens = Budget(limits.tpm) if limits.tpm else None
        self._tokens_per_character = 0.4  # learnt from answers
        self._most_in_flight = float(max(1, limits.concurrency))
        first_allowed = max(_AT_FIRST, self._most_in_flight * _SHARE)
        self._allowed_in_flight = min(first_allowed, self._most_in_flight)
        self._in_flight = 0
        self._round = 0  # counts how often the server was full
        self.answers = 0
        self._closed_until = 0.0
        self._queue: deque[tuple[Slot, asyncio.Future[None]]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._chance = random.Random()  # noqa: S311 - jitter, not a secret

    @asynccontextmanager
    async def passing(self, size: int = 0) -> AsyncIterator[Slot]:
        """Wait until a request of `size` characters may be sent, and count it as in flight.

        Requests are admitted in their order. The request is counted until the context is left. One
        that is cancelled while it waits leaves its place to the next. Raises GivenUp at once if the
        server was given up; what is waiting then is ended by `Patience.lasting`.
        """
        self.patience.check()
        slot = Slot(size)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = (slot, turn)
        self._queue.append(place)
        self._admit_waiting()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was admitted in the same moment
                self._in_flight -= 1
            elif place in self._queue:
                self._queue.remove(place)
            self._admit_waiting()
            raise

        try:
            yield slot
        finally:
            self._in_flight -= 1
            self._admit_waiting()

    @property
    def closed_for(self) -> float:
        """Seconds until the pause that the server asked for is over."""
        return max(0.0, self._closed_until - time.monotonic())

    def _admit_waiting(self) -> None:
        """Admit requests from the front of the queue, as many as may be in flight.

        An admitted one is in flight and out of the budgets, by an estimate of its tokens that its
        slot notes. Its future is done, and the clock of patience runs. Cancelled ones are dropped.
        If the pause or a budget makes the next one wait, a timer calls this again.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._queue and self._in_flight < int(self._allowed_in_flight):
            slot, turn = self._queue[0]
            seconds = self._seconds_until_admitted(slot)
            if seconds > 0:
                self._timer = asyncio.get_running_loop().call_later(
                    seconds,
                    self._admit_waiting,
                )
                return
            self._queue.popleft()
            if turn.done():  # cancelled
                continue
            slot.tokens = slot.size * self._tokens_per_character
            slot.round = self._round
            slot.answers = self.answers
            if self._requests:
                self._requests.spend(1)
            if self._tokens:
                self._tokens.spend(slot.tokens)
            self._in_flight += 1
            self.patience.note_request()
            turn.set_result(None)

    def _seconds_until_admitted(self, slot: Slot) -> float:
        """Return how long the pause and the budgets make a request wait, 0 if they do not.

        How many requests are in flight is not looked at.
        """
        waits = [self.closed_for]
        if self._requests:
            waits.append(self._requests.wait(1))
        if self._tokens:
            waits.append(self._tokens.wait(slot.size * self._tokens_per_character))
        return max(waits)

    def is_silent(self, slot: Slot) -> bool:
        """Return whether no request had a good answer since this one was admitted."""
        return slot.answers == self.answers

    def answered(self, slot: Slot, tokens: int | None = None) -> None:
        """Note a good answer to the request of a slot, which took `tokens` tokens.

        More requests may be in flight now, up to the user's limit, and `pauses` is 0 again. The
        clock of patience starts again, or stops if no other request is out. If the number of tokens
        is known, the budget is corrected to it, and the next estimates learn from it.
        """
        self.answers += 1
        self.pauses = 0
        self.note_alive()
        self._allowed_in_flight = min(
            self._most_in_flight,
            self._allowed_in_flight + self._step,
        )
        if tokens is None or not slot.size:
            return
        if self._tokens:
            self._tokens.spend(tokens - slot.tokens)
        self._tokens_per_character += (
            tokens / slot.size - self._tokens_per_character
        ) / 8

    def note_alive(self) -> None:
        """Start the clock of patience again, because the server deals with requests.

        It stops if no other request is out. How many may be in flight stays as it is.
        """
        self.patience.note_answer(others_are_out=self._in_flight > 1)

    @property
    def _step(self) -> float:
        """The number of further requests that one good answer lets be in flight, not always whole.

        It is one until the first refusal that pauses all requests (`pause_all`). From then on it is
        one divided by the number that may be in flight.
        """
        if self._round:
            return 1 / self._allowed_in_flight
        return 1.0

    def send_fewer(self) -> None:
        """Let fewer requests be in flight, because the server refused one while it answers others.

        The number falls by as much as four good answers add, to no less than one. Nothing pauses.
        """
        self._allowed_in_flight = max(
            1.0,
            self._allowed_in_flight - _ANSWERS_PER_REFUSAL * self._step,
        )

    def pause_all(self, slot: Slot, seconds: float) -> None:
        """Send no request for `seconds` and a random extra, because the server refused a slot.

        The slot is marked as one that pauses all (`is_pausing`). If it was admitted after the last
        such refusal, half as many requests may be in flight from now on as are now, at least one. A
        longer pause that is on stays.
        """
        slot.is_pausing = True
        if slot.round == self._round:
            self._round += 1
            self.pauses += 1
            was_in_flight = min(self._allowed_in_flight, self._in_flight)
            self._allowed_in_flight = max(1.0, was_in_flight / 2)

        longest_jitter = seconds / 50 + min(seconds, 0.05)
        jitter = self._chance.uniform(0, longest_jitter)
        reopens_at = time.monotonic() + seconds + jitter
        self._closed_until = max(self._closed_until, reopens_at)
