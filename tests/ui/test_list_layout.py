from hypothesis import given
from hypothesis import strategies as st

from appellate.ui.lines import Cursor, Listed, ListRow, ListSection, RowLayout

counts = st.lists(st.integers(0, 4), min_size=1, max_size=5)


def layout(sizes, headers=True, empty="nothing"):
    made = [Listed([ListRow(str(i)) for i in range(size)]) for size in sizes]
    return RowLayout(
        [ListSection(rows, ListRow("head") if headers else None, empty) for rows in made]
    )


@given(counts, st.booleans())
def test_every_row_has_its_own_line(sizes, headers):
    placed = layout(sizes, headers)
    cursors = [Cursor(section, row) for section, size in enumerate(sizes) for row in range(size)]
    lines = [placed.y(cursor) for cursor in cursors]
    assert lines == sorted(set(lines))
    assert [placed.line(y)[1:] for y in lines] == cursors
    assert all(0 <= y < placed.height for y in lines)


@given(counts)
def test_down_from_the_first_row_passes_every_row_and_up_again(sizes):
    placed = layout(sizes)
    cursors = [Cursor(section, row) for section, size in enumerate(sizes) for row in range(size)]
    here, passed = placed.moved(Cursor(0, 0), -99), []
    for _ in cursors:
        passed.append(here)
        here = placed.moved(here, 1)
    assert passed == cursors
    assert [placed.moved(cursor, -1) for cursor in cursors[1:]] == cursors[:-1]


@given(counts, st.integers(-2, 9), st.integers(-2, 9))
def test_a_cursor_is_held_at_the_nearest_place(sizes, section, row):
    held = layout(sizes).held(Cursor(section, row))
    assert 0 <= held.section < len(sizes)
    assert 0 <= held.row < max(sizes[held.section], 1)


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
