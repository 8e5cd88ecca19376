"""`appellate log`: prints what people changed in an audit, in the order in which it happened."""

import argparse
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from appellate.cli.opening import reading_audit
from appellate.cli.outcome import say, show_json_text, show_lines
from appellate.core.cell import Cell, reason_of
from appellate.core.describe import describe, describe_design, describe_loss
from appellate.core.design_facts import DesignFact, to_body
from appellate.core.facts import AGENT, PERSON, Fact, Withheld, to_row
from appellate.core.inert import inert_json
from appellate.core.trace import name_of
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.files.toml import moment

Event = Fact | DesignFact
"""Something that happened to a cell, or to the audit as a whole."""


def log(arguments: argparse.Namespace) -> None:
    """Print every act of an audit, oldest first, or with --today those of the current day.

    An act is what a reviewer did and can undo, also one that was undone, or what was done to the
    audit as a whole. Answers of judges and labels that an agent proposed are no acts. While a judge
    is hidden, all that would show its answers is one act "withheld" for each person.

    Acts are lines on standard output; with --json each is a line of JSON. The day is that of this
    machine's time zone. If there is no act, nothing is printed, and that is said on standard error.
    Raises Unusable for an audit that cannot be read, and Ended if printing fails.
    """
    when = "yet"
    today = None
    if arguments.today:
        when = "today"
        today = datetime.now().astimezone().date()

    entries: list[tuple[int, list[str]]] = []
    with reading_audit(Path(arguments.audit)) as audit:
        for event, cell in _acts(audit):
            if today is not None and _local_time(event).date() != today:
                continue
            if arguments.json:
                entries.append((event.n, [inert_json(_act_row(event, cell))]))
            else:
                entries.append((event.n, list(_act_lines(event, cell))))
    if not entries:
        say(f"Nobody has changed anything {when}.")
        return
    entries.sort()
    lines = [line for _, lines_of_act in entries for line in lines_of_act]
    if arguments.json:
        show_json_text("\n".join(lines))
    else:
        show_lines(lines)


def _acts(audit: AnyAudit) -> Iterator[tuple[Event, Cell | None]]:
    """Yield what people did to the audit as a whole, with None, then to each cell, with that cell.

    What agents did as reviewers is among it, but not labels that they proposed. What judges did is
    left out. While a judge is hidden, one `Withheld` for each person stands for all that would show
    its answers. Each cell's acts come in their order, cell after cell.
    """
    for event in audit.design:
        yield event, None
    for audited in audit.cells:
        cell = audited.cell.shown
        for fact in cell.facts:
            if fact.is_act or isinstance(fact.what, Withheld):
                yield fact, cell


def _act_row(event: Event, cell: Cell | None) -> dict[str, Any]:
    """Return an act as a row of --json, also in words; `cell` is None for one on the whole audit.

    It has its number `n`, the time `at` in UTC as ISO 8601, who acted (`by`), `as` a person or an
    agent, the name of the `act`, such as signed_off, and it in words (`text`). `by` is None if
    nobody is named. An act on a cell also has the cell's trace, epoch and trait, the `reason`, and
    why it counts `no_longer`. Each of the last two is None if there is none. A `Withheld` is the
    act "withheld".
    """
    row: dict[str, Any] = {"n": event.n, "at": event.at, "by": event.by or None}
    row["as"] = AGENT if event.as_agent else PERSON
    if isinstance(event, DesignFact):
        act, _ = to_body(event.what)
        return {**row, "act": act, "text": describe_design(event.what)}
    if cell is None:
        return row
    trace = cell.subject.trace
    act = "withheld"
    if not isinstance(event.what, Withheld):
        act, _ = to_row(event.what)
    row |= {"trace": trace.id, "epoch": trace.epoch, "trait": cell.subject.trait.name}
    row |= {
        "act": act,
        "text": describe(cell, event),
        "reason": reason_of(cell, event) or None,
    }
    return {**row, "no_longer": describe_loss(cell, event) or None}


def _local_time(event: Event) -> datetime:
    """Return when something happened, in the time zone of this machine."""
    return moment(event.at).astimezone()


def _act_lines(event: Event, cell: Cell | None) -> Iterator[str]:
    """Yield what happened, when and by whom, and below it "because: …", if a person gave a reason.

    For a cell its name is there, too. If the act does not count any more, why comes in brackets.
    `cell` is None for what happened to the audit as a whole: a sample, planned looks, probes. Times
    are those of this machine's time zone. Further lines of a text are indented, and stay in the
    line that is yielded.
    """
    heading = f"{_local_time(event):%Y-%m-%d %H:%M}"
    if event.by:
        heading += f"  {event.by}{' (agent)' if event.as_agent else ''}"
    if isinstance(event, DesignFact):
        yield f"{heading}  {describe_design(event.what)}"
    elif cell is not None:
        cell_name = f"{name_of(*cell.subject.trace.key)} · {cell.subject.trait.name}"
        text = describe(cell, event).replace("\n", f"\n{'':18}")
        loss = describe_loss(cell, event)
        if loss:
            text += f"  [{loss}]"
        yield f"{heading}  {cell_name}  {text}"
        reason = reason_of(cell, event)
        if reason:
            yield f"{'':18}because: {reason}".replace("\n", f"\n{'':27}")
