"""One recorded response, and the documents that it cites.

`[4]` in a response is the fourth document, or the one with that number in the trace.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count, repeat
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from appellate.core.own_words import OwnWords
    from appellate.core.transcript import Transcript, WholeResult

TraceKey = tuple[str, int]
"""The id and the epoch of a trace."""


def name_of(trace_id: str, epoch: int) -> str:
    """Return what a trace is called: its id, with the epoch as `#2` if that is not 1."""
    return trace_id if epoch == 1 else f"{trace_id}#{epoch}"


def epoch_text(epoch: int) -> str:
    """Return what the `#2` in the name of a trace means, as "epoch 2"; "" for epoch 1."""
    return "" if epoch == 1 else f"epoch {epoch}"


class Document(BaseModel):
    """One retrieved document."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: str | None = None
    text: str


def _kept_document(value: str | Mapping[str, Any]) -> str | Document:
    """Return the document that a workspace keeps as this: a text as it is, a table as a Document.

    The fields of the table are not checked.
    """
    return value if isinstance(value, str) else Document.model_construct(**value)


class OtherResponse(BaseModel):
    """The other response to the question of a trace, which its own response is compared with."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    response: str = ""
    messages: list[Any] | None = None
    model: str | None = None
    id: str | None = None


class Trace(BaseModel):
    """One recorded response to one question (SPEC 3); `id` and `epoch` together are unique."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: Annotated[str, Field(min_length=1)]
    epoch: Annotated[int, Field(ge=0, le=2**63 - 1, strict=True)] = 1
    question_id: str | None = None
    question: str | None = None
    response: str = ""
    reference: str | list[str] | None = None
    choices: list[str] | None = None
    documents: list[str | Document] | None = None
    model: str | None = None
    messages: list[Any] | None = None
    other: OtherResponse | None = None
    cluster: str | None = None
    metadata: dict[str, Any] | None = None
    judgments: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @classmethod
    def kept(cls, body: Mapping[str, Any]) -> Self:
        """Return the trace whose fields a workspace keeps as this table, without checking them.

        They were checked when the trace came in; fields that the table lacks have their defaults.
        `model_validate` is faster for many traces, but first builds the model, which the first
        paint has no time for.
        """
        fields = dict(body)
        if "documents" in fields:
            documents = fields["documents"]
            fields["documents"] = [_kept_document(document) for document in documents]
        if "other" in fields:
            fields["other"] = OtherResponse.model_construct(**fields["other"])
        return cls.model_construct(**fields)  # type: ignore[return-value]

    @property
    def key(self) -> TraceKey:
        """The id and the epoch, which no other trace has."""
        return (self.id, self.epoch)

    @property
    def text(self) -> str:
        """The text that is judged; offsets count its code points.

        A trait that reads a conversation gets a `ConversationTrace` instead, whose text is the
        transcript.
        """
        return self.response

    def place_in_answer(self, start: int, end: int) -> dict[str, str | int]:  # noqa: ARG002
        """Return which of two answers these offsets of `text` are in, and where in it.

        The keys are `answer`, `answer_start` and `answer_end`. Empty, as here, for a trait that
        reads one response.
        """
        return {}

    @property
    def text_title(self) -> str:
        """What people call the text that is judged, as a title."""
        return "Response"

    @property
    def transcript(self) -> "Transcript | None":
        """The steps of the conversation that is judged; None if the response is judged."""
        return None

    @property
    def whole_results(self) -> "Sequence[WholeResult]":
        """The full results that a trait reads shortened; empty if it reads a response."""
        return ()

    @property
    def own_words(self) -> "OwnWords":
        """What the assistant says in the text that is judged; here that is all of the response."""
        from appellate.core.own_words import OwnWords  # not before the first paint

        return OwnWords.of(self.response)


NAMES_HIDDEN = (
    "Who wrote the two responses is hidden until you have ruled, and so are the metadata, which may"
    " tell."
)
"""What stands in the place of a pair's names and metadata."""

# -- what there is to read, by name ----------------------------------------------------------------
# A person at the screen sees all of it. A judge is shown what its trait's request holds
# (`Asked.holds`), or what a rule looks at; `traits.unread` tells what is left.

