"""Signing a cell off: once for one press, and with a second thought where something speaks against it."""

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.navigation import Navigation
from appellate.app.requests import Requests
from appellate.workbench import Workbench

HELD = 0.75  # seconds within which the same key again may be one held down: keyboards wait for up to 0.66


class SignOffKey:
    """The key that signs off, shown as `key`; hears every key, to know one that is held down."""

    def __init__(
        self,
        bench: Workbench,
        view: CellView,
        requests: Requests,
        navigation: Navigation,
        dialogs: Dialogs,
        key: str,
    ) -> None:
        self._bench = bench
        self._view = view
        self._requests = requests
        self._navigation = navigation
        self._dialogs = dialogs
        self._key = key
        self._pressed: tuple[str, float] = "", 0.0  # the key before, and when it was pressed
        self._held = False
        self._doubted: tuple[int, str] | None = (
            None  # the cell, and what was said against signing it off
        )

    def pressed(self, key: str, at: float) -> None:
        """Notes whether a key may be one that is held down; any other than the one before forgets a doubt."""
        before, then = self._pressed
        self._pressed = key, at
        self._held = key == before and at - then < HELD
        if key != before:
            self._doubted = None

    def sign(self) -> None:
        """Signs the cell off and goes to the next that is not; from one that is, it only goes."""
        if self._view.cell.signed or self._signed():
            self._navigation.unreviewed(1, after=True)

    def _signed(self) -> bool:
        if not self._may_sign():
            return False
        return self._requests.do(lambda: self._bench.sign_off(self._view.no)) is not None

    def _may_sign(self) -> bool:
        """Whether this press may sign the cell off, or be refused; says why if it may not yet."""
        if self._view.cell.labels is None or self._bench.readonly:
            return True
        doubts = self._view.pane.doubts()
        doubted, self._doubted = self._doubted, (self._view.no, doubts)
        if doubts and (self._held or doubted != self._doubted):
            self._dialogs.say(f"{doubts} {self._key} again signs it off all the same.")
            return False
        if self._held:
            self._dialogs.say(
                f"One press signs one cell, held down or not: press {self._key} once more for this one."
            )
        return not self._held
