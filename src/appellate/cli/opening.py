"""Opens the audit that a command line names: finds its files, makes it or continues it.

    caller                             function
    commands that change an audit      at_bench(), open_audit()
    commands that only read one        reading_audit()
    commands that make another audit   writable(), openable(), resumed()

All raise Unusable with a sentence about what is wrong and what would be right.
"""

import argparse
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from appellate.cli.acting import acting
from appellate.cli.outcome import (
    Ended,
    Exit,
    can_ask,
    command,
    notes,
    say,
    telling,
    typed_line,
)
from appellate.core.problem import Refused, Unusable, many
from appellate.installed import running
from appellate.interop import is_foreign, is_table
from appellate.session import settings
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.audits.audit import is_audit
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
from appellate.store.files import text_file
from appellate.store.files.text_file import unusable
from appellate.store.tables import WorkspaceDamaged, WorkspaceUnknown
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Rubric

ONE_OR_TWO = "give RUBRIC and TRACES, or one AUDIT"
TAKE = "Take the [f]ile, take the [w]orkspace, or [q]uit? Whichever is not taken is set aside."

if TYPE_CHECKING:
    from appellate.core.problem import Problem
    from appellate.interop.table_map import TableMap
    from appellate.store.audits.any_audit import AnyAudit
    from appellate.store.files.trace_file import RecordReader, TraceReading
    from appellate.store.files.trace_source import Record


@contextmanager
def at_bench(arguments: argparse.Namespace, *, may_read: bool) -> Iterator[Workbench]:
    """Open the audit of a command line for writing and yield a workbench; close it after the block.

    A workspace is made for an audit file that has none. If its file and its workspace disagree,
    --take says which counts; without it the person is asked at a terminal. With `may_read` an audit
    that another process writes is opened for reading. Notes on the audit are written on standard
    error. Nothing is saved at the end.

    The agent of --agent works at the bench, else the reviewer of the settings, whose name is "" if
    the command has no option --reviewer. Raises Unusable for an audit that does not exist or cannot
    be opened, for an agent without a name or beside --reviewer, and for settings that cannot be
    read.
    """
    options = {"paths": [arguments.audit]} | vars(arguments)
    with open_audit(argparse.Namespace(**options), may_read=may_read) as opened:
        notes(opened.notes)
        actor = acting(arguments)
        yield Workbench(
            opened.workspace,
            opened.place.audit,
            actor.name,
            as_agent=actor.as_agent,
        )


@contextmanager
def unless_refused(place: str) -> Iterator[None]:
    """Raise Unusable about `place` instead of Refused or NotKept within the block.

    Its message is that of the error without its full stop. Other errors pass through.
    """
    try:
        yield
    except (Refused, NotKept) as refusal:
        raise unusable(place, str(refusal).rstrip(".")) from refusal


@contextmanager
def unless_stopped(command: str) -> Iterator[None]:
    """Raise Unusable instead of Refused within the block, and Ended with FAILED instead of NotKept.

    The refusal is about `command`, such as "batch", and its message is the whole sentence of
    Refused. That something could not be saved is said first on standard error. Other errors pass
    through.
    """
    try:
        yield
    except Refused as refusal:
        raise unusable(command, str(refusal)) from refusal
    except NotKept as refusal:
        say(f"Not saved: {refusal}. {refusal.standing}")
        raise Ended(Exit.FAILED) from refusal


def save(bench: Workbench) -> None:
    """Write the audit file; nothing is written if the session only reads.

    Progress is shown on standard error at a terminal. If writing fails, the reason and
    where everything is saved are said there, and Ended is raised with FAILED (1).
    """
    try:
        with telling("Writing the audit") as on_progress:
            bench.save(on_progress)
    except NotWritten as refusal:
        say(refusal, bench.where_saved)
        raise Ended(Exit.FAILED) from refusal


