"""Defines the labels and corrections of a grounding cell, and reads, writes and checks them as
RAGBench has them.

A judge's table has keys as the judge wrote them; labels have those of sentences.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, get_args

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Fault, Table
from appellate.core.problem import describe_value
from appellate.core.trace import Trace
from appellate.traits.evidence import item_faults, text_faults, type_faults
from appellate.traits.grounding import sentences
from appellate.traits.grounding.sentences import (
    DOCUMENTS,
    RESPONSE,
    SPECIAL,
    KeyedSentences,
    KnownKeys,
)
from appellate.traits.grounding.spec import GroundingRubricTrait
from appellate.traits.verdict.kind import RowEdit

RELEVANT = "all_relevant_sentence_keys"
UTILIZED = "all_utilized_sentence_keys"
SUPPORT = "sentence_support_information"
UNSUPPORTED = "unsupported_response_sentence_keys"
OVERALL = "overall_supported"
WHY_RELEVANT = "relevance_explanation"
WHY_OVERALL = "overall_supported_explanation"
Verdict = Literal["full", "partial", "none", "unlabelled"]
"""How far a sentence of the response is supported; "unlabelled" if the judge left it out."""


class Support(Struct, frozen=True):
    """The label of one sentence of the response."""

    key: str
    verdict: Verdict = "unlabelled"
    keys: tuple[str, ...] = ()
    """The keys of what supports it, in order."""
    explanation: str = ""


class Labels(Struct, frozen=True, dict=True):
    """The labels of one cell. Every key is that of a sentence or a special one."""

    sentences: KeyedSentences | None = None
    """None only in blank labels."""
    relevant: tuple[str, ...] = ()
    utilized: tuple[str, ...] = ()
    support: tuple[Support, ...] = ()
    """The label of each sentence of the response, in order."""
    overall: bool | None = None
    """The judge's verdict on the whole; None once a person changed the support of a sentence."""
    relevance_explanation: str = ""
    overall_explanation: str = ""
    astray: tuple[str, ...] = ()
    """Sentences that name keys in the judge's table that no sentence has."""
    by_hand: bool = False
    """Whether a person brought the sentences, so that no judge's table has them."""

    def of(self, key: str) -> Support:
        """Return the label of a sentence of the response. Raises KeyError for any other key."""
        return self._support[key]

    def unsupported(self) -> tuple[Support, ...]:
        """Return the labels of response sentences that are not fully supported, in order.

        Partly supported and unlabelled ones are among them.
        """
        return tuple(support for support in self.support if support.verdict != "full")

    @property
    def adheres(self) -> bool:
        """Whether every sentence of the response is fully supported; True if there are none."""
        return not self.unsupported()

    @cached_property
    def relevant_keys(self) -> frozenset[str]:
        """The keys of relevant document sentences, as a set."""
        return frozenset(self.relevant)

    @cached_property
    def utilized_keys(self) -> frozenset[str]:
        """The keys of utilized document sentences, as a set."""
        return frozenset(self.utilized)

    @cached_property
    def _support(self) -> Mapping[str, Support]:
        """The labels of the response's sentences, by key."""
        return {support.key: support for support in self.support}


def unlabelled(keyed_sentences: KeyedSentences) -> Labels:
    """Return labels of these sentences for a person to begin with, marked `by_hand`.

    Each response sentence has a label with the verdict "unlabelled"; no sentence of the documents
    is relevant or utilized.
    """
    return Labels(
        keyed_sentences,
        support=tuple(map(Support, keyed_sentences.response_keys())),
        by_hand=True,
    )


# -- from tables and to them -----------------------------------------------------------------------


def located(trace: Trace, table: Table) -> dict[str, Any]:
    """Return a judge's table with its lists of sentences, or else those of the trace.

    Sentences whose words are in their text get offsets. Other keys that a table may have stay;
    unknown ones and null values are left out. The table itself is not changed. Raises KeyError for
    a table that has only the documents' list; one with only the response's gets both from the
    trace.
    """
    rows = sentences.sentence_rows(trace, table)
    for key in LABEL_SCHEMA:
        if key not in rows and table.get(key) is not None:
            rows[key] = table[key]
    return rows


