"""The scorer cell line by line: the score or scores, then the words that were extracted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.traits.scorer.edits import from_row
from appellate.traits.scorer.labels import Labels, spoken
from appellate.traits.scorer.pane_corrections import (
    ScoreCorrections,
    Sort,
    extracted_text,
    settings_text,
    sort_of,
    source_text,
    target_text,
    verdict_text,
)
from appellate.traits.verdict.linear import INDENT, ItemsInOrder, Stretches
from appellate.traits.verdict.pane_corrections import reason_given
from appellate.ui.contract import KeyLine, Paragraph, Review
from appellate.ui.conversation import Conversation

_CORRECTIONS = {"i": "pick", "e": "answer", "=": "words", "d": "back"}


class ScorerLines(ItemsInOrder):
    """Asks for one score after the other; the words are there to be read."""

    KEYS = (
        KeyLine("1-4", "scorer trait: C, P, I, N; of yes and no 1 (or y) and 2"),
        KeyLine("0-9", "scorer trait: the first digit of a score that is a number"),
        KeyLine("Space", "scorer trait: the contrary of the score"),
        KeyLine("i", "scorer trait: pick the score from a list, or type it"),
        KeyLine("e =", "scorer trait: type the answer, select it; it is scored again"),
        KeyLine("d", "scorer trait: take back what was said by hand"),
    )

    GROUPS = ("value", "span")
    BLANK = Labels()

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.corrections = ScoreCorrections(review, self)

    @property
    def firsts(self) -> int:
        return len(self.trait.parts)

    @property
    def stretches(self) -> Stretches:
        spans: Stretches = self.labels.standing.spans
        return spans

    @property
    def key(self) -> str:
        """Which score the keys are about."""
        key: str = self.trait.parts[self.at if self.at < self.firsts else 0].key
        return key

    def follow(
        self,
        edit: Mapping[str, Any],
        before: Cell,  # noqa: ARG002
        *,
        turned: bool,  # noqa: ARG002
    ) -> None:
        keys = [part.key for part in self.trait.parts]
        key = from_row(edit).key
        if key in keys:
            self.step_to(keys.index(key))

    # -- what is printed --------------------------------------------------------------------------

    def head(self) -> Sequence[Paragraph]:
        paragraphs = [
            Paragraph(self.trait.question),
            Paragraph(settings_text(self.trait), style="muted"),
        ]
        cell = self.cell
        if cell:
            target = target_text(self.trait, self.labels, cell.subject.trace)
            paragraphs.append(Paragraph(target or "there is none", "Target:", "muted", quoted=True))
        return paragraphs

    def item(self) -> Sequence[Paragraph]:
        if self.at >= self.firsts:
            return [self._span(self.at - self.firsts)]
        return [*self._wording(), *self._why()]

    def _wording(self) -> list[Paragraph]:
        """The score under the cursor, and whose word it is."""
        key, labels, cell = self.key, self.labels, self.cell
        mark = f"Score of {key}:" if key else "Score:"
        text = verdict_text(labels, key)
        if text:
            return [Paragraph(text, mark, "strong")]
        paragraphs = [Paragraph("none yet; 1 to 4 or i gives it by hand", mark, "strong")]
        if cell and cell.error:
            paragraphs.append(Paragraph(cell.error.error, "not scored:", "bad", INDENT))
        return paragraphs

    def _why(self) -> list[Paragraph]:
        """What was extracted, and why it matched or did not."""
        labels, paragraphs = self.labels, []
        if not labels.is_judged:
            return []
        extracted = extracted_text(self.trait, labels.standing)
        if extracted:
            paragraphs.append(Paragraph(extracted, "extracted:", "muted", INDENT, quoted=True))
        why = labels.standing.why
        if not why and labels.proposed:
            why = labels.proposed.why
        if why:
            source = source_text(self.trait, labels) or "why"
            paragraphs.append(Paragraph(why, f"{source}:", "muted", INDENT))
        cell = self.cell
        if cell and labels.is_overruled and reason_given(cell):
            paragraphs.append(Paragraph(reason_given(cell), "because:", "muted", INDENT))
        return paragraphs

    def _span(self, number: int) -> Paragraph:
        start, end = self.labels.standing.spans[number]
        response = self.cell.subject.trace.response if self.cell else ""
        return Paragraph(response[start:end], f"Extracted {number + 1}:", "evidence", quoted=True)

    def listed(self) -> Sequence[Paragraph]:
        paragraphs = []
        for number, part in enumerate(self.trait.parts, 1):
            value = spoken(self.labels.standing.of(part.key)) or "not scored"
            named = part.key or self.trait.name
            paragraphs.append(Paragraph(f"{named}: {value}", f"{number:>3}", "key"))
        spans = range(len(self.labels.standing.spans))
        return [*paragraphs, *map(self._span, spans)]

    # -- corrections ------------------------------------------------------------------------------

    def does(self, key: str) -> Conversation | None:
        correction: Callable[[], Conversation] | None = None
        if key.isdecimal() and key.isascii():
            return self.corrections.digit(int(key))
        if key == "y" and "boolean" in self._sorts():
            return self.corrections.yes()
        if key == " ":
            return self.corrections.contrary()
        if key in _CORRECTIONS:
            correction = self.corrections.by_name[_CORRECTIONS[key]]
        return correction() if correction else None

    def _sorts(self) -> set[Sort]:
        labels = self.labels
        return {sort_of(self.trait, labels, part.key) for part in self.trait.parts}


LINES = ScorerLines
