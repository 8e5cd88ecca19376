"""What traces say is kept many to a row, and asked for by the number of a trace."""

import sqlite3
from contextlib import closing

import pytest

from appellate.query.language import Vocabulary, parse
from appellate.store import tables, trace_rows
from appellate.store.trace_rows import WordsTest
from cells import matrix, rubric

LONG = "x" * 2_000_000


@pytest.fixture
def db():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        tables.create(made, rubric(matrix()), "0")
        yield made


def said(response: str, **more: str) -> dict[str, str]:
    return {"id": "t", "response": response, **more}


def answered(db: sqlite3.Connection, text: str, traces: range) -> list[bool]:
    answer = trace_rows.answers(db, WordsTest(parse(text, Vocabulary()), {}))
    return [answer(trace) for trace in traces]


def rows(db: sqlite3.Connection) -> list[tuple[int, int]]:
    return db.execute("SELECT first, last FROM texts ORDER BY first").fetchall()


def test_a_row_ends_after_so_many_traces_or_after_a_long_one(db):
    trace_rows.keep(db, 1, [said("a")] * (trace_rows.BLOCK + 2))
    trace_rows.keep(db, trace_rows.BLOCK + 3, [said("b"), said(LONG), said("c")])
    assert rows(db) == [(1, 256), (257, 258), (259, 260), (261, 261)]
    assert answered(db, "text:c", range(258, 262)) == [False, False, False, True]


def test_traces_are_asked_in_any_order_and_rows_read_once(db):
    for trace in range(1, 7):
        trace_rows.keep(db, trace, [said("odd" if trace % 2 else "even")])
    read = []
    db.set_trace_callback(read.append)
    assert answered(db, "text:odd", range(6, 0, -1)) == [False, True] * 3
    before = len(read)
    assert before == 6 + 1
    answer = trace_rows.answers(db, WordsTest(parse("-text:odd", Vocabulary()), {}))
    assert [answer(2), answer(2), answer(1)] == [True, True, False]
    assert len(read) == before + 2 + 1


def test_who_wrote_the_responses_is_known_by_name(db):
    trace_rows.keep(db, 1, [said("a", model="GPT-5"), said("b"), said("c", model="Ünï")])
    trace_rows.keep(db, 4, [said("d", model="GPT-5")])
    assert trace_rows.models(db) == {"GPT-5", "Ünï"}
