"""Agreement as scikit-learn, statsmodels, krippendorff, irrCAC, pingouin and scipy have it, on random
tables: what they say is kept beside this, by `tests/benchmarks/agreement_oracles.py --write`.
"""

import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "benchmarks"))
from agreement_oracles import ours  # noqa: E402

KEPT = json.loads((HERE / "agreement_oracles.json").read_text(encoding="utf-8"))
TOLD = {
    *("kappa", "kappa weighted", "alpha", "alpha interval", "alpha by irrCAC", "ac1", "icc"),
    *("sensitivity", "specificity", "precision", "prevalence", "macro f1", "alt-test p 1"),
    *("alt-test winning rate", "alt-test scores advantage", "effective votes"),
}


def test_what_the_libraries_say_of_random_tables_is_said_here_to_nine_places():
    compared = set()
    for case in KEPT:
        rows = [[None if one == "-" else one for one in row] for row in case["rows"].split()]
        own = ours({"words": case["words"], "rows": rows})
        for name, value in case["said"].items():
            assert own[name.split(" by ")[0]] == pytest.approx(value, abs=1e-9), name
            compared.add(name)
    assert compared >= TOLD
