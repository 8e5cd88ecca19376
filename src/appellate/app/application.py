"""The application: one review screen, its themes, and leaving cleanly in every way there is."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from pathlib import Path, PurePath
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.events import Key
from textual.message import Message
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender

from appellate.app.appearance.themes import (
    bundled_theme,
    bundled_theme_names,
    calm_cursor,
    default_variables,
)
from appellate.app.keys import keymap
from appellate.app.keys.bindings import shown
from appellate.app.keys.keymap import Keymap
from appellate.app.review_objects import ReviewSetup
from appellate.app.review_screen import ReviewScreen
from appellate.app.tour import Welcome
from appellate.core.problem import with_keys
from appellate.core.step_progress import Progress, ignore_progress
from appellate.judging.choice import JudgeChoice
from appellate.session.review_session import ReviewSession
from appellate.session.settings import Settings, folder
from appellate.session.workbench import Workbench
from appellate.store.audits.audit_sync import NotWritten
from appellate.store.database import NotKept
from appellate.ui.frame import FramedApp
from appellate.ui.marks import marks_for
from appellate.ui.text import flat
from appellate.ui.textual_compat import Hand

if TYPE_CHECKING:
    from appellate.ui.caps_lock import CapsLock

USUAL = Settings.model_construct()
ACTED = " {cell.undo:u} takes back what was done before."
CRASHED = (
    "Appellate crashed. Every correction that was shown is saved in the workspace."
)


def _once_each(arrived: Callable[[Message], float]) -> Callable[[Message], float]:
    """Return a function that calls `arrived` only once for each message.

    It keeps the time of the latest message only, so one that is asked about again after another
    counts as new.
    """
    latest: list[tuple[Message, float]] = []

    def arrived_at(message: Message) -> float:
        """Return when a message arrived, in seconds; the same when asked again at once.

        A message that is asked about again after another one counts as new.
        """
        if not latest or latest[0][0] is not message:
            latest[:] = [(message, arrived(message))]
        return latest[0][1]

    return arrived_at


class AppellateApp(FramedApp):
    """The program that shows one audit for review.

    `parting` holds the sentences to print after it has ended.
    """

    TITLE = "Appellate"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH: ClassVar[list[str | PurePath]] = ["appellate.tcss"]

    def __init__(
        self,
        bench: Workbench,
        choice: JudgeChoice,
        *,
        settings: Settings = USUAL,
        notes: Iterable[str] = (),
        keys: Keymap | None = None,
        welcome: Welcome = Welcome(),  # noqa: B008 - a value
        arrived: Callable[[Message], float] = attrgetter("time"),
    ) -> None:
        """Prepare to review an audit.

        `notes` are sentences to say after the first paint; what is wrong with the theme or
        the keymap is added to them. `keys` is the reviewer's keymap, read from the settings
        for None. `arrived` returns when a message arrived, in seconds. The drawing of
        scroll bars is set for the whole process.
        """
        super().__init__()
        self.bench = bench
        self.choice = choice
        self.session = ReviewSession(bench)
        self.settings = settings
        self.welcome = welcome
        self.marks = marks_for(plain=settings.plain, ascii_only=settings.ascii)
        self.notes = list(notes)
        self.parting: list[str] = []
        self._signal = 0
        """The signal that asked the program to end; 0 if none did."""
        self._one_write = asyncio.Lock()
        self.arrived = _once_each(arrived)
        self.key_queue.is_open = False  # until everything is there that a key may show
        self.keymap = keys or keymap.usable(settings.keymap, folder(), self.notes)
        first = {name: keys.split(",")[0] for name, keys in self.keymap.keys.items()}
        self.key_names = {name: shown(key) for name, key in first.items()}
        self._register_themes(settings.theme)
        ScrollBar.renderer = ScrollBarRender
        if not self.marks.raises:
            from appellate.app.appearance.blank_scrollbar import BlankScrollBar

            ScrollBar.renderer = BlankScrollBar
        if settings.ascii or settings.plain:
            self._add_look("ascii")
        if settings.plain:
            self._add_look("plain")
        if settings.reduced_motion or settings.plain:
            self.animation_level = "none"
        self._act_before_capitals: Sequence[tuple[int, int]] = ()

    # -- themes -----------------------------------------------------------------------------------

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return default_variables(self.current_theme.dark)

    def get_css_variables(self) -> dict[str, str]:
        """Return the CSS variables of the current theme, with a calm cursor over its own."""
        variables = super().get_css_variables()
        variables |= calm_cursor(self.current_theme, variables)
        return variables

    def _add_look(self, name: str) -> None:
        """Add the rules of a look, the file `name`.tcss, and the class that they are about.

        Rules of a look that nobody chose are not read: that takes as long as to paint a pane.
        """
        self.css_path.append(Path(__file__).with_name(f"{name}.tcss"))
        self.add_class(f"-{name}")

    def _register_themes(self, name: str) -> None:
        """Register the reviewer's own themes, and use the theme named `name`.

        What is wrong with the reviewer's themes is added to the notes. So is an unknown name, for
        which the first bundled theme is used. Other bundled themes are not read, since only
        `theming` needs them.
        """
        own_folder = folder() / "themes"
        shipped = bundled_theme_names()
        if any(own_folder.glob("*.toml")):
            from appellate.app.appearance.theme_files import (
                user_themes,  # with all that checks them
            )

            added, problems = user_themes(own_folder)
            self.notes += map(str, problems)
            for theme in added:
                self.register_theme(theme)
        if name not in (*shipped, *self.available_themes):
            lists = with_keys("; {palette:Ctrl+P} lists them", self.key_names)
            self.notes.append(f"There is no theme {name!r}{lists}.")
            name = shipped[0]
        if name in shipped:
            self.register_theme(bundled_theme(name))
        self.theme = name

    def search_themes(self) -> None:
        """Open the list of themes; Textual's own action calls this."""
        from appellate.app.appearance import theming

        theming.pick_theme(self, self.marks, self.screen_of_review.say)

    # -- keys -------------------------------------------------------------------------------------

    @cached_property
    def _caps_lock(self) -> "CapsLock":
        """Distinguishes words that are typed with Caps Lock on from keys.

        It is made at the first key, which comes after the first paint.
        """
        from appellate.ui.caps_lock import REPEATED, CapsLock

        keys = self.screen_of_review.objects.keys
        repeated = [key.keys.split(",") for key in keys if key.id in REPEATED]
        return CapsLock({*chain.from_iterable(repeated)})

    async def hand_on(self, event: Hand) -> None:
        """Pass an event on, unless it is a letter of a word that is typed with Caps Lock on.

        Such a letter is dropped, and the reviewer is told that Caps Lock seems to be on. Where
        letters are text, as in a field or a list, every event is passed on.
        """
        if not self._refuses_capital(event):
            await super().hand_on(event)

    def _refuses_capital(self, event: Hand) -> bool:
        """Return whether an event is refused, as a letter of a word in capitals.

        If so, say that Caps Lock seems to be on, and how to undo what the letters before
        did, if they did something. Always False where letters are text, on a screen that
        says no sentences, and for other events than keys; the letters so far are then
        forgotten.
        """
        say = getattr(self.screen, "say", None)
        if not isinstance(event, Key) or say is None or self._takes_text(event):
            self._caps_lock.forget()
            return False

        if not self._caps_lock.doubts(event.key, event.character, self.arrived(event)):
            if len(self._caps_lock.capitals) == 1:
                self._act_before_capitals = self._last_act()
            return False
        text = self._caps_lock.sentence
        if self._last_act() != self._act_before_capitals:
            text += ACTED
        say(text)
        return True

    def _takes_text(self, key: Key) -> bool:
        """Return whether a key is typed into the focused widget, or the screen on top is modal.

        A modal screen is one such as a list of choices.
        """
        focused = self.screen.focused
        is_text = focused is not None and focused.check_consume_key(
            key.key,
            key.character,
        )
        return is_text or self.screen.is_modal

    def _last_act(self) -> Sequence[tuple[int, int]]:
        """Return the facts of what would be undone next."""
        return self.bench.facts_to_reverse("undo")

    # -- coming and going -------------------------------------------------------------------------

    async def on_ready(self) -> None:
        """Add the widgets that keys may show, and handle keys from now on; then begin what follows.

        That is the judge's run, the queue of last time, and a ruling; none of it if a signal has
        asked the program to end. Textual calls this after the first paint.
        """
        screen = self.screen_of_review
        parts = screen.objects.parts
        await screen.mount(parts.prompt, parts.confirm, before=parts.message)
        await screen.objects.complete_panes()
        self.key_queue.open()
        if not self._signal:
            screen.go_on()

    def get_default_screen(self) -> Screen[None]:
        """Return the review screen with everything that it needs of the program."""
        setup = ReviewSetup(
            self.bench,
            self.session,
            self.choice,
            self.settings,
            self.marks,
            self.keymap.keys,
            self.welcome,
            self.notes,
            write=self.write,
            arrived=self.arrived,
            asks=self.asks,
            cannot_begin=self._cannot_begin,
        )
        return ReviewScreen(setup)

    def _cannot_begin(self, error: Exception) -> None:
        """End the program with code 1, and print later that the workspace is unreadable.

        The sentence has the path, `error`, and what to do with the file.
        """
        path = self.bench.workspace.path
        self.parting.append(
            f"{path} cannot be read: {error}. Move it and its -wal away and keep them; the audit"
            " file makes a new one.",
        )
        self.exit(return_code=1)

    def on_load(self) -> None:
        """Set the reviewer's own keys, and handle signals from now on.

        That is before the terminal is taken over, so that no signal can leave it unusable.
        """
        self.set_keymap(self.keymap.for_textual)
        self._handle_signals("SIGINT", "SIGTERM", "SIGHUP")

    def _handle_signals(self, *names: str) -> None:
        """Write the audit and end the program on these signals, where the system has them."""
        loop = asyncio.get_running_loop()
        for name in names:
            number = getattr(signal, name, None)
            if number is not None:
                with contextlib.suppress(NotImplementedError):  # Windows
                    loop.add_signal_handler(number, self._leave_on_signal, number)

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        """Give the terminal to another program while the context lasts, then take it back.

        In the meantime SIGINT is not handled here: the caller decides what Ctrl+C does to this
        program.
        """
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.remove_signal_handler(signal.SIGINT)
        try:
            with super().suspend():
                yield
        finally:  # after the signals of that time have been read from asyncio's pipe
            loop.call_soon(loop.call_soon, self._handle_signals, "SIGINT")

    def _leave_on_signal(self, number: int) -> None:
        """Save the reviewer's place, write the audit and end the program, as a signal asked for it.

        The audit is written only if the file lacks something. While the screen is still being
        built, all this is put off. A session that only reads writes nothing. What cannot be written
        is reported after the end. `number` is that of the signal; the exit code is that of the
        first one.
        """
        self._signal = self._signal or number
        if not self.key_queue.is_open:  # half built: in a moment
            asyncio.get_running_loop().call_later(0.02, self._leave_on_signal, number)
            return
        try:
            # what is saved is printed later
            with contextlib.suppress(NotWritten, NotKept):
                if not self.bench.readonly:
                    self.screen_of_review.objects.saving.keep_position()
                    if self.bench.unexported_count or not self.bench.is_written:
                        self.bench.save()
        finally:
            self.exit()

    @property
    def exit_code(self) -> int:
        """The exit code: 128 plus the signal that ended the program, or else Textual's code.

        It is 0 if there is neither.
        """
        if self._signal:
            return 128 + self._signal
        return self.return_code or 0

    def on_mount(self) -> None:
        self.name_window(f"{flat(self.bench.audit.name)} - {self.TITLE}")

    async def on_unmount(self) -> None:
        """Close the judge's connections, and clear the name of the window.

        The name stays if the terminal hung up, since writing to it would wait for ever.
        """
        # to a terminal that is gone, writing would wait for somebody to read
        if self._signal != getattr(signal, "SIGHUP", None):
            self.name_window("")
        if self.choice.judge is not None:
            await self.choice.judge.close()

    async def write(self, *, quietly: bool = False) -> str:
        """Write the audit in a thread; return "", or why it could not be written.

        With `quietly` no progress is shown. The reviewer's place is saved first. A second write
        waits for the first. A session that only reads writes nothing and returns "".
        """
        if self.bench.readonly:
            return ""
        try:
            self.screen_of_review.objects.saving.keep_position()
            on_progress = ignore_progress if quietly else self._progress().received
            async with self._one_write:  # the next copies what this one noted
                self.bench.wrote(await asyncio.to_thread(self.bench.write, on_progress))
        except (NotWritten, NotKept) as refusal:
            return str(refusal)
        return ""

    def _progress(self) -> Progress:
        """Return a progress of writing the audit, whose lines are shown instead of the keys.

        Another thread may report to it. Lines are dropped once the program is ending.
        """
        loop = asyncio.get_running_loop()
        screen = self.screen_of_review

        def tell(line: str) -> None:
            """Have a line said on the screen from any thread; drop it after the end."""
            with contextlib.suppress(RuntimeError):  # the screen is gone
                loop.call_soon_threadsafe(partial(screen.objects.dialogs.say, line))

        return Progress("Writing the audit", tell, monotonic)

    async def action_quit(self) -> None:
        self.screen_of_review.action_quit()

    @property
    def screen_of_review(self) -> ReviewScreen:
        """Return the review screen, which may be below others.

        Raises StopIteration if it is not open.
        """
        return next(
            screen for screen in self.screen_stack if isinstance(screen, ReviewScreen)
        )

    def crashed(self) -> None:
        if CRASHED not in self.parting:  # errors may come in pairs
            self.parting.append(CRASHED)
