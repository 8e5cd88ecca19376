"""What agreement comes to where it is known without a library, and where there is nothing to say."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.stats.agreement_tables import (
    Coefficient,
    alike,
    between,
    cohen_kappa,
    given_share,
    gwet_ac1,
    intraclass,
    krippendorff_alpha,
    macro_f1,
    share,
)

YES = frozenset({"yes"})
TABLE = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
PATTERNS = st.dictionaries(
    st.tuples(*[st.sampled_from(["1", "2", "4", None])] * 3),
    st.integers(1, 9),
    max_size=20,
)
AT = {"1": 1.0, "2": 2.0, "4": 4.0}


def test_a_textbook_table_has_the_kappa_of_the_textbook():
    assert cohen_kappa(TABLE).value == pytest.approx(0.4)
    assert cohen_kappa(TABLE).chance == pytest.approx(0.5)
    assert alike(TABLE) == Coefficient(0.7)


def test_where_nearly_all_is_yes_ac1_does_not_fall():
    gwet = {("yes", "yes"): 118, ("yes", "no"): 5, ("no", "yes"): 2}
    assert gwet_ac1(gwet).value == pytest.approx(0.9408, abs=5e-5)
    assert cohen_kappa(gwet).value == pytest.approx(-0.0234, abs=5e-5)


def test_krippendorffs_own_table_has_his_alpha():
    rows = [
        *("1 1 - 1", "2 2 3 2", "3 3 3 3", "3 3 3 3", "2 2 2 2", "1 2 3 4"),
        *("4 4 4 4", "1 1 2 1", "2 2 2 2", "- 5 5 5", "- - 1 1", "- - 3 -"),
    ]
    patterns = Counter(
        tuple(None if one == "-" else one for one in row.split()) for row in rows
    )
    assert krippendorff_alpha(patterns).value == pytest.approx(0.743, abs=5e-4)
    at = {str(number): float(number) for number in range(1, 6)}
    assert krippendorff_alpha(patterns, at).value == pytest.approx(0.849, abs=5e-4)


def test_shrout_and_fleiss_own_table_has_their_icc():
    rows = ("9 2 5 8", "6 1 3 2", "8 4 6 8", "7 1 2 6", "10 5 6 9", "6 2 4 7")
    patterns = Counter(tuple(row.split()) for row in rows)
    at = {str(number): float(number) for number in range(1, 11)}
    assert intraclass(patterns, at).value == pytest.approx(0.29, abs=5e-3)


def test_the_other_is_taken_as_right():
    assert share(TABLE, given=YES, rater=1, matching=YES).value == 20 / 30
    assert share(TABLE, given=YES, rater=0, matching=YES).value == 20 / 25
    assert share(TABLE, given={"no"}, rater=1, matching={"no"}).value == 15 / 20
    assert given_share(TABLE, YES, 1).value == 30 / 50
    assert macro_f1(TABLE, YES).value == pytest.approx((40 / 55 + 30 / 45) / 2)


def test_what_is_nought_of_nought_is_nothing_and_not_nought():
    every = (alike, cohen_kappa, gwet_ac1, krippendorff_alpha)
    assert [of({}) for of in every] == [None] * 4
    assert (
        intraclass({}, AT),
        given_share({}, YES, 0),
        share({}, given=YES, rater=0, matching=YES),
    ) == (None,) * 3
    same = {("yes", "yes"): 30}
    assert (cohen_kappa(same), krippendorff_alpha(same), macro_f1(same, YES)) == (
        None,
    ) * 3
    assert gwet_ac1(same).value == 1
    assert share(same, given={"no"}, rater=1, matching={"no"}) is None
    assert intraclass({("1", "1"): 9}, AT) is None
    assert krippendorff_alpha({("1", None): 9}) is None


def test_only_questions_that_all_of_the_chosen_answered_are_between_them():
    patterns = {("a", None, "b"): 2, ("a", "c", "b"): 3, (None, "c", "c"): 4}
    assert between(patterns, (0, 2)) == {("a", "b"): 5}
    assert between(patterns, (2, 1)) == {("b", "c"): 3, ("c", "c"): 4}


@given(PATTERNS)
def test_agreement_knows_no_order_of_those_who_answer_and_no_scale(patterns):
    turned = {pattern[::-1]: count for pattern, count in patterns.items()}
    wider = {word: 10 * place + 3 for word, place in AT.items()}
    for one, other in (
        (gwet_ac1(patterns), gwet_ac1(turned)),
        (krippendorff_alpha(patterns), krippendorff_alpha(turned)),
        (krippendorff_alpha(patterns, AT), krippendorff_alpha(turned, wider)),
        (intraclass(patterns, AT), intraclass(turned, wider)),
    ):
        if one is None:
            assert other is None
        else:
            assert one.value == pytest.approx(other.value)
            assert one.value <= 1 + 1e-9