@contextmanager
def reading_audit(path: Path) -> Iterator["AnyAudit"]:
    """Open an audit to be read, yield it, and close it after the block; notes go to standard error.

    It is read from its workspace, which may have facts that are not exported yet. It is
    read from its file if there is no workspace, or if somebody else changed the file. A
    path may also be that of the workspace, which is then read whatever is in the file.
    Nothing is changed. Raises Unusable for an audit that cannot be opened, or whose
    workspace turns out to be damaged within the block.
    """
    # a command that changes an audit does not need this module
    from appellate.store.audits.audit_reading import read_audit

    files = files_named(path)
    with (
        openable(files),
        unless_damaged(files),
        read_audit(files, is_file_named=path == files.audit) as read,
    ):
        notes(read.notes)
        yield read.audit


def files_named(path: Path) -> AuditFiles:
    """Return the files of the audit at a path, which may also be that of its workspace.

    A path that ends in `.db` is a workspace; its audit is the file of the same name that ends in
    `.toml`. Whether they exist is not looked at.
    """
    if path.suffix == ".db":
        return AuditFiles.of(path.with_suffix(".toml"), path)
    return AuditFiles.of(path)


def foreign_files(names: Sequence[str]) -> list[Path]:
    """Return the files that names stand for if all are another tool's, else an empty list.

    Which are another tool's is told by how they begin and by their names (`is_foreign`), not by
    whether they can be read. A folder, except the current one and the root, stands for those files
    in it and below it that are another tool's, in the order of their paths, without hidden ones.
    Raises Unusable for a folder without such a file, and for one with more than `MOST_IN_FOLDER`
    files and folders.
    """
    paths: list[Path] = []
    for name in names:
        path = Path(name)
        if path.is_dir() and path.name:  # neither . nor /
            paths += _foreign_files_in(path)
        elif is_foreign(path):
            paths.append(path)
        else:
            return []
    return paths


def _with_files_of_folders(names: Sequence[str]) -> list[str]:
    """Return `names` with each folder replaced by the other tools' files in it and below it.

    Those come in the order of their paths, and hidden ones are left out. Names that are no folder
    stay as they are, also if there is no such file, and so do the current folder and the root.
    Raises Unusable for a folder without such a file or with too many files.
    """
    files: list[str] = []
    for name in names:
        path = Path(name)
        if path.is_dir() and path.name:
            files += map(str, _foreign_files_in(path))
        else:
            files.append(name)
    return files


MOST_IN_FOLDER = 10_000
"""Files in a folder and below it, at most: more are no folder of results."""


def _foreign_files_in(folder: Path) -> list[Path]:
    """Return the files of other tools in a folder and below it, in the order of their paths.

    Which these are is told by how they begin and by their names (`is_foreign`), not by whether they
    can be read. Hidden files and what is in hidden folders are left out. Raises Unusable if no file
    is left, and if the folder has more than `MOST_IN_FOLDER` files and folders.
    """
    entries = list(islice(folder.rglob("*"), MOST_IN_FOLDER + 1))
    if len(entries) > MOST_IN_FOLDER:
        wrong = f"more than {MOST_IN_FOLDER:,} files are in this folder"
        raise unusable(str(folder), wrong, "name a folder of results alone")
    paths: list[Path] = []
    for path in sorted(entries):
        is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not is_hidden and is_foreign(path):
            paths.append(path)
    if not paths:
        right = "JSON, JSON Lines, CSV, TSV, Excel, Parquet, or Inspect logs"
        raise unusable(str(folder), "no file in this folder is another tool's", right)
    return paths


def labelled_files(arguments: argparse.Namespace) -> tuple[Path, list[Path]] | None:
    """Return the rubric and the other tool's files that a command line names together, or None.

    Their verdicts then label the rubric's own traits. `import` always takes them so, other commands
    only if --map names verdicts; else the result is None. It is None as well if the first name is
    no file of our own, if it is the only one, or if one of the others is no other tool's. Raises
    Unusable for a wrong --map, and for a folder among the others without such a file or with too
    many files.
    """
    rubric = Path(arguments.paths[0])
    if not rubric.is_file() or is_foreign(rubric) or rubric.suffix == ".db":
        return None
    files = foreign_files(arguments.paths[1:])
    if not files:
        return None
    if arguments.command == "import" or table_map_of(arguments).traits:
        return rubric, files
    return None


