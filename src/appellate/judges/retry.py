"""What trouble means, how long is waited after it, and when a cell is given up."""

import random

from msgspec import Struct

from appellate.judges.completion import REDIRECTS, Trouble
from appellate.judges.rate_limiter import Slot

_FINAL = (*REDIRECTS, 401, 402, 403, 404, 407)
_RETRIED = (0, 200, 408, 409, 425, 429)
REFUSED = (400, 422)
"""Statuses of a request that the server takes for a bad one."""
_SERVER_ERROR = 500
_CHANCE = random.Random()  # noqa: S311 - jitter, not a secret
_DOUBLED = 32
_NEVER_BETTER = (501, 505)
_LIMITED = 429
_BUSY = (_LIMITED, 503, 529)
_NO_CREDIT = ("insufficient_quota", "exceeded your current quota", "billing_hard_limit")


class RetryPolicy(Struct, frozen=True):
    """Bounds on asking again about one cell.

    Attempts in all, and attempts while the server says it is busy; the first wait and the longest.
    A server that never answered anything is likely to be the wrong address and gets few attempts.
    How long a server is waited for that answers nobody is a matter of `Patience`.
    """

    attempts: int = 5
    attempts_unanswered: int = 3
    attempts_busy: int = 30
    first: float = 0.5
    longest: float = 30.0

    def wait(self, times: int) -> float:
        """Seconds to wait after so many attempts: they double with each."""
        return min(self.first * 2.0 ** min(max(0, times - 1), _DOUBLED), self.longest)


def is_final(trouble: Trouble) -> bool:
    """Whether every other cell would meet the same: no access, no such model, no credit."""
    about = f"{trouble.code} {trouble.message}".lower()
    return trouble.status in _FINAL or any(word in about for word in _NO_CREDIT)


def is_busy(trouble: Trouble) -> bool:
    """Whether the server is full."""
    return trouble.status in _BUSY or (trouble.wait is not None and is_passing(trouble))


def is_for_all(trouble: Trouble, *, silent: bool) -> bool:
    """Whether trouble concerns every request to the server, of which nobody was answered (`silent`)
    while this one was under way.
    """
    if trouble.status == _LIMITED:
        return not is_final(trouble)
    return silent and (is_busy(trouble) or trouble.unreachable)


def is_passing(trouble: Trouble) -> bool:
    """Whether the same request may succeed later."""
    if trouble.status in _NEVER_BETTER:
        return False
    return trouble.status in _RETRIED or trouble.status >= _SERVER_ERROR


class Retries:
    """The attempts at one request so far."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._attempts = 0
        self._first: Slot | None = None

    def after(self, trouble: Trouble, slot: Slot, *, answered: bool) -> float | None:
        """The seconds to wait before asking again; None where that is enough.

        `answered` where the server ever answered anything. While it answers nobody since this was
        first asked, what is the matter with the server is not held against a cell.
        """
        self._first = self._first or slot
        if is_final(trouble) or not is_passing(trouble):
            return None
        most = self._policy.attempts_unanswered
        if is_busy(trouble):
            most = self._policy.attempts_busy
        elif answered:
            most = self._policy.attempts
        excused = self._first.is_silent and (is_busy(trouble) or (trouble.unreachable and answered))
        if not excused:
            self._attempts += 1
        if self._attempts >= most:
            return None
        # give or take a quarter: workers do not march in step
        steady = self._policy.wait(self._attempts) * _CHANCE.uniform(0.75, 1.25)
        return max(trouble.wait or 0.0, steady)
