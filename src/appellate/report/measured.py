"""The numbers of an audit, trait by trait, as `metrics` tells them and `report` sets them out."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.core.kind import Measure
from appellate.core.totals import (
    SIDES,
    AnswerKey,
    AnswerStats,
    answer_counts,
    answer_stats,
    measures_over,
    pooled,
    summary,
)
from appellate.store.audit import Audit

FORMAT = "appellate-metrics/2"


def measured(audit: Audit) -> dict[str, Any]:
    """The document of `metrics --json` (SPEC 12)."""
    return {"format": FORMAT, "traits": [numbers_of(cells)[0] for cells in by_trait(audit)]}


def by_trait(audit: Audit) -> list[list[Cell]]:
    """The cells of each trait name, over every question that has a trait of this name and kind."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for audited in audit.cells:
        subject = audited.cell.subject
        found.setdefault((subject.trait.name, subject.kind.name), []).append(audited.cell)
    return list(found.values())


def measures_of(cells: Sequence[Cell]) -> list[Measure]:
    """The measures that any cell of a trait asks for."""
    return measures_over(cells[0].subject.kind, (cell.subject.trait for cell in cells))


def numbers_of(cells: Sequence[Cell]) -> tuple[dict[str, Any], Counter[str]]:
    """One trait in `metrics --json`, and the totals behind it."""
    total = pooled(cells)
    subject = cells[0].subject
    metrics = {}
    for measure in measures_of(cells):
        metrics[measure.name] = {side: summary(total, side, measure) for side in SIDES}
    numbers = {
        "name": subject.trait.name,
        "kind": subject.kind.name,
        "cells": total["cells"],
        "reviewed": total["state:reviewed"],
        "metrics": metrics,
    }
    return numbers, total


def answers_of(cells: Sequence[Cell]) -> list[AnswerStats]:
    """How every instruction fared, by its words: most overruled first, then as the traits list
    them.
    """
    total = Counter[AnswerKey]()
    for cell in cells:
        total.update(answer_counts(cell))
    return sorted(answer_stats(total), key=lambda one: -one.overruled)


def vocabulary_of(cells: Sequence[Cell], answers: Sequence[AnswerStats]) -> list[str]:
    """The words that instructions of a trait are answered in, in its kind's order."""
    kind = cells[0].subject.kind
    known: dict[str, None] = {}
    for trait in {id(cell.subject.trait): cell.subject.trait for cell in cells}.values():
        known |= dict.fromkeys(kind.vocabulary(trait))
    given: set[str] = set()
    for one in answers:
        given.update(one.answers)
    return [*known, *sorted(given - known.keys())]
