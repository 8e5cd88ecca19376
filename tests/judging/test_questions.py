import asyncio
import threading
from itertools import cycle

import pytest
from msgspec.structs import replace

from appellate.core.kind import Computed, NotComputed, Subject
from appellate.core.trace import Trace
from appellate.judges.endpoint import Endpoint
from appellate.judges.offline import Computing, Recorded
from appellate.judges.openai import OpenAIJudge, RetryPolicy
from appellate.judges.proposal import (
    ALIKE_IN_A_ROW,
    FINAL_IN_A_ROW,
    JudgeRecord,
    JudgmentFailed,
    JudgmentFailure,
    NoLabels,
    Proposal,
    Question,
    answer_all,
)
from appellate.judges.rate_limiter import Limits, RateLimiter
from appellate.traits.metric import KIND
from appellate.traits.metric.spec import MetricRubricTrait
from kind_examples import varied
from loopback import FAULTS, Answer, Loopback, completion, error, in_order, truthful
from virtual_time import in_virtual_time

QUICK = RetryPolicy(first=0.002, longest=0.01)
GENE = Subject(
    KIND,
    MetricRubricTrait(name="x", metrics=["f1"], tp_instructions=["a gene"]),
    Trace(id="t"),
)


def questions(count, **trace):
    return [
        Question(
            GENE,
            Trace(id=str(n), response=f"It is a gene, {n}.", **trace),
            cell=n,
        )
        for n in range(1, count + 1)
    ]


class Inbox(dict):
    """What arrived, by cell."""

    async def __call__(self, result):
        assert result.cell not in self
        self[result.cell] = result.outcome

    @property
    def failed(self):
        return [
            cell
            for cell, outcome in self.items()
            if isinstance(outcome, JudgmentFailure)
        ]


class Scripted:
    """A judge that does what a function of the cell's id says."""

    name = "scripted"

    def __init__(self, act):
        self.act = act
        self.asked = []

    async def judge(self, question):
        self.asked.append(question.trace.id)
        await self.act(int(question.trace.id))
        return Proposal({}, JudgeRecord(self.name))

    async def close(self):
        pass


async def at_once(cell):
    pass


@pytest.mark.parametrize("concurrency", [1, 4, 50])
async def test_every_cell_arrives_once(concurrency):
    inbox = Inbox()
    await answer_all(Scripted(at_once), questions(20), concurrency, inbox)
    assert sorted(inbox) == list(range(1, 21))
    assert not inbox.failed


@in_virtual_time
async def test_cells_are_drawn_only_as_workers_become_free():
    drawn, gate = [], asyncio.Event()

    def source():
        for question in questions(1000):
            drawn.append(question)
            yield question

    async def wait(cell):
        await gate.wait()

    task = asyncio.create_task(answer_all(Scripted(wait), source(), 3, Inbox()))
    await asyncio.sleep(1)
    assert len(drawn) == 3
    gate.set()
    await task


async def test_a_failing_cell_never_stops_the_others():
    async def act(cell):
        if cell % 3 == 0:
            raise JudgmentFailed("no")

    inbox = Inbox()
    await answer_all(Scripted(act), questions(10), 2, inbox)
    assert inbox.failed == [3, 6, 9]
    assert len(inbox) == 10


async def test_cells_without_recorded_labels_are_told_apart():
    recorded = [
        *questions(2),
        *(
            Question(GENE, Trace(id="r", judgments={"x": {"tp": []}}), cell=n)
            for n in (3, 4)
        ),
    ]
    inbox = Inbox()
    await answer_all(Recorded(), recorded, 2, inbox)
    assert [
        cell for cell, outcome in sorted(inbox.items()) if isinstance(outcome, NoLabels)
    ] == [
        1,
        2,
    ]
    assert not inbox.failed


async def test_what_is_computed_needs_no_judge_and_a_cell_that_cannot_be_fails_alone():
    def compute(trait, trace):
        assert threading.current_thread() is not threading.main_thread()
        if trace.id == "2":
            raise NotComputed("It takes too long.")
        return {"tp": [trace.id]}

    kind = varied(
        KIND,
        asked=None,
        computed=Computed("counting", compute, lambda *_: True),
    )
    inbox = Inbox()
    of_kind = [
        replace(
            question,
            subject=replace(question.subject, kind=kind, asked=question.trace),
        )
        for question in questions(3)
    ]
    await answer_all(Computing(), of_kind, 2, inbox)
    assert inbox == {
        1: Proposal({"tp": ["1"]}, JudgeRecord("counting")),
        2: JudgmentFailure("It takes too long.", record=JudgeRecord("counting")),
        3: Proposal({"tp": ["3"]}, JudgeRecord("counting")),
    }


