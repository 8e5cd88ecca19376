"""The grounding cell line by line: one response sentence after the other, with what is said of it
and the sentences of the documents that it rests on.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.traits.grounding.edits import Edit
from appellate.traits.grounding.pane_corrections import MARKED, Marked, SupportCorrections, keys_in
from appellate.traits.grounding.pane_keys import KEYS
from appellate.traits.grounding.pane_rows import SupportRows
from appellate.traits.grounding.view import (
    GroundedCell,
    about,
    contradictions,
    why_unlabelled,
)
from appellate.ui.contract import KindLines, Paragraph, Place, Review, keyed, printed
from appellate.ui.conversation import Conversation

_RESPONSE = "response"
_INDENT, _HANG = 4, 8


class ClaimInOrder:
    """What the corrections need to know of the cell (`SupportInSight`)."""

    in_documents = False
    aimed: Sequence[str] = ()

    def __init__(self) -> None:
        self.at = 0
        self._grounded: GroundedCell | None = None

    def show(self, cell: Cell) -> None:
        self._grounded = GroundedCell.of(cell)
        self.at = min(self.at, max(len(self._grounded.claims) - 1, 0))

    @property
    def grounded(self) -> GroundedCell:
        """The cell in hand; raises LookupError before there is one."""
        if self._grounded is None:
            raise LookupError("no cell is shown yet")
        return self._grounded

    @property
    def claim(self) -> str:
        if not self.grounded.claims:
            return ""
        return self.grounded.claims[self.at].key


class GroundingLines(KindLines):
    """Asks for one response sentence after the other."""

    KEYS = KEYS

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.rows = SupportRows(review.marks)
        self.claims = ClaimInOrder()
        self.corrections = SupportCorrections(review, self.claims)

    def show(self, cell: Cell, *, fresh: bool) -> None:
        if fresh:
            self.claims.at = 0
        self.claims.show(cell)

    def follow(
        self,
        edit: Mapping[str, Any],
        before: Cell,
        *,
        turned: bool,
    ) -> None:
        keys = self.claims.grounded.sentences.response_keys()
        for key in about(Edit.from_row(edit)):
            if turned and key in keys:
                self.claims.at = keys.index(key)

    @property
    def place(self) -> Place:
        return _RESPONSE, self.claims.at

    def go(self, group: str, number: int) -> None:
        if group == _RESPONSE and number < self.count:
            self.claims.at = number

    @property
    def count(self) -> int:
        return len(self.claims.grounded.claims)

    @property
    def at(self) -> int:
        return self.claims.at

    def step_to(self, at: int) -> None:
        self.claims.at = at

    @property
    def name(self) -> str:
        return self.claims.claim

    # -- what is printed ---------------------------------------------------------------------------

    def head(self) -> Sequence[Paragraph]:
        """The documents sentence by sentence, and what is said of all of it."""
        grounded = self.claims.grounded
        paragraphs = self._documents()
        if grounded.cell.labels is None:
            own = partial(keyed, review=self.review)
            why = why_unlabelled(grounded.cell, own, judging=self.review.judging)
            return [*paragraphs, Paragraph(why)]
        paragraphs.append(Paragraph(grounded.counted(), "Response:", "strong"))
        judged = grounded.judged
        for text in (judged.overall_explanation, judged.relevance_explanation) if judged else ():
            if text:
                paragraphs.append(Paragraph(text, "judge:", "muted", _INDENT))
        for one in grounded.problems.get("", ()):
            paragraphs.append(Paragraph(one, self.review.marks.doubt, "bad"))
        return paragraphs

    def _documents(self) -> list[Paragraph]:
        grounded, paragraphs = self.claims.grounded, list[Paragraph]()
        for number, sentences in enumerate(grounded.sentences.documents):
            header = self.rows.document(grounded, number)
            paragraphs.append(Paragraph(header.right[0].text, f"{header.text}:", "strong"))
            for sentence in sentences:
                row = self.rows.source(grounded, sentence)
                mark = " ".join("".join(piece.text for piece in row.left).split())
                text, *below = printed(replace(row, right=()), mark, "key")
                paragraphs += [replace(text, hang=_HANG), *below]
        return paragraphs

    def item(self) -> Sequence[Paragraph]:
        grounded, key = self.claims.grounded, self.claims.claim
        sentence = grounded.sentences.find(key)
        if sentence is None:
            return [Paragraph("The response has no sentence.")]
        return printed(self.rows.response(grounded, sentence), f"Sentence {key}:", "strong")

    def listed(self) -> Sequence[Paragraph]:
        grounded = self.claims.grounded
        paragraphs = []
        for number, sentence in enumerate(grounded.claims, 1):
            text = f"{sentence.text} ({grounded.describe(sentence.key)})"
            paragraphs.append(Paragraph(text, f"{number:>3} {sentence.key}", "key", hang=_HANG))
        return [*paragraphs, *self._documents()]

    @property
    def span(self) -> tuple[int, int] | None:
        claims = self.claims.grounded.claims
        return claims[self.claims.at].span if claims else None

    # -- corrections -------------------------------------------------------------------------------

    def correct(self, what: str) -> Conversation:
        if what in MARKED:
            return self._mark(what)
        return self.corrections.by_name[what]()

    async def _mark(self, what: Marked) -> None:
        """Asks which sentences, by their keys."""
        typed = await self.review.line(f"{what.capitalize()} or not, which (0b 2a)")
        self.corrections.mark(what, keys_in(typed))

    def doubts(self) -> str:
        return contradictions(self.claims.grounded.cell)


LINES = GroundingLines
