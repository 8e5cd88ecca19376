"""`appellate status`: tells what is open in an audit, and the command to go on with."""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field

from appellate.cli.opening import files_named, reading_audit
from appellate.cli.outcome import command, show_json, show_lines
from appellate.core.cell import STATES, Cell
from appellate.core.design_facts import Sample, sample_of
from appellate.core.problem import many
from appellate.core.trace import TraceKey
from appellate.store.audits.open_audit import unexported
from appellate.store.samples.sample_plans import known_traces, usual_size

STATUS_FORMAT = "appellate-status/1"


class SampleStatus(Struct, frozen=True):
    """How far the sample of an audit is."""

    units: int
    """How many units are drawn."""
    done: int
    """How many of them count: all of their cells are ruled on, or in sight signed off."""
    blind: bool
    """Whether its cells are ruled on before the judge is seen."""
    new: int = 0
    """How many traces came in since the draw and could be drawn as a wave."""


class AuditStatus(Struct):
    """What is open in an audit, counted cell by cell."""

    cells: Counter[str] = field(default_factory=Counter)
    """How many cells are in each state, and how many are `hidden` until a person rules."""
    by_persons: Counter[str] = field(default_factory=Counter)
    """How many acts of cells each person did, by name; undone acts count."""
    by_agents: Counter[str] = field(default_factory=Counter)
    """How many acts and proposals each agent did, by name; undone acts count."""
    signed: int = 0
    """How many cells a person signed off or ruled on, which is in force."""
    of_agents: int = 0
    """How many cells have labels that an agent proposed or corrected, and nobody signed off."""

    def add(self, cell: Cell) -> None:
        """Count one cell: its state, each act on it by who did it, and whether it is signed off.

        Each act counts, also one that was undone, and of an agent each proposal, too. A hidden cell
        is counted as "hidden" and by who acted on it, and in nothing else. Any other is counted by
        its state, and as signed off, or else as an agent's if an agent proposed or corrected its
        labels.
        """
        for fact in cell.facts:
            if fact.as_agent:
                self.by_agents[fact.by] += 1
            elif fact.is_act:
                self.by_persons[fact.by] += 1
        if cell.hidden:
            self.cells["hidden"] += 1
            return
        self.cells[cell.state] += 1
        if cell.signed is not None:
            self.signed += 1
        elif _is_of_agent(cell):
            self.of_agents += 1


def _is_of_agent(cell: Cell) -> bool:
    """Return whether an agent proposed the labels of a cell, or corrected them since.

    Only the latest proposal counts, and only corrections that are in force.
    """
    if cell.judged is not None and cell.judged.as_agent:
        return True
    return any(fact.as_agent and fact.n in cell.edits for fact in cell.facts)


def status(arguments: argparse.Namespace) -> None:
    """Print what is open in an audit and what comes next, as text or with --json as one object.

    It is on standard output. Nothing of a hidden cell is told but that it is hidden, and who acted
    on it. Nothing is changed. Raises Unusable for an audit that cannot be read, and Ended if the
    output cannot be written.
    """
    path = Path(arguments.audit)
    audit_status = AuditStatus()
    traces = 0
    counting: set[TraceKey] = set()
    waiting: set[TraceKey] = set()
    with reading_audit(path) as audit:
        sample = sample_of(audit.design)
        traces = sum(1 for _ in audit.traces)
        for audited in audit.cells:
            audit_status.add(audited.cell)
            in_sample = counting if _is_settled(audited.cell) else waiting
            in_sample.add(audited.trace.key)
    sampled = _sample_status(sample, counting - waiting, traces)
    behind = unexported(files_named(path)) or 0
    following = _next_step(path, audit_status, sampled)
    if arguments.json:
        show_json(_status_table(path, audit_status, sampled, behind, following))
    else:
        show_lines(_status_lines(path, audit_status, sampled, behind, following))


def _is_settled(cell: Cell) -> bool:
    """Return whether a person has settled a cell: ruled on a blind one, or signed off another.

    A blind cell that was begun but not ruled on is not settled. Only what is in force counts.
    """
    if cell.is_blind:
        return cell.ruled is not None
    return cell.signed is not None


def _sample_status(
    sample: Sample | None,
    counting: set[TraceKey],
    traces: int,
) -> SampleStatus | None:
    """Return how far a sample is, or None without one.

    A unit is done if all its traces are in `counting`, those with every cell settled. `traces` is
    how many the audit has: those beyond the ones known at the draw are new. None counts as new if
    units have chances of their own, since no wave can follow such a sample.
    """
    if sample is None:
        return None
    done = sum(all(key in counting for key in unit.traces) for unit in sample.units)
    new = 0 if sample.has_own_chances else traces - known_traces(sample)
    return SampleStatus(len(sample), done, sample.last.blind, new)


