"""The offline judge asks the kind, whatever the kind, off the event loop."""

import threading
from dataclasses import replace

import pytest

from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.offline import Lexical
from appellate.judges.proposal import NotRecorded
from appellate.traits.metric import KIND
from cells import checklist

TRACE = Trace(id="t", response="response")


def overlap(trait, trace):
    """Knows where it was asked."""
    return {"tp": [trait.name, trace.response, threading.current_thread().name]}


def about(lexical=overlap):
    kind = replace(KIND, asked=replace(KIND.asked, lexical=lexical))
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
