"""The corrections that lead from some labels to others: of whatever people did, none is lost."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.problem import Refused
from appellate.traits.metric import edits
from appellate.traits.metric.labels import EXCERPTS, UNSAID, Labels
from appellate.traits.metric.toward import corrections_toward
from cells import (
    GENE,
    PLACE,
    SURVIVE,
    TRACE,
    after,
    checklist,
    item,
    labels,
    likely_edit,
    matrix,
)

ONLY = checklist()
FULL = matrix()


def reached(trait, before, target):
    """Return the labels that the corrections lead to, and the excerpts that are lacking."""
    way = corrections_toward(trait, TRACE, before, target)
    found = before
    for correction in way.corrections:
        permitted = edits.permit(trait, TRACE, found, correction.edit)
        found = edits.apply(trait, TRACE, found, permitted).labels
    return found, way.lacking


def excerpts(found):
    return {
        bucket: Counter(
            (one.link, one.span or one.text) for one in found.bucket(bucket)
        )
        for bucket in EXCERPTS
    }


@pytest.mark.parametrize("trait", [ONLY, FULL], ids=["tp_only", "full_matrix"])
@given(story=st.lists(likely_edit(), max_size=6))
def test_whatever_people_did_in_words_of_the_response_is_reached(trait, story):
    before = labels(trait, tp=[(GENE, 1), (SURVIVE, 2)], fn=[3, 4])
    target = before
    for edit in story:
        try:
            target = after(trait, target, **edit)
        except Refused:
            continue
    found, lacking = reached(trait, before, target)
    in_words = [one for one in lacking if one.span is not None]
    assert in_words == []
    if not lacking:
        assert excerpts(found) == excerpts(target)


def test_nothing_is_done_where_nothing_differs():
    before = labels(ONLY, tp=[(GENE, 1)], fn=[2, 3, 4])
    assert corrections_toward(ONLY, TRACE, before, before).corrections == []


def test_an_excerpt_that_became_wrong_is_moved_and_not_dropped():
    before = labels(ONLY, tp=[(GENE, 1)], fn=[2, 3, 4])
    target = labels(ONLY, fp=[(GENE, 1)], fn=[1, 2, 3, 4])
    way = corrections_toward(ONLY, TRACE, before, target)
    assert [one.edit.action for one in way.corrections] == ["move"]


def test_a_wrong_candidate_that_is_not_in_the_response_keeps_its_wording():
    target = Labels(fp=(item("It is on 18", 2),), fn=(item(ONLY.words("tp", 2), 2),))
    found, lacking = reached(ONLY, Labels(), target)
    assert lacking == []
    assert [(one.text, one.link) for one in found.fp] == [("It is on 18", ("tp", 2))]
    assert found.has("fn", ("tp", 2))


def test_an_excerpt_that_is_nowhere_and_answers_nothing_is_told():
    target = Labels(tp=(item("nowhere said", None),))
    assert reached(ONLY, Labels(), target)[1] == list(target.tp)


def test_instructions_that_are_missing_or_absent_are_put_there():
    target = labels(FULL, tp=[(GENE, 1)], fn=[2, 3, 4], fp=[(PLACE, -1)], tn=[-2])
    found, _ = reached(FULL, Labels(), target)
    for bucket in (*EXCERPTS, *UNSAID):
        assert found.links(bucket) == target.links(bucket)


def test_as_many_copies_of_an_excerpt_are_reached_as_the_person_has():
    two = labels(ONLY, tp=[(GENE, 1), (GENE, 1)], fn=[2, 3, 4])
    one = labels(ONLY, tp=[(GENE, 1)], fn=[2, 3, 4])
    assert reached(ONLY, two, one) == (one, [])
    assert reached(ONLY, one, two) == (two, [])
    wrong = labels(ONLY, tp=[(GENE, 1)], fp=[(GENE, 1)], fn=[2, 3, 4])
    assert reached(ONLY, two, wrong) == (wrong, [])


def test_copies_of_an_excerpt_that_is_not_in_the_response_are_made_once():
    twice = Labels(tp=(item("nowhere said", 1),) * 2)
    found, lacking = reached(ONLY, Labels(), twice)
    assert (len(found.tp), lacking) == (1, [])
