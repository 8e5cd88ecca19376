"""The two texts of a grounding cell, each under a cursor; for the screen and line by line."""

from collections.abc import Callable, Mapping, Sequence

from appellate.core.cell import Cell
from appellate.core.deciding import AT_WORK, locks
from appellate.core.kind import Table
from appellate.core.problem import many
from appellate.core.trace import sources
from appellate.traits.grounding.labels import Edit, Verdict
from appellate.traits.grounding.sentences import KeyedSentence
from appellate.traits.grounding.view import GroundedCell, about
from appellate.ui.contract import Evidence, NamedItems, Place, Review, keyed
from appellate.ui.marks import Marks, spelt
from appellate.ui.rows import DrawnRows, Group, ListRow, RowCursor, StyledText

RESPONSE = "response"
DOCUMENTS = "documents"
"""The groups of places: the sentences of the response, and those of all documents."""
NAMED = 3
"""So many contradictions of a cell are given in full before a sign-off."""
STYLES: Mapping[Verdict, tuple[str, str]] = {
    "full": ("tp", "tp"),
    "partial": ("fn", "partly"),
    "none": ("fp", "fp"),
    "unlabelled": ("muted", "open"),
}
"""The component class that a verdict is drawn in among the rows, and the mark beside its word."""
Paragraph = tuple[StyledText, ...]
Cursor = RowCursor[KeyedSentence]


_IN_TEXT: Mapping[Verdict, tuple[str, str]] = {
    "full": ("", ""),
    "partial": ("fn", "partly"),
    "none": ("fp", ""),
    "unlabelled": ("evidence", "open"),
}
"""The style of a response sentence where it is read, and the mark before its key; what is fully
supported is calm.
"""


def _step_to(cursor: Cursor, key: str) -> bool:
    """Puts a cursor on the sentence of a key; false where that is not listed."""
    keys = [sentence.key for sentence in cursor.every]
    if key in keys:
        cursor.step_to(keys.index(key))
    return key in keys