def from_table(trait: GroundingRubricTrait, trace: Trace, table: Table) -> Labels:
    """Return the labels that a judge's table stands for, with its keys made tidy.

    For example "0A, 0b" becomes "0a" and "0b". The table must be free of faults. `astray` has a
    sentence for each key of no sentence, such as "The judge named “9z” as relevant: no sentence has
    that key.", and one for each label after the first of a sentence.
    """
    rows = sentences.sentence_rows(trace, table)
    keyed_sentences = sentences.from_rows(trace, rows)
    reading = _TableReading(keyed_sentences)
    relevant = reading.listed(table.get(RELEVANT, ()), "as relevant")
    utilized = reading.listed(table.get(UTILIZED, ()), "as utilized")
    support = reading.support(table)
    return Labels(
        keyed_sentences,
        relevant,
        utilized,
        support,
        table.get(OVERALL),
        table.get(WHY_RELEVANT, ""),
        table.get(WHY_OVERALL, ""),
        tuple(reading.astray),
    )


class _TableReading:
    """Reads one table, and collects in `astray` the keys that no sentence has."""

    def __init__(self, keyed_sentences: KeyedSentences) -> None:
        """Prepare to read a table whose keys are held against these sentences.

        `astray` is empty.
        """
        self._known = KnownKeys(keyed_sentences.keys())
        self._response = KnownKeys(keyed_sentences.response_keys())
        self.astray: list[str] = []

    def listed(self, keys_text: str | Collection[str], role: str) -> tuple[str, ...]:
        """Return the keys of document sentences that a list means, in reading order, each once.

        Special keys are left out without a note. What means no key is noted in `astray`, with
        `role`, what the list says of its sentences: "as relevant".
        """
        tidy = self._known.tidy(keys_text)
        self._note_astray(tidy.astray, role)
        return tuple(key for key in tidy.keys if key not in SPECIAL)

    def support(self, table: Table) -> tuple[Support, ...]:
        """Return the labels of all response sentences of a table, in order; note what is astray.

        A sentence without a row is unlabelled, or unsupported if the table lists it so. Of several
        rows of one sentence the first counts. That, and keys of no sentence in rows, are noted in
        `astray`; those in the list of unsupported sentences are passed over.
        """
        fields: dict[str, Support] = {}
        for row in table.get(SUPPORT, ()):
            tidy = self._response.tidy(row["response_sentence_key"])
            self._note_astray(tidy.astray, "as a sentence of the response")
            for key in tidy.keys:
                if key in fields:
                    self.astray.append(
                        f"{key} is labelled more than once: the first label counts.",
                    )
                elif key not in SPECIAL:
                    fields[key] = self._label_in_row(key, row)
        unsupported_keys = set(self._response.tidy(table.get(UNSUPPORTED, ())).keys)
        support = []
        for key in self._response.known:
            label = fields.get(key, Support(key))
            if label.verdict == "unlabelled" and key in unsupported_keys:
                label = Support(key, "none", label.keys, label.explanation)
            support.append(label)
        return tuple(support)

    def _label_in_row(self, key: str, row: Table) -> Support:
        """Return the label that a row of a table gives the response sentence `key`.

        The row is such as {"supporting_sentence_keys": ["0a", "general"], "fully_supported": true}.
        Keys of support that no sentence has are left out, and noted in `astray`; special keys stay.
        """
        tidy = self._known.tidy(row.get("supporting_sentence_keys", ()))
        self._note_astray(tidy.astray, f"as support of {key}")
        return Support(
            key,
            _verdict_in_row(row, tidy.keys),
            tidy.keys,
            row.get("explanation") or "",
        )

    def _note_astray(self, astray: Iterable[str], role: str) -> None:
        """Add a sentence to `self.astray` for each key in `astray`, which no sentence has.

        `role` says what the judge named them as, such as "as relevant". At most 40 characters of a
        key are told.
        """
        for text in astray:
            self.astray.append(
                f"The judge named “{text[:40]}” {role}: no sentence has that key.",
            )


