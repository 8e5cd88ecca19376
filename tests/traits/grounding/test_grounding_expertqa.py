"""ExpertQA: real answers with their passages as keyed sentences, and experts' verdicts on each."""

from pathlib import Path

import pytest

from appellate import load_traces
from appellate.traits.grounding import KIND
from appellate.traits.grounding.sentences import sentences_of
from benchmarks.grounding import TRAIT, against_experts, by_word_overlap, row

PAGE = (Path(__file__).parents[3] / ".github" / "MEASURED.md").read_text("utf-8")


@pytest.fixture(scope="module")
def traces(shared):
    return load_traces(shared / "data/expertqa/traces.jsonl")


def test_every_sentence_keeps_the_key_it_was_given_and_is_found_where_it_stands(traces):
    assert len(traces) == 49
    for trace in traces:
        found = sentences_of(trace)
        given = trace.metadata["documents_sentences"]
        assert [[one.key for one in listed] for listed in found.documents] == [
            [key for key, _ in listed] for listed in given
        ]
        assert [one.key for one in found.response] == [
            key for key, _ in trace.metadata["response_sentences"]
        ]
        every = [
            *found.response,
            *(one for listed in found.documents for one in listed),
        ]
        assert all(one.span for one in every), trace.id
        table = KIND.locate(TRAIT, trace, {})
        assert not list(KIND.faults(TRAIT, trace, {**EMPTY, **table}))


EMPTY = {
    "all_relevant_sentence_keys": [],
    "all_utilized_sentence_keys": [],
    "sentence_support_information": [],
}


def test_word_overlap_agrees_with_experts_as_often_as_the_page_says(traces):
    found = against_experts(by_word_overlap(traces))
    assert (found.sentences.n, found.answers.n) == (242, 48)
    assert row(found.sentences) in PAGE
    assert row(found.answers) in PAGE
