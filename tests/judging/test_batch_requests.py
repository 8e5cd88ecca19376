"""Custom ids survive every engine, and terms are what they were when they come back."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.kind import Briefing, Example, Subject
from appellate.judges.endpoint import Endpoint, Prices
from appellate.judges.proposal import Question
from appellate.judging.batches import RequestId, RequestSettings, parameters_of, subject_hash
from appellate.traits.metric import KIND
from cells import matrix, proposal, trace

EXAMPLE = Example(trace("t2", question="Why?"), proposal().table)
TERMS = RequestSettings(
    Endpoint("m", "http://x/v1", "KEY", 5.0, "responses", {"seed": 1}, Prices(1.0, 2.0)),
    Briefing({"system": "Be fair."}, (EXAMPLE,)),
    {"temperature": 0},
)
hexes = st.text("0123456789abcdef", min_size=12, max_size=12)


@settings(max_examples=30)
@given(
    st.builds(
        RequestId,
        st.integers(1, 10**12 - 1),
        st.integers(1, 10**6 - 1),
        hexes.map(lambda h: h[:8]),
        hexes,
        hexes,
    )
)
def test_a_label_is_read_as_it_was_written_and_is_short_enough(label):
    assert RequestId.read(str(label)) == label
    assert len(str(label)) <= 64


@settings(max_examples=30)
@given(st.text(max_size=70) | st.from_regex(r"[0-9]{1,3}-[0-9]-[0-9a-f-]{30,40}"))
def test_anything_else_is_no_label(text):
    label = RequestId.read(text)
    assert label is None or label.cell >= 0


def test_terms_come_back_as_they_were_with_prices_and_examples():
    again = RequestSettings.from_json(json.loads(json.dumps(TERMS.to_json())))
    assert (again.endpoint, again.parameters, again.tag) == (
        TERMS.endpoint,
        TERMS.parameters,
        TERMS.tag,
    )
    assert again.briefing.shown == ["t2"]
    assert RequestSettings(Endpoint("n"), TERMS.briefing, TERMS.parameters).tag != TERMS.tag


def test_parameters_are_told_without_what_was_asked():
    chat = {
        "model": "m",
        "messages": [],
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": {}},
    }
    assert parameters_of(chat) == {
        "temperature": 0,
        "response_format": "json_schema",
        "batch": True,
    }
    responses = {
        "model": "m",
        "input": "",
        "instructions": "",
        "text": {"format": {"type": "json_object"}},
        "store": False,
    }
    assert parameters_of(responses) == {
        "store": False,
        "response_format": "json_object",
        "batch": True,
    }
    assert parameters_of({"model": "m", "messages": []}) == {
        "response_format": "text",
        "batch": True,
    }


def test_an_answer_belongs_to_the_words_it_was_asked_about():
    def about(trait=None, **more):
        one = trace(**more)
        return subject_hash(Question(Subject(KIND, trait or matrix(), one), one, cell=1))

    others = [
        about(name="t2"),
        about(epoch=2),
        about(question="Why?"),
        about(reference="So."),
        about(response="No."),
    ]
    others.append(about(matrix(description="Only the gene.")))
    assert len({about(), *others}) == 7
    assert about() == about()
