"""Two responses to one question, and cells about which of them is better, for the tests of the kind."""

from appellate.core.facts import Proposed
from appellate.core.trace import OtherResponse, Trace
from appellate.traits.pairwise import KIND
from appellate.traits.pairwise.spec import PairwiseRubricTrait, is_swapped
from appellate.traits.rubric import Rubric

RESPONSE = (
    "Take ibuprofen with food, and ask a doctor before you take it with warfarin."
)
OTHER = "Take ibuprofen with food, and never take it with warfarin at all."
BETTER = PairwiseRubricTrait(name="Better", description="Which is safer advice?")
NO_TIE = PairwiseRubricTrait(
    name="Better",
    description="Which is safer advice?",
    tie=False,
)


def pair(number, **more):
    """A trace with two responses, whose authors and metadata have telling names."""
    given = {
        "question": "May I take ibuprofen?",
        "response": RESPONSE,
        "model": "secret-alpha",
        "other": OtherResponse(response=OTHER, model="secret-beta", id="secret-id"),
        "metadata": {"source": "secret-place"},
    }
    return Trace(id=f"p{number}", **{**given, **more})


def on_side(*, swapped, **more):
    """The first such trace whose side A is its `other` response, or is not."""
    numbers = iter(range(1, 100))
    return next(
        trace
        for trace in (pair(number, **more) for number in numbers)
        if is_swapped(trace, 0) == swapped
    )


STRAIGHT = on_side(swapped=False)
SWAPPED = on_side(swapped=True)


def located(trace, table, trait=BETTER):
    """A judge's table as a workspace keeps it."""
    return KIND.locate(trait, trait.as_read(trace), table)


def judged():
    """Cell 1 shows the response as A, cell 2 as B; the judge prefers the response in both.

    In cell 3 the judge turned.
    """
    third = pair(77)
    won = {
        "class": "response",
        "orders": ["response", "response"],
        "rationale": "[response first] The first hedges.\n[other first] The second hedges.",
    }
    turned = {"class": "tie", "orders": ["response", "other"]}
    traces = [STRAIGHT, SWAPPED, third]
    happened = []
    for trace, table in zip(traces, (won, won, turned), strict=True):
        happened.append([Proposed(located(trace, table), {"name": "gpt"})])
    return Rubric(name="pairs", pairwise_traits=[BETTER]), traces, happened


def judged_with_evidence():
    """Cell 1 shows the response as A, cell 2 as B; the judge quotes both, and words of neither."""
    table = {
        "class": "response",
        "evidence": ["ask a doctor", "never take it", "see a vet"],
        "items": [
            {"index": 0, "answer": "response"},
            {"index": 1, "answer": "other"},
            {"index": 2, "answer": "other"},
        ],
    }
    happened = []
    for trace in (STRAIGHT, SWAPPED):
        happened.append([Proposed(located(trace, table), {"name": "gpt"})])
    return Rubric(name="pairs", pairwise_traits=[BETTER]), [STRAIGHT, SWAPPED], happened
