"""The LLM cell line by line: the verdict, then the excerpts it rests on."""

from collections.abc import Mapping, Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.core.problem import many
from appellate.traits.llm.edits import Edit, found_again
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.llm.measures import remarks
from appellate.traits.llm.pane_corrections import JudgedCorrections
from appellate.traits.verdict.labels import value_of
from appellate.traits.verdict.linear import INDENT, Stretches, VerdictLines
from appellate.traits.verdict.scale import Value, question_of, scale_text
from appellate.ui.contract import KeyLine, Paragraph, Review


class LLMLines(VerdictLines):
    """Asks for the verdict, then for one excerpt after the other."""

    KEYS = (
        KeyLine("0-9", "LLM trait: the score, or the class of that number; 1 (or y) yes, 2 no"),
        KeyLine("Space", "LLM trait: the other verdict of yes and no"),
        KeyLine("i", "LLM trait: pick the verdict from a list"),
        KeyLine("+", "LLM trait: add words of the response as evidence"),
        KeyLine("= e d", "LLM trait: other words for the excerpt, reword it, drop it"),
    )

    BLANK = Labels()
    SOURCE = "judge"

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        judged = JudgedCorrections(review, self)
        self.corrections = judged
        self.by_key = {
            "i": judged.pick,
            "+": judged.add,
            "=": judged.other_words,
            "e": judged.reword,
            "d": judged.drop,
        }

    @property
    def found(self) -> Value | None:
        if self.cell is None or self.cell.judge is None:
            return None
        return value_of(self.trait, self.cell.judge.table)

    @property
    def stretches(self) -> Stretches:
        return [excerpt.span for excerpt in self._excerpts]

    @property
    def _excerpts(self) -> Sequence[Excerpt]:
        excerpts: Sequence[Excerpt] = self.labels.evidence
        return excerpts

    @property
    def excerpt(self) -> Excerpt | None:
        """The excerpt under the cursor; None on the verdict."""
        return self._excerpts[self.at - 1] if self.at else None

    def follow(
        self,
        edit: Mapping[str, Any],
        before: Cell,  # noqa: ARG002
        *,
        turned: bool,  # noqa: ARG002
    ) -> None:
        made = Edit.from_row(edit)
        if made.action == "set":
            self.step_to(0)
        elif made.span in self.stretches:
            self.step_to(self.stretches.index(made.span) + 1)

    # -- what is printed ---------------------------------------------------------------------------

    def head(self) -> Sequence[Paragraph]:
        return [
            Paragraph(question_of(self.trait)),
            Paragraph(scale_text(self.trait), style="muted"),
        ]

    def item(self) -> Sequence[Paragraph]:
        excerpt = self.excerpt
        if excerpt is None:
            return self._verdict()
        paragraphs = [Paragraph(excerpt.text, f"Evidence {self.at}:", "evidence", in_quotes=True)]
        if excerpt.span is None:
            wrong = "not found in the response: check it, reword it (e) or drop it (d)"
            paragraphs.append(Paragraph(wrong, self.review.marks.doubt, "bad", INDENT))
        return paragraphs

    def _verdict(self) -> list[Paragraph]:
        """The verdict, who says so, why, and what else could be said."""
        paragraphs, cell = self.wording(), self.cell
        if cell and cell.judge and cell.judge.table.get("rationale"):
            why = str(cell.judge.table["rationale"])
            paragraphs.append(Paragraph(why, "judge:", "muted", INDENT))
        excerpts = Paragraph(many(len(self._excerpts), "excerpt"), indent=INDENT)
        return [*paragraphs, *self.options(), excerpts]

    def listed(self) -> Sequence[Paragraph]:
        paragraphs = [*super().listed()]
        for number, excerpt in enumerate(self._excerpts, 2):
            paragraphs.append(Paragraph(excerpt.text, f"{number:>3}", "evidence", in_quotes=True))
        return paragraphs

    # -- corrections -------------------------------------------------------------------------------

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        return found_again(edit, now.labels or Labels())

    def doubts(self) -> str:
        missing = self.stretches.count(None)
        if not missing:
            return ""
        return f"{many(missing, 'excerpt')} not in the response."

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        return remarks(self.trait, before.labels or Labels(), after.labels or Labels())


LINES = LLMLines
