"""A docked text: its documents are marked, its long sections folded, its words selected."""

from contextlib import asynccontextmanager

from textual.geometry import Offset

from appellate.ui.docked import DockedText, Passage, Section, SectionsInOne, Tab
from ui.ui_stage import Stage, lines_of

TABS = [Tab("documents", "Documents 2"), Tab("trait", "Trait")]
DOCUMENTS = [
    Section("[1] first", "One says a. And b.", "title", "1", 0),
    Section("", "Two says c.\n" * 20, document=1),
]
FIRST, SECOND = (
    Passage(0, 12, 18, "tp", "⁰ᵇ"),
    Passage(1, 228, 239, "evidence", "¹ᵗ", True),
)


async def test_passages_stand_marked_in_their_documents_and_the_selected_one_comes_into_sight():
    app = Stage(lambda: [DockedText()])
    async with app.run_test(size=(40, 8)) as pilot:
        docked = app.query_one(DockedText)
        docked.mark([FIRST])
        docked.open(TABS, "documents", DOCUMENTS)
        await pilot.pause()
        assert [line.strip() for line in lines_of(docked)[:2]] == (
            ["[1] first", "One says a. And b.⁰ᵇ"]
        )
        docked.mark([FIRST, SECOND])
        await pilot.pause()
        assert any("Two says c.¹ᵗ" in line for line in lines_of(docked))
        docked.open(TABS, "trait", [Section("Trait", "Nothing is marked here.")])
        assert not any("ᵇ" in line for line in lines_of(docked))
        docked.close()
        docked.mark([])
        docked.open(TABS, "documents", DOCUMENTS)
        assert not any("ᵇ" in line for line in lines_of(docked))


LONG = "Word after word. " * 60
TURNS = [
    Section("1 user", "Short.", "user", "1", folds=True),
    Section("2 tool", f"{LONG}needle\nend", "tool", "2", folds=True),
    Section("3 assistant", "a\nb\nc\nd\n" * 9, "assistant", "3", folds=True),
    Section("4 user", LONG, "user", "4"),
]


def test_a_long_section_that_folds_shows_its_beginning_and_how_much_more_there_is():
    folded = SectionsInOne(TURNS)
    assert set(folded.folded) == {1, 2}
    second = folded.text.split("\n\n")[1]
    head, beginning, more = second.split("\n")
    assert (head, more) == (
        "2 tool",
        f"… {len(TURNS[1].text) - len(beginning):,} more characters: Enter",
    )
    assert TURNS[1].text.startswith(beginning)
    assert beginning.endswith(("Word", "after", "word."))
    assert "3 assistant\na\nb\nc\n… 67 more characters: Enter" in folded.text
    assert SectionsInOne(TURNS, {1, 2}).text == folded.whole
    for index, start in enumerate(folded.starts):
        assert folded.text[start:].startswith(TURNS[index].head)
        assert folded.section_at(start) == folded.section_at(start + 3) == index


@asynccontextmanager
async def docked_turns(size=(60, 14)):
    app = Stage(lambda: [DockedText()])
    async with app.run_test(size=size) as pilot:
        docked = app.query_one(DockedText)
        docked.open(TABS, "documents", TURNS)
        docked.focus()
        await pilot.pause()
        yield docked, pilot


async def test_enter_unfolds_the_section_that_is_read_and_e_all_of_them():
    async with docked_turns() as (docked, pilot):
        await pilot.press("enter")
        assert set(docked.shown.folded) == {2}
        assert docked.scroll_offset.y == 0
        await pilot.press("enter")
        assert set(docked.shown.folded) == {1, 2}
        await pilot.press("3", "enter")
        assert set(docked.shown.folded) == {1}
        await pilot.press("e")
        assert docked.shown.folded == {}
        await pilot.press("e")
        assert set(docked.shown.folded) == {1, 2}
        await pilot.press("4", "enter")
        assert "more characters" in docked.text


async def test_a_section_that_is_folded_while_its_middle_is_read_is_shown_from_its_start():
    async with docked_turns(size=(40, 8)) as (docked, pilot):
        await pilot.press("enter", "2", "pagedown", "enter")
        assert set(docked.shown.folded) == {1, 2}
        assert docked.text[docked.in_sight[0] :].startswith("2 tool")


async def test_a_click_on_what_is_folded_unfolds_it():
    async with docked_turns() as (docked, pilot):
        spot = docked.spot(docked.shown.folded[1][0] + 2)
        await pilot.click(offset=spot)
        assert set(docked.shown.folded) == {2}


async def test_a_search_looks_into_what_is_folded_and_leaves_what_it_found_unfolded():
    async with docked_turns() as (docked, pilot):
        assert docked.search("needle") == 1
        await pilot.pause()
        assert docked.shown.folded == {}
        assert docked.search("nothing of the kind") == 0
        docked.end_search()
        assert set(docked.shown.folded) == {1, 2}
        docked.search("needle")
        await pilot.pause()
        seen = docked.text[slice(*docked.in_sight)]
        assert "needle" in seen
        docked.end_search()
        await pilot.pause()
        assert 1 not in docked.shown.folded
        assert "needle" in docked.text[slice(*docked.in_sight)]


async def test_words_are_selected_by_keys_as_in_the_response():
    async with docked_turns() as (docked, pilot):
        await pilot.press("1", "v")
        assert docked.selection.text == "1"
        await pilot.press("l", "l", "s")
        assert docked.selection.text == "Short."
        await pilot.press("v", "h", "v", "b", "o", "w", "escape")
        assert not docked.selection.on
        await pilot.press("l")
        assert docked.text[docked.in_sight[0] :].startswith("2 tool")


async def test_words_are_selected_by_the_mouse_and_another_text_ends_that():
    async with docked_turns() as (docked, pilot):
        at = docked.spot(docked.text.index("Short"))
        await pilot.mouse_down(offset=at)
        await pilot.hover(offset=at + Offset(3, 0))
        await pilot.mouse_up(offset=at + Offset(3, 0))
        assert docked.selection.text == "Short"
        await pilot.click(offset=at)
        await pilot.click(offset=at, times=3)
        assert docked.selection.text == "Short."
        docked.open(TABS, "trait", [Section("Trait", "Other words.")])
        assert not docked.selection.on
        assert docked.selection.text == ""
