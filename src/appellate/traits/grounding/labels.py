"""What is labelled of a grounding trait, in files as RAGBench has it.

A judge's table has keys as the judge wrote them, labels tidy ones.
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
"""How far a sentence of the response is supported; "unlabelled" where the judge left it out."""


class Support(Struct, frozen=True):
    """The label of a sentence of the response, and the keys that support it, in order."""

    key: str
    verdict: Verdict = "unlabelled"
    keys: tuple[str, ...] = ()
    explanation: str = ""


class Labels(Struct, frozen=True, dict=True):
    """Every key is that of a sentence; `astray` are sentences about keys of none.

    `sentences` is None in blank labels alone, `support` has an entry for each sentence of the
    response, in order. `overall` is the judge's own verdict on the whole, None once a person
    changed the support of a sentence. `by_hand` is whether no judge's table has the sentences.
    """

    sentences: KeyedSentences | None = None
    relevant: tuple[str, ...] = ()
    utilized: tuple[str, ...] = ()
    support: tuple[Support, ...] = ()
    overall: bool | None = None
    relevance_explanation: str = ""
    overall_explanation: str = ""
    astray: tuple[str, ...] = ()
    by_hand: bool = False

    def of(self, key: str) -> Support:
        """The label of a sentence of the response; raises KeyError for any other."""
        return self._support[key]

    def unsupported(self) -> tuple[Support, ...]:
        return tuple(one for one in self.support if one.verdict != "full")

    @property
    def adheres(self) -> bool:
        """Whether every sentence of the response is fully supported."""
        return not self.unsupported()

    @cached_property
    def _support(self) -> Mapping[str, Support]:
        return {one.key: one for one in self.support}


def unlabelled(found: KeyedSentences) -> Labels:
    """Labels that say nothing of these sentences yet: where a person begins."""
    return Labels(found, support=tuple(map(Support, found.response_keys())), by_hand=True)


# -- from tables and to them -----------------------------------------------------------------------


def located(trace: Trace, table: Table) -> dict[str, Any]:
    """A judge's table, its words as they were, with its sentences or those cut now."""
    found = sentences.sentence_rows(trace, table)
    for key in LABEL_SCHEMA:
        if key not in found and table.get(key) is not None:
            found[key] = table[key]
    return found


def from_table(trait: GroundingRubricTrait, trace: Trace, table: Table) -> Labels:  # noqa: ARG001
    """The labels that a table stands for, with its keys made tidy."""
    rows = sentences.sentence_rows(trace, table)
    found = sentences.from_rows(trace, rows)
    reading = _TableReading(found)
    relevant = reading.listed(table.get(RELEVANT, ()), "as relevant")
    utilized = reading.listed(table.get(UTILIZED, ()), "as utilized")
    support = reading.support(table)
    return Labels(
        found,
        relevant,
        utilized,
        support,
        table.get(OVERALL),
        table.get(WHY_RELEVANT, ""),
        table.get(WHY_OVERALL, ""),
        tuple(reading.astray),
    )


class _TableReading:
    """One table as it is read, and the keys in it that no sentence has."""

    def __init__(self, found: KeyedSentences) -> None:
        self._known = KnownKeys(found.keys())
        self._response = KnownKeys(found.response_keys())
        self.astray: list[str] = []

    def listed(self, given: str | Collection[str], text: str) -> tuple[str, ...]:
        """The document sentences of a list. Special keys are of none, and say nothing there."""
        meant = self._known.tidy(given)
        self._lost(meant.astray, text)
        return tuple(key for key in meant.keys if key not in SPECIAL)

    def support(self, table: Table) -> tuple[Support, ...]:
        """The labels of the sentences of the response."""
        fields: dict[str, Support] = {}
        for row in table.get(SUPPORT, ()):
            meant = self._response.tidy(row["response_sentence_key"])
            self._lost(meant.astray, "as a sentence of the response")
            for key in meant.keys:
                if key in fields:
                    self.astray.append(f"{key} is labelled more than once: the first label counts.")
                elif key not in SPECIAL:
                    fields[key] = self._one(key, row)
        denied = set(self._response.tidy(table.get(UNSUPPORTED, ())).keys)
        support = []
        for key in self._response.known:
            one = fields.get(key, Support(key))
            if one.verdict == "unlabelled" and key in denied:
                one = Support(key, "none", one.keys, one.explanation)
            support.append(one)
        return tuple(support)

    def _one(self, key: str, row: Table) -> Support:
        meant = self._known.tidy(row.get("supporting_sentence_keys", ()))
        self._lost(meant.astray, f"as support of {key}")
        return Support(key, _verdict(row, meant.keys), meant.keys, row.get("explanation") or "")

    def _lost(self, astray: Iterable[str], value: str) -> None:
        for text in astray:
            self.astray.append(f"The judge named “{text[:40]}” {value}: no sentence has that key.")


def _verdict(row: Table, keys: Sequence[str]) -> Verdict:
    """What a row says. RAGBench knows no partial support, and gives what is not supported no keys:
    a sentence that is not fully supported and has some is partly supported.
    """
    full = row.get("fully_supported")
    partly = row.get("partly_supported")
    if full:
        return "full"
    if partly or (full is not None and partly is None and keys):
        return "partial"
    if full is None and partly is None:
        return "unlabelled"
    return "none"


