"""What a number of audits is expected to come to."""

from appellate.stats.estimates import audits_for, expected_half_width


def test_a_wanted_width_takes_as_many_audits_as_give_it() -> None:
    n = audits_for(0.04, 1000, 0.3, 0.5)
    assert expected_half_width(n, 1000, 0.3, 0.5) <= 0.04
    assert expected_half_width(n - 1, 1000, 0.3, 0.5) > 0.04
    assert audits_for(0.0, 1000, 0.3) == 1000
    assert audits_for(10.0, 1000, 0.0) == 2
