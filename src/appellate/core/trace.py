"""One recorded response, and the documents that it cites: `[4]` is the fourth, or the one with that
number in the trace.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import count, repeat
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from appellate.core.own_words import OwnWords
    from appellate.core.transcript import Transcript, WholeResult

TraceKey = tuple[str, int]


def name_of(trace_id: str, epoch: int) -> str:
    """What a trace is called: its id, with the epoch where it is not the first."""
    return trace_id if epoch == 1 else f"{trace_id}#{epoch}"


def epoch_text(epoch: int) -> str:
    """Return what the `#2` in the name of a trace means, in words; "" for the first epoch."""
    return "" if epoch == 1 else f"epoch {epoch}"


class Document(BaseModel):
    """One retrieved document."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: str | None = None
    text: str


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
    cluster: str | None = None
    metadata: dict[str, Any] | None = None
    judgments: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @cached_property
    def key(self) -> TraceKey:
        return (self.id, self.epoch)

    @property
    def text(self) -> str:
        """The text that is judged; offsets count its codepoints. A trait that reads a conversation
        has a `ConversationTrace` instead, whose text is the transcript.
        """
        return self.response

    @property
    def transcript(self) -> "Transcript | None":
        """The steps of the conversation that is judged; None where the response is."""
        return None

    @property
    def whole_results(self) -> "Sequence[WholeResult]":
        """The results, in whole, that a trait reads shortened; none where it reads a response."""
        return ()

    @property
    def own_words(self) -> "OwnWords":
        """What the assistant says of the text that is judged."""
        from appellate.core.own_words import OwnWords  # not before the first paint

        return OwnWords.of(self.response)


# -- what there is to read, by name ----------------------------------------------------------------
# A person at the screen sees all of it. A judge is shown what its trait's request holds
# (`Asked.holds`), or what a rule looks at; `traits.unread` tells what is left.

RESPONSE = "response"
RESPONSE_PART = "response part"
"""Words of the response that the sentences of it, which came with the trace, leave out."""
QUESTION = "question"
EARLIER_TURNS = "earlier"
"""The steps before the response, whoever took them."""
HISTORY = "question.history"
"""Those of users, assistants and tools, as graded scorers have them in the place of the question:
without a system's words and thoughts.
"""
REFERENCE = "reference"
CHOICES = "choices"
DOCUMENTS = "documents"
DOCUMENT_NAMES = "document names"
"""The ids or addresses of documents, where a judge gets their texts."""
WHOLE_CONVERSATION = "conversation"
"""All steps, before and after the response and it itself."""
METADATA = "metadata"
"""All metadata. One field of them is `metadata.` and its name."""

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
    """A document: the number that a response cites it by, its id or address if any, its text."""

    number: str
    name: str
    text: str


class Citation(Struct, frozen=True):
    """Where in the response a document is cited: its number, or the whole of `[4]`."""

    start: int
    end: int
    number: str


def sources(trace: Trace) -> list[Source]:
    """The documents of a trace in their order.

    Numbered as the trace says, by a list of addresses such as `[4] https://…` in its metadata or by
    ids that are numbers; else by their places.
    """
    texts = []
    ids = []
    for one in trace.documents or ():
        texts.append(one.text if isinstance(one, Document) else one)
        ids.append(one.id or "" if isinstance(one, Document) else "")
    for values in (trace.metadata or {}).values():
        labels = _labels(values, len(texts))
        if labels:
            names = [_LABELLED.sub("", value, count=1) for value in values]
            return list(map(Source, labels, names, texts))
    if all(map(str.isdecimal, ids)) and len(set(ids)) == len(ids):
        return list(map(Source, ids, repeat(""), texts))
    return list(map(Source, map(str, count(1)), ids, texts))


def _labels(values: Any, count: int) -> list[str]:
    """The numbers that as many texts as there are documents begin with, none twice."""
    if not isinstance(values, list) or len(values) != count:
        return []
    found = [_LABELLED.match(value) if isinstance(value, str) else None for value in values]
    labels = [match[1] for match in found if match]
    if len(set(labels)) != count:
        return []
    return labels


def citations(response: str, numbers: Collection[str]) -> Iterator[Citation]:
    """Where a response cites documents of these numbers, in order; `[1, 4]` cites two."""
    for bracket in _CITED.finditer(response):
        within = list(_NUMBER.finditer(response, *bracket.span(1)))
        for number in within:
            start, end = number.span() if len(within) > 1 else bracket.span()
            if number[0] in numbers:
                yield Citation(start, end, number[0])
