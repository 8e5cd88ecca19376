import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.stats.look_plans import LookPlan, read_look_plan, read_looks
from appellate.stats.looks import (
    TrustBar,
    read_bar,
    read_decision,
)


@pytest.mark.parametrize(
    ("text", "bar"),
    [
        ("f1>=.8", TrustBar("f1", 0.8)),
        ("f1 >= 0.80", TrustBar("f1", 0.8)),
        ("f1≥.8", TrustBar("f1", 0.8)),
        ("score<=2", TrustBar("score", 2, at_least=False)),
        ("BCL2 Accuracy:f1>=.8", TrustBar("f1", 0.8, trait="BCL2 Accuracy")),
        ("a:b: f1 >=.8", TrustBar("f1", 0.8, trait="a:b")),
        ("Style:score.clarity>=3", TrustBar("score.clarity", 3, trait="Style")),
        ("x>=y:recall>=1", TrustBar("recall", 1, trait="x>=y")),
        ("judge.kappa>=.6", TrustBar("judge.kappa", 0.6)),
        (
            "Safety:judge.bias<=-.1",
            TrustBar("judge.bias", -0.1, at_least=False, trait="Safety"),
        ),
    ],
)
def test_a_bar_is_read_as_people_write_it(text, bar):
    assert read_bar(text) == bar


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("f1", "is not a bar"),
        ("", "is not a bar"),
        (">=.8", "is not a bar"),
        ("f1>.8", ">= for at least"),
        ("f1=.8", ">= for at least"),
        ("f1>=80%", "has no number"),
        ("f1>=", "has no number"),
        ("f1>=nan", "no finite number"),
        ("f1>=inf", "no finite number"),
    ],
)
def test_what_is_no_bar_is_refused_with_what_would_be_right(text, told):
    with pytest.raises(ValueError, match=told):
        read_bar(text)


@given(
    st.sampled_from(["f1", "score", "score.clarity"]),
    st.floats(-1000, 1000).map(lambda value: round(value, 6)),
    st.booleans(),
    st.sampled_from(["", "Facts", "a:b"]),
)
def test_a_bar_that_is_written_reads_as_the_same_bar(measure, value, at_least, trait):
    bar = TrustBar(measure, value, at_least, trait)
    assert read_bar(str(bar)) == bar


@pytest.mark.parametrize(
    ("low", "high", "decision"),
    [
        (0.8, 0.9, "reached"),
        (0.79, 0.9, "undecided"),
        (0.7, 0.8, "undecided"),
        (0.7, 0.7999, "not reached"),
    ],
)
def test_an_interval_decides_only_where_the_bar_is_not_in_it(low, high, decision):
    assert TrustBar("f1", 0.8).decide(low, high) == decision
    assert TrustBar("errors", -0.8, at_least=False).decide(-high, -low) == decision


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.booleans(),
    st.floats(0, 1),
)
def test_no_decision_is_wrong_while_the_interval_holds_the_true_value(
    low,
    high,
    value,
    at_least,
    share,
):
    low, high = min(low, high), max(low, high)
    true = min(max(low + share * (high - low), low), high)
    is_met = true >= value if at_least else true <= value
    decision = TrustBar("f1", value, at_least).decide(low, high)
    assert decision == "undecided" or (decision == "reached") == is_met


def test_looks_are_read_and_rise():
    assert read_looks("40, 60,80") == (40, 60, 80)
    for text, told in (
        ("", "write after how many"),
        ("0", "has a look at 0; look from 20 audits on, or write any"),
        ("20,20", "has 20 after 20; each look comes after more"),
        ("40,x", "write after how many"),
        ("40,40", "has 40 after 40"),
        ("60,40", "has 40 after 60"),
        ("10,40", "has a look at 10"),
        (",".join(map(str, range(20, 31))), "has 11 looks"),
    ):
        with pytest.raises(ValueError, match=told):
            read_looks(text)


def test_decisions_are_read_in_the_words_of_audits_of_before_too():
    told = ["reached", "not reached", "undecided", "trusted", "not trusted", "certain"]
    read = ["reached", "not reached", "undecided", "reached", "not reached", None]
    assert list(map(read_decision, told)) == read


def test_a_plan_is_a_list_of_looks_or_any_with_the_audits_that_bets_are_for():
    assert read_look_plan("40, 60") == LookPlan((40, 60))
    assert read_look_plan(" Any ") == LookPlan()
    assert read_look_plan("any: 60") == LookPlan((), 60)
    assert (read_look_plan("any").is_any, read_look_plan("40").is_any) == (True, False)
    for text in ("any:", "any:0", "any:-4", "any:x", "any:60,80"):
        with pytest.raises(ValueError, match="as in any:60"):
            read_look_plan(text)
    with pytest.raises(ValueError, match="or any"):
        read_look_plan("every")
