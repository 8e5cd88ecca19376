"""Code of other people: it runs where a person allowed it, and nowhere else; each run loads it anew."""

import pytest
from msgspec.structs import replace

from appellate.judging.choice import JudgeChoice, choose
from appellate.judging.questions import (
    CellScope,
    PendingCells,
    code_question,
    describe_left_out,
    open_again,
)
from appellate.judging.run import Run, compute, run
from appellate.traits.rubric import Rubric
from cells import bench, trace
from loopback import until

COUNTS = (
    "def words(text): return len(text.split())\ndef long(text): return len(text) > 3\n"
)
SLOW = """import pathlib, time
def words(text):
    pathlib.Path(__file__).with_name('at').touch()
    time.sleep(60)
def long(text): return True
"""
TRAITS = [
    {"name": "Words", "kind": "score", "callable": "counts:words"},
    {"name": "Long", "kind": "boolean", "callable": "counts:long"},
]
RUBRIC = Rubric.model_validate(
    {"callable_traits": TRAITS, "regex_traits": [{"name": "Cites", "pattern": "gene"}]},
)


@pytest.fixture
def folder(tmp_path):
    """A folder with the module that the traits name."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "counts.py").write_text(COUNTS)
    return folder


@pytest.fixture
def desk(tmp_path):
    """Two traces, the second with a verdict that came with it: Words, Long and Cites of each."""
    traces = trace("a"), trace("b", judgments={"Long": {"value": False}})
    with bench(tmp_path, *traces, of=RUBRIC) as at:
        yield at


def rows(at):
    return [(row.trait, row.state) for row in at.workspace.cells.rows(0, 100)]


def pending(at):
    return [trait for trait, state in rows(at) if state == "pending"]


def offline(at, folder=None, judge="lexical"):
    choice = choose({"judge": judge}, at.workspace.meta)
    return choice if folder is None else replace(choice, code=(str(folder),))


async def test_without_a_permission_its_cells_wait_and_a_sentence_names_the_functions(
    desk,
):
    choice = offline(desk)
    done = await run(desk, choice)
    assert (done.done, pending(desk)) == (2, ["Words", "Long", "Words", "Long"])
    told = describe_left_out(desk.workspace, choice)
    assert told == (
        "4 cells wait for code that was not run (counts:words, counts:long):"
        " start with --allow-code to run it, or fill them in yourself."
    )
    assert code_question(desk.workspace, choice, CellScope()) == ""


async def test_computing_and_a_batch_s_answers_run_none_either(desk):
    assert (await compute(desk)).computed == 2
    assert len(pending(desk)) == 4


async def test_labels_that_came_with_the_traces_take_no_permission(desk):
    choice = offline(desk, judge="recorded")
    await run(desk, choice)
    assert pending(desk) == ["Words", "Long", "Words"]
    assert "3 cells wait for code" in describe_left_out(desk.workspace, choice)


async def test_with_it_the_functions_run_and_recorded_labels_go_before_them(
    desk,
    folder,
):
    choice = offline(desk, folder)
    question = code_question(desk.workspace, choice, CellScope())
    assert question.startswith(
        "Run counts:words, counts:long on those of 4 cells that came with",
    )
    assert code_question(desk.workspace, choice, CellScope(only=1)).startswith(
        "Run counts:words on 1 cell?",
    )
    done = await run(desk, choice)
    assert (done.done, done.computed, done.failed, pending(desk)) == (6, 5, 0, [])
    assert desk.open(1)[1].judge.judge["name"] == "callable"
    assert desk.open(2)[1].labels.value is True
    assert desk.open(5)[1].labels.value is False
    assert describe_left_out(desk.workspace, choice) == ""
    assert PendingCells(desk.workspace, choice, source="code").left == 0


async def test_what_a_function_cannot_do_fails_its_cell_and_a_mended_one_is_loaded_anew(
    desk,
    folder,
):
    (folder / "counts.py").write_text(
        "def words(text): return text\ndef long(text): return 3\n",
    )
    done = await run(desk, offline(desk, folder))
    assert done.failed == 3
    told = desk.open(1)[1].error.error
    assert told.startswith("counts:words returned the text ")
    assert told.endswith(", not a number, no further from 0 than 1e+15.")
    assert desk.open(2)[1].error.error == (
        "counts:long returned the number 3, not True or False."
    )
    (folder / "counts.py").write_text(COUNTS)
    done = await run(desk, offline(desk, folder))
    assert (done.failed, [state for _, state in rows(desk)]) == (0, ["proposed"] * 6)


async def test_stopping_ends_a_function_at_once_and_its_cell_has_not_failed(
    desk,
    folder,
):
    (folder / "counts.py").write_text(SLOW)
    choice = JudgeChoice("", None, code=(str(folder),))
    async with Run(desk, choice, computing=True) as running:
        async for _ in running:
            if running.progress.done >= 2:
                await until((folder / "at").exists)
                running.stop()
    assert [state for _, state in rows(desk)].count("failed") == 0


async def test_judging_again_runs_them_again(desk, folder):
    await run(desk, offline(desk, folder))
    choice = offline(desk, folder)
    open_again(desk, choice)
    (folder / "counts.py").write_text(
        "def words(text): return 7\ndef long(text): return False\n",
    )
    done = await run(desk, choice)
    assert done.computed == 6
    assert desk.open(1)[1].labels.value == 7
    assert desk.open(5)[1].round == 2
