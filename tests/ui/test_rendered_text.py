from itertools import chain, repeat
from time import monotonic

import pytest
from msgspec.structs import replace
from textual import _time
from textual.events import MouseScrollDown
from textual.geometry import Offset
from ui_stage import reading

from appellate.ui.page import Spans, StyledSpan
from appellate.ui.text_view import ResponseView

TEXT = (
    "# Title\n\n**BCL2** is an *anti-apoptotic* gene. See [the label](http://x.y).\n\n"
    "- It helps **cells** survive\n- It is on chromosome 1\n\n"
    "| Drug | Dose |\n|---|--:|\n| **A** | 400 mg |\n\n"
    + "\n".join(f"* Line **{n}** of many." for n in range(300))
)
LONG = "\n\n".join(
    f"Paragraph **{n}** of [many](http://x.y) and `so` on." for n in range(3_000)
)


def span(words, style_key="tp", mark="", **more):
    start = TEXT.index(words)
    return StyledSpan(start, start + len(words), style_key, mark, **more)


def drawn(app, row):
    return [(part.text, part.style) for part in app.view.render_line(row)]


def evident(app, style="tp"):
    """What is drawn as evidence, row by row."""
    page = app.view.page
    runs = [run for row in range(len(page.rows.starts)) for run in page.runs(row)]
    return [
        run.shown
        for run in runs
        if run.span and not run.mark and run.span.style_key == style
    ]


async def test_evidence_is_marked_in_both_faces():
    async with reading(size=(60, 20)) as (app, _):
        spans = [
            span("**BCL2** is an *anti", "tp", "¹"),
            span("cells** survive\n- It is", "fn"),
            span("400 mg", "fp"),
        ]
        app.view.show(TEXT, spans)
        assert app.lines[:3] == [
            "# Title",
            "",
            "**BCL2** is an *anti¹-apoptotic* gene. See [the",
        ]
        app.view.set_rendered(True)
        assert app.view.rendered
        assert app.lines[:5] == [
            "Title",
            "",
            "BCL2 is an anti¹-apoptotic gene. See the label",
            "(http://x.y).",
            "",
        ]
        assert "".join(evident(app)) == "BCL2 is an anti"
        assert evident(app, "fn") == ["cells", " survive", " It is"]
        assert evident(app, "fp") == ["400 mg"]
        app.view.set_spans([span("[the label]", "tn")])
        assert evident(app, "tn") == ["the label"]
        app.view.set_rendered(False)
        assert evident(app, "tn") == ["[the", "label]"]


async def test_evidence_of_nothing_but_syntax_is_still_to_be_seen():
    async with reading(
        TEXT,
        [StyledSpan(TEXT.index("**BCL2"), TEXT.index("BCL2"), "tp", "¹")],
        size=(60, 20),
    ) as (app, _):
        app.view.set_rendered(True)
        assert evident(app) == ["B"]


async def test_what_is_selected_in_the_rendered_face_is_a_slice_of_the_source():
    async with reading(TEXT, [span("helps", selected=True)], size=(60, 20)) as (
        app,
        pilot,
    ):
        app.view.set_rendered(True)
        app.view.focus()
        assert app.view.selection.begin()
        await pilot.press("w", "w")
        assert app.view.selection.text == "helps **cells** survive"
        assert TEXT[slice(*app.view.selection.stretch)] == app.view.selection.text
        told = app.heard(ResponseView.Selected)[-1]
        assert TEXT[told.start : told.end] == app.view.selection.text
        app.view.set_rendered(False)
        assert app.view.selection.text == "helps **cells** survive"
        await pilot.press("escape")
        app.view.set_rendered(True)
        await pilot.click(ResponseView, offset=(12, 2), times=2)
        assert app.view.selection.text == "anti-apoptotic"


async def test_the_reading_place_stays_when_faces_change_however_often():
    async with reading(TEXT) as (app, _):
        app.view.reveal(TEXT.index("Line **150**"))
        app.view.action_roll(4)
        first = app.lines[0]
        for _ in range(3):
            app.view.set_rendered(True)
            assert app.lines[0] == first.replace("*", "•", 1).replace("**", "")
            app.view.set_rendered(False)
            assert app.lines[0] == first


