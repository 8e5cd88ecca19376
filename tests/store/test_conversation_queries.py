"""Queries over conversations: words of what traits read, who said them, the tools called, the steps."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.trace import Trace
from appellate.core.transcript import transcript
from appellate.query.language import parse
from appellate.store.conversation_rows import looked_for_in
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.queue import look_up, vocabulary
from cells import bench
from conversations import RUN, rubric

PLAIN = Trace(id="plain", question="Which gene?", response="BCL2.")
NAMED = Trace(id="named", question_id="q", response="It inhibits apoptosis.")
AGENTS = Trace(
    id="agents",
    response="Done.",
    messages=[
        {"role": "system", "content": "Obey the policy."},
        {"role": "user", "content": "Straße?"},
        {
            "role": "assistant",
            "name": "WebSurfer",
            "content": [
                {"type": "text", "text": "Looking."},
                {"type": "image", "image": "a.png"},
            ],
            "tool_calls": [
                {"id": "1", "function": {"name": "search", "arguments": '{"q": "x"}'}},
                {"id": "2", "function": {"name": "search_flights", "arguments": "{}"}},
            ],
        },
        {
            "role": "tool",
            "tool_call_id": "2",
            "content": "no such day",
            "error": "Refused",
        },
        {"role": "assistant", "content": "Done."},
    ],
)
TRACES = (RUN, PLAIN, NAMED, AGENTS)
QUESTION = {"id": "q", "question": "What does it do?"}


def questioned(reads: str):
    table = {"reads": reads, "llm_traits": [{"name": "l", "kind": "boolean"}]}
    return parse_rubric({**table, "questions": [QUESTION]}, "r.toml").usable()


@pytest.fixture
def found(tmp_path):
    """The ids of the traces that a query finds where the trait reads the conversation."""
    with bench(tmp_path, *TRACES, of=questioned("conversation")) as at:
        yield lambda text: ids(at, text)


def ids(at, text: str) -> list[str]:
    path = at.workspace.path
    numbers = look_up(path, parse(text, vocabulary(path))).numbers
    return [at.open_unhidden(number)[0].id for number in numbers]


def test_text_is_what_the_trait_reads(found, tmp_path):
    assert found("text:book_flight") == ["run"]
    assert found("text:thanks") == ["run"]
    assert found("text:strasse") == ["agents"]
    assert found("text:gene") == ["plain"], "the question is a step of it"
    assert found("text:what") == ["named"], "so is the rubric's"
    assert found("text:apoptosis") == ["named"]
    assert found("-text:o") == ["plain"]
    assert found("refused") == ["agents"], "a bare word looks there too"
    assert found("state:pending text:booked") == ["run"]


def test_text_is_the_response_where_no_trait_reads_more(tmp_path):
    with bench(tmp_path, *TRACES, of=questioned("response")) as at:
        assert ids(at, "text:book_flight") == []
        assert ids(at, "text:gene") == []
        assert ids(at, "text:booked") == ["run"]
        assert ids(at, "said.assistant:book_flight") == ["run"], "whatever traits read"


def test_text_finds_all_cells_of_a_trace_that_any_trait_reads_so(tmp_path):
    table = {
        "llm_traits": [{"name": "l", "kind": "boolean", "reads": "conversation"}],
        "regex_traits": [{"name": "r", "pattern": "x"}],
    }
    with bench(tmp_path, RUN, of=parse_rubric(table, "r.toml").usable()) as at:
        assert ids(at, "text:thanks") == ["run", "run"]


def test_words_are_asked_for_by_who_said_them(found):
    assert found("said.tool:refused") == ["agents"]
    assert found("said.tool:booked") == ["run"]
    assert found("said.user:thanks") == ["run"]
    assert found("said.user:booked") == []
    assert found("said.assistant:OSL") == ["run"], (
        "arguments of a call are the assistant's"
    )
    assert found("said.assistant:websurfer") == ["agents"]
    assert found("said.system:policy") == ["agents"]
    assert found("-said.system:policy") == ["run", "plain", "named"]
    assert found("said.user:gene,strasse") == ["plain", "agents"]


def test_without_messages_the_user_asked_and_the_assistant_answered(found):
    assert found("said.user:gene") == ["plain"]
    assert found("said.user:what") == ["named"]
    assert found("said.assistant:bcl2") == ["plain"]
    assert found("said.tool:bcl2") == []


def test_calls_are_asked_for_by_name(found):
    assert found("calls:book_flight") == ["run"]
    assert found("calls:SEARCH") == ["agents"]
    assert found("calls:search*") == ["agents"]
    assert found("calls:*") == ["run", "agents"]
    assert found("-calls:*") == ["plain", "named"]


def test_steps_are_counted(found):
    assert found("steps=2") == ["plain", "named"]
    assert found("steps=6") == ["run"]
    assert found("steps>6") == ["agents"]
    assert found("steps>0") == [trace.id for trace in TRACES]


def test_tools_are_offered(tmp_path):
    with bench(tmp_path, *TRACES, of=rubric()) as at:
        known = vocabulary(at.workspace.path)
    assert known.words["calls"] == ("book_flight", "search", "search_flights")


def test_a_trait_that_comes_to_read_more_is_asked_for_at_once(tmp_path):
    with bench(tmp_path, RUN, of=rubric("response")) as at:
        assert ids(at, "text:thanks") == []
    other = tmp_path / "other"
    other.mkdir()
    with bench(other, RUN, of=rubric("conversation")) as at:
        assert set(ids(at, "text:thanks")) == {"run"}


words = st.text('ab[1] \n"{}:', max_size=6)
messages = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "system", "tool"]), "content": words},
        ),
        st.fixed_dictionaries(
            {"role": st.just("assistant"), "content": words},
            optional={
                "tool_calls": st.lists(
                    st.fixed_dictionaries({"name": words, "arguments": words}),
                    max_size=2,
                ),
            },
        ),
        words,
    ),
    max_size=4,
)


@given(messages, words, words)
def test_the_steps_that_are_counted_and_searched_are_those_of_the_transcript(
    said,
    question,
    response,
):
    trace = Trace(id="t", question=question or None, response=response, messages=said)
    whole = transcript(trace)
    if said:
        body = json.loads(trace.model_dump_json(exclude_none=True))
        kept = looked_for_in(body, question)
        assert kept.steps == len(whole.steps)
        searched = "\n\n".join(kept.words.values())
        for step in whole.steps:
            assert whole.text[step.start : step.end] in searched
