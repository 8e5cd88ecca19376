"""The offline judge asks the kind, whatever the kind, off the event loop."""

import asyncio
import threading

import pytest
from msgspec.structs import replace

from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.offline import Lexical
from appellate.judges.proposal import NotRecorded
from appellate.traits.metric import KIND
from cells import checklist
from kind_examples import varied

TRACE = Trace(id="t", response="response")


def overlap(trait, trace):
    """Knows where it was asked."""
    return {"tp": [trait.name, trace.response, threading.current_thread().name]}


def about(lexical=overlap):
    kind = varied(KIND, asked=replace(KIND.asked, lexical=lexical))
    return Subject(kind, checklist(name="trait"), TRACE), TRACE


async def test_the_kind_is_asked_in_a_thread():
    proposal = await Lexical().judge(*about())
    assert proposal.record.name == "lexical"
    assert proposal.record.latency >= 0
    (trait, response, thread) = proposal.labels["tp"]
    assert (trait, response) == ("trait", "response")
    assert thread != threading.current_thread().name


async def test_a_kind_that_words_say_nothing_of_is_left_to_a_model():
    with pytest.raises(NotRecorded, match="it takes a model"):
        await Lexical().judge(*about(lexical=None))


async def test_what_nobody_wants_any_more_holds_up_no_end():
    begun, go_on, threads = threading.Event(), threading.Event(), []

    def endless(_, __):
        threads.append(threading.current_thread())
        begun.set()
        go_on.wait()
        return {}

    asked = asyncio.create_task(Lexical().judge(*about(lexical=endless)))
    await asyncio.to_thread(begun.wait)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert threads[0].is_alive()
    assert threads[0].daemon
    go_on.set()
    threads[0].join()


async def test_an_error_of_a_comparison_is_raised_to_whoever_asked():
    def broken(_, __):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await Lexical().judge(*about(lexical=broken))