class NextStep(NamedTuple):
    """What comes next in an audit."""

    command: str
    """The command to go on with, as a shell takes it."""
    who: Literal["anybody", "person"]
    """Who does it: "person" for what no agent may do."""


def _next_step(
    path: Path,
    audit_status: AuditStatus,
    sample: SampleStatus | None,
) -> NextStep:
    """Return the command to go on with, and who does it: "person" to review, else "anybody".

    It is the first that has something to do: `judge` for cells without labels or that failed,
    `review` for the sample, `sample` to draw a wave from traces that are new since, `review` for
    cells that are hidden or not signed off. If none has, it is `report`. `sample` is None without a
    sample.
    """
    unlabelled = audit_status.cells["pending"] + audit_status.cells["failed"]
    if unlabelled:
        return NextStep(command("judge", path, "--model", "MODEL"), "anybody")
    if sample is not None and sample.done < sample.units:
        return NextStep(command("review", path, "--order", "sample"), "person")
    if sample is not None and sample.new:
        size = str(usual_size(sample.new))
        draw = command("sample", path, "--wave", "NAME", "-n", size)
        return NextStep(draw, "anybody")
    if audit_status.cells["hidden"] or audit_status.signed < audit_status.cells.total():
        return NextStep(command("review", path, "--order", "unreviewed"), "person")
    return NextStep(command("report", path, "-o", "report.html"), "anybody")


def _status_table(
    path: Path,
    audit_status: AuditStatus,
    sample: SampleStatus | None,
    behind: int,
    following: NextStep,
) -> Mapping[str, Any]:
    """Return the status as the one object that --json prints.

    The keys are format, audit (its path), cells, signed, of_agents, persons, agents,
    sample, behind, next and next_by. `cells` counts them by state, where "hidden" is a
    state of its own; 0 is there, too. `persons` and `agents` count acts by name, in the
    order of names. `sample` has units, done, blind and new_traces; None without a sample.

    `behind` is how many facts of the workspace the audit file lacks. `following` is the
    next step, whose command is `next` and whose actor is `next_by`.
    """
    sampled = None
    if sample is not None:
        sampled = {"units": sample.units, "done": sample.done, "blind": sample.blind}
        sampled["new_traces"] = sample.new
    states: Sequence[str] = (*STATES, "hidden")
    return {
        "format": STATUS_FORMAT,
        "audit": str(path),
        "cells": {state: audit_status.cells[state] for state in states},
        "signed": audit_status.signed,
        "of_agents": audit_status.of_agents,
        "persons": dict(sorted(audit_status.by_persons.items())),
        "agents": dict(sorted(audit_status.by_agents.items())),
        "sample": sampled,
        "behind": behind,
        "next": following.command,
        "next_by": following.who,
    }


def _status_lines(
    path: Path,
    audit_status: AuditStatus,
    sample: SampleStatus | None,
    behind: int,
    following: NextStep,
) -> Iterator[str]:
    """Yield the status in sentences, one a line; the last is the command to go on with.

    `behind` is how many facts of the workspace the audit file lacks. `following` is the next step.
    Agents, sample and facts behind are left out if there are none.
    """
    states = [
        f"{audit_status.cells[state]:,} {state}"
        for state in STATES
        if audit_status.cells[state]
    ]
    if audit_status.cells["hidden"]:
        states.append(f"{audit_status.cells['hidden']:,} waiting for a blind ruling")
    cells = many(audit_status.cells.total(), "cell")
    states_text = ", ".join(states) or "none"
    yield f"{path}: {cells}: {states_text}."
    yield f"{audit_status.signed:,} of them are signed off, all by persons."
    if audit_status.of_agents:
        yield f"{many(audit_status.of_agents, 'cell')} an agent labelled, and nobody signed off."
    if sample is not None:
        yield f"Of the sample {sample.done:,} of {sample.units:,} count."
        if sample.new:
            yield f"{many(sample.new, 'trace')} came in since the draw."
    if behind:
        yield f"The file lacks {many(behind, 'fact')} of the workspace: quit `review`, or Ctrl+S."
    actor = "a person goes on" if following.who == "person" else "go on"
    yield f"Next, {actor} with: {following.command}"
