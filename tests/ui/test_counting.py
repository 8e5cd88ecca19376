"""Counts that are typed before a key, in lists where digits mean nothing else."""

from ui_stage import Stage

from appellate.ui.lines import CountedLines, ListSection
from appellate.ui.rows import ListRow, StyledText

ROWS = [ListRow(f"row {number}") for number in range(100)]


async def counted(*keys: str) -> tuple[int, str]:
    app = Stage()
    async with app.run_test(size=(40, 11)) as pilot:
        lines = CountedLines()
        await app.mount(lines)
        lines.show_rows(ROWS)
        lines.focus()
        await pilot.pause()  # a page has a height once the list is laid out
        await pilot.press(*keys)
        return lines.cursor.row, lines.typed


async def test_a_key_is_done_as_often_as_was_typed_before_it_and_then_once():
    assert await counted("3", "j") == (3, "")
    assert await counted("1", "0", "j", "j") == (11, "")
    assert await counted("1", "0", "j", "4", "k") == (6, "")
    assert await counted("9", "9", "9", "9", "9", "9", "9", "j") == (99, "")


async def test_a_zero_alone_counts_nothing_and_escape_drops_a_count():
    assert await counted("0", "j") == (1, "")
    assert await counted("1", "2") == (0, "12")
    assert await counted("5", "escape", "j") == (1, "")
    assert await counted("5", "x", "j") == (1, "")


async def test_pages_are_counted_and_end_at_the_end():
    once, _ = await counted("pagedown")
    twice, _ = await counted("2", "pagedown")
    assert 0 < once < twice
    assert await counted("5", "0", "pagedown") == (99, "")
    assert await counted("3", "end") == (99, "")


async def test_pages_are_counted_in_short_sections_and_in_a_tall_row_as_well():
    app = Stage()
    async with app.run_test(size=(40, 11)) as pilot:
        lines = CountedLines()
        await app.mount(lines)
        tall = ListRow("one", below=((StyledText("word " * 400),),))
        short = [ListSection([ListRow(f"row {number}")]) for number in range(50)]
        lines.show(*short)
        lines.focus()
        await pilot.pause()
        await pilot.press("2", "pagedown")
        two_pages = lines.cursor.section
        await pilot.press("home", "pagedown")
        assert two_pages > lines.cursor.section > 0

        lines.show(ListSection([tall], whole=True))
        await pilot.pause()
        await pilot.press("home", "pagedown")
        one_page = lines.scroll_offset.y
        await pilot.press("2", "pagedown")
        assert lines.scroll_offset.y == 3 * one_page > 0
