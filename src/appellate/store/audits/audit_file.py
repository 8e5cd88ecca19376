"""Reads an audit file: every trace is checked, and its cells are folded from their facts.

What is derived must be what the facts give, or a change by hand would be lost. All problems of a
file are told together.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from pydantic import ValidationError

from appellate.core.cell import Cell, fold
from appellate.core.describe import describe_moved, why_not_folded
from appellate.core.design_facts import DesignFact, from_body
from appellate.core.facts import Contested, Fact, Proposed, is_by_agent
from appellate.core.kind import AnyKind, Fault, KnownTrait, Subject, Table, Trait
from appellate.core.problem import Problem, Refused, Unusable, shape_error_text
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import OtherResponse, Trace, TraceKey
from appellate.store import judgment
from appellate.store.audits.audit import (
    FORMAT,
    Audit,
    AuditedCell,
    CellKey,
    cell_table,
    describe_recounted,
    trace_values,
)
from appellate.store.audits.audit_document import (
    AuditDocument,
    NotByTrace,
    document_by_trace,
    whole_document,
)
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import MOMENT, is_moment, stamp
from appellate.store.files.trace_record import record_faults
from appellate.store.files.wording import first_fault_text, key_path, of_trace, problems
from appellate.store.samples.design_faults import design_faults
from appellate.traits.kinds import implied_kind, kinds
from appellate.traits.rubric import Rubric

_TOP = {
    "format",
    "saved",
    "appellate",
    "reviewers",
    "rubric",
    "earlier_traits",
    "design",
    "traces",
}
T = TypeVar("T")
K = TypeVar("K")


def read_audit_file(
    path: Path,
    take: "Callable[[AuditFileReading], T]",
    on_progress: OnProgress = ignore_progress,
) -> T:
    """Return what `take` makes of an audit file; raises Unusable with every problem found.

    `take` goes through the traces. It is called a second time, with the file read whole, if the
    file turns out not to be readable trace by trace, so whatever it made before must be gone by
    then. What `take` itself raises leaves this function, too.
    """
    try:
        try:
            reading = AuditFileReading(path, document_by_trace(path), on_progress)
        except Unusable as refusal:
            # what is wrong with the text below the top goes first
            raise NotByTrace from refusal
        return take(reading)
    except NotByTrace:
        return take(AuditFileReading(path, whole_document(path), on_progress))


def _trait(table: Table) -> tuple[str, KnownTrait]:
    """Return the hash of an earlier version of a trait, and the trait, from its table.

    Without `kind` in the table it is of the kind that is implied. Raises ValueError if `sha256` in
    the table is not that hash, and KeyError, TypeError or ValueError for what is no such table.
    """
    kind = kinds()[table["kind"]] if "kind" in table else implied_kind()
    try:
        trait = kind.spec.model_validate(table["trait"])
    except ValidationError as error:
        raise ValueError(first_fault_text(error, table["trait"])) from None
    sha256 = trait.sha256()
    if sha256 != table["sha256"]:
        raise ValueError("sha256 is not the hash of the trait below it")
    return sha256, KnownTrait(kind, trait)


def _design_fact(table: Table) -> DesignFact:
    """Return the fact that a `[[design]]` of an audit file is.

    Raises KeyError, TypeError, AttributeError or ValueError, with a reason, for a table that is not
    such a fact.
    """
    n = table["n"]
    person = table["by"]
    if not judgment.is_ordinal(n) or not isinstance(person, str):
        raise TypeError(f"n = {n!r} by {person!r} numbers no act of anybody")
    event = from_body(table["act"], table)
    return DesignFact(n, stamp(table["at"]), person, event, is_by_agent(table))


def _rubric(path: Path, document: Table) -> Rubric:
    """Return the rubric in an audit file.

    Raises Unusable if it is missing or wrong, or if it has a `sha256` that is not its hash, which
    says that it was changed by hand. Without a `sha256` it is not compared.
    """
    table = document.get("rubric")
    if not isinstance(table, Mapping):
        raise unusable(str(path), "the audit holds no rubric", place="rubric")
    rubric_table = dict(table)
    written_sha256 = rubric_table.pop("sha256", None)
    rubric = parse_rubric(rubric_table, f"{path}: [rubric]").usable()
    if "sha256" in table and written_sha256 != rubric.sha256():
        text = "is not the hash of the rubric below it: the rubric was changed in the audit by hand"
        right = "start a new audit with the new rubric"
        raise unusable(str(path), text, right, place="rubric.sha256")
    return rubric


def _check_format(path: Path, top: Table) -> None:
    """Raise Unusable unless a file's `format` is the one that this version writes.

    The message tells an audit of another version from what is no audit.
    """
    file_format = top.get("format")
    if file_format == FORMAT:
        return
    if isinstance(file_format, str) and file_format.startswith("appellate-audit/"):
        text = f"is of the format {file_format!r}, which this version does not know"
        raise unusable(str(path), text, f"it reads {FORMAT!r}", place="format")
    raise unusable(
        str(path),
        "is not an audit",
        f'an audit begins with format = "{FORMAT}"',
    )


class AuditedTrace(Struct, frozen=True):
    """A trace of an audit with its cells; `extra` are keys that this version does not know."""

    trace: Trace
    cells: list[AuditedCell]
    extra: Table


class AuditFileReading:
    """An audit file, whose traces are read as one goes through them, once.

    Going through them raises Unusable after the last one, with every problem of the file, and
    yields none after the first problem. What is known only then says so.
    """

    def __init__(
        self,
        path: Path,
        document: AuditDocument,
        on_progress: OnProgress,
    ) -> None:
        """Read the top of a document; raise Unusable unless it is an audit with a usable rubric.

        Other problems at the top are raised with those of the traces, after the last trace.
        """
        self._path = path
        self._document = document
        self._top = document.top
        self._on_progress = on_progress
        self._problems: list[Problem] = []
        self._seen = _Seen()
        _check_format(path, self._top)
        self.rubric = _rubric(path, self._top)
        self.earlier: Mapping[str, KnownTrait] = dict(
            self._read_list("earlier_traits", _trait, "version of a trait"),
        )
        self.version = ""
        if isinstance(self._top.get("appellate", ""), str):
            self.version = self._top.get("appellate", "")
        self.extra: Table = {
            key: value for key, value in self._top.items() if key not in _TOP
        }
        self.design: Sequence[DesignFact] = ()
        """What happened to the audit as a whole, in order. Known after the last trace."""
        self.is_changed = False
        """As `Audit.is_changed`. Known after the last trace."""
        self.counted_before = 0
        """As `Audit.counted_before`. Known after the last trace."""

    def __iter__(self) -> Iterator[AuditedTrace]:
        """Yield the traces with their cells, but none any more after the first problem.

        The rest is still read: after the last trace, raises Unusable with every problem of the
        file. Raises NotByTrace where it turns out that the file must be read whole. It can be done
        once.
        """
        for number, (place, table, share) in enumerate(self._trace_tables()):
            self._on_progress(number, share)
            problem_count = len(self._problems)
            audited = self._trace_with_cells(table, place)
            self._problems[problem_count:] = of_trace(
                table,
                self._problems[problem_count:],
            )
            if audited is None:
                continue
            self._seen.add(audited)
            if not self._problems and not self._seen.is_repeated:
                yield audited
        self._conclude()

    @property
    def saved(self) -> str | None:
        """The time at which the file says that it was saved, in ISO 8601; None if it says none.

        It is checked only after the last trace. Before, it raises ValueError or TypeError for what
        is no moment.
        """
        saved = self._top.get("saved")
        return None if saved is None else stamp(saved)

    @property
    def reviewers(self) -> list[str]:
        """Everybody who ever acted, as the file says. Known after the last trace."""
        return list(self._top.get("reviewers", []))

    @property
    def recounted(self) -> str:
        """A sentence on numbers that are counted differently than in the file; "" if none are.

        It is known after the last trace.
        """
        return describe_recounted(self.counted_before)

    def audit(self) -> Audit:
        """Read the whole file and return it as an Audit.

        Raises Unusable with every problem of the file, and NotByTrace if this reads it in parts and
        it must be read whole.
        """
        traces: list[Trace] = []
        cells: list[AuditedCell] = []
        trace_extra: dict[TraceKey, Table] = {}
        for audited in self:
            traces.append(audited.trace)
            cells += audited.cells
            if audited.extra:
                trace_extra[audited.trace.key] = audited.extra
        return Audit(
            self.rubric,
            traces,
            cells,
            self.saved,
            self.version,
            self.reviewers,
            self.extra,
            trace_extra,
            self.earlier,
            self.design,
            self.is_changed,
            self.counted_before,
        )

    def _conclude(self) -> None:
        """Read what only all traces together show; raise Unusable if there are problems.

        That is the design, numbers of facts, traces and cells that are there twice, and the types
        of "saved", "appellate" and "reviewers" at the top, each of which may be missing. `design`
        is filled, in the order of its facts' numbers. Unusable has every problem noted since the
        file was opened.
        """
        acts = self._read_list("design", _design_fact, "part of the design")
        self.design = sorted(acts, key=attrgetter("n"))
        for n, wrong in design_faults(self.design, self._seen.traces.keys()):
            self._problem(f"design, n = {n}", wrong)
        for fact in self.design:
            self._seen.numbers[fact.n] += 1
        for place, wrong in self._seen.repeated():
            self._problem(place, wrong)
        saved = self._top.get("saved")
        if saved is not None and not is_moment(saved):
            self._problem("saved", f"must be {MOMENT}")
        version = self._top.get("appellate", "")
        if not isinstance(version, str):
            self._problem("appellate", "must be text")
        reviewers = self._top.get("reviewers", [])
        if not _is_list_of(str, reviewers):
            self._problem("reviewers", "must be a list of names")
        if self._problems:
            raise Unusable(self._problems)

    def _trace_tables(self) -> Iterator[tuple[str, Table, float]]:
        """Yield the path of each trace, as `traces[0]`, its table, and the share before it.

        The share is that of the file, from 0 to 1. In a file that is read whole, a `traces` that is
        no list and an entry that is no table are noted as problems and left out. Raises NotByTrace
        if a file that is read in parts must be read whole.
        """
        if self._document.traces is None:
            traces = self._top.get("traces", [])
            tables = self._tables(self._top, "traces", "")
            for number, (place, table) in enumerate(tables):
                yield place, table, number / len(traces)
            return
        for number, (table, share) in enumerate(self._document.traces):
            yield f"traces[{number}]", table, share

    def _read_list(
        self,
        key: str,
        read: Callable[[Table], T],
        noun: str,
    ) -> Iterator[T]:
        """Yield what `read` makes of each table of a list at the top.

        A table for which it raises ValueError, TypeError, KeyError or AttributeError becomes a
        problem instead, in which `noun` says what the table should be.
        """
        for place, table in self._tables(self._top, key, ""):
            try:
                yield read(table)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                wrong = f"this {noun} cannot be read ({shape_error_text(error)})"
                self._problem(place, wrong)

    def _tables(
        self,
        table: Table,
        key: str,
        place: str,
    ) -> Iterator[tuple[str, Table]]:
        """Yield the tables in the list `table[key]`, each with its path, as `traces[0]`.

        `place` is the path of the table, with a point at its end, or "" for the top. A missing key
        yields nothing. A value that is no list, and an entry that is no table, are noted as
        problems.
        """
        listed = table.get(key, [])
        if not isinstance(listed, list):
            header = f"[[{place and 'traces.'}{key}]]"
            self._problem(
                place + key,
                f"must be a list of tables, each under its own {header}",
            )
            return
        for number, row in enumerate(listed):
            if isinstance(row, Mapping):
                yield f"{place}{key}[{number}]", row
            else:
                self._problem(f"{place}{key}[{number}]", "must be a table")

    def _problem(self, place: str, wrong: str) -> None:
        self._problems.append(Problem(str(self._path), place, wrong))

    def _trace_with_cells(self, table: Table, place: str) -> AuditedTrace | None:
        """Return a trace with those of its cells that can be read; None if it cannot itself.

        What cannot be read is noted as a problem.
        """
        trace, extra = self._trace(table, place)
        if trace is None:
            return None
        cells = list(self._cells(trace, table, place))
        return AuditedTrace(trace, cells, extra)

    def _trace(self, table: Table, place: str) -> tuple[Trace | None, dict[str, Any]]:
        """Return the trace that a table is, and its keys that this version does not know.

        If it cannot be read, its problems are noted, and None is returned with no keys.
        """
        extra = {
            key: value for key, value in table.items() if key not in Trace.model_fields
        }
        fields: dict[str, Any] = {}
        try:
            fields = trace_values(table)
            judgments = _recorded_labels(table, self.rubric)
            return Trace.model_validate({**fields, "judgments": judgments}), extra
        except ValidationError as error:
            keys = {
                "": tuple(Trace.model_fields),
                "other": tuple(OtherResponse.model_fields),
            }
            self._problems += problems(error, fields, f"{self._path}: {place}", keys)
        except (ValueError, TypeError, KeyError) as error:
            wrong = f"this trace cannot be read ({shape_error_text(error)})"
            self._problem(place, wrong)
        return None, {}

    def _cells(self, trace: Trace, table: Table, place: str) -> Iterator[AuditedCell]:
        """Yield a cell for each judgment of a trace that can be read; note problems of the others.

        A judgment of a trait that the rubric does not have for this trace is a problem, too. A
        trait without a judgment in the file has no cell.
        """
        traits = self.rubric.traits_of(trace)
        for where, row in self._tables(table, "judgments", f"{place}."):
            name = row.get("trait")
            if not isinstance(name, str) or name not in traits:
                self._problem(where, f"the rubric has no trait {name!r} for this trace")
                continue
            subject = Subject(*traits[name], self.rubric.asked(trace), self.earlier)
            audited = self._cell(trace, subject, row, where)
            if audited:
                yield audited

    def _cell(
        self,
        trace: Trace,
        subject: Subject,
        row: Table,
        where: str,
    ) -> AuditedCell | None:
        """Return one cell of the file; None, with a problem, if its facts cannot be read.

        A cell is returned, and problems are noted, for derived keys that are not what the facts
        give, since a change by hand would be lost, and for labels or steps that do not fit the
        trait or the trace. A key that is only counted or explained differently today is no problem:
        it makes the audit `is_changed`, and one that is counted differently adds 1 to
        `counted_before`.
        """
        from appellate.store.item_steps import step_faults, without_steps  # as above

        facts: list[Fact] = []
        try:
            bare = without_steps(row, subject)
            facts = judgment.facts(subject.kind, bare)
            cell = fold(subject, facts)
            audited = AuditedCell(trace, cell, judgment.unknown(bare))
            differing = judgment.differing(bare, cell_table(audited))
            if differing:
                self.is_changed = True  # or there are problems
                explained = judgment.explained(bare, cell)
                differing = [key for key in differing if key not in explained]
                former = judgment.counted_before(bare, cell)
                self.counted_before += bool(differing and former)
                differing = [key for key in differing if key not in former]
        except Refused as refusal:
            reason = why_not_folded(subject, facts)
            if reason:
                reason = f" ({reason}: put it back)"
            self._problem(
                where,
                f"a correction in it cannot be applied: {refusal}{reason}",
            )
            return None
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            wrong = f"this judgment cannot be read ({shape_error_text(error)})"
            self._problem(where, wrong)
            return None
        for key in differing:
            wrong = "is not what the judge and history in this file give: it was changed by hand"
            moved = describe_moved(cell)
            if moved:
                wrong = f"is of words that are there no more: {moved}"
            self._problem(
                f"{where}.{key}",
                f"{wrong}; put it back, and correct it in a review",
            )
        for fault in (*_faults_of_proposals(audited.cell), *step_faults(row, subject)):
            self._problem(f"{where}.{key_path(fault.path)}", fault.wrong)
        return audited


class _Seen:
    """How often each thing was read that an audit may have only once."""

    def __init__(self) -> None:
        """Count nothing yet."""
        self.numbers = Counter[int]()
        """The numbers of facts."""
        self.traces = Counter[TraceKey]()
        self._cells = Counter[CellKey]()
        self.is_repeated = False
        """Whether anything was added twice."""

    def add(self, audited: AuditedTrace) -> None:
        """Count a trace, its cells and its facts; set `is_repeated` if any was there before."""
        self._add(self.traces, audited.trace.key)
        for cell in audited.cells:
            self._add(self._cells, cell.key)
            for fact in cell.cell.facts:
                self._add(self.numbers, fact.n)

    def _add(self, counts: Counter[K], key: K) -> None:
        counts[key] += 1
        self.is_repeated = self.is_repeated or counts[key] > 1

    def repeated(self) -> Iterator[tuple[str, str]]:
        """Yield the place of each thing that was there more than once, and a clause on it.

        Numbers of facts come first, as `n = 7`, then traces, as `trace 'a' 1`, then cells, as
        `judgment 'a' 1 'safe'`: a trace by its id and epoch.
        """
        for n in sorted(self.numbers):
            if self.numbers[n] > 1:
                yield f"n = {n}", "two facts have this number"
        for (trace_id, epoch), times in self.traces.items():
            if times > 1:
                yield f"trace {trace_id!r} {epoch!r}", "stands here twice"
        for ((trace_id, epoch), trait), times in self._cells.items():
            if times > 1:
                place = f"judgment {trace_id!r} {epoch!r} {trait!r}"
                yield place, "stands here twice"


def _is_list_of(element_type: type, value: object) -> bool:
    """Return whether a value is a list with only instances of this type; True if it is empty."""
    return isinstance(value, list) and all(
        isinstance(element, element_type) for element in value
    )


def _faults_of_proposals(cell: Cell) -> Iterator[Fault]:
    """Yield the faults in a cell's proposals that are not found by making the cell of its facts.

    They are in labels and panels, of the current proposal, of all others, and in the sides of a
    contested cell. The path of a fault begins with ("judge",), ("rounds", 0) or ("history",
    "sides", 0), which are keys of the judgment in the file.
    """
    subject = cell.subject
    if cell.judge:
        proposal_faults = _proposal_faults(
            cell.judge,
            subject,
            subject.trace,
            subject.trait,
        )
        yield from _below(("judge",), proposal_faults)
    for number, fact in enumerate(judgment.other_proposals(cell)):
        if isinstance(fact.what, Proposed):
            is_of_the_trait = fact.n > cell.revised and fact.n not in cell.undone
            trait = None
            read = subject.as_judged(fact.what.judge)
            if is_of_the_trait:
                trait = subject.trait
                read = subject.trace
            proposal_faults = _proposal_faults(fact.what, subject, read, trait)
            yield from _below(("rounds", number), proposal_faults)
    if cell.contest and isinstance(cell.contest.what, Contested):
        for number, side in enumerate(cell.contest.what.sides):
            if "table" in side:
                faults = _label_faults(
                    side["table"],
                    subject,
                    subject.trace,
                    subject.trait,
                )
                yield from _below(("history", "sides", number), faults)


def _proposal_faults(
    proposed: Proposed,
    subject: Subject,
    trace: Trace | None,
    trait: Trait | None,
) -> Iterator[Fault]:
    """Yield the faults of a proposal: in its labels, its record, its examples and its panel.

    `trace` is the trace as it was read for the proposal, or None if that is not known; then labels
    are not looked at. `trait` is None for a proposal under an earlier version. Of members of the
    panel that failed only the record is looked at. The path of a fault is below the proposal, as
    `("members", 0, "class")`.
    """
    fields = proposed.judge
    number = fields.get("round", 1)
    examples = fields.get("examples", [])
    seats = fields.get("members", [])
    yield from _label_faults(proposed.table, subject, trace, trait)
    yield from record_faults(fields)
    if not judgment.is_ordinal(number):
        yield Fault(("round",), "must be the number of a round")
    if not _is_list_of(str, examples):
        yield Fault(("examples",), "must be a list of names")
    if not _is_list_of(dict, seats):
        yield Fault(("members",), "must be a list of tables")
        return
    for place, seat in enumerate(seats):
        faults = list(record_faults(seat))
        if "error" not in seat:
            labels = judgment.labels_in(subject.kind, seat)
            faults += _label_faults(labels, subject, trace, trait)
        yield from _below(("members", place), faults)


def _label_faults(
    table: Table,
    subject: Subject,
    trace: Trace | None,
    trait: Trait | None,
) -> Iterator[Fault]:
    """Return the faults of labels, without those that an earlier version did not look for.

    There are none if `trace` is None. `trait` is None for labels under an earlier version of it.
    """
    if trace is None:
        return iter(())
    return (
        fault for fault in subject.kind.faults(trait, trace, table) if not fault.newer
    )


def _below(path: tuple[str | int, ...], faults: Iterable[Fault]) -> Iterator[Fault]:
    """Return the same faults with `path` before their own paths."""
    return (fault._replace(path=(*path, *fault.path)) for fault in faults)


def _recorded_labels(table: Table, rubric: Rubric) -> dict[str, Any]:
    """Return the labels that came with a trace, from its rows in a file, by the trait's name.

    They are in `recorded` if nobody used them; if they were taken up, they are those of the judge
    named "recorded". Rows of other judges, rows that are not tables, and rows taken up under a
    trait that the rubric lacks are left out. Raises KeyError if a row with such labels has no
    `trait`, and TypeError if that is a list or a table.
    """
    rows = table.get("judgments", [])
    if not isinstance(rows, list):
        return {}
    # two questions may have traits of one name and of two kinds
    kinds_of: dict[str, list[AnyKind]] = {}
    for kind, trait in rubric.every_trait():
        kinds_of.setdefault(trait.name, []).append(kind)
    recorded: dict[str, Any] = {}
    for row in rows:
        if not isinstance(row, Mapping):
            continue
        if "recorded" in row:
            recorded[row["trait"]] = row["recorded"]
            continue
        judge = row.get("judge", {})
        if not isinstance(judge, Mapping) or judge.get("name") != "recorded":
            continue
        trait_name = row["trait"]
        if trait_name in kinds_of:
            labels: dict[str, Any] = {}
            for kind in kinds_of[trait_name]:
                labels |= judgment.labels_in(kind, judge)
            recorded[trait_name] = labels
    return recorded
