"""Judges that send nothing: word overlap, labels that came with the traces, and computing.

`judging` asks them as it asks models. What is imported late is loaded by the first question, since
a screen without a judge starts sooner without it.
"""

import asyncio
import time
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from appellate.core.describe import LEXICAL
from appellate.core.kind import Asked, Code, CodeSession, Computed, NotComputed, Trait

if TYPE_CHECKING:
    from appellate.judges.proposal import Proposal, Question

Result = TypeVar("Result")
_RECORD = ("parameters", "prompt_sha256", "tokens_in", "tokens_out", "cost", "latency")
"""Keys of a recorded table that say how its labels were made."""


class Lexical:
    """Proposes labels by word overlap, which is compared in a thread."""

    def __init__(self, share: float | None = None) -> None:
        """Prepare to judge by word overlap; `share` (above 0, up to 1) of the words must be found.

        With None each kind takes a share of its own. The judge's name is "lexical", and
        "lexical:0.5" for a share of 0.5.
        """
        self.share = share
        self.name = LEXICAL if share is None else f"{LEXICAL}:{share:g}"

    async def judge(self, question: "Question") -> "Proposal":
        """Return the labels that word overlap leads to, with how long it took; no model is asked.

        The words are compared in a thread. Raises NotRecorded for a trait that words cannot judge:
        for some kinds it takes a model, and a computed trait has no judge. Raises JudgmentFailed
        where the trace lacks what its trait needs.
        """
        from appellate.judges.proposal import (
            JudgeRecord,
            JudgmentFailed,
            NotRecorded,
            Proposal,
        )

        subject = question.subject
        source = subject.source
        if not isinstance(source, Asked) or source.lexical is None:
            problem = f"Word overlap cannot judge a {subject.kind.name} trait"
            raise NotRecorded(f"{problem}: it takes a model.")
        if question.lacking:
            raise JudgmentFailed(question.lacking, record=JudgeRecord(self.name))

        started = time.monotonic()
        labels = await in_thread(
            partial(source.lexical, subject.trait, question.trace, self.share),
        )
        took = round(time.monotonic() - started, 3)
        return Proposal(labels, JudgeRecord(self.name, latency=took))

    async def close(self) -> None:
        """Do nothing: this judge holds neither connections nor threads."""


class Recorded:
    """Proposes the labels in `trace.judgments`, with what they say about the model behind them."""

    name = "recorded"

    async def judge(self, question: "Question") -> "Proposal":
        """Return the labels that the trace brought; raises NotRecorded if it brought none."""
        return self.proposed(question)

    def proposed(self, question: "Question") -> "Proposal":
        """Return the labels that the trace brought for the trait, and how they were made.

        The labels are those of the trace's table as they stand there: neither checked nor located
        in the response. The judge is "recorded". The model, tokens, cost and the like are those of
        the table, or None if it does not say. Raises NotRecorded if the trace brought no table for
        the trait: the message asks for --allow-code if other people's code computes the trait.
        """
        from appellate.judges.proposal import JudgeRecord, NotRecorded, Proposal

        subject = question.subject
        trace = question.trace
        trait_name = subject.trait.name
        table = trace.judgments.get(trait_name)
        if table is None:
            code = code_of(subject.source, subject.trait)
            if code:
                raise NotRecorded(f"{code} runs only with --allow-code.")
            raise NotRecorded(f"Trace {trace.id} came without labels for {trait_name}.")

        how_made = {key: table[key] for key in _RECORD if key in table}
        model = table.get("model") or table.get("name")
        record = JudgeRecord(self.name, model=model, **how_made)
        label_keys = [*subject.kind.label_keys, "items"]
        labels = {key: table[key] for key in label_keys if key in table}
        return Proposal(labels, record)

    async def close(self) -> None:
        """Do nothing: this judge holds neither connections nor threads."""


