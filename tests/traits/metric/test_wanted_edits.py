"""What is wanted of items: the instruction and the words that are still to be picked, and the questions."""

import pytest

from appellate.core.problem import Refused
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import Labels
from appellate.traits.metric.rows import rows
from appellate.traits.metric.wanted_edits import (
    LinkChoice,
    edit_of,
    likely_links,
    link_question,
    link_to_pick,
    moved,
    open_links,
    split_at_bar,
    with_evidence,
    with_link,
)
from cells import CANCER, EXPECTED, GENE, PLACE, SURVIVE, checklist, labels, matrix

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
