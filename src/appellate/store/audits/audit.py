"""The audit file: the whole of an audit as TOML, a pure function of its facts."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field
from pydantic import ValidationError

from appellate.core.cell import Cell, fold
from appellate.core.describe import describe_moved, why_not_folded
from appellate.core.design_facts import DesignFact, from_body, to_body
from appellate.core.facts import Contested, Fact, Proposed
from appellate.core.kind import Fault, KnownTrait, Subject, Table, Trait
from appellate.core.problem import Problem, Refused, Unusable, many
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace, TraceKey
from appellate.store import judgment
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.files.text_file import MIB, text_of, toml_table, unusable
from appellate.store.files.toml import emit, moment, stamp
from appellate.store.files.trace_record import record_faults
from appellate.store.files.wording import key_path, of_trace, problems
from appellate.store.samples.design_faults import design_faults
from appellate.traits.kinds import implied_kind, kinds
from appellate.traits.rubric import Rubric

LARGEST = 4096 * MIB
FORMAT = "appellate-audit/1"
_TOP = {"format", "saved", "appellate", "reviewers", "rubric", "earlier_traits", "design", "traces"}
_AS_JSON = ("metadata", "messages")
T = TypeVar("T")


class AuditedCell(Struct, frozen=True):
    """One cell of an audit; `extra` are keys of its table that this version does not know."""

    trace: Trace
    cell: Cell
    extra: Table = field(default_factory=dict)

    @property
    def key(self) -> tuple[TraceKey, str]:
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
        """A sentence on numbers that are counted otherwise than in the file; "" for none."""
        if not self.counted_before:
            return ""
        cells = many(self.counted_before, "cell has", "cells have")
        return (
            f"{cells} metrics that an earlier version counted by the words of items; "
            "they are counted by instruction now, and written so with the next save."
        )

    def text(self) -> str:
        """The file's text, byte for byte as the workspace would write it."""
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
            parts += [cell_text(one) for one in by_trace.get(trace.key, ())]
        return "".join(parts)


def header(
    rubric: Rubric,
    saved: str | None,
    version: str,
    reviewers: Iterable[str],
    extra: Table,
    earlier: Mapping[str, KnownTrait],
    design: Sequence[DesignFact],
) -> str:
    """Everything before the first trace; `earlier` are versions of traits by their hash."""
    top: dict[str, Any] = {"format": FORMAT}
    if saved:
        top["saved"] = moment(saved)
    top |= {"appellate": version, "reviewers": sorted(reviewers), **extra}
    top["rubric"] = {"sha256": rubric.sha256(), **rubric.to_file()}
    versions = []
    for sha256, known in sorted(earlier.items(), key=lambda one: (one[1].trait.name, one[0])):
        table: dict[str, Any] = {"sha256": sha256}
        if not known.kind.implied:  # that goes without saying
            table["kind"] = known.kind.name
        versions.append(table | {"trait": known.trait.to_file()})
    if versions:
        top["earlier_traits"] = versions
    if design:
        top["design"] = [design_table(fact) for fact in design]
    return "".join(emit(top))


def design_table(fact: DesignFact) -> Table:
    """One `[[design]]`: something that happened to the audit as a whole."""
    name, body = to_body(fact.what)
    return {"n": fact.n, "at": moment(fact.at), "by": fact.by, "act": name, **body}


def _design_fact(table: Table) -> DesignFact:
    """The inverse; raises KeyError, TypeError or ValueError, with a reason, for what is none."""
    n, who = table["n"], table["by"]
    if type(n) is not int or not 0 < n < judgment.LARGEST or not isinstance(who, str):
        raise TypeError(f"n = {n!r} by {who!r} numbers no act of anybody")
    return DesignFact(n, stamp(table["at"]), who, from_body(table["act"], table))


def trace_text(trace: Trace, extra: Table) -> str:
    """A trace's own part, before its judgments."""
    given = trace.model_dump(exclude_none=True, exclude={"judgments"}) | dict(extra)
    for key in _AS_JSON:
        if key in given:
            given[key] = json.dumps(given[key], ensure_ascii=False)
    return "".join(["\n[[traces]]\n", *emit(given, ("traces",))])


