"""A row's paragraphs, wrapped and cut."""

from hypothesis import example, given
from hypothesis import strategies as st
from ui_stage import HOSTILE

from appellate.ui.lines import WrappedRow
from appellate.ui.rendered_text import cells
from appellate.ui.rows import StyledText
from appellate.ui.text import alike_beginnings

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
    row,
    under,
    first,
    width,
):
    wrapped = WrappedRow(row, under, first=first, width=width)
    lines = wrapped.whole()
    assert len(lines) == wrapped.height_here
    assert cells(lines[0]) <= first
    assert all(cells(line) <= width for line in lines[1:])
    alone = WrappedRow(row, first=first, width=width)
    assert wrapped.shown(9_999) == alone.whole() == lines[: wrapped.height]
    if all(is_plain(piece.text) for one in row for piece in one):
        assert letters("".join(text_of(alone.whole()))) == letters(
            "".join(text_of(row)),
        )


@example([[StyledText("é ◌ می\u200cخواهم a\tb")]], 8, 2)
@example([[StyledText(HOSTILE)]], 23, 6)
@given(paragraphs, st.integers(6, 30), st.integers(2, 6))
def test_what_is_cut_has_so_many_lines_and_a_sign_at_the_end_of_what_goes_on(
    row,
    width,
    most,
):
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
    assert text_of(wrapped.shown(5)) == [
        "aa aa",
        "aa aa aa",
        "aa",
        "bb bb bb",
        "bb bb b…",
    ]


def test_a_paragraph_of_megabytes_is_cut_with_what_is_left_out():
    row = WrappedRow(
        [[StyledText("word " * 2_000_000)], [StyledText("below")]],
        first=30,
        width=30,
    )
    *_, last, below = ["".join(piece.text for piece in line) for line in row.whole()]
    assert row.height < 1_000
    assert last.endswith("9,980,000 more characters")
    assert below == "below"


def test_what_is_left_out_counts_all_pieces_of_a_paragraph():
    pieces = [StyledText("word " * 4_100), StyledText("key", "key"), StyledText("end")]
    row = WrappedRow([pieces], first=30, width=30)
    lines = ["".join(piece.text for piece in line) for line in row.whole()]
    assert " ".join(lines).endswith("… 506 more characters")


def apart(*texts, most, width, below=(), is_seen=False):
    """What rows of these texts show in so many lines."""
    rows = []
    for text in texts:
        paragraphs = [[StyledText(text)], *([StyledText(one)] for one in below)]
        rows.append(WrappedRow(paragraphs, first=width, width=width, is_seen=is_seen))
    for row, alike in zip(rows, alike_beginnings(texts), strict=True):
        row.tell_apart(alike)
    return [text_of(row.shown(most)) for row in rows]


def test_a_row_that_begins_as_another_is_cut_in_its_middle_and_shows_what_is_its_own():
    effects = "Side effects of Escitalopram include"
    assert apart(
        f"{effects} headache",
        f"{effects} heartburn and sleep",
        most=1,
        width=30,
    ) == [
        ["Side effects of Esci… headache"],
        ["Side effects… heartburn and…"],
    ]


def test_a_row_whose_own_words_are_in_sight_is_cut_at_its_end():
    assert apart("aa bb cc dd ee", "aa xx cc dd ee", most=1, width=9) == [
        ["aa bb cc…"],
        ["aa xx cc…"],
    ]


def test_a_row_that_is_the_beginning_of_another_shows_its_last_word():
    assert apart("one two three", "one two three four", most=1, width=10) == [
        ["one… three"],
        ["one… four"],
    ]


def test_what_is_seen_elsewhere_gives_its_line_to_a_second_one_of_the_text():
    row = {"most": 2, "width": 6, "below": ["below"]}
    assert apart("aa bb cc dd", **row) == [["aa bb…", "below"]]
    assert apart("aa bb cc dd", **row, is_seen=True) == [["aa bb", "cc dd"]]
    assert apart("aa", **row, is_seen=True) == [["aa", "below"]]
    assert apart("aa bb cc dd ee ff", **row | {"most": 3}, is_seen=True) == [
        ["aa bb", "cc dd…", "below"],
    ]


alike = st.lists(
    st.text("ab ", min_size=1, max_size=40).map(str.strip).filter(bool),
    min_size=2,
    max_size=6,
)


@given(alike, st.integers(8, 30), st.integers(1, 3))
def test_rows_that_are_told_apart_keep_to_their_lines(texts, width, most):
    for lines in apart(*texts, most=most, width=width):
        assert len(lines) <= most
        assert all(len(line) <= width for line in lines)
