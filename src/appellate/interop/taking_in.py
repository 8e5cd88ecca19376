"""A new audit of what another tool's file holds: its traces, its judge's verdicts, its people's."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from appellate.core.cell import Cell, evolve, fold
from appellate.core.deciding import Comment, Correct, SignOff, decide
from appellate.core.facts import Fact, Failed, Proposed, What
from appellate.core.kind import AnyKind, Edit, KnownTrait, Subject
from appellate.core.problem import Problem, Refused, Unusable, closest, many, quoted
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace
from appellate.interop import recognise
from appellate.interop.foreign import (
    PAIRWISE,
    SIDES,
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    MadeRubric,
    PersonVerdict,
    Row,
    RubricTrait,
    empty,
    first_names,
    labels_of,
    rubric_of,
    trait_name,
    with_response,
    without_empty,
)
from appellate.interop.map_file import map_toml
from appellate.interop.said_times import are_in_order, order_of
from appellate.interop.table_map import (
    COLUMN_KEYS,
    NOTHING_MAPPED,
    TableMap,
    TraitMap,
    differing_key,
)
from appellate.interop.together import names_of
from appellate.session.workbench import now
from appellate.store import meta
from appellate.store.audits.open_audit import AuditFiles, Opened, add_traces, making
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.files.temporary_disk import on_temporary_disk
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import stamp
from appellate.store.files.trace_record import label_faults, trace_of
from appellate.store.files.trace_source import Record, surrogates
from appellate.store.workspace import Workspace
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric.labels import BUCKETS, Labels, Link
from appellate.traits.metric.toward import corrections_toward
from appellate.traits.rubric import LISTS, Question, Rubric

_STEP = 500
"""Answers between two words of progress."""
_SIZE = 8  # bytes before each kept trace, with its length
_DEEPEST = 20
"""Levels of lists and tables in a verdict; labels of every kind have fewer."""


class TakenIn(Struct):
    """A new audit of a foreign file, and how much came in."""

    workspace: Workspace
    traces: int = 0
    verdicts: int = 0
    failed: int = 0
    reasons: int = 0
    people: int = 0
    """Verdicts of people."""
    people_reasons: int = 0
    """Those of them that have a reason."""
    people_times: int = 0
    """Those of them of which the file says when they were made."""
    traits: list[KnownTrait] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """What each trait was taken for, as a clause, by its name."""
    meanings: Mapping[str, TraitMap] = field(default_factory=dict)
    """What the values of each trait mean, by its name."""

    @property
    def description_lines(self) -> list[str]:
        """A line for each trait on what it was taken for: "Safety: yes or no"."""
        return [f"{name}: {text}" for name, text in self.descriptions.items()]

    def count_person(self, verdict: PersonVerdict) -> None:
        """Count one verdict of a person here, with its reason and its time if it has them."""
        self.people += 1
        self.people_reasons += bool(verdict.reason.strip())
        self.people_times += bool(verdict.at)


def take_in(
    file: ForeignFile,
    name: str,
    audit_files: AuditFiles,
    version: str,
    on_progress: OnProgress = ignore_progress,
    *,
    skip_bad: bool = False,
    rubric: Rubric | None = None,
    person: str = "",
    is_claimed_blind: bool = False,
) -> TakenIn:
    """Make an audit of a foreign file, all of it or nothing; return it open, with what came in.

    Only the workspace is written, where `audit_files` say; the audit file is not. `name` is the
    file's in messages, and `version` is Appellate's. Without a `rubric` one is made of the
    verdicts; with one, verdicts on other traits are left out and noted. With `person` only that
    person's verdicts are taken in, beside the judge's. `is_claimed_blind` is whether the importer
    says that people ruled blind. `on_progress` is called after every `_STEP` answers, unusable ones
    too, with their number and None. The caller closes the workspace.

    Raises Unusable if there is no verdict, no id, or no answer, if a trace is unusable or has an id
    that came before, if `--map` does not fit, and if the disk for temporary files is full. With
    `skip_bad` such traces are left out and noted instead. Raises WorkspaceLocked for a workspace
    that is there already, and NotKept if the disk refuses it.
    """
    with on_temporary_disk(name), tempfile.TemporaryFile() as spool_file:
        spool = _Spool(file, spool_file)
        existing = {} if rubric is None else _traits_by_name(rubric)
        made_rubric = rubric_of(file, spool.filled(), existing)
        left_out = list[str]()
        if rubric is not None:
            left_out = _verdicts_on_other_traits(file, made_rubric, existing, name)
            made_rubric.table = _with_score_bounds(rubric)
        table = made_rubric.table
        _check_usable(file, table, name)
        rubric = rubric or parse_rubric(table, name).usable()
        with making(audit_files.workspace, rubric, version) as workspace:
            imported = TakenIn(
                workspace,
                traits=list(rubric.every_trait()),
                descriptions=made_rubric.descriptions,
                meanings=made_rubric.meanings,
            )
            ruled = _Ruled(
                imported,
                _traits_in(table),
                is_claimed_blind=is_claimed_blind,
            )
            skipped: list[Problem] = []
            sound = _usable_traces(spool, name, skipped, on_progress, skip_bad=skip_bad)
            imported.traces = workspace.add_known(
                (trace, ruled.facts(trace, _with_only(foreign_trace, person)))
                for trace, foreign_trace in sound
            )
            _keep_map(workspace, file, imported)
    imported.notes[:0] = (f"skipped: {problem}" for problem in skipped)
    imported.notes += [
        *ruled.notes_on_impossible_values(),
        *left_out,
        *file.notes(),
        *ruled.notes_on_left_out(),
    ]
    return imported


def _check_usable(file: ForeignFile, table: Row, name: str) -> None:
    """Raise Unusable if no audit can be made of a file, for the first of three reasons.

    They are: there is no verdict, so that `table`, the rubric made for it, has no trait; no column
    can be the id (`untold`); a text of the rubric has half of a surrogate pair. `name` is the
    file's.
    """
    if not any(table.get(key) for key in (*LISTS, "questions")):
        right = "give a rubric as well: appellate review RUBRIC FILE"
        wrong = "no verdict is in it, so that there is nothing to check"
        raise file.unjudged() if file.unjudged else unusable(name, wrong, right)
    if file.untold:
        raise file.untold
    lone_surrogates = [wrong for _, wrong in surrogates(table)]
    if lone_surrogates:
        raise unusable(name, lone_surrogates[0])


def _traits_by_name(rubric: Rubric) -> dict[str, RubricTrait]:
    """Return the traits of a rubric by name, with both bounds of each score filled in.

    If several questions have a trait of one name, the first is taken.
    """
    traits: dict[str, RubricTrait] = {}
    for place, trait in _traits_in(_with_score_bounds(rubric)).items():
        traits.setdefault(place.name, trait)
    return traits


def _with_score_bounds(rubric: Rubric) -> Row:
    """Return a rubric as its file has it, with both bounds of each score filled in.

    The file may leave bounds out. The rubric is not changed.
    """
    table = rubric.to_file()
    for part in (table, *table.get("questions", ())):
        for trait in part.get("llm_traits", ()):
            if trait["kind"] == "score":
                model = LLMRubricTrait.model_validate(trait)
                trait["min_score"] = model.low
                trait["max_score"] = model.high
    return table


def _verdicts_on_other_traits(
    file: ForeignFile,
    made_rubric: MadeRubric,
    existing: Mapping[str, object],
    name: str,
) -> list[str]:
    """Return a list of one sentence on the verdicts that are on no trait of the rubric, or [].

    The sentence names the first ten such traits. Removes these traits from
    `made_rubric.descriptions`. `existing` has the rubric's traits by name, and `name` is the
    file's. Raises Unusable, with the nearest name, if `--map` names a trait that the rubric lacks.
    """
    unknown_traits = [trait for trait in made_rubric.meanings if trait not in existing]
    for trait in unknown_traits:
        if trait in file.meanings:
            wrong = f"the rubric has no trait {quoted(trait)}"
            suggestion = closest(trait, list(existing))
            right = f"its traits are {', '.join(map(quoted, existing))}"
            if suggestion:
                right = f"did you mean {quoted(suggestion)}? {right.capitalize()}"
            raise unusable(name, wrong, right)
    if not unknown_traits:
        return []
    for trait in unknown_traits:
        made_rubric.descriptions.pop(trait, None)
    return [
        f"left out, since the rubric has no such trait: verdicts on {first_names(unknown_traits)}.",
    ]


def sharing_people(file: ForeignFile) -> list[str]:
    """Return the names of all people in a file if two of them ruled on one cell, else [].

    They are in the order of the file. A verdict that its tool put in place of another's does not
    count as shared. Reads all traces.
    """
    names: dict[str, None] = {}
    is_shared = False
    for trace in file.traces():
        by_trait: dict[str, str] = {}
        for verdict in trace.people:
            names[verdict.by] = None
            first = by_trait.setdefault(verdict.trait, verdict.by)
            is_shared = is_shared or (first != verdict.by and not verdict.replaces)
    if is_shared:
        return list(names)
    return []


def _with_only(trace: ForeignTrace, person: str) -> ForeignTrace:
    """Return a copy of a trace with only this person's verdicts among those of people.

    With "" as `person` it is the trace itself.
    """
    if not person:
        return trace
    return replace(
        trace,
        people=[verdict for verdict in trace.people if verdict.by == person],
    )


def summary(imported: TakenIn, file: ForeignFile, name: str) -> list[str]:
    """Return lines for people on what was imported.

    The first has `name` (what the file or files are called), the file's form and the counts:
    answers, verdicts, failed ones, reasons, people's. Two more say which fields became which and
    what is left out. Then comes a line for each trait on what it was taken for, at most `_TOLD`;
    one more says how many others there are.
    """
    counts = [many(imported.traces, "answer"), many(imported.verdicts, "verdict")]
    if imported.failed:
        counts.append(f"{imported.failed:,} failed")
    counts.append(many(imported.reasons, "reason"))
    if imported.people:
        verdicts = many(imported.people, "verdict")
        reasons = many(imported.people_reasons, "reason")
        times = many(imported.people_times, "time")
        counts.append(f"{verdicts} of people ({reasons}, {times})")
    lines = [
        f"{name}: {file.form}: {', '.join(counts)}",
        *file.describe(),
        *imported.description_lines[:_TOLD],
    ]
    further_count = len(imported.descriptions) - _TOLD
    if further_count > 0:
        lines.append(f"and {many(further_count, 'more trait')}")
    return lines


_TOLD = 12
"""So many traits are told of, at most, when a file is taken in."""


class Examined(Struct):
    """What files of another tool hold, looked at without making an audit."""

    file: ForeignFile
    imported: TakenIn
    """What came in; its workspace is closed and gone."""
    lines: list[str]
    """What is said of it, a line each."""
    table_map: TableMap
    """The map with what was found filled in."""

    @property
    def map_text(self) -> str:
        """The map, with what was found filled in, as the text of a TOML file for `--map`.

        Each trait has a comment on what it was taken for.
        """
        of_traits = self.imported.descriptions
        descriptions: dict[str, str] = {}
        for name in self.table_map.traits:
            descriptions[name] = of_traits.get(trait_name(name), "")
        return map_toml(self.table_map, descriptions)


def examined(
    paths: list[Path],
    table_map: TableMap = NOTHING_MAPPED,
    *,
    skip_bad: bool = False,
    rubric: Rubric | None = None,
) -> Examined:
    """Return what files of another tool hold, by importing them into a temporary folder.

    `paths` must not be empty. The folder is removed. Raises Unusable as an import would, and
    OSError. With `skip_bad` unusable traces are left out. With a `rubric` the verdicts are on its
    traits.
    """
    file = recognise.read(paths, table_map)
    with tempfile.TemporaryDirectory(prefix="appellate-import-") as folder:
        audit_files = AuditFiles.of(Path(folder) / "preview.audit.toml")
        imported = take_in(
            file,
            str(paths[-1]),
            audit_files,
            "",
            skip_bad=skip_bad,
            rubric=rubric,
        )
        imported.workspace.close()
    lines = summary(imported, file, names_of(paths))
    return Examined(file, imported, lines, filled_map(file, imported))


def add_again(
    opened: Opened,
    paths: list[Path],
    table_map: TableMap,
    *,
    skip_bad: bool,
    rubric: Rubric | None = None,
    person: str = "",
    is_claimed_blind: bool = False,
    rubric_advice: str = "start a new audit with -o",
) -> None:
    """Add the new traces of an audit's files to the audit, read with the map that it was made with.

    What is in the audit stays as it is. `table_map` may name columns and further traits,
    but must not change what values of a known trait mean. With a `rubric` the audit must be
    of that one; without it, questions that come with new traces are added to the audit's
    rubric. With `person` only that person's verdicts are taken in, beside the judge's. With
    `skip_bad` unusable traces are left out and noted. `is_claimed_blind` is whether the
    importer says that people ruled blind.

    Notes are added to `opened.notes`, and `opened` stays open. Raises Unusable, and adds
    nothing, if a known trace, the rubric or the map's meanings differ. `rubric_advice` is
    what it advises if the rubric does.
    """
    whole_map = _map_continued(
        table_map,
        kept_map(opened.workspace),
        str(opened.place.audit),
    )
    with tempfile.TemporaryDirectory(prefix="appellate-import-") as folder:
        audit_files = AuditFiles.of(Path(folder) / "again.audit.toml")
        file = recognise.read(paths, whole_map)
        file.is_map_known = True
        has_questions = bool(file.questions or file.groups)
        known_rubric = rubric
        if rubric is None and not has_questions:
            known_rubric = opened.workspace.rubric
        imported = take_in(
            file,
            str(paths[-1]),
            audit_files,
            "",
            skip_bad=skip_bad,
            rubric=known_rubric,
            person=person,
            is_claimed_blind=is_claimed_blind,
        )

        with imported.workspace as added, opened.workspace.transaction():
            later_rubric = added.rubric
            if rubric is None and has_questions:
                later_rubric = _with_known_questions(
                    later_rubric,
                    opened.workspace.rubric,
                )
                _take_new_questions(opened, later_rubric)
            happened = _Renumbered(opened.workspace, added).facts
            traces = map(added.traces.get, range(1, imported.traces + 1))
            add_traces(
                opened,
                later_rubric,
                traces,
                happened,
                rubric_advice=rubric_advice,
            )
        _keep_map(opened.workspace, file, imported)
    opened.notes += imported.notes


def _with_known_questions(later_rubric: Rubric, known_rubric: Rubric) -> Rubric:
    """Return a later file's rubric with the questions that only the audit's rubric has added.

    Questions are in the audit's order, new ones last; one that both have is the later file's. The
    name is the audit's. Neither rubric is changed.
    """
    later_questions = later_rubric.questions_by_id
    known_questions = known_rubric.questions_by_id
    questions = [
        later_questions.get(key, question) for key, question in known_questions.items()
    ]
    questions += _new_questions(later_rubric, known_rubric)
    tables = [question.to_file() for question in questions]
    later_table = later_rubric.to_file() | {
        "name": known_rubric.name,
        "questions": tables,
    }
    return Rubric.model_validate(later_table)


def _new_questions(later_rubric: Rubric, known_rubric: Rubric) -> list[Question]:
    """Return the questions of a later rubric whose ids the audit's rubric lacks, in their order."""
    known_questions = known_rubric.questions_by_id
    return [
        question
        for question in later_rubric.questions
        if question.id not in known_questions
    ]


