"""The scorer cell on the screen: the score, what was extracted from where, the target, and why."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size

from appellate.core.kind import Table
from appellate.traits.scorer.labels import LETTERS, spoken, value_text, values_in
from appellate.traits.scorer.pane_corrections import (
    SCORER_KEYS,
    SPAN,
    TAKES,
    VALUE,
    ScoreCorrections,
    ScoreInSight,
    settings_text,
)
from appellate.traits.verdict.pane_verdict import DrawnVerdict, VerdictPane
from appellate.ui.contract import Evidence, beside_step
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Hint, Key
from appellate.ui.lines import ListSection
from appellate.ui.marks import STEP_MARKS, MarkHelp, Marks, in_quotes, spelt
from appellate.ui.own_keys import bindings
from appellate.ui.pane import no_answer_keys
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import inert, update_text

_OFFERS: Mapping[str, str] = {
    "scorer.answer": "type the answer; it is scored again",
    "scorer.words": "select the answer in the response; it is scored again",
    "scorer.back": "take the change back",
}
_IN_SIGHT = 3
"""So many of the words that were extracted are to be in sight."""
_LABEL = 10
_ROOMY = 10
"""Lines for the texts from which on the short ones may take two."""
_FEWEST = 3
"""Lines that the texts get however many rows there are."""
_AROUND = 3
"""Lines of a pane that is not small for its score, and for what is left empty."""


class DrawnScore(DrawnVerdict):
    """A single score has a row for each that may be given (`offered`), a dictionary one for each
    key; the rows come first, and the texts get what room is left.
    """

    FAILED = "Not scored: see below."
    NOT_YET = "Not scored yet."
    AGAIN = "{cell.judge:J} tries again"
    FIRST = "{cell.judge:J} has it scored"
    sight_of = ScoreInSight

    @property
    def count(self) -> int:
        """How many lines the rows need with their headers; of many words a few are in sight."""
        spans = len(self.sight.stretches)
        scores = max(len(self.offered), len(self.sight.trait.parts)) + (not self.is_small)
        return scores + (min(spans, _IN_SIGHT) + 1 if spans > 1 else 0)

    @property
    def option(self) -> Any:
        """The score under the cursor; of a dictionary the one that is given for its key."""
        group, _ = self.place
        return super().option if self.sight.is_single and group == VALUE else self.sight.value

    # -- what is shown ----------------------------------------------------------------------------

    def offer(self) -> None:
        self.offered = []
        if self.sight.is_single:
            super().offer()

    def draw(self) -> None:
        sections = [
            self.options("({verdict.pick:i} takes a score)" if self.sight.is_single else "")
        ]
        spans = len(self.sight.stretches)
        if spans > 1:
            above = ListRow(f" Extracted {spans}", style="header")
            sections.append(ListSection(DrawnRows(range(spans), self._span), above))
        self.lines.show(*sections)

    def option_rows(self) -> list[ListRow]:
        if self.sight.is_single:
            return super().option_rows()
        return [self._part(part.key) for part in self.sight.trait.parts]

    def _part(self, key: str) -> ListRow:
        """One score of a dictionary: its key, its value, and the scorer's if that is another."""
        labels = self.sight.labels
        sign = StyledText(" ")
        right = []
        style = ""
        value = labels.standing.of(key)
        was = labels.proposed.of(key) if labels.proposed else None
        if labels.proposed and was != value:
            style = "corrected"
            sign = StyledText(self.marks.moved, style)
            right.append(StyledText(f" was {value_text(was) or 'none'}", "corrected"))
        right += self.votes_shown(value, key)
        shown = StyledText(f" {spoken(value) or 'not scored'}", style)
        return ListRow(key, (), (*right, shown), sign=sign)

    def _span(self, number: int) -> ListRow:
        start, end = self.sight.stretches[number]
        words = self.cell.subject.text[start:end]
        named_step = self.sight.labels.standing.named_step
        step = beside_step(self.cell.subject, [((start, end), named_step)])
        return ListRow(
            in_quotes(words, self.marks), (StyledText(f"{number + 1:>2} ", "key"),), step
        )

    def verdict_in(self, table: Table, key: str) -> Any:
        return values_in(self.sight.trait, table).get(key)

    # -- where the cursor is ----------------------------------------------------------------------

    def go(self, group: str, number: int) -> None:
        if group == VALUE or (group == SPAN and len(self.sight.stretches) > 1):
            self.lines.go(int(group == SPAN), number)

    def go_over(self) -> None:
        """Goes from the score to what was extracted, and back."""
        group, _ = self.place
        if group == SPAN:
            self.to_verdict()
        elif len(self.sight.stretches) > 1:
            super().go_over()
        else:
            self.review.say(
                "There is one list here: "
                "{scorer.answer:e} types the answer, {scorer.words:=} selects it."
            )

    def evidence(self) -> Sequence[Evidence]:
        """Where the answer is in the response."""
        if self.sight.is_whole(self.sight.labels.standing):
            return ()
        found = super().evidence()
        if len(self.sight.stretches) > 1:
            return found
        return [one._replace(mark="", place=(VALUE, self.standing_row)) for one in found]

    def verdict_offers(self) -> Mapping[str, str]:
        offers = {**super().verdict_offers(), **_OFFERS}
        if not self.sight.trait.takes_answer:
            del offers["scorer.answer"], offers["scorer.words"]
        return offers

    # -- the texts --------------------------------------------------------------------------------

    def draw_texts(self, size: Size) -> None:
        width = size.width - 2
        height = size.height
        around = 1 if self.is_small else _AROUND
        left = max(height - self.count - around, _FEWEST)
        short = 2 if left > _ROOMY else 1
        criterion, score, grounds = self.texts
        question = fitting(Content(inert(self.question())), width, max(left // 4, 1))
        criterion.display = bool(question.plain)
        update_text(criterion, question)
        score.update(self.wording(), layout=False)
        parts = [*self._facts(width, short)]
        texts = [question, *parts] if question.plain else parts
        left -= sum(len(part.wrap(max(width, 1))) for part in texts)
        parts.append(fitting(self.why(), width, max(left, 1)))
        update_text(grounds, Content("\n").join([part for part in parts if part.plain]))

    def detail(self) -> Content:
        parts = [Content(inert(self.sight.trait.question)), *self._facts(0, 0), self.why()]
        return Content("\n\n").join([part for part in parts if part.plain])

    def wording(self) -> Content:
        """The score in large, and whose word it is; of a dictionary the rows say it."""
        sight = self.sight
        if sight.is_single or not sight.labels.is_judged:
            return super().wording()
        is_moved = sight.is_overruled and not self.cell.hidden
        whose = sight.whose.partition(" · was")[0]
        return Content.styled(inert(whose), "$state-corrected" if is_moved else "$muted")

    def scale(self) -> str:
        value = self.sight.value
        return f"  {LETTERS[value]}" if value in LETTERS else ""

    def in_large(self, value: Any) -> str:
        return value_text(value)

    def _facts(self, width: int, height: int) -> Sequence[Content]:
        """The settings, what was extracted and what it was compared with, behind their names."""
        sight, labels = self.sight, self.sight.labels
        extracted = sight.extracted if labels.is_judged else ""
        if labels.proposed and labels.standing.answer != labels.proposed.answer:
            extracted += f" (was {sight.extracted_by(labels.proposed)})"
        step: Sequence[StyledText] = ()
        if extracted and len(sight.stretches) == 1 and not sight.is_whole(labels.standing):
            named_step = labels.standing.named_step
            step = beside_step(self.cell.subject, [(sight.stretches[0], named_step)])
        settings = Content.styled(self._shown(settings_text(sight.trait)), "$muted")
        found = [fitting(settings, width, min(height, 1))]
        for name, words, beside in (("extracted", extracted, step), ("target", sight.target, ())):
            if words:
                text = Content.assemble((f"{name:<{_LABEL}}", "$muted"), self._shown(words))
                for piece in beside:
                    colour = "$state-flag" if piece.style == "flag" else "$text"
                    text += Content.styled(self._shown(piece.text), colour)
                found.append(fitting(text, width, height))
        return found

    def grounds(self) -> Sequence[Content]:
        sight = self.sight
        why = self._shown(sight.explanation) if sight.labels.is_judged else ""
        if not why:
            return ()
        lines = [line for line in why.splitlines() if line.strip()]
        label = (f"{sight.source:<{_LABEL}}", "$muted")
        return [Content.assemble(label, "\n".join(lines))]

    def _shown(self, text: str) -> str:
        return inert(spelt(text, self.marks))


class ScorerPane(VerdictPane):
    """One cell: its score or scores under a cursor, and what they rest on."""

    DEFAULT_CSS = """
    ScorerPane {
        & > #reason { color: $text; }
    }
    """
    KEYS = (*VerdictPane.KEYS, *SCORER_KEYS)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(SCORER_KEYS)]
    TAKING = frozenset({"scorer.words"})
    NEAR = ("verdict.", "scorer.")
    GOES_OVER = True
    TITLE = "Score"
    ABOUT = (
        "the score, what was extracted, what it was compared with and why it matched or did not;"
        " the response shows where the answer is"
    )
    SOURCE = "rule, judge"
    TAKES = TAKES
    ANSWER_KEYS = staticmethod(no_answer_keys)
    drawn_of = DrawnScore
    corrections_of = ScoreCorrections

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        return [*super().marks_help(marks), *STEP_MARKS]

    def told(self) -> Sequence[Key]:
        if self.cell is None or self.sight.trait.takes_answer:
            return super().told()
        return [key for key in super().told() if key.id not in ("scorer.answer", "scorer.words")]

    def taking_hints(self) -> list[Hint]:
        equals = next((key.shown for key in self.review.keys if key.id == "scorer.words"), "=")
        return [Hint(equals, "the answer", "scorer.words")]

    def summary(self) -> str:
        if not self.cell or not self.sight.labels.standing.answer:
            return ""
        return spelt(self.sight.extracted, self.review.marks)


PANE = ScorerPane
