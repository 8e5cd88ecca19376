"""Words are found in many traces at once as they are found in each by itself."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from appellate.query.language import WORD, Query, Term, Vocabulary, fields, like, parse
from appellate.store.trace_rows import COLUMNS, END, WordsTest, columns, folded

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
    test = WordsTest(query, QUESTIONS)
    read = columns(some_traces)
    return list(map(bool, test(len(some_traces), {name: read[name] for name in test.columns})))


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


@given(st.text())
def test_the_end_of_a_text_is_in_no_text(text):
    assert END not in folded(text)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("state:failed", []),
        ("model:gpt*", ["models"]),
        ("question:where model:gpt*", ["models", "question_ids", "questions"]),
        ("text:where", ["responses"]),
        ("where", ["ids", "question_ids", "questions", "responses"]),
    ],
)
def test_only_what_is_asked_for_is_read(text, read):
    assert WordsTest(parse(text, Vocabulary()), {}).columns == read
    assert set(read) <= set(COLUMNS)
