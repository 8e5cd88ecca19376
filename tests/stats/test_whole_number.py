"""Whole numbers that are read of texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.stats.look_plans import read_looks
from appellate.stats.whole_number import LONGEST, whole_number


@given(st.integers(0, 10**LONGEST - 1))
def test_a_number_is_read_as_it_is_written(number):
    assert whole_number(str(number)) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1.0", "1_000", "x", "9" * 19])
def test_no_other_text_is_a_number(text):
    assert whole_number(text) is None


def test_thousands_of_digits_are_refused_as_any_other_text_that_is_no_look():
    with pytest.raises(ValueError, match="is not a list of looks"):
        read_looks("40," + "9" * 5000)
