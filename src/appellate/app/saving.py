"""Writing the audit: when a person asks for it, a while after each act, and on leaving."""

from asyncio import TimerHandle
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from textual.screen import Screen

from appellate.app.dialogs import Dialogs
from appellate.app.requests import Requests, Standing
from appellate.core.problem import Refused, wording
from appellate.session.workbench import Position, Workbench
from appellate.store.database import NotKept, WorkspaceLost
from appellate.store.files.text_file import expanded
from appellate.ui.conversation import begin
from appellate.ui.textual_compat import beside, later

PAUSE = 20.0
"""Seconds after the last act in which the audit file is left as it is."""


class Saving:
    """Writes the audit, elsewhere where it must be, leaves, and keeps the place."""

    def __init__(
        self,
        screen: Screen[None],
        bench: Workbench,
        dialogs: Dialogs,
        requests: Requests,
        standing: Standing,
        *,
        write: Callable[..., Awaitable[str]],
        place: Callable[[], Position],
        is_there: Callable[[], bool],
        moved: Callable[[], object],
    ) -> None:
        """`write` writes the audit and returns "", or why it could not; with `quietly` set it tells
        no progress.

        `place` is where the person is. `is_there` is false while the screen is being taken down.
        `moved` shows that all goes on under another name.
        """
        self._screen = screen
        self._bench = bench
        self._dialogs = dialogs
        self._requests = requests
        self._standing = standing
        self._write_audit = write
        self._place = place
        self._is_there = is_there
        self._moved = moved
        self._waiting: TimerHandle | None = None

    async def save(self) -> None:
        """Writes the audit, or asks for another place where the workspace is gone."""
        if self._bench.readonly:
            self._dialogs.say("This session only reads: there is nothing to write.")
        elif self._bench.lost:
            offered = str(self._bench.free_audit_path)
            label = "Save everything elsewhere as"
            self._move(await self._dialogs.line(label, offered, purpose="elsewhere"))
        else:
            self._begin_to_write(leave=False)

    def _move(self, audit: str) -> None:
        """Goes on under another name, with everything that was done."""
        try:
            self._bench.move(expanded(audit))
        except (Refused, NotKept) as refusal:
            self._dialogs.say(
                f"Not exported: {wording(refusal).rstrip('.')}. {{save:Ctrl+S}} asks again."
            )
            return
        self._standing.not_kept("")
        self._moved()
        self._begin_to_write(leave=False)

    def write_soon(self) -> None:
        """Writes the audit a while after the last act; each puts it off."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        if self._bench.unexported_count and not self._bench.readonly:
            self._waiting = later(PAUSE, self._screen, self.write_behind)

    def write_behind(self) -> None:
        """Writes in the background what the file lacks; a deleted file stays deleted."""
        if self._bench.unexported_count and not self._bench.lost and not self._bench.is_deleted:
            beside(self._screen, self._write_quietly, "write behind", exclusive=True)

    async def _write_quietly(self) -> None:
        why_not = await self._write_audit(quietly=True)
        said_before = self._standing.trouble
        self._standing.written(why_not, asked=False)
        if not self._is_there():
            return
        if self._dialogs.said == said_before:  # what could not be written is written by now
            self._dialogs.say(self._standing.trouble)

    def quit(self) -> None:
        """Writes the audit and leaves."""
        self._begin_to_write(leave=True)

    def _begin_to_write(self, *, leave: bool) -> None:
        """Beside the screen, in the place of a save that is under way."""
        beside(self._screen, partial(self._write, leave=leave), "write", exclusive=True)

    async def _write(self, *, leave: bool) -> None:
        again = " (it had been deleted)" if self._bench.is_deleted else ""
        why = await self._write_audit()
        if leave and not why and self._bench.unexported_count:
            why = await self._write_audit()  # something was kept while it was being written
        self._standing.written(why, asked=True)
        if not leave:
            self._dialogs.say(why or f"Exported: {self._bench.audit}{again}")
        elif why:
            begin(self._leave_all_the_same(why))
        else:
            self._screen.app.exit(return_code=0)

    async def _leave_all_the_same(self, why: str) -> None:
        standing = "Everything is saved in the workspace."
        if self._bench.lost:
            standing = WorkspaceLost.standing
        if await self._dialogs.confirm(f"{why.rstrip('.')}. {standing} Quit all the same?"):
            self._screen.app.exit(return_code=1)

    def look_after(self) -> None:
        """Keeps the place, and sees to it that nothing is called kept that is not."""
        if not self._is_there():  # a clock goes on while the screen is being taken down
            return
        self.keep_position()
        why = self._bench.lost
        if why and not self._standing.refused:
            self._requests.not_kept(why)

    def keep_position(self) -> None:
        """Keeps the place; not at every key, since it is no one's work."""
        with suppress(NotKept):  # tried again a second later
            self._bench.keep_position(self._place())
