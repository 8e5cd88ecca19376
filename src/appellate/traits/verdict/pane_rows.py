"""The rows of a verdict: all that may be given, under one cursor with what follows them."""

from collections.abc import Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.core.describe import answered
from appellate.core.kind import Table
from appellate.traits.verdict.labels import value_of
from appellate.traits.verdict.scale import Value, key_of, meaning_of, offered, scale_text
from appellate.ui.contract import Evidence, Place, Review
from appellate.ui.lines import Lines, ListSection
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import Listed, ListRow, StyledText


class RowsInSight:
    """What rows show and where the cursor is; `lines` is the widget that draws them.

    The first group of places are verdicts, the second what they rest on. `is_small` is whether
    there is so little room that the scale is shown elsewhere.
    """

    GROUPS = ("verdict", "evidence")

    def __init__(self, review: Review, blank: Any) -> None:
        self.lines = Lines(marks=review.marks, id="rows")
        self.labels = blank
        self.is_small = False
        self.review = review
        self.marks = review.marks
        self._blank = blank
        self._cell: Cell | None = None

    @property
    def cell(self) -> Cell:
        """The cell in sight; raises LookupError before there is one."""
        if self._cell is None:
            raise LookupError("no cell is shown yet")
        return self._cell

    @property
    def trait(self) -> Any:
        """Its trait."""
        return self.cell.subject.trait

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one with the cursor on its verdict."""
        self._cell = cell
        self.labels = cell.labels or self._blank
        self.offer()
        self.draw()
        if fresh:
            self.to_verdict()

    def offer(self) -> None:
        """Finds what rows there are."""

    def draw(self) -> None:
        """Draws the rows."""

    def members(self) -> list[Any]:
        """The judges of a panel that answered; none where one judged alone."""
        judge = self.cell.judge
        found = answered(judge.judge) if judge else []
        return found if len(found) > 1 else []

    # -- where the cursor is -----------------------------------------------------------------------

    @property
    def place(self) -> Place:
        section, row = self.lines.cursor
        return self.GROUPS[section], row

    def go(self, group: str, number: int) -> None:
        self.lines.go(int(group == self.GROUPS[1]), number)

    def go_over(self) -> None:
        """Goes from the verdict to what it rests on, and back."""
        self.lines.visit(*Cursor(int(self.place[0] == self.GROUPS[0]), 0))

    def to_verdict(self) -> None:
        """Puts the cursor on the verdict that stands."""

    def follow(self, edit: Table) -> None:  # noqa: ARG002 - for a kind to heed
        """Puts the cursor on what a correction was about."""
        self.to_verdict()

    def evidence(self) -> Sequence[Evidence]:
        """Where in the response stands what they rest on."""
        return ()


class VerdictRows(RowsInSight):
    """One verdict: all that may be said, with who says so."""

    SOURCE, WORD = "", "verdict"
    """Who gives the verdict where no person does; what the row of the one that stands says."""

    def __init__(self, review: Review, blank: Any) -> None:
        super().__init__(review, blank)
        self.offered: list[Any] = []

    @property
    def value(self) -> Value | None:
        """The verdict that stands."""
        value: Value | None = self.labels.value
        return value

    @property
    def found(self) -> Value | None:
        """The verdict of the source."""
        found: Value | None = self.labels.found
        return found

    @property
    def option(self) -> Value | None:
        """What the row under the cursor says; None on another."""
        group, number = self.place
        if group == self.GROUPS[0] and self.offered:
            option: Value | None = self.offered[number]
            return option
        return None

    def offer(self) -> None:
        self.offered = offered(self.trait, self.value, self.found)

    def draw(self) -> None:
        self.lines.show(self.options("(i types a score)"))

    def scale(self) -> str:
        """What sort of verdict it is, and which end of it is good."""
        return scale_text(self.trait)

    def options(self, empty: str) -> ListSection:
        """What may be said; `empty` tells a person what to do where that has no rows."""
        above = None
        if not self.is_small:
            above = ListRow(f" {self.scale()}", style="header")
        return ListSection(
            Listed(self.option_rows()), above, "" if self.review.readonly else empty, whole=True
        )

    def option_rows(self) -> list[ListRow]:
        """A row for each of them."""
        return [self._option(value) for value in self.offered]

    def _option(self, value: Any) -> ListRow:
        """One thing that may be said, with the key that says it and who says it."""
        right, sign = [], StyledText(" ")
        if value == self.value and self.is_moved:
            sign = StyledText(self.marks.moved, "corrected")
            if self.was():
                right.append(StyledText(f" {self.was()}", "corrected"))
        held, of = self.votes(value)
        if held:
            split = self.marks.split if held < of else ""
            right.append(StyledText(f" {split}{held}/{of}", "flag"))
        if value == self.found:
            right.append(StyledText(f" {self.SOURCE}", "muted"))
        style = ""
        if value == self.value:
            style, state = "key", self.cell.state
            right.append(StyledText(f" {getattr(self.marks, state)} {self.WORD}", state))
        key, text = self.key_and_text(value)
        left = StyledText(f"{key:>2} ", "key")
        return ListRow(text, (left,), tuple(right), style=style, sign=sign)

    @property
    def is_moved(self) -> bool:
        """Whether a person says otherwise than the source."""
        return self.found not in (None, self.value)

    def key_and_text(self, value: Any) -> tuple[str, str]:
        """The key that gives something, and its words."""
        return key_of(self.trait, value), meaning_of(self.trait, value)

    def was(self) -> str:
        """What is said of another verdict beside the one that stands."""
        return ""

    def votes(self, value: Value | None) -> tuple[int, int]:
        """How many of a panel's judges say so, and of how many; (0, 0) where no panel judged."""
        members = self.members()
        return sum(value_of(self.trait, one.table) == value for one in members), len(members)

    def to_verdict(self) -> None:
        self.go(self.GROUPS[0], self.standing_row)

    @property
    def standing_row(self) -> int:
        """The row of the verdict that stands."""
        return self.offered.index(self.value) if self.value in self.offered else 0
