"""The key that signs a cell off, and locks the verdict of a blind one."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.queue.navigation import Navigation
from appellate.app.requests import Requests

if TYPE_CHECKING:
    from appellate.app.compare.visits import Comparing

HELD = 0.75
"""Seconds within which the same key again may be one held down: keyboards wait for up to 0.66."""


class SignOffKey:
    """The key that signs off, shown as `key`: once for one press, and with a second thought where
    something speaks against it.

    Hears every key, to know one that is held down.
    """

    def __init__(
        self,
        view: CellView,
        requests: Requests,
        navigation: Navigation,
        dialogs: Dialogs,
        key: str,
        comparing: Callable[[], "Comparing"],
    ) -> None:
        self._view = view
        self._requests = requests
        self._navigation = navigation
        self._dialogs = dialogs
        self._key = key
        self._comparing = comparing
        self._pressed = "", 0.0  # the key before, and when it was pressed
        self._held = False

    def pressed(self, key: str, at: float) -> None:
        """Notes whether a key may be one that is held down; any other than the one before forgets a
        doubt.
        """
        before, then = self._pressed
        self._pressed = key, at
        self._held = key == before and at - then < HELD
        if key != before:
            self._requests.acts.forget_doubt()

    def sign(self) -> None:
        """Signs the cell off and goes to the next that is not; from one that is, it only goes.

        Of a blind cell it locks the verdict, and stays to show the judge.
        """
        view, text = self._view, ""
        if view.cell.ruled and not view.cell.contest and self._held:
            return
        if not view.cell.signed:
            no, seconds = view.no, view.sight.seconds(self._pressed[1])
            blind = view.cell.hidden and view.cell.contest is None
            left_out = view.long.left_out()
            change = self._requests.do(
                lambda: self._requests.acts.sign(
                    no, view.pane, seconds, key=self._key, held=self._held
                )
            )
            if change is None or not change.after.signed:  # an error had been planted
                return
            hasty = ""
            if change.after.hasty:
                hasty = f"in sight for {seconds:.1f} s ({view.marks.hasty}, is:hasty finds it)"
            text = ", ".join(filter(None, [hasty, left_out]))
            if blind:
                self._comparing().locked(text, self._pressed)
                return
        self._navigation.unreviewed(1, after=True)
        if text:
            text = f"Signed off, {text}: {{back:(}} goes back, {{cell.undo:u}} takes it back."
            self._dialogs.say(f"{text} {self._dialogs.said}".strip())
