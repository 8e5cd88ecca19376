"""The sentences of a grounding cell as rows, for the screen and line by line."""

from collections.abc import Collection

from appellate.core.trace import sources
from appellate.traits.grounding.labels import Verdict
from appellate.traits.grounding.sentences import KeyedSentence
from appellate.traits.grounding.view import GroundedCell
from appellate.ui.marks import Marks
from appellate.ui.rows import ListRow, StyledText

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

    def response(self, grounded: GroundedCell, sentence: KeyedSentence) -> ListRow:
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

    def document(self, grounded: GroundedCell, number: int) -> ListRow:
        """A document as its keys number it, from 0, and as the response cites it; and how many of
        its sentences are marked so: `3 R 2 U of 9`.
        """
        name, cited = f"Document {number}", sources(grounded.cell.subject.trace)
        if number < len(cited):
            source = cited[number]
            name = f"{name} · [{source.number}] {source.name}".rstrip()
        keys = {sentence.key for sentence in grounded.sentences.documents[number]}
        relevant, utilized = len(keys & grounded.relevant), len(keys & grounded.utilized)
        counts = StyledText(f"{relevant} R {utilized} U of {len(keys)}", "muted")
        return ListRow(name, right=(counts,), style="header")

    def source(self, grounded: GroundedCell, sentence: KeyedSentence) -> ListRow:
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
