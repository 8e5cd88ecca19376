"""The key `headline` of a trait: which of its numbers stands for it."""

import pytest
from pydantic import ValidationError

from appellate.core.kind import headline, in_queue
from appellate.traits import grounding, metric, scorer
from appellate.traits.grounding.spec import GroundingRubricTrait
from appellate.traits.scorer.spec import ScorerRubricTrait
from cells import checklist, matrix

PAIR = [{"scorer": "exact", "name": "style"}, {"scorer": "includes", "name": "facts"}]


def several(**keys):
    return ScorerRubricTrait(name="s", scorer="multi_scorer", scorers=PAIR, **keys)


def names(kind, trait):
    measures = kind.KIND.measures(trait)
    return headline(measures).name, in_queue(measures).name


def test_f1_stands_for_a_checklist_wherever_it_is_asked_for():
    assert names(metric, checklist(metrics=["precision", "f1", "recall"])) == (
        "f1",
        "f1",
    )


def test_without_f1_the_first_metric_does_and_the_last_is_in_the_queue():
    assert names(metric, checklist(metrics=["recall", "precision"])) == (
        "recall",
        "precision",
    )


def test_a_rubric_names_another():
    assert names(metric, matrix(headline="recall")) == ("recall", "recall")
    grounded = GroundingRubricTrait(name="g", headline="adherence")
    assert names(grounding, grounded) == ("adherence", "adherence")
    assert names(scorer, several(headline="score.style")) == (
        "score.style",
        "score.style",
    )


@pytest.mark.parametrize(
    ("make", "right"),
    [
        (lambda: checklist(metrics=["f1"], headline="recall"), "choose from f1"),
        (
            lambda: GroundingRubricTrait(name="g", headline="f1"),
            "choose from relevance, utilization, completeness, adherence, average",
        ),
        (lambda: several(headline="style"), "choose from score.style, score.facts"),
    ],
)
def test_a_headline_that_is_no_number_of_the_trait_is_told_which_there_are(make, right):
    with pytest.raises(ValidationError, match=f"is no number of this trait: {right}"):
        make()


def test_it_is_written_back_and_a_judge_is_asked_the_same():
    named = matrix(headline="recall")
    assert named.to_file()["headline"] == "recall"
    assert "headline" not in matrix().model_dump()
    assert metric.KIND.asked.asks_the_same(named, matrix())
