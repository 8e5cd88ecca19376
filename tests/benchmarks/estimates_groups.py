"""How the estimates hold up where a sample is drawn by group (`appellate sample --by model`): of 1,000 traces of models
that differ in what people and what the judge say of them, each model's share of n is drawn, two at the least. As
`estimates_designs.py` for strata by disagreement.

`python tests/benchmarks/estimates_groups.py [--draws 600] [--only f1,pass]`; exits 1 where a promise is broken.
"""

import argparse
import random
from collections.abc import Sequence

from estimates import (
    DRAWS_OF_ONE,
    JUDGES,
    SIZES,
    TRACES,
    Case,
    Population,
    Records,
    asked,
    audited,
    leave,
    population,
    populations,
    tell,
)
from estimates_designs import stratified

from appellate.stats import designs
from appellate.stats.estimates import Pair

POOLS = ("good", "lenient", "poor")
"""How the judge does on the answers of one model, of another, of a third."""
MODELS = {"3 models": (0.5, 0.35, 0.15), "8 models": (0.125,) * 8}
"""Shares of the traces."""


def grouped(
    chance: random.Random,
    pools: Sequence[Population],
    shares: Sequence[float],
) -> tuple[Population, list[int]]:
    """Traces of several models, and which model each is of."""
    models = [
        place
        for place, share in enumerate(shares)
        for _ in range(round(share * TRACES))
    ]
    said = [
        _one(chance, pools[place % len(pools)], place % len(pools)) for place in models
    ]
    return population(said, pools[0].low, pools[0].high), models


def _one(
    chance: random.Random,
    pool: Population,
    model: int,
) -> tuple[Pair, list[Pair]]:
    """A trace: of the first model the better of two, of the last the worse."""
    two = sorted(
        chance.choices(range(TRACES), k=2),
        key=lambda one: _good(pool.person[one]),
    )
    place = (two[1], chance.choice(two), two[0])[model]
    return pool.person[place], pool.members[place]


def _good(pair: Pair) -> float:
    return pair.a / pair.b if pair.b else 0.5


def measure_all(arguments: argparse.Namespace) -> list[str]:
    chance = random.Random(f"{arguments.seed} groups")
    found: dict[tuple[str, Case], Records] = {}
    for start in range(0, arguments.draws, DRAWS_OF_ONE):
        seeds = range(start, min(start + DRAWS_OF_ONE, arguments.draws))
        pools = [populations(chance, JUDGES[name], arguments.only) for name in POOLS]
        for measure in arguments.only:
            for name, shares in MODELS.items():
                of, models = grouped(chance, [pool[measure] for pool in pools], shares)
                for n, seed in ((n, seed) for n in SIZES for seed in seeds):
                    case = measure, n
                    known = stratified(of, models, n, seed, None, designs.FLOOR)
                    assert known is not None
                    found.setdefault((name, case), Records()).add(known, of.truth)
                    order = random.Random(seed).sample(range(TRACES), n)
                    at_random = found.setdefault(
                        (f"simple, {name[0]}", case),
                        Records(),
                    )
                    at_random.add(audited(of, order), of.truth)
    broken = []
    print("bias of judge, people, corrected; coverage and width of people, corrected")
    for (name, (measure, n)), own in sorted(found.items(), key=lambda one: one[0][1]):
        tell(name, measure, n, own)
        broken += [f"{name}, {measure}, n = {n}: {one}" for one in own.broken(n)]
    return broken


if __name__ == "__main__":
    leave(measure_all(asked(__doc__, 600).parse_args()))
