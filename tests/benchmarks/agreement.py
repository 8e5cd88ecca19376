"""How far a judge and a reader agree on which instructions a response meets; and cells that a reader labelled."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from appellate import load_rubric, load_traces
from appellate.core.agreement import Agreement
from appellate.core.trace import Trace
from appellate.traits.metric.spec import MetricRubricTrait

HERE = Path(__file__).parent
LISTS = {"tp": "tp", "fp": "tn"}
"""The buckets that say that an instruction is met, and the list it stands in."""


MET = "met", "not met"


def agreement(pairs: Iterable[tuple[bool, bool]]) -> Agreement:
    """Of (judge, reader) for each instruction, whether it is met."""
    counts = Counter(
        tuple("met" if one else "not met" for one in pair) for pair in pairs
    )
    return Agreement(counts, frozenset(MET[:1]), MET)


def rates(found: Agreement, *more: str) -> str:
    """The rest of a row of a table: what comes before, sensitivity, precision, kappa and AC1."""
    figures = found.rates.sensitivity, found.rates.precision, found.kappa, found.ac1
    shown = ["–" if one is None else f"{one:.2f}" for one in figures]
    return f"| {' | '.join([*more, *shown])} |"


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
    trait: MetricRubricTrait,
    judge: Mapping[str, Any],
    reader: Mapping[str, Any],
) -> Iterator[tuple[bool, bool]]:
    for of in ("tp", "tn"):
        said, true = met(judge, of), met(reader, of)
        for number in range(1, len(trait.instructions(of)) + 1):
            yield number in said, number in true
