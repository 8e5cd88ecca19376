"""The regex cell line by line: the verdict with the pattern, then its matches."""

from collections.abc import Sequence

from appellate.traits.regex.view import CONTEXT, MatchesInSight
from appellate.traits.verdict.linear import VerdictLines
from appellate.ui.contract import Paragraph


class RegexLines(VerdictLines):
    """Asks for the verdict; the matches are there to be read."""

    sight_of = MatchesInSight

    def head(self) -> Sequence[Paragraph]:
        pattern = Paragraph(self.sight.trait.pattern, "Pattern:", "strong", quoted=True)
        return [pattern, *(Paragraph(text, style="muted") for text in self.sight.facts())]

    def stretch(self, number: int) -> Sequence[Paragraph]:
        found = self.sight.match_rows()[number]
        text = f"{found.before}[{found.text}]{found.after[:CONTEXT]}"
        mark = f"Match {found.number}:"
        return [Paragraph(" ".join(text.split()), mark, "evidence", quoted=True)]

    def listed(self) -> Sequence[Paragraph]:
        matches = [self.stretch(number)[0] for number in range(len(self.sight.labels.matches))]
        return [*self.head(), *matches]


LINES = RegexLines
