"""How often the intervals of a census and of a gold set hold the value of responses without end.

Numbers of the judge on n traces, of which all were ruled on: an answer a trace (n 30, 60, 100, 450)
or five (n 20, 60), with 4 to 95 of 100 positive, and judges from useless to near-perfect.
`python tests/benchmarks/census_intervals.py [REPETITIONS]`; 400 take four minutes.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "numbers")]

from appellate.numbers.estimates import (  # noqa: E402
    AGREEMENT,
    F1,
    KAPPA,
    PRECISION,
    SENSITIVITY,
    SPECIFICITY,
    judge_bounds,
    judge_statistic,
)
from appellate.stats.agreement_tables import Pattern  # noqa: E402
from appellate.stats.clustered import clustered  # noqa: E402

NAMES = (AGREEMENT, KAPPA, SENSITIVITY, SPECIFICITY, PRECISION, F1)
YES = frozenset({"yes"})
JUDGES = {
    "good": (0.93, 0.95),
    "lenient": (0.95, 0.7),
    "poor": (0.7, 0.65),
    "near-perfect": (0.99, 0.98),
    "useless": (0.7, 0.3),
}
"""How often a judge says yes where people do, and no where they do."""
POSITIVE = (0.5, 0.8, 0.95, 0.04)
"""The shares of yes."""
ITEMS = 5
ENDLESS = 100_000
"""Traces of which the true value is computed."""
Table = Counter[Pattern]


def one_answer(chance: random.Random, positive: float, judge: str) -> Table:
    """Return a trace with one question."""
    return answers(chance, 1, positive, *JUDGES[judge])


def five_answers(chance: random.Random, positive: float, judge: str) -> Table:
    """Return a trace with five questions, which is easy or hard for the judge as a whole."""
    common = chance.betavariate(5 * positive, 5 * (1 - positive))
    muddle = 2 * chance.betavariate(1, 1)
    right, left = JUDGES[judge]
    return answers(chance, ITEMS, common, right**muddle, left**muddle)


def answers(
    chance: random.Random,
    count: int,
    positive: float,
    right: float,
    left: float,
) -> Table:
    """Return so many pairs of answers of judge and person."""
    table: Table = Counter()
    for _ in range(count):
        person = chance.random() < positive
        is_alike = chance.random() < (right if person else left)
        judge = person if is_alike else not person
        table["yes" if judge else "no", "yes" if person else "no"] += 1
    return table


class Coverage(NamedTuple):
    """How the intervals of a number did, in shares of those that there were."""

    told: float
    """Of how many sets there was an interval."""
    too_high: float
    """Its lower end lies above the true value, so that a bar there is wrongly reached."""
    too_low: float
    """Its upper end lies below the true value."""
    width: float

    @property
    def held(self) -> float:
        return 1 - self.too_high - self.too_low


def coverage(make: Callable[[], Table], traces: int, times: int) -> dict[str, Coverage]:
    """Return the coverage of each number over so many sets of so many traces."""
    endless: Table = Counter()
    for _ in range(ENDLESS):
        endless.update(make())
    whole = clustered([endless])
    statistics = {name: judge_statistic(name, YES, whole) for name in NAMES}
    true = {name: statistic(endless).value for name, statistic in statistics.items()}
    told, above, below, width = Counter(), Counter(), Counter(), Counter()
    for _ in range(times):
        clusters = clustered(make() for _ in range(traces))
        for name, statistic in statistics.items():
            bounds = judge_bounds(name, statistic, clusters, 0.95)
            if bounds is None:
                continue
            told[name] += 1
            above[name] += bounds.low > true[name] + 1e-9
            below[name] += bounds.high < true[name] - 1e-9
            width[name] += bounds.high - bounds.low
    return {
        name: Coverage(
            told[name] / times,
            above[name] / told[name],
            below[name] / told[name],
            width[name] / told[name],
        )
        for name in NAMES
        if told[name]
    }


def populations() -> Iterator[tuple[str, Callable[[], Table], tuple[int, ...]]]:
    """Yield the name of each kind of traces, what makes one, and how many a set has."""
    for shape, traces in ((one_answer, (30, 60, 100, 450)), (five_answers, (20, 60))):
        for positive in POSITIVE:
            for judge in JUDGES:
                chance = random.Random(11)
                name = f"{shape.__name__} {positive} {judge}"
                yield name, partial(shape, chance, positive, judge), traces


def main() -> None:
    times = int(sys.argv[1]) if sys.argv[1:] else 400
    by_size: dict[tuple[str, int, str], list[tuple[Coverage, str]]] = {}
    for population, make, sizes in populations():
        for traces in sizes:
            for name, held in coverage(make, traces, times).items():
                shape = population.split()[0]
                by_size.setdefault((shape, traces, name), []).append((held, population))
                print(
                    f"{population:32} n {traces:3} {name:18} held {held.held:.3f}, too high"
                    f" {held.too_high:.3f}, too low {held.too_low:.3f}, told {held.told:.2f}, width"
                    f" {held.width:.3f}",
                    flush=True,
                )
    print("\nleast, mean held; most too high")
    for (shape, traces, name), found in by_size.items():
        least, population = min((held.held, population) for held, population in found)
        mean = sum(held.held for held, _ in found) / len(found)
        most = max(held.too_high for held, _ in found)
        print(
            f"{shape:12} n {traces:3} {name:18} least {least:.3f} ({population}), mean {mean:.3f},"
            f" too high at most {most:.3f}",
        )


if __name__ == "__main__":
    main()
