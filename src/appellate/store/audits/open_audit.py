"""Opening an audit: new, to resume, or from another machine; and what is in the way."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.describe import is_lexical
from appellate.core.facts import Fact, Failed, Proposed, What
from appellate.core.problem import Problem, Refused, Unusable, many, quoted
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace
from appellate.store import meta
from appellate.store.audits.audit import AuditedCell, CellKey
from appellate.store.audits.audit_sync import (
    digest,
    fall_behind,
    forget,
    is_own,
    remember,
    text_digest,
    workspace_path,
)
from appellate.store.database import (
    NotKept,
    WorkspaceLocked,
    connected_aside,
    growing,
    is_begun,
    locked,
)
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import emit
from appellate.store.tables import VERSION
from appellate.store.trace_rows import bounded
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Rubric

if TYPE_CHECKING:
    from appellate.store.audits.audit_file import AuditedTrace, AuditFileReading


@contextmanager
def making(
    path: Path,
    rubric: Rubric,
    version: str,
    aside: Path | None = None,
) -> Iterator[Workspace]:
    """Make a workspace of a rubric, and yield it to be filled: all of it or nothing.

    It is at `path` once the block is left, open and with its lock, and nowhere if the block raises.
    `version` is that of the program that made it. A workspace that is there is kept as `aside`.
    Raises WorkspaceLocked if there is one and no such name, or if another process reads it or makes
    one; Unusable if none can be made there, and NotKept if the disk refuses.
    """
    place = path.resolve()
    temporary = growing(path)
    with ExitStack() as undone:
        try:
            lock = locked(path)
            undone.callback(lock.release)
            if aside is None and is_begun(place):
                raise WorkspaceLocked(f"{path} was made by another process meanwhile.")
            _begin(temporary)
            undone.callback(temporary.unlink, missing_ok=True)
        except OSError as error:
            raise unusable(
                str(path),
                f"cannot be made here: {error.strerror}",
            ) from error
        workspace = Workspace(temporary, blank=(rubric, version))
        undone.callback(workspace.detach)
        with workspace.transaction():
            yield workspace
        workspace.detach()
        try:
            _put(temporary, place, aside)
        except (OSError, sqlite3.OperationalError) as error:
            raise NotKept.by_disk(error) from error
        workspace.attach(path, lock)
        undone.pop_all()


def elsewhere(workspace: Workspace, path: Path) -> None:
    """Copy an open workspace to a new file, and continue in that.

    The old file may have been deleted or replaced, since the open one still holds everything.
    Raises Refused if there is a file at `path`, WorkspaceLocked if another process makes one there,
    and NotKept if the disk refuses.
    """
    place = path.resolve()
    temporary = growing(path)
    with ExitStack() as undone:
        try:
            lock = locked(path)
            undone.callback(lock.release)
            if place.exists():
                raise Refused(f"There is a file {path} already: name another.")
            _begin(temporary)
            undone.callback(temporary.unlink, missing_ok=True)
            with closing(sqlite3.connect(temporary)) as copy:
                workspace.db.backup(copy)
            _put(temporary, place, None)
        except (OSError, sqlite3.Error) as error:
            raise NotKept.by_disk(error) from error
        workspace.move(path, lock)
        undone.pop_all()


def _begin(path: Path) -> None:
    """Make an empty file that only its owner may read and write.

    Raises FileExistsError if there is one, and OSError if none can be made.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, atomic.PRIVATE))


def _put(temporary: Path, place: Path, aside: Path | None) -> None:
    """Move a finished workspace to its place, durably, and one that is there to `aside`.

    Without `aside` there must be none. Raises WorkspaceLocked if somebody reads the old one, and
    OSError or sqlite3.OperationalError if the disk refuses.
    """
    atomic.sync_path(temporary)
    if aside:
        with closing(sqlite3.connect(place, isolation_level=None)) as db:
            # takes all into the file itself
            (busy, *_) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise WorkspaceLocked(f"{place.name} is being read by another process.")
        place.replace(aside)
    for ending in ("-wal", "-shm", "-journal"):  # they would be taken for the new one's
        place.with_name(place.name + ending).unlink(missing_ok=True)
    temporary.replace(place)
    atomic.sync_folder(place.parent)


