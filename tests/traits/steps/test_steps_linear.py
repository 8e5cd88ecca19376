"""A steps cell line by line: the same corrections as on the screen, printed."""

from app.review_stage import sitting
from linear.linear_stage import bench_of, facts, told
from traits.steps.steps_cells import scene, verdicts


def cell(bench, no=1):
    return bench.workspace.cell(no)[1]


def test_a_cell_is_printed_with_how_the_run_ended_and_its_first_step_that_is_not_right(
    tmp_path,
):
    with bench_of(tmp_path, scene()) as bench:
        printed = " ".join(told(bench, "j", "j", "q").split())
        assert "Steps: 2/4 right, first wrong 6" in printed
        assert "Outcome: solved" in printed
        assert "Step 3 (needless): One moment." in printed
        assert 'Step 6 (wrong): calls book_flight: no: "SK1"' in printed
        assert "instead: Which of the two do you want?" in printed
        assert "judge: The policy says to ask before booking." in printed


async def test_corrections_come_to_the_same_facts_as_on_the_screen(tmp_path):
    here, there = tmp_path / "lines", tmp_path / "screen"
    here.mkdir()
    there.mkdir()
    with bench_of(here, scene()) as bench:
        told(bench, "j", "2", "e", "1", "=", "ask first", "o", "2", "q")
        by_lines = facts(bench, 1)
        assert verdicts(cell(bench))[4] == "wrong"
    async with sitting(there, scene()) as at:
        await at.press("j", "2", "e", "1", "enter", "=")
        await at.type("ask first")
        await at.press("enter", "o", "2", "enter")
        assert facts(at.bench, 1) == by_lines
        assert len(by_lines) == 1 + 4


def test_a_run_that_nobody_judged_is_gone_through_by_hand(tmp_path):
    with bench_of(tmp_path, scene(), at=2) as bench:
        printed = told(bench, "j", "2", "o", "2", "a", "q")
        assert "Not judged yet: J has it judged; 1 2 3 answer by hand" in " ".join(
            printed.split(),
        )
        assert verdicts(cell(bench, 2)) == {
            3: "right",
            4: "wrong",
            6: "right",
            8: "right",
        }
        assert cell(bench, 2).state == "reviewed"


def test_all_steps_are_listed_with_their_verdicts(tmp_path):
    with bench_of(tmp_path, scene()) as bench:
        printed = " ".join(told(bench, "t", "q").split())
        assert "1 [3] needless: One moment." in printed
        assert "4 [8] It is booked." in printed
