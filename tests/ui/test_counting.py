"""Counts that are typed before a key, in lists where digits mean nothing else."""

from ui_stage import Stage

from appellate.ui.lines import CountedLines
from appellate.ui.rows import ListRow

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
