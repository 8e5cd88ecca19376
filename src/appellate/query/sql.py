"""A query as SQL over the tables of a workspace: `cells` (c), `traces` (t), `acts`, `bookmarks`.

What SQL cannot say (case folding, wildcards, rounding as the screen does) are functions of
`FUNCTIONS`, to be registered with the connection.
"""

import json
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import repeat
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.query.language import DATE, NUMBER, Field, Op, Query, Term, like, values_text

STATE_SEEN = (
    "CASE WHEN c.sampled = 2 AND c.state IN ('proposed', 'failed') THEN 'pending' ELSE c.state END"
)
"""A cell's state as people see it: of a blind one not whether, or how, its judge answered."""

SHOWN_DECIMALS = 2
"""How many decimals of a measure the screen shows; `f1=0.67` asks for what is shown so."""


class Order(NamedTuple):
    """One order of the queue; `name` is what it is called."""

    id: str
    name: str


ORDERS = (
    Order("loaded", "in file order"),
    Order("unreviewed", "unreviewed first"),
    Order("failed", "failed first"),
    Order("flagged", "flagged first"),
    Order("lowest", "lowest first"),
    Order("unverified", "most unverified evidence first"),
    Order("disagreement", "most disagreement first"),
    Order("sample", "the sample, in the order drawn"),
    Order("random", "in random order"),
)


class Sql(NamedTuple):
    """A piece of SQL, and the values of its question marks."""

    text: str
    values: tuple[object, ...] = ()


class Reader(Struct, frozen=True):
    """Who reads; the traces that speak to the judge though no row says so yet; questions by id; the
    traits that read whole conversations.
    """

    name: str = ""
    suspicious: tuple[int, ...] = ()
    questions: Mapping[str, str] = {}
    conversations: tuple[str, ...] = ()


def statement(query: Query, reader: Reader, order: str = "loaded", seed: int = 0) -> Sql:
    """The numbers of the cells, and of their traces, in an order; raises KeyError for no order."""
    where = condition(query, reader)
    by = _order_by(order, seed)
    return Sql(
        f"SELECT c.no, c.trace FROM cells c WHERE {where.text} ORDER BY {by.text}",
        (*where.values, *by.values),
    )


def traits(query: Query) -> Sql:
    """The traits that the cells of a query may be of, as far as it names them."""
    test, _ = _NAMED["trait"]
    asked = [Sql("trait <> ''")]
    for term in query.terms:
        if term.field.name == "trait":
            named = _one_of(test, term.values)
            if term.negated:
                named = _within("NOT {}", named)
            asked.append(named)
    where = _joined(" AND ", asked)
    return Sql(f"SELECT DISTINCT trait FROM totals WHERE {where.text}", where.values)


# -- conditions -----------------------------------------------------------------------------------

