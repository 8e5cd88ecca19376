"""Reading at the screen: faces, search, evidence, focus mode, copying, sizes, and what one did."""

import json
import tomllib

import pytest
from review_stage import NARROW, WIDE, both_sizes, sitting, states

from appellate.session.settings import Settings
from cells import PLACE, RESPONSE, matrix, proposal, rubric, trace

FULL = 2
WORDY = "# BCL2\n\n" + "\n\n".join(
    f"Paragraph {n} tells of **gene** number {n}." for n in range(60)
)


def long_one():
    return (
        rubric(matrix()),
        [trace("long", response=WORDY + "\n\n" + RESPONSE)],
        [[proposal()]],
    )


def copied(at):
    return at.app.clipboard


# -- searching ----------------------------------------------------------------------------------------


@pytest.mark.slow
@both_sizes
async def test_a_search_goes_to_its_hits_and_n_from_one_to_the_next(tmp_path, size):
    async with sitting(tmp_path, long_one(), size=size) as at:
        await at.answer("slash", text="number 4")
        while not at.line("keys").startswith("FIND number 4 1/11"):
            assert at.line("keys").startswith("FIND number 4 ")
            await at.press("n")
        assert "number 4." in at.words("#response")
        assert "n next hit" in at.line("keys")
        await at.press("n", "n")
        assert at.line("keys").startswith("FIND number 4 3/11")
        assert "number 41" in at.words("#response")
        await at.press("N")
        assert at.line("keys").startswith("FIND number 4 2/11")
        assert "FIND" not in await at.shows("escape")
        assert "n next" in at.line("keys")
        assert at.named("pane")


async def test_words_that_are_not_there_are_told_while_they_are_typed_and_enter_ends_the_search(
    tmp_path,
):
    async with sitting(tmp_path, long_one()) as at:
        await at.press("slash")
        await at.type("zeppelin")
        assert "not in the response" in at.text
        await at.press("escape")
        assert at.named("pane")
        assert not at.screen.response.searching
        await at.press("slash", *"number", "space", "4", "enter", "escape")
        assert (
            await at.says("slash", *"zeppelin", "enter")
            == "“zeppelin” is not in the response."
        )
        assert at.named("pane")
        assert not at.screen.response.searching
        await at.press("slash", "enter")
        assert at.line("keys").startswith("FIND number 4 ")


@pytest.mark.slow
async def test_a_search_begins_with_an_empty_line_and_enter_looks_for_the_same_again(
    tmp_path,
):
    async with sitting(tmp_path, long_one()) as at:
        await at.press("slash", *"number", "space", "4", "enter", "escape")
        await at.press("slash", *"number", "space", "7", "escape")
        assert not at.screen.response.searching
        await at.press("slash", "enter")
        assert at.line("keys").startswith("FIND number 4 ")


async def test_in_focus_mode_nothing_out_of_sight_is_changed(at):
    # an FN item, which stands nowhere in the text
    await at.press("l", "z", "1", "d", "x", "R", "enter")
    assert at.app.screen is at.screen
    assert at.state == "proposed"
    assert not at.screen.pane.rows.marked
    assert at.said.startswith("The item is out of sight")
    await at.press("p", "d")
    assert at.state == "corrected"


async def test_another_cell_ends_the_search(at):
    await at.press("slash", *"gene", "enter")
    assert at.screen.response.searching
    await at.press("comma")
    assert not at.screen.response.searching


# -- faces and evidence -------------------------------------------------------------------------------


@both_sizes
async def test_markdown_is_rendered_or_as_it_was_written(tmp_path, size):
    async with sitting(tmp_path, long_one(), size=size) as at:
        await at.until(lambda: "**gene**" not in at.words("#response"))
        assert "of gene number" in at.words("#response")
        await at.press("M")
        await at.until(lambda: "**gene**" in at.words("#response"))
        assert "Markdown" not in at.words("#response")
        await at.press("M")
        await at.until(lambda: "**gene**" not in at.words("#response"))


async def test_the_settings_say_the_first_face_and_the_first_view(tmp_path):
    async with sitting(
        tmp_path,
        at=FULL,
        settings=Settings(markdown="raw", view="checklist"),
    ) as at:
        assert not at.screen.response.rendered
        assert at.screen.pane.items.view == "checklist"


async def test_evidence_is_walked_through_in_the_order_of_the_text_and_the_items_follow(
    at,
):
    seen = []
    for _ in range(4):
        await at.press("p")
        seen.append(at.place)
    assert seen == [("tp", 1), ("tp", 2), ("fp", 0), ("tp", 0)]
    await at.press("P")
    assert at.place == ("fp", 0)


