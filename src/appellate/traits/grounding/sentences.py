"""Cuts documents and response into sentences, with the keys `0a`, `0b`, `1a` … and `a`, `b` ….

A sentence in a file is `[key, start, end]`, in code points of its text, or `[key, words]` if the
words are not there. The lists come with labels, or are cut once and then kept, so another splitter
changes no key.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, repeat
from operator import attrgetter
from string import ascii_lowercase
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.kind import Fault, Table
from appellate.core.messages import sentence_bounds
from appellate.core.problem import describe_value, many, quoted
from appellate.core.trace import Trace
from appellate.traits.evidence import Finder

DOCUMENTS = "documents_sentences"
RESPONSE = "response_sentences"
"""The key of the response's sentences in a table or in metadata; `DOCUMENTS` is that of the
documents'.
"""


class KeyedSentence(Struct, frozen=True):
    """A sentence with its key."""

    key: str
    text: str
    span: tuple[int, int] | None = None
    """Offsets in its text, in code points; None if its words are not there."""

    def to_file(self) -> list[Any]:
        """Return the sentence as a row of a table: ["a", 0, 9], or ["a", words] without a span."""
        return [self.key, *(self.span or (self.text,))]


class KeyedSentences(Struct, frozen=True, dict=True):
    """The sentences of each document, in the trace's order, and of the response."""

    documents: tuple[tuple[KeyedSentence, ...], ...] = ()
    response: tuple[KeyedSentence, ...] = ()

    def keys(self) -> Sequence[str]:
        """Return the keys of all document sentences, in reading order."""
        return self._keys

    def response_keys(self) -> Sequence[str]:
        """Return the keys of the response's sentences, in reading order."""
        return tuple(self._response)

    def find(self, key: str) -> KeyedSentence | None:
        """Return the sentence with this key, or None."""
        return self._response.get(key) or self._documents.get(key)

    def document_of(self, key: str) -> int | None:
        """Return the index (from 0) of the document that a sentence is in.

        Returns None for any other key.
        """
        return self._numbers.get(key)

    def is_document(self, key: str) -> bool:
        """Return whether the key is that of a document sentence."""
        return key in self._documents

    def is_response(self, key: str) -> bool:
        """Return whether the key is that of a response sentence."""
        return key in self._response

    def to_file(self) -> dict[str, Any]:
        """Return both lists of sentences as in a judge's table, by `DOCUMENTS` and `RESPONSE`.

        A sentence is ["0a", 0, 9], or ["0a", words] without offsets. `from_rows` is the inverse.
        """
        documents = [
            [sentence.to_file() for sentence in document] for document in self.documents
        ]
        return {
            DOCUMENTS: documents,
            RESPONSE: [sentence.to_file() for sentence in self.response],
        }

    @cached_property
    def _documents(self) -> Mapping[str, KeyedSentence]:
        """The document sentences by their keys, in reading order."""
        return _by_key(chain.from_iterable(self.documents))

    @cached_property
    def _keys(self) -> Sequence[str]:
        """The keys of the document sentences in reading order."""
        return tuple(self._documents)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        """The index of the document by the key of a sentence."""
        number_by_key: dict[str, int] = {}
        for number, sentences in enumerate(self.documents):
            for sentence in sentences:
                number_by_key[sentence.key] = number
        return number_by_key

    @cached_property
    def _response(self) -> Mapping[str, KeyedSentence]:
        """The response sentences by their keys, in reading order."""
        return _by_key(self.response)


_key = attrgetter("key")


def _by_key(sentences: Iterable[KeyedSentence]) -> dict[str, KeyedSentence]:
    """Return sentences by their keys."""
    return {sentence.key: sentence for sentence in sentences}


def document_texts(trace: Trace) -> list[str]:
    """Return the texts of the trace's documents in order; empty if it has none."""
    return [
        document if isinstance(document, str) else document.text
        for document in trace.documents or ()
    ]