_PLACE = "(SELECT place FROM drawn WHERE drawn.trace = c.trace)"
"""Where a cell's trace is in the order of the draw."""
_FIGURES = "nullif(c.figures, '')"
_IN_TEXT = {
    "": ("id", "question", "response"),
    "text": ("response",),
    "question": ("question",),
}
"""Where the fields look for words that ask for them in a trace; a bare word has the field ""."""
_TEXTS = {"": "texts JOIN responses USING (trace)", "text": "responses", "question": "texts"}
"""The tables that these are in."""
_SAYS = {
    "id": "instr(id, ?)",
    "question": "instr(question, ?)",
    "response": "holds(response, ?)",
}
"""SQLite's own search is the faster one in what is short."""
_OF_THOSE = (
    "c.no IN (WITH those AS (SELECT c.no, c.trace FROM cells c WHERE {}) SELECT no FROM those"
    " WHERE trace IN (SELECT trace FROM {} WHERE trace IN (SELECT trace FROM those) AND {}))"
)
"""Of the cells that are so, those whose traces say that: which are so is found once."""
_OF_QUESTIONS = (
    "trace IN (SELECT trace FROM heads WHERE question_id IN (SELECT value FROM json_each(?)))"
)
"""The traces whose question is one of the rubric's."""
_WHOLE = "trace IN (SELECT trace FROM cells WHERE trait IN (SELECT value FROM json_each(?)))"
"""The traces of which some trait reads the whole conversation."""
_IN_STEPS = f"trace IN (SELECT trace FROM said WHERE holds(words, ?) AND {_WHOLE})"
_WITHOUT_STEPS = "trace NOT IN (SELECT trace FROM said)"
"""The traces without messages: their conversation is the question and the response."""
_IN_QUESTION = "trace IN (SELECT trace FROM texts WHERE {} AND {} AND {})"
_SAID = "said."
"""How the fields begin that ask for what somebody said: `said.tool`."""
_SAID_BY = "c.trace IN (SELECT trace FROM said WHERE who = ? AND holds(words, ?))"
_RESPONDED = (
    f"c.trace IN (SELECT trace FROM responses WHERE holds(response, ?) AND {_WITHOUT_STEPS})"
)
_CALLED = "SELECT tool FROM (SELECT DISTINCT tool FROM calls)"
ASKED = ("instruction", "answer", "judged")
"""The fields that ask for instructions."""
_COUNTED = ("unverified", "breaches", "round", "overruled")
"""Fields that are a column of cells."""
COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_YEAR = 4  # digits, which stand for a number and begin a date
_LONGEST = 500  # letters of a text that may be a number
_ACTED = "SELECT cell FROM acts WHERE undone IS NULL AND by IN"
_PEOPLE = "SELECT by FROM (SELECT DISTINCT by FROM acts)"
_MODELS = "SELECT model FROM (SELECT DISTINCT model FROM heads) WHERE model <> '' AND {}"
_KINDS = "SELECT kind FROM (SELECT DISTINCT kind FROM cells)"
_JUDGES = "SELECT judged_by FROM (SELECT DISTINCT judged_by FROM cells)"
_NAMED = {
    "trait": ("named(?, trait)", "c.trait IN (SELECT trait FROM totals WHERE {})"),
    "kind": ("named(?, kind)", f"c.kind IN ({_KINDS} WHERE {{}})"),
    "id": ("named(?, id)", "c.trace IN (SELECT no FROM traces WHERE {})"),
    "by": ("named(?, by)", f"c.no IN ({_ACTED} ({_PEOPLE} WHERE {{}}))"),
    "model": (
        "named(?, model)",
        f"c.trace IN (SELECT trace FROM heads WHERE model IN ({_MODELS}))",
    ),
    "judge": ("any_named(?, judged_by)", f"c.judged_by IN ({_JUDGES} WHERE {{}})"),
    "calls": (
        "named(?, tool)",
        f"c.trace IN (SELECT trace FROM calls WHERE tool IN ({_CALLED} WHERE {{}}))",
    ),
}
"""Of what has a name: the test of one pattern, and the cells of those that pass."""
_HELD = (
    "c.trace IN (SELECT trace FROM metadata WHERE name IN"
    " (SELECT no FROM metadata_names WHERE name = ?) AND {})"
)
_OF_NO_HIDDEN = "c.trace NOT IN (SELECT trace FROM cells WHERE sampled = 2)"
"""Cells of whose traces no judge is hidden: of others, no metadata tell what one may have said."""
_MARKS = {
    "flagged": "c.flag",
    "bookmarked": "c.no IN (SELECT cell FROM bookmarks WHERE by = ?)",
    "commented": "c.no IN (SELECT cell FROM acts WHERE name = 'commented' AND undone IS NULL)",
    "signed": "c.state = 'reviewed'",
    "unverified": "c.unverified > 0",
    "inconsistent": "c.breaches > 0",
    "disputed": "c.disagreement > 0",
    "missing-judge": f"json_extract({_FIGURES}, '$.absent') > 0",
    "suspicious": "(c.suspect > 0 OR c.trace IN (SELECT value FROM json_each(?)))",
    "example": "c.example",
    "hasty": "c.hasty",
    "outdated": "c.outdated",
    "unsettled": "c.unsettled = 1",
    "sampled": "c.sampled > 0",
    "blind": "c.sampled = 2",
    "ruled": "c.sampled = 3",
}