def _verdict_in_row(row: Table, keys: Sequence[str]) -> Verdict:
    """Return the verdict of a row: "full", "partial", "none" or "unlabelled".

    The row says it as {"fully_supported": False, "partly_supported": True}; `keys` are those of
    what supports its sentence. RAGBench has no "partly_supported", and gives unsupported sentences
    no keys. So without it, a sentence that is not fully supported and has keys is "partial". It is
    "unlabelled" if the row says nothing of support.
    """
    full = row.get("fully_supported")
    partly = row.get("partly_supported")
    if full:
        return "full"
    if partly:
        return "partial"
    if partly is not None:
        return "none"
    if full is None:
        return "unlabelled"
    return "partial" if keys else "none"


def write(labels: Labels) -> dict[str, Any]:
    """Return labels as a judgment of an audit file has them: {"audited": a table}.

    The table is empty for blank labels. The sentences are included if no judge's table has them,
    and explanations if there are any. Without a judge's verdict on the whole, or if a person's
    change dropped it, it is whether all sentences are fully supported.
    """
    audited: dict[str, Any] = {}
    if labels.sentences is None:
        return {"audited": audited}
    if labels.by_hand:
        audited |= labels.sentences.to_file()
    if labels.relevance_explanation:
        audited[WHY_RELEVANT] = labels.relevance_explanation
    audited[RELEVANT] = list(labels.relevant)
    if labels.overall_explanation:
        audited[WHY_OVERALL] = labels.overall_explanation
    audited[OVERALL] = labels.overall
    if labels.overall is None:
        audited[OVERALL] = labels.adheres
    audited[SUPPORT] = support_rows(labels.support)
    audited[UTILIZED] = list(labels.utilized)
    audited[UNSUPPORTED] = [support.key for support in labels.unsupported()]
    return {"audited": audited}


def support_rows(supports: Iterable[Support]) -> list[dict[str, Any]]:
    """Return the rows of a judge's table about the response's sentences, in order of `supports`.

    A row is {"response_sentence_key": "a", "explanation": "…", "supporting_sentence_keys": ["0a"],
    "fully_supported": true}. It has no explanation if that is empty, and no `fully_supported` if it
    is unlabelled. `partly_supported` is there only if the sentence is not fully supported, and true
    for the verdict "partial".
    """
    rows = []
    for support in supports:
        row: dict[str, Any] = {"response_sentence_key": support.key}
        if support.explanation:
            row["explanation"] = support.explanation
        row["supporting_sentence_keys"] = list(support.keys)
        if support.verdict != "unlabelled":
            row["fully_supported"] = support.verdict == "full"
        if support.verdict in ("partial", "none"):
            row["partly_supported"] = support.verdict == "partial"
        rows.append(row)
    return rows


def unjudged(trait: GroundingRubricTrait, trace: Trace, table: Table) -> str:
    """Return why a table that labels no response sentence is no judgment; "" if it is one.

    A response without sentences counts as judged.
    """
    support = from_table(trait, trace, table).support
    if not support or any(label.verdict != "unlabelled" for label in support):
        return ""
    count = len(support)
    if count == 1:
        return "The judge did not label the response's sentence, so it has not judged."
    return f"The judge labelled none of the response's {count} sentences, so it has not judged."


# -- what is inconsistent --------------------------------------------------------------------------


class Inconsistency(NamedTuple):
    """Something inconsistent in labels, and the keys of the sentences that it is about."""

    keys: tuple[str, ...]
    sentence: str


