"""The file of a gold set, `appellate-gold/1`: traces, traits, labels, who ruled, and hashes.

It is TOML in stable order, needs no other file, and has a digest over all that is in it: a file
that somebody changed afterwards is refused.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import tomli
from msgspec import Struct
from pydantic import ValidationError

from appellate.core.agreement import cluster_of
from appellate.core.cell import Cell, labels_of_side
from appellate.core.describe import asking_cost
from appellate.core.facts import AGENT, PERSON, without_nulls
from appellate.core.kind import KnownTrait, Subject, Table
from appellate.core.problem import (
    Problem,
    Refused,
    Unusable,
    quoted,
    shape_error_text,
)
from appellate.core.trace import Trace, TraceKey, name_of
from appellate.installed import running
from appellate.stats.looks import TrustBar, read_bar
from appellate.store.audits.adjudication import side_of
from appellate.store.audits.audit import CellKey, trace_table, trace_values
from appellate.store.files import atomic
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.files.text_file import MIB, text_of, toml_table, unusable
from appellate.store.files.toml import MOMENT, emit, is_moment, moment, stamp
from appellate.store.files.wording import key_path, problems
from appellate.store.judgment import labels_in
from appellate.store.samples.drawn_as import digest_letters
from appellate.store.samples.drawn_over import encoded
from appellate.traits.rubric import Rubric

FORMAT = "appellate-gold/1"
LARGEST = 256 * MIB
RulingKind = Literal["blind", "signed", "adjudicated", "agreed"]
BLIND: Final = "blind"
"""Ruled on before the judge's labels were seen."""
SIGNED: Final = "signed"
"""Signed off, perhaps with the judge's labels in sight."""
ADJUDICATED: Final = "adjudicated"
"""Ruled on by a third person, where two had signed off different labels."""
AGREED: Final = "agreed"
"""Signed off alike by several people."""
HOW = (BLIND, SIGNED, ADJUDICATED, AGREED)
_RECORD = ("name", "model", "parameters", "prompt_sha256", "template_sha256", "latency")
"""What a gold set keeps of the record of its own judge, beside what it costs to ask it."""
_TOP = ("format", "appellate", "frozen", "source", "digest", "bars", "rubric", "traces")
_CELL = (
    "trait",
    "by",
    "as",
    "at",
    "how",
    "text_sha256",
    "trait_sha256",
    "read_sha256",
    "labels",
    "edits",
    "judge",
)
"""The keys that the table of a cell may have."""


_UNREADABLE = (Refused, LookupError, TypeError, ValueError, AttributeError)
"""What reading the table of a cell raises if it is none."""


class GoldCell(Struct, frozen=True):
    """One trace under one trait, with the labels that people gave it."""

    subject: Subject
    table: Table
    """The labels, in the file shape of the trait's kind."""
    edits: Sequence[Table]
    """Edits that `table` still lacks; none where the kind's file shape says all of the labels."""
    by: Sequence[str]
    """Who gave them; several where people agreed."""
    at: str
    """When, in UTC and ISO 8601; the last of several."""
    how: RulingKind
    is_by_agent: bool = False
    """Whether an agent gave them, and no person."""
    judge: Table | None = None
    """The labels of the gold's own judge, and who that was; None if nobody judged the cell."""
    text_sha256: str = ""
    trait_sha256: str = ""
    read_sha256: str = ""
    """The hash of all that was read: text, question, reference and trait."""

    @property
    def labels(self) -> Any:
        """The labels as the kind has them; raises Refused, ValueError or TypeError for none."""
        return labels_of_side(self.subject, {"table": self.table, "edits": self.edits})

    @property
    def trace(self) -> Trace:
        """The trace as the trait's question completes it."""
        return self.subject.asked

    @property
    def trait(self) -> str:
        """The name of the trait."""
        return str(self.subject.trait.name)

    @property
    def cluster(self) -> object:
        """What its answers depend on together: the cluster of its trace, else the trace's id."""
        return cluster_of(self.trace.cluster, self.trace.id)

    @property
    def key(self) -> CellKey:
        """Which cell it is, in any audit of the same traces."""
        return self.trace.key, self.trait

    @property
    def name(self) -> str:
        """What people call it: its trace and its trait."""
        return f"{name_of(*self.trace.key)} · {self.trait}"


