"""What is wanted of items: the instruction and the words that are still to be picked, and the questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.kind import Instruction
from appellate.core.problem import Refused
from appellate.traits.metric import KIND, edits
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import Labels
from appellate.traits.metric.ledger import STANDS, buckets_of
from appellate.traits.metric.rows import all_rows, entries, rows
from appellate.traits.metric.wanted_edits import (
    LinkChoice,
    denied,
    edit_of,
    lacks_evidence,
    likely_links,
    link_question,
    link_to_pick,
    meant_link,
    moved,
    open_links,
    repeated,
    ruled,
    split_at_bar,
    toggled,
    turned,
    with_evidence,
    with_link,
)
from cells import CANCER, EXPECTED, GENE, PLACE, SURVIVE, TRACE, checklist, labels, matrix

FULL, ONLY = matrix(), checklist()
WORKED = labels(FULL, tp=[(GENE, 1), (SURVIVE, 2), (CANCER, 3)], fn=[4], fp=[(PLACE, -1)], tn=[-2])


def first(bucket, trait=FULL, found=WORKED):
    return rows(trait, found, bucket)[0]


@pytest.mark.parametrize(
    ("trait", "edits", "choice"),
    [
        (FULL, (Edit("add", "tp", start=0, end=4),), LinkChoice(("tp",), "none for now")),
        (FULL, (Edit("add", "fp", start=0, end=4),), LinkChoice(("tn", "fp"), "none for now")),
        (FULL, (edit_of("relink", first("tp")),), LinkChoice(("tp",), "none")),
        (FULL, (edit_of("relink", first("fn")),), LinkChoice(("tp",), "")),
        (FULL, moved(first("fp"), "tp"), LinkChoice(("tp",), "none for now")),
        (
            FULL,
            moved(first("tp"), "fp"),
            LinkChoice(("tn", "fp"), "none: wrong, but not on the list"),
        ),
        (ONLY, moved(first("tp"), "fp"), None),
        (FULL, moved(first("tp"), "fn"), None),
    ],
)
def test_an_instruction_is_picked_from_the_lists_that_the_bucket_answers(trait, edits, choice):
    assert link_to_pick(trait, [edits]) == choice


def test_what_was_picked_is_given_to_the_edits_that_lack_it_alone():
    linked = with_link((edit_of("relink", first("tp")), edit_of("drop", first("fn"))), ("tp", 4))
    assert [edit.link for edit in linked] == [("tp", 4), None]
    evidenced = with_evidence((*moved(first("fn"), "tp"), *moved(first("tp"), "fn")), (0, 4))
    assert [edit.start for edit in evidenced] == [0, None]


@pytest.mark.parametrize(
    ("action", "count", "question"),
    [
        ("move", 1, "Which instruction is it about?"),
        ("move", 3, "Which instruction are all 3 about?"),
        ("relink", 1, "Link it to"),
        ("relink", 2, "Link all 2 to"),
        ("add", 1, "Which instruction does it answer?"),
    ],
)
def test_an_instruction_is_asked_for_in_a_sentence_for_one_item_or_several(action, count, question):
    assert link_question(action, count) == question


def test_the_likeliest_instruction_comes_first_and_the_own_one_before_it():
    found = likely_links(FULL, Labels(), ["tp", "tn"], "BCL2 is on chromosome 18")
    assert found[0].text == EXPECTED[3]
    assert found[0].likely > found[-1].likely
    assert len(found) == 6
    own = likely_links(FULL, Labels(), ["tp"], "BCL2 is on chromosome 18", ("tp", 2))
    assert own[0].link == ("tp", 2)


def test_instructions_that_an_excerpt_answers_come_last_with_their_buckets():
    found = likely_links(FULL, WORKED, ["tp"], GENE)
    assert (found[0].link, found[0].where) == (("tp", 4), "FN")
    assert {one.where for one in found[1:]} == {"TP"}


def test_an_instruction_that_stands_nowhere_can_be_added():
    some = labels(FULL, tp=[(GENE, 1)], fn=[2], tn=[-1])
    assert [one.link for one in open_links(FULL, some, ("tp", 4))] == [
        ("tp", 4),
        ("tp", 3),
        ("tn", 2),
    ]
    assert open_links(FULL, WORKED, None) == []


def test_an_item_is_split_where_one_bar_is_put_into_its_text_and_nothing_else_is_changed():
    edit = Edit("split", "tp", seen="anti-apoptotic gene")
    assert split_at_bar(edit, "anti-apoptotic| gene").cut == len("anti-apoptotic")
    for answered in ("anti-apoptotic gene", "anti|apoptotic gene", "anti-|apoptotic| gene"):
        with pytest.raises(Refused, match="change nothing else"):
            split_at_bar(edit, answered)


# -- an instruction answered otherwise -------------------------------------------------------------

SPAN = (0, 4)


def applied(found, wanted, trait=FULL):
    """The labels after the edits, one after the other; words of the response bear out what needs any."""
    for one in wanted:
        (edit,) = with_evidence((one,), SPAN) if lacks_evidence((one,)) else (one,)
        found = edits.apply(trait, TRACE, found, edits.permit(trait, TRACE, found, edit)).labels
    return found


def lines(found, of):
    """The checklist of a list's instructions."""
    return entries(FULL, all_rows(FULL, found), of)


