"""Describes a grounding cell in the words of the screen, for pane and lines."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field

from appellate.core.cell import Cell, latest_reason
from appellate.traits.grounding.labels import (
    WORDS,
    Edit,
    Labels,
    Support,
    breaches,
    unlabelled,
)
from appellate.traits.grounding.measures import between
from appellate.traits.grounding.sentences import (
    KeyedSentence,
    KeyedSentences,
    sentences_of,
)

REASONS: Mapping[str, str] = {
    "general": "general statement",
    "well_known_fact": "well-known fact",
    "numerical_reasoning": "follows by calculating",
    "supported_without_sentence": "by the documents as a whole",
}
"""What may support a response sentence besides document sentences, in words."""


class GroundedCell(Struct, frozen=True, dict=True):
    """A cell with its sentences; without labels all sentences are unlabelled."""

    cell: Cell
    sentences: KeyedSentences
    labels: Labels
    judged: Labels | None = None
    """The judge's labels; None if it was not judged."""
    problems: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Inconsistencies by the key of the sentence at which they are shown; "" for those of the
    whole.
    """

    @classmethod
    def of(cls, cell: Cell) -> "GroundedCell":
        """Return a cell with its sentences, its labels, the judge's labels and its contradictions.

        Without labels the sentences are those of the trace, unlabelled, and nothing contradicts.
        `problems` has the contradictions by the keys of their sentences; one over several sentences
        of the response, or about no sentence, is under "". In a cell whose judge is hidden,
        sentences that await a ruling contradict nothing, and keys of no sentence are not told.
        """
        labels: Labels | None = cell.labels
        if labels is None or labels.sentences is None:
            sentences = sentences_of(cell.subject.trace)
            return cls(cell, sentences, unlabelled(sentences))
        problems = dict[str, list[str]]()
        unlabelled_keys = {
            support.key for support in labels.support if support.verdict == "unlabelled"
        }
        for keys, sentence in breaches(labels):
            if cell.hidden and unlabelled_keys.issuperset(keys):
                continue  # what is still to be ruled contradicts nothing
            keys_to_show: Sequence[str] = keys
            is_one_sentence = len(keys) == 1
            is_of_documents = bool(keys) and labels.sentences.is_document(keys[0])
            # one over several of the response is shown at none of them
            if not is_one_sentence and not is_of_documents:
                keys_to_show = ("",)
            for key in keys_to_show:
                problems_there = problems.setdefault(key, [])
                problems_there.append(sentence)
        return cls(cell, labels.sentences, labels, cell.judge_labels, problems)

    @property
    def claims(self) -> Sequence[KeyedSentence]:
        """The sentences of the response."""
        return self.sentences.response

    @cached_property
    def sources(self) -> Sequence[KeyedSentence]:
        """The sentences of all documents, in reading order."""
        sentences_in_order: list[KeyedSentence] = []
        for document in self.sentences.documents:
            sentences_in_order += document
        return sentences_in_order

    @property
    def relevant(self) -> frozenset[str]:
        """The keys of relevant document sentences."""
        return self.labels.relevant_keys

    @property
    def utilized(self) -> frozenset[str]:
        """The keys of utilized document sentences."""
        return self.labels.utilized_keys

    @cached_property
    def claims_on(self) -> Mapping[str, Sequence[str]]:
        """The keys of the response sentences that each document sentence supports, by its key.

        Special keys are among the keys, if they support any. Those that support none are left out.
        """
        claims_by_source: dict[str, list[str]] = {}
        for support in self.labels.support:
            for key in support.keys:
                claims_by_source.setdefault(key, []).append(support.key)
        return claims_by_source

    @property
    def unsupported(self) -> Sequence[KeyedSentence]:
        """The sentences of the response without full support, in order.

        Those without a label are among them.
        """
        return [
            sentence
            for sentence in self.claims
            if self.support(sentence.key).verdict != "full"
        ]

    def next_open(self, key: str) -> str:
        """Return the key of the next unlabelled response sentence after `key`, or "".

        After the last comes the first; `key` itself is the last to be looked at. Raises ValueError
        if no response sentence has the key.
        """
        keys = [sentence.key for sentence in self.claims]
        next_index = keys.index(key) + 1
        from_next = keys[next_index:] + keys[:next_index]
        for candidate in from_next:
            if self.support(candidate).verdict == "unlabelled":
                return candidate
        return ""

    def support(self, key: str) -> Support:
        """Return the label of a response sentence. Raises KeyError for any other key."""
        return self.labels.of(key)

    def why(self, key: str) -> str:
        """Return the judge's explanation for a response sentence, or "" if it gave none.

        It is returned even if the label was changed since. Raises KeyError for a key of no response
        sentence.
        """
        text = self.support(key).explanation
        judge_labels = self.judged
        if text or judge_labels is None or judge_labels.sentences is None:
            return text
        if not judge_labels.sentences.is_response(key):
            return ""
        return judge_labels.of(key).explanation

    def links(self, key: str) -> list[KeyedSentence]:
        """Return the document sentences that support a response sentence, as its label orders them.

        Special keys are of no sentence and are left out. Raises KeyError for a key of no response
        sentence.
        """
        return list(filter(None, map(self.sentences.find, self.support(key).keys)))

    # -- in words ----------------------------------------------------------------------------------

    def describe(self, key: str) -> str:
        """Return how a response sentence is labelled, and what supports it.

        For example "fully supported by 0b, 2a · general statement". Raises KeyError for a key of no
        response sentence.
        """
        support = self.support(key)
        return f"{WORDS[support.verdict]}{rests_on(support.keys)}"

    def was(self, key: str) -> str:
        """Return the judge's label of a sentence that was changed; "" if it was not.

        It is such as "was relevant" for a sentence of the documents, and "was fully supported" or,
        where only its links changed, "was by 0a, 1b" for one of the response. The person's reason,
        if one was given, follows after " · ". Returns "" for a cell that was not judged.
        """
        if self.judged is None:
            return ""
        if self.sentences.is_response(key):
            judge_label = self._claim_was(self.judged, key)
        else:
            judge_label = self._source_was(self.judged, key)
        if not judge_label:
            return ""
        reason = self._reason(key)
        if not reason:
            return judge_label
        return f"{judge_label} · {reason}"

    def _claim_was(self, judge_labels: Labels, key: str) -> str:
        """Return the judge's label of a response sentence if it was changed, as "was …"; else "".

        A changed verdict is told, as "was partly supported" or "was not labelled", else changed
        links, as "was by 0a, 1c" or "was by no sentence". "" too if the judge had other sentences,
        without this key.
        """
        if judge_labels.sentences is None or not judge_labels.sentences.is_response(
            key,
        ):
            return ""
        before = judge_labels.of(key)
        current = self.support(key)
        if before.verdict != current.verdict:
            return f"was {WORDS[before.verdict]}"
        if before.keys != current.keys:
            by_sentences = rests_on(before.keys) or " by no sentence"
            return f"was{by_sentences}"
        return ""

    def _source_was(self, judge_labels: Labels, key: str) -> str:
        """Return how the judge marked a document sentence, as far as that changed; else "".

        For example "was relevant, not utilized" if it is the contrary of both now.
        """
        texts = []
        for name, current_keys, judge_keys in (
            ("relevant", self.relevant, judge_labels.relevant_keys),
            ("utilized", self.utilized, judge_labels.utilized_keys),
        ):
            if key in judge_keys and key not in current_keys:
                texts.append(name)
            elif key in current_keys and key not in judge_keys:
                texts.append(f"not {name}")
        if not texts:
            return ""
        return f"was {', '.join(texts)}"

    def _reason(self, key: str) -> str:
        """Return the reason given for the latest correction of a sentence that has one, or "".

        Corrections that are undone do not count.
        """

        def is_about_sentence(edit: object) -> bool:
            return isinstance(edit, Edit) and key in (edit.about, edit.key)

        return latest_reason(self.cell, is_about_sentence)

    def counted(self) -> str:
        """Return how many response sentences are fully supported, as in "5/7 supported".

        The total has also those without a label, so that it is "0/7 supported" for a cell without
        labels. For a response without sentences it is "0/0 supported".
        """
        full = sum(support.verdict == "full" for support in self.labels.support)
        return f"{full}/{len(self.claims)} supported"

    def consistency(self) -> str:
        """Return how far the scores are from the judge's after corrections, or "".

        For example ".12 off judge's", the root mean square distance of the four scores; ".00 off
        judge's" if the corrections left them as they were. Returns "" without corrections, and if
        the scores cannot be compared.
        """
        judge = self.cell.judge_figures
        current_figures = self.cell.figures
        if judge is None or current_figures is None or not self.cell.edits:
            return ""
        distance = between(judge, current_figures)
        if not distance:
            return ""
        rmse_text = f"{distance['rmse']:.2f}".removeprefix("0")
        return f"{rmse_text} off judge's"


def rests_on(keys: Sequence[str]) -> str:
    """Return what supports a sentence, for after its verdict: " by 0b, 2a · general statement".

    Special keys are reasons in words, at the end. Returns "" for no keys.
    """
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
