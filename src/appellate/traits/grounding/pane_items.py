"""The two texts of a grounding cell, the response and the documents, each under a cursor of its
own.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

from appellate.core.cell import Cell
from appellate.traits.grounding.edits import Edit
from appellate.traits.grounding.labels import Verdict
from appellate.traits.grounding.pane_rows import SupportRows
from appellate.traits.grounding.sentences import KeyedSentence
from appellate.traits.grounding.view import GroundedCell, about
from appellate.ui.contract import Evidence, Place, Review
from appellate.ui.docked import Passage
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import Marks, raised
from appellate.ui.pane import InTexts
from appellate.ui.rows import DrawnRows, Listed

MANY = 1000
"""Sentences of a text, beyond which each is one line; beside the response (K) they are whole."""
_IN_TEXT: Mapping[Verdict, tuple[str, str]] = {
    "full": ("", ""),
    "partial": ("fn", "partly"),
    "none": ("fp", ""),
    "unlabelled": ("evidence", "open"),
}
"""The style of a response sentence where it is read, and the mark before its key; what is fully
supported is calm.
"""
Side = Literal["response", "documents"]
RESPONSE: Side = "response"
DOCUMENTS: Side = "documents"
"""The groups of places: the sentences of the response, and those of all documents."""


class TwoTexts:
    """What both lists show and where their cursors are; `side` is the one that keys are for.

    `only_unsupported`: of the response only those sentences are listed that have no full support.
    """

    def __init__(self, review: Review) -> None:
        self.claims = Lines(marks=review.marks, id="claims")
        self.sources = Lines(marks=review.marks, id="sources")
        self.sources.uncut = True
        self.rows = SupportRows(review.marks)
        self.side: Side = RESPONSE
        self.only_unsupported = False
        self.marked: set[str] = set()
        self.listed: Sequence[KeyedSentence] = ()
        self.in_texts = SupportInTexts(self)
        self.to: Mapping[str, Callable[[], str]] = {
            "other": self.turn_over,
            "support": self.to_support,
            "claim": self.to_claim,
        }
        self._grounded: GroundedCell | None = None
        self.marks = review.marks

    @property
    def grounded(self) -> GroundedCell:
        """The cell in sight; raises LookupError before there is one."""
        if self._grounded is None:
            raise LookupError("no cell is shown yet")
        return self._grounded

    @property
    def lines(self) -> Lines:
        """The list that keys are for."""
        return self.sources if self.in_documents else self.claims

    # -- what is shown -----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one from the first sentence of its response."""
        claim = self.claim * (not fresh)
        self._grounded = GroundedCell.of(cell)
        if fresh:
            self.side, self.marked = RESPONSE, set()
            self.claims.go(0, 0)
            self.sources.go(0, 0)
        self.draw(claim)
        if fresh:
            self.follow_claim()

    def draw(self, claim: str = "") -> None:
        """Draws both lists, with the cursor of the response on a sentence if it is listed."""
        grounded = self.grounded
        self.listed = grounded.claims
        if self.only_unsupported:
            self.listed = grounded.unsupported
        rows = DrawnRows(self.listed, partial(self.rows.response, grounded))
        whole = len(self.listed) <= MANY
        self.claims.show(ListSection(rows, empty=self._empty(), whole=whole))
        keys = [sentence.key for sentence in self.listed]
        if claim in keys:
            self.claims.go(0, keys.index(claim))
        self.draw_sources()

    def _empty(self) -> str:
        if self.only_unsupported and self.grounded.claims:
            return "(every sentence is supported: {grounding.view:t} shows all of them)"
        return "(the response has no sentence)"

    def draw_sources(self) -> None:
        """Draws the documents, where the support of the claim under the cursor is seen."""
        self.rows.claim, self.rows.marked = self.claim, self.marked
        grounded, sections = self.grounded, list[ListSection]()
        whole = len(grounded.sources) <= MANY
        for number, held in enumerate(grounded.sentences.documents):
            rows = DrawnRows(held, partial(self.rows.source, grounded))
            header = self.rows.document(grounded, number)
            sections.append(ListSection(rows, header, "(no sentence)", whole=whole))
        none = ListSection(Listed(), empty="(the trace has no documents)")
        self.sources.show(*(sections or [none]))

    # -- where the cursors are ---------------------------------------------------------------------

    @property
    def claim(self) -> str:
        """The key of the response sentence under its cursor; "" where there is none."""
        row = self.claims.cursor.row
        if row < len(self.listed):
            return self.listed[row].key
        return ""

    @property
    def source(self) -> str:
        """The key of the document sentence under its cursor; "" where there is none."""
        section, row = self.sources.cursor
        documents = self.grounded.sentences.documents
        if section < len(documents) and row < len(documents[section]):
            return documents[section][row].key
        return ""

    @property
    def in_documents(self) -> bool:
        return self.side == DOCUMENTS

    @property
    def aimed(self) -> list[str]:
        """The document sentences that keys are for: the marked ones, else that under the cursor."""
        if self.marked:
            return list(filter(self.marked.__contains__, self.grounded.sentences.keys()))
        if self.in_documents and self.source:
            return [self.source]
        return []

    @property
    def place(self) -> Place:
        if self._grounded is None:
            return "", 0
        if self.in_documents and self.source:
            return DOCUMENTS, self.grounded.sentences.keys().index(self.source)
        return self.claim_place

    @property
    def claim_place(self) -> Place:
        """Where the claim under the cursor of the response stands."""
        if self._grounded is None:
            return "", 0
        keys = self.grounded.sentences.response_keys()
        if self.claim in keys:
            return RESPONSE, keys.index(self.claim)
        return RESPONSE, 0

    def go(self, group: str, number: int) -> None:
        """Puts a cursor on a sentence, and turns to its list."""
        sentences = self.grounded.sources
        if group == RESPONSE:
            sentences = self.grounded.claims
        if number < len(sentences):
            self.go_to(sentences[number].key)

    def go_to(self, key: str) -> None:
        """Puts a cursor on the sentence of a key, and turns to its list."""
        document = self.grounded.sentences.document_of(key)
        if document is not None:
            self.side = DOCUMENTS
            self._put_source(key)
            return
        self.side = RESPONSE
        keys = [sentence.key for sentence in self.listed]
        if key not in keys:
            self.only_unsupported = False
            self.draw(key)
        else:
            self.claims.go(0, keys.index(key))
        self.follow_claim()

    def _put_source(self, key: str) -> None:
        document = self.grounded.sentences.document_of(key)
        if document is not None:
            first = self.grounded.sentences.documents[document][0].key
            keys = self.grounded.sentences.keys()
            self.sources.go(document, keys.index(key) - keys.index(first))

    def follow_claim(self) -> None:
        """Shows the support of the claim under the cursor among the documents, its first sentence
        under the cursor there.
        """
        links = self.links
        if links and self.source not in links:
            self._put_source(links[0])
        self.draw_sources()

    @property
    def links(self) -> list[str]:
        """The document sentences that the claim under the cursor rests on."""
        if not self.claim:
            return []
        return [link.key for link in self.grounded.links(self.claim)]

    def to_support(self) -> str:
        """To the first sentence that the claim rests on, from there to the next, round; why not."""
        links = self.links
        if not links:
            claim = self.claim or "This"
            return f"{claim} rests on no sentence yet: {{support.link:i}} links it to some."
        if self.in_documents and self.source in links:
            at = links.index(self.source) + 1
            self._put_source(links[at % len(links)])
        elif self.source not in links:
            self._put_source(links[0])
        self.side = DOCUMENTS
        return ""

    def to_claim(self) -> str:
        """Back to the claim: where it does not rest on the sentence, to the first one that does."""
        claims = self.grounded.claims_on.get(self.source, ())
        if self.in_documents and claims and self.claim not in claims:
            self.go_to(claims[0])
        self.side = RESPONSE
        return ""

    def turn_over(self) -> str:
        """To the other text."""
        other: dict[Side, Side] = {RESPONSE: DOCUMENTS, DOCUMENTS: RESPONSE}
        self.side = other[self.side]
        return ""

    def turn_view(self) -> None:
        """Only the claims that are not supported, or all sentences of the response."""
        self.only_unsupported = not self.only_unsupported
        self.side = RESPONSE
        self.draw(self.claim)
        self.follow_claim()

    def turn_mark(self) -> bool:
        """Marks the document sentence under the cursor or lets it go; false where there is none."""
        if not (self.in_documents and self.source):
            return False
        self.marked ^= {self.source}
        self.draw_sources()
        self.sources.action_move(1)
        return True

    def follow(self, edit: Edit) -> None:
        """Puts the cursor on the sentence that an edit was about, unless that is in sight on the
        other side as well.
        """
        if edit.action == "link" and edit.sentence == self.claim and edit.key == self.source:
            return
        key = next(filter(None, about(edit)), "")
        here = self.source if self.in_documents else self.claim
        if key and key not in (here, self.claim):
            self.go_to(key)


