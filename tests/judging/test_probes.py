"""A judge is probed against a real server: what it is asked otherwise, and what becomes of answers."""

import asyncio
from contextlib import suppress

import pytest

from appellate.core.deciding import Correct, Draw
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.judges.offline import Lexical
from appellate.judges.proposal import JudgeRecord, Proposal
from appellate.judging.choice import JudgeChoice, choose
from appellate.judging.probes import (
    PADDING,
    PROBES,
    NotProbed,
    PlainAnswers,
    ProbeRun,
    ProbeTerms,
    plain_answers,
)
from appellate.traits.grounding.spec import GroundingRubricTrait
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.regex.spec import RegexRubricTrait
from cells import EXPECTED, RESPONSE, bench, checklist, matrix, rubric, trace
from conversations import MESSAGES, RUN
from conversations import rubric as run_rubric
from loopback import (
    FAULTS,
    Answer,
    Loopback,
    altered,
    completion,
    reply_to,
    shaped,
    truthful,
)

TRACES = [trace(f"t{n}", f"{RESPONSE} Case {n}.") for n in range(8)]
WARNS = LLMRubricTrait(
    name="Warns",
    kind="boolean",
    description="Does it speak of cancer?",
)
TERMS = ProbeTerms()
STARS = LLMRubricTrait(name="Stars", kind="score", description="How clear is it?")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with bench(tmp_path, *TRACES, of=rubric(matrix(), llm_traits=[WARNS, STARS])) as at:
        yield at


def run(desk, server=None, *, traces=8, terms=TERMS, repeat_no=1, **given):
    if server:
        given = {"model": ["m"], "base_url": server.url, **given}
    choice = choose(given, desk.workspace.meta, workspace=desk.workspace.path)
    return ProbeRun(
        desk.workspace,
        choice,
        traces=traces,
        terms=terms,
        repeat_no=repeat_no,
    )


async def came(probing, *names):
    return [
        one
        async for one in probing.results(
            [PROBES[name] for name in names],
            lambda *_: None,
        )
    ]


class ClosingSlowly(Lexical):
    """A judge that is closed in some turns of the event loop."""

    def __init__(self):
        super().__init__()
        self.closing = asyncio.Event()
        self.closed = False

    async def close(self):
        self.closing.set()
        for _ in range(5):
            await asyncio.sleep(0)
        self.closed = True


async def test_a_stop_while_the_judge_closes_waits_until_it_saved_its_replies(desk):
    judge = ClosingSlowly()
    probing = ProbeRun(
        desk.workspace,
        JudgeChoice("slow", judge),
        traces=8,
        terms=TERMS,
        repeat_no=1,
    )
    asking = asyncio.create_task(came(probing, "padding"))
    await judge.closing.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert judge.closed


def counts(probed):
    return probed.outcome["turned"], probed.outcome["answers"]


def of_trait(probed, name):
    return next(one for one in probed.outcome["traits"] if one["trait"] == name)


async def test_a_judge_that_keeps_to_the_words_keeps_to_its_answers(desk):
    async with Loopback(truthful) as server:
        probing = run(desk, server)
        order, again, padding, single = await came(
            probing,
            "order",
            "again",
            "padding",
            "single",
        )
    assert (counts(order), counts(again), counts(padding)) == (
        (0, 48),
        (0, 64),
        (0, 64),
    )
    assert counts(single) == (0, 48)
    assert of_trait(again, "Accuracy")["instructions"][3]["text"] == EXPECTED[3]
    assert 0 < again.outcome["high"] < 0.35
    assert again.judge["model"] == "m"
    assert (again.cells, order.cells) == (24, 8)
    whys = {one["why"]: one["cells"] for one in order.outcome["left_out"]}
    assert whys["llm trait (yes or no): nothing to put in another order"] == 8
    assert any(PADDING[:40] in asked.user for asked in server.asked)


async def test_a_judge_that_goes_by_place_turns_when_the_order_changes(desk):
    def by_place(reply):
        for row in reply["tp_answers"][1:]:
            row |= {"verdict": "missing", "excerpts": []}

    async with Loopback(altered(by_place)) as server:
        order, single = await came(run(desk, server), "order", "single")
    told = of_trait(order, "Accuracy")
    first = told["instructions"][0]
    assert told["turned"] > 6
    assert (first["units"], first["answers"]) == (8, 8)
    assert first["low"] < first["share"] == first["turned"] / 8 <= first["high"]
    # alone, each is in the first place
    assert of_trait(single, "Accuracy")["turned"] == 16


