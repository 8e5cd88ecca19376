"""The callable cell on the screen: the verdict, whose it is, and the function that gives it."""

from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from appellate.core.deciding import AT_WORK, LOCKS
from appellate.traits.callable.spec import scale
from appellate.traits.verdict.labels import Verdict
from appellate.traits.verdict.pane_corrections import VerdictCorrections, reason_given
from appellate.traits.verdict.pane_keys import KindKeys
from appellate.traits.verdict.pane_rows import VerdictRows
from appellate.traits.verdict.pane_verdict import VerdictPane, VerdictTexts
from appellate.traits.verdict.scale import keys_text, question_of
from appellate.ui.contract import Place, Review, keyed, pick_action
from appellate.ui.key import Key, bindings
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkHelp
from appellate.ui.text import inert

OWN = KindKeys("callable", "callable trait")
KEYS = (
    *OWN.verdicts(),
    Key(
        "callable.ask",
        "i",
        "i",
        "list",
        OWN.group,
        "callable trait: pick the verdict from a list, or type a score",
        9,
        7,
        "correct('ask')",
    ),
)


class FunctionRows(VerdictRows):
    """All that the function could say."""

    SOURCE = "function"

    def scale(self) -> str:
        return scale(self.trait)

    @property
    def place(self) -> Place:
        if not self.offered:
            return "", 0
        return super().place


class FunctionTexts(VerdictTexts):
    """The question, the verdict, the function by name."""

    PARTS, FEW, LEAST = (3, 3), (3, 3), 2

    def missing(self) -> str:
        if self.rows.cell.error:
            return "The function gave no verdict."
        return f"{AT_WORK}." if self.rows.review.judging else "Not run."

    def detail(self) -> Content:
        texts = [question_of(self.rows.trait), self.rows.scale()]
        parts = [Content(inert(text)) for text in texts]
        return Content("\n\n").join([*parts, self.why()])

    def why(self) -> Content:
        """The function by name; why a person says something else; what went wrong."""
        trait, cell = self.rows.trait, self.rows.cell
        parts = [Content(f"function {inert(trait.callable)}")]
        if cell.judge and cell.judge.judge.get("name") == "recorded":
            parts[0] += Content("; its value came with the trace")
        if self.rows.labels.is_overruled and reason_given(cell):
            parts.append(
                Content.styled(f"because: {inert(reason_given(cell))}", "$state-corrected")
            )
        keys, judge = keys_text(trait), keyed("{cell.judge:J}", self.rows.review)
        if cell.hidden:
            parts.append(Content(keyed(f"{keys} gives it, {LOCKS}", self.rows.review)))
        elif cell.error and self.rows.value is None:
            wrong = Content.styled(inert(cell.error.error), "$state-failed")
            parts = [Content(f"{judge} tries again; {keys} by hand."), wrong]
        elif self.rows.value is None:
            parts.append(Content(f"{judge} runs it, where --allow-code does; {keys} by hand."))
        return Content("\n").join(parts)


class CallablePane(VerdictPane):
    """One verdict: what may be said, what is said, and by which function."""

    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    KIND_KEYS = OWN
    PICK = "ask"
    ANSWER_KEYS = staticmethod(OWN.answers)
    NEAR = ("callable.",)
    CARD = (("callable.1", "callable.2", "callable.ask"), "give the verdict by hand")
    TITLE = "Function"
    ABOUT = "the verdict, all that it could be, and the function that gave it"

    def fill(self, review: Review) -> None:
        self.rows = FunctionRows(review, Verdict())
        self.texts = FunctionTexts(self.rows)
        self.corrections = VerdictCorrections(review, self.rows, "function")
        self.by_name = {"ask": self.corrections.pick}

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        verdict = "the label now, with the mark of the cell's state"
        return [
            MarkHelp(f"{marks.proposed} verdict", verdict, "proposed"),
            MarkHelp("function", "what the function said", "muted"),
        ]

    async def menu(self) -> None:
        if not self.review.readonly:
            offers = OWN.offers(self.rows.trait)
            offers |= {"callable.turn": "the verdict under the cursor", "callable.ask": "another"}
            await pick_action(self.review, self.rows.trait.name, offers)


PANE = CallablePane