async def test_what_was_brought_into_sight_stays_there_in_the_other_face():
    async with reading(TEXT, size=(30, 5)) as (app, _):
        app.view.reveal(TEXT.index("400 mg"), TEXT.index("400 mg") + 6)
        app.view.set_rendered(True)
        assert any("400 mg" in line for line in app.lines)


def stalling(monkeypatch):
    """Textual finds a second gone by between any two of its next looks at the clock."""
    seconds = chain(range(20), repeat(20))
    monkeypatch.setattr(_time, "get_time", lambda: monotonic() + next(seconds))


async def test_a_long_text_is_raw_until_its_face_is_there():
    async with reading(rendered=True) as (app, pilot):
        app.view.show(LONG)
        assert app.lines[0].startswith("Paragraph **0** of [many]")
        app.view.reveal(LONG.index("**2000**"))
        await app.until_heard(ResponseView.Rendered)
        await pilot.pause()
        assert any("Paragraph 2000 of many" in line for line in app.lines)
        app.view.show("**short**")
        assert app.lines[0] in ("short", "**short**")


@pytest.mark.slow
async def test_a_face_made_beside_the_screen_is_put_on_though_the_machine_stalls_as_it_is_awaited(
    monkeypatch,
):
    async with reading(rendered=True) as (app, pilot):
        stalling(monkeypatch)
        app.view.show(LONG)
        await app.until_heard(ResponseView.Rendered)
        await pilot.pause()
        assert not app.view.page.rendered.raw


async def test_all_of_a_text_is_wrapped_though_the_machine_stalls_between_two_slices(
    monkeypatch,
):
    async with reading() as (app, pilot):
        stalling(monkeypatch)
        app.view.show(LONG)
        assert not app.view.page.rows.whole
        while not app.view.page.rows.whole:
            await pilot.pause()


async def test_a_text_beyond_all_measure_stays_raw():
    async with reading("**More** and more.\n\n" * 25_000, rendered=True) as (app, _):
        assert not app.view.reads_as_markdown
        assert app.lines[0] == "**More** and more."


async def test_tables_are_laid_out_anew_for_another_width():
    async with reading(
        "| Drug | Dose and when |\n|---|---|\n| A | 400 mg |\n",
        size=(60, 20),
        rendered=True,
    ) as (app, pilot):
        assert app.lines[0] == "Drug │ Dose and when"
        await pilot.resize_terminal(16, 20)
        await pilot.pause()
        assert "  Dose and when: 400 mg" not in app.lines  # too wide for that
        assert app.lines[0].startswith("Drug │")
        assert "A" in [line.strip() for line in app.lines]


async def test_a_search_marks_all_hits_and_goes_from_one_to_the_next():
    async with reading(TEXT) as (app, _):
        assert not app.view.searching
        assert app.view.search("LINE **1") == 111
        assert app.view.searching
        assert app.view.next_hit(1) == (2, 111)
        assert app.view.next_hit(-1) == (1, 111)
        assert app.view.next_hit(-1) == (111, 111)
        assert any("Line **199**" in line for line in app.lines)
        assert app.view.search("nowhere") == 0
        assert app.view.next_hit(1) == (0, 0)
        app.view.end_search()
        assert not app.view.searching
        assert app.view.next_hit(1) == (0, 0)
        assert app.view.search("  ") == 0


async def test_a_search_finds_what_one_sees_and_goes_on_in_the_other_face():
    async with reading(TEXT) as (app, _):
        assert app.view.search("bcl2 is an") == 0
        app.view.set_rendered(True)
        assert app.view.next_hit(1) == (1, 1)
        assert app.view.search("line") == 300
        app.view.next_hit(5)
        app.view.set_rendered(False)
        assert app.view.next_hit(1) == (7, 300)


async def test_a_search_begins_at_the_top_of_what_is_in_sight():
    async with reading(TEXT) as (app, _):
        app.view.reveal(TEXT.index("Line **200**"))
        app.view.action_roll(3)
        first = int(app.lines[0].split("**")[1])
        app.view.search("line")
        assert app.view.next_hit(0) == (first + 1, 300)


