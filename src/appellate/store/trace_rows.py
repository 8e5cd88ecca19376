"""The traces of a workspace, and what is looked for in them, a row each."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from math import isnan
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from appellate.core import messages
from appellate.core.inert import is_utf8
from appellate.core.trace import Trace
from appellate.query.language import META, NUMBER
from appellate.query.sql import folded
from appellate.store.database import Database, from_json
from appellate.traits.rubric import Rubric

AT_ONCE = 256
"""Traces that are kept in one go."""
_MOST_TEXT = 1 << 20
"""Characters of traces that are kept in one go: what is made of them is held meanwhile."""
_Entry = TypeVar("_Entry")
_HEAD = 160  # characters of a question that a line of the queue may have room for
_NAMED = "INSERT OR IGNORE INTO metadata_names (name, is_table) VALUES (?, ?)"
_NAME = "SELECT no FROM metadata_names WHERE name = ? AND is_table = ?"

_INTEGERS = 2**63  # beyond it, on either side of 0, SQLite has none


def bounded(
    entries: Iterable[_Entry],
    size_of: Callable[[_Entry], int],
) -> Iterator[list[_Entry]]:
    """Yield entries in lists of at most `AT_ONCE`; the one that exceeds `_MOST_TEXT` ends a list.

    `size_of` returns the characters of an entry. A few wide or long traces are as much as many
    plain ones, since what is made of all entries of a list is held at once.
    """
    batch: list[_Entry] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += size_of(entry)
        if len(batch) == AT_ONCE or size > _MOST_TEXT:
            yield batch
            batch = []
            size = 0
    if batch:
        yield batch


def keep(
    db: sqlite3.Connection,
    first: int,
    traces: Sequence[Mapping[str, Any]],
) -> None:
    """Write what is looked for in new traces, which are given as JSON, into its tables.

    `first` is the number of the first trace; the others follow it. The caller has a transaction
    open.
    """
    texts: list[tuple[int, bytes, bytes]] = []
    responses: list[tuple[int, bytes]] = []
    heads: list[tuple[int, str, str, str, int]] = []
    said_rows: list[tuple[str, int, bytes]] = []
    calls: list[tuple[str, int]] = []
    question_rows: list[tuple[bytes, int]] = []
    metadata: list[tuple[int, int, int, float | str]] = []
    names: dict[tuple[str, bool], int] = {}
    for number, trace in enumerate(traces, first):
        texts.append((number, folded(trace["id"]), folded(trace.get("question") or "")))
        words = trace.get("response", "")
        if trace.get("other"):
            words += "\n\n" + trace["other"].get("response", "")
        responses.append((number, folded(words)))
        steps = bool(_question_or_id(trace)) + bool(trace.get("response", "").strip())
        if trace.get("messages"):
            # few traces have any
            from appellate.store.conversation_rows import looked_for_in

            conversation = looked_for_in(trace, _question_or_id(trace))
            steps = conversation.steps
            said_rows += [
                (speaker, number, folded(words))
                for speaker, words in conversation.words.items()
            ]
            calls += [(tool, number) for tool in conversation.tools]
        heads.append((number, *_head(trace), steps))
        if question := fingerprint(trace.get("question_id"), trace.get("question")):
            question_rows.append((question, number))
        for position, (name, value, is_table) in enumerate(parts(trace)):
            key = name, is_table
            if key not in names:
                db.execute(_NAMED, key)
                (names[key],) = db.execute(_NAME, key).fetchone()
            metadata.append((names[key], number, position, value))
    db.executemany("INSERT INTO texts VALUES (?, ?, ?)", texts)
    db.executemany("INSERT INTO responses VALUES (?, ?)", responses)
    db.executemany("INSERT INTO heads VALUES (?, ?, ?, ?, ?)", heads)
    db.executemany("INSERT INTO said VALUES (?, ?, ?)", said_rows)
    db.executemany("INSERT INTO calls VALUES (?, ?)", calls)
    db.executemany("INSERT INTO asked VALUES (?, ?)", question_rows)
    db.executemany("INSERT INTO metadata VALUES (?, ?, ?, ?)", metadata)


def _question_or_id(trace: Mapping[str, Any]) -> str:
    """Return what shows that a trace has a question, its own or the rubric's; "" for none."""
    return trace.get("question") or trace.get("question_id") or ""


