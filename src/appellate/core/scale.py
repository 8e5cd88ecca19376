"""Where a value lies between the bounds of its measure, for pictures and orders, and in words."""

from typing import Annotated

from pydantic import Field

from appellate.core.kind import Measure

NO_BOUND = 1e15
"""A bound so far out that it is none."""
FURTHEST = 10**9
"""No bound that a rubric gives a score lies further from 0."""
Bound = Annotated[float, Field(ge=-FURTHEST, le=FURTHEST, allow_inf_nan=False)]
WholeBound = Annotated[int, Field(ge=-FURTHEST, le=FURTHEST)]


def share(measure: Measure, value: float) -> float:
    """How far a value is from the lower bound (0) to the upper (1)."""
    reach = measure.high - measure.low
    if reach <= 0:
        return 0.0
    return min(max((value - measure.low) / reach, 0.0), 1.0)


def goodness(measure: Measure, value: float) -> float:
    """How far a value is from the worst (0) to the best (1); up, where neither end is better."""
    if measure.higher_is_better is False:
        return 1 - share(measure, value)
    return share(measure, value)


def bounds(measure: Measure) -> str:
    """The bounds as `1–5`; nothing for 0 to 1, or without a bound."""
    if (measure.low, measure.high) == (0, 1) or NO_BOUND in (-measure.low, measure.high):
        return ""
    return f"{measure.low:g}–{measure.high:g}"


def full_name(measure: Measure, name: str = "") -> str:
    """The name of a measure, or another for it, with its bounds, and its direction where lower is
    better: `score (1–5)`; the name alone where these are the usual.
    """
    scale = [bounds(measure)]
    if measure.higher_is_better is False:
        scale.append("lower is better")
    name = name or measure.name
    text = ", ".join(filter(None, scale))
    return f"{name} ({text})" if text else name


def measure_text(measure: Measure) -> str:
    """What a measure is called in a sentence; the mean of what people answer is put in words."""
    texts = {"verdict": f"share answered {measure.name}", "class": "mean class"}
    return texts.get(measure.word, measure.name)


def parts(measure: Measure, usual: int) -> int:
    """In how many parts of one width cells are counted: one for each step, else the `usual`."""
    return len(measure.steps) or usual


def part_of(measure: Measure, value: float, count: int) -> int:
    """In which of so many parts a value lies; the upper bound is in the last."""
    return min(int(share(measure, value) * count), count - 1)


def part_name(measure: Measure, part: int, count: int) -> str:
    """What a part is called or begins with: `0.3` of ten from 0 to 1, a step by its name."""
    if measure.steps:
        return measure.steps[part]
    if not bounds(measure):
        return f"{part / count:.1f}"
    return f"{measure.low + (measure.high - measure.low) * part / count:g}"
