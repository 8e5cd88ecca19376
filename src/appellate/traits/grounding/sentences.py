"""The sentences of documents and response, by their keys: `0a`, `0b`, `1a` … and `a`, `b` ….

A sentence in a file is `[key, start, end]`, codepoints of its text, or `[key, words]` where these
do not stand there. The lists come with labels, or are cut once and kept: another splitter changes
no key.
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
from appellate.core.problem import describe_value, quoted
from appellate.core.trace import Trace
from appellate.traits.evidence import Finder

DOCUMENTS = "documents_sentences"
RESPONSE = "response_sentences"
"""The keys of a table, or of a trace's metadata, that hold the sentences."""


class KeyedSentence(Struct, frozen=True):
    """`span` are codepoint offsets in its text, None where its words are not there."""

    key: str
    text: str
    span: tuple[int, int] | None = None

    def to_file(self) -> list[Any]:
        return [self.key, *(self.span or (self.text,))]


class KeyedSentences(Struct, frozen=True, dict=True):
    """The sentences of each document, in the trace's order, and of the response."""

    documents: tuple[tuple[KeyedSentence, ...], ...] = ()
    response: tuple[KeyedSentence, ...] = ()

    def keys(self) -> Sequence[str]:
        """The keys of all document sentences, in reading order."""
        return self._keys

    def response_keys(self) -> Sequence[str]:
        """The keys of the response's sentences, in reading order."""
        return tuple(self._response)

    def find(self, key: str) -> KeyedSentence | None:
        return self._response.get(key) or self._documents.get(key)

    def document_of(self, key: str) -> int | None:
        """The number of the document that a sentence is in; None for one of the response."""
        return self._numbers.get(key)

    def is_document(self, key: str) -> bool:
        return key in self._documents

    def is_response(self, key: str) -> bool:
        return key in self._response

    def to_file(self) -> dict[str, Any]:
        """The lists of a table, the inverse of `from_rows`."""
        documents = [[one.to_file() for one in sentences] for sentences in self.documents]
        return {DOCUMENTS: documents, RESPONSE: [one.to_file() for one in self.response]}

    @cached_property
    def _documents(self) -> Mapping[str, KeyedSentence]:
        return _by_key(chain.from_iterable(self.documents))

    @cached_property
    def _keys(self) -> Sequence[str]:
        return tuple(self._documents)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for number, sentences in enumerate(self.documents):
            found |= dict.fromkeys(map(_key, sentences), number)
        return found

    @cached_property
    def _response(self) -> Mapping[str, KeyedSentence]:
        return _by_key(self.response)


_key = attrgetter("key")


def _by_key(sentences: Iterable[KeyedSentence]) -> dict[str, KeyedSentence]:
    return {sentence.key: sentence for sentence in sentences}


def document_texts(trace: Trace) -> list[str]:
    return [one if isinstance(one, str) else one.text for one in trace.documents or ()]


