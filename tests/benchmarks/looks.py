"""How often a decision against a bar is wrong: at planned looks, and by whoever stops when an interval clears it.

The bar is the true F1 of the frame, so that every decision by an interval that leaves it out is one by chance.

    python tests/benchmarks/looks.py [RUNS]
"""

import random
import sys
from collections.abc import Callable, Sequence

from appellate.stats.estimates import Audited, Pair, Stratum, estimate_ratio
from appellate.stats.looks import FEWEST, LEVEL

FRAME, ITEMS, AUDITS = 1000, 6, 100
LOOKS = (40, 60, 80, 100)
JUDGES = {
    "good": (0.05, 0.05, 1.0),
    "lenient": (0.25, 0.03, 1.0),
    "poor": (0.3, 0.3, 1.0),
    "wrong in 5 %": (0.8, 0.8, 0.05),
}
"""How often a judge finds what is missing, and misses what is there, in which part of the traces; in
the others it errs nowhere.
"""
Counts = Sequence[tuple[Pair, Pair]]


def f1(tp: int, fp: int, fn: int) -> Pair:
    return Pair(tp, tp + (fp + fn) / 2)


def frame(chance: random.Random, false: float, missed: float, part: float) -> Counts:
    """The person's pair and the judge's of every trace; what a trace says is alike in its items."""
    found = []
    for _ in range(FRAME):
        share = chance.betavariate(3, 1.2)
        harder = chance.betavariate(1, 1) * 2
        if part < 1:
            harder = float(chance.random() < part)
        person, judge = [0, 0, 0], [0, 0, 0]
        for _ in range(ITEMS):
            there = chance.random() < share
            wrong = chance.random() < 0.1
            person[0 if there else 2] += 1
            person[1] += wrong
            flips = (missed if there else false) * harder
            says = there != (chance.random() < flips)
            judge[0 if says else 2] += 1
            judge[1] += wrong != (chance.random() < false * harder / 2)
        found.append((f1(*person), f1(*judge)))
    return found


def ratio(pairs: Sequence[Pair]) -> float:
    return sum(pair.a for pair in pairs) / sum(pair.b for pair in pairs)


def leaves_out(
    truth: float,
    every: Sequence[Pair],
    drawn: Counts,
    level: float,
) -> bool:
    """Whether the interval over some audited units decides against the truth."""
    audited = [Audited(person, judge) for person, judge in drawn]
    found = estimate_ratio([Stratum(every, audited)], level=level)
    return found is not None and not found.deciding.low <= truth <= found.deciding.high


def decides(
    counts: Counts,
    order: Sequence[int],
    looks: Sequence[int],
    level: float,
) -> bool:
    truth = ratio([person for person, _ in counts])
    every = [judge for _, judge in counts]
    drawn = [counts[place] for place in order]
    return any(leaves_out(truth, every, drawn[:n], level) for n in looks)


RULES: dict[str, Callable[[Counts, Sequence[int]], bool]] = {
    "one look at the end, .95": lambda counts, order: decides(
        counts,
        order,
        LOOKS[-1:],
        0.95,
    ),
    f"{len(LOOKS)} planned looks": lambda counts, order: decides(
        counts,
        order,
        LOOKS,
        1 - LEVEL / len(LOOKS),
    ),
    f"{len(LOOKS)} looks at .95 each": lambda counts, order: decides(
        counts,
        order,
        LOOKS,
        0.95,
    ),
    "after every audit, .95": lambda counts, order: decides(
        counts,
        order,
        range(FEWEST, AUDITS + 1),
        0.95,
    ),
}


def main(runs: int) -> None:
    print(
        f"Wrong decisions at a bar that is true, of {runs} audits of {AUDITS} of {FRAME} traces",
    )
    print(f"{'judge':14}" + "".join(f"{rule:>26}" for rule in RULES))
    for name, rates in JUDGES.items():
        chance = random.Random(name)
        wrong = dict.fromkeys(RULES, 0)
        for run in range(runs):
            if run % 20 == 0:
                counts = frame(chance, *rates)
            order = chance.sample(range(FRAME), AUDITS)
            for rule, decide in RULES.items():
                wrong[rule] += decide(counts, order)
        print(
            f"{name:14}"
            + "".join(f"{100 * wrong[rule] / runs:24.1f} %" for rule in RULES),
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
