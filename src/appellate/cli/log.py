"""`appellate log`: what people changed, plainly, in the order it happened."""

import argparse
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path

from appellate.cli.outcome import Exit, say, show
from appellate.core.cell import Cell, reason_of
from appellate.core.describe import describe, describe_design, describe_loss
from appellate.core.design_facts import DesignFact
from appellate.core.facts import Fact, Withheld
from appellate.core.inert import visible
from appellate.core.trace import name_of
from appellate.store.audits.audit import Audit, load_audit
from appellate.store.files.toml import moment

Happened = Fact | DesignFact


def log(arguments: argparse.Namespace) -> Exit:
    audit = load_audit(Path(arguments.audit))
    acts: list[tuple[Happened, Cell | None]] = [*_acts(audit), *_of_the_whole(audit)]
    acts.sort(key=lambda act: act[0].n)
    when = "yet"
    if arguments.today:
        when = "today"
        now = datetime.now().astimezone().date()
        acts = [act for act in acts if _local(act[0]).date() == now]
    lines: list[str] = []
    for fact, cell in acts:
        lines += _describe(fact, cell)
    if lines:
        show(visible("\n".join(lines)))
    else:
        say(f"Nobody has changed anything {when}.")
    return Exit.DONE


def _acts(audit: Audit) -> list[tuple[Fact, Cell]]:
    """What people did, each with its cell as it may be told."""
    acts: list[tuple[Fact, Cell]] = []
    for audited in audit.cells:
        cell = audited.cell.counted
        facts = [fact for fact in cell.facts if fact.is_act or isinstance(fact.what, Withheld)]
        acts += [(fact, cell) for fact in facts]
    return acts


def _of_the_whole(audit: Audit) -> list[tuple[DesignFact, None]]:
    """What happened to the audit as a whole: its sample, planned looks, probes."""
    return [(fact, None) for fact in audit.design]


def _describe(fact: Happened, cell: Cell | None) -> Iterator[str]:
    if isinstance(fact, DesignFact):
        who = "  ".join(filter(None, [f"{_local(fact):%Y-%m-%d %H:%M}", fact.by]))
        yield f"{who}  {describe_design(fact.what)}"
    elif cell is not None:
        yield from _lines(fact, cell)


def _local(fact: Happened, zone: tzinfo | None = None) -> datetime:
    return moment(fact.at).astimezone(zone)


def _lines(fact: Fact, cell: Cell) -> Iterator[str]:
    place = f"{name_of(*cell.subject.trace.key)} · {cell.subject.trait.name}"
    what = describe(cell, fact).replace("\n", f"\n{'':18}")
    line = f"{_local(fact):%Y-%m-%d %H:%M}  {fact.by}  {place}  {what}"
    became = describe_loss(cell, fact)
    if became:
        line += f"  [{became}]"
    yield line
    reason = reason_of(cell, fact)
    if reason:
        yield f"{'':18}because: {reason}".replace("\n", f"\n{'':27}")
