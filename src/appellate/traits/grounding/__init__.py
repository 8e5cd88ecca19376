"""Defines the grounding kind: how far a response is supported by the documents retrieved for it
(TRACe).

A cell that was not judged has no sentences yet; the first edit brings and keeps them. A link to a
document sentence marks it as utilized and the sentence that it supports as supported. A verdict of
no support removes the links. A new verdict drops the judge's explanation, which is for another one.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from appellate.core.kind import (
    Called,
    Check,
    Fault,
    Instruction,
    Outcome,
    Span,
    Table,
    TraitKind,
    asked_by,
)
from appellate.core.problem import Refused
from appellate.core.trace import (
    DOCUMENTS,
    QUESTION,
    RESPONSE,
    RESPONSE_PART,
    Materials,
    Trace,
    sources,
)
from appellate.traits.grounding import labels as tables
from appellate.traits.grounding import measures, sentences
from appellate.traits.grounding.labels import WORDS, Edit, Labels, Said, Support
from appellate.traits.grounding.sentences import (
    SPECIAL,
    KeyedSentence,
    KeyedSentences,
    covers_response,
)
from appellate.traits.grounding.spec import GroundingRubricTrait as Trait

if TYPE_CHECKING:
    from appellate.core.closing import Closing

SUPPORTED = "Response sentence supported"
IS_RELEVANT = "Document sentence relevant"
IS_UTILIZED = "Document sentence utilized"


def _asks_the_same(trait: Trait, other: Trait) -> bool:
    """Return whether two traits ask a judge the same, so that labels of one hold for the other."""
    return trait.description == other.description


def _lexical(trait: Trait, trace: Trace, share: float | None = None) -> dict[str, Any]:
    """Return the judge's table that word overlap proposes for one cell, without a model.

    `share` is that of a sentence's words from which it is fully supported; None for the usual one.
    """
    from appellate.traits.grounding.lexical import FULL, propose

    return propose(trace, FULL if share is None else share)


def _left_out(trait: Trait, trace: Trace) -> Materials:
    """Return `RESPONSE_PART` alone if a judge does not get the whole response; else an empty set.

    It does not if the sentences that came with the trace lack some of the response's words.
    """
    if covers_response(trace):
        return frozenset()
    return frozenset({RESPONSE_PART})


class GroundingKind(TraitKind[Trait, Labels, Edit]):
    """The kind of traits that compare a response with documents, sentence by sentence."""

    name = "grounding"
    spec = Trait
    telling_keys = ("definition", "relevance_denominator")
    label_schema = tables.LABEL_SCHEMA
    labels = staticmethod(tables.from_table)
    blank = Labels()
    write = staticmethod(tables.write)
    unjudged = staticmethod(tables.unjudged)
    asked = asked_by(
        "appellate.traits.grounding.asking",
        _asks_the_same,
        attrgetter("material"),
        _lexical,
        compared=frozenset({QUESTION, DOCUMENTS, RESPONSE}),
        left_out=_left_out,
    )
    majority = staticmethod(measures.majority)
    edit = staticmethod(Edit.from_row)
    measure = staticmethod(measures.measure)
    between = staticmethod(measures.between)
    positives = frozenset({"full", "yes"})
    unanswered = frozenset({"unlabelled"})
    compared = frozenset({"response"})
    """The lists whose answers are pooled into an agreement. Document sentences are many and few
    of them relevant: pooled with those, support would hardly count.
    """
    fields = measures.FIELDS
    spelled = {"full": "supported", "partial": "partly", "none": "not supported"}
    reading = measures.READING
    measures = staticmethod(measures.measures)  # it hides the module from here on

    def notes(self, trait: Trait) -> list[str]:
        return trait.notes()

    def form(self, trait: Trait) -> str:
        """Return whose definition the numbers follow: "TRACe (guide)" or "TRACe (RAGBench)"."""
        return {"guide": "TRACe (guide)", "ragbench": "TRACe (RAGBench)"}[
            trait.definition
        ]

    def lacking(self, trait: Trait, trace: Trace) -> str:
        """Return a sentence if no document of a trace has words, so that none could support.

        Returns "" if one has.
        """
        if any(source.text.strip() for source in sources(trace)):
            return ""
        return "The trace has no documents, which is what grounding holds a response against."

    def faults(
        self,
        trait: Trait | None,
        trace: Trace,
        table: Table,
    ) -> Iterator[Fault]:
        """Yield what is wrong with a judge's table; nothing if it is right.

        It must have the lists of relevant and utilized keys and the support rows, but no "items".
        The lists of sentences may be left out together, not one alone. Keys of no sentence are no
        fault. The trait makes no difference.
        """
        return tables.faults(trace, table)

    def locate(self, trait: Trait, trace: Trace, table: Table) -> dict[str, Any]:
        return tables.located(trace, table)

    # -- answers ----------------------------------------------------------------------------------

    def answers(self, trait: Trait, labels: Labels) -> dict[Instruction, str]:
        """Return the answer to each question that labels answer; none for blank labels.

        A response sentence is answered by its verdict, also by "unlabelled". A document sentence is
        answered by "yes" or "no" to whether it is relevant, and to whether it is utilized. Numbers
        of sentences count from 1 in each text. The questions have the same words for all sentences,
        so that numbers over cells are of all sentences together.
        """
        answer_to: dict[Instruction, str] = {}
        for number, support in enumerate(labels.support, 1):
            answer_to[Instruction("response", number, SUPPORTED)] = support.verdict
        if labels.sentences is None:
            return answer_to
        for list_name, text, marked_keys in (
            ("relevant", IS_RELEVANT, labels.relevant_keys),
            ("utilized", IS_UTILIZED, labels.utilized_keys),
        ):
            for number, key in enumerate(labels.sentences.keys(), 1):
                answer_to[Instruction(list_name, number, text)] = (
                    "yes" if key in marked_keys else "no"
                )
        return answer_to

    def called(self, trait: Trait, labels: Labels, asked: Instruction) -> Called:
        """Return how tables name the sentence that a question is about: its key and words.

        The key of a document sentence is followed by what is asked of it, as in "0a relevant". A
        response sentence without a label counts as open. Labels without sentences give an empty
        name and the words of the question. Raises IndexError for a number that the labels have no
        sentence of.
        """
        if labels.sentences is None:
            return Called("", asked.text)
        if asked.of == "response":
            sentence = labels.sentences.response[asked.number - 1]
            is_open = labels.of(sentence.key).verdict == "unlabelled"
            return Called(sentence.key, sentence.text, is_open)
        keys = labels.sentences.keys()
        key = keys[asked.number - 1]
        text = _words(labels.sentences, key)
        return Called(f"{key} {asked.of}", text or "")

    def standings(self, trait: Trait, labels: Labels) -> dict[Instruction, str]:
        """Return nothing: the sentences are each trace's own, and cells share no instruction."""
        return {}

    def vocabulary(self, trait: Trait) -> Sequence[str]:
        return ("full", "partial", "none", "unlabelled", "yes", "no")

    def checks(self, trait: Trait, labels: Labels) -> list[Check]:
        """Return a check named "breach" for each inconsistency of the labels, in their order."""
        return [Check("breach", breach.sentence) for breach in tables.breaches(labels)]

    def evidence(self, trait: Trait, labels: Labels) -> list[Span]:
        """Return the spans of supported response sentences, then of the sentences that support any.

        Partly supported sentences are among them, and each sentence is there once. Sentences that
        are not in their text are left out. A document's spans say which document. Empty for blank
        labels.
        """
        if labels.sentences is None:
            return []
        supported: list[str] = []
        supporting: dict[str, None] = {}
        for support in labels.support:
            if support.verdict in ("full", "partial"):
                supported.append(support.key)
            for key in support.keys:
                supporting[key] = None
        spans = []
        for key in (*supported, *supporting):
            sentence = labels.sentences.find(key)
            span = None
            if sentence:
                span = sentence.span
            if span:
                spans.append(Span(*span, labels.sentences.document_of(key)))
        return spans

    def closing(self, trait: Trait, labels: Labels) -> "Closing | None":
        """Return the summary of a cell for the report, or None if it has no sentences.

        It says what the scores mean, which sentences lack support, and what to do.
        """
        from appellate.traits.grounding.closing import closing  # for reports alone

        return closing(trait, labels)

    # -- corrections ------------------------------------------------------------------------------

    def permit(self, trait: Trait, trace: Trace, labels: Labels, edit: Edit) -> Edit:
        """Return an edit as it is kept, with the words of the sentences that it is about.

        Only an edit of blank labels gets sentences, those of the trace. Raises Refused if the
        sentence whose label changes is not there. A link to a document sentence that is not there
        is left for `apply` to refuse.
        """
        sentences_here = labels.sentences
        rows = None
        if sentences_here is None:
            rows = sentences.sentence_rows(trace, {})
            sentences_here = sentences.from_rows(trace, rows)
        linked = None
        if edit.action == "link":
            linked = _words(sentences_here, edit.key)
        return replace(
            edit,
            rows=rows,
            seen=_sentence_to_change(sentences_here, edit).text,
            linked=linked,
        )

    def apply(
        self,
        trait: Trait,
        trace: Trace,
        labels: Labels,
        edit: Edit,
    ) -> Outcome[Labels]:
        """Return the labels after an edit, and its sentence's label in words before and after it.

        The words are as "fully supported by 0a" or "not relevant". Blank labels get the sentences
        of the edit. Raises Refused: if a sentence is not there, has other words than the edit has
        noted, or is of the wrong text, or if nothing would change. Raises it also if blank labels
        would need the sentences of an edit that is undone.
        """
        if labels.sentences is None:
            if edit.rows is None:
                raise Refused("Its sentences came with a correction that is undone.")
            labels = tables.unlabelled(sentences.from_rows(trace, edit.rows))
        sentences_here = labels.sentences or KeyedSentences()
        if edit.seen not in (None, _sentence_to_change(sentences_here, edit).text):
            raise Refused(f"{edit.about} is another sentence here; look again.")
        if edit.linked not in (None, _words(sentences_here, edit.key)):
            raise Refused(f"{edit.key} is another sentence here; look again.")
        if edit.action in ("relevant", "utilized"):
            return _with_mark(sentences_here, labels, edit)
        if not sentences_here.is_response(edit.about):
            raise Refused(
                f"{edit.about} is no sentence of the response: only those are supported.",
            )
        label = labels.of(edit.about)
        if edit.action == "support":
            return _with_verdict(labels, label, edit.support)
        return _with_link(sentences_here, labels, label, edit)

    def toward(
        self,
        trait: Trait,
        trace: Trace,
        labels: Labels,
        table: Table,
    ) -> Sequence[Edit]:
        """Return edits that lead from labels to those of a table, in order, for an import.

        What no edit can do is left out. Empty if the table has other sentences than the labels, or
        than the trace for blank labels.
        """
        from appellate.traits.grounding.toward import edits_toward  # for imports alone

        return edits_toward(trait, trace, labels, table)

    def anchor(self, trait: Trait, labels: Labels, edit: Edit) -> None:
        """Return None: an edit has the words that it is about."""

    def carried(
        self,
        trait: Trait,
        labels: Labels,
        edit: Edit,
        anchor: None,
    ) -> Edit | None:
        """Return an edit for other labels, or None if they already say what it would do.

        A sentence is found by its key if its words are the same or none were noted, else by its
        words. The sentences that the edit brings are left out. Raises Refused if a sentence is not
        there, or if the edit cannot be applied, as to blank labels.
        """
        sentences_here = labels.sentences or KeyedSentences()
        about = _key_of_words(sentences_here, edit.about, edit.seen)
        if edit.action in ("relevant", "utilized"):
            carried_edit = replace(edit, rows=None, key=about)
        else:
            carried_edit = replace(edit, rows=None, sentence=about)
        if edit.action == "link":
            carried_edit = replace(
                carried_edit,
                key=_key_of_words(sentences_here, edit.key or "", edit.linked),
            )
        if _says_so(labels, carried_edit):
            return None
        self.apply(trait, Trace(id="-"), labels, carried_edit)  # raises what it refuses
        return carried_edit

    def describe(self, edit: Edit, before: str, after: str) -> str:
        """Return what an edit did, in the past tense, with the words of its sentences if noted.

        `before` and `after` are the labels of the sentence in words: "ruled b (“Its words.”) not
        supported (was fully supported by 0a)". A mark is told as "marked 0a relevant" and a link as
        "linked b to 0a: fully supported by 0a" or "unlinked b from 0a: …", without what was before.
        """
        claim = edit.about
        source = edit.key
        if edit.seen:
            claim += f" (“{edit.seen}”)"
        if edit.linked:
            source = f"{edit.key} (“{edit.linked}”)"
        if edit.action == "support":
            return f"ruled {claim} {after} (was {before})"
        if edit.action != "link":
            return f"marked {claim} {after}"
        if edit.on:
            return f"linked {claim} to {source}: {after}"
        return f"unlinked {claim} from {source}: {after}"

    def brief(self, edit: Edit) -> str:
        """Return an edit's kind in a word or two: "support", "link", "unlink", "not relevant"."""
        if edit.action == "support":
            return "support"
        if edit.action != "link":
            return _mark_text(edit.action, is_marked=edit.on is True)
        if edit.on:
            return "link"
        return "unlink"


