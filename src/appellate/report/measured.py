"""The numbers of an audit, computed in one place for `metrics` and `report`."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.core.kind import AnyKind
from appellate.core.totals import SIDES, AnswerKey, AnswerStats, answer_counts, answer_stats, counts, pooled, summary
from appellate.store.audit import Audit

FORMAT = "appellate-metrics/2"


def measured(audit: Audit) -> dict[str, Any]:
    """The document of `metrics --json` (SPEC 12)."""
    return {"format": FORMAT, "traits": [figures_of(name, cells)[0] for name, cells in by_trait(audit)]}


def by_trait(audit: Audit) -> list[tuple[str, list[Cell]]]:
    """The cells of each trait name, over every question that has a trait of this name."""
    found: dict[str, list[Cell]] = {}
    for audited in audit.cells:
        found.setdefault(audited.cell.subject.trait.name, []).append(audited.cell)
    return list(found.items())


def figures_of(name: str, cells: Sequence[Cell]) -> tuple[dict[str, Any], Counter[str]]:
    """One trait in `metrics --json`, and the totals behind it."""
    total = pooled(cells)
    asked = dict.fromkeys(metric for cell in cells for metric in cell.subject.trait.metrics)
    kind = cells[0].subject.kind
    figures = {
        "name": name,
        "kind": kind.name,
        "cells": total["cells"],
        "reviewed": total["state:reviewed"],
        "metrics": {metric: _sides(kind, total, metric) for metric in asked},
    }
    return figures, total


def _sides(kind: AnyKind, totals: Counter[str], metric: str) -> dict[str, Any]:
    return {side: summary(totals, side, metric, kind.pooled(metric, counts(totals, side))) for side in SIDES}


def answers_of(cells: Sequence[Cell]) -> list[AnswerStats]:
    """How every instruction fared, by its words: most overruled first, then as the traits list them."""
    total = Counter[AnswerKey]()
    for cell in cells:
        total.update(answer_counts(cell))
    return sorted(answer_stats(total), key=lambda one: -one.overruled)
