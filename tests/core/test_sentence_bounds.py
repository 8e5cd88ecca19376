"""Sentences are found alike in long texts and in short ones."""

import pytest

from appellate.core.messages import sentence_bounds

SENTENCE = 'Take 5 mg daily; see "the doctor" (Dr. Xu) first. '


def sentences(text):
    return [text[start:end].strip() for start, end in sentence_bounds(text)]


def test_an_abbreviation_ends_no_sentence():
    assert sentences("Ask Dr. Xu. Then rest.") == ["Ask Dr. Xu.", "Then rest."]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_paragraph_of_a_megabyte_has_all_its_sentences(end):
    found = sentences((SENTENCE + end) * 20_000)
    assert 20_000 <= len(found) <= 20_100
    assert found.count(SENTENCE.strip()) > 19_900


def test_a_text_without_a_blank_is_covered_whole():
    text = "x" * 100_000
    bounds = list(sentence_bounds(text))
    assert bounds[0][0] == 0
    assert bounds[-1][1] == len(text)
    assert all(end - start <= 2**14 for start, end in bounds)


def test_half_a_character_takes_one_place():
    assert list(sentence_bounds("A \ud800 b."))[-1][1] == 6