def _take_new_questions(opened: Opened, later_rubric: Rubric) -> None:
    """Add the questions that the audit's rubric lacks to it, and a note on how many to `opened`.

    It is recorded as a change of the rubric by "import". Nothing else of `later_rubric` is taken.
    Nothing happens without new questions. The caller has a transaction open.
    """
    from appellate.store.audits import revision

    rubric = opened.workspace.rubric
    new_questions = _new_questions(later_rubric, rubric)
    if not new_questions:
        return
    tables = [question.to_file() for question in (*rubric.questions, *new_questions)]
    longer_rubric = Rubric.model_validate(rubric.to_file() | {"questions": tables})
    revision.revise(opened.workspace, longer_rubric, stamp(now()), _BY_IMPORT)
    opened.notes.append(
        f"{many(len(new_questions), 'new question')} added to the rubric.",
    )


_BY_IMPORT = "import"
"""Who takes questions that come with answers: no reviewer, who could not undo that alone."""


class _Renumbered:
    """What happened to the traces of a later file, as facts with numbers of the audit's.

    New facts are numbered after what the audit has, in the order that they are asked for.
    """

    def __init__(self, workspace: Workspace, added: Workspace) -> None:
        """Take the audit's workspace and that of a later file, whose facts get new numbers."""
        self._workspace = workspace
        self._added = added
        self._last = workspace.facts.last_n()
        self._numbers: dict[int, int] = {}
        """The numbers that the facts of new traces get, by those they came in with."""

    def facts(self, trace: Trace) -> dict[str, list[Fact]]:
        """Return the facts of a later file's trace, by trait, numbered after the audit's own.

        All facts of the trace are numbered in the order of the numbers that they came with,
        whichever trait they are of. A trace that the audit has already keeps the later file's
        numbers, since these facts are left out. Called trace by trace, numbers go up.
        """
        facts_by_trait: dict[str, list[Fact]] = {}
        trace_no = self._added.traces.number(trace.key) or 0
        for name, cell_no in self._added.cells.of_trace(trace_no).items():
            _, cell = self._added.cell(cell_no)
            facts_by_trait[name] = list(cell.facts)
        is_known = self._workspace.traces.number(trace.key) is not None
        if is_known:
            return facts_by_trait
        fact_numbers: list[int] = []
        for facts in facts_by_trait.values():
            fact_numbers += [fact.n for fact in facts]
        for fact_no in sorted(fact_numbers):
            next_no = self._last + len(self._numbers) + 1
            self._numbers.setdefault(fact_no, next_no)
        renumbered: dict[str, list[Fact]] = {}
        for name, facts in facts_by_trait.items():
            renumbered[name] = [_renumbered(fact, self._numbers) for fact in facts]
        return renumbered


