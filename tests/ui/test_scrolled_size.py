from ui_stage import Stage

from appellate.ui.lines import Lines
from appellate.ui.rows import Listed, ListRow


def rows(count):
    return Listed([ListRow(f"row {number}") for number in range(count)])


async def test_a_scrollbar_that_comes_back_shows_where_the_view_is():
    app = Stage(lambda: [Lines()])
    async with app.run_test(size=(30, 10)) as pilot:
        lines = app.query_one(Lines)
        lines.show_rows(rows(40)).focus()
        await pilot.press("end")
        lines.show_rows(rows(3))
        await pilot.pause()
        assert not lines.show_vertical_scrollbar
        lines.show_rows(rows(50))
        await pilot.pause()
        bar = lines.vertical_scrollbar
        assert lines.show_vertical_scrollbar
        assert (bar.position, bar.window_virtual_size, bar.window_size) == (0, 50, 10)
