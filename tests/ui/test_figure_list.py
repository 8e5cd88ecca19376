"""Tables of figures: sorted, narrowed, drawn in any width, with a cursor on each figure."""

from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ui_stage import Stage

from appellate.core.figures import (
    FigureColumn,
    FigureRow,
    FigureTable,
    RowOrder,
    Sentence,
    Sentences,
    ShownFigure,
)
from appellate.ui.figure_list import FigureList, drawn_row, drawn_titles
from appellate.ui.marks import ASCII, UNICODE
from appellate.ui.rendered_text import cells

COLUMNS = (
    FigureColumn("n", 5),
    FigureColumn("kappa", 5),
    FigureColumn("bar", 8, left=True),
)


def figure(value, **more):
    return ShownFigure("" if value is None else f"{value:g}", value, **more)


def row(name, *values, **more):
    return FigureRow(name, [figure(value) for value in values], **more)


def table(*rows, **more):
    return FigureTable("t", "By trait", COLUMNS, rows, **more)


THREE = table(
    row("Tone", 3, 0.2, 1),
    row("Accuracy", 20, None, 2),
    row("clarity", 10, 0.9, 3),
)


def names(of):
    return [one.name for one in of.rows]


def test_rows_are_sorted_by_a_figure_and_those_without_one_come_last_either_way():
    assert names(THREE.sorted(RowOrder(1, True))) == ["Accuracy", "clarity", "Tone"]
    assert names(THREE.sorted(RowOrder(2, False))) == ["Tone", "clarity", "Accuracy"]
    assert names(THREE.sorted(RowOrder(2, True))) == ["clarity", "Tone", "Accuracy"]
    assert names(THREE.sorted(RowOrder(0, False))) == ["Accuracy", "clarity", "Tone"]
    assert THREE.sorted(RowOrder(2, True)).title == "By trait, highest kappa first"
    assert THREE.sorted(None) is THREE


def test_the_row_of_all_stays_last_however_rows_are_sorted():
    summed = table(
        row("in all", 99, 1, 1, last=True),
        row("b", 1, 1, 1),
        row("a", 2, 1, 1),
    )
    for order in (RowOrder(0, False), RowOrder(1, True), RowOrder(1, False)):
        assert names(summed.sorted(order))[-1] == "in all"


def test_an_order_by_a_column_that_a_table_lacks_changes_nothing():
    assert THREE.sorted(RowOrder(9, True)) is THREE


def test_rows_hold_words_in_any_case_the_heading_and_what_they_are_about_among_them():
    assert names(THREE.holding("TON")) == ["Tone"]
    assert names(THREE.holding("trait clar")) == ["clarity"]
    assert names(table(row("x", 1, 1, 1, about="Safety")).holding("safe")) == ["x"]
    assert names(THREE.holding("")) == names(THREE)


@given(
    st.integers(20, 200),
    st.integers(0, 2),
    st.text(max_size=60),
    st.sampled_from([UNICODE, ASCII]),
)
def test_a_row_and_its_titles_are_in_line_and_show_the_figure_in_focus(
    room,
    focus,
    name,
    marks,
):
    of = table(row(name, 1, 2, 3), tags=3)
    shown = of.shown_from(focus, room)
    assert focus in shown
    drawn = drawn_row(of, of.rows[0], shown, room, focus, marks)
    titles = drawn_titles(of, shown, room, focus, marks)
    more = shown.stop < len(COLUMNS)
    assert cells(titles.left) == cells(drawn.left) + 2 + more
    wanted = sum(COLUMNS[place].width + 1 for place in shown)
    assert cells(drawn.left) <= max(room, 16 + 3 + wanted)
    assert [piece.style for piece in drawn.left].count("figure") == 1


