"""A docked text whose documents are marked."""

from appellate.ui.docked import DockedText, Passage, Section
from appellate.ui.tabs import Tab
from ui.ui_stage import Stage, lines_of

TABS = [Tab("documents", "Documents 2"), Tab("trait", "Trait")]
DOCUMENTS = [
    Section("[1] first", "One says a. And b.", "title", "1", 0),
    Section("", "Two says c.\n" * 20, document=1),
]
FIRST, SECOND = Passage(0, 12, 18, "tp", "⁰ᵇ"), Passage(1, 228, 239, "evidence", "¹ᵗ", True)


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