def _renumbered(fact: Fact, numbers: Mapping[int, int]) -> Fact:
    """Return a copy of a fact with new numbers for itself and for the act that it is part of.

    Raises KeyError for a number that `numbers` does not translate.
    """
    part_of = None if fact.part_of is None else numbers[fact.part_of]
    return replace(fact, n=numbers[fact.n], part_of=part_of)


def kept_map(workspace: Workspace) -> TableMap:
    """Return the map that an audit of a table was made with, with its meanings filled in.

    `NOTHING_MAPPED` for an audit without one.
    """
    text = workspace.meta(meta.MAP)
    if not text:
        return NOTHING_MAPPED
    return msgspec.json.decode(text, type=TableMap)


def _keep_map(workspace: Workspace, file: ForeignFile, imported: TakenIn) -> None:
    """Store a file's map in the workspace, with what its values mean, for files that come later.

    Columns of fields are stored only if the person mapped them: the others are looked for
    again in each file.
    """
    full_map = replace(filled_map(file, imported), fields=file.table_map.fields)
    workspace.set_meta(meta.MAP, msgspec.json.encode(full_map).decode())


def filled_map(file: ForeignFile, imported: TakenIn) -> TableMap:
    """Return a copy of a file's map with the columns found and the values' meanings filled in.

    What the map says comes before what was found. Each trait of `imported` has its meaning and the
    columns that the map names for it. Traits that have no meaning are left out.
    """
    table_map = file.table_map
    fields = {**file.columns, **table_map.fields}
    names = {trait_name(name): name for name in table_map.traits}
    traits: dict[str, TraitMap] = {}
    for trait, meaning in imported.meanings.items():
        name = names.get(trait, trait)
        mapped = table_map.traits.get(name, TraitMap())
        traits[name] = replace(
            meaning,
            **{key: getattr(mapped, key) for key in COLUMN_KEYS},
        )
    return replace(table_map, fields=fields, traits=traits)


