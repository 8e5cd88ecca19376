"""An undo that would leave the cell says what it would take back, and wants the same key again."""

import pytest
from review_stage import bcl2, sitting
from test_edit_rubric import drafted
from test_review_judging import waiting

from appellate.app.compare.by_instruction import InstructionScreen
from appellate.core.deciding import Act, Flag
from cells import matrix, rubric

OTHER, HERE = 2, 1
"""Cells of `bcl2`: a test begins in `OTHER`."""


@pytest.fixture
async def signed(tmp_path):
    """Cell 2 is signed off, and cell 1 in sight."""
    async with sitting(tmp_path, at=OTHER) as at:
        assert await at.goes("a") == HERE
        yield at


def is_signed(at) -> bool:
    return at.bench.open(OTHER)[1].signed is not None


async def test_an_undo_out_of_sight_wants_the_same_key_again_and_so_does_its_redo(
    signed,
):
    assert await signed.goes("4", "u") == HERE
    assert signed.said.startswith("Press u again to undo: signed off")
    assert signed.said.endswith("(bcl2-1 · Accuracy).")
    assert is_signed(signed)
    for between in ("j", "4", "U", "escape", "K", "question_mark"):
        await signed.press(between, "escape", "u")
        assert signed.said.startswith("Press u again to undo"), between
        assert is_signed(signed), between
    await signed.pilot.click("#response")
    await signed.press("u")
    assert is_signed(signed)

    assert await signed.goes("u") == OTHER
    assert signed.said.startswith("Undone: signed off")
    assert not is_signed(signed)

    assert await signed.goes("comma", "U") == HERE
    assert signed.said.startswith("Press U again to redo: signed off")
    assert not is_signed(signed)
    assert await signed.goes("U") == OTHER
    assert is_signed(signed)

    await signed.press("comma", "H", "u")
    assert not is_signed(signed), "the list of acts shows what it takes back"


async def test_an_act_on_this_cell_and_others_is_undone_at_once(tmp_path):
    async with sitting(tmp_path, at=OTHER) as at:
        at.bench.do_together(flagged_both)
        await at.press("u")
        assert at.said.startswith("Undone: flagged")
        assert at.no == OTHER
        assert not any(at.bench.open(number)[1].flag for number in (HERE, OTHER))


def flagged_both(act: Act) -> None:
    for number in (HERE, OTHER):
        act.do(number, [Flag(True)])


async def test_an_act_of_several_other_cells_tells_how_many(tmp_path):
    of, traces, happened = bcl2()
    traces.append(traces[0].model_copy(update={"id": "bcl2-2"}))
    async with sitting(tmp_path, (of, traces, [*happened, *happened]), at=4) as at:
        at.bench.do_together(flagged_both)
        await at.press("u")
        assert at.said == (
            "Press u again to undo: flagged (and 1 more of the same act)"
            " (bcl2-1 · Coverage and 1 more cell)."
        )


async def test_by_instruction_an_act_out_of_sight_is_asked_about_and_one_in_sight_is_not(
    signed,
):
    await signed.press("b")
    await signed.until(lambda: isinstance(signed.app.screen, InstructionScreen))
    await signed.press("u")
    assert signed.answered.startswith("Press u again to undo: signed off")
    assert is_signed(signed)
    await signed.press("down", "u")
    assert is_signed(signed)
    await signed.press("u")
    assert not is_signed(signed)
    await signed.press("F", "u")
    assert signed.answered.startswith("Undone: flagged")


# -- the rubric -----------------------------------------------------------------------------------


async def test_a_revised_rubric_is_taken_back_as_one_act(tmp_path):
    async with sitting(tmp_path, at=OTHER) as at:
        await at.press("2", "a")
        assert is_signed(at)
        before = at.bench.workspace.rubric
        await drafted(at, "chromosome 18", "the long arm of chromosome 18")
        await at.press("y")
        await at.until(lambda: "u undoes it" in " ".join(at.said.split()))
        assert at.bench.open(OTHER)[1].state == "pending"
        here = at.no
        assert (await at.says("u")).startswith(
            "Press u again to undo: took a revised rubric",
        )
        assert at.bench.workspace.rubric != before
        await at.press("u")
        await at.until(lambda: at.said.startswith("Took the revised rubric back"))
        assert "1 sign-off in force again" in at.said
        assert at.bench.workspace.rubric == before
        assert (at.no, is_signed(at)) == (here, True)
        await at.press("U")
        await at.press("U")
        await at.until(lambda: at.said.startswith("Took the revised rubric again"))
        assert at.bench.open(OTHER)[1].state == "pending"


async def test_the_list_of_acts_has_the_rubric_and_takes_it_back(tmp_path):
    async with sitting(tmp_path, at=OTHER) as at:
        before = at.bench.workspace.rubric
        await drafted(at, "chromosome 18", "the long arm of chromosome 18")
        await at.press("y")
        await at.until(lambda: at.bench.workspace.rubric != before)
        await at.press("H")
        assert "took a revised rubric: Coverage, Accuracy changed" in at.text
        await at.press("enter")
        assert "there is no single cell to go to" in at.text
        await at.press("u")
        assert at.bench.workspace.rubric == before
        assert "undone: took a revised rubric" in at.text
        await at.press("escape")
        assert at.state == "proposed"


async def test_a_cell_of_a_trait_that_goes_with_its_rubric_is_left_for_another(
    tmp_path,
):
    """Also in what the way back remembers."""
    scene = rubric(matrix()), bcl2()[1], bcl2()[2][1:]
    async with sitting(tmp_path, scene) as at:
        added = '[[metric_traits]]\nname = "Third"\nmetrics = ["recall"]\ntp_instructions = ["x"]\n'
        await drafted(at, "[[metric_traits]]", f"{added}\n[[metric_traits]]")
        await at.press("y")
        await at.until(lambda: "revised" in at.said)
        await at.until(lambda: len(at.screen.objects.parts.queue.cells) == OTHER)
        assert await at.goes("full_stop") == OTHER
        await at.press("comma", "full_stop", "u", "u")
        await at.until(lambda: at.bench.workspace.cells.count() == 1)
        await at.until(lambda: at.no == 1)
        assert at.cell.subject.trait.name == "Accuracy"
        await at.press("left_parenthesis", "left_parenthesis", "Q", "escape")
        assert at.no == 1


async def test_while_a_judge_is_at_work_by_it_the_rubric_stays(tmp_path):
    async with waiting(tmp_path, 3) as (at, judge):
        await at.until(lambda: "judging" in at.line("header"))
        closer = rubric(matrix(description="Closer"))
        at.bench.revise(closer)
        assert (await at.says("u")).startswith(
            "A judge is at work by this rubric: X stops it",
        )
        await at.press("H", "u")
        assert "A judge is at work by this rubric" in at.text
        assert at.bench.workspace.rubric == closer
        judge.answered.set()
