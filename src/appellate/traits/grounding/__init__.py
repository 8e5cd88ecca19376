"""The grounding kind: how a response stands on the documents that were retrieved for it (TRACe).

A cell that nobody judged has no sentences yet: the first edit brings them and keeps them. A link to
a document sentence says that it was utilized, and that what it supports has support; a verdict of
no support takes the links away. A new verdict takes the judge's explanation away, which speaks for
another one.
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
from appellate.traits.grounding.labels import WORDS, Edit, Labels, Support
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
    return trait.description == other.description


def _lexical(trait: Trait, trace: Trace) -> dict[str, Any]:
    from appellate.traits.grounding.lexical import propose

    return propose(trait, trace)


def _left_out(trait: Trait, trace: Trace) -> Materials:  # noqa: ARG001
    """Return whether a judge gets all of the response, which it is given by its sentences."""
    if covers_response(trace):
        return frozenset()
    return frozenset({RESPONSE_PART})


class GroundingKind(TraitKind[Trait, Labels, Edit]):
    """Sentences of the response, and what they rest on in the documents."""

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
    """Document sentences are many, and few of them relevant: pooled with those, support hardly
    counts.
    """
    fields = measures.FIELDS
    spelled = {"full": "supported", "partial": "partly", "none": "not supported"}
    reading = measures.READING
    measures = staticmethod(measures.measures)  # it hides the module from here on

    def notes(self, trait: Trait) -> list[str]:
        return trait.notes()

    def form(self, trait: Trait) -> str:
        """Whose definition the numbers follow."""
        return {"guide": "TRACe (guide)", "ragbench": "TRACe (RAGBench)"}[trait.definition]

    def lacking(self, trait: Trait, trace: Trace) -> str:
        """That there is no document with words: nothing could be supported then."""
        if any(source.text.strip() for source in sources(trace)):
            return ""
        return "The trace has no documents, which is what grounding holds a response against."

    def faults(self, trait: Trait | None, trace: Trace, table: Table) -> Iterator[Fault]:
        return tables.faults(trace, table)

    def locate(self, trait: Trait, trace: Trace, table: Table) -> dict[str, Any]:
        return tables.located(trace, table)

    # -- answers ----------------------------------------------------------------------------------

    def answers(self, trait: Trait, labels: Labels) -> dict[Instruction, str]:
        """The words are the same for all sentences: numbers over cells are of all together."""
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

    def called(self, trait: Trait, labels: Labels, asked: Instruction) -> Called:
        """A sentence by its key and its words, a document's with what is asked of it."""
        if labels.sentences is None:
            return Called("", asked.text)
        if asked.of == "response":
            sentence = labels.sentences.response[asked.number - 1]
            is_open = labels.of(sentence.key).verdict == "unlabelled"
            return Called(sentence.key, sentence.text, is_open)
        key = labels.sentences.keys()[asked.number - 1]
        return Called(f"{key} {asked.of}", _words(labels.sentences, key) or "")

    def standings(self, trait: Trait, labels: Labels) -> dict[Instruction, str]:
        """None: the sentences are each trace's own, and cells share no instruction."""
        return {}

    def vocabulary(self, trait: Trait) -> Sequence[str]:
        return ("full", "partial", "none", "unlabelled", "yes", "no")

    def checks(self, trait: Trait, labels: Labels) -> list[Check]:
        return [Check("breach", breach.sentence) for breach in tables.breaches(labels)]

    def evidence(self, trait: Trait, labels: Labels) -> list[Span]:
        """The sentences of the response that have support, and those that give it."""
        if labels.sentences is None:
            return []
        supported = [one.key for one in labels.support if one.verdict in ("full", "partial")]
        given = dict.fromkeys(key for one in labels.support for key in one.keys)
        spans = []
        for key in (*supported, *given):
            sentence = labels.sentences.find(key)
            span = None
            if sentence:
                span = sentence.span
            if span:
                spans.append(Span(*span, labels.sentences.document_of(key)))
        return spans

    def closing(self, trait: Trait, labels: Labels) -> "Closing | None":
        from appellate.traits.grounding.closing import closing  # for reports alone

        return closing(trait, labels)

    # -- corrections ------------------------------------------------------------------------------

    def permit(self, trait: Trait, trace: Trace, labels: Labels, edit: Edit) -> Edit:
        """With the words that it is about; the first one by hand with the sentences, too."""
        found = labels.sentences
        rows = None
        if found is None:
            rows = sentences.sentence_rows(trace, {})
            found = sentences.from_rows(trace, rows)
        linked = None
        if edit.action == "link":
            linked = _words(found, edit.key)
        return replace(edit, rows=rows, seen=_about(found, edit).text, linked=linked)

    def apply(self, trait: Trait, trace: Trace, labels: Labels, edit: Edit) -> Outcome[Labels]:
        if labels.sentences is None:
            if edit.rows is None:
                raise Refused("Its sentences came with a correction that is undone.")
            labels = tables.unlabelled(sentences.from_rows(trace, edit.rows))
        found = labels.sentences or KeyedSentences()
        if edit.seen not in (None, _about(found, edit).text):
            raise Refused(f"{edit.about} is another sentence here; look again.")
        if edit.linked not in (None, _words(found, edit.key)):
            raise Refused(f"{edit.key} is another sentence here; look again.")
        if edit.action in ("relevant", "utilized"):
            return _marked(found, labels, edit)
        if not found.is_response(edit.about):
            raise Refused(f"{edit.about} is no sentence of the response: only those are supported.")
        if edit.action == "support":
            return _ruled(labels, edit)
        return _linked(found, labels, edit)

    def anchor(self, trait: Trait, labels: Labels, edit: Edit) -> None:
        """Nothing: an edit has the words that it is about."""

    def carried(self, trait: Trait, labels: Labels, edit: Edit, anchor: None) -> Edit | None:
        """A sentence is found by its key where the words are the same, else by its words."""
        found = labels.sentences or KeyedSentences()
        about = _found_again(found, edit.about, edit.seen)
        if edit.action in ("relevant", "utilized"):
            fresh = replace(edit, rows=None, key=about)
        else:
            fresh = replace(edit, rows=None, sentence=about)
        if edit.action == "link":
            fresh = replace(fresh, key=_found_again(found, edit.key or "", edit.linked))
        try:
            self.apply(trait, Trace(id="-"), labels, fresh)
        except Refused:
            if _says_so(labels, fresh):
                return None
            raise
        return fresh

    def describe(self, edit: Edit, before: str, after: str) -> str:
        about = edit.about
        linked = edit.key
        if edit.seen:
            about += f" (“{edit.seen}”)"
        if edit.linked:
            linked = f"{edit.key} (“{edit.linked}”)"
        if edit.action == "support":
            return f"ruled {about} {after} (was {before})"
        if edit.action != "link":
            return f"marked {about} {after}"
        if edit.on:
            return f"linked {about} to {linked}: {after}"
        return f"unlinked {about} from {linked}: {after}"

    def brief(self, edit: Edit) -> str:
        if edit.action == "support":
            return "support"
        if edit.action != "link":
            return _mark(edit)
        if edit.on:
            return "link"
        return "unlink"


