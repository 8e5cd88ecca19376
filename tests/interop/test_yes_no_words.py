"""Words that say yes and no in five languages."""

import pytest

from appellate.interop import yes_no_words
from appellate.interop.yes_no_words import are_one_question, says_yes


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        ("Yes", "NO"),
        ("TRUE", "False"),
        ("1", "0"),
        ("PASS", "FAIL"),
        ("correct", "incorrect"),
        ("Supported", "NOT_SUPPORTED"),
        ("faithful", "unfaithful"),
        ("safe", "unsafe"),
        ("valid", "invalid"),
        ("good", "bad"),
        ("met", "not met"),
        ("factual", "non-factual"),
        ("ja", "Nein"),
        ("erfüllt", "nicht erfüllt"),
        ("richtig", "falsch"),
        ("oui", "non"),
        ("réussi", "échoué"),
        ("sí", "no"),
        ("válido", "inválido"),
        ("sim", "não"),
        ("aprovado", "reprovado"),
    ],
)
def test_a_pair_of_words_is_one_question(positive, negative):
    assert says_yes(positive) is True
    assert says_yes(negative) is False
    assert are_one_question([positive, negative])


@pytest.mark.parametrize(
    "word",
    ["formal", "", "partly met", "not formal", "none", "maybe", "2"],
)
def test_another_word_says_neither(word):
    assert says_yes(word) is None
    assert not are_one_question([word, "yes"])


def test_plain_words_go_with_any_pair_and_two_pairs_are_two_questions():
    assert are_one_question(["true", "Yes", "n", "unsafe"])
    assert are_one_question(["wrong", "right"])
    assert are_one_question(["correct", "wrong", "incorrect"])
    assert not are_one_question(["correct", "incorrect", "unsupported"])
    assert not are_one_question([])


def test_no_word_is_yes_in_one_pair_and_no_in_another():
    for text in (yes_no_words._PLAIN, yes_no_words._PAIRS):
        for positive, negative in yes_no_words._pairs_in(text):
            assert says_yes(positive) is True
            assert says_yes(negative) is False


def test_a_line_end_around_a_word_does_not_matter_and_a_minus_does():
    assert says_yes("\tYes.\n") is True
    assert says_yes("not passed\r\n") is False
    assert says_yes("-1") is None
