"""How the estimates of a partial audit hold up: of 1,000 traces whose truth is known n are drawn and audited, again and
again. Bias, coverage of 95 % intervals and their width for each judge, measure and n; the same means by statsmodels,
ppi-python and glide where they are installed (development only). `looks.py` does the same to decisions.

`python tests/benchmarks/estimates.py [--draws 4000] [--only f1,pass] [--judges good]`; exits 1 where a promise is
broken: 93 to 97 % covered from n = 60 on, corrected at most 2 % wider than people only, none of no width.
"""

import argparse
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

from appellate.stats.estimates import Audited, Estimate, Pair, Stratum, estimate_ratio
from appellate.stats.measured_pairs import PAIRED, pair

TRACES = 1000
SIZES = (20, 60, 200)
SETTLED = 60
"""From so many audits on coverage is promised."""
DRAWS_OF_ONE = 50
"""How often a sample is drawn from the same traces, before others are made up."""


class Errors(NamedTuple):
    """How often a judge misses what is there, and finds what is not, in a trace of middling difficulty; how far its
    scores are off, and by how much they are too high.
    """

    misses: float
    invents: float
    noise: float
    too_high: float = 0.0


JUDGES = {
    "good": (Errors(0.05, 0.03, 0.35),),
    "lenient": (Errors(0.02, 0.35, 0.5, 0.8),),
    "poor": (Errors(0.35, 0.35, 3.0),),
    "panel": (Errors(0.15, 0.15, 0.8),) * 3,
    "one of it": (Errors(0.15, 0.15, 0.8),),
}
SHARED = 0.5
"""How many of a panel's errors its members make together."""


class Population(NamedTuple):
    """What people and each judge of a panel say of every trace, and the bounds of the measure."""

    person: list[Pair]
    members: list[list[Pair]]
    judge: list[Pair]
    low: float = 0.0
    high: float = 1.0

    @property
    def truth(self) -> float:
        return sum(one.a for one in self.person) / sum(one.b for one in self.person)


def population(
    said: Sequence[tuple[Pair, list[Pair]]],
    low: float,
    high: float,
) -> Population:
    person, members = (list(side) for side in zip(*said, strict=True))
    judge = [
        Pair(*(sum(part) / len(own) for part in zip(*own, strict=True)))
        for own in members
    ]
    return Population(person, members, judge, low, high)


# -- traces whose truth is known -------------------------------------------------------------------


def verdict(
    chance: random.Random,
    true: bool,
    errors: Errors,
    hard: float,
    luck: float,
) -> bool:
    """What a judge says of an item; `luck` is what the members of a panel share in half of the items."""
    drawn = luck if chance.random() < SHARED else chance.random()
    return (
        drawn > min(errors.misses * hard, 0.6)
        if true
        else drawn < min(errors.invents * hard, 0.6)
    )


def buckets(
    chance: random.Random,
    judge: Sequence[Errors],
) -> tuple[list[float], list[list[float]]]:
    """tp, fn, fp, tn of one trace: the truth, and what each member of a panel says. Items of a trace go together: how
    much of what should be there is, how much of what should not, and how hard the trace is.
    """
    wanted, unwanted = chance.randint(3, 8), chance.randint(1, 4)
    there, slips, hard = (
        chance.betavariate(2.4, 1.6),
        chance.betavariate(0.8, 3.2),
        chance.expovariate(1),
    )
    person, panel = [0.0] * 4, [[0.0] * 4 for _ in judge]
    for place in range(wanted + unwanted):
        asked = place < wanted
        found = chance.random() < (there if asked else slips)
        person[bucket(asked, found)] += 1
        luck = chance.random()
        for own, errors in zip(panel, judge, strict=True):
            own[bucket(asked, verdict(chance, found, errors, hard, luck))] += 1
    return person, panel


def bucket(asked: bool, found: bool) -> int:
    """Of what should be there, or should not, and is found or is not."""
    return (0 if found else 1) if asked else (2 if found else 3)


Scored = tuple[float, list[float]]
"""The true number of a trace, and each judge's."""


def passes(share: float) -> Callable[[random.Random, Sequence[Errors]], Scored]:
    """A verdict of yes or no on the whole trace."""

    def one(chance: random.Random, judge: Sequence[Errors]) -> Scored:
        true, hard, luck = (
            chance.random() < share,
            chance.expovariate(1),
            chance.random(),
        )
        said = [float(verdict(chance, true, errors, hard, luck)) for errors in judge]
        return float(true), said

    return one


def scores(
    scale: Callable[[float], float],
) -> Callable[[random.Random, Sequence[Errors]], Scored]:
    """A number of each trace, of how good it is and how far off the judge."""

    def one(chance: random.Random, judge: Sequence[Errors]) -> Scored:
        good, together = chance.gauss(0, 1), chance.gauss(0, 1)
        said = []
        for errors in judge:
            off = SHARED**0.5 * together + (1 - SHARED) ** 0.5 * chance.gauss(0, 1)
            said.append(scale(good + errors.too_high + errors.noise * off))
        return scale(good), said

    return one


