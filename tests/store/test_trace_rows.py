"""What traces say is kept as queries look for it: words are found as they are found in each text by itself."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from appellate.query.language import WORD, Query, Term, Vocabulary, fields, like, parse
from appellate.query.sql import FUNCTIONS, Reader, condition
from appellate.store import tables, trace_rows
from cells import matrix, rubric

FIELDS = fields(Vocabulary())
QUESTIONS = {"q1": "Wo liegt die Straße?", "q2": ""}
LETTERS = "aAsSßſkK\u212aİiıÿé\u0301Ωω字\x00\n\"\\% '*"
texts = st.one_of(st.text(LETTERS, max_size=12), st.text(max_size=12))
traces = st.lists(
    st.fixed_dictionaries(
        {"id": st.text(LETTERS, min_size=1, max_size=4)},
        optional={
            "question": texts,
            "question_id": st.sampled_from(["q1", "q2", "gone"]),
            "response": texts,
            "model": st.sampled_from(["", "GPT-5", "gpt-4", "Straße"]),
        },
    ),
    max_size=8,
)
words = st.one_of(
    st.text(LETTERS, min_size=1, max_size=8), st.sampled_from(["strasse", "ss", "WO LIEGT"])
)
patterns = st.sampled_from(["gpt*", "*", "STRASSE", "*5", "gpt-4"])


def term_of(name: str, values: list[str], negated: bool) -> Term:
    return Term(FIELDS.get(name, WORD), ":", tuple(values), negated)


def some(values: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(values, min_size=1, max_size=3)


terms = st.one_of(
    st.builds(term_of, st.sampled_from(["", "text", "question"]), some(words), st.booleans()),
    st.builds(term_of, st.just("model"), some(patterns), st.booleans()),
)
queries = st.lists(terms, min_size=1, max_size=3).map(lambda found: Query(tuple(found)))


def says(term: Term, trace: dict) -> bool:
    """Whether one trace answers a term, read as plainly as can be."""
    if term.field.name == "model":
        model = trace.get("model")
        return bool(model) and any(like(pattern)(model) for pattern in term.values)
    question = trace.get("question")
    if question is None:
        question = QUESTIONS.get(trace.get("question_id"), "")
    said = {"text": [trace.get("response", "")], "question": [question]}
    searched = said.get(term.field.name, [trace["id"], question, trace.get("response", "")])
    return any(word.casefold() in text.casefold() for word in term.values for text in searched)


def found_in(query: Query, some_traces: list[dict]) -> list[bool]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        tables.create(db, rubric(matrix()), "0")
        for name, (arguments, function) in FUNCTIONS.items():
            db.create_function(name, arguments, function)
        trace_rows.keep(db, 1, some_traces)
        cells = [
            (trace, "Says", "llm", "pending", 0, 0, 0, "")
            for trace in range(1, len(some_traces) + 1)
        ]
        columns = "trace, trait, kind, state, flag, breaches, unverified, figures"
        db.executemany(f"INSERT INTO cells ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", cells)  # noqa: S608
        asked = condition(query, Reader(questions=QUESTIONS))
        sql = f"SELECT {asked.text} FROM cells c ORDER BY no"  # noqa: S608 - what is tested
        return [bool(found) for (found,) in db.execute(sql, asked.values)]


@given(queries, traces)
def test_what_many_traces_say_is_what_each_of_them_says(query, some_traces):
    expected = [
        all(says(term, trace) is not term.negated for term in query.terms) for trace in some_traces
    ]
    assert found_in(query, some_traces) == expected


@given(st.text(), st.text(min_size=1))
@example("Ⅷ STRASSE", "ⅷ straß")
@example("a\x00b", "\x00B")
def test_a_word_is_found_in_any_case_wherever_it_stands(text, word):
    query = Query((term_of("text", [word], False),))
    around = [text, f"{text}{word.upper()}{text}", "", word]
    expected = [word.casefold() in one.casefold() for one in around]
    assert found_in(query, [{"id": "x", "response": one} for one in around]) == expected


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("state:failed", set()),
        ("model:gpt*", set()),
        ("question:where model:gpt*", {"texts"}),
        ("text:where", {"responses"}),
        ("where", {"texts", "responses"}),
    ],
)
def test_only_what_is_asked_for_is_read(text, read):
    asked = condition(parse(text, Vocabulary()), Reader()).text
    assert {"texts", "responses"}.intersection(asked.split()) == read


@pytest.fixture
def db():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        tables.create(made, rubric(matrix()), "0")
        yield made


def said(response: str, **more: str) -> dict[str, str]:
    return {"id": "t", "response": response, **more}


def test_who_wrote_the_responses_is_known_by_name(db):
    trace_rows.keep(db, 1, [said("a", model="GPT-5"), said("b"), said("c", model="Ünï")])
    trace_rows.keep(db, 4, [said("d", model="GPT-5")])
    assert trace_rows.models(db) == {"GPT-5", "Ünï"}