Take = Literal["file", "workspace"]


class Diverged(Exception):
    """Somebody else changed the audit file since this workspace wrote it; the message says how."""


class AuditFiles(Struct, frozen=True):
    """The two files of an audit; either may be missing."""

    audit: Path
    workspace: Path

    @classmethod
    def of(cls, audit: Path, workspace: Path | None = None) -> "AuditFiles":
        """Return the files of an audit; without `workspace` that is at `workspace_path(audit)`."""
        return cls(audit, workspace or workspace_path(audit))

    @property
    def exists(self) -> bool:
        """Whether there is an audit file, or a workspace that holds work."""
        return self.audit.exists() or is_begun(self.workspace)


class Opened(Struct):
    """An audit whose workspace is open."""

    workspace: Workspace
    place: AuditFiles
    notes: list[str] = field(default_factory=list)
    """What the person should know, in sentences."""
    held: str = ""
    """Who else writes the workspace, in a sentence; "" if nobody does."""


def create(
    place: AuditFiles,
    rubric: Rubric,
    traces: Iterable[Trace],
    version: str,
) -> Opened:
    """Make and open a workspace with these traces; the audit file is written on the first save.

    `version` is that of the program. Raises Unusable if it cannot be made, WorkspaceLocked if there
    is one already, and NotKept if the disk refuses. Nothing is left of it then.
    """
    with making(place.workspace, rubric, version) as workspace:
        workspace.add_all(traces)
    return Opened(workspace, place)


