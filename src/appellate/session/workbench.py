"""The review in progress: the one place that turns requests into facts and tells listeners.

The screen, line mode, judges' runs and the commands all change cells through a `Workbench`. It
also knows where the reviewer is, writes the audit file, and moves to another one.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
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
from appellate.core.design_facts import DesignEvent, DesignFact, Sampled
from appellate.core.facts import Fact, Failed, Proposed, is_by_agent, without_nulls
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
Direction = Literal["undo", "redo"]


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


_MOST_UNWRITTEN = 200
"""Cells changed since the audit file was written that are kept in memory, for a rescue."""


class Change(Struct, frozen=True):
    """One cell that changed."""

    no: int
    before: Cell
    after: Cell
    reversed_facts: tuple[Fact, ...] = ()
    """The facts that an undo took back or a redo did again; empty for any other change."""


class Round(Struct, frozen=True):
    """A round of judging."""

    no: int = 1
    where: str = ""
    """The query that chose the cells; "" for all cells."""
    by: str = ""
    """The judge that the round is for."""
    cells: tuple[int, ...] | None = None
    """The cells that the query matched; None for all cells."""


class Position(Struct, frozen=True):
    """Where a reviewer is in an audit: the cell, and the group and index of an item in it."""

    cell: int = 1
    pane: str = ""
    item: int = 0


class Workbench:
    """The review in one workspace by one reviewer, a person or an agent."""

    def __init__(
        self,
        workspace: Workspace,
        audit: Path,
        reviewer: str,
        clock: Clock = now,
        *,
        as_agent: bool = False,
    ) -> None:
        """Begin a review of an open workspace whose audit file, if it was written, is at `audit`.

        `reviewer` is the name that facts get. With `as_agent` the reviewer is an agent, who may do
        less (`decide`). The session only reads if the workspace was opened so. Nothing is written.
        """
        self.workspace = workspace
        self.audit = audit
        self.reviewer = reviewer
        self.as_agent = as_agent
        self.readonly = workspace.readonly
        self.listeners: list[Callable[[Change], None]] = []
        self._clock = clock
        self._writing = Lock()
        self._text: Text | None = None
        self._opened: dict[int, tuple[Trace, Cell]] = {}
        """By number: the visible cell, and the cell that was opened last."""
        self._visible_no = 0
        self._position: Position | None = None
        self.seen = SeenItems(workspace, reviewer)
        self._bookmarks: set[int] | None = None
        self._suspect = 0, 0
        """A cell's number, and how many passages of its trace address the judge."""
        written = remembered(workspace)
        self._written_n = written.n if written and audit.exists() else 0
        """The number of the last fact that the audit file has."""
        self._last_n = workspace.facts.last_n()
        self.began_n = self._last_n
        """The number of the last fact before this session."""
        self._unwritten: dict[int, Cell] | None = None if self.unexported_count else {}
        """The cells changed since the audit file was written; None if it is not known which."""

    # -- reading ----------------------------------------------------------------------------------

    def open(self, number: int) -> tuple[Trace, Cell]:
        """Return the trace and the cell with a number, as a reviewer may see the cell.

        In a blind review the cell lacks what is hidden; the trace is whole. Both may come from
        memory. Raises TypeError if there is no such cell.
        """
        trace, cell = self.open_unhidden(number)
        return trace, cell.shown

    def open_unhidden(self, number: int) -> tuple[Trace, Cell]:
        """Return the trace and the cell with a number, also with what is hidden from people.

        They are read once and kept in memory, which holds the visible cell and the last other one.
        A session that only reads reads each cell again unless it is the visible one. Raises
        TypeError if there is no such cell.
        """
        is_in_memory = number in self._opened
        may_have_changed = self.readonly and number != self._visible_no
        if not is_in_memory or may_have_changed:
            trace, cell = self.workspace.cell(number)
            self.cache_cell(number, trace, cell)
        return self._opened[number]

    def set_visible(self, number: int) -> None:
        """Make a cell the visible one, which stays in memory, once opened, until another is.

        In a session that only reads it is read again when it is next opened. Nothing is read or
        saved now.
        """
        self._visible_no = number
        if self.readonly:  # another process may have changed it
            self._opened.pop(number, None)

    def cache_cell(self, number: int, trace: Trace, cell: Cell) -> None:
        """Keep a cell that was read in memory, in place of the one that was opened last.

        Memory then holds this cell and the visible one, and no other.
        """
        opened = {}
        if self._visible_no in self._opened:
            opened[self._visible_no] = self._opened[self._visible_no]
        opened[number] = trace, cell
        self._opened = opened

    def hides_verdicts(self, cell: Cell) -> bool:
        """Return whether what others ruled on a cell's trace has to stay hidden from the reviewer.

        It does while the judge of any cell of the trace is hidden, because one field of a trace may
        tell the verdicts of all its cells.
        """
        if cell.hidden:
            return True
        number = self.workspace.traces.number(cell.subject.trace.key)
        return number is not None and self.workspace.cells.has_hidden(number)

    def count_suspect_passages(self, number: int) -> int:
        """Return how many passages of the trace of a cell address the judge; 0 if none does.

        They are searched for once, and the workspace keeps the count. A session that only reads
        keeps it in memory only, and so does one whose disk refuses.
        """
        counted_no, count = self._suspect
        if counted_no == number:
            return count

        saved_count = self.workspace.cells.row(number).suspect
        if saved_count is None:
            if not self.readonly:
                with suppress(NotKept):
                    injection.look(self.workspace, [number])
            saved_count = injection.passages(self.workspace, number)
        self._suspect = number, saved_count
        return saved_count

    @property
    def unexported_count(self) -> int:
        """How many facts of the workspace the audit file does not have yet."""
        return self._last_n - self._written_n

    # -- changing ---------------------------------------------------------------------------------

    def do(self, number: int, command: Command) -> Change:
        """Carry out a request about a cell, save it, tell the listeners, and return the change.

        The listeners and the caller get the change without what is hidden from people in a blind
        review. Raises Refused if the request is not possible or not for an agent (`decide`), and in
        a session that only reads. Raises NotKept. Nothing has changed then.
        """
        return self._tell(self._do(number, command))

    def _do(self, number: int, command: Command) -> Change:
        """Carry out a request about a cell and save it, but tell no listener; return the change.

        The change has what is hidden from people, too. The new fact is by the reviewer, with two
        exceptions: a judge's answer is by that judge, and the note that a cell was shown as an
        example is by the judge that was shown it. Raises Refused if the request is not possible or
        not for an agent, and in a session that only reads. Raises NotKept. Nothing has changed
        then.
        """
        self.may_write()
        trace, before = self.open_unhidden(number)
        event = decide(before, command, as_agent=self.as_agent)
        by = self.reviewer
        as_agent = self.as_agent
        if isinstance(command, Receive):
            by = str(command.what.judge.get("name", ""))
            as_agent = is_by_agent(command.what.judge)
        elif isinstance(command, Show):
            by = command.to
            as_agent = False
        after = self.workspace.facts.append(
            number,
            before,
            event,
            self._stamp(),
            by,
            as_agent=as_agent,
        )
        self.cache_cell(number, trace, after)
        self._last_n = after.facts[-1].n
        return Change(number, before, after)

    def begin(self) -> "Act":
        """Return a new act, whose requests `keep` saves together, and which is undone as one.

        Requests are made with `act.do`; nothing is saved before `keep`. Nothing else may be saved
        in between, because the act numbers its facts on from the last one. Raises Refused in a
        session that only reads.
        """
        self.may_write()
        last_n = self.workspace.facts.last_n()
        return Act(
            self.open_unhidden,
            self.reviewer,
            last_n,
            self._stamp(),
            as_agent=self.as_agent,
        )

    def keep(self, act: "Act") -> list[Change]:
        """Save an act in one transaction, tell the listeners, and return a change for each cell.

        The listeners and the caller get the changes without what is hidden from people in a blind
        review. An act without any request changes nothing, and the list is empty. Raises NotKept,
        and then nothing has changed.
        """
        with self.workspace.transaction():
            for number, (_, before, after) in act.cells.items():
                self.workspace.facts.keep(number, before, after)
        self._last_n = act.last_n

        turned_facts = tuple(act.turned)
        changes: list[Change] = []
        for number, (trace, before, after) in act.cells.items():
            self.cache_cell(number, trace, after)
            change = Change(number, before, after, turned_facts)
            changes.append(self._tell(change))
        return changes

    def do_together(self, make_requests: Callable[["Act"], object]) -> list[Change]:
        """Carry out, as one act, the requests that `make_requests` makes with `act.do`.

        Tells the listeners, and returns a change for each cell. Raises whatever `make_requests`
        raises, such as Refused for a request that is not possible. Raises Refused in a session that
        only reads, too, or NotKept. Nothing has changed then.
        """
        act = self.begin()
        make_requests(act)
        return self.keep(act)

    def may_write(self) -> None:
        """Raise Refused in a session that only reads: another process reviews the workspace."""
        if self.readonly:
            raise Refused(
                "This session only reads: another process is reviewing this workspace.",
            )

    def sign_off(self, number: int, seconds: float | None = None) -> Change:
        """Sign a cell off, or lock its verdict if its judge is hidden, and return the change.

        The listeners are told. `seconds` is how long the cell was visible; None is unknown. Raises
        Refused to an agent, for a cell without labels or signed off already, for a blind verdict
        that is not complete, and in a session that only reads. Raises NotKept. Nothing has changed
        then.
        """
        _, cell = self.open_unhidden(number)
        return self.do(number, sealing(cell, seconds))

    def adopt(self, number: int, fact_no: int, member: int | None = None) -> Change:
        """Replace a cell's labels by those that a fact proposed, and return the change.

        The listeners are told. `fact_no` is a judge's proposal or the contest of two label sets.
        `member` is a member of that panel, or a side of that contest, from 0; None takes the
        proposal itself. Raises Refused if there are no such labels, if the cell has them already,
        and in a session that only reads. Raises it for a judge's proposal while the judge is
        hidden, and to an agent if a person signed the cell off. Raises NotKept. Nothing has changed
        then.
        """
        return self.do(number, Adopt(fact_no, member))

    def receive(self, number: int, answer: Proposed | Failed) -> Change:
        """Save a judge's answer about a cell, tell the listeners, and return that cell's change.

        The answer is a proposal, or a failure to give one. Cells that the judge was shown as
        examples are marked as such; only the listeners hear of those. Raises Refused if the cell
        has a proposal of the answer's round or a later one, and in a session that only reads.
        Raises NotKept. Nothing has changed then.
        """
        change, *changed_examples = self._receive_all(
            [(number, answer)],
            skip_refused=False,
        )
        for changed_example in changed_examples:
            self._tell(changed_example)
        return self._tell(change)

    def _receive(self, number: int, answer: Proposed | Failed) -> list[Change]:
        """Save a judge's answer about a cell, and mark the cells that it was shown as examples.

        Returns the change of the judged cell first, then that of each newly marked cell. These have
        the judged cell's trait, and the judge's record names their traces; traces that the audit
        lacks are passed over. A failed answer marks none. No listener is told, and the changes have
        what is hidden from people. Raises NotKept, or Refused if the cell has a proposal of this
        round already and in a session that only reads.
        """
        _, cell = self.open_unhidden(number)
        record = without_nulls(answer.judge)
        if isinstance(answer, Failed):
            failure = replace(answer, judge=record)
            return [self._do(number, Receive(failure))]

        subject = cell.subject
        table = subject.kind.locate(subject.trait, subject.trace, answer.table)
        judge = {**record, **subject.reading(record)}
        changes = [self._do(number, Receive(Proposed(table, judge)))]

        judge_name = str(record.get("model") or record.get("name", ""))
        cells = self.workspace.cells
        for trace_name in record.get("examples", ()):
            trace_no = self.workspace.traces.named(str(trace_name))
            if trace_no is None:
                continue
            example_no = cells.of_trace(trace_no).get(subject.trait.name)
            if example_no is None or cells.row(example_no).example:
                continue
            changes.append(self._do(example_no, Show(judge_name)))
        return changes

    def receive_many(
        self,
        answers: Iterable[tuple[int, Proposed | Failed]],
    ) -> list[Change]:
        """Save judges' answers in one transaction, tell the listeners, and return the changes.

        Each answer comes with the number of its cell. An answer is left out if its cell has a
        proposal of its round already. The changes are those of the other cells, and of cells that
        became examples. Raises Refused in a session that only reads, or NotKept, and then none is
        saved. A power cut may lose the answers until the next act is saved or `workspace.settle` is
        called.
        """
        changes = self._receive_all(answers, skip_refused=True)
        for change in changes:
            self._tell(change)
        return changes

    def _receive_all(
        self,
        answers: Iterable[tuple[int, Proposed | Failed]],
        *,
        skip_refused: bool,
    ) -> list[Change]:
        """Save answers in one transaction, without telling the listeners; return the changes.

        Each answer comes with the number of its cell. The changes are in that order, each judged
        cell followed by the cells that became examples. With `skip_refused` a refused answer is
        left out; otherwise it raises Refused. Raises Refused at once in a session that only reads.
        After that, NotKept or any other error none of the answers is saved.
        """
        self.may_write()
        changes: list[Change] = []
        last_n = self._last_n
        try:
            with self.workspace.swift_transaction():
                for number, answer in answers:
                    try:
                        changes += self._receive(number, answer)
                    except Refused:
                        if not skip_refused:
                            raise
        except BaseException:  # nothing of it was saved
            self._opened = {}
            self._last_n = last_n
            raise
        return changes

    # -- the sample -------------------------------------------------------------------------------

    def draw(self, sampled: Sampled) -> DesignFact:
        """Draw units of traces into the sample, all or none; return the fact of it.

        Raises Refused for a trace that does not exist, for a cell that is in the sample already,
        and in a session that only reads. Raises NotKept. Nothing has changed then. The listeners
        are not told, so callers must read the cells again.
        """
        return self._change_all(
            partial(sampling.draw, self.workspace, sampled, as_agent=self.as_agent),
        )

    def withdraw(self) -> DesignFact:
        """Withdraw the sample, or of a sample in waves only the last wave; return the fact of it.

        Raises Refused if a cell of what goes is ruled on or signed off, or belongs to two joined
        audits, without a sample, and in a session that only reads. Raises NotKept. Nothing has
        changed then. The listeners are not told, so callers must read the cells again.
        """
        return self._change_all(
            partial(sampling.withdraw, self.workspace, as_agent=self.as_agent),
        )

    def record(self, event: DesignEvent) -> DesignFact:
        """Save an event of the audit as a whole, such as a plan, and return the fact of it.

        No cell changes, and the listeners are not told. Raises Refused in a session that only
        reads, or NotKept.
        """
        append = partial(self.workspace.design.append, event, as_agent=self.as_agent)
        return self._change_all(append)

    def _change_all(self, change: Callable[[str, str], Changed]) -> Changed:
        """Carry out a change that may concern any cell, and return its result.

        `change` is called with the time, as facts keep it, and the reviewer's name; it saves what
        it changes. Cells in memory are forgotten, even if it fails. The listeners are told nothing.
        Raises Refused in a session that only reads, and whatever `change` raises.
        """
        self.may_write()
        self._opened = {}
        self._unwritten = None
        result = change(self._stamp(), self.reviewer)
        self._last_n = self.workspace.facts.last_n()
        return result

    # -- rounds and rubrics -----------------------------------------------------------------------

    @property
    def round(self) -> Round:
        """The current round; round 1 of all cells if none was begun."""
        saved = self.workspace.meta(meta.ROUND) or "{}"
        return decode(saved, type=Round)

    def open_round(self, new_round: Round) -> None:
        """Save a round of judging as the current one; raises NotKept.

        Nothing is written if it is the current one already.
        """
        if new_round == self.round:
            return
        fields = to_builtins(new_round)
        self.workspace.set_meta(meta.ROUND, json.dumps(fields))

    def revise(self, rubric: Rubric) -> "Revision":
        """Replace the rubric by a changed one, and return what that changed.

        Any cell may have changed, and cells of new traits are added. The listeners are not told of
        it, so callers must read the cells again. Raises Refused to an agent, in a session that only
        reads, and if a trace would lose a trait or excerpts their text. Raises NotKept. Nothing has
        changed then.
        """
        self.refuse_rubric_to_agent()
        # nothing before the first paint needs it
        from appellate.store.audits import revision

        return self._change_all(partial(revision.revise, self.workspace, rubric))

    def refuse_rubric_to_agent(self) -> None:
        """Raise Refused if the reviewer is an agent, since only a person may change the rubric."""
        if self.as_agent:
            raise Refused(
                "An agent cannot change the rubric: it is a person's to take.",
            )

    # -- undo and redo ----------------------------------------------------------------------------

    def facts_to_reverse(self, direction: Direction) -> Sequence[tuple[int, int]]:
        """Return the number and the cell of each fact that the next undo or redo would reverse.

        They are all facts of one act of this reviewer, for an undo the last fact first, for a redo
        the first. The cell of a changed rubric is `WHOLE_AUDIT`. Empty if there is nothing to undo
        or redo. Nothing is reversed yet, and it may still be refused.
        """
        if direction == "undo":
            return self.workspace.facts.undoable(self.reviewer)
        return self.workspace.facts.redoable(self.reviewer)

    def would_change_rubric(self, direction: Direction) -> bool:
        """Return whether the next undo or redo is of a rubric; then any cell may change.

        False if there is nothing to undo or redo.
        """
        return any(
            cell_no == WHOLE_AUDIT for _, cell_no in self.facts_to_reverse(direction)
        )

    def cell_or_sibling(self, number: int, trace_no: int) -> int:
        """Return a cell's number if it exists, or else the lowest of its trace's cells, or 1.

        `trace_no` is the number of the trace; 1 is for a trace without any cell. A cell ceases to
        exist when the change of the rubric that added its trait is undone.
        """
        if number <= self.workspace.cells.count():
            return number
        return min(self.workspace.cells.of_trace(trace_no).values(), default=1)

    def undo(self) -> list[Change]:
        """Undo this reviewer's last act, tell the listeners, and return a change for each cell.

        The list is empty if that act changed the rubric: then any cell may have changed or be gone,
        and no listener is told. Raises Refused if there is nothing to undo, if a later correction,
        sign-off or rubric depends on the act, and if a withdrawn sample, a hidden judge or a locked
        verdict protects it. Raises Refused to an agent for a change of the rubric, and in a session
        that only reads. Raises NotKept. Nothing has changed then.
        """
        return self._undo_or_redo("undo")

    def redo(self) -> list[Change]:
        """Redo what this reviewer undid last, tell the listeners, and return the changes.

        There is one for each cell. The list is empty if the rubric is changed again: then
        any cell may have changed or be new, and no listener is told. Raises Refused if nothing was
        undone since the reviewer's last act, if a correction, a sign-off or a rubric that came
        since stands against it, and if a withdrawn sample, a hidden judge or a locked verdict does.
        Raises Refused to an agent for a change of the rubric, and in a session that only reads.
        Raises NotKept. Nothing has changed then.
        """
        return self._undo_or_redo("redo")

    def _undo_or_redo(self, direction: Direction) -> list[Change]:
        """Undo or redo this reviewer's last act, tell the listeners, and return the changes.

        There is one for each cell. After a change of the rubric the list is empty and no listener
        is told; what is in memory is read again when it is next asked for. Raises Refused if there
        is nothing to undo or redo, if it is not possible now, to an agent for a rubric, and in a
        session that only reads. Raises NotKept. Nothing has changed then.
        """
        facts = self.facts_to_reverse(direction)
        if not facts:
            raise Refused(f"There is nothing to {direction}.")

        first_fact_no, first_cell_no = facts[0]
        if first_cell_no == WHOLE_AUDIT:
            self.refuse_rubric_to_agent()
            from appellate.store.audits import revision

            reverse = revision.take_back if direction == "undo" else revision.take_again
            self._change_all(partial(reverse, self.workspace, first_fact_no))
            self.seen = SeenItems(self.workspace, self.reviewer)
            self._bookmarks = None
            self._position = None
            return []

        command = Undo if direction == "undo" else Redo
        act = self.begin()
        for fact_no, cell_no in facts:
            act.do(cell_no, [command(fact_no)])
        return self.keep(act)

    def _stamp(self) -> str:
        """Return the present moment as facts keep it, such as `2026-11-27T21:36:18.633000Z`."""
        return stamp(self._clock())

    def remove_listener(self, listener: Callable[[Change], None] | None) -> None:
        """Tell a listener of no more changes; None, and one that was not added, are ignored."""
        if listener in self.listeners:
            self.listeners.remove(listener)

    def _tell(self, change: Change) -> Change:
        """Tell the listeners of a saved change, and return it without what is hidden from people.

        The listeners get the same as the caller. The cell is kept in memory among those that the
        audit file lacks; beyond `_MOST_UNWRITTEN` of these they are forgotten, and count as
        unknown.
        """
        if self._unwritten is not None:
            self._unwritten[change.no] = change.after
            # a judge's run, which writes at its end
            if len(self._unwritten) > _MOST_UNWRITTEN:
                self._unwritten = None

        before = change.before.shown
        after = change.after.shown
        if before is not change.before or after is not change.after:
            change = replace(change, before=before, after=after)
        for listener in self.listeners:
            listener(change)
        return change

    # -- where the reviewer is --------------------------------------------------------------------

    def position(self) -> Position:
        """Return where this reviewer was last, or the cell that is open first for a new reviewer.

        If that cell does not exist any more, it is the beginning of the first cell. It is read from
        the workspace once, and then kept in memory.
        """
        if self._position is not None:
            return self._position
        saved = self.workspace.meta(meta.position(self.reviewer))
        if saved:
            position = decode(saved, type=Position)
        else:
            first_no = self.workspace.meta(meta.START) or 1
            position = Position(int(first_no))
        self._position = self._within_audit(position)
        return self._position

    def begin_at(self, number: int) -> None:
        """Make the beginning of a cell the reviewer's position, in memory only."""
        self._position = Position(number)

    def _within_audit(self, position: Position) -> Position:
        """Return a position, or the beginning of the first cell if the position's cell is gone."""
        if 1 <= position.cell <= self.workspace.cells.count():
            return position
        return Position()

    def keep_position(self, position: Position) -> None:
        """Save where this reviewer is and which items they have seen; raises NotKept.

        Nothing is written if neither changed, or in a session that only reads. A position in a cell
        that does not exist is later returned as the beginning of the first cell.
        """
        if self.readonly or (position == self.position() and not self.seen.unwritten):
            return
        with self.workspace.transaction():
            self.workspace.set_meta(
                meta.position(self.reviewer),
                json.dumps(to_builtins(position)),
            )
            self.seen.write()
        self.seen.written()
        self._position = self._within_audit(position)

    def bookmarks(self) -> set[int]:
        """Return the numbers of the cells that this reviewer has bookmarked.

        They are read from the workspace once, and then kept in memory: callers leave the set as it
        is.
        """
        if self._bookmarks is None:
            self._bookmarks = set(self.workspace.cells.bookmarks(self.reviewer))
        return self._bookmarks

    def set_bookmark(self, number: int, on: bool) -> None:
        """Set or remove this reviewer's bookmark of a cell, as `on` says.

        Raises Refused in a session that only reads, or NotKept.
        """
        if self.readonly:
            raise Refused(
                "This session only reads: bookmarks are saved by the process that writes.",
            )
        self.workspace.cells.set_bookmark(self.reviewer, number, on)
        if on:
            self._bookmarks = self.bookmarks() | {number}
        else:
            self._bookmarks = self.bookmarks() - {number}

    # -- the audit file ---------------------------------------------------------------------------

    def write(self, on_progress: OnProgress = ignore_progress) -> Text:
        """Write the audit file from the workspace, and return what it now holds, for `wrote`.

        It may run in any thread; a second call waits for the first. The caller passes the result to
        `wrote`, on the thread that changes cells, and does neither in a session that only reads.
        Raises NotWritten if the file cannot be written, if somebody else changed it, which is then
        left alone, and if the workspace's own file was deleted, moved or replaced.
        """
        displaced = self.workspace.displaced()
        if displaced:
            raise NotWritten(f"{self.audit} could not be written: {displaced}.")
        # a save that nobody waits for any more continues in its thread
        with self._writing:
            try:
                self._text = write_audit(self.workspace.path, self.audit, on_progress)
            except NotWritten as refusal:
                if is_not_synced(refusal.__cause__):
                    self.workspace.distrust_log()
                raise
            return self._text

    def wrote(self, text: Text) -> None:
        """Note in the workspace that the audit file holds `text`, which `write` returned.

        `unexported_count` counts on from there. Does nothing if the file was written again since.
        Raises NotKept if the disk refuses.
        """
        if text is not self._text:
            return
        remember_text(self.workspace, text)
        self._written_n = text.written.n
        if not self.unexported_count:
            self._unwritten = {}

    def save(self, on_progress: OnProgress = ignore_progress) -> None:
        """Write the audit file at once and remember what it holds.

        Does nothing in a session that only reads. Raises NotWritten if the file cannot be written,
        or was changed by somebody else, and NotKept if the workspace cannot note it.
        """
        if not self.readonly:
            self.wrote(self.write(on_progress))

    @property
    def lost(self) -> str:
        """Why nothing more can be saved in the workspace, without a full stop; "" while it can.

        `move` is the remedy.
        """
        return self.workspace.lost()

    @property
    def is_deleted(self) -> bool:
        """Whether the audit file was written once and does not exist any more."""
        return remembered(self.workspace) is not None and not self.audit.exists()

    @property
    def where_saved(self) -> str:
        """A sentence that says where everything done so far is saved.

        It is `Everything is saved in /work/x.audit.db.` If nothing more can be saved in the
        workspace, it says why, and what may be lost.
        """
        if self.lost:
            return f"{self.lost}. {WorkspaceLost.standing}"
        return f"Everything is saved in {self.workspace.path}."

    @property
    def free_audit_path(self) -> Path:
        """A path to suggest for `move`, of which neither audit file nor workspace exists.

        It is the audit's name with the first free number from 2 on, as `x-2.audit.toml` for
        `x.audit.toml`. Its folder is the audit's, or if that is gone the home folder, or else the
        current one.
        """
        folder = self.audit.parent
        if not folder.is_dir():
            folder = expanded("~")
            if not folder.is_dir():
                folder = Path.cwd()
        name, dot, ending = self.audit.name.partition(".")
        number = 2
        while True:
            path = folder / f"{name}-{number}{dot}{ending}"
            if not path.exists() and not workspace_path(path).exists():
                return path
            number += 1

    def move(self, audit: Path) -> None:
        """Save everything as another audit and continue there; its audit file is not written yet.

        `audit` is the path of that file; the workspace is made beside it. A workspace that was
        overwritten is made again from the old audit file and the cells that changed since it was
        written. Raises Refused if there is a file at `audit` or a workspace beside it, if the
        system refuses the path or has no such folder, or if another process makes a workspace
        there. Raises NotKept if the new one cannot be made. This session then stays with the old
        audit.
        """
        try:
            audit_exists = audit.exists()
            folder_exists = audit.parent.is_dir()
        except OSError as error:
            raise Refused(
                f"{audit} cannot be used: {error.strerror}. Name another file.",
            ) from error
        if audit_exists:
            raise Refused(f"There is a file {audit} already: name another.")
        if not folder_exists:
            raise Refused(
                f"There is no folder {audit.parent}: make it, or name another.",
            )
        try:
            if self.workspace.is_overwritten:
                self._rescue(workspace_path(audit))
            else:
                elsewhere(self.workspace, workspace_path(audit))
        except WorkspaceLocked as error:
            raise Refused(f"{error} Name another file.") from error
        self.audit = audit
        self._written_n = 0
        self._opened = {}
        self._last_n = self.workspace.facts.last_n()
        with suppress(NotKept):  # else the new audit file would count as deleted
            self.workspace.set_meta(meta.WRITTEN, "")

    def _rescue(self, path: Path) -> None:
        """Continue in a new workspace at `path`, made of the audit file and what changed since.

        Raises NotKept if there is no audit file, if it is not known what changed since, or if the
        new workspace cannot be made. Raises WorkspaceLocked if there is a workspace at `path`
        already.
        """
        if self._unwritten is None or not self.audit.exists():
            raise NotKept(
                f"{self.workspace.path.name} was overwritten, and no file has it all",
            )
        try:
            rescue(self.audit, self._unwritten.values(), path)
            lock = locked(path)
            try:
                self.workspace.move(path, lock)
            except BaseException:
                lock.release()
                raise
        except Unusable as error:
            raise NotKept(str(error)) from error

    @property
    def is_written(self) -> bool:
        """Whether the audit file has every trace and every fact of the workspace.

        False if there is no such file, or if another program wrote it since.
        """
        written = remembered(self.workspace)
        if written is None or self.unexported_count:
            return False
        if written.traces != self.workspace.traces.count():
            return False
        return self.audit.exists() and not is_foreign(self.workspace, self.audit)
