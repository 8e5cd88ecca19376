"""The scorer cell line by line: the score or scores, then the words that were extracted."""

from collections.abc import Sequence

from appellate.traits.scorer.labels import spoken
from appellate.traits.scorer.pane_corrections import (
    ScoreCorrections,
    ScoreInSight,
    settings_text,
)
from appellate.traits.verdict.linear import KEYS, VerdictLines
from appellate.ui.contract import INDENT, KeyLine, Paragraph


class ScorerLines(ScoreInSight, VerdictLines):
    """Asks for one score after the other; the words are there to be read."""

    KEYS = (
        *KEYS,
        KeyLine("e =", "scorer trait: type the answer, select it; it is scored again"),
        KeyLine("d", "scorer trait: take back what was said by hand"),
    )
    corrections_of = ScoreCorrections

    @property
    def firsts(self) -> int:
        return len(self.trait.parts)

    def head(self) -> Sequence[Paragraph]:
        return [
            Paragraph(self.trait.question),
            Paragraph(settings_text(self.trait), style="muted"),
            Paragraph(self.target or "there is none", "Target:", "muted", quoted=True),
        ]

    def of_which(self) -> str:
        return f" of {self.key}" if self.key else ""

    def grounds(self) -> Sequence[Paragraph]:
        """What was extracted, and why it matched or did not."""
        paragraphs: list[Paragraph] = []
        if self.value is None:
            return paragraphs
        if self.extracted:
            extracted = Paragraph(self.extracted, "extracted:", "muted", INDENT, quoted=True)
            paragraphs.append(extracted)
        if self.explanation:
            source = f"the {self.source}:" if self.labels.proposed else "why:"
            paragraphs.append(Paragraph(self.explanation, source, "muted", INDENT))
        return paragraphs

    def options(self) -> list[Paragraph]:
        return []

    def stretch(self, number: int) -> Sequence[Paragraph]:
        start, end = self.labels.standing.spans[number]
        text, mark = self.subject.trace.response[start:end], f"Extracted {number + 1}:"
        return [Paragraph(text, mark, "evidence", quoted=True)]

    def listed(self) -> Sequence[Paragraph]:
        paragraphs = []
        for number, part in enumerate(self.trait.parts, 1):
            value = spoken(self.labels.standing.of(part.key)) or "not scored"
            named = part.key or self.trait.name
            paragraphs.append(Paragraph(f"{named}: {value}", f"{number:>3}", "key"))
        spans = range(len(self.labels.standing.spans))
        return [*paragraphs, *(self.stretch(number)[0] for number in spans)]


LINES = ScorerLines
