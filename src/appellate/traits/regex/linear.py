"""The regex cell line by line: the verdict with the pattern, then its matches."""

from collections.abc import Sequence

from appellate.traits.regex import view
from appellate.traits.regex.labels import Labels
from appellate.traits.verdict.linear import Stretches, VerdictLines
from appellate.ui.contract import KeyLine, Paragraph


class RegexLines(VerdictLines):
    """Asks for the verdict; the matches are there to be read."""

    KEYS = (
        KeyLine("1 2", "regex trait: the verdict is yes (y too), no, whatever the pattern says"),
        KeyLine("Space", "regex trait: the other verdict"),
    )

    BLANK = Labels()
    SOURCE = "pattern"
    GROUPS = ("", "match")

    @property
    def stretches(self) -> Stretches:
        matches: Stretches = self.labels.matches
        return matches

    def head(self) -> Sequence[Paragraph]:
        paragraphs = [Paragraph(self.trait.pattern, "Pattern:", "strong", quoted=True)]
        flags = view.flags_text(self.trait)
        if flags:
            paragraphs.append(Paragraph(flags, style="muted"))
        return paragraphs

    def item(self) -> Sequence[Paragraph]:
        if self.at:
            return [self._match(self.at - 1)]
        text = view.verdict_text(self.trait, self.labels)
        if not text and self.cell and self.cell.error:
            text = f"not matched: {self.cell.error.error}"
        missing = "not matched yet; 1 (yes) and 2 (no) answer by hand"
        if self.cell and self.cell.hidden:
            missing = "none yet; 1 (yes) and 2 (no) give it"
        return [Paragraph(text or missing, "Verdict:", "strong")]

    def _match(self, number: int) -> Paragraph:
        response = self.cell.subject.trace.response if self.cell else ""
        found = view.match_rows(self.labels, response)[number]
        text = f"{found.before}[{found.text}]{found.after[: view.CONTEXT]}"
        return Paragraph(" ".join(text.split()), f"Match {found.number}:", "evidence", quoted=True)

    def listed(self) -> Sequence[Paragraph]:
        matches = [self._match(number) for number in range(len(self.labels.matches))]
        return [*self.head(), *matches]


LINES = RegexLines
