"""`appellate log`: what people changed, plainly, in the order it happened."""

import argparse
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from appellate.cli.opening import read_audit
from appellate.cli.outcome import say, show_lines
from appellate.core.cell import Cell, reason_of
from appellate.core.describe import describe, describe_design, describe_loss
from appellate.core.design_facts import DesignFact
from appellate.core.facts import Fact, Withheld
from appellate.core.trace import name_of
from appellate.store.files.toml import moment

Happened = Fact | DesignFact


def log(arguments: argparse.Namespace) -> None:
    audit = read_audit(Path(arguments.audit))
    acts: list[tuple[Happened, Cell | None]] = [(fact, None) for fact in audit.design]
    for audited in audit.cells:
        cell = audited.cell.shown
        facts = [fact for fact in cell.facts if fact.is_act or isinstance(fact.what, Withheld)]
        acts += [(fact, cell) for fact in facts]
    acts.sort(key=lambda act: act[0].n)
    when = "yet"
    if arguments.today:
        when = "today"
        now = datetime.now().astimezone().date()
        acts = [act for act in acts if _local(act[0]).date() == now]
    lines: list[str] = []
    for fact, cell_of in acts:
        lines += _lines(fact, cell_of)
    if lines:
        show_lines(lines)
    else:
        say(f"Nobody has changed anything {when}.")


def _local(fact: Happened) -> datetime:
    return moment(fact.at).astimezone()


def _lines(fact: Happened, cell: Cell | None) -> Iterator[str]:
    """An act on a cell; or one on the whole audit: its sample, planned looks, probes."""
    head = "  ".join(filter(None, [f"{_local(fact):%Y-%m-%d %H:%M}", fact.by]))
    if isinstance(fact, DesignFact):
        yield f"{head}  {describe_design(fact.what)}"
    elif cell is not None:
        place = f"{name_of(*cell.subject.trace.key)} · {cell.subject.trait.name}"
        what = describe(cell, fact).replace("\n", f"\n{'':18}")
        if became := describe_loss(cell, fact):
            what += f"  [{became}]"
        yield f"{head}  {place}  {what}"
        reason = reason_of(cell, fact)
        if reason:
            yield f"{'':18}because: {reason}".replace("\n", f"\n{'':27}")
