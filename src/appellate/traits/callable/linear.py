"""The callable cell line by line: the verdict, whose it is, and the function that gives it."""

from collections.abc import Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.traits.callable import view
from appellate.traits.callable.pane_corrections import FunctionCorrections
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.verdict.labels import Verdict
from appellate.traits.verdict.scale import has_digits, key_of, meaning_of, question_of
from appellate.ui.contract import KeyLine, KindLines, Paragraph, Place, Review
from appellate.ui.conversation import Conversation

_INDENT = 4


class CallableLines(KindLines):
    """Asks for the verdict, which is all there is."""

    KEYS = (
        KeyLine(
            "0-9", "callable trait: the score, or the class of that number; 1 (or y) yes, 2 no"
        ),
        KeyLine("Space", "callable trait: the other verdict of yes and no"),
        KeyLine("i", "callable trait: pick the verdict from a list, or type a score"),
    )

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.labels = Verdict()
        self.corrections = FunctionCorrections(review, self)
        self._cell: Cell | None = None
        self._trait: Any = None

    @property
    def trait(self) -> CallableRubricTrait:
        trait: CallableRubricTrait = self._trait
        return trait

    def show(self, cell: Cell, *, fresh: bool) -> None:  # noqa: ARG002 - there is one place
        self._cell, self._trait = cell, cell.subject.trait
        self.labels = cell.labels or Verdict()

    @property
    def place(self) -> Place:
        return "verdict", 0

    @property
    def count(self) -> int:
        return 1

    def head(self) -> Sequence[Paragraph]:
        return [
            Paragraph(question_of(self.trait)),
            Paragraph(view.scale(self.trait), style="muted"),
            Paragraph(self.trait.callable, "Function:", "muted", quoted=True),
        ]

    def item(self) -> Sequence[Paragraph]:
        """The verdict, whose it is, why, and what else could be said."""
        trait, labels, cell = self.trait, self.labels, self._cell
        if labels.value is None:
            paragraphs = [Paragraph("none yet", "Verdict:", "strong")]
            if cell and cell.error:
                paragraphs.append(
                    Paragraph(cell.error.error, "The function failed:", "bad", _INDENT)
                )
            paragraphs.append(Paragraph(f"{view.keys_text(trait)} answers by hand", indent=_INDENT))
        else:
            verdict = f"{trait.describe(labels.value)} ({view.who(trait, labels)})"
            paragraphs = [Paragraph(verdict, "Verdict:", "strong")]
        if cell and labels.is_overruled and view.why(cell):
            paragraphs.append(Paragraph(view.why(cell), "because:", "muted", _INDENT))
        if has_digits(trait) and trait.kind == "literal":
            for value in trait.counted:
                mark = f"{key_of(trait, value)}:"
                paragraphs.append(Paragraph(meaning_of(trait, value), mark, "key", _INDENT))
        return paragraphs

    def listed(self) -> Sequence[Paragraph]:
        return [Paragraph(self.trait.name, "  1", "key")]

    def does(self, key: str) -> Conversation | None:
        if key == "y" and self.trait.kind == "boolean":
            return self.corrections.give(True)
        if key == " ":
            return self.corrections.turn()
        if key.isdecimal() and key.isascii():
            return self.corrections.digit(int(key))
        return self.corrections.ask() if key == "i" else None


LINES = CallableLines
