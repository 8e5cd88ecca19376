"""Turn a query into SQL over the tables of a workspace.

`statement()` selects and orders cells, `condition()` only selects them, and `traits()` says which
traits they may be of. `store/queue.py` runs them. `orders()` lists the orders of the queue. `lot()`
is saved with a cell, for its place in random orders.

In the SQL the table `cells` is c. What SQL cannot do (folding case, wildcards, rounding as the
screen does) is done by `FUNCTIONS`, which must be registered with the connection. Who knows the
rubric registers `verdict_like.PossibleVerdicts.may_hold_one` in place of `may_hold_verdict`.
"""

import json
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.query.language import (
    DATE,
    NUMBER,
    Field,
    Op,
    Query,
    Term,
    like,
    values_text,
)

STATE_SEEN = (
    "CASE WHEN c.sampled = 2 AND c.state IN ('proposed', 'failed') THEN 'pending'"
    " ELSE c.state END"
)
"""A cell's state as people see it. Of a blind cell it hides whether, and how, its judge answered.
"""

SHOWN_DECIMALS = 2
"""Decimals of a measure on the screen. `f1=0.67` asks for every value that is shown as 0.67."""


class Order(NamedTuple):
    """An order of the queue."""

    id: str
    """How settings and commands name it."""
    name: str
    """How the screen names it."""


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
"""The orders that do not depend on measures."""


class Sql(NamedTuple):
    """A part of an SQL statement, with the values of its question marks in order."""

    text: str
    values: tuple[object, ...] = ()


class Reader(Struct, frozen=True):
    """Who reads a workspace, and what conditions need to know that its tables do not say."""

    name: str = ""
    """The reviewer, whose bookmarks count."""
    suspicious: tuple[int, ...] = ()
    """Numbers of traces that speak to the judge, though no row says so yet."""
    questions: Mapping[str, str] = {}
    """The texts of the rubric's questions, by id."""
    conversations: tuple[str, ...] = ()
    """The traits that read whole conversations."""
    waves: tuple[tuple[str, int, int], ...] = ()
    """The name of each wave of the sample, and the numbers of its first and last unit, from 1."""


def statement(
    query: Query,
    reader: Reader,
    order: str = "loaded",
    seed: int = 0,
) -> Sql:
    """Return the SQL that selects the number of each cell of a query and of its trace, in an order.

    `order` is the id of one, as in `ORDERS` or "lowest f1". `seed` is for the random order only.
    Raises KeyError for an order that does not exist.
    """
    where = condition(query, reader)
    order_by = _order_by(order, seed)
    return Sql(
        f"SELECT c.no, c.trace FROM cells c WHERE {where.text} ORDER BY {order_by.text}",
        (*where.values, *order_by.values),
    )


def traits(query: Query) -> Sql:
    """Return the SQL that selects the names of the traits that a query's cells may be of.

    Each is selected once. Only the terms with `trait:` are used, with their minus, so it may select
    too many. Without such a term it selects all traits.
    """
    test, _ = _NAME_FIELDS["trait"]
    conditions = [Sql("trait <> ''")]
    for term in query.terms:
        if term.field.name != "trait":
            continue
        is_named = _passes_for_any(test, term.values)
        if term.negated:
            is_named = _filled("NOT {}", is_named)
        conditions.append(is_named)
    where = _all(conditions)
    return Sql(f"SELECT DISTINCT trait FROM totals WHERE {where.text}", where.values)


# -- conditions -----------------------------------------------------------------------------------

