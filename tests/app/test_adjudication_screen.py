"""Ruling on the screen: nobody's name before the verdict is locked, one key for all of it, rows by themselves."""

from contextlib import asynccontextmanager

from app.review_stage import LEAST, NARROW, NOBODY, Sitting, deliberate
from appellate.app.application import AppellateApp
from appellate.app.compare.ruling import AdjudicationScreen
from two_reviewers import BOTH_MISSED, MISSED, adjudicator


@asynccontextmanager
async def ruling(folder, corrected, size=NARROW):
    """A person at the first contested cell."""
    with adjudicator(folder, corrected, {}) as bench:
        program = AppellateApp(bench, NOBODY, arrived=deliberate())
        async with program.run_test(size=size) as pilot:
            at = Sitting(program, pilot, bench)
            await at.until(lambda: isinstance(program.screen, AdjudicationScreen))
            await at.until(lambda: "All of it" in at.text)
            yield at


async def test_a_contested_cell_is_ruled_on_blind_row_by_row_and_the_next_one_at_once(
    tmp_path,
):
    async with ruling(tmp_path, {1: BOTH_MISSED, 3: MISSED}) as at:
        assert "2 of 6 questions answered differently" in at.text
        assert "ada" not in at.text
        await at.press("a")
        assert "Pick first" in at.text
        await at.press("j", "1", "2")
        assert "picked in every row" in at.text
        await at.press("0", "a")
        assert "Some rows have no pick" in at.text
        await at.press("1", "up", "space", "r")
        await at.type("it is a paraphrase")
        await at.press("enter")
        assert "because: it is a paraphrase" in at.text
        await at.press("a")
        assert "Ruled. You sided with" in at.text
        assert "ada" in at.text
        assert "1 cell left" in at.text
        await at.press("1")
        assert "The verdict is locked" in at.text
        ticks = at.text.count("✓")
        await at.press("0")
        assert "The verdict is locked" in at.text
        assert at.text.count("✓") == ticks > 1
        await at.press("a")  # goes on
        assert "t3" in at.text
        assert "ada" not in at.text
        await at.press("1", "a", "n")
        assert "Every contested cell is ruled on." in at.text
        await at.press("comma")
        assert "t1" in at.text
        await at.press("escape")
        await at.until(lambda: not isinstance(at.app.screen, AdjudicationScreen))
        assert at.no == 1
        assert at.state == "reviewed"
        assert [at.bench.workspace.cells.row(no).state for no in (1, 2, 3)] == [
            "reviewed",
        ] * 3


async def test_labels_of_ones_own_begin_with_what_is_picked_and_v_comes_back(tmp_path):
    async with ruling(tmp_path, {1: MISSED}, LEAST) as at:
        await at.press("2", "enter", *"own", "enter")
        await at.until(
            lambda: not isinstance(at.app.screen, AdjudicationScreen),
            seconds=5,
        )
        assert at.state == "corrected"
        assert at.cell.judge is None
        await at.press("V")
        await at.until(lambda: isinstance(at.app.screen, AdjudicationScreen))
        await at.press("question_mark", "escape", "a")
        assert "Ruled." in at.text
        await at.press("V")
        await at.until(lambda: not isinstance(at.app.screen, AdjudicationScreen))
        assert at.cell.ruled


async def test_on_the_bench_a_contested_cell_speaks_of_the_reviewers_and_of_no_judge(
    tmp_path,
):
    async with ruling(tmp_path, {1: MISSED}) as at:
        await at.press("escape")
        await at.until(lambda: not isinstance(at.app.screen, AdjudicationScreen))
        assert "V shows what the two reviewers say" in at.words("#pane")
        assert "the judge's" not in at.words("#pane")
