"""An event loop whose time goes by as soon as everybody waits, so that no test sleeps and none is timed.

For code that waits for nothing but tasks and timers: decorate its test with `in_virtual_time`.
"""

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from functools import wraps

import pytest

TICK = 1e-6  # seconds that go by at least whenever the loop has looked for news


class Clock:
    """Seconds that go by only where somebody waits for them."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Hasty(selectors.DefaultSelector):
    """Lets the seconds that it was to wait go by on a clock."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None):
        if timeout is None:
            return super().select(None)
        ready = super().select(0)
        self._clock.now += TICK if ready else max(timeout, TICK)
        return ready


def in_virtual_time(
    test: Callable[..., Coroutine[None, None, None]],
) -> Callable[..., None]:
    """Runs an asynchronous test on a loop of its own, by a clock that `time.monotonic` tells too."""

    @wraps(test)
    def run(**fixtures) -> None:
        clock = Clock()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "monotonic", clock)
            with asyncio.Runner(
                loop_factory=lambda: asyncio.SelectorEventLoop(Hasty(clock)),
            ) as runner:
                runner.run(test(**fixtures))

    return run
