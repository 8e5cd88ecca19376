"""What traces say is kept as queries look for it: words are found as they are found in each text by itself."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from appellate.core.trace import Trace
from appellate.query.language import WORD, Query, Term, Vocabulary, fields, like, parse
from appellate.query.sql import FUNCTIONS, Reader, condition
from appellate.store import tables, trace_rows
from appellate.store.database import NotKept, reading
from appellate.store.queue import look_up, vocabulary
from appellate.store.trace_rows import TracePlace
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Question, Rubric
from cells import bench, checklist, matrix, place, rubric, trace

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
    st.text(LETTERS, min_size=1, max_size=8),
    st.sampled_from(["strasse", "ss", "WO LIEGT"]),
)
patterns = st.sampled_from(["gpt*", "*", "STRASSE", "*5", "gpt-4"])


def term_of(name: str, values: list[str], negated: bool) -> Term:
    return Term(FIELDS.get(name, WORD), ":", tuple(values), negated)


def some(values: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(values, min_size=1, max_size=3)


terms = st.one_of(
    st.builds(
        term_of,
        st.sampled_from(["", "text", "question"]),
        some(words),
        st.booleans(),
    ),
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
    searched = said.get(
        term.field.name,
        [trace["id"], question, trace.get("response", "")],
    )
    return any(
        word.casefold() in text.casefold() for word in term.values for text in searched
    )


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
        insertion = f"INSERT INTO cells ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
        db.executemany(insertion, cells)
        asked = condition(query, Reader(questions=QUESTIONS))
        sql = f"SELECT {asked.text} FROM cells c ORDER BY no"  # noqa: S608 - what is tested
        return [bool(found) for (found,) in db.execute(sql, asked.values)]


@given(queries, traces)
def test_what_many_traces_say_is_what_each_of_them_says(query, some_traces):
    expected = [
        all(says(term, trace) is not term.negated for term in query.terms)
        for trace in some_traces
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
    assert asked.count("named(") == text.count("*")  # once, though twice of use


@pytest.fixture
def db():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        tables.create(made, rubric(matrix()), "0")
        yield made


def said(response: str, **more: str) -> dict[str, str]:
    return {"id": "t", "response": response, **more}


def test_a_question_after_many_blanks_has_a_beginning():
    assert (
        trace_rows.beginning(" " * 400 + "Where?\tHere " * 99)
        == ("Where? Here " * 99)[:160]
    )


def test_who_wrote_the_responses_is_known_by_name(db):
    trace_rows.keep(
        db,
        1,
        [said("a", model="GPT-5"), said("b"), said("c", model="Ünï")],
    )
    trace_rows.keep(db, 4, [said("d", model="GPT-5")])
    assert trace_rows.models(db) == {"GPT-5", "Ünï"}


# -- metadata --------------------------------------------------------------------------------------


SITES = ("Berlin", "Paris", "Rome")


def keep(db: sqlite3.Connection, first: int, *found: object) -> None:
    bodies = [{"id": str(first + at), "metadata": one} for at, one in enumerate(found)]
    trace_rows.keep(db, first, bodies)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Six hundred traces in several rows; only some of them have each key."""
    traces: list[Trace] = []
    for number in range(600):
        found = {
            "site": SITES[number % 3],
            "turns": number,
            "tags": ["a", f"t{number % 2}"],
        }
        if number % 10 == 0:
            found |= {"judge": {"name": "gpt-5", "when": None}, "odd key": True}
        more = {"cluster": f"c{number // 300}", "metadata": found}
        if number >= 590:
            more = {}
        traces.append(
            trace(f"t{number}", model="gpt-4o" if number % 2 else "llama 3", **more),
        )
    with bench(tmp_path_factory.mktemp("many"), *traces) as at:
        yield at


