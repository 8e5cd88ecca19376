"""The numbers of an audit as CSV, for `appellate metrics`: a row for each number on each side."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from appellate.core.agreement import Rates
from appellate.core.breakdown import Breakdown, GroupFigures
from appellate.report.data import entry
from appellate.worth.sample_numbers import SampleNumbers
from appellate.worth.worths import COVERAGE, EstimatedTrait, GroupDifference, Worth

_FIGURES = (
    *("trait", "kind", "by", "group", "epochs_by", "metric", "side"),
    *("micro", "macro", "stderr", "std", "n", "undefined", "unscored", "clusters"),
    *("traces", "cells", "signed", "overruled", "compared", "agreed", "observed"),
    *("kappa", "ac1", *Rates._fields, "reason"),
    *("blind_compared", "blind_agreed", "blind_observed", "blind_kappa", "blind_ac1"),
    *map("blind_{}".format, Rates._fields),
    "blind_reason",
)
_ESTIMATES = (
    *("less", "value", "low", "high", "level", "drawn", "frame"),
    *("weight", "judge_share", "passed_over", "wanting", "design", "blind"),
)
COLUMNS = (*_FIGURES, *_ESTIMATES)
_Row = Mapping[str, Any]


def figures_csv(traits: Iterable[Breakdown], sampled: SampleNumbers | None = None) -> str:
    """A row for each metric and side of each trait, of all its cells and of each group; of each
    reducer of epochs, too. Then what a sample says of all that could be drawn. What is undefined,
    or of too few, is empty; `reason` is why nothing but counts is shown.
    """
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in _rows(traits, sampled):
        writer.writerow(dict(zip(row, map(entry, row.values()), strict=True)))
    return file.getvalue()


def _rows(traits: Iterable[Breakdown], sampled: SampleNumbers | None) -> Iterator[_Row]:
    for trait in traits:
        for by, group in (("", trait.whole), *((trait.by, one) for one in trait.groups)):
            for row in _figures(group):
                values = (trait.trait, trait.kind.name, by, *row)
                yield dict(zip(_FIGURES, values, strict=True))
    if sampled is not None:
        yield from _of_sample(sampled)


def _figures(group: GroupFigures) -> Iterator[list[object]]:
    compared: list[object] = []
    for found in (group.agreement, group.blind):
        compared += [found.n, found.agreed, found.observed, found.kappa, found.ac1]
        compared += [*found.rates, found.reason]
    beside = [group.traces, group.cells, group.signed, group.overruled, *compared]
    values = [("", group.sides), *((one.reducer, one.sides) for one in group.epochs)]
    between = {name: {"between": figures} for name, figures in group.between.items()}
    for reducer, metrics in (*values, ("", between)):
        for metric, sides in metrics.items():
            for side, one in sides.items():
                means = [one.micro, one.macro, one.stderr, one.std]
                counts = [one.n, one.undefined, one.unscored, one.clusters]
                yield [group.name, reducer, metric, side, *means, *counts, *beside]


def _of_sample(sampled: SampleNumbers) -> Iterator[_Row]:
    """Judge only, people only and corrected, a row each, and by how much groups differ."""
    sample = sampled.at.sample
    design = {"design": sample.last.design, "blind": sample.last.blind}
    if sampled.at.wanting:
        yield design | {"side": "corrected", "wanting": sampled.at.wanting}
    for found in sampled.worths:
        for row in _estimates(found):
            yield row | design
    for found in sampled.by_group:
        for row in _estimates(found):
            yield row | design | {"by": sampled.at.by, "group": found.group}
    for difference in sampled.differences:
        yield _difference(difference) | design | {"by": sampled.at.by}


def _estimates(found: Worth) -> Iterator[dict[str, Any]]:
    part, one = found.part, found.estimate
    beside = _of_trait(found.trait) | {
        "metric": found.measure.name,
        "n": part.n,
        "drawn": part.drawn,
        "frame": part.frame,
        "passed_over": part.passed,
    }
    if one is None:
        yield beside | {"side": "corrected", "wanting": found.wanting}
        return
    yield beside | {"side": "judge_only", "value": one.judge_only}
    bounded = {"level": one.level, "weight": one.weight, "judge_share": one.judge_share}
    yield beside | {"side": "people_only", **one.people_only._asdict(), "level": one.level}
    yield beside | {"side": "corrected", **one.interval._asdict(), **bounded}


def _difference(found: GroupDifference) -> dict[str, Any]:
    named = {"metric": found.measure.name, "side": "difference"}
    groups = {"group": found.one, "less": found.other}
    return _of_trait(found.trait) | named | groups | found.by._asdict() | {"level": COVERAGE}


def _of_trait(trait: EstimatedTrait) -> dict[str, Any]:
    """All traits of a kind together have no name."""
    return {"trait": trait.name, "kind": trait.kind.name}