def condition(query: Query, reader: Reader) -> Sql:
    """What cells must be. Texts, which take longest, are asked last, of the cells that are so."""
    in_text = [term for term in query.terms if term.field.name in _IN_TEXT]
    apart = {*ASKED, *_IN_TEXT}
    of_cells = [term for term in query.terms if term.field.name not in apart]
    terms = [*map(_signed, of_cells, repeat(reader)), *_asked(query)]
    others = _joined(" AND ", terms or [Sql("1")])
    if not in_text:
        return others
    names = {term.field.name for term in in_text}
    texts = _TEXTS[names.pop() if len(names) == 1 else ""]
    words = _joined(" AND ", _in_text(in_text, reader))
    if not terms:
        return Sql(f"c.trace IN (SELECT trace FROM {texts} WHERE {words.text})", words.values)
    text = _OF_THOSE.format(others.text, texts, words.text)
    return Sql(text, (*others.values, *words.values))


def _in_text(terms: Sequence[Term], reader: Reader) -> Iterator[Sql]:
    for term in sorted(terms, key=_effort):
        places = _IN_TEXT[term.field.name]
        tests = []
        for word in map(folded, term.values):
            tests += [Sql(_SAYS[place], (word,)) for place in places]
            of_questions = _of_questions(word, reader)
            if "question" in places:
                tests += of_questions
            if "response" in places and reader.conversations:
                whole = json.dumps(reader.conversations)
                tests.append(Sql(_IN_STEPS, (word, whole)))
                asked = _any([Sql(_SAYS["question"], (word,)), *of_questions])
                text = _IN_QUESTION.format(asked.text, _WITHOUT_STEPS, _WHOLE)
                tests.append(Sql(text, (*asked.values, whole)))
        yield _within("NOT {}" if term.negated else "{}", _any(tests))


def _of_questions(word: bytes, reader: Reader) -> list[Sql]:
    """The traces that answer one of the rubric's questions with a word, if there are such."""
    names = [name for name, text in reader.questions.items() if word in folded(text)]
    if not names:
        return []
    return [Sql(_OF_QUESTIONS, (json.dumps(names),))]


def _said(term: Term, reader: Reader) -> Sql:
    """The cells of traces in which somebody said one of some words.

    Without messages the user said the question, and the assistant the response.
    """
    who = term.field.name.removeprefix(_SAID)
    tests: list[Sql] = []
    for word in map(folded, term.values):
        tests.append(Sql(_SAID_BY, (who, word)))
        if who == "assistant":
            tests.append(Sql(_RESPONDED, (word,)))
        elif who == "user":
            asked = _any([Sql(_SAYS["question"], (word,)), *_of_questions(word, reader)])
            text = _IN_QUESTION.format(asked.text, _WITHOUT_STEPS, "1")
            tests.append(Sql(f"c.{text}", asked.values))
    return _any(tests)


def _effort(term: Term) -> tuple[bool, int]:
    """What is read fast comes before responses, and long words, which fewer say, before short."""
    return "response" in _IN_TEXT[term.field.name], -min(map(len, term.values))


