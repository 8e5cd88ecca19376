"""What is wanted of items and of instructions: how these stand, what turning them means, the instruction
and the words that are still to be picked, and the questions.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.deciding import Receive
from appellate.core.kind import Instruction
from appellate.core.problem import Refused
from appellate.traits.metric import KIND, edits
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import Labels
from appellate.traits.metric.ledger import STANDS, buckets_of, lists
from appellate.traits.metric.pane_corrections import ItemCorrections
from appellate.traits.metric.pane_items import CellItems
from appellate.traits.metric.rows import (
    all_rows,
    entries,
    found_again,
    other_items,
    rows,
    where_now,
)
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
from appellate.ui.marks import UNICODE
from appellate.ui.pane import Looking
from appellate.ui.rows import RowCursor
from cells import (
    CANCER,
    EXPECTED,
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

FULL, ONLY = matrix(), checklist()
WORKED = labels(
    FULL,
    tp=[(GENE, 1), (SURVIVE, 2), (CANCER, 3)],
    fn=[4],
    fp=[(PLACE, -1)],
    tn=[-2],
)
SPAN = (0, 4)


def row(bucket, index=0, found=WORKED, trait=FULL):
    return rows(trait, found, bucket)[index]


def lines(found, trait=FULL):
    """The checklist by instruction."""
    held = all_rows(trait, found)
    return {one.link: one for of in lists(trait) for one in entries(trait, held, of)}


def standings(found, trait=FULL):
    """How every instruction stands."""
    return {link: one.standing for link, one in lines(found, trait).items()}


def applied(found, wanted, trait=FULL, span=SPAN):
    """The labels after the edits, one after the other; words of the response bear out what needs any."""
    for one in wanted:
        (edit,) = with_evidence((one,), span) if lacks_evidence((one,)) else (one,)
        found = edits.apply(
            trait,
            TRACE,
            found,
            edits.permit(trait, TRACE, found, edit),
        ).labels
    return found


@st.composite
def found_labels(draw):
    """Any labels that a judge or a person could have left, breaches and all."""
    words = st.sampled_from((GENE, SURVIVE, CANCER, PLACE, "words that nobody wrote"))
    numbers, minus = (
        st.sampled_from([*range(1, 5), None]),
        st.sampled_from([-1, -2, "~1", None]),
    )
    tp = draw(st.lists(st.tuples(words, numbers), max_size=6, unique=True))
    fp = draw(st.lists(st.tuples(words, minus), max_size=4, unique=True))
    fn = draw(st.lists(st.integers(1, 4), unique=True))
    tn = draw(st.lists(st.sampled_from([-1, -2]), unique=True))
    return labels(FULL, tp=tp, fp=fp, fn=fn, tn=tn)


LINKS = st.sampled_from([*lines(Labels())])


# -- how instructions stand ------------------------------------------------------------------------


def test_every_instruction_stands_somewhere_or_is_open():
    found = ["found", "found", "found", "missing", "present", "absent"]
    assert list(standings(WORKED).values()) == found
    assert set(standings(Labels()).values()) == {"open"}
    assert standings(labels(FULL, tp=[(GENE, 1)], fn=[1]))["tp", 1] == "both"


def test_what_answers_no_instructions_line_is_set_with_other_items():
    found = labels(
        ONLY,
        tp=[(GENE, 1)],
        fn=[4],
        fp=[(PLACE, 4), (SURVIVE, "~1"), (CANCER, None)],
    )
    assert list(standings(found, ONLY)) == [("tp", number) for number in range(1, 5)]
    others = other_items(ONLY, all_rows(ONLY, found))
    assert [one.item.text for one in others] == [PLACE, SURVIVE, CANCER]


@settings(deadline=None, max_examples=50)
@given(found=found_labels())
def test_every_item_stands_on_exactly_one_line_or_with_other_items(found):
    shown = all_rows(FULL, found)
    on_lines = [one.place for line in lines(found).values() for one in line.items]
    aside = [one.place for one in other_items(FULL, shown)]
    assert sorted(on_lines + aside) == sorted(place for place, _ in found.items())


# -- turning ---------------------------------------------------------------------------------------


@settings(deadline=None)
@given(found=found_labels(), link=LINKS, yes=st.booleans())
def test_whatever_stands_there_an_instruction_is_turned_to_what_is_wanted_and_no_other(
    found,
    link,
    yes,
):
    line, to = lines(found)[link], buckets_of(link[0])[not yes]
    if line.standing == STANDS[to]:
        return
    after = applied(found, turned(line, to))
    assert standings(after) == {**standings(found), link: STANDS[to]}
    assert ruled(line, to) == turned(line, to)


@settings(deadline=None)
@given(found=found_labels(), link=LINKS)
def test_what_is_toggled_twice_is_found_and_missing_in_turn_with_the_excerpts_that_it_had(
    found,
    link,
):
    line, (yes, no) = (
        lines(found)[link],
        (STANDS[bucket] for bucket in buckets_of(link[0])),
    )
    once = applied(found, toggled(line))
    assert standings(once) == {
        **standings(found),
        link: {yes: no, no: yes}.get(line.standing, no),
    }
    had = [one.item for one in line.excerpts if one.item.span]
    twice = applied(once, toggled(lines(once)[link], had))
    assert standings(twice) == {
        **standings(once),
        link: {no: yes, yes: no}[standings(once)[link]],
    }
    if had and line.standing == yes:
        now = lines(twice)[link].excerpts
        assert {one.item.span for one in now} == {one.span for one in had}


def test_a_wrong_candidate_of_a_tp_only_trait_is_right_after_all_without_asking():
    found = labels(ONLY, fn=[4], fp=[(PLACE, 4)])
    wanted = moved(row("fp", found=found, trait=ONLY), "tp")
    assert link_to_pick(ONLY, [wanted]) is None
    assert not lacks_evidence(wanted)
    assert marks(applied(found, wanted, ONLY)) == {"tp": [4]}


def test_what_stands_nowhere_is_missing_or_absent_first_and_found_with_evidence():
    nothing, open_lines = Labels(), lines(Labels())
    assert marks(applied(nothing, toggled(open_lines["tp", 2]))) == {"fn": [2]}
    assert marks(applied(nothing, toggled(open_lines["tn", 1]))) == {"tn": [-1]}
    assert applied(nothing, turned(open_lines["tp", 2], "tp")).tp == (item("BCL2", 2),)
    nowhere = "It is a TP instruction that is nowhere yet: put it into TP or FN"
    with pytest.raises(Refused, match=nowhere):
        turned(open_lines["tp", 2], "tn")
    with pytest.raises(
        Refused,
        match=r"a TN instruction: it is present \(FP\) or absent \(TN\)",
    ):
        ruled(open_lines["tn", 1], "tp")
    assert lacks_evidence(toggled(lines(WORKED)["tp", 4]))


# -- several, and again ----------------------------------------------------------------------------


@settings(deadline=None, max_examples=50)
@given(found=found_labels(), data=st.data())
def test_marks_follow_their_items_wherever_an_edit_puts_the_others(found, data):
    places = [place for place, _ in found.items()]
    if not places:
        return
    marked = data.draw(st.sets(st.sampled_from(places)))
    bucket, index = data.draw(st.sampled_from(places))
    after = edits.apply(FULL, TRACE, found, Edit("drop", bucket, index)).labels
    went = where_now(found, after)
    kept = [place for place in marked if place in went]
    assert len(kept) >= len(marked) - 1
    for place in kept:
        assert went[place][0] == place[0]
        assert after.at(went[place]) == found.at(place)


def test_an_edit_finds_its_item_again_after_others_moved_it():
    (wanted,) = moved(row("tp", 2), "fn")
    now = edits.apply(FULL, TRACE, WORKED, Edit("drop", "tp")).labels
    assert found_again(wanted, WORKED, now).index == 1


def test_a_move_a_drop_and_a_link_are_repeated_on_another_item():
    other = row("tp", 1)
    (move,) = repeated(Edit("move", "tp", 0, "fp", of="tn", instruction=2), other)
    assert (move.index, move.to, move.link, move.seen) == (1, "fp", ("tn", 2), SURVIVE)
    (drop,) = repeated(Edit("drop", "fn", 3), other)
    assert (drop.action, drop.bucket, drop.index, drop.link) == ("drop", "tp", 1, None)
    (link,) = repeated(Edit("relink", "tp", 0, of="tp", instruction=4), other)
    assert link.link == ("tp", 4)
    with_words = Edit("move", "fn", 0, "tp", start=0, end=4)
    assert lacks_evidence(repeated(with_words, row("fn")))
    for action in ("add", "reword", "split", "merge"):
        with pytest.raises(
            Refused,
            match=r"The last correction was an? .*: only moves, drops and",
        ):
            repeated(Edit(action, "tp"), other)


def offered(story, *place):
    """What the menu offers on an item, or on the first instruction."""
    review = Looking(UNICODE, lambda: None, lambda _: None)
    review.readonly = False
    items = CellItems(review, RowCursor)
    items.show(story.cell, fresh=True)
    if place:
        items.go(*place)
    return list(ItemCorrections(review, items).offers())


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
    mending = {
        f"item.{action}" for action in ("reword", "split", "merge", "missing", "drop")
    }
    assert not mending & set(offered(story, "fn", 0))


def test_a_session_that_only_reads_says_so_rather_than_that_nothing_can_be_repeated():
    review = Looking(UNICODE, lambda: None, lambda _: None)
    review.sees_item = lambda: True
    items = CellItems(review, RowCursor)
    items.show(Story().cell, fresh=True)
    with pytest.raises(Refused, match="This session only reads"):
        ItemCorrections(review, items).repeat().send(None)


# -- what is still to be picked --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trait", "edits", "choice"),
    [
        (
            FULL,
            (Edit("add", "tp", start=0, end=4),),
            LinkChoice(("tp",), "none for now"),
        ),
        (
            FULL,
            (Edit("add", "fp", start=0, end=4),),
            LinkChoice(("tn", "fp"), "none for now"),
        ),
        (FULL, (edit_of("relink", row("tp")),), LinkChoice(("tp",), "none")),
        (FULL, (edit_of("relink", row("fn")),), LinkChoice(("tp",), "")),
        (FULL, moved(row("fp"), "tp"), LinkChoice(("tp",), "none for now")),
        (
            FULL,
            moved(row("tp"), "fp"),
            LinkChoice(("tn", "fp"), "none: wrong, but not on the list"),
        ),
        (ONLY, moved(row("tp"), "fp"), None),
        (FULL, moved(row("tp"), "fn"), None),
    ],
)
def test_an_instruction_is_picked_from_the_lists_that_the_bucket_answers(
    trait,
    edits,
    choice,
):
    assert link_to_pick(trait, [edits]) == choice


def test_what_was_picked_is_given_to_the_edits_that_lack_it_alone():
    linked = with_link(
        (edit_of("relink", row("tp")), edit_of("drop", row("fn"))),
        ("tp", 4),
    )
    assert [edit.link for edit in linked] == [("tp", 4), None]
    evidenced = with_evidence(
        (*moved(row("fn"), "tp"), *moved(row("tp"), "fn")),
        (0, 4),
    )
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
def test_an_instruction_is_asked_for_in_a_sentence_for_one_item_or_several(
    action,
    count,
    question,
):
    assert link_question(action, count) == question


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
    for answered in (
        "anti-apoptotic gene",
        "anti|apoptotic gene",
        "anti-|apoptotic| gene",
    ):
        with pytest.raises(Refused, match="change nothing else"):
            split_at_bar(edit, answered)


# -- denials ---------------------------------------------------------------------------------------


def test_an_excerpt_denies_the_instruction_that_it_answers():
    assert denied(WORKED, row("tp")) == (Edit("deny", "tp", 0, "fn", seen=GENE),)
    candidate = labels(FULL, fn=[4], fp=[(PLACE, 4)])
    (edit,) = denied(candidate, row("fp", found=candidate), SPAN)
    assert (edit.action, edit.bucket, edit.index, edit.start) == ("deny", "fn", 0, 0)
    loose = labels(FULL, tp=[(GENE, None)])
    with pytest.raises(Refused, match="link it first"):
        denied(loose, row("tp", found=loose))


def test_a_denial_is_taken_back_where_no_words_are_given_for_it():
    missing = row("fn")
    plain = denied(WORKED, missing)
    assert [edit.action for edit in plain] == ["deny"]
    so = applied(WORKED, plain)
    missing = row("fn", found=so)
    assert missing.item.denied
    assert [edit.action for edit in denied(so, missing)] == ["omit"]
    assert [edit.action for edit in denied(so, missing, SPAN)] == ["deny"]


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
        link_to_pick(FULL, [moved(row("tp"), "fp"), moved(row("fn"), "tp")])


def test_an_instruction_is_answered_only_by_a_bucket_that_answers_it():
    asked = Instruction("tp", 4, EXPECTED[3])
    with pytest.raises(
        Refused,
        match="This is a TP instruction: it goes into TP or FN",
    ):
        KIND.edits(FULL, WORKED, asked, "fp")
    denied_by = replace(WORKED.fn[0], denied="on chromosome 1")
    told = KIND.grounds(FULL, replace(WORKED, fn=(denied_by,)), asked)
    assert (told.style, told.loose, told.spans) == ("denied", ("on chromosome 1",), ())
    assumed = labels(FULL, tp=[(EXPECTED[3], 4)])
    assert KIND.grounds(FULL, assumed, asked).loose == ()
