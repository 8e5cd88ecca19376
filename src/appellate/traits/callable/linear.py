"""Prints a callable cell in line mode: the verdict, and the function that gives it."""

from collections.abc import Sequence

from appellate.traits.verdict.linear import VerdictLines
from appellate.ui.kind_lines import Paragraph


class CallableLines(VerdictLines):
    """The lines of a callable cell: its one verdict."""

    def head(self) -> Sequence[Paragraph]:
        """Return the question and the scale, then the function's name, as paragraphs to print."""
        function = Paragraph(
            self.sight.trait.callable,
            "Function:",
            "muted",
            quoted=True,
        )
        return [*super().head(), function]


LINES = CallableLines
