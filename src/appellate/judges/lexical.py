"""The judge that needs no network: it asks the trait's kind for labels by word overlap."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from appellate.core.briefing import UNBRIEFED, Briefing
from appellate.core.kind import Asked, Subject
from appellate.core.trace import Trace
from appellate.judges.judge import JudgeRecord, NotRecorded, Proposal


class Lexical:
    """Proposes labels by word overlap, one cell at a time in a thread of its own."""

    name = "lexical"

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "lexical")

    async def judge(self, subject: Subject, trace: Trace, briefing: Briefing = UNBRIEFED) -> Proposal:  # noqa: ARG002
        started = time.monotonic()
        source = subject.kind.source
        if not isinstance(source, Asked) or source.lexical is None:
            wrong = f"Word overlap proposes nothing for a {subject.kind.name} trait"
            raise NotRecorded(f"{wrong}: it takes a model.")
        work = partial(source.lexical, subject.trait, trace)
        labels = await asyncio.get_running_loop().run_in_executor(self._thread, work)
        return Proposal(labels, JudgeRecord(self.name, latency=round(time.monotonic() - started, 3)))

    async def close(self) -> None:
        """Gives the thread back; another run gets a new one."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._thread = ThreadPoolExecutor(1, "lexical")
