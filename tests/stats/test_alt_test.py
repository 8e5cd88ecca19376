"""Whether a judge may stand in for a person, where the answer is plain."""

from appellate.stats.alt_test import LEAST, JudgedItem, alt_test, rejected


def items(rows, together=1):
    return [
        JudgedItem(judge, people, no // together)
        for no, (judge, *rest) in enumerate(rows)
        for people in [tuple(rest)]
    ]


RIGHT = [("a", "a", "a", "a"), ("b", "b", "b", "b")]


def test_a_judge_that_says_what_all_people_say_passes():
    found = alt_test(items(RIGHT * 30))
    assert (found.winning_rate, found.advantage, found.passes) == (1, 1, True)
    assert [one.n for one in found.against] == [60] * 3


def test_a_judge_that_says_what_nobody_says_does_not():
    found = alt_test(items([("c", "a", "a", "a"), ("c", "b", "b", "b")] * 30))
    assert (found.winning_rate, found.advantage, found.passes) == (0, 0, False)


def test_the_person_who_stands_apart_is_the_one_that_the_judge_beats():
    odd = [("a", "a", "a", "b"), ("b", "b", "b", "a")] * 30
    told = alt_test(items(odd))
    assert told.against[2].wins
    assert told.against[2].advantage == 1
    assert told.passes


def test_fewer_than_thirty_answers_of_a_person_are_no_test_of_it():
    assert alt_test([]) is None
    assert alt_test(items(RIGHT * (LEAST // 2 - 1))) is None
    rows = [("a", "a", "a", None)] * LEAST + [("a", "a", "a", "a")] * 5
    assert alt_test(items(rows)).against[2] is None
    alone = [("a", "a", None, None)] * 100
    assert alt_test(items(alone)) is None


def test_items_of_one_trace_say_less_than_as_many_of_their_own():
    rows = [("a", "a", "a"), ("a", "b", "a"), ("a", "a", "b"), ("b", "a", "a")] * 15
    alone = alt_test(items(sorted(rows)))
    together = alt_test(items(sorted(rows), together=15))
    assert together.against[0].p > alone.against[0].p
    assert alt_test(items(rows, together=1000)).against[0].p == 1


def test_scores_are_near_or_far_and_not_only_alike():
    rows = [("4", "5", "4"), ("2", "2", "1")] * 20
    at = {str(score): float(score) for score in range(1, 6)}
    apart = [("1", "4", "5"), ("5", "2", "1")] * 20
    assert alt_test(items(rows), positions=at).advantage == 1
    assert alt_test(items(apart), positions=at).advantage == 0


def test_tests_that_depend_on_each_other_are_held_to_more():
    assert rejected([0.009, 0.02, 0.04]) == [True, False, False]
    assert rejected([0.0334, 0.0001]) == [False, True]
    assert rejected([0.03, 0.0333]) == [True, True]
    assert rejected([]) == []
