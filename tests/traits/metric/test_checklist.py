"""The checklist: every instruction's standing, and what turning a line means."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.deciding import Receive
from appellate.core.problem import Refused
from appellate.traits.metric import edits, wanted_edits
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import BUCKETS, Labels
from appellate.traits.metric.ledger import lists
from appellate.traits.metric.pane import offers
from appellate.traits.metric.pane_items import CellItems
from appellate.traits.metric.rows import (
    entries,
    found_again,
    other_items,
    rows,
    where_now,
)
from appellate.ui.marks import UNICODE
from appellate.ui.pane import Looking
from appellate.ui.rows import RowCursor
from cells import (
    CANCER,
    GENE,
    PLACE,
    SURVIVE,
    TRACE,
    Story,
    checklist,
    item,
    labels,
    marks,
    matrix,
    proposal,
)

WORDS = (GENE, SURVIVE, CANCER, PLACE, "words that nobody wrote")
WORKED = labels(
    matrix(), tp=[(GENE, 1), (SURVIVE, 2), (CANCER, 3)], fn=[4], fp=[(PLACE, -1)], tn=[-2]
)


def listed(trait, found):
    return {name: rows(trait, found, name) for name in BUCKETS}


def standings(trait, found):
    """How every instruction stands."""
    shown = [one for of in lists(trait) for one in entries(trait, listed(trait, found), of)]
    return {(one.of, one.number): one.standing for one in shown}


def entry(trait, found, mark):
    of, number = ("tp", mark) if mark > 0 else ("tn", -mark)
    return entries(trait, listed(trait, found), of)[number - 1]


def done(trait, found, wished, span=None):
    """The labels after what is wished, with the evidence that it asks for."""
    for edit in wanted_edits.with_evidence(wished, span):
        now = found_again(edit, found, found)
        found = edits.apply(trait, TRACE, found, now).labels
    return found


def turn(trait, found, mark, span=None):
    return done(trait, found, wanted_edits.toggled(entry(trait, found, mark)), span)


# -- how instructions stand ---------------------------------------------------------------------------


def test_every_instruction_stands_somewhere_or_is_open():
    assert list(standings(matrix(), WORKED).values()) == [
        "found",
        "found",
        "found",
        "missing",
        "present",
        "absent",
    ]
    assert set(standings(matrix(), Labels()).values()) == {"open"}


def test_an_instruction_in_both_buckets_is_told_as_such():
    both = labels(matrix(), tp=[(GENE, 1)], fn=[1])
    assert standings(matrix(), both)["tp", 1] == "both"


def test_a_tp_only_trait_has_no_line_for_tn_and_sets_wrong_candidates_other_items():
    found = labels(
        checklist(), tp=[(GENE, 1)], fn=[4], fp=[(PLACE, 4), (SURVIVE, "~1"), (CANCER, None)]
    )
    assert list(standings(checklist(), found)) == [("tp", number) for number in range(1, 5)]
    assert [row.item.text for row in other_items(checklist(), listed(checklist(), found))] == [
        PLACE,
        SURVIVE,
        CANCER,
    ]


def test_what_answers_no_instruction_of_a_full_matrix_is_set_other_items():
    found = labels(matrix(), tp=[(GENE, None), (SURVIVE, 2)], fp=[(PLACE, "~1"), (CANCER, -1)])
    assert [row.item.text for row in other_items(matrix(), listed(matrix(), found))] == [
        GENE,
        PLACE,
    ]


# -- turning ------------------------------------------------------------------------------------------


def test_found_turns_to_missing_and_present_to_absent():
    assert marks(turn(matrix(), WORKED, 2)) == {"tp": [1, 3], "fn": [2, 4], "fp": [-1], "tn": [-2]}
    assert marks(turn(matrix(), WORKED, -1)) == {"tp": [1, 2, 3], "fn": [4], "tn": [-1, -2]}


def test_of_several_excerpts_all_but_one_are_dropped_before_the_move():
    several = labels(matrix(), tp=[(GENE, 1), (SURVIVE, 1), (CANCER, 1)], fn=[2, 3, 4], tn=[-1, -2])
    wished = wanted_edits.toggled(entry(matrix(), several, 1))
    assert [(edit.action, edit.index) for edit in wished] == [("drop", 2), ("drop", 1), ("move", 0)]
    assert marks(done(matrix(), several, wished))["fn"] == [1, 2, 3, 4]


def test_what_is_found_and_missing_keeps_the_side_that_is_asked_for():
    both = labels(matrix(), tp=[(GENE, 1)], fn=[1])
    line = entry(matrix(), both, 1)
    assert marks(done(matrix(), both, wanted_edits.turned(line, "tp"))) == {"tp": [1]}
    assert marks(done(matrix(), both, wanted_edits.turned(line, "fn"))) == {"fn": [1]}


def test_a_wrong_candidate_of_a_tp_only_trait_is_right_after_all_without_asking():
    found = labels(checklist(), fn=[4], fp=[(PLACE, 4)])
    wished = wanted_edits.moved(rows(checklist(), found, "fp")[0], "tp")
    assert wanted_edits.link_to_pick(checklist(), [wished]) is None
    assert not wanted_edits.lacks_evidence(wished)
    assert marks(done(checklist(), found, wished)) == {"tp": [4]}


def test_missing_to_found_wants_evidence():
    assert wanted_edits.lacks_evidence(wanted_edits.toggled(entry(matrix(), WORKED, 4)))


def test_what_stands_nowhere_is_missing_or_absent_first_and_found_with_evidence():
    nothing = Labels()
    assert marks(turn(matrix(), nothing, 2)) == {"fn": [2]}
    assert marks(turn(matrix(), nothing, -1)) == {"tn": [-1]}
    wished = wanted_edits.turned(entry(matrix(), nothing, 2), "tp")
    assert done(matrix(), nothing, wished, (0, 4)).tp == (item("BCL2", 2),)
    with pytest.raises(Refused, match="put it into TP or FN"):
        wanted_edits.turned(entry(matrix(), nothing, 2), "tn")


@st.composite
def found_labels(draw, trait):
    """Any labels that a judge or a person could have left, breaches and all."""
    numbers = st.sampled_from([*range(1, 5), None])
    minus = st.sampled_from([-1, -2, "~1", None])
    tp = draw(st.lists(st.tuples(st.sampled_from(WORDS), numbers), max_size=6))
    fp = draw(st.lists(st.tuples(st.sampled_from(WORDS), minus), max_size=4))
    fn = draw(st.lists(st.integers(1, 4), unique=True))
    tn = draw(st.lists(st.sampled_from([-1, -2]), unique=True))
    return labels(trait, tp=tp, fp=fp, fn=fn, tn=tn)


@settings(deadline=None, max_examples=75)
@given(found=found_labels(matrix()), mark=st.sampled_from([1, 2, 3, 4, -1, -2]))
def test_turned_twice_with_the_evidence_kept_it_stands_as_it_stood(found, mark):
    line = entry(matrix(), found, mark)
    span = next((row.item.span for row in line.excerpts[:1]), None) or (0, 4)
    once = turn(matrix(), found, mark, span)
    twice = turn(matrix(), once, mark, span)
    where = (line.of, line.number)
    others = {key: value for key, value in standings(matrix(), found).items() if key != where}
    for after in (once, twice):
        assert {
            key: value for key, value in standings(matrix(), after).items() if key != where
        } == others
    expected = {"both": {"found", "present"}, "open": {"found", "present"}}.get(
        line.standing, {line.standing}
    )
    assert standings(matrix(), twice)[where] in expected
    assert standings(matrix(), once)[where] != standings(matrix(), twice)[where]


@settings(deadline=None, max_examples=50)
@given(found=found_labels(matrix()))
def test_every_item_stands_on_exactly_one_line_or_other_items(found):
    shown = listed(matrix(), found)
    on_lines = [
        row.place
        for of in ("tp", "tn")
        for one in entries(matrix(), shown, of)
        for row in one.items
    ]
    aside = [row.place for row in other_items(matrix(), shown)]
    every = [row.place for held in shown.values() for row in held]
    assert sorted(on_lines + aside) == sorted(every)


# -- several, and again -------------------------------------------------------------------------------


@settings(deadline=None, max_examples=50)
@given(found=found_labels(matrix()), data=st.data())
def test_marks_follow_their_items_wherever_an_edit_puts_the_others(found, data):
    places = [(name, index) for name in BUCKETS for index in range(len(found.bucket(name)))]
    if not places:
        return
    marked = data.draw(st.sets(st.sampled_from(places)))
    bucket, index = data.draw(st.sampled_from(places))
    after = edits.apply(matrix(), TRACE, found, Edit("drop", bucket, index)).labels
    went = where_now(found, after)
    kept = [place for place in marked if place in went]
    assert len(kept) >= len(marked) - 1
    for name, at in kept:
        assert went[name, at][0] == name
        assert after.bucket(name)[went[name, at][1]] == found.bucket(name)[at]


def test_an_edit_finds_its_item_again_after_others_moved_it():
    row = rows(matrix(), WORKED, "tp")[2]
    (wished,) = wanted_edits.moved(row, "fn")
    now = edits.apply(matrix(), TRACE, WORKED, Edit("drop", "tp")).labels
    assert found_again(wished, WORKED, now).index == 1


def test_the_last_correction_is_wished_again_with_its_link():
    row = rows(matrix(), WORKED, "tp")[0]
    last = edits.Edit("move", "tp", 1, "fp", of="tn", instruction=2)
    (edit,) = wanted_edits.repeated(last, row)
    assert (edit.index, edit.to, edit.link, edit.seen) == (0, "fp", ("tn", 2), GENE)
    (relinked,) = wanted_edits.repeated(edits.Edit("relink", "tp", 1, of="tp", instruction=4), row)
    assert relinked.link == ("tp", 4)
    (dropped,) = wanted_edits.repeated(edits.Edit("drop", "fn", 3), row)
    assert dropped.bucket == "tp"
    for action in ("add", "reword", "split", "merge"):
        with pytest.raises(Refused, match="only moves, drops and links"):
            wanted_edits.repeated(edits.Edit(action, "tp"), row)


def test_a_move_that_took_evidence_asks_for_evidence_again():
    row = rows(matrix(), WORKED, "fn")[0]
    with_words = edits.Edit("move", "fn", 0, "tp", start=0, end=4)
    assert wanted_edits.lacks_evidence(wanted_edits.repeated(with_words, row))


def test_wishes_that_lack_different_things_are_refused_together():
    fn, fp = rows(matrix(), WORKED, "fn")[0], rows(matrix(), WORKED, "fp")[0]
    with pytest.raises(Refused, match="one bucket at a time"):
        wanted_edits.link_to_pick(
            matrix(), [wanted_edits.moved(fn, "tp"), wanted_edits.moved(fp, "tp")]
        )


def offered(story, *place):
    """What the menu offers on an item, or on the first instruction."""
    review = Looking(UNICODE, lambda: None, lambda _: None)
    review.readonly = False
    items = CellItems(review, RowCursor)
    items.show(story.cell, fresh=True)
    if place:
        items.go(*place)
    return list(offers(items, repeat=False))


def test_the_menu_offers_what_can_be_done_and_nothing_else():
    story = Story()
    assert offered(story) == [
        "item.turn",
        "move.tp",
        "move.fn",
        "text.select",
        "item.missing",
        "view",
    ]
    story.does(Receive(proposal()))
    moves = ["move.fn", "move.fp", "item.drop", "item.deny"]
    assert offered(story, "tp", 0)[:5] == ["text.evidence", *moves]
    assert {"item.reword", "item.split"} <= set(offered(story, "tp", 0))
    assert offered(story, "fn", 0)[:3] == ["move.tp", "item.deny", "item.relink"]
    mending = {f"item.{action}" for action in ("reword", "split", "merge", "missing", "drop")}
    assert not mending & set(offered(story, "fn", 0))