def cell_text(audited: AuditedCell) -> str:
    """One cell's `[[traces.judgments]]`."""
    from appellate.store.item_steps import with_steps  # not before the first paint

    table = with_steps(_table(audited), audited.cell.subject)
    return "".join(["\n[[traces.judgments]]\n", *emit(table, ("traces", "judgments"))])


def _table(audited: AuditedCell) -> Table:
    cell, recorded = audited.cell, audited.trace.judgments.get(audited.cell.subject.trait.name)
    return judgment.together(judgment.written(cell, recorded), audited.extra)


# -- reading --------------------------------------------------------------------------------------


def load_audit(path: str | Path, on_progress: OnProgress = ignore_progress) -> Audit:
    """The audit in a file; raises Unusable with every problem found."""
    path = Path(path)
    document = _document(path)
    return _AuditReading(path, document, _rubric(path, document)).audit(on_progress)


def _trait(table: Table) -> tuple[str, KnownTrait]:
    """A trait as it was and its hash; raises ValueError where the two do not belong together."""
    kind = kinds()[table["kind"]] if "kind" in table else implied_kind()
    trait = kind.spec.model_validate(table["trait"])
    if trait.sha256() != table["sha256"]:
        raise ValueError("sha256 is not the hash of the trait below it")
    return trait.sha256(), KnownTrait(kind, trait)


def _rubric(path: Path, document: Table) -> Rubric:
    table = document.get("rubric")
    if not isinstance(table, Mapping):
        raise unusable(str(path), "the audit holds no rubric", place="rubric")
    given = {key: value for key, value in table.items() if key != "sha256"}
    rubric = parse_rubric(given, f"{path}: [rubric]").usable()
    if table.get("sha256", rubric.sha256()) != rubric.sha256():
        text = "is not the hash of the rubric below it: the rubric was changed in the audit by hand"
        right = "start a new audit with the new rubric"
        raise unusable(str(path), text, right, place="rubric.sha256")
    return rubric


def _document(path: Path) -> dict[str, Any]:
    document = toml_table(text_of(path, LARGEST), str(path))
    found = document.get("format")
    if found == FORMAT:
        return document
    if isinstance(found, str) and found.startswith("appellate-audit/"):
        text = f"is of the format {found!r}, which this version does not know"
        raise unusable(str(path), text, f"it reads {FORMAT!r}", place="format")
    raise unusable(str(path), "is not an audit", f'an audit begins with format = "{FORMAT}"')


def is_audit(path: Path) -> bool:
    """Whether a file says that it is an audit, by its first lines."""
    try:
        with path.open("rb") as file:
            return b'format = "appellate-audit/' in file.read(400)
    except OSError:
        return False


