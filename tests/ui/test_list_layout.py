from hypothesis import assume, given
from hypothesis import strategies as st

from appellate.ui.row_layout import (
    LEAST,
    UNFOLDED,
    Cursor,
    RowHeight,
    RowLayout,
    SectionShape,
    fitted,
)

counts = st.lists(st.integers(0, 4), min_size=1, max_size=5)


def layout(sizes, header=True, empty=True):
    return RowLayout([SectionShape(size, header, empty) for size in sizes])


def above(firsts):
    """Headings above the first row and above these."""
    return lambda row: len([one for one in {0, *firsts} if one <= row])


@st.composite
def shapes(draw):
    """Sections of rows that take several lines each and more with the cursor on them, or one line each, and then
    with headings above groups of them or without; some rows are headings themselves.
    """
    found = []
    for _ in range(draw(st.integers(1, 4))):
        heights = []
        for _ in range(draw(st.integers(0, 4))):
            lines = draw(st.integers(1, 6))
            heights.append(RowHeight(lines, lines + draw(st.integers(0, 4))))
        taken = draw(st.sets(st.integers(0, 3)))
        whole = draw(st.booleans())
        headings = None
        if not whole and draw(st.booleans()):
            headings = above(draw(st.sets(st.integers(1, 3))))
        found.append(
            SectionShape(
                len(heights),
                draw(st.booleans()),
                draw(st.booleans()),
                heights if whole else None,
                taken.__contains__,
                headings,
            ),
        )
    return found


def rows_of(made):
    return [
        Cursor(section, row)
        for section, shape in enumerate(made)
        for row in range(shape.rows)
    ]


def cursors(made):
    return [one for one in rows_of(made) if not made[one.section].is_heading(one.row)]


@given(counts, st.booleans())
def test_every_row_has_its_own_line(sizes, header):
    placed = layout(sizes, header)
    rows = [
        Cursor(section, row)
        for section, size in enumerate(sizes)
        for row in range(size)
    ]
    lines = [placed.y(cursor) for cursor in rows]
    assert lines == sorted(set(lines))
    assert [placed.line(y)[1:3] for y in lines] == rows
    assert all(0 <= y < placed.height for y in lines)


def cut_to(made, most):
    return [
        [min(height.lines, most) for height in shape.heights or ()] for shape in made
    ]


@given(shapes(), st.integers(0, 20), st.integers(1, 8), st.booleans())
def test_every_line_belongs_to_one_row_and_the_cursor_s_row_is_whole(
    made,
    at,
    most,
    gaps,
):
    rows = rows_of(made)
    here = rows[at % len(rows)] if rows else Cursor(0, 0)
    placed = RowLayout(made, cut_to(made, most), here, gaps=gaps)
    shown = [placed.line(y) for y in range(placed.height)]
    for cursor in rows:
        top, lines = placed.y(cursor), placed.lines(cursor)
        assert [line[1:] for line in shown[top : top + lines]] == [
            (*cursor, part) for part in range(lines)
        ]
        heights = made[cursor.section].heights
        if heights is None:
            assert lines == 1
        elif cursor == here:
            assert lines == heights[cursor.row].here
        else:
            assert lines == min(heights[cursor.row].lines, most)
    of_rows = [line for line in shown if line.what == "row"]
    assert len(of_rows) == sum(placed.lines(cursor) for cursor in rows)
    assert [line.what for line in shown].count("header") == sum(
        one.has_header for one in made
    )
    assert placed.line(placed.height).what == "gap"
    for section, shape in enumerate(made):
        before = 0
        for row in range(shape.rows if shape.headings else 0):
            heading = shown[placed.y(Cursor(section, row)) - 1]
            assert (heading == ("heading", section, row, 0)) == (
                shape.headings(row) > before
            )
            before = shape.headings(row)
    headings = [
        shape.headings(shape.rows - 1)
        for shape in made
        if shape.headings and shape.rows
    ]
    assert [line.what for line in shown].count("heading") == sum(headings)


