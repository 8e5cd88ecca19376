"""Writes the audit: when the reviewer asks for it, some time after each act, and on quitting."""

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
"""Seconds without an act before the audit file is written in the background."""


class Saving:
    """Writes the audit of one review session, quits, and saves the reviewer's place."""

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
        """Keep the functions that write the audit and ask the screen.

        `write` writes the audit and returns "", or why it could not; with `quietly=True` it shows
        no progress. `place` returns where the reviewer is. `is_there` returns False while the
        screen is being taken down. `moved` shows that the review goes on under another name.
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
        """The timer that writes the audit after the latest act."""

    async def save(self) -> None:
        """Write the audit in the background, and say so or why not.

        A session that only reads says that there is nothing to write. If the workspace is gone, ask
        for another file, and save everything there and in a workspace beside it. Raises Left if the
        reviewer leaves that question.
        """
        if self._bench.readonly:
            self._dialogs.say("This session only reads: there is nothing to write.")
        elif self._bench.lost:
            suggested = str(self._bench.free_audit_path)
            label = "Save everything elsewhere as"
            self._move(await self._dialogs.line(label, suggested, purpose="elsewhere"))
        else:
            self._begin_to_write(leave=False)

    def _move(self, audit: str) -> None:
        """Continue under another audit file with everything that was done, and write it.

        Says why if that file cannot be used; the review then stays where it was.
        """
        try:
            self._bench.move(expanded(audit))
        except (Refused, NotKept) as refusal:
            self._dialogs.say(
                f"Not exported: {wording(refusal).rstrip('.')}. {{save:Ctrl+S}} asks again.",
            )
            return
        self._standing.not_kept("")
        self._moved()
        self._begin_to_write(leave=False)

    def write_soon(self) -> None:
        """Write the audit `PAUSE` seconds from now; a time that was planned before is cancelled.

        Plans nothing if the file has every act, or the session only reads.
        """
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        if self._bench.unexported_count and not self._bench.readonly:
            self._waiting = later(PAUSE, self._screen, self.write_behind)

    def write_behind(self) -> None:
        """Write the audit in the background if acts are missing in it.

        Does nothing if the workspace is gone, or if somebody deleted the file.
        """
        if (
            self._bench.unexported_count
            and not self._bench.lost
            and not self._bench.is_deleted
        ):
            beside(self._screen, self._write_quietly, "write behind", exclusive=True)

    async def _write_quietly(self) -> None:
        """Write the audit without showing progress, and note whether that failed.

        A failure is not shown. An error of saving that was on screen and is over now is cleared.
        """
        why_not = await self._write_audit(quietly=True)
        previous_trouble = self._standing.trouble
        self._standing.written(why_not, was_asked_for=False)
        if not self._is_there():
            return
        if self._dialogs.said == previous_trouble:
            self._dialogs.say(self._standing.trouble)

    def quit(self) -> None:
        """Write the audit in the background, then end the program; return before that.

        If it cannot be written, say why and ask whether to end without it.
        """
        self._begin_to_write(leave=True)

    def _begin_to_write(self, *, leave: bool) -> None:
        """Write the audit in the background; a write that is still going on is cancelled."""
        beside(self._screen, partial(self._write, leave=leave), "write", exclusive=True)

    async def _write(self, *, leave: bool) -> None:
        """Write the audit and say so; with `leave` end the program afterwards with exit code 0.

        If it was not written, say why; with `leave` ask whether to end the program without
        it, and return before the answer.
        """
        restored_note = " (it had been deleted)" if self._bench.is_deleted else ""
        why_not = await self._write_audit()
        if leave and not why_not and self._bench.unexported_count:
            # something was saved during the first write
            why_not = await self._write_audit()
        self._standing.written(why_not, was_asked_for=True)
        if not leave:
            self._dialogs.say(
                why_not or f"Exported: {self._bench.audit}{restored_note}",
            )
        elif why_not:
            begin(self._ask_to_leave(why_not))
        else:
            self._screen.app.exit(return_code=0)

    async def _ask_to_leave(self, why_not: str) -> None:
        """Say why the audit was not written, and ask whether to end the program without it.

        If yes, the program ends with exit code 1; else the review goes on.
        """
        what_is_saved = "Everything is saved in the workspace."
        if self._bench.lost:
            what_is_saved = WorkspaceLost.standing
        question = f"{why_not.rstrip('.')}. {what_is_saved} Quit anyway?"
        if await self._dialogs.confirm(question):
            self._screen.app.exit(return_code=1)

    def look_after(self) -> None:
        """Save the reviewer's place, and show an error if the workspace is gone.

        A timer of the screen calls this every second. Does nothing while the screen is taken down,
        and does not show the error again while one is shown.
        """
        # the timer still runs while the screen is being taken down
        if not self._is_there():
            return
        self.keep_position()
        why_lost = self._bench.lost
        if why_lost and not self._standing.refused:
            self._requests.not_kept(why_lost)

    def keep_position(self) -> None:
        """Save the reviewer's place in the workspace; if that fails, do nothing."""
        with suppress(NotKept):  # tried again a second later
            self._bench.keep_position(self._place())
