"""`appellate propose`: takes in the labels that an agent gives, as a judge's.

A file of proposals has a line of JSON for each cell: `id`, perhaps `epoch`, `trait`, and the keys
that a judge's labels of that kind have in a file of traces.
"""

import argparse
from collections.abc import Iterator

from msgspec import Struct

from appellate.cli.acting import acting
from appellate.cli.opening import at_bench, save, unless_stopped
from appellate.cli.outcome import say
from appellate.core.facts import Proposed, written_as
from appellate.core.inert import in_whole_characters
from appellate.core.kind import AnyKind, KnownTrait, Table
from appellate.core.problem import Problem, Unusable, describe_value, many, quoted
from appellate.core.trace import name_of
from appellate.judging.questions import savable
from appellate.session.workbench import Workbench
from appellate.store.files.text_file import opened, standard_input, unusable
from appellate.store.files.trace_record import label_faults
from appellate.store.files.trace_source import Record, records
from appellate.store.judgment import proposal_in

_LARGEST = 100_000_000
"""Bytes that a file of proposals may have."""
_NAMING = ("id", "epoch", "trait")
"""The keys of a line that name its cell."""


class _Proposal(Struct, frozen=True):
    """The labels for one cell, with where they were read."""

    place: str
    """The line, for messages."""
    cell_no: int
    labels: Table
    """The line without what names the cell."""


def propose(arguments: argparse.Namespace) -> None:
    """Take in the labels of a file, all or none, as proposals of the agent that --agent names.

    A cell that was judged before is refused; with --again it gets the labels in a new round. They
    are saved in the workspace and the audit file, and what was taken is said on standard error. If
    file and workspace disagree, the person is asked at a terminal unless --take is given. Raises
    Unusable without --agent, and with all that is wrong in the file, before anything is saved.
    Raises Ended with FAILED if it cannot be saved.
    """
    actor = acting(arguments)
    if not actor.as_agent:
        raise unusable("--agent", "is missing", "name who proposes: --agent claude")
    with at_bench(arguments, may_read=False) as bench:
        proposals = _proposals_in(bench, arguments.file, again=arguments.again)
        answers = []
        for proposal in proposals:
            _, cell = bench.open_unhidden(proposal.cell_no)
            fact = _fact_of(proposal, actor.name, cell.subject.kind, cell.round)
            answers.append((proposal.cell_no, savable(fact)))
        with unless_stopped("propose"):
            changes = bench.receive_many(answers)
            bench.workspace.settle()
        save(bench)
        hidden = sum(change.after.hidden for change in changes)
        say(
            f"{many(len(changes), 'cell')} labelled by the agent {actor.name}; a person signs off.",
        )
        if hidden:
            say(f"Of these, {many(hidden, 'is', 'are')} hidden until a person rules.")


def _proposals_in(bench: Workbench, file: str, *, again: bool) -> list[_Proposal]:
    """Return the proposals of a file, in its order and at least one; `-` is standard input.

    With `again` a cell may have been judged before. Raises Unusable with everything that is wrong
    in the file: wrong lines, a second line for the same cell, or no proposal at all. Raises it also
    if the file cannot be read.
    """
    problems: list[Problem] = []
    proposals: dict[int, _Proposal] = {}
    for record in _records(file):
        if isinstance(record, Problem):
            problems.append(record)
            continue
        proposal = _proposal_of_line(bench, file, record, again=again)
        if not isinstance(proposal, _Proposal):
            problems += proposal
        elif proposal.cell_no in proposals:
            earlier = proposals[proposal.cell_no].place
            problems.append(
                Problem(file, record.place(), f"labels the same cell as {earlier}"),
            )
        else:
            proposals[proposal.cell_no] = proposal
    if problems:
        raise Unusable(problems)
    if not proposals:
        raise unusable(
            file,
            "there is no proposal in it",
            "write a line of JSON for each cell",
        )
    return list(proposals.values())


def _records(file: str) -> Iterator[Record | Problem]:
    """Yield what a file has for each proposal, and a Problem for each line that is unreadable.

    The file is JSON Lines, a list in JSON, or any other form that traces may have; `-` is standard
    input. Empty lines are skipped. Raises Unusable if the file cannot be opened, is empty, is no
    text, or is larger than `_LARGEST` bytes.
    """
    if file == "-":
        yield from records(standard_input(), "standard input", _LARGEST)
        return
    with opened(file) as stream:
        yield from records(stream, file, _LARGEST)


def _proposal_of_line(
    bench: Workbench,
    file: str,
    record: Record,
    *,
    again: bool,
) -> "_Proposal | list[Problem]":
    """Return the labels of a line with their cell, or everything that is wrong with the line.

    A line is a table with `id`, `trait`, perhaps `epoch` (1 without), and the labels by key; null
    is as if it were left out. Wrong are a line that names no cell of the audit, labels for a cell
    that was judged before unless `again`, and labels that do not fit its trace and trait. `file` is
    the file's name in problems. Nothing is raised or saved.
    """
    line = record.value
    if not isinstance(line, dict):
        right = "a line is an object with id, trait and labels"
        return [Problem(file, record.place(), f"this is {describe_value(line)}", right)]
    trace_id = line.get("id")
    epoch = line.get("epoch", 1)
    trait = line.get("trait")
    right = (
        'it begins so: {"id": "a1", "trait": "Accuracy", …}; epoch is a whole number'
    )
    if not isinstance(trace_id, str) or type(epoch) is not int:
        return [Problem(file, record.place(), "this line names no trace", right)]
    if not isinstance(trait, str):
        return [Problem(file, record.place(), "this line names no trait", right)]
    trace_id = in_whole_characters(trace_id)  # no trace has an id with half a one
    trace_name = name_of(trace_id, epoch)
    trace_no = bench.workspace.traces.number((trace_id, epoch))
    if trace_no is None:
        return [Problem(file, record.place(("id",)), f"there is no trace {trace_name}")]
    cells = bench.workspace.cells.of_trace(trace_no)
    if trait not in cells:
        wrong = f"{trace_name} has no trait {quoted(trait)}"
        return [
            Problem(
                file,
                record.place(("trait",)),
                wrong,
                f"its traits: {', '.join(cells)}",
            ),
        ]

    trace, cell = bench.open_unhidden(cells[trait])
    if cell.round and not again:
        wrong = f"{trace_name} is judged already under {quoted(trait)}"
        return [
            Problem(
                file,
                record.place(),
                wrong,
                "--again gives it labels in a new round",
            ),
        ]
    label_keys = [key for key in line if key not in _NAMING]
    table = {key: line[key] for key in label_keys if line[key] is not None}
    known_trait = KnownTrait(cell.subject.kind, cell.subject.trait)
    problems: list[Problem] = []
    for fault in label_faults(table, trace, known_trait):
        problems.append(
            Problem(file, record.place(fault.path), fault.wrong, fault.right),
        )
    return problems or _Proposal(record.place(), cells[trait], table)


def _fact_of(
    proposal: _Proposal,
    agent: str,
    kind: AnyKind,
    judged_before: int,
) -> Proposed:
    """Return the fact that an agent's labels are kept as; it is not saved.

    The proposal's labels must fit the `kind`. Their keys that are not labels go into the judge's
    record, and replace neither its name, `agent`, nor that it is an agent. For a cell that was
    judged in `judged_before` rounds the record has the number of the next; a first round has none.
    """
    proposal_of_line = proposal_in(kind, proposal.labels)
    judge = {**proposal_of_line.judge, "name": agent, **written_as(as_agent=True)}
    if judged_before:
        judge["round"] = judged_before + 1
    return Proposed(proposal_of_line.table, judge)
