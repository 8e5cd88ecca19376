"""Shows an LLM cell on the screen: the verdict, its scale, its excerpts, and the judge's reason."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from appellate.core.cell import Cell
from appellate.traits.llm.labels import Excerpt
from appellate.traits.llm.pane_corrections import (
    EXCERPT_KEYS,
    TAKES,
    UNVERIFIED,
    ExcerptsInSight,
    JudgedCorrections,
    OfJudgedExcerpts,
)
from appellate.traits.verdict.pane_corrections import TAKING
from appellate.traits.verdict.pane_excerpts import adding_hint, excerpt_offers
from appellate.traits.verdict.pane_verdict import DrawnVerdict, VerdictPane
from appellate.ui.contract import beside_step, keyed
from appellate.ui.key import Hint
from appellate.ui.lines import ListSection
from appellate.ui.marks import STEP_MARKS, MarkHelp, Marks, in_quotes
from appellate.ui.own_keys import bindings
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.text import inert

KEYS = (*VerdictPane.KEYS, *EXCERPT_KEYS)


class DrawnJudgment(DrawnVerdict):
    """The verdict and the judge's reason; rows of the verdicts, then of the excerpts."""

    sight_of = ExcerptsInSight
    _judged_evidence: Sequence[Excerpt] = ()

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Draw the rows of a cell, and remember which excerpts were the judge's.

        A fresh cell has the cursor on its verdict.
        """
        self._judged_evidence = ()
        if cell.judge:
            self._judged_evidence = cell.judge_labels.evidence
        super().show(cell, fresh=fresh)

    def draw(self) -> None:
        """Draw the rows of the verdicts, then those of the excerpts.

        A header counts the excerpts. Without any a row says so and, if corrections are possible,
        which key adds one.
        """
        excerpts = list(map(self._excerpt, range(len(self.sight.labels.evidence))))
        header = ListRow(f" Evidence {len(excerpts)}", style="header")
        empty = "(none: {llm.add:+} takes words of the response)"
        if self.review.readonly:
            empty = "(none)"
        evidence = ListSection(excerpts, header, empty, whole=True)
        self.lines.show(self.options(""), evidence)

    def _excerpt(self, index: int) -> ListRow:
        """Return the row of an excerpt, with its number (from 1) and its step.

        If a judge proposed the labels, an excerpt that a person added has a sign. One that is not
        in the response has another sign, "unverified" in place of the step, and a warning under the
        cursor. `index` counts from 0.
        """
        excerpt = self.sight.labels.evidence[index]
        text = in_quotes(excerpt.text, self.marks)
        left = StyledText(f"{index + 1:>2} ", "key")
        sign = StyledText(" ")
        if self.cell.base and excerpt not in self._judged_evidence:
            sign = StyledText(self.marks.added, "corrected")
        if excerpt.span:
            step = beside_step(self.cell.subject, [(excerpt.span, excerpt.named_step)])
            return ListRow(text, (left,), step, sign=sign)
        return ListRow(
            text,
            (left,),
            (StyledText(" unverified", "flag"),),
            sign=StyledText(self.marks.doubt, "flag"),
            under_cursor=((StyledText(keyed(UNVERIFIED, self.review), "failed"),),),
        )

    # -- what can be done --------------------------------------------------------------------------

    def menu_title(self) -> str:
        """Return the words of the excerpt under the cursor; on a verdict, the name of the trait."""
        excerpt: Excerpt | None = self.sight.excerpt
        return excerpt.text if excerpt else super().menu_title()

    def evidence_offers(self) -> Mapping[str, str]:
        """Return what can be done with an excerpt's words; empty unless it is in the text.

        The excerpt is the one under the cursor; on a verdict it is empty too.
        """
        excerpt = self.sight.excerpt
        return super().evidence_offers() if excerpt and excerpt.span else {}

    def verdict_offers(self) -> Mapping[str, str]:
        """Return the corrections for the menu: those of verdicts, then those of excerpts.

        Each has what it does, by the id of its key. Those of a single excerpt are there only if one
        is under the cursor.
        """
        on_excerpt = self.sight.excerpt is not None
        offers = excerpt_offers("llm", "the response", on_excerpt=on_excerpt)
        return {**super().verdict_offers(), **offers}

    # -- the texts --------------------------------------------------------------------------------

    def bounds(self) -> str:
        """Return the bounds of a score as in "of 1–5"."""
        return f"of {super().bounds()}"

    def grounds(self) -> Sequence[Content]:
        """Return the judge's reason as in "judge: Too short."; empty without reason or verdict."""
        rationale = self.sight.rationale
        if not rationale or self.sight.value is None:
            return []
        return [Content(f"judge: {inert(rationale)}")]

    def detail(self) -> Content:
        """Return all that there is to know of the verdict, and the full text under the cursor.

        The question and the reason come first. The text is the excerpt, or the meaning of a
        verdict.
        """
        excerpt = self.sight.excerpt
        option = self.option
        text = ""
        if excerpt:
            text = excerpt.text
        elif option is not None:
            text = self.sight.scale.meaning_of(option)
        parts = [super().detail(), Content(inert(text))]
        return Content("\n\n").join([part for part in parts if part.plain])


class LLMPane(OfJudgedExcerpts, VerdictPane):
    """Shows one verdict, all that it could be, and its excerpts."""

    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EXCERPT_KEYS)]
    TAKING = frozenset({*TAKING, "llm.add", "llm.replace"})
    NEAR = ("verdict.", "llm.")
    GOES_OVER = True
    ABOUT = (
        "the verdict, all that it could be, and the words that support it; "
        "the response shows where these are"
    )
    TAKES = TAKES
    drawn_of = DrawnJudgment
    corrections_of = JudgedCorrections

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        """Return the marks of this pane with what they mean, for the help.

        They are those of verdicts, then `unverified`, then those of the steps of a conversation.
        """
        doubt = "an excerpt that was not found in the response"
        return [
            *super().marks_help(marks),
            MarkHelp(f"{marks.doubt} unverified", doubt, "flag"),
            *STEP_MARKS,
        ]

    def taking_hints(self) -> list[Hint]:
        """Return the hints for the strip of keys while words are being selected.

        The words can become the evidence of a verdict, or one more excerpt.
        """
        keys = self.review.keys
        return [*self.hints(keys), adding_hint("llm", keys)]

    def summary(self) -> str:
        """Return the number of excerpts, as "evidence 2", or "" without a verdict."""
        if self.sight.value is None:
            return ""
        return f"evidence {len(self.sight.stretches)}"

    def in_doubt(self) -> int:
        """Return the number of excerpts that are not in the text."""
        return sum(span is None for span in self.sight.stretches)


PANE = LLMPane
