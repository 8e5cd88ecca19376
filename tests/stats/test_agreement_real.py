"""Agreement on real labels of judges and people, as the manual tells it."""

import sys
from pathlib import Path

from appellate import manual
from appellate.stats.alt_test import alt_test

TESTS = Path(__file__).parents[1]
sys.path.append(str(TESTS / "benchmarks"))
from agreement_real import agreed, expert, graded, physicians  # noqa: E402

PAGE = manual.page("numbers")


def row(found):
    told = [f"{found.n} | {found.traces}", told_of(found, "observed", spread=False)]
    told += [told_of(found, name) for name in ("kappa", "ac1", "macro_f1")]
    return f"| {' | '.join(told)} |"


def told_of(found, name, *, spread=True):
    known = found.known(name)
    value, low, high = (f"{one:.2f}".removeprefix("0") for one in (known.value, *known.bounds[:2]))
    return f"{value} ({low} to {high})" if spread else value


def test_a_models_grades_against_a_readers_are_as_the_manual_says(shared):
    assert row(agreed(graded(shared), "C")) in PAGE


def test_word_overlap_against_experts_is_as_the_manual_says(shared):
    assert row(agreed(expert(shared), "full")) in PAGE


def test_the_offline_judge_may_not_stand_in_for_a_physician(shared):
    found = alt_test(physicians(shared))
    assert (found.passes, found.winning_rate) == (False, 0)
    assert "none of three physicians" in " ".join(PAGE.split())
    assert f"{found.advantage:.2f} of the time".removeprefix("0") in PAGE