def numbers(at, text: str) -> list[int]:
    path = at.workspace.path
    return list(look_up(path, parse(text, vocabulary(path))).numbers)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("meta.site:berlin", lambda n: n < 590 and n % 3 == 0),
        ("-meta.site:berlin", lambda n: n >= 590 or n % 3 != 0),
        ("-meta.site:*", lambda n: n >= 590),
        ("meta.turns>=255 meta.turns<258", lambda n: 255 <= n < 258),
        ("meta.tags:t1 cluster:c1", lambda n: 300 <= n < 590 and n % 2 == 1),
        ("meta.judge.name:gpt*", lambda n: n < 590 and n % 10 == 0),
        ('meta."odd key":true -meta.turns:0', lambda n: 0 < n < 590 and n % 10 == 0),
        ('model:"llama 3" meta.turns<4', lambda n: n in (0, 2)),
        ("-model:gpt* meta.turns<4", lambda n: n in (0, 2)),
        ('meta.turns<9 text:"chromosome 18" state:pending', lambda n: False),
    ],
)
def test_queries_find_traces_by_what_they_have(many, text, wanted):
    assert numbers(many, text) == [n + 1 for n in range(600) if wanted(n)]


def test_keys_and_values_are_offered(many):
    known = vocabulary(many.workspace.path)
    assert known.metadata_keys == (
        "judge.name",
        "judge.when",
        "odd key",
        "site",
        "tags",
        "turns",
    )
    assert not known.has_more_keys
    assert known.words["meta.site"] == SITES
    assert known.words["meta.odd key"] == ("true",)
    assert known.words["meta.tags"] == ("a", "t0", "t1")
    assert list(known.words["meta.turns"]) == sorted(
        known.words["meta.turns"],
        key=float,
    )
    assert known.words["cluster"] == ("c0", "c1")
    assert known.models == ("gpt-4o", "llama 3")


def test_what_each_trace_has_is_read_for_grouping(many):
    with reading(many.workspace.path) as db:
        sites = list(trace_rows.by_trace(db, "meta.site"))
        assert sites == [(n + 1, SITES[n % 3]) for n in range(590)]
        assert list(trace_rows.by_trace(db, "meta.judge.name"))[:2] == [
            (1, "gpt-5"),
            (11, "gpt-5"),
        ]
        assert list(trace_rows.by_trace(db, "meta.tags"))[:3] == [
            (1, "a"),
            (1, "t0"),
            (2, "a"),
        ]
        assert dict(trace_rows.by_trace(db, "cluster"))[590] == "c1"
        assert list(trace_rows.by_trace(db, "meta.none")) == []


def test_asking_reads_what_is_asked_for_alone(many):
    with reading(many.workspace.path) as db:
        read: list[str] = []
        db.set_trace_callback(read.append)
        list(trace_rows.by_trace(db, "meta.site"))
        assert not any("traces" in sql for sql in read)
        assert [sql for sql in read if "'meta.site'" in sql] == read


def test_long_values_are_kept_by_their_beginning(db):
    keep(
        db,
        1,
        {
            "a": "x" * 9_000 + "end",
            "b": list(range(5_000)),
            "c": {str(n): n for n in range(5_000)},
        },
    )
    assert [len(text) for _, text in trace_rows.by_trace(db, "meta.a")] == [
        trace_rows.TEXT,
    ]
    assert [len(text) for _, text in trace_rows.by_trace(db, "meta.c")] == [
        trace_rows.TEXT,
    ]
    assert len(list(trace_rows.by_trace(db, "meta.b"))) == trace_rows.MANY
    assert dict(trace_rows.by_trace(db, f"meta.c.{trace_rows.MANY - 1}")) == {
        1: str(trace_rows.MANY - 1),
    }
    assert dict(trace_rows.by_trace(db, f"meta.c.{trace_rows.MANY}")) == {}
    assert trace_rows.names(db).more


def test_of_endless_keys_some_are_known_and_any_may_be_asked_for(db):
    for block in range(5):
        first = block * 256 + 1
        keep(db, first, *({f"key{first + n}": n} for n in range(256)))
    found = trace_rows.names(db)
    assert len(found.keys) == trace_rows.MOST
    assert found.more


def test_metadata_that_nobody_has_are_nothing(db):
    trace_rows.keep(db, 1, [{"id": "a"}, {"id": "b", "metadata": {}}])
    assert trace_rows.names(db) == ((), False, {})
    assert list(db.execute("SELECT * FROM metadata")) == []


# -- places to go to -------------------------------------------------------------------------------


