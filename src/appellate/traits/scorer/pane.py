"""Shows a scorer cell on the screen: the score, what was extracted, the target, and why."""

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
"""The number of extracted texts that should be visible."""
_LABEL = 10
_ROOMY = 10
"""Lines for the texts from which on the short ones may have two."""
_FEWEST = 3
"""Lines that the texts get however many rows there are."""
_AROUND = 3
"""Lines that a pane that is not small needs for its score and for empty lines."""


class DrawnScore(DrawnVerdict):
    """The texts and rows of a cell: rows first, and the texts in the remaining room.

    A single score has a row for each that can be given (`offered`), a dictionary has one for each
    key.
    """

    FAILED = "Not scored: see below."
    NOT_YET = "Not scored yet."
    AGAIN = "{cell.judge:J} tries again"
    FIRST = "{cell.judge:J} has it scored"
    sight_of = ScoreInSight

    @property
    def count(self) -> int:
        """The number of lines that the drawn rows and their headers need, at least 1.

        Offered scores, or the keys of a dictionary, need a line each, a score without either one
        line, and one more for their header, which a small pane leaves out. Two or more extracted
        texts need a header and a line each, in a small pane too, but only the first three count; a
        single one needs none.
        """
        line_count = max(len(self.offered), len(self.sight.trait.parts))
        if not self.is_small:
            line_count += 1
        span_count = len(self.sight.stretches)
        if span_count > 1:
            line_count += min(span_count, _IN_SIGHT) + 1
        return line_count

    @property
    def option(self) -> Any:
        """The score of the row under the cursor; None for a number, which has no row.

        On the row of an extracted text it is the current score. In a dictionary it is always the
        current value of the key at the cursor, on an extracted text that of the first key.
        """
        group, _ = self.place
        if self.sight.is_single and group == VALUE:
            return super().option
        return self.sight.value

    # -- what is shown ----------------------------------------------------------------------------

    def offer(self) -> None:
        """Find the values that get rows, and keep them in `offered`.

        They are True and False, or letters such as "C" and "I". It is empty for a number, which is
        typed, and for a dictionary, which has a row for each key instead.
        """
        self.offered = []
        if self.sight.is_single:
            super().offer()

    def draw(self) -> None:
        """Draw the rows of the scores, then those of the extracted texts if there are several.

        A single score has a row for each value that can be given. A dictionary has one for each of
        its keys. A single number has none, so the key that takes it is named instead, unless
        nothing may be corrected.
        """
        empty = "({verdict.pick:i} takes a score)" if self.sight.is_single else ""
        sections = [self.options(empty)]
        spans = len(self.sight.stretches)
        if spans > 1:
            above = ListRow(f" Extracted {spans}", style="header")
            sections.append(ListSection(DrawnRows(range(spans), self._span), above))
        self.lines.show(*sections)

    def option_rows(self) -> list[ListRow]:
        """Return a row for each score that can be given, or for each key of a dictionary.

        A single score that is a number has no row.
        """
        if self.sight.is_single:
            return super().option_rows()
        return [self._part(part.key) for part in self.sight.trait.parts]

    def _part(self, key: str) -> ListRow:
        """Return the row of a dictionary's value: its key, its value, and the panel's votes if any.

        If a person changed it, it has a sign and what the scorer gave. A value that is missing is
        "not scored".
        """
        labels = self.sight.labels
        sign = StyledText(" ")
        right = []
        style = ""
        value = labels.standing.of(key)
        proposed_value = labels.proposed.of(key) if labels.proposed else None
        if labels.proposed and proposed_value != value:
            style = "corrected"
            sign = StyledText(self.marks.moved, style)
            proposed_text = value_text(proposed_value) or "none"
            right.append(StyledText(f" was {proposed_text}", style))
        right.extend(self.votes_shown(value, key))
        score = spoken(value) or "not scored"
        right.append(StyledText(f" {score}", style))
        return ListRow(key, (), tuple(right), sign=sign)

    def _span(self, number: int) -> ListRow:
        """Return the row of an extracted text, with its number (from 1) and its step.

        `number` counts from 0.
        """
        start, end = self.sight.stretches[number]
        words = self.cell.subject.text[start:end]
        named_step = self.sight.labels.standing.named_step
        step = beside_step(self.cell.subject, [((start, end), named_step)])
        return ListRow(
            in_quotes(words, self.marks),
            (StyledText(f"{number + 1:>2} ", "key"),),
            step,
        )

    def verdict_in(self, table: Table, key: str) -> Any:
        return values_in(self.sight.trait, table).get(key)

    # -- where the cursor is ----------------------------------------------------------------------

    def go(self, group: str, number: int) -> None:
        """Move the cursor to a row of the scores or of the extracted texts.

        `group` is `VALUE` or `SPAN`, and `number` counts its rows from 0. The cursor stays for a
        group without rows: a single extracted text has none.
        """
        if group == VALUE:
            self.lines.go(0, number)
        elif group == SPAN and len(self.sight.stretches) > 1:
            self.lines.go(1, number)

    def go_over(self) -> None:
        """Move the cursor from the score to what was extracted, and back.

        If the texts have no rows, only a note says which keys give the answer.
        """
        group, _ = self.place
        if group == SPAN:
            self.to_verdict()
        elif len(self.sight.stretches) > 1:
            super().go_over()
        else:
            self.review.say(
                "There is one list here: "
                "{scorer.answer:e} types the answer, {scorer.words:=} selects it.",
            )

    def evidence(self) -> Sequence[Evidence]:
        """Return where the answer is in the response, to mark it.

        Several spans are numbered from 1. Empty if the answer is the whole response.
        """
        if self.sight.is_whole(self.sight.labels.standing):
            return ()
        evidence_list = super().evidence()
        if len(self.sight.stretches) > 1:
            return evidence_list
        return [
            evidence._replace(mark="", place=(VALUE, self.standing_row))
            for evidence in evidence_list
        ]

    def verdict_offers(self) -> Mapping[str, str]:
        """Return the corrections for the menu: what each does, by the id of its key.

        They are those of the score, then to type or select the answer, if a rule scores it again,
        and last {"scorer.back": "take the change back"}. Whether the session may correct at all is
        for the caller to ask.
        """
        offers = {**super().verdict_offers(), **_OFFERS}
        if not self.sight.trait.takes_answer:
            del offers["scorer.answer"], offers["scorer.words"]
        return offers

    # -- the texts --------------------------------------------------------------------------------

    def draw_texts(self, size: Size) -> None:
        """Draw the texts in the room that the rows leave in a pane of this size, in cells.

        The question gets a quarter of it at most, and is hidden if it is empty. The reason comes
        last and is cut.
        """
        width = size.width - 2
        height = size.height
        other_lines = 1 if self.is_small else _AROUND
        remaining = max(height - self.count - other_lines, _FEWEST)
        short_height = 2 if remaining > _ROOMY else 1
        criterion, score, grounds = self.texts
        question = fitting(
            Content(inert(self.question())),
            width,
            max(remaining // 4, 1),
        )
        criterion.display = bool(question.plain)
        update_text(criterion, question)
        score.update(self.wording(), layout=False)
        parts = [*self._facts(width, short_height)]
        texts = [question, *parts] if question.plain else parts
        remaining -= sum(len(part.wrap(max(width, 1))) for part in texts)
        parts.append(fitting(self.why(), width, max(remaining, 1)))
        update_text(grounds, Content("\n").join([part for part in parts if part.plain]))

    def detail(self) -> Content:
        """Return all that there is to know of a score: the question, the facts and the reason.

        Blank lines separate them; an empty one is left out.
        """
        parts = [
            Content(inert(self.sight.trait.question)),
            *self._facts(0, 0),
            self.why(),
        ]
        return Content("\n\n").join([part for part in parts if part.plain])

    def wording(self) -> Content:
        """Return the score in large, and where it comes from; without a score, why there is none.

        Where it comes from is such as "as the judge says", or "changed · was 0.5", in colour, if a
        person changed the score. While the judge is hidden, it is "not locked yet", without colour.
        A dictionary's values are in its rows, so only where they come from is returned, without
        what they were.
        """
        sight = self.sight
        if sight.is_single or not sight.labels.is_judged:
            return super().wording()
        is_moved = sight.is_overruled and not self.cell.hidden
        source_text = sight.whose.partition(" · was")[0]
        return Content.styled(
            inert(source_text),
            "$state-corrected" if is_moved else "$muted",
        )

    def scale_beside_verdict(self) -> str:
        value = self.sight.value
        return f"  {LETTERS[value]}" if value in LETTERS else ""

    def in_large(self, value: Any) -> str:
        return value_text(value)

    def _facts(self, width: int, height: int) -> Sequence[Content]:
        """Return the settings, and then the extracted text and the target, each with its name.

        The settings have no name before them. Of the others one without text is left out. Each is
        cut to `width` cells and `height` lines, and the settings to one line; with 0 for both
        nothing is cut.
        """
        sight = self.sight
        labels = sight.labels
        extracted = sight.extracted if labels.is_judged else ""
        if labels.proposed and labels.standing.answer != labels.proposed.answer:
            earlier = sight.extracted_by(labels.proposed)
            if earlier:  # of several scorers it is not known
                extracted += f" (was {earlier})"
        step: Sequence[StyledText] = ()
        if (
            extracted
            and len(sight.stretches) == 1
            and not sight.is_whole(labels.standing)
        ):
            named_step = labels.standing.named_step
            step = beside_step(self.cell.subject, [(sight.stretches[0], named_step)])
        settings = Content.styled(self._shown(settings_text(sight.trait)), "$muted")
        facts = [fitting(settings, width, min(height, 1))]
        for name, text_shown, step_marks in (
            ("extracted", extracted, step),
            ("target", sight.target, ()),
        ):
            if text_shown:
                text = Content.assemble(
                    (f"{name:<{_LABEL}}", "$muted"),
                    self._shown(text_shown),
                )
                for piece in step_marks:
                    colour = "$state-flag" if piece.style == "flag" else "$text"
                    text += Content.styled(self._shown(piece.text), colour)
                facts.append(fitting(text, width, height))
        return facts

    def grounds(self) -> Sequence[Content]:
        """Return the explanation of the score after its source: "judge     It is so."

        It is one text without blank lines. Empty if there is no explanation or no score.
        """
        sight = self.sight
        explanation = self._shown(sight.explanation) if sight.labels.is_judged else ""
        if not explanation:
            return ()
        lines = [line for line in explanation.splitlines() if line.strip()]
        label = (f"{sight.source:<{_LABEL}}", "$muted")
        return [Content.assemble(label, "\n".join(lines))]

    def _shown(self, text: str) -> str:
        """Return a text without markup, with marks that the terminal can draw."""
        return inert(spelt(text, self.marks))


class ScorerPane(VerdictPane):
    """Shows the score or scores of a cell under a cursor, and what they are based on."""

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
        """Return the keys of the pane for the help, with the words of the current scale.

        Digits that give no score are left out, such as 2 for a scale of C (1) and I (3). The keys
        for the answer are left out if no rule can score it. Without a cell all keys are returned
        with general words.
        """
        if self.cell is None or self.sight.trait.takes_answer:
            return super().told()
        keys: list[Key] = []
        for key in super().told():
            if key.id not in ("scorer.answer", "scorer.words"):
                keys.append(key)
        return keys

    def taking_hints(self) -> list[Hint]:
        """Return the hint of the key that takes selected words as the answer.

        It is the reviewer's key, or "=" if there is none.
        """
        words_key = next(
            (key.shown for key in self.review.keys if key.id == "scorer.words"),
            "=",
        )
        return [Hint(words_key, "the answer", "scorer.words")]

    def summary(self) -> str:
        """Return the extracted answer in quotes, or "the whole response" if it is that.

        Returns "" if none was extracted, and without a cell.
        """
        if not self.cell or not self.sight.labels.standing.answer:
            return ""
        return spelt(self.sight.extracted, self.review.marks)


PANE = ScorerPane
