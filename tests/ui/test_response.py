from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace
from textual.widgets import Static
from ui_stage import HOSTILE, Stage, TextStage, lines_of, reading

from appellate.ui.marks import raised
from appellate.ui.page import NOTHING, Spans, StyledSpan, TextPage
from appellate.ui.text import inert
from appellate.ui.text_view import ResponseView, Selection

TEXT = (
    "BCL2 is an anti-apoptotic gene that helps cells survive. It is located on chromosome 1.\n\n"
    "Venetoclax binds the protein.\n"
    + "\n".join(f"Line {number} of many." for number in range(300))
)


def span(text, style_key, mark, **more):
    start = TEXT.index(text)
    return StyledSpan(start, start + len(text), style_key, mark, **more)


SPANS = [
    span("BCL2 is an anti-apoptotic gene", "tp", raised("1"), selected=True),
    span("helps cells survive", "tp", raised("2"), dim=True),
    span("located on chromosome 1", "fp", "!"),
]


class Watched(ResponseView):
    """Counts how often a row is drawn."""

    def __init__(self, **given):
        super().__init__(**given)
        self.drawn = Counter()

    def render_line(self, y):
        self.drawn[y] += 1
        return super().render_line(y)


async def test_evidence_carries_its_mark_and_survives_without_colour():
    async with reading(TEXT, SPANS) as (app, _):
        assert (
            lines_of(app.view)[0].rstrip()
            == "BCL2 is an anti-apoptotic gene¹ that helps cells survive²."
        )
        assert "chromosome 1!." in lines_of(app.view)[1]
        drawn = {segment.text: segment.style for segment in app.view.render_line(0)}
        assert drawn["BCL2 is an anti-apoptotic gene"].reverse
        assert drawn["helps cells survive"].underline
        assert drawn["helps cells survive"].dim
        assert not drawn[" that "].underline


async def test_before_it_is_laid_out_a_response_is_blank_and_not_one_letter():
    async with reading(TEXT, SPANS) as (app, _):
        app.view.page = TextPage(app.view.page.rendered, 1, Spans())
        assert not app.view.render_line(0).text.strip()


async def test_revealing_scrolls_at_once_and_only_when_needed():
    async with reading(TEXT, SPANS) as (app, pilot):
        app.view.reveal(SPANS[2].start, SPANS[2].end)
        assert app.view.scroll_offset.y == 0
        place = TEXT.index("Line 200")
        app.view.reveal(place, place + 5)
        assert any("Line 200" in line for line in lines_of(app.view))
        here = app.view.scroll_offset.y
        app.view.set_spans([*SPANS, StyledSpan(0, 4, "tn", raised("−1"))])
        assert app.view.scroll_offset.y == here
        app.view.focus()
        await pilot.press("k", "pagedown", "home")
        assert app.view.scroll_offset.y == 0
        await pilot.press("end")
        assert lines_of(app.view)[-1].rstrip() == "Line 299 of many."


async def test_revealing_a_stretch_of_megabytes_lays_out_no_more_than_where_it_begins():
    async with reading() as (app, pilot):
        await pilot.pause()
        app.view.show("word " * 1_000_000)
        app.view.reveal(50_000, 5_000_000)
        assert app.view.page.rows.at < 100_000
        assert app.view.spot(50_000) is not None


async def test_another_item_under_the_cursor_draws_the_rows_of_both_anew_and_no_others():
    app = Stage(lambda: [Watched(id="view")])
    async with app.run_test(size=(60, 10)) as pilot:
        view = app.query_one(Watched)
        view.show(TEXT, SPANS)
        await pilot.pause()
        view.drawn.clear()
        view.set_spans(SPANS)
        await pilot.pause()
        assert not view.drawn
        here, there, last = SPANS
        view.set_spans([here, replace(there, selected=True), last])
        await pilot.pause()
        assert set(view.drawn) == {0}
        view.drawn.clear()
        view.set_spans(
            [replace(here, selected=False), there, replace(last, selected=True)],
        )
        await pilot.pause()
        assert set(view.drawn) == {0, 1}
        view.drawn.clear()
        view.set_spans([here])
        await pilot.pause()
        assert set(view.drawn) == {0, 1}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
async def test_whatever_evidence_comes_and_goes_the_screen_shows_what_a_whole_one_would(
    seed,
):
    chance = Random(seed)
    offsets = range(TEXT.index("Line 12"))
    async with reading(size=(30, 12)) as (app, pilot):
        view = app.view
        view.show(TEXT)
        await pilot.pause()
        spans = []
        for _ in range(20):
            start = chance.choice(offsets)
            one = StyledSpan(start, start + chance.randrange(40), "tp", raised("1"))
            spans = chance.sample([*spans, one], chance.randrange(len(spans) + 2))
            spans = [replace(span, selected=chance.random() < 1 / 4) for span in spans]
            view.set_spans(spans)
            await pilot.pause()
            shown = strips_of(view)
            view.refresh()
            assert shown == strips_of(view)


def strips_of(view):
    """What stands on the screen, drawn only where something had it drawn anew."""
    return [list(strip) for strip in view.render_lines(view.size.region)]


