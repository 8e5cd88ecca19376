"""What a panel's members answer, taken together, whatever kind of trait it is about."""

import pytest

from appellate.core.kind import Instruction
from appellate.core.votes import disagreement, verdict


def asked(*votes):
    return {Instruction("", number, "?"): vote for number, vote in enumerate(votes, 1)}


@pytest.mark.parametrize(
    ("votes", "told"),
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
def test_disagreement_is_the_share_of_pairs_of_members_that_differ(votes, told):
    assert disagreement(asked(*votes)) == pytest.approx(told)


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
