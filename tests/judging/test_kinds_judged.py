"""Kinds in one run: what is computed is asked of nobody, and a judge is asked only what it can judge."""

import pytest

from appellate.judging.choice import choose
from appellate.judging.estimate import forecast
from appellate.judging.questions import (
    CellScope,
    PendingCells,
    describe_left_out,
    open_again,
)
from appellate.judging.run import MOST_UNSAVED, Run, compute, run
from appellate.traits.rubric import Rubric
from cells import bench, matrix, trace
from loopback import served, truthful, until

ASKED, SCORED, SOUGHT, HOPELESS = "Accuracy", "Clear", "Cites", "Slow"
NOWHERE = "http://127.0.0.1:9/v1"


def of_kinds(*patterns):
    """One trait that words can be compared for, one that takes a model, and patterns by name."""
    llm = {"name": SCORED, "kind": "boolean", "description": "Is it clear?"}
    regex = [{"name": name, "pattern": pattern} for name, pattern in patterns]
    metric = matrix().to_file() | {"name": ASKED}
    return Rubric.model_validate(
        {"metric_traits": [metric], "llm_traits": [llm], "regex_traits": regex},
    )


@pytest.fixture
def desk(tmp_path):
    """Two traces, each with the cells Clear, Accuracy and Cites."""
    with bench(tmp_path, trace("a"), trace("b"), of=of_kinds((SOUGHT, "gene"))) as at:
        yield at


def states(at):
    return [row.state for row in at.workspace.cells.rows(0, 100)]


def chosen(at, **given):
    return choose(given, at.workspace.meta)


async def test_the_offline_judge_leaves_to_a_model_what_words_say_nothing_of(desk):
    offline = chosen(desk, judge="lexical")
    done = await run(desk, offline)
    assert (done.done, done.computed) == (4, 2)
    assert states(desk) == ["pending", "proposed", "proposed"] * 2
    told = describe_left_out(desk.workspace, offline)
    assert told.startswith("2 cells of llm traits cannot be judged by word overlap")


def test_kinds_that_words_say_nothing_of_are_named_in_one_order(tmp_path):
    two_kinds = Rubric.model_validate(
        {
            "steps_traits": [{"name": "Path"}],
            "llm_traits": [
                {"name": SCORED, "kind": "boolean", "description": "Is it clear?"},
            ],
        },
    )
    with bench(tmp_path, trace("a"), of=two_kinds) as at:
        told = describe_left_out(at.workspace, chosen(at, judge="lexical"))
    assert told.startswith("2 cells of llm and steps traits cannot")


@pytest.mark.slow
async def test_what_is_computed_is_asked_of_no_model_and_counted_in_no_estimate(desk):
    with served(truthful) as server:
        choice = chosen(desk, model="m", base_url=server.url)
        pending = PendingCells(desk.workspace, choice)
        told = forecast(desk.workspace, pending, choice)
        assert (pending.left, told.cells, told.requests) == (4, 4, 4)
        done = await run(desk, choice)
        assert (done.done, done.computed) == (6, 2)
        assert not any(SOUGHT in asked.user for asked in server.asked)


@pytest.mark.slow
async def test_a_model_is_asked_at_once_however_much_there_is_to_compute(tmp_path):
    many = [trace(str(number)) for number in range(MOST_UNSAVED + 10)]
    with (
        bench(tmp_path, *many, of=of_kinds((SOUGHT, "gene"))) as at,
        served(truthful) as server,
    ):
        choice = chosen(at, model="m", base_url=server.url)
        async with Run(
            at,
            choice,
        ) as running:  # nobody takes what is computed, so that it never ends
            await until(lambda: server.asked)
            running.stop()


async def test_no_panel_is_asked_about_it_either(desk):
    done = await run(
        desk,
        chosen(desk, model=["m", "n"], base_url=NOWHERE),
        CellScope(only=3),
    )
    assert (done.done, done.computed, done.failed) == (1, 1, 0)


async def test_without_a_judge_it_is_computed_all_the_same(desk):
    desk.workspace.set_meta("judge", "openai")
    assert chosen(desk).judge is None
    assert (await compute(desk)).computed == 2
    kept = (3, 6)
    facts = [fact for number in kept for fact in desk.open(number)[1].facts]
    assert {fact.by for fact in facts} == {"regex"}


@pytest.mark.slow
async def test_a_failed_computation_fails_alone_and_is_kept_once_however_often_it_is_tried(
    tmp_path,
):
    hopeless = trace("b", "a" * 50_000 + "!")
    of = of_kinds((SOUGHT, "gene"), (HOPELESS, "(a+)+$(?#alone)"))
    with bench(tmp_path, trace("a"), hopeless, of=of) as desk:
        nobody = chosen(desk, judge="lexical")
        await run(desk, nobody)
        assert states(desk)[-1] == "failed"
        assert states(desk).count("proposed") == 5
        before = desk.unexported_count
        assert (await run(desk, nobody)).failed == 1
        assert desk.unexported_count == before


async def test_a_round_takes_on_what_is_computed_and_what_is_signed_off_stays(desk):
    choice = chosen(desk, judge="lexical")
    await run(desk, choice)
    desk.sign_off(3)
    await run(desk, choice, CellScope(open_again(desk, choice), alone=True))
    assert [desk.open(number)[1].round for number in (1, 2, 3)] == [0, 2, 2]
    assert desk.open(3)[1].signed


async def test_after_a_changed_pattern_its_cells_are_computed_anew(desk):
    choice = chosen(desk, judge="lexical")
    await run(desk, choice)
    desk.revise(of_kinds((SOUGHT, "cancer")))
    assert states(desk) == ["pending", "proposed", "pending"] * 2
    done = await run(desk, choice)
    assert (done.computed, done.done) == (2, 2)