MEANS: dict[str, tuple[Callable[..., Scored], float, float]] = {
    "pass": (passes(0.7), 0.0, 1.0),
    "pass .95": (passes(0.95), 0.0, 1.0),
    "score 1-5": (
        scores(lambda good: min(max(round(3.9 + 1.1 * good), 1), 5)),
        1.0,
        5.0,
    ),
    "trace": (scores(lambda good: min(max(0.8 + 0.35 * good, 0), 1)), 0.0, 1.0),
}
MEASURES = (*PAIRED, *MEANS)


def populations(
    chance: random.Random,
    judge: Sequence[Errors],
    wanted: Sequence[str],
) -> dict[str, Population]:
    found: dict[str, Population] = {}
    items = [buckets(chance, judge) for _ in range(TRACES)]
    for measure in wanted:
        if measure in MEANS:
            make, low, high = MEANS[measure]
            made = [make(chance, judge) for _ in range(TRACES)]
            said = [
                (Pair(true, 1.0), [Pair(one, 1.0) for one in own]) for true, own in made
            ]
            found[measure] = population(said, low, high)
        else:
            said = [
                (pair(measure, true), [pair(measure, one) for one in own])
                for true, own in items
            ]
            found[measure] = population(said, 0.0, 1.0)
    return found


def audited(of: Population, drawn: Sequence[int], level: float = 0.95) -> Estimate:
    units = [Audited(of.person[one], of.judge[one], unit=one) for one in drawn]
    found = estimate_ratio(
        [Stratum(of.judge, units)],
        low=of.low,
        high=of.high,
        level=level,
    )
    assert found is not None
    return found


# -- libraries that have the same estimator --------------------------------------------------------

Interval = tuple[float, float, float]
Peer = Callable[[Population, Sequence[int]], Interval]


