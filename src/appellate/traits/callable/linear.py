"""The callable cell line by line: the verdict, whose it is, and the function that gives it."""

from collections.abc import Sequence

from appellate.traits.verdict.linear import VerdictLines
from appellate.ui.kind_lines import Paragraph


class CallableLines(VerdictLines):
    """Asks for the verdict, which is all there is."""

    def head(self) -> Sequence[Paragraph]:
        function = Paragraph(self.sight.trait.callable, "Function:", "muted", quoted=True)
        return [*super().head(), function]


LINES = CallableLines
