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


_KNOWN = ("parameters", "prompt_sha256", "tokens_in", "tokens_out", "cost", "latency")


class Recorded:
    """Proposes `trace.judgments`, with what it says about the model behind them."""

    name = "recorded"

    async def judge(self, subject: Subject, trace: Trace, briefing: Briefing = UNBRIEFED) -> Proposal:  # noqa: ARG002
        return self.proposal(subject, trace)

    def proposal(self, subject: Subject, trace: Trace) -> Proposal:
        """What the trace brought for the cell's trait; raises NotRecorded where that is nothing."""
        name = subject.trait.name
        table = trace.judgments.get(name)
        if table is None:
            raise NotRecorded(f"Trace {trace.id} brought no labels for {name}.")
        known = {key: table[key] for key in _KNOWN if key in table}
        record = JudgeRecord(self.name, model=table.get("model") or table.get("name"), **known)
        labels = {key: table[key] for key in (*subject.kind.label_keys, "items") if key in table}
        return Proposal(labels, record)

    async def close(self) -> None:
        """Holds nothing."""
