"""What is on no key is done by name, and is in the list that Enter opens where it is about the cell."""

from review_stage import sitting, states
from test_review_pleas import steered

from appellate.app.keys.bindings import keys_of
from appellate.app.keys.keymap import Keymap
from appellate.traits.kinds import kinds

ON_NO_KEY = {key.id: key for key in keys_of(kinds()) if not key.keys}


def test_these_acts_are_on_no_key():
    assert set(ON_NO_KEY) == {
        *("item.merge", "item.repeat", "cell.copy_again", "cell.bookmark"),
        *("text.plea", "material.before", "last", "bookmarks", "step.unfold"),
    }


async def test_their_letters_do_nothing_and_the_palette_lists_every_one_without_a_key(
    at,
):
    before = at.facts
    for key in "_RYALGB';":
        said = await at.says(key)
        assert said.startswith(f"{key} does nothing here: ? lists the keys.")
    assert at.facts == before
    await at.press("ctrl+p")
    rows = {choice.key: choice for choice in at.app.screen.shown}
    assert "step.unfold" not in rows, "a response has no steps"
    assert {rows[name].number for name in ON_NO_KEY.keys() - {"step.unfold"}} == {""}


async def test_the_list_that_enter_opens_has_those_of_the_item_and_the_cell(tmp_path):
    async with sitting(tmp_path, steered(), size=(100, 40)) as at:
        await at.press("2", "l", "y", "enter")
        shown = await at.shows("enter")
        for words in (
            "the last correction once more",
            "the next passage that seems to address the judge",
            "copy of this item or cell what you copied last",
            "bookmark the cell",
        ):
            assert words in shown
        await at.type("/bookmark")
        await at.press("enter")
        assert at.bench.bookmarks() == {1}


async def test_every_kind_has_them_in_its_list(tmp_path):
    async with sitting(tmp_path, states()) as at:
        assert "bookmark the cell" in await at.shows("full_stop", "enter")


async def test_a_command_by_name_acts_where_the_focus_was(at):
    await at.press("z")
    assert at.named("response")
    await at.answer("ctrl+p", text="last")
    assert at.named("response")
    await at.press("escape", "j")
    await at.answer("ctrl+p", text="last")
    assert at.place[0] == "tn"


async def test_a_person_gives_it_a_key_and_every_list_names_it(tmp_path):
    own = Keymap("", {"cell.bookmark": "B", "bookmarks": "apostrophe"})
    async with sitting(tmp_path, at=2, keys=own, size=(100, 40)) as at:
        assert (await at.says("B")).startswith("Bookmarked")
        assert at.bench.bookmarks() == {2}
        assert await at.goes("comma", "apostrophe", "enter") == 2
        assert "B bookmark the cell" in " ".join((await at.shows("enter")).split())