def _map_continued(table_map: TableMap, known_map: TableMap, audit: str) -> TableMap:
    """Return the map with which to read an audit's files again, with the columns named now.

    `known_map` is the audit's, and `table_map` the one given now. Traits are those of both.
    Columns that `table_map` names for a trait replace the audit's, and what its values mean
    stays. The fields' columns are those of `table_map` if that names any column, else the
    audit's. Raises Unusable if `table_map` changes what values of a known trait mean;
    `audit` is the audit's name in that message.
    """
    traits = dict(known_map.traits)
    for name, later_trait in table_map.traits.items():
        known_trait = known_map.traits.get(name)
        if known_trait is None:
            traits[name] = later_trait
            continue
        key = differing_key(later_trait, known_trait)
        if key:
            wrong = f"{key}.{name} is not what this audit was made with"
            raise unusable(audit, wrong, "leave it out, or start a new audit with -o")
        columns = {
            column_key: getattr(later_trait, column_key)
            for column_key in COLUMN_KEYS
            if getattr(later_trait, column_key)
        }
        traits[name] = replace(known_trait, **columns)
    fields = dict(table_map.fields)
    if not table_map.has_columns:
        fields = dict(known_map.fields)
    return replace(table_map, fields=fields, traits=traits)


def preview(examined_files: Examined) -> str:
    """Return what files hold as a text of several lines: counts, fields, notes, traits, a trace.

    If it is not known what traits were taken for, each has its kind. The first trace is JSON, with
    the verdicts of the judge and of people. Raises StopIteration for a file without traces.
    """
    file = examined_files.file
    imported = examined_files.imported
    trait_lines = imported.description_lines
    lines = [line for line in examined_files.lines if line not in trait_lines]
    traits = [f"  {line}" for line in trait_lines]
    if not traits:
        kinds = {
            known_trait.trait.name: known_trait.kind.name
            for known_trait in imported.traits
        }
        traits = [f"  {name}: {kind}" for name, kind in kinds.items()]
    first = _trace_text(next(file.traces()))
    lines += [
        *imported.notes,
        f"traits: {len(imported.traits)}",
        *traits,
        "first trace:",
        first,
    ]
    return "\n".join(lines)


def _trace_text(trace: ForeignTrace) -> str:
    """Return a trace with the verdicts on it as JSON over several lines, for people to look at.

    `verdicts` are the judge's, and `people` are people's. What is empty is left out, except an
    empty response. Values that JSON has not become text, and half a character becomes "?".
    """
    verdicts: list[Row] = []
    for verdict in trace.judged:
        verdicts.append(
            {
                "trait": verdict.trait,
                "value": verdict.value,
                "reason": verdict.reason,
                "failed": verdict.failed,
            },
        )
    people: list[Row] = []
    for ruling in trace.people:
        people.append(
            {
                "trait": ruling.trait,
                "value": ruling.value,
                "reason": ruling.reason,
                "by": ruling.by,
                "said_at": ruling.at,
            },
        )
    row = without_empty({**trace.record, "verdicts": verdicts, "people": people})
    row = with_response(row, trace.record.get("response"))
    text = json.dumps(row, ensure_ascii=False, indent=2, default=str)
    return _without_surrogates(text)


