"""Judges that send nothing: word overlap in a thread, and labels that came with the traces."""

import asyncio
import sys
import threading

import pytest
from msgspec.structs import replace

from appellate.core.describe import asking_cost
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.offline import Lexical, Recorded, in_thread
from appellate.judges.proposal import NotRecorded, Question
from appellate.traits.metric import KIND
from appellate.traits.metric.spec import MetricRubricTrait
from cells import checklist
from kind_examples import varied

TRACE = Trace(id="t", response="response")


def overlap(trait, trace, share):
    """Knows where it was asked."""
    return {
        "tp": [trait.name, trace.response, threading.current_thread().name],
        "fp": [share],
    }


def about(lexical=overlap):
    kind = varied(KIND, asked=replace(KIND.asked, lexical=lexical))
    return Subject(kind, checklist(name="trait"), TRACE), TRACE


async def test_the_kind_is_asked_in_a_thread():
    proposal = await Lexical().judge(Question(*about()))
    assert proposal.record.name == "lexical"
    assert proposal.record.latency >= 0
    (trait, response, thread) = proposal.labels["tp"]
    assert (trait, response) == ("trait", "response")
    assert thread != threading.current_thread().name


async def test_a_share_of_words_is_in_the_name_and_what_the_kind_is_asked_with():
    proposal = await Lexical(0.5).judge(Question(*about()))
    assert (proposal.record.name, proposal.labels["fp"]) == ("lexical:0.5", [0.5])
    assert (await Lexical().judge(Question(*about()))).labels["fp"] == [None]
    assert asking_cost(proposal.record.to_file()) == 0


async def test_a_kind_that_words_say_nothing_of_is_left_to_a_model():
    with pytest.raises(NotRecorded, match="it takes a model"):
        await Lexical().judge(Question(*about(lexical=None)))


async def test_what_nobody_wants_any_more_holds_up_no_end():
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def endless(*_):
        assert threading.current_thread().daemon
        begun.set()
        go_on.wait()
        done.set()
        return {}

    asked = asyncio.create_task(Lexical().judge(Question(*about(lexical=endless))))
    await asyncio.to_thread(begun.wait)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert not done.is_set()
    go_on.set()
    await asyncio.to_thread(done.wait)


async def test_an_error_of_a_comparison_is_raised_to_whoever_asked():
    def broken(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await Lexical().judge(Question(*about(lexical=broken)))


# -- recorded --------------------------------------------------------------------------------------


X = Subject(
    KIND,
    MetricRubricTrait(name="x", metrics=["f1"], tp_instructions=["a"]),
    Trace(id="t"),
)
LABELS = {
    "tp": ["a"],
    "fn": [],
    "fp": ["b"],
    "tn": ["c"],
    "items": [{"bucket": "tp", "index": 0}],
}


def trace(**table):
    return Trace(id="t", judgments={"x": table})


async def test_the_labels_that_came_with_the_trace_are_proposed():
    proposal = await Recorded().judge(Question(X, trace(**LABELS)))
    assert proposal.labels == LABELS
    assert proposal.record.to_file() == {"name": "recorded"}


async def test_lists_that_were_not_given_are_left_out():
    assert (await Recorded().judge(Question(X, trace(tp=["a"])))).labels == {
        "tp": ["a"],
    }


async def test_what_is_known_of_the_model_is_kept():
    record = (
        await Recorded().judge(
            Question(X, trace(name="gpt-5-mini", tokens_in=7, **LABELS)),
        )
    ).record
    assert record.to_file() == {
        "name": "recorded",
        "model": "gpt-5-mini",
        "tokens_in": 7,
    }


async def test_where_the_labels_stood_in_an_audit_is_no_part_of_the_record():
    proposal = await Recorded().judge(
        Question(
            X,
            trace(
                n=1,
                at="2026-01-01T00:00:00Z",
                parameters={"temperature": 0},
                **LABELS,
            ),
        ),
    )
    assert proposal.record.to_file() == {
        "name": "recorded",
        "parameters": {"temperature": 0},
    }
    assert proposal.labels == LABELS


async def test_a_trace_without_labels_for_the_trait_is_not_judged():
    with pytest.raises(NotRecorded, match="Trace t came without labels for x"):
        await Recorded().judge(Question(X, Trace(id="t")))


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (lambda: next(iter(())), RuntimeError),
        (sys.exit, RuntimeError),
        ([].pop, IndexError),
    ],
)
async def test_whatever_the_work_of_a_thread_raises_is_raised(work, expected):
    with pytest.raises(expected):
        await asyncio.wait_for(in_thread(work), 10)
