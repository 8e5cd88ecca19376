"""How often intervals by betting hold the truth, and how wide they are, beside those by residuals.

The populations are those of `estimates.py`, and some in which intervals by residuals fail, each with so many traces
(57 to 5,000). Of each, a sample is drawn and ruled on in turn, again and again. Counted are samples whose interval left
out the truth at n, and at any look before; widths are of a tenth of the samples.

    python tests/benchmarks/betting.py [--draws 200] [--only f1,pass] [--sizes 57,1000]

Exits with 1 where more than 5 % are wrong at any look, by more than chance explains (3 standard errors).
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple

from estimates import JUDGES, MEANS, asked, buckets, leave

from appellate.stats.betting import DOWN, UP, Audit, RuledUnit, UnitPrior
from appellate.stats.estimates import Audited, Pair, Stratum, estimate_ratio
from appellate.stats.measured_pairs import PAIRED, pair

LOOKS = (30, 60, 100)
SIZES = (57, 200, 1000, 5000)
HORIZON = 60
JUDGED_BY = ("good", "lenient", "poor")
LEVEL = 0.05


class Unit(NamedTuple):
    """What people and the judge say of a trace, and the extremes that people could say."""

    person: Pair
    judge: Pair
    corners: tuple[Pair, ...]


Maker = Callable[[random.Random], Unit]


def of_items(measure: str, judge: str) -> Maker:
    """Traces with some items of which the judge errs in some, more so in hard traces."""

    def unit(chance: random.Random) -> Unit:
        person, (said,) = buckets(chance, JUDGES[judge])
        expected = person[0] + person[1]
        unwanted = person[2] + person[3]
        extremes = []
        for tp in (0.0, expected):
            for fp in (0.0, unwanted):
                extremes.append(pair(measure, [tp, expected - tp, fp, unwanted - fp]))
        return Unit(
            pair(measure, person),
            pair(measure, said),
            tuple(sorted(set(extremes))),
        )

    return unit


def of_means(measure: str, judge: str) -> Maker:
    """Traces with a number each."""
    make, low, high = MEANS[measure]

    def unit(chance: random.Random) -> Unit:
        person, (said,) = make(chance, JUDGES[judge])
        return Unit(Pair(person, 1), Pair(said, 1), (Pair(low, 1), Pair(high, 1)))

    return unit


def shares(passed: float, wrong: float) -> Maker:
    """A share of yes, and a judge that is wrong in some traces, whatever is right there."""

    def unit(chance: random.Random) -> Unit:
        person = float(chance.random() < passed)
        judge = person
        if chance.random() < wrong:
            judge = 1 - person
        return Unit(Pair(person, 1), Pair(judge, 1), (Pair(0, 1), Pair(1, 1)))

    return unit


def bad_in_few(chance: random.Random) -> Unit:
    """A judge that is right, but for 6 % of the traces, which it calls the contrary."""
    return shares(0.7, 0.06)(chance)


def unseen_bad(chance: random.Random) -> Unit:
    """Two of a hundred are unsafe, and the judge calls all of them safe."""
    person = float(chance.random() < 0.98)
    return Unit(Pair(person, 1), Pair(1, 1), (Pair(0, 1), Pair(1, 1)))


def heavy_tail(chance: random.Random) -> Unit:
    """The F1 of traces some of which have a hundred times as many items as others."""
    expected = min(int(chance.paretovariate(1.1)), 200)
    found = sum(chance.random() < 0.7 for _ in range(expected))
    said = sum(chance.random() < 0.75 for _ in range(expected))
    corners = (Pair(0, expected / 2), Pair(expected, expected))
    return Unit(
        Pair(found, found + (expected - found) / 2),
        Pair(said, said + (expected - said) / 2),
        corners,
    )


def makers(only: Sequence[str]) -> dict[str, Maker]:
    """The populations by name; those of `estimates.py` under each judge."""
    found: dict[str, Maker] = {}
    for judge in JUDGED_BY:
        for measure in (*PAIRED, *MEANS):
            if measure in only:
                make = of_means if measure in MEANS else of_items
                found[f"{measure}, {judge}"] = make(measure, judge)
    found |= {
        "near-perfect": shares(0.7, 0.02),
        "6 % bad": bad_in_few,
        "useless": shares(0.7, 0.5),
        "inverted": shares(0.7, 0.9),
        "2 % unsafe, unseen": unseen_bad,
        "heavy tail f1": heavy_tail,
    }
    return found


class Counts:
    """What was counted of one population and size."""

    def __init__(self) -> None:
        self.wrong = dict.fromkeys(LOOKS, 0)
        self.deciding_wrong = dict.fromkeys(LOOKS, 0)
        self.ever_wrong = 0
        self.widths: dict[int, list[float]] = {look: [] for look in LOOKS}
        self.deciding_widths: dict[int, list[float]] = {look: [] for look in LOOKS}


def measured(make: Maker, size: int, draws: int, seed: str) -> Counts:
    """Draw from one population again and again."""
    chance = random.Random(seed)
    units = [make(chance) for _ in range(size)]
    truth = sum(unit.person.a for unit in units) / sum(unit.person.b for unit in units)
    low, high = (min(corner.a for unit in units for corner in unit.corners), 1.0)
    if all(corner.b == 1 for unit in units for corner in unit.corners):
        high = max(corner.a for unit in units for corner in unit.corners)
    else:
        low = 0.0
    frame = Counter(UnitPrior(unit.corners, unit.judge) for unit in units)
    judge = [unit.judge for unit in units]
    looks = [look for look in LOOKS if look < size]
    counts = Counts()
    for draw in range(draws):
        order = chance.sample(range(size), looks[-1])
        ruled = [
            [
                RuledUnit(
                    UnitPrior(units[one].corners, units[one].judge),
                    units[one].person,
                ),
            ]
            for one in order
        ]
        audit = Audit([frame], ruled, horizon=HORIZON, low=low, high=high)
        after = [audit.refused_after(truth, side) for side in (UP, DOWN)]
        refused = min((count for count in after if count is not None), default=None)
        counts.ever_wrong += refused is not None
        for look in looks:
            counts.wrong[look] += refused is not None and refused <= look
            drawn = [
                Audited(units[one].person, units[one].judge) for one in order[:look]
            ]
            old = estimate_ratio([Stratum(judge, drawn)], low=low, high=high)
            if old is not None:
                _, below, above = old.deciding
                counts.deciding_wrong[look] += not below <= truth <= above
                counts.deciding_widths[look].append(above - below)
            if draw % 10 == 0:
                found = Audit(
                    [frame],
                    ruled[:look],
                    horizon=HORIZON,
                    low=low,
                    high=high,
                ).interval()
                if found is not None:
                    counts.widths[look].append(found.high - found.low)
    return counts


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def main() -> None:
    parser = asked(__doc__, 200)
    parser.add_argument(
        "--sizes",
        type=lambda text: tuple(map(int, text.split(","))),
        default=SIZES,
    )
    arguments = parser.parse_args()
    heads = "".join(
        f"{f'held {look}':>9}{'old':>6}{'width':>7}{'old':>6}" for look in LOOKS
    )
    print(f"{'population':24}{'N':>6}{'ever wrong':>11}{heads}")
    broken: list[str] = []
    most = LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / arguments.draws)
    for name, make in makers(arguments.only).items():
        for size in arguments.sizes:
            counts = measured(
                make,
                size,
                arguments.draws,
                f"{arguments.seed} {name} {size}",
            )
            ever = counts.ever_wrong / arguments.draws
            line = f"{name:24}{size:6}{100 * ever:10.1f}%"
            for look in LOOKS:
                if look >= size:
                    continue
                held = 100 * (1 - counts.wrong[look] / arguments.draws)
                old = 100 * (1 - counts.deciding_wrong[look] / arguments.draws)
                widths = mean(counts.widths[look]), mean(counts.deciding_widths[look])
                line += f"{held:9.1f}{old:6.1f}{widths[0]:7.3f}{widths[1]:6.3f}"
            print(line, flush=True)
            if ever > most:
                broken.append(f"{name}, {size} traces: wrong in {100 * ever:.1f} %")
    leave(broken)


if __name__ == "__main__":
    main()