def gold_cell(
    settled: Cell,
    by: Sequence[str],
    at: str,
    how: RulingKind,
    *,
    is_by_agent: bool = False,
    judge: Table | None = None,
) -> GoldCell:
    """Return the cell of a gold set for a cell as it was when its labels were settled.

    `by`, `at` and `how` say who gave the labels, when (in UTC and ISO 8601), and in which way.
    `judge` is one table of the judge's labels and of who that was; None if the cell was not judged.
    Keys without a value are left out of all tables. The hashes of text, trait and all that was read
    are those of `settled`. Raises Refused if no table gives the answers that the labels give.
    """
    subject = settled.subject
    table, edits = _labels_as_table(settled)
    trait_sha256 = subject.trait.sha256()
    return GoldCell(
        subject,
        table,
        edits,
        tuple(by),
        at,
        how,
        is_by_agent,
        None if judge is None else without_nulls(judge),
        subject.text_sha256,
        trait_sha256,
        subject.read_sha256(trait_sha256),
    )


def _labels_as_table(settled: Cell) -> tuple[Table, Sequence[Table]]:
    """Return the labels of a settled cell as a table, and the corrections that it lacks.

    If one table can say all of the labels, it is that, and there are no corrections. Otherwise both
    together give the same answers: as a rule the table is the proposal's, and people's corrections
    follow as rows. Keys without a value are left out. Raises Refused if that does not give the same
    answers, either, or if there was no proposal.
    """
    subject = settled.subject
    kind = subject.kind
    written = kind.write(settled.labels)
    table = dict(written["audited"])
    if written.get("items"):
        table["items"] = written["items"]
    side = {"table": without_nulls(table), "edits": []}
    try:
        labels = labels_of_side(subject, side)
        is_told = kind.answers(subject.trait, labels) == settled.answers
    except (Refused, KeyError, ValueError, TypeError):
        is_told = False
    if not is_told:
        side = side_of(settled)
    if "table" not in side:
        raise Refused(f"No table can hold the labels of {subject.trait.name}.")
    return without_nulls(side["table"]), without_nulls(side["edits"])


class Gold(Struct, frozen=True):
    """A gold set: labels that are frozen, and the bars that a judge has to reach on them."""

    rubric: Rubric
    traces: Sequence[Trace]
    """As they were recorded, in their order; each has a cell."""
    cells: Sequence[GoldCell]
    bars: Sequence[TrustBar]
    frozen: str
    """When the last of its labels was given, in UTC and ISO 8601."""
    source: str
    """The names of the audits that it was made of."""
    digest: str = ""
    """Twelve letters over all of it; "" before it was written."""
    version: str = ""
    """The version of the program that froze it."""

    @property
    def by_people(self) -> list[GoldCell]:
        """The cells that bars count: those that persons ruled on."""
        return [cell for cell in self.cells if not cell.is_by_agent]

    @property
    def known_traits(self) -> list[KnownTrait]:
        """The traits that it has cells of, also by agents, in the order of the rubric."""
        used_names = {cell.trait for cell in self.cells}
        used_traits: list[KnownTrait] = []
        for trait in self.rubric.every_trait():
            if trait.trait.name in used_names:
                used_traits.append(trait)
        return used_traits

    @property
    def judge_name(self) -> str:
        """The models of the gold's own judges, each once, joined by ", "; "" if none judged a cell.

        A judge without a model goes by its name, and one without either is left out. They are in
        the order of the cells.
        """
        names: dict[str, None] = {}
        for cell in self.cells:
            if cell.judge is None:
                continue
            name = cell.judge.get("model") or cell.judge.get("name")
            if name:
                names[str(name)] = None
        return ", ".join(names)