def table_map_of(arguments: argparse.Namespace) -> "TableMap":
    """Return what --map, --sheet and --join say of tables; without any of them the map is empty.

    --join has one key, or two with `=` between them. An option that the command does not have
    counts as not given. Raises Unusable for an entry of --map that is wrong, and for a file of a
    map that cannot be read.
    """
    from msgspec.structs import replace

    from appellate.interop.table_map import read_map

    table_map = read_map(getattr(arguments, "map", None) or [])
    sheet = getattr(arguments, "sheet", None) or ""
    names = (getattr(arguments, "join", None) or "").split("=")
    keys = tuple(name.strip() for name in names if name.strip())
    return replace(table_map, sheet=sheet, join=keys)


def audit_files_of(arguments: argparse.Namespace) -> AuditFiles:
    """Return the files of the audit that a command line is about, whether they exist or not.

    The audit is what -o names, or else the only name on the command line. A name that ends in .db
    is a workspace, and stands for the .toml of that name. A rubric and traces have NAME.audit.toml
    in the current folder, where NAME is that of the first traces without ending. Files of another
    tool have it after the last of them, and a folder of them, named alone, after the folder. Raises
    Unusable for a folder, for traces from standard input without -o, for an audit besides -o that
    is another one, and for a --workspace that is the audit. The command line must name something.
    """
    foreign = foreign_files(arguments.paths)
    audit = _audit_path(arguments, foreign)
    workspace = Path(arguments.workspace) if arguments.workspace else None
    files = AuditFiles.of(audit, workspace)
    # a link that leads to itself is told where it is opened; `Path.resolve` would raise here
    own_places = {os.path.realpath(files.audit), os.path.realpath(files.workspace)}
    if len(own_places) == 1:
        raise unusable("--workspace", "is the audit itself", "name another file")
    if arguments.audit and len(arguments.paths) == 1 and not foreign:
        (path,) = arguments.paths
        if os.path.realpath(path) not in own_places:
            raise unusable(path, "is not the audit that -o names", ONE_OR_TWO)
    return files


def _audit_path(arguments: argparse.Namespace, foreign: Sequence[Path]) -> Path:
    """Return the path of the audit that a command line is about, as `audit_files_of` says.

    `foreign` are the files of another tool that the command line names. Raises Unusable for a
    folder, and for traces from standard input without -o.
    """
    if arguments.audit:
        audit = Path(arguments.audit)
    elif foreign and len(arguments.paths) == 1 and Path(arguments.paths[0]).is_dir():
        audit = Path(f"{Path(arguments.paths[0]).resolve().name}.audit.toml")
    elif foreign:
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
    return audit


