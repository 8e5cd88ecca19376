"""What a person wants done, carried out or refused with a sentence; what the disk refuses is never shown as done."""

from collections.abc import Callable
from typing import TypeVar

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.core.problem import Refused
from appellate.store.database import NotKept
from appellate.workbench import Workbench

Done = TypeVar("Done")


class Requests:
    """The way of every change to the workbench. `hidden` tells whether the cell that keys are for is out of sight."""

    def __init__(
        self, bench: Workbench, view: CellView, dialogs: Dialogs, hidden: Callable[[], bool]
    ) -> None:
        self._bench = bench
        self._view = view
        self._dialogs = dialogs
        self._hidden = hidden
        self.unwritten = ""  # why the audit file could not be written

    def do(self, work: Callable[[], Done]) -> Done | None:
        """Carries something out, or says why not."""
        if self._hidden():
            self._dialogs.say(
                "The cell is out of sight: go back to it first (Enter opens a line of the queue, Q leaves)."
            )
            return None
        try:
            done = work()
        except Refused as refusal:
            self._dialogs.say(str(refusal))
            return None
        except NotKept as refusal:
            self.not_kept(str(refusal))
            return None
        if self._view.refused:
            self.not_kept("")
        return done

    def not_kept(self, why: str) -> None:
        """Shows until it is dealt with why nothing can be kept; "" where it can again."""
        self._view.refused = why
        self._dialogs.say(self.trouble)
        self._view.show_header()

    def may_change(self) -> bool:
        """Whether this session may change anything; says so if not."""
        if self._bench.readonly:
            self._dialogs.say("This session only reads: nothing can be changed in it.")
        return not self._bench.readonly

    @property
    def trouble(self) -> str:
        """What stays on screen until it is dealt with."""
        if self._view.refused:
            out = (
                "Ctrl+S saves everything elsewhere"
                if self._bench.lost
                else "Make room and do it again"
            )
            return f"NOT KEPT: {self._view.refused}. {out}; nothing was changed."
        return self.unwritten
