"""From a command line to an open audit: which files, new or resumed, and who may write."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from appellate.cli.outcome import Ended, Exit, command, notes, say, telling
from appellate.core.problem import Refused, Unusable, many, quoted
from appellate.installed import running
from appellate.interop import is_foreign, is_table
from appellate.session import settings
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.audits.audit import Audit, is_audit, load_audit
from appellate.store.audits.audit_sync import NotWritten
from appellate.store.audits.open_audit import (
    AuditFiles,
    Diverged,
    Opened,
    Take,
    add_traces,
    create,
    resume,
    unexported,
)
from appellate.store.database import NotKept, WorkspaceLocked, is_begun
from appellate.store.files.text_file import unusable
from appellate.store.tables import WorkspaceDamaged, WorkspaceUnknown
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Rubric

MOST_FOREIGN = 2
"""So many files of another tool go together: Karenina's checkpoint and results."""
ONE_OR_TWO = "give RUBRIC and TRACES, or one AUDIT"
TAKE = "Take the [f]ile, take the [w]orkspace, or [q]uit? Whichever is not taken is set aside."

if TYPE_CHECKING:
    from appellate.core.problem import Problem
    from appellate.store.files.trace_file import RecordReader, TraceReading
    from appellate.store.files.trace_source import Record


@contextmanager
def at_bench(arguments: argparse.Namespace, *, may_read: bool) -> Iterator[Workbench]:
    """The bench over the audit of a command line; a reviewer's where it takes --reviewer."""
    given = {"paths": [arguments.audit]} | vars(arguments)
    with open_audit(argparse.Namespace(**given), may_read=may_read) as opened:
        notes(opened.notes)
        reviewer = ""
        if "reviewer" in arguments:
            reviewer = settings.load(vars(arguments)).settings.reviewer
        yield Workbench(opened.workspace, opened.place.audit, reviewer)


@contextmanager
def unless_refused(place: str) -> Iterator[None]:
    """Raises Unusable, about that place, for what is refused or cannot be kept."""
    try:
        yield
    except (Refused, NotKept) as refusal:
        raise unusable(place, str(refusal).rstrip(".")) from refusal


@contextmanager
def unless_stopped(command: str) -> Iterator[None]:
    """Ends a command with what is refused, or could not be saved, in sentences."""
    try:
        yield
    except Refused as refusal:
        raise unusable(command, str(refusal)) from refusal
    except NotKept as refusal:
        say(f"Not saved: {refusal}. {refusal.standing}")
        raise Ended(Exit.FAILED) from refusal


def save(bench: Workbench) -> None:
    """Writes the audit file; where it cannot be, says so and what is saved, and ends."""
    try:
        with telling("Writing the audit") as on_progress:
            bench.save(on_progress)
    except NotWritten as refusal:
        say(refusal, bench.where_saved)
        raise Ended(Exit.FAILED) from refusal


def read_audit(path: Path) -> Audit:
    """The audit of a file, for a command that reads alone, and a note where its workspace is ahead;
    raises Unusable.
    """
    audit = load_audit(path)
    ahead = unexported(AuditFiles.of(path))
    if ahead is None:
        workspace = AuditFiles.of(path).workspace
        notes([f"{workspace} cannot be read: it may have facts that {path} lacks."])
    elif ahead:
        behind = f"{path} is {many(ahead, 'fact')} behind its workspace"
        notes([f"{behind}: `{command('review', path)}` exports what is not in it yet."])
    return audit


def foreign_files(arguments: argparse.Namespace) -> list[Path]:
    """The files of another tool that the command line names in place of RUBRIC TRACES or AUDIT."""
    paths = [Path(path) for path in arguments.paths]
    if len(paths) <= MOST_FOREIGN and all(map(is_foreign, paths)):
        return paths
    return []


def mapped(arguments: argparse.Namespace) -> dict[str, str]:
    """The columns that --map names, by the field that each is; raises Unusable."""
    found = {}
    for pair in ",".join(getattr(arguments, "map", None) or []).split(","):
        name, is_given, column = pair.partition("=")
        if not pair:
            continue
        if not (is_given and name and column):
            raise unusable("--map", f"{quoted(pair)} names no column", "FIELD=COLUMN is right")
        found[name.strip()] = column.strip()
    return found


