"""The scorer cell line by line: the score or scores, then the words that were extracted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.core.replay import reason_for
from appellate.traits.scorer import view
from appellate.traits.scorer.edits import from_row
from appellate.traits.scorer.labels import Labels, spoken
from appellate.traits.scorer.pane_corrections import ScoreCorrections
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.ui.contract import EvidencePlace, KeyLine, KindLines, Paragraph, Place, Review
from appellate.ui.conversation import Conversation

_VALUE, _SPAN = "value", "span"
_CORRECTIONS = {"i": "pick", "e": "answer", "=": "words", "d": "back"}
_INDENT = 4


class ScoreInOrder:
    """What the corrections need to know of the score (`ScoreInSight`)."""

    def __init__(self) -> None:
        self.trait: Any = None
        self.cell: Cell | None = None
        self.labels = Labels()
        self.at = 0

    def show(self, cell: Cell) -> None:
        self.cell, self.trait = cell, cell.subject.trait
        self.labels = cell.labels or Labels()
        self.at = min(self.at, self.scores + len(self.labels.standing.spans) - 1)

    @property
    def scores(self) -> int:
        """How many scores there are."""
        return len(self.trait.parts)

    @property
    def key(self) -> str:
        """Which score the keys are about."""
        key: str = self.trait.parts[self.at if self.at < self.scores else 0].key
        return key


class ScorerLines(KindLines):
    """Asks for one score after the other; the words are there to be read."""

    KEYS = (
        KeyLine("1-4", "scorer trait: C, P, I, N; of yes and no 1 (or y) and 2"),
        KeyLine("0-9", "scorer trait: the first digit of a score that is a number"),
        KeyLine("Space", "scorer trait: the contrary of the score"),
        KeyLine("i", "scorer trait: pick the score from a list, or type it"),
        KeyLine("e =", "scorer trait: type the answer, select it; it is scored again"),
        KeyLine("d", "scorer trait: take back what was said by hand"),
    )

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.score = ScoreInOrder()
        self.corrections = ScoreCorrections(review, self.score)

    def show(self, cell: Cell, *, fresh: bool) -> None:
        if fresh:
            self.score.at = 0
        self.score.show(cell)

    def follow(
        self,
        edit: Mapping[str, Any],
        before: Cell,  # noqa: ARG002
        *,
        turned: bool,  # noqa: ARG002
    ) -> None:
        keys = [part.key for part in self._trait.parts]
        key = from_row(edit).key
        if key in keys:
            self.score.at = keys.index(key)

    @property
    def place(self) -> Place:
        if self.score.at < self.score.scores:
            return _VALUE, self.score.at
        return _SPAN, self.score.at - self.score.scores

    def go(self, group: str, number: int) -> None:
        spans = len(self.score.labels.standing.spans)
        self.score.at = 0
        if group == _VALUE:
            self.score.at = min(number, self.score.scores - 1)
        elif group == _SPAN and number < spans:
            self.score.at = self.score.scores + number

    @property
    def count(self) -> int:
        return self.score.scores + len(self.score.labels.standing.spans)

    @property
    def at(self) -> int:
        return self.score.at

    def step_to(self, at: int) -> None:
        self.score.at = at

    # -- what is printed --------------------------------------------------------------------------

    @property
    def _trait(self) -> ScorerRubricTrait:
        trait: ScorerRubricTrait = self.score.trait
        return trait

    def head(self) -> Sequence[Paragraph]:
        paragraphs = [
            Paragraph(self._trait.question),
            Paragraph(view.settings_text(self._trait), style="muted"),
        ]
        cell = self.score.cell
        if cell:
            target = view.target_text(self._trait, self.score.labels, cell.subject.trace)
            paragraphs.append(Paragraph(target or "there is none", "Target:", "muted", quoted=True))
        return paragraphs

    def item(self) -> Sequence[Paragraph]:
        if self.score.at >= self.score.scores:
            return [self._span(self.score.at - self.score.scores)]
        return [*self._wording(), *self._why()]

    def _wording(self) -> list[Paragraph]:
        """The score under the cursor, and whose word it is."""
        key, labels, cell = self.score.key, self.score.labels, self.score.cell
        mark = f"Score of {key}:" if key else "Score:"
        text = view.verdict_text(labels, key)
        if text:
            return [Paragraph(text, mark, "strong")]
        paragraphs = [Paragraph("none yet; 1 to 4 or i gives it by hand", mark, "strong")]
        if cell and cell.error:
            paragraphs.append(Paragraph(cell.error.error, "not scored:", "bad", _INDENT))
        return paragraphs

    def _why(self) -> list[Paragraph]:
        """What was extracted, and why it matched or did not."""
        labels, paragraphs = self.score.labels, []
        if not labels.is_judged:
            return []
        extracted = view.extracted_text(self._trait, labels.standing)
        if extracted:
            paragraphs.append(Paragraph(extracted, "extracted:", "muted", _INDENT, quoted=True))
        why = labels.standing.why
        if not why and labels.proposed:
            why = labels.proposed.why
        if why:
            source = view.source_text(self._trait, labels) or "why"
            paragraphs.append(Paragraph(why, f"{source}:", "muted", _INDENT))
        cell = self.score.cell
        given = [reason_for(cell, step.n) for step in cell.steps] if cell else []
        if labels.is_overruled and given and given[-1]:
            paragraphs.append(Paragraph(given[-1], "because:", "muted", _INDENT))
        return paragraphs

    def _span(self, number: int) -> Paragraph:
        start, end = self.score.labels.standing.spans[number]
        response = self.score.cell.subject.trace.response if self.score.cell else ""
        return Paragraph(response[start:end], f"Extracted {number + 1}:", "evidence", quoted=True)

    def listed(self) -> Sequence[Paragraph]:
        paragraphs = []
        for number, part in enumerate(self._trait.parts, 1):
            value = spoken(self.score.labels.standing.of(part.key)) or "not scored"
            named = part.key or self._trait.name
            paragraphs.append(Paragraph(f"{named}: {value}", f"{number:>3}", "key"))
        spans = range(len(self.score.labels.standing.spans))
        return [*paragraphs, *map(self._span, spans)]

    def evidence(self) -> Sequence[EvidencePlace]:
        spans = enumerate(self.score.labels.standing.spans)
        return [EvidencePlace((_SPAN, number), span) for number, span in spans]

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

    def _sorts(self) -> set[view.Sort]:
        labels = self.score.labels
        return {view.sort_of(self._trait, labels, part.key) for part in self._trait.parts}


LINES = ScorerLines
