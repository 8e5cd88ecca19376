"""Writing the audit, elsewhere where it must be, leaving, and keeping where one stands."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.requests import Requests
from appellate.core.problem import Refused
from appellate.store.database import NotKept, WorkspaceLost
from appellate.ui.conversation import begin
from appellate.workbench import Position, Workbench


class Saving:
    """`write` writes the audit in a thread and gives why it could not, `work` runs a coroutine beside the screen.

    `leave` ends the program with an exit code, `moved` hears that all goes on under another name.
    """

    def __init__(
        self,
        bench: Workbench,
        view: CellView,
        requests: Requests,
        dialogs: Dialogs,
        *,
        write: Callable[[], Awaitable[str]],
        work: Callable[[Awaitable[None]], object],
        leave: Callable[[int], None],
        moved: Callable[[], None],
    ) -> None:
        self._bench = bench
        self._view = view
        self._requests = requests
        self._dialogs = dialogs
        self._write_audit = write
        self._work = work
        self._leave = leave
        self._moved = moved

    async def save(self) -> None:
        """Writes the audit, or asks for another place where the workspace is gone."""
        if self._bench.readonly:
            self._dialogs.say("This session only reads: there is nothing to write.")
        elif self._bench.lost:
            elsewhere = str(self._bench.elsewhere)
            self._move(
                await self._dialogs.line(
                    "Save everything elsewhere as", elsewhere, purpose="elsewhere"
                )
            )
        else:
            self._work(self._write(leave=False))

    def _move(self, audit: str) -> None:
        """Goes on under another name, with everything that was done."""
        try:
            self._bench.move(Path(audit).expanduser())
        except (Refused, NotKept) as refusal:
            self._dialogs.say(f"Not saved: {str(refusal).rstrip('.')}. Ctrl+S asks again.")
            return
        self._view.refused = ""
        self._moved()
        self._work(self._write(leave=False))

    def quit(self) -> None:
        """Writes the audit and leaves."""
        self._work(self._write(leave=True))

    async def _write(self, *, leave: bool) -> None:
        again = " (it had been deleted)" if self._bench.is_deleted else ""
        why = await self._write_audit()
        if (
            leave and not why and self._bench.behind
        ):  # something was kept while it was being written
            why = await self._write_audit()
        self._requests.unwritten = why
        self._view.show_header()
        if not leave:
            self._dialogs.say(why or f"Written: {self._bench.audit}{again}")
        elif why:
            begin(self._leave_all_the_same(why))
        else:
            self._leave(0)

    async def _leave_all_the_same(self, why: str) -> None:
        standing = (
            WorkspaceLost.standing if self._bench.lost else "Everything is kept in the workspace."
        )
        if await self._dialogs.confirm(f"{why} {standing} Quit all the same?"):
            self._leave(1)

    def look_after(self) -> None:
        """Keeps where one stands, and sees to it that nothing is called kept that is not."""
        self.keep_position()
        why = self._bench.lost
        if why and not self._view.refused:
            self._requests.not_kept(why)

    def keep_position(self) -> None:
        """Keeps where one stands; not at every key, since it is no one's work."""
        with suppress(NotKept):  # tried again a second later
            self._bench.keep_position(Position(self._view.no, *self._view.pane.place))
