"""The rows of an LLM cell: all that may be said, and the excerpts it rests on, under one cursor."""

from collections.abc import Sequence

from appellate.core.cell import Cell
from appellate.core.describe import answered
from appellate.core.replay import reason_for
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.labels import value_of
from appellate.traits.verdict.scale import Value, key_of, meaning_of, offered, scale_text
from appellate.ui.contract import Place, Review
from appellate.ui.lines import Lines, Listed, ListRow, ListSection
from appellate.ui.marks import in_quotes
from appellate.ui.pane import Evidence
from appellate.ui.rendered_text import StyledText
from appellate.ui.row_layout import Cursor

_UNVERIFIED = "not found in the response: check it, reword it (e) or drop it (d)"
VERDICT, EXCERPTS = "verdict", "evidence"
"""The groups of places: what may be said, and the excerpts."""


class VerdictRows:
    """What the rows show and where the cursor is; `lines` is the widget that draws them.

    `found` is the judge's verdict, `offered` what has a row; `is_small` is whether there is so
    little room that the scale is told elsewhere.
    """

    def __init__(self, review: Review) -> None:
        self.lines = Lines(marks=review.marks, id="rows")
        self.labels = Labels()
        self.found: Value | None = None
        self.offered: list[Value] = []
        self.is_small = False
        self._cell: Cell | None = None
        self._judged_evidence: Sequence[Excerpt] = ()
        self._review = review
        self._marks = review.marks

    @property
    def cell(self) -> Cell:
        """The cell in sight; raises LookupError before there is one."""
        if self._cell is None:
            raise LookupError("no cell is shown yet")
        return self._cell

    @property
    def trait(self) -> LLMRubricTrait:
        trait: LLMRubricTrait = self.cell.subject.trait
        return trait

    @property
    def value(self) -> Value | None:
        """The verdict that stands."""
        return self.labels.value

    # -- what is shown ----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one with the cursor on its verdict."""
        self._cell, self.found, self._judged_evidence = cell, None, ()
        self.labels = cell.labels or Labels()
        if cell.judge:
            self.found = value_of(self.trait, cell.judge.table)
            self._judged_evidence = cell.subject.labels(cell.judge.table).evidence
        self.offered = offered(self.trait, self.labels.value, self.found)
        self.draw()
        if fresh:
            self._to_verdict()

    def draw(self) -> None:
        options = [self._option(value) for value in self.offered]
        excerpts = [self._excerpt(index) for index in range(len(self.labels.evidence))]
        above = None
        if not self.is_small:
            above = ListRow(f" {scale_text(self.trait)}", style="header")
        header = ListRow(f" Evidence {len(excerpts)}", style="header")
        empty = "(none: + takes words of the response)"
        if self._review.readonly:
            empty = "(none)"
        self.lines.show(
            ListSection(Listed(options), above, whole=True),
            ListSection(Listed(excerpts), header, empty, whole=True),
        )

    def _option(self, value: Value) -> ListRow:
        """One thing that may be said, with the key that says it and who says it."""
        right, sign = [], StyledText(" ")
        if value == self.labels.value and self.found not in (None, value):
            sign = StyledText(self._marks.moved, "corrected")
            right.append(StyledText(f" {self._was()}", "corrected"))
        held, of = self.votes(value)
        if held:
            split = self._marks.split if held < of else ""
            right.append(StyledText(f" {split}{held}/{of}", "flag"))
        if value == self.found:
            right.append(StyledText(" judge", "muted"))
        style = ""
        if value == self.labels.value:
            style, state = "key", self.cell.state
            right.append(StyledText(f" {getattr(self._marks, state)} verdict", state))
        left = StyledText(f"{key_of(self.trait, value):>2} ", "key")
        return ListRow(meaning_of(self.trait, value), (left,), tuple(right), style=style, sign=sign)

    def _was(self) -> str:
        """What the judge said instead, and why a person says something else."""
        text = f"was {self.trait.describe(self.found)}"
        given = [step.n for step in self.cell.steps if step.n in self.cell.edits]
        reasons = [reason_for(self.cell, n) for n in reversed(given)]
        return " · ".join([text, *filter(None, reasons[:1])])

    def votes(self, value: Value | None) -> tuple[int, int]:
        """How many of a panel's judges say so, and of how many; (0, 0) where no panel judged."""
        judge = self.cell.judge
        members = answered(judge.judge) if judge else []
        if len(members) < 2:  # noqa: PLR2004 - one judge is no panel
            return 0, 0
        return sum(value_of(self.trait, one.table) == value for one in members), len(members)

    def _excerpt(self, index: int) -> ListRow:
        excerpt = self.labels.evidence[index]
        left = StyledText(f"{index + 1:>2} ", "key")
        sign = StyledText(" ")
        if self._cell and self._cell.base and excerpt not in self._judged_evidence:
            sign = StyledText(self._marks.added, "corrected")
        if excerpt.span:
            return ListRow(in_quotes(excerpt.text, self._marks), (left,), sign=sign)
        return ListRow(
            in_quotes(excerpt.text, self._marks),
            (left,),
            (StyledText(" unverified", "flag"),),
            sign=StyledText(self._marks.doubt, "flag"),
            under_cursor=((StyledText(_UNVERIFIED, "failed"),),),
        )

    # -- what is known of them ---------------------------------------------------------------------

    @property
    def in_doubt(self) -> int:
        """How many excerpts are not in the response."""
        return sum(excerpt.span is None for excerpt in self.labels.evidence)

    def evidence(self) -> list[Evidence]:
        """Where the excerpts stand in the response, with their numbers."""
        return [
            Evidence(*excerpt.span, "evidence", str(index + 1), (EXCERPTS, index))
            for index, excerpt in enumerate(self.labels.evidence)
            if excerpt.span
        ]

    # -- where the cursor is -----------------------------------------------------------------------

    @property
    def place(self) -> Place:
        section, row = self.lines.cursor
        return (VERDICT, EXCERPTS)[section], row

    @property
    def option(self) -> Value | None:
        """What the row under the cursor says; None on an excerpt."""
        group, number = self.place
        if group == VERDICT and self.offered:
            return self.offered[number]
        return None

    @property
    def excerpt(self) -> Excerpt | None:
        """The excerpt under the cursor."""
        group, number = self.place
        if group == EXCERPTS and number < len(self.labels.evidence):
            return self.labels.evidence[number]
        return None

    def go(self, group: str, number: int) -> None:
        self.lines.go(int(group == EXCERPTS), number)

    def go_over(self) -> None:
        """Goes from the verdict to the evidence, and back."""
        group, _ = self.place
        self.lines.visit(*Cursor(int(group == VERDICT), 0))

    def follow(self, edit: Edit) -> None:
        """Puts the cursor on the verdict that was given, or the excerpt that came in or changed."""
        spans = [excerpt.span for excerpt in self.labels.evidence]
        if edit.action == "set":
            self._to_verdict()
        elif edit.span in spans:
            self.go(EXCERPTS, spans.index(edit.span))
        elif edit.action == "reword":
            self.go(EXCERPTS, edit.index)

    def _to_verdict(self) -> None:
        number = 0
        if self.labels.value in self.offered:
            number = self.offered.index(self.labels.value)
        self.go(VERDICT, number)
