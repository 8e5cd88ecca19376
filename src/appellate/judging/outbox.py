"""What a judge at work elsewhere has answered, for the loop of whoever listens."""

import asyncio
from collections import deque
from contextlib import suppress
from pathlib import Path
from traceback import extract_tb

from appellate.judging.jobs import JobResult

UNTAKEN = 64
"""Answers that may wait to be taken before the judge waits too."""


class BrokenDown(Exception):
    """The judge ended by an error of its own; a sentence."""


def broken(error: BaseException) -> str:
    """What broke and where, without what it broke on, unless that can be nobody's text: a file, or our own words."""
    if isinstance(error, OSError | ImportError) or type(error).__module__.startswith("appellate."):
        return f"{type(error).__name__}: {error}"
    frames = extract_tb(error.__traceback__)
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return type(error).__name__ + where


class Outbox:
    """Filled from another thread, emptied in the loop that made it; nothing in it is lost by stopping."""

    def __init__(self) -> None:
        self.drawn = self._done = 0
        self.is_over = False
        self._error = ""
        self._answers: deque[JobResult] = deque()
        self._listener = asyncio.get_running_loop()
        self._news = asyncio.Event()

    # -- for the listener -------------------------------------------------------------------------

    @property
    def under_way(self) -> int:
        """How many cells are being asked about."""
        return self.drawn - self._done

    async def news(self, within: float) -> bool:
        """Waits for an answer, or so many seconds; False where the run is over and everything was taken."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._news.wait()
        return bool(self._answers) or not self.is_over

    def take(self, most: int) -> list[JobResult]:
        """What arrived, in its order."""
        self._news.clear()
        taken = [self._answers.popleft() for _ in range(min(most, len(self._answers)))]
        if self._answers or self.is_over:
            self._news.set()
        return taken

    def rest(self) -> list[JobResult]:
        """All that is left to take."""
        return self.take(len(self._answers))

    def check(self) -> None:
        """Raises BrokenDown where the judge did not end as it should."""
        if self._error:
            raise BrokenDown(f"The judge broke down ({self._error}).")

    # -- for the judge ----------------------------------------------------------------------------

    @property
    def is_full(self) -> bool:
        return len(self._answers) >= UNTAKEN

    def put(self, *results: JobResult) -> None:
        self._done += len(results)
        self._answers.extend(results)
        self._tell()

    def end(self, error: str = "") -> None:
        """Nothing more will come; `error` says why, where it should have."""
        self._error, self.is_over = error, True
        self._tell()

    def _tell(self) -> None:
        with suppress(RuntimeError):  # nobody listens any more
            self._listener.call_soon_threadsafe(self._news.set)
