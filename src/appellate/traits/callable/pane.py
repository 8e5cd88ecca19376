"""Shows a callable cell on the screen: the verdict, and the function that gives it."""

from collections.abc import Sequence

from textual.content import Content

from appellate.traits.verdict.pane_verdict import DrawnVerdict, VerdictPane
from appellate.ui.contract import keyed
from appellate.ui.text import inert


class DrawnFunction(DrawnVerdict):
    """The verdict, and the name of the function."""

    FAILED = "The function gave no verdict."
    NOT_YET = "Not run."
    AGAIN = "{cell.judge:J} tries again"
    FIRST = "{cell.judge:J} runs it, where --allow-code does"

    def grounds(self) -> Sequence[Content]:
        """Return one paragraph with the name of the function, as "function rules:polite".

        If its value was recorded with the trace, the paragraph says so, and which key shows when.
        """
        text = f"function {inert(self.sight.trait.callable)}"
        judge = self.cell.judge
        if judge and judge.judge.get("name") == "recorded":
            text += "; its value came with the trace, and {cell.comments:C} shows when"
        return [Content(keyed(text, self.review))]


class CallablePane(VerdictPane):
    """Shows one verdict, all that it could be, and the function that gave it."""

    TITLE = "Function"
    ABOUT = "the verdict, all that it could be, and the function that gave it"
    SOURCE = "function"
    drawn_of = DrawnFunction


PANE = CallablePane
