"""What a panel's members answer, taken together, whatever kind of trait it is about."""

import pytest

from appellate.core.describe import disagreement, majority, verdict, votes
from appellate.core.kind import Instruction, Subject
from appellate.traits.metric import KIND
from appellate.traits.regex import KIND as REGEX
from appellate.traits.regex.spec import RegexRubricTrait
from cells import matrix, trace, worked_example


def asked(*votes):
    return {Instruction("", number, "?"): vote for number, vote in enumerate(votes, 1)}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([{"yes": (0, 1, 2)}], 0.0),
        ([{"yes": (0,), "no": (1,)}], 1.0),
        ([{"yes": (0, 1), "no": (2,)}], 2 / 3),
        ([{"yes": (0, 1), "no": (2,)}, {"no": (0, 1, 2)}], 1 / 3),
        ([{"yes": (0,), "no": (1,), "3": (2,)}], 1.0),
        ([{"yes": (0,)}], 0.0),
        ([], 0.0),
    ],
)
def test_disagreement_is_the_share_of_pairs_of_members_that_differ(given, told):
    assert disagreement(asked(*given)) == pytest.approx(told)


@pytest.mark.parametrize(
    ("vote", "most"),
    [
        ({"no": (1, 2), "yes": (0,)}, "no"),
        ({"no": (1,), "yes": (0,)}, "yes"),
        ({"3": (0, 3), "2": (1, 2)}, "3"),
    ],
)
def test_what_most_say_wins_and_the_first_member_decides_where_they_are_even(vote, most):
    assert verdict(vote) == most


def test_a_vote_tells_of_each_answer_which_members_give_it():
    of = Subject(REGEX, RegexRubricTrait(name="x", pattern="a"), trace())
    (vote,) = votes(of, [{"value": True}, {"value": False}, {"value": True}]).values()
    assert vote == {"match": (0, 2), "no match": (1,)}


def test_a_kind_that_says_nothing_of_a_majority_goes_with_those_who_answer_alike():
    of = Subject(REGEX, RegexRubricTrait(name="x", pattern="a"), trace())
    yes, no, again = {"value": True}, {"value": False}, {"value": False, "hits": 0}
    assert majority(of, [yes, no, again]) == no
    assert majority(of, [yes, no]) == yes


def test_a_kind_that_says_what_most_of_a_panel_hold_is_asked():
    of = Subject(KIND, matrix(), trace())
    table = KIND.locate(of.trait, of.trace, worked_example())
    assert majority(of, [table] * 3)["tp"] == table["tp"]
