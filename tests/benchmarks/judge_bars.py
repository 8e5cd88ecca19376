"""How often the intervals behind bars on the judge (`judge.kappa>=.6`) hold what they are of: the number over all of a
frame, of which 60 units are drawn at random. Judges and traces of five items as in `agreement_intervals.py`.

    python tests/benchmarks/judge_bars.py [RUNS]
"""

import random
import sys
from collections import Counter

from agreement_intervals import JUDGES, Table, trace

from appellate.core.kind import Figures, KnownTrait, Measure
from appellate.numbers.estimates import (
    AuditUnit,
    UnitCell,
    estimated_traits,
    judge_measures,
    judge_number,
)
from appellate.stats.estimates import Interval
from appellate.traits.llm import KIND
from appellate.traits.llm.spec import LLMRubricTrait

DRAWN, FRAMES = 60, (1000, 150)
SAFE = LLMRubricTrait(name="Safe", kind="boolean", description="?")
(TRAIT,) = estimated_traits([KnownTrait(KIND, SAFE)])
MEASURES = judge_measures(TRAIT)


def told_of(units: list[AuditUnit], measure: Measure) -> Interval | None:
    return judge_number(units, TRAIT, measure).interval


def says(word: str) -> Figures:
    return Figures({"yes": float(word == "yes")}, frozenset(), {})


def unit(table: Table, place: int | None) -> AuditUnit:
    """The items of a trace; only the judge's answers where it is at no place of the draw."""
    cells = []
    for (judge, person), times in table.items():
        ruled, answers = None, Counter()
        if place is not None:
            ruled, answers = says(person), Counter([(judge, person)])
        known, judged = KnownTrait(KIND, SAFE), ((judge, 1),)
        cells += [
            UnitCell("Safe", "", [says(judge)], ruled, answers, known, judged),
        ] * times
    return AuditUnit(0, place, None, {"Safe": cells})


def main(runs: int) -> None:
    names = [measure.name for measure in MEASURES]
    print(
        f"Of 100 intervals at .95 of {DRAWN} units so many hold the number, {runs} draws",
    )
    print(f"{'judge':10}{'frame':>6}" + "".join(f"{name:>19}" for name in names))
    for frame in FRAMES:
        for judge in JUDGES:
            chance, held, told = random.Random(f"{judge} {frame}"), Counter(), Counter()
            for run in range(runs):
                if run % 10 == 0:
                    tables = [trace(chance, judge) for _ in range(frame)]
                    every = [unit(table, place) for place, table in enumerate(tables)]
                    true = {one.name: told_of(every, one).value for one in MEASURES}
                drawn = chance.sample(range(frame), DRAWN)
                places = {one: place for place, one in enumerate(drawn)}
                units = [
                    unit(table, places.get(one)) for one, table in enumerate(tables)
                ]
                for one in MEASURES:
                    found = told_of(units, one)
                    if found is not None:
                        told[one.name] += 1
                        held[one.name] += (
                            found.low - 1e-9 <= true[one.name] <= found.high + 1e-9
                        )
            line = "".join(f"{100 * held[name] / told[name]:19.1f}" for name in names)
            print(f"{judge:10}{frame:6}{line}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
