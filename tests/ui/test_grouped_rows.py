"""Groups of rows under one cursor, marks on them, and what a click on a row tells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.containers import Vertical
from textual.content import Content
from ui_stage import HOSTILE, Stage, lines_of

from appellate.ui.grouped_rows import MORE, GroupedRows, fitting
from appellate.ui.lines import Lines
from appellate.ui.rows import DrawnRows, Group, ListRow, StyledText

FRUIT = {"red": ["apple", "cherry", HOSTILE], "green": ["lime", "kiwi"], "blue": []}


class Basket(Vertical):
    """The smallest owner of rows that there can be; `said` and `heard` are what the rows told it."""

    def __init__(self, id):  # noqa: A002
        super().__init__(id=id)
        self.rows = GroupedRows(self)
        self.said, self.heard = [], []

    def compose(self):
        yield self.rows

    def fill(self, key="red", row=0):
        self.rows.things = dict(FRUIT)
        self.rows.key = key
        draw = lambda one: ListRow(one, sign=self.rows.sign(one))  # noqa: E731
        groups = [
            Group(key, f"{key} {len(held)}", DrawnRows(held, draw), empty="(none)")
            for key, held in FRUIT.items()
        ]
        self.rows.show_groups(groups, row)

    def redraw(self):
        self.fill(self.rows.key, self.rows.lines.cursor.row)

    def notice(self):
        return StyledText("there is a kiwi" if self.rows.here == "kiwi" else "", "text-muted")

    def aside(self):
        return "5/5"

    def places(self, thing):
        return [thing]

    def sign_of(self, thing):
        return StyledText("?" if thing == "kiwi" else " ", "flag")

    def say(self, text):
        self.said.append(text)

    def looked(self):
        self.heard.append("looked")

    def choose(self):
        self.heard.append("choose")

    def menu(self):
        self.heard.append("menu")

    def touched(self, x):
        self.heard.append(("touched", x))


@pytest.fixture
async def stage():
    app = Stage(lambda: [Basket(id="basket")])
    async with app.run_test(size=(60, 20), message_hook=app.hear) as pilot:
        app.query_one(Basket).fill()
        await pilot.pause()
        yield app, pilot, app.query_one(Basket)


async def test_all_groups_stand_under_headers_or_one_at_a_time_behind_tabs(stage):
    _, pilot, basket = stage
    assert "green 2" in "\n".join(lines_of(basket.rows.lines))
    basket.rows.one_at_a_time(one=True)
    await pilot.pause()
    assert "green 2" not in "\n".join(lines_of(basket.rows.lines))
    basket.rows.step_group(1)
    assert (basket.rows.key, basket.rows.here) == ("green", "lime")
    basket.rows.step_group(1)
    assert (basket.rows.key, basket.rows.here) == ("blue", None)
    basket.rows.step_group(1)
    assert basket.rows.key == "red"
    await pilot.click("#tabs", offset=(12, 0))
    assert basket.rows.key == "green"
    assert "looked" in basket.heard


async def test_marks_are_turned_counted_and_let_go(stage):
    _, _, basket = stage
    assert basket.rows.aimed() == ["apple"]
    basket.rows.toggle_mark()
    assert (basket.rows.marked, basket.rows.here) == ({"apple"}, "cherry")
    basket.rows.toggle_mark()
    assert basket.rows.aimed() == ["cherry", "apple"]
    assert basket.border_subtitle == "■ 2 marked"
    basket.rows.turn_mark()
    basket.rows.mark_all()
    assert basket.rows.marked == set(FRUIT["red"])
    assert basket.rows.clear_marks()
    assert not basket.rows.clear_marks()
    basket.fill("blue")
    assert not basket.rows.turn_mark()
    assert basket.rows.aimed() == []
    assert basket.said[-1] == "There is no item here to mark."


async def test_a_click_tells_where_and_how_it_was(stage):
    app, pilot, basket = stage
    await pilot.click(Lines, offset=(5, 1))
    await pilot.click(Lines, offset=(7, 2), control=True)
    await pilot.click(Lines, offset=(9, 2), button=3, times=2)
    touched = [(one.cursor.row, one.x, one.right, one.ctrl) for one in app.heard(Lines.Touched)]
    assert touched[:3] == [(0, 5, False, False), (1, 7, False, True), (1, 9, True, False)]
    assert not app.heard(Lines.Chosen)
    assert basket.heard == [("touched", 3), "looked", "menu", "menu"]


async def test_a_notice_takes_room_only_while_it_has_something_to_say(stage):
    _, pilot, basket = stage
    tall = basket.rows.lines.size.height
    basket.rows.lines.action_move(4)
    await pilot.pause()
    assert basket.rows.here == "kiwi"
    assert any(line.startswith("▸?kiwi") for line in lines_of(basket.rows.lines))
    assert basket.rows.lines.size.height == tall - 1
    assert str(basket.query_one("#notice").visual) == "there is a kiwi"
    basket.rows.lines.action_move(-1)
    await pilot.pause()
    assert basket.rows.lines.size.height == tall


async def test_a_range_is_marked_going_and_from_the_last_mark_to_here(stage):
    _, _, basket = stage
    basket.rows.mark_to_here()
    assert basket.rows.marked == {"apple"}
    basket.rows.lines.action_move(3)
    basket.rows.mark_to_here()
    assert basket.rows.marked == {"apple", "cherry", HOSTILE, "lime"}
    basket.rows.clear_marks()
    basket.rows.mark_going(1)
    assert (basket.rows.marked, basket.rows.here) == ({"lime", "kiwi"}, "kiwi")
    basket.rows.mark_going(-1)
    basket.rows.mark_going(-1)
    assert (basket.rows.marked, basket.rows.here) == ({HOSTILE, "lime", "kiwi"}, HOSTILE)
    basket.fill("blue")
    basket.rows.mark_to_here()
    assert basket.said[-1] == "There is no item here to mark."


@given(st.text("ab \n[", max_size=300), st.integers(1, 40), st.integers(1, 5))
def test_what_fits_stands_whole_and_the_rest_is_cut_to_its_room(text, width, height):
    cut = fitting(Content(text), width, height)
    assert len(cut.wrap(width)) <= max(height, 1) or cut.plain.endswith(MORE)
    if len(Content(text).wrap(width)) <= height:
        assert cut.plain == text