class _Spool:
    """What a file holds, read and converted once: its rubric is known behind the last trace."""

    def __init__(self, file: ForeignFile, spool_file: IO[bytes]) -> None:
        """Take a file whose traces are read once, and an open temporary file to keep them in."""
        self._file = file
        self._spool_file = spool_file
        self.is_whole = True
        """Whether all of it could be kept: then every text in it is one that a file can have."""
        self.repeats_advice = file.repeats_advice

    def filled(self) -> Iterator[ForeignTrace]:
        """Yield the file's traces, each once, and write a copy of each to the spool for `traces`.

        Reads the file. A trace that cannot be encoded, as one with half a character, is not written
        and sets `is_whole` to False; it is yielded with "?" for such halves in its verdicts. Raises
        OSError if the disk is full, and what reading the file raises.
        """
        encode = msgspec.msgpack.Encoder().encode
        for trace in self._file.traces():
            try:
                text = encode(trace)
            except (TypeError, ValueError, OverflowError, RecursionError):
                self.is_whole = False
                yield _with_whole_verdicts(trace)
                continue
            self._spool_file.write(len(text).to_bytes(_SIZE, "big") + text)
            yield trace

    def traces(self) -> Iterator[ForeignTrace]:
        """Yield the file's traces again, from the spool or, if not all could be kept, the file.

        No trace in the spool has half a character. From the file they have "?" for each such half
        in their verdicts. Call it after `filled` ran to its end.
        """
        if not self.is_whole:
            yield from map(_with_whole_verdicts, self._file.traces())
            return
        decode = msgspec.msgpack.Decoder(ForeignTrace).decode
        self._spool_file.seek(0)
        while size := int.from_bytes(self._spool_file.read(_SIZE), "big"):
            yield decode(self._spool_file.read(size))


def _usable_traces(
    spool: _Spool,
    name: str,
    problems: list[Problem],
    on_progress: OnProgress,
    *,
    skip_bad: bool,
) -> Iterator[tuple[Trace, ForeignTrace]]:
    """Yield each usable trace of a file with the foreign trace that it was made of.

    A trace is unusable if it is not valid, if it has neither a response nor a reason for
    that, or if its id came before; what is wrong is added to `problems`. Without `skip_bad`
    nothing more is yielded after the first problem, and all problems are raised as Unusable
    at the end. Unusable is raised as well if no trace is usable. `on_progress` is called
    after every `_STEP` traces. `name` is the file's, unless a trace names its own.
    """
    keys: set[tuple[str, int]] = set()
    for count, foreign_trace in enumerate(spool.traces(), 1):
        if count % _STEP == 0:
            on_progress(count, None)
        number = foreign_trace.row or count
        file = foreign_trace.file or name
        problems_or_traces = trace_of(
            Record(foreign_trace.record, number, suspect=not spool.is_whole),
            file,
        )
        if isinstance(problems_or_traces, list):
            problems += problems_or_traces
            continue
        trace = problems_or_traces[0]
        if "response" not in trace.model_fields_set and not foreign_trace.unanswered:
            problems.append(empty(file, number))
        elif trace.key in keys:
            twice = f"the id {quoted(trace.id)} is there twice"
            right = spool.repeats_advice or "--map id=COLUMN names another"
            problems.append(Problem(file, f"row {number}", twice, right))
        elif skip_bad or not problems:
            keys.add(trace.key)
            yield trace, foreign_trace
    if problems and not skip_bad:
        raise Unusable(problems)
    if not keys:
        raise unusable(name, "there is no answer in it")


_NOTHING_SAID = TraitMap()


class _TraitPlace(NamedTuple):
    """Which trait of a rubric is meant."""

    question_id: str
    """The id of the question that has the trait; "" for a trait of all questions."""
    name: str


def _traits_in(table: Row) -> dict[_TraitPlace, RubricTrait]:
    """Return all traits in a rubric's table, in its order, by their question's id and their name.

    `table` is the rubric as its file has it. The id is "" for a trait of all questions. A
    question's trait is there twice: also under "", unless an earlier trait has its name there.
    Raises KeyError for a trait without a name.
    """
    traits: dict[_TraitPlace, RubricTrait] = {}
    for part in (table, *table.get("questions", ())):
        question_id = str(part.get("id", ""))
        for key in LISTS:
            for trait_table in part.get(key, ()):
                name = trait_table["name"]
                trait = RubricTrait(key, trait_table)
                traits[_TraitPlace(question_id, name)] = trait
                traits.setdefault(_TraitPlace("", name), trait)
    return traits