def _with_texts(trace: Trace, documents: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    """Each list of sentences with the words of its document, which may be none."""
    return zip(chain(document_texts(trace), repeat("")), documents, strict=False)


# -- cutting ---------------------------------------------------------------------------------------


def letters(number: int) -> str:
    """The letters of the sentence of that number, from 0: a to z, then aa, ab …."""
    found = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        found = chr(ord("a") + letter) + found
    return found


@lru_cache(maxsize=4)  # a long text takes seconds, and a cell in sight is asked for several times
def _cut(text: str, prefix: str = "") -> Sequence[tuple[str, int, int]]:
    """The sentences of a text, keyed in order."""
    rows: list[tuple[str, int, int]] = []
    for low, high in sentence_bounds(text):
        words = text[low:high]
        start = low + len(words) - len(words.lstrip())
        end = high - len(words) + len(words.rstrip())
        if start < end:
            rows.append((prefix + letters(len(rows)), start, end))
    return rows


def sentence_rows(trace: Trace, table: Table) -> dict[str, Any]:
    """The lists of a table, else those of the trace's metadata, else as they are cut."""
    if DOCUMENTS in table:
        return _placed(trace, table)
    brought = trace.metadata or {}
    if DOCUMENTS in brought and not any(faults(trace, brought)):
        return _placed(trace, brought)
    texts = enumerate(document_texts(trace))
    documents = [list(map(list, _cut(text, str(number)))) for number, text in texts]
    return {DOCUMENTS: documents, RESPONSE: list(map(list, _cut(trace.response)))}


def sentences_of(trace: Trace) -> KeyedSentences:
    """The sentences of a trace that nobody has labelled yet."""
    return from_rows(trace, sentence_rows(trace, {}))


def covers_response(trace: Trace) -> bool:
    """Return whether the sentences of a trace hold all words of its response.

    Those that came with the trace may be a few of them only.
    """
    if DOCUMENTS not in (trace.metadata or {}):
        return True
    held = "".join(sentence.text for sentence in sentences_of(trace).response)
    return len("".join(held.split())) >= len("".join(trace.response.split()))


# -- rows ------------------------------------------------------------------------------------------


def from_rows(trace: Trace, rows: Table) -> KeyedSentences:
    """The sentences that the lists of a table stand for."""
    documents = tuple(_sentences(*one) for one in _with_texts(trace, rows[DOCUMENTS]))
    return KeyedSentences(documents, _sentences(trace.response, rows[RESPONSE]))


def _sentences(text: str, rows: Iterable[Any]) -> tuple[KeyedSentence, ...]:
    found = []
    for row in rows:
        if len(row) == 2:  # noqa: PLR2004 - a key and words
            found.append(KeyedSentence(*row))
        else:
            key, start, end = row
            found.append(KeyedSentence(key, text[start:end], (start, end)))
    return tuple(found)


def _placed(trace: Trace, given: Table) -> dict[str, Any]:
    """Lists as they came, with the places of words that are in their texts."""
    documents = [list(_places(*one)) for one in _with_texts(trace, given[DOCUMENTS])]
    return {DOCUMENTS: documents, RESPONSE: list(_places(trace.response, given[RESPONSE]))}


def _places(text: str, listed: Iterable[Any]) -> Iterator[list[Any]]:
    """Each sentence where it is after the one before it, else wherever it stands."""
    finder = Finder(text)
    taken = list[tuple[int, int]]()
    reached = 0
    for row in listed:
        if len(row) > 2:  # noqa: PLR2004 - a key and words
            yield row if isinstance(row, list) else list(row)
            reached = row[2]
            continue
        key, words = row
        bare = words.strip()
        at = text.find(bare, reached)
        place = (at, at + len(bare)) if bare and at >= 0 else finder.find(bare, taken)
        if place is None:
            yield [key, words]
            continue
        taken.append(place)
        reached = place[1]
        yield [key, *place]


def read_rows(table: Table) -> dict[str, Any] | None:
    """The lists of an edit's row; None where it has none. Raises ValueError for what are none."""
    if DOCUMENTS not in table and RESPONSE not in table:
        return None
    wrong = next(_shape_faults(table), None)
    if wrong:
        raise ValueError(f"{'.'.join(map(str, wrong.path))}: {wrong.wrong}")
    return {DOCUMENTS: table.get(DOCUMENTS, []), RESPONSE: table.get(RESPONSE, [])}


# -- what is wrong with lists ----------------------------------------------------------------------

_KEYS = {
    DOCUMENTS: re.compile("[0-9]+[a-z]+"),
    RESPONSE: re.compile("[a-z]+"),
}
_ROWS = {(str, str), (str, int, int)}
_EXAMPLES = {DOCUMENTS: "0a, 0b, 1a …", RESPONSE: "a, b …, aa"}


def faults(trace: Trace, table: Table) -> Iterator[Fault]:
    """What is wrong with the lists of a table: their form, their keys, their places."""
    if DOCUMENTS not in table and RESPONSE not in table:
        return
    found = list(_shape_faults(table))
    yield from found
    if found:
        return
    texts = document_texts(trace)
    documents = table[DOCUMENTS]
    if texts and len(documents) != len(texts):
        wrong = f"has {len(documents)} lists of sentences, and the trace {len(texts)} documents"
        yield Fault((DOCUMENTS,), wrong, "give one list for each document")
        return
    for number, rows in enumerate(documents):
        text = texts[number] if texts else ""
        yield from _place_faults((DOCUMENTS, number), rows, text)
    yield from _place_faults((RESPONSE,), table[RESPONSE], trace.response)


def _shape_faults(table: Table) -> Iterator[Fault]:
    lists: dict[str, list[Any]] = {DOCUMENTS: [], RESPONSE: []}
    for key in lists:
        given = table.get(key)
        if isinstance(given, list):
            lists[key] = given
            continue
        right = f'{key} = [[["0a", "…"]]]' if key == DOCUMENTS else f'{key} = [["a", "…"]]'
        yield Fault((key,), f"must be a list of sentences, not {describe_value(given)}", right)
    seen: set[str] = set()
    for number, rows in enumerate(lists[DOCUMENTS]):
        if not isinstance(rows, list):
            wrong = f"must be the list of a document's sentences, not {describe_value(rows)}"
            yield Fault((DOCUMENTS, number), wrong)
            continue
        yield from _row_faults(DOCUMENTS, (DOCUMENTS, number), rows, seen)
    yield from _row_faults(RESPONSE, (RESPONSE,), lists[RESPONSE], seen)


def _row_faults(
    of: str, path: tuple[str | int, ...], rows: Sequence[Any], seen: set[str]
) -> Iterator[Fault]:
    for index, row in enumerate(rows):
        if not isinstance(row, list | tuple) or tuple(map(type, row)) not in _ROWS:
            wrong = f"must be [key, words] or [key, start, end], not {describe_value(row)}"
            yield Fault((*path, index), wrong)
            continue
        key = row[0]
        if not _KEYS[of].fullmatch(key):
            right = f"keys are {_EXAMPLES[of]}"
            yield Fault((*path, index, 0), f"{quoted(key)} is no key of a sentence", right)
        elif key in seen:
            yield Fault((*path, index, 0), f"another sentence has the key {quoted(key)} already")
        seen.add(key)


def _place_faults(path: tuple[str | int, ...], rows: Sequence[Any], text: str) -> Iterator[Fault]:
    for index, row in enumerate(rows):
        if len(row) > 2 and not 0 <= row[1] < row[2] <= len(text):  # noqa: PLR2004 - a place
            wrong = f"{row[1]} to {row[2]} mark no part of a text of {len(text)} characters"
            yield Fault((*path, index), wrong)


# -- keys as judges write them ---------------------------------------------------------------------

# `0a.`, `0A`, `[0a]`, `0a, 0b` in one string, `0a-0c` and `0a to c` mean sentences; what means none
# is reported, never guessed.

SPECIAL = ("general", "well_known_fact", "numerical_reasoning", "supported_without_sentence")
"""What may support a sentence instead of a document: keys of no sentence."""

_RANGE = re.compile(
    r"\b(\d{0,6}[a-z]{1,4})\W{0,4}(?:-|–|—|to|through|\.\.+|…)\W{0,4}(\d{0,6}[a-z]{1,4})\b"
)
_WORD = re.compile(r"\w+")
_BETWEEN = frozenset(("and", "or", "to", "sentence", "sentences", "document", "key", "keys"))


class Tidy(NamedTuple):
    """The sentences that keys mean, in reading order, then special ones; and what means none."""

    keys: tuple[str, ...]
    astray: tuple[str, ...] = ()


class KnownKeys:
    """The keys of sentences in reading order, for one who reads many lists of them."""

    def __init__(self, known: Sequence[str]) -> None:
        self.known = known
        self._order = {key: place for place, key in enumerate((*known, *SPECIAL))}

    def tidy(self, given: str | Collection[str]) -> Tidy:
        """What keys mean among the known ones."""
        if isinstance(given, str):
            given = [given]
        meant = set(given)
        astray = dict[str, None]()
        if not meant <= self._order.keys():
            read = [self._meant(text) for text in given]
            meant = {key for one in read for key in one.keys}
            astray = dict.fromkeys(word for one in read for word in one.astray)
        return Tidy(tuple(sorted(meant, key=self._order.__getitem__)), tuple(astray))

    def _meant(self, text: str) -> Tidy:
        if text in self._order:
            return Tidy((text,))
        found: list[str] = []
        lost: list[str] = []
        for part in re.split("[,;]", text.casefold()):
            named = re.sub(r"\W+", "_", part).strip("_")
            if named in self._order:
                found.append(named)
                continue
            bare = part
            for match in _RANGE.finditer(part):
                between = self._between(match[1], match[2])
                if between:
                    found += between
                    bare = bare.replace(match[0], " ", 1)
            for word in _WORD.findall(bare):
                if word in self._order:
                    found.append(word)
                elif word not in _BETWEEN:
                    lost.append(word)
        if lost and not found:
            lost = [text.strip()]
        return Tidy(tuple(found), tuple(lost))

    def _between(self, first: str, last: str) -> Sequence[str]:
        """The keys of a range, where both ends are known and in order; `0a-c` ends at 0c."""
        beyond = len(self.known)
        if last not in self._order:
            last = first.rstrip(ascii_lowercase) + last
        low = self._order.get(first, beyond)
        high = self._order.get(last, beyond)
        if low > high or high >= beyond:
            return ()
        return self.known[low : high + 1]
