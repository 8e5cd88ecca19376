import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.stats.distributions import incomplete_beta, t_cdf, t_quantile


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
