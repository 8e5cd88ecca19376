"""Hears of changes while a screen shows what they add up to, and tells it of many at once."""

from asyncio import TimerHandle
from collections.abc import Callable

from textual.screen import Screen

from appellate.app.by_instruction import InstructionLine
from appellate.ui.textual_compat import later
from appellate.workbench import Change, Workbench

SOON, RECOUNT = 1.0, 15.0  # seconds till a change is drawn, and till cells are counted for it
EVERY = 2.0  # seconds between two looks at what another process did


class ChangesMeanwhile:
    """Has sums read anew soon after a change, and cells counted a while after it."""

    def __init__(
        self,
        screen: Screen[str | InstructionLine | None],
        bench: Workbench,
        read: Callable[[], None],
        count: Callable[[], None],
    ) -> None:
        self._screen, self._bench = screen, bench
        self._read, self._count = read, count
        self._n = bench.workspace.facts.last_n()
        self._reading: TimerHandle | None = None
        self._counting: TimerHandle | None = None

    def watch(self) -> None:
        if self._bench.readonly:  # what happens is done by another process, which tells nobody
            self._screen.set_interval(EVERY, self._look)
        else:
            self._bench.listeners.append(self._changed)

    def leave(self) -> None:
        self._bench.dismiss(self._changed)

    def _look(self) -> None:
        before, self._n = self._n, self._bench.workspace.facts.last_n()
        if self._n != before:
            self._changed()

    def _changed(self, _: Change | None = None) -> None:
        """Takes a change in after a moment, with all that come meanwhile: a judge brings many."""
        self._reading = self._reading or later(SOON, self._screen, self._read_now)
        self._counting = self._counting or later(RECOUNT, self._screen, self._count_now)

    def _read_now(self) -> None:
        self._reading = None
        self._read()

    def _count_now(self) -> None:
        self._counting = None
        self._count()
