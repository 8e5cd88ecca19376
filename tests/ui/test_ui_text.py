import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.widget import Widget
from textual.widgets import Static
from ui_stage import HOSTILE, Stage

from appellate.ui.marks import ASCII, UNICODE, progress, raised
from appellate.ui.text import (
    cell_width,
    clip,
    column,
    entitle,
    fitting,
    flat,
    inert,
    plain,
    update_text,
)
from appellate.ui.textual_compat import text_on

nasty = st.sampled_from(
    "\x00\x07\x1b\x7f\x85\x9b\xad\u034f\u061c\u115f\u200b\u200c\u200d\u200e\u2028\u202e\u2066\ufeff",
)
wide = st.sampled_from("测试，👩🇩❤\ufe0f\u0301\u1160ก\u0e31मि한가\U000e0041\U0001f3fb")
anything = st.text(
    st.one_of(
        st.characters(),
        nasty,
        wide,
        st.sampled_from(" \t\n[]/xé"),
        st.just("\ud800"),
    ),
)


@given(anything)
def test_inert_text_has_as_many_codepoints_as_the_text(text):
    assert len(inert(text)) == len(text)
    assert len(flat(text)) == len(text)


@given(anything)
def test_nothing_in_inert_text_acts_hides_or_turns(text):
    for char in inert(text):
        acts = unicodedata.category(char) in ["Cc", "Cf", "Cs", "Zl", "Zp"]
        assert char in "\t\n\u200c" or not acts, ascii(char)


@given(anything)
def test_the_width_of_inert_text_is_the_sum_of_its_codepoints_and_what_textual_thinks(
    text,
):
    shown = inert(text).replace("\t", "    ").replace("\n", "")
    assert cell_width(shown) == cell_len(shown)


@given(anything)
def test_what_is_inert_stays_as_it_is(text):
    assert inert(inert(text)) == inert(text)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_words_are_left_alone(text):
    assert inert(text) == text


@given(anything, st.integers(0, 40))
def test_a_clipped_text_fits(text, room):
    assert cell_width(clip(text, room)) <= room
    assert cell_width(clip(text, room, ASCII)) <= room
    assert cell_width(column(text, room)) == room


@given(anything, st.integers(0, 40))
def test_a_cut_parts_no_letter_from_its_marks(text, room):
    shown = flat(text)
    end = fitting(shown, room)
    assert cell_width(shown[:end]) <= room
    assert end == len(shown) or cell_width(shown[: end + 1]) > room


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb\x00", "a␛[2Jb␀"),
        ("\r\n\t", "␍\n\t"),
        ("\x9b31m\x85", "␦31m␤"),
        ("\u202eevil\u2069", "⇄evil⇄"),
        ("a\u200bb\ufeff", "a␢b␢"),
        ("👩\u200d👩", "👩␢👩"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("🇩🇪", "DE"),
        ("\ud800", "␦"),
        ("e\u0301 \u0301", "e\u0301 ◌"),
        ("z" + "\u0301" * 10, "z" + "\u0301" * 8 + "◌◌"),
        ("[b]x[/b]", "[b]x[/b]"),
    ],
)
def test_what_stands_in(text, shown):
    assert inert(text) == shown


async def test_a_title_that_stands_there_already_draws_nothing_anew():
    app = Stage(lambda: [Titled()])
    async with app.run_test() as pilot:
        widget = app.query_one(Titled)
        entitle(widget, "[b] of Queue", "3")
        await pilot.pause()
        assert (str(widget.border_title), str(widget.border_subtitle)) == (
            r"\[b] of Queue",
            "3",
        )
        widget.drawn = widget.inside = 0
        entitle(widget, "[b] of Queue", "3")
        entitle(widget, subtitle="3")
        await pilot.pause()
        assert not widget.drawn
        entitle(widget, subtitle="4")
        await pilot.pause()
        assert widget.drawn
        assert not widget.inside
        assert "4" in text_on(app.screen).splitlines()[2]
        assert (str(widget.border_title), str(widget.border_subtitle)) == (
            r"\[b] of Queue",
            "4",
        )


async def test_a_text_is_laid_out_anew_only_where_it_takes_another_number_of_rows():
    app = Stage(lambda: [Static(), Static("below")])
    async with app.run_test(size=(20, 10)) as pilot:
        (text, below), laid_out = app.query(Static), []
        app.screen.screen_layout_refresh_signal.subscribe(app, laid_out.append)

        async def show(told):
            """Where what stands below is once a text is shown, and whether that took a layout."""
            laid_out.clear()
            update_text(text, plain(told))
            await pilot.pause()
            assert text.content.plain == told
            return below.region.y, bool(laid_out)

        assert await show("one row") == (1, True)
        assert await show("one row, no more") == (1, False)
        assert await show("of words so many that they take three of the rows") == (
            3,
            True,
        )
        assert await show("two of the rows that there are") == (2, True)


class Titled(Widget):
    """A widget in a frame that counts how often it is drawn, and how many lines within it."""

    DEFAULT_CSS = "Titled { border: round white; height: 3; }"
    drawn = inside = 0

    def render_lines(self, crop):
        self.drawn += 1
        return super().render_lines(crop)

    def render_line(self, y):
        self.inside += 1
        return super().render_line(y)


def test_plain_content_is_never_markup():
    assert plain(HOSTILE).plain == inert(HOSTILE)
    assert plain("[red]x[/]").spans == []


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("测试文字", 5, "测试…"),
        ("a b c", 3, "a…"),
        ("ab", 0, ""),
    ],
)
def test_clipping_counts_cells(text, room, shown):
    assert clip(text, room) == shown


def test_a_label_behind_evidence():
    assert (raised("12"), raised("−1"), raised("")) == ("¹²", "⁻¹", "")
    assert (raised("12", ASCII), raised("−1", ASCII)) == ("^12", "^-1")
    assert (raised("0bRU"), raised("0bRU", ASCII)) == ("⁰ᵇᴿᵁ", "^0bRU")


def test_progress_is_full_only_at_the_end_and_empty_only_at_the_start():
    shown = [progress(done, 100, 4) for done in (0, 1, 50, 99, 100)]
    assert shown == ["░░░░", "▓░░░", "▓▓░░", "▓▓▓░", "▓▓▓▓"]
    assert progress(1, 0, 3) == "░░░"
    assert progress(1, 2, 4, ASCII) == "##.."


NAMES = (
    "tp fn fp tn reviewed proposed corrected failed pending flag cursor doubt split partly "
    "linked bookmark marked open"
)


def test_every_mark_has_an_ascii_twin_and_none_of_either_kind_means_two_things():
    for marks in (UNICODE, ASCII):
        assert len({getattr(marks, name) for name in NAMES.split()}) == len(
            NAMES.split(),
        )
    assert all(str(getattr(ASCII, name)).isascii() for name in ASCII._fields)