class _AuditReading:
    """One pass over a document, collecting problems."""

    def __init__(self, path: Path, document: Table, rubric: Rubric) -> None:
        self._path = path
        self._document = document
        self._rubric = rubric
        self._problems: list[Problem] = []
        self._is_changed = False
        self._counted_before = 0
        self._earlier = dict(self._read("earlier_traits", _trait, "version of a trait"))

    def _read(self, key: str, read: Callable[[Table], T], what: str) -> Iterator[T]:
        """What is in a list at the top; what cannot be read is a problem."""
        for place, table in self._tables(self._document, key, ""):
            try:
                yield read(table)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                why = str(error).splitlines()[0]
                self._problem(place, f"this {what} cannot be read ({why})")

    def audit(self, on_progress: OnProgress) -> Audit:
        traces: list[Trace] = []
        cells: list[AuditedCell] = []
        extras: dict[TraceKey, dict[str, Any]] = {}
        listed = self._document.get("traces", [])
        for number, (place, table) in enumerate(self._tables(self._document, "traces", "")):
            on_progress(number, number / len(listed))
            before = len(self._problems)
            trace, extra = self._trace(table, place)
            if trace:
                traces.append(trace)
                if extra:
                    extras[trace.key] = extra
                cells += list(self._cells(trace, table, place))
            self._problems[before:] = of_trace(table, self._problems[before:])
        acts = self._read("design", _design_fact, "part of the design")
        design = sorted(acts, key=lambda fact: fact.n)
        for n, wrong in design_faults(design, {trace.key for trace in traces}):
            self._problem(f"design, n = {n}", wrong)
        self._once(traces, cells, design)
        head = self._head()
        if self._problems:
            raise Unusable(self._problems)
        extra = {key: value for key, value in self._document.items() if key not in _TOP}
        return Audit(
            self._rubric,
            traces,
            cells,
            *head,
            extra,
            extras,
            self._earlier,
            design,
            self._is_changed,
            self._counted_before,
        )

    def _head(self) -> tuple[str | None, str, list[str]]:
        saved, version = self._document.get("saved"), self._document.get("appellate", "")
        reviewers = self._document.get("reviewers", [])
        if not isinstance(saved, datetime | None):
            self._problem("saved", "must be a date and time")
        if not isinstance(version, str):
            self._problem("appellate", "must be text")
        if not _is_list_of(str, reviewers):
            self._problem("reviewers", "must be a list of names")
        if isinstance(saved, datetime):
            saved = stamp(saved)
        return saved, version, reviewers

    def _tables(self, table: Table, key: str, place: str) -> Iterator[tuple[str, Table]]:
        """The tables of a list with their places; anything else in it is a problem."""
        listed = table.get(key, [])
        if not isinstance(listed, list):
            header = f"[[{place and 'traces.'}{key}]]"
            self._problem(place + key, f"must be a list of tables, each under its own {header}")
            return
        for number, row in enumerate(listed):
            if isinstance(row, Mapping):
                yield f"{place}{key}[{number}]", row
            else:
                self._problem(f"{place}{key}[{number}]", "must be a table")

    def _once(
        self, traces: list[Trace], cells: list[AuditedCell], design: list[DesignFact]
    ) -> None:
        """What is in an audit only once: a fact's number, a trace, a trace's trait."""
        numbers = Counter(fact.n for fact in design)
        keys = Counter[tuple[str, ...]](("trace", *map(repr, trace.key)) for trace in traces)
        for audited in cells:
            numbers.update(fact.n for fact in audited.cell.facts)
            key = (*audited.trace.key, audited.cell.subject.trait.name)
            keys["judgment", *map(repr, key)] += 1
        for n in sorted(numbers):
            if numbers[n] > 1:
                self._problem(f"n = {n}", "two facts have this number")
        for named, times in keys.items():
            if times > 1:
                self._problem(" ".join(named), "stands here twice")

    def _problem(self, place: str, wrong: str) -> None:
        self._problems.append(Problem(str(self._path), place, wrong))

    def _trace(self, table: Table, place: str) -> tuple[Trace | None, dict[str, Any]]:
        given, extra = {}, {}
        for key, value in table.items():
            if key not in Trace.model_fields:
                extra[key] = value
            elif key != "judgments":
                given[key] = value
        try:
            for key in _AS_JSON:
                if key in given:
                    given[key] = json.loads(given[key])
            judgments = _recorded(table, self._rubric)
            return Trace.model_validate({**given, "judgments": judgments}), extra
        except ValidationError as error:
            keys = {"": tuple(Trace.model_fields)}
            self._problems += problems(error, given, f"{self._path}: {place}", keys)
        except (ValueError, TypeError, KeyError) as error:
            self._problem(place, f"this trace cannot be read ({error})")
        return None, {}

    def _cells(self, trace: Trace, table: Table, place: str) -> Iterator[AuditedCell]:
        traits = self._rubric.traits_of(trace)
        for where, row in self._tables(table, "judgments", f"{place}."):
            name = row.get("trait")
            if not isinstance(name, str) or name not in traits:
                self._problem(where, f"the rubric has no trait {name!r} for this trace")
                continue
            subject = Subject(*traits[name], self._rubric.asked(trace), self._earlier)
            audited = self._judgment(trace, subject, row, where)
            if audited:
                yield audited

    def _judgment(
        self, trace: Trace, subject: Subject, row: Table, where: str
    ) -> AuditedCell | None:
        """One cell; what is derived must be what its facts give, or a change would be lost."""
        from appellate.store.item_steps import step_faults, without_steps  # as above

        facts: list[Fact] = []
        try:
            bare = without_steps(row, subject)
            facts = judgment.facts(subject.kind, bare)
            cell = fold(subject, facts)
            audited = AuditedCell(trace, cell, judgment.unknown(bare))
            differing = judgment.differing(bare, _table(audited))
            if differing:
                self._is_changed = True  # or there are problems
                explained = judgment.explained(bare, cell)
                differing = [key for key in differing if key not in explained]
                former = judgment.counted_before(bare, cell)
                self._counted_before += bool(differing and former)
                differing = [key for key in differing if key not in former]
        except Refused as refusal:
            why = why_not_folded(subject, facts)
            if why:
                why = f" ({why}: put it back)"
            self._problem(where, f"a correction in it cannot be applied: {refusal}{why}")
            return None
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            text = f"{type(error).__name__}: {error}".splitlines()[0]
            self._problem(where, f"this judgment cannot be read ({text})")
            return None
        for key in differing:
            wrong = "is not what the judge and history in this file give: it was changed by hand"
            moved = describe_moved(cell)
            if moved:
                wrong = f"is of words that are there no more: {moved}"
            self._problem(f"{where}.{key}", f"{wrong}; put it back, and correct it in a review")
        for fault in (*_misfits(audited.cell), *step_faults(row, subject)):
            self._problem(f"{where}.{key_path(fault.path)}", fault.wrong)
        return audited


