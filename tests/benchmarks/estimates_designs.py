"""How the estimates hold up where a sample goes by the thirds of a panel's disagreement, and the difference
of two models on the same traces: bias, coverage of 95 % intervals, width. As `estimates.py` for simple samples.

`python tests/benchmarks/estimates_designs.py [--draws 1000] [--only f1,pass]`; exits 1 where a promise is broken.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from math import hypot, sqrt

from estimates import (
    DRAWS_OF_ONE,
    JUDGES,
    SETTLED,
    SIZES,
    TRACES,
    Case,
    Population,
    Record,
    Records,
    asked,
    audited,
    leave,
    population,
    populations,
    tell,
)

from appellate.stats import designs
from appellate.stats.estimates import (
    Audited,
    Estimate,
    Pair,
    Stratum,
    difference,
    estimate_ratio,
)

LEAST = designs.DISAGREEMENT_FLOOR


def units_in(strata: Sequence[int]) -> list[designs.FrameUnit]:
    return [
        designs.FrameUnit(str(place), stratum) for place, stratum in enumerate(strata)
    ]


def audited_unit(of: Population, unit: designs.FrameUnit) -> Audited:
    place = int(unit.name)
    return Audited(of.person[place], of.judge[place])


def stratified(
    of: Population,
    strata: Sequence[int],
    n: int,
    seed: int,
    weights: Sequence[float] | None,
    least: int,
) -> Estimate | None:
    """What n units come to that are drawn from strata, so many of each at the least."""
    judge: list[list[Pair]] = [[] for _ in set(strata)]
    for stratum, pair in zip(strata, of.judge, strict=True):
        judge[stratum].append(pair)
    before = [0] * len(judge)
    wanted = designs.allocate(n, [len(one) for one in judge], weights, least, before)
    own: list[list[Audited]] = [[] for _ in judge]
    for unit in designs.draw(units_in(strata), seed, wanted, before):
        own[unit.stratum].append(audited_unit(of, unit))
    whole = [Stratum(*both) for both in zip(judge, own, strict=True)]
    return estimate_ratio(whole, low=of.low, high=of.high)


class Drawing:
    """Samples of one population, drawn as `appellate sample` does."""

    def __init__(self, of: Population) -> None:
        self._of = of
        spreads = self._spreads()
        thirds = designs.terciles(spreads)
        self._strata = [sorted(set(thirds)).index(third) for third in thirds]
        self._weights = designs.disagreement_weights(self._strata, spreads)

    def _spreads(self) -> list[float]:
        """How far the members lie apart on each trace, as `store.disagreements` has it."""
        of = self._of
        value = sum(one.a for one in of.judge) / sum(one.b for one in of.judge)
        found = []
        for members in of.members:
            said = [a - value * b for a, b in members]
            mean = sum(said) / len(said)
            found.append(
                sqrt(max(sum(one * one for one in said) / len(said) - mean * mean, 0)),
            )
        return [0.0 if one < 1e-6 else one for one in found]

    def simple(self, n: int, seed: int) -> Estimate | None:
        return audited(self._of, random.Random(seed).sample(range(TRACES), n))

    def thirds(self, n: int, seed: int) -> Estimate | None:
        """`--by disagreement`: most of the third where the members lie apart most."""
        if n < sum(min(LEAST, size) for size in Counter(self._strata).values()):
            return None
        return stratified(self._of, self._strata, n, seed, self._weights, LEAST)


DESIGNS = (Drawing.simple, Drawing.thirds)


class Differences:
    """What is told of the difference of two models."""

    def __init__(self) -> None:
        self.judge, self.corrected, self.unpaired = Record(), Record(), Record()

    def add(self, one: Estimate, other: Estimate, truth: float) -> None:
        said = (one.judge_only or 0) - (other.judge_only or 0)
        self.judge.add((said, truth, truth), truth)
        self.corrected.add(tuple(difference(one, other)), truth)
        by, half = one.value - other.value, hypot(one.half, other.half)
        self.unpaired.add((by, by - half, by + half), truth)

    def broken(self, n: int) -> list[str]:
        if n >= SETTLED and not 93 <= self.corrected.covered <= 97:
            return [f"the difference covers {self.corrected.covered:.1f} %"]
        return []


def half_of(chance: random.Random, one: Population, other: Population) -> Population:
    """Half of the traces as they are in the one, half as in the other."""
    own = [chance.choice((one, other)) for _ in range(TRACES)]
    said = [(of.person[place], of.members[place]) for place, of in enumerate(own)]
    return population(said, one.low, one.high)


def measure_all(arguments: argparse.Namespace) -> list[str]:
    chance = random.Random(f"{arguments.seed} designs")
    by_design: dict[tuple[str, Case], Records] = {}
    apart: dict[Case, Differences] = {}
    for start in range(0, arguments.draws, DRAWS_OF_ONE):
        seeds = range(start, min(start + DRAWS_OF_ONE, arguments.draws))
        panel, good, lenient = (
            populations(chance, JUDGES[name], arguments.only)
            for name in ("panel", "good", "lenient")
        )
        for measure, of in panel.items():
            drawing = Drawing(of)
            models = good[measure], half_of(chance, good[measure], lenient[measure])
            by = models[0].truth - models[1].truth
            for n, seed in ((n, seed) for n in SIZES for seed in seeds):
                for design in DESIGNS:
                    found = design(drawing, n, seed)
                    if found is not None:
                        case = (design.__name__, (measure, n))
                        by_design.setdefault(case, Records()).add(found, of.truth)
                order = random.Random(f"{seed} {n}").sample(range(TRACES), n)
                both = [audited(model, order) for model in models]
                apart.setdefault((measure, n), Differences()).add(*both, by)
    return told(arguments, by_design, apart)


def told(
    arguments: argparse.Namespace,
    by_design: dict[tuple[str, Case], Records],
    apart: dict[Case, Differences],
) -> list[str]:
    broken = []
    print(
        "A panel of three; bias of judge, people, corrected; coverage and width of people, corrected",
    )
    for (name, (measure, n)), own in sorted(
        by_design.items(),
        key=lambda one: one[0][1],
    ):
        tell(name, measure, n, own)
        refused = arguments.draws - len(own.truths)
        if refused:
            print(f"    no estimate in {refused} of {arguments.draws}")
        broken += [f"{name}, {measure}, n = {n}: {one}" for one in own.broken(n)]
    print(
        "\nTwo models: bias of judge only and corrected, coverage, width; coverage and width unpaired",
    )
    for (measure, n), own in apart.items():
        line = f"{measure:12}{n:4}{own.judge.bias:+9.3f}{own.corrected.bias:+9.4f} |"
        line += f"{own.corrected.covered:7.1f}{own.corrected.width:8.3f} |"
        print(f"{line}{own.unpaired.covered:7.1f}{own.unpaired.width:8.3f}")
        broken += [f"two models, {measure}, n = {n}: {one}" for one in own.broken(n)]
    return broken


if __name__ == "__main__":
    leave(measure_all(asked(__doc__, 1000).parse_args()))
