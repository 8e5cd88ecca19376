"""Where the cursor is after a correction: on the item that was mended or brought back, else on the next one."""

import pytest
from review_stage import NARROW, ROOMY, sitting

from cells import CANCER, GENE, SURVIVE

TP_ONLY, FULL = 1, 2
both_sizes = pytest.mark.parametrize("size", [ROOMY, NARROW], ids=["sections", "tabs"])


def under(at):
    """The item under the cursor."""
    return at.screen.pane.items.row.item.text


@both_sizes
async def test_it_stays_on_an_item_linked_elsewhere_and_goes_on_in_the_order_of_reading_after_a_move(
    at,
):
    await at.press("i", "4", "enter")
    assert at.marks["tp"] == [2, 3, 4]
    assert at.place == ("tp", 2)
    assert under(at) == GENE
    await at.press("u")
    assert at.place == ("tp", 0)
    assert under(at) == GENE
    await at.press("U")
    assert at.place == ("tp", 2)
    await at.press("u")

    assert await at.goes("j", "2", "comma", "u", "u") == FULL
    assert (at.place, under(at)) == (("tp", 1), SURVIVE), "undone from another cell"

    await at.press("2")
    assert (at.place, under(at)) == (("tp", 1), CANCER)
    await at.press("2")
    assert at.place[0] == "fn"
    assert at.screen.pane.items.row.mark == "2"
    await at.press("h", "h", "4")
    assert at.place[0] == "tn"
    assert at.screen.pane.items.row.mark == "−2"


async def test_on_the_checklist_it_goes_to_the_line_that_an_item_is_linked_to(at):
    await at.press("t", "i", "4", "enter")
    assert at.screen.pane.rows.here.number == 4
    assert under(at) == GENE
    await at.press("u")
    assert at.screen.pane.rows.here.number == 1


@pytest.mark.slow
async def test_it_stays_on_what_was_reworded_split_or_merged(at):
    await at.answer("j", "e", text="cells survive")
    assert under(at) == "cells survive"
    await at.answer("plus", text="cells| survive")
    assert (at.place, under(at)) == (("tp", 1), "cells")
    await at.screen.action_command("item.merge")
    await at.pilot.pause()
    assert (at.place, under(at)) == (("tp", 1), "cells survive")
    await at.press("end", "u")
    assert (at.place, under(at)) == (("tp", 1), "cells")
    await at.press("end", "u", "end", "u")
    assert (at.place, under(at)) == (("tp", 1), SURVIVE)


@pytest.mark.slow
@both_sizes
async def test_it_stays_on_its_item_where_another_comes_before_it(at):
    await at.press("j", "j", "v", "s", "1", "1", "enter")
    assert at.marks["tp"] == [1, 1, 2, 3]
    assert under(at) == CANCER


@pytest.mark.slow
@both_sizes
async def test_undo_goes_to_the_item_that_it_brought_back(at):
    await at.press("j", "2", "l", "l")
    assert at.place == ("fp", 0)
    await at.press("u")
    assert (at.place, under(at)) == (("tp", 1), SURVIVE)
    await at.press("U")
    assert at.place == ("fn", 0)
    await at.press("u", "l", "1", "0", "u")
    assert at.place == ("fn", 0)


async def test_the_evidence_of_the_item_that_it_goes_to_comes_into_sight(tmp_path):
    async with sitting(tmp_path, size=NARROW, at=FULL) as at:
        await at.press("2")
        chosen = next(
            span for span in at.screen.response.page.spans.in_order if span.selected
        )
        assert (
            at.screen.objects.view.trace.response[chosen.start : chosen.end] == SURVIVE
        )
