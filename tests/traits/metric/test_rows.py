from hypothesis import given
from hypothesis import strategies as st

from appellate.core.deciding import Receive, Undo
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import BUCKETS, Item, Labels
from appellate.traits.metric.rows import (
    all_rows,
    entries,
    excerpts_before,
    names,
    new_place,
    next_place,
    where_now,
)
from cells import CANCER, GENE, SURVIVE, Story, labels, matrix, proposal

items = st.builds(Item, st.sampled_from("abc"), st.just("tp"), st.integers(1, 2))
some = st.builds(
    Labels,
    **{bucket: st.lists(items, max_size=4).map(tuple) for bucket in BUCKETS},
)


def item_at(found, place):
    return found.bucket(place[0])[place[1]]


@given(some, some)
def test_an_item_is_followed_to_where_it_stands_now_and_no_two_to_one_place(
    before,
    now,
):
    went = where_now(before, now)
    assert len(set(went.values())) == len(went)
    assert all(
        item_at(before, place) == item_at(now, there) for place, there in went.items()
    )


@given(some)
def test_nothing_went_anywhere_where_nothing_changed(before):
    went = where_now(before, before)
    assert all(place == there for place, there in went.items())
    assert new_place(before, before, Edit("move", "tp", to="fn")) is None


def test_one_goes_on_to_the_next_that_is_there_and_back_where_none_follows():
    order = [("tp", 0), ("tp", 1), ("fn", 0)]
    went = {("tp", 1): ("tp", 0), ("fn", 0): ("fn", 1)}
    assert next_place(("tp", 1), order, went) == ("tp", 0)
    assert next_place(("tp", 0), order, went) == ("tp", 0)
    assert next_place(("fn", 0), order, {("tp", 1): ("tp", 1)}) == ("tp", 1)
    assert next_place(("tp", 7), order, went) is None
    assert next_place(("tp", 0), order, {}) is None


def test_what_arrived_is_looked_for_first_where_the_edit_was():
    one, other = Item("a"), Item("b")
    now = Labels(fn=(other,), fp=(one,))
    assert new_place(Labels(), now, Edit("move", "tp", to="fp")) == ("fp", 0)
    assert new_place(Labels(), now, Edit("add", "tp")) == ("fn", 0)


def test_lines_of_the_checklist_bear_the_marks_of_their_instructions():
    for of, shown in (("tp", ["1", "2", "3", "4"]), ("tn", ["−1", "−2"])):
        assert [entry.mark for entry in entries(matrix(), {}, of)] == shown


def test_items_are_called_by_their_marks_and_alike_ones_by_their_turn():
    found = labels(matrix(), tp=[(GENE, 1), (SURVIVE, 1), (CANCER, None)], fn=[2])
    named = names(all_rows(matrix(), found))
    assert named == {
        ("tp", 0): "1",
        ("tp", 1): "1#2",
        ("tp", 2): f"“{CANCER}”",
        ("fn", 0): "2",
    }


def test_a_row_stands_for_its_item_or_for_all_of_an_instruction():
    found = labels(matrix(), tp=[(GENE, 1), (SURVIVE, 1)])
    by_bucket = all_rows(matrix(), found)
    entry = entries(matrix(), by_bucket, "tp")[0]
    assert entry.items == tuple(by_bucket["tp"])
    assert by_bucket["tp"][0].items == (by_bucket["tp"][0],)


def entry_now(story, number=1):
    cell = story.cell
    return entries(cell.subject.trait, all_rows(cell.subject.trait, cell.labels), "tp")[
        number - 1
    ]


def test_the_excerpts_that_an_instruction_had_are_those_before_the_last_move_that_stands():
    story = Story()
    story.does(Receive(proposal()))
    assert excerpts_before(story.cell, entry_now(story)) == []
    moved = story.corrects(action="move", bucket="tp", index=0, to="fn")
    assert [item.text for item in excerpts_before(story.cell, entry_now(story))] == [
        GENE,
    ]
    assert excerpts_before(story.cell, entry_now(story, 2)) == []
    story.does(Undo(moved.n))
    assert excerpts_before(story.cell, entry_now(story)) == []
