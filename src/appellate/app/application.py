"""The application: one review screen, its themes, and leaving cleanly however one is made to leave."""

import asyncio
import contextlib
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Iterable

from textual.app import App, SystemCommand
from textual.events import Event, Key
from textual.message import Message
from textual.screen import Screen

from appellate import settings
from appellate.app.keys import KEYS
from appellate.app.review import ReviewScreen
from appellate.app.themes import bundled_themes, defaults, user_themes
from appellate.judging import Choice
from appellate.store.workspace import NotKept
from appellate.store.written import NotWritten
from appellate.ui.marks import ASCII, UNICODE
from appellate.workbench import Workbench

LONGEST_KEY = 2.0  # seconds after which a key waits for no other


class AppellateApp(App[None]):
    """The bench for one audit; `parting` holds what to say once the screen is gone."""

    class Followed(Message):
        """Goes the way that a key went, behind it: when it is back, the key has done what it does."""

    TITLE = "Appellate"
    ENABLE_COMMAND_PALETTE = True
    CSS_PATH = "appellate.tcss"

    def __init__(
        self,
        bench: Workbench,
        choice: Choice,
        *,
        notes: Iterable[str] = (),
        theme: str | None = None,
        ascii_marks: bool = False,
    ) -> None:
        super().__init__()
        self.bench = bench
        self.choice = choice
        self.marks = ASCII if ascii_marks else UNICODE
        self.set_class(ascii_marks, "-ascii")
        self.notes = list(notes)
        self.parting: list[str] = []
        self._typed: deque[Key] = deque()
        self._handed_on = 0.0
        self._take_themes(theme)

    # -- themes -----------------------------------------------------------------------------------

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return defaults(self.current_theme.dark)

    def _take_themes(self, wanted: str | None) -> None:
        themes = bundled_themes()
        added, problems = user_themes(settings.folder() / "themes")
        self.notes += map(str, problems)
        for theme in (*themes, *added):
            self.register_theme(theme)
        if wanted and wanted not in self.available_themes:
            self.notes.append(f"There is no theme {wanted!r}; Ctrl+P lists them.")
        self.theme = wanted if wanted in self.available_themes else themes[0].name

    # -- keys -------------------------------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Keys that arrive in a burst are handed on one at a time.

        A slow line or a paste delivers several at once; each must find the focus that the one before
        it left, or a comment's letters would be taken for verdicts.
        """
        if not isinstance(event, Key) or event.is_forwarded:
            await super().on_event(event)
            return
        self._typed.append(event)
        if len(self._typed) == 1 or event.time - self._handed_on > LONGEST_KEY:
            await self._hand_on()

    async def _hand_on(self) -> None:
        self._handed_on = self._typed[0].time
        target = self.focused or self.screen
        await super().on_event(self._typed[0])
        target.post_message(self.Followed())

    def on_appellate_app_followed(self) -> None:
        self.call_after_refresh(self._next_key)

    async def _next_key(self) -> None:
        if self._typed:
            self._typed.popleft()
        if self._typed:
            await self._hand_on()

    # -- coming and going -------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[None]:
        return ReviewScreen(self.bench, self.choice, self.marks, self.notes)

    def on_load(self) -> None:
        """Before the terminal is taken over, so that there is no moment in which a signal leaves it so."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None:
                with contextlib.suppress(NotImplementedError):  # Windows
                    loop.add_signal_handler(number, self._told_to_leave, number)

    def _told_to_leave(self, number: int) -> None:
        """SIGTERM, SIGHUP: the audit is written before the terminal is given back."""
        if not any(screen.is_mounted for screen in self.screen_stack):  # half built: in a moment
            asyncio.get_running_loop().call_later(0.02, self._told_to_leave, number)
            return
        try:
            self.leave()
        finally:
            self.exit(return_code=128 + number)

    async def on_unmount(self) -> None:
        """The judge's connections are closed, whether a run was under way or not."""
        if self.choice.judge is not None:
            await self.choice.judge.close()

    async def write(self) -> str:
        """Writes the audit in a thread; returns why it could not be written, if so."""
        if self.bench.readonly:
            return ""
        try:
            self.screen_of_review.keep_position()
            self.bench.wrote(await asyncio.to_thread(self.bench.write))
        except (NotWritten, NotKept) as refusal:
            return str(refusal)
        return ""

    async def action_quit(self) -> None:
        self.screen_of_review.action_quit()

    def leave(self) -> str:
        """Keeps the place and writes the audit; returns why it could not be written, if so."""
        if self.bench.readonly:
            return ""
        try:
            self.screen_of_review.keep_position()
            if self.bench.behind or not self.bench.is_written:
                self.bench.save()
        except (NotWritten, NotKept) as refusal:
            return str(refusal)
        return ""

    @property
    def screen_of_review(self) -> ReviewScreen:
        return next(screen for screen in self.screen_stack if isinstance(screen, ReviewScreen))

    def _fatal_error(self) -> None:
        """A crash shows where, but no values: keys and patients' text live in local variables."""
        from rich.traceback import Traceback

        self.bell()
        self._exit_renderables.append(Traceback(show_locals=False, width=None, max_frames=20))
        self.parting.append("Appellate crashed. Every correction that was shown is kept in the workspace.")
        self._close_messages_no_wait()

    # -- the palette ------------------------------------------------------------------------------

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for command in super().get_system_commands(screen):
            if command.title not in {"Keys", "Quit", "Maximize", "Screenshot"}:
                yield command
        for key in KEYS:
            if key.action != "command_palette":
                yield SystemCommand(f"{key.label.capitalize()} ({key.shown})", key.told, self._doing(key.action))

    def _doing(self, action: str) -> Callable[[], Awaitable[None]]:
        async def do() -> None:
            await self.run_action(action, self.screen_of_review)

        return do
