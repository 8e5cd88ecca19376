"""The audit file: the whole of an audit as TOML, a pure function of its facts, readable anywhere."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from appellate.core.cell import Cell, fold
from appellate.core.facts import Proposed
from appellate.core.headway import Heard, deaf
from appellate.core.kind import Fault, KnownTrait, Subject, Trait
from appellate.core.problem import Problem, Refused, Unusable
from appellate.core.trace import Trace, TraceKey
from appellate.store import judgment
from appellate.store.rubric_file import parse_rubric
from appellate.store.text_file import MIB, text_of, toml_table, unusable
from appellate.store.toml import emit, moment, stamp
from appellate.store.wording import key_path, of_trace, problems
from appellate.traits.kinds import implied_kind, kinds
from appellate.traits.rubric import Rubric

LARGEST = 4096 * MIB
FORMAT = "appellate-audit/1"
_TOP = {"format", "saved", "appellate", "reviewers", "rubric", "earlier_traits", "traces"}
_AS_JSON = ("metadata", "messages")


@dataclass(frozen=True, slots=True)
class AuditedCell:
    """One cell of an audit; `extra` are keys of its table that this version does not know."""

    trace: Trace
    cell: Cell
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Audit:
    """An audit as its file tells it."""

    rubric: Rubric
    traces: list[Trace]
    cells: list[AuditedCell]
    saved: str | None
    version: str
    reviewers: list[str]
    extra: Mapping[str, Any] = field(default_factory=dict)
    trace_extra: Mapping[TraceKey, Mapping[str, Any]] = field(default_factory=dict)
    earlier: Mapping[str, KnownTrait] = field(default_factory=dict)

    def text(self) -> str:
        """The file's text, byte for byte as the workspace would write it."""
        head = header(
            self.rubric, self.saved, self.version, self.reviewers, self.extra, self.earlier
        )
        by_trace: dict[TraceKey, list[AuditedCell]] = {}
        for audited in self.cells:
            by_trace.setdefault(audited.trace.key, []).append(audited)
        return head + "".join(
            trace_text(trace, self.trace_extra.get(trace.key, {}))
            + "".join(cell_text(one) for one in by_trace.get(trace.key, ()))
            for trace in self.traces
        )


def header(
    rubric: Rubric,
    saved: str | None,
    version: str,
    reviewers: Iterable[str],
    extra: Mapping[str, Any],
    earlier: Mapping[str, KnownTrait],
) -> str:
    """Everything before the first trace; `earlier` are versions of traits by their hash."""
    top: dict[str, Any] = {"format": FORMAT}
    if saved:
        top["saved"] = moment(saved)
    top |= {"appellate": version, "reviewers": sorted(reviewers), **extra}
    top["rubric"] = {"sha256": rubric.sha256(), **rubric.to_file()}
    if earlier:
        versions = sorted(earlier.items(), key=lambda one: (one[1].trait.name, one[0]))
        top["earlier_traits"] = [_version(sha256, known) for sha256, known in versions]
    return "".join(emit(top))


def _version(sha256: str, known: KnownTrait) -> dict[str, Any]:
    """An earlier version of a trait; an implied kind goes without saying."""
    kind = {} if known.kind.implied else {"kind": known.kind.name}
    return {"sha256": sha256, **kind, "trait": known.trait.to_file()}


def trace_text(trace: Trace, extra: Mapping[str, Any]) -> str:
    """A trace's own part, before its judgments."""
    given = trace.model_dump(exclude_none=True, exclude={"judgments"}) | dict(extra)
    for key in _AS_JSON:
        if key in given:
            given[key] = json.dumps(given[key], ensure_ascii=False)
    return "".join(["\n[[traces]]\n", *emit(given, ("traces",))])


def cell_text(audited: AuditedCell) -> str:
    """One cell's `[[traces.judgments]]`."""
    return "".join(["\n[[traces.judgments]]\n", *emit(_table(audited), ("traces", "judgments"))])


def _table(audited: AuditedCell) -> dict[str, Any]:
    cell, recorded = audited.cell, audited.trace.judgments.get(audited.cell.subject.trait.name)
    return judgment.together(judgment.written(cell, recorded), audited.extra)


# -- reading --------------------------------------------------------------------------------------


def load_audit(path: str | Path, heard: Heard = deaf) -> Audit:
    """The audit in a file; raises Unusable with every problem found."""
    path = Path(path)
    document = _document(path)
    return _AuditReading(path, document, _rubric(path, document)).audit(heard)


def _trait(table: Any) -> tuple[str, KnownTrait]:
    """A trait as it was and its hash; raises ValueError where the two do not belong together."""
    kind = kinds()[table["kind"]] if "kind" in table else implied_kind()
    trait = kind.spec.model_validate(table["trait"])
    if trait.sha256() != table["sha256"]:
        raise ValueError("sha256 is not the hash of the trait below it")
    return trait.sha256(), KnownTrait(kind, trait)


