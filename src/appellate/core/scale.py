"""Where a value is between the bounds of its measure: for pictures, for orders, and in words."""

from collections.abc import Iterable
from typing import Annotated

from msgspec.structs import replace
from pydantic import Field

from appellate.core.kind import Measure

SHARE_OF_CLASS = "share"
"""The word of a measure that is the share of one class, where no class is better than another."""
NO_BOUND = 1e15
"""A bound so far out that it counts as none."""
FURTHEST = 10**9
"""A bound that a rubric gives a score is at most this far from 0."""
Bound = Annotated[float, Field(ge=-FURTHEST, le=FURTHEST, allow_inf_nan=False)]
WholeBound = Annotated[int, Field(ge=-FURTHEST, le=FURTHEST)]


def of_one_cell(measures: Iterable[Measure]) -> list[Measure]:
    """Return the measures that one cell is shown with: its class in place of all shares of classes.

    The first share stands for them, with "class" as its word. Others are as they are, in order.
    """
    shown: list[Measure] = []
    has_class = False
    for measure in measures:
        if measure.word != SHARE_OF_CLASS:
            shown.append(measure)
        elif not has_class:
            has_class = True
            shown.append(replace(measure, word="class"))
    return shown


def share(measure: Measure, value: float) -> float:
    """Return how far a value is from the measure's lower bound (0) to its upper bound (1).

    A value outside of the bounds is at the nearer one. It is 0 if the bounds are equal.
    """
    reach = measure.high - measure.low
    if reach <= 0:
        return 0.0
    share = (value - measure.low) / reach
    return min(max(share, 0.0), 1.0)


def goodness(measure: Measure, value: float) -> float:
    """Return how far a value is from the worst (0) to the best (1) bound of its measure.

    If neither end is better, the upper bound counts as the best. A value outside of the bounds is
    at the nearer one.
    """
    if measure.higher_is_better is False:
        return 1 - share(measure, value)
    return share(measure, value)


def is_bounded(measure: Measure) -> bool:
    """Return whether a measure has both bounds: one that is `NO_BOUND` or further from 0 counts as
    none.
    """
    return measure.low > -NO_BOUND and measure.high < NO_BOUND


def bound_text(bound: float) -> str:
    """Return a number on a scale without an exponent: `1234567`, `0.25`, `-3`.

    It has all digits before the point, and after it up to six, but no zeros at the end.
    """
    return f"{bound:.6f}".rstrip("0").rstrip(".")


def bounds(measure: Measure) -> str:
    """Return the bounds of a measure as `1–5`; "" for 0 to 1, or if either bound is missing."""
    low = measure.low
    high = measure.high
    if not is_bounded(measure):
        return ""
    if low == 0 and high == 1:
        return ""
    return f"{bound_text(low)}–{bound_text(high)}"


def full_name(measure: Measure, name: str = "") -> str:
    """Return a name of a measure with its bounds and direction: `score (1–5, lower is better)`.

    Without a `name` it is the measure's own. Bounds of 0 and 1 or none, and a direction other than
    that lower is better, are left out.
    """
    if not name:
        name = measure.name
    details = []
    scale = bounds(measure)
    if scale:
        details.append(scale)
    if measure.higher_is_better is False:
        details.append("lower is better")
    if not details:
        return name
    text = ", ".join(details)
    return f"{name} ({text})"


def measure_text(measure: Measure) -> str:
    """Return what a measure is called in a sentence.

    The mean of verdicts is "share answered" and the measure's name, and the mean of classes
    "mean class". Any other measure is called by its name.
    """
    texts = {"verdict": f"share answered {measure.name}", "class": "mean class"}
    return texts.get(measure.word, measure.name)


def parts(measure: Measure, usual: int) -> int:
    """Return into how many parts cells are counted: one for each step, else the `usual` number."""
    return len(measure.steps) or usual


def part_of(measure: Measure, value: float, count: int) -> int:
    """Return the index, from 0, of that one of `count` equal parts of a scale that a value is in.

    A value at the border of two parts is in the upper one; the upper bound is in the last part. A
    value outside of the bounds is in the first or the last part. It is 0 if the bounds are equal.
    """
    reach = measure.high - measure.low
    if reach <= 0:
        return 0
    # multiplied before it is divided: 2.8 begins the third of ten parts from 1 to 10
    part = int((value - measure.low) * count / reach)
    return min(max(part, 0), count - 1)


def part_name(measure: Measure, index: int, count: int) -> str:
    """Return what part number `index`, from 0, of `count` is called: its lower border.

    That is `0.3` of ten parts from 0 to 1, and the same for a measure without bounds. For a measure
    with steps, of which there must be `count`, it is the name of the step.
    """
    if measure.steps:
        return measure.steps[index]
    if not bounds(measure):
        return f"{index / count:.1f}"
    reach = measure.high - measure.low
    border = measure.low + reach * index / count
    return bound_text(border)