async def test_the_evidence_of_an_item_comes_into_sight_and_then_takes_the_focus(
    tmp_path,
):
    async with sitting(tmp_path, long_one(), size=NARROW) as at:
        await at.press("o")
        assert "BCL2 is an anti-apoptotic gene" in at.words("#response")
        await at.press("o")
        assert at.named("response")
        await at.press("escape")
        assert at.named("pane")


@pytest.mark.slow
@both_sizes
async def test_the_response_alone_can_have_the_screen(at, size):
    small = at.screen.response.size
    await at.press("z")
    assert at.screen.response.size.area > small.area
    assert at.screen.response.size.width >= small.width
    assert at.named("response")
    assert "1 Mentions BCL2 gene" in str(at.screen.response.border_subtitle)
    await at.press("v", "w", "1", "enter")
    assert at.state == "corrected"
    assert at.named("response")
    await at.press("escape")
    assert at.screen.response.size == small
    assert not at.screen.response.border_subtitle
    assert at.named("pane")


# -- copying ------------------------------------------------------------------------------------------


async def test_an_item_is_copied_as_its_words_or_as_a_record_and_so_is_a_cell(at):
    await at.press("y", "enter")
    assert copied(at) == "BCL2 is an anti-apoptotic gene"
    await at.answer("y", text="item json")
    assert json.loads(copied(at))["instruction"] == 1
    await at.press("l", "l")
    await at.answer("ctrl+p", text="copy again")
    assert json.loads(copied(at))["text"] == PLACE
    await at.answer("y", text="cell toml")
    assert tomllib.loads(copied(at))["trait"] == "Accuracy"
    assert "characters" in at.said
    await at.press("h", "h", "v", "w", "y")  # what is selected is copied at once
    assert copied(at) == "BCL2 is"


# -- sizes --------------------------------------------------------------------------------------------


@pytest.mark.slow
@both_sizes
async def test_panes_get_the_room_that_the_arrows_give_them_and_keep_it(
    tmp_path,
    size,
    monkeypatch,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "settings"))
    async with sitting(tmp_path, at=FULL, size=size) as at:
        before = at.screen.pane.size
        await at.press("W", "left", "left", "up", "up")
        assert at.screen.pane.size.area > before.area
        assert await at.says("enter") == "Saved in config.toml."
        assert at.named("pane")
    kept = tomllib.loads((tmp_path / "settings" / "config.toml").read_text())
    assert set(kept) == {"items_share" if size == WIDE else "items_rows"}


@pytest.mark.slow
async def test_sizes_moved_back_are_kept_too_and_none_moved_says_so(
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "settings"))
    async with sitting(tmp_path, at=FULL) as at:
        await at.press("W", "left", "enter")
        before = at.screen.objects.layout._sizes.items_share
        await at.press("W", "left", "enter", "W", "right", "enter")
        assert at.screen.objects.layout._sizes.items_share == before
        assert await at.says("W", "enter") == "The sizes are unchanged."
    assert tomllib.loads((tmp_path / "settings" / "config.toml").read_text()) == {
        "items_share": before,
    }


async def test_esc_puts_the_borders_back_and_sizes_that_cannot_be_kept_last_for_the_session(
    tmp_path,
    monkeypatch,
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "file" / "settings"))
    async with sitting(tmp_path, at=FULL) as at:
        before = at.screen.pane.size
        await at.press("W", "left", "left", "escape")
        assert at.screen.pane.size == before
        assert at.named("pane")
        assert "last until you quit" in await at.says("W", "left", "enter")


# -- what one did -------------------------------------------------------------------------------------


async def test_the_history_lists_what_one_did_and_goes_there(tmp_path):
    async with sitting(tmp_path, states()) as at:
        assert "What ada did" in await at.shows("2", "F", "full_stop", "H")
        assert "moved TP → FN" in at.text
        assert await at.goes("enter") == 1
        assert at.app.screen is at.screen


@pytest.mark.slow
async def test_the_history_takes_back_and_does_again(at):
    assert "Undone: moved TP → FN" in await at.shows("2", "H", "u")
    assert "undone: moved" in at.text
    await at.press("U", "escape")
    assert at.state == "corrected"
    assert at.named("pane")


async def test_an_empty_history_says_so(tmp_path):
    async with sitting(tmp_path, at=FULL, reviewer="grace") as at:
        assert "nothing here yet" in await at.shows("H")
        await at.press("u")
        assert "nothing to undo" in at.text.lower()
        await at.press("enter", "escape")
        assert at.app.screen is at.screen


async def test_a_screen_that_something_else_wrote_to_is_sent_whole_again(tmp_path):
    async with sitting(tmp_path) as at:
        forgotten = []
        at.app.frame.forget = lambda: forgotten.append(True)
        await at.press("ctrl+l")
        assert forgotten
