import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.ui import selecting
from appellate.ui.selecting import (
    Selecting,
    next_word,
    previous_word,
    sentence_at,
    step,
    trimmed,
)

TEXT = "BCL2 is an anti-apoptotic gene. Dr. Smith (et al.) didn't say 0.05%!\n\nIt binds 测试 cells."
prose = st.text(st.sampled_from("ab.- '\n测\u0301👩!\ud800"), max_size=60)


def picked(now):
    return TEXT[slice(*now.stretch(TEXT))]


def words(text):
    offset, found = 0, []
    while word := next_word(text, offset):
        found.append(word)
        offset = word[1]
    return found


def test_words_are_what_a_reader_would_call_words():
    assert [TEXT[a:b] for a, b in words(TEXT)][:5] == [
        "BCL2",
        "is",
        "an",
        "anti-apoptotic",
        "gene",
    ]
    assert [TEXT[a:b] for a, b in words(TEXT)][7:12] == [
        "et",
        "al",
        "didn't",
        "say",
        "0.05",
    ]
    assert [TEXT[a:b] for a, b in words(TEXT)][14:] == ["测", "试", "cells"]
    assert words("… — !?") == [(0, 1), (2, 3), (4, 6)]


@given(prose)
def test_words_are_the_same_from_either_end(text):
    offset, found = len(text), []
    while word := previous_word(text, offset):
        found.append(word)
        offset = word[0]
    assert found[::-1] == words(text)


@given(prose, st.integers(0, 60))
def test_a_sentence_is_solid_and_holds_or_follows_the_offset(text, offset):
    found = sentence_at(text, offset)
    if found is None:
        assert not text[offset:].strip()
    else:
        start, end = found
        assert start < end
        assert end > min(offset, len(text) - 1) or not text[offset:end].strip()
        assert text[start:end] == text[start:end].strip()


@given(prose, st.integers(0, 60), st.lists(st.sampled_from("wbsjkhlov<>"), max_size=12))
def test_every_key_leaves_something_selected_inside_the_text(text, offset, keys):
    now = selecting.placed(text, min(offset, len(text)))
    for key in keys:
        if now is None:
            assert not words(text)
            return
        now = pressed(text, now, key)
        assert 0 <= now.start < now.end <= len(text)
        start, end = now.stretch(text) or (now.start, now.end)
        assert now.start <= start < end <= now.end


@given(
    st.one_of(prose, st.just("see " + "x" * 40 + " end")),
    st.integers(0, 60),
    st.lists(st.sampled_from("wbhljko"), max_size=8),
)
def test_a_row_up_or_down_never_moves_a_side_the_other_way(text, offset, keys):
    now = selecting.placed(text, min(offset, len(text)))
    for key in keys:
        if now is None:
            return
        edge = now.edge
        now = pressed(text, now, key)
        if key == "j":
            assert now.edge >= edge
        if key == "k":
            assert now.edge <= edge


def test_from_a_word_of_several_rows_a_row_up_or_down_leads_on():
    text = "see " + "x" * 200 + " end"
    long_word = selecting.placed(text, 100)
    assert picked_from(text, long_word.shifted_to(text, 164)) == "see"
    assert picked_from(text, selecting.placed(text, 0).by_row(text, 40)) == text[:204]
    started = long_word.extended().turned()
    assert started.by_row(text, 0).start == 0
    inside = long_word.by_character(text, -50)
    assert inside.by_row(text, 110) == inside


def picked_from(text, selection):
    return text[selection.start : selection.end]


def pressed(text, now, key):
    match key:
        case "w" | "b":
            return now.by_word(text, 1 if key == "w" else -1)
        case "s":
            return now.by_sentence(text)
        case "j" | "k":
            return now.by_row(text, max(0, now.edge + (15 if key == "j" else -15)))
        case "h" | "l":
            return now.by_character(text, 1 if key == "l" else -1)
        case "<" | ">":
            return now.shifted(text, 1 if key == ">" else -1)
        case "o":
            return now.turned()
        case _:
            return selecting.placed(text, now.edge - now.ahead) or now