def own_judgment(labels: Table, record: Table) -> Table:
    """Return one table of what a gold set keeps of a proposal: its labels, and who made them.

    `labels` is the table of the labels, and `record` says who proposed them. Of the record only
    name, model, parameters, latency and the hashes of prompt and template are kept, so a panel's
    answers and replies are left out. "cost" is what it costs to ask about the cell, if that is
    known. A key of `labels` takes precedence over one of the record. Both arguments stay unchanged.
    """
    judge_record = {key: record[key] for key in _RECORD if key in record}
    cost = asking_cost(record)
    if cost is not None:
        judge_record["cost"] = cost
    return {**judge_record, **labels}


# -- writing ---------------------------------------------------------------------------------------


def gold_toml(gold: Gold) -> str:
    """Return the text of a gold set's file, with the digest of what it holds.

    The digest is computed anew, whatever `gold.digest` is. The version is that of `gold`, or the
    running one if that is empty; it is not in the digest. A trace without a cell has an empty list
    of cells, and cells of traces that are not in `gold.traces` are left out.
    """
    cell_tables: dict[TraceKey, list[Table]] = {}
    for cell in gold.cells:
        tables_of_trace = cell_tables.setdefault(cell.trace.key, [])
        tables_of_trace.append(_cell_table(cell))
    trace_tables: list[Table] = []
    for trace in gold.traces:
        table = dict(trace_table(trace, {}))
        table["cells"] = cell_tables.get(trace.key, [])
        trace_tables.append(table)

    body: dict[str, Any] = {
        "frozen": moment(gold.frozen),
        "source": gold.source,
        "bars": [str(bar) for bar in gold.bars],
        "rubric": {"sha256": gold.rubric.sha256(), **gold.rubric.to_file()},
        "traces": trace_tables,
    }
    text = "".join(emit(body))
    read_again = tomli.loads(text)
    head = {
        "format": FORMAT,
        "appellate": gold.version or running(),
        "digest": digest_of(read_again),
    }
    return "".join(emit({**head, **body}))


def write_gold(path: Path, gold: Gold) -> str:
    """Write a gold set into a file, in one step, and return its digest, as in `gold_toml`.

    An older file is replaced, and kept beside it with `.bak` at its name's end. It is still whole
    after an OSError. `gold` is not changed and so does not get the digest.
    """
    text = gold_toml(gold)
    atomic.write(path, [text.encode("utf-8")])
    document = tomli.loads(text)
    return str(document["digest"])


def _cell_table(cell: GoldCell) -> Table:
    """Return a cell as its file has it: labels, who gave them, when and how, and what they read.

    The keys are trait (its name), by (a list of names), as ("agent" or "person"), at (a datetime),
    how, text_sha256, trait_sha256, read_sha256 and labels. "edits" and "judge" are left out if
    there are none.
    """
    table: dict[str, Any] = {
        "trait": cell.trait,
        "by": list(cell.by),
        "as": AGENT if cell.is_by_agent else PERSON,
        "at": moment(cell.at),
        "how": cell.how,
        "text_sha256": cell.text_sha256,
        "trait_sha256": cell.trait_sha256,
        "read_sha256": cell.read_sha256,
        "labels": dict(cell.table),
    }
    if cell.edits:
        table["edits"] = [dict(edit) for edit in cell.edits]
    if cell.judge is not None:
        table["judge"] = dict(cell.judge)
    return table


def digest_of(document: Mapping[str, Any]) -> str:
    """Return the digest of a gold file's content: twelve lower-case letters or digits of base 32.

    The keys "format", "appellate" (the version that wrote it) and "digest" do not count, and the
    order of keys does not, either. `document` is the TOML as it was parsed, with times as
    datetimes.
    """
    material = dict(document)
    for key in ("format", "appellate", "digest"):
        material.pop(key, None)
    as_json = _as_json(material)
    return digest_letters(encoded(as_json))