class SupportInTexts(InTexts):
    """What response and documents show of a cell where they are read."""

    def __init__(self, texts: TwoTexts) -> None:
        self._texts = texts

    @property
    def place(self) -> Place | None:
        """The claim whose support is seen, from wherever the cursor is."""
        return self._texts.claim_place

    def evidence(self, marks: Marks) -> list[Evidence]:
        """Every sentence of the response that stands there, in the style of its verdict."""
        found, grounded = [], self._texts.grounded
        for index, sentence in enumerate(grounded.claims):
            if sentence.span is None:
                continue
            style, sign = _IN_TEXT[grounded.support(sentence.key).verdict]
            mark = f"{getattr(marks, sign, '')}{sentence.key}"
            found.append(Evidence(*sentence.span, style, mark, (RESPONSE, index)))
        return found

    def passages(self) -> list[Passage]:
        """The sentences of documents with keys and marks; the support of the claim is seen."""
        texts, found = self._texts, list[Passage]()
        links = seen = texts.links
        if texts.in_documents and texts.source:
            seen = [texts.source]
        for number, sentences in enumerate(texts.grounded.sentences.documents):
            for sentence in sentences:
                if sentence.span:
                    key = sentence.key
                    style, mark = self._drawn(key, is_linked=key in links)
                    found.append(Passage(number, *sentence.span, style, mark, key in seen))
        return found

    def _drawn(self, key: str, *, is_linked: bool) -> tuple[str, str]:
        """The style of a document sentence, and its key with its marks."""
        grounded = self._texts.grounded
        relevant, utilized = key in grounded.relevant, key in grounded.utilized
        style = ""
        if is_linked:
            style = "evidence"
        elif utilized:
            style = "tn"
        elif relevant:
            style = "tp"
        return style, raised(f"{key}{'R' * relevant}{'U' * utilized}", self._texts.marks)