def breaches(labels: Labels) -> list[Inconsistency]:
    """Return everything inconsistent, in the order of the response, then of the documents.

    Of a response sentence: no label, links without support, support without links. Of documents:
    sentences that are utilized but not relevant, all together. After these come the judge's verdict
    on the whole, and keys of no sentence.
    """
    inconsistencies: list[Inconsistency] = []
    for support in labels.support:
        text = ""
        if support.verdict == "unlabelled":
            text = "is not labelled: it has no verdict yet"
        elif support.verdict == "none" and support.keys:
            keys = ", ".join(support.keys)
            text = f"is said to have no support, and to be linked to {keys}"
        elif support.verdict != "none" and not support.keys:
            verdict = WORDS[support.verdict]
            text = f"is said to be {verdict}, by no sentence"
        if text:
            sentence = f"{support.key} {text}."
            inconsistencies.append(Inconsistency((support.key,), sentence))

    ignored = tuple(key for key in labels.utilized if key not in labels.relevant)
    if ignored:
        keys = ", ".join(ignored)
        sentence = f"{keys} {_are(ignored)} utilized, but not relevant."
        inconsistencies.append(Inconsistency(ignored, sentence))

    inconsistencies.extend(_overall_inconsistency(labels))
    for sentence in labels.astray:
        inconsistencies.append(Inconsistency((), sentence))
    return inconsistencies


def _overall_inconsistency(labels: Labels) -> Iterator[Inconsistency]:
    """Yield an inconsistency if the judge's verdict on the whole contradicts the sentences.

    Yields nothing without such a verdict, or for a response without sentences.
    """
    if labels.overall is None or not labels.support:
        return
    if labels.overall == labels.adheres:
        return
    keys = tuple(support.key for support in labels.unsupported())
    text = "the judge says that not all is supported, but every sentence is"
    if labels.overall:
        key_names = ", ".join(keys)
        are = _are(keys)
        text = f"the judge says that all is supported, but {key_names} {are} not"
    yield Inconsistency(keys, f"Overall {text}.")


def _are(keys: Sequence[str]) -> str:
    """Return "is" for one key, else "are"."""
    return "is" if len(keys) == 1 else "are"


# -- what is wrong with a table --------------------------------------------------------------------

_LISTED: Table = {"type": "array", "items": {"type": "string"}}
_KEYS: Table = {"anyOf": [_LISTED, {"type": "string"}]}
_SENTENCE: Table = {
    "type": "array",
    "description": "[key, words], or [key, start, end]: codepoints of the document or the response",
    "prefixItems": [{"type": "string"}],
    "items": {"type": ["string", "integer"]},
    "minItems": 2,
    "maxItems": 3,
}
_ROW: Table = {
    "response_sentence_key": {"type": "string"},
    "explanation": {"type": "string"},
    "supporting_sentence_keys": _KEYS,
    "fully_supported": {"type": ["boolean", "null"]},
    "partly_supported": {"type": ["boolean", "null"]},
}
LABEL_SCHEMA: Table = {
    DOCUMENTS: {
        "type": "array",
        "description": "for each document its sentences",
        "items": {"type": "array", "items": _SENTENCE},
    },
    RESPONSE: {"type": "array", "items": _SENTENCE},
    WHY_RELEVANT: {"type": "string"},
    RELEVANT: _KEYS,
    WHY_OVERALL: {"type": "string"},
    OVERALL: {"type": "boolean"},
    SUPPORT: {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["response_sentence_key"],
            "properties": _ROW,
        },
    },
    UTILIZED: _KEYS,
    UNSUPPORTED: _KEYS,
}


def faults(trace: Trace, table: Table) -> Iterator[Fault]:
    """Yield each fault of a judge's table: what is missing, of a wrong type, or out of place.

    The lists of relevant and utilized keys and the support rows must be there. The lists of
    sentences may be left out together, but not one alone. An `items` key is a fault. Keys that no
    sentence has are not: they become inconsistencies of the labels.
    """
    if "items" in table:
        text = "the sentences have their places in documents_sentences and response_sentences"
        yield Fault(("items",), "a grounding trait has no items", text)
    yield from sentences.faults(trace, table)
    for key in (RELEVANT, UTILIZED):
        if key not in table:
            yield Fault((key,), "is missing", f"{key} = [] where no sentence is")
        yield from _key_faults(table, key)
    yield from _key_faults(table, UNSUPPORTED)
    yield from type_faults(table, LABEL_SCHEMA, WHY_RELEVANT, WHY_OVERALL, OVERALL)
    if table.get(SUPPORT) is None:
        right = "[{response_sentence_key, supporting_sentence_keys, fully_supported}]"
        yield Fault((SUPPORT,), "is missing", f"{SUPPORT} = {right}")
    else:
        yield from item_faults(table, _ROW, _row_faults, SUPPORT)