@asynccontextmanager
async def reading(*blocks, size=(60, 20)):
    """Somebody with the tables before them; yields the list and the keys."""
    app = Stage()
    async with app.run_test(size=size) as pilot:
        lines = FigureList()
        await app.mount(lines)
        lines.show_blocks(blocks)
        lines.focus()
        await pilot.pause()
        yield lines, pilot


PLAIN = Sentences("Pace", [Sentence("fast")])


async def test_the_cursor_goes_from_figure_to_figure_and_keeps_its_column():
    async with reading(THREE, PLAIN) as (lines, pilot):
        assert (lines.here.name, lines.figure) == ("Tone", None)
        await pilot.press("right", "l", "down")
        assert (lines.here.name, lines.figure) == ("Accuracy", figure(None))
        await pilot.press("down", "left")
        assert lines.figure.rank == 10
        await pilot.press("9", "right")
        assert lines.figure.rank == 3
        await pilot.press("down")
        assert (lines.here, lines.figure, lines.table) == (None, None, None)
        await pilot.press("left", "up")
        assert lines.figure.rank == 3


async def test_a_click_goes_to_the_figure_under_it():
    async with reading(THREE) as (lines, pilot):
        width = THREE.name_width(range(3), 57)
        await pilot.click(FigureList, offset=(2 + width + 4, 3))
        assert (lines.here.name, lines.figure.rank) == ("clarity", 10)
        await pilot.click(FigureList, offset=(4, 2))
        assert (lines.here.name, lines.figure) == ("Accuracy", None)


async def test_a_click_on_a_block_that_is_gone_does_nothing():
    async with reading(THREE, THREE) as (lines, pilot):
        lines.go(1, 1)
        click = FigureList.Touched(lines, lines.cursor, 30, right=False, ctrl=False)
        lines.show_blocks([THREE])
        lines.post_message(click)
        await pilot.pause()
        assert lines.column == 0


async def test_where_there_is_no_room_the_columns_around_the_cursor_are_shown():
    wide = [FigureColumn(f"c{place}", 9) for place in range(9)]
    of = FigureTable("t", "By trait", wide, [row("one", *range(9))])
    async with reading(of, size=(50, 10)) as (lines, pilot):
        title = "".join(piece.text for piece in lines.titles(0, of).left)
        assert "c0" in title
        assert title.endswith(">")
        await pilot.press("9", "right")
        title = "".join(piece.text for piece in lines.titles(0, of).left)
        assert "c8" in title
        assert "c0" not in title
        assert "<" in title


async def test_the_cursor_stays_on_its_row_as_others_come_before_it():
    async with reading(THREE) as (lines, pilot):
        await pilot.press("down", "down")
        lines.show_blocks([THREE.sorted(RowOrder(2, True))])
        assert lines.here.name == "clarity"
        assert lines.cursor.row == 0
        lines.show_blocks([THREE])
        assert lines.cursor.row == 0, "at the top one stays at the top"


async def test_a_heading_of_its_own_takes_no_cursor_and_moves_no_figure():
    of = table(row("found", 1, 2, 3), row("missing", 4, 5, 6), named="judge")
    async with reading(of, THREE) as (lines, pilot):
        assert lines.here.name == "found"
        await pilot.press("up", "right", "down")
        assert lines.figure.rank == 4
        await pilot.press("down")
        assert lines.here.name == "Tone"
        await pilot.press("home")
        assert lines.here.name == "found"


@pytest.mark.parametrize("rows", [(), (row("a", 1, 1, 1),)])
async def test_sentences_stand_below_the_rows_and_in_the_place_of_none(rows):
    told = table(
        *rows,
        empty="There is none: J has one judged.",
        notes=["Twenty are wanted."],
    )
    async with reading(told) as (lines, _):
        below = lines.sections[0].rows
        texts = [below[at].text.strip() for at in range(len(below))]
        assert ("There is none: J has one judged." in texts) == (not rows)
        assert texts[-1] == "Twenty are wanted."
        assert lines.here is (rows[0] if rows else None)
