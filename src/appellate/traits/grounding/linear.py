"""Prints a grounding cell in line mode: each sentence of the response, and what supports it."""

from collections.abc import Sequence

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.traits.grounding.pane_corrections import (
    COPY_KEY,
    LINK_KEYS,
    OF_GROUNDING,
    RELEVANT_KEY,
    SAYING_KEYS,
    UTILIZED_KEY,
    Marked,
    SupportCorrections,
    typed_keys,
)
from appellate.traits.grounding.pane_items import TwoTexts, why_unlabelled
from appellate.traits.grounding.sentences import KeyedSentence
from appellate.ui.contract import Review, may_correct
from appellate.ui.key import OwnAct, in_group
from appellate.ui.kind_lines import ItemLines, Paragraph, printed
from appellate.ui.rows import RowCursor, StyledText

_INDENT = 4
_HANG = 8


class ClaimsInOrder(TwoTexts):
    """The sentences of the response, gone through only by the person's own keys."""

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        """Go to the sentence of an undone or redone edit (`turned`), but not after a new one."""
        if turned:
            super().follow(edit, before, turned=turned)

    def go_to(self, key: str) -> None:
        """Move the cursor to the response sentence with this key; do nothing for any other key."""
        if self.grounded.sentences.is_response(key):
            super().go_to(key)

    def sign_of(self, sentence: KeyedSentence) -> StyledText:
        return self._own_sign(sentence.key)


class GroundingLines(ItemLines):
    """The lines of a grounding cell, one response sentence after the other."""

    items: ClaimsInOrder

    def __init__(self, review: Review) -> None:
        """Prepare the lines of grounding cells, with a cursor on the response's sentences."""
        super().__init__(review)
        self.items = ClaimsInOrder(review, RowCursor)
        self.rows = self.items.claims
        self.corrections: SupportCorrections = SupportCorrections(review, self.items)

    @property
    def span(self) -> tuple[int, int] | None:
        """The span in the response of the sentence under the cursor; None without one."""
        current = self.rows.here
        return current.span if current else None

    # -- what is printed ---------------------------------------------------------------------------

    def head(self) -> Sequence[Paragraph]:
        """Return the documents sentence by sentence, and the judge's words about the whole.

        How many sentences are supported stands between them, and contradictions about the whole
        follow. Without labels it is said after the documents why there are none.
        """
        grounded = self.items.grounded
        paragraphs = self._documents()
        if grounded.cell.labels is None:
            return [*paragraphs, Paragraph(why_unlabelled(self.review, grounded.cell))]
        paragraphs.append(Paragraph(grounded.counted(), "Response:", "strong"))
        judge_labels = grounded.judged
        for text in (
            (judge_labels.overall_explanation, judge_labels.relevance_explanation)
            if judge_labels
            else ()
        ):
            if text:
                paragraphs.append(Paragraph(text, "judge:", "muted", _INDENT))
        for contradiction in grounded.problems.get("", ()):
            paragraphs.append(Paragraph(contradiction, self.review.marks.doubt, "bad"))
        return paragraphs

    def _documents(self) -> list[Paragraph]:
        """Return the documents, a paragraph with the counts of each and then its sentences."""
        paragraphs = list[Paragraph]()
        for group in self.items.sources.groups:
            if group.right:
                counts = group.right[0].text
                paragraphs.append(Paragraph(counts, f"{group.title}:", "strong"))
            for sentence in self.items.sources.things.get(group.key, ()):
                row = self.items.source_row(sentence)
                left_text = "".join(piece.text for piece in row.left)
                mark = " ".join(left_text.split())
                text, *below = printed(replace(row, right=()), mark, "key")
                paragraphs.append(replace(text, hang=_HANG))
                paragraphs.extend(below)
        return paragraphs

    def item(self) -> Sequence[Paragraph]:
        """Return the response sentence under the cursor with its label and links.

        If there is none, return that the response has no sentence.
        """
        sentence = self.rows.here
        if sentence is None:
            return [Paragraph("The response has no sentence.")]
        mark = f"Sentence {sentence.key}:"
        return printed(self.items.claim_row(sentence), mark, "strong")

    def listed(self) -> Sequence[Paragraph]:
        """Return the response's sentences on a line each with their labels, then the documents.

        The response's are numbered from 1, with their keys; those of documents have their keys
        alone.
        """
        grounded = self.items.grounded
        paragraphs: list[Paragraph] = []
        for number, sentence in enumerate(self.rows.every, 1):
            label = grounded.describe(sentence.key)
            text = f"{sentence.text} ({label})"
            mark = f"{number:>3} {sentence.key}"
            paragraphs.append(Paragraph(text, mark, "key", hang=_HANG))
        paragraphs.extend(self._documents())
        return paragraphs

    # -- corrections -------------------------------------------------------------------------------

    async def mark(self, mark_name: Marked) -> None:
        """Ask for the keys of document sentences, and mark them, or unmark them if all are marked.

        An empty answer changes nothing. A key of no document sentence is refused, and a message
        says so. In a session that only reads, nothing is asked and a message says why. Raises Left
        if the reviewer leaves the question.
        """
        if not may_correct(self.review):
            return
        typed = await self.review.line(
            f"{mark_name.capitalize()} or not, which (0b 2a)",
        )
        self.corrections.mark(mark_name, typed_keys(typed))

    KEYS = (
        *SAYING_KEYS,
        *in_group(
            "Support",
            replace(RELEVANT_KEY, does=OwnAct(mark, "relevant")),
            replace(UTILIZED_KEY, does=OwnAct(mark, "utilized")),
            about=OF_GROUNDING,
        ),
        *LINK_KEYS,
        *in_group("Support", COPY_KEY, about=OF_GROUNDING),
    )


LINES = GroundingLines
