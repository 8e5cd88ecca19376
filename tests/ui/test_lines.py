from ui_stage import HOSTILE, Stage, lines_of, listing

from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import ASCII
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import ListRow, StyledText


class Numbered:
    """A hundred thousand rows, of which it keeps count who asked."""

    def __init__(self):
        self.asked = []

    def __len__(self):
        return 100_000

    def __getitem__(self, index, /):
        self.asked.append(index)
        return ListRow(
            f"row {index}",
            (StyledText("● ", "proposed"),),
            (StyledText(".75", "muted"),),
        )


def bucket(name, *texts):
    return ListSection(
        [ListRow(text, key=text) for text in texts],
        ListRow(name, style="tp"),
        "nothing here",
    )


async def test_only_rows_in_sight_are_asked_for():
    rows = Numbered()
    async with listing((40, 10)) as (app, pilot, lines):
        lines.show_rows(rows).focus()
        await pilot.press("down", "k", "end", "pageup")
        assert lines.cursor == Cursor(0, 99_990)
        assert max(set(rows.asked) - set(range(99_000, 100_000))) < 20
        assert lines_of(lines)[0].startswith("▸ ● row 99990")
        assert lines_of(lines)[0].rstrip().endswith(".75")
        assert [event.index for event in app.heard(Lines.Highlighted)] == [
            1,
            0,
            99_999,
            99_990,
        ]


async def test_the_cursor_crosses_sections_and_stays_at_its_place_when_rows_go():
    async with listing((30, 12)) as (app, pilot, lines):
        lines.show(
            bucket("TP 2", "a", "b"),
            bucket("FN 0"),
            bucket("FP 1", "c"),
        ).focus()
        assert [line.rstrip() for line in lines_of(lines)[:8]] == (
            ["TP 2", "▸ a", "  b", "", "FN 0", "  nothing here", "", "FP 1"]
        )
        await pilot.press("j", "j", "enter")
        assert lines.row is not None
        assert lines.row.key == "c"
        assert [(event.section, event.index) for event in app.heard(Lines.Chosen)] == [
            (2, 0),
        ]
        lines.go(0, 1)
        lines.show(bucket("TP 1", "a"), bucket("FN 1", "b"), bucket("FP 1", "c"))
        assert lines.cursor == Cursor(0, 0)
        lines.show(bucket("TP 0"), bucket("FN 2", "b", "a"), bucket("FP 1", "c"))
        assert lines.cursor == Cursor(0, 0)
        assert lines.row is None
        assert lines_of(lines)[1].startswith("▸ nothing here")
        await pilot.press("enter", "j")
        assert lines.cursor == Cursor(1, 0)
        assert len(app.heard(Lines.Chosen)) == 1


async def test_a_click_moves_the_cursor_and_two_choose():
    async with listing((30, 12)) as (app, pilot, lines):
        lines.show(bucket("TP 2", "a", "b"))
        await pilot.click(Lines, offset=(4, 2), times=2)
        assert [event.index for event in app.heard(Lines.Highlighted)] == [1]
        assert [event.index for event in app.heard(Lines.Chosen)] == [1]


async def test_hostile_rows_are_drawn_inert_and_in_their_room():
    app = Stage(lambda: [Lines(marks=ASCII)])
    async with app.run_test(size=(200, 6)) as pilot:
        lines = app.query_one(Lines)
        row = ListRow(
            HOSTILE,
            (StyledText(HOSTILE[:9], "tp"),),
            (StyledText(HOSTILE[:5]),),
            "fp",
            dim=True,
        )
        lines.show(
            ListSection([row], ListRow(HOSTILE), HOSTILE),
            ListSection((), None, HOSTILE),
        )
        await pilot.pause()
        for y in range(6):
            assert (
                lines.render_line(y).cell_length
                == lines.scrollable_content_region.width
            )
        assert "\x1b" not in "".join(lines_of(lines))
        assert lines_of(lines)[1].startswith("> [/x] [redhi"[:8])


async def test_an_empty_list_says_so():
    async with listing((30, 4)) as (_, pilot, lines):
        lines.show_rows((), "nothing to review").focus()
        await pilot.press("j", "enter")
        assert "nothing to review" in lines_of(lines)[0]


async def test_the_screen_is_laid_out_anew_only_when_a_scrollbar_comes_or_goes():
    async with listing((30, 10)) as (app, pilot, lines):
        laid_out = []
        app.screen.screen_layout_refresh_signal.subscribe(app, laid_out.append)

        async def show(count):
            """Whether the list has a scrollbar once it shows so many rows, and whether that took a layout."""
            laid_out.clear()
            lines.show_rows([ListRow(str(number)) for number in range(count)])
            await pilot.pause()
            return lines.show_vertical_scrollbar, bool(laid_out)

        await show(3)
        assert await show(10) == (False, False)
        assert await show(100) == (True, True)
        lines.action_last()
        assert lines.scroll_offset.y == 90
        assert await show(60) == (True, False)
        assert lines.vertical_scrollbar.window_virtual_size == 60
        assert lines_of(lines)[-1].split() == ["▸", "59"]
        assert await show(5) == (False, True)
        assert lines_of(lines)[0].split() == ["0"]
        assert await show(50) == (True, True)
        bar = lines.vertical_scrollbar
        assert (bar.position, bar.window_virtual_size, bar.window_size) == (0, 50, 10)


