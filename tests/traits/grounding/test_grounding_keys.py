"""Keys as judges write them, and the sentences they mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.traits.grounding.sentences import SPECIAL, KnownKeys, letters

KNOWN = ("0a", "0b", "0c", "0d", "1a", "1b")
tidy = KnownKeys(KNOWN).tidy


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["0a."], ["0a"]),
        (["0A"], ["0a"]),
        (["[0a]", "(0b)", "'0c'"], ["0a", "0b", "0c"]),
        (["0a-0c"], ["0a", "0b", "0c"]),
        (["0a – 0c"], ["0a", "0b", "0c"]),
        (["0a to 0c"], ["0a", "0b", "0c"]),
        (["0a-c"], ["0a", "0b", "0c"]),
        (["0c-1a"], ["0c", "0d", "1a"]),
        (["0a-0b, 1a-1b"], ["0a", "0b", "1a", "1b"]),
        (["0a, 0b and 1a"], ["0a", "0b", "1a"]),
        ("0a 0b;1a", ["0a", "0b", "1a"]),
        (["sentences 0a and 0b"], ["0a", "0b"]),
        (["1a", "0a", "1a"], ["0a", "1a"]),
        (["general", "0b"], ["0b", "general"]),
        (["Well-known fact"], ["well_known_fact"]),
        (["numerical reasoning, 0a"], ["0a", "numerical_reasoning"]),
        ([], []),
        ([""], []),
    ],
)
def test_untidy_keys_mean_their_sentences_in_reading_order(given, meant):
    assert tidy(given) == (tuple(meant), ())


@pytest.mark.parametrize(
    ("given", "meant", "astray"),
    [
        (["8q"], [], ["8q"]),
        (["doc_0_s0"], [], ["doc_0_s0"]),
        (["0c-0a"], ["0a", "0c"], []),
        (["0a-7z"], ["0a"], ["7z"]),
        (["0a, 9x"], ["0a"], ["9x"]),
        (["the first one"], [], ["the first one"]),
        (["9x", "9x"], [], ["9x"]),
    ],
)
def test_what_is_no_key_of_a_sentence_is_told_and_never_guessed(given, meant, astray):
    assert tidy(given) == (tuple(meant), tuple(astray))


@given(st.lists(st.text() | st.sampled_from(KNOWN)))
def test_whatever_is_given_comes_to_known_keys_each_once(texts):
    keys, _ = tidy(texts)
    assert len(set(keys)) == len(keys)
    assert {*keys} <= {*KNOWN, *SPECIAL}
    assert tidy(keys) == (keys, ())
    assert {*texts} & {*KNOWN} <= {*keys}


def test_a_text_without_end_is_read_in_one_pass():
    keys, astray = tidy(["0a-" * 50_000, "a" * 500_000, "- " * 200_000])
    assert keys == ("0a",)
    assert astray == ("a" * 500_000,)


def test_letters_go_on_after_z():
    assert [letters(number) for number in (0, 25, 26, 51, 52, 701, 702)] == [
        *("a", "z", "aa", "az", "ba", "zz", "aaa"),
    ]
