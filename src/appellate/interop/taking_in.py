"""A new audit of what another tool's file holds: its traces, its judge's verdicts, its people's."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.deciding import Correct
from appellate.core.facts import Failed, Proposed
from appellate.core.kind import KnownTrait
from appellate.core.problem import Problem, Refused, Unusable, many, quoted
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
    Row,
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
    sound = _Sound(file, name, skip_bad=skip_bad)
    taken = TakenIn(create(place, rubric, sound.first(on_progress), version).workspace)
    taken.traits += rubric.every_trait()
    taken.notes += (f"skipped: {problem}" for problem in sound.skipped)
    try:
        _receive(taken, sound, place, _Tables(table, rubric))
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


class _Sound:
    """The traces of a file that can be such: gone through once to find what is wrong with others,
    and then as often as is needed.
    """

    def __init__(self, file: ForeignFile, name: str, *, skip_bad: bool) -> None:
        self._file = file
        self._name = name
        self._skip_bad = skip_bad
        self._bad: set[int] = set()
        self.skipped: list[Problem] = []

    def first(self, on_progress: OnProgress) -> Iterator[Trace]:
        """The traces; raises Unusable behind the last one for those that cannot be any."""
        problems: list[Problem] = []
        keys: set[tuple[str, int]] = set()
        for number, one in enumerate(self._file.traces(), 1):
            if number % _GROUP == 0:
                on_progress(number, None)
            found = trace_of(Record(one.record, number, suspect=True), self._name)
            wrong = found if isinstance(found, list) else list(self._faults(found[0], one, number))
            if isinstance(found, tuple) and not wrong:
                trace = found[0]
                if trace.key not in keys:
                    keys.add(trace.key)
                    if self._skip_bad or not problems:
                        yield trace
                    continue
                twice = f"the id {quoted(trace.id)} is there twice"
                right = "--map id=COLUMN names another"
                wrong = [Problem(self._name, f"row {number}", twice, right)]
            problems += wrong
            self._bad.add(number)
        if problems and not self._skip_bad:
            raise Unusable(problems)
        self.skipped = problems
        if not keys:
            raise unusable(self._name, "there is no answer in it")

    def _faults(self, trace: Trace, one: ForeignTrace, number: int) -> Iterator[Problem]:
        if not trace.response.strip() and not one.unanswered:
            wrong, right = "its response is empty", "fill it in, or leave it out with --skip-bad"
            yield Problem(self._name, f"row {number}", wrong, right)

    def again(self) -> Iterator[tuple[Trace, ForeignTrace]]:
        """The traces once more, with what was ruled of them."""
        for number, one in enumerate(self._file.traces(), 1):
            if number in self._bad:
                continue
            found = trace_of(Record(one.record, number), self._file.form)
            if not isinstance(found, list):
                yield found[0], one


class _Tables:
    """The traits of the rubric by their names, with the tables that they were made of."""

    def __init__(self, table: Row, rubric: Rubric) -> None:
        self._rubric = rubric
        self._tables = dict(_named(table))
        self._own = {
            str(question["id"]): dict(_named(question)) for question in table.get("questions", ())
        }

    def of(self, trace: Trace, name: str) -> tuple[str, Row, KnownTrait] | None:
        """The list of the rubric, the table and the trait of a name; None where it has none."""
        known = self._rubric.traits_of(trace).get(name)
        found = self._own.get(trace.question_id or "", {}).get(name) or self._tables.get(name)
        if known is None or found is None:
            return None
        return *found, known


def _named(table: Row) -> Iterator[tuple[str, tuple[str, Row]]]:
    for key in LISTS:
        for trait in table.get(key, ()):
            yield trait["name"], (key, trait)


def _receive(taken: TakenIn, sound: _Sound, place: AuditFiles, tables: _Tables) -> None:
    bench = Workbench(taken.workspace, place.audit, "")
    answers = _answers(taken, sound, tables)
    while group := list(islice(answers, _GROUP)):
        bench.receive_many(group)
    reviewers: dict[str, Workbench] = {}
    for number, verdict, edit in _rulings(taken, sound, tables) if taken.has_people else ():
        by = verdict.by
        if by not in reviewers:
            reviewers[by] = Workbench(taken.workspace, place.audit, by)
        _rule(reviewers[by], number, verdict, edit, taken)
    taken.workspace.settle()


def _answers(
    taken: TakenIn, sound: _Sound, tables: _Tables
) -> Iterator[tuple[int, Proposed | Failed]]:
    first = 1  # cells are numbered trace by trace, in the order of the traits
    for trace, one in sound.again():
        taken.traces += 1
        taken.has_people = taken.has_people or bool(one.people)
        traits = taken.workspace.rubric.traits_of(trace)
        numbers = {name: number for number, name in enumerate(traits, first)}
        first += len(numbers)
        for verdict in one.judged:
            found = tables.of(trace, verdict.trait)
            if found is None:
                continue
            number = numbers[verdict.trait]
            what = _what(trace, verdict, *found)
            taken.verdicts += isinstance(what, Proposed)
            taken.failed += isinstance(what, Failed)
            taken.reasons += bool(verdict.reason)
            yield number, what


def _what(
    trace: Trace, verdict: JudgeVerdict, key: str, table: Row, known: KnownTrait
) -> Proposed | Failed:
    judge = {"name": _whole(verdict.judge) or "imported"}
    if verdict.failed:
        return Failed(_whole(verdict.failed), "", judge)
    verdict = replace(verdict, reason=_whole(verdict.reason))
    try:
        labels = labels_of(key, table, verdict)
    except ValueError as error:
        return Failed(f"The judge's verdict cannot be read: {error}", "", judge)
    faults = list(label_faults(labels, trace, known))
    if faults:
        return Failed(f"The judge's verdict cannot be read: {faults[0].wrong}", "", judge)
    why = known.kind.unjudged(known.trait, trace, labels)
    return Failed(why, "", judge) if why else Proposed(labels, judge)


def _whole(text: str) -> str:
    """A text without halves of characters, which no file can have."""
    return text.encode("utf-8", "replace").decode()


def _rulings(
    taken: TakenIn, sound: _Sound, tables: _Tables
) -> Iterator[tuple[int, PersonVerdict, Correct | None]]:
    for trace, one in sound.again():
        for verdict in one.people:
            found = tables.of(trace, verdict.trait)
            if found is None:
                continue
            key, table, known = found
            number = taken.workspace.cells.number(trace.key, verdict.trait)
            edit = _edit(key, table, known, verdict)
            yield number, verdict, edit


_ACTIONS: Mapping[str, str] = {"llm_traits": "set", "scorer_traits": "overrule"}


def _edit(key: str, table: Row, known: KnownTrait, verdict: PersonVerdict) -> Correct | None:
    """The correction that makes the labels a person's; None where there is no such one."""
    if key not in _ACTIONS:
        return None
    try:
        value = labels_of(key, table, verdict)["value"]
        edit = known.kind.edit({"action": _ACTIONS[key], "value": value})
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
