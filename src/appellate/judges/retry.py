"""How long a server is waited for, and when a cell is given up."""

import random
from dataclasses import dataclass

from appellate.judges.completion import REDIRECTS, Trouble

_FINAL = (*REDIRECTS, 401, 402, 403, 404, 407)
_RETRIED = (0, 200, 408, 409, 425, 429)
_SERVER_ERROR = 500
_NEVER_BETTER = (501, 505)
_BUSY = (429, 503, 529)
_NO_CREDIT = ("insufficient_quota", "exceeded your current quota", "billing_hard_limit")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds on asking again.

    Attempts in all, attempts while the server says it is busy, seconds of waiting.

    A server that never answered anything is likely to be the wrong address and gets few attempts.
    """

    attempts: int = 5
    attempts_unanswered: int = 3
    attempts_busy: int = 30
    seconds: float = 600.0
    first: float = 0.5
    longest: float = 30.0


def is_final(trouble: Trouble) -> bool:
    """Whether every other cell would meet the same: no access, no such model, no credit."""
    about = f"{trouble.code} {trouble.said}".lower()
    return trouble.status in _FINAL or any(word in about for word in _NO_CREDIT)


def is_busy(trouble: Trouble) -> bool:
    """Whether the server is full, which concerns every request to it."""
    return trouble.status in _BUSY or (trouble.wait is not None and is_passing(trouble))


def is_passing(trouble: Trouble) -> bool:
    """Whether the same request may succeed later."""
    if trouble.status in _NEVER_BETTER:
        return False
    return trouble.status in _RETRIED or trouble.status >= _SERVER_ERROR


class Retries:
    """The waits of one request so far."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._chance = random.Random()  # noqa: S311 - jitter, not a secret
        self.attempts = 0
        self._waited = 0.0

    def after(self, trouble: Trouble, *, answered: bool) -> float | None:
        """The seconds to wait before asking again; None where that is enough."""
        self.attempts += 1
        most = self._policy.attempts_unanswered
        if is_busy(trouble):
            most = self._policy.attempts_busy
        elif answered:
            most = self._policy.attempts
        if is_final(trouble) or not is_passing(trouble) or self.attempts >= most:
            return None
        # doubles with each attempt, give or take a quarter: workers do not march in step
        steady = min(self._policy.first * 2.0 ** (self.attempts - 1), self._policy.longest)
        wait = max(trouble.wait or 0.0, steady * self._chance.uniform(0.75, 1.25))
        self._waited += wait
        if self._waited > self._policy.seconds:
            return None
        return wait
