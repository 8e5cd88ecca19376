"""The checklist view of a cell: one line per instruction, turned by Space or by a click on its mark."""

import pytest
from review_stage import NARROW, sitting, states

from appellate.core.facts import Proposed
from appellate.ui.picker import Picker
from cells import CANCER, GENE, RESPONSE, SURVIVE, item, matrix, rubric, table, trace

TP_ONLY, FULL = 1, 2
WORKED = {"tp": [1, 2, 3], "fn": [4], "fp": [-1], "tn": [-2]}
LEAST = (60, 20)


async def checklist(at):
    at.screen.pane.action_view()
    await at.pilot.pause()


def row_of(at, words):
    rows = [row for row in at.text.split("\n") if words in row]
    assert rows, f"{words!r} is not on the screen:\n{at.text}"
    return rows[0]


async def click(at, words, *, on, **more):
    region = at.screen.query_one("#items").region
    for y, row in enumerate(at.text.split("\n")):
        if (
            region.y <= y < region.bottom
            and words in row[region.x : region.right]
            and on in row[region.x :]
        ):
            await at.pilot.click(offset=(row.index(on, region.x), y), **more)
            await at.pilot.pause()
            return
    raise AssertionError(f"{words!r} is not there:\n{at.text}")


@pytest.mark.parametrize("size", [NARROW, LEAST])
async def test_every_instruction_is_a_line_with_its_standing_and_its_evidence(at):
    await checklist(at)
    assert "+ found 3  − missing 1" in at.text
    assert "+  1 Mentions" in row_of(at, "Mentions BCL2 gene")
    assert "−  4 States" in row_of(at, "States BCL2 is on chrom")
    assert f"“{GENE}”" in at.text
    await at.press("l")
    assert "! −1" in row_of(at, "−1 States BCL2")
    assert "~ −2" in row_of(at, "Claims BCL2 is pro-apoptotic")
    await checklist(at)
    assert at.place == ("fp", 0)
    assert "present" not in at.text


async def test_space_turns_found_to_missing_and_back_with_its_excerpt_and_present_to_absent(
    at,
):
    await checklist(at)
    before = at.cell.labels
    await at.press("j", "space")
    assert at.marks == WORKED | {"tp": [1, 3], "fn": [2, 4]}
    assert at.place == ("fn", 0)
    assert at.screen.pane.rows.here.number == 2
    assert at.moved["recall"] == -0.25
    await at.press("space")
    assert set(at.cell.labels.tp) == set(before.tp)
    assert at.screen.pane.rows.here.number == 2
    assert at.named("pane")
    await at.press("l", "space")
    assert at.marks == {"tp": [1, 2, 3], "fn": [4], "tn": [-1, -2]}
    assert at.screen.pane.rows.here.standing == "absent"


async def test_in_the_buckets_space_turns_an_item_and_back_and_marked_ones_in_one_act(
    at,
):
    before = at.cell.labels
    await at.press("j", "space")
    assert at.place == ("fn", 0)
    assert at.marks["fn"] == [2, 4]
    await at.press("space")
    assert at.place[0] == "tp"
    assert set(at.cell.labels.tp) == set(before.tp)
    await at.press("l", "l", "space")
    assert at.marks["tn"] == [-1, -2]
    at.screen.pane.go("tp", 0)
    await at.press("x", "x", "space")
    assert len(at.marks["tp"]) == 1
    await at.press("u")
    assert sorted(at.marks["tp"]) == [1, 2, 3]


async def test_enter_on_a_line_opens_what_can_be_done_with_it_and_space_asks_for_an_excerpt(
    at,
):
    await checklist(at)
    await at.press("enter")
    assert isinstance(at.app.screen, Picker)
    assert "turn it: found" in at.text
    await at.press(*"/turn", "enter")
    await at.until(lambda: at.marks["fn"] == [1, 4])
    await at.press("u")
    at.screen.pane.go("fn", 0)
    await at.press("space")
    assert at.line("keys").startswith("EVIDENCE"), "it never had one"
    await at.press("escape")
    assert at.marks["fn"] == [4]


async def test_digits_say_it_explicitly_and_the_other_keys_work_on_the_rows_item(at):
    await checklist(at)
    assert await at.says("1") == "It is in TP already."
    await at.press("2")
    assert at.marks["fn"] == [1, 4]
    await at.press("u", "j", "d")
    assert at.texts("tp") == [GENE, CANCER]
    assert "↑−  2" in row_of(at, "States that BCL2")
    assert "was TP" in row_of(at, "States that BCL2")
    assert (await at.says("d")).startswith("An instruction cannot leave the checklist")