def _asked(query: Query) -> Iterator[Sql]:
    """The terms that ask for instructions, all of them for one and the same.

    `instruction:lactate answer:missing` finds the cells in which that one is missing, and with
    `judged:found` those where the judge had found it. `-answer:missing` finds those in which none
    of the instructions with these words is, `-instruction:lactate` those that have no such
    instruction.
    """
    meant: list[Sql] = []
    given: list[Sql] = []
    refused: list[Sql] = []
    for term in query.terms:
        if term.field.name == "instruction":
            words = _one_of("mentions(text, ?)", map(folded, term.values))
            if term.negated:
                others = "SELECT no FROM checklists EXCEPT SELECT checklist FROM questions WHERE {}"
                yield _within(f"c.checklist IN ({others})", words)
            else:
                meant.append(words)
        elif term.field.name in ASKED:
            named = _one_of("named(?, word)", term.values)
            test = _within(f"{term.field.name} IN (SELECT no FROM words WHERE {{}})", named)
            (refused if term.negated else given).append(test)
    questions: list[Sql] = []
    if meant:
        asked = _joined(" AND ", meant)
        questions = [_within("question IN (SELECT no FROM questions WHERE {})", asked)]
        if not given:
            yield _within("c.checklist IN (SELECT checklist FROM questions WHERE {})", asked)
    if given:
        answered = _joined(" AND ", [*questions, *given])
        yield _within("EXISTS (SELECT 1 FROM given WHERE cell = c.no AND {})", answered)
    for test in refused:
        answered = _joined(" AND ", [*questions, test])
        yield _within("NOT EXISTS (SELECT 1 FROM given WHERE cell = c.no AND {})", answered)


def _within(text: str, inner: Sql) -> Sql:
    return Sql(text.format(inner.text), inner.values)


def _signed(term: Term, reader: Reader) -> Sql:
    """The condition of a term; where SQL says NULL, it is not met."""
    asked = _term(term, reader)
    if term.negated:
        return _within("NOT ifnull({}, 0)", asked)
    return asked


def _term(term: Term, reader: Reader) -> Sql:
    name = term.field.name
    values = term.values
    if name == "state":
        return Sql(f"{STATE_SEEN} IN ({', '.join('?' * len(values))})", values)
    if name == "is":
        bound: Mapping[str, tuple[object, ...]] = {
            "bookmarked": (reader.name,),
            "suspicious": (json.dumps(reader.suspicious),),
        }
        return _any(Sql(_MARKS[mark], bound.get(mark, ())) for mark in values)
    if name == "epoch":
        return _within("c.trace IN (SELECT no FROM traces WHERE {})", _compared("epoch", term))
    if name == "steps":
        return _within("c.trace IN (SELECT trace FROM heads WHERE {})", _compared("steps", term))
    if name.startswith(_SAID):
        return _said(term, reader)
    if name in _COUNTED:
        return _compared(f"c.{name}", term)
    if name in _NAMED:
        test, cells = _NAMED[name]
        return _within(cells, _one_of(test, values))
    if term.field.shape == "meta":
        return _held(term)
    if term.field.word:
        return _counted_or(term)
    return _of_kind(term)


def _counted_or(term: Term) -> Sql:
    """A count of evidence, or that some is in the words of a user or of the system."""
    tests: list[Sql] = []
    if term.field.word in term.values:
        tests.append(Sql(f"json_extract({_FIGURES}, '$.context') > 0"))
    counts = tuple(value for value in term.values if value != term.field.word)
    if counts:
        op: Op = "=" if term.op == ":" else term.op
        tests.append(_of_kind(replace(term, op=op, values=counts)))
    return _any(tests)


def _held(term: Term) -> Sql:
    # not before any query asks for metadata
    from appellate.core.verdict_like import is_verdict_word, names_verdict

    tests: list[Sql] = []
    for wanted in term.values:
        if term.op in COMPARED:
            tests.append(Sql("is_beside(?, ?, value)", (term.op, wanted)))
            continue
        tests.append(Sql("named(?, value)", (wanted,)))
        if NUMBER.fullmatch(wanted):
            tests.append(Sql("value = ?", (float(wanted),)))
    test = _any(tests)
    held = Sql(_HELD.format(test.text), (term.field.name, *test.values))
    if names_verdict(term.field.name) or any(map(is_verdict_word, term.values)):
        return Sql(f"({held.text} AND {_OF_NO_HIDDEN})", held.values)
    return held


