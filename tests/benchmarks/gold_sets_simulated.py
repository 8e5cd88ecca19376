"""How often a judge passes, by its true agreement, and how often a worse one is shown to be worse.

`python tests/benchmarks/gold_sets_simulated.py`: 1,000 gold sets of 60 answers each, 30 seconds.
"""

import sys
from collections import Counter
from pathlib import Path
from random import Random

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "numbers")]

from test_judge_numbers import TRAIT, judged  # noqa: E402

from appellate.numbers.estimates import AGREEMENT, AuditUnit, judge_measures  # noqa: E402
from appellate.numbers.such_traces import judge_number_of_such  # noqa: E402
from appellate.stats.clustered import clustered  # noqa: E402
from appellate.stats.looks import read_bar  # noqa: E402
from appellate.stats.paired import paired_difference  # noqa: E402

SETS = 1_000
ANSWERS = 60
BAR = read_bar("judge.agreement>=.8")
OWN = 0.85
"""The share of answers in which the gold's own judge is right."""


def gold_set(random: Random, agreement: float) -> list[AuditUnit]:
    """Traces of which people say yes to six of ten, and a judge agrees so often."""
    units = []
    for place in range(ANSWERS):
        person = random.random() < 0.6
        judge = person if random.random() < agreement else not person
        units.append(judged(judge, person, place))
    return units


def two_judges(random: Random, worse_by: float) -> list[dict]:
    """Patterns of the gold's own judge and another, which share half of their answers."""
    tables = []
    for _ in range(ANSWERS):
        own = random.random() < OWN
        other = own
        if random.random() < 0.5:
            other = random.random() < OWN - 2 * worse_by
        tables.append({("yes", "yes" if own else "no", "yes" if other else "no"): 1})
    return tables


def main() -> None:
    random = Random(42)
    (measure,) = [one for one in judge_measures(TRAIT) if one.name == AGREEMENT]
    for agreement in (0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
        decisions: Counter[str] = Counter()
        for _ in range(SETS):
            interval = judge_number_of_such(
                gold_set(random, agreement),
                TRAIT,
                measure,
            ).interval
            decisions[BAR.decide(interval.low, interval.high)] += 1
        print(f"agreement {agreement}: {dict(decisions)}")
    for worse_by in (0, 0.05, 0.1, 0.15, 0.2):
        shown: Counter[str] = Counter()
        for _ in range(SETS):
            found = paired_difference(clustered(two_judges(random, worse_by)))
            shown["worse"] += found.high < 0
            shown["better"] += found.low > 0
        print(f"worse by {worse_by}: shown {dict(shown)}")


if __name__ == "__main__":
    main()
