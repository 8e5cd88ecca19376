"""The two texts of a grounding cell, the response and the documents, each under a cursor of its
own.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

from appellate.core.cell import Cell
from appellate.core.citations import sources
from appellate.traits.grounding.edits import Edit
from appellate.traits.grounding.labels import Verdict
from appellate.traits.grounding.sentences import KeyedSentence
from appellate.traits.grounding.view import GroundedCell, about, document_counts, document_name
from appellate.ui.contract import Place, Review
from appellate.ui.docked import Passage
from appellate.ui.lines import DrawnRows, Lines, ListRow, ListSection
from appellate.ui.marks import Marks, raised
from appellate.ui.pane import Evidence, InTexts
from appellate.ui.rendered_text import StyledText

MANY = 1000
"""Sentences of a text, beyond which each is one line; beside the response (K) they are whole."""
STYLES: dict[Verdict, str] = {"full": "tp", "partial": "fn", "none": "fp", "unlabelled": "muted"}
"""The component class that a verdict is drawn in among the rows."""
Paragraph = tuple[StyledText, ...]


class SupportRows:
    """Draws the rows of a cell; `claim` is the response sentence under its cursor, whose support is
    seen among the documents, and `marked` are the sentences of documents that are marked.
    """

    def __init__(self, marks: Marks) -> None:
        self.claim = ""
        self.marked: Collection[str] = ()
        self._marks = marks

    def mark_of(self, verdict: Verdict) -> str:
        """The mark of a verdict beside its word."""
        marks = {"partial": self._marks.partly, "none": self._marks.fp, "full": self._marks.tp}
        return marks.get(verdict, self._marks.open)

    # -- the response ------------------------------------------------------------------------------

    def response(
        self, grounded: GroundedCell, shown: Sequence[KeyedSentence], empty: str
    ) -> ListSection:
        """Sentences of the response with their verdicts."""

        def draw(sentence: KeyedSentence) -> ListRow:
            return self._claim(grounded, sentence)

        return ListSection(DrawnRows(shown, draw), empty=empty, whole=len(shown) <= MANY)

    def _claim(self, grounded: GroundedCell, sentence: KeyedSentence) -> ListRow:
        """The sentence, what is said of it, and under the cursor why and by which sentences."""
        verdict = grounded.support(sentence.key).verdict
        style = STYLES[verdict]
        text = f"{self.mark_of(verdict)} {grounded.describe(sentence.key)}"
        below: list[Paragraph] = [(StyledText(text, style),)]
        below += self._problems(grounded, sentence.key)
        under: list[Paragraph] = []
        why = grounded.why(sentence.key)
        if why:
            under.append((StyledText(f"judge: {why}", "muted"),))
        under += [
            (StyledText(f"{link.key} ", "key"), StyledText(link.text))
            for link in grounded.links(sentence.key)
        ]
        return ListRow(
            sentence.text,
            (StyledText(f"{sentence.key:>2} ", "key"),),
            self._came(grounded, sentence.key),
            below=tuple(below),
            under_cursor=tuple(under),
            sign=self._sign(grounded, sentence.key),
        )

    # -- the documents -----------------------------------------------------------------------------

    def documents(self, grounded: GroundedCell) -> list[ListSection]:
        """A section for each document, its sentences with their marks."""

        def draw(sentence: KeyedSentence) -> ListRow:
            return self._source(grounded, sentence)

        sections = []
        cited = sources(grounded.cell.subject.trace)
        whole = len(grounded.sources) <= MANY
        for number, sentences in enumerate(grounded.sentences.documents):
            source = cited[number] if number < len(cited) else None
            counts = StyledText(document_counts(grounded, number), "muted")
            header = ListRow(document_name(number, source), right=(counts,), style="header")
            rows = DrawnRows(sentences, draw)
            sections.append(ListSection(rows, header, "(no sentence)", whole=whole))
        return sections or [ListSection(DrawnRows((), draw), empty="(the trace has no documents)")]

    def _source(self, grounded: GroundedCell, sentence: KeyedSentence) -> ListRow:
        """The sentence with R and U where it is relevant and utilized, and who rests on it."""
        key = sentence.key
        relevant = "R" * (key in grounded.relevant)
        utilized = "U" * (key in grounded.utilized)
        claims = grounded.claims_on.get(key, ())
        right = [*self._came(grounded, key)]
        if claims:
            right.append(StyledText(f" {self._marks.linked} {' '.join(claims)}", "muted"))
        is_linked = self.claim in claims
        return ListRow(
            sentence.text,
            (
                StyledText(f"{key:>3} ", "key"),
                StyledText(f"{relevant:1}", "tp"),
                StyledText(f"{utilized:2}", "tn"),
            ),
            tuple(right),
            style="key" * is_linked,
            below=tuple(self._problems(grounded, key)),
            sign=self._source_sign(grounded, key, is_linked=is_linked),
        )

    def _source_sign(self, grounded: GroundedCell, key: str, *, is_linked: bool) -> StyledText:
        if key in self.marked:
            return StyledText(self._marks.marked, "key")
        if is_linked:
            return StyledText(self._marks.linked, "corrected")
        return self._sign(grounded, key)

    # -- their parts -------------------------------------------------------------------------------

    def _came(self, grounded: GroundedCell, key: str) -> tuple[StyledText, ...]:
        was = grounded.was(key)
        if not was:
            return ()
        return (StyledText(f" {was}", "corrected"),)

    def _sign(self, grounded: GroundedCell, key: str) -> StyledText:
        """The sign of what a person changed, or else of what contradicts itself."""
        if grounded.was(key):
            return StyledText(self._marks.moved, "corrected")
        if key in grounded.problems:
            return StyledText(self._marks.doubt, "flag")
        return StyledText(" ")

    def _problems(self, grounded: GroundedCell, key: str) -> list[Paragraph]:
        found = grounded.problems.get(key, ())
        return [(StyledText(f"{self._marks.doubt} {one}", "flag"),) for one in found]


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
        self.claims.show(self.rows.response(grounded, self.listed, self._empty()))
        keys = [sentence.key for sentence in self.listed]
        if claim in keys:
            self.claims.go(0, keys.index(claim))
        self.draw_sources()

    def _empty(self) -> str:
        if self.only_unsupported and self.grounded.claims:
            return "(every sentence is supported: t shows all of them)"
        return "(the response has no sentence)"

    def draw_sources(self) -> None:
        """Draws the documents, where the support of the claim under the cursor is seen."""
        self.rows.claim, self.rows.marked = self.claim, self.marked
        self.sources.show(*self.rows.documents(self.grounded))

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
            return f"{self.claim or 'This'} rests on no sentence yet: i links it to some."
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