async def test_hits_and_the_one_one_is_at_are_told_apart_without_colour():
    async with reading("one two one", [StyledSpan(4, 7, "tp", dim=True)]) as (app, _):
        app.view.search("one")
        first, _, _, _, other, *_ = drawn(app, 0)
        assert first[1].reverse
        assert not other[1].reverse
        assert other[1].underline
        assert other[1].italic


async def test_walking_goes_through_the_evidence_in_the_order_of_the_text_and_round():
    async with reading() as (app, _):
        places = [
            span("chromosome 1"),
            span("BCL2"),
            StyledSpan(5, 2, "tp"),
            span("Line **250**"),
            span("BCL2** is an"),
        ]
        app.view.show(TEXT, places)
        chosen = app.view.walk(1)
        assert chosen == 1
        seen = []
        for by in (1, 1, 1, 1, -1):
            app.view.set_spans(
                [
                    replace(place, selected=index == chosen)
                    for index, place in enumerate(places)
                ],
            )
            chosen = app.view.walk(by)
            seen.append(chosen)
        assert seen == [4, 0, 3, 1, 3]
        assert any("Line **250**" in line for line in app.lines)
        app.view.set_spans([])
        assert app.view.walk(1) is None


async def test_walking_begins_at_what_is_in_sight():
    async with reading(
        TEXT,
        [span("BCL2"), span("Line **100**"), span("Line **250**")],
    ) as (
        app,
        _,
    ):
        app.view.reveal(TEXT.index("Line **180**"))
        assert app.view.walk(-1) == 1
        app.view.reveal(TEXT.index("Line **180**"))
        assert app.view.walk(1) == 2


def test_clicks_go_round_the_evidence_that_lies_over_each_other():
    places = [StyledSpan(0, 30, "tp"), StyledSpan(2, 20, "fp"), StyledSpan(5, 9, "fn")]
    seen, chosen = [], None
    for _ in range(4):
        given = [
            replace(place, selected=index == chosen)
            for index, place in enumerate(places)
        ]
        seen.append(chosen := Spans(given).next_at(6))
    assert seen == [2, 1, 0, 2]
    assert Spans(places).next_at(40) is None


async def test_a_click_on_evidence_that_is_selected_says_what_lies_below():
    async with reading() as (app, pilot):
        app.view.show(
            "word " * 20,
            [StyledSpan(0, 30, "tp"), StyledSpan(2, 20, "fp", selected=True)],
        )
        await pilot.click(ResponseView, offset=(6, 0))
        assert [event.index for event in app.heard(ResponseView.SpanClicked)] == [0]


async def test_where_evidence_lies_over_evidence_shows_without_colour():
    async with reading() as (app, _):
        app.view.show(
            "one two three",
            [StyledSpan(0, 7, "tp"), StyledSpan(4, 13, "fp", selected=True)],
        )
        first, both, second, *_ = drawn(app, 0)
        assert [bool(part[1].underline2) for part in (first, both, second)] == [
            False,
            True,
            False,
        ]
        assert [bool(part[1].reverse) for part in (first, both, second)] == [
            False,
            True,
            True,
        ]


@pytest.mark.parametrize("rendered", [False, True])
async def test_the_spot_of_an_offset_is_where_it_is_drawn(rendered):
    async with reading(TEXT) as (app, _):
        app.view.set_rendered(rendered)
        spot = app.view.spot(TEXT.index("anti"))
        assert app.lines[spot.y][spot.x :].startswith("anti-apoptotic")
        assert app.view.spot(TEXT.index("Line **290**")) is None
        assert app.view.spot(0) == Offset(0, 0)
        app.view.show("")
        assert app.view.spot(0) is None


async def test_the_wheel_scrolls():
    async with reading(TEXT) as (app, pilot):
        await pilot._post_mouse_events([MouseScrollDown], ResponseView)
        await pilot.pause()
        assert app.view.scroll_offset.y > 0
