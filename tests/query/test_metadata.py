"""What a value of the metadata must be for a term to hold."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from appellate.query.language import Vocabulary, parse
from appellate.query.sql import FUNCTIONS, Reader, condition
from appellate.store import tables, trace_rows
from cells import rubric

ANY = Vocabulary(has_more_keys=True)


@pytest.fixture(scope="module")
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        tables.create(made, rubric(), "0")
        for name, (arguments, function) in FUNCTIONS.items():
            made.create_function(name, arguments, function)
        yield made


def found_in(
    db: sqlite3.Connection,
    text: str,
    *metadata: dict[str, object],
) -> list[bool]:
    """Which of the traces with such metadata are found."""
    asked = condition(parse(text, ANY), Reader())
    db.execute("BEGIN")
    trace_rows.keep(db, 1, [{"id": "a", "metadata": one} for one in metadata])
    sql = f"SELECT {asked.text} FROM (SELECT value AS trace FROM json_each(?)) c"  # noqa: S608
    numbers = f"[{','.join(str(number + 1) for number in range(len(metadata)))}]"
    found = [bool(one) for (one,) in db.execute(sql, (*asked.values, numbers))]
    db.execute("ROLLBACK")
    return found


@pytest.fixture
def holds(db):
    """Whether a trace with such metadata is found."""
    return lambda text, **metadata: found_in(db, text, metadata)[0]


@pytest.mark.parametrize(
    ("text", "found", "others"),
    [
        ("meta.a:berlin", ["Berlin", ["Paris", "berlin"]], ["Berlin 2", 3, None, {}]),
        ("meta.a:ber*,*is", ["Berlin", "Paris"], ["Rome"]),
        ("meta.a:3", [3, 3.0, "3", [1, 3]], ["03", 30, True, 3.5]),
        ("meta.a:.50", [0.5, ".50"], ["0.5"]),
        ("meta.a:true", [True, "True"], [1, False, "yes"]),
        ("meta.a:null", [None, "null"], ["", 0]),
        ("meta.a:*", ["", 0, None, {}, {"b": 1}], [[]]),
        (
            "meta.a>3",
            [4, 3.5, "4", [1, 9], 10**400],
            [3, "x", True, None, "4 sites", float("nan")],
        ),
        ("meta.a<=3", [3, -1, "2.5"], [4, "2026-01-01"]),
        (
            "meta.a>=2026-01",
            ["2026-01-01", "2026-02-03T10:00"],
            ["2025-12-31", 2027, "soon"],
        ),
        ("meta.a<=2026-01-31", ["2026-01-31T23:59", "2025-01-01"], ["2026-02-01"]),
        (
            'meta.a<"2026-01-31 09:30"',
            ["2026-01-31T09:29", "2026-01-31 09:29", "2026-01-30T23:59"],
            ["2026-01-31T09:30", "2026-01-31 09:30", "2026-01-31 09:31"],
        ),
        (
            "meta.a>=2026-01-31T09:30",
            ["2026-01-31 09:30", "2026-01-31T09:30:01Z", "2026-01-31 10:00"],
            ["2026-01-31 09:29", "2026-01-31T09:29"],
        ),
        ("meta.a>2025", [2026, "2026-01-01", "2026"], ["2025-06-01", 2025]),
        (
            "meta.a.b:x",
            [{"b": "X"}, [{"b": "y"}, {"b": "x"}]],
            [{"b": {"c": "x"}}, "x", {}],
        ),
        ("meta.a.b.c:x", [{"b": {"c": "x"}}, {"b.c": "x"}], [{"b": "x"}]),
        ("meta.a:*gpt*", [{"model": "gpt-5"}], [{"model": "llama"}]),
    ],
)
def test_a_value_is_found_by_what_it_is(holds, text, found, others):
    assert [value for value in found if not holds(text, a=value)] == []
    assert [value for value in others if holds(text, a=value)] == []
    assert all(holds(f"-{text}", a=value) for value in others)
    assert not any(holds(f"-{text}", a=value) for value in found)


def test_a_trace_without_the_key_is_found_by_what_it_must_not_be_alone(holds):
    assert not holds("meta.a:*", b=1)
    assert holds("-meta.a:*", b=1)
    assert not holds("meta.a<3", b=1)
    assert holds("-meta.a:x meta.b:1", b=1)


def test_a_dot_may_stand_in_a_key_or_lead_into_a_table(db):
    traces = {"a.b": "x"}, {"a": {"b": "x"}}, {"a": {"b": "y"}}, {}
    assert found_in(db, "meta.a.b:x", *traces) == [True, True, False, False]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("a", "a"),
        (3.0, "3"),
        (2.5, "2.5"),
        (True, "true"),
        (None, "null"),
        ({"a": [1]}, '{"a": [1]}'),
    ],
)
def test_a_value_is_told_as_a_query_writes_it(value, told):
    assert trace_rows.in_words(value) == told
