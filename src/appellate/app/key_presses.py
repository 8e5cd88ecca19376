"""Which keys act on the review screen now, and what each of them does."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textual.events import Key as KeyPressed
from textual.message import Message
from textual.screen import Screen

from appellate.app.keynames import shown
from appellate.app.workplace import Workplace
from appellate.ui.key import Key

ANSWERS = ("y", "n", "escape", "ctrl+q")
"""The keys that act while a question waits for yes or no."""
PAGES = ("page.on", "page.back")
"""The ids of the keys that scroll the response, from the items as well."""
STEPS = ("unreviewed.next", "unreviewed.previous")
"""The ids of the keys that go from hit to hit while a search is open."""


class KeyPresses:
    """Hears every key that the widget with the focus did not take.

    `commands` are what the screen's own keys do, by id, `counted` what they do so many times;
    `arrived` tells when one was pressed.
    """

    def __init__(
        self,
        screen: Screen[Any],
        at: Workplace,
        commands: Mapping[str, Callable[[], object]],
        counted: Mapping[str, Callable[[int], object]],
        arrived: Callable[[Message], float],
    ) -> None:
        self._screen = screen
        self._at = at
        self._commands = commands
        self._counted = counted
        self._arrived = arrived

    async def press(self, name: str) -> None:
        """Does what the key of an id does, of the pane's or of the screen's own."""
        pane = self._at.view.pane
        own = next((key for key in pane.KEYS if key.id == name), None)
        if own is not None:
            await pane.run_action(own.action)
        elif name in self._commands:
            self._commands[name]()

    async def received(self, event: KeyPressed) -> None:
        """What was said, and by how much the numbers moved, stands until the next key.

        The keys of the kind's pane act from the response and the queue as well, where those have no
        use for them.
        """
        at, pressed = self._at, event.key
        at.sign_off.pressed(pressed, self._arrived(event))
        key = self._meant(pressed)
        refusal = self._refusal(pressed, key)
        if refusal:
            event.stop()
            at.dialogs.say(refusal)
            return
        if key is None or key.id != "jump":  # whose letters stand where things are now
            self._unsay()
        at.view.settle_numbers()
        if key is None:
            return
        if await self._acted(key):
            event.stop()
            event.prevent_default()

    async def _acted(self, key: Key) -> bool:
        """Does what a key means where its own binding would not be heard; whether it did."""
        if key.id in self._counted and (times := self._at.parts.queue.take_times()) > 1:
            self._counted[key.id](times)
            return True
        if self._steps_in_search(key) or (key.id in PAGES and self._is_near):
            await self.press(key.id)
            return True
        afar = self._screen.focused in (self._at.parts.response, self._at.parts.queue, None)
        if key.own_action and afar:
            await self._at.view.pane.run_action(key.action)
            return True
        return False

    def clicked(self) -> None:
        """A click puts away what was said, as a key does."""
        self._at.sign_off.pressed("", 0)
        self._unsay()

    def _unsay(self) -> None:
        if self._at.dialogs.said != self._at.requests.trouble:
            self._at.dialogs.say(self._at.requests.trouble)

    def _meant(self, pressed: str) -> Key | None:
        """What a key means to the screen or to the pane; None where the widget with the focus takes
        it.
        """
        bound = [key for key in self._at.keys_here if pressed in key.keys.split(",")]
        if self._scrolls_response(bound):
            return bound[0]
        active = self._screen.active_bindings.get(pressed)
        if active is not None and active.node not in (self._screen, self._at.view.pane):
            return None
        for key in self._at.keys:
            if pressed in key.keys.split(",") and self._steps_in_search(key):
                return key
        return next((key for key in bound if self._is_near or not key.near), None)

    def _scrolls_response(self, bound: Sequence[Key]) -> bool:
        """Whether a key scrolls the response from the items, and shows more of none of them."""
        if not self._is_near or not bound or bound[0].id not in PAGES:
            return False
        return not any(rows.is_row_cut for rows in self._at.view.pane.lists())

    @property
    def _is_near(self) -> bool:
        """Whether the focus is among the items."""
        return self._screen.focused in self._at.view.pane.lists()

    def _steps_in_search(self, key: Key) -> bool:
        """Whether a key goes from hit to hit now, before whatever else is on it in the pane."""
        return self._at.search.on and key.id in STEPS

    def _refusal(self, pressed: str, key: Key | None) -> str:
        """Why a key does nothing now, if so."""
        if self._at.parts.confirm.asking and pressed not in ANSWERS:
            return "Answer the question first: y or n."
        if key and key.own_action and self._at.material.has_focus:
            return f"{shown(pressed)} is for the items: Tab goes back to them."
        if key and self._at.selection.on and not self._at.selection.lets(key.id):
            return f"{shown(pressed)} waits: words are being selected, and Esc leaves that."
        return ""
