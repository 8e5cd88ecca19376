"""The LLM cell line by line: the verdict, then the excerpts it rests on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.core.wordforms import many
from appellate.traits.llm.edits import Edit, found_again
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.llm.pane_corrections import VerdictCorrections
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.labels import value_of
from appellate.traits.verdict.scale import (
    Value,
    has_digits,
    key_of,
    meaning_of,
    offered,
    question_of,
    scale_text,
)
from appellate.ui.contract import EvidencePlace, KeyLine, KindLines, Paragraph, Place, Review
from appellate.ui.conversation import Conversation

_VERDICT, _EXCERPTS = "verdict", "evidence"
_CORRECTIONS = {"i": "pick", "+": "add", "=": "replace", "e": "reword", "d": "drop"}
_INDENT = 4


class VerdictInOrder:
    """What the corrections need to know of the verdict (`VerdictInSight`)."""

    def __init__(self) -> None:
        self.trait: Any = None
        self.cell: Cell | None = None
        self.labels = Labels()
        self.judged: Value | None = None
        self.at = 0

    def show(self, cell: Cell) -> None:
        self.cell, self.trait, self.judged = cell, cell.subject.trait, None
        self.labels = cell.labels or Labels()
        if cell.judge:
            self.judged = value_of(self.trait, cell.judge.table)
        self.at = min(self.at, len(self.labels.evidence))

    @property
    def place(self) -> Place:
        if self.at:
            return _EXCERPTS, self.at - 1
        return _VERDICT, 0

    @property
    def excerpt(self) -> Excerpt | None:
        """The excerpt under the cursor; None on the verdict."""
        return self.labels.evidence[self.at - 1] if self.at else None


class LLMLines(KindLines):
    """Asks for the verdict, then for one excerpt after the other."""

    KEYS = (
        KeyLine("0-9", "LLM trait: the score, or the class of that number; 1 (or y) yes, 2 no"),
        KeyLine("Space", "LLM trait: the other verdict of yes and no"),
        KeyLine("i", "LLM trait: pick the verdict from a list"),
        KeyLine("+", "LLM trait: add words of the response as evidence"),
        KeyLine("= e d", "LLM trait: other words for the excerpt, reword it, drop it"),
    )

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.verdict = VerdictInOrder()
        self.corrections = VerdictCorrections(review, self.verdict)

    def show(self, cell: Cell, *, fresh: bool) -> None:
        if fresh:
            self.verdict.at = 0
        self.verdict.show(cell)

    def follow(
        self,
        edit: Mapping[str, Any],
        before: Cell,  # noqa: ARG002
        *,
        turned: bool,  # noqa: ARG002
    ) -> None:
        made = Edit.from_row(edit)
        spans = [excerpt.span for excerpt in self.verdict.labels.evidence]
        if made.action == "set":
            self.verdict.at = 0
        elif made.span in spans:
            self.verdict.at = spans.index(made.span) + 1

    @property
    def place(self) -> Place:
        return self.verdict.place

    def go(self, group: str, number: int) -> None:
        self.verdict.at = 0
        if group == _EXCERPTS and number < len(self.verdict.labels.evidence):
            self.verdict.at = number + 1

    @property
    def count(self) -> int:
        return len(self.verdict.labels.evidence) + 1

    @property
    def at(self) -> int:
        return self.verdict.at

    def step_to(self, at: int) -> None:
        self.verdict.at = at

    # -- what is printed ---------------------------------------------------------------------------

    @property
    def _trait(self) -> LLMRubricTrait:
        trait: LLMRubricTrait = self.verdict.trait
        return trait

    def head(self) -> Sequence[Paragraph]:
        return [
            Paragraph(question_of(self._trait)),
            Paragraph(scale_text(self._trait), style="muted"),
        ]

    def item(self) -> Sequence[Paragraph]:
        excerpt = self.verdict.excerpt
        if excerpt is None:
            return self._wording()
        paragraphs = [
            Paragraph(excerpt.text, f"Evidence {self.verdict.at}:", "evidence", in_quotes=True)
        ]
        if excerpt.span is None:
            wrong = "not found in the response: check it, reword it (e) or drop it (d)"
            paragraphs.append(Paragraph(wrong, self.review.marks.doubt, "bad", _INDENT))
        return paragraphs

    def _wording(self) -> list[Paragraph]:
        """The verdict, who says so, why, and what else could be said."""
        value, cell = self.verdict.labels.value, self.verdict.cell
        paragraphs = []
        if value is None:
            paragraphs.append(Paragraph("none yet", "Verdict:", "strong"))
            if cell and cell.error:
                paragraphs.append(Paragraph(cell.error.error, "The judge failed:", "bad", _INDENT))
        else:
            verdict = f"{self._trait.describe(value)} ({self._whose()})"
            paragraphs.append(Paragraph(verdict, "Verdict:", "strong"))
        if cell and cell.judge and cell.judge.table.get("rationale"):
            why = str(cell.judge.table["rationale"])
            paragraphs.append(Paragraph(why, "judge:", "muted", _INDENT))
        if has_digits(self._trait) and self._trait.kind != "boolean":
            paragraphs += self._options()
        paragraphs.append(
            Paragraph(many(len(self.verdict.labels.evidence), "excerpt"), indent=_INDENT)
        )
        return paragraphs

    def _whose(self) -> str:
        """Whose word the verdict is."""
        value, judged, cell = self.verdict.labels.value, self.verdict.judged, self.verdict.cell
        if cell and cell.hidden:
            return "not locked yet"
        if judged is None:
            return "by hand"
        if judged == value:
            return "as the judge says"
        return f"the judge says {self._trait.describe(judged)}"

    def _options(self) -> list[Paragraph]:
        paragraphs = []
        for value in offered(self._trait, self.verdict.labels.value, self.verdict.judged):
            meaning = meaning_of(self._trait, value)
            if meaning:
                paragraphs.append(
                    Paragraph(meaning, f"{key_of(self._trait, value)}:", "key", _INDENT)
                )
        return paragraphs

    def listed(self) -> Sequence[Paragraph]:
        paragraphs = [Paragraph(self._trait.name, "  1", "key")]
        for number, excerpt in enumerate(self.verdict.labels.evidence, 2):
            paragraphs.append(Paragraph(excerpt.text, f"{number:>3}", "evidence", in_quotes=True))
        return paragraphs

    def evidence(self) -> Sequence[EvidencePlace]:
        found = []
        for number, excerpt in enumerate(self.verdict.labels.evidence):
            if excerpt.span:
                found.append(EvidencePlace((_EXCERPTS, number), excerpt.span))
        return found

    # -- corrections -------------------------------------------------------------------------------

    def does(self, key: str) -> Conversation | None:
        if key == "y" and self._trait.kind == "boolean":
            return self.corrections.give(True)
        if key == " ":
            return self.corrections.turn()
        if key.isdecimal() and key.isascii():
            return self.corrections.digit(int(key))
        correction: Callable[[], Conversation] | None = None
        if key in _CORRECTIONS:
            correction = self.corrections.by_name[_CORRECTIONS[key]]
        return correction() if correction else None

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        return found_again(edit, now.labels or Labels())

    def doubts(self) -> str:
        missing = sum(excerpt.span is None for excerpt in self.verdict.labels.evidence)
        if not missing:
            return ""
        return f"{many(missing, 'excerpt')} not in the response."

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        """That excerpts are still those of another verdict."""
        was, now = before.labels or Labels(), after.labels or Labels()
        if was.value in (None, now.value) or was.evidence != now.evidence or not now.evidence:
            return []
        return ["The evidence stayed: d drops what does not speak for it."]


LINES = LLMLines
