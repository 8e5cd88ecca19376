"""Runs of agents as requests: what those about one run share, and results that are shortened."""

import re

import pytest

from appellate.core.kind import UNBRIEFED, Briefing, Subject
from appellate.core.messages import TOOL
from appellate.core.trace import Trace
from appellate.core.transcript import shortened, transcript
from appellate.interop import recognise
from appellate.judging.estimate import PlacedPrompt, shared_prefixes
from appellate.traits.kinds import kinds
from appellate.traits.llm import KIND
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric.spec import MetricRubricTrait

RUNS = (
    *("tau_bench/airline_native.jsonl", "tau_bench/airline.json"),
    *("swe_agent/marshmallow.traj", "swe_agent/function_calling_simple.traj"),
)
TRAITS = [
    LLMRubricTrait(
        name=name,
        kind="boolean",
        description=f"{name}, before each change.",
        reads="conversation",
        include_ground_truth=name == "Keeps to the policy",
    )
    for name in ("Asks the user", "Keeps to the policy", "Says what was done")
]
TRAIT_FIRST = Briefing(
    {"conversation_order": "$trait\n\n$examples\n\n$material\n\n$reminder"},
)


def traces_of(shared, name):
    found = recognise.read([shared / "data/agents" / name]).traces()
    return [Trace.model_validate(trace.record) for trace in found]


def prompt(trait, trace, briefing=UNBRIEFED, kind=KIND):
    subject = Subject(kind, trait, trace)
    return next(subject.dialogue(subject.trace, briefing))


def shares(traces, briefing=UNBRIEFED):
    prompts = []
    for trace in traces:
        for trait in TRAITS:
            prompts.append(
                PlacedPrompt(prompt(trait, trace, briefing), trait.name, trace.key),
            )
    return shared_prefixes(prompts)


RUN = Trace(
    id="run",
    messages=[
        {"role": "user", "content": "Book it."},
        {"role": "tool", "name": "look", "content": "x" * 500},
        {"role": "assistant", "content": "It is booked."},
    ],
    response="It is booked.",
    reference="booked",
)


@pytest.mark.parametrize("listed", [False, True])
def test_traits_that_read_one_run_begin_alike_up_to_the_end_of_it(listed):
    first, second = (
        MetricRubricTrait(
            name=name,
            metrics=["recall"],
            tp_instructions=[name],
            reads="conversation",
        )
        for name in ("Asks first", "Says the price")
    )
    one, other = (
        prompt(trait, RUN, kind=kinds()["metric"]).form(as_lists=listed).user
        for trait in (first, second)
    )
    end = one.index("</conversation ")
    assert one[: end + 16] == other[: end + 16]
    assert one.index("Asks first") > end
    assert "</reference " in one[end : one.index("Asks first")]


def test_a_trait_that_is_shown_the_reference_begins_like_one_that_is_not():
    asks, keeps, _ = TRAITS
    one, other = prompt(asks, RUN).user, prompt(keeps, RUN).user
    end = one.index("</conversation ")
    assert one[:end] == other[:end]
    assert "<reference " in other


def test_a_trait_that_reads_the_response_still_begins_with_what_it_asks():
    plain = TRAITS[0].model_copy(update={"reads": "response"})
    user = prompt(plain, RUN).user
    assert user.index('The criterion is "Asks the user"') < user.index("<response ")


def test_another_order_of_conversations_may_be_given():
    user = prompt(TRAITS[0], RUN, TRAIT_FIRST).user
    assert user.index('The criterion is "Asks the user"') < user.index("<conversation ")


def test_three_traits_over_the_runs_of_a_file_share_most_of_what_is_sent(shared):
    traces = traces_of(shared, "tau_bench/airline_native.jsonl")
    before, now = shares(traces, TRAIT_FIRST), shares(traces)
    assert before.total < 0.2
    assert before.traces == 0
    assert now.traces > 0.5
    assert now.total > 0.6


# -- long results ----------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [0, 200, 2000])
@pytest.mark.parametrize("name", RUNS)
def test_in_real_runs_results_alone_are_shortened_and_each_says_by_how_much(
    shared,
    name,
    most,
):
    for trace in traces_of(shared, name):
        whole, read = transcript(trace), transcript(trace, longest_result=most)
        assert read.response == whole.response
        for step, full in zip(read.steps, whole.steps, strict=True):
            words = full.turn.text
            if full.turn.role != TOOL:
                assert (
                    read.text[step.start : step.end]
                    == whole.text[full.start : full.end]
                )
                continue
            assert step.turn.text == shortened(words, most)
            said = re.search(
                r"^\(([\d,]+) characters? left out\)$",
                step.turn.text,
                re.MULTILINE,
            )
            if len(words) > most:
                assert int(said[1].replace(",", "")) == len(words) - most


def test_a_request_about_a_long_run_is_much_shorter_with_shortened_results(shared):
    (trace,) = traces_of(shared, "swe_agent/marshmallow.traj")
    whole = TRAITS[0]
    short = whole.model_copy(update={"longest_result": 400})
    assert prompt(short, trace).octets < 0.7 * prompt(whole, trace).octets
    text = Subject(KIND, short, trace).text
    assert "characters left out)" in text
    assert text in prompt(short, trace).user
    assert "characters left out)" not in Subject(KIND, whole, trace).text
