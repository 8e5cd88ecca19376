"""Judges that send nothing: word overlap, and labels that came with the traces."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from appellate.core.kind import Asked

if TYPE_CHECKING:
    from appellate.judges.proposal import Proposal, Question

Result = TypeVar("Result")
_RECORD = ("parameters", "prompt_sha256", "tokens_in", "tokens_out", "cost", "latency")
"""Keys of a recorded table that tell how it was made."""


class Lexical:
    """Proposes labels by word overlap, compared in a thread that nobody has to wait for."""

    name = "lexical"

    async def judge(self, question: "Question") -> "Proposal":
        """The labels that comparing words leads to; raises NotRecorded for a kind without these."""
        from appellate.judges.proposal import JudgeRecord, NotRecorded, Proposal

        subject, source = question.subject, question.subject.source
        if not isinstance(source, Asked) or source.lexical is None:
            wrong = f"Word overlap proposes nothing for a {subject.kind.name} trait"
            raise NotRecorded(f"{wrong}: it takes a model.")
        started = time.monotonic()
        labels = await aside(partial(source.lexical, subject.trait, question.trace))
        took = round(time.monotonic() - started, 3)
        return Proposal(labels, JudgeRecord(self.name, latency=took))

    async def close(self) -> None:
        """Holds nothing."""


class Recorded:
    """Proposes `trace.judgments`, with what it says about the model behind them."""

    name = "recorded"

    async def judge(self, question: "Question") -> "Proposal":
        """The same as `proposed`."""
        return self.proposed(question)

    def proposed(self, question: "Question") -> "Proposal":
        """What the trace brought for the cell's trait; raises NotRecorded where that is nothing."""
        from appellate.judges.proposal import JudgeRecord, NotRecorded, Proposal

        subject, trace = question.subject, question.trace
        trait = subject.trait.name
        table = trace.judgments.get(trait)
        if table is None:
            raise NotRecorded(f"Trace {trace.id} brought no labels for {trait}.")
        known = {key: table[key] for key in _RECORD if key in table}
        record = JudgeRecord(self.name, model=table.get("model") or table.get("name"), **known)
        labels = (*subject.kind.label_keys, "items")
        return Proposal({key: table[key] for key in labels if key in table}, record)

    async def close(self) -> None:
        """Holds nothing."""


async def aside(work: Callable[[], Result]) -> Result:
    """What comes of work in a thread that holds up no end: neither the loop's nor the program's."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Result] = loop.create_future()

    def settle(settled: Callable[[Any], None], value: Any) -> None:
        if not result.done():
            settled(value)

    def run() -> None:
        try:
            done = partial(settle, result.set_result, work())
        except Exception as error:  # noqa: BLE001 - raised where it is awaited
            done = partial(settle, result.set_exception, error)
        with suppress(RuntimeError):  # the loop is closed: nobody wants to know
            loop.call_soon_threadsafe(done)

    Thread(target=run, name="beside the loop", daemon=True).start()
    return await result
