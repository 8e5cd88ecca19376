"""Prints a scorer cell in line mode: the scores, then the words that were extracted."""

from collections.abc import Sequence

from appellate.traits.scorer.labels import spoken
from appellate.traits.scorer.pane_corrections import (
    SCORER_KEYS,
    ScoreCorrections,
    ScoreInSight,
    settings_text,
)
from appellate.traits.verdict.linear import VerdictLines
from appellate.ui.contract import in_step
from appellate.ui.kind_lines import INDENT, Paragraph


class ScorerLines(VerdictLines):
    """The lines of a scorer cell: one score after the other, then the extracted words to read."""

    KEYS = (*VerdictLines.KEYS, *SCORER_KEYS)
    sight_of = ScoreInSight
    corrections_of = ScoreCorrections

    @property
    def firsts(self) -> int:
        return len(self.sight.trait.parts)

    def head(self) -> Sequence[Paragraph]:
        """Return three paragraphs to print: the question, the scorer's settings and the target.

        The target's paragraph says so if there is none.
        """
        return [
            Paragraph(self.sight.trait.question),
            Paragraph(settings_text(self.sight.trait), style="muted"),
            Paragraph(self.sight.target or "there is none", "Target:", "muted"),
        ]

    def of_which(self) -> str:
        return f" of {self.sight.key}" if self.sight.key else ""

    def grounds(self) -> Sequence[Paragraph]:
        """Return what was extracted, and why it matched or did not, as paragraphs to print.

        What is not known is left out. Empty without a score.
        """
        paragraphs: list[Paragraph] = []
        if self.sight.value is None:
            return paragraphs
        if self.sight.extracted:
            paragraphs.append(
                Paragraph(self.sight.extracted, "extracted:", "muted", INDENT),
            )
        if self.sight.explanation:
            source = (
                f"the {self.sight.source}:" if self.sight.labels.proposed else "why:"
            )
            paragraphs.append(
                Paragraph(self.sight.explanation, source, "muted", INDENT),
            )
        return paragraphs

    def options(self) -> list[Paragraph]:
        return []

    def stretch(self, number: int) -> Sequence[Paragraph]:
        """Return an extracted text in full, under a mark such as "Extracted 1, step 2:", to print.

        `number` counts from 0, the number in the mark from 1. Without a step the mark is "Extracted
        1:".
        """
        start, end = self.sight.stretches[number]
        subject = self.sight.subject
        text = subject.text[start:end]
        step = in_step(subject, (start, end), self.sight.labels.standing.named_step)
        mark = f"Extracted {number + 1}{step}:"
        return [Paragraph(text, mark, "evidence", quoted=True)]

    def listed(self) -> Sequence[Paragraph]:
        """Return each score on a line, numbered from 1, then each extracted text.

        A score is named by its key, a single one by the trait. A missing one is "not scored".
        """
        trait = self.sight.trait
        scores = self.sight.labels.standing
        paragraphs: list[Paragraph] = []
        for number, part in enumerate(trait.parts, 1):
            name = part.key or trait.name
            score = spoken(scores.of(part.key)) or "not scored"
            paragraphs.append(Paragraph(f"{name}: {score}", f"{number:>3}", "key"))
        for number in range(len(self.sight.stretches)):
            extracted, *_ = self.stretch(number)
            paragraphs.append(extracted)
        return paragraphs


LINES = ScorerLines