async def test_a_line_that_stands_nowhere_says_so_and_is_put_somewhere(tmp_path):
    scene = rubric(matrix()), [trace("t")], [[Proposed(table(), {"name": "gpt"})]]
    async with sitting(tmp_path, scene) as at:
        await checklist(at)
        assert "○  1" in row_of(at, "Mentions BCL2 gene")
        assert (await at.says("d")).startswith("There is no item")
        await at.press("3")
        assert (
            at.said
            == "It is a TP instruction that is nowhere yet: put it into TP or FN."
        )
        await at.press("space")
        assert at.marks["fn"] == [1]


async def test_several_excerpts_are_dropped_one_by_one_before_the_move_and_one_undo_brings_all_back(
    tmp_path,
):
    several = table(tp=[GENE, SURVIVE, CANCER], fn=["x"], tn=[])
    several["items"] = [
        *(
            {"bucket": "tp", "index": index, "of": "tp", "instruction": 1}
            for index in range(3)
        ),
        {"bucket": "fn", "index": 0, "of": "tp", "instruction": 2},
    ]
    scene = rubric(matrix()), [trace("t")], [[Proposed(several, {"name": "gpt"})]]
    async with sitting(tmp_path, scene, size=NARROW) as at:
        await checklist(at)
        assert all(f"“{words}”" in at.text for words in (GENE, SURVIVE, CANCER))
        before = at.facts
        await at.press("space")
        assert at.marks["fn"] == [1, 2]
        assert "tp" not in at.marks
        assert at.said == "Moved in 3 steps: u undoes them together."
        assert at.facts == before + 3
        await at.press("space")
        assert at.texts("tp") == [GENE, SURVIVE, CANCER]
        await at.press("u", "u")
        assert at.texts("tp") == [GENE, SURVIVE, CANCER]
        assert at.said.endswith("(and 2 more of the same act) (t · Accuracy)")


async def test_a_click_on_the_mark_turns_the_line_and_one_on_its_text_does_not(at):
    await checklist(at)
    at.screen.pane.go("tp", 1)
    assert (at.place, at.screen.pane.rows.here.number) == (("tp", 1), 2)
    await click(at, "References cancer", on="References")
    assert at.marks == WORKED
    assert at.place == ("tp", 2)
    await click(at, "References cancer", on="+")
    assert at.marks["fn"] == [3, 4]


async def test_what_answers_no_instruction_is_listed_last(tmp_path):
    async with sitting(tmp_path, at=TP_ONLY) as at:
        await checklist(at)
        assert "other items 1" in at.text
        await at.press("l")
        assert at.place == ("fp", 0)
        await at.press("d")
        assert "fp" not in at.marks
        assert "other items" not in at.text


async def test_a_cell_that_is_not_judged_can_be_filled_line_by_line(tmp_path):
    async with sitting(tmp_path, states(), at=2) as at:
        assert "Not judged yet: J has it judged" in at.text
        await at.press("space", "j", "space")
        assert at.marks == {"fn": [1, 2]}
        assert at.screen.pane.rows.here.number == 2


async def test_thousands_of_instructions_are_drawn_only_as_they_come_into_sight(
    tmp_path,
):
    long = [
        f"Mentions fact number {number} of a very long list" for number in range(2_000)
    ]
    judged = Proposed(table(tp=[GENE], fn=long[1:]), {"name": "gpt"})
    judged.table["items"] = [{"bucket": "tp", "index": 0, "of": "tp", "instruction": 1}]
    scene = (
        rubric(matrix(tp_instructions=long, tn_instructions=["never"])),
        [trace("t")],
        [[judged]],
    )
    async with sitting(tmp_path, scene, size=NARROW) as at:
        await checklist(at)
        assert "missing 1999" in at.text
        assert "missing 2000" in await at.shows("end", "home", "space")


async def test_a_row_that_unfolds_does_not_lay_the_screen_out(at):
    laid_out = []
    whole = at.screen._refresh_layout
    at.screen._refresh_layout = lambda *args, **more: (
        laid_out.append(1),
        whole(*args, **more),
    )
    await at.press("j", "j")
    assert not laid_out
    assert item(SURVIVE).text in RESPONSE
