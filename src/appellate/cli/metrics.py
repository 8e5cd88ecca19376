"""`appellate metrics`: the numbers of an audit, per trait, over all its traces; for people or as JSON."""

import argparse
import json
from pathlib import Path
from typing import Any

from appellate.cli.outcome import Exit, say, show, visible
from appellate.report.figures import measured
from appellate.report.words import number
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
        lines.append(f"  {'':12}{'audited':>20}{'judge':>24}")
        lines.append(f"  {'':12}{'micro':>10}{'macro':>10}{'micro':>14}{'macro':>10}{'0/0':>8}")
        for metric, sides in trait["metrics"].items():
            audited, judge = sides["audited"], sides["judge"]
            numbers = f"{number(audited['micro']):>10}{number(audited['macro']):>10}"
            numbers += f"{number(judge['micro']):>14}{number(judge['macro']):>10}"
            lines.append(f"  {metric:12}{numbers}{audited['undefined']:>8}")
        lines.append("")
    return "\n".join(lines).rstrip() or "This audit has no cells."
