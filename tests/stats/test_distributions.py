from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.stats.distributions import (
    beta_quantile,
    incomplete_beta,
    t_cdf,
    t_quantile,
)


@pytest.mark.parametrize(
    ("chance", "df", "value"),
    [  # scipy 1.17's stats.t.ppf
        (0.975, 1, 12.706204736174694),
        (0.975, 10, 2.2281388519862744),
        (0.975, 59, 2.0009953780882688),
        (0.995, 19, 2.860934606464979),
        (0.9, 3.5, 1.5765766051364052),
        (0.025, 200, -1.9718962236339095),
    ],
)
def test_quantiles_of_t_are_those_of_scipy(chance, df, value):
    assert t_quantile(chance, df) == pytest.approx(value, rel=1e-9)


@given(st.floats(0.001, 0.999), st.floats(1, 5000))
def test_a_quantile_is_exceeded_with_the_rest_of_the_chance(chance, df):
    assert t_cdf(t_quantile(chance, df), df) == pytest.approx(chance, abs=1e-9)


@given(st.floats(-50, 50), st.floats(1, 500))
def test_t_is_symmetric(value, df):
    assert t_cdf(value, df) == pytest.approx(1 - t_cdf(-value, df), abs=1e-12)


def test_the_incomplete_beta_function_is_that_of_scipy():
    assert incomplete_beta(0.3, 2, 5) == pytest.approx(0.579825, rel=1e-9)
    assert incomplete_beta(0, 2, 5) == 0
    assert incomplete_beta(1, 2, 5) == 1


@pytest.mark.parametrize("chance", [0, 1, -0.5, 1.5, float("nan"), float("inf")])
def test_a_quantile_of_no_chance_is_refused_and_not_looked_for_forever(chance):
    with pytest.raises(ValueError, match="a chance must be between 0 and 1"):
        t_quantile(chance, 5)


@pytest.mark.parametrize("df", [0, -1, float("nan"), float("inf")])
def test_there_is_no_t_without_degrees_of_freedom(df):
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_quantile(0.9, df)
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_cdf(1.0, df)


def test_there_is_no_chance_of_what_is_no_number():
    with pytest.raises(ValueError, match="no chance of nan"):
        t_cdf(float("nan"), 5)
    for wrong in ((float("nan"), 1, 1), (0.5, 0, 1), (0.5, 1, float("nan"))):
        with pytest.raises(ValueError, match="no chance of at most"):
            incomplete_beta(*wrong)


@given(st.floats(0, 1, exclude_min=True, exclude_max=True), st.floats(0.5, 5000))
def test_every_chance_has_a_quantile(chance, df):
    found = t_quantile(chance, df)
    assert (found > 1e-9, found < -1e-9) in (
        (chance > 0.5, chance < 0.5),
        (False, False),
    )


@given(
    st.floats(0.001, 0.999),
    st.floats(0.01, 500),
    st.floats(0.01, 500),
)
def test_a_quantile_of_beta_is_not_exceeded_with_its_chance(chance, a, b):
    value = beta_quantile(chance, a, b)
    assert 0 <= value <= 1
    if 1e-9 < value < 1 - 1e-9:
        assert incomplete_beta(value, a, b) == pytest.approx(chance, abs=1e-6)


@pytest.mark.parametrize("chance", [0, 1, -0.1, nan])
def test_no_quantile_of_beta_has_a_chance_of_none_or_all(chance):
    with pytest.raises(ValueError, match="no quantile"):
        beta_quantile(chance, 2, 3)


@pytest.mark.parametrize(("a", "b"), [(0, 0), (-1, 1), (2, -2), (inf, 1), (nan, 1)])
def test_no_quantile_has_parameters_that_no_distribution_has(a, b):
    with pytest.raises(ValueError, match="there is no Beta"):
        beta_quantile(0.5, a, b)