_DRAW_POSITION = "(SELECT place FROM drawn WHERE drawn.trace = c.trace)"
"""The position of a cell's trace in the order of the draw; NULL if it was not drawn."""
_FIGURES = "nullif(c.figures, '')"
"""The JSON of a cell's figures; NULL if it has none."""
_TEXT_COLUMNS = {
    "": ("id", "question", "response"),
    "text": ("response",),
    "question": ("question",),
}
"""The columns in which each field looks for words. A word without a field has the field ""."""
_TEXT_TABLES = {
    "": "texts JOIN responses USING (trace)",
    "text": "responses",
    "question": "texts",
}
"""The tables that hold the columns of a field; those of "" hold all of them."""
_CONTAINS = {
    "id": "instr(id, ?)",
    "question": "instr(question, ?)",
    "response": "holds(response, ?)",
}
"""The test that a column contains a word. SQLite's own search is faster in short texts."""
_OF_SELECTED = (
    "c.no IN (WITH those AS (SELECT c.no, c.trace FROM cells c WHERE {}) SELECT no FROM those"
    " WHERE trace IN (SELECT trace FROM {} WHERE trace IN (SELECT trace FROM those) AND {}))"
)
"""The cells that meet a condition, and whose traces have a text that meets another.

It takes the first condition, the tables of the text, and the second condition. The first one is
evaluated only once.
"""
_HAS_QUESTION = (
    "trace IN (SELECT trace FROM heads WHERE question_id IN (SELECT value FROM"
    " json_each(?)))"
)
"""The traces whose question is one of a list of the rubric's question ids."""
_READ_WHOLE = (
    "trace IN (SELECT trace FROM cells WHERE trait IN (SELECT value FROM json_each(?)))"
)
"""The traces of which one of a list of traits reads the whole conversation."""
_IN_STEPS = f"trace IN (SELECT trace FROM said WHERE holds(words, ?) AND {_READ_WHOLE})"
"""The traces with a word in a step, if one of a list of traits reads the whole conversation."""
_WITHOUT_STEPS = "trace NOT IN (SELECT trace FROM said)"
"""The traces without messages. Their conversation is the question and the response."""
_IN_QUESTION = "trace IN (SELECT trace FROM texts WHERE {} AND {} AND {})"
"""The traces whose question meets three conditions."""
_SAID = "said."
"""The names of fields about what somebody said begin with this, as in `said.tool`."""
_SAID_BY = "c.trace IN (SELECT trace FROM said WHERE who = ? AND holds(words, ?))"
"""Cells of traces in which somebody said a word in a step."""
_RESPONDED = (
    "c.trace IN (SELECT trace FROM responses WHERE holds(response, ?) AND"
    f" {_WITHOUT_STEPS})"
)
"""Cells of traces without messages whose response has a word."""
_CALLED = "SELECT tool FROM (SELECT DISTINCT tool FROM calls)"
ASKED = ("instruction", "answer", "judged")
"""The fields about instructions. All terms with them are about the same instruction."""
_CELL_COLUMNS = ("unverified", "breaches", "round", "overruled", "flipped")
"""The fields that are a column of cells."""
_COUNTS_OF_TRACES = {
    "epoch": "c.trace IN (SELECT no FROM traces WHERE {})",
    "steps": "c.trace IN (SELECT trace FROM heads WHERE {})",
}
"""For each field that counts something of a trace: the cells of traces that pass a test."""
COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
"""The comparison that each sign stands for."""
_YEAR = 4  # digits, which may be a number or begin a date
_LONGEST_NUMBER = 500  # characters
_ACTED = "SELECT cell FROM acts WHERE undone IS NULL AND by IN"
_PEOPLE = "SELECT by FROM (SELECT DISTINCT by FROM acts)"
_MODELS = (
    "SELECT model FROM (SELECT DISTINCT model FROM heads) WHERE model <> '' AND {}"
)
_KINDS = "SELECT kind FROM (SELECT DISTINCT kind FROM cells)"
_JUDGES = "SELECT judged_by FROM (SELECT DISTINCT judged_by FROM cells)"
_NAME_FIELDS = {
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
"""For each field of names: the test of a name by one pattern, and the cells whose name passes."""
_HAS_METADATA = (
    "c.trace IN (SELECT trace FROM metadata WHERE name IN"
    " (SELECT no FROM metadata_names WHERE name = ?) AND {}"
    " AND (trace NOT IN (SELECT trace FROM cells WHERE sampled = 2)"
    " OR NOT may_hold_verdict(?, value)))"
)
"""Cells of traces with a value of a metadata key that passes a test.

Of traces with a blind cell only what may not be a verdict is looked at, as the screen shows it.
"""
_OF_WAVE = (
    "c.trace IN (SELECT d.trace FROM json_each(?) wave JOIN drawn d ON d.unit BETWEEN"
    " json_extract(wave.value, '$[1]') AND json_extract(wave.value, '$[2]') WHERE {})"
)
"""Cells of traces that were drawn in a wave, of a list of them, whose name passes a test."""
_MARKS = {
    "flagged": "c.flag",
    "bookmarked": "c.no IN (SELECT cell FROM bookmarks WHERE by = ?)",
    "commented": "c.no IN (SELECT cell FROM acts WHERE name = 'commented' AND undone IS NULL)",
    "signed": "c.state = 'reviewed'",
    "unverified": "c.unverified > 0",
    "inconsistent": "c.breaches > 0",
    "disputed": "c.disagreement > 0",
    "missing-judge": f"json_extract({_FIGURES}, '$.absent') > 0",
    "flipped": "c.flipped > 0",
    "suspicious": "(c.suspect > 0 OR c.trace IN (SELECT value FROM json_each(?)))",
    "example": "c.example",
    "hasty": "c.hasty",
    "outdated": "c.outdated",
    "unsettled": "c.unsettled = 1",
    "sampled": "c.sampled > 0",
    "blind": "c.sampled = 2",
    "ruled": "c.sampled = 3",
}
"""The condition of each mark."""


def condition(query: Query, reader: Reader) -> Sql:
    """Return the condition that a query sets for cells; one that all meet without terms.

    The SQL calls the table of cells `c`. With a minus, a cell for which a condition is NULL meets
    it; without, it does not. Searching texts takes longest, so it is done last, and only for cells
    that meet all other terms.
    """
    text_terms: list[Term] = []
    conditions: list[Sql] = []
    for term in query.terms:
        name = term.field.name
        if name in _TEXT_COLUMNS:
            text_terms.append(term)
        elif name not in ASKED:
            negation = "NOT ifnull({}, 0)" if term.negated else "{}"
            unsigned = _unsigned_condition(term, reader)
            conditions.append(_filled(negation, unsigned))
    conditions += _instruction_conditions(query)
    of_cells = _all(conditions)
    if not text_terms:
        return of_cells

    names = {term.field.name for term in text_terms}
    only_name = names.pop() if len(names) == 1 else ""
    tables = _TEXT_TABLES[only_name]
    of_texts = _all(_text_conditions(text_terms, reader))
    if not conditions:
        return Sql(
            f"c.trace IN (SELECT trace FROM {tables} WHERE {of_texts.text})",
            of_texts.values,
        )
    text = _OF_SELECTED.format(of_cells.text, tables, of_texts.text)
    return Sql(text, (*of_cells.values, *of_texts.values))


def _text_conditions(terms: Sequence[Term], reader: Reader) -> Iterator[Sql]:
    """Yield the condition of each term that looks for words in a trace's texts, minus included.

    They come in the order in which they are tested fastest, not that of the query. The SQL has the
    columns of the tables in `_TEXT_TABLES`. A term must have a field of `_TEXT_COLUMNS`.
    """
    for term in sorted(terms, key=_search_time):
        has_one = _any(_in_texts(value, term.field, reader) for value in term.values)
        negation = "NOT {}" if term.negated else "{}"
        yield _filled(negation, has_one)


def _in_texts(words: str, field: Field, reader: Reader) -> Sql:
    """Return the condition that a trace has these words, next to each other, in a field's texts.

    Upper and lower case are the same, and a word may be a part of another. The question is the
    trace's own, or the rubric's with its id. Where a trait reads whole conversations, a step counts
    as the response, and so does the question of a trace without messages. The field must be one of
    `_TEXT_COLUMNS`.
    """
    folded_words = folded(words)
    in_question = _in_question(folded_words, reader)
    columns = _TEXT_COLUMNS[field.name]
    tests: list[Sql] = []
    for column in columns:
        if column == "question":
            tests.append(in_question)
        else:
            tests.append(Sql(_CONTAINS[column], (folded_words,)))

    if "response" in columns and reader.conversations:
        traits_that_read_all = json.dumps(reader.conversations)
        tests.append(Sql(_IN_STEPS, (folded_words, traits_that_read_all)))
        text = _IN_QUESTION.format(in_question.text, _WITHOUT_STEPS, _READ_WHOLE)
        tests.append(Sql(text, (*in_question.values, traits_that_read_all)))
    return _any(tests)


def _in_question(folded_words: bytes, reader: Reader) -> Sql:
    """Return the condition that a trace's question, or the rubric's with its id, has some words.

    `folded_words` are as `folded` returns them, and are looked for next to each other.
    """
    tests = [Sql(_CONTAINS["question"], (folded_words,))]
    question_ids = [
        question_id
        for question_id, text in reader.questions.items()
        if _mentions(text, folded_words)
    ]
    if question_ids:
        tests.append(Sql(_HAS_QUESTION, (json.dumps(question_ids),)))
    return _any(tests)


def _said_by(term: Term, reader: Reader) -> Sql:
    """Return the condition of a term such as `said.user:`: that a step of the user has its words.

    The words of one value must be next to each other, and one of the values is enough. In a trace
    without messages the question is what the user said, and the response what the assistant said.
    The minus of the term is not in it.
    """
    who = term.field.name.removeprefix(_SAID)
    tests: list[Sql] = []
    for value in term.values:
        folded_words = folded(value)
        tests.append(Sql(_SAID_BY, (who, folded_words)))
        if who == "assistant":
            tests.append(Sql(_RESPONDED, (folded_words,)))
        elif who == "user":
            in_question = _in_question(folded_words, reader)
            text = _IN_QUESTION.format(in_question.text, _WITHOUT_STEPS, "1")
            tests.append(Sql(f"c.{text}", in_question.values))
    return _any(tests)


def _drawn_in_wave(term: Term, reader: Reader) -> Sql:
    """Return the condition that a cell's trace was drawn in a wave that a term names.

    The names in the term may hold *, and their case does not count. The minus of the term is not in
    it.
    """
    is_named = _passes_for_any(
        "named(?, json_extract(wave.value, '$[0]'))",
        term.values,
    )
    text = _OF_WAVE.format(is_named.text)
    return Sql(text, (json.dumps(reader.waves), *is_named.values))


def _search_time(term: Term) -> tuple[bool, int]:
    """Return a sort key: short texts before responses, then long words, which fewer texts have."""
    return "response" in _TEXT_COLUMNS[term.field.name], -min(map(len, term.values))


def _instruction_conditions(query: Query) -> Iterator[Sql]:
    """Yield the conditions of all terms with instruction:, answer: and judged:, minus included.

    Those without a minus are about one and the same instruction: `instruction:lactate
    answer:missing judged:found` finds cells in which an instruction with this word is missing,
    though the judge found it. `instruction:lactate` alone finds cells with such an instruction.
    `-answer:missing` finds cells in which no instruction is missing, or with `instruction:lactate`
    beside it, no such one. `-instruction:lactate` finds cells of which no instruction has the word,
    whatever the other terms are about.
    """
    with_words: list[Sql] = []
    answers: list[Sql] = []
    excluded_answers: list[Sql] = []
    for term in query.terms:
        if term.field.name == "instruction":
            mentions = _passes_for_any("mentions(text, ?)", map(folded, term.values))
            if term.negated:
                others = "SELECT no FROM checklists EXCEPT SELECT checklist FROM questions WHERE {}"
                yield _filled(f"c.checklist IN ({others})", mentions)
            else:
                with_words.append(mentions)
        elif term.field.name in ASKED:
            is_named = _passes_for_any("named(?, word)", term.values)
            test = _filled(
                f"{term.field.name} IN (SELECT no FROM words WHERE {{}})",
                is_named,
            )
            if term.negated:
                excluded_answers.append(test)
            else:
                answers.append(test)

    questions: list[Sql] = []
    if with_words:
        mentions_all = _all(with_words)
        questions = [
            _filled("question IN (SELECT no FROM questions WHERE {})", mentions_all),
        ]
        if not answers:
            yield _filled(
                "c.checklist IN (SELECT checklist FROM questions WHERE {})",
                mentions_all,
            )
    if answers:
        is_answered = _all([*questions, *answers])
        yield _filled(
            "EXISTS (SELECT 1 FROM given WHERE cell = c.no AND {})",
            is_answered,
        )
    for test in excluded_answers:
        is_answered = _all([*questions, test])
        yield _filled(
            "NOT EXISTS (SELECT 1 FROM given WHERE cell = c.no AND {})",
            is_answered,
        )


def _filled(template: str, inner: Sql) -> Sql:
    """Return SQL with another one in the place of `{}`."""
    return Sql(template.format(inner.text), inner.values)


def _unsigned_condition(term: Term, reader: Reader) -> Sql:
    """Return the condition of a term about cells, without its minus.

    It holds if one of the term's values does, and may be NULL in SQL. The term must not be about
    instructions or about words in texts.
    """
    name = term.field.name
    values = term.values
    if name == "state":
        return Sql(f"{STATE_SEEN} IN ({', '.join('?' * len(values))})", values)
    if name == "is":
        bound_values: Mapping[str, tuple[object, ...]] = {
            "bookmarked": (reader.name,),
            "suspicious": (json.dumps(reader.suspicious),),
        }
        return _any(Sql(_MARKS[mark], bound_values.get(mark, ())) for mark in values)
    if name in _COUNTS_OF_TRACES:
        return _filled(_COUNTS_OF_TRACES[name], _compared(name, term))
    if name.startswith(_SAID):
        return _said_by(term, reader)
    if name == "wave":
        return _drawn_in_wave(term, reader)
    if name in _CELL_COLUMNS:
        return _compared(f"c.{name}", term)
    if name in _NAME_FIELDS:
        test, cells = _NAME_FIELDS[name]
        return _filled(cells, _passes_for_any(test, values))
    if term.field.shape == "meta":
        return _metadata_condition(term)
    if term.field.word:
        return _evidence_condition(term)
    return _figure_condition(term)


def _evidence_condition(term: Term) -> Sql:
    """Return the condition of a term with `evidence`: a count, or the word `user`.

    `user` says that some evidence is in the words of a user or of the system. If the term has both,
    one of them is enough. Without a comparison a count must be equal. The minus of the term is not
    in it.
    """
    tests: list[Sql] = []
    counts: list[str] = []
    for value in term.values:
        if value != term.field.word:
            counts.append(value)
    if len(counts) < len(term.values):
        tests.append(Sql(f"json_extract({_FIGURES}, '$.context') > 0"))
    if counts:
        op: Op = "=" if term.op == ":" else term.op
        of_counts = replace(term, op=op, values=tuple(counts))
        tests.append(_figure_condition(of_counts))
    return _any(tests)


def _metadata_condition(term: Term) -> Sql:
    """Return the condition on the value of a metadata key, or on `cluster` or `question_id`.

    With < or > the value is compared as a number or a date. Otherwise each of the term's values is
    a pattern that may hold *, whose case does not count, and a number also equals a number. Cells
    of traces with a hidden judge never meet it by a value that may be a verdict: what a query finds
    would else reveal the verdict. The minus of the term is not in it.
    """
    name = term.field.name
    tests: list[Sql] = []
    for wanted in term.values:
        if term.op in COMPARED:
            tests.append(Sql("is_beside(?, ?, value)", (term.op, wanted)))
            continue
        tests.append(Sql("named(?, value)", (wanted,)))
        if NUMBER.fullmatch(wanted):
            tests.append(Sql("value = ?", (float(wanted),)))
    test = _any(tests)
    return Sql(_HAS_METADATA.format(test.text), (name, *test.values, name))


def _figure_condition(term: Term) -> Sql:
    """Return the condition on a figure that a kind adds, or on a measure, as a term asks for it.

    Cells without the figure do not meet it: it is NULL or false. A measure with a colon must be
    0/0; such a measure is neither smaller nor greater than any number. With = a number equals every
    value that is shown as that number. Texts are matched by patterns that may hold *. The minus of
    the term is not in it.
    """
    shape = term.field.shape
    figures, path = _json_place(term.field)
    if term.op == ":" and shape == "measure":
        return Sql(f"json_type({figures}, ?) = 'null'", (path,))

    value = f"json_extract({figures}, ?)"
    if shape == "like":
        return _passes_for_any(f"named(?, {value})", term.values, path)
    if shape == "values":
        return _passes_for_any(f"any_value(?, {value})", term.values, path)
    if shape == "count":
        return _compared(value, term, path)
    if term.op == "=":
        tests = [_is_shown_as(value, path, number) for number in term.values]
        return _any(tests)
    number = float(term.values[0])
    return Sql(f"{value} {term.op} ?", (path, number))


def _is_shown_as(value: str, path: str, number: str) -> Sql:
    """Return the condition that a value is shown as a number, which is as a query writes it.

    The value is rounded to two decimals, or to as many as the number has if these are more. `value`
    is SQL with one question mark, for `path`.
    """
    decimals_written = number.partition(".")[2]
    decimals = max(SHOWN_DECIMALS, len(decimals_written))
    wanted = round(float(number), decimals)
    tolerance = 10.0**-decimals
    low = wanted - tolerance
    high = wanted + tolerance
    return Sql(
        f"({value} BETWEEN ? AND ? AND rounded({value}, ?) = ?)",
        (path, low, high, path, decimals, wanted),
    )


def _compared(column: str, term: Term, *column_values: str) -> Sql:
    """Return the condition that a count is equal, or compares, to one of a term's whole numbers.

    The sign is that of the term, which must be one of SQL, no colon. `column` is SQL, and
    `column_values` are the values of its own question marks.
    """
    return _any(
        Sql(f"{column} {term.op} ?", (*column_values, int(number)))
        for number in term.values
    )


def _json_place(field: Field) -> tuple[str, str]:
    """Return the SQL of the JSON that has a field's value, and the path of the value in that JSON.

    The path is one of SQLite's, as `$."counts"."tp"`. Measures of the current labels and of the
    judge are in columns of their own, all other figures in one column.
    """
    part, _, name = field.path.partition(".")
    if part in ("standing", "judge"):
        return f"c.{part}", f'$."{name}"'
    return _FIGURES, f'$."{part}"."{name}"'


def _passes_for_any(
    test: str,
    values: Iterable[object],
    *further_values: object,
) -> Sql:
    """Return the condition that a test passes for one of some values; without any it never holds.

    `test` is SQL. Its first question mark is the value, the others are the further values.
    """
    return _any(Sql(test, (value, *further_values)) for value in values)


def _all(conditions: Iterable[Sql]) -> Sql:
    """Return the condition that all of some conditions hold; without any it always holds."""
    return _joined(" AND ", conditions, without_any="1")


def _any(conditions: Iterable[Sql]) -> Sql:
    """Return the condition that one of some conditions holds; without any it never holds."""
    return _joined(" OR ", conditions, without_any="0")


_MOST_IN_A_ROW = 100
"""Conditions joined in one pair of brackets. SQLite takes at most 1,000 levels of an expression,
and each condition in a row is a level.
"""


def _joined(
    word: Literal[" AND ", " OR "],
    conditions: Iterable[Sql],
    *,
    without_any: str,
) -> Sql:
    """Return conditions with a word between them, in brackets; `without_any` in brackets for none.

    The values of their question marks follow each other in the same order. There may be thousands
    of conditions.
    """
    texts: list[str] = []
    values: list[object] = []
    for condition in conditions:
        texts.append(condition.text)
        values += condition.values
    while len(texts) > _MOST_IN_A_ROW:
        rows = range(0, len(texts), _MOST_IN_A_ROW)
        texts = [f"({word.join(texts[row : row + _MOST_IN_A_ROW])})" for row in rows]
    text = word.join(texts) or without_any
    return Sql(f"({text})", tuple(values))


# -- order ----------------------------------------------------------------------------------------


def orders(measures: Iterable[str]) -> list[Order]:
    """Return every order: those that always exist, then the lowest and the highest of each measure.

    The ids of these are as "lowest f1" and "highest f1". Measures stay in their order.
    """
    all_orders = list(ORDERS)
    for measure in measures:
        for order_id in (f"lowest {measure}", f"highest {measure}"):
            all_orders.append(Order(order_id, f"{order_id} first"))
    return all_orders


def is_order(order_id: str) -> bool:
    """Return whether there is an order with that id."""
    return bool(_ordering_measure(order_id)) or order_id in dict(ORDERS)


def order_name(order_id: str) -> str:
    """Return what the screen calls an order by its id, as "lowest f1 first" for "lowest f1".

    Raises KeyError for an order that does not exist. An order by a measure exists whatever the
    measure is called.
    """
    if _ordering_measure(order_id):
        return f"{order_id} first"
    return dict(ORDERS)[order_id]


_ORDER_BY = {
    "loaded": "c.no",
    "unreviewed": "c.state = 'reviewed', c.no",
    "failed": f"{STATE_SEEN} <> 'failed', c.no",
    "flagged": "NOT c.flag, c.no",
    "lowest": "c.goodness IS NULL, c.goodness, c.no",
    "unverified": "-c.unverified, c.no",
    "disagreement": "-ifnull(c.disagreement, 0), c.no",
    "sample": f"{_DRAW_POSITION} IS NULL, {_DRAW_POSITION}, c.no",
}
"""The ORDER BY of each order except the random one and those by a measure."""


def _order_by(order_id: str, seed: int) -> Sql:
    """Return what stands after ORDER BY for an order by its id; `seed` is for the random one only.

    Equal cells stay in file order, and undefined values come last. Raises KeyError for an order
    that does not exist; one by a measure exists whatever the measure is called.
    """
    if order_id in _ORDER_BY:
        return Sql(_ORDER_BY[order_id])
    if order_id == "random":
        # another order of lots for each seed: a random line, modulo a prime
        factor = _random_number(f"factor {seed}") % (_LOTS - 1) + 1
        offset = _random_number(f"offset {seed}") % _LOTS
        return Sql("(c.lot * ? + ?) % ?, c.no", (factor, offset, _LOTS))
    measure = _ordering_measure(order_id)
    if not measure:
        raise KeyError(order_id)
    direction = "DESC" if order_id.startswith("highest ") else "ASC"
    path = f'$."{measure}"'
    return Sql(f"json_extract(c.standing, ?) {direction} NULLS LAST, c.no", (path,))


def _ordering_measure(order_id: str) -> str:
    """Return the measure in an order id such as "lowest f1" or "highest f1"; "" for other orders.

    It need not be the name of a measure that exists.
    """
    direction, _, measure = order_id.partition(" ")
    if direction in ("lowest", "highest"):
        return measure
    return ""


# -- chance ---------------------------------------------------------------------------------------

# a prime, and so small that SQLite keeps the product of two as a whole number
_LOTS = 2**31 - 1


def lot(trace_id: str, epoch: int, trait: str) -> int:
    """Return the number of a cell that random orders are made from, from 0 up to `_LOTS` - 1.

    It looks random, but depends only on the trace's id, its epoch and the trait, so it can be saved
    with the cell.
    """
    return _random_number(f"{trace_id}\0{epoch}\0{trait}") % _LOTS


def _random_number(text: str) -> int:
    """Return a number from 0 up to 2**64 - 1 that looks random, but depends only on a text."""
    digest = blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


# -- functions ------------------------------------------------------------------------------------

_SHORT = 6  # bytes: CPython looks for longer words faster than a pattern does, for shorter ones not


_like = cache(like)  # once for each pattern, as SQL asks for one name at a time


def _named(pattern: str, name: str | float | None) -> bool:
    """Return whether a name matches a pattern as a whole; False for None, which is SQL's NULL.

    `*` in the pattern stands for any text, and case does not count. A number is matched as Python
    writes it.
    """
    return name is not None and _like(pattern)(str(name))


def folded(text: str) -> bytes:
    """Return a text as words are looked for in it: with case folded, as UTF-8."""
    return text.casefold().encode(errors="surrogatepass")


@cache
def _finder(folded_word: bytes) -> Callable[[bytes], object]:
    """Return a function whose result is true for a text that contains some words.

    The words and the texts are as `folded` returns them. It is made only once for the same words.
    """
    if len(folded_word) >= _SHORT:
        return lambda folded_text: folded_word in folded_text
    return re.compile(re.escape(folded_word)).search


def _holds(folded_text: bytes, folded_word: bytes) -> bool:
    """Return whether a folded text contains a folded word."""
    return bool(_finder(folded_word)(folded_text))


def _mentions(text: str, folded_word: bytes) -> bool:
    """Return whether a text, which is not folded, contains a folded word."""
    return folded_word in folded(text)


@lru_cache(maxsize=4096)
def _any_named(pattern: str, names_json: str | None) -> bool:
    """Return whether one of the names in a JSON list matches a pattern as a whole; False for None.

    `*` in the pattern stands for any text, and case does not count. None is SQL's NULL, and "" is
    an empty list.
    """
    return any(map(_like(pattern), json.loads(names_json or "[]")))


@lru_cache(maxsize=4096)
def _any_value(pattern: str, text: str | None) -> bool:
    """Return whether a text, or one of the values in it, matches a pattern as a whole.

    `*` in the pattern stands for any text, and case does not count. The values in "style C, facts
    I" are C and I, and in "C" it is C. False for None, which is SQL's NULL.
    """
    if text is None:
        return False
    return any(map(_like(pattern), (text, *values_text(text))))


def _metadata_compares(op: str, wanted: str, value: float | str) -> bool:
    """Return whether a metadata value compares to `wanted` as `op` says, one of <, <=, > and >=.

    If `wanted` is a date, a month or a year, it is compared with as much of a date in `value`, so
    2026-01-31 is <= 2026-01; before the time a "T" and a blank are the same. If both are numbers,
    they are compared as numbers, also where `value` is a text. False for anything else. Raises
    KeyError for another `op`.
    """
    compare: Callable[[Any, Any], bool] = COMPARED[op]
    if isinstance(value, str):
        is_year = len(wanted) == _YEAR and wanted.isdecimal()
        is_date = is_year or DATE.fullmatch(wanted) is not None
        if is_date and DATE.match(value):
            as_much_of_date = value[: len(wanted)]
            return compare(_with_blank(as_much_of_date), _with_blank(wanted))
        if len(value) > _LONGEST_NUMBER or not NUMBER.fullmatch(value):
            return False
        value = float(value)
    if not NUMBER.fullmatch(wanted):
        return False
    return compare(value, float(wanted))


def _with_blank(date: str) -> str:
    """Return a date with a blank in place of a "T" before its time; any other as it is."""
    return date.replace("T", " ", 1)


def _rounded(value: float | None, decimals: int) -> float | None:
    """Return a number rounded to some decimals as Python does, and so the screen; None for None."""
    if value is None:
        return None
    return round(value, decimals)


def _may_hold_verdict(name: str, value: object) -> bool:  # noqa: ARG001
    """Return True: any metadata may be a verdict on traits that are not known here."""
    return True


FUNCTIONS: Mapping[str, tuple[int, Callable[..., bool | float | None]]] = {
    "named": (2, _named),
    "mentions": (2, _mentions),
    "holds": (2, _holds),
    "any_named": (2, _any_named),
    "any_value": (2, _any_value),
    "rounded": (2, _rounded),
    "is_beside": (3, _metadata_compares),
    "may_hold_verdict": (2, _may_hold_verdict),
}
"""The functions that the SQL calls, by name, each with how many arguments it takes."""