@given(shapes(), st.integers(0, 40))
def test_rows_are_cut_to_as_many_lines_each_as_there_is_room_for_wherever_the_cursor_is(
    made,
    room,
):
    fit = fitted(made, room)
    rows = rows_of(made) or [Cursor(0, 0)]
    assert (
        max(RowLayout(made, fit.lines, here, gaps=fit.gaps).height for here in rows)
        <= fit.height
    )
    heights = [height for shape in made for height in shape.heights or ()]
    lines = [one for section in fit.lines for one in section]
    cut = [
        given
        for given, height in zip(lines, heights, strict=True)
        if given < height.lines
    ]
    if not cut:
        return
    assert not fit.gaps
    assert min(cut) >= LEAST
    assert cut == sorted(cut, reverse=True)
    assert max(lines) <= min(cut) + 1
    more = cut_to(made, min(cut) + 1)
    assert max(RowLayout(made, more, here, gaps=False).height for here in rows) > room


def test_the_gaps_go_before_a_row_is_out_of_sight():
    verdicts = SectionShape(2, True, True, [RowHeight(1, 1), RowHeight(1, 1)])
    evidence = SectionShape(0, True, True, [])
    assert [fitted([verdicts, evidence], room).gaps for room in (6, 5, 4)] == [
        True,
        False,
        False,
    ]


@given(shapes(), st.integers(0, 40), st.integers(1, 4))
def test_with_more_room_the_gaps_that_were_there_stay(made, room, more):
    """As long as no more of it is kept for what the cursor unfolds."""
    assume((room + more) // UNFOLDED == room // UNFOLDED)
    assert fitted(made, room + more).gaps >= fitted(made, room).gaps


@given(shapes())
def test_down_from_the_first_row_passes_every_row_but_headings_and_up_again(made):
    placed, rows = RowLayout(made, cut_to(made, 3)), cursors(made)
    here, passed = placed.moved(Cursor(0, 0), -99), []
    if not rows:
        return
    for _ in rows:
        passed.append(here)
        here = placed.moved(here, 1)
    assert passed == rows
    assert [placed.moved(cursor, -1) for cursor in rows[1:]] == rows[:-1]
    assert placed.moved(rows[0], 99) == rows[-1]


@given(shapes(), st.integers(-2, 9), st.integers(-2, 9))
def test_a_cursor_is_held_at_the_nearest_place(made, section, row):
    held = RowLayout(made, cut_to(made, 3)).nearest(Cursor(section, row))
    assert 0 <= held.section < len(made)
    assert 0 <= held.row < max(made[held.section].rows, 1)
    if cursors(made) and made[held.section].rows:
        assert held in cursors(made)


@given(shapes(), st.integers(-3, 40), st.sampled_from((-1, 1)))
def test_the_row_at_a_line_is_the_one_that_the_line_shows_or_the_nearest(made, y, by):
    placed = RowLayout(made, cut_to(made, 3))
    found = placed.row_at(y, by)
    if not rows_of(made):
        assert found is None
        return
    assert found in (cursors(made) or rows_of(made))
    line = placed.line(y)
    if line.what in ("row", "heading") and not made[line.section].is_heading(line.row):
        assert found == Cursor(line.section, line.row)


def test_an_empty_section_has_a_place_from_which_the_next_row_is_near():
    placed = layout([1, 0, 2])
    assert placed.line(placed.y(Cursor(1, 0))).what == "empty"
    assert placed.moved(Cursor(1, 0), 1) == Cursor(2, 0)
    assert placed.moved(Cursor(1, 0), -1) == Cursor(0, 0)
    assert layout([0, 0]).moved(Cursor(1, 0), 1) == Cursor(1, 0)


def test_lines_show_headers_rows_gaps_and_sentences():
    placed = layout([1, 0])
    assert [placed.line(y).what for y in range(placed.height + 1)] == [
        "header",
        "row",
        "gap",
        "header",
        "empty",
        "gap",
    ]


@given(st.sets(st.integers(1, 99_999), max_size=40), st.integers(0, 99_999))
def test_what_a_line_of_many_rows_shows_is_found_in_few_steps(firsts, row):
    asked = []

    def headings(at):
        asked.append(at)
        return above(firsts)(at)

    placed = RowLayout([SectionShape(100_000, headings=headings)])
    y = placed.y(Cursor(0, row))
    assert placed.height == 100_001 + len(firsts)
    assert placed.line(y) == ("row", 0, row, 0)
    assert len(asked) < 40
    first = max(at for at in {0, *firsts} if at <= row)
    top = placed.top(Cursor(0, row))
    assert placed.line(top) == ("heading", 0, first, 0)


def test_the_headings_above_a_row_come_into_sight_with_it():
    placed = RowLayout([SectionShape(5, is_heading={0, 2, 3}.__contains__)])
    assert [placed.top(Cursor(0, row)) for row in (1, 4)] == [0, 2]
