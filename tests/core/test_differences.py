"""Two answers compared word by word: what is left unmarked is the same in both."""

from hypothesis import given
from hypothesis import strategies as st

from appellate.core import differences as word_differences
from appellate.core.differences import ALIKE, differences

SAID = (
    "the",
    "gene",
    "of",
    "BCL2",
    "on",
    "18q21",
    "is",
    "not",
    "0.5",
    "<",
    "5",
    "mg.",
    "And\n",
)
WORDS = st.lists(st.sampled_from(SAID))


def marked(text, other):
    """The words of a text that are marked, each stretch as one."""
    return [text[start:end] for start, end in differences(text, other).first]


def unmarked(text, stretches):
    """The words that no mark lies on."""
    for start, end in reversed(stretches):
        text = f"{text[:start]} {text[end:]}"
    return [word.casefold() for word in word_differences._WORD.findall(text)]


@given(WORDS, WORDS)
def test_what_is_not_marked_are_the_same_words_in_the_same_order(some, more):
    one, other = " ".join(some), " ".join(more)
    found = differences(one, other)
    assert unmarked(one, found.first) == unmarked(other, found.second)
    assert 0 <= found.alike <= 1


@given(WORDS)
def test_a_text_does_not_differ_from_itself_in_other_case_and_white_space(some):
    one = " ".join(some)
    found = differences(one, f"  {one.upper()}\n\n".replace(" ", "  "))
    assert (found.first, found.second, found.alike) == ([], [], 1)


@given(st.text(), st.text())
def test_every_text_can_be_compared_and_marks_lie_within_it(one, other):
    found = differences(one, other)
    for text, stretches in ((one, found.first), (other, found.second)):
        edges = [edge for stretch in stretches for edge in stretch]
        assert edges == sorted(edges)
        assert all(0 <= edge <= len(text) for edge in edges)


def test_changed_words_are_marked_numbers_and_comparisons_among_them_and_no_punctuation():
    assert marked("Give 5 mg, at once.", "Give 0.5 mg at once!") == ["5"]
    assert marked("if pH < 7.35 then", "if pH > 7.35 then") == ["<"]
    assert marked("It lies on chromosome 18.", "It lies on it.") == ["chromosome 18"]


def test_a_word_in_common_between_many_others_says_nothing():
    one = "a b c d of e f g h then the very same end"
    other = "i j k l of m n o p then the very same end"
    assert marked(one, other) == ["a b c d of e f g h"]


def test_answers_that_have_little_in_common_are_told_to_be_so():
    one = "Rest, drink water, and see a doctor if the fever lasts."
    other = "BCL2 blocks apoptosis; it sits on the outer membrane of mitochondria."
    assert differences(one, other).alike < ALIKE


def test_very_long_texts_are_compared_sentence_by_sentence(monkeypatch):
    monkeypatch.setattr(word_differences, "LARGEST", 10)
    one = "This stays. That goes away.\nAnd this stays."
    assert [text.strip() for text in marked(one, "This stays. And this stays.")] == [
        "That goes away.",
    ]


def test_a_place_in_one_text_has_its_counterpart_in_the_other():
    one, other = (
        "First of all rest well.",
        "Now, first of all rest very, very, very well.",
    )
    found = differences(one, other)
    assert other[found.counterpart(one.index("rest")) :].startswith("rest")
    assert one[found.counterpart(other.index("rest"), back=True) :].startswith("rest")
    assert found.counterpart(other.rindex("very"), back=True) == one.index("well")
    assert found.counterpart(0, back=True) == 0
    assert differences("", other).counterpart(0) == 0