class _Ruled:
    """What judges and people ruled, as facts of cells, in the order that they come in."""

    def __init__(
        self,
        imported: TakenIn,
        rubric_traits: Mapping[_TraitPlace, RubricTrait],
        *,
        is_claimed_blind: bool,
    ) -> None:
        """Take where to count what comes in, and the rubric's traits by their question and name.

        `imported` is changed by each verdict. `is_claimed_blind` is whether the importer
        says that people ruled blind. All facts get the present time.
        """
        self._imported = imported
        self._rubric_traits = rubric_traits
        self._is_claimed_blind = is_claimed_blind
        self._timestamp = stamp(now())
        self._last = 0
        self._checked_values: set[tuple[int, str]] = set()
        self.further = Counter[str]()  # verdicts that are left out, by their traits
        self._of_others = Counter[str]()
        """Verdicts that are left out since another person ruled on their cells, by people."""
        self._again = Counter[str]()
        """Verdicts that replaced an earlier one, by sentences on whose."""
        self._without_place = Counter[tuple[str, str, str]]()
        """How many verdicts of people are none of their trait's, by trait, person and value."""

    def notes_on_impossible_values(self) -> list[str]:
        """Return a clause for each value of people that their trait cannot have; or [].

        Equal values of one person on one trait are one clause, which counts them.
        """
        sentences: list[str] = []
        for (trait, person, value), count in self._without_place.items():
            counted = "A verdict" if count == 1 else f"{count:,} verdicts"
            has = "has" if count == 1 else "have"
            sentences.append(
                f"{counted} of {person} on {trait} {has} no place here: {value}",
            )
        return sentences

    def facts(
        self,
        trace: Trace,
        foreign_trace: ForeignTrace,
    ) -> Mapping[str, list[Fact]]:
        """Return what the judge and people ruled on a trace, as facts for its cells by trait.

        Of a judge's verdicts on a trait those up to the first proposal are taken, which may
        be failed ones before it. Of people's verdicts on a cell only those of the person
        who ruled first are taken, unless a later verdict replaces another's. Who was first
        is told by the times if all are in UTC, else by the order of the file. What is left
        out is counted for `notes_on_left_out`. Verdicts on traits that the rubric lacks are
        ignored. Counts what came in.
        """
        workspace = self._imported.workspace
        traits = workspace.rubric.traits_of(trace)
        facts_by_trait: dict[str, list[Fact]] = {}
        for verdict in foreign_trace.judged:
            if verdict.trait in traits:
                facts = facts_by_trait.setdefault(verdict.trait, [])
                subject = workspace.subject(traits[verdict.trait], trace)
                self._add_judges(facts, trace, subject, verdict)
        people_by_trait: dict[str, str] = {}
        for ruling in _sorted_by_time(foreign_trace.people):
            if ruling.trait in traits:
                facts = facts_by_trait.setdefault(ruling.trait, [])
                subject = workspace.subject(traits[ruling.trait], trace)
                self._add_persons(facts, subject, ruling, people_by_trait)
        return facts_by_trait

    def _add_judges(
        self,
        facts: list[Fact],
        trace: Trace,
        subject: Subject,
        verdict: JudgeVerdict,
    ) -> None:
        """Add a judge's verdict to the facts of its cell; changes `facts`.

        If a proposal is among them already, the verdict is only counted as a further one.
        """
        if any(isinstance(fact.what, Proposed) for fact in facts):
            self.further[verdict.trait] += 1
            return
        event = self._event_of_judge(trace, subject, verdict)
        facts.append(self._numbered_fact(event, event.judge["name"]))

    def _add_persons(
        self,
        facts: list[Fact],
        subject: Subject,
        ruling: PersonVerdict,
        people_by_trait: dict[str, str],
    ) -> None:
        """Add a person's verdict to the facts of its cell, and the person to `people_by_trait`.

        Both are changed. `people_by_trait` has who ruled on the trace before, by trait. If
        another person did, and the verdict does not replace theirs, it is only counted as
        left out. A verdict that comes in after an earlier one is counted as one that
        replaces it.
        """
        earlier = people_by_trait.get(ruling.trait)
        if earlier is not None and earlier != ruling.by and not ruling.replaces:
            self._of_others[ruling.by] += 1
            return
        if earlier is not None:
            whose = "their own" if earlier == ruling.by else f"{earlier}'s"
            self._again[f"{ruling.by} replaced {whose} verdict"] += 1
        facts_of_person = list(self._facts_of_person(subject, facts, ruling))
        if facts_of_person:
            people_by_trait[ruling.trait] = ruling.by
        facts += facts_of_person

    def notes_on_left_out(self) -> Iterator[str]:
        """Yield sentences on verdicts that were left out or replaced; nothing if none was.

        One for each trait with further verdicts of a judge, one for each person whose verdicts were
        left out for another's, one for each pair of whom one replaced the other.
        """
        for trait, further in self.further.items():
            note = f"{quoted(trait)}: {many(further, 'further verdict')} left out"
            yield f"{note}; an answer keeps the first under one name."
        for name, count in self._of_others.items():
            yield (
                f"{many(count, 'verdict')} of {name} left out, for another person ruled on the same"
                " cells: `appellate import FILE` makes an audit of each."
            )
        for replaced, count in self._again.items():
            yield f"{many(count, 'cell')}: {replaced}, which is in the history."

    def _numbered_fact(
        self,
        event: What,
        author: str,
        part_of: int | None = None,
    ) -> Fact:
        """Return an event as a fact by `author` with the next number, which is 1 for the first one.

        All facts of one import have one time: when it began. `part_of` is the number of the act's
        first fact, None for an act of its own.
        """
        self._last += 1
        return Fact(self._last, self._timestamp, author, event, part_of)

    def _rubric_trait(self, trace: Trace, name: str) -> RubricTrait:
        """Return the rubric's trait with this name for a trace: that of its question, else of any.

        Raises KeyError if the rubric has no such trait.
        """
        place = _TraitPlace(trace.question_id or "", name)
        if place in self._rubric_traits:
            return self._rubric_traits[place]
        return self._rubric_traits[_TraitPlace("", name)]

    def _event_of_judge(
        self,
        trace: Trace,
        subject: Subject,
        verdict: JudgeVerdict,
    ) -> Proposed | Failed:
        """Return a judge's verdict as an event of a cell: `Proposed`, or `Failed` with why.

        The places of excerpts in the proposed labels are looked up in what was judged. Counts the
        verdict, and its reason, among what came in. A judge without a name is "imported".
        """
        imported = self._imported
        judge = {"name": verdict.judge or "imported"}
        imported.reasons += bool(verdict.reason)
        labels = self._labels(trace, subject, verdict)
        if isinstance(labels, str):
            imported.failed += 1
            return Failed(labels, "", judge)
        imported.verdicts += 1
        return Proposed(
            subject.kind.locate(subject.trait, subject.trace, labels),
            judge,
        )

    def _labels(
        self,
        trace: Trace,
        subject: Subject,
        verdict: JudgeVerdict,
    ) -> Row | str:
        """Return the labels (a judge's table) that a verdict means, or a text why it has none.

        It has none if it failed, if the trait cannot have its value, or if the trait cannot be
        judged of this trace. Whole labels in the verdict count before its value, unless they have a
        fault and there is a value.
        """
        if verdict.failed:
            return verdict.failed
        known_trait = KnownTrait(subject.kind, subject.trait)
        if verdict.labels is not None:
            fault = next(label_faults(verdict.labels, trace, known_trait), None)
            if fault is None:
                unjudged = subject.kind.unjudged(subject.trait, trace, verdict.labels)
                return unjudged or verdict.labels
            if verdict.value is None:
                return f"The judge's verdict cannot be read: {fault.wrong}"
        key, table = self._rubric_trait(trace, verdict.trait)
        try:
            meaning = self._imported.meanings.get(verdict.trait, _NOTHING_SAID)
            labels = labels_of(key, table, verdict, meaning)
        except ValueError as error:
            return f"The judge's verdict cannot be read: {error}"
        is_value = key != "metric_traits" and not verdict.answer
        checked = id(subject.trait), repr(verdict.value) if is_value else ""
        if checked not in self._checked_values:
            for fault in label_faults(labels, trace, known_trait):
                return f"The judge's verdict cannot be read: {fault.wrong}"
            if is_value:
                self._checked_values.add(checked)
        return subject.kind.unjudged(subject.trait, trace, labels) or labels

    def _facts_of_person(
        self,
        subject: Subject,
        facts: list[Fact],
        verdict: PersonVerdict,
    ) -> Iterator[Fact]:
        """Yield a person's verdict as facts of one act: corrections, a comment, the sign-off.

        `facts` are what happened to the cell before. The verdict's reason is given to the
        first correction that has none of its own, else it becomes a comment. A correction
        to what the labels are already is passed over. There is no sign-off if the tool does
        not say that the person was done, or if they signed it off before. A value that the
        trait cannot have yields nothing and is counted for `notes_on_impossible_values`;
        any other is counted as taken in. What corrections could not make as the person left
        it is noted.
        """
        cell = fold(subject, facts)
        corrections = self._corrections(cell, verdict)
        if corrections is None:
            self._without_place[verdict.trait, verdict.by, repr(verdict.value)] += 1
            return
        untold_reason = verdict.reason.strip()
        first: int | None = None
        """The number of the first fact of the act; None before it."""
        for correction in corrections:
            reason = correction.reason or untold_reason
            with suppress(Refused):  # it is the verdict already
                fact = self._numbered_fact(
                    decide(cell, Correct(correction.edit, reason)),
                    verdict.by,
                    first,
                )
                first = first or fact.n
                if reason == untold_reason:
                    untold_reason = ""
                cell = evolve(cell, fact)
                yield fact
        self._note_what_differs(cell, verdict)
        if untold_reason:
            fact = self._numbered_fact(
                decide(cell, Comment(untold_reason)),
                verdict.by,
                first,
            )
            first = first or fact.n
            yield fact
        sign_off = SignOff(
            subject.trait.sha256(),
            said_at=verdict.at or None,
            said_blind=self._is_claimed_blind,
        )
        with suppress(Refused):  # this person has signed it off
            if verdict.signed:
                yield self._numbered_fact(decide(cell, sign_off), verdict.by, first)
        self._imported.count_person(verdict)

    def _corrections(self, cell: Cell, verdict: PersonVerdict) -> list[Correct] | None:
        """Return the corrections that turn a cell's labels into a person's; None if impossible.

        For a metric trait they lead to the person's lists, and faults of these are noted. For
        another kind they lead to the person's whole labels if the verdict has them, else they set
        its value. [] if the cell has these lists or whole labels already; a value is set in any
        case, though the cell may have it. None for a value that the trait cannot have.
        """
        subject = cell.subject
        key, table = self._rubric_trait(subject.trace, verdict.trait)
        if key == "metric_traits":
            return self._corrections_of_lists(cell, verdict)
        edits_to_labels = self._edits_toward(cell, verdict)
        if edits_to_labels is not None:
            return list(map(Correct, edits_to_labels))
        meaning = self._imported.meanings.get(verdict.trait, _NOTHING_SAID)
        edits_to_value = _edits_to_value(subject.kind, key, table, verdict, meaning)
        if not edits_to_value:
            return None
        return list(map(Correct, edits_to_value))

    def _edits_toward(
        self,
        cell: Cell,
        verdict: PersonVerdict,
    ) -> Sequence[Edit] | None:
        """Return the edits that lead from a cell's labels to the person's whole ones, [] if equal.

        A cell without labels counts as a blank one. None if the verdict has no whole labels or
        those of another kind, or if the kind of trait has no way to find edits.
        """
        subject = cell.subject
        if verdict.labels is None:
            return None
        known_trait = KnownTrait(subject.kind, subject.trait)
        if any(label_faults(verdict.labels, subject.trace, known_trait)):
            return None  # labels of another kind
        current = subject.kind.blank if cell.labels is None else cell.labels
        edits: Sequence[Edit] | None = subject.kind.toward(
            subject.trait,
            subject.trace,
            current,
            verdict.labels,
        )
        return edits

    def _note_what_differs(self, cell: Cell, verdict: PersonVerdict) -> None:
        """Note which keys of a person's whole labels could not be reached by corrections.

        `cell` is as it is after the verdict. Adds one sentence to the notes of what came in;
        nothing if there are no whole labels, or if all is equal.
        """
        kind = cell.subject.kind
        if verdict.labels is None:
            return
        written = {} if cell.labels is None else kind.write(cell.labels)["audited"]
        different_keys: list[str] = []
        for key in kind.label_keys:
            if written.get(key) != verdict.labels.get(key):
                different_keys.append(key)
        if different_keys:
            self._imported.notes.append(
                f"{cell.subject.trace.id}: {verdict.trait}: no correction makes what {verdict.by}"
                f" left as {', '.join(different_keys)}; it differs.",
            )

    def _corrections_of_lists(
        self,
        cell: Cell,
        verdict: PersonVerdict,
    ) -> list[Correct] | None:
        """Return the corrections that lead from a metric cell's lists to a person's; [] if equal.

        The lists are the verdict's whole labels, else its value. None if it has no lists, or lists
        with a fault, which is noted. An item's `rationale` is the reason of each correction on its
        instruction. Excerpts that are not in the response and answer no instruction are left out,
        and noted.
        """
        subject = cell.subject
        table = verdict.value if verdict.labels is None else verdict.labels
        if not isinstance(table, Mapping):
            return None
        table = {key: table.get(key) or [] for key in (*SIDES, "items")}
        for fault in label_faults(
            table,
            subject.trace,
            KnownTrait(subject.kind, subject.trait),
        ):
            self._imported.notes.append(
                f"{subject.trace.id}: {verdict.trait}: {fault.wrong}",
            )
            return None
        located = subject.kind.locate(subject.trait, subject.trace, table)
        target = subject.kind.labels(subject.trait, subject.trace, located)
        current = Labels() if cell.labels is None else cell.labels
        path = corrections_toward(subject.trait, subject.trace, current, target)
        if path.lacking:
            excerpts = many(len(path.lacking), "excerpt")
            self._imported.notes.append(
                f"{subject.trace.id}: {excerpts} of {verdict.by} left out of {verdict.trait}: they"
                " are not in the response, and answer no instruction.",
            )
        reasons: dict[Link | None, str] = {}
        for bucket in BUCKETS:
            for item in target.bucket(bucket):
                if item.rationale:
                    reasons.setdefault(item.link, item.rationale)
        corrections: list[Correct] = []
        for correction in path.corrections:
            reason = reasons.get(correction.link, "") if correction.link else ""
            corrections.append(Correct(correction.edit, reason))
        return corrections


