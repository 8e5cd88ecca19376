"""Judges that send nothing: word overlap, labels that came with the traces, and computing."""

import asyncio
import time
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from appellate.core.kind import Asked, Code, CodeSession, Computed, NotComputed, Trait

if TYPE_CHECKING:
    from appellate.judges.proposal import Proposal, Question

Result = TypeVar("Result")
_RECORD = ("parameters", "prompt_sha256", "tokens_in", "tokens_out", "cost", "latency")
"""Keys of a recorded table that tell how it was made."""


class Lexical:
    """Proposes labels by word overlap, compared in a thread that nobody has to wait for."""

    name = "lexical"

    async def judge(self, question: "Question") -> "Proposal":
        """The labels that comparing words leads to; raises NotRecorded for a kind without these,
        and JudgmentFailed where the trace lacks what its trait asks for.
        """
        from appellate.judges.proposal import JudgeRecord, JudgmentFailed, NotRecorded, Proposal

        subject, source = question.subject, question.subject.source
        if not isinstance(source, Asked) or source.lexical is None:
            wrong = f"Word overlap proposes nothing for a {subject.kind.name} trait"
            raise NotRecorded(f"{wrong}: it takes a model.")
        if question.lacking:
            raise JudgmentFailed(question.lacking, record=JudgeRecord(self.name))
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
        return self.proposed(question)

    def proposed(self, question: "Question") -> "Proposal":
        """What the trace brought for the cell's trait; raises NotRecorded where that is nothing."""
        from appellate.judges.proposal import JudgeRecord, NotRecorded, Proposal

        subject = question.subject
        trace = question.trace
        trait = subject.trait.name
        table = trace.judgments.get(trait)
        if table is None:
            code = code_of(subject.source, subject.trait)
            if code:
                raise NotRecorded(f"{code} runs only with --allow-code.")
            raise NotRecorded(f"Trace {trace.id} brought no labels for {trait}.")
        known = {key: table[key] for key in _RECORD if key in table}
        record = JudgeRecord(self.name, model=table.get("model") or table.get("name"), **known)
        labels = (*subject.kind.label_keys, "items")
        return Proposal({key: table[key] for key in labels if key in table}, record)

    async def close(self) -> None:
        """Holds nothing."""


class Computing:
    """Computes labels in a thread; in the first round those that a trace brought go first.

    The code of other people is looked for in `folders`, and loaded anew by each such judge.
    """

    name = "computing"

    def __init__(self, folders: Sequence[str] = ()) -> None:
        self._folders = folders
        self._sessions: dict[Code[Any], CodeSession[Any]] = {}

    async def judge(self, question: "Question") -> "Proposal":
        """The labels; raises JudgmentFailed where they cannot be computed."""
        from appellate.judges.proposal import JudgeRecord, JudgmentFailed, Proposal

        subject, trace, source = question.subject, question.trace, question.subject.source
        assert isinstance(source, Computed)  # noqa: S101 - it is asked about no other
        compute = source.compute
        if source.runs:
            if source.runs not in self._sessions:
                self._sessions[source.runs] = source.runs.begin(self._folders)
            compute = self._sessions[source.runs].compute

        def computed() -> Proposal:
            if question.round == 1 and subject.trait.name in trace.judgments:
                proposal = Recorded().proposed(question)
                # located here: a pattern may take its time
                labels = subject.kind.locate(subject.trait, trace, proposal.labels)
                return Proposal(dict(labels), proposal.record)
            record = JudgeRecord(source.name)
            try:
                return Proposal(compute(subject.trait, trace), record)
            except NotComputed as why:
                raise JudgmentFailed(str(why), record=record) from why

        return await aside(computed)

    async def close(self) -> None:
        """Ends the code of other people, also in the midst of a computation."""
        for session in self._sessions.values():
            session.close()


def code_of(source: Asked[Any] | Computed[Any], trait: Trait) -> str:
    """The code of other people that a trait has run; nothing where it has none."""
    if isinstance(source, Computed) and source.runs is not None:
        return source.runs.name(trait)
    return ""


async def aside(work: Callable[[], Result]) -> Result:
    """What comes of work in a thread that holds up neither loop nor exit, as a `Thread` would."""
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

    start_new_thread(run, ())
    return await result
