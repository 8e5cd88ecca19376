"""Going side by side: from a cell to another answer to the same question, into one of both cells
and back.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from appellate.app.cell_actions import CellActions
from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.queue.navigation import Navigation
from appellate.ui.key import Key

if TYPE_CHECKING:
    from appellate.app.answers.sides import Sides

ALONE = "No other answer to this question is in this audit."


class SideBySide:
    """Opens the two answers, and remembers the last pair as it was left."""

    def __init__(
        self,
        view: CellView,
        navigation: Navigation,
        dialogs: Dialogs,
        actions: CellActions,
        keys: Sequence[Key],
        reasons: Sequence[str],
    ) -> None:
        self._view = view
        self._bench = view.bench
        self._navigation = navigation
        self._dialogs = dialogs
        self._actions = actions
        self._keys = keys
        self._reasons = reasons
        self._sides: Sides | None = None
        self._index = 0
        self._opened: int | None = None  # the cell that was opened from the pair

    async def here(self) -> None:
        """The cell in sight and the best other answer; the pair that it was opened from, if any."""
        if await self.back():
            return
        number = self._view.no
        trace_no = self._bench.workspace.cells.trace_of(number)
        others = self._bench.workspace.traces.other_answers(number, trace_no, self._view.trace)
        if not others:
            self._dialogs.say(ALONE)
            return
        from appellate.app.answers.sides import Sides

        self._sides = Sides(self._bench, number, others)
        await self._show(self._sides, self._row(self._sides))

    def _row(self, sides: "Sides") -> int:
        """The instruction under the cursor, else the first that is answered otherwise."""
        cursor = self._view.pane.instructions
        if cursor is not None:
            for place, one in enumerate(sides.asked):
                if (one.of, one.number) == cursor.link:
                    return place
        return next(iter(sides.differing()), 0)

    async def back(self) -> bool:
        """Back to the pair that the cell in sight was opened from; false where it was not."""
        if self._sides is None or self._opened != self._view.no:
            return False
        self._sides.forget()
        await self._show(self._sides, self._index)
        return True

    async def _show(self, sides: "Sides", index: int) -> None:
        from appellate.app.answers.screen import SidesScreen
        from appellate.app.answers.sides import HERE
        from appellate.app.keys.commands import pane_of
        from appellate.store.files.wordings import AskedCell

        self._opened = None
        subject = sides.cell(HERE).subject
        screen = SidesScreen(
            self._bench,
            sides,
            index,
            self._keys,
            pane_of(subject.kind.name).ANSWER_KEYS(subject.trait),
            self._reasons,
            self._actions.turned,
            self._view.marks,
            rendered=self._view.parts.response.reads_as_markdown,
        )
        opened = await self._dialogs.show(screen)
        self._index = screen.index
        if isinstance(opened, AskedCell):
            self._opened = opened.cell
            self._navigation.go_to_asked(opened)
        elif opened is not None:
            self._opened = opened
            self._navigation.go(opened)
