"""Groups of rows under one cursor, and marks on them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.containers import Vertical
from textual.content import Content
from ui_stage import HOSTILE, Stage, lines_of

from appellate.ui.grouped_rows import MORE, GroupedLines, fitting
from appellate.ui.rows import DrawnRows, Group, ListRow, RowCursor, StyledText

FRUIT = {"red": ["apple", "cherry", HOSTILE], "green": ["lime", "kiwi"], "blue": []}


class Basket(Vertical):
    """The smallest owner of rows that there can be; `said` is what the rows told it."""

    def __init__(self, id):  # noqa: A002
        super().__init__(id=id)
        self.rows = GroupedLines(self)
        self.said = []

    def compose(self):
        yield self.rows

    def fill(self, key="red", row=0):
        self.rows.things = dict(FRUIT)
        draw = lambda one: ListRow(one, sign=self.rows.sign(one))  # noqa: E731
        groups = [
            Group(key, f"{key} {len(held)}", DrawnRows(held, draw), empty="(none)")
            for key, held in FRUIT.items()
        ]
        self.rows.show_groups(groups, (key, row))

    def redraw(self):
        self.fill(self.rows.key, self.rows.index)

    def places(self, thing):
        return [thing]

    def sign_of(self, thing):
        return StyledText("?" if thing == "kiwi" else " ", "flag")

    def say(self, text):
        self.said.append(text)


@pytest.fixture
async def stage():
    app = Stage(lambda: [Basket(id="basket")])
    async with app.run_test(size=(60, 20), message_hook=app.hear) as pilot:
        app.query_one(Basket).fill()
        await pilot.pause()
        yield app.query_one(Basket)


async def test_all_groups_stand_under_headers_or_one_by_itself(stage):
    rows = stage.rows
    assert "green 2" in "\n".join(lines_of(rows))
    rows.step(4)
    assert any(line.startswith("▸?kiwi") for line in lines_of(rows))
    rows.show_alone(True)
    assert "green 2" not in "\n".join(lines_of(rows))
    assert (rows.key, rows.here) == ("green", "kiwi")
    stage.fill("blue")
    assert (rows.key, rows.here) == ("blue", None)
    stage.fill("red", 1)
    rows.show_alone(False)
    assert (rows.key, rows.here) == ("red", "cherry")
    assert "green 2" in "\n".join(lines_of(rows))


async def test_marks_are_turned_counted_and_let_go(stage):
    basket = stage
    assert basket.rows.aimed() == ["apple"]
    basket.rows.toggle_mark()
    assert (basket.rows.marked, basket.rows.here) == ({"apple"}, "cherry")
    basket.rows.toggle_mark()
    assert basket.rows.aimed() == ["cherry", "apple"]
    basket.rows.turn_mark()
    assert basket.rows.marked == set(FRUIT["red"])
    assert basket.rows.clear_marks()
    assert not basket.rows.clear_marks()
    basket.fill("blue")
    assert not basket.rows.turn_mark()
    assert basket.rows.aimed() == []
    assert basket.said[-1] == "There is no item here to mark."


def test_a_cursor_without_things_stays_where_it_is():
    rows = RowCursor(None)
    rows.things = {"blue": []}
    rows.show_groups([Group("blue", "", [])])
    rows.step(1)
    rows.step(-1)
    assert (rows.at, rows.index, rows.here) == (0, 0, None)


async def test_from_a_key_that_no_group_has_steps_count_from_the_first_group(stage):
    stage.rows.show_alone(True)
    stage.fill("white")
    assert stage.rows.here is None
    stage.rows.step_group(1)
    assert stage.rows.key == "green"


@given(st.text("ab \n[", max_size=300), st.integers(1, 40), st.integers(1, 5))
def test_what_fits_stands_whole_and_the_rest_is_cut_to_its_room(text, width, height):
    cut = fitting(Content(text), width, height)
    assert len(cut.wrap(width)) <= max(height, 1) or cut.plain.endswith(MORE)
    if len(Content(text).wrap(width)) <= height:
        assert cut.plain == text
