"""A row's paragraphs, wrapped and cut."""

from hypothesis import given
from hypothesis import strategies as st
from ui_stage import HOSTILE

from appellate.ui.lines import WrappedRow
from appellate.ui.rendered_text import cells
from appellate.ui.rows import StyledText

words = st.one_of(st.text("ab ", max_size=60), st.just(HOSTILE), st.text(max_size=12))
paragraphs = st.lists(
    st.lists(st.builds(StyledText, words, st.sampled_from(("", "tp"))), max_size=2),
    min_size=1,
    max_size=3,
)


def text_of(lines):
    return ["".join(piece.text for piece in line) for line in lines]


def is_plain(text):
    """Whether all of it is shown as it is: control characters have signs of their own."""
    return text.isascii() and text.isprintable()


def letters(text):
    return "".join(text.split())


@given(paragraphs, paragraphs, st.integers(6, 30), st.integers(6, 30))
def test_all_of_every_paragraph_stands_on_its_lines_and_no_line_is_wider_than_its_room(
    row, under, first, width
):
    wrapped = WrappedRow(row, under, first=first, width=width)
    lines = wrapped.whole()
    assert len(lines) == wrapped.height_here
    assert cells(lines[0]) <= first
    assert all(cells(line) <= width for line in lines[1:])
    alone = WrappedRow(row, first=first, width=width)
    assert wrapped.shown(9_999) == alone.whole() == lines[: wrapped.height]
    if all(is_plain(piece.text) for one in row for piece in one):
        assert letters("".join(text_of(alone.whole()))) == letters("".join(text_of(row)))


@given(paragraphs, st.integers(6, 30), st.integers(2, 6))
def test_what_is_cut_has_so_many_lines_and_a_sign_at_the_end_of_what_goes_on(row, width, most):
    wrapped = WrappedRow(row, first=width, width=width)
    lines = wrapped.shown(most)
    assert len(lines) == min(wrapped.height, most)
    assert all(cells(line) <= width for line in lines)


def test_the_text_comes_first_and_what_is_below_keeps_a_line():
    row = [[StyledText("aa " * 6)], [StyledText("bb " * 6, "tp")], [StyledText("cc")]]
    wrapped = WrappedRow(row, first=5, width=8)
    assert wrapped.height == 6
    assert text_of(wrapped.shown(2)) == ["aa a…", "bb bb b…"]
    assert text_of(wrapped.shown(3)) == ["aa aa", "aa aa a…", "bb bb b…"]
    assert text_of(wrapped.shown(5)) == ["aa aa", "aa aa aa", "aa", "bb bb bb", "bb bb b…"]


def test_a_paragraph_of_megabytes_is_cut_with_what_is_left_out():
    row = WrappedRow([[StyledText("word " * 2_000_000)], [StyledText("below")]], first=30, width=30)
    *_, last, below = ["".join(piece.text for piece in line) for line in row.whole()]
    assert row.height < 1_000
    assert last.endswith("9,980,000 more characters")
    assert below == "below"