class Computing:
    """Computes labels in a thread. In the first round labels that a trace brought come before that.

    Code of other people is searched in `folders`, and each `Computing` loads it again.
    """

    name = "computing"

    def __init__(self, folders: Sequence[str] = ()) -> None:
        """Prepare to compute, without any code loaded; modules are searched in `folders` first."""
        self._folders = folders
        self._sessions: dict[Code[Any], CodeSession[Any]] = {}

    async def judge(self, question: "Question") -> "Proposal":
        """Return the labels that a rule or other people's code computes for a cell, in a thread.

        If the trace brought labels for the trait, the first round returns these instead, with the
        offsets of their excerpts. The cell's trait must be computed. Other people's code is loaded
        by the first cell that needs it and stays loaded until `close`. Raises JudgmentFailed where
        the labels cannot be computed, or the code was closed.
        """
        from appellate.judges.proposal import JudgeRecord, JudgmentFailed, Proposal

        subject = question.subject
        trace = question.trace
        source = subject.source
        assert isinstance(source, Computed)  # noqa: S101 - it is asked about no other

        compute = source.compute
        if source.runs:
            if source.runs not in self._sessions:
                self._sessions[source.runs] = source.runs.begin(self._folders)
            compute = self._sessions[source.runs].compute

        def compute_labels() -> Proposal:
            """Return the labels that the trace brought, in the first round, or else computed ones.

            It is called in a thread. Labels that the trace brought get the offsets of their
            excerpts. Raises JudgmentFailed where labels cannot be computed.
            """
            if question.round == 1 and subject.trait.name in trace.judgments:
                proposal = Recorded().proposed(question)
                # located in this thread, since a slow pattern would hold up the screen
                labels = subject.kind.locate(subject.trait, trace, proposal.labels)
                return Proposal(dict(labels), proposal.record)
            record = JudgeRecord(source.name)
            try:
                return Proposal(compute(subject.trait, trace), record)
            except NotComputed as why:
                raise JudgmentFailed(str(why), record=record) from why

        return await in_thread(compute_labels)

    async def close(self) -> None:
        """End the code of other people at once, even during a computation, for good.

        A computation that is running, or begins later, fails by JudgmentFailed. Rules are computed
        as before.
        """
        for session in self._sessions.values():
            session.close()


def code_of(source: Asked[Any] | Computed[Any], trait: Trait) -> str:
    """Return the name of the other people's code that computes a trait, or "" if none does.

    `source` is where the trait's labels come from. A trait that a judge is asked about runs no such
    code, and neither does a rule of our own.
    """
    if isinstance(source, Computed) and source.runs is not None:
        return source.runs.name(trait)
    return ""


async def in_thread(work: Callable[[], Result]) -> Result:
    """Run `work` in a new thread, and return its result or raise its exception.

    StopIteration and SystemExit are raised as RuntimeError. The event loop goes on in the meantime.
    If the call is cancelled, the thread goes on and its result is lost. A thread that still works
    does not delay the end of the process.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Result] = loop.create_future()

    def settle(set_outcome: Callable[[Any], None], value: Any) -> None:
        """Give the awaited future its result or exception, unless it is done or was cancelled.

        `set_outcome` is the future's set_result or set_exception, and `value` is what it is called
        with.
        """
        if not result.done():
            set_outcome(value)

    def run() -> None:
        """Do the work in the thread, and hand its result or its exception over to the event loop.

        Nothing is raised. If the loop is closed by then, the outcome is lost.
        """
        try:
            callback = partial(settle, result.set_result, work())
        except (StopIteration, SystemExit) as error:
            # a future cannot hold the first, and the second would end the event loop
            failure = RuntimeError(f"The work of a thread raised {error!r}.")
            failure.__cause__ = error
            callback = partial(settle, result.set_exception, failure)
        except Exception as error:  # noqa: BLE001 - raised where it is awaited
            callback = partial(settle, result.set_exception, error)
        with suppress(RuntimeError):  # the loop is closed: nobody awaits the result
            loop.call_soon_threadsafe(callback)

    start_new_thread(run, ())
    return await result
