"""What becomes of a correction when another judge's labels come under it."""

import pytest

from appellate.core.problem import Refused
from appellate.traits.metric import KIND
from appellate.traits.metric.edits import Edit
from cells import GENE, PLACE, SURVIVE, checklist, labels, link, matrix, select

FULL, ONLY = matrix(), checklist()


def carried(trait, edit, before, now):
    """The edit of the labels before, for the labels there are now."""
    return KIND.carried(trait, now, edit, KIND.anchor(trait, before, edit))


def test_words_that_are_not_in_the_response_are_found_again_as_they_are_written():
    before = labels(FULL, tp=[("BCL3", 1)])
    now = labels(FULL, tp=[(GENE, 1), ("BCL3", 1)])
    edit = Edit("drop", "tp", seen="BCL3")
    assert carried(FULL, edit, before, now) == Edit("drop", "tp", index=1, seen="BCL3")
    with pytest.raises(Refused, match="not among these labels"):
        carried(FULL, edit, before, labels(FULL, tp=[(GENE, 1)]))


def test_an_excerpt_that_a_later_judge_has_where_it_was_moved_needs_no_correction():
    edit = Edit("move", "tp", to="fp", **link(-1))
    before = labels(FULL, tp=[(GENE, 1)])
    assert carried(FULL, edit, before, labels(FULL, fp=[(GENE, -1)])) is None
    with pytest.raises(Refused, match="not among these labels"):
        carried(FULL, edit, before, labels(FULL, fp=[(PLACE, -1)]))


def test_a_wrong_candidate_keeps_its_instruction_where_a_later_judge_has_it_too():
    before = labels(ONLY, tp=[(GENE, 1)])
    edit = Edit("move", "tp", to="fp")
    assert carried(ONLY, edit, before, labels(ONLY, fp=[(GENE, 1)])) is None


def test_what_is_missing_is_found_in_the_words_that_the_person_selected():
    before = labels(FULL, fn=[1, 2])
    edit = Edit("move", "fn", index=1, to="tp", **select(SURVIVE))
    assert carried(FULL, edit, before, labels(FULL, fn=[2])) == Edit(
        "move", "fn", to="tp", **select(SURVIVE)
    )
    assert carried(FULL, edit, before, labels(FULL, tp=[(SURVIVE, 2)])) is None
    with pytest.raises(Refused, match="not among these labels"):
        carried(FULL, edit, before, labels(FULL, tp=[(GENE, 2)]))


def test_words_that_a_later_judge_has_too_are_not_added_again():
    edit = Edit("add", "tp", **link(2), **select(SURVIVE))
    before = labels(FULL, fn=[2])
    assert carried(FULL, edit, before, labels(FULL, tp=[(SURVIVE, 2)])) is None
    assert carried(FULL, edit, before, labels(FULL, tp=[(GENE, 2)])) == edit
