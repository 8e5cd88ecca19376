"""The judge works in chambers: in a thread with an event loop of its own, and hands out what is done.

So a judge that computes, or waits, holds up neither a screen nor a disk.
"""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress

from appellate.judges.judge import Judge
from appellate.judging.jobs import Job, JobResult, do_jobs
from appellate.judging.outbox import Outbox, broken


class Chambers(Outbox):
    """One run of a judge: started, listened to, ended."""

    def __init__(self, judge: Judge, jobs: Callable[[], AsyncGenerator[Job, None]], concurrency: int) -> None:
        """`asks` is called in the thread of the judge, so that it opens there what it reads from."""
        super().__init__()
        self._judge = judge
        self._asks = jobs
        self._concurrency = concurrency
        self._thread = threading.Thread(target=self._work, name="judge", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._stopped = False

    # -- for the listener -------------------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()

    def take(self, most: int) -> list[JobResult]:
        taken = super().take(most)
        self._in_chambers(self._room.set)
        return taken

    def stop(self) -> None:
        """Ends what is under way; `news` goes on until everything was taken."""
        self._stopped = True
        if self._task is not None:
            self._in_chambers(self._task.cancel)

    def ended(self) -> list[JobResult]:
        """Stops the judge, waits for its thread and takes the rest."""
        self.stop()
        if self._thread.ident is not None:
            self._thread.join()
        return self.rest()

    def _in_chambers(self, act: Callable[[], object]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(act)

    # -- in the thread ----------------------------------------------------------------------------

    def _work(self) -> None:
        error = ""
        try:
            with suppress(asyncio.CancelledError):
                asyncio.run(self._assigned())
        except BaseException as wrong:  # noqa: BLE001 - the listener raises it
            error = broken(wrong)
        self.end(error)

    async def _assigned(self) -> None:
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        try:
            if not self._stopped:
                async with aclosing(self._counted()) as jobs:
                    await do_jobs(self._judge, jobs, self._concurrency, self._arrived)
        finally:
            await self._judge.close()

    async def _counted(self) -> AsyncGenerator[Job, None]:
        async with aclosing(self._asks()) as jobs:
            async for job in jobs:
                self.drawn += 1
                yield job

    async def _arrived(self, arrival: JobResult) -> None:
        self.put(arrival)
        while self.is_full:
            self._room.clear()
            await self._room.wait()