def test_words_extend_and_shrink_but_never_to_nothing():
    now = selecting.placed(TEXT, 0)
    more = now.by_word(TEXT, 1).by_word(TEXT, 1)
    assert picked(more) == "BCL2 is an"
    less = more.by_word(TEXT, -1).by_word(TEXT, -1).by_word(TEXT, -1)
    assert picked(less) == "BCL2"


def test_the_other_end_moves_after_it_was_turned():
    now = selecting.placed(TEXT, 6).by_word(TEXT, 1).turned()
    assert picked(now.by_word(TEXT, -1)) == "BCL2 is an"
    assert picked(now.by_word(TEXT, 1)) == "an"
    assert picked(now.by_character(TEXT, -1)) == "is an"


def test_a_sentence_is_taken_whole_and_then_the_next():
    now = selecting.placed(TEXT, 12).by_sentence(TEXT)
    assert picked(now) == "BCL2 is an anti-apoptotic gene."
    assert picked(now.by_sentence(TEXT)).endswith("say 0.05%!")
    back = selecting.placed(TEXT, TEXT.index("say")).turned()
    assert picked(back.by_sentence(TEXT)).startswith("Dr. Smith")


def test_a_fresh_word_goes_aside_without_growing():
    now = selecting.placed(TEXT, 0)
    assert picked(now.shifted(TEXT, 1)) == "is"
    assert now.shifted(TEXT, -1) == now
    assert now.shifted(TEXT, 1).fresh


def test_characters_are_stepped_with_their_marks():
    assert step("e\u0301x", 0, 1) == 2
    assert step("e\u0301x", 2, -1) == 0
    assert step("ab", 2, 1) == 2


@pytest.mark.parametrize(
    ("pressed", "released", "taken"),
    [
        (TEXT.index("poptotic"), TEXT.index("ene."), "anti-apoptotic gene"),
        (TEXT.index("ene."), TEXT.index("poptotic"), "anti-apoptotic gene"),
        (TEXT.index(" is an"), TEXT.index(" anti"), "is an"),
        (TEXT.index("gene."), TEXT.index(". Dr"), "gene."),
        (TEXT.index("inds"), TEXT.index("测"), "binds 测"),
        (TEXT.index("%!"), TEXT.index("It binds"), "%!\n\nIt"),
    ],
)
def test_a_pointer_takes_whole_words_at_both_ends(pressed, released, taken):
    now = selecting.dragged(TEXT, pressed, released)
    assert picked(now) == taken
    assert now.ahead == (released >= pressed)


@given(prose.filter(bool), st.data())
def test_no_drag_parts_a_word(text, data):
    where = st.integers(0, len(text) - 1)
    now = selecting.dragged(text, data.draw(where), data.draw(where))
    assert all(
        end <= now.start or start >= now.end or now.start <= start <= end <= now.end
        for start, end in words(text)
    )


def test_two_clicks_take_a_word_and_three_a_sentence():
    assert (
        picked(selecting.clicked(TEXT, TEXT.index("poptotic"), 2)) == "anti-apoptotic"
    )
    assert (
        picked(selecting.clicked(TEXT, TEXT.index("poptotic"), 3))
        == "BCL2 is an anti-apoptotic gene."
    )
    assert selecting.clicked("", 0, 3) is None


def test_a_hit_is_where_a_fresh_selection_begins_and_to_where_an_extended_one_reaches():
    gene = TEXT.index("ene"), TEXT.index("ene") + 3
    fresh = selecting.placed(TEXT, 0)
    assert picked(fresh.to_hit(TEXT, gene)) == "gene"
    assert fresh.to_hit(TEXT, gene).fresh
    assert (
        picked(fresh.extended().to_hit(TEXT, gene)) == "BCL2 is an anti-apoptotic gene"
    )
    far = selecting.placed(TEXT, TEXT.index("Smith")).extended()
    assert picked(far.to_hit(TEXT, gene)) == "gene. Dr. Smith"
    back = far.to_hit(TEXT, gene)
    assert (
        picked(back.to_hit(TEXT, (TEXT.index("say"), TEXT.index("say") + 2)))
        == "Smith (et al.) didn't say"
    )


def test_trimming_leaves_no_white_space_at_the_ends():
    assert trimmed("  ab ", 0, 5) == (2, 4)
    assert Selecting(0, 3).stretch("   ") is None
