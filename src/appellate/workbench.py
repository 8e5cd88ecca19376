"""The review in progress: the only place that turns requests into kept facts and tells who listens.

A request goes one way: `do` decides, the workspace keeps, the cell evolves, listeners hear.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from appellate.core.cell import Cell, decide
from appellate.core.commands import Command, Receive, Redo, SignOff, Undo
from appellate.core.facts import Fact, Failed, Proposed
from appellate.core.refused import Refused
from appellate.core.trace import Trace
from appellate.store.toml import stamp
from appellate.store.workspace import Workspace
from appellate.store.written import is_foreign, remember, remembered, write_audit

Clock = Callable[[], datetime]


def now() -> datetime:
    return datetime.now(UTC)


def _known(value: Any) -> Any:
    """A judge's record without its nulls, which TOML has no word for."""
    if isinstance(value, Mapping):
        return {key: _known(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_known(inner) for inner in value if inner is not None]
    return value


@dataclass(frozen=True, slots=True)
class Change:
    """One cell that changed, what it was and is, and the act that was taken back or done again, if any."""

    no: int
    before: Cell
    after: Cell
    act: Fact | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """Where the reviewer stands: a cell, a pane, an item."""

    cell: int = 1
    pane: str = ""
    item: int = 0


class Workbench:
    """The review in one workspace, by one reviewer."""

    def __init__(self, workspace: Workspace, audit: Path, reviewer: str, clock: Clock = now) -> None:
        self.workspace = workspace
        self.audit = audit
        self.reviewer = reviewer
        self.readonly = workspace.readonly
        self.listeners: list[Callable[[Change], None]] = []
        self._clock = clock
        self._last: tuple[int, Trace, Cell] | None = None
        known = remembered(workspace)
        self._written_n = known.n if known and audit.exists() else 0
        self._last_n = workspace.last_n()
        self.began_n = self._last_n

    # -- reading ----------------------------------------------------------------------------------

    def open(self, number: int) -> tuple[Trace, Cell]:
        """A cell and its trace."""
        if self._last and self._last[0] == number and not self.readonly:
            return self._last[1], self._last[2]
        trace, cell = self.workspace.cell(number)
        self._last = (number, trace, cell)
        return trace, cell

    @property
    def behind(self) -> int:
        """How many kept facts the audit file does not have yet."""
        return self._last_n - self._written_n

    # -- changing ---------------------------------------------------------------------------------

    def do(self, number: int, command: Command) -> Change:
        """Carries a request out, durably; raises Refused or NotKept and then has changed nothing."""
        if self.readonly:
            raise Refused("This session only reads: another process is reviewing this workspace.")
        trace, before = self.open(number)
        what = decide(before, command)
        after = self.workspace.append(number, trace, before, what, self._stamp(), self._by(command))
        self._last = (number, trace, after)
        self._last_n = after.facts[-1].n
        of = command.of if isinstance(command, Undo | Redo) else None
        act = next((fact for fact in after.facts if fact.n == of), None)
        return self._tell(Change(number, before, after, act))

    def sign_off(self, number: int) -> Change:
        """Stands by a cell's labels, under its trait as it is now."""
        _, cell = self.open(number)
        return self.do(number, SignOff(cell.subject.trait.sha256()))

    def receive(self, number: int, what: Proposed | Failed) -> Change:
        """Takes in a judge's answer; an excerpt's place in the response is looked up here, once."""
        _, cell = self.open(number)
        what = replace(what, judge=_known(what.judge))
        if isinstance(what, Proposed):
            subject = cell.subject
            what = Proposed(subject.kind.locate(subject.trait, subject.response, what.table), what.judge)
        return self.do(number, Receive(what))

    def undo(self) -> Change:
        """Takes back this reviewer's last act, wherever it was."""
        found = self.workspace.undoable(self.reviewer)
        if found is None:
            raise Refused("There is nothing to undo.")
        return self.do(found[1], Undo(found[0]))

    def redo(self) -> Change:
        """Lets the act stand again that this reviewer undid last."""
        found = self.workspace.redoable(self.reviewer)
        if found is None:
            raise Refused("There is nothing to redo.")
        return self.do(found[1], Redo(found[0]))

    def _stamp(self) -> str:
        return stamp(self._clock())

    def _by(self, command: Command) -> str:
        if isinstance(command, Receive):
            return str(command.what.judge.get("name", ""))
        return self.reviewer

    def _tell(self, change: Change) -> Change:
        for listener in self.listeners:
            listener(change)
        return change

    # -- where one stands -------------------------------------------------------------------------

    def position(self) -> Position:
        told = self.workspace.meta(f"position:{self.reviewer}")
        first = int(self.workspace.meta("start") or 1)
        position = Position(**json.loads(told)) if told else Position(first)
        return position if 1 <= position.cell <= self.workspace.count() else Position()

    def keep_position(self, position: Position) -> None:
        if not self.readonly:
            told = json.dumps({"cell": position.cell, "pane": position.pane, "item": position.item})
            self.workspace.set_meta(f"position:{self.reviewer}", told)

    def bookmarks(self) -> list[int]:
        """The cells that this reviewer bookmarked, by number."""
        return self.workspace.bookmarks(self.reviewer)

    def set_bookmark(self, number: int, on: bool) -> None:
        """Sets or takes away a bookmark; raises NotKept, and Refused in a session that only reads."""
        if self.readonly:
            raise Refused("This session only reads: bookmarks are kept by the process that writes.")
        self.workspace.set_bookmark(self.reviewer, number, on)

    # -- the audit file ---------------------------------------------------------------------------

    def write(self) -> tuple[int, str]:
        """Writes the audit file; may run in a thread. Follow it with `wrote` on the writer's thread."""
        return write_audit(self.workspace.path, self.audit)

    def wrote(self, written: tuple[int, str]) -> None:
        """Notes what the audit file now holds."""
        remember(self.workspace, self.audit, *written)
        self._written_n = written[0]

    def save(self) -> None:
        """Writes the audit file at once; raises NotWritten."""
        if not self.readonly:
            self.wrote(self.write())

    @property
    def is_written(self) -> bool:
        """Whether the audit file exists and has every trace and every kept fact."""
        known = remembered(self.workspace)
        whole = known is not None and known.traces == self.workspace.count_traces() and self.behind == 0
        return whole and self.audit.exists() and not is_foreign(self.workspace, self.audit)
