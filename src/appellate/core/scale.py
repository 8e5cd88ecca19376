"""Where a value lies between the bounds of its measure, for pictures and orders, and how that is
told.
"""

from appellate.core.kind import Measure

MOST_STEPS = 12
"""Whole numbers that a scale may have to be drawn with a part for each of them."""


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
    """The bounds as `1–5`; nothing for 0 to 1, which goes without saying."""
    if (measure.low, measure.high) == (0, 1):
        return ""
    return f"{measure.low:g}–{measure.high:g}"


def describe_scale(measure: Measure) -> str:
    """The bounds, and the direction where lower is better; nothing for the usual."""
    parts = [bounds(measure)]
    if measure.higher_is_better is False:
        parts.append("lower is better")
    return ", ".join(part for part in parts if part)


def full_name(measure: Measure) -> str:
    """The name with its scale, `score (1–5)`; the name alone where that is the usual."""
    scale = describe_scale(measure)
    return f"{measure.name} ({scale})" if scale else measure.name


def parts(measure: Measure, usual: int) -> int:
    """In how many parts of the same width cells are counted: one for each step of a short scale.

    A scale from 0 to 1, a long one, or one without whole bounds has the `usual` number.
    """
    steps = measure.high - measure.low + 1
    whole = float(measure.low).is_integer() and float(measure.high).is_integer()
    if bounds(measure) and whole and steps <= MOST_STEPS:
        return int(steps)
    return usual


def part_of(measure: Measure, value: float, count: int) -> int:
    """In which of so many parts a value lies; the upper bound is in the last."""
    return min(int(share(measure, value) * count), count - 1)


def part_name(measure: Measure, part: int, count: int) -> str:
    """What a part begins with: `0.3` of ten from 0 to 1, `4` where each step is a part."""
    if not bounds(measure):
        return f"{part / count:.1f}"
    if count == measure.high - measure.low + 1:
        return f"{measure.low + part:g}"
    return f"{measure.low + (measure.high - measure.low) * part / count:g}"
