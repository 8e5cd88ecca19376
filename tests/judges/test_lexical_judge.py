"""The offline judge asks the kind, whatever the kind, off the event loop."""

import threading

from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.lexical import Lexical


class Overlap:
    """A kind that knows where it was asked."""

    name = "overlap"

    def lexical(self, trait, response):
        return {"tp": [trait, response, threading.current_thread().name]}


async def test_the_kind_is_asked_in_a_thread_of_the_judges_own():
    judge = Lexical()
    proposal = await judge.judge(Subject(Overlap(), "trait", "response"), Trace(id="t", response="response"))
    await judge.close()
    assert proposal.record.name == "lexical"
    assert proposal.record.latency >= 0
    assert proposal.labels == {"tp": ["trait", "response", "lexical_0"]}


async def test_it_may_be_asked_again_after_a_run_has_closed_it():
    judge, about = Lexical(), (Subject(Overlap(), "trait", "response"), Trace(id="t", response="response"))
    first = await judge.judge(*about)
    await judge.close()
    assert (await judge.judge(*about)).labels == first.labels
    await judge.close()
