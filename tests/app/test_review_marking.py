"""Several items at once, the last correction again, the menu of an item, and what is refused at once."""

import re

import pytest
from review_stage import both_sizes, sitting

from appellate.core.facts import Proposed
from cells import (
    CANCER,
    EXPECTED,
    GENE,
    RESPONSE,
    SURVIVE,
    matrix,
    rubric,
    table,
    trace,
)

TP_ONLY, FULL = 1, 2
WORKED = {"tp": [1, 2, 3], "fn": [4], "fp": [-1], "tn": [-2]}


async def do(at, what):
    """Does what a key does, without one: the palette's way."""
    await at.screen.action_command(what)
    await at.pilot.pause()


async def click(at, words, **more):
    region = at.screen.query_one("#items").region
    for y, row in enumerate(at.text.split("\n")):
        if region.y <= y < region.bottom and words in row[region.x :]:
            await at.pilot.click(offset=(row.index(words, region.x), y), **more)
            await at.pilot.pause()
            return
    raise AssertionError(f"{words!r} is not there:\n{at.text}")


# -- marking ------------------------------------------------------------------------------------------


@both_sizes
async def test_marking_goes_on_to_the_next_item_and_is_seen_and_counted(at):
    await do(at, "item.mark")
    assert at.place == ("tp", 1)
    await do(at, "item.mark")
    assert at.text.count("■") == 3  # two rows and the count
    assert "■ 2" in at.text
    assert at.screen.pane.clear_marks()
    await at.pilot.pause()
    assert "■" not in at.text
    assert not at.screen.pane.clear_marks()


@pytest.mark.slow
async def test_all_marked_items_move_each_by_its_own_correction_and_one_undo_brings_them_back(
    at,
):
    before = at.facts
    await at.press("x", "x", "x")
    assert at.named("pane")
    await at.press("2")
    assert at.marks == {"fn": [1, 2, 3, 4], "fp": [-1], "tn": [-2]}
    assert at.said == "3 moved: u undoes them together."
    assert at.facts == before + 3
    assert at.moved["recall"] == -0.75
    assert not at.screen.pane.rows.marked
    await at.press("u")
    assert at.marks == WORKED
    assert at.state == "proposed"
    assert (
        at.said
        == f"Undone: moved TP → FN: “{CANCER}” as “{EXPECTED[2]}” (and 2 more of the same act) (bcl2-1 · Accuracy)"
    )
    await at.press("U")
    assert at.marks["fn"] == [1, 2, 3, 4]
    assert at.said.startswith("Redone: moved TP → FN")


async def test_what_is_refused_is_told_and_stays_marked_until_another_cell_is_opened(
    at,
):
    await at.press("x", "x", "x", "x")  # all of TP, and the one of FN
    assert await at.says("2") == "3 moved, 1 not: It is in FN already."
    assert at.screen.pane.rows.marked == {("fn", 3)}
    await at.press("comma", "full_stop")
    assert not at.screen.pane.rows.marked
    await at.press("u")
    assert at.marks == WORKED

    at.screen.pane.go("fn", 0)
    await do(at, "item.mark")
    await do(at, "item.mark")
    await at.press("1")
    assert (
        at.said
        == "The marked items need different answers: mark those of one bucket at a time."
    )
    assert at.marks == WORKED


async def test_marked_items_are_linked_by_one_answer_and_dropped_together(at):
    await at.press("x", "x", "x")
    assert "Link all 3 to" in await at.shows("i")
    await at.type("1")
    await at.press("enter")
    assert at.marks["tp"] == [1, 1, 1]
    assert at.said == (
        "2 linked, 1 not: It is linked so already. Instruction 2, instruction 3 go from TP to FN. "
        "Instruction 1 counts once, with 3 excerpts."
    )
    await at.press("u", "escape")
    await click(at, GENE, control=True)
    await click(at, CANCER, control=True)
    await at.press("d")
    assert at.texts("tp") == [SURVIVE]
    assert at.said.startswith("2 dropped")


async def test_evidence_is_asked_for_item_by_item_and_the_moves_are_one_act(tmp_path):
    # the first is what the judge had for it
    first, last = (GENE, RESPONSE.split(". ")[1])
    async with sitting(tmp_path, at=FULL) as at:
        await at.press("2", "l", "x", "x")
        before = at.facts
        await at.press("1", "enter", "escape")
        assert at.facts == before, "none of the marked is moved"
        assert at.named("pane")
        await at.press("1")
        assert (at.place, at.selected) == (("fn", 0), first)
        assert at.line("keys").startswith("EVIDENCE 1/2 · item 1 of 2 ")
        await at.press("enter")
        assert (at.place, at.selected) == (("fn", 1), last)
        assert at.marks["fn"] == [1, 4]
        await at.press("enter")
        assert at.marks["tp"] == [1, 2, 3, 4]
        assert (at.texts("tp")[0], at.texts("tp")[3]) == (first, last)
        await at.press("u")
        assert at.marks["fn"] == [1, 4]


