"""How the estimates hold up on real answers and people: where people ruled on all, n traces are drawn again and again,
and what the n say with the judge is held against what people said of all.

ExpertQA's experts and word overlap, sentence by sentence; K-QA's physicians (the majority of three) and the offline
judge, claim by claim; a reader and the grader of `graded_qa_30x3`, whose errors were planted (a mock model), by answers
and by questions asked three times. `python tests/benchmarks/real_estimates.py [--draws 4000] [--shared FOLDER]`.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from agreement_real import SHARED, Rows, expert, graded, physicians
from estimates import Record

from appellate.stats.estimates import Audited, Pair, Stratum, estimate_ratio

SIZES = (15, 20, 30)
GRADES = {"C": 1.0, "P": 0.5}
"""What a grade is worth; others nothing."""


class Frame(NamedTuple):
    """What people and the judge say of every unit under one measure."""

    name: str
    person: list[Pair]
    judge: list[Pair]

    @property
    def truth(self) -> float:
        return sum(one.a for one in self.person) / sum(one.b for one in self.person)


Measure = Callable[[Sequence[str]], Pair]
"""What the answers on one unit add above and below the line."""


def share_of(word: str) -> Measure:
    """How many of all answers are this one."""
    return lambda said: Pair(float(list(said).count(word)), float(len(said)))


def all_of(word: str) -> Measure:
    """Whether all answers on a unit are this one."""
    return lambda said: Pair(float(set(said) == {word}), 1.0)


def mean_share(word: str) -> Measure:
    """The share of a unit's answers that are this one, each unit as much as any other."""
    return lambda said: Pair(list(said).count(word) / len(said), 1.0)


def points(said: Sequence[str]) -> Pair:
    return Pair(sum(GRADES.get(one, 0.0) for one in said), float(len(said)))


def framed(
    name: str,
    rows: Iterable[tuple[object, tuple[str, str]]],
    measure: Measure,
) -> Frame:
    units: dict[object, list[tuple[str, str]]] = {}
    for unit, both in rows:
        units.setdefault(unit, []).append(both)
    judge, person = (
        [measure([both[side] for both in unit]) for unit in units.values()]
        for side in (0, 1)
    )
    return Frame(name, person, judge)


def frames(shared: Path) -> list[Frame]:
    grades, sentences = graded(shared), expert(shared)
    answers = list(zip(count(), (both for _, both in grades), strict=False))
    claims: Rows = []
    for item in physicians(shared):
        stated = item.people.count("stated") > 1
        claims.append(
            (item.cluster, (item.judge, "stated" if stated else "not stated")),
        )
    return [
        framed("ExpertQA: sentences supported", sentences, share_of("full")),
        framed("ExpertQA: mean share of a trace", sentences, mean_share("full")),
        framed("ExpertQA: all of a trace", sentences, all_of("full")),
        framed("K-QA: recall of claims", claims, share_of("stated")),
        framed("K-QA: mean recall of a trace", claims, mean_share("stated")),
        framed("graded_qa: right, answers", answers, share_of("C")),
        framed("graded_qa: points, answers", answers, points),
        framed("graded_qa: right, questions", grades, share_of("C")),
        framed("graded_qa: points, questions", grades, points),
    ]


def tell(frame: Frame, n: int, draws: int) -> None:
    chance = random.Random(f"{frame.name} {n}")
    truth, whole = frame.truth, len(frame.judge)
    people, corrected = Record(), Record()
    weights, judge = [], 0.0
    for _ in range(draws):
        places = chance.sample(range(whole), n)
        own = [Audited(frame.person[place], frame.judge[place]) for place in places]
        found = estimate_ratio([Stratum(frame.judge, own)])
        assert found is not None
        judge = found.judge_only or 0.0
        weights.append(found.weight)
        people.add(tuple(found.people_only), truth)
        corrected.add(tuple(found.interval), truth)
    line = f"{frame.name:32}{n:3} of {whole:<3}{truth:6.3f} |{judge - truth:+8.3f}"
    line += f"{people.bias:+8.4f}{corrected.bias:+8.4f} |"
    line += f"{people.covered:7.1f}{corrected.covered:7.1f} |{people.width:7.3f}{corrected.width:7.3f} |"
    helped = 100 * sum(one > 0 for one in weights) / draws
    print(f"{line}{fmean(weights):6.2f}{helped:6.0f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--shared", type=Path, default=SHARED)
    arguments = parser.parse_args()
    try:
        found = frames(arguments.shared)
    except OSError as missing:
        sys.exit(f"The answers of judges and people are not here: {missing}.")
    print(
        f"{'':46}truth |    off: judge people  corr. | covered: p. corr. | width: p. corr. | lambda, > 0",
    )
    for frame in found:
        for n in SIZES:
            if n < len(frame.judge):
                tell(frame, n, arguments.draws)


if __name__ == "__main__":
    main()
