"""What a changed pattern would come to, told before it is taken."""

from appellate.core.trace import Trace
from appellate.traits.regex import KIND, LONGEST
from appellate.traits.regex.spec import RegexRubricTrait

ONE_LOST = "Of 1 response, 1 matched before and 0 now (0 more, 1 no longer)."


def trait(pattern, **more):
    return RegexRubricTrait(name="t", pattern=pattern, **more)


def traces(*responses):
    return [
        Trace(id=str(number), response=response)
        for number, response in enumerate(responses)
    ]


def clock(*seconds):
    """A clock that shows this as it is read, each time another."""
    return iter(seconds).__next__


def test_the_last_sentence_counts_what_both_patterns_match():
    told = list(
        KIND.preview(
            trait("a"),
            trait("B", case_sensitive=False),
            traces("a", "ab", "b", "c"),
        ),
    )
    assert (
        told[-1] == "Of 4 responses, 2 matched before and 2 now (1 more, 1 no longer)."
    )


def test_inverting_a_trait_changes_no_match():
    told = list(KIND.preview(trait("a"), trait("a", invert_result=True), traces("a")))
    assert told == ["Of 1 response, 1 matched before and 1 now (0 more, 0 no longer)."]


def test_responses_on_which_the_new_pattern_takes_too_long_are_told():
    told = list(
        KIND.preview(trait("b"), trait("(a+)+$"), traces("a" * 50_000 + "b", "ab")),
    )
    assert told[-1] == (
        "Of 2 responses, 2 matched before and 0 now (0 more, 1 no longer). On 1 the new pattern takes too long."
    )


def test_it_ends_by_itself_and_tells_how_far_it_came():
    told = list(
        KIND.preview(trait("a"), trait("b"), traces("a", "b"), clock(0, LONGEST + 1)),
    )
    assert told == [f"{ONE_LOST} The rest was not looked at: it takes over 20 s."]


def test_it_names_no_rest_if_the_last_response_was_looked_at():
    told = list(
        KIND.preview(trait("a"), trait("b"), traces("a"), clock(0, LONGEST + 1)),
    )
    assert told == [ONE_LOST]


def test_it_tells_meanwhile_and_may_be_left():
    telling = KIND.preview(trait("a"), trait("b"), traces("a", "b"), clock(0, 1))
    assert next(telling) == ONE_LOST.replace("response,", "response so far,")
    telling.close()