KIND = GroundingKind()


# -- what an edit does -----------------------------------------------------------------------------


def _sentence_to_change(sentences_here: KeyedSentences, edit: Edit) -> KeyedSentence:
    """Return the sentence whose label an edit changes; raise Refused if there is none.

    It is a sentence of the response for a verdict or a link, and of the documents for a mark. An
    edit that names one of the other text is not refused here.
    """
    sentence = sentences_here.find(edit.about)
    if sentence is None:
        raise Refused(f"There is no sentence {edit.about}.")
    return sentence


def _words(sentences_here: KeyedSentences, key: str | None) -> str | None:
    """Return the words of a sentence of the response or the documents.

    Returns None for None, and if no sentence has the key, as a special one.
    """
    sentence = sentences_here.find(key or "")
    if sentence:
        return sentence.text
    return None


def _with_mark(
    sentences_here: KeyedSentences,
    labels: Labels,
    edit: Edit,
) -> Outcome[Labels]:
    """Return the outcome of marking a document sentence as relevant or utilized, or unmarking it.

    The edit's action says which of the two, its `on` is True to mark and False to unmark. Raises
    Refused if that changes nothing, or if the sentence is none of the documents'.
    """
    key = edit.about
    is_marked = edit.on is True
    if not sentences_here.is_document(key):
        raise Refused(
            f"{key} is a sentence of the response: only document sentences are marked.",
        )
    if _says_so(labels, edit):
        raise Refused(
            f"{key} is {_mark_text(edit.action, is_marked=is_marked)} already.",
        )
    marked_keys = _in_order(sentences_here, {*getattr(labels, edit.action)} ^ {key})
    return Outcome(
        replace(labels, **{edit.action: marked_keys}),
        _mark_text(edit.action, is_marked=not is_marked),
        _mark_text(edit.action, is_marked=is_marked),
    )