async def test_rows_that_are_out_of_sight_are_not_drawn_for_their_evidence():
    far = TEXT.index("Line 200")
    evidence = StyledSpan(far, far + 8, "tp", "1")
    app = Stage(lambda: [Watched(id="view")])
    async with app.run_test(size=(60, 10)) as pilot:
        view = app.query_one(Watched)
        view.show(TEXT, [evidence])
        await pilot.pause()
        view.drawn.clear()
        view.set_spans([replace(evidence, selected=True)])
        await pilot.pause()
        assert not view.drawn
        view.reveal(far)
        await pilot.pause()
        assert any("Line 200" in line for line in lines_of(view))


async def test_another_width_keeps_the_first_row_in_sight():
    async with reading(TEXT) as (app, pilot):
        app.view.reveal(TEXT.index("Line 150"))
        top = lines_of(app.view)[0].split(" of")[0]
        await pilot.resize_terminal(20, 10)
        await pilot.pause()
        assert lines_of(app.view)[0].startswith(top)


async def test_words_are_selected_with_few_keys_and_verdicts_reach_the_screen():
    async with reading(TEXT, size=(60, 12)) as (app, pilot):
        app.view.focus()
        await pilot.press("v")
        assert app.view.selection.text == "BCL2"
        await pilot.press("right", "w", "w", "1")
        assert app.view.selection.text == "is an anti-apoptotic"
        assert app.verdicts == 1
        await pilot.press("b", "o", "b")
        assert app.view.selection.text == "BCL2 is an"
        await pilot.press("o", "s", "j")
        assert app.view.selection.text.startswith("BCL2 is an anti-apoptotic gene that")
        assert app.heard(ResponseView.Selected)[-1].end == app.view.selection.stretch[1]
        await pilot.press("escape", "w")
        assert app.view.selection.stretch is None
        assert len(app.heard(ResponseView.SelectionEnded)) == 1


async def test_a_selection_begins_at_the_selected_evidence_and_goes_by_lines():
    async with reading(
        TEXT,
        [span("Venetoclax", "tp", "", selected=True)],
        size=(60, 12),
    ) as (
        app,
        pilot,
    ):
        app.view.focus()
        await pilot.press("v")
        assert app.view.selection.text == "Venetoclax"
        app.view.action_select("row", 1)
        assert app.view.selection.text == "Line"
        app.view.action_select("row", -1)
        app.view.action_select("row", -1)
        assert app.view.selection.text == "1"
        app.view.action_select("to row", 1)
        assert app.view.selection.text == "1.\n\nVenetoclax"
        app.view.action_select("anew", 1)
        assert app.view.selection.text == "Venetoclax"


class Reader:
    """What a selection asks of a view: here one that only holds a page."""

    text, finding, page_in_sight, headings = TEXT, NOTHING, (0, 60), ()

    def __init__(self):
        self.page = TextPage(TEXT, 60, Spans())

    def refresh(self):
        """Nothing is drawn."""

    def uncovered(self, now):
        return now

    def reveal_on_page(self, start, end):
        """Everything is in sight."""

    def selection_changed(self):
        """Nobody is told."""


def test_a_selection_goes_round_what_is_offered_and_on_from_the_first_word_of_it():
    selection = Selection(Reader())
    offers = [(one.start, one.end) for one in SPANS[:2]]
    selection.begin(offers)
    assert (selection.text, selection.offer) == (
        "BCL2 is an anti-apoptotic gene",
        (1, 2),
    )
    selection.next_offer(1)
    assert (selection.text, selection.offer) == ("helps cells survive", (2, 2))
    selection.next_offer(1)
    assert selection.stretch == offers[0]
    selection.key("character", 1)
    assert selection.text == "is"
    selection.end()
    assert (selection.text, selection.stretch, selection.offer) == ("", None, (0, 0))


def test_a_selection_goes_on_behind_the_last_one_and_is_untouched_at_first():
    selection = Selection(Reader())
    selection.begin()
    assert selection.untouched
    selection.key("word", 1)
    assert not selection.untouched
    selection.end()
    selection.begin()
    assert selection.text == "an"
    assert selection.untouched


async def test_a_drag_selects_a_double_click_takes_a_word_and_a_click_finds_evidence():
    async with reading(TEXT, SPANS, size=(60, 12)) as (app, pilot):
        await pilot.click(ResponseView, offset=(40, 0))
        assert [event.index for event in app.heard(ResponseView.SpanClicked)] == [1]
        await pilot.mouse_down(ResponseView, offset=(5, 0))
        await pilot.hover(ResponseView, offset=(9, 0))
        await pilot.mouse_up(ResponseView, offset=(9, 0))
        assert app.view.selection.text == "is an"
        app.view.selection.end()
        await pilot.click(ResponseView, offset=(33, 0), times=2)
        assert app.view.selection.text == "that"


async def drag(pilot, start, end):
    await pilot.mouse_down(ResponseView, offset=start)
    await pilot.hover(ResponseView, offset=end)
    await pilot.mouse_up(ResponseView, offset=end)