async def test_found_answers_turn_without_their_evidence_or_for_their_contrary(desk):
    def sober(asked):
        reply = reply_to(asked)
        if "tp_answers" in reply and "Says that this is not so" in asked.user:
            for of, word in (("tp_answers", "missing"), ("tn_answers", "absent")):
                reply[of] = [
                    {**row, "verdict": word, "excerpts": []} for row in reply[of]
                ]
        return completion(shaped(asked, reply))

    async with Loopback(sober) as server:
        evidence, negated = await came(run(desk, server), "evidence", "negated")
        assert any("gene that helps" not in asked.user for asked in server.asked)
    told = of_trait(negated, "Accuracy")
    assert told["turned"] == told["answers"] >= 24
    assert of_trait(negated, "Warns")["answers"] == 8
    assert negated.outcome["expected"] == evidence.outcome["expected"] == "turn"
    assert not any(one["trait"] == "Stars" for one in negated.outcome["traits"])


async def test_words_that_say_nothing_or_the_contrary_may_be_of_another_language(desk):
    terms = ProbeTerms(padding="Vielen Dank.", contrary="Sagt, dass dies nicht so ist:")
    async with Loopback(truthful) as server:
        probing = run(desk, server, traces=1, terms=terms)
        padding, negated, again = await came(probing, "padding", "negated", "again")
        asked = "".join(one.user for one in server.asked)
    assert "\n\nVielen Dank.\n" in asked
    assert f"Sagt, dass dies nicht so ist: {EXPECTED[0]}" in asked
    assert 'Sagt, dass dies nicht so ist: Warns"' in asked
    for ours in (PADDING[:40], "not so:", "not hold"):
        assert ours not in asked
    told = [one.outcome["words"] for one in (padding, negated, again)]
    assert told == ["Vielen Dank.", "Sagt, dass dies nicht so ist:", ""]


async def test_asking_again_is_no_look_into_the_cache_but_goes_on_where_it_was_stopped(
    desk,
):
    stalled = {"from": 25}

    def stalling(asked):
        if len(server.asked) > stalled["from"]:
            return Answer("", delay=600)
        return truthful(asked)

    async with Loopback(stalling) as server:
        before = run(desk, server, concurrency=1)
        task = asyncio.create_task(came(before, "again"))
        await server.came(26)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        stalled["from"] = 10**6
        resumed = run(desk, server)
        cost = resumed.cost([PROBES["again"]])
        assert (cost.known[""], cost.known["again"], cost.requests) == (24, 1, 23)
        (again,) = await came(resumed, "again")
        assert (resumed.spent.done, resumed.spent.cached) == (48, 25)
        assert counts(again) == (0, 64)
        asked = len(server.asked)
        assert run(desk, server).cost([PROBES["again"]]).requests == 0
        later = run(desk, server, repeat_no=2)
        assert later.cost([PROBES["again"]]).requests == 24
        await came(later, "again")
        assert len(server.asked) == asked + 24


async def test_no_cell_is_changed_and_the_same_seed_draws_the_same_traces(desk):
    before = list(desk.workspace.db.iterdump())
    first, second = run(desk, traces=4), run(desk, traces=4)
    assert [question.cell for question in first.drawn] == [
        question.cell for question in second.drawn
    ]
    assert first.drawn[0].cell != run(desk, traces=4, terms=ProbeTerms(3)).drawn[0].cell
    more = {question.cell for question in run(desk, traces=7).drawn}
    assert {question.cell for question in first.drawn} < more
    results = await came(first, *PROBES)
    assert [one.probe for one in results] == list(PROBES)
    assert first.passed_over == {"llm": 8}
    assert list(desk.workspace.db.iterdump()) == before


async def test_what_a_person_signed_off_tells_which_question_did_better(desk):
    for number, cell in enumerate(
        desk.workspace.cells.of_trace(no)["Warns"] for no in (1, 2, 3)
    ):
        desk.receive(
            cell,
            Proposed({"value": True, "evidence": ["in cancer"]}, {"name": "gpt"}),
        )
        if number == 1:
            desk.do(cell, Draw(blind=True))
            desk.do(cell, Correct(Edit("set", value=False)))
        if number != 2:
            desk.sign_off(cell)
    async with Loopback(truthful) as server:
        (padding,) = await came(run(desk, server), "padding")
    assert padding.outcome["signed"] == {"answers": 2, "plain": 1, "probe": 1}


async def test_a_server_that_refuses_makes_failures_and_no_outcome(desk):
    async with Loopback(FAULTS["refusal"]) as server:
        probing = run(desk, server, traces=2)
        (again,) = await came(probing, "again")
    assert (counts(again), again.cells, probing.failed) == ((0, 0), 0, 6)
    assert probing.failures.total() == 6


async def test_a_panel_is_probed_as_one_judge_and_every_member_pays(desk):
    async with Loopback(truthful) as server:
        probing = run(desk, server, traces=2, model=["m", "n"], times=2)
        assert probing.cost([PROBES["again"]]).requests == 2 * 6 * 4
        (again,) = await came(probing, "again")
        assert len(server.asked) == 2 * 6 * 4
    assert counts(again) == (0, 16)