def installed(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        return None


def peers() -> dict[str, Peer]:
    """A mean and its 95 % interval by other libraries, those that are installed."""
    numpy, ppi, glide = (
        installed("numpy"),
        installed("ppi_py"),
        installed("glide.estimators"),
    )
    weights, proportion = (
        installed("statsmodels.stats.weightstats"),
        installed("statsmodels.stats.proportion"),
    )
    found: dict[str, Peer] = {}
    if weights:

        def plain(of: Population, drawn: Sequence[int]) -> Interval:
            own = weights.DescrStatsW([of.person[one].a for one in drawn])
            return (float(own.mean), *map(float, own.tconfint_mean()))

        found["people only: statsmodels, t"] = plain
    if proportion:

        def wilson(of: Population, drawn: Sequence[int]) -> Interval:
            yes = sum(of.person[one].a for one in drawn)
            return (
                yes / len(drawn),
                *proportion.proportion_confint(yes, len(drawn), method="wilson"),
            )

        found["people only: statsmodels, Wilson"] = wilson
    if ppi and numpy:

        def powered(of: Population, drawn: Sequence[int]) -> Interval:
            own = [numpy.array(one) for one in parted(of, drawn)]
            value = ppi.ppi_mean_pointestimate(*own)
            low, high = ppi.ppi_mean_ci(*own, alpha=0.05)
            return tuple(float(numpy.ravel(one)[0]) for one in (value, low, high))  # type: ignore[return-value]

        found["corrected: ppi-python, PPI++"] = powered
    if glide and numpy:

        def glided(of: Population, drawn: Sequence[int]) -> Interval:
            person, judge, rest = parted(of, drawn)
            true = numpy.array(person + [numpy.nan] * len(rest))
            try:
                own = (
                    glide.PPIMeanEstimator()
                    .estimate(true, numpy.array(judge + rest))
                    .confidence_interval
                )
            except ValueError:  # it refuses labels that are all the same
                return sum(person) / len(person), numpy.nan, numpy.nan
            return float(own.mean), float(own.lower_bound), float(own.upper_bound)

        found["corrected: glide, PPI++"] = glided
    return found


def parted(
    of: Population,
    drawn: Sequence[int],
) -> tuple[list[float], list[float], list[float]]:
    """People on the drawn, the judge on the same, the judge on the rest."""
    own = set(drawn)
    rest = [one.a for place, one in enumerate(of.judge) if place not in own]
    return [of.person[one].a for one in drawn], [of.judge[one].a for one in drawn], rest


# -- what is measured ------------------------------------------------------------------------------


@dataclass
class Record:
    """How far off an estimator was, and how often its interval held the truth."""

    off: list[float] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    held: int = 0

    def add(self, found: Interval, truth: float) -> None:
        value, low, high = found
        self.off.append(value - truth)
        self.widths.append(high - low)
        self.held += low <= truth <= high

    @property
    def covered(self) -> float:
        return 100 * self.held / len(self.off)

    @property
    def bias(self) -> float:
        return sum(self.off) / len(self.off)

    @property
    def width(self) -> float:
        return sum(self.widths) / len(self.widths)


class Records:
    """Those of one judge, measure and n."""

    def __init__(self) -> None:
        self.judge, self.people, self.corrected = Record(), Record(), Record()
        self.peers: dict[str, Record] = {}
        self.widest, self.narrowest = 0.0, 1e9
        self.helped: list[float] = []
        self.truths: list[float] = []

    def add(self, found: Estimate, truth: float) -> None:
        self.truths.append(truth)
        self.judge.add((found.judge_only or 0, truth, truth), truth)
        self.people.add(tuple(found.people_only), truth)
        self.corrected.add((found.value, found.low, found.high), truth)
        width = found.people_only.high - found.people_only.low
        self.widest = max(self.widest, (found.high - found.low) / width)
        self.narrowest = min(self.narrowest, found.high - found.low)
        self.helped.append(1 / (1 - found.judge_share))

    def broken(self, n: int) -> list[str]:
        told = []
        for name, own in (("people only", self.people), ("corrected", self.corrected)):
            if n >= SETTLED and not 93 <= own.covered <= 97:
                told.append(f"{name} covers {own.covered:.1f} %")
        if self.widest > 1.02:
            told.append(f"corrected is {self.widest:.2f} times as wide as people only")
        if self.narrowest <= 0:
            told.append("an interval has no width")
        return told


Case = tuple[str, int]


def measure_all(arguments: argparse.Namespace) -> list[str]:
    others = peers() if arguments.peers else {}
    for name in ("statsmodels", "ppi_py", "glide"):
        if arguments.peers and not installed(name):
            print(f"{name} is not installed: not compared")
    heads = f"{'judge':10}{'measure':12}{'n':>4}{'truth':>7} |"
    heads += f"{'bias: judge':>12}{'people':>9}{'corr.':>9} |{'covered: p.':>12}{'corr.':>7} |"
    print(f"{heads}{'width: p.':>10}{'corr.':>7} |{'worth ×':>8}{'widest':>7}")
    broken: list[str] = []
    for name in arguments.judges:
        chance = random.Random(f"{arguments.seed} {name}")
        records: dict[Case, Records] = {}
        for start in range(0, arguments.draws, DRAWS_OF_ONE):
            every = populations(chance, JUDGES[name], arguments.only)
            draws = min(DRAWS_OF_ONE, arguments.draws - start)
            compared = others if start < arguments.peers else {}
            draw_all(chance, every, draws, records, compared)
        for (measure, n), own in sorted(records.items(), key=place):
            tell(name, measure, n, own)
            broken += [f"{name}, {measure}, n = {n}: {one}" for one in own.broken(n)]
    return broken


def place(one: tuple[Case, Records]) -> tuple[int, int]:
    (measure, n), _ = one
    return MEASURES.index(measure), n


def draw_all(
    chance: random.Random,
    every: dict[str, Population],
    draws: int,
    records: dict[Case, Records],
    others: dict[str, Peer],
) -> None:
    for _ in range(draws):
        order = chance.sample(range(TRACES), max(SIZES))
        for measure, of in every.items():
            truth = of.truth
            for n in SIZES:
                own = records.setdefault((measure, n), Records())
                own.add(audited(of, order[:n]), truth)
                for peer, work in others.items():
                    if measure in MEANS and (
                        "Wilson" not in peer or measure.startswith("pass")
                    ):
                        own.peers.setdefault(peer, Record()).add(
                            work(of, order[:n]),
                            truth,
                        )


def tell(name: str, measure: str, n: int, own: Records) -> None:
    truth = sum(own.truths) / len(own.truths)
    line = f"{name:10}{measure:12}{n:4}{truth:7.2f} |{own.judge.bias:+12.3f}{own.people.bias:+9.4f}"
    line += f"{own.corrected.bias:+9.4f} |{own.people.covered:12.1f}{own.corrected.covered:7.1f} |"
    line += f"{own.people.width:10.3f}{own.corrected.width:7.3f} |"
    line += f"{sorted(own.helped)[len(own.helped) // 2]:8.2f}{own.widest:7.2f}"
    print(line + "".join(f"  <- {one}" for one in own.broken(n)))
    for peer, record in own.peers.items():
        empty = sum(not one > 0 for one in record.widths)
        widths = [one for one in record.widths if one == one]  # noqa: PLR0124
        width = sum(widths) / max(len(widths), 1)
        told = f"    {peer:36} bias {record.bias:+.4f}, covers {record.covered:.1f} %, {width:.3f} wide"
        print(f"{told}, {empty} of {len(record.off)} without width or refused")


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def leave(broken: Sequence[str]) -> None:
    """Says which promises are broken, and ends the program by that."""
    print(
        "\n" + ("\n".join(["Broken:", *broken]) if broken else "Every promise holds."),
    )
    sys.exit(bool(broken))


def asked(description: str, draws: int) -> argparse.ArgumentParser:
    """What every simulation of estimates may be asked for."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--draws", type=int, default=draws)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=words, default=MEASURES)
    return parser


def main() -> None:
    parser = asked(__doc__, 4000)
    parser.add_argument(
        "--peers",
        type=int,
        default=500,
        help="draws that other libraries estimate from, too",
    )
    parser.add_argument("--judges", type=words, default=tuple(JUDGES))
    leave(measure_all(parser.parse_args()))


if __name__ == "__main__":
    main()