async def test_a_drag_that_begins_and_ends_within_words_takes_them_whole():
    async with reading(TEXT, SPANS, size=(30, 12)) as (app, pilot):
        assert [line.split()[0] for line in lines_of(app.view)[:2]] == ["BCL2", "gene¹"]
        await drag(pilot, (14, 0), (2, 1))
        assert app.view.selection.text == "anti-apoptotic gene"
        await drag(pilot, (27, 0), (13, 0))
        assert app.view.selection.text == "anti-apoptotic"


@pytest.mark.parametrize("width", [20, 21])
async def test_a_drag_takes_wide_letters_singly_and_none_of_the_next_row(width):
    app = TextStage()
    text = "它位于染色体十八号的长臂上，而且很稳定。"
    async with app.run_test(size=(width, 6)) as pilot:
        app.view.show(text)
        await pilot.pause()
        first = lines_of(app.view)[0].strip()
        await drag(pilot, (3, 0), (width - 2, 0))
        assert app.view.selection.text == first[1:]


@pytest.mark.parametrize("rendered", [True, False])
async def test_a_drag_takes_whole_words_of_either_face(rendered):
    async with reading(size=(60, 6)) as (app, pilot):
        app.view.set_rendered(rendered)
        app.view.show("The **BCL2 gene** is *anti*-apoptotic.")
        await pilot.pause()
        row = lines_of(app.view)[0]
        await drag(pilot, (row.index("CL2"), 0), (row.index("en"), 0))
        assert app.view.selection.text == "BCL2 gene"


async def test_two_clicks_take_a_word_and_a_third_the_sentence():
    async with reading(TEXT, size=(60, 12)) as (app, pilot):
        await pilot.click(ResponseView, offset=(12, 0), times=2)
        assert app.view.selection.text == "anti-apoptotic"
        await pilot.click(ResponseView, offset=(12, 0), times=3)
        assert (
            app.view.selection.text
            == "BCL2 is an anti-apoptotic gene that helps cells survive."
        )


@pytest.mark.parametrize(
    ("keys", "taken"),
    [
        (["l", *["shift+right"] * 3], "is an"),
        (["l", "v", *"lll"], "is an"),
        (["v", *"lll"], "BCL2 is"),
        (["shift+down"], "BCL2 is an anti-apoptotic gene that helps cells survive. It"),
    ],
)
async def test_v_and_shift_extend_what_the_arrows_began(keys, taken):
    async with reading(TEXT, size=(60, 12)) as (app, pilot):
        app.view.focus()
        await pilot.press("v", *keys)
        assert app.view.selection.text == taken


@pytest.mark.parametrize("size", [(80, 24), (3, 2), (200, 50)])
async def test_hostile_text_is_inert_whole_and_in_its_room(size):
    async with reading(size=size) as (app, pilot):
        text = HOSTILE + "\r\n" + "x" * 100_000 + "\u0301" * 100
        app.view.show(
            text,
            [
                StyledSpan(0, 40, "tp", HOSTILE),
                StyledSpan(-5, 10**9, "fp", "!"),
                StyledSpan(9, 3, "tn", "?"),
            ],
        )
        await pilot.pause()
        app.view.selection.begin()
        for y in range(app.view.size.height):
            assert (
                app.view.render_line(y).cell_length
                == app.view.scrollable_content_region.width
            )
        drawn = "".join(lines_of(app.view))
        assert "\x1b" not in drawn
        assert size[0] < 80 or inert(HOSTILE)[:30] in drawn
        app.view.selection.end()


async def test_an_empty_response_says_so():
    async with reading(size=(40, 4)) as (app, pilot):
        await pilot.pause()
        assert lines_of(app.view)[0].startswith("The response is empty.")
        assert not app.view.selection.begin()
        app.view.reveal(0, 3)
        await pilot.click(ResponseView, offset=(2, 0))


async def test_a_long_text_is_there_at_once_and_whole_soon():
    async with reading(size=(80, 24)) as (app, pilot):
        text = "word " * 200_000 + "the end"
        app.view.show(text)
        assert len(app.view.page.rows.starts) < 200
        app.view.reveal(len(text) - 3, len(text))
        assert "the end" in "".join(lines_of(app.view))
        app.view.show("short")
        await pilot.pause()
        assert app.view.virtual_size.height == 1


async def test_what_was_revealed_stays_in_sight_as_the_room_changes_until_somebody_scrolls():
    async with reading(TEXT) as (app, pilot):
        app.view.reveal(TEXT.index("Line 200"))
        for size in ((60, 5), (60, 40), (80, 4), (30, 12)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert any("Line 200" in line for line in lines_of(app.view))
        app.view.focus()
        await pilot.press("home")
        await pilot.resize_terminal(60, 8)
        await pilot.pause()
        assert app.view.scroll_offset.y == 0


async def test_a_text_can_be_shown_before_there_is_room_for_it():
    view = ResponseView()
    view.show(TEXT)
    view.reveal(TEXT.index("Line 100"))
    app = Stage(lambda: [Static("above"), view])
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        assert any("Line 100" in line for line in lines_of(view))