def resume(
    place: AuditFiles,
    take: Take | None = None,
    *,
    readonly: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> Opened:
    """Open an audit where it was left, from its workspace, or from its file alone.

    If somebody else changed the file, `take` says which of the two is taken; the other one is kept.
    Raises Diverged, with nothing changed, if it is None. With `readonly` a workspace that is there
    is opened to be read, whatever is in the file. Notes of the result say what a person should
    know, such as how many facts the file lacks. Raises what opening or making a workspace raises
    (WorkspaceUnknown, WorkspaceLocked, NotKept), Unusable with every problem of a file that is
    read, and OSError if the changed file cannot be read.
    """
    if not is_begun(place.workspace):
        return _rebuild(place, on_progress)
    workspace = Workspace(place.workspace, readonly=readonly, on_progress=on_progress)
    opened = Opened(workspace, place)
    if workspace.was_version != VERSION:
        up = f"was brought up to workspace version {VERSION}"
        opened.notes.append(f"{place.workspace.name} {up}.")
    try:
        is_taken = (
            readonly
            or is_own(workspace, place.audit)
            or _says_the_same(workspace, place.audit)
        )
        # it rules: the file as it is now (it stays once as `.bak`) may go
        if not is_taken and take == "workspace":
            forget(workspace, place.audit, digest(place.audit))
            is_taken = True
        ahead = missing_facts(place, workspace.db)
    except BaseException:
        with suppress(NotKept, sqlite3.Error):
            workspace.close()
        raise
    facts = many(ahead, "fact")
    if is_taken:
        if ahead:
            name = place.audit.name
            note = f"The workspace is {facts} ahead of {name}; nothing is lost."
            opened.notes.append(note)
        return opened

    workspace.close()
    if take == "file":
        return _rebuild(place, on_progress)
    text = (
        f"{place.audit} was changed by someone else since this workspace last wrote it"
    )
    if ahead:
        text += f", and the workspace holds {facts} that the file does not have"
    raise Diverged(f"{text}.")


def _says_the_same(workspace: Workspace, audit: Path) -> bool:
    """Return whether the audit file is what this workspace would write; if so, note that.

    Raises OSError if the file cannot be read, and NotKept if the disk refuses.
    """
    sha256 = text_digest(workspace)
    if sha256 != digest(audit):
        return False
    remember(workspace, audit, workspace.facts.last_n(), sha256)
    return True


def unexported(place: AuditFiles) -> int | None:
    """Return how many facts of a workspace its audit file lacks; None if they cannot be read.

    It is 0 without a workspace. The audit file is not read, as in `missing_facts`, and SQLite makes
    no file beside the workspace.
    """
    path = place.workspace
    if not path.exists():
        return 0
    try:
        with closing(connected_aside(path)) as db:
            return missing_facts(place, db)
    except (sqlite3.Error, LookupError, TypeError, ValueError):
        return None


def missing_facts(place: AuditFiles, db: sqlite3.Connection) -> int:
    """Return how many facts of a workspace were written after its audit file was last written.

    The number of the last fact then is subtracted from that of the last fact now; the file is not
    read. If there is no file, or none was written, the number of the last fact is returned.
    """
    (last,) = db.execute("SELECT ifnull(max(n), 0) FROM facts").fetchone()
    if not place.audit.exists():
        return int(last)
    row = db.execute("SELECT value FROM meta WHERE key = ?", (meta.WRITTEN,)).fetchone()
    if row is None:
        return int(last)
    (written,) = row
    if not written:
        return int(last)
    last_written = json.loads(written)["n"]
    return int(last) - int(last_written)


def _rebuild(place: AuditFiles, on_progress: OnProgress) -> Opened:
    """Make and open a workspace from an audit file alone; one that was there is set aside.

    Raises Unusable with every problem of the file or if none can be made, WorkspaceLocked if
    somebody uses the old one, and NotKept if the disk refuses.
    """
    # not before the first paint, as a workspace is opened without the file
    from appellate.store.audits.audit_file import read_audit_file

    return read_audit_file(
        place.audit,
        lambda reading: _rebuild_from(place, reading),
        on_progress,
    )


def _free_name(workspace: Path) -> Path:
    """Return a path beside a workspace that no file has, to set the workspace aside.

    It has the workspace's name with `.old` after it, or else `.old1`, `.old2` and so on.
    """
    aside = workspace.with_name(f"{workspace.name}.old")
    number = 0
    while aside.exists():
        number += 1
        aside = workspace.with_name(f"{workspace.name}.old{number}")
    return aside


def _rebuild_from(place: AuditFiles, reading: "AuditFileReading") -> Opened:
    """Make and open a workspace of an audit file that is being read.

    One that was there is set aside under another name. Notes say what was set aside, which numbers
    are counted differently, and which sign-offs do not count any more. Raises what `making` raises,
    and Unusable with every problem of the file.
    """
    aside = None
    texts: list[str] = []
    if is_begun(place.workspace):
        aside = _free_name(place.workspace)
        texts.append(f"The workspace that was there is now {aside.name}.")
    with making(place.workspace, reading.rubric, reading.version, aside) as workspace:
        unsettled = _restore(workspace, reading, reading)
        remember(workspace, place.audit, workspace.facts.last_n(), digest(place.audit))
        if reading.is_changed:
            fall_behind(workspace)
    if reading.recounted:
        texts.append(reading.recounted)
    if unsettled and reading.is_changed:
        signed = many(unsettled, "sign-off does", "sign-offs do")
        texts.append(
            f"{signed} not count any more, as what was read was changed since: the filter"
            " is:unsettled finds what to sign off again.",
        )
    return Opened(workspace, place, texts)


def rescue(audit: Path, changed: Iterable[Cell], workspace: Path) -> None:
    """Make a workspace of an audit file, in which the cells of `changed` have their later states.

    The workspace is closed at the end. Raises Unusable with every problem of the file, or if it
    lacks such a cell, WorkspaceLocked if there is a workspace already, and NotKept if the disk
    refuses. Then none is made.
    """
    from appellate.store.audits.audit_file import read_audit_file  # as above

    later = list(changed)

    def take(reading: "AuditFileReading") -> None:
        """Make and close a workspace of the traces that are read, with later states of cells.

        Raises Unusable if the file lacks one of the cells of `later` or has a problem, and what
        `making` raises. There is no workspace then.
        """
        with making(workspace, reading.rubric, reading.version) as new_workspace:
            latest = {
                (cell.subject.trace.key, cell.subject.trait.name): cell
                for cell in later
            }
            _restore(new_workspace, reading, _with_later_cells(reading, latest))
            if latest:
                raise unusable(
                    str(audit),
                    "it lacks traces that were added since it was written",
                )
        new_workspace.close()

    read_audit_file(audit, take)


def _with_later_cells(
    traces: Iterable["AuditedTrace"],
    latest: dict[CellKey, Cell],
) -> Iterator["AuditedTrace"]:
    """Yield the traces with cells as `latest` has them, and take those out of `latest`.

    Cells that it lacks stay as they are. What is left in it at the end is in none of the traces.
    """
    for audited in traces:
        cells: list[AuditedCell] = []
        for audited_cell in audited.cells:
            cell = latest.pop(audited_cell.key, audited_cell.cell)
            cells.append(replace(audited_cell, cell=cell))
        yield replace(audited, cells=cells)


def _restore(
    workspace: Workspace,
    reading: "AuditFileReading",
    traces: Iterable["AuditedTrace"],
) -> int:
    """Fill a new workspace with these traces of an audit file, and with what the file's top says.

    `traces` come from `reading`, as they are or with later facts. Returns how many sign-offs do not
    count any more because what was read changed afterwards. The workspace notes which judge may go
    on unasked: the last one that was asked, if it may. Raises what iterating over `traces` raises.
    """
    if reading.extra:
        workspace.set_meta(meta.EXTRA, "".join(emit(reading.extra)))
    for trait in reading.earlier.values():
        workspace.keep_earlier(trait)
    last: tuple[int, Mapping[str, Any]] = (0, {})
    unsettled = 0
    for batch in bounded(traces, _size_of_audited):
        extras = {
            audited_trace.trace.key: audited_trace.extra for audited_trace in batch
        }
        workspace.add_all([audited_trace.trace for audited_trace in batch], extras)
        for audited in chain.from_iterable(
            audited_trace.cells for audited_trace in batch
        ):
            number = workspace.cells.number(*audited.key)
            workspace.restore(number, audited.cell, audited.extra)
            last = max(last, _last_asked(audited.cell), key=itemgetter(0))
            unsettled += audited.cell.unsettled is not None
    for fact in reading.design:
        workspace.design.insert(fact)
    workspace.set_meta(meta.JUDGE, _judge_to_go_on(last[1]))
    return unsettled


def _size_of_audited(audited: "AuditedTrace") -> int:
    """Return how many characters a trace of an audit file counts for, as JSON."""
    return len(audited.trace.model_dump_json())


def _last_asked(cell: Cell) -> tuple[int, Mapping[str, Any]]:
    """Return the number of the last fact by which a model was asked, and the judge's record.

    Failed attempts count. That is 0 and an empty record for a cell that no model was asked of, and
    for one whose trait asks no model.
    """
    if cell.subject.source_name != "model":
        return 0, {}
    for fact in reversed(cell.facts):
        if isinstance(fact.what, Proposed | Failed):
            return fact.n, fact.what.judge
    return 0, {}


def _judge_to_go_on(judge: Mapping[str, Any]) -> str:
    """Return the name of the judge that may go on unasked, else "recorded", which asks nobody.

    `judge` is the record of a judge in a proposal. The lexical baseline may go on, and a model that
    this program has asked: its record has a `template_sha256`, the hash of a prompt's template. A
    judge of another tool may not, nor one without a name.
    """
    name = judge.get("name")
    if name and (is_lexical(name) or "template_sha256" in judge):
        return str(name)
    return "recorded"


# -- rubric and traces given again ----------------------------------------------------------------

Happened = Mapping[str, Sequence[Fact]]
"""What happened to the cells of a trace, by their traits."""


def add_traces(
    opened: Opened,
    rubric: Rubric,
    traces: Iterable[Trace],
    happened: Callable[[Trace], Happened] = lambda _trace: {},
    *,
    rubric_advice: str = "start a new audit with -o",
) -> None:
    """Add the traces that are new, with what happened to their cells, to an open audit.

    A sentence in the notes of `opened` says how many, if any were new. Raises Unusable, with
    nothing added and every difference named, if the rubric differs, if a trace that is there
    already differs, or if other things happened to its cells. `rubric_advice` says what can be done
    about a rubric that differs, at the last of its differences. Raises NotKept, with nothing added,
    if the disk refuses.
    """
    workspace = opened.workspace
    audit = str(opened.place.audit)
    problems = [
        Problem(audit, where, "differs from the rubric of this audit")
        for where in differences(workspace.rubric.to_file(), rubric.to_file())
    ]
    if problems:
        problems[-1] = replace(problems[-1], right=rubric_advice)
    with workspace.transaction():
        fresh = _new_traces(workspace, audit, traces, happened, problems)
        added = workspace.add_known((trace, happened(trace)) for trace in fresh)
        if problems:
            raise Unusable(problems)
    if added:
        new_traces = many(added, "new trace")
        opened.notes.append(f"{new_traces} added.")


def _new_traces(
    workspace: Workspace,
    audit: str,
    traces: Iterable[Trace],
    happened: Callable[[Trace], Happened],
    problems: list[Problem],
) -> Iterator[Trace]:
    """Yield the traces that the workspace lacks; compare the others with it and add to `problems`.

    A trace that the workspace has is a problem for each field, except its judgments, that differs,
    and for each trait whose facts, as `happened` gives them, are not the first facts of its cell by
    person and event. Once there is a problem, also one that was there before, no trace is yielded,
    but the rest are still compared.
    """
    for trace in traces:
        number = workspace.traces.number(trace.key)
        if number is not None:
            where = f"trace {trace.id!r}"
            if trace.epoch != 1:
                where += f" epoch {trace.epoch}"
            right = "give it another id, or start a new audit with -o"
            for key in other_fields(workspace.traces.get(number), trace, {"judgments"}):
                wrong = f"its {key} is not the one under review"
                problems.append(Problem(audit, where, wrong, right))
            cells = workspace.cells.of_trace(number)
            for trait, facts in happened(trace).items():
                existing_facts = (
                    workspace.cell(cells[trait])[1].facts if trait in cells else ()
                )
                if _who_did_what(facts) != _who_did_what(existing_facts)[: len(facts)]:
                    wrong = (
                        f"its verdict on {quoted(trait)} is not the one that came in"
                    )
                    problems.append(Problem(audit, where, wrong, right))
        elif not problems:
            yield trace


def _who_did_what(facts: Sequence[Fact]) -> list[tuple[str, What]]:
    """Return who did what in each fact, which is what two histories are compared by."""
    return [(fact.by, fact.what) for fact in facts]


def other_fields(first_trace: Trace, second_trace: Trace, aside: set[str]) -> list[str]:
    """Return the names of the fields in which two traces differ, in the order of the fields.

    Those in `aside` are left out. NaN is the same as NaN.
    """
    first_fields = first_trace.model_dump(exclude=aside)
    second_fields = second_trace.model_dump(exclude=aside)
    differing: list[str] = []
    for key, value in first_fields.items():
        # compared as JSON, since NaN is not itself
        if json.dumps(value) != json.dumps(second_fields[key]):
            differing.append(key)
    return differing


def differences(old: Any, new: Any, path: str = "rubric") -> Iterator[str]:
    """Yield the key paths at which two values of a file differ, as `rubric.metric_traits[0].name`.

    Each begins with `path`, which is yielded itself if the values differ and are neither two tables
    nor two lists of one length. Such lists are compared by index. A key that only one table has
    differs unless its value is None.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        keys = {**old, **new}
        for key in keys:
            yield from differences(old.get(key), new.get(key), f"{path}.{key}")
        return
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, old_element in enumerate(old):
            yield from differences(old_element, new[number], f"{path}[{number}]")
        return
    if old != new:
        yield path