def _of_kind(term: Term) -> Sql:
    """A field of a kind, or a measure; 0/0 is smaller and greater than nothing."""
    field = term.field
    figures, path = _place(field)
    if term.op == ":" and field.shape == "measure":
        return Sql(f"json_type({figures}, ?) = 'null'", (path,))
    value = f"json_extract({figures}, ?)"
    if field.shape == "like":
        return _one_of(f"named(?, {value})", term.values, path)
    if field.shape == "values":
        return _one_of(f"any_value(?, {value})", term.values, path)
    if field.shape == "count":
        return _compared(value, term, path)
    if term.op == "=":
        return _any(_shown(value, path, number) for number in term.values)
    return Sql(f"{value} {term.op} ?", (path, float(term.values[0])))


def _shown(value: str, path: str, number: str) -> Sql:
    """Equal as the screen shows it: to two decimals, or to as many as were written."""
    decimals = max(SHOWN_DECIMALS, len(number.partition(".")[2]))
    wanted = round(float(number), decimals)
    near = 10.0**-decimals
    return Sql(
        f"({value} BETWEEN ? AND ? AND rounded({value}, ?) = ?)",
        (path, wanted - near, wanted + near, path, decimals, wanted),
    )


def _compared(column: str, term: Term, *bound: str) -> Sql:
    """A count beside each of a term's numbers; `bound` are the values of the column's own marks."""
    return _any(Sql(f"{column} {term.op} ?", (*bound, int(number))) for number in term.values)


def _place(field: Field) -> tuple[str, str]:
    """Where a field is in a cell's figures: in what JSON, and its path there."""
    part, _, name = field.path.partition(".")
    if part in ("standing", "judge"):
        return f"c.{part}", f'$."{name}"'
    return _FIGURES, f'$."{part}"."{name}"'


def _one_of(test: str, values: Iterable[object], *more: object) -> Sql:
    """The test for one of some values; `more` are those of its further marks."""
    return _any(Sql(test, (value, *more)) for value in values)


def _any(conditions: Iterable[Sql]) -> Sql:
    return _joined(" OR ", conditions)


def _joined(word: str, conditions: Iterable[Sql]) -> Sql:
    texts: list[str] = []
    values: list[object] = []
    for text, bound in conditions:
        texts.append(text)
        values += bound
    return Sql(f"({word.join(texts)})", tuple(values))


# -- order ----------------------------------------------------------------------------------------


def orders(measures: Iterable[str]) -> list[Order]:
    """Every order: those there always are, then by each of the measures."""
    found = list(ORDERS)
    for measure in measures:
        for order in (f"lowest {measure}", f"highest {measure}"):
            name = f"{order} first"
            found.append(Order(order, name))
    return found


def is_order(order: str) -> bool:
    """Whether there is an order of that id."""
    return bool(_measure(order)) or order in dict(ORDERS)


def order_name(order: str) -> str:
    """What an order is called; raises KeyError for what is none."""
    if _measure(order):
        return f"{order} first"
    return dict(ORDERS)[order]


_BY = {
    "loaded": "c.no",
    "unreviewed": "c.state = 'reviewed', c.no",
    "failed": f"{STATE_SEEN} <> 'failed', c.no",
    "flagged": "NOT c.flag, c.no",
    "lowest": "c.goodness IS NULL, c.goodness, c.no",
    "unverified": "-c.unverified, c.no",
    "disagreement": "-ifnull(c.disagreement, 0), c.no",
    "sample": f"{_PLACE} IS NULL, {_PLACE}, c.no",
}


