"""The callable cell line by line: the verdict, whose it is, and the function that gives it."""

from collections.abc import Sequence

from appellate.traits.callable.spec import scale
from appellate.traits.verdict.labels import Verdict
from appellate.traits.verdict.linear import INDENT, VerdictLines
from appellate.traits.verdict.pane_corrections import reason_given
from appellate.traits.verdict.scale import keys_text, question_of
from appellate.ui.contract import KeyLine, Paragraph, Review


class CallableLines(VerdictLines):
    """Asks for the verdict, which is all there is."""

    KEYS = (
        KeyLine(
            "0-9", "callable trait: the score, or the class of that number; 1 (or y) yes, 2 no"
        ),
        KeyLine("Space", "callable trait: the other verdict of yes and no"),
        KeyLine("i", "callable trait: pick the verdict from a list, or type a score"),
    )
    BLANK = Verdict()
    SOURCE = "function"

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.by_key = {"i": self.corrections.pick}

    def head(self) -> Sequence[Paragraph]:
        return [
            Paragraph(question_of(self.trait)),
            Paragraph(scale(self.trait), style="muted"),
            Paragraph(self.trait.callable, "Function:", "muted", quoted=True),
        ]

    def item(self) -> Sequence[Paragraph]:
        """The verdict, whose it is, why, and what else could be said."""
        paragraphs = self.wording()
        if self.value is None:
            by_hand = f"{keys_text(self.trait)} answers by hand"
            paragraphs.append(Paragraph(by_hand, indent=INDENT))
        if self.cell and self.labels.is_overruled and reason_given(self.cell):
            reason = reason_given(self.cell)
            paragraphs.append(Paragraph(reason, "because:", "muted", INDENT))
        return [*paragraphs, *self.options()]


LINES = CallableLines
