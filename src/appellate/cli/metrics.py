"""`appellate metrics`: the numbers of an audit, per trait, over all its traces; for people or as JSON."""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from appellate.cli.outcome import Exit, say, show, visible
from appellate.core.cell import Cell
from appellate.core.totals import SIDES, pooled, summary
from appellate.store.audit import Audit, load_audit
from appellate.traits.metric.metrics import Counts, defined, value

FORMAT = "appellate-metrics/1"


def metrics(arguments: argparse.Namespace) -> Exit:
    audit = load_audit(Path(arguments.audit))
    table = measured(audit)
    show(json.dumps(table, ensure_ascii=False, indent=2) if arguments.json else visible(_text(table)))
    pending = [cell for cell in audit.cells if cell.cell.labels is None]
    if pending:
        say(f"{len(pending)} of {len(audit.cells)} cells have no labels yet and count in no number.")
    return Exit.DONE


def measured(audit: Audit) -> dict[str, Any]:
    """The document of `metrics --json` (SPEC 12)."""
    by_trait: dict[str, list[Cell]] = {}
    for audited in audit.cells:
        by_trait.setdefault(audited.cell.subject.trait.name, []).append(audited.cell)
    return {"format": FORMAT, "traits": [_trait(name, cells) for name, cells in by_trait.items()]}


def _trait(name: str, cells: list[Cell]) -> dict[str, Any]:
    """One trait, over every question that has a trait of this name."""
    total = pooled(cells)
    asked = dict.fromkeys(metric for cell in cells for metric in cell.subject.trait.metrics)
    return {
        "name": name,
        "kind": cells[0].subject.kind.name,
        "cells": total["cells"],
        "reviewed": total["state:reviewed"],
        "metrics": {metric: _sides(total, metric) for metric in asked},
    }


def _sides(totals: Counter[str], metric: str) -> dict[str, Any]:
    return {side: summary(totals, side, metric, _micro(totals, side, metric)) for side in SIDES}


def _micro(totals: Counter[str], side: str, metric: str) -> float | None:
    counts = Counts(*(totals[f"{side}:{bucket}"] for bucket in Counts._fields))
    return value(metric, counts) if defined(metric, counts) else None


def _text(table: dict[str, Any]) -> str:
    lines = []
    for trait in table["traits"]:
        lines.append(f"{trait['name']}   {trait['reviewed']} of {trait['cells']} cells signed off")
        lines.append(f"  {'':12}{'audited':>20}{'judge':>24}")
        lines.append(f"  {'':12}{'micro':>10}{'macro':>10}{'micro':>14}{'macro':>10}{'0/0':>8}")
        for metric, sides in trait["metrics"].items():
            audited, judge = sides["audited"], sides["judge"]
            numbers = f"{_number(audited['micro']):>10}{_number(audited['macro']):>10}"
            numbers += f"{_number(judge['micro']):>14}{_number(judge['macro']):>10}"
            lines.append(f"  {metric:12}{numbers}{audited['undefined']:>8}")
        lines.append("")
    return "\n".join(lines).rstrip() or "This audit has no cells."


def _number(figure: float | None) -> str:
    return "0/0" if figure is None else f"{figure:.3f}"
