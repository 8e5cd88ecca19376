"""The review in progress: the one place that turns requests into facts and tells listeners."""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal, TypeVar

from msgspec import Struct, to_builtins
from msgspec.json import decode
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.deciding import (
    Act,
    Adopt,
    Command,
    Receive,
    Redo,
    Show,
    Undo,
    decide,
    sealing,
)
from appellate.core.design_facts import DesignEvent, DesignFact, Sampled, without_nulls
from appellate.core.facts import Fact, Failed, Proposed
from appellate.core.problem import Refused, Unusable
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace
from appellate.store import injection, meta
from appellate.store.audits.audit_sync import (
    NotWritten,
    Text,
    is_foreign,
    remember_text,
    remembered,
    workspace_path,
    write_audit,
)
from appellate.store.audits.open_audit import elsewhere, rescue
from appellate.store.cells import SeenItems
from appellate.store.database import (
    NotKept,
    WorkspaceLocked,
    WorkspaceLost,
    is_not_synced,
    locked,
)
from appellate.store.fact_rows import WHOLE_AUDIT
from appellate.store.files.text_file import expanded
from appellate.store.files.toml import stamp
from appellate.store.samples import sampling
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Rubric

if TYPE_CHECKING:
    from appellate.store.audits.revision import Revision

Clock = Callable[[], datetime]
Changed = TypeVar("Changed")
Which = Literal["undo", "redo"]


def now() -> datetime:
    return datetime.now(UTC)


_HELD = 200
"""Cells that changed since the audit was written are held in memory up to so many."""


class Change(Struct, frozen=True):
    """One cell that changed, before and after, and the facts of an act that was turned, if any."""

    no: int
    before: Cell
    after: Cell
    turned: tuple[Fact, ...] = ()


class Round(Struct, frozen=True):
    """A round of judging: its query and the cells that found (None: all), and for which judge."""

    no: int = 1
    where: str = ""
    by: str = ""
    cells: tuple[int, ...] | None = None


class Position(Struct, frozen=True):
    """Where the reviewer is: a cell, a pane, an item."""

    cell: int = 1
    pane: str = ""
    item: int = 0


