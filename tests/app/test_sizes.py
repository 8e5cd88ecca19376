"""How much room each pane has."""

from hypothesis import given
from hypothesis import strategies as st

from appellate.app.sizes import BORDERS, Sizes
from appellate.settings import Settings

borders = st.sampled_from(sorted(BORDERS))


@given(borders, st.integers(-200, 200))
def test_a_border_stays_where_every_pane_can_be_read(border, by):
    moved = getattr(Sizes().moved(border, by), border)
    assert BORDERS[border].least <= moved <= BORDERS[border].most


@given(borders, st.integers(-3, 3))
def test_what_was_moved_can_be_moved_back(border, by):
    assert Sizes().moved(border, by).moved(border, -by) == Sizes()


@given(borders)
def test_only_the_border_in_question_moves(border):
    moved = Sizes().moved(border, 1)
    assert {name for name in BORDERS if getattr(moved, name) != getattr(Sizes(), name)} == {border}


def test_the_settings_take_what_the_arrows_give():
    settings, told = Settings(), Settings.model_json_schema()["properties"]
    assert Sizes() == tuple(getattr(settings, name) for name in Sizes._fields)
    for name, border in BORDERS.items():
        assert (told[name]["minimum"], told[name]["maximum"]) == (border.least, border.most)
