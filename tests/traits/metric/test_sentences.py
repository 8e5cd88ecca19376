"""What is said of a correction: what it did, and what it made count no more or several times."""

import pytest

from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import Labels
from appellate.traits.metric.ledger import link_mark
from appellate.traits.metric.rows import rows
from appellate.traits.metric.sentences import describe, remarks
from cells import CANCER, GENE, PLACE, SURVIVE, after, checklist, item, labels, link, matrix


@pytest.mark.parametrize(("mark", "shown"), [(4, "4"), (-1, "−1"), ("~2", "~2"), (None, "")])
def test_links_are_written_as_the_screen_shows_them(mark, shown):
    where = link(mark)
    assert link_mark(where.get("of"), where.get("instruction")) == shown


@pytest.mark.parametrize(
    ("edit", "before", "after", "sentence"),
    [
        (Edit("move", "tp", to="fn"), "gene", "Mentions", "moved TP → FN: “gene” as “Mentions”"),
        (
            Edit("move", "tp", to="fp", of="tn", instruction=1),
            "gene",
            "gene",
            "moved TP → FP: “gene” as −1",
        ),
        (Edit("move", "tp", to="fp"), "gene", "gene", "moved TP → FP: “gene”"),
        (Edit("add", "tp", of="tp", instruction=4), "", "gene", "added to TP as 4: “gene”"),
        (Edit("add", "fp"), "", "gene", "added to FP: “gene”"),
        (Edit("relink", "tp", of="tp", instruction=2), "gene", "gene", "linked TP to 2: “gene”"),
        (Edit("relink", "tp"), "gene", "gene", "linked TP to nothing: “gene”"),
        (Edit("reword", "tp"), "gen", "gene", "reworded TP: “gen” → “gene”"),
        (Edit("drop", "fp"), "gene", "", "dropped from FP: “gene”"),
        (Edit("split", "tp"), "a b", "a | b", "split TP: “a b” → “a | b”"),
        (Edit("merge", "tp"), "a | b", "a b", "merged TP: “a | b” → “a b”"),
    ],
)
def test_an_edit_is_told_in_the_past_tense(edit, before, after, sentence):
    assert describe(edit, before, after) == sentence


# -- what counts no more, and what counts several times --------------------------------------------

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


def test_blank_labels_have_nothing_to_remark():
    assert remarks(FULL, Labels(), Labels()) == []