def _mark_text(mark: str, *, is_marked: bool) -> str:
    """Return a mark as people read it: "relevant" as it is, or "not relevant" if not marked."""
    if is_marked:
        return mark
    return f"not {mark}"


def _in_order(sentences_here: KeyedSentences, keys: set[str]) -> tuple[str, ...]:
    """Return the keys among `keys` in the order of the documents, special ones last.

    Unknown keys are left out.
    """
    return tuple(key for key in (*sentences_here.keys(), *SPECIAL) if key in keys)


def _with_verdict(
    labels: Labels,
    before: Support,
    verdict: Said | None,
) -> Outcome[Labels]:
    """Return the outcome of replacing the verdict of `before`, which is one of the labels' own.

    The verdict "none" removes the sentence's links; others keep them. The judge's explanation of
    the sentence is dropped, since it is of another verdict, and so is the judge's verdict on the
    whole response. Raises Refused for the verdict that the sentence has, and for None.
    """
    if verdict is None or verdict == before.verdict:
        raise Refused(f"{before.key} is {_support_text(before)} already.")
    keys = () if verdict == "none" else before.keys
    return _with_label(labels, before, Support(before.key, verdict, keys))


def _with_link(
    sentences_here: KeyedSentences,
    labels: Labels,
    before: Support,
    edit: Edit,
) -> Outcome[Labels]:
    """Return the outcome of linking the sentence of `before` to `edit.key`, or unlinking it.

    `before` is one of the labels' own. A link gives a sentence that is unlabelled or not supported
    the verdict "full" without an explanation, and marks a document sentence as utilized. An
    unlinked sentence keeps its verdict, and the document sentence its mark. The judge's verdict on
    the whole response is dropped. Raises Refused if nothing changes, or if the key is that of no
    document sentence and no special one.
    """
    key = edit.key or ""
    if not sentences_here.is_document(key) and key not in SPECIAL:
        raise Refused(
            f"There is no document sentence {key} that could support anything.",
        )
    if (key in before.keys) == edit.on:
        reason = f"does not support {before.key} anyway"
        if edit.on:
            reason = f"supports {before.key} already"
        raise Refused(f"{key} {reason}.")
    after = replace(before, keys=_in_order(sentences_here, {*before.keys} ^ {key}))
    if edit.on and before.verdict in ("none", "unlabelled"):
        after = replace(after, verdict="full", explanation="")
    if edit.on and sentences_here.is_document(key):
        labels = replace(
            labels,
            utilized=_in_order(sentences_here, {*labels.utilized, key}),
        )
    return _with_label(labels, before, after)


