import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.app.numbers.session import bar, heights, session_of, sparkline
from appellate.core.deciding import Correct
from appellate.session.review_session import ReviewSession
from appellate.traits.metric.edits import Edit
from appellate.ui.marks import ASCII, PLAIN, UNICODE
from appellate.ui.text import cell_width
from cells import bench, proposal, trace

counted = st.lists(st.integers(0, 10**6), max_size=40)
rooms = st.integers(0, 120)
marked = st.sampled_from([UNICODE, ASCII])


def test_a_bar_grows_by_eighths():
    assert bar(4, 8, 3) == "█▌"
    assert bar(1, 1000, 3) == "▏"
    assert bar(8, 8, 3) == "███"
    assert bar(0, 8, 3) == bar(3, 0, 3) == ""
    assert bar(1, 3, 3, ASCII) == "#"


def test_a_line_over_time_keeps_its_latest_slots():
    assert sparkline([9, 1, 0, 2], 3) == "▄ █"
    assert sparkline([1, 2], 0) == sparkline([], 5) == ""


def test_plain_output_has_words_and_figures_for_bars():
    assert bar(3, 4, 9, PLAIN) == ""
    assert sparkline([9, 1, 0, 12], 20, PLAIN) == "9 1 0 12"
    assert sparkline([9, 1, 0, 12], 5, PLAIN) == "0 12"


@pytest.mark.parametrize("marks", [UNICODE, ASCII])
def test_every_step_of_a_ramp_is_one_cell_and_no_two_look_the_same(marks):
    for ramp in (marks.rising, marks.growing):
        assert all(cell_width(step) == 1 for step in ramp)
        assert len(set(ramp)) == len(ramp)


@given(counted, st.integers(1, 64))
def test_a_larger_count_is_never_drawn_lower_and_only_nothing_as_nothing(
    counts,
    levels,
):
    tall = heights(counts, levels)
    by_count = sorted(zip(counts, tall, strict=True))
    assert [height for _, height in by_count] == sorted(tall)
    assert all(
        (height == 0) == (count == 0) and height <= levels for count, height in by_count
    )


@given(counted, rooms, marked)
def test_a_line_stays_in_its_room_and_shows_whatever_was_counted(counts, room, marks):
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


def test_the_session_has_states_and_what_was_done(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        session = ReviewSession(at)
        for number in (1, 2):
            at.receive(number, proposal())
        at.do(1, Correct(Edit.from_row({"action": "drop", "bucket": "tp"})))
        progress, states, done = session_of(session, at.workspace.totals(), 80, UNICODE)
    assert progress.texts[0].text.startswith("0 of 2 cells signed off  0 %")
    (corrected,) = (row for row in states.rows if row.name == "corrected")
    assert [one.text for one in corrected.figures[:2]] == [
        "1",
        "edited, not signed off",
    ]
    told = " ".join(one.text for one in done.texts)
    assert "1 correction (1 drop TP)." in told
    assert "2 cells left." in told
