"""A grounding cell in the words of the screen, without drawing any."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field

from appellate.core.cell import Cell, reason_for
from appellate.traits.grounding.labels import WORDS, Edit, Labels, Support, breaches, unlabelled
from appellate.traits.grounding.measures import between
from appellate.traits.grounding.sentences import KeyedSentence, KeyedSentences, sentences_of

REASONS: Mapping[str, str] = {
    "general": "general statement",
    "well_known_fact": "well-known fact",
    "numerical_reasoning": "follows by calculating",
    "supported_without_sentence": "by the documents as a whole",
}
"""What a response sentence may rest on beside the sentences of documents."""


class GroundedCell(Struct, frozen=True, dict=True):
    """A cell with its sentences; where nothing is labelled yet every one of them is so."""

    cell: Cell
    sentences: KeyedSentences
    labels: Labels
    judged: Labels | None = None
    problems: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, cell: Cell) -> "GroundedCell":
        labels: Labels | None = cell.labels
        if labels is None or labels.sentences is None:
            sentences = sentences_of(cell.subject.trace)
            return cls(cell, sentences, unlabelled(sentences))
        problems = dict[str, list[str]]()
        unruled = {one.key for one in labels.support if one.verdict == "unlabelled"}
        for keys, sentence in breaches(labels):
            if cell.hidden and unruled.issuperset(keys):
                continue  # what is still to be ruled contradicts nothing
            places: Sequence[str] = keys
            if not keys or (len(keys) > 1 and not labels.sentences.is_document(keys[0])):
                places = ("",)  # one over several of the response is shown at none of them
            for key in places:
                problems.setdefault(key, []).append(sentence)
        return cls(cell, labels.sentences, labels, cell.judge_labels, problems)

    @property
    def claims(self) -> Sequence[KeyedSentence]:
        return self.sentences.response

    @cached_property
    def sources(self) -> Sequence[KeyedSentence]:
        """The sentences of all documents, in the order of reading."""
        found: list[KeyedSentence] = []
        for document in self.sentences.documents:
            found += document
        return found

    @cached_property
    def relevant(self) -> frozenset[str]:
        return frozenset(self.labels.relevant)

    @cached_property
    def utilized(self) -> frozenset[str]:
        return frozenset(self.labels.utilized)

    @cached_property
    def claims_on(self) -> Mapping[str, Sequence[str]]:
        """The response sentences that rest on each sentence of a document."""
        found: dict[str, list[str]] = {}
        for support in self.labels.support:
            for key in support.keys:
                found.setdefault(key, []).append(support.key)
        return found

    @property
    def unsupported(self) -> Sequence[KeyedSentence]:
        """The sentences of the response that have no full support."""
        found = []
        for support in self.labels.unsupported():
            sentence = self.sentences.find(support.key)
            if sentence is not None:
                found.append(sentence)
        return found

    def next_open(self, key: str) -> str:
        """The next sentence that nobody has answered, round the corner; "" for none."""
        keys = [sentence.key for sentence in self.claims]
        at = keys.index(key) + 1
        for other in (*keys[at:], *keys[:at]):
            if self.support(other).verdict == "unlabelled":
                return other
        return ""

    def support(self, key: str) -> Support:
        return self.labels.of(key)

    def why(self, key: str) -> str:
        """Why the judge says what it says of a response sentence, though it stands no more."""
        text = self.support(key).explanation
        judged = self.judged
        if text or judged is None or judged.sentences is None:
            return text
        return judged.of(key).explanation if judged.sentences.is_response(key) else ""

    def links(self, key: str) -> list[KeyedSentence]:
        return list(filter(None, map(self.sentences.find, self.support(key).keys)))

    # -- in words ----------------------------------------------------------------------------------

    def describe(self, key: str) -> str:
        """How a response sentence is labelled: `fully supported by 0b, 2a · general statement`."""
        support = self.support(key)
        return f"{WORDS[support.verdict]}{rests_on(support.keys)}"

    def was(self, key: str) -> str:
        """The judge's own label of a sentence where another is there now, and why that is."""
        if self.judged is None:
            return ""
        text = self._source_was(key)
        if self.sentences.is_response(key):
            text = self._claim_was(self.judged, key)
        return " · ".join(filter(None, (text, text and self._reason(key))))

    def _claim_was(self, judged: Labels, key: str) -> str:
        if judged.sentences is None or not judged.sentences.is_response(key):
            return ""
        before = judged.of(key)
        now = self.support(key)
        if before.verdict != now.verdict:
            return f"was {WORDS[before.verdict]}"
        if before.keys != now.keys:
            return f"was{rests_on(before.keys) or ' by no sentence'}"
        return ""

    def _source_was(self, key: str) -> str:
        texts = []
        for name, now, before in (
            ("relevant", self.relevant, self._judged_marks[0]),
            ("utilized", self.utilized, self._judged_marks[1]),
        ):
            if key in before and key not in now:
                texts.append(name)
            elif key in now and key not in before:
                texts.append(f"not {name}")
        if not texts:
            return ""
        return f"was {', '.join(texts)}"

    @cached_property
    def _judged_marks(self) -> tuple[frozenset[str], frozenset[str]]:
        """What was relevant, and what utilized, to the judge."""
        judged = self.judged or self.labels
        return frozenset(judged.relevant), frozenset(judged.utilized)

    def _reason(self, key: str) -> str:
        """The reason of the last correction here that has one."""
        for step in reversed(self.cell.steps):
            edit = step.edit
            if step.n in self.cell.edits and isinstance(edit, Edit) and key in about(edit):
                reason = reason_for(self.cell, step.n)
                if reason:
                    return reason
        return ""

    def counted(self) -> str:
        """How many response sentences have support: `5/7 supported`."""
        full = sum(support.verdict == "full" for support in self.labels.support)
        return f"{full}/{len(self.claims)} supported"

    def consistency(self) -> str:
        """How far the four numbers are from the judge's, where a person has corrected it."""
        judge = self.cell.judge_figures
        now = self.cell.figures
        if judge is None or now is None or not self.cell.edits:
            return ""
        found = between(judge, now)
        if not found:
            return ""
        far = f"{found['rmse']:.2f}".removeprefix("0")
        return f"{far} off judge's"


def rests_on(keys: Sequence[str]) -> str:
    """What bears a sentence out, behind its verdict: ` by 0b, 2a · general statement`."""
    sentences = []
    reasons = ""
    for key in keys:
        if key in REASONS:
            reasons += f" · {REASONS[key]}"
        else:
            sentences.append(key)
    if not sentences:
        return reasons
    return f" by {', '.join(sentences)}{reasons}"


def about(edit: Edit) -> tuple[str, ...]:
    """The sentences that an edit is about, the one whose label it changes first."""
    return edit.about, edit.key or ""
