import pytest
from hypothesis import given
from hypothesis import strategies as st
from ui_stage import HOSTILE, Stage, lines_of

from appellate.ui.bar import (
    Hint,
    KeyStrip,
    MetricsBar,
    Part,
    StatusStrip,
    fitting_hints,
    fitting_parts,
    hint_at,
)
from appellate.ui.figures import Figure, Figures, line, number
from appellate.ui.marks import ASCII
from appellate.ui.pieces import cells

NOW = [Figure("precision", "P", 0.75), Figure("recall", "R", 0.0, undefined=True), Figure("f1", "F1")]
JUDGE = [Figure("precision", "P", 0.5), Figure("recall", "R", 1.0), Figure("f1", "F1", 0.0)]


def told(figures, room, **more):
    return "".join(piece.text for piece in line(figures, room, **more)).rstrip()


@pytest.mark.parametrize(
    ("value", "shown"), [(0.75, ".75"), (1.0, "1.00"), (0.0, ".00"), (-0.11, "−.11"), (-0.001, ".00")]
)
def test_a_number_has_two_decimals_and_no_leading_zero(value, shown):
    assert number(value) == shown


def test_the_fullest_telling_that_fits_is_shown():
    figures = Figures(NOW, JUDGE, "instructions 6/6")
    assert told(figures, 100).startswith(" precision .75   recall 0/0   f1 –      judge .50 1.00 .00  ")
    assert told(figures, 100).endswith("instructions 6/6")
    assert told(figures, 62) == " precision .75   recall 0/0   f1 –      judge .50 1.00 .00"
    assert told(figures, 50) == " P .75  R 0/0  F1 –      judge .50 1.00 .00"
    assert told(figures, 30) == " P .75  R 0/0  F1 –"
    assert told(figures, 12) == " P .75  R 0…"


def test_differences_take_the_place_of_the_judge():
    figures = Figures([Figure("f1", "F1", 0.86, delta=0.11), Figure("recall", "R", 0.5, delta=-0.25)], JUDGE)
    assert told(figures, 80) == " f1 .75 → .86 +.11   recall .75 → .50 −.25"
    assert told(figures, 36) == " f1 .86 +.11   recall .50 −.25"
    assert told(figures, 26) == " F1 .86 +.11  R .50 −.25"
    assert told(figures, 80, marks=ASCII).endswith(".75 -> .50 -.25")


@given(st.integers(0, 120))
def test_the_bar_never_exceeds_its_room(room):
    assert cells(line(Figures([*NOW, Figure(HOSTILE, HOSTILE, 0.5)], JUDGE, HOSTILE), room)) == room


def test_keys_give_way_by_need_and_keep_their_order():
    hints = [Hint("a", "one", priority=1), Hint("b", "two", priority=9), Hint("?", "keys", priority=0)]
    assert [hint.key for hint in fitting_hints(hints, 30)] == ["a", "b", "?"]
    assert [hint.key for hint in fitting_hints(hints, 13)] == ["a", "?"]
    assert [hint.key for hint in fitting_hints(hints, 6)] == ["?"]
    assert [hint_at(hints, 13, cell) for cell in (0, 4, 5, 7, 13)] == [
        hints[0],
        hints[0],
        None,
        hints[2],
        None,
    ]


def test_parts_give_way_by_need():
    left, right = [Part("file", priority=0), Part("kept", priority=1)], [Part("ada", priority=9), Part("1/3")]
    assert fitting_parts(left, right, 40) == (left, right)
    assert fitting_parts(left, right, 15) == (left, right[1:])
    assert fitting_parts(left, right, 2) == (left[:1], [])


async def test_the_strips_draw_hostile_parts_inert_and_a_click_asks_for_an_action():
    app = Stage(lambda: [StatusStrip(), MetricsBar(), KeyStrip()])
    async with app.run_test(size=(60, 8), message_hook=app.hear) as pilot:
        app.query_one(StatusStrip).show([Part(HOSTILE, "good")], [Part("ada", "muted", 1)])
        app.query_one(MetricsBar).show(Figures([Figure(HOSTILE, "P", 0.5)], (), HOSTILE))
        app.query_one(KeyStrip).show([Hint("u", "undo", "undo"), Hint("[/x]", "[red]", "x", 1)])
        await pilot.click(KeyStrip, offset=(3, 0))
        await pilot.click(KeyStrip, offset=(40, 0))
        assert [event.action for event in app.heard(KeyStrip.Pressed)] == ["undo"]
        for kind in (StatusStrip, MetricsBar, KeyStrip):
            assert "\x1b" not in lines_of(app.query_one(kind))[0]
        assert lines_of(app.query_one(KeyStrip))[0].rstrip() == " u undo  [/x] [red]"
