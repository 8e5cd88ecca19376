"""What the verdicts on two responses come to: wins, ties half, turns, agreement in the responses' names."""

import pytest
from pairwise_cells import BETTER, STRAIGHT, SWAPPED, located, pair

from appellate.core.kind import headline
from appellate.traits.pairwise import KIND
from appellate.traits.pairwise.spec import PairwiseRubricTrait
from appellate.traits.verdict.kind import Edit


def labels(trace, trait=BETTER, **table):
    return KIND.labels(trait, trait.as_read(trace), located(trace, table, trait))


@pytest.mark.parametrize(
    ("winner", "wins"),
    [("response", 1.0), ("other", 0.0), ("tie", 0.5)],
)
def test_the_win_rate_is_that_of_the_response_and_a_tie_is_half(winner, wins):
    for trace in (STRAIGHT, SWAPPED):
        assert (
            KIND.measure(BETTER, labels(trace, **{"class": winner})).values["win_rate"]
            == wins
        )


def test_the_screens_word_is_the_side_and_the_files_word_the_response():
    straight = KIND.measure(BETTER, labels(STRAIGHT, value=0)).words
    swapped = KIND.measure(BETTER, labels(SWAPPED, value=0)).words
    assert straight == {"verdict": "A", "better": "A", "class": "response"}
    assert swapped == {"verdict": "B", "better": "B", "class": "response"}


def test_judge_and_person_are_compared_by_responses_whatever_side_they_were_on():
    for trace in (STRAIGHT, SWAPPED):
        assert [*KIND.answers(BETTER, labels(trace, value=1)).values()] == ["other"]


def test_whether_the_judge_turned_is_known_only_with_both_orders():
    known = KIND.measure(
        BETTER,
        labels(STRAIGHT, value=0, orders=["response", "response"]),
    )
    unknown = KIND.measure(BETTER, labels(STRAIGHT, value=0))
    assert (known.values["turned"], known.undefined) == (0.0, frozenset())
    assert unknown.undefined == {"turned"}


def test_that_it_cannot_be_told_is_no_win_and_is_counted():
    trait = PairwiseRubricTrait(name="x", cannot_tell=True)
    figures = KIND.measure(trait, labels(STRAIGHT, trait, value="cannot tell"))
    assert "win_rate" in figures.undefined
    assert figures.untold == 1


def test_the_win_rate_stands_for_the_trait_unless_it_names_another():
    assert headline(KIND.measures(BETTER)).name == "win_rate"
    assert (
        headline(KIND.measures(PairwiseRubricTrait(name="x", headline="turned"))).name
        == "turned"
    )


def test_a_correction_is_told_in_sides_and_kept_by_the_response():
    read = BETTER.as_read(SWAPPED)
    before = labels(SWAPPED, value=0)
    edit = KIND.permit(BETTER, read, before, Edit("overrule", 1))
    outcome = KIND.apply(BETTER, read, before, edit)
    assert (outcome.before, outcome.after) == ("B", "A")
    assert edit.to_row() == {"action": "overrule", "value": 1, "class": "other"}
    assert outcome.labels.found == 0


def test_a_trace_with_one_response_is_lacking():
    assert "has one: give it an other" in KIND.lacking(BETTER, pair(1, other=None))
    assert KIND.lacking(BETTER, pair(1)) == ""
