"""The dialogue about a run's steps: what a model is shown, what it may answer, what is asked again."""

import json
from functools import partial

import pytest

import dialogues
from appellate.core.kind import CANNOT_TELL, Briefing, Example, Subject
from appellate.core.trace import Trace
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge, RetryPolicy
from appellate.judges.proposal import JudgmentFailure, Question, ask
from appellate.talk.dialogue import Unreadable
from appellate.traits.steps import KIND
from appellate.traits.steps.asking import as_reply, opening
from loopback import FAULTS, Loopback, completion, in_order
from traits.steps.steps_cells import JUDGED_TABLE
from traits.steps.steps_traits import PATH, PLAIN, RUN, UNSURE

QUICK = RetryPolicy(first=0.002, longest=0.01, attempts_busy=6)
ABOUT = Subject(KIND, PATH, RUN)
Talk = partial(dialogues.Talk, PATH, kind=KIND, trace=ABOUT.trace)


def said(*steps, seen=4, outcome="failed", **more):
    """A reply of a model."""
    return json.dumps({"steps": steps, "seen": seen, "outcome": outcome, **more})


def step(no, verdict="wrong", error="unasked", rationale="It asks nobody.", instead=""):
    return {
        "step": no,
        "rationale": rationale,
        "verdict": verdict,
        "error": error,
        "instead": instead,
    }


# -- what is told -----------------------------------------------------------------------------------


def test_a_model_is_told_the_run_the_verdicts_and_which_steps_get_one():
    prompt = opening(PATH, ABOUT.trace)
    assert ABOUT.text in prompt.user
    assert (
        "4 steps of this run get a verdict, by their numbers: 3, 4, 6, 8."
        in prompt.user
    )
    assert '- "needless": no mistake, but the run does not need it' in prompt.user
    assert '- "unasked": it acted without asking first' in prompt.user
    assert prompt.user.index("[8] assistant") < prompt.user.index(
        "Each step has one of",
    )


def test_what_a_trait_has_not_is_not_asked():
    prompt = opening(PLAIN, Subject(KIND, PLAIN, RUN).trace)
    assert "get a verdict, by their numbers: 4, 6." in prompt.user
    assert "outcome" not in prompt.user
    assert "error" not in prompt.user
    assert '"verdict": "incorrect"' in prompt.user


def test_the_reference_is_shown_only_where_the_trait_says_so():
    trace = RUN.model_copy(update={"reference": "Ask which flight."})
    told = PATH.model_copy(update={"include_ground_truth": True})
    assert (
        "Ask which flight." not in opening(PATH, Subject(KIND, PATH, trace).trace).user
    )
    assert "Ask which flight." in opening(told, Subject(KIND, told, trace).trace).user


def test_an_example_shows_the_steps_around_those_that_are_not_right_and_the_reply():
    table = KIND.locate(PATH, ABOUT.trace, JUDGED_TABLE)
    briefing = Briefing(examples=(Example(ABOUT.trace, table),))
    told = opening(PATH, ABOUT.trace, briefing).user
    reply = as_reply(PATH, KIND.labels(PATH, ABOUT.trace, table))
    assert reply in told
    assert Talk(reply).table == JUDGED_TABLE


# -- what it may answer -----------------------------------------------------------------------------


def test_a_reply_names_the_steps_that_are_not_right_and_is_taken_in_their_order():
    talk = Talk(
        said(
            step(6, instead=" Which one? "),
            step(3, "Needless", "none", "Nothing new."),
        ),
    )
    assert talk.table == {
        "seen": 4,
        "steps": [
            {"step": 3, "verdict": "needless", "rationale": "Nothing new."},
            {
                "step": 6,
                "verdict": "wrong",
                "error": "unasked",
                "instead": "Which one?",
                "rationale": "It asks nobody.",
            },
        ],
        "outcome": "failed",
    }


