"""The rows of an LLM cell: all that may be said, and the excerpts it rests on, under one cursor."""

from collections.abc import Sequence

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.verdict.labels import value_of
from appellate.traits.verdict.pane_corrections import reason_given
from appellate.traits.verdict.pane_rows import VerdictRows
from appellate.traits.verdict.scale import Value
from appellate.ui.contract import Evidence, keyed
from appellate.ui.lines import ListSection
from appellate.ui.marks import in_quotes
from appellate.ui.rows import Listed, ListRow, StyledText

_UNVERIFIED = (
    "not found in the response: check it, reword it ({llm.reword:e}) or drop it ({llm.drop:d})"
)
VERDICT, EXCERPTS = VerdictRows.GROUPS


class JudgedRows(VerdictRows):
    """The verdicts, then the excerpts."""

    SOURCE = "judge"
    labels: Labels
    _judged_evidence: Sequence[Excerpt] = ()

    @property
    def found(self) -> Value | None:
        if self.cell.judge is None:
            return None
        return value_of(self.trait, self.cell.judge.table)

    @property
    def excerpt(self) -> Excerpt | None:
        """The excerpt under the cursor."""
        group, number = self.place
        if group == EXCERPTS and number < len(self.labels.evidence):
            return self.labels.evidence[number]
        return None

    # -- what is shown ----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        self._judged_evidence = ()
        if cell.judge:
            self._judged_evidence = cell.subject.labels(cell.judge.table).evidence
        super().show(cell, fresh=fresh)

    def draw(self) -> None:
        excerpts = [self._excerpt(index) for index in range(len(self.labels.evidence))]
        header = ListRow(f" Evidence {len(excerpts)}", style="header")
        empty = "(none: + takes words of the response)"
        if self.review.readonly:
            empty = "(none)"
        evidence = ListSection(Listed(excerpts), header, empty, whole=True)
        self.lines.show(self.options(""), evidence)

    def was(self) -> str:
        """What the judge said instead, and why a person says something else."""
        text = f"was {self.trait.describe(self.found)}"
        return " · ".join([text, *filter(None, [reason_given(self.cell)])])

    def _excerpt(self, index: int) -> ListRow:
        excerpt = self.labels.evidence[index]
        left = StyledText(f"{index + 1:>2} ", "key")
        sign = StyledText(" ")
        if self.cell.base and excerpt not in self._judged_evidence:
            sign = StyledText(self.marks.added, "corrected")
        if excerpt.span:
            return ListRow(in_quotes(excerpt.text, self.marks), (left,), sign=sign)
        wrong = keyed(_UNVERIFIED, self.review)
        return ListRow(
            in_quotes(excerpt.text, self.marks),
            (left,),
            (StyledText(" unverified", "flag"),),
            sign=StyledText(self.marks.doubt, "flag"),
            under_cursor=((StyledText(wrong, "failed"),),),
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

    def follow(self, edit: Table) -> None:
        """Puts the cursor on the verdict that was given, or the excerpt that came in or changed."""
        made = Edit.from_row(edit)
        spans = [excerpt.span for excerpt in self.labels.evidence]
        if made.action == "set":
            self.to_verdict()
        elif made.span in spans:
            self.go(EXCERPTS, spans.index(made.span))
        elif made.action == "reword":
            self.go(EXCERPTS, made.index)
