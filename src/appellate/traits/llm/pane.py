"""The LLM cell on the screen: the verdict, the scale it is one of, the words it rests on, and why.

The pane changes nothing itself: it asks for corrections, and shows the cell that it is given.
"""

from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from appellate.core.cell import Cell
from appellate.core.deciding import AT_WORK, LOCKS
from appellate.traits.llm.edits import Edit, found_again
from appellate.traits.llm.labels import Labels
from appellate.traits.llm.measures import remarks
from appellate.traits.llm.pane_corrections import TAKES, JudgedCorrections
from appellate.traits.llm.pane_rows import JudgedRows
from appellate.traits.verdict.pane_keys import KindKeys
from appellate.traits.verdict.pane_verdict import VerdictPane, VerdictTexts
from appellate.traits.verdict.scale import DIGITS, meaning_of
from appellate.ui.bar import Hint
from appellate.ui.contract import Review, keyed, pick_action
from appellate.ui.key import bindings
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkHelp
from appellate.ui.text import inert

OWN = KindKeys("llm", "LLM trait")
KEYS = (
    *OWN.verdicts(),
    OWN.correction("pick", "i", "list", "pick the verdict from a list", strip=9, place=7),
    OWN.correction(
        "add", "plus,+", "evidence", "add words of the response as evidence", strip=8, place=6
    ),
    OWN.correction(
        "replace",
        "equals_sign,=",
        "other words",
        "put other words of the response in the place of the excerpt",
    ),
    OWN.correction("reword", "e", "reword", "reword the excerpt and look it up", strip=12, place=9),
    OWN.correction("drop", "d", "drop", "drop the excerpt", strip=11, place=8),
    OWN.over("verdict, evidence", "go from the verdict to the evidence and back"),
)

_VERDICT = {
    "llm.pick": "pick the verdict from a list",
    "llm.add": "add words of the response as evidence",
}
_EXCERPT = {
    "llm.replace": "put other words in its place",
    "llm.reword": "reword it",
    "llm.drop": "drop it",
}


class JudgedTexts(VerdictTexts):
    """The question, the verdict, the judge's reason."""

    rows: JudgedRows

    def missing(self) -> str:
        if self.rows.cell.error:
            return "The judge failed here."
        return f"{AT_WORK}." if self.rows.review.judging else "Not judged yet."

    def bounds(self) -> str:
        return f"of {super().bounds()}"

    def detail(self) -> Content:
        """The same whole, and what is under the cursor."""
        parts = [super().detail()]
        excerpt, option = self.rows.excerpt, self.rows.option
        if excerpt:
            parts.append(Content(inert(excerpt.text)))
        elif option is not None:
            parts.append(Content(inert(meaning_of(self.rows.trait, option))))
        return Content("\n\n").join([part for part in parts if part.plain])

    def why(self) -> Content:
        """The judge's reason; where there is no verdict, what can be done and why there is none."""
        cell = self.rows.cell
        if self.rows.value is not None:
            if cell.judge and cell.judge.table.get("rationale"):
                return Content(f"judge: {inert(str(cell.judge.table['rationale']))}")
            return Content()
        keys = OWN.shown(self.rows.trait, self.rows.review.keys, "pick")
        if cell.hidden:
            return Content(keyed(f"{keys} gives it, {LOCKS}", self.rows.review))
        judge = keyed("{cell.judge:J}", self.rows.review)
        if cell.error:
            text = f"{judge} asks again; {keys} answers by hand."
            return Content(f"{text}\n{inert(cell.error.error)}")
        return Content(f"{judge} has it judged; {keys} answers by hand.")


class LLMPane(VerdictPane):
    """One verdict: what may be said, what is said, and the excerpts it rests on."""

    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    TAKING = frozenset(
        {
            *("llm.yes", "llm.pick", "llm.add", "llm.replace"),
            *(f"llm.{number}" for number in range(1, DIGITS + 1)),
        }
    )
    KIND_KEYS = OWN
    rows: JudgedRows
    ANSWER_KEYS = staticmethod(OWN.answers)
    NEAR = ("llm.",)
    CARD = (("llm.1", "llm.2", "llm.pick"), "give the verdict, or pick it")
    TITLE = "Verdict"
    ABOUT = (
        "the verdict, all that it could be, and the words it rests on; "
        "the response shows where these are"
    )
    TAKES = TAKES

    def fill(self, review: Review) -> None:
        self.rows = JudgedRows(review, Labels())
        self.texts = JudgedTexts(self.rows)
        self.corrections = JudgedCorrections(review, self.rows)
        self.by_name = self.corrections.by_name
        self.enter_words = self.corrections.enter_words

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        verdict = "the label now, with the mark of the cell's state"
        votes = "how many of a panel say so; with the sign: not all"
        doubt = "an excerpt that was not found in the response"
        return [
            MarkHelp(f"{marks.proposed} verdict", verdict, "proposed"),
            MarkHelp("judge", "what the judge said", "muted"),
            MarkHelp(f"{marks.split}2/3", votes, "flag"),
            MarkHelp(f"{marks.doubt} unverified", doubt, "flag"),
        ]

    def taking_hints(self) -> list[Hint]:
        keys = self.review.keys
        plus = next((key.shown for key in keys if key.id == "llm.add"), "+")
        return [*self.hints(keys), Hint(plus, "evidence", "llm.add")]

    def summary(self) -> str:
        labels = self.rows.labels
        if labels.value is None:
            return ""
        return f"evidence {len(labels.evidence)}"

    def in_doubt(self) -> int:
        return self.rows.in_doubt

    def doubts(self) -> str:
        count = self.rows.in_doubt
        if not count:
            return ""
        if count == 1:
            return "An excerpt is not in the response."
        return f"{count} excerpts are not in the response."

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        return remarks(self.rows.trait, before.labels or Labels(), after.labels or Labels())

    async def menu(self) -> None:
        excerpt = self.rows.excerpt
        offers: dict[str, str] = {}
        if excerpt and excerpt.span:
            offers["text.evidence"] = "bring its words into sight"
        option = self.rows.option
        if option is not None and not self.review.readonly:
            offers["llm.turn"] = f"the verdict: {meaning_of(self.rows.trait, option)}"
        if not self.review.readonly:
            offers |= {**OWN.offers(self.rows.trait), **_VERDICT}
        if excerpt and not self.review.readonly:
            offers |= _EXCERPT
        _, members = self.rows.votes(self.rows.found)
        if members or self.rows.cell.rounds:
            offers["cell.proposals"] = "what each judge proposed, to adopt one"
        title = excerpt.text if excerpt else self.rows.trait.name
        await pick_action(self.review, title, offers)

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        """The edit on the same excerpt, where that stands by now."""
        return found_again(edit, now.labels or Labels())


PANE = LLMPane
