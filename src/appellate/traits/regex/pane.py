"""Shows a regex cell on the screen: the verdict, the pattern, and its matches."""

from collections.abc import Sequence
from typing import Any

from textual.content import Content

from appellate.core.cell import Cell
from appellate.traits.regex.linear import CONTEXT, MATCH, MatchesInSight
from appellate.traits.verdict.pane_verdict import DrawnVerdict, VerdictPane
from appellate.ui.contract import Place, beside_step
from appellate.ui.conversation import Conversation
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import cell_width, entitle, flat, inert


class DrawnPattern(DrawnVerdict):
    """The pattern, its flags, and its matches as rows. The verdict has keys, but no row."""

    FAILED = "Not matched."
    NOT_YET = "Not matched yet."
    AGAIN = "{cell.judge:J} tries again"
    FIRST = "{cell.judge:J} does it"
    sight_of = MatchesInSight

    @property
    def option(self) -> Any:
        """The current verdict, wherever the cursor is."""
        return self.sight.value

    def draw(self) -> None:
        """Draw the matches as rows, or say why there are none.

        Before there is a verdict, nothing is said.
        """
        empty = "(what it matches is not known)"
        if self.sight.has_matches_known:
            empty = f"(it {self.sight.hits_text()})"
        if self.sight.value is None:
            empty = ""
        self.lines.show_rows(
            DrawnRows(range(len(self.sight.stretches)), self._drawn),
            empty,
        )

    def _drawn(self, number: int) -> ListRow:
        """Return the row of a match: its number, the text before it, the match, the text after it.

        `number` counts from 0, and the row shows it from 1. The text before is cut to a column, so
        that matches stand below each other. White space is shown as blanks, an empty match as
        "(nothing)".
        """
        before, text, after = self.sight.around(number)
        width = min(CONTEXT, self.lines.size.width // 3)
        before = flat(before)
        while cell_width(before) > width:
            before = before[1:]
        gap = " " * (width - cell_width(before))
        left = (
            StyledText(f"{number + 1:>3} ", "muted"),
            StyledText(f"{gap}{before}", "muted"),
            StyledText(text or "(nothing)", "key"),
        )
        step = beside_step(self.cell.subject, [(self.sight.stretches[number], None)])
        return ListRow(after, left, step, style="muted")

    @property
    def only_counted(self) -> str:
        """The number of matches without a row, as "3 more are only counted".

        It is "" if all have one.
        """
        unlisted = self.sight.labels.unlisted
        return f"{unlisted:,} more are only counted" if unlisted > 0 else ""

    @property
    def place(self) -> Place:
        return (MATCH, self.lines.cursor[1]) if self.sight.labels.matches else ("", 0)

    def go(self, group: str, number: int) -> None:
        self.lines.go(0, number)

    def question(self) -> str:
        return self.sight.trait.description or ""

    def grounds(self) -> Sequence[Content]:
        """Return lines to draw: the pattern as it is written, with a label, then its facts.

        One line has all flags that are not the default, and one how often the pattern matches. The
        first is left out if there are no such flags, the second if the number is not known.
        """
        pattern = Content.assemble(
            "pattern  ",
            (inert(self.sight.trait.pattern), "$text"),
        )
        return [pattern, *map(Content, self.sight.facts())]

    def detail(self) -> Content:
        """Return all that there is to know of the verdict, and how many matches have no row."""
        return Content("\n").join([super().detail(), Content(self.only_counted)])


class RegexPane(VerdictPane):
    """Shows whether the pattern matches, and its matches under a cursor."""

    TITLE = "Pattern"
    ABOUT = (
        "the verdict, the pattern and what it matches; the response shows every match"
    )
    SOURCE = "pattern"
    drawn_of = DrawnPattern
    drawn: DrawnPattern

    def show(self, cell: Cell, *, fresh: bool) -> None:
        super().show(cell, fresh=fresh)
        entitle(self, "Pattern")

    def tell_marks(self) -> None:
        """Say in the frame how many matches have no row; the rows have no marks."""
        entitle(self, subtitle=self.drawn.only_counted)

    def summary(self) -> str:
        return self.sight.hits_text() if self.cell else ""

    def turn_here(self) -> Conversation:
        conversation: Conversation = self.corrections.turn()
        return conversation


PANE = RegexPane