RESPONSE = "response"
OTHER_RESPONSE = "other"
"""The other response that the response is compared with."""
RESPONSE_PART = "response part"
"""Words of the response that are missing from the sentences which came with the trace."""
QUESTION = "question"
EARLIER_TURNS = "earlier"
"""The steps before the response, whoever took them."""
HISTORY = "question.history"
"""The steps of users, assistants and tools, as graded scorers get them instead of the question.

The system's words and thoughts are left out.
"""
REFERENCE = "reference"
CHOICES = "choices"
DOCUMENTS = "documents"
DOCUMENT_NAMES = "document names"
"""The ids or addresses of documents, for a judge that gets their texts."""
WHOLE_CONVERSATION = "conversation"
"""All steps: those before and after the response, and the response itself."""
METADATA = "metadata"
"""All metadata. A single field is `metadata.` and its name."""

Materials = frozenset[str]
"""Names of what a judge gets of a trace; each begins with the part of a prompt that holds it."""


def metadata_field(name: str) -> str:
    """Return the name of one field of the metadata among the materials."""
    return f"{METADATA}.{name}"


# -- what a response cites -------------------------------------------------------------------------


_CITED = re.compile(r"\[\^?(\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)\]")
_NUMBER = re.compile(r"\d+")
_LABELLED = re.compile(r"\[(\d{1,4})\]\s*")


class Source(NamedTuple):
    """A document of a trace."""

    number: str
    """The number by which a response cites it."""
    name: str
    """Its id or address; "" for none."""
    text: str


class Citation(Struct, frozen=True):
    """Where in the response a document is cited: a number, or the whole of `[4]`."""

    start: int
    end: int
    number: str


def sources(trace: Trace) -> list[Source]:
    """Return the documents of a trace in their order, each with its number, its name and its text.

    The numbers are those in the trace: of a list of addresses such as `[4] https://…` in its
    metadata, which are the names then, or of ids that are all different numbers. Otherwise
    documents are numbered from 1. A name is the document's id, and "" without one, or if the id is
    the number.
    """
    texts: list[str] = []
    ids: list[str] = []
    for document in trace.documents or ():
        if isinstance(document, Document):
            texts.append(document.text)
            ids.append(document.id or "")
        else:
            texts.append(document)
            ids.append("")

    metadata = trace.metadata or {}
    for values in metadata.values():
        labels = _labels(values, len(texts))
        if labels:
            names = [_LABELLED.sub("", value, count=1) for value in values]
            return list(map(Source, labels, names, texts))

    are_numbers = all(document_id.isdecimal() for document_id in ids)
    are_unique = len(set(ids)) == len(ids)
    if are_numbers and are_unique:
        return list(map(Source, ids, repeat(""), texts))
    numbers = map(str, count(1))
    return list(map(Source, numbers, ids, texts))


def _labels(values: Any, count: int) -> list[str]:
    """Return the numbers with which the texts of a list begin, in its order: "4" for `[4] `.

    The list is empty unless `values` is a list of `count` texts that all begin so, with different
    numbers.
    """
    if not isinstance(values, list) or len(values) != count:
        return []
    matches = [
        _LABELLED.match(value) if isinstance(value, str) else None for value in values
    ]
    labels = [match[1] for match in matches if match]
    if len(set(labels)) != count:
        return []
    return labels


def citations(response: str, numbers: Collection[str]) -> Iterator[Citation]:
    """Yield where a response cites documents with these numbers, in order; other numbers are passed
    over.

    `[1, 4]` cites two, each at its own digits; `[4]` is cited with its brackets. Ranges such as
    `[1-4]` cite only their two ends.
    """
    for bracket in _CITED.finditer(response):
        inner_start, inner_end = bracket.span(1)
        numbers_in_bracket = list(_NUMBER.finditer(response, inner_start, inner_end))
        for number in numbers_in_bracket:
            if number[0] not in numbers:
                continue
            start, end = bracket.span()
            if len(numbers_in_bracket) > 1:
                start, end = number.span()
            yield Citation(start, end, number[0])
