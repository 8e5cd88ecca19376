from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.ui.page import Spans, StyledSpan, TextPage, Wrapping, drawn_end
from appellate.ui.text import cell_width, inert

prose = st.text(st.sampled_from("aaab  \n\té测试，👩\u0301\r\x1b-"), max_size=120)
rooms = st.integers(1, 24)
marks = st.lists(
    st.tuples(st.integers(1, 120), st.integers(1, 3)),
    unique_by=lambda mark: mark[0],
    max_size=6,
)


def wrapped(text, room, extras=()):
    rows = Wrapping(text, room, extras)
    rows.extend(lambda: False)
    return rows


def shown(rows):
    return [rows.text[slice(*rows.bounds(row))] for row in range(len(rows.starts))]


@given(prose, rooms, marks)
def test_the_rows_cover_the_text_exactly(text, room, extras):
    assert "".join(shown(wrapped(text, room, extras))) == text


@given(prose, rooms)
def test_no_row_is_wider_than_its_room_but_for_one_character(text, room):
    rows = wrapped(text, room)
    for row in range(len(rows.starts)):
        start, end = rows.bounds(row)
        drawn = inert(text[start : drawn_end(text, start, end)])
        drawn = drawn.removesuffix(" ") if cell_width(drawn) > room else drawn
        assert (
            cell_width(drawn) <= room
            or sum(1 for char in drawn if cell_width(char)) == 1
        )


@given(prose, rooms)
def test_a_newline_ends_a_row_and_nothing_else_stands_behind_it(text, room):
    for row in shown(wrapped(text, room)):
        assert "\n" not in row[:-1]


@given(prose, rooms, marks, marks, st.integers(0, 8))
@example(text="aaaaaaa", room=2, before=[(2, 1)], after=[], found=4)
def test_other_marks_lead_to_the_same_rows_as_wrapping_anew(
    text,
    room,
    before,
    after,
    found,
):
    rows = Wrapping(text, room, before)
    rows.extend_rows(found)
    rows.mark(after)
    rows.extend(lambda: False)
    assert list(rows.starts) == list(wrapped(text, room, after).starts)


@given(prose, rooms, st.integers(0, 120))
def test_an_offset_is_in_its_row(text, room, offset):
    rows = Wrapping(text, room)
    rows.extend_past(offset)
    if offset < len(text):
        start, end = rows.bounds(rows.row_of(offset))
        assert start <= offset < end


def test_words_stay_whole_and_the_space_hangs():
    assert shown(wrapped("one two three", 7)) == ["one two ", "three"]
    assert shown(wrapped("abcdefghij k", 4)) == ["abcd", "efgh", "ij k"]
    assert shown(wrapped("测试。文字", 4)) == ["测", "试。", "文字"]


def test_a_mark_goes_down_with_the_word_before_it():
    assert shown(wrapped("one two", 7, [(7, 1)])) == ["one ", "two"]


def test_a_piece_of_a_long_paragraph_is_no_row_end():
    text = "word " * 20_000
    assert set(map(len, shown(wrapped(text, 24))[:-1])) == {25}
    assert set(map(len, shown(wrapped("é" + text, 25))[1:-1])) == {25}


def test_a_mark_in_a_megabyte_without_a_gap_moves_a_bounded_number_of_rows():
    rows = wrapped("x" * 200_000, 20)
    before = list(rows.starts)
    rows.mark([(100, 1)])
    assert "".join(shown(rows)) == rows.text
    assert rows.starts[-100:].tolist() == before[-100:]


@given(prose, rooms)
def test_cell_and_offset_are_each_others_inverse(text, room):
    page = TextPage(
        text,
        room,
        Spans([StyledSpan(0, len(text), "tp", "1"), StyledSpan(1, 4, "fp", "−12")]),
    )
    page.rows.extend(lambda: False)
    for row in range(len(page.rows.starts)):
        start, end = page.rows.bounds(row)
        solid = len(inert(text[start : drawn_end(text, start, end)]).rstrip(" "))
        for offset in range(start, start + solid):
            if cell_width(inert(text[start : offset + 1])) > cell_width(
                inert(text[start:offset]),
            ):
                assert page.offset_at(row, page.cell_of(row, offset)) == offset


@given(
    prose,
    rooms,
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), max_size=5),
)
def test_a_row_shows_its_text_and_the_marks_are_the_only_addition(text, room, places):
    spans = Spans([StyledSpan(a, b, "tp", str(i)) for i, (a, b) in enumerate(places)])
    page = TextPage(text, room, spans)
    page.rows.extend(lambda: False)
    for row in range(len(page.rows.starts)):
        start, end = page.rows.bounds(row)
        drawn = (
            inert(text[start : drawn_end(text, start, end)])
            .rstrip(" ")
            .replace("\t", "    ")
        )
        assert "".join(run.shown for run in page.runs(row) if not run.mark) == drawn


def test_marks_stand_behind_the_evidence_apart_from_each_other():
    page = TextPage(
        "one two three",
        40,
        Spans(
            [
                StyledSpan(0, 7, "tp", "¹"),
                StyledSpan(4, 7, "fp", "²"),
                StyledSpan(8, 13, "tn", "³"),
            ],
        ),
    )
    page.rows.extend(lambda: False)
    assert "".join(run.shown for run in page.runs(0)) == "one two¹,² three³"
    assert [
        run.span.style_key for run in page.runs(0) if run.span and not run.mark
    ] == [
        "tp",
        "fp",
        "tn",
    ]


def test_the_selected_span_is_on_top_then_the_shorter_one():
    spans = Spans(
        [
            StyledSpan(0, 9, "tp"),
            StyledSpan(3, 5, "fp"),
            StyledSpan(2, 8, "tn", selected=True),
        ],
    )
    assert spans.over(4, 5)[-1] == 2
    assert Spans([StyledSpan(0, 9, "tp"), StyledSpan(3, 5, "fp")]).over(4, 5) == [0, 1]
    assert not spans.over(9, 10)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=8),
    st.integers(0, 30),
    st.integers(1, 9),
)
def test_the_spans_over_a_stretch_are_those_that_touch_it(places, start, length):
    spans = Spans([StyledSpan(a, b, "tp") for a, b in places])
    touching = {
        i
        for i, (a, b) in enumerate(places)
        if a < b and a < start + length and b > start
    }
    assert set(spans.over(start, start + length)) == touching


lying = st.lists(
    st.builds(
        StyledSpan,
        st.integers(0, 9),
        st.integers(0, 9),
        st.just("tp"),
        st.sampled_from(["", "¹"]),
    ),
    max_size=6,
)


@given(lying, lying, st.sets(st.integers(0, 5)))
def test_spans_that_follow_others_are_as_if_they_were_alone(before, others, selected):
    turned = [
        replace(one, selected=place in selected) for place, one in enumerate(before)
    ]
    for given_now in (others, turned, before):
        first, alone = Spans(before), Spans(given_now)
        following = first.followed_by(given_now)
        assert following.in_order == alone.in_order
        assert following.extras == alone.extras
        for offset in range(10):
            assert following.over(offset, offset + 1) == alone.over(offset, offset + 1)
            assert following.marked(offset, 10) == alone.marked(offset, 10)
        changed, all_changed = (
            following.changed_from(first),
            alone.changed_from(Spans(before)),
        )
        if all_changed is not None:
            assert set(changed) == set(all_changed)
