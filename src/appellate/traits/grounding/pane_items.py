"""Keeps the two texts of a grounding cell as rows, each under a cursor, for pane and lines."""

from collections.abc import Callable, Mapping, Sequence

from appellate.core.cell import Cell
from appellate.core.deciding import AT_WORK, locking_text
from appellate.core.kind import Table
from appellate.core.problem import many
from appellate.core.trace import sources
from appellate.traits.grounding.labels import Edit, Verdict
from appellate.traits.grounding.sentences import KeyedSentence
from appellate.traits.grounding.view import GroundedCell
from appellate.ui.contract import Evidence, NamedItems, Place, Review, keyed
from appellate.ui.marks import Marks, spelt
from appellate.ui.rows import DrawnRows, Group, ListRow, RowCursor, StyledText

RESPONSE = "response"
DOCUMENTS = "documents"
"""The group of all documents' sentences; `RESPONSE` is that of the response's."""
NAMED = 3
"""The largest number of contradictions that are quoted before a sign-off."""
STYLES: Mapping[Verdict, tuple[str, str]] = {
    "full": ("tp", "tp"),
    "partial": ("fn", "partly"),
    "none": ("fp", "fp"),
    "unlabelled": ("muted", "open"),
}
"""The component class of a verdict in the rows, and the mark next to its word."""
Paragraph = tuple[StyledText, ...]
Cursor = RowCursor[KeyedSentence]


_IN_TEXT: Mapping[Verdict, tuple[str, str]] = {
    "full": ("", ""),
    "partial": ("fn", "partly"),
    "none": ("fp", ""),
    "unlabelled": ("evidence", "open"),
}
"""The style of a response sentence in the text, and the mark before its key.

Full support has none.
"""


def _step_to(cursor: Cursor, key: str) -> bool:
    """Move a cursor to the sentence with this key, and return whether it is listed.

    The cursor stays if it is not.
    """
    keys = [sentence.key for sentence in cursor.every]
    if key in keys:
        cursor.step_to(keys.index(key))
    return key in keys


