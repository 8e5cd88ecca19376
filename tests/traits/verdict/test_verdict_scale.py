"""The values that a verdict may take, and their words on the screen."""

import pytest

from appellate.core.kind import CANNOT_TELL
from appellate.core.problem import USUAL, Refused, with_keys
from appellate.traits.llm.spec import LLMRubricTrait

WARNS = LLMRubricTrait(
    name="Warns",
    kind="boolean",
    description="Does it warn of anything?",
)
CLEAR = LLMRubricTrait(
    name="Clear",
    kind="score",
    description="How clear is it?\n1 = confusing\n5 = crystal clear",
    min_score=1,
    max_score=5,
)
PERCENT = LLMRubricTrait(
    name="Percent",
    kind="score",
    description="How much of it is right?\n0 = nothing\n100 = all of it",
    min_score=0,
    max_score=100,
    higher_is_better=False,
)
BELOW = LLMRubricTrait(name="Below", kind="score", min_score=-3, max_score=3)
TONE = LLMRubricTrait(
    name="Tone",
    kind="literal",
    classes={"formal": "As in a letter", "plain": "As one talks", "rude": "Insults"},
    higher_is_better=False,
)
MANY = LLMRubricTrait(
    name="Topic",
    kind="literal",
    classes={f"topic {number}": "About it" for number in range(12)},
)


def test_each_value_gets_a_row_where_there_are_few():
    assert WARNS.offered() == [True, False]
    assert CLEAR.offered() == [1, 2, 3, 4, 5]
    assert MANY.offered() == list(range(12))


def test_of_a_long_scale_the_ends_and_what_was_said_get_rows():
    assert PERCENT.offered() == [0, 100]
    assert PERCENT.offered(62, None) == [0, 62, 100]


def test_cannot_tell_does_not_make_a_scale_long():
    trait = CLEAR.model_copy(
        update={"min_score": 0, "max_score": 20, "cannot_tell": True},
    )
    assert trait.offered() == [*range(21), CANNOT_TELL]


def test_lines_of_the_question_that_have_a_row_of_their_own_are_left_out():
    assert CLEAR.question_text() == "How clear is it?"
    assert WARNS.question_text() == "Does it warn of anything?"
    assert BELOW.question_text() == "Below"


def test_a_score_below_0_may_have_a_typographic_minus():
    described = "How fair is it?\n−3 = unfair\n3 = fair"
    trait = BELOW.model_copy(update={"description": described})
    assert trait.anchors() == {-3: "unfair", 3: "fair"}


def test_a_line_that_asks_and_says_what_scores_mean_stays():
    one_line = "How clear is it? 1 = confusing, 5 = crystal clear"
    trait = LLMRubricTrait(name="t", kind="score", description=one_line)
    assert trait.question_text() == one_line
    listed = "How clear is it?\n- 1 = confusing\n- 5 = crystal clear."
    trait = LLMRubricTrait(name="t", kind="score", description=listed)
    assert trait.question_text() == "How clear is it?"


@pytest.mark.parametrize(
    ("trait", "keys"),
    [
        (WARNS, "1 (yes) or 2 (no)"),
        (CLEAR, "1 to 5"),
        (TONE, "1 to 3"),
        (PERCENT, "i"),
        (BELOW, "i"),
        (MANY, "i"),
    ],
)
def test_verdicts_have_digits_where_each_has_one(trait, keys):
    assert with_keys(trait.keys_text(), USUAL) == keys
    assert trait.has_digits == (keys != "i")


def test_a_verdict_is_shown_with_what_the_trait_says_of_it():
    assert WARNS.meaning_of(True) == "yes"
    assert [CLEAR.meaning_of(value) for value in (1, 3, 5)] == [
        "confusing",
        "",
        "crystal clear",
    ]
    assert TONE.meaning_of(0) == "formal: As in a letter"
    assert TONE.meaning_of(1) == "plain: As one talks"


@pytest.mark.parametrize(
    ("trait", "end", "text"),
    [
        (WARNS, "yes is better", "Yes or no"),
        (CLEAR, "higher is better", "Score 1–5"),
        (PERCENT, "lower is better", "Score 0–100"),
        (TONE, "none is better", "Classes"),
        (
            TONE.model_copy(update={"order": "worse to better"}),
            "earlier is better",
            "Classes",
        ),
    ],
)
def test_a_scale_says_which_end_is_good(trait, end, text):
    assert trait.good_end_text() == end
    assert trait.scale_text() == f"{text} · {end}"


def test_verdicts_are_said_in_answers_by_their_numbers():
    assert WARNS.sayable == {"1": True, "0": False}
    assert TONE.sayable == {"0": 0, "1": 1, "2": 2}
    assert [WARNS.describe(value) for value in (True, False, None)] == ["yes", "no", ""]
    assert TONE.describe(2) == "rude"
    assert PERCENT.describe(62) == "62"


def test_the_bounds_belong_to_what_a_score_means_and_words_do_not():
    wider = CLEAR.model_copy(update={"max_score": 6})
    reworded = CLEAR.model_copy(update={"description": "How easy is it to read?"})
    assert CLEAR.meaning() != wider.meaning()
    assert CLEAR.meaning() == reworded.meaning()


def test_what_a_verdict_must_be_is_said_for_a_sentence():
    assert WARNS.form() == "yes or no"
    assert CLEAR.form() == "score 1–5"
    assert TONE.form() == "3 classes"
    assert WARNS.legal_values() == "true or false"


@pytest.mark.parametrize("trait", [WARNS, CLEAR, TONE])
def test_the_digit_of_a_value_gives_it_back(trait):
    for value in trait.choices:
        assert trait.of_digit(int(trait.key_of(value))) == value


def test_a_digit_gives_nothing_where_values_have_none():
    assert MANY.of_digit(1) is None
    assert PERCENT.of_digit(1) is None


@pytest.mark.parametrize(
    ("trait", "digit", "sentence"),
    [
        (WARNS, 3, "The verdict here is yes (1) or no (2)."),
        (TONE, 0, "There are 3 classes here: 1 to 3."),
        (TONE, 4, "There are 3 classes here: 1 to 3."),
    ],
)
def test_a_digit_that_gives_no_verdict_says_which_do(trait, digit, sentence):
    with pytest.raises(Refused) as refusal:
        trait.of_digit(digit)
    assert with_keys(str(refusal.value), USUAL) == sentence


def test_only_yes_and_no_turn_into_each_other():
    assert WARNS.contrary(True) is False
    assert WARNS.contrary(WARNS.contrary(True)) is True
    assert WARNS.has_contrary(True)
    assert not CLEAR.has_contrary(1)


@pytest.mark.parametrize(
    ("trait", "sentence"),
    [
        (WARNS, "There is no verdict yet to turn: 1 is yes, 2 is no."),
        (CLEAR, "This verdict has no contrary: 1 to 5 gives another."),
    ],
)
def test_what_has_no_contrary_says_what_gives_another_verdict(trait, sentence):
    with pytest.raises(Refused) as refusal:
        trait.contrary(None)
    assert with_keys(str(refusal.value), USUAL) == sentence


@pytest.mark.parametrize(
    ("text", "value"),
    [("4", 4), (" 4.0 ", 4), ("3,5", 3.5), ("-2", -2)],
)
def test_a_score_is_read_as_people_type_it(text, value):
    assert CLEAR.read(text) == value


def test_what_is_no_score_is_refused_with_what_would_be_one():
    with pytest.raises(Refused, match=r"A score is .*1.*5"):
        CLEAR.read("good")