def place_of(arguments: argparse.Namespace) -> AuditFiles:
    if arguments.audit:
        audit = Path(arguments.audit)
    elif foreign := foreign_files(arguments):
        audit = Path(f"{foreign[-1].stem}.audit.toml")
    elif len(arguments.paths) == 1:
        audit = Path(arguments.paths[0])
    else:
        traces = arguments.paths[1]
        if traces == "-":
            wrong = "traces from standard input have no name"
            raise unusable("-", wrong, "name the audit with -o")
        audit = Path(Path(traces).stem + ".audit.toml")
    if not audit.name:
        raise unusable(str(audit), "this is a folder", "name the audit in it")
    if audit.suffix == ".db":
        audit = audit.with_suffix(".toml")
    place = AuditFiles.of(audit, Path(arguments.workspace) if arguments.workspace else None)
    if arguments.audit and len(arguments.paths) == 1 and not foreign_files(arguments):
        (alone,) = arguments.paths
        if Path(alone).resolve() not in (place.audit.resolve(), place.workspace.resolve()):
            raise unusable(alone, "is not the audit that -o names", ONE_OR_TWO)
    return place


@contextmanager
def open_audit(arguments: argparse.Namespace, *, may_read: bool) -> Iterator[Opened]:
    """Opens or makes the audit; only reads where another process writes, if that is enough.

    A new one that the command refuses to go on with is taken away again: it would be in the way.
    """
    place = place_of(arguments)
    rubric = getattr(arguments, "revise", None)
    fresh = not place.exists
    if rubric and len(arguments.paths) > 1:
        raise unusable("--revise", "goes with one AUDIT, not with RUBRIC TRACES…")
    with openable(place), unless_damaged(place):
        try:
            opened = _open(arguments, place)
        except WorkspaceLocked as locked:
            if rubric or not may_read or not is_begun(place.workspace):
                raise
            opened = resume(place, readonly=True)
            opened.held = str(locked)
    unused = False
    try:
        with opened.workspace as workspace:
            try:
                with unless_damaged(place):
                    yield opened
            except (Unusable, Refused):
                unused = fresh and not workspace.facts.last_n()
                raise
    finally:
        if unused:
            path = opened.workspace.path
            for ending in ("", "-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)


@contextmanager
def openable(place: AuditFiles) -> Iterator[None]:
    """Raises Unusable with what keeps an audit from being opened."""
    try:
        yield
    except WorkspaceLocked as locked:
        wrong = str(locked).removesuffix(".")
        raise unusable(str(place.audit), wrong, "quit that one first") from locked
    except WorkspaceDamaged as damaged:
        raise unusable(str(place.workspace), str(damaged), _way_on(place)) from damaged
    except WorkspaceUnknown as unknown:
        raise unusable(str(place.workspace), str(unknown).rstrip("."), unknown.advice) from unknown
    except NotKept as refusal:
        raise unusable(str(place.workspace), str(refusal), refusal.advice) from refusal


@contextmanager
def unless_damaged(place: AuditFiles) -> Iterator[None]:
    """Raises Unusable for an error that comes of a damaged workspace; others pass."""
    try:
        yield
    except _SENTENCES:
        raise
    except Exception as error:
        from appellate.store.damage import damage

        if not place.workspace.exists() or not (wrong := damage(place.workspace)):
            raise
        path = str(place.workspace)
        raise unusable(path, f"it is damaged: {wrong}", _way_on(place)) from error


_SENTENCES = (Ended, Unusable, Refused, Diverged, NotKept, WorkspaceLocked, WorkspaceUnknown)
"""What is told as it is."""


def _way_on(place: AuditFiles) -> str:
    """What to do where a workspace is damaged, which costs nothing that only it has."""
    if not place.audit.exists():
        return f"there is no {place.audit.name} to make it of: put a copy of it there"
    name = place.workspace.name
    log = f"{name}-wal"  # what was done last may be there alone
    moved = f"move {name} away, and {log} if there is one, keep both, and open the audit again"
    lacking = unexported(place)
    if lacking is None:
        return f"{place.audit.name} has all that was exported, the workspace may have more: {moved}"
    if lacking > 0:
        return f"{place.audit.name} has all but the last {many(lacking, 'fact')}: {moved}"
    return f"{place.audit.name} has everything: {moved}"


def _open(arguments: argparse.Namespace, place: AuditFiles) -> Opened:
    writable(place)
    if foreign := foreign_files(arguments):
        return _open_foreign(arguments, place, foreign)
    if len(arguments.paths) == 1:
        path = Path(arguments.paths[0])
        if not place.exists or (place.audit.exists() and not is_audit(place.audit)):
            wrong = "is not an audit", ONE_OR_TWO
            if not path.exists():
                wrong = "there is no such audit", "RUBRIC TRACES… start a new one"
            raise unusable(str(path), *wrong)
        return resumed(place, arguments.take)
    if not place.exists:
        with _reading(arguments) as (rubric, traces, texts):
            opened = create(place, rubric, traces, running())
    else:
        opened = resumed(place, arguments.take)
        texts = []
        if not _inputs_known(opened.workspace, arguments.paths):
            texts = _add(opened, arguments)
    from appellate.store.files import draft

    draft.remember_source(opened.workspace, Path(arguments.paths[0]))
    known = json.loads(opened.workspace.meta(meta.INPUTS) or "{}")
    opened.workspace.set_meta(meta.INPUTS, json.dumps(known | _inputs(arguments.paths)))
    opened.notes[:0] = texts
    return opened


def _open_foreign(arguments: argparse.Namespace, place: AuditFiles, paths: list[Path]) -> Opened:
    """The audit of another tool's file: made of it, or gone on with where it was made before."""
    from appellate.interop import recognise
    from appellate.interop.taking_in import add_again, summary, take_in

    if place.exists:
        opened = resumed(place, arguments.take)
        if not _inputs_known(opened.workspace, arguments.paths):
            try:
                add_again(opened, paths, mapped(arguments), skip_bad=arguments.skip_bad)
            except BaseException:
                opened.workspace.close()
                raise
            opened.workspace.set_meta(meta.INPUTS, json.dumps(_inputs(arguments.paths)))
        return opened
    file = recognise.read(paths, mapped(arguments))
    with telling("Taking in answers and verdicts") as on_progress:
        taken = take_in(
            file, str(paths[-1]), place, running(), on_progress, skip_bad=arguments.skip_bad
        )
    say(*summary(taken, file, paths[-1].name))
    known = json.dumps(_inputs(arguments.paths))
    taken.workspace.set_meta(meta.INPUTS, known)
    taken.workspace.set_meta(meta.JUDGE, "recorded")  # nobody else judges what failed there
    return Opened(taken.workspace, place, taken.notes)


def revised(arguments: argparse.Namespace, opened: Opened) -> list[str]:
    """Takes the rubric that --revise names: what that changed. Call it last; raises Unusable."""
    if not getattr(arguments, "revise", None):
        return []
    from appellate.store.audits import revision
    from appellate.store.files.draft import describe, is_same, remember_source
    from appellate.store.files.rubric_file import load_rubric

    path = Path(arguments.revise)
    workspace = opened.workspace
    with unless_refused(str(path)):
        rubric = load_rubric(path)
        texts = [f"{path} is the rubric that the audit has."]
        if not is_same(workspace.rubric, rubric):
            previewed = dict(revision.preview(workspace, rubric))
            texts = [f"{name}: {sentence}" for name, sentence in previewed.items()]
            reviewer = settings.load(vars(arguments)).settings.reviewer
            bench = Workbench(workspace, opened.place.audit, reviewer)
            texts.append(describe(bench.revise(rubric)))
        remember_source(workspace, path)
    return texts


def _add(opened: Opened, arguments: argparse.Namespace) -> list[str]:
    try:
        with _reading(arguments) as (rubric, traces, texts):
            add_traces(opened, rubric, traces)
    except BaseException:
        opened.workspace.close()
        raise
    return texts


@contextmanager
def _reading(arguments: argparse.Namespace) -> Iterator["tuple[Rubric, TraceReading, list[str]]"]:
    """The rubric, the traces to go through, and notes; raises Unusable with every problem."""
    # an audit that goes on reads none of them
    from appellate.store.files.rubric_file import read_rubric
    from appellate.store.files.trace_file import TraceReading

    rubric = read_rubric(arguments.paths[0])
    known = rubric.value
    if rubric.problems:
        known = None
    with telling("Reading traces") as on_progress:
        traces = TraceReading(
            arguments.paths[1:],
            known,
            skip_bad=arguments.skip_bad,
            on_progress=on_progress,
            read=trace_reader(mapped(arguments)),
        )
        if known is None:
            raise Unusable([*rubric.problems, *traces.problems()])
        texts = list(rubric.notes)
        yield known, traces, texts
    texts += traces.notes
    say(*(f"skipped: {problem}" for problem in traces.skipped))


def trace_reader(given: dict[str, str]) -> "RecordReader":
    """What reads traces: our own reader, or that of tables, also where columns are named, and of
    what another tool writes.
    """
    from appellate.interop import recognise
    from appellate.store.files.trace_source import records

    def read(stream: BinaryIO, file: str, largest: int) -> "Iterator[Record | Problem | str]":
        path = Path(file)
        found = records(stream, file, largest)
        if given or is_table(path):
            return recognise.answers_of(path, given)
        try:
            first = next(found, None)
        except Unusable:
            if recognise.is_of_tool(path):
                return recognise.answers_of(path, given)
            raise
        if first is None:
            return found
        value = getattr(first, "value", None)
        is_trace = isinstance(value, dict) and "id" in value and bool(_ANSWER & value.keys())
        if not is_trace and recognise.is_of_tool(path):
            return recognise.answers_of(path, given)
        return chain([first], found)

    return read


_ANSWER = {"response", "output", "answer", "completion", "messages"}
"""One of these a trace of a file of ours has."""


def check_name(path: Path) -> None:
    """Raises Unusable where no file can have this name: too long, or a link back to itself."""
    try:
        path.stat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise unusable(
            str(path), f"cannot be used: {error.strerror}", "choose another name"
        ) from error


def writable(place: AuditFiles) -> None:
    """Raises Unusable where no audit can be written."""
    for path, option in ((place.audit, "-o"), (place.workspace, "--workspace")):
        folder = path.parent
        if not folder.is_dir():
            raise unusable(str(path), f"there is no folder {folder}", "make it, or choose another")
        if not os.access(folder, os.W_OK):
            wrong = f"the folder {folder.resolve()} cannot be written to"
            right = f"choose another with {option}"
            if path == place.audit and path.exists():
                right = "copy the audit to another folder"
            raise unusable(str(path), wrong, right)
        check_name(path)
        # a device would be replaced by what is renamed to its place
        if path.exists() and not path.is_file():
            raise unusable(str(path), "this is not a file", "choose another name")


def resumed(place: AuditFiles, take: Take | None = None) -> Opened:
    """The audit where it was left; asks where file and workspace disagree, or raises Unusable."""
    try:
        return _resume(place, take)
    except Diverged as diverged:
        answer = ""
        if sys.stdin and sys.stdin.isatty() and sys.stderr.isatty():
            say(diverged, TAKE)
            answer = sys.stdin.readline().strip().lower()[:1]
        taken: dict[str, Take] = {"f": "file", "w": "workspace"}
        if answer not in taken:
            wrong = str(diverged).removeprefix(f"{place.audit} ").rstrip(".")
            right = "choose with --take file or --take workspace"
            raise unusable(str(place.audit), wrong, right) from diverged
        return _resume(place, taken[answer])


def _resume(place: AuditFiles, take: Take | None) -> Opened:
    with telling("Opening the audit") as on_progress:
        return resume(place, take, on_progress=on_progress)


# -- files that were read before ------------------------------------------------------------------


def _inputs(paths: list[str]) -> dict[str, list[int]]:
    """Size and time of each file, by which an unchanged one is not read again."""
    found = {}
    for path in paths:
        if path != "-":
            stat = Path(path).stat()
            found[str(Path(path).resolve())] = [stat.st_size, stat.st_mtime_ns]
    return found


def _inputs_known(workspace: Workspace, paths: list[str]) -> bool:
    known = json.loads(workspace.meta(meta.INPUTS) or "{}")
    try:
        found = _inputs(paths)
    except OSError:
        return False
    return "-" not in paths and all(known.get(path) == stat for path, stat in found.items())