@contextmanager
def open_audit(arguments: argparse.Namespace, *, may_read: bool) -> Iterator[Opened]:
    """Open the audit of a command line for writing, or make it, and yield it for the block.

    It is made of the files that are named if it is missing. Only the workspace is made or
    changed; the audit file is not written. If both disagree, --take says which counts;
    without it the person is asked at a terminal. With `may_read` an audit that another
    process writes is opened for reading, and `held` says so; with --revise it is refused
    nevertheless. Raises Unusable for an audit that cannot be opened.

    Notes are not printed: they are in `notes`. But progress, rows that were left out, and
    what came in from another tool's files are told on standard error.

    The audit is closed after the block. A workspace that is new with this call is deleted
    again if the block raises Unusable or Refused before any fact was saved, because the
    next attempt would find it.
    """
    files = audit_files_of(arguments)
    is_revising = bool(getattr(arguments, "revise", None))
    is_new = not files.exists
    if is_revising and len(arguments.paths) > 1:
        raise unusable("--revise", "goes with one AUDIT, not with RUBRIC TRACES…")
    with openable(files), unless_damaged(files):
        try:
            opened = _open(arguments, files)
        except WorkspaceLocked as locked:
            if is_revising or not may_read or not is_begun(files.workspace):
                raise
            opened = resume(files, readonly=True)
            opened.held = str(locked)

    is_unused = False
    try:
        with opened.workspace as workspace:
            try:
                with unless_damaged(files):
                    yield opened
            except (Unusable, Refused):
                is_unused = is_new and not workspace.facts.last_n()
                raise
    finally:
        if is_unused:
            path = opened.workspace.path
            for ending in ("", "-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)


@contextmanager
def openable(files: AuditFiles) -> Iterator[None]:
    """Raise Unusable instead of an error within the block that keeps an audit from opening.

    Such errors are WorkspaceLocked, WorkspaceDamaged, WorkspaceUnknown, and NotKept for a disk that
    refuses. The message says what to do. Other errors pass through.
    """
    try:
        yield
    except WorkspaceLocked as locked:
        wrong = str(locked).removesuffix(".")
        raise unusable(str(files.audit), wrong, "quit that one first") from locked
    except WorkspaceDamaged as damaged:
        raise unusable(
            str(files.workspace),
            str(damaged),
            _advice_on_damage(files),
        ) from damaged
    except WorkspaceUnknown as unknown:
        raise unusable(
            str(files.workspace),
            str(unknown).rstrip("."),
            unknown.advice,
        ) from unknown
    except NotKept as refusal:
        raise unusable(str(files.workspace), str(refusal), refusal.advice) from refusal


@contextmanager
def unless_damaged(files: AuditFiles) -> Iterator[None]:
    """Raise Unusable instead of an error within the block if the workspace turns out to be damaged.

    Errors that say by themselves what is wrong, such as Unusable, Refused and NotKept, are raised
    as they are (`_WITH_A_SENTENCE`), and the workspace is not looked into. Any other error is
    raised as it is, too, if there is no workspace or no damage is found. One that is just
    `sqlite3.DatabaseError`, no subclass, is itself damage. The message of Unusable says what to do.
    """
    try:
        yield
    except _WITH_A_SENTENCE:
        raise
    except Exception as error:
        from appellate.store.damage import damage

        if not files.workspace.exists():
            raise
        found_damage = damage(files.workspace)
        if not found_damage and type(error) is sqlite3.DatabaseError:
            # an index may be spoilt, which reading never meets
            found_damage = str(error)
        if not found_damage:
            raise
        path = str(files.workspace)
        raise unusable(
            path,
            f"it is damaged: {found_damage}",
            _advice_on_damage(files),
        ) from error


_WITH_A_SENTENCE = (
    Ended,
    Unusable,
    Refused,
    Diverged,
    NotKept,
    WorkspaceLocked,
    WorkspaceUnknown,
)
"""Errors that say what is wrong by themselves: the workspace need not be searched for damage."""


def _advice_on_damage(files: AuditFiles) -> str:
    """Return in a clause what to do about a damaged workspace without losing what only it has.

    Without an audit file the advice is to put a copy of that file there. With one it is to
    move the workspace away. The clause says how many facts the file lacks, as far as that
    can be read.
    """
    if not files.audit.exists():
        return (
            f"there is no {files.audit.name} to rebuild it from: put a copy of it there"
        )
    name = files.workspace.name
    log = f"{name}-wal"  # only this may have what was done last
    moved = f"move {name} away, and {log} if there is one, keep both, and open the audit again"
    missing_facts = unexported(files)
    if missing_facts is None:
        return f"{files.audit.name} has all that was exported, the workspace may have more: {moved}"
    if missing_facts > 0:
        return f"{files.audit.name} has all but the last {many(missing_facts, 'fact')}: {moved}"
    return f"{files.audit.name} has everything: {moved}"


def _open(arguments: argparse.Namespace, files: AuditFiles) -> Opened:
    """Open the audit of a command line for writing and return it; the caller closes it.

    One file is the audit to continue. A rubric and traces make a new audit, or add to the audit
    what it lacks of them. So do files of another tool, alone or after a rubric whose traits their
    verdicts label. Files that are unchanged since are not read again. If file and workspace
    disagree, --take says which counts; without it the person is asked at a terminal.

    Only the workspace is written, and it remembers the files. Progress, rows left out, and what
    came in from another tool are told on standard error; other notes are in `notes` of what is
    returned. Raises Unusable, and the errors that `openable` turns into Unusable.
    """
    writable(files)
    foreign = foreign_files(arguments.paths)
    if foreign:
        return _open_foreign(arguments, files, foreign)
    labelled = labelled_files(arguments)
    if labelled is not None:
        from appellate.store.files.rubric_file import load_rubric

        rubric_file, table_files = labelled
        return _open_foreign(arguments, files, table_files, load_rubric(rubric_file))
    paths = [*arguments.paths[:1], *_with_files_of_folders(arguments.paths[1:])]
    arguments = argparse.Namespace(**{**vars(arguments), "paths": paths})
    if len(arguments.paths) == 1:
        path = Path(arguments.paths[0])
        if not files.exists or (files.audit.exists() and not is_audit(files.audit)):
            if not path.exists():
                right = "RUBRIC TRACES… start a new one"
                raise unusable(str(path), "there is no such audit", right)
            with text_file.opened(path):  # raises if that is why nobody can tell
                raise unusable(str(path), "is not an audit", ONE_OR_TWO)
        return resumed(files, arguments.take)
    if not files.exists:
        with _reading_named_files(arguments) as (rubric, traces):
            opened = create(files, rubric, traces, running())
        texts = traces.notes
    else:
        opened = resumed(files, arguments.take)
        texts = []
        if not _were_read(opened.workspace, arguments.paths):
            texts = _add_named_files(opened, arguments)
    from appellate.store.files import draft

    draft.remember_source(opened.workspace, Path(arguments.paths[0]))
    files_read = json.loads(opened.workspace.meta(meta.INPUTS) or "{}")
    files_read |= _sizes_and_times(arguments.paths)
    opened.workspace.set_meta(meta.INPUTS, json.dumps(files_read))
    opened.notes[:0] = texts
    return opened


def _how_to_revise(audit: Path, rubric_name: str) -> str:
    """Return a clause on how an audit takes a changed rubric, by a command or as a new audit.

    The command is `appellate judge AUDIT --revise RUBRIC`; -o starts a new audit. `rubric_name` is
    the file as the person named it.
    """
    revise = command("judge", audit, "--revise", rubric_name)
    return f"take it with: {revise}, or start a new audit with -o"


def stem_of(audit: Path) -> str:
    """Return the name of an audit's file without `.audit.toml`, `.toml` or `.audit` at its end."""
    return audit.name.removesuffix(".toml").removesuffix(".audit")


def _how_to_start_anew(audit: Path, words: Sequence[str]) -> str:
    """Return a clause: answers under review keep their questions, and the command for a new audit.

    The command is that of `words`, with -o and the first free name next to `audit`, numbered from
    2: x-2.audit.toml. A table has no rubric to revise by, since its questions are made of the table
    itself. Nothing is created.
    """
    stem = stem_of(audit)
    names = (audit.with_name(f"{stem}-{n}.audit.toml") for n in count(2))
    free = next(name for name in names if not AuditFiles.of(name).exists)
    new_audit = command(*_without_audit(words), "-o", free)
    return f"answers under review keep their questions; a new audit: {new_audit}"


def _without_audit(words: Sequence[str]) -> list[str]:
    """Return the words of a command line without -o, --audit, --workspace and their values.

    A value may be a word of its own, follow a `=`, or follow -o directly: any word that begins with
    "-o" is left out. Other words stay as they are, in their order.
    """
    kept: list[str] = []
    is_value = False
    for word in words:
        option, has_value, _ = word.partition("=")
        if is_value:
            is_value = False
        elif option in ("-o", "--audit", "--workspace"):
            is_value = not has_value
        elif not (word.startswith("-o") and len(word) > len("-o")):
            kept.append(word)
    return kept


def _open_foreign(
    arguments: argparse.Namespace,
    files: AuditFiles,
    paths: list[Path],
    rubric: Rubric | None = None,
) -> Opened:
    """Make an audit of another tool's files, or continue the one made of them, and return it.

    With a `rubric` the files' verdicts are on its traits. If several people share cells, `import`
    sets `arguments.person` to the only one whose verdicts count here; without it all count. --blind
    claims that people ruled blind. With --skip-bad rows that cannot be used are left out. An audit
    that exists gets the traces that it lacks, unless the files are unchanged since they were read.
    If its file and workspace disagree, --take says which counts; without it the person is asked at
    a terminal.

    Only the workspace is written, and it remembers the files; the caller closes the audit.
    Progress, and what a new audit took in, are told on standard error; what came into an existing
    one is in `notes` of what is returned. Raises Unusable, with the audit closed, for files that
    cannot be taken in or that do not fit the audit, and if the person does not answer. Raises the
    errors that `openable` turns into Unusable.
    """
    from appellate.interop import recognise
    from appellate.interop.taking_in import add_again, summary, take_in
    from appellate.interop.together import names_of

    names = list(map(str, paths))
    if files.exists:
        opened = resumed(files, arguments.take)
        if _were_read(opened.workspace, names):
            return opened
        advice = _how_to_start_anew(opened.place.audit, arguments.words)
        if rubric is not None:
            advice = _how_to_revise(opened.place.audit, arguments.paths[0])
        try:
            add_again(
                opened,
                paths,
                table_map_of(arguments),
                skip_bad=arguments.skip_bad,
                rubric=rubric,
                rubric_advice=advice,
                **_whose_verdicts(arguments),
            )
        except BaseException:
            opened.workspace.close()
            raise
        opened.workspace.set_meta(meta.INPUTS, json.dumps(_sizes_and_times(names)))
        return opened

    file = recognise.read(paths, table_map_of(arguments))
    with telling("Taking in answers and verdicts") as on_progress:
        taken = take_in(
            file,
            str(paths[-1]),
            files,
            running(),
            on_progress,
            skip_bad=arguments.skip_bad,
            rubric=rubric,
            **_whose_verdicts(arguments),
        )
    say(*summary(taken, file, names_of(paths)))
    taken.workspace.set_meta(meta.INPUTS, json.dumps(_sizes_and_times(names)))
    if rubric is None:
        # no other judge takes over what failed there
        taken.workspace.set_meta(meta.JUDGE, "recorded")
    return Opened(taken.workspace, files, taken.notes)


def _whose_verdicts(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return whose verdicts an import takes in, as keyword arguments of `take_in` and `add_again`.

    `person` is the name of the only person, or "" for everybody: `import` sets it for each audit of
    people who share cells. `is_claimed_blind` says whether --blind claims that people ruled blind.
    For other commands they are "" and False.
    """
    return {
        "person": getattr(arguments, "person", ""),
        "is_claimed_blind": getattr(arguments, "blind", False),
    }


def revised(arguments: argparse.Namespace, opened: Opened) -> list[str]:
    """Replace the audit's rubric by the one that --revise names; return sentences on what changed.

    Without --revise the list is empty. A rubric that is the audit's own already changes nothing,
    which the list says. Either way the workspace remembers the file as the rubric's source; the
    audit file is not written. It must be called after everything else that may refuse the command.
    Raises Unusable for a rubric or settings that cannot be read, and for a revision that is refused
    or cannot be saved.
    """
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
            sentences = dict(revision.preview(workspace, rubric))
            texts = [f"{name}: {sentence}" for name, sentence in sentences.items()]
            reviewer = settings.load(vars(arguments)).settings.reviewer
            bench = Workbench(workspace, opened.place.audit, reviewer)
            texts.append(describe(bench.revise(rubric)))
        remember_source(workspace, path)
    return texts


def _add_named_files(opened: Opened, arguments: argparse.Namespace) -> list[str]:
    """Add the rubric and the traces of a command line to an open audit; return notes on the files.

    Progress is shown on standard error, and with --skip-bad wrong traces are left out and said
    there. The audit file is not written. If anything raises, the audit is closed. Raises Unusable
    with every problem of the files, and for a rubric or a trace that differs from the audit's.
    Raises NotKept if the disk refuses. Nothing is added then.
    """
    try:
        with _reading_named_files(arguments) as (rubric, traces):
            add_traces(
                opened,
                rubric,
                traces,
                rubric_advice=_how_to_revise(opened.place.audit, arguments.paths[0]),
            )
    except BaseException:
        opened.workspace.close()
        raise
    return traces.notes


@contextmanager
def _reading_named_files(
    arguments: argparse.Namespace,
) -> Iterator["tuple[Rubric, TraceReading]"]:
    """Yield the rubric and the traces that a command line names; the block goes through the traces.

    Progress is shown on standard error. With --skip-bad wrong traces are left out, and said there
    after the block. Notes on all files are then in `notes` of the traces, those on the rubric
    first. Raises Unusable before the block for a wrong --map, and for a wrong rubric with the
    problems of the traces, too. Else the traces raise Unusable with all of their problems, inside
    the block, once it has gone through them.
    """
    # a command that continues an audit needs neither module
    from appellate.store.files.rubric_file import read_rubric
    from appellate.store.files.trace_file import TraceReading

    rubric = read_rubric(arguments.paths[0])
    usable_rubric = rubric.value
    if rubric.problems:
        usable_rubric = None
    with telling("Reading traces") as on_progress:
        traces = TraceReading(
            arguments.paths[1:],
            usable_rubric,
            skip_bad=arguments.skip_bad,
            on_progress=on_progress,
            read=trace_reader(table_map_of(arguments)),
            notes=list(rubric.notes),
        )
        if usable_rubric is None:
            raise Unusable([*rubric.problems, *traces.problems()])
        yield usable_rubric, traces
    say(*(f"skipped: {problem}" for problem in traces.skipped))


def trace_reader(table_map: "TableMap | None" = None) -> "RecordReader":
    """Return the function that reads the records of a file of traces.

    It takes the open file, its name and the most bytes it may have. Tables are read as `interop`
    reads them, and so are all files if `table_map` says anything. A file of another tool is, too,
    unless its first record has an id and an answer: such a file is ours, and is read as it is. The
    function raises Unusable for a file that cannot be read.
    """
    from appellate.interop import recognise
    from appellate.interop.table_map import NOTHING_MAPPED
    from appellate.store.files.trace_source import records

    table_map = table_map or NOTHING_MAPPED

    def read(
        stream: BinaryIO,
        file: str,
        largest: int,
    ) -> "Iterator[Record | Problem | str]":
        """Return the records of a file to go through, as whichever tool wrote it.

        Anything mapped, and any table, is read by `interop`. A file that another tool wrote
        is read by it as well, unless its first record is a trace of ours. Any other is read
        as ours. `stream` is the file open for reading, `file` its name, and `largest` the
        most bytes it may have. Raises Unusable if its first record cannot be read; for
        later records going through them raises it.
        """
        path = Path(file)
        own_records = records(stream, file, largest)
        if table_map or is_table(path):
            return recognise.answers_of(path, table_map)
        try:
            first = next(own_records, None)
        except Unusable:
            if recognise.is_of_tool(path):
                return recognise.answers_of(path, table_map)
            raise
        if first is None:
            return own_records

        value = getattr(first, "value", None)
        is_trace = False
        if isinstance(value, dict):
            is_trace = "id" in value and not _ANSWER.isdisjoint(value)
        if not is_trace and recognise.is_of_tool(path):
            return recognise.answers_of(path, table_map)
        return chain([first], own_records)

    return read


_ANSWER = {"response", "output", "answer", "completion", "messages"}
"""Keys of the answer: a trace in a file of ours has one of them."""


def check_name(path: Path) -> None:
    """Raise Unusable for a path that the system refuses to look up: too long, or a link to itself.

    It is raised as well if a folder of the path may not be entered. A path without a file passes,
    and so does one with a file or folder.
    """
    try:
        path.stat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise unusable(
            str(path),
            f"cannot be used: {error.strerror}",
            "choose another name",
        ) from error


def writable(files: AuditFiles) -> None:
    """Raise Unusable if the audit file or its workspace could not be written.

    Both need a folder that exists and may be written to, and a name that a file can have. What is
    there already must be a file, and no folder or device. A file that is itself read-only passes,
    since it is replaced. Nothing is written.
    """
    for path, option in ((files.audit, "-o"), (files.workspace, "--workspace")):
        folder = path.parent
        if not folder.is_dir():
            raise unusable(
                str(path),
                f"there is no folder {folder}",
                "make it, or choose another",
            )
        if not os.access(folder, os.W_OK):
            wrong = f"the folder {folder.resolve()} cannot be written to"
            right = f"choose another with {option}"
            if path == files.audit and path.exists():
                right = "copy the audit to another folder"
            raise unusable(str(path), wrong, right)
        check_name(path)
        # a device would be replaced when the finished file is renamed to this name
        if path.exists() and not path.is_file():
            raise unusable(str(path), "this is not a file", "choose another name")


def resumed(files: AuditFiles, take: Take | None = None) -> Opened:
    """Open an existing audit for writing, as it was left, and return it; the caller closes it.

    A workspace is made for an audit file that has none. If file and workspace disagree, `take` says
    which one counts; for None the person is asked at a terminal, on standard error. The other one
    is set aside. Progress is shown there, too; notes are in `notes` of what is returned. Raises
    Unusable without an answer, and the errors that `openable` turns into Unusable.
    """
    try:
        return _resume(files, take)
    except Diverged as diverged:
        answer = ""
        if can_ask():
            say(diverged, TAKE)
            answer = typed_line().lower()[:1]
        choices: dict[str, Take] = {"f": "file", "w": "workspace"}
        if answer not in choices:
            wrong = str(diverged).removeprefix(f"{files.audit} ").rstrip(".")
            right = "choose with --take file or --take workspace"
            raise unusable(str(files.audit), wrong, right) from diverged
        return _resume(files, choices[answer])


def _resume(files: AuditFiles, take: Take | None) -> Opened:
    """Open an existing audit and return it; progress is shown on standard error at a terminal.

    A workspace is made for an audit file that has none. `take` says which one counts if file and
    workspace disagree, and the other is set aside. Raises Diverged if they do and it is None.
    Raises the errors that `openable` turns into Unusable.
    """
    with telling("Opening the audit") as on_progress:
        return resume(files, take, on_progress=on_progress)


# -- files that were read before ------------------------------------------------------------------


def _sizes_and_times(paths: Sequence[str]) -> dict[str, list[int]]:
    """Return the size (bytes) and time of change (nanoseconds) of each file, by its full path.

    Standard input is left out. Raises OSError for a file that does not exist.
    """
    states = {}
    for path in paths:
        if path != "-":
            stat = Path(path).stat()
            states[str(Path(path).resolve())] = [stat.st_size, stat.st_mtime_ns]
    return states


def _were_read(workspace: Workspace, paths: Sequence[str]) -> bool:
    """Return whether the workspace has read these files before and they are unchanged.

    A file is unchanged if its size and its time of change are. Returns False if one is standard
    input or does not exist, and True for no files.
    """
    if "-" in paths:
        return False
    states_when_read = json.loads(workspace.meta(meta.INPUTS) or "{}")
    try:
        states = _sizes_and_times(paths)
    except OSError:
        return False
    return all(states_when_read.get(path) == state for path, state in states.items())
