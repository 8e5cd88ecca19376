"""`appellate metrics`: the numbers of an audit, per trait, over all its traces; for people or as
JSON.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from appellate.cli.outcome import Exit, say, show
from appellate.core.inert import visible
from appellate.core.scale import full_name
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF
from appellate.report.formatting import mean
from appellate.report.measured import by_trait, measured, measures_of
from appellate.store.audit import Audit, load_audit

NAME = 12  # characters of a measure's name, at the least


def metrics(arguments: argparse.Namespace) -> Exit:
    audit = load_audit(Path(arguments.audit))
    table = measured(audit)
    if arguments.json:
        show(json.dumps(table, ensure_ascii=False, indent=2))
    else:
        show(visible(_text(audit, table["traits"])))
    pending = sum(audited.cell.labels is None for audited in audit.cells)
    if pending:
        say(f"{pending} of {len(audit.cells)} cells have no labels yet and count in no number.")
    return Exit.DONE


def _text(audit: Audit, traits: Sequence[dict[str, Any]]) -> str:
    lines: list[str] = []
    for trait, cells in zip(traits, by_trait(audit), strict=True):
        rows = [(full_name(one), trait["metrics"][one.name]) for one in measures_of(cells)]
        lines.append(f"{trait['name']}   {trait['reviewed']} of {trait['cells']} cells signed off")
        if trait["reviewed"]:
            lines.append("  The cells signed off, and the judge on the same cells:")
            lines += _table(rows, SIGNED_OFF)
        else:
            lines.append("  No cell is signed off: there are no audited numbers yet.")
        lines.append(
            "  The labels that stand in every cell, signed off or not, and the judge on every"
            " judged cell:"
        )
        lines += _table(rows, AS_THEY_STAND)
        lines.append("")
    return "\n".join(lines).rstrip() or "This audit has no cells."


def _table(rows: Sequence[tuple[str, dict[str, Any]]], sides: tuple[str, str]) -> list[str]:
    """People's numbers and the judge's, each with its n."""
    width = max([NAME, *(len(name) for name, _ in rows)])
    columns = f"{'micro':>8}{'macro':>8}{'n':>7}{'0/0':>6}"
    people, judge = sides
    lines = [f"  {'':{width}}{people:>29}{judge:>29}", f"  {'':{width}}{columns}{columns}"]
    for name, numbers in rows:
        lines.append(f"  {name:{width}}{_numbers(numbers[people])}{_numbers(numbers[judge])}")
    return lines


def _numbers(side: dict[str, Any]) -> str:
    n, undefined = side["n"], side["undefined"]
    micro, macro = mean(side["micro"], n + undefined), mean(side["macro"], n + undefined)
    return f"{micro:>8}{macro:>8}{n:>7}{undefined:>6}"
