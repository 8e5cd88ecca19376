"""The scorer cell on the screen: the score, what was extracted from where, the target, and why."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType

from appellate.traits.scorer import view
from appellate.traits.scorer.pane_corrections import TAKES, ScoreCorrections
from appellate.traits.scorer.pane_keys import KEYS, OWN, given_scores, marks_help, score_keys
from appellate.traits.scorer.pane_rows import ScoreRows
from appellate.traits.scorer.pane_verdict import ScoreTexts
from appellate.traits.verdict.pane_verdict import VerdictPane
from appellate.ui.bar import Hint
from appellate.ui.contract import Review, pick_action
from appellate.ui.key import Key, bindings
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkHelp

_OFFERS: Mapping[str, str] = {
    "scorer.turn": "the score under the cursor; of one that is set the contrary",
    "scorer.pick": "pick the score from a list, or type it",
    "scorer.answer": "type the answer; it is scored again",
    "scorer.words": "select the answer in the response; it is scored again",
    "scorer.back": "take back what was said by hand",
}


class ScorerPane(VerdictPane):
    """One cell: its score or scores under a cursor, and what they rest on."""

    DEFAULT_CSS = """
    ScorerPane {
        & > #score { height: 1; margin: 1 0 0 0; padding: 0 1; }
        & > #grounds { height: auto; margin: 0 0 1 0; padding: 0 1; color: $text; }
        &.-one > #score { margin: 0; }
        &.-one > #grounds { margin: 0; }
    }
    """
    KEYS = KEYS
    KIND_KEYS = OWN
    rows: ScoreRows
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    TAKING = frozenset({"scorer.words"})
    NEAR = ("scorer.",)
    CARD = (("scorer.c", "scorer.i", "scorer.pick"), "give the score, or pick it")
    TITLE = "Score"
    ABOUT = (
        "the score, what was extracted, what it was compared with and why it matched or did not;"
        " the response shows where the answer is"
    )
    TAKES = TAKES

    def fill(self, review: Review) -> None:
        self.rows = ScoreRows(review)
        self.texts = ScoreTexts(self.rows)
        self.corrections = ScoreCorrections(review, self.rows)
        self.by_name = self.corrections.by_name
        self.enter_words = self.corrections.words

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        return marks_help(marks)

    @property
    def has_yes_or_no(self) -> bool:
        if self.cell is None:
            return False
        rows = self.rows
        sorts = (view.sort_of(rows.trait, rows.labels, part.key) for part in rows.trait.parts)
        return "boolean" in sorts

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        if self.cell is None:
            return []
        text = score_keys(self.rows.sort, self.rows.given, keys)
        return [Hint(text, "score", "scorer.pick")] if text else []

    def taking_hints(self) -> list[Hint]:
        equals = next((key.shown for key in self.review.keys if key.id == "scorer.words"), "=")
        return [Hint(equals, "the answer", "scorer.words")]

    def summary(self) -> str:
        if self.cell is None or not self.rows.labels.standing.answer:
            return ""
        return self.rows.extracted

    async def menu(self) -> None:
        offers: dict[str, str] = {}
        if self.rows.labels.standing.spans:
            offers["text.evidence"] = "bring the answer into sight"
        if not self.review.readonly:
            offers |= {**given_scores(self.rows.sort, self.rows.given), **_OFFERS}
            if not self.rows.trait.takes_answer:
                del offers["scorer.answer"], offers["scorer.words"]
        if self.rows.cell.rounds or self.rows.votes("", None)[1]:
            offers["cell.proposals"] = "what each grader said, to adopt one"
        await pick_action(self.review, self.rows.trait.name, offers)

    def action_yes(self) -> None:
        self.begin(self.corrections.yes())


PANE = ScorerPane
