"""A new audit of what another tool's file holds: its traces, its judge's verdicts, its people's."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import IO

from msgspec import Struct, field
from msgspec.structs import astuple, replace

from appellate.core.deciding import Correct
from appellate.core.facts import Failed, Proposed
from appellate.core.kind import KnownTrait
from appellate.core.problem import Problem, Refused, Unusable, many, quoted
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace
from appellate.interop import recognise
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
    Row,
    empty,
    known,
    labels_of,
    rubric_of,
)
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles, create
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.files.text_file import unusable
from appellate.store.files.trace_record import label_faults, trace_of
from appellate.store.files.trace_source import Record, surrogates
from appellate.store.workspace import Workspace
from appellate.traits.rubric import LISTS, Rubric

_GROUP = 500
"""Verdicts that are kept in one transaction."""


class TakenIn(Struct):
    """A new audit of a foreign file, and how much came in."""

    workspace: Workspace
    traces: int = 0
    verdicts: int = 0
    failed: int = 0
    reasons: int = 0
    people: int = 0
    traits: list[KnownTrait] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    has_people: bool = False


def take_in(
    file: ForeignFile,
    name: str,
    place: AuditFiles,
    version: str,
    on_progress: OnProgress = ignore_progress,
    *,
    skip_bad: bool = False,
) -> TakenIn:
    """Makes the audit of a file called `name`.

    Raises Unusable where nothing was judged, or a trace cannot be one; with `skip_bad` those that
    cannot are left out, and noted.
    """
    table = rubric_of(file)
    if not any(table.get(key) for key in (*LISTS, "questions")):
        right = "give a rubric as well: appellate review RUBRIC FILE"
        wrong = "no verdict is in it, so that there is nothing to check"
        raise file.unjudged or unusable(name, wrong, right)
    if file.untold:
        raise file.untold
    lone = [wrong for _, wrong in surrogates(table)]
    if lone:
        raise unusable(name, lone[0])
    rubric = parse_rubric(table, name).usable()
    with tempfile.TemporaryFile("w+", encoding="ascii") as kept:
        sound = _Sound(file, name, rubric, kept, skip_bad=skip_bad)
        taken = TakenIn(create(place, rubric, sound.traces(on_progress), version).workspace)
        taken.traits += rubric.every_trait()
        taken.traces = sound.count
        taken.notes += (f"skipped: {problem}" for problem in sound.skipped)
        try:
            _receive(taken, kept, place, _tables(table))
        except BaseException:
            taken.workspace.close()
            raise
    return taken


def summary(taken: TakenIn, file: ForeignFile, name: str) -> list[str]:
    """What was recognised, which field became what, and what has no place here: a line each."""
    counts = [many(taken.traces, "answer"), many(taken.verdicts, "verdict")]
    if taken.failed:
        counts.append(f"{taken.failed:,} failed")
    counts.append(many(taken.reasons, "reason"))
    if taken.people:
        counts.append(f"{many(taken.people, 'verdict')} of people")
    return [f"{name}: {file.form}: {', '.join(counts)}", *file.describe()]


def examined(
    paths: list[Path], given: Mapping[str, str], *, skip_bad: bool = False
) -> tuple[ForeignFile, TakenIn, list[str]]:
    """What files of another tool hold, and the lines that say so; raises Unusable for whatever an
    import would refuse.
    """
    file, name = recognise.read(paths, given), str(paths[-1])
    with tempfile.TemporaryDirectory(prefix="appellate-import-") as folder:
        place = AuditFiles.of(Path(folder) / "preview.audit.toml")
        taken = take_in(file, name, place, "", skip_bad=skip_bad)
        taken.workspace.close()
    return file, taken, summary(taken, file, paths[-1].name)


def preview(paths: list[Path], given: Mapping[str, str], *, skip_bad: bool) -> str:
    """What was recognised in files of another tool, what became of it, what was skipped, and how
    the first trace would look.
    """
    file, taken, lines = examined(paths, given, skip_bad=skip_bad)
    traits = [f"  {one.kind.name}: {one.trait.name}" for one in taken.traits]
    trace = next(file.traces())
    verdicts = [
        {"trait": one.trait, "value": one.value, "reason": one.reason, "failed": one.failed}
        for one in trace.judged
    ]
    people = [
        {"trait": one.trait, "value": one.value, "reason": one.reason, "by": one.by}
        for one in trace.people
    ]
    row = known({**trace.record, "verdicts": verdicts, "people": people})
    first = json.dumps(row, ensure_ascii=False, indent=2, default=str)
    lines += [*taken.notes, f"traits: {len(traits)}", *traits, "first trace:", first]
    return "\n".join(lines)


class _Sound:
    """The traces of a file that can be such; what was ruled of their cells is kept in a file, for
    when there are cells: verdicts of judges by the cell's number, then those of people.
    """

    def __init__(
        self, file: ForeignFile, name: str, rubric: Rubric, kept: IO[str], *, skip_bad: bool
    ) -> None:
        self._file = file
        self._name = name
        self._rubric = rubric
        self._kept = kept
        self._skip_bad = skip_bad
        self._cells = 0
        self.count = 0
        self.skipped: list[Problem] = []

    def traces(self, on_progress: OnProgress) -> Iterator[Trace]:
        """The traces; raises Unusable behind the last one for those that cannot be any."""
        problems: list[Problem] = []
        keys: set[tuple[str, int]] = set()
        for number, one in enumerate(self._file.traces(), 1):
            if number % _GROUP == 0:
                on_progress(number, None)
            trace, wrong = self._trace(one, number)
            if trace and trace.key in keys:
                twice = f"the id {quoted(trace.id)} is there twice"
                right = "--map id=COLUMN names another"
                wrong = [Problem(self._name, f"row {number}", twice, right)]
            problems += wrong
            if trace and not wrong and (self._skip_bad or not problems):
                keys.add(trace.key)
                self._keep(trace, one)
                yield trace
        if problems and not self._skip_bad:
            raise Unusable(problems)
        self.skipped, self.count = problems, len(keys)
        if not keys:
            raise unusable(self._name, "there is no answer in it")

    def _trace(self, one: ForeignTrace, number: int) -> tuple[Trace | None, list[Problem]]:
        found = trace_of(Record(one.record, number, suspect=True), self._name)
        if isinstance(found, list):
            return None, found
        if found[0].response.strip() or one.unanswered:
            return found[0], []
        return None, [empty(self._name, number)]

    def _keep(self, trace: Trace, one: ForeignTrace) -> None:
        """Cells are numbered trace by trace, in the order of the traits."""
        traits = list(self._rubric.traits_of(trace))
        numbers = {name: number for number, name in enumerate(traits, self._cells + 1)}
        self._cells += len(numbers)
        found: list[JudgeVerdict | PersonVerdict] = [*one.judged, *one.people]
        for verdict in found:
            if verdict.trait in numbers:
                row = [numbers[verdict.trait], isinstance(verdict, PersonVerdict), astuple(verdict)]
                self._kept.write(json.dumps(row, default=str) + "\n")


Tables = Mapping[tuple[str, str], tuple[str, Row]]
"""The lists of a rubric and the tables in them, by question ("" for any) and name of the trait."""


def _tables(table: Row) -> Tables:
    found: dict[tuple[str, str], tuple[str, Row]] = {}
    for part in (table, *table.get("questions", ())):
        for key in LISTS:
            for trait in part.get(key, ()):
                found[str(part.get("id", "")), trait["name"]] = key, trait
                found.setdefault(("", trait["name"]), (key, trait))
    return found


def _table_of(tables: Tables, trace: Trace, name: str) -> tuple[str, Row]:
    return tables.get((trace.question_id or "", name)) or tables["", name]


def _receive(taken: TakenIn, kept: IO[str], place: AuditFiles, tables: Tables) -> None:
    bench = Workbench(taken.workspace, place.audit, "")
    answers = _answers(taken, kept, bench, tables)
    for one in answers:  # the rest of a group is drawn while the cell before is at hand
        bench.receive_many(chain([one], islice(answers, _GROUP - 1)))
    rulings = _rulings(kept) if taken.has_people else iter(())
    for first in rulings:
        with taken.workspace.swift_transaction():
            for number, verdict in chain([first], islice(rulings, _GROUP - 1)):
                trace, cell = bench.known(number)
                asked = KnownTrait(cell.subject.kind, cell.subject.trait)
                edit = _edit(*_table_of(tables, trace, verdict.trait), asked, verdict)
                bench.reviewer = verdict.by
                _rule(bench, number, verdict, edit, taken)
    taken.workspace.settle()


def _answers(
    taken: TakenIn, kept: IO[str], bench: Workbench, tables: Tables
) -> Iterator[tuple[int, Proposed | Failed]]:
    kept.seek(0)
    for line in kept:
        number, is_person, values = json.loads(line)
        if is_person:
            taken.has_people = True
            continue
        verdict = JudgeVerdict(*values)
        trace, cell = bench.known(number)
        asked = KnownTrait(cell.subject.kind, cell.subject.trait)
        what = _what(trace, verdict, *_table_of(tables, trace, verdict.trait), asked)
        taken.verdicts += isinstance(what, Proposed)
        taken.failed += isinstance(what, Failed)
        taken.reasons += bool(verdict.reason)
        yield number, what


def _rulings(kept: IO[str]) -> Iterator[tuple[int, PersonVerdict]]:
    kept.seek(0)
    for line in kept:
        number, is_person, values = json.loads(line)
        if is_person:
            yield number, PersonVerdict(*values)


def _what(
    trace: Trace, verdict: JudgeVerdict, key: str, table: Row, asked: KnownTrait
) -> Proposed | Failed:
    judge = {"name": _whole(verdict.judge) or "imported"}
    if verdict.failed:
        return Failed(_whole(verdict.failed), "", judge)
    verdict = replace(verdict, reason=_whole(verdict.reason))
    try:
        labels = labels_of(key, table, verdict)
    except ValueError as error:
        return Failed(f"The judge's verdict cannot be read: {error}", "", judge)
    faults = list(label_faults(labels, trace, asked))
    if faults:
        return Failed(f"The judge's verdict cannot be read: {faults[0].wrong}", "", judge)
    why = asked.kind.unjudged(asked.trait, trace, labels)
    return Failed(why, "", judge) if why else Proposed(labels, judge)


def _whole(text: str) -> str:
    """A text without halves of characters, which no file can have."""
    return text.encode("utf-8", "replace").decode()


_ACTIONS: Mapping[str, str] = {"llm_traits": "set", "scorer_traits": "overrule"}


def _edit(key: str, table: Row, asked: KnownTrait, verdict: PersonVerdict) -> Correct | None:
    """The correction that makes the labels a person's; None where there is no such one."""
    if key not in _ACTIONS:
        return None
    try:
        value = labels_of(key, table, verdict)["value"]
        edit = asked.kind.edit({"action": _ACTIONS[key], "value": value})
    except (ValueError, TypeError):
        return None
    return Correct(edit, _whole(verdict.reason))


def _rule(
    bench: Workbench, number: int, verdict: PersonVerdict, edit: Correct | None, taken: TakenIn
) -> None:
    """Keeps a person's verdict; one that is the judge's is a sign-off alone."""
    if edit is None:
        taken.notes.append(f"A verdict of {verdict.by} has no place here: {verdict.value!r}")
        return
    with suppress(Refused):  # it is the verdict already
        bench.do(number, edit)
    if verdict.signed:
        bench.sign_off(number)
    taken.people += 1