def _rubric(path: Path, document: Mapping[str, Any]) -> Rubric:
    table = document.get("rubric")
    if not isinstance(table, Mapping):
        raise Unusable([Problem(str(path), "rubric", "the audit holds no rubric")])
    given = {key: value for key, value in table.items() if key != "sha256"}
    rubric = parse_rubric(given, f"{path}: [rubric]").usable()
    if table.get("sha256", rubric.sha256()) != rubric.sha256():
        wrong = (
            "is not the hash of the rubric below it: the rubric was changed in the audit by hand"
        )
        raise Unusable(
            [Problem(str(path), "rubric.sha256", wrong, "start a new audit with the new rubric")]
        )
    return rubric


def _document(path: Path) -> dict[str, Any]:
    document = toml_table(text_of(path, LARGEST), str(path))
    found = document.get("format")
    if found == FORMAT:
        return document
    if isinstance(found, str) and found.startswith("appellate-audit/"):
        told = f"is of the format {found!r}, which this version does not know"
        raise Unusable([Problem(str(path), "format", told, f"it reads {FORMAT!r}")])
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

    def __init__(self, path: Path, document: Mapping[str, Any], rubric: Rubric) -> None:
        self._path = path
        self._document = document
        self._rubric = rubric
        self._problems: list[Problem] = []
        self._earlier = dict(self._earlier_traits())

    def _earlier_traits(self) -> Iterator[tuple[str, KnownTrait]]:
        for place, table in self._tables(self._document, "earlier_traits", ""):
            try:
                yield _trait(table)
            except (ValueError, TypeError, KeyError) as error:
                self._problem(
                    place, f"this version of a trait cannot be read ({str(error).splitlines()[0]})"
                )

    def audit(self, heard: Heard) -> Audit:
        traces: list[Trace] = []
        cells: list[AuditedCell] = []
        extras: dict[TraceKey, dict[str, Any]] = {}
        listed = self._document.get("traces", [])
        for number, (place, table) in enumerate(self._tables(self._document, "traces", "")):
            heard(number, number / len(listed))
            before = len(self._problems)
            trace, extra = self._trace(table, place)
            if trace:
                traces.append(trace)
                if extra:
                    extras[trace.key] = extra
                cells += list(self._cells(trace, table, place))
            self._problems[before:] = of_trace(table, self._problems[before:])
        self._numbers(cells)
        self._once([trace.key for trace in traces], "trace", "stands here twice")
        self._once(
            [(*c.trace.key, c.cell.subject.trait.name) for c in cells],
            "judgment",
            "stands here twice",
        )
        head = self._head()
        if self._problems:
            raise Unusable(self._problems)
        extra = {key: value for key, value in self._document.items() if key not in _TOP}
        return Audit(self._rubric, traces, cells, *head, extra, extras, self._earlier)

    def _head(self) -> tuple[str | None, str, list[str]]:
        saved, version = self._document.get("saved"), self._document.get("appellate", "")
        reviewers = self._document.get("reviewers", [])
        if not isinstance(saved, datetime | None):
            self._problem("saved", "must be a date and time")
        if not isinstance(version, str):
            self._problem("appellate", "must be text")
        if not isinstance(reviewers, list) or not all(isinstance(name, str) for name in reviewers):
            self._problem("reviewers", "must be a list of names")
        return stamp(saved) if isinstance(saved, datetime) else None, version, reviewers

    def _tables(
        self, table: Mapping[str, Any], key: str, place: str
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The tables of a list with their places; whatever is none is a problem."""
        listed = table.get(key, [])
        if not isinstance(listed, list):
            self._problem(
                place + key,
                f"must be a list of tables, each under its own [[{place and 'traces.'}{key}]]",
            )
            return
        for number, row in enumerate(listed):
            if isinstance(row, Mapping):
                yield f"{place}{key}[{number}]", row
            else:
                self._problem(f"{place}{key}[{number}]", "must be a table")

    def _once(self, keys: list[tuple[Any, ...]], what: str, wrong: str) -> None:
        for key, times in Counter(keys).items():
            if times > 1:
                self._problem(what + " " + " ".join(map(repr, key)), wrong)

    def _numbers(self, cells: list[AuditedCell]) -> None:
        counted = Counter(fact.n for audited in cells for fact in audited.cell.facts)
        for n in sorted(n for n, times in counted.items() if times > 1):
            self._problem(f"n = {n}", "two facts have this number")

    def _problem(self, place: str, wrong: str) -> None:
        self._problems.append(Problem(str(self._path), place, wrong))

    def _trace(self, table: Mapping[str, Any], place: str) -> tuple[Trace | None, dict[str, Any]]:
        given = {
            key: value
            for key, value in table.items()
            if key in Trace.model_fields and key != "judgments"
        }
        extra = {key: value for key, value in table.items() if key not in Trace.model_fields}
        try:
            for key in _AS_JSON:
                if key in given:
                    given[key] = json.loads(given[key])
            return Trace.model_validate(
                given | {"judgments": _recorded(table, self._rubric)}
            ), extra
        except ValidationError as error:
            self._problems += problems(
                error, given, f"{self._path}: {place}", {"": tuple(Trace.model_fields)}
            )
        except (ValueError, TypeError, KeyError) as error:
            self._problem(place, f"this trace cannot be read ({error})")
        return None, {}

    def _cells(self, trace: Trace, table: Mapping[str, Any], place: str) -> Iterator[AuditedCell]:
        traits = self._rubric.traits_of(trace)
        for where, row in self._tables(table, "judgments", f"{place}."):
            name = row.get("trait")
            known = traits.get(name) if isinstance(name, str) else None
            if known is None:
                self._problem(where, f"the rubric has no trait {name!r} for this trace")
                continue
            audited = self._judgment(trace, Subject(*known, trace, self._earlier), row, where)
            if audited:
                yield audited

    def _judgment(
        self, trace: Trace, subject: Subject, row: Mapping[str, Any], where: str
    ) -> AuditedCell | None:
        """One cell; what is derived in it must be what its facts give, or a change would be lost
        unseen.
        """
        try:
            audited = AuditedCell(
                trace, fold(subject, judgment.facts(subject.kind, row)), judgment.unknown(row)
            )
            differing = judgment.differing(row, _table(audited))
        except Refused as refusal:
            self._problem(where, f"a correction in it cannot be applied: {refusal}")
            return None
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            told = f"{type(error).__name__}: {error}".splitlines()[0]
            self._problem(where, f"this judgment cannot be read ({told})")
            return None
        for key in differing:
            wrong = (
                "is not what the judge and the history in this file give: it was changed by hand"
            )
            self._problem(f"{where}.{key}", wrong)
        for fault in _misfits(audited.cell):
            self._problem(f"{where}.{key_path(fault.path)}", fault.wrong)
        return audited


def _misfits(cell: Cell) -> Iterator[Fault]:
    """What folding the facts does not find wrong with what judges proposed: labels that lie beside,
    and panels.
    """
    subject = cell.subject
    if cell.judge:
        yield from _below(("judge",), _proposal_faults(cell.judge, subject, subject.trait))
    for number, fact in enumerate(cell.rounds):
        if isinstance(fact.what, Proposed):
            known = subject.trait if fact.n > cell.revised else None
            yield from _below(("rounds", number), _proposal_faults(fact.what, subject, known))


def _proposal_faults(proposed: Proposed, subject: Subject, trait: Trait | None) -> Iterator[Fault]:
    """What is no labels, no round, no names of examples or no panel in a proposal."""
    told = proposed.judge
    number, shown, seats = told.get("round", 1), told.get("examples", []), told.get("members", [])
    yield from _label_faults(proposed.table, subject, trait)
    if type(number) is not int or not 0 < number < judgment.LARGEST:
        yield Fault(("round",), "must be the number of a round")
    if not isinstance(shown, list) or not all(isinstance(name, str) for name in shown):
        yield Fault(("examples",), "must be a list of names")
    if not isinstance(seats, list) or not all(isinstance(seat, dict) for seat in seats):
        yield Fault(("members",), "must be a list of tables")
        return
    for place, seat in enumerate(seats):
        if "error" not in seat:
            labels = judgment.labels_in(subject.kind, seat)
            yield from _below(("members", place), _label_faults(labels, subject, trait))


def _label_faults(
    table: Mapping[str, Any], subject: Subject, trait: Trait | None
) -> Iterator[Fault]:
    """What no version of this program has written."""
    return (fault for fault in subject.kind.faults(trait, subject.trace, table) if not fault.newer)


def _below(path: tuple[str | int, ...], found: Iterable[Fault]) -> Iterator[Fault]:
    return (fault._replace(path=(*path, *fault.path)) for fault in found)


def _recorded(table: Mapping[str, Any], rubric: Rubric) -> dict[str, Any]:
    """The labels that came with a trace: unused ones, or those that the `recorded` judge took up."""
    kinds_of = {trait.name: kind for kind, trait in rubric.every_trait()}
    recorded = {}
    rows = table.get("judgments", [])
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, Mapping):
            continue
        judge = row.get("judge", {})
        if "recorded" in row:
            recorded[row["trait"]] = row["recorded"]
        elif (
            isinstance(judge, Mapping)
            and judge.get("name") == "recorded"
            and row["trait"] in kinds_of
        ):
            recorded[row["trait"]] = judgment.labels_in(kinds_of[row["trait"]], judge)
    return recorded