def _with_texts(trace: Trace, documents: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    """Return each list of sentences with the text of its document, "" if the trace has none."""
    return zip(chain(document_texts(trace), repeat("")), documents, strict=False)


# -- cutting ---------------------------------------------------------------------------------------


def letters(number: int) -> str:
    """Return the letters of the sentence at an index, from 0: a to z, then aa, ab and so on."""
    name = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


# a long text takes seconds, and a cell in sight is asked for several times
@lru_cache(maxsize=4)
def _cut(text: str, prefix: str = "") -> Sequence[tuple[str, int, int]]:
    """Return the sentences of a text as key, start and end, without white space around them.

    Keys are `prefix` and letters in order. Sentences of white space only are left out.
    """
    rows: list[tuple[str, int, int]] = []
    for begin, stop in sentence_bounds(text):
        words = text[begin:stop]
        start = begin + len(words) - len(words.lstrip())
        end = stop - len(words) + len(words.rstrip())
        if start < end:
            rows.append((prefix + letters(len(rows)), start, end))
    return rows


def sentence_rows(trace: Trace, table: Table) -> dict[str, Any]:
    """Return the lists of sentences of a table, else of the trace's metadata, else as cut now.

    They are under `DOCUMENTS`, a list for each document, and under `RESPONSE`. A sentence is [key,
    start, end] or, if its words are not in the text, [key, words]. Lists that came get the offsets
    of words that are in their texts. Those in the metadata count only if nothing is wrong with
    them; those of the table must be free of faults. Raises KeyError for a table that has only the
    documents' list; one with only the response's counts as without.
    """
    if DOCUMENTS in table:
        return _with_offsets(trace, table)
    metadata = trace.metadata or {}
    if DOCUMENTS in metadata and not any(faults(trace, metadata)):
        return _with_offsets(trace, metadata)
    documents: list[list[list[Any]]] = []
    for number, text in enumerate(document_texts(trace)):
        documents.append([list(row) for row in _cut(text, str(number))])
    response = [list(row) for row in _cut(trace.response)]
    return {DOCUMENTS: documents, RESPONSE: response}


def sentences_of(trace: Trace) -> KeyedSentences:
    """Return the sentences of a trace that has no labels yet, from its metadata or cut now.

    Those of the metadata count only if nothing is wrong with them.
    """
    return from_rows(trace, sentence_rows(trace, {}))


def covers_response(trace: Trace) -> bool:
    """Return whether the sentences of a trace contain all words of its response.

    Sentences that came with the trace may be only some of them. Only the number of signs is
    compared, without white space.
    """
    if not trace.metadata or DOCUMENTS not in trace.metadata:
        return True
    sentences = sentences_of(trace).response
    sentence_text = "".join(sentence.text for sentence in sentences)
    return _sign_count(sentence_text) >= _sign_count(trace.response)


def _sign_count(text: str) -> int:
    """Return how many characters of a text are no white space."""
    return sum(map(len, text.split()))


# -- rows ------------------------------------------------------------------------------------------


def from_rows(trace: Trace, rows: Table) -> KeyedSentences:
    """Return the sentences that the lists of a table stand for.

    The table has a list of rows for each document, as {"documents_sentences": [[["0a", 0, 9]]],
    "response_sentences": [["a", "It rains."]]}. A row gives start and end in its text, or the
    words, which then have no span. The table must be free of faults. Raises KeyError if one of the
    two lists is missing.
    """
    documents: list[tuple[KeyedSentence, ...]] = []
    for text, document_rows in _with_texts(trace, rows[DOCUMENTS]):
        documents.append(_sentences(text, document_rows))
    response = _sentences(trace.response, rows[RESPONSE])
    return KeyedSentences(tuple(documents), response)


def _sentences(text: str, rows: Iterable[Any]) -> tuple[KeyedSentence, ...]:
    """Return the sentences of one text that rows of a table stand for.

    A row is ["a", 0, 9], with start and end in the text, or ["a", words], which has no span.
    """
    sentences = []
    for row in rows:
        if len(row) == 2:  # noqa: PLR2004 - a key and words
            sentences.append(KeyedSentence(*row))
        else:
            key, start, end = row
            sentences.append(KeyedSentence(key, text[start:end], (start, end)))
    return tuple(sentences)


def _with_offsets(trace: Trace, table: Table) -> dict[str, Any]:
    """Return the two lists of sentences of a table as new ones, with offsets where words are found.

    Under `DOCUMENTS` there is a list of rows for each document, under `RESPONSE` one list of rows.
    A row ["a", "It rains."] becomes ["a", 0, 9]; it stays as it is if its words are nowhere in
    their text. The table must have both lists, without faults; raises KeyError if one is missing.
    """
    documents = [
        list(_rows_with_offsets(*document))
        for document in _with_texts(trace, table[DOCUMENTS])
    ]
    return {
        DOCUMENTS: documents,
        RESPONSE: list(_rows_with_offsets(trace.response, table[RESPONSE])),
    }


def _rows_with_offsets(text: str, rows: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield each sentence of a text as [key, start, end], or as [key, words] if it is not there.

    A row with offsets is yielded as it is. Words are stripped, then looked for exactly after the
    sentence before, else anywhere, also where case or quotes differ. A place that words of these
    rows have taken is used again only if there is no other.
    """
    finder = Finder(text)
    used_spans = list[tuple[int, int]]()
    reached = 0
    for row in rows:
        if len(row) > 2:  # noqa: PLR2004 - a key and words
            yield row if isinstance(row, list) else list(row)
            reached = row[2]
            continue
        key, words = row
        stripped = words.strip()
        offset = text.find(stripped, reached)
        if stripped and offset >= 0:
            span: tuple[int, int] | None = (offset, offset + len(stripped))
        else:
            span = finder.find(stripped, used_spans)
        if span is None:
            yield [key, words]
            continue
        used_spans.append(span)
        reached = span[1]
        yield [key, *span]


def read_rows(table: Table) -> dict[str, Any] | None:
    """Return the lists of sentences in an edit's row, or None if it has neither.

    They are {"documents_sentences": [[["0a", "…"]]], "response_sentences": [["a", "…"]]}; a
    sentence may have its start and end in place of its words. Raises ValueError if only one of the
    two lists is there, and for what is no such list.
    """
    if DOCUMENTS not in table and RESPONSE not in table:
        return None
    fault = next(_shape_faults(table), None)
    if fault is not None:
        place = ".".join(map(str, fault.path))
        raise ValueError(f"{place}: {fault.wrong}")
    return {DOCUMENTS: table[DOCUMENTS], RESPONSE: table[RESPONSE]}


# -- what is wrong with lists ----------------------------------------------------------------------

_KEYS = {
    DOCUMENTS: re.compile("[0-9]+[a-z]+"),
    RESPONSE: re.compile("[a-z]+"),
}
_ROWS = {(str, str), (str, int, int)}
_EXAMPLES = {DOCUMENTS: "0a, 0b, 1a …", RESPONSE: "a, b …, aa"}


def faults(trace: Trace, table: Table) -> Iterator[Fault]:
    """Yield what is wrong with a table's lists of the sentences of documents and response.

    Checked are their form, their keys, and their offsets. There must be a list for each document of
    the trace; without documents there may be any number, with words only. Number and offsets are
    checked only if the form is right, and offsets only if the number is. One of the two lists
    without the other is a fault; a table with neither has none.
    """
    if DOCUMENTS not in table and RESPONSE not in table:
        return
    shape_faults = list(_shape_faults(table))
    yield from shape_faults
    if shape_faults:
        return
    texts = document_texts(trace)
    documents = table[DOCUMENTS]
    if texts and len(documents) != len(texts):
        lists = many(len(documents), "list")
        trace_documents = many(len(texts), "document")
        wrong = f"has {lists} of sentences, and the trace {trace_documents}"
        yield Fault((DOCUMENTS,), wrong, "give one list for each document")
        return
    for number, rows in enumerate(documents):
        text = texts[number] if texts else ""
        yield from _place_faults((DOCUMENTS, number), rows, text)
    yield from _place_faults((RESPONSE,), table[RESPONSE], trace.response)


def _shape_faults(table: Table) -> Iterator[Fault]:
    """Yield what is wrong with the form and the keys of both lists of sentences.

    A list that is missing is a fault, and so is a key that was used before in either list.
    """
    lists: dict[str, list[Any]] = {DOCUMENTS: [], RESPONSE: []}
    for key in lists:
        value = table.get(key)
        if isinstance(value, list):
            lists[key] = value
            continue
        right = (
            f'{key} = [[["0a", "…"]]]' if key == DOCUMENTS else f'{key} = [["a", "…"]]'
        )
        yield Fault(
            (key,),
            f"must be a list of sentences, not {describe_value(value)}",
            right,
        )
    seen_keys: set[str] = set()
    for number, rows in enumerate(lists[DOCUMENTS]):
        if not isinstance(rows, list):
            wrong = f"must be the list of a document's sentences, not {describe_value(rows)}"
            yield Fault((DOCUMENTS, number), wrong)
            continue
        yield from _row_faults(DOCUMENTS, (DOCUMENTS, number), rows, seen_keys)
    yield from _row_faults(RESPONSE, (RESPONSE,), lists[RESPONSE], seen_keys)


def _row_faults(
    list_name: str,
    path: tuple[str | int, ...],
    rows: Sequence[Any],
    seen_keys: set[str],
) -> Iterator[Fault]:
    """Yield what is wrong with the rows of one text; add their keys to `seen_keys`.

    A row is a key and words, or a key, start and end. Its key must have the form of the list and
    not be in `seen_keys`. `list_name` is the name of the list, and `path` says where the rows are
    in a table.
    """
    for index, row in enumerate(rows):
        if not isinstance(row, list | tuple) or tuple(map(type, row)) not in _ROWS:
            wrong = (
                f"must be [key, words] or [key, start, end], not {describe_value(row)}"
            )
            yield Fault((*path, index), wrong)
            continue
        key = row[0]
        if not _KEYS[list_name].fullmatch(key):
            right = f"keys are {_EXAMPLES[list_name]}"
            yield Fault(
                (*path, index, 0),
                f"{quoted(key)} is no key of a sentence",
                right,
            )
        elif key in seen_keys:
            yield Fault(
                (*path, index, 0),
                f"another sentence has the key {quoted(key)} already",
            )
        seen_keys.add(key)


def _place_faults(
    path: tuple[str | int, ...],
    rows: Sequence[Any],
    text: str,
) -> Iterator[Fault]:
    """Yield a fault for each row [key, start, end] whose offsets mark no part of the text.

    Rows must have the right form. One without offsets has no fault, one that marks an empty part
    has. `path` says where the rows are in a table.
    """
    for index, row in enumerate(rows):
        if len(row) == 2:  # noqa: PLR2004 - a key and words, which have no offsets
            continue
        _, start, end = row
        if not 0 <= start < end <= len(text):
            size = many(len(text), "character")
            wrong = f"{start} to {end} mark no part of a text of {size}"
            yield Fault((*path, index), wrong)


# -- keys as judges write them ---------------------------------------------------------------------

# `0a.`, `0A`, `[0a]`, `0a, 0b` in one string, `0a-0c` and `0a to c` mean sentences; what means none
# is reported, never guessed.

SPECIAL = (
    "general",
    "well_known_fact",
    "numerical_reasoning",
    "supported_without_sentence",
)
"""Keys of no sentence, for what may support a response sentence instead of a document."""

_RANGE = re.compile(
    r"\b(\d{0,6}[a-z]{1,4})\W{0,4}(?:-|–|—|to|through|\.\.+|…)\W{0,4}(\d{0,6}[a-z]{1,4})\b",
)
_WORD = re.compile(r"\w+")
_BETWEEN = frozenset(
    ("and", "or", "to", "sentence", "sentences", "document", "key", "keys"),
)


class Tidy(NamedTuple):
    """The sentences that some keys mean, in reading order, then special keys."""

    keys: tuple[str, ...]
    astray: tuple[str, ...] = ()
    """What means no sentence."""


class KnownKeys:
    """The keys of sentences in reading order, to read many lists of keys."""

    def __init__(self, known: Sequence[str]) -> None:
        """Know these keys of sentences of the documents or the response, and the special keys.

        `known` is in reading order; special keys come after it.
        """
        self.known = known
        self._order = {key: index for index, key in enumerate((*known, *SPECIAL))}

    def tidy(self, keys_text: str | Collection[str]) -> Tidy:
        """Return which known keys of sentences a text means, in reading order, each once.

        Keys are as judges write them, and a text may hold several and ranges of them, as "[0a],
        1B-1d". What means no key is in `astray`, each once. Special keys are known, and come last.
        """
        if isinstance(keys_text, str):
            keys_text = [keys_text]
        meant_keys = set(keys_text)
        astray = dict[str, None]()
        if not meant_keys <= self._order.keys():
            meant_keys = set()
            astray = {}
            for text in keys_text:
                reading = self._meant(text)
                meant_keys.update(reading.keys)
                for word in reading.astray:
                    astray[word] = None
        return Tidy(
            tuple(sorted(meant_keys, key=self._order.__getitem__)),
            tuple(astray),
        )

    def _meant(self, text: str) -> Tidy:
        """Return the keys that a text means, as people or judges may write them, and the rest.

        Keys are parted by commas, semicolons or blanks, or are ranges such as 0a-0c. A special key
        such as well_known_fact may stand between commas as "Well-known fact". Case, brackets and
        words such as "and" do not count. Other words are astray, in lower case; if nothing in the
        text is a key, all of it is, as written.
        """
        if text in self._order:
            return Tidy((text,))
        keys: list[str] = []
        unknown: list[str] = []
        for part in re.split("[,;]", text.casefold()):
            special_name = re.sub(r"\W+", "_", part).strip("_")
            if special_name in self._order:
                keys.append(special_name)
                continue
            rest_of_part = part
            for match in _RANGE.finditer(part):
                range_keys = self._between(match[1], match[2])
                if range_keys:
                    keys += range_keys
                    rest_of_part = rest_of_part.replace(match[0], " ", 1)
            for word in _WORD.findall(rest_of_part):
                if word in self._order:
                    keys.append(word)
                elif word not in _BETWEEN:
                    unknown.append(word)
        if unknown and not keys:
            unknown = [text.strip()]
        return Tidy(tuple(keys), tuple(unknown))

    def _between(self, first: str, last: str) -> Sequence[str]:
        """Return the keys of a range whose ends are known and in order, else nothing.

        The end of `0a-c` is 0c.
        """
        end_index = len(self.known)
        if last not in self._order:
            last = first.rstrip(ascii_lowercase) + last
        first_index = self._order.get(first, end_index)
        last_index = self._order.get(last, end_index)
        if first_index > last_index or last_index >= end_index:
            return ()
        return self.known[first_index : last_index + 1]
