"""How far a judge and a reader agree on which instructions a response meets; and cells that a reader labelled."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from appellate import load_rubric, load_traces
from appellate.core.trace import Trace
from appellate.traits.metric.spec import MetricRubricTrait

HERE = Path(__file__).parent
LISTS = {"tp": "tp", "fp": "tn"}
"""The buckets that say that an instruction is met, and the list it stands in."""


class Agreement(NamedTuple):
    """Counts of instructions: met by both, by the judge alone, by the reader alone, by neither."""

    both: int = 0
    judge: int = 0
    reader: int = 0
    neither: int = 0

    @property
    def n(self) -> int:
        return sum(self)

    @property
    def agreed(self) -> float:
        return (self.both + self.neither) / self.n

    @property
    def sensitivity(self) -> float:
        return self.both / (self.both + self.reader)

    @property
    def precision(self) -> float:
        return self.both / (self.both + self.judge)

    @property
    def kappa(self) -> float:
        """Cohen 1960."""
        judge, reader = (self.both + self.judge) / self.n, (self.both + self.reader) / self.n
        return _beyond(self.agreed, judge * reader + (1 - judge) * (1 - reader))

    @property
    def ac1(self) -> float:
        """Gwet 2008."""
        met = (2 * self.both + self.judge + self.reader) / (2 * self.n)
        return _beyond(self.agreed, 2 * met * (1 - met))


def _beyond(agreed: float, chance: float) -> float:
    return (agreed - chance) / (1 - chance)


def agreement(pairs: Iterable[tuple[bool, bool]]) -> Agreement:
    """Of (judge, reader) for each instruction."""
    both = judge = reader = neither = 0
    for said, true in pairs:
        both += said and true
        judge += said and not true
        reader += true and not said
        neither += not said and not true
    return Agreement(both, judge, reader, neither)


def met(table: Mapping[str, Any], of: str) -> set[int]:
    """The numbers of the instructions of a list that a judge's table says are met."""
    return {
        row["instruction"]
        for row in table["items"]
        if row.get("of") == of and of == LISTS.get(row["bucket"])
    }


def labelled() -> Iterator[tuple[MetricRubricTrait, Trace, Mapping[str, Any]]]:
    """Every cell that was labelled by hand, with its labels."""
    rubric = load_rubric(HERE / "labelled.rubric.toml")
    for trace in load_traces(HERE / "labelled.traces.toml", rubric):
        for _, trait in rubric.traits_of(trace).values():
            yield trait, trace, (trace.judgments or {})[trait.name]


def compared(
    trait: MetricRubricTrait, judge: Mapping[str, Any], reader: Mapping[str, Any]
) -> Iterator[tuple[bool, bool]]:
    for of in ("tp", "tn"):
        said, true = met(judge, of), met(reader, of)
        for number in range(1, len(trait.instructions(of)) + 1):
            yield number in said, number in true
