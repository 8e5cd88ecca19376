"""A panel whose members err together is worth fewer votes than it has members."""

import random
from collections import Counter

import pytest

from appellate.stats.clustered import clustered, effective_votes, shared_errors


def panel(errors, times=1):
    rows = [("yes", *("no" if wrong else "yes" for wrong in row)) for row in errors] * times
    return clustered(Counter([row]) for row in rows)


def test_members_that_err_on_the_same_questions_have_one_vote():
    found = effective_votes(panel([(True, True, True), (False, False, False)] * 20))
    assert (found.votes, found.members) == (pytest.approx(1), 3)
    assert found.correlation == pytest.approx(1)
    assert 1 <= found.low <= found.votes <= found.high < 1.5


def test_members_that_err_by_themselves_have_one_each():
    chance = random.Random(3)
    errors = [[chance.random() < 0.3 for _ in range(4)] for _ in range(2000)]
    found = effective_votes(panel(errors))
    assert 3.6 < found.votes <= 4
    assert 3.4 < found.low < found.high == 4


def test_members_that_err_against_each_other_have_no_more_votes_than_they_are():
    assert effective_votes(panel([(True, False), (False, True)], 10)).votes == 2


def test_a_member_that_never_errs_says_nothing_of_errors_that_go_together():
    assert effective_votes(panel([(True, False), (False, False)], 10)) is None
    assert effective_votes({}) is None
    three = [(True, True, False), (False, False, False)] * 10
    assert shared_errors({("yes", None, "no"): 3}) is None
    assert effective_votes(panel(three)).correlation == pytest.approx(1)