async def test_a_scrollbar_that_comes_back_or_goes_has_the_widgets_placed_once(
    monkeypatch,
):
    async with listing((30, 10)) as (app, pilot, lines):
        compositor = app.screen._compositor
        placed = []
        place = compositor._arrange_root
        monkeypatch.setattr(
            compositor,
            "_arrange_root",
            lambda *given, **options: placed.append(1) or place(*given, **options),
        )
        for count, times in ((100, 2), (3, 1), (100, 1), (3, 1)):
            placed.clear()
            lines.show_rows([ListRow(str(number)) for number in range(count)])
            await pilot.pause()
            assert lines.show_vertical_scrollbar == (count == 100)
            assert lines.vertical_scrollbar.display == (count == 100)
            assert len(placed) <= times, "only a bar that was never there takes more"


async def test_a_list_as_high_as_its_rows_grows_with_them():
    async with listing((30, 10)) as (_, pilot, lines):
        lines.styles.height = "auto"
        heights = []
        for count in (3, 6, 2):
            lines.show_rows([ListRow(str(number)) for number in range(count)])
            await pilot.pause()
            heights.append(lines.size.height)
        assert heights == [heights[0], heights[0] + 3, heights[0] - 1]


def said(text, below="", under=""):
    """A row with a line below and one under the cursor."""
    return ListRow(
        text,
        (StyledText("1 ", "key"),),
        below=((StyledText(below, "tp"),),) if below else (),
        under_cursor=((StyledText(under, "muted"),),) if under else (),
    )


def shown(lines):
    return [line.rstrip() for line in lines_of(lines)]


async def test_rows_of_a_whole_section_wrap_and_the_cursor_s_tells_more():
    async with listing((21, 12)) as (_, pilot, lines):
        rows = [
            said("one of many words", "some more", "why"),
            said("two", "x", "why not"),
        ]
        lines.show(ListSection(rows, ListRow("TP"), whole=True)).focus()
        await pilot.pause()
        assert shown(lines)[:7] == (
            [
                "TP",
                "▸ 1 one of many",
                "    words",
                "    some more",
                "    why",
                "  1 two",
                "    x",
            ]
        )
        await pilot.press("j")
        assert shown(lines)[3:8] == [
            "    some more",
            "▸ 1 two",
            "    x",
            "    why not",
            "",
        ]
        lines.show(ListSection([rows[0], said("three")], ListRow("TP"), whole=True))
        assert shown(lines)[3:6] == ["    some more", "▸ 1 three", ""]


async def test_where_the_pane_is_full_rows_are_cut_but_for_the_one_under_the_cursor():
    async with listing((21, 9)) as (app, pilot, lines):
        row = said("many words on these lines", "and some words below it")
        lines.show(ListSection([row] * 6, whole=True)).focus()
        await pilot.pause()
        whole = [
            "▸ 1 many words on",
            "    these lines",
            "    and some words",
            "    below it",
        ]
        few = ["  1 many words on…", "    and some words…"]
        assert shown(lines) == [*whole, *few, *few, few[0]]
        await pilot.press("j")
        assert shown(lines) == [*few, *whole, *few, few[0]]
        await pilot.press("pagedown", "j")
        assert [event.index for event in app.heard(Lines.Highlighted)] == [1, 4, 5]
        assert shown(lines)[-4:] == whole
        regions = [(region.y, cursor.row) for region, cursor in lines.in_sight()]
        assert regions == [(0, 2), (1, 3), (3, 4), (5, 5)]
        await pilot.click(Lines, offset=(6, 4))
        assert lines.cursor == Cursor(0, 4)


async def test_a_list_to_be_read_keeps_every_row_whole_and_scrolls():
    async with listing((21, 5)) as (_, pilot, lines):
        lines.uncut = True
        row = said("many words on these lines", "and some words below it")
        lines.show(ListSection([row] * 6, whole=True)).focus()
        await pilot.pause()
        whole = [
            "  1 many words on",
            "    these lines",
            "    and some words",
            "    below it",
        ]
        assert shown(lines) == [f"▸{whole[0][1:]}", *whole[1:], whole[0]]
        await pilot.press("j")
        assert shown(lines) == [whole[-1], f"▸{whole[0][1:]}", *whole[1:]]


async def test_a_row_taller_than_the_pane_shows_its_top_and_then_the_rest():
    async with listing((21, 4)) as (_, pilot, lines):
        tall = said("a", " ".join(f"word-number-{n}" for n in range(6)))
        lines.show(ListSection([said("first"), tall, said("last")], whole=True)).focus()
        await pilot.press("j")
        assert shown(lines)[0] == "▸ 1 a"
        assert shown(lines)[-1] == "    word-numb… PgDn"
        await pilot.press("pagedown")
        assert lines.cursor.row == 1
        assert shown(lines)[-1] == "    word-number-5"
        lines.refresh_row(0, 1)
        assert shown(lines)[-1] == "    word-number-5"
        await pilot.press("pagedown")
        assert lines.cursor.row == 2
        await pilot.press("k", "pageup")
        assert lines.cursor.row == 0


async def test_a_heading_takes_no_cursor_and_no_click():
    async with listing((21, 8)) as (app, pilot, lines):
        rows = [ListRow("A", heading=True), ListRow("a", sign=StyledText("↑", "key"))]
        lines.show_rows([*rows, ListRow("B", heading=True), ListRow("b")]).focus()
        await pilot.pause()
        assert shown(lines)[:4] == ["A", "▸↑a", "B", "  b"]
        await pilot.press("j")
        assert lines.cursor.row == 3
        await pilot.click(Lines, offset=(2, 2))
        await pilot.click(Lines, offset=(2, 0), times=2)
        assert lines.cursor.row == 3
        assert not app.heard(Lines.Touched, Lines.Chosen)
        await pilot.press("home")
        assert lines.cursor.row == 1
        assert [cursor.row for _, cursor in lines.in_sight()] == [1, 3]