KIND = GroundingKind()


# -- what an edit does -----------------------------------------------------------------------------


def _about(found: KeyedSentences, edit: Edit) -> KeyedSentence:
    """The sentence that an edit changes the label of; raises Refused where there is none."""
    about = found.find(edit.about)
    if about is None:
        raise Refused(f"There is no sentence {edit.about}.")
    return about


def _words(found: KeyedSentences, key: str | None) -> str | None:
    sentence = found.find(key or "")
    if sentence:
        return sentence.text
    return None


def _marked(found: KeyedSentences, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """A document sentence that is relevant, or utilized, or no longer."""
    key = edit.about
    if not found.is_document(key):
        raise Refused(f"{key} is a sentence of the response: only document sentences are marked.")
    if _says_so(labels, edit):
        raise Refused(f"{key} is {_mark(edit)} already.")
    kept = _in_order(found, {*getattr(labels, edit.action)} ^ {key})
    before = _mark(replace(edit, on=not edit.on))
    return Outcome(replace(labels, **{edit.action: kept}), before, _mark(edit))


def _mark(edit: Edit) -> str:
    if edit.on:
        return edit.action
    return f"not {edit.action}"


def _in_order(found: KeyedSentences, chosen: set[str]) -> tuple[str, ...]:
    return tuple(key for key in (*found.keys(), *SPECIAL) if key in chosen)


def _ruled(labels: Labels, edit: Edit) -> Outcome[Labels]:
    """A sentence of the response that is supported so far."""
    before = labels.of(edit.about)
    if edit.support is None or edit.support == before.verdict:
        raise Refused(f"{before.key} is {_support_text(before)} already.")
    keys = before.keys
    if edit.support == "none":
        keys = ()
    return _outcome(labels, before, Support(before.key, edit.support, keys))


def _linked(found: KeyedSentences, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """What supports a sentence of the response, or no longer."""
    before = labels.of(edit.about)
    key = edit.key or ""
    if not found.is_document(key) and key not in SPECIAL:
        raise Refused(f"There is no document sentence {key} that could support anything.")
    if _says_so(labels, edit):
        how = f"does not support {before.key} anyway"
        if edit.on:
            how = f"supports {before.key} already"
        raise Refused(f"{key} {how}.")
    after = replace(before, keys=_in_order(found, {*before.keys} ^ {key}))
    if edit.on and before.verdict in ("none", "unlabelled"):
        after = replace(after, verdict="full", explanation="")
    if edit.on and found.is_document(key):
        labels = replace(labels, utilized=_in_order(found, {*labels.utilized, key}))
    return _outcome(labels, before, after)


def _outcome(labels: Labels, before: Support, after: Support) -> Outcome[Labels]:
    """The labels with a person's word on one sentence: the whole follows from the sentences."""
    support = list(labels.support)
    support[support.index(before)] = after
    changed = replace(labels, support=tuple(support), overall=None)
    return Outcome(changed, _support_text(before), _support_text(after))


def _support_text(support: Support) -> str:
    """How a sentence is supported, and by what: `fully supported by 0a, 0b`."""
    if not support.keys:
        return WORDS[support.verdict]
    return f"{WORDS[support.verdict]} by {', '.join(support.keys)}"


def _found_again(found: KeyedSentences, key: str, words: str | None) -> str:
    if key in SPECIAL or words in (None, _words(found, key)):
        return key
    every = found.response_keys()
    if key[:1].isdigit():
        every = found.keys()
    again = next((other for other in every if _words(found, other) == words), None)
    if again is None:
        raise Refused("Its sentence is not among these.")
    return again


def _says_so(labels: Labels, edit: Edit) -> bool:
    """Whether labels say already what an edit would."""
    if edit.action == "support":
        return labels.of(edit.about).verdict == edit.support
    if edit.action == "link":
        return (edit.key in labels.of(edit.about).keys) == edit.on
    return (edit.key in getattr(labels, edit.action)) == edit.on