class TwoTexts(NamedItems):
    """The sentences of both texts, and where their cursors are; `in_documents` says for which keys
    are. `cursor` makes a list of each.

    `only_unsupported`: of the response only those sentences are listed that have no full support.
    """

    grounded: GroundedCell  # the cell in sight
    evidence: Sequence[Evidence] = ()
    """Every sentence of the response that is there, in the style of its verdict."""

    def __init__(self, review: Review, cursor: Callable[["TwoTexts", Marks], Cursor]) -> None:
        self.say = review.say
        self.marks = review.marks
        self.claims, self.sources = cursor(self, review.marks), cursor(self, review.marks)
        self.in_documents = False
        self.only_unsupported = False

    # -- what is shown -----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one from the first sentence of its response."""
        claim = self.claim
        self.cell, self.grounded = cell, GroundedCell.of(cell)
        evidence = []
        for index, sentence in enumerate(self.grounded.claims):
            if sentence.span:
                style, sign = _IN_TEXT[self.grounded.support(sentence.key).verdict]
                mark = f"{getattr(self.marks, sign, '')}{sentence.key}"
                evidence.append(Evidence(*sentence.span, style, mark, (RESPONSE, index)))
        self.evidence = evidence
        if fresh:
            self.in_documents, self.sources.marked = False, set()
            self.draw()
            self.claims.step_to(0)
            self.sources.step_to(0)
            self.follow_claim()
        else:
            self.draw(claim)

    def draw(self, claim: str = "") -> None:
        """Draws both lists, with the cursor of the response on a sentence if it is listed."""
        grounded = self.grounded
        listed = grounded.claims
        if self.only_unsupported:
            listed = grounded.unsupported
        self.claims.things = {RESPONSE: listed}
        rows = DrawnRows(listed, self.claim_row)
        empty = "(the response has no sentence)"
        if self.only_unsupported and grounded.claims:
            empty = "(every sentence is supported: {grounding.view:t} shows all of them)"
        self.claims.show_groups([Group(RESPONSE, "", rows, empty=empty)])
        _step_to(self.claims, claim)
        self.redraw()

    def redraw(self) -> None:
        """Draws the documents, where the support of the claim under the cursor is seen."""
        documents = self.grounded.sentences.documents
        self.sources.things, groups = {}, list[Group]()
        for number, held in enumerate(documents):
            self.sources.things[str(number)] = held
            groups.append(self._document(number, held))
        none = Group("", "", (), empty="(the trace has no documents)")
        self.sources.show_groups(groups or [none])

    def places(self, sentence: KeyedSentence) -> Sequence[str]:
        return (sentence.key,)

    def sign_of(self, sentence: KeyedSentence) -> StyledText:
        """Of what the claim rests on, of what a person changed, or of what contradicts itself."""
        key = sentence.key
        if self.claim in self.grounded.claims_on.get(key, ()):
            return StyledText(self.marks.linked, "corrected")
        return self._own_sign(key)

    # -- rows --------------------------------------------------------------------------------------

    def claim_row(self, sentence: KeyedSentence) -> ListRow:
        """The sentence with its label; under the cursor why, and which sentences support it."""
        grounded = self.grounded
        style, sign = STYLES[grounded.support(sentence.key).verdict]
        text = spelt(f"{getattr(self.marks, sign)} {grounded.describe(sentence.key)}", self.marks)
        below: list[Paragraph] = [(StyledText(text, style),), *self._problems(sentence.key)]
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
            self._came(sentence.key),
            below=tuple(below),
            under_cursor=tuple(under),
            sign=self._own_sign(sentence.key),
        )

    def _document(self, number: int, held: Sequence[KeyedSentence]) -> Group:
        """A document by both numbers, with how many of its sentences are marked: `3 R 2 U of 9`."""
        grounded = self.grounded
        name = f"Document {number}"
        cited = sources(grounded.cell.subject.trace)
        if number < len(cited):
            source = cited[number]
            name = f"{name} · [{source.number}] {source.name}".rstrip()
        keys = {sentence.key for sentence in held}
        relevant = len(keys & grounded.relevant)
        utilized = len(keys & grounded.utilized)
        counts = StyledText(f"{relevant} R {utilized} U of {len(keys)}", "muted")
        rows = DrawnRows(held, self.source_row)
        return Group(str(number), name, rows, empty="(no sentence)", right=(counts,))

    def source_row(self, sentence: KeyedSentence) -> ListRow:
        """The sentence with R and U, and who rests on it; set off where the claim does."""
        grounded = self.grounded
        key = sentence.key
        relevant = "R" * (key in grounded.relevant)
        utilized = "U" * (key in grounded.utilized)
        claims = grounded.claims_on.get(key, ())
        right = [*self._came(key)]
        if claims:
            right.append(StyledText(f" {self.marks.linked} {' '.join(claims)}", "muted"))
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

    def _came(self, key: str) -> tuple[StyledText, ...]:
        was = self.grounded.was(key)
        if was:
            return (StyledText(f" {spelt(was, self.marks)}", "corrected"),)
        return ()

    def _own_sign(self, key: str) -> StyledText:
        if self.grounded.was(key):
            return StyledText(self.marks.moved, "corrected")
        if key in self.grounded.problems:
            return StyledText(self.marks.doubt, "flag")
        return StyledText(" ")

    def _problems(self, key: str) -> list[Paragraph]:
        found = self.grounded.problems.get(key, ())
        return [(StyledText(f"{self.marks.doubt} {one}", "flag"),) for one in found]

    # -- where the cursors are ---------------------------------------------------------------------

    @property
    def claim(self) -> str:
        """The key of the response sentence under its cursor; "" where there is none."""
        here = self.claims.here
        return here.key if here else ""

    @property
    def source(self) -> str:
        """The key of the document sentence under its cursor; "" where there is none."""
        here = self.sources.here
        return here.key if here else ""

    @property
    def key(self) -> str:
        return self.source if self.in_documents else self.claim

    @property
    def aimed(self) -> list[str]:
        """The document sentences that keys are for: the marked ones, else that under the cursor."""
        if self.in_documents or self.sources.marked:
            return [sentence.key for sentence in reversed(self.sources.aimed())]
        return []

    @property
    def place(self) -> Place:
        if self.in_documents and self.source:
            return DOCUMENTS, self.sources.at
        return self.claim_place

    @property
    def claim_place(self) -> Place:
        """Where the claim under the cursor of the response stands."""
        if self.cell is None:
            return "", 0
        keys = self.grounded.sentences.response_keys()
        return RESPONSE, keys.index(self.claim) if self.claim else 0

    def named(self) -> dict[str, Place]:
        """The sentences of the response by their keys, for who counts which of them were seen."""
        keys = self.grounded.sentences.response_keys()
        return {key: (RESPONSE, index) for index, key in enumerate(keys)}

    @property
    def names_here(self) -> list[str]:
        return list(filter(None, [self.claim]))

    def go(self, group: str, number: int) -> None:
        """Puts a cursor on a sentence, and turns to its list."""
        if self.cell is None or group not in (RESPONSE, DOCUMENTS):
            return
        sentences = self.grounded.claims if group == RESPONSE else self.grounded.sources
        if number < len(sentences):
            self.go_to(sentences[number].key)

    def go_to(self, key: str) -> None:
        """Puts a cursor on the sentence of a key, and turns to its list."""
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
        """Puts the cursor of the documents on the first sentence that the claim rests on."""
        links = self.links
        if links and self.source not in links:
            _step_to(self.sources, links[0])
        self.redraw()

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
            _step_to(self.sources, links[at % len(links)])
        elif self.source not in links:
            _step_to(self.sources, links[0])
        self.in_documents = True
        return ""

    def to_claim(self) -> str:
        """Back to the claim: where it does not rest on the sentence, to the first one that does."""
        claims = self.grounded.claims_on.get(self.source, ())
        if self.in_documents and claims and self.claim not in claims:
            self.go_to(claims[0])
        self.in_documents = False
        return ""

    def to_other(self) -> str:
        """To the other text."""
        self.in_documents = not self.in_documents
        return ""

    def turn_view(self) -> None:
        """Only the claims that are not supported, or all sentences of the response."""
        self.only_unsupported = not self.only_unsupported
        self.in_documents = False
        self.draw(self.claim)
        self.follow_claim()

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        """Puts the cursor on the sentence of a correction that was undone or redone, unless that is
        in sight. In a blind cell a sentence that is answered gives way to the next that is not.
        """
        if turned:
            self._to_what_is_corrected(Edit.from_row(edit))
        elif not self.in_documents:
            self.follow_claim()
            self._go_on(Edit.from_row(edit), before)

    def _go_on(self, edit: Edit, before: Cell) -> None:
        """To the next sentence that is open, from one of a blind cell that was till now."""
        grounded = self.grounded
        if not grounded.cell.hidden or edit.sentence is None or edit.action != "support":
            return
        was = before.labels.of(edit.sentence).verdict if before.labels else "unlabelled"
        following = grounded.next_open(edit.sentence)
        if was == "unlabelled" and following:
            self.go_to(following)

    def _to_what_is_corrected(self, edit: Edit) -> None:
        if edit.action == "link" and edit.sentence == self.claim and edit.key == self.source:
            return
        key = next(filter(None, about(edit)), "")
        if key and key not in (self.key, self.claim):
            self.go_to(key)

    # -- what is known of corrections --------------------------------------------------------------

    def doubts(self) -> str:
        """What does not add up, and what has no verdict."""
        found = self.cell.breaches() if self.cell else []
        if len(found) < 2:  # noqa: PLR2004 - one is given as it is
            return "".join(found)
        text = f"{many(len(found), 'contradiction')} in these labels: {' '.join(found[:NAMED])}"
        if len(found) > NAMED:
            text += f" And {len(found) - NAMED} more."
        return text


def why_unlabelled(review: Review, cell: Cell) -> str:
    """Why a cell has no labels, and what can be done."""
    answer = keyed("{support.full:1} {support.partial:2} {support.none:3} answer", review)
    judge = keyed("{cell.judge:J}", review)
    keys = f"{answer} by hand, sentence by sentence."
    if cell.hidden:
        return keyed(f"{answer}, sentence by sentence; {locks(cell)}", review)
    if cell.error:
        return f"{judge} asks again; {keys}\n{cell.error.error}"
    if review.judging:
        return f"{AT_WORK}; {keys}"
    return f"Not judged yet: {judge} has it judged; {keys}"
