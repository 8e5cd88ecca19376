"""The application: one review screen, its themes, and leaving cleanly however one is made to leave."""

import asyncio
import contextlib
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from operator import attrgetter
from pathlib import PurePath
from time import monotonic
from typing import ClassVar

from textual.app import SystemCommand
from textual.events import DescendantFocus, Event, Key, Paste
from textual.screen import Screen
from textual.widgets import Input

from appellate.app import keymap
from appellate.app.desk import Welcome
from appellate.app.keymap import Keymap
from appellate.app.keys import KEYS
from appellate.app.review_screen import ReviewScreen
from appellate.app.themes import bundled_themes, calm_cursor, defaults, user_themes
from appellate.core.headway import Headway
from appellate.core.problem import Unusable
from appellate.judging.choice import Choice
from appellate.review_session import ReviewSession
from appellate.settings import Settings, folder
from appellate.store.audit_sync import NotWritten
from appellate.store.database import NotKept
from appellate.ui.frame import FramedApp
from appellate.ui.later import later
from appellate.ui.marks import ASCII, PLAIN, UNICODE, Marks
from appellate.ui.resting import at_rest
from appellate.workbench import Workbench

USUAL = Settings()
CRASHED = "Appellate crashed. Every correction that was shown is kept in the workspace."
LOOK = 0.005  # seconds between two looks
RESTS = 3  # looks in a row at which all must be at rest: a message at work is in nobody's queue
LOOKS = 100  # after which a key waits for no other; counted, as between two of them every widget has had its turn


class AppellateApp(FramedApp):
    """The bench for one audit; `keys` are its keys as the person has them, `parting` what to say once it is gone.

    `arrived` tells when a key was pressed, in seconds of any clock that only goes on.
    """

    TITLE = "Appellate"
    ENABLE_COMMAND_PALETTE = True
    CSS_PATH: ClassVar[list[str | PurePath]] = ["appellate.tcss", "plain.tcss"]

    def __init__(
        self,
        bench: Workbench,
        choice: Choice,
        *,
        settings: Settings = USUAL,
        notes: Iterable[str] = (),
        keys: Keymap | None = None,
        welcome: Welcome = Welcome(),  # noqa: B008 - a value
        arrived: Callable[[Key], float] = attrgetter("time"),
    ) -> None:
        super().__init__()
        self.bench = bench
        self.choice = choice
        self.session = ReviewSession(bench)
        self.settings = settings
        self.welcome = welcome
        self.marks = _marks(settings)
        self.notes = list(notes)
        self.parting: list[str] = []
        self.arrived = arrived
        self._typed: deque[Key | Paste] = deque()
        self._handing_on = False
        self._rested, self._looks = 0, 0
        self._take_themes(settings.theme)
        self._take_plainness()
        self.keymap = self._own_keys() if keys is None else keys
        self.keys = keymap.applied(KEYS, self.keymap.keys)

    def _take_plainness(self) -> None:
        self.set_class(self.settings.ascii or self.settings.plain, "-ascii")
        self.set_class(self.settings.plain, "-plain")
        if self.settings.reduced_motion or self.settings.plain:
            self.animation_level = "none"

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Textual's own inputs, such as the palette's, blink unless they are told not to."""
        if self.animation_level == "none" and isinstance(event.widget, Input):
            event.widget.cursor_blink = False

    def _own_keys(self) -> Keymap:
        """The person's keys, or the usual ones where theirs cannot be used."""
        try:
            return keymap.load(self.settings.keymap, folder())
        except Unusable as refusal:
            self.notes += [*map(str, refusal.problems), "The usual keys are in use."]
            return keymap.NONE

    # -- themes -----------------------------------------------------------------------------------

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return defaults(self.current_theme.dark)

    def get_css_variables(self) -> dict[str, str]:
        variables = super().get_css_variables()
        variables |= calm_cursor(self.current_theme, variables)
        return variables

    def _take_themes(self, wanted: str) -> None:
        themes = bundled_themes()
        added, problems = user_themes(folder() / "themes")
        self.notes += map(str, problems)
        for theme in (*themes, *added):
            self.register_theme(theme)
        if wanted not in self.available_themes:
            self.notes.append(f"There is no theme {wanted!r}; Ctrl+P lists them.")
        self.theme = wanted if wanted in self.available_themes else themes[0].name

    def search_themes(self) -> None:
        """What the palette's "Theme" opens."""
        from appellate.app import theming

        theming.pick(self)

    # -- keys -------------------------------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Keys that arrive in a burst are handed on one at a time.

        A slow line or a paste delivers several at once; each must find the focus that the one before
        it left, or a comment's letters would be taken for verdicts.
        """
        if not isinstance(event, Key | Paste) or event.is_forwarded:
            await super().on_event(event)
            return
        self._typed.append(event)
        if not self._handing_on:
            await self._hand_on()

    async def _hand_on(self) -> None:
        """Hands the next key on; after the last screen has closed, there is nobody to take it."""
        self._handing_on = bool(self.screen_stack)
        if not self._handing_on:
            self._typed.clear()
            return
        self._rested, self._looks = 0, 0
        await super().on_event(self._typed.popleft())
        later(LOOK, self, self._next_key)

    async def _next_key(self) -> None:
        """What a key set off is done when nobody has anything more to hear of it, and again a moment later."""
        quiet = not self.message_queue_size and at_rest(self.screen_stack)
        self._rested = self._rested + 1 if quiet else 0
        self._looks += 1
        if self._rested < RESTS and self._looks < LOOKS:
            later(LOOK, self, self._next_key)
        elif self._typed:
            await self._hand_on()
        else:
            self._handing_on = False

    # -- coming and going -------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[None]:
        return ReviewScreen(
            self.bench, self.choice, self.session, self.settings, self.keys, self.welcome, self.marks, self.notes
        )

    def on_load(self) -> None:
        """Before the terminal is taken over, so that there is no moment in which a signal leaves it so."""
        self.set_keymap(keymap.for_textual(self.keymap))
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
            self.bench.wrote(await asyncio.to_thread(self.bench.write, self._headway().heard))
        except (NotWritten, NotKept) as refusal:
            return str(refusal)
        return ""

    def _headway(self) -> Headway:
        """Tells how a long save goes in the place of the keys, from the thread that writes."""
        loop, screen = asyncio.get_running_loop(), self.screen_of_review

        def tell(line: str) -> None:
            with contextlib.suppress(RuntimeError):  # the screen is gone
                loop.call_soon_threadsafe(partial(screen.say, line))

        return Headway("Writing the audit", tell, monotonic)

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

    def crashed(self) -> None:
        if CRASHED not in self.parting:  # errors may come in pairs
            self.parting.append(CRASHED)

    # -- the palette ------------------------------------------------------------------------------

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for command in super().get_system_commands(screen):
            if command.title not in {"Keys", "Quit", "Maximize", "Screenshot"}:
                yield command
        for key in self.keys:
            if key.action != "command_palette":
                yield SystemCommand(f"{key.label.capitalize()} ({key.shown})", key.told, self._doing(key.action))

    def _doing(self, action: str) -> Callable[[], Awaitable[None]]:
        async def do() -> None:
            await self.run_action(action, self.screen_of_review)

        return do


def _marks(settings: Settings) -> Marks:
    if settings.plain:
        return PLAIN
    return ASCII if settings.ascii else UNICODE
