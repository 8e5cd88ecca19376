"""The scorers that need no judge: where the answer stands in the response, and why it matched or did not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate import score
from appellate.traits.scorer.numerals import number


def marked(name: str, completion: str, target: str | list[str], **options) -> list[str]:
    """The words of the response that a score rests on."""
    found = score(name, completion, target, **options)
    return [completion[start:end] for start, end in found.spans]


BEGIN, ANY, EXACT = ({"location": place} for place in ("begin", "any", "exact"))
NUMERIC = {"numeric": True}


@pytest.mark.parametrize(
    ("options", "completion", "target", "words", "why"),
    [
        ({}, "It is Paris.", "paris", "Paris", "ends with “paris”."),
        (
            {},
            "Paris, in France",
            "Berlin",
            "France",
            "ends with “France”, not with “Berlin”.",
        ),
        (
            BEGIN,
            " Paris it is",
            "Berlin",
            "",
            "begins with “Paris it”, not with “Berlin”.",
        ),
        (ANY, "I say: STRASSE!", "straße", "STRASSE", "contains “straße”."),
        (NUMERIC | BEGIN, "none", "9", "", "has no number to compare with “9”."),
        (NUMERIC | ANY, "In the U.S., yes", "U.S.", "", "nowhere contains “U.S.”."),
        (
            ANY,
            "Paris",
            f"Paris{' ' * 300}by day",
            "",
            "nowhere contains “Paris by day”.",
        ),
    ],
)
def test_a_match_says_where_the_answer_stands_and_why(
    options,
    completion,
    target,
    words,
    why,
):
    assert (
        score("match", completion, target, **options).explanation
        == f"The response {why}"
    )
    if words:
        assert marked("match", completion, target, **options) == [words]


GROUPS = {"pattern": r"(\d+) or (\d+)"}
ALL = GROUPS | {"match_all": True}
BOTH = "“12” and “13” was extracted, and the target is “13”."
NO_LETTER = (
    "The response has no “ANSWER:” with one letter after it, and the target is “A”."
)
LAST = "The last number of the response is 1000.5."
SHARED = "2 of the 3 words of the response are among the 3 of “a cat sat down”."


@pytest.mark.parametrize(
    ("name", "options", "completion", "target", "words", "why"),
    [
        (
            "match",
            EXACT,
            "**Paris**",
            ["Rome", "Paris"],
            [],
            "The whole response is “Paris”.",
        ),
        ("match", NUMERIC, "First 7, then $1,000.50!", "1000.5", ["1,000.50"], LAST),
        (
            "match",
            NUMERIC | ANY,
            "7 or 8",
            "9",
            [],
            "No number of the response is “9”.",
        ),
        (
            "includes",
            {},
            "Weiß: PARIS",
            "paris",
            ["PARIS"],
            "The response contains “paris”.",
        ),
        ("includes", {}, "", "paris", [], "The response is empty."),
        ("pattern", GROUPS, "12 or 13", "13", ["13"], "“13” is the target."),
        ("pattern", ALL, "12 or 13", "13", ["12", "13"], BOTH),
        ("answer", {"pattern": "letter"}, "No idea", "A", [], NO_LETTER),
        (
            "exact",
            {},
            "The cat.",
            "a cat",
            [],
            "The words of the response are those of “a cat”.",
        ),
        ("f1", {}, "the black cat sat", "a cat sat down", ["cat", "sat"], SHARED),
        (
            "f1",
            {},
            "the",
            "cat",
            [],
            "The response has no words to compare with “cat”.",
        ),
    ],
)
def test_a_score_says_where_the_answer_stands_and_why(
    name,
    options,
    completion,
    target,
    words,
    why,
):
    assert score(name, completion, target, **options).explanation == why
    assert marked(name, completion, target, **options) == words


CHOICES = ["Paris", "Berlin", "London", "Rome"]


@pytest.mark.parametrize(
    ("completion", "words", "value"),
    [
        ("So:\n**ANSWER**: B", ["B"], "C"),
        ("ANSWER: $B$", ["B"], "C"),
        ("ANSWER: A\nANSWER: (b)", ["b"], "C"),
        ("ANSWER: **B**.", ["B"], "C"),
        ("ANSWER: A, B", ["A, B"], "I"),
        ("ANSWER: E", ["E"], "I"),
        ("Berlin", [], "I"),
        ("", [], "N"),
    ],
)
def test_a_choice_is_read_after_the_last_answer_and_marked_where_it_stands(
    completion,
    words,
    value,
):
    assert score("choice", completion, "B", choices=CHOICES).value == value
    found = marked("choice", completion, "B", choices=CHOICES, multiple_correct=True)
    if value != "I" or words == ["A, B"]:
        assert found == words


def test_a_choice_says_the_words_of_the_choices():
    found = score("choice", "ANSWER: B", "A", choices=CHOICES)
    assert (
        found.explanation
        == "The response chooses “B) Berlin”, and the target is “A) Paris”."
    )
    with pytest.raises(ValueError, match="none of the trace's 4 choices, A to D"):
        score("choice", "ANSWER: B", "E", choices=CHOICES)
    with pytest.raises(ValueError, match="this one has none"):
        score("choice", "ANSWER: B", "A")


def test_several_scorers_give_a_dictionary_or_by_a_reducer_one_value():
    members = [{"scorer": "includes"}, {"scorer": "exact", "name": "whole"}]
    found = score("multi_scorer", "It is Paris", "Paris", scorers=members)
    assert found.value == {"includes": "C", "whole": "I"}
    assert (
        found.explanation.splitlines()[0]
        == "includes: C. The response contains “Paris”."
    )
    assert (
        score(
            "multi_scorer",
            "It is Paris",
            "Paris",
            scorers=members,
            reducer="max",
        ).value
        == "C"
    )
    assert (
        score(
            "multi_scorer",
            "It is Paris",
            "Paris",
            scorers=members,
            reducer="mean",
        ).value
        == 0.5
    )


@pytest.mark.parametrize("name", ["model_graded_qa", "recorded"])
def test_what_a_judge_says_or_came_with_the_traces_is_no_rule(name):
    with pytest.raises(ValueError, match="no rule"):
        score(name, "x", "y")


def test_a_setting_of_another_scorer_is_an_error():
    with pytest.raises(
        ValueError,
        match="numeric is no setting of includes; it has ignore_case",
    ):
        score("includes", "x", "y", numeric=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("½", 0.5),
        ("−2½", -2.5),
        ("1.5⁻²", 1.5**-2),
        ("Ⅻ", 12),
        ("三百二十万", 3_200_000),
        ("二〇二五", 2025),
        ("三点一四", 3.14),
        ("负五", -5),
        ("廿一", 21),
        ("１２", 12),
        ("1’000", 1000),
        ("1.234,5", 1234.5),
        ("1e3", 1000),
        ("2e−3", 0.002),
        ("5 apples", None),
        ("½½", None),
        ("⁻²", None),
        ("nan", None),
        ("inf", None),
        ("0⁻¹", None),
        ("", None),
    ],
)
def test_numbers_are_read_in_whatever_script(text, value):
    assert number(text) == (value if value is None else pytest.approx(value))


@given(st.text("0123456789.,e+-−½²⁻一十百万零点 ٣’x", max_size=8))
def test_no_text_breaks_the_reading_of_numbers(text):
    found = number(text)
    assert found is None or isinstance(found, float)


TEXTS = st.text("ANSWER:abcß İﬁ.,()$*\n 12½", max_size=40)
CALLS = st.sampled_from(
    [
        ("match", {"location": "begin"}),
        ("match", {"location": "end"}),
        ("match", {"location": "any"}),
        ("match", {"numeric": True}),
        ("match", {"numeric": True, "location": "any"}),
        ("includes", {}),
        ("includes", {"ignore_case": False}),
        ("f1", {}),
        ("choice", {"choices": CHOICES, "multiple_correct": True}),
    ],
)


@given(TEXTS, st.text("abcß İﬁ.12½", max_size=5), CALLS)
def test_what_a_score_marks_stands_in_the_response_whatever_that_says(
    completion,
    target,
    call,
):
    name, options = call
    if name == "choice":
        target = "A"
    found = score(name, completion, target, **options)
    for start, end in found.spans:
        assert 0 <= start < end <= len(completion)
    if (
        name == "match"
        and found.value == "C"
        and found.spans
        and not options.get("numeric")
    ):
        (span,) = found.spans
        assert (
            target.casefold().strip(" .,()$*:\n") in completion[slice(*span)].casefold()
        )