def test_a_step_that_is_named_as_right_is_left_out():
    assert Talk(said(step(4, "right", "none"), outcome="solved")).table["steps"] == []


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (said(step(5)), "step 5 is none that gets a verdict: those are 3, 4, 6, 8"),
        (said(step(99)), "step 99 is none that gets a verdict"),
        (said(step(6), step(6)), "step 6 is there more than once"),
        (
            said(step(6, "bad")),
            'the verdict of step 6 is bad, not "right", "wrong" or "needless"',
        ),
        (
            said(step(6, error="odd")),
            'the error of step 6 is odd, not "wrong_tool" or "unasked"',
        ),
        (said(step(6, error="none")), "the error of step 6 is none"),
        (said(7), '"steps" holds 7, not an object'),
        (said(seen=3), '"seen" is 3, and 4 steps were to be looked at: 3, 4, 6, 8'),
        (said(outcome="fine"), '"outcome" is fine, not "solved" or "failed"'),
        ('{"seen": 4, "outcome": "failed"}', '"steps" is not there'),
    ],
)
def test_a_reply_that_is_no_answer_is_asked_for_again_with_what_is_wrong(reply, fault):
    talk = Talk(reply, said())
    assert fault in talk.faults[0]
    assert talk.table == {"seen": 4, "steps": [], "outcome": "failed"}


def test_after_three_such_replies_the_cell_fails():
    with pytest.raises(Unreadable, match="step 5 is none that gets a verdict"):
        Talk(said(step(5)), said(step(5)), said(step(5)))


def test_that_it_cannot_be_told_needs_a_reason_and_is_a_verdict_only_where_the_trait_has_it():
    unsure = Subject(KIND, UNSURE, RUN)
    talk = dialogues.Talk(
        UNSURE,
        said(step(6, CANNOT_TELL, "none", ""), outcome=CANNOT_TELL),
        said(step(6, CANNOT_TELL, "none", "The policy is cut."), outcome=CANNOT_TELL),
        kind=KIND,
        trace=unsure.trace,
    )
    assert '"rationale" does not say why' in talk.faults[0]
    assert talk.table["steps"][0]["verdict"] == CANNOT_TELL
    assert (
        "the verdict of step 6 is cannot tell"
        in Talk(said(step(6, CANNOT_TELL))).faults[0]
    )


def test_a_conversation_of_one_turn_is_no_run():
    bare = Trace(id="b", question="Where?", response="There.")
    one = bare.model_copy(
        update={"messages": [{"role": "assistant", "content": "There."}]},
    )
    no_calls = RUN.model_copy(
        update={"messages": [RUN.messages[1], RUN.messages[-1]] * 2},
    )
    assert KIND.lacking(PATH, RUN) == ""
    assert "no recorded conversation" in KIND.lacking(PATH, bare)
    assert "one turn alone" in KIND.lacking(PATH, one)
    assert "is of the trait's roles: calls" in KIND.lacking(PLAIN, no_calls)


# -- a server ---------------------------------------------------------------------------------------


async def asked(script):
    """What a judge at a server that follows a script says of the run, and the server."""
    async with Loopback(script) as server:
        endpoint = Endpoint("loopback", server.url, "KEY", timeout=60.0)
        judge = OpenAIJudge(endpoint, policy=QUICK, environ={"KEY": "k"})
        try:
            return await ask(judge, Question(ABOUT, ABOUT.trace, Briefing())), server
        finally:
            await judge.close()


@pytest.mark.parametrize("fault", [None, "no-schema", "no-json"])
async def test_a_server_is_asked_once_in_whatever_format_it_can(fault):
    def script(request):
        refused = FAULTS[fault](request) if fault else None
        if refused and refused.status != 200:
            return refused
        return completion(json.loads(said(step(6))))

    outcome, server = await asked(script)
    assert outcome.labels["steps"][0]["step"] == 6
    wanted = {None: "json_schema", "no-schema": "json_object", "no-json": "text"}[fault]
    assert server.asked[-1].rung == wanted
    if fault is None:
        assert len(server.asked) == 1


async def test_a_server_that_names_a_step_of_a_tool_is_asked_again_and_then_fails():
    answer = completion(json.loads(said(step(5))))
    outcome, server = await asked(lambda request: answer)
    assert isinstance(outcome, JudgmentFailure)
    assert "step 5 is none that gets a verdict" in outcome.reason
    assert len(server.asked) == 3
    better = completion(json.loads(said()))
    outcome, _ = await asked(in_order(answer, then=lambda request: better))
    assert outcome.labels == {"seen": 4, "steps": [], "outcome": "failed"}
