"""Prints and steps through an LLM cell in line mode: the verdict, then its excerpts."""

from collections.abc import Sequence

from appellate.core.problem import many
from appellate.traits.llm.pane_corrections import (
    EXCERPT_KEYS,
    UNVERIFIED,
    ExcerptsInSight,
    JudgedCorrections,
    OfJudgedExcerpts,
)
from appellate.traits.verdict.linear import VerdictLines
from appellate.ui.contract import in_step, keyed
from appellate.ui.kind_lines import INDENT, Paragraph


class LLMLines(OfJudgedExcerpts, VerdictLines):
    """The lines of an LLM cell: the verdict, then one excerpt after the other."""

    KEYS = (*VerdictLines.KEYS, *EXCERPT_KEYS)
    sight_of = ExcerptsInSight
    corrections_of = JudgedCorrections

    # -- what is printed ---------------------------------------------------------------------------

    def stretch(self, number: int) -> Sequence[Paragraph]:
        """Return an excerpt in full, in quotes after "Evidence 1, step 2:", as paragraphs to print.

        `number` counts from 0, and the number that is printed from 1. The step is left out of a
        response without steps. A warning follows if the excerpt is not in the response.
        """
        excerpt = self.sight.labels.evidence[number]
        step = in_step(self.sight.subject, excerpt.span, excerpt.named_step)
        mark = f"Evidence {number + 1}{step}:"
        paragraphs = [Paragraph(excerpt.text, mark, "evidence", in_quotes=True)]
        if excerpt.span is None:
            paragraphs.append(
                Paragraph(
                    keyed(UNVERIFIED, self.review),
                    self.review.marks.doubt,
                    "bad",
                    INDENT,
                ),
            )
        return paragraphs

    def grounds(self) -> Sequence[Paragraph]:
        """Return the judge's reason as a paragraph headed "judge:"; empty without one."""
        rationale = self.sight.rationale
        if not rationale:
            return []
        return [Paragraph(rationale, "judge:", "muted", INDENT)]

    def options(self) -> list[Paragraph]:
        """Return the verdicts that have a meaning, each with its key, then the number of excerpts.

        Verdicts are left out for yes or no, and on a scale on which not every verdict has a digit.
        The number of excerpts is there even if it is 0. Each is a paragraph to print.
        """
        return [
            *super().options(),
            Paragraph(many(len(self.sight.stretches), "excerpt"), indent=INDENT),
        ]

    def listed(self) -> Sequence[Paragraph]:
        """Return the trait's name as line 1, and the excerpts, in quotes, as the lines from 2 on.

        The verdict itself is in no line.
        """
        paragraphs = [Paragraph(self.sight.title, "  1", "key")]
        for number, excerpt in enumerate(self.sight.labels.evidence, 2):
            paragraphs.append(
                Paragraph(excerpt.text, f"{number:>3}", "evidence", in_quotes=True),
            )
        return paragraphs


LINES = LLMLines