def _key_faults(table: Table, key: str) -> Iterator[Fault]:
    """Yield what is wrong with a list of sentence keys in a table, under `key`.

    A single text with keys in it is right too, and so is a table without `key`; None is not.
    """
    if not isinstance(table.get(key, ""), str):
        yield from text_faults(table, key)


def _row_faults(row: Table) -> Iterator[Fault]:
    """Yield what is wrong with a row of a judge's table about a response sentence.

    It needs `response_sentence_key` as text. The other keys may be missing, but must be of the
    types in `_ROW`. `fully_supported` and `partly_supported` must not both be true.
    """
    if not isinstance(row.get("response_sentence_key"), str):
        key = describe_value(row.get("response_sentence_key"))
        wrong = f"must be the key of a sentence of the response, not {key}"
        yield Fault(("response_sentence_key",), wrong)
    yield from _key_faults(row, "supporting_sentence_keys")
    yield from type_faults(
        row,
        _ROW,
        "explanation",
        "fully_supported",
        "partly_supported",
    )
    if row.get("fully_supported") and row.get("partly_supported"):
        wrong = "a sentence is fully or partly supported, not both"
        yield Fault(("partly_supported",), wrong)


# -- corrections -----------------------------------------------------------------------------------

Action = Literal["relevant", "utilized", "support", "link"]
ACTIONS: tuple[Action, ...] = get_args(Action)
Said = Literal["full", "partial", "none"]
SAID: tuple[Said, ...] = get_args(Said)
WORDS = {
    "full": "fully supported",
    "partial": "partly supported",
    "none": "not supported",
    "unlabelled": "not labelled",
}
"""The words for a verdict on one sentence."""
_NEEDED = {"support": ("sentence", "support"), "link": ("key", "sentence", "on")}


class Edit(RowEdit, frozen=True):
    """One correction."""

    OF = "a grounding trait"

    action: Action
    """What is corrected. "relevant" and "utilized" mark the document sentence `key`, or with
    `on` false unmark it. "support" says how far the response's `sentence` is supported. "link" says
    that `key`, a document sentence or a special key, supports it, or with `on` false that it does
    not.
    """
    key: str | None = None
    sentence: str | None = None
    on: bool | None = None
    support: Said | None = None
    seen: str | None = None
    """The words of the sentence that the edit is about, so that it never hits another one."""
    linked: str | None = None
    """The words of the document sentence of a link."""
    rows: Table | None = None
    """The sentences, for the first edit of labels without any."""

    @property
    def about(self) -> str:
        """The key of the sentence whose label the edit changes; "" if it names none."""
        if self.action in ("relevant", "utilized"):
            return self.key or ""
        return self.sentence or ""

    @classmethod
    def from_row(cls, row: Table) -> Self:
        """Return the edit in a row of a fact or file, with the sentences that it may bring.

        These are the lists `documents_sentences` and `response_sentences` of the row. Other keys
        are ignored. Support needs `sentence` and `support`, a link `key`, `sentence` and `on`, a
        mark `key` and `on`. Raises ValueError, with a sentence, if one is missing or a value is not
        possible.
        """
        own_fields = {key: value for key, value in row.items() if key != "rows"}
        edit = super().from_row(own_fields)
        for name in _NEEDED.get(edit.action, ("key", "on")):
            if getattr(edit, name) is None:
                raise ValueError(f"an edit of {edit.action} has {name}")
        return replace(edit, rows=sentences.read_rows(row))

    def to_row(self) -> dict[str, Any]:
        """Return the edit as facts and files keep it: a table of the fields that are set.

        The lists of sentences that it brings stand next to the other fields.
        """
        row = super().to_row()
        rows = row.pop("rows", {})
        return {**row, **rows}
