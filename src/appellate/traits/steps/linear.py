"""Prints a steps cell in line mode: how the run ended, and one step after the other."""

from collections.abc import Sequence

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.traits.steps.pane_corrections import KEYS, StepCorrections
from appellate.traits.steps.pane_items import StepRows
from appellate.ui.contract import Review
from appellate.ui.kind_lines import ItemLines, Paragraph, printed
from appellate.ui.rows import RowCursor

_HANG = 4


class StepsInOrder(StepRows):
    """The steps of a run, gone through only by the person's own keys."""

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        if turned:
            super().follow(edit, before, turned=turned)


class StepsLines(ItemLines):
    """The lines of a steps cell."""

    items: StepsInOrder
    corrections_of = StepCorrections

    def __init__(self, review: Review) -> None:
        """Make line mode's rows of a steps cell, with no labels yet, and what corrects them."""
        super().__init__(review)
        self.items = StepsInOrder(review, RowCursor)
        self.rows = self.items.rows
        self.corrections: StepCorrections = self.corrections_of(review, self.items)

    @property
    def span(self) -> tuple[int, int] | None:
        step = self.rows.here
        return step.span if step else None

    def spans(self) -> Sequence[tuple[int, int]]:
        """Return the spans of the steps that are not right, in the text that is judged.

        Empty if nobody labelled the run.
        """
        if not self.items.is_labelled:
            return ()
        return [step.span for step in self.items.labels.not_right if step.span]

    def head(self) -> Sequence[Paragraph]:
        """Return how many steps are right, how the run ended, and what is odd, to print.

        The first paragraph also names the first wrong step: "3/4 right, first wrong 6" after
        "Steps:". Without labels, return only why there are none.
        """
        items = self.items
        if not items.is_labelled:
            return [Paragraph(items.why_unlabelled())]
        paragraphs = [Paragraph(items.counted(), "Steps:", "strong")]
        ending = items.ending()
        if ending:
            paragraphs.append(Paragraph(ending))
        doubts = items.doubts()
        if doubts:
            paragraphs.append(Paragraph(doubts, self.review.marks.doubt, "bad"))
        return paragraphs

    def item(self) -> Sequence[Paragraph]:
        """Return the step under the cursor, after "Step 3 (wrong):", as paragraphs to print.

        A step of a run that nobody labelled is "open". Without a step, the one paragraph says that
        no step of the run gets a verdict.
        """
        step = self.rows.here
        if step is None:
            return [Paragraph("No step of this run gets a verdict.")]
        verdict = step.verdict if self.items.is_labelled else "open"
        row = self.items.row(step)
        return printed(row, f"Step {step.no} ({verdict}):", "strong")

    def listed(self) -> Sequence[Paragraph]:
        """Return a line for each step: its place in the list from 1, its number and its words.

        For example "  2 [3]", then "wrong · loop: Searches again". What stands before the words is
        the verdict and the error of a step that is not right. Steps that are not in the run, or
        have other words there, come last.
        """
        paragraphs: list[Paragraph] = []
        for number, step in enumerate(self.rows.every, 1):
            said = self.items.describe(step)
            text = self.items.words(step)
            if said:
                text = f"{said}: {text}"
            paragraphs.append(
                Paragraph(text, f"{number:>3} [{step.no}]", "key", hang=_HANG),
            )
        return paragraphs

    KEYS = KEYS


LINES = StepsLines
