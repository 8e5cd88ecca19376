from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from appellate.ui.page import Finding, find


def found(text, needle):
    return [text[start:end] for start, end in find(text, needle)]


def test_case_and_white_space_do_not_matter():
    assert found("BCL2 and bcl2", "Bcl2") == ["BCL2", "bcl2"]
    assert found("helps\n  cells", "helps cells") == ["helps\n  cells"]
    assert found("a.b (c) axb", "a.b (C)") == ["a.b (c)"]
    assert find("anything", "  ") == []


def test_characters_that_fold_to_several_are_found_whole():
    assert found("Die STRASSE, die Straße, İstanbul", "strasse") == [
        "STRASSE",
        "Straße",
    ]
    assert found("ßßx", "x") == ["x"]


@given(st.text("aAbß İ\n", max_size=40), st.text("abs i", min_size=1, max_size=3))
def test_hits_are_in_order_and_apart_and_hold_the_needle(text, needle):
    hits = find(text, needle)
    assert hits == sorted(hits)
    assert all(before[1] <= after[0] for before, after in pairwise(hits))
    for start, end in hits:
        assert "".join(needle.casefold().split()) in "".join(
            text[start:end].casefold().split(),
        )


def test_a_search_begins_where_one_is_and_goes_round():
    finding = Finding("a", [(0, 1), (5, 6), (9, 10)])
    assert finding.from_offset(4).position == (2, 3)
    assert finding.from_offset(10).position == (1, 3)
    assert finding.stepped(-1).here == (9, 10)
    assert Finding("a").stepped(1).position == (0, 0)
