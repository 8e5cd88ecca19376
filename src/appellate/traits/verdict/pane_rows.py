"""The rows of a verdict: all that may be given, under one cursor with what it rests on."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from appellate.core.cell import Cell
from appellate.core.describe import panel_of
from appellate.core.kind import Table
from appellate.traits.verdict.pane_corrections import VerdictInSight
from appellate.traits.verdict.pane_keys import key_shown, offers
from appellate.ui.contract import Evidence, Place, Review
from appellate.ui.lines import Lines, ListSection
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import ListRow, StyledText


class VerdictRows:
    """What may be said, with who says so; `lines` is the widget that draws it.

    `is_small` is whether there is so little room that the scale is shown elsewhere.
    """

    cell: Cell
    sight_of: ClassVar[Any] = VerdictInSight

    def __init__(self, review: Review) -> None:
        self.sight = self.sight_of(self)
        self.lines = Lines(marks=review.marks, id="answers")
        self.is_small = False
        self.review = review
        self.marks = review.marks
        self.offered: list[Any] = []

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one with the cursor on its verdict."""
        self.cell = self.sight.cell = cell
        self.offer()
        self.draw()
        if fresh:
            self.to_verdict()

    def offer(self) -> None:
        """Finds what may be said."""
        self.offered = self.sight.scale.offered(self.sight.value, self.sight.found)

    @property
    def option(self) -> Any:
        """What the row under the cursor says; None on another."""
        group, number = self.place
        return self.offered[number] if group == self.sight.GROUPS[0] and self.offered else None

    # -- what is shown ----------------------------------------------------------------------------

    def draw(self) -> None:
        """Draws the rows."""
        self.lines.show(self.options("({verdict.pick:i} types a score)"))

    def options(self, empty: str) -> ListSection:
        """What may be said; `empty` tells a person what to do where that has no rows."""
        above = None
        if not self.is_small:
            above = ListRow(f" {self.sight.scale.scale_text()}", style="header")
        return ListSection(
            self.option_rows(), above, "" if self.review.readonly else empty, whole=True
        )

    def option_rows(self) -> list[ListRow]:
        """A row for each of them."""
        return [self._option(value) for value in self.offered]

    def _option(self, value: Any) -> ListRow:
        """One thing that may be said, with the key that says it and who says it."""
        right, sign = [], StyledText(" ")
        if value == self.sight.value and self.sight.is_overruled:
            sign = StyledText(self.marks.moved, "corrected")
            if self.sight.found != value:
                right.append(
                    StyledText(f" was {self.sight.scale.describe(self.sight.found)}", "corrected")
                )
        right += self.votes_shown(value)
        if value == self.sight.found:
            right.append(StyledText(f" {self.sight.source}", "muted"))
        style = ""
        if value == self.sight.value:
            style, state = "key", self.cell.state
            right.append(
                StyledText(f" {getattr(self.marks, state)} {self.sight.scale.word}", state)
            )
        left = StyledText(f"{key_shown(self.sight.scale, value, self.review):>2} ", "key")
        text = self.sight.scale.meaning_of(value)
        return ListRow(text, (left,), tuple(right), style=style, sign=sign)

    # -- a panel ----------------------------------------------------------------------------------

    def said_by(self, table: Table, key: str) -> Any:
        """The verdict of a judge's table; `key` is which of several."""
        return self.sight.kind.value(self.sight.trait, table)

    def votes_shown(self, value: Any, key: str = "") -> list[StyledText]:
        """How many of a panel's judges say so, and of how many; nothing where none does."""
        members = panel_of(self.cell)
        held = sum(self.said_by(one.table, key) == value for one in members)
        if not held:
            return []
        split = self.marks.split if held < len(members) else ""
        return [StyledText(f" {split}{held}/{len(members)}", "flag")]

    # -- where the cursor is -----------------------------------------------------------------------

    @property
    def place(self) -> Place:
        section, row = self.lines.cursor
        return self.sight.GROUPS[section], row

    def go(self, group: str, number: int) -> None:
        self.lines.go(int(group == self.sight.GROUPS[1]), number)

    def go_over(self) -> None:
        """Goes from the verdict to what it rests on, and back."""
        self.lines.visit(*Cursor(int(self.place[0] == self.sight.GROUPS[0]), 0))

    def to_verdict(self) -> None:
        """Puts the cursor on the verdict that stands."""
        self.go(self.sight.GROUPS[0], self.standing_row)

    @property
    def standing_row(self) -> int:
        """The row of the verdict that stands."""
        return self.offered.index(self.sight.value) if self.sight.value in self.offered else 0

    def evidence(self) -> Sequence[Evidence]:
        """Where in the response what they rest on is, with its numbers."""
        return [
            Evidence(span[0], span[1], "evidence", str(number + 1), (self.sight.GROUPS[1], number))
            for number, span in enumerate(self.sight.stretches)
            if span and span[0] < span[1]
        ]

    # -- what the menu offers ---------------------------------------------------------------------

    def menu_title(self) -> str:
        """What is under the cursor."""
        return str(self.sight.title)

    def evidence_offers(self) -> Mapping[str, str]:
        """What can be looked at there, by the ids of keys."""
        return {"text.evidence": "bring its words into sight"} if self.sight.stretches else {}

    def verdict_offers(self) -> Mapping[str, str]:
        """What can be changed there."""
        option, scale, under = self.option, self.sight.scale, {}
        if option is not None:
            under["verdict.turn"] = f"the {scale.word}: {scale.meaning_of(option)}"
            if option == self.sight.value and scale.has_contrary(option):
                under["verdict.turn"] = f"the other {scale.word}"
        return {**under, **offers(scale), "verdict.pick": f"pick the {scale.word} from a list"}