def _order_by(order: str, seed: int) -> Sql:
    """Cells that stand equal stay as loaded, and what is undefined comes last."""
    if order in _BY:
        return Sql(_BY[order])
    if order == "random":
        # another order of lots for each seed: a random line, modulo a prime
        factor = _drawn(f"factor {seed}") % (_LOTS - 1) + 1
        offset = _drawn(f"offset {seed}") % _LOTS
        return Sql("(c.lot * ? + ?) % ?, c.no", (factor, offset, _LOTS))
    measure = _measure(order)
    if not measure:
        raise KeyError(order)
    way = "DESC" if order.startswith("highest ") else "ASC"
    return Sql(f"json_extract(c.standing, ?) {way} NULLS LAST, c.no", (f'$."{measure}"',))


def _measure(order: str) -> str:
    """The measure in "lowest f1" and "highest f1"; nothing in other orders."""
    way, _, measure = order.partition(" ")
    if way in ("lowest", "highest"):
        return measure
    return ""


# -- chance ---------------------------------------------------------------------------------------

_LOTS = 2**31 - 1  # a prime, and so small that SQLite keeps the product of two as a whole number


def lot(trace_id: str, epoch: int, trait: str) -> int:
    """What random orders know of a cell, to be kept with it: chance that hangs on what it is."""
    return _drawn(f"{trace_id}\0{epoch}\0{trait}") % _LOTS


def _drawn(what: str) -> int:
    digest = blake2b(what.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


# -- functions ------------------------------------------------------------------------------------

_SHORT = 6  # bytes: CPython looks for longer words faster than a pattern does, for shorter ones not


@cache
def _like(pattern: str) -> Callable[[str], bool]:
    return like(pattern)


def _named(pattern: str, name: str | None) -> bool:
    """Whether a name is the pattern, in any case; `*` stands for anything."""
    return name is not None and _like(pattern)(str(name))


def folded(text: str) -> bytes:
    """A text as words are looked for in it: in any case."""
    return text.casefold().encode(errors="surrogatepass")


@cache
def _finder(word: bytes) -> Callable[[bytes], object]:
    if len(word) >= _SHORT:
        return lambda text: word in text
    return re.compile(re.escape(word)).search


def _holds(text: bytes, word: bytes) -> bool:
    """Whether a folded text holds a folded word."""
    return bool(_finder(word)(text))


def _mentions(text: str, word: bytes) -> bool:
    """The same for a text as it is."""
    return word in folded(text)


@lru_cache(maxsize=4096)
def _any_named(pattern: str, names: str | None) -> bool:
    """The same for one of a JSON list of names."""
    return any(map(_like(pattern), json.loads(names or "[]")))


@lru_cache(maxsize=4096)
def _any_value(pattern: str, text: str | None) -> bool:
    """The same for one of the values in "C", or in "style C, facts I"."""
    if text is None:
        return False
    return any(map(_like(pattern), (text, *values_text(text))))


def _is_beside(op: str, wanted: str, value: float | str) -> bool:
    """Whether a value is so much, or such a day, beside the one that is written."""
    compare: Callable[[Any, Any], bool] = COMPARED[op]
    if isinstance(value, str):
        is_day = bool(DATE.fullmatch(wanted)) or (len(wanted) == _YEAR and wanted.isdecimal())
        if is_day and DATE.match(value):
            return compare(value[: len(wanted)], wanted)
        if len(value) > _LONGEST or not NUMBER.fullmatch(value):
            return False
        value = float(value)
    return bool(NUMBER.fullmatch(wanted)) and compare(value, float(wanted))


def _rounded(value: float | None, decimals: int) -> float | None:
    if value is None:
        return None
    return round(value, decimals)


FUNCTIONS: Mapping[str, tuple[int, Callable[..., bool | float | None]]] = {
    "named": (2, _named),
    "mentions": (2, _mentions),
    "holds": (2, _holds),
    "any_named": (2, _any_named),
    "any_value": (2, _any_value),
    "rounded": (2, _rounded),
    "is_beside": (3, _is_beside),
}
"""By name: how many values each takes, and what it is."""