def _as_json(value: Any) -> Any:
    """Return a value of TOML as JSON can have it; dates, times and other objects become texts.

    None, texts, booleans and numbers stay, NaN and infinity too. Tables and lists become new ones
    with what is in them; a date or time is written as `str` writes it.
    """
    if isinstance(value, Mapping):
        return {key: _as_json(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_as_json(member) for member in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)


# -- reading ---------------------------------------------------------------------------------------


def read_gold(path: Path) -> Gold:
    """Return the gold set in a file.

    Raises Unusable for a file that cannot be read, is no gold set of today's format, was changed
    since it was frozen, or has a rubric that cannot be used, each by itself. Else raises it with
    every problem of traces, cells and bars together. The hashes of cells are read, not compared.
    """
    place = str(path)
    document = toml_table(text_of(path, LARGEST), place)
    _check_top(document, place)
    rubric_table = dict(document["rubric"])
    rubric_table.pop("sha256", None)
    rubric = parse_rubric(rubric_table, f"{place}: [rubric]").usable()
    reading = _GoldReading(place, rubric)
    for number, table in enumerate(document["traces"]):
        reading.add(table, f"traces[{number}]")
    bars: list[TrustBar] = []
    for text in document["bars"]:
        try:
            bars.append(read_bar(text))
        except (ValueError, AttributeError) as error:
            reading.add_problem("bars", f"{quoted(str(text))} {error}")
    if reading.problems:
        raise Unusable(reading.problems)
    return Gold(
        rubric,
        reading.traces,
        reading.cells,
        bars,
        stamp(document["frozen"]),
        str(document.get("source", "")),
        str(document["digest"]),
        str(document.get("appellate", "")),
    )


def _check_top(document: Table, place: str) -> None:
    """Raise Unusable unless a document is a gold set of today's format that nobody changed.

    Its keys must be known and its digest right. There must be at least one trace, a rubric, a list
    of bars, which may be empty, and a time with its date. What is in the traces, the rubric and the
    bars is not read. `place` is the file's name in the message.
    """
    file_format = document.get("format")
    if file_format != FORMAT:
        if isinstance(file_format, str) and file_format.startswith("appellate-gold/"):
            wrong = (
                f"is of the format {file_format!r}, which this version does not know"
            )
            raise unusable(place, wrong, f"it reads {FORMAT!r}", place="format")
        right = "`appellate gold freeze AUDIT -o x.gold.toml` makes one"
        raise unusable(place, "is not a gold set", right)
    unknown = [key for key in document if key not in _TOP]
    if unknown:
        raise unusable(place, "a gold set has no such key", place=unknown[0])
    if document.get("digest") != digest_of(document):
        wrong = "was changed after it was frozen: its digest is another"
        raise unusable(place, wrong, "freeze the audit again", place="digest")
    traces = document.get("traces")
    if not isinstance(traces, list) or not traces:
        raise unusable(place, "has no traces", place="traces")
    if not all(isinstance(trace, Mapping) for trace in traces):
        raise unusable(place, "has no traces", place="traces")
    if not isinstance(document.get("rubric"), Mapping):
        raise unusable(place, "holds no rubric", place="rubric")
    if not isinstance(document.get("bars"), list):
        raise unusable(place, "must be a list of bars", place="bars")
    if not is_moment(document.get("frozen")):
        raise unusable(place, f"must be {MOMENT}", place="frozen")


def _check_labels(subject: Subject, labels: Table, key: str) -> None:
    """Raise ValueError with the first fault of a table of labels; return None if it has none.

    A fault is what the subject's trait or trace cannot have. Those that earlier versions did not
    look for do not count, as in an audit. `key` is the key that the table is under, for the
    message.
    """
    for fault in subject.kind.faults(subject.trait, subject.trace, labels):
        if not fault.newer:
            place = key_path((key, *fault.path))
            raise ValueError(f"{place} {fault.wrong}")


def _read_cell(subject: Subject, row: Table) -> GoldCell:
    """Return the cell that a table in the file of a gold set describes, about `subject`.

    `subject` is that of the trait which `row` names; it is not compared. Raises Refused,
    LookupError, TypeError, ValueError or AttributeError for a table that is no cell: an unknown
    key, a missing one, a wrong value of `how`, `as` or `at`, or labels that the trait cannot have,
    of people or of the judge. Hashes are read, not compared. "edits" and "judge" may be missing.
    """
    unknown = [key for key in row if key not in _CELL]
    if unknown:
        raise ValueError(f"there is no key {unknown[0]!r}")
    if row["how"] not in HOW or row["as"] not in (AGENT, PERSON):
        raise ValueError(f"how = {row['how']!r}, as = {row['as']!r}")
    _check_labels(subject, row["labels"], "labels")
    judge = row.get("judge")
    if judge is not None:
        _check_labels(subject, labels_in(subject.kind, judge), "judge")
        subject.kind.answers(subject.trait, subject.labels(judge))
    cell = GoldCell(
        subject,
        row["labels"],
        tuple(row.get("edits", ())),
        tuple(map(str, row["by"])),
        stamp(row["at"]),
        row["how"],
        row["as"] == AGENT,
        judge,
        str(row["text_sha256"]),
        str(row["trait_sha256"]),
        str(row["read_sha256"]),
    )
    subject.kind.answers(subject.trait, cell.labels)
    return cell


class _GoldReading:
    """Reads the traces and cells of a gold set, and gathers what is wrong with them."""

    def __init__(self, file: str, rubric: Rubric) -> None:
        """Begin without traces, cells and problems; `file` is the file's name in problems."""
        self._file = file
        self._rubric = rubric
        self.traces: list[Trace] = []
        self.cells: list[GoldCell] = []
        self.problems: list[Problem] = []

    def add(self, table: Table, place: str) -> None:
        """Read a trace of a gold set with its cells, and keep them and what is wrong with them.

        `table` is that of the trace, with its cells under "cells", and `place` where it is in the
        file, for what is wrong. Raises nothing. A trace that cannot be read is left out with its
        cells, a cell by itself. Each is a problem in `problems`.
        """
        try:
            trace_keys = {key: value for key, value in table.items() if key != "cells"}
            values = trace_values(trace_keys)
            trace = Trace.model_validate(values)
        except ValidationError as error:
            self.problems += problems(error, {}, f"{self._file}: {place}", {"": ()})
            return
        except (ValueError, TypeError, AttributeError) as error:
            wrong = f"this trace cannot be read ({shape_error_text(error)})"
            self.add_problem(place, wrong)
            return
        self.traces.append(trace)
        traits = self._rubric.traits_of(trace)
        rows = table.get("cells", [])
        if not isinstance(rows, list):
            self.add_problem(f"{place}.cells", "must be a list of tables")
            return
        for number, row in enumerate(rows):
            where = f"{place}.cells[{number}]"
            name = row.get("trait") if isinstance(row, Mapping) else None
            if not isinstance(name, str) or name not in traits:
                self.add_problem(
                    where,
                    f"the rubric has no trait {name!r} for this trace",
                )
                continue
            subject = Subject(*traits[name], self._rubric.asked(trace))
            try:
                self.cells.append(_read_cell(subject, row))
            except _UNREADABLE as error:
                wrong = f"this cell cannot be read ({shape_error_text(error)})"
                self.add_problem(where, wrong)

    def add_problem(self, place: str, wrong: str) -> None:
        """Keep what is wrong at a place in the file; `wrong` is a part of a sentence."""
        self.problems.append(Problem(self._file, place, wrong))