def write(labels: Labels) -> dict[str, Any]:
    """With the sentences where no judge's table has them."""
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
    audited[UNSUPPORTED] = [one.key for one in labels.unsupported()]
    return {"audited": audited}


def support_rows(supports: Iterable[Support]) -> list[dict[str, Any]]:
    """The rows of a judge's table."""
    rows = []
    for one in supports:
        row: dict[str, Any] = {"response_sentence_key": one.key}
        if one.explanation:
            row["explanation"] = one.explanation
        row["supporting_sentence_keys"] = list(one.keys)
        if one.verdict != "unlabelled":
            row["fully_supported"] = one.verdict == "full"
        if one.verdict in ("partial", "none"):
            row["partly_supported"] = one.verdict == "partial"
        rows.append(row)
    return rows


def unjudged(trait: GroundingRubricTrait, trace: Trace, table: Table) -> str:
    """Why a table is no judgment: it says nothing of any sentence of the response. "" for one."""
    support = from_table(trait, trace, table).support
    if not support or any(one.verdict != "unlabelled" for one in support):
        return ""
    count = len(support)
    return f"The judge labelled none of the response's {count} sentences, so it has not judged."


# -- what is inconsistent --------------------------------------------------------------------------


class Inconsistency(NamedTuple):
    """Something inconsistent in labels, and the keys of the sentences that it is about."""

    keys: tuple[str, ...]
    sentence: str


def breaches(labels: Labels) -> list[Inconsistency]:
    """Everything inconsistent, in the order of the response, then of the documents."""
    found: list[Inconsistency] = []
    for one in labels.support:
        text = ""
        if one.verdict == "unlabelled":
            text = "is not labelled: nobody says whether it is supported"
        elif one.verdict == "none" and one.keys:
            text = f"is said to have no support, and to be linked to {', '.join(one.keys)}"
        elif one.verdict != "none" and not one.keys:
            text = f"is said to be {WORDS[one.verdict]}, by no sentence"
        if text:
            found.append(Inconsistency((one.key,), f"{one.key} {text}."))
    ignored = tuple(key for key in labels.utilized if key not in labels.relevant)
    if ignored:
        text = f"{', '.join(ignored)} {_are(ignored)} utilized, but not relevant."
        found.append(Inconsistency(ignored, text))
    found += _overall(labels)
    for sentence in labels.astray:
        found += [Inconsistency((), sentence)]
    return found


def _overall(labels: Labels) -> Iterator[Inconsistency]:
    if labels.overall is None or labels.overall == labels.adheres or not labels.support:
        return
    lacking = tuple(one.key for one in labels.unsupported())
    if labels.overall:
        text = f"the judge says that all is supported, but {', '.join(lacking)} {_are(lacking)} not"
    else:
        text = "the judge says that not all is supported, but every sentence is"
    yield Inconsistency(lacking, f"Overall {text}.")


def _are(keys: Sequence[str]) -> str:
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
    """Everything wrong with one table; keys of no sentence are breaches of labels, not faults."""
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
    """A list of keys, or one text that lists them."""
    if not isinstance(table.get(key, ""), str):
        yield from text_faults(table, key)


def _row_faults(row: Table) -> Iterator[Fault]:
    if not isinstance(row.get("response_sentence_key"), str):
        key = describe_value(row.get("response_sentence_key"))
        wrong = f"must be the key of a sentence of the response, not {key}"
        yield Fault(("response_sentence_key",), wrong)
    yield from _key_faults(row, "supporting_sentence_keys")
    yield from type_faults(row, _ROW, "explanation", "fully_supported", "partly_supported")
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
"""A verdict on one sentence, as people call it."""
_NEEDED = {"support": ("sentence", "support"), "link": ("key", "sentence", "on")}


class Edit(RowEdit, frozen=True):
    """One correction.

    `relevant` and `utilized` say of the document sentence `key` whether it is (`on`), `support` how
    far the response's `sentence` is supported, `link` whether `key`, a document sentence or a
    special key, supports it (`on`). `seen` are the words of the sentence that it is about, and
    `linked` those of the document sentence of a link, so that an edit never hits another one;
    `rows` are the sentences, where the labels have none.
    """

    OF = "a grounding trait"

    action: Action
    key: str | None = None
    sentence: str | None = None
    on: bool | None = None
    support: Said | None = None
    seen: str | None = None
    linked: str | None = None
    rows: Table | None = None

    @property
    def about(self) -> str:
        """The key of the sentence that it changes the label of."""
        if self.action in ("relevant", "utilized"):
            return self.key or ""
        return self.sentence or ""

    @classmethod
    def from_row(cls, row: Table) -> Self:
        edit = super().from_row({key: value for key, value in row.items() if key != "rows"})
        for name in _NEEDED.get(edit.action, ("key", "on")):
            if getattr(edit, name) is None:
                raise ValueError(f"an edit of {edit.action} has {name}")
        return replace(edit, rows=sentences.read_rows(row))

    def to_row(self) -> dict[str, Any]:
        row = super().to_row()
        rows = row.pop("rows", {})
        return {**row, **rows}