async def test_labels_that_came_with_a_trace_stand_for_what_would_be_computed_till_it_is_judged_again():
    kind = varied(
        KIND,
        asked=None,
        computed=Computed(
            "counting",
            lambda trait, trace: {"tp": ["computed"]},
            lambda *_: True,
        ),
    )
    (question,) = questions(1)
    brought = question.trace.model_copy(
        update={"judgments": {question.subject.trait.name: {"tp": ["brought"]}}},
    )
    first = replace(
        question,
        trace=brought,
        subject=replace(question.subject, kind=kind, asked=brought),
    )
    inbox = Inbox()
    await answer_all(Computing(), [first, replace(first, cell=2, round=2)], 1, inbox)
    brought, computed = (outcome.labels for outcome in inbox.values())
    located = question.subject.kind.locate(
        question.subject.trait,
        question.trace,
        {"tp": ["brought"]},
    )
    assert (brought, computed) == (located, {"tp": ["computed"]})
    assert [outcome.record.name for outcome in inbox.values()] == [
        "recorded",
        "counting",
    ]


async def test_what_would_fail_every_cell_fails_the_rest_without_asking():
    async def act(cell):
        raise JudgmentFailed("wrong key", final=True)

    judge, inbox = Scripted(act), Inbox()
    await answer_all(judge, questions(500), 2, inbox)
    assert len(inbox.failed) == 500
    assert len(judge.asked) <= FINAL_IN_A_ROW + 1
    assert {outcome.reason for outcome in inbox.values()} == {"wrong key"}


async def test_cells_that_nobody_was_asked_about_cost_nothing():
    took = JudgeRecord(
        "m",
        "m",
        tokens_in=10,
        cost=0.5,
        members=[{"name": "m", "cost": 0.5}],
    )

    async def act(cell):
        raise JudgmentFailed("no credit", record=took, final=True)

    inbox = Inbox()
    await answer_all(Scripted(act), questions(FINAL_IN_A_ROW + 2), 1, inbox)
    assert [inbox[cell].record for cell in inbox][FINAL_IN_A_ROW - 1 :] == [
        took,
        *[JudgeRecord("m", "m")] * 2,
    ]


async def test_final_failures_between_answers_fail_nobody_else():
    async def act(cell):
        if cell % 2:
            raise JudgmentFailed("odd", final=True)

    inbox = Inbox()
    await answer_all(Scripted(act), questions(20), 1, inbox)
    assert len(inbox.failed) == 10


async def test_after_many_failures_alike_the_rest_is_not_asked_and_says_so():
    async def act(cell):
        raise JudgmentFailed("It wrote no JSON.", general=True, requests=5)

    judge, inbox = Scripted(act), Inbox()
    await answer_all(judge, questions(100), 4, inbox)
    assert len(inbox.failed) == 100
    assert len(judge.asked) <= ALIKE_IN_A_ROW + 4
    assert inbox[1].full_reason == "It wrote no JSON. 5 requests were sent."
    same = "Not asked, since 10 cells in a row failed for the same reason: It wrote no JSON."
    why = f"{same} Judging again starts with the cells that were not asked about."
    assert inbox[100].full_reason == why


@pytest.mark.parametrize(
    "reasons",
    [["no JSON", "no such field"], ["no JSON"] * 9 + [""]],
)
async def test_failures_that_differ_or_stand_between_judged_cells_fail_nobody_else(
    reasons,
):
    why = cycle(reasons)

    async def act(cell):
        reason = next(why)
        if reason:
            raise JudgmentFailed(reason, general=True)

    judge = Scripted(act)
    await answer_all(judge, questions(100), 1, Inbox())
    assert len(judge.asked) == 100


@in_virtual_time
async def test_an_answer_comes_with_the_time_it_took():
    async def act(cell):
        await asyncio.sleep(3600)

    results = []

    async def arrived(result):
        results.append(result)

    await answer_all(Scripted(act), questions(2), 2, arrived)
    assert [result.seconds for result in results] == pytest.approx([3600, 3600])


@in_virtual_time
async def test_cancelling_keeps_what_arrived_and_reports_nothing_else():
    async def act(cell):
        if cell > 5:
            await asyncio.Event().wait()

    inbox = Inbox()
    task = asyncio.create_task(answer_all(Scripted(act), questions(100), 3, inbox))
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(inbox) == [1, 2, 3, 4, 5]


async def test_an_error_of_the_receiver_ends_the_run_and_is_raised_as_it_is():
    async def arrived(result):
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        await answer_all(Scripted(at_once), questions(100), 4, arrived)


async def test_a_run_that_never_waits_leaves_room_for_others():
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    await answer_all(Scripted(at_once), questions(200), 1, Inbox())
    ticking.cancel()
    assert ticks >= 100


# -- with the real server -------------------------------------------------------------------------


async def run(script, count=12, concurrency=4, *, workers=0, patience=60.0, **wishes):
    inbox = Inbox()
    async with Loopback(script) as server:
        limiter = RateLimiter(Limits(concurrency, patience=patience))
        endpoint = Endpoint("m", server.url, **wishes)
        judge = OpenAIJudge(endpoint, policy=QUICK, environ={}, limiter=limiter)
        await answer_all(judge, questions(count), workers or concurrency, inbox)
        await judge.close()
    return inbox, server


