from hypothesis import given
from hypothesis import strategies as st

from appellate.core.problem import lower, many


def test_a_count_is_told_with_its_noun():
    assert [many(count, "cell") for count in (0, 1, 2, 1000)] == [
        "0 cells",
        "1 cell",
        "2 cells",
        "1,000 cells",
    ]
    assert many(2, "breach", "breaches") == "2 breaches"


@given(st.text())
def test_lower_case_keeps_offsets(text):
    assert len(lower(text)) == len(text)
    assert lower("İSTANBUL") == "İstanbul"
