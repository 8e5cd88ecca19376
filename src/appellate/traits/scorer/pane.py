"""The scorer cell on the screen: the score, what was extracted from where, the target, and why."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.traits.scorer import view
from appellate.traits.scorer.edits import from_row
from appellate.traits.scorer.pane_corrections import TAKES, ScoreCorrections
from appellate.traits.scorer.pane_keys import KEYS, YES, marks_help, score_keys
from appellate.traits.scorer.pane_rows import ScoreRows
from appellate.traits.scorer.pane_verdict import ScoreTexts
from appellate.ui.bar import Hint
from appellate.ui.contract import Place, Review, pick_action
from appellate.ui.key import Key, bindings
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.pane import Evidence, KindPane, MarkHelp

_OFFERS: Mapping[str, str] = {
    "scorer.pick": "pick the score from a list, or type it",
    "scorer.answer": "type the answer; it is scored again",
    "scorer.words": "select the answer in the response; it is scored again",
    "scorer.back": "take back what was said by hand",
}


class ScorerPane(KindPane):
    """One cell: its score or scores under a cursor, and what they rest on."""

    DEFAULT_CSS = """
    ScorerPane {
        & > #criterion { height: auto; padding: 0 1; color: $text; }
        & > #score { height: 1; margin: 1 0 0 0; padding: 0 1; }
        & > #grounds { height: auto; margin: 0 0 1 0; padding: 0 1; color: $text; }
        & > #rows { height: 1fr; min-height: 3; }
        &.-one > #score { margin: 0; }
        &.-one > #grounds { margin: 0; }
    }
    """
    KEYS = KEYS
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

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(review, id=id)
        self.rows = ScoreRows(review)
        self.lines = self.rows.lines
        self.texts = ScoreTexts(review, self.rows)
        self.corrections = ScoreCorrections(review, self.rows)
        self.enter_words = self.corrections.words

    def compose(self) -> ComposeResult:
        yield self.texts.criterion
        yield self.texts.score
        yield self.texts.grounds
        yield self.lines

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        return marks_help(marks)

    @property
    def keys_here(self) -> Sequence[Key]:
        """All but y where no score is yes or no: it is the screen's there."""
        if self._has_yes_or_no:
            return KEYS
        return [key for key in KEYS if key.id != YES]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "yes" and not self._has_yes_or_no:
            return False
        return super().check_action(action, parameters)

    @property
    def _has_yes_or_no(self) -> bool:
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

    # -- the cell ---------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one with the cursor on its score."""
        super().show(cell, fresh=fresh)
        self.rows.show(cell, fresh=fresh)
        self._draw_texts()

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:  # noqa: ARG002
        self.rows.follow(from_row(edit))

    def _draw_texts(self) -> None:
        if self.cell is not None:
            self.texts.draw(self.content_size.width - 2, self.content_size.height)

    def on_resize(self) -> None:
        self._draw_texts()

    def one_at_a_time(self, one: bool) -> None:
        self.set_class(one, "-one")
        self.rows.is_small = one
        if self.cell is not None:
            self.rows.draw()
        self._draw_texts()

    def evidence(self) -> Sequence[Evidence]:
        return self.rows.evidence()

    def detail(self) -> Content:
        return self.texts.detail() if self.cell else Content()

    def summary(self) -> str:
        if self.cell is None or not self.rows.labels.standing.answer:
            return ""
        return self.rows.extracted

    # -- the cursor -------------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        return self.rows.place

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on a score, or on words that were extracted."""
        self.rows.go(group, number)

    def action_over(self) -> None:
        self.rows.go_over()

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self.review.looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """Enter tells what can be done here."""
        event.stop()
        self._offer()

    def on_lines_touched(self, event: Lines.Touched) -> None:
        event.stop()
        if event.right:
            self._offer()

    def _offer(self) -> None:
        offers: dict[str, str] = {}
        if self.rows.labels.standing.spans:
            offers["text.evidence"] = "bring the answer into sight"
        if not self.review.readonly:
            offers |= _OFFERS
            if not self.rows.trait.takes_answer:
                del offers["scorer.answer"], offers["scorer.words"]
        if self.rows.cell.rounds or self.rows.votes("", None)[1]:
            offers["cell.proposals"] = "what each grader said, to adopt one"
        self.begin(pick_action(self.review, self.rows.trait.name, offers))

    # -- corrections ------------------------------------------------------------------------------

    def action_turn(self) -> None:
        """Gives the score under the cursor; where that stands, or is one of many, its contrary."""
        option = self.rows.option
        if option is None or option == self.rows.labels.standing.value:
            self.begin(self.corrections.contrary())
        else:
            self.begin(self.corrections.give(option))

    def action_digit(self, number: int) -> None:
        self.begin(self.corrections.digit(number))

    def action_yes(self) -> None:
        self.begin(self.corrections.yes())

    def action_correct(self, what: str) -> None:
        """One of the corrections that a key names: pick, answer, words, back."""
        self.begin(self.corrections.by_name[what]())


PANE = ScorerPane
