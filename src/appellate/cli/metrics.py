"""`appellate metrics`: the numbers of an audit, per trait, over all its traces; for people or as JSON."""

import argparse
import json
from pathlib import Path
from typing import Any

from appellate.cli.outcome import Exit, say, show
from appellate.core.inert import visible
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF
from appellate.report.measured import measured
from appellate.report.words import mean
from appellate.store.audit import load_audit


def metrics(arguments: argparse.Namespace) -> Exit:
    audit = load_audit(Path(arguments.audit))
    table = measured(audit)
    show(json.dumps(table, ensure_ascii=False, indent=2) if arguments.json else visible(_text(table)))
    pending = [cell for cell in audit.cells if cell.cell.labels is None]
    if pending:
        say(f"{len(pending)} of {len(audit.cells)} cells have no labels yet and count in no number.")
    return Exit.DONE


def _text(table: dict[str, Any]) -> str:
    lines = []
    for trait in table["traits"]:
        lines.append(f"{trait['name']}   {trait['reviewed']} of {trait['cells']} cells signed off")
        if trait["reviewed"]:
            lines.append("  The cells signed off, and the judge on the same cells:")
            lines += _sides(trait["metrics"], SIGNED_OFF)
        else:
            lines.append("  No cell is signed off: there are no audited numbers yet.")
        lines.append("  The labels that stand in every cell, signed off or not, and the judge on every judged cell:")
        lines += [*_sides(trait["metrics"], AS_THEY_STAND), ""]
    return "\n".join(lines).rstrip() or "This audit has no cells."


def _sides(metrics: dict[str, Any], sides: tuple[str, str]) -> list[str]:
    """People's numbers and the judge's, each with its n."""
    columns = f"{'micro':>8}{'macro':>8}{'n':>7}{'0/0':>6}"
    lines = [f"  {'':12}" + "".join(f"{side:>29}" for side in sides), f"  {'':12}{columns}{columns}"]
    for metric, told in metrics.items():
        numbers = "".join(_numbers(told[side]) for side in sides)
        lines.append(f"  {metric:12}{numbers}")
    return lines


def _numbers(side: dict[str, Any]) -> str:
    n, undefined = side["n"], side["undefined"]
    micro, macro = (mean(side[name], n + undefined) for name in ("micro", "macro"))
    return f"{micro:>8}{macro:>8}{n:>7}{undefined:>6}"