async def test_the_saved_answers_of_a_model_are_not_those_of_its_panel_with_word_overlap(
    desk,
):
    def denying(asked):
        reply = reply_to(asked)
        if "tp_answers" in reply:
            for of, word in (("tp_answers", "missing"), ("tn_answers", "absent")):
                reply[of] = [
                    {**row, "verdict": word, "excerpts": []} for row in reply[of]
                ]
        return completion(shaped(asked, reply))

    async with Loopback(denying) as server:
        await came(run(desk, server, traces=1))
        panel = run(desk, server, traces=1, judge=["lexical", "openai"])
        most = panel.cost([PROBES["negated"]]).requests
        asked = len(server.asked)
        (negated,) = await came(panel, "negated")
        assert 0 < len(server.asked) - asked <= most
    assert of_trait(negated, "Accuracy")["answers"]


def test_what_cannot_be_asked_so_says_why(tmp_path):
    response = trace("t", "Ice floats. It is cold.", documents=["Ice floats."])
    of = rubric(
        checklist(tp_instructions=["Ice floats"]),
        llm_traits=[STARS],
        grounding_traits=[GroundingRubricTrait(name="G")],
        regex_traits=[RegexRubricTrait(name="R", pattern="ice")],
    )
    with bench(tmp_path, response, of=of) as at:
        probing = run(at)
        assert probing.passed_over == {"llm": 1, "regex": 1}
        asked = {
            question.subject.kind.name: PlainAnswers(question)
            for question in probing.drawn
        }
        for kind, names in (
            ("metric", ("order", "single")),
            ("grounding", ("order", "negated")),
        ):
            for name in names:
                with pytest.raises(NotProbed, match=f"^{kind} trait .*: (nothing|no)"):
                    PROBES[name].questions(asked[kind], ProbeTerms())
        with pytest.raises(NotProbed, match="its answers have no excerpts"):
            PROBES["evidence"].questions(asked["grounding"], ProbeTerms())
        results = asyncio.run(came(probing, "evidence", "padding"))
    assert [one["why"] for one in results[0].outcome["left_out"]] == [
        "grounding trait (TRACe (guide)): its answers have no excerpts of their own",
    ]
    assert of_trait(results[1], "G")["answers"] == 4


async def test_a_question_that_would_be_the_same_is_no_probe(tmp_path):
    cut = {
        "documents_sentences": [[["0a", "Ice floats."]]],
        "response_sentences": [["a", "Ice floats."]],
    }
    brought = trace("t", "Ice floats.", documents=["Ice floats."], metadata=cut)
    of = rubric(checklist(), grounding_traits=[GroundingRubricTrait(name="G")])
    with bench(tmp_path, brought, of=of) as at:
        (padding,) = await came(run(at), "padding")
    assert [one["trait"] for one in padding.outcome["traits"]] == ["Coverage"]
    assert padding.outcome["left_out"] == [
        {
            "why": "grounding trait: the question would be the same, word for word",
            "cells": 1,
        },
    ]


@pytest.mark.parametrize(
    ("found", "compared"),
    [(("calls book_flight", "It is booked."), [2]), (("calls book_flight",), [])],
)
def test_only_answers_whose_evidence_can_be_cut_out_of_a_run_are_compared(
    tmp_path,
    found,
    compared,
):
    table = {
        "tp": list(found),
        "fn": ["books", "says so", "thanks"][len(found) :],
        "items": [
            {"bucket": "tp", "index": index, "instruction": index + 1}
            for index in range(len(found))
        ],
    }
    with bench(tmp_path, RUN, of=run_rubric()) as at:
        (question,) = [
            question
            for question in run(at).drawn
            if question.subject.kind.name == "metric"
        ]
    plain = plain_answers(question, Proposal(table, JudgeRecord("gpt")), {})
    assert len(plain.positive_instructions) == len(found)
    if not compared:
        with pytest.raises(NotProbed, match="the name of a call only"):
            PROBES["evidence"].questions(plain, TERMS)
        return
    (asked,) = PROBES["evidence"].questions(plain, TERMS)
    assert [instruction.number for instruction in asked.compared] == compared
    text = asked.question.trace.text
    assert "calls book_flight" in text
    assert "It is booked." not in text


@pytest.mark.parametrize(
    "unanswered",
    [RUN, Trace(id="unanswered", response="", messages=MESSAGES[:3])],
    ids=["answered", "unanswered"],
)
def test_questions_without_evidence_are_foreseen_of_a_run_that_nobody_answered_too(
    tmp_path,
    unanswered,
):
    model = {"model": ["m"], "base_url": "http://127.0.0.1:9/v1"}
    with bench(tmp_path, unanswered, of=run_rubric()) as at:
        cost = run(at, **model).cost([PROBES["evidence"]])
    assert cost.asked["evidence"] == 2, "of a metric trait and an llm trait"


def test_a_run_without_words_is_left_out_of_what_probes_take(tmp_path):
    model = {"model": ["m"], "base_url": "http://127.0.0.1:9/v1"}
    with bench(tmp_path, RUN, Trace(id="empty", response=""), of=run_rubric()) as at:
        cost = run(at, **model).cost(list(PROBES.values()))
    assert cost.asked["evidence"] == 2, "of two traits that read the run with words"
