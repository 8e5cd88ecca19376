"""Names of judges that are held against one gold set: no two have the same."""

from appellate.gold.asking import JudgeAnswers, told_apart


def named(*names):
    return [JudgeAnswers(name, {}) for name in names]


def test_a_judge_asked_again_is_numbered_and_an_audit_of_its_name_is_no_repeat():
    answers = told_apart(named("a", "a", "b"), named("a", "b"))
    assert [(each.name, each.again) for each in answers] == [
        ("a", ""),
        ("a #2", "a"),
        ("b", ""),
        ("a #3", ""),
        ("b #2", ""),
    ]


def test_a_name_that_looks_numbered_is_given_to_no_other():
    answers = told_apart(named("a #2", "a", "a"), named("a", "a #2"))
    assert [(each.name, each.again) for each in answers] == [
        ("a #2", ""),
        ("a", ""),
        ("a #3", "a"),
        ("a #4", ""),
        ("a #2 #2", ""),
    ]