def _with_label(labels: Labels, before: Support, after: Support) -> Outcome[Labels]:
    """Return the outcome of a person's change of one sentence's support, in words and as labels.

    `before` must be one of the labels' own. The judge's verdict on the whole is dropped, since the
    whole now follows from the sentences.
    """
    support = list(labels.support)
    index = support.index(before)
    support[index] = after
    changed = replace(labels, support=tuple(support), overall=None)
    return Outcome(changed, _support_text(before), _support_text(after))


def _support_text(support: Support) -> str:
    """Return a label in words, with what supports the sentence: "fully supported by 0a, 0b".

    Without keys it is only the verdict: "not supported" or "not labelled".
    """
    if not support.keys:
        return WORDS[support.verdict]
    return f"{WORDS[support.verdict]} by {', '.join(support.keys)}"


def _key_of_words(sentences_here: KeyedSentences, key: str, words: str | None) -> str:
    """Return the key here of the sentence that had `key` and `words` in another segmentation.

    `key` is returned if it is a special one, if its sentence here has the same words, or if `words`
    is None, even if no sentence has it. Else it is the first sentence of the same text, response or
    documents, with these words. Raises Refused if there is none.
    """
    if key in SPECIAL or words in (None, _words(sentences_here, key)):
        return key
    all_keys = sentences_here.response_keys()
    if key[:1].isdigit():
        all_keys = sentences_here.keys()
    for candidate in all_keys:
        if _words(sentences_here, candidate) == words:
            return candidate
    raise Refused("Its sentence is not among these.")


def _says_so(labels: Labels, edit: Edit) -> bool:
    """Return whether labels already say what an edit would make them say.

    They do not if the edit is about the support of a sentence that they have no label of.
    """
    if edit.action in ("relevant", "utilized"):
        is_marked = edit.key in getattr(labels, edit.action)
        return is_marked == edit.on
    for label in labels.support:
        if label.key == edit.about:
            if edit.action == "support":
                return label.verdict == edit.support
            return (edit.key in label.keys) == edit.on
    return False
