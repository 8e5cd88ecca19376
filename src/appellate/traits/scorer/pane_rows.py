"""The rows of a scorer cell: its scores, and the words that were extracted, under one cursor."""

from collections.abc import Sequence

from appellate.core.kind import Table
from appellate.traits.scorer import view
from appellate.traits.scorer.edits import from_row
from appellate.traits.scorer.labels import Labels, Scalar, spoken, value_text, values_in
from appellate.traits.scorer.pane_keys import LETTER_KEYS
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.traits.verdict.pane_rows import RowsInSight
from appellate.ui.contract import Review
from appellate.ui.lines import DrawnRows, Listed, ListRow, ListSection
from appellate.ui.pane import Evidence
from appellate.ui.rendered_text import StyledText

VALUE, SPAN = "value", "span"
"""The groups of places: scores (those that may be given, or those of a dictionary), and extracted
words.
"""
_IN_SIGHT = 3
"""So many of the words that were extracted are to be in sight."""


def source_of(trait: ScorerRubricTrait) -> str:
    """Who gives the score where no person does."""
    if trait.scorer == "recorded":
        return "record"
    return "judge" if trait.is_graded else "rule"


class ScoreRows(RowsInSight):
    """A single score has a row for each that may be given (`offered`), a dictionary one for each
    key.
    """

    GROUPS = (VALUE, SPAN)
    labels: Labels

    def __init__(self, review: Review) -> None:
        super().__init__(review, Labels())
        self.offered: list[Scalar] = []

    @property
    def trait(self) -> ScorerRubricTrait:
        trait: ScorerRubricTrait = self.cell.subject.trait
        return trait

    @property
    def is_single(self) -> bool:
        """Whether there is one score, and no dictionary."""
        return len(self.trait.parts) == 1

    @property
    def count(self) -> int:
        """How many lines the rows need, their headers among them; of many words a few are in
        sight.
        """
        spans = len(self.labels.standing.spans)
        scores = max(len(self.offered), len(self.trait.parts)) + (not self.is_small)
        return scores + (min(spans, _IN_SIGHT) + 1 if spans > 1 else 0)

    @property
    def given(self) -> Sequence[object]:
        """The scores that may be given here; of a dictionary any letter, for each key."""
        if self.is_single:
            return self.offered
        return list(LETTER_KEYS)

    @property
    def extracted(self) -> str:
        """What was taken for the answer, in words."""
        if self._is_whole:
            return "the whole response"
        return view.extracted_text(self.trait, self.labels.standing)

    @property
    def _is_whole(self) -> bool:
        """Whether the answer is all that was responded, which points at nothing."""
        answer = self.labels.standing.answer.strip()
        return bool(answer) and answer == self.cell.subject.trace.response.strip()

    @property
    def key(self) -> str:
        """Which score the keys are about: the one under the cursor."""
        group, number = self.place
        if self.is_single or group != VALUE:
            return self.trait.parts[0].key
        return self.trait.parts[number].key

    @property
    def sort(self) -> view.Sort:
        """What the score under the cursor is."""
        return view.sort_of(self.trait, self.labels, self.key)

    @property
    def option(self) -> Scalar | None:
        """The score that the row under the cursor offers, if it does."""
        group, number = self.place
        if group == VALUE and self.is_single and self.offered:
            return self.offered[number]
        return None

    # -- what is shown ----------------------------------------------------------------------------

    def offer(self) -> None:
        self.offered = []
        if self.is_single:
            self.offered = view.offered_values(self.trait)
            if self.sort == "boolean":
                self.offered = [True, False]
            texts = [self.labels.standing.value]
            if self.labels.proposed:
                texts.append(self.labels.proposed.value)
            for value in texts:
                if self.offered and value is not None and value not in self.offered:
                    self.offered.append(value)

    def draw(self) -> None:
        rows = [self._option(value) for value in self.offered]
        empty = ""
        if not self.is_single:
            rows = [self._part(part.key) for part in self.trait.parts]
        elif not self.review.readonly:
            empty = "(i takes a score)"
        header = None if self.is_small else ListRow(" Score", style="header")
        sections = [ListSection(Listed(rows), header, empty, whole=True)]
        spans = self.labels.standing.spans
        if len(spans) > 1:
            above = ListRow(f" Extracted {len(spans)}", style="header")
            sections.append(ListSection(DrawnRows(range(len(spans)), self._span), above))
        self.lines.show(*sections)

    def _option(self, value: Scalar) -> ListRow:
        """One score that may be given, with the key that gives it and who says so."""
        labels, right, style, sign = self.labels, [], "", StyledText(" ")
        held, of = self.votes("", value)
        if held:
            split = self.marks.split if held < of else ""
            right.append(StyledText(f" {split}{held}/{of}", "flag"))
        if labels.proposed and value == labels.proposed.value:
            right.append(StyledText(f" {source_of(self.trait)}", "muted"))
        if value == labels.standing.value:
            style, state = "key", self.cell.state
            if labels.is_overruled:
                sign = StyledText(self.marks.moved, "corrected")
            right.append(StyledText(f" {getattr(self.marks, state)} score", state))
        key = LETTER_KEYS.get(value_text(value), "")
        if isinstance(value, bool):
            key = "1" if value else "2"
        left = StyledText(f"{key:>2} ", "key")
        return ListRow(spoken(value), (left,), tuple(right), style=style, sign=sign)

    def _part(self, key: str) -> ListRow:
        """One score of a dictionary: its key, what stands, and what the scorer said instead."""
        labels, sign, right, style = self.labels, StyledText(" "), [], ""
        value = labels.standing.of(key)
        was = labels.proposed.of(key) if labels.proposed else None
        if labels.proposed and was != value:
            style = "corrected"
            sign = StyledText(self.marks.moved, style)
            right.append(StyledText(f" was {value_text(was) or 'none'}", "corrected"))
        held, of = self.votes(key, value)
        if held:
            split = self.marks.split if held < of else ""
            right.append(StyledText(f" {split}{held}/{of}", "flag"))
        shown = StyledText(f" {spoken(value) or 'not scored'}", style)
        return ListRow(key, (), (*right, shown), sign=sign)

    def _span(self, number: int) -> ListRow:
        start, end = self.labels.standing.spans[number]
        words = self.cell.subject.trace.response[start:end]
        left = StyledText(f"{number + 1:>2} ", "key")
        return ListRow(f"“{words}”", (left,))

    def votes(self, key: str, value: Scalar | None) -> tuple[int, int]:
        """How many of several graders say so, and of how many; (0, 0) where there is one."""
        members = self.members()
        texts = [dict(values_in(self.trait, member.table)).get(key) for member in members]
        return texts.count(value), len(members)

    # -- where the cursor is ----------------------------------------------------------------------

    def go(self, group: str, number: int) -> None:
        spans = self.labels.standing.spans
        if group == VALUE or (group == SPAN and len(spans) > 1):
            self.lines.go(int(group == SPAN), number)

    def go_over(self) -> None:
        """Goes from the score to what was extracted, and back."""
        group, _ = self.place
        if group == SPAN:
            self.to_verdict()
        elif len(self.labels.standing.spans) > 1:
            super().go_over()
        else:
            self.review.say("There is one list here: e types the answer, = selects it.")

    def follow(self, edit: Table) -> None:
        """Puts the cursor on the score that was given, or that the answer led to."""
        keys, key = [part.key for part in self.trait.parts], from_row(edit).key
        if key in keys and not self.is_single:
            self.go(VALUE, keys.index(key))
        else:
            self.to_verdict()

    def to_verdict(self) -> None:
        self.go(VALUE, self._standing_row)

    @property
    def _standing_row(self) -> int:
        """The row of the single score that stands."""
        value = self.labels.standing.value
        if self.is_single and value in self.offered:
            return self.offered.index(value)
        return 0

    def evidence(self) -> Sequence[Evidence]:
        """Where the answer stands in the response."""
        found: list[Evidence] = []
        spans = self.labels.standing.spans
        if self._is_whole:
            return found
        for number, (start, end) in enumerate(spans):
            mark, place = "", (VALUE, self._standing_row)
            if len(spans) > 1:
                mark, place = str(number + 1), (SPAN, number)
            if start < end:
                found.append(Evidence(start, end, "evidence", mark, place))
        return found
