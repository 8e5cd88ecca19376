"""Groups of rows under one cursor, marks on them, and what a click on a row tells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content
from ui_stage import HOSTILE, Stage, lines_of

from appellate.ui.lines import Drawn, Lines, Row
from appellate.ui.pane import MORE, Group, Pane, fitting

FRUIT = {"red": ["apple", "cherry", HOSTILE], "green": ["lime", "kiwi"], "blue": []}


class Basket(Pane):
    """The smallest pane there can be."""

    def fill(self, key="red", row=0):
        self.things = dict(FRUIT)
        groups = [
            Group(key, f"{key} {len(held)}", Drawn(held, lambda one: Row(one, self.sign(one))), empty="(none)")
            for key, held in FRUIT.items()
        ]
        self.show_groups(groups, key, row)

    def redraw(self):
        self.fill(self.key, self.lines.cursor.row)

    def detail(self):
        return Content(f"one of the {self.key}: {'long ' * 40 if self.here == 'kiwi' else 'short'}")

    def aside(self):
        return "5/5"


@pytest.fixture
def app():
    return Stage(lambda: [Basket(id="basket")])


async def test_all_groups_stand_under_headers_or_one_at_a_time_behind_tabs(app):
    async with app.run_test(size=(60, 20), message_hook=app.hear) as pilot:
        basket = app.query_one(Basket)
        basket.fill()
        await pilot.pause()
        assert "green 2" in "\n".join(lines_of(basket.lines))
        basket.one_at_a_time(one=True)
        await pilot.pause()
        assert "green 2" not in "\n".join(lines_of(basket.lines))
        basket.to_bucket(1)
        assert (basket.key, basket.here) == ("green", "lime")
        basket.to_bucket(1)
        assert (basket.key, basket.here) == ("blue", None)
        basket.to_bucket(1)
        assert basket.key == "red"
        await pilot.click("#tabs", offset=(12, 0))
        assert basket.key == "green"
        assert app.heard(Pane.Looked)


async def test_marks_are_turned_counted_and_let_go(app):
    async with app.run_test(size=(60, 20), message_hook=app.hear) as pilot:
        basket = app.query_one(Basket)
        basket.fill()
        assert basket.aimed() == ["apple"]
        basket.toggle_mark()
        assert (basket.marked, basket.here) == ({"apple"}, "cherry")
        basket.toggle_mark()
        assert basket.aimed() == ["cherry", "apple"]
        assert basket.border_subtitle == "■ 2 marked"
        basket.turn_mark()
        basket.mark_all()
        assert basket.marked == set(FRUIT["red"])
        assert basket.clear_marks()
        assert not basket.clear_marks()
        basket.fill("blue")
        assert not basket.turn_mark()
        assert basket.aimed() == []
        await pilot.pause()
        assert [one.text for one in app.heard(Pane.Told)][-1] == "There is no item here to mark."


async def test_a_click_tells_where_and_how_it_was(app):
    async with app.run_test(size=(60, 20), message_hook=app.hear) as pilot:
        basket = app.query_one(Basket)
        basket.fill()
        await pilot.pause()
        await pilot.click(Lines, offset=(5, 1))
        await pilot.click(Lines, offset=(7, 2), control=True)
        await pilot.click(Lines, offset=(9, 2), button=3, times=2)
        touched = [(one.cursor.row, one.x, one.right, one.ctrl) for one in app.heard(Lines.Touched)]
        assert touched[:3] == [(0, 5, False, False), (1, 7, False, True), (1, 9, True, False)]
        assert not app.heard(Lines.Chosen)


async def test_a_detail_that_is_longer_than_its_room_is_cut_with_a_sign_and_moves_nothing(app):
    async with app.run_test(size=(60, 20)) as pilot:
        basket = app.query_one(Basket)
        basket.fill()
        await pilot.pause()
        tall = basket.query_one("#detail").size.height
        basket.lines.action_move(4)
        await pilot.pause()
        assert basket.here == "kiwi"
        assert basket.query_one("#detail").size.height == tall
        assert str(basket.query_one("#detail").visual).endswith(MORE)


@given(st.text("ab \n[", max_size=300), st.integers(1, 40), st.integers(1, 5))
def test_what_fits_stands_whole_and_the_rest_is_cut_to_its_room(text, width, height):
    cut = fitting(Content(text), width, height)
    assert len(cut.wrap(width)) <= max(height, 1) or cut.plain.endswith(MORE)
    if len(Content(text).wrap(width)) <= height:
        assert cut.plain == text