class Workbench:
    """The review in one workspace, by one reviewer."""

    def __init__(
        self, workspace: Workspace, audit: Path, reviewer: str, clock: Clock = now
    ) -> None:
        self.workspace = workspace
        self.audit = audit
        self.reviewer = reviewer
        self.readonly = workspace.readonly
        self.listeners: list[Callable[[Change], None]] = []
        self._clock = clock
        self._writing = Lock()
        self._text: Text | None = None
        self._opened: dict[int, tuple[Trace, Cell]] = {}
        """The cell in sight, and the one that was opened last."""
        self._in_sight = 0
        self._position: Position | None = None
        self.seen = SeenItems(workspace, reviewer)
        self._bookmarks: set[int] | None = None
        self._suspect = 0, 0
        known = remembered(workspace)
        self._written_n = known.n if known and audit.exists() else 0
        self._last_n = workspace.facts.last_n()
        self.began_n = self._last_n
        self._unwritten: dict[int, Cell] | None = None if self.behind else {}
        """The cells that changed since the audit file was written; None where more changed."""

    # -- reading ----------------------------------------------------------------------------------

    def open(self, number: int) -> tuple[Trace, Cell]:
        """A cell and its trace, as people may see it."""
        trace, cell = self.known(number)
        return trace, cell.shown

    def known(self, number: int) -> tuple[Trace, Cell]:
        """The same with what is hidden from people."""
        if number not in self._opened or (self.readonly and number != self._in_sight):
            self.hold(number, *self.workspace.cell(number))
        return self._opened[number]

    def keep_in_sight(self, number: int) -> None:
        """Keeps a cell at hand while it is looked at."""
        self._in_sight = number
        if self.readonly:  # another process may have changed it
            self._opened.pop(number, None)

    def hold(self, number: int, trace: Trace, cell: Cell) -> None:
        """Keeps a cell at hand as it was just looked up, until another one is."""
        self._opened = {no: held for no, held in self._opened.items() if no == self._in_sight}
        self._opened[number] = trace, cell

    def hides_verdicts(self, cell: Cell) -> bool:
        """Return whether what others ruled on a cell's trace stays hidden until a person rules.

        It does while the judge of any cell of the trace is hidden, as one field may tell of all.
        """
        if cell.hidden:
            return True
        number = self.workspace.traces.number(cell.subject.trace.key)
        return number is not None and self.workspace.cells.has_hidden(number)

    def suspect(self, number: int) -> int:
        """How many passages of a cell's trace speak to the judge: looked for once, and kept."""
        if self._suspect[0] != number:
            count = self.workspace.cells.row(number).suspect
            if count is None:
                if not self.readonly:
                    with suppress(NotKept):
                        injection.look(self.workspace, [number])
                count = injection.passages(self.workspace, number)
            self._suspect = number, count
        return self._suspect[1]

    @property
    def behind(self) -> int:
        """How many kept facts the audit file does not have yet."""
        return self._last_n - self._written_n

    # -- changing ---------------------------------------------------------------------------------

    def do(self, number: int, command: Command) -> Change:
        """Carries a request out, durably; Refused and NotKept have changed nothing."""
        return self._tell(self._do(number, command))

    def _do(self, number: int, command: Command) -> Change:
        self._may_write()
        trace, before = self.known(number)
        what = decide(before, command)
        by = self.reviewer
        if isinstance(command, Receive):
            by = str(command.what.judge.get("name", ""))
        elif isinstance(command, Show):
            by = command.to
        after = self.workspace.facts.append(number, before, what, self._stamp(), by)
        self.hold(number, trace, after)
        self._last_n = after.facts[-1].n
        return Change(number, before, after)

    def begin(self) -> "Act":
        """Begin an act: requests that are carried out together by `keep`, and undone together.

        Raises Refused in a session that only reads.
        """
        self._may_write()
        return Act(self.known, self.reviewer, self.workspace.facts.last_n(), self._stamp())

    def keep(self, act: "Act") -> list[Change]:
        """Keep an act in one transaction; return a change for each cell.

        Raises NotKept, and then has changed nothing.
        """
        with self.workspace.transaction():
            for number, (_, before, after) in act.cells.items():
                self.workspace.facts.keep(number, before, after)
        self._last_n = act.last_n
        changes: list[Change] = []
        for number, (trace, before, after) in act.cells.items():
            self.hold(number, trace, after)
            changes.append(self._tell(Change(number, before, after, tuple(act.turned))))
        return changes

    def do_together(self, asked: Callable[["Act"], object]) -> list[Change]:
        """Carry out as one act what `asked` requests of it.

        Raises Refused where `asked` does, or NotKept, and then has changed nothing.
        """
        act = self.begin()
        asked(act)
        return self.keep(act)

    def _may_write(self) -> None:
        if self.readonly:
            raise Refused("This session only reads: another process is reviewing this workspace.")

    def sign_off(self, number: int, seconds: float | None = None) -> Change:
        """Signs a cell off after so many seconds of looking, or locks a blind verdict."""
        return self.do(number, sealing(self.known(number)[1], seconds))

    def adopt(self, number: int, of: int, member: int | None = None) -> Change:
        """Takes the labels of a proposal, or of one member of its panel, as they are."""
        return self.do(number, Adopt(of, member))

    def receive(self, number: int, what: Proposed | Failed) -> Change:
        """Takes in a judge's answer; an excerpt's place in the response is looked up here, once."""
        change, *others = self._received([(number, what)])
        for one in others:
            self._tell(one)
        return self._tell(change)

    def _receive(self, number: int, what: Proposed | Failed) -> list[Change]:
        """The judged cell, then those that the judge was shown as examples for the first time."""
        _, cell = self.known(number)
        what = replace(what, judge=without_nulls(what.judge))
        if isinstance(what, Failed):
            return [self._do(number, Receive(what))]
        subject = cell.subject
        table = subject.kind.locate(subject.trait, subject.trace, what.table)
        judge = {**what.judge, **subject.reading(what.judge)}
        changes = [self._do(number, Receive(Proposed(table, judge)))]
        to = str(what.judge.get("model") or what.judge.get("name", ""))
        for name in what.judge.get("examples", ()):
            trace = self.workspace.traces.named(str(name)) or 0
            shown = self.workspace.cells.of_trace(trace).get(subject.trait.name)
            if shown is not None and not self.workspace.cells.row(shown).example:
                changes.append(self._do(shown, Show(to)))
        return changes

    def receive_many(self, answers: Iterable[tuple[int, Proposed | Failed]]) -> list[Change]:
        """Takes in all answers that are not too late, or raises NotKept and takes in none.

        They are safe from a power cut once the next act is kept, or `workspace.settle` ran.
        """
        changes = self._received(answers, Refused)
        for change in changes:
            self._tell(change)
        return changes

    def _received(
        self, answers: Iterable[tuple[int, Proposed | Failed]], *late: type[Refused]
    ) -> list[Change]:
        changes: list[Change] = []
        last = self._last_n
        try:
            with self.workspace.swift_transaction():
                for number, what in answers:
                    with suppress(*late):
                        changes += self._receive(number, what)
        except BaseException:
            self._opened = {}
            self._last_n = last
            raise
        return changes

    # -- the sample -------------------------------------------------------------------------------

    def draw(self, sampled: Sampled) -> DesignFact:
        """Takes units into the sample, all or none; raises Refused or NotKept."""
        return self._change_all(partial(sampling.draw, self.workspace, sampled))

    def withdraw(self) -> DesignFact:
        """Takes the sample back, before any verdict in it; raises Refused or NotKept."""
        return self._change_all(partial(sampling.withdraw, self.workspace))

    def record(self, what: DesignEvent) -> DesignFact:
        """Keeps something that happened to the audit as a whole; raises Refused or NotKept."""
        return self._change_all(partial(self.workspace.design.append, what))

    def _change_all(self, change: Callable[[str, str], Changed]) -> Changed:
        """What a change by this reviewer comes to that may touch any cell."""
        self._may_write()
        self._opened = {}
        self._unwritten = None
        came = change(self._stamp(), self.reviewer)
        self._last_n = self.workspace.facts.last_n()
        return came

    # -- rounds and rubrics -----------------------------------------------------------------------

    @property
    def round(self) -> Round:
        """The round that is open; the first one is, from the beginning."""
        return decode(self.workspace.meta(meta.ROUND) or "{}", type=Round)

    def open_round(self, ahead: Round) -> None:
        """Begins a round, or goes on with the one that is open."""
        if ahead != self.round:
            self.workspace.set_meta(meta.ROUND, json.dumps(to_builtins(ahead)))

    def revise(self, rubric: Rubric) -> "Revision":
        """Takes a changed rubric: raises Refused or NotKept and then has changed nothing."""
        from appellate.store.audits import revision  # nothing before the first paint needs it

        return self._change_all(partial(revision.revise, self.workspace, rubric))

    def next_turn(self, which: Which) -> Sequence[tuple[int, int]]:
        """What `undo` or `redo` would turn: the facts of one act, each by its number and its cell.

        The cell of a rubric that was taken is `WHOLE_AUDIT`. Empty where there is nothing to turn.
        """
        if which == "undo":
            return self.workspace.facts.undoable(self.reviewer)
        return self.workspace.facts.redoable(self.reviewer)

    def turns_rubric(self, which: Which) -> bool:
        """Whether `undo` or `redo` would turn a rubric that was taken, which concerns any cell."""
        return any(cell == WHOLE_AUDIT for _, cell in self.next_turn(which))

    def cell_left(self, number: int, trace_no: int) -> int:
        """The cell of that number, or another of its trace where that went with its trait."""
        if number <= self.workspace.cells.count():
            return number
        return min(self.workspace.cells.of_trace(trace_no).values(), default=1)

    def undo(self) -> list[Change]:
        """Takes back this reviewer's last act; gives a change for each cell.

        A rubric that was taken changes any cell: then none is given.
        """
        return self._turn("undo")

    def redo(self) -> list[Change]:
        """Does again what this reviewer undid last; gives what `undo` gives."""
        return self._turn("redo")

    def _turn(self, which: Which) -> list[Change]:
        found = self.next_turn(which)
        if not found:
            raise Refused(f"There is nothing to {which}.")
        first, cell = found[0]
        if cell == WHOLE_AUDIT:
            from appellate.store.audits import revision

            turn = revision.take_back if which == "undo" else revision.take_again
            self._change_all(partial(turn, self.workspace, first))
            self.seen = SeenItems(self.workspace, self.reviewer)
            self._bookmarks = self._position = None
            return []
        way = Undo if which == "undo" else Redo

        def turned(act: Act) -> None:
            for n, number in found:
                act.do(number, [way(n)])

        return self.do_together(turned)

    def _stamp(self) -> str:
        return stamp(self._clock())

    def dismiss(self, listener: Callable[[Change], None] | None) -> None:
        if listener in self.listeners:
            self.listeners.remove(listener)

    def _tell(self, change: Change) -> Change:
        if self._unwritten is not None:
            self._unwritten[change.no] = change.after
            if len(self._unwritten) > _HELD:  # a judge's run: the file is written at its end
                self._unwritten = None
        before = change.before.shown
        after = change.after.shown
        if before is not change.before or after is not change.after:
            change = replace(change, before=before, after=after)
        for listener in self.listeners:
            listener(change)
        return change

    # -- the place --------------------------------------------------------------------------------

    def position(self) -> Position:
        """Where this reviewer was last, or is to begin."""
        if self._position is None:
            start = Position(int(self.workspace.meta(meta.START) or 1))
            text = self.workspace.meta(meta.position(self.reviewer))
            self._position = self._known(decode(text, type=Position) if text else start)
        return self._position

    def begin_at(self, number: int) -> None:
        self._position = Position(number)

    def _known(self, position: Position) -> Position:
        """The position, or the beginning where there is no such cell."""
        if 1 <= position.cell <= self.workspace.cells.count():
            return position
        return Position()

    def keep_position(self, position: Position) -> None:
        """Keeps where this reviewer is and what they saw, if that changed; raises NotKept."""
        if self.readonly or (position == self.position() and not self.seen.unwritten):
            return
        with self.workspace.transaction():
            self.workspace.set_meta(meta.position(self.reviewer), json.dumps(to_builtins(position)))
            self.seen.write()
        self.seen.written()
        self._position = self._known(position)

    def bookmarks(self) -> set[int]:
        if self._bookmarks is None:
            self._bookmarks = set(self.workspace.cells.bookmarks(self.reviewer))
        return self._bookmarks

    def set_bookmark(self, number: int, on: bool) -> None:
        """Sets or takes away a bookmark; raises NotKept, and Refused where one only reads."""
        if self.readonly:
            raise Refused(
                "This session only reads: bookmarks are saved by the process that writes."
            )
        self.workspace.cells.set_bookmark(self.reviewer, number, on)
        self._bookmarks = self.bookmarks() | {number} if on else self.bookmarks() - {number}

    # -- the audit file ---------------------------------------------------------------------------

    def write(self, on_progress: OnProgress = ignore_progress) -> Text:
        """Writes the audit file, perhaps in a thread; `wrote` follows on the writer's thread."""
        if why := self.workspace.displaced():
            raise NotWritten(f"{self.audit} could not be written: {why}.")
        with self._writing:  # a save that was left off goes on in its thread
            try:
                self._text = write_audit(self.workspace.path, self.audit, on_progress)
            except NotWritten as refusal:
                if is_not_synced(refusal.__cause__):
                    self.workspace.distrust_log()
                raise
            return self._text

    def wrote(self, text: Text) -> None:
        """Notes what the audit file now holds, unless it was written again since."""
        if text is not self._text:
            return
        remember_text(self.workspace, text)
        self._written_n = text.written.n
        if not self.behind:
            self._unwritten = {}

    def save(self, on_progress: OnProgress = ignore_progress) -> None:
        """Writes the audit file at once; raises NotWritten."""
        if not self.readonly:
            self.wrote(self.write(on_progress))

    @property
    def lost(self) -> str:
        """Why nothing more can be kept in the workspace, if so; then there is `move`."""
        return self.workspace.lost()

    @property
    def is_deleted(self) -> bool:
        """Whether the audit file was written, and is gone."""
        return remembered(self.workspace) is not None and not self.audit.exists()

    @property
    def standing(self) -> str:
        """Where everything is that was done, in a sentence."""
        if self.lost:
            return f"{self.lost}. {WorkspaceLost.standing}"
        return f"Everything is saved in {self.workspace.path}."

    @property
    def elsewhere(self) -> Path:
        """A free name to suggest for `move`."""
        folder = self.audit.parent
        if not folder.is_dir():
            folder = expanded("~")
            if not folder.is_dir():
                folder = Path.cwd()
        name, dot, ending = self.audit.name.partition(".")
        names = (folder / f"{name}-{number}{dot}{ending}" for number in count(2))
        return next(one for one in names if not one.exists() and not workspace_path(one).exists())

    def move(self, audit: Path) -> None:
        """Keeps everything under another name and goes on there; raises Refused or NotKept."""
        if audit.exists():
            raise Refused(f"There is a file {audit} already: name another.")
        if not audit.parent.is_dir():
            raise Refused(f"There is no folder {audit.parent}: make it, or name another.")
        if self.workspace.is_overwritten:
            self._rescue(workspace_path(audit))
        else:
            elsewhere(self.workspace, workspace_path(audit))
        self.audit = audit
        self._written_n = 0
        self._opened, self._last_n = {}, self.workspace.facts.last_n()
        with suppress(NotKept):  # else what is written there would seem to have been deleted before
            self.workspace.set_meta(meta.WRITTEN, "")

    def _rescue(self, path: Path) -> None:
        """Goes on in a new workspace, of the audit file and what changed since; raises NotKept."""
        if self._unwritten is None or not self.audit.exists():
            raise NotKept(f"{self.workspace.path.name} was overwritten, and no file has it all")
        try:
            rescue(self.audit, self._unwritten.values(), path)
            self.workspace.move(path, locked(path))
        except (Unusable, WorkspaceLocked) as error:
            raise NotKept(str(error)) from error

    @property
    def is_written(self) -> bool:
        """Whether the audit file exists and has every trace and every kept fact."""
        known = remembered(self.workspace)
        if known is None or known.traces != self.workspace.traces.count() or self.behind:
            return False
        return self.audit.exists() and not is_foreign(self.workspace, self.audit)
