"""Which judge is named of several, how sure that is, and the verdict of all together."""

import pytest
from msgspec.structs import replace

from appellate.gold.asking import in_audit
from appellate.gold.checking import check
from appellate.gold.choosing import together
from appellate.gold.telling import cost_text, repeats_in, which_judge
from appellate.numbers.which_judge import choice_text, choose_judge
from appellate.store.audits.audit import load_audit
from gold_sets import frozen

BAR = "judge.agreement>=.6"


@pytest.fixture(scope="module")
def gold_and_judges(tmp_path_factory):
    """A gold set, and three judges on it: none, two and fourteen errors of forty."""
    found = {}
    gold = None
    for name, errors in (("best", []), ("good", [4, 5]), ("bad", range(4, 18))):
        folder = tmp_path_factory.mktemp(name)
        own = frozen(folder, BAR, count=40, own_errors=errors)
        gold = gold or own
        answers = in_audit(load_audit(folder / "x.audit.toml"), name, gold)
        found[name] = check(gold, answers, gold.bars)
    return gold, found


@pytest.fixture
def judges(gold_and_judges):
    return gold_and_judges[1]


@pytest.fixture
def gold(gold_and_judges):
    return gold_and_judges[0]


def costing(judges, **costs):
    return [replace(judges[name], cost=cost) for name, cost in costs.items()]


def test_the_cheapest_that_passes_is_named_and_what_the_best_gains_over_it(judges):
    choice = choose_judge(costing(judges, best=9.0, good=1.0, bad=0.1))
    assert (choice.judge.name, choice.best.name) == ("good", "best")
    assert choice.difference.value == pytest.approx(0.05)
    assert (
        "Use good: it is the cheapest that passes. best is right more often by +0.050"
        in choice_text(choice)
    )
    assert choice_text(choice).endswith("which chance alone can do.")


def test_without_costs_the_one_that_agrees_most_is_named(judges):
    choice = choose_judge(costing(judges, best=None, good=1.0))
    assert choice.judge.name == "best"
    text = choice_text(choice)
    assert "of those that pass it agrees most (the costs are not all known)" in text
    assert text.endswith("and none agrees more with people.")


def test_where_none_passes_none_is_named(judges):
    choice = choose_judge(costing(judges, bad=0.1))
    assert choice.judge is None
    assert choice_text(choice) == "None of them passes."
    assert choose_judge([]).best is None


def test_a_difference_that_is_more_than_chance_is_said_to_be(judges):
    bad = replace(judges["bad"], cost=0.1, bars=judges["good"].bars)
    choice = choose_judge([bad, replace(judges["best"], cost=9.0)])
    assert choice.judge.name == "bad"
    assert choice_text(choice).endswith("which is more than chance.")


def test_the_worst_of_several_counts_or_with_any_the_best(judges):
    every = list(judges.values())
    assert [one.verdict for one in every] == ["passed", "passed", "undecided"]
    assert together(every, is_any=False) == "undecided"
    assert together(every, is_any=True) == "passed"
    assert together(every[:1], is_any=False) == "passed"


def test_means_that_are_not_of_all_cells_say_of_how_many_they_are(judges):
    known_of_all = replace(judges["good"], cost=0.5, costed=40, seconds=2.0, timed=40)
    assert cost_text(known_of_all) == "A cell costs 0.5 and takes 2.0 s on average."
    of_some = replace(known_of_all, costed=7, timed=0, seconds=None)
    assert cost_text(of_some) == "A cell costs 0.5 (known of 7 of 40) on average."


def test_the_table_has_the_one_first_that_agrees_most(gold, judges):
    table = which_judge(gold, costing(judges, bad=0.1, good=1.0, best=None))
    assert [row[0] for row in table.rows] == ["best", "good", "bad"]
    assert [row[7] for row in table.rows] == ["–", "1", "0.1"]
    assert table.rows[0][2] == "100 %"


def test_answers_that_were_replayed_tell_nothing_of_steadiness_even_if_a_member_took_time(
    judges,
):
    first = replace(judges["best"], timed=40)
    answers = replace(first.answers, name="best #2", again="best", is_replayed=True)
    (repeat,) = repeats_in([first, replace(first, name="best #2", answers=answers)])
    assert (repeat.judge, repeat.again, repeat.is_recorded) == ("best", "best #2", True)
    asked = replace(answers, is_replayed=False)
    (repeat,) = repeats_in([first, replace(first, name="best #2", answers=asked)])
    assert (repeat.n, repeat.turned, repeat.is_recorded) == (40, 0, False)