def _head(trace: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return a trace's model, question and question id, each "" if a line of the queue has none.

    A trace with a question of its own has the beginning of that and no id. Any other has the id of
    the rubric's question. A pair has no model, since its authors are hidden until a person has
    ruled.
    """
    model = trace.get("model") or ""
    question = trace.get("question")
    if trace.get("other"):
        model = ""
    if question is None:
        return model, "", trace.get("question_id") or ""
    return model, beginning(question), ""


def beginning(question: str) -> str:
    """Return the beginning of a question in one line, at most `_HEAD` characters.

    Of a conversation it is what was asked last.
    """
    text = question
    if "\n\n" in question:  # else no second turn could begin
        prompt = messages.asked(messages.parted(question))
        text = prompt.newest.text if prompt else ""
    first_words = text.split(maxsplit=_HEAD)[:_HEAD]
    return " ".join(first_words)[:_HEAD]


def fingerprint(question_id: str | None, question: str | None) -> bytes | None:
    """Return a hash of the question that a trace answers; None if the trace tells no question.

    Traces with the same id of a question have the same one, else those with the same words.
    """
    if question_id is not None:
        text = f"id {question_id}"
    elif question:
        text = f"words {question}"
    else:
        return None
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def models(db: sqlite3.Connection) -> set[str]:
    """Return the names of all models that wrote a response."""
    return {
        name
        for (name,) in db.execute("SELECT DISTINCT model FROM heads WHERE model <> ''")
    }


def tools(db: sqlite3.Connection, limit: int) -> list[str]:
    """Return the names of at most `limit` tools that traces call, in the order of the alphabet."""
    sql = "SELECT DISTINCT tool FROM calls ORDER BY tool LIMIT ?"
    return [name for (name,) in db.execute(sql, (limit,))]


# -- the traces of an open workspace --------------------------------------------------------------

_LAST = "\U0010ffff"
NEAR = 12
"""Traces on either side, in the order loaded, that are looked at for other answers; and epochs."""
_OTHERS = """
SELECT c.no, t.no, t.body FROM cells c INDEXED BY cells_by_trace JOIN traces t ON t.no = c.trace
WHERE c.trace IN (
    SELECT * FROM (SELECT trace FROM asked WHERE question = :question AND trace > :trace
      ORDER BY trace LIMIT :near)
    UNION SELECT * FROM (SELECT trace FROM asked WHERE question = :question AND trace < :trace
      ORDER BY trace DESC LIMIT :near)
    UNION SELECT * FROM (SELECT no FROM traces WHERE id = :id ORDER BY epoch LIMIT :near))
  AND c.no <> :cell
  AND (c.trait, c.checklist) = (SELECT trait, checklist FROM cells WHERE no = :cell)
"""


class TracePlace(NamedTuple):
    """A trace that one may go to, with its question if that is known."""

    no: int
    id: str
    epoch: int
    question: str | None


class OtherAnswer(Struct, frozen=True):
    """A cell whose trace answers the same question under the same trait, and that trace."""

    cell: int
    trace_no: int
    trace: Trace


class Traces:
    """The traces of an open workspace, numbered from 1 in the order they were loaded."""

    def __init__(self, file: Database) -> None:
        self._file = file

    def count(self) -> int:
        return self._file.number("SELECT ifnull(max(no), 0) FROM traces")

    def get(self, number: int) -> Trace:
        return Trace.model_validate(self._body(number))

    def number(self, key: tuple[str, int]) -> int | None:
        """Return the number of the trace with an id and an epoch; None if there is none.

        No trace has an epoch beyond the integers of SQLite, or lone surrogates in its id.
        """
        trace_id, epoch = key
        if abs(epoch) >= _INTEGERS or not is_utf8(trace_id):
            return None
        sql = "SELECT no FROM traces WHERE id = ? AND epoch = ?"
        row = self._file.db.execute(sql, key).fetchone()
        return row[0] if row else None

    def named(self, name: str) -> int | None:
        """Return the number of the trace with this id, in its first epoch, or of `id#epoch`.

        An id that has a # itself goes before. Returns None if there is no such trace.
        """
        # not before the first paint
        from appellate.stats.whole_number import whole_number

        epoch_nos = self.epochs(name)
        if epoch_nos:
            return epoch_nos[0]
        trace_id, _, epoch = name.rpartition("#")
        epoch_no = whole_number(epoch)
        if trace_id and epoch_no is not None:
            return self.number((trace_id, epoch_no))
        return None

    def keys(self) -> list[tuple[int, str, int]]:
        """Return the number, id and epoch of each trace, in the order loaded."""
        return self._file.db.execute(
            "SELECT no, id, epoch FROM traces ORDER BY no",
        ).fetchall()

    def epochs(self, name: str) -> list[int]:
        """Return the numbers of the traces with an id, by their epochs; empty for none."""
        # an argument of a command is none if it is in another encoding; SQLite refuses it
        if not is_utf8(name):
            return []
        return self._file.column(
            "SELECT no FROM traces WHERE id = ? ORDER BY epoch",
            name,
        )

    def like(self, rubric: Rubric, text: str, limit: int = 20) -> list[TracePlace]:
        """Return at most `limit` traces that a text may mean, the likeliest first.

        They are the trace with that number, those with that id or name, those whose id begins with
        the text, and those whose id holds it in any case. Without a text they are the first traces.
        """
        places_by_no: dict[int, TracePlace] = {}
        for condition, values in _conditions(text.strip()):
            if len(places_by_no) >= limit:
                break
            sql = f"SELECT no, id, epoch FROM traces WHERE {condition} LIMIT ?"  # noqa: S608
            rows = self._file.db.execute(sql, (*values, limit)).fetchall()
            for no, name, epoch in rows:
                places_by_no.setdefault(no, TracePlace(no, name, epoch, None))
        places: list[TracePlace] = []
        for place in list(places_by_no.values())[:limit]:
            question = self._question(rubric, place.no)
            places.append(place._replace(question=question))
        return places

    def other_answers(
        self,
        cell: int,
        trace_no: int,
        trace: Trace,
    ) -> list[OtherAnswer]:
        """Return other answers to a cell's question, under its trait with the same instructions.

        Answers of other models come first. Of these, and then of the rest, those of the same epoch
        come first, and later traces before earlier ones. At most `NEAR` traces on either side are
        looked at, and `NEAR` epochs of the trace.
        """
        parameters = {
            "question": fingerprint(trace.question_id, trace.question),
            "trace": trace_no,
            "id": trace.id,
            "cell": cell,
            "near": NEAR,
        }
        answers: list[OtherAnswer] = []
        for number, no, body in self._file.db.execute(_OTHERS, parameters).fetchall():
            answers.append(
                OtherAnswer(number, no, Trace.model_validate(json.loads(body))),
            )

        def distance(answer: OtherAnswer) -> tuple[bool, bool, bool, int]:
            """Return a key by which answers of other models come before those of the same model.

            Among these the same epoch comes first, then this trace and later ones, then lower
            numbers.
            """
            is_same_model = answer.trace.model == trace.model
            is_other_epoch = answer.trace.epoch != trace.epoch
            is_earlier = answer.trace_no < trace_no
            return is_same_model, is_other_epoch, is_earlier, answer.trace_no

        return sorted(answers, key=distance)

    def _question(self, rubric: Rubric, number: int) -> str | None:
        """Return what a trace was asked: its own words, else the rubric's, else None."""
        body = self._body(number)
        question_text: str | None = body.get("question")
        question = rubric.questions_by_id.get(body.get("question_id", ""))
        if question_text is None and question is not None:
            question_text = question.question
        return question_text

    def _body(self, number: int) -> dict[str, Any]:
        """Return the fields of a trace by its number, as they are kept; the trace must be there."""
        sql = "SELECT body FROM traces WHERE no = ?"
        (text,) = self._file.db.execute(sql, (number,)).fetchone()
        body: dict[str, Any] = from_json(text)
        return body


def _conditions(text: str) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the conditions in SQL, each with its values, that find the traces a text may mean.

    The closest comes first. A name is an id with its epoch; `2` and `#2` are the second trace. A
    condition says how what it finds is sorted.
    """
    from appellate.stats.whole_number import whole_number  # not before the first paint

    if not text:
        yield "no > 0 ORDER BY no", ()
        return
    if not is_utf8(text):
        return
    number = whole_number(text.removeprefix("#"))
    if number is not None:
        yield "no = ?", (number,)
    yield "id = ? ORDER BY epoch", (text,)
    name, mark, epoch = text.rpartition("#")
    if mark:
        yield "id = ? AND instr(epoch, ?) = 1 ORDER BY epoch", (name, epoch)
    yield "id >= ?1 AND id < ?2 ORDER BY id, epoch", (text, text + _LAST)
    yield "instr(lower(id), lower(?))", (text,)


# -- metadata -------------------------------------------------------------------------------------

FIELDS = ("cluster", "question_id")
"""The fields that are answered here beside those that begin with `META`."""
TEXT = 2_000
"""Characters of a text that are known here; a trace has it whole."""
MANY = 100
"""Values of a list, and keys of a table, that are known here."""
MOST = 300  # keys that are listed
_SAMPLES = 4  # places far apart at which values to offer are looked for
_LOOKED_AT = 32  # values at such a place
_OFFERED = 50  # values, at most, of a key
_SHORT = 40  # characters of such a value
_VALUES = (
    "SELECT trace, value FROM metadata WHERE name IN (SELECT no FROM metadata_names"
    " WHERE name = ?)"
)


def by_trace(db: sqlite3.Connection, name: str) -> Iterator[tuple[int, str]]:
    """Yield each trace's number with each value that it has under a name, as a query writes it.

    They come in the order of the traces; a value that a trace has several times comes once.
    """
    cursor = db.execute(f"{_VALUES} ORDER BY trace, at", (name,))
    for trace_no, rows in groupby(cursor, itemgetter(0)):
        words = [in_words(value) for _, value in rows]
        for word in dict.fromkeys(words):
            yield trace_no, word


_BY = {
    "model": "SELECT trace, model FROM heads WHERE model <> ''",
    "epoch": "SELECT no, CAST(epoch AS TEXT) FROM traces",
    "question": (
        "SELECT trace, iif(question_id = '', question, question_id) AS asked FROM heads"
        " WHERE asked <> ''"
    ),
}


def words_by(db: sqlite3.Connection, grouping: str) -> Mapping[int, Sequence[str]]:
    """Return the groups that each trace is in, by its number.

    `grouping` is "model", "epoch", "question", "cluster" or the name of a metadata key, as queries
    write it: "meta.site". A long question is known by its beginning. Traces in no group are left
    out.
    """
    rows = db.execute(_BY[grouping]) if grouping in _BY else by_trace(db, grouping)
    words_by_trace: dict[int, list[str]] = {}
    for trace_no, word in rows:
        words = words_by_trace.setdefault(trace_no, [])
        words.append(word)
    return words_by_trace


class MetadataPart(NamedTuple):
    """One value in a trace's metadata, by the name that queries use."""

    name: str
    value: float | str
    """A number, or a text as a query writes it; a table is JSON."""
    is_table: bool = False


def parts(trace: Mapping[str, Any]) -> Iterator[MetadataPart]:
    """Yield the values in a trace's metadata, and of its `FIELDS`, by the names that queries use.

    `trace` has a trace's fields, as they are kept. `meta.a.b` is the key "a.b", or "b" in the table
    "a". Values of a list have the list's name; a table is there as a whole, too. What is long is
    cut, as `TEXT` and `MANY` say. Of a pair only the `FIELDS` are yielded, since its metadata may
    tell who wrote its responses.
    """
    metadata = {} if trace.get("other") else trace.get("metadata") or {}
    for key, value in metadata.items():
        yield from _parts(META + key, value)
    for name in FIELDS:
        if trace.get(name) is not None:
            yield MetadataPart(name, trace[name])


def _parts(name: str, value: Any) -> Iterator[MetadataPart]:
    """Yield the parts of one metadata value: each of a list; of a table the whole, then each.

    A text is cut after `TEXT` characters, lists and tables after `MANY` values. A number that is
    whole becomes an int, one that SQLite cannot hold a text.
    """
    if isinstance(value, str):
        yield MetadataPart(name, value[:TEXT])
    elif isinstance(value, list):
        for element in value[:MANY]:
            yield from _parts(name, element)
    elif isinstance(value, dict):
        yield MetadataPart(name, in_words(value)[:TEXT], is_table=True)
        for key in list(value)[:MANY]:
            yield from _parts(f"{name}.{key}", value[key])
    elif isinstance(value, float) and not isnan(value) and not value.is_integer():
        yield MetadataPart(name, value)
    elif type(value) in (int, float) and abs(value) < _INTEGERS:
        yield MetadataPart(name, int(value))
    else:
        yield MetadataPart(name, in_words(value)[:TEXT])


def in_words(value: Any) -> str:
    """Return a value as a query writes it: `true`, `3`, `null`; a table or list as JSON.

    A text is returned as it is.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)


class MetadataNames(NamedTuple):
    """The keys that traces have in their metadata."""

    keys: tuple[str, ...]
    """In the order of the alphabet."""
    more: bool
    """Whether there are more keys than these."""
    words: Mapping[str, tuple[str, ...]]
    """Values to offer, by the name that queries use."""


def names(db: sqlite3.Connection) -> MetadataNames:
    """Return the keys that traces have in their metadata, with values to offer for each.

    If there are more than `MOST`, only the commonest are returned. Keys are in the order of the
    alphabet. `FIELDS` are not among the keys, but have values to offer, too.
    """
    sql = "SELECT name FROM metadata_names WHERE NOT is_table"
    key_names = [name for (name,) in db.execute(sql) if name not in FIELDS]
    in_tables = Counter(name.rpartition(".")[0] for name in key_names)
    del in_tables[META.rstrip(".")]
    more = len(key_names) > MOST or max(in_tables.values(), default=0) >= MANY
    if len(key_names) > MOST:
        listed = (
            "SELECT n.name FROM metadata m JOIN metadata_names n ON n.no = m.name"
            " WHERE NOT n.is_table GROUP BY n.no ORDER BY count(*) DESC, n.name LIMIT ?"
        )
        most = [name for (name,) in db.execute(listed, (MOST + len(FIELDS),))]
        key_names = [name for name in most if name not in FIELDS][:MOST]
    keys = sorted(name.removeprefix(META) for name in key_names)
    values_by_name: dict[str, tuple[str, ...]] = {}
    for name in (*FIELDS, *key_names):
        values = _offered(db, name)
        if values:
            values_by_name[name] = values
    return MetadataNames(tuple(keys), more, values_by_name)


def _offered(db: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Return at most `_OFFERED` short values that traces have under a name, to offer in a list.

    They are looked for in a few places far apart, and the commonest of these are taken. Numbers are
    sorted by size if all are numbers, else all by the alphabet.
    """
    (traces,) = db.execute("SELECT ifnull(max(no), 0) FROM traces").fetchone()
    sql = f"{_VALUES} AND trace >= ? ORDER BY trace LIMIT ?"
    word_counts: Counter[str] = Counter()
    for place in range(_SAMPLES):
        rows = db.execute(sql, (name, place * traces // _SAMPLES, _LOOKED_AT))
        word_counts.update(in_words(value) for _, value in rows)
    short_words: list[str] = []
    for word, _ in word_counts.most_common(_OFFERED):
        if len(word) <= _SHORT:
            short_words.append(word)
    are_numbers = all(map(NUMBER.fullmatch, short_words))
    if are_numbers:
        return tuple(sorted(short_words, key=float))
    return tuple(sorted(short_words))
