"""The audit file: the whole of an audit as TOML, a pure function of its facts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from appellate.core.cell import Cell
from appellate.core.design_facts import DesignFact, to_body
from appellate.core.facts import written_as
from appellate.core.kind import KnownTrait, Table
from appellate.core.problem import many
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace, TraceKey
from appellate.store import judgment
from appellate.store.files.toml import emit, moment
from appellate.traits.rubric import Rubric

FORMAT = "appellate-audit/1"
AS_JSON = ("metadata", "messages")
"""Keys of a trace whose values are written as JSON in a text: TOML has no null."""
CellKey = tuple[TraceKey, str]
"""A trace and the name of the trait that it is judged under."""


class AuditedCell(Struct, frozen=True):
    """One cell of an audit; `extra` are keys of its table that this version does not know."""

    trace: Trace
    cell: Cell
    extra: Table = field(default_factory=dict)

    @property
    def key(self) -> CellKey:
        """Which cell it is, in any audit of the same traces."""
        return self.trace.key, self.cell.subject.trait.name


class Audit(Struct, frozen=True):
    """An audit as its file tells it."""

    rubric: Rubric
    traces: list[Trace]
    cells: list[AuditedCell]
    saved: str | None
    version: str
    reviewers: list[str]
    extra: Table = field(default_factory=dict)
    trace_extra: Mapping[TraceKey, Table] = field(default_factory=dict)
    earlier: Mapping[str, KnownTrait] = field(default_factory=dict)
    design: Sequence[DesignFact] = ()
    is_changed: bool = False
    """Whether the file says otherwise what is signed, as what was read in it was changed since,
    or has numbers that are counted otherwise now.
    """
    counted_before: int = 0
    """Cells with numbers in the file that an earlier version counted otherwise."""

    @property
    def recounted(self) -> str:
        """A sentence on numbers that are counted differently than in the file; "" if none are."""
        return describe_recounted(self.counted_before)

    @property
    def cell_keys(self) -> list[CellKey]:
        """Which cells these are, in their order."""
        return [audited.key for audited in self.cells]

    def rows(self) -> list[dict[str, Any]]:
        """Return every verdict as rows for a data frame, one for each instruction of each cell.

        `pandas.DataFrame(audit.rows())` and `polars.DataFrame(audit.rows())` have a column for each
        key. Texts are "" and numbers NaN where there is none. Cells that neither a judge nor a
        person labelled have no row.
        """
        from appellate.store.audits.long_table import long_rows  # it needs this module

        return list(long_rows(self.cells))

    def text(self) -> str:
        """Return the file's text, byte for byte as the workspace would write it."""
        head = header(
            self.rubric,
            self.saved,
            self.version,
            self.reviewers,
            self.extra,
            self.earlier,
            self.design,
        )
        by_trace: dict[TraceKey, list[AuditedCell]] = {}
        for audited in self.cells:
            by_trace.setdefault(audited.trace.key, []).append(audited)
        parts = [head]
        for trace in self.traces:
            parts.append(trace_text(trace, self.trace_extra.get(trace.key, {})))
            parts += [
                cell_text(audited_cell) for audited_cell in by_trace.get(trace.key, ())
            ]
        return "".join(parts)


def describe_recounted(cell_count: int) -> str:
    """Return a sentence on cells whose metrics were counted by items and now are by instruction.

    It says how many there are and that the next save writes them so; "" if there are none.
    """
    if not cell_count:
        return ""
    cells = many(cell_count, "cell has", "cells have")
    return (
        f"{cells} metrics that an earlier version counted by the words of items; "
        "they are counted by instruction now, and written so with the next save."
    )


def header(
    rubric: Rubric,
    saved: str | None,
    version: str,
    reviewers: Iterable[str],
    extra: Table,
    earlier: Mapping[str, KnownTrait],
    design: Sequence[DesignFact],
) -> str:
    """Return everything in an audit file before the first trace, as TOML.

    `earlier` are versions of traits by their hash, written by name and then hash. Reviewers are
    sorted. `extra` are the keys that this version does not know. `saved` is the time of the last
    fact; None means that nothing happened yet, and then it is left out.
    """
    top: dict[str, Any] = {"format": FORMAT}
    if saved:
        top["saved"] = moment(saved)
    top |= {"appellate": version, "reviewers": sorted(reviewers), **extra}
    top["rubric"] = {"sha256": rubric.sha256(), **rubric.to_file()}
    versions = []
    for sha256, trait in sorted(
        earlier.items(),
        key=lambda pair: (pair[1].trait.name, pair[0]),
    ):
        table: dict[str, Any] = {"sha256": sha256}
        if not trait.kind.implied:  # that goes without saying
            table["kind"] = trait.kind.name
        versions.append(table | {"trait": trait.trait.to_file()})
    if versions:
        top["earlier_traits"] = versions
    if design:
        top["design"] = [design_table(fact) for fact in design]
    return "".join(emit(top))


