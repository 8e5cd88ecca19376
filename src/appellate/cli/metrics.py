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
from appellate.report.measured import by_trait, measured, measures_of
from appellate.report.words import mean
from appellate.store.audit import Audit, load_audit

NAME = 12  # characters of a measure's name, at the least


def metrics(arguments: argparse.Namespace) -> Exit:
    audit = load_audit(Path(arguments.audit))
    table = measured(audit)
    if arguments.json:
        show(json.dumps(table, ensure_ascii=False, indent=2))
    else:
        show(visible(_text(audit, table["traits"])))
    pending = sum(cell.cell.labels is None for cell in audit.cells)
    if pending:
        say(f"{pending} of {len(audit.cells)} cells have no labels yet and count in no number.")
    return Exit.DONE


def _text(audit: Audit, traits: Sequence[dict[str, Any]]) -> str:
    lines: list[str] = []
    for trait, cells in zip(traits, by_trait(audit), strict=True):
        named = {measure.name: full_name(measure) for measure in measures_of(cells)}
        rows = [(named[name], sides) for name, sides in trait["metrics"].items()]
        lines.append(f"{trait['name']}   {trait['reviewed']} of {trait['cells']} cells signed off")
        if trait["reviewed"]:
            lines.append("  The cells signed off, and the judge on the same cells:")
            lines += _table(rows, SIGNED_OFF)
        else:
            lines.append("  No cell is signed off: there are no audited numbers yet.")
        lines.append(
            "  The labels that stand in every cell, signed off or not, and the judge on every judged cell:"
        )
        lines += _table(rows, AS_THEY_STAND)
        lines.append("")
    return "\n".join(lines).rstrip() or "This audit has no cells."


def _table(rows: Sequence[tuple[str, dict[str, Any]]], sides: tuple[str, str]) -> list[str]:
    """People's numbers and the judge's, each with its n."""
    width = max([NAME, *(len(name) for name, _ in rows)])
    columns = f"{'micro':>8}{'macro':>8}{'n':>7}{'0/0':>6}"
    heads = "".join(f"{side:>29}" for side in sides)
    lines = [f"  {'':{width}}{heads}", f"  {'':{width}}{columns}{columns}"]
    for name, by_side in rows:
        numbers = "".join(_numbers(by_side[side]) for side in sides)
        lines.append(f"  {name:{width}}{numbers}")
    return lines


def _numbers(side: dict[str, Any]) -> str:
    n, undefined = side["n"], side["undefined"]
    micro, macro = (mean(side[name], n + undefined) for name in ("micro", "macro"))
    return f"{micro:>8}{macro:>8}{n:>7}{undefined:>6}"
