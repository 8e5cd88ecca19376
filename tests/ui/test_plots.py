import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.ui.marks import ASCII, PLAIN, UNICODE
from appellate.ui.plots import axis, bar, columns, fewer, heights, histogram, sparkline
from appellate.ui.rendered_text import cells
from appellate.ui.text import cell_width

counted = st.lists(st.integers(0, 10**6), max_size=40)
rooms = st.integers(0, 120)
marked = st.sampled_from([UNICODE, ASCII])


def drawn(lines):
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def test_columns_stand_on_one_scale_the_highest_line_first():
    assert columns([0, 1, 4, 8], 4) == [" ▁▄█"]
    assert columns([1, 8, 16], 3, 2) == ["  █", "▁██"]
    assert columns([1, 2], 2, marks=ASCII) == [":#"]
    assert columns([1, 2], 2, top=16) == ["▁▁"]


def test_columns_are_as_wide_as_there_is_room_up_to_three_cells():
    assert columns([1, 2], 5) == ["▄▄██"]
    assert columns([1, 2], 50) == ["▄▄▄███"]


def test_where_there_is_no_room_neighbours_are_put_together():
    assert fewer([1, 2, 3, 4, 5], 3) == [3, 7, 5]
    assert columns([1, 1, 0, 1], 2) == ["█▄"]
    assert fewer([1], 0) == []


def test_an_axis_names_its_ends_and_its_middle_where_it_can():
    assert axis(20, 40) == "0                  .5                  1"
    assert axis(8, 8) == "0  .5  1"
    assert axis(4, 4) == "0  1"
    assert axis(1, 1) == axis(0, 9) == ""


def test_a_bar_grows_by_eighths():
    assert bar(4, 8, 3) == "█▌"
    assert bar(1, 1000, 3) == "▏"
    assert bar(8, 8, 3) == "███"
    assert bar(0, 8, 3) == bar(3, 0, 3) == ""
    assert bar(1, 3, 3, ASCII) == "#"


def test_a_line_over_time_keeps_its_latest_slots():
    assert sparkline([9, 1, 0, 2], 3) == "▄ █"
    assert sparkline([1, 2], 0) == sparkline([], 5) == ""


def test_two_sides_of_a_histogram_stand_above_each_other():
    shown = drawn(histogram([("audited", [0, 4, 8]), ("judge", [8, 0, 0])], 20, 1))
    assert shown == [
        "audited     ▄▄▄███",
        "",
        "judge    ███",
        "         0  .5   1",
    ]


def test_plain_output_has_words_and_figures_for_bars():
    assert bar(3, 4, 9, PLAIN) == ""
    assert sparkline([9, 1, 0, 12], 20, PLAIN) == "9 1 0 12"
    assert sparkline([9, 1, 0, 12], 5, PLAIN) == "0 12"
    shown = drawn(histogram([("audited", [0, 3, 0, 1]), ("judge", [0, 0, 0, 0])], 40, 2, PLAIN))
    assert shown == ["audited: 3 from .25, 1 from .75", "judge: none"]


@pytest.mark.parametrize("marks", [UNICODE, ASCII])
def test_every_step_of_a_ramp_is_one_cell_and_no_two_look_the_same(marks):
    for ramp in (marks.rising, marks.growing):
        assert all(cell_width(step) == 1 for step in ramp)
        assert len(set(ramp)) == len(ramp)


@given(counted, st.integers(1, 64))
def test_a_larger_count_is_never_drawn_lower_and_only_nothing_as_nothing(counts, levels):
    tall = heights(counts, levels)
    by_count = sorted(zip(counts, tall, strict=True))
    assert [height for _, height in by_count] == sorted(tall)
    assert all((height == 0) == (count == 0) and height <= levels for count, height in by_count)


@given(counted, rooms)
def test_putting_neighbours_together_loses_no_count(counts, room):
    pooled = fewer(counts, room)
    assert len(pooled) <= room
    assert sum(pooled) == (sum(counts) if room else 0)


@given(counted, rooms, st.integers(1, 5), marked)
def test_columns_and_lines_stay_in_their_room_and_show_whatever_was_counted(
    counts, room, rows, marks
):
    lines = columns(counts, room, rows, marks)
    assert len(lines) == rows
    assert all(cell_width(line) <= room for line in lines)
    assert ("".join(lines).strip() != "") == (room > 0 and sum(counts) > 0)
    assert cell_width(axis(len(counts), room)) <= room
    line = sparkline(counts, room, marks)
    assert cell_width(line) <= room
    shown = counts[-room:] if room else []
    assert [mark != " " for mark in line] == [count > 0 for count in shown]


@given(st.integers(0, 10**6), st.integers(0, 10**6), rooms, marked)
def test_a_bar_stays_in_its_room_and_is_empty_only_for_nothing(count, top, room, marks):
    shown = bar(count, top, room, marks)
    assert cell_width(shown) <= room
    assert bool(shown) == (count > 0 and top > 0 and room > 0)
    assert cell_width(bar(count + 1, top, room, marks)) >= cell_width(shown)


@given(
    st.lists(st.tuples(st.text(max_size=30), counted), max_size=3), rooms, st.integers(1, 4), marked
)
def test_a_histogram_stays_in_its_room(sides, room, rows, marks):
    lines = histogram(sides, room, rows, marks)
    assert len(lines) == len(sides) * (rows + 1) + (not sides)
    assert all(cells(line) <= room for line in lines)


def test_steps_stand_by_name_below_their_columns_and_in_words_where_there_are_no_bars():
    counts = [("standing", [2, 0, 5])]
    *_, below = histogram(counts, 60, 2, UNICODE, steps=["full", "partial", "none"])
    assert "".join(piece.text for piece in below).split() == ["full", "partial", "none"]
    ((told,),) = histogram(counts, 60, 2, PLAIN, steps=["full", "partial", "none"])
    assert told.text == "standing: 2 full, 5 none"
