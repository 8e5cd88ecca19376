"""How often the clustered intervals of agreement hold the true value, and how wide they are.

Items in traces that are alike: what is to be found, and where the judge errs, goes by trace. Three
judges (good, lenient, poor), 20, 60 and 200 traces of 5 items; `python … [REPETITIONS]`.
"""

import random
import sys
from collections import Counter
from collections.abc import Mapping
from functools import partial

from appellate.stats.agreement_tables import (
    Pattern,
    Statistic,
    alike,
    cohen_kappa,
    gwet_ac1,
    intraclass,
    krippendorff_alpha,
    macro_f1,
    share,
)
from appellate.stats.clustered import bounds, clustered

ITEMS = 5
JUDGES = {"good": (0.93, 0.95), "lenient": (0.95, 0.7), "poor": (0.7, 0.65)}
"""How often a judge finds what is there, and leaves out what is not."""
YES = frozenset({"yes"})
RARE = 0.03
STATISTICS: dict[str, Statistic] = {
    "alike": alike,
    "sens": lambda pairs: share(pairs, given=YES, rater=1, matching=YES),
    "prec": lambda pairs: share(pairs, given=YES, rater=0, matching=YES),
    "kappa": cohen_kappa,
    "AC1": partial(gwet_ac1, answer_count=2),
    "alpha": krippendorff_alpha,
    "macro F1": partial(macro_f1, answers=YES),
}
SHARES = {name: STATISTICS[name] for name in ("sens", "prec")}
SCORED: dict[str, Statistic] = {
    "weighted kappa": lambda pairs: cohen_kappa(pairs, AT),
    "ICC": lambda pairs: intraclass(pairs, AT),
}
AT = {str(score): float(score) for score in range(1, 6)}
Table = Counter[Pattern]


def trace(chance: random.Random, judge: str) -> Table:
    """The items of one trace: the judge's answer, the person's."""
    right, left = JUDGES[judge]
    common, muddle = chance.betavariate(3, 2), chance.betavariate(1, 1)
    return items(chance, common, right ** (2 * muddle), left ** (2 * muddle))


def rare_trace(chance: random.Random, judge: str) -> Table:
    """The items of one trace, of which 3 in 100 are there."""
    return items(chance, RARE, *JUDGES[judge])


def items(chance: random.Random, share: float, right: float, left: float) -> Table:
    found: Table = Counter()
    for _ in range(ITEMS):
        there = chance.random() < share
        correct = chance.random() < (right if there else left)
        says = there if correct else not there
        found["yes" if says else "no", "yes" if there else "no"] += 1
    return found


def scores(chance: random.Random, judge: str) -> Table:
    """One score of a trace by each: the judge's with a spread, and an offset where it is lenient."""
    spread, offset = {"good": (0.5, 0.0), "lenient": (0.6, 0.7), "poor": (1.4, 0.0)}[
        judge
    ]
    person = min(max(round(chance.gauss(3.2, 1.1)), 1), 5)
    told = min(max(round(person + offset + chance.gauss(0, spread)), 1), 5)
    return Counter({(str(told), str(person)): 1})


def covered(
    make: "partial[Table]",
    statistics: Mapping[str, Statistic],
    traces: int,
    times: int,
) -> dict[str, tuple[float, float]]:
    """How often each interval holds the value of a hundred thousand traces, and how wide it is."""
    whole: Table = Counter()
    for _ in range(60_000):
        whole.update(make())
    true = {
        name: found.value for name, of in statistics.items() if (found := of(whole))
    }
    held, width, told = Counter[str](), Counter[str](), Counter[str]()
    for _ in range(times):
        clusters = clustered(make() for _ in range(traces))
        for name, of in statistics.items():
            found = bounds(of, clusters)
            if found is not None:
                told[name] += 1
                held[name] += found.low <= true[name] <= found.high
                width[name] += found.high - found.low  # type: ignore[assignment]
    return {name: (held[name] / told[name], width[name] / told[name]) for name in told}


def main() -> None:
    times = int(sys.argv[1]) if sys.argv[1:] else 400
    chance = random.Random(13)
    for judge in JUDGES:
        for traces in (20, 60, 200):
            found = covered(partial(trace, chance, judge), STATISTICS, traces, times)
            found |= covered(partial(scores, chance, judge), SCORED, traces, times)
            rare = covered(partial(rare_trace, chance, judge), SHARES, traces, times)
            found |= {f"rare {name}": held for name, held in rare.items()}
            told = [
                f"{name} {held:.3f} ±{width / 2:.3f}"
                for name, (held, width) in found.items()
            ]
            print(f"{judge:8} {traces:4}", "  ".join(told), flush=True)


if __name__ == "__main__":
    main()
