"""Signing off: what speaks against it is asked once, and one press signs one cell."""

from operator import attrgetter

import pytest
from review_stage import sitting
from textual.events import Key

from appellate.core.facts import Proposed
from cells import CANCER, GENE, SURVIVE, matrix, proposal, rubric, table, trace

GPT = {"name": "gpt"}
SECONDS = attrgetter("time")
UNTIDY = Proposed(table(tp=[GENE, "words that nobody wrote"]), GPT)


def several(*proposed):
    return (
        rubric(matrix()),
        [trace(str(number)) for number in range(len(proposed))],
        [[one] for one in proposed],
    )


async def press_at(at, *times):
    """Presses `a` at these seconds, all of them before the program answers one."""
    for time in times:
        key = Key("a", "a")
        key.time = time
        at.app.post_message(key)
    app = at.app
    await at.until(
        lambda: not app.message_queue_size and app.key_queue.is_empty,
        seconds=100,
    )
    await at.pilot.pause()


# -- what speaks against it ---------------------------------------------------------------------------


async def test_what_speaks_against_a_sign_off_is_asked_once_and_a_again_signs(tmp_path):
    async with sitting(tmp_path, several(UNTIDY, UNTIDY)) as at:
        assert await at.says("a") == (
            "TP instruction 1 is in neither TP nor FN: “Mentions BCL2 gene”; m adds it. And 7 more."
            " 1 excerpt is not in the response. Press a again to sign it off anyway."
        )
        assert (at.no, at.state) == (1, "proposed")
        assert await at.goes("a") == 2
        assert at.bench.workspace.cells.row(1).state == "reviewed"


@pytest.mark.slow
async def test_another_key_or_cell_forgets_the_question(tmp_path):
    async with sitting(tmp_path, several(UNTIDY, UNTIDY)) as at:
        for keys in ("aja", [".", "a"], ["a", ",", "a"]):
            await at.press(
                *({".": "full_stop", ",": "comma"}.get(key, key) for key in keys),
            )
            assert at.said.endswith("Press a again to sign it off anyway."), keys
            assert at.state == "proposed"
            await at.press("j")
        assert at.bench.workspace.totals()["state:proposed"] == 2


async def test_a_cell_that_adds_up_is_signed_at_once_by_name_and_an_edit_says_that_it_is_no_more(
    tmp_path,
):
    async with sitting(tmp_path, several(proposal(), proposal())) as at:
        assert await at.says("a") == "✓ 0 · Accuracy signed off. Now: 1 · Accuracy."
        assert at.no == 2
        await at.press("comma")
        assert (
            await at.says("a")
            == "0 · Accuracy was signed off already. Now: 1 · Accuracy."
        )
        told = await at.says("a")
        assert told.startswith("✓ 1 · Accuracy signed off. Every cell is signed off.")
        assert await at.says("2") == "No longer signed off: a signs it again."
        assert at.state == "corrected"


# -- one press, one cell ------------------------------------------------------------------------------


async def test_a_key_held_down_signs_one_cell_and_one_pressed_again_within_a_second_another(
    tmp_path,
):
    async with sitting(tmp_path, several(*[proposal()] * 5), arrived=SECONDS) as at:
        await press_at(at, 10, *(10.5 + repeat / 30 for repeat in range(20)))
        assert at.no == 2
        assert (
            at.said
            == "A key that is held down signs off only one cell: press a again for this one."
        )
        assert at.bench.workspace.totals()["state:reviewed"] == 1
        await press_at(at, 12)
        assert at.bench.workspace.totals()["state:reviewed"] == 2
        await press_at(at, 20, 20.8)
        assert at.no == 5


async def test_a_key_held_down_answers_no_question(tmp_path):
    async with sitting(tmp_path, several(UNTIDY, UNTIDY), arrived=SECONDS) as at:
        await press_at(at, 10, 10.25, 10.3)
        assert at.said.endswith("Press a again to sign it off anyway.")
        assert at.state == "proposed"
        await press_at(at, 12)
        assert at.bench.workspace.cells.row(1).state == "reviewed"


async def test_a_key_held_down_goes_on_saying_why_a_cell_cannot_be_signed_off(tmp_path):
    given = rubric(matrix()), [trace("1"), trace("2")], [[proposal()], []]
    async with sitting(tmp_path, given, arrived=SECONDS) as at:
        await press_at(at, 10, 10.5)
        assert at.no == 2
        assert at.said.startswith("Nothing to sign off: this cell is not judged yet.")


async def test_a_key_held_down_on_the_last_cell_says_that_all_are_signed_off(tmp_path):
    async with sitting(tmp_path, several(proposal()), arrived=SECONDS) as at:
        await press_at(at, 10)
        told = at.said
        assert "signed off" in told
        await press_at(at, 10.5, 10.53)
        assert told.endswith(at.said)
        assert "signed off" in at.said


async def test_who_only_reads_is_not_told_that_a_again_signs(tmp_path):
    async with sitting(tmp_path, several(UNTIDY, UNTIDY), readonly=True) as at:
        await at.press("a")
        assert (
            at.said
            == "This session only reads: another process is reviewing this workspace."
        )


# -- what is said at the key --------------------------------------------------------------------------


async def test_a_second_excerpt_of_an_instruction_is_said_to_count_once_and_marked(
    tmp_path,
):
    judged = table(tp=[GENE, GENE, SURVIVE])
    judged["items"] = [
        {"bucket": "tp", "index": n, "of": "tp", "instruction": n + 1} for n in range(3)
    ]
    async with sitting(tmp_path, several(Proposed(judged, GPT))) as at:
        await at.press("j", "j", "plus")
        await at.type("helps cells| survive")
        assert await at.says("enter") == "Instruction 3 counts once, with 2 excerpts."
        assert "repeat" in at.text
        assert "repeat" not in await at.shows("u")


async def test_an_unlinked_item_is_told_that_its_words_count_already(tmp_path):
    judged = table(tp=[GENE, CANCER], fn=[matrix().tp_instructions[3]])
    async with sitting(tmp_path, several(Proposed(judged, GPT))) as at:
        await at.answer("j", "e", text=GENE)
        assert at.said == "Not counted: the same words count already."


# -- care against oneself ------------------------------------------------------------------------------


async def test_a_run_of_instant_sign_offs_is_told_without_standing_in_the_way(tmp_path):
    async with sitting(tmp_path, several(*[proposal()] * 12)) as at:
        card = at.screen.objects.parts.card
        for number in range(1, 10):
            at.bench.sign_off(number, 0.5)
        assert not card.shown
        at.bench.sign_off(10, 0.5)
        await at.pilot.pause()
        assert (
            "10 cells in a row signed off sooner than their responses can be read."
            in at.text
        )
        await at.press("j")
        assert card.shown
        await at.press("escape")
        assert not card.shown
        at.bench.sign_off(11, 0.5)
        assert not card.shown
