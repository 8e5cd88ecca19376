"""Long cells: which of their items one has been on, counted, kept, and gone through."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from appellate.core.facts import Fact

if TYPE_CHECKING:
    from appellate.app.cell_view import CellView

LONG = 10
"""A cell with more items than this is one in which it is told how many were seen."""


class LongCell:
    """The items of the cell in sight that this reviewer has been on."""

    def __init__(self, view: "CellView") -> None:
        self._view = view
        self._of: tuple[int, Fact | None] = 0, None
        self._names: frozenset[str] = frozenset()
        self._any_unseen = False

    def look(self) -> bool:
        """One is on the items under the cursor; whether that makes another end of what `n` does."""
        of = self._view.no, self._view.cell.base
        if of != self._of:
            self._of, self._names = of, frozenset(self._view.pane.names.all)
        self._note(self._view.pane.names.here)
        before, self._any_unseen = self._any_unseen, bool(self.unseen())
        return before != self._any_unseen

    def corrected(self) -> None:
        """Who made an item, as one half of another or from the text, has seen it."""
        names = frozenset(self._view.pane.names.all)
        self._note(names - self._names)
        self._names = names

    def _note(self, names: Collection[str]) -> None:
        view = self._view
        view.bench.seen.note(view.no, view.cell, frozenset(names))

    # -- what is left ------------------------------------------------------------------------------

    def unseen(self) -> list[str]:
        """The items of a long cell that one has not been on, in the order of reading."""
        names = self._view.pane.names.all
        if len(names) <= LONG:
            return []
        seen = self._view.bench.seen.of(self._view.no, self._view.cell)
        return [name for name in names if name not in seen]

    def describe(self) -> str:
        """How many items of a long cell were seen; nothing of a short one."""
        total = len(self._view.pane.names.all)
        if total <= LONG:
            return ""
        return f"{total - len(self.unseen())}/{total} seen"

    def left_out(self) -> str:
        """What is to be said to who signs it off; nothing where everything was seen."""
        unseen = len(self.unseen())
        if not unseen:
            return ""
        were = "was" if unseen == 1 else "were"
        return f"{unseen} of {len(self._view.pane.names.all)} items {were} not seen"

    def next(self) -> bool:
        """Goes to the next item that was not seen, round the corner; false where there is none."""
        names, unseen = list(self._view.pane.names.all), set(self.unseen())
        if not unseen:
            return False
        here = next(iter(self._view.pane.names.here), names[0])
        at = names.index(here)
        found = next(name for name in [*names[at:], *names[:at]] if name in unseen)
        self._view.pane.names.go(found)
        self._view.looked()
        return True
