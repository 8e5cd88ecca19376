from hypothesis import given
from hypothesis import strategies as st

from appellate.traits.metric import item_actions
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import BUCKETS, Item, Labels

items = st.builds(Item, st.sampled_from("abc"), st.just("tp"), st.integers(1, 2))
some = st.builds(Labels, **{bucket: st.lists(items, max_size=4).map(tuple) for bucket in BUCKETS})


def item_at(labels, place):
    return labels.bucket(place[0])[place[1]]


@given(some, some)
def test_an_item_is_followed_to_where_it_stands_now_and_no_two_to_one_place(before, now):
    went = item_actions.followed(before, now)
    assert len(set(went.values())) == len(went)
    assert all(item_at(before, place) == item_at(now, there) for place, there in went.items())


@given(some)
def test_nothing_went_anywhere_where_nothing_changed(labels):
    went = item_actions.followed(labels, labels)
    assert all(place == there for place, there in went.items())
    assert item_actions.arrived(labels, labels, Edit("move", "tp", to="fn")) is None


def test_one_goes_on_to_the_next_that_is_there_and_back_where_none_follows():
    order = [("tp", 0), ("tp", 1), ("fn", 0)]
    went = {("tp", 1): ("tp", 0), ("fn", 0): ("fn", 1)}
    assert item_actions.onward(("tp", 1), order, went) == ("tp", 0)
    assert item_actions.onward(("tp", 0), order, went) == ("tp", 0)
    assert item_actions.onward(("fn", 0), order, {("tp", 1): ("tp", 1)}) == ("tp", 1)
    assert item_actions.onward(("tp", 7), order, went) is None


def test_what_arrived_is_looked_for_first_where_the_edit_was():
    one, other = Item("a"), Item("b")
    now = Labels(fn=(other,), fp=(one,))
    assert item_actions.arrived(Labels(), now, Edit("move", "tp", to="fp")) == ("fp", 0)
    assert item_actions.arrived(Labels(), now, Edit("add", "tp")) == ("fn", 0)
