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
    MEASURES,
    SIZES,
    TRACES,
    Case,
    Population,
    Records,
    audited,
    leave,
    population,
    populations,
    tell,
    words,
)

from appellate.stats import designs
from appellate.stats.estimates import Audited, Estimate, Pair, Stratum, estimate_ratio

POOLS = ("good", "lenient", "poor")
"""How the judge does on the answers of one model, of another, of a third."""
MODELS = {"3 models": (0.5, 0.35, 0.15), "8 models": (0.125,) * 8}
"""Shares of the traces."""


class Groups:
    """Traces of several models, and samples of them as `appellate sample` draws them."""

    def __init__(
        self, chance: random.Random, pools: Sequence[Population], shares: Sequence[float]
    ) -> None:
        self.strata: list[int] = []
        said = []
        for place, share in enumerate(shares):
            for _ in range(round(share * TRACES)):
                self.strata.append(place)
                said.append(_one(chance, pools[place % len(pools)], place % len(pools)))
        self.of = population(said, pools[0].low, pools[0].high)
        self._judge: list[list[Pair]] = [[] for _ in shares]
        for stratum, judge in zip(self.strata, self.of.judge, strict=True):
            self._judge[stratum].append(judge)

    def estimate(self, n: int, seed: int) -> Estimate | None:
        before = [0] * len(self._judge)
        wanted = designs.allocate(n, list(map(len, self._judge)), None, designs.FLOOR, before)
        units = [designs.FrameUnit(str(place), one) for place, one in enumerate(self.strata)]
        own: list[list[Audited]] = [[] for _ in self._judge]
        for unit in designs.draw(units, seed, wanted, before):
            place = int(unit.name)
            own[unit.stratum].append(Audited(self.of.person[place], self.of.judge[place]))
        whole = [Stratum(*both) for both in zip(self._judge, own, strict=True)]
        return estimate_ratio(whole, low=self.of.low, high=self.of.high)


def _one(chance: random.Random, pool: Population, model: int) -> tuple[Pair, list[Pair]]:
    """A trace: of the first model the better of two, of the last the worse."""
    two = sorted(chance.choices(range(TRACES), k=2), key=lambda one: _good(pool.person[one]))
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
                groups = Groups(chance, [pool[measure] for pool in pools], shares)
                truth = groups.of.truth
                for n, seed in ((n, seed) for n in SIZES for seed in seeds):
                    case = measure, n
                    known = groups.estimate(n, seed)
                    assert known is not None
                    found.setdefault((name, case), Records()).add(known, truth)
                    order = random.Random(seed).sample(range(TRACES), n)
                    at_random = found.setdefault((f"simple, {name[0]}", case), Records())
                    at_random.add(audited(groups.of, order), truth)
    broken = []
    print("bias of judge, people, corrected; coverage and width of people, corrected")
    for (name, (measure, n)), own in sorted(found.items(), key=lambda one: one[0][1]):
        tell(name, measure, n, own)
        broken += [f"{name}, {measure}, n = {n}: {one}" for one in own.broken(n)]
    return broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=words, default=MEASURES)
    leave(measure_all(parser.parse_args()))


if __name__ == "__main__":
    main()
