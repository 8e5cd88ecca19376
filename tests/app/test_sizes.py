"""How much room each pane has."""

from hypothesis import given
from hypothesis import strategies as st

from appellate.app.appearance.size_screen import BORDERS, with_border_moved
from appellate.app.appearance.sizes import (
    LEAST_ITEMS,
    LEAST_RESPONSE,
    RAIL,
    SHARE,
    THREE,
    TWO,
    Columns,
    Sizes,
)
from appellate.session.settings import Settings

borders = st.sampled_from(sorted(BORDERS))
MOVED = Sizes(30, 38, 9, 12)
wishes = st.builds(
    Sizes,
    st.just(0) | st.integers(12, 120),
    st.just(0) | st.integers(20, 70),
    st.just(9),
)


@given(borders, st.integers(-200, 200))
def test_a_border_stays_where_every_pane_can_be_read(border, by):
    size = getattr(with_border_moved(MOVED, border, by), border)
    assert BORDERS[border].least <= size <= BORDERS[border].most


@given(borders, st.integers(-3, 3))
def test_what_was_moved_can_be_moved_back(border, by):
    assert with_border_moved(with_border_moved(MOVED, border, by), border, -by) == MOVED


@given(borders)
def test_only_the_border_in_question_moves(border):
    sizes = with_border_moved(MOVED, border, 1)
    assert {
        name for name in BORDERS if getattr(sizes, name) != getattr(MOVED, name)
    } == {border}


def test_the_settings_take_what_the_arrows_give():
    settings, told = Settings(), Settings.model_json_schema()["properties"]
    assert Sizes() == tuple(getattr(settings, name) for name in Sizes._fields)
    for name, border in BORDERS.items():
        least = border.least if getattr(settings, name) else 0
        assert (told[name]["minimum"], told[name]["maximum"]) == (least, border.most)


@given(st.integers(TWO, 400), wishes)
def test_the_response_keeps_its_least_whatever_is_wished(width, sizes):
    columns = Columns.divided(width, sizes)
    assert sum(columns) == width
    assert columns.response >= max(LEAST_RESPONSE, width * SHARE)
    assert columns.items >= 19
    assert columns.queue >= RAIL


@given(st.integers(TWO, 400))
def test_without_a_wish_the_items_can_be_read_and_have_the_rest(width):
    columns = Columns.divided(width, Sizes())
    assert columns.items >= LEAST_ITEMS
    assert columns.response == max(LEAST_RESPONSE, -(-width * 45 // 100))


def test_the_queue_is_a_rail_below_three_columns_and_grows_with_the_width():
    queues = [Columns.divided(width, Sizes()).queue for width in range(TWO, 260)]
    assert set(queues[: THREE - TWO]) == {RAIL}
    assert queues == sorted(queues)
    assert Columns.divided(140, Sizes()) == (30, 63, 47)
    assert Columns.divided(200, Sizes()) == (44, 90, 66)


@given(st.integers(TWO, 400), wishes)
def test_the_arrows_begin_where_the_borders_stand(width, sizes):
    columns = Columns.divided(width, sizes)
    again = Columns.divided(width, columns.as_sizes(sizes))
    assert max(abs(one - other) for one, other in zip(columns, again, strict=True)) <= 2
