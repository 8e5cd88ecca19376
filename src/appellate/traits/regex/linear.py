"""The regex cell line by line: the verdict with the pattern, then its matches."""

from collections.abc import Sequence

from appellate.traits.regex.view import CONTEXT, MatchesInSight
from appellate.traits.verdict.linear import VerdictLines
from appellate.ui.contract import Paragraph


class RegexLines(VerdictLines):
    """Asks for the verdict; the matches are there to be read."""

    sight_of = MatchesInSight

    def head(self) -> Sequence[Paragraph]:
        paragraphs = [Paragraph(self.sight.trait.pattern, "Pattern:", "strong", quoted=True)]
        if self.sight.trait.description:
            paragraphs.insert(0, Paragraph(self.sight.trait.description))
        return [*paragraphs, *(Paragraph(text, style="muted") for text in self.sight.facts())]

    def stretch(self, number: int) -> Sequence[Paragraph]:
        before, found, after = self.sight.around(number)
        text = " ".join(f"{before}[{found}]{after[:CONTEXT]}".split())
        return [Paragraph(text, f"Match {number + 1}:", "evidence", quoted=True)]


LINES = RegexLines