def standing(found, entry):
    """How an instruction stands, by its list and number."""
    again = {one.link: one for one in lines(found, entry.of)}
    return again[entry.link].standing


EXCERPTS = [(GENE, 1), (SURVIVE, 1), (CANCER, 2), (PLACE, None)]
ANY = st.builds(
    lambda tp, fn, fp, tn: labels(FULL, tp=tp, fn=fn, fp=fp, tn=tn),
    st.lists(st.sampled_from(EXCERPTS), max_size=3, unique=True),
    st.lists(st.sampled_from([1, 2, 3, 4]), max_size=3, unique=True),
    st.lists(st.sampled_from([(PLACE, -1), ("cancer", -2), ("gene", -1)]), max_size=2, unique=True),
    st.lists(st.sampled_from([-1, -2]), max_size=2, unique=True),
)


@given(ANY, st.sampled_from(["tp", "tn"]), st.integers(0, 3), st.booleans())
def test_whatever_stands_there_an_instruction_is_turned_to_what_is_wanted(found, of, place, yes):
    entry = [*lines(found, of)][place % (4 if of == "tp" else 2)]
    to = buckets_of(of)[not yes]
    if entry.standing == STANDS[to]:
        return
    assert standing(applied(found, turned(entry, to)), entry) == STANDS[to]
    assert ruled(entry, to) == turned(entry, to)


@given(ANY, st.sampled_from(["tp", "tn"]), st.integers(0, 3))
def test_what_is_toggled_twice_is_found_and_missing_in_turn(found, of, place):
    entry = [*lines(found, of)][place % (4 if of == "tp" else 2)]
    yes, no = (STANDS[bucket] for bucket in buckets_of(of))
    if entry.standing == "both":
        return
    once = applied(found, toggled(entry))
    assert standing(once, entry) == {yes: no, no: yes, "open": no}[entry.standing]
    again = {one.link: one for one in lines(once, of)}[entry.link]
    had = [row.item for row in entry.excerpts]
    twice = applied(once, toggled(again, had))
    assert standing(twice, entry) == {no: yes, yes: no}[standing(once, entry)]
    if had:
        now = {one.link: one for one in lines(twice, of)}[entry.link]
        assert {row.item.span for row in now.excerpts} == {item.span for item in had}


def test_an_instruction_that_stands_nowhere_goes_only_where_it_belongs():
    entry = entry_of(Labels(), "tp", 1)
    with pytest.raises(Refused, match="TP instruction that is nowhere yet: put it into TP or FN"):
        turned(entry, "tn")
    with pytest.raises(
        Refused, match=r"It is a TN instruction: it is present \(FP\) or absent \(TN\)"
    ):
        ruled(entry_of(Labels(), "tn", 1), "tp")


def entry_of(found, of, number):
    return next(one for one in lines(found, of) if one.number == number)