def _sorted_by_time(people: Sequence[PersonVerdict]) -> Sequence[PersonVerdict]:
    """Return people's verdicts sorted by their times, or as they are unless all times are in UTC.

    Those of one time keep their order.
    """
    if len(people) <= 1 or are_in_order([verdict.at for verdict in people]):
        return people
    return sorted(people, key=lambda verdict: order_of(verdict.at))


def _without_surrogates(text: str) -> str:
    """Return a text with "?" for each half of a surrogate pair; any other text is unchanged.

    No UTF-8 file can have such a half.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode()


def _with_whole_verdicts(trace: ForeignTrace) -> ForeignTrace:
    """Return a copy of a trace whose verdicts have "?" for each half of a surrogate pair.

    The trace's record stays as it is: with such a half in it no trace can be made of it.
    """
    return replace(
        trace,
        judged=[_without_surrogates_in(verdict) for verdict in trace.judged],
        people=[_without_surrogates_in(verdict) for verdict in trace.people],
    )


def _without_surrogates_in(value: Any, depth: int = _DEEPEST) -> Any:
    """Return a copy of a value with "?" for each half of a surrogate pair in its texts and keys.

    The value may be a verdict, or lists and tables within each other. What lies deeper than `depth`
    levels stays as it is.
    """
    if isinstance(value, str):
        return _without_surrogates(value)
    if depth == 0:
        return value
    if isinstance(value, list):
        return [_without_surrogates_in(element, depth - 1) for element in value]
    if isinstance(value, dict):
        return {
            _without_surrogates_in(key): _without_surrogates_in(inner, depth - 1)
            for key, inner in value.items()
        }
    if isinstance(value, Struct):
        return replace(value, **_without_surrogates_in(asdict(value), depth))
    return value


_ACTIONS: Mapping[str, str] = {
    "llm_traits": "set",
    "scorer_traits": "overrule",
    "callable_traits": "overrule",
    "regex_traits": "overrule",
    PAIRWISE: "overrule",
}


def _edits_to_value(
    kind: AnyKind,
    key: str,
    table: Row,
    verdict: PersonVerdict,
    meaning: TraitMap,
) -> list[Edit]:
    """Return the edits that give a cell a person's value; [] if its trait cannot have that.

    A verdict that is a table of several values gives one edit for each of them, any other gives
    one. `key` is the list of a rubric that the trait is in, `table` the trait's table there, and
    `meaning` says what words mean. For kinds without a single value the verdict must be a list of
    edits, as audits have them: these are returned.
    """
    if key not in _ACTIONS:
        return _edits_of_rows(kind, verdict)
    try:
        value = labels_of(key, table, verdict, meaning)["value"]
        parts = [{"value": value}]
        if isinstance(value, dict):
            parts = [{"value": below, "key": part} for part, below in value.items()]
        return [kind.edit({"action": _ACTIONS[key], **part}) for part in parts]
    except (ValueError, TypeError):
        return []


def _edits_of_rows(kind: AnyKind, verdict: PersonVerdict) -> list[Edit]:
    """Return the edits that a verdict lists, each a table as audits have it.

    [] if the value is no list, or if one entry is no edit of this kind of trait.
    """
    if not isinstance(verdict.value, list):
        return []
    try:
        return [kind.edit(row) for row in verdict.value]
    except (AttributeError, TypeError, ValueError):
        return []
