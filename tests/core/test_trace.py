"""A trace and its key."""

import json

import pytest
from pydantic import ValidationError

from appellate.core.trace import Citation, Document, Source, Trace, citations, sources
from cells import trace


def test_id_and_epoch_tell_a_trace_from_others():
    assert trace("a").key == ("a", 1)
    assert trace("a", epoch=2).key == ("a", 2)


@pytest.mark.parametrize(
    "given",
    [
        {"id": ""},
        {"id": "a", "epoch": -1},
        {"id": "a", "epoch": 2**63},
        {"id": "a", "x": 1},
    ],
)
def test_what_is_no_trace_is_refused(given):
    with pytest.raises(ValidationError):
        Trace(**given)


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "a"},
        {"id": "a", "documents": ["one", {"id": "b", "text": "two"}, {"text": "3"}]},
        {"id": "a", "other": {"response": "no", "model": "m"}, "reference": ["r", "s"]},
        {"id": "a", "epoch": 2, "messages": [{"role": "user"}], "metadata": {"n": 1.0}},
        {"id": "a", "judgments": {"T": {"tp": []}}, "choices": ["x"], "cluster": "c"},
    ],
)
def test_a_trace_that_a_workspace_kept_is_the_one_that_came_in(fields):
    taken = Trace.model_validate(fields)
    body = json.loads(json.dumps(taken.model_dump(exclude_none=True)))
    assert Trace.kept(body) == taken
    assert repr(Trace.kept(body)) == repr(taken)


# -- what a response cites -------------------------------------------------------------------------


def citing(*documents, **more):
    return Trace(id="a", documents=list(documents), **more)


def test_documents_are_numbered_by_their_places():
    assert sources(citing("one", Document(id="b", text="two"))) == [
        Source("1", "", "one"),
        Source("2", "b", "two"),
    ]
    assert sources(Trace(id="a")) == []


def test_ids_that_are_numbers_are_what_a_response_cites():
    assert [
        one.number
        for one in sources(
            citing(Document(id="7", text="a"), Document(id="2", text="b")),
        )
    ] == ["7", "2"]
    twice = citing(Document(id="7", text="a"), Document(id="7", text="b"))
    assert [one.number for one in sources(twice)] == ["1", "2"]


def test_addresses_with_numbers_in_the_metadata_number_the_documents():
    urls = {"field": "Art", "urls": ["[3] https://a", "[1] https://b"]}
    assert sources(citing("one", "two", metadata=urls)) == [
        Source("3", "https://a", "one"),
        Source("1", "https://b", "two"),
    ]
    for other in (["[3] a"], ["[3] a", "[3] b"], ["a", "[1] b"], [1, 2]):
        assert [
            one.number
            for one in sources(citing("one", "two", metadata={"urls": other}))
        ] == [
            "1",
            "2",
        ]


def test_only_numbers_of_documents_that_exist_are_citations():
    text = "So [1], thus [2, 4; 9] and [^4] but not [5], [x], [12345] or 4."
    assert list(citations(text, {"1", "2", "4"})) == [
        Citation(3, 6, "1"),
        Citation(14, 15, "2"),
        Citation(17, 18, "4"),
        Citation(27, 31, "4"),
    ]


def test_citations_of_expertqa_lead_to_the_documents_that_were_meant(shared):
    lines = (shared / "data/expertqa/traces.jsonl").read_text("utf-8").splitlines()
    for line in lines:
        record = json.loads(line)
        found = sources(
            Trace(
                id="a",
                documents=record["documents"],
                metadata={"urls": record["document_urls"]},
            ),
        )
        told = [f"[{one.number}] {one.name}" for one in found]
        assert told == record["document_urls"]
        assert [one.text for one in found] == record["documents"]
        assert all(
            one.number in record["response"]
            for one in citations(record["response"], {s.number for s in found})
        )