class TwoTexts(NamedItems):
    """The sentences of both texts as rows, and the cursor on each.

    `in_documents` says which cursor keys act on. `only_unsupported` limits the response to
    sentences without full support. `cursor` makes the two lists.
    """

    grounded: GroundedCell  # the cell in sight
    """The current cell."""
    evidence: Sequence[Evidence] = ()
    """Every sentence that is in the response, in the style of its verdict."""

    def __init__(
        self,
        review: Review,
        cursor: Callable[["TwoTexts", Marks], Cursor],
    ) -> None:
        """Make both lists with `cursor`, for no cell yet; keys act on the whole response."""
        self.say = review.say
        self.marks = review.marks
        self.claims = cursor(self, review.marks)
        self.sources = cursor(self, review.marks)
        self.in_documents = False
        self.only_unsupported = False

    # -- what is shown -----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Show a cell, with the response's cursor on its first sentence if the cell is `fresh`.

        Keys then act on the response, and no document sentence is marked any more. Otherwise the
        cursor stays on its sentence, and marks stay. `evidence` becomes what the labels mark in the
        response.
        """
        claim = self.claim
        self.cell = cell
        self.grounded = GroundedCell.of(cell)
        evidence = []
        for index, sentence in enumerate(self.grounded.claims):
            if sentence.span:
                style, sign = _IN_TEXT[self.grounded.support(sentence.key).verdict]
                mark = f"{getattr(self.marks, sign, '')}{sentence.key}"
                evidence.append(
                    Evidence(*sentence.span, style, mark, (RESPONSE, index)),
                )
        self.evidence = evidence
        if fresh:
            self.in_documents = False
            self.sources.marked = set()
            self.draw()
            self.claims.step_to(0)
            self.sources.step_to(0)
            self.follow_claim()
        else:
            self.draw(claim)

    def draw(self, claim: str = "") -> None:
        """Draw both lists, with the cursor of the response on the sentence with key `claim`.

        If that sentence is not listed, the cursor stays in its row. Only unsupported sentences of
        the response are listed if the reviewer wants it.
        """
        grounded = self.grounded
        claims = grounded.claims
        if self.only_unsupported:
            claims = grounded.unsupported
        self.claims.things = {RESPONSE: claims}
        rows = DrawnRows(claims, self.claim_row)
        empty = "(the response has no sentence)"
        if self.only_unsupported and grounded.claims:
            empty = (
                "(every sentence is supported: {grounding.view:t} shows all of them)"
            )
        self.claims.show_groups([Group(RESPONSE, "", rows, empty=empty)])
        _step_to(self.claims, claim)
        self.redraw()

    def redraw(self) -> None:
        """Draw the documents again, to show what supports the claim under the cursor.

        The cursor of the documents stays.
        """
        documents = self.grounded.sentences.documents
        self.sources.things = {}
        groups: list[Group] = []
        for number, sentences in enumerate(documents):
            self.sources.things[str(number)] = sentences
            groups.append(self._document(number, sentences))
        no_documents = Group("", "", (), empty="(the trace has no documents)")
        self.sources.show_groups(groups or [no_documents])

    def places(self, sentence: KeyedSentence) -> Sequence[str]:
        """Return the key of a document sentence, as the only name of its place."""
        return (sentence.key,)

    def sign_of(self, sentence: KeyedSentence) -> StyledText:
        """Return the sign at the left of a document sentence.

        It says that the sentence supports the current response sentence, else that it was changed
        or contradicts itself.
        """
        key = sentence.key
        if self.claim in self.grounded.claims_on.get(key, ()):
            return StyledText(self.marks.linked, "corrected")
        return self._own_sign(key)

    # -- rows --------------------------------------------------------------------------------------

    def claim_row(self, sentence: KeyedSentence) -> ListRow:
        """Return the row of a response sentence: its key and text, with its label below.

        Contradictions are below the label. To the right is the judge's label if a person changed
        it. Under the cursor the judge's reason and the sentences that support it follow.
        """
        grounded = self.grounded
        style, sign = STYLES[grounded.support(sentence.key).verdict]
        text = spelt(
            f"{getattr(self.marks, sign)} {grounded.describe(sentence.key)}",
            self.marks,
        )
        below: list[Paragraph] = [
            (StyledText(text, style),),
            *self._problems(sentence.key),
        ]
        under_cursor: list[Paragraph] = []
        explanation = grounded.why(sentence.key)
        if explanation:
            under_cursor.append((StyledText(f"judge: {explanation}", "muted"),))
        under_cursor += [
            (StyledText(f"{link.key} ", "key"), StyledText(link.text))
            for link in grounded.links(sentence.key)
        ]
        return ListRow(
            sentence.text,
            (StyledText(f"{sentence.key:>2} ", "key"),),
            self._judged_before(sentence.key),
            below=tuple(below),
            under_cursor=tuple(under_cursor),
            sign=self._own_sign(sentence.key),
        )

    def _document(self, number: int, sentences: Sequence[KeyedSentence]) -> Group:
        """Return a document as a group of sentences, headed for example "Document 0 · [1] Paris".

        `number` is its index from 0. To the right are the counts of relevant and utilized
        sentences: "3 R 2 U of 9". A document that the trace lacks is named by its index alone.
        """
        grounded = self.grounded
        name = f"Document {number}"
        all_sources = sources(grounded.cell.subject.trace)
        if number < len(all_sources):
            source = all_sources[number]
            name = f"{name} · [{source.number}] {source.name}".rstrip()
        keys = {sentence.key for sentence in sentences}
        relevant = len(keys & grounded.relevant)
        utilized = len(keys & grounded.utilized)
        counts = StyledText(f"{relevant} R {utilized} U of {len(keys)}", "muted")
        rows = DrawnRows(sentences, self.source_row)
        return Group(str(number), name, rows, empty="(no sentence)", right=(counts,))

    def source_row(self, sentence: KeyedSentence) -> ListRow:
        """Return the row of a document sentence: key, R if relevant, U if utilized, and text.

        To the right are the judge's label if a person changed it, and the keys of the claims,
        response sentences, that it supports. The row stands out if it supports the claim under the
        cursor. Contradictions are below.
        """
        grounded = self.grounded
        key = sentence.key
        relevant = "R" * (key in grounded.relevant)
        utilized = "U" * (key in grounded.utilized)
        claims = grounded.claims_on.get(key, ())
        right = [*self._judged_before(key)]
        if claims:
            right.append(
                StyledText(f" {self.marks.linked} {' '.join(claims)}", "muted"),
            )
        return ListRow(
            sentence.text,
            (
                StyledText(f"{key:>3} ", "key"),
                StyledText(f"{relevant:1}", "tp"),
                StyledText(f"{utilized:2}", "tn"),
            ),
            tuple(right),
            style="key" * (self.claim in claims),
            below=tuple(self._problems(key)),
            sign=self.sources.sign(sentence),
        )

    def _judged_before(self, key: str) -> tuple[StyledText, ...]:
        """Return what the judge had said of a sentence that a person changed.

        That is as in " was fully supported", followed by the person's reason for the change, if one
        was given. It is one coloured text in a tuple; empty if nothing was changed or no judge
        labelled the cell.
        """
        change = self.grounded.was(key)
        if not change:
            return ()
        change_text = spelt(change, self.marks)
        return (StyledText(f" {change_text}", "corrected"),)

    def _own_sign(self, key: str) -> StyledText:
        """Return the sign of a sentence that was changed, else of one that contradicts itself.

        It is a blank for any other.
        """
        if self.grounded.was(key):
            return StyledText(self.marks.moved, "corrected")
        if key in self.grounded.problems:
            return StyledText(self.marks.doubt, "flag")
        return StyledText(" ")

    def _problems(self, key: str) -> list[Paragraph]:
        """Return the contradictions of a sentence as paragraphs, each after the mark of doubt.

        Empty if there are none.
        """
        sentences = self.grounded.problems.get(key, ())
        return [
            (StyledText(f"{self.marks.doubt} {sentence}", "flag"),)
            for sentence in sentences
        ]

    # -- where the cursors are ---------------------------------------------------------------------

    @property
    def claim(self) -> str:
        """The key of the response sentence under its cursor, or ""."""
        current = self.claims.here
        return current.key if current else ""

    @property
    def source(self) -> str:
        """The key of the document sentence under its cursor, or ""."""
        current = self.sources.here
        return current.key if current else ""

    @property
    def key(self) -> str:
        """The key of the sentence under the cursor that keys act on, or ""."""
        return self.source if self.in_documents else self.claim

    @property
    def aimed(self) -> list[str]:
        """The keys of the document sentences that the next act is about, in reading order.

        They are the marked sentences. Without marks it is the one under the cursor of the
        documents, and none while keys act on the response.
        """
        if self.in_documents or self.sources.marked:
            return [sentence.key for sentence in reversed(self.sources.aimed())]
        return []

    @property
    def place(self) -> Place:
        """The place of the sentence that keys act on: its group, and its index there from 0.

        The group is `RESPONSE` or `DOCUMENTS`; the index of a document sentence counts those of all
        documents. If keys act on the documents and their cursor is on no sentence, it is the place
        of the response sentence. It is ("", 0) before a cell is shown, and index 0 without a
        sentence.
        """
        if self.in_documents and self.source:
            return DOCUMENTS, self.sources.at
        return self.claim_place

    @property
    def claim_place(self) -> Place:
        """The place of the response sentence under its cursor: its index among all of them, from 0.

        It is ("", 0) before a cell is shown, and index 0 without a sentence.
        """
        if self.cell is None:
            return "", 0
        keys = self.grounded.sentences.response_keys()
        return RESPONSE, keys.index(self.claim) if self.claim else 0

    def named(self) -> dict[str, Place]:
        """Return the places of the response's sentences by their keys, to count which were seen.

        They are in reading order; an index counts from 0.
        """
        keys = self.grounded.sentences.response_keys()
        return {key: (RESPONSE, index) for index, key in enumerate(keys)}

    @property
    def names_here(self) -> list[str]:
        """The key of the response sentence under its cursor as a list; empty if there is none."""
        return list(filter(None, [self.claim]))

    def go(self, group: str, number: int) -> None:
        """Move a cursor to the sentence at an index of a text, and turn to its list.

        `group` is `RESPONSE` or `DOCUMENTS`. For any other one, and for an index that does not
        exist, nothing happens.
        """
        if self.cell is None or group not in (RESPONSE, DOCUMENTS):
            return
        sentences = self.grounded.claims if group == RESPONSE else self.grounded.sources
        if number < len(sentences):
            self.go_to(sentences[number].key)

    def go_to(self, key: str) -> None:
        """Move a cursor to the sentence with this key, and turn to the list that it is in.

        If it is a response sentence, the documents' cursor goes to the first that supports it. If
        it is left out as supported, all sentences are listed again. An unknown key turns to the
        whole response, whose cursor stays.
        """
        if self.grounded.sentences.is_document(key):
            self.in_documents = True
            _step_to(self.sources, key)
            return
        self.in_documents = False
        if not _step_to(self.claims, key):
            self.only_unsupported = False
            self.draw(key)
        self.follow_claim()

    def follow_claim(self) -> None:
        """Move the cursor of the documents to the first sentence that supports the current claim.

        It stays if it is on one, or if there is none. The documents are drawn again.
        """
        links = self.links
        if links and self.source not in links:
            _step_to(self.sources, links[0])
        self.redraw()

    @property
    def links(self) -> list[str]:
        """The keys of the document sentences that support the claim under the cursor.

        They are in the order of its label; special keys are left out. Empty without a claim.
        """
        if not self.claim:
            return []
        return [link.key for link in self.grounded.links(self.claim)]

    def to_support(self) -> str:
        """Turn to the documents, to a sentence that supports the claim; from there to the next.

        The claim is the response sentence under its cursor. The sentence is the one under the
        documents' cursor if that supports the claim, else the first. After the last comes the
        first. Returns "", or why that is not possible. Keys are written in the reason as `{id:usual
        key}`, for `with_keys`.
        """
        links = self.links
        if not links:
            claim = self.claim or "This"
            return f"{claim} is linked to no sentence yet: {{support.link:i}} links it."
        if self.in_documents and self.source in links:
            next_index = links.index(self.source) + 1
            _step_to(self.sources, links[next_index % len(links)])
        elif self.source not in links:
            _step_to(self.sources, links[0])
        self.in_documents = True
        return ""

    def to_claim(self) -> None:
        """Go back to the response, to the sentence under its cursor.

        If the current document sentence does not support that one, but others, go to the first of
        those.
        """
        claims = self.grounded.claims_on.get(self.source, ())
        if self.in_documents and claims and self.claim not in claims:
            self.go_to(claims[0])
        self.in_documents = False

    def to_other(self) -> None:
        """Turn to the other text: keys act on the documents instead of the response, or back."""
        self.in_documents = not self.in_documents

    def turn_view(self) -> None:
        """List only unsupported sentences of the response, or all again; turn to the response.

        Its cursor stays on its sentence if that is listed, else in its row, and the documents'
        cursor goes to what supports the sentence.
        """
        self.only_unsupported = not self.only_unsupported
        self.in_documents = False
        self.draw(self.claim)
        self.follow_claim()

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        """Follow a correction: after an undo or redo (`turned`), go to the sentence of the edit.

        That is the one whose label it changes. The cursors stay if it is the sentence that keys act
        on, or under the response's cursor. After a new correction in the documents nothing moves.
        After one in the response the documents' cursor follows. In a blind cell, a sentence's first
        label moves the response's cursor to the next sentence without one, after the last to the
        first.

        `edit` is the row of the edit, and `before` the cell before it.
        """
        correction = Edit.from_row(edit)
        if turned:
            if correction.about not in (self.key, self.claim):
                self.go_to(correction.about)
            return
        if self.in_documents:
            return

        self.follow_claim()
        if not self.grounded.cell.hidden or correction.action != "support":
            return
        labelled = correction.about
        verdict_before = "unlabelled"
        if before.labels:
            verdict_before = before.labels.of(labelled).verdict
        next_unlabelled = self.grounded.next_open(labelled)
        if verdict_before == "unlabelled" and next_unlabelled:
            self.go_to(next_unlabelled)

    # -- what is known of corrections --------------------------------------------------------------

    def doubts(self) -> str:
        """Return what contradicts what in the cell's labels, and which sentences have no verdict.

        Each is a sentence, and a single one is returned as it is. Several are told as in "4
        contradictions in these labels: First. Second. And 2 more.", with the first `NAMED`. Returns
        "" for none, and without a cell.
        """
        contradictions = self.cell.breaches() if self.cell else []
        if len(contradictions) < 2:  # noqa: PLR2004 - one is given as it is
            return "".join(contradictions)
        count_text = many(len(contradictions), "contradiction")
        first_ones = " ".join(contradictions[:NAMED])
        text = f"{count_text} in these labels: {first_ones}"
        remaining_count = len(contradictions) - NAMED
        if remaining_count > 0:
            text += f" And {remaining_count} more."
        return text


def why_unlabelled(review: Review, cell: Cell) -> str:
    """Return why a cell has no labels, and the reviewer's keys that do something about it.

    A judge's error follows on a line of its own. Of a cell whose judge is hidden it only says how
    to answer it and how to lock the answer.
    """
    answer = keyed(
        "{support.full:1} {support.partial:2} {support.none:3} answer",
        review,
    )
    judge = keyed("{cell.judge:J}", review)
    keys = f"{answer} by hand, sentence by sentence."
    if cell.hidden:
        return keyed(f"{answer}, sentence by sentence; {locking_text(cell)}", review)
    if cell.error:
        return f"{judge} asks again; {keys}\n{cell.error.error}"
    if review.judging:
        return f"{AT_WORK}; {keys}"
    return f"Not judged yet: {judge} has it judged; {keys}"