def _is_list_of(what: type, value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, what) for one in value)


def _misfits(cell: Cell) -> Iterator[Fault]:
    """What folding does not find wrong with proposals: labels that lie beside, and panels."""
    subject = cell.subject
    if cell.judge:
        found = _proposal_faults(cell.judge, subject, subject.trace, subject.trait)
        yield from _below(("judge",), found)
    for number, fact in enumerate(judgment.other_proposals(cell)):
        if isinstance(fact.what, Proposed):
            is_of_the_trait = fact.n > cell.revised and fact.n not in cell.undone
            known = None
            read = subject.as_judged(fact.what.judge)
            if is_of_the_trait:
                known = subject.trait
                read = subject.trace
            found = _proposal_faults(fact.what, subject, read, known)
            yield from _below(("rounds", number), found)
    if cell.contest and isinstance(cell.contest.what, Contested):
        for number, side in enumerate(cell.contest.what.sides):
            if "table" in side:
                faults = _label_faults(side["table"], subject, subject.trace, subject.trait)
                yield from _below(("history", "sides", number), faults)


def _proposal_faults(
    proposed: Proposed, subject: Subject, trace: Trace | None, trait: Trait | None
) -> Iterator[Fault]:
    """What is no labels, no round, no names of examples or no panel in a proposal.

    `trace` is the trace as it was read for the proposal; None where nobody knows, and then labels
    are not looked at.
    """
    fields = proposed.judge
    number, shown, seats = (
        fields.get("round", 1),
        fields.get("examples", []),
        fields.get("members", []),
    )
    yield from _label_faults(proposed.table, subject, trace, trait)
    yield from record_faults(fields)
    if type(number) is not int or not 0 < number < judgment.LARGEST:
        yield Fault(("round",), "must be the number of a round")
    if not _is_list_of(str, shown):
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
    table: Table, subject: Subject, trace: Trace | None, trait: Trait | None
) -> Iterator[Fault]:
    """What no version of this program has written."""
    if trace is None:
        return iter(())
    return (fault for fault in subject.kind.faults(trait, trace, table) if not fault.newer)


def _below(path: tuple[str | int, ...], found: Iterable[Fault]) -> Iterator[Fault]:
    return (fault._replace(path=(*path, *fault.path)) for fault in found)


def _recorded(table: Table, rubric: Rubric) -> dict[str, Any]:
    """The labels that came with a trace: unused, or taken up by the `recorded` judge."""
    kinds_of = {trait.name: kind for kind, trait in rubric.every_trait()}
    recorded: dict[str, Any] = {}
    rows = table.get("judgments", [])
    if not isinstance(rows, list):
        return recorded
    for row in rows:
        if not isinstance(row, Mapping):
            continue
        judge = row.get("judge", {})
        if "recorded" in row:
            recorded[row["trait"]] = row["recorded"]
        elif isinstance(judge, Mapping) and judge.get("name") == "recorded":
            kind = kinds_of.get(row["trait"])
            if kind:
                recorded[row["trait"]] = judgment.labels_in(kind, judge)
    return recorded