PASSING = [
    "half",
    "garbage",
    "empty-object",
    "broken",
    "missing-instruction",
    "drop",
    "prose",
    "nothing",
    "half-cut",
]


async def test_a_server_that_stumbles_once_at_every_cell_loses_none():
    stumbles, seen = cycle(FAULTS[name] for name in PASSING), set()

    def script(asked):
        cell = asked.user.partition("<response")[2].partition("</response")[0]
        new = cell not in seen
        seen.add(cell)
        return next(stumbles)(asked) if new else truthful(asked)

    inbox, _ = await run(script, count=2 * len(PASSING))
    assert (len(inbox), inbox.failed) == (2 * len(PASSING), [])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (error(429, "Slow down."), "it answered 429: Slow down."),
        (error(503, "Overloaded."), "it answered 503: Overloaded."),
        (error(529, "Overloaded."), "it answered 529: Overloaded."),
        (Answer("", delay=3600), "it stayed silent"),
        (Answer("", dropped=True), "it gave no answer: "),
    ],
    ids=["429", "503", "529", "silence", "resets"],
)
async def test_a_server_that_answers_nobody_is_given_up_and_the_rest_is_not_asked(
    answer,
    told,
):
    inbox, server = await run(
        in_order(*[truthful] * 4, then=lambda _: answer),
        57,
        patience=0.4,
    )
    assert len(inbox) == 57
    assert 53 <= len(inbox.failed) < 57
    reason = inbox[57].full_reason
    assert "gave no good answer within --patience 0.4s: " in reason
    assert told in reason
    in_vain = [asked for asked in server.asked if asked.n > 4]
    assert len({asked.user for asked in in_vain}) <= 8


async def test_a_server_that_finds_every_request_too_long_is_not_called_silent():
    words = "This model's maximum context length is 8192 tokens."
    too_long = Answer(error(400, words).body, 400, delay=0.05)
    inbox, _ = await run(
        lambda _: too_long,
        30,
        concurrency=1,
        patience=0.4,
    )
    assert len(inbox.failed) == 30
    for cell in inbox.failed:
        assert "The request is too long" in inbox[cell].full_reason


async def test_a_server_in_trouble_for_less_than_patience_loses_no_cell():
    inbox, _ = await run(
        in_order(truthful, *[error(503, "Slow down.")] * 31),
        concurrency=1,
    )
    assert (len(inbox), inbox.failed) == (12, [])


@pytest.mark.parametrize("said", ["Tomorrow.", "Tomorrow"])
async def test_one_that_asks_for_an_hour_holds_up_nobody_else(said):
    tomorrow = error(429, said, {"Retry-After": "3600"})
    inbox, _ = await run(in_order(truthful, truthful, tomorrow), 57)
    (failed,) = inbox.failed
    assert (len(inbox), inbox[failed].final) == (57, True)
    assert (
        "asks to wait 3600 s: Tomorrow. That is longer than what is left of --patience 1m"
        in (inbox[failed].reason)
    )


@pytest.mark.slow
async def test_a_cell_that_the_server_never_has_room_for_fails_alone():
    def script(asked):
        return (
            error(503, "Overloaded.") if "gene, 3." in asked.user else truthful(asked)
        )

    for concurrency in (1, 4):
        inbox, server = await run(script, 200, concurrency, workers=2 * concurrency)
        assert inbox.failed == [3]
        assert inbox[3].requests == len(server.asked) - 199


async def test_a_server_that_answers_prose_is_asked_about_few_cells():
    inbox, server = await run(FAULTS["prose"], 100)
    assert len(inbox.failed) == 100
    assert len({asked.user.partition("It was")[0] for asked in server.asked}) < 60
    assert (
        "Not asked, since 10 cells in a row failed for the same reason: "
        in inbox[100].reason
    )


def runs_on(asked):
    """A model that repeats an excerpt until its tokens are used up, three letters each."""
    begun = '{"tp_answers": {"1": {"rationale": "", "excerpts": ["'
    return completion(begun + "so " * asked.room, "length")


async def test_a_model_that_runs_on_is_asked_once_a_cell_and_about_few_cells():
    inbox, server = await run(runs_on, 57)
    assert len(inbox.failed) == 57
    assert len(server.asked) < 20
    assert inbox[57].reason.startswith(
        "Not asked, since 10 cells in a row failed for the same reason: The model",
    )


async def test_a_model_whose_thoughts_never_end_is_asked_about_few_cells():
    inbox, server = await run(lambda asked: completion("<think>So", "length"), 57)
    assert len(inbox.failed) == 57
    assert len({asked.user.partition("It was")[0] for asked in server.asked}) < 20


async def test_a_token_limit_of_the_users_that_cuts_every_reply_is_met_by_few_cells():
    inbox, server = await run(runs_on, 57, params={"max_tokens": 300})
    assert len(inbox.failed) == 57
    assert len(server.asked) < 20
