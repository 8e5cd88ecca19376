"""After a blind verdict was locked: the judge is shown beside it, and one goes on from there."""

from collections.abc import Callable, Sequence

from textual.message import Message

from appellate.app.cell_actions import CellActions
from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.queue.navigation import Navigation
from appellate.core.ruling import BLIND, difference_text
from appellate.ui.conversation import begin
from appellate.ui.key import Key, first_names


class Reveal:
    """`arrived` tells when a key was pressed, `actions` have what judges proposed."""

    def __init__(
        self,
        view: CellView,
        navigation: Navigation,
        dialogs: Dialogs,
        keys: Sequence[Key],
        arrived: Callable[[Message], float],
        actions: CellActions,
    ) -> None:
        self._view = view
        self._navigation = navigation
        self._dialogs = dialogs
        self._keys = keys
        self._arrived = arrived
        self.signs = first_names(keys)["cell.sign"]
        self._actions = actions

    def judges(self) -> None:
        """What judges proposed; beside a blind verdict, once there is one."""
        cell = self._view.cell
        if cell.hidden:
            self._dialogs.say(BLIND)
        elif cell.ruled and cell.judge:
            begin(self.show())
        else:
            begin(self._actions.proposals())

    def locked(self, text: str, pressed: tuple[str, float]) -> None:
        """Shows the judge of a verdict that was just locked by a key `pressed` then; `text` is what
        there is to say of that.
        """
        begin(self.show(f"{', '.join(filter(None, ('Locked', text)))}.", pressed))

    async def show(self, text: str = "", pressed: tuple[str, float] = ("", 0.0)) -> None:
        """Shows the verdict of the cell in sight beside the judge's answers, or says why there are
        none; `text` goes before it.
        """
        cell = self._view.cell
        difference = difference_text(cell)
        if cell.judge is None:
            self._dialogs.say(f"{text} {difference} {self.signs} goes on.".strip())
            return
        from appellate.app.judging.reveal_screen import RevealRows, RevealScreen

        rows = RevealRows(cell, self._view.marks)
        left = await self._dialogs.show(
            RevealScreen(rows, self._keys, self._view.marks, self._arrived, pressed)
        )
        if left is None or left.to == "cell":
            self._dialogs.say(f"{text} {difference}".strip())
        elif left.to == "next":
            self._navigation.unreviewed(1, after=True)
        elif left.to == "previous":
            self._navigation.unreviewed(-1, after=True)
        elif left.to == "proposals":
            await self._actions.proposals()
        elif left.name in self._view.pane.names.all:
            self._view.pane.names.go(left.name)
            self._view.looked()
