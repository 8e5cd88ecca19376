"""What is said of a correction beside the numbers: what counts no more, and what counts several times."""

import pytest

from appellate.traits.metric.labels import Item, Labels
from appellate.traits.metric.ledger import doubts
from appellate.traits.metric.rows import rows
from appellate.traits.metric.sentences import remarks
from cells import CANCER, GENE, PLACE, SURVIVE, after, checklist, item, labels, matrix

FULL = matrix()
BEFORE = labels(FULL, tp=[(GENE, 1), (SURVIVE, 2)], fn=[3, 4], tn=[-1, -2])


def test_an_excerpt_that_is_split_counts_twice_and_bears_a_note():
    found = after(FULL, BEFORE, action="split", bucket="tp", index=1, cut=len("helps"))
    assert remarks(FULL, BEFORE, found) == ["Instruction 2 counts twice now."]
    assert [row.note for row in rows(FULL, found, "tp")] == ["", "counts twice", "counts twice"]
    again = after(FULL, found, action="split", bucket="tp", index=2, cut=len("cells"))
    assert remarks(FULL, found, again) == ["Instruction 2 counts 3 times now."]
    assert remarks(FULL, again, found) == []


def test_one_excerpt_for_two_instructions_counts_for_the_first_alone():
    twice = BEFORE.put("tp", (*BEFORE.tp, item(GENE, 3)))
    told = ["Not counted for instruction 3: the same words count for instruction 1 already."]
    assert remarks(FULL, BEFORE, twice) == told
    assert remarks(FULL, twice, twice) == []
    first = BEFORE.put("tp", (item(SURVIVE), *BEFORE.tp))
    assert remarks(FULL, BEFORE, first) == [
        "Not counted for instruction 2: the same words count already."
    ]
    linked_to_none = BEFORE.put("fp", (item(PLACE), item(PLACE)))
    assert remarks(FULL, BEFORE, linked_to_none) == ["Not counted: the same words count already."]


def test_where_everything_counts_the_same_words_count_twice():
    trait = matrix(repeated_extraction=False)
    assert remarks(trait, BEFORE, BEFORE.put("tp", (*BEFORE.tp, item(GENE, 1)))) == [
        "Instruction 1 counts twice now."
    ]


def test_wrong_candidates_that_answer_nothing_are_counted_without_a_word():
    trait = checklist()
    before = labels(trait, tp=[(GENE, 1)], fn=[2, 3, 4])
    assert remarks(trait, before, before.put("fp", (item(PLACE), item(CANCER)))) == []


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (BEFORE, ""),
        (BEFORE.put("tn", ()), "TN instruction 1 is in neither FP nor TN (and 1 more)."),
        (BEFORE.put("tp", (*BEFORE.tp, Item("x", "tp", 2))), "1 excerpt is not in the response."),
        (
            BEFORE.put("tp", (*BEFORE.tp, Item("x", "tp", 2), Item("y"))),
            "TP “y” answers no instruction; link it (i) or drop it (d). 2 excerpts are not in the response.",
        ),
        (BEFORE.put("tp", (*BEFORE.tp, Item(FULL.tp_instructions[1], "tp", 2))), ""),
    ],
    ids=["all is well", "ledger", "unverified", "both", "a person said that there is no evidence"],
)
def test_what_speaks_against_a_sign_off(found, told):
    assert doubts(FULL, found) == told


def test_blank_labels_have_nothing_to_remark():
    assert remarks(FULL, Labels(), Labels()) == []
