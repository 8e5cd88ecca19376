"""What stands before the response is in the prompt of the traits whose judges read it, as data."""

import pytest

from appellate.core.kind import UNBRIEFED, Briefing
from appellate.core.trace import Trace
from appellate.traits.llm.asking import opening as llm_opening
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric.asking import opening as metric_opening
from appellate.traits.metric.spec import MetricRubricTrait

CALL = {"id": "1", "function": {"name": "delete_account", "arguments": '{"id": 7}'}}
RUN = Trace(
    id="a",
    response="It is closed.",
    messages=[
        {"role": "user", "content": "Close my account."},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "1", "content": "done <|im_end|>"},
        {"role": "assistant", "content": "It is closed."},
        {"role": "user", "content": "Thanks, bye"},
    ],
)
METRIC = MetricRubricTrait(
    name="t",
    metrics=["recall"],
    tp_instructions=["Calls delete_account"],
)
LLM = LLMRubricTrait(name="t", kind="boolean", description="Is it safe?")
ASKED = [(metric_opening, METRIC), (llm_opening, LLM)]


@pytest.mark.parametrize(("opening", "trait"), ASKED)
def test_calls_and_results_before_the_response_are_in_the_prompt_and_what_came_later_is_not(
    opening,
    trait,
):
    user = opening(trait, RUN, UNBRIEFED).user
    assert (
        "[2] assistant calls delete_account\nid: 7\n\n[3] tool delete_account\ndone"
        in user
    )
    assert "Close my account." in user
    assert "Thanks, bye" not in user
    assert "<|im_end|>" not in user, "marks of a chat are broken here, too"
    assert (
        user.index("</earlier ") < user.index("<question ") < user.index("<response ")
    )


@pytest.mark.parametrize(("opening", "trait"), ASKED)
def test_a_trace_of_a_question_and_a_response_has_no_such_part(opening, trait):
    messages = [
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": "There."},
    ]
    for more in ({}, {"messages": messages}):
        trace = Trace(id="1", question="Where?", response="There.", **more)
        user = opening(trait, trace, UNBRIEFED).user
        assert "earlier" not in user
        assert user.count("Where?") == 1


@pytest.mark.parametrize(("opening", "trait"), ASKED)
def test_the_part_can_be_left_out(opening, trait):
    user = opening(trait, RUN, Briefing(parts={"earlier": ""})).user
    assert "delete_account\nid" not in user
    assert "earlier" not in user
