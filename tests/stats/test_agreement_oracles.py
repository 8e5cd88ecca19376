"""Agreement on real labels as MEASURED.md has it; and on random tables as scikit-learn, statsmodels,
krippendorff, irrCAC, pingouin and scipy have it: what they say is kept beside this, by
`tests/benchmarks/agreement_oracles.py --write`.
"""

import json
import sys
from pathlib import Path

import pytest

from appellate.stats.alt_test import alt_test

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "benchmarks"))
from agreement_oracles import ours  # noqa: E402
from agreement_real import agreed, expert, graded, physicians  # noqa: E402

KEPT = json.loads((HERE / "agreement_oracles.json").read_text(encoding="utf-8"))
TOLD = {
    *(
        "kappa",
        "kappa weighted",
        "alpha",
        "alpha interval",
        "alpha by irrCAC",
        "ac1",
        "icc",
    ),
    *(
        "sensitivity",
        "specificity",
        "precision",
        "prevalence",
        "macro f1",
        "alt-test p 1",
    ),
    *("alt-test winning rate", "alt-test scores advantage", "effective votes"),
}


def test_what_the_libraries_say_of_random_tables_is_said_here_to_nine_places():
    compared = set()
    for case in KEPT:
        rows = [
            [None if one == "-" else one for one in row] for row in case["rows"].split()
        ]
        own = ours({"words": case["words"], "rows": rows})
        for name, value in case["said"].items():
            assert own[name.split(" by ")[0]] == pytest.approx(value, abs=1e-9), name
            compared.add(name)
    assert compared >= TOLD


PAGE = (HERE.parents[1] / ".github" / "MEASURED.md").read_text("utf-8")


def row(found):
    told = [f"{found.n} | {found.traces}", told_of(found, "observed", spread=False)]
    told += [told_of(found, name) for name in ("kappa", "ac1", "macro_f1")]
    return f"| {' | '.join(told)} |"


def told_of(found, name, *, spread=True):
    known = found.known(name)
    value, low, high = (
        f"{one:.2f}".removeprefix("0") for one in (known.value, *known.bounds[:2])
    )
    return f"{value} ({low} to {high})" if spread else value


def test_a_models_grades_against_a_readers_are_as_the_page_says(shared):
    assert row(agreed(graded(shared), "C")) in PAGE


def test_word_overlap_against_experts_is_as_the_page_says(shared):
    assert row(agreed(expert(shared), "full")) in PAGE


def test_the_offline_judge_may_not_stand_in_for_a_physician(shared):
    found = alt_test(physicians(shared))
    assert (found.passes, found.winning_rate) == (False, 0)
    assert "none of three physicians" in " ".join(PAGE.split())
    assert f"{found.advantage:.2f} of the time".removeprefix("0") in PAGE
