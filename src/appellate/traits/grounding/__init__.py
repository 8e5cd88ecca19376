"""The grounding kind: how a response stands on the documents that were retrieved for it (TRACe)."""

from collections.abc import Sequence
from typing import Any

from appellate.core.kind import Called, Check, Instruction, Span, TraitKind, asked_by
from appellate.core.trace import Trace
from appellate.traits.grounding import edits, measures
from appellate.traits.grounding import labels as tables
from appellate.traits.grounding.sentences import KeyedSentences
from appellate.traits.grounding.spec import GroundingRubricTrait

SUPPORTED = "Response sentence supported"
IS_RELEVANT = "Document sentence relevant"
IS_UTILIZED = "Document sentence utilized"


def _asks_the_same(trait: GroundingRubricTrait, other: GroundingRubricTrait) -> bool:
    return trait.description == other.description


def _lexical(trait: GroundingRubricTrait, trace: Trace) -> dict[str, Any]:
    from appellate.traits.grounding.lexical import propose

    return propose(trait, trace)


def _span(sentences: KeyedSentences, key: str) -> list[Span]:
    sentence = sentences.find(key)
    if sentence is None or sentence.span is None:
        return []
    return [Span(*sentence.span, sentences.document_of(key))]


class GroundingKind(TraitKind[GroundingRubricTrait, tables.Labels, edits.Edit]):
    """Sentences of the response, and what they rest on in the documents."""

    name = "grounding"
    rubric_key = "grounding_traits"
    spec = GroundingRubricTrait
    label_schema = tables.LABEL_SCHEMA
    faults = staticmethod(tables.faults)
    locate = staticmethod(tables.located)
    labels = staticmethod(tables.from_table)
    blank = tables.Labels()
    write = staticmethod(tables.write)
    unjudged = staticmethod(tables.unjudged)
    asked = asked_by("appellate.traits.grounding.asking", _asks_the_same, _lexical)
    edit = staticmethod(edits.Edit.from_row)
    permit = staticmethod(edits.permit)
    apply = staticmethod(edits.apply)
    anchor = staticmethod(edits.anchor)
    carried = staticmethod(edits.carried)
    describe = staticmethod(edits.describe)
    brief = staticmethod(edits.brief)
    majority = staticmethod(measures.majority)
    measure = staticmethod(measures.measure)
    between = staticmethod(measures.between)
    positives = frozenset({"full", "yes"})
    unanswered = frozenset({"unlabelled"})
    compared = frozenset({"response"})
    """Document sentences are many, and few of them relevant: pooled with those, support hardly
    counts.
    """
    fields = measures.FIELDS
    spelled = {"full": "supported", "partial": "partly", "none": "not supported"}
    reading = measures.READING
    turned = staticmethod(edits.turned)
    reasons = (tables.OVERALL, tables.WHY_OVERALL)
    measures = staticmethod(measures.measures)  # it hides the module from here on

    def notes(self, trait: GroundingRubricTrait) -> list[str]:
        return trait.notes()

    def answers(
        self,
        trait: GroundingRubricTrait,
        labels: tables.Labels,
    ) -> dict[Instruction, str]:
        """How each sentence is labelled. The number is the sentence's, the words are the same for
        all: numbers over cells are of all sentences together.
        """
        found: dict[Instruction, str] = {}
        for number, one in enumerate(labels.support, 1):
            found[Instruction("response", number, SUPPORTED)] = one.verdict
        if labels.sentences is None:
            return found
        for of, text, chosen in (
            ("relevant", IS_RELEVANT, frozenset(labels.relevant)),
            ("utilized", IS_UTILIZED, frozenset(labels.utilized)),
        ):
            for number, key in enumerate(labels.sentences.keys(), 1):
                found[Instruction(of, number, text)] = "yes" if key in chosen else "no"
        return found

    def called(
        self,
        trait: GroundingRubricTrait,
        labels: tables.Labels,
        asked: Instruction,
    ) -> Called:
        """A sentence by its key and its words, a document's with what is asked of it."""
        if labels.sentences is None:
            return Called("", asked.text)
        if asked.of == "response":
            sentence = labels.sentences.response[asked.number - 1]
            is_open = labels.of(sentence.key).verdict == "unlabelled"
            return Called(sentence.key, sentence.text, is_open)
        key = labels.sentences.keys()[asked.number - 1]
        found = labels.sentences.find(key)
        return Called(f"{key} {asked.of}", found.text if found else "")

    def standings(
        self,
        trait: GroundingRubricTrait,
        labels: tables.Labels,
    ) -> dict[Instruction, str]:
        """Nothing: the sentences are each trace's own, so that cells share no instruction to be
        asked for.
        """
        return {}

    def vocabulary(self, trait: GroundingRubricTrait) -> Sequence[str]:
        """What `answers` says: of a response sentence how far it is supported, of a document
        sentence yes or no.
        """
        return ("full", "partial", "none", "unlabelled", "yes", "no")

    def checks(self, trait: GroundingRubricTrait, labels: tables.Labels) -> list[Check]:
        """A sentence for everything inconsistent."""
        return [Check("breach", breach.sentence) for breach in tables.breaches(labels)]

    def evidence(self, trait: GroundingRubricTrait, labels: tables.Labels) -> list[Span]:
        """The sentences of the response that have support, and the document sentences that give
        it.
        """
        if labels.sentences is None:
            return []
        given: dict[str, None] = {}
        spans: list[Span] = []
        for one in labels.support:
            given |= dict.fromkeys(one.keys)
            if one.verdict in ("full", "partial"):
                spans += _span(labels.sentences, one.key)
        for key in given:
            spans += _span(labels.sentences, key)
        return spans

    def form(self, trait: GroundingRubricTrait) -> str:
        """Whose definition the numbers follow."""
        return {"guide": "TRACe (guide)", "ragbench": "TRACe (RAGBench)"}[trait.definition]


KIND = GroundingKind()