# -- denials ---------------------------------------------------------------------------------------


def test_an_excerpt_denies_the_instruction_that_it_answers():
    row = first("tp")
    assert denied(WORKED, row) == (Edit("deny", "tp", 0, "fn", seen=GENE),)
    candidate = labels(FULL, fn=[4], fp=[(PLACE, 4)])
    (edit,) = denied(candidate, rows(FULL, candidate, "fp")[0], SPAN)
    assert (edit.action, edit.bucket, edit.index, edit.start) == ("deny", "fn", 0, 0)
    loose = labels(FULL, tp=[(GENE, None)])
    with pytest.raises(Refused, match="link it first"):
        denied(loose, rows(FULL, loose, "tp")[0])


def test_a_denial_is_taken_back_where_no_words_are_given_for_it():
    missing = first("fn")
    plain = denied(WORKED, missing)
    assert [edit.action for edit in plain] == ["deny"]
    so = applied(WORKED, plain)
    row = rows(FULL, so, "fn")[0]
    assert row.item.denied
    assert [edit.action for edit in denied(so, row)] == ["omit"]
    assert [edit.action for edit in denied(so, row, SPAN)] == ["deny"]


# -- the last correction again ---------------------------------------------------------------------


def test_a_move_a_drop_and_a_link_are_repeated_on_another_item():
    other = rows(FULL, WORKED, "tp")[1]
    (move,) = repeated(Edit("move", "tp", 0, "fp", of="tn", instruction=2), other)
    assert (move.index, move.to, move.link, move.seen) == (1, "fp", ("tn", 2), SURVIVE)
    (drop,) = repeated(Edit("drop", "tp", 0), other)
    assert (drop.action, drop.index, drop.link) == ("drop", 1, None)
    (link,) = repeated(Edit("relink", "tp", 0, of="tp", instruction=4), other)
    assert link.link == ("tp", 4)
    with pytest.raises(Refused, match="The last correction was a split: only moves"):
        repeated(Edit("split", "tp", 0, cut=3), other)


# -- what is plainly meant -------------------------------------------------------------------------


def test_words_are_taken_for_the_instruction_one_is_at_where_none_is_more_like_them():
    words = "BCL2 is on chromosome 18"
    assert meant_link(FULL, Labels(), "tp", words, ("tp", 4)) == ("tp", 4)
    assert meant_link(FULL, Labels(), "tp", words, ("tp", 2)) is None
    assert meant_link(FULL, Labels(), "tp", words, None) is None
    answered = labels(FULL, tp=[(PLACE, 4)])
    assert meant_link(FULL, answered, "tp", words, ("tp", 4)) is None
    assert meant_link(FULL, Labels(), "fn", words, ("fp", 1)) is None


def test_marked_items_that_need_different_answers_are_refused():
    with pytest.raises(Refused, match="mark those of one bucket at a time"):
        link_to_pick(FULL, [moved(first("tp"), "fp"), moved(first("fn"), "tp")])


def test_an_instruction_is_answered_only_by_a_bucket_that_answers_it():
    asked = Instruction("tp", 4, EXPECTED[3])
    with pytest.raises(Refused, match="This is a TP instruction: it goes into TP or FN"):
        KIND.edits(FULL, WORKED, asked, "fp")
    denied_by = replace(WORKED.fn[0], denied="on chromosome 1")
    told = KIND.grounds(FULL, replace(WORKED, fn=(denied_by,)), asked)
    assert (told.style, told.loose, told.spans) == ("denied", ("on chromosome 1",), ())
    assumed = labels(FULL, tp=[(EXPECTED[3], 4)])
    assert KIND.grounds(FULL, assumed, asked).loose == ()


def test_several_excerpts_that_an_instruction_had_come_back_as_they_were():
    two = labels(FULL, tp=[(GENE, 1), (SURVIVE, 1)])
    had = list(two.tp)
    missing = applied(two, toggled(entry_of(two, "tp", 1)))
    again = applied(missing, toggled(entry_of(missing, "tp", 1), had))
    assert {item.span for item in again.tp} == {item.span for item in had}