async def test_lines_of_the_checklist_are_marked_with_all_their_excerpts(at):
    await do(at, "view")
    await do(at, "item.mark")
    await do(at, "item.mark")
    await at.press("2")
    assert at.marks["fn"] == [1, 2, 4]
    assert at.said.startswith("2 moved")


async def test_one_sentence_taken_for_four_instructions_counts_for_each(tmp_path):
    judged = Proposed(table(fn=matrix().tp_instructions), {"name": "gpt"})
    one = trace(
        "one",
        response="BCL2, a gene, inhibits apoptosis: on chromosome 18, and of relevance in cancer.",
    )
    async with sitting(tmp_path, (rubric(matrix()), [one], [[judged]])) as at:
        await at.press("x", "x", "x", "x", "1", "enter", "enter", "enter")
        assert await at.says("enter") == "4 moved: u undoes them together."
        assert at.numbers["recall"] == 1


async def test_what_was_undone_is_told_so_short_that_its_cell_is_told_too(at):
    await at.press("e")
    await at.type("many words " * 40)
    assert (await at.says("enter", "u")).startswith("Undone: reworded TP: ")
    assert at.said.endswith(" …” (bcl2-1 · Accuracy)")
    assert len(at.said) < 160


# -- again --------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_the_last_correction_is_made_once_more_also_in_another_cell_of_the_trait(
    tmp_path,
):
    judged = Proposed(table(tp=[GENE, SURVIVE]), {"name": "gpt"})
    judged.table["items"] = [
        {"bucket": "tp", "index": n, "of": "tp", "instruction": n + 1} for n in (0, 1)
    ]
    scene = rubric(matrix()), [trace("one"), trace("two")], [[judged], [judged]]
    async with sitting(tmp_path, scene) as at:
        await at.answer("3", text="pro-apoptotic")
        await do(at, "item.repeat")
        assert at.marks["fp"] == [-2, -2]
        assert (
            at.said
            == f"Repeated: moved TP → FP: “{SURVIVE}” as −2. Instruction 2 goes from TP to FN."
            " TN instruction 2 counts once, with 2 excerpts."
        )
        await at.press("full_stop")
        await do(at, "item.repeat")
        assert at.no == 2
        assert at.marks["fp"] == [-2]


async def test_what_cannot_be_repeated_says_why(at):
    await do(at, "item.repeat")
    assert (
        at.said
        == "There is no correction yet: there is nothing to repeat in this trait."
    )
    await at.answer("e", text="other words")
    await do(at, "item.repeat")
    assert (
        at.said
        == "The last correction was a rewording: only moves, drops and links can be repeated."
    )
    await at.press("d", "comma")
    await do(at, "item.repeat")
    assert (
        at.said
        == "The last correction was in Accuracy: there is nothing to repeat in this trait."
    )


# -- the menu -----------------------------------------------------------------------------------------


async def test_the_menu_offers_what_can_be_done_with_an_item_by_words_a_key_or_a_click(
    at,
):
    await at.press("j", "enter")
    assert re.search("2 +into FN: missing", at.text)
    assert re.search("e +reword it", at.text)
    assert "merge" not in at.text
    await at.type("/into FN")
    await at.press("enter")
    await at.until(lambda: at.marks["fn"] == [2, 4])
    assert at.named("pane")

    await at.press("u")
    at.screen.pane.go("tp", 1)
    await at.press("enter", "2")
    await at.until(lambda: at.marks["fn"] == [2, 4])
    assert "Q does nothing here" in await at.shows("enter", "Q")
    await at.press("u")
    await at.until(lambda: at.marks["fn"] != [2, 4])
    await at.until(lambda: at.named("pane"))

    await click(at, CANCER, button=3)
    await at.type("/drop")
    await at.press("enter")
    await at.until(lambda: at.texts("tp") == [GENE, SURVIVE])


# -- what is not borne out, and what is refused at once -----------------------------------------------


@both_sizes
async def test_unverified_items_bear_a_sign_and_are_counted(tmp_path, size):
    scene = (
        rubric(matrix()),
        [trace("t")],
        [[Proposed(table(tp=[GENE, "words that nobody wrote"]), {"name": "gpt"})]],
    )
    async with sitting(tmp_path, scene, size=size) as at:
        assert at.screen.pane.in_doubt() == 1
        assert re.search(r"\? +“words", at.text)


@pytest.mark.slow
async def test_a_session_that_reads_refuses_every_correction_before_it_asks(tmp_path):
    async with sitting(tmp_path, at=FULL, readonly=True) as at:
        await at.press("l")
        for key in ("1", "2", "3", "4", "d", "e", "i", "plus", "m"):
            await at.press(key)
            assert (
                at.said == "This session only reads: nothing can be corrected in it."
            ), key
            assert at.named("items")
        assert (await at.says("v", "l", "1")).startswith("This session only reads")
        at.screen.pane.open_menu()
        await at.pilot.pause()
        assert "show the checklist" in at.text
        assert "drop it" not in at.text