def test_bookmarks_are_a_reviewers_own_and_survive_a_restart(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.workspace.cells.set_bookmark("ada", 2, True)
        at.workspace.cells.set_bookmark("ada", 1, True)
        at.workspace.cells.set_bookmark("ada", 1, True)
        at.workspace.cells.set_bookmark("bob", 1, True)
        at.workspace.cells.set_bookmark("bob", 1, False)
        at.workspace.cells.set_bookmark("bob", 2, False)
    with Workspace(place(tmp_path).workspace) as again:
        assert (again.cells.bookmarks("ada"), again.cells.bookmarks("bob")) == (
            [1, 2],
            [],
        )


def test_a_bookmark_that_cannot_be_kept_is_refused(tmp_path):
    with (
        bench(tmp_path) as at,
        Workspace(at.workspace.path, readonly=True) as reader,
        pytest.raises(NotKept),
    ):
        reader.cells.set_bookmark("ada", 1, True)


def test_traces_are_found_by_number_then_id_then_its_beginning_then_a_part(tmp_path):
    asked = rubric(questions=[Question(id="q", question="What is it?")])
    names = ["x", "2", "20", "A2", "22"]
    traces = [trace(name, question_id="q" if name == "A2" else None) for name in names]
    traces.append(trace("20", epoch=2, question="And where?"))
    with bench(tmp_path, *traces, of=asked) as at:

        def like(text, limit=10):
            return [
                (found.no, found.id)
                for found in at.workspace.traces.like(at.workspace.rubric, text, limit)
            ]

        assert like(" 2 ") == [(2, "2"), (3, "20"), (6, "20"), (5, "22"), (4, "A2")]
        assert like("1") == [(1, "x")]
        assert like("20") == [(3, "20"), (6, "20")]
        assert like("a2") == [(4, "A2")]
        assert like("20#2") == [(6, "20")]
        assert like("20#") == [(3, "20"), (6, "20")]
        assert like("#4") == [(4, "A2")]
        assert like("20#3") == []
        assert like("2", 2) == [(2, "2"), (3, "20")]
        assert like("", 2) == [(1, "x"), (2, "2")]
        assert like("nowhere") == like("9" * 30) == like("%") == []
        assert at.workspace.traces.like(at.workspace.rubric, "20")[1] == TracePlace(
            6,
            "20",
            2,
            "And where?",
        )
        assert [
            found.question
            for found in at.workspace.traces.like(at.workspace.rubric, "a2")
        ] == ["What is it?"]
        assert [
            found.question
            for found in at.workspace.traces.like(at.workspace.rubric, "x")
        ] == [None]


def test_other_answers_are_those_to_the_same_question_another_model_first_then_epochs(
    tmp_path,
):
    asked = [
        trace("a", question_id="q", model="one"),
        trace("b", question_id="q", question="In other words?", model="one"),
        trace("a", epoch=2, question_id="q", model="one"),
        trace("c", question_id="q", model="two", epoch=2),
        trace("d", question_id="q", model="two"),
        trace("e", question="q"),
        trace("e", epoch=2),
        trace("f", question="q"),
        trace("g"),
    ]
    with bench(tmp_path, *asked) as at:

        def others(number):
            here = at.workspace.traces.get(number)
            found = at.workspace.traces.other_answers(number, number, here)
            return [one.cell for one in found]

        assert others(1) == [5, 4, 2, 3]
        assert others(3) == [4, 5, 1, 2]
        assert others(6) == [8, 7]
        assert others(9) == []
        assert at.workspace.traces.other_answers(1, 1, asked[0])[0].trace == asked[4]


def test_a_trait_with_other_instructions_is_no_other_answer(tmp_path):
    words = ("Names the gene", "Names the disease")
    asked = [
        Question(
            id=f"q{place}",
            metric_traits=[checklist(tp_instructions=["Exists", said])],
        )
        for place, said in enumerate(words)
    ]
    traces = [trace("a", question_id="q0"), trace("a", epoch=2, question_id="q1")]
    with bench(tmp_path, *traces, of=Rubric(name="R", questions=asked)) as at:
        assert at.workspace.traces.other_answers(1, 1, traces[0]) == []