def design_table(fact: DesignFact) -> Table:
    """Return one `[[design]]` of the file: something that happened to the audit as a whole.

    It has `n`, `at` as a date and time, `by`, `as` if an agent did it, `act` with the event's name,
    and the event's own fields.
    """
    name, body = to_body(fact.what)
    table: dict[str, Any] = {"n": fact.n, "at": moment(fact.at), "by": fact.by}
    table.update(written_as(as_agent=fact.as_agent))
    table["act"] = name
    table.update(body)
    return table


def trace_table(trace: Trace, extra: Table) -> Table:
    """Return a trace's own keys as a file has them, without its judgments.

    Keys without a value are left out. The values of `AS_JSON` and the messages of the other
    response are JSON texts. `extra` are its keys that this version does not know.
    """
    table = trace.model_dump(exclude_none=True, exclude={"judgments"})
    table.update(extra)
    for key in AS_JSON:
        if key in table:
            table[key] = json.dumps(table[key], ensure_ascii=False)
    other_response = table.get("other", {})
    if "messages" in other_response:
        messages = json.dumps(other_response["messages"], ensure_ascii=False)
        table["other"] = {**other_response, "messages": messages}
    return table


def trace_values(table: Table) -> dict[str, Any]:
    """Return the values of a trace's table as a `Trace` takes them: JSON texts are read.

    These are the values of `AS_JSON`, and the `messages` of the table `other`. Keys that no trace
    has are left out, and its judgments. Raises ValueError for a text that is no JSON or is nested
    too deeply, and TypeError for a value that is no text.
    """
    field_names = Trace.model_fields.keys() - {"judgments"}
    values = {key: value for key, value in table.items() if key in field_names}
    try:
        for key in AS_JSON:
            if key in values:
                values[key] = json.loads(values[key])
        other_response = values.get("other")
        if isinstance(other_response, dict) and "messages" in other_response:
            messages = json.loads(other_response["messages"])
            values["other"] = {**other_response, "messages": messages}
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return values


def trace_text(trace: Trace, extra: Table) -> str:
    """Return a trace as TOML, without its judgments: an empty line, `[[traces]]`, and its keys.

    `extra` are its keys that this version does not know.
    """
    return "".join(["\n[[traces]]\n", *emit(trace_table(trace, extra), ("traces",))])


def cell_text(audited: AuditedCell) -> str:
    """Return one cell as TOML: an empty line, `[[traces.judgments]]`, and its keys."""
    from appellate.store.item_steps import with_steps  # not before the first paint

    table = with_steps(cell_table(audited), audited.cell.subject)
    return "".join(["\n[[traces.judgments]]\n", *emit(table, ("traces", "judgments"))])


def cell_table(audited: AuditedCell) -> Table:
    """Return a cell's `[[traces.judgments]]` as a table, with keys that this version does not know.

    Its items lack the steps of the response that they are in, which `cell_text` adds.
    """
    trait_name = audited.cell.subject.trait.name
    recorded = audited.trace.judgments.get(trait_name)
    return judgment.together(judgment.written(audited.cell, recorded), audited.extra)


# -- reading --------------------------------------------------------------------------------------


def load_audit(path: str | Path, on_progress: OnProgress = ignore_progress) -> Audit:
    """Read a whole audit file into memory; raise Unusable with every problem found.

    That a file is missing, or is no audit, is a problem, too.
    """
    # not before the first paint, as a workspace is opened without the file
    from appellate.store.audits.audit_file import AuditFileReading, read_audit_file

    return read_audit_file(Path(path), AuditFileReading.audit, on_progress)


def is_audit(path: Path) -> bool:
    """Return whether a file says in its first 400 bytes that it is an audit, of any version.

    False for one that cannot be read.
    """
    try:
        with path.open("rb") as file:
            return b'format = "appellate-audit/' in file.read(400)
    except OSError:
        return False
