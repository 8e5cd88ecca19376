"""What there is to tell of a sample, and in which order: for the page of the numbers, the lines of
`metrics` and the bench line by line, which lay it out.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from appellate.core.kind import HEADLINE
from appellate.worth.sample_numbers import SampleNumbers
from appellate.worth.worth_sentences import (
    BY_WIDTH_TOLD,
    FURTHER,
    READING,
    between,
    few_text,
    figure,
    further_text,
    help_text,
    number_text,
    passed_over,
    percent,
    side_text,
    worth_text,
)
from appellate.worth.worths import Worth

HEADING = "How good the judge is"
NO_SAMPLE = (
    "There is no random sample, so no number has an interval that holds: `appellate sample` draws"
    " traces to be ruled on blind, before the judge is seen."
)


class EstimateFigure(NamedTuple):
    """One figure of an estimate: below which title it stands, its text, its value (None for no
    number), and in a sentence what it is.
    """

    title: str
    text: str
    value: float | None
    detail: str


def estimate_figures(found: Worth, unit: str) -> Iterator[EstimateFigure]:
    """The figures of one number; where there is no estimate only how many are audited."""
    text, one = worth_text(found, unit), found.estimate
    yield EstimateFigure("n", f"{found.part.n:,}", found.part.n, text)
    if one is None:
        return
    over = f"The judge's labels on all {one.frame:,}, as nobody put them right."
    yield EstimateFigure("judge", figure(one.judge_only), one.judge_only, over)
    people = one.people_only
    over = f"People's labels of the {one.n} audited alone: {between(people.low, people.high)}."
    yield EstimateFigure("people", figure(people.value), people.value, over)
    yield EstimateFigure("corrected", figure(one.value), one.value, text)
    width = few_text(found) or text
    yield EstimateFigure("95 %", between(one.low, one.high), one.half, width)
    if one.frame - one.n >= FURTHER:
        more = one.further(FURTHER)
        yield EstimateFigure(f"{FURTHER} more", figure(more), more, further_text(found))
    helps = help_text(found)
    yield EstimateFigure("weight", f"{one.weight:.2f}", one.weight, helps)
    share = percent(round(one.judge_share, 2))
    yield EstimateFigure("judge's", share, one.judge_share, helps)


def notes(found: SampleNumbers) -> list[str]:
    """How the estimates are to be read, or what is wanting for any."""
    wanting = found.at.wanting
    if wanting:
        return [f"{wanting[:1].upper()}{wanting[1:]}."]
    texts = passed_over(found.worths, found.at.unit)
    if any(one.estimate for one in found.worths):
        return [f"{READING} {BY_WIDTH_TOLD}", *texts]
    if found.worths:
        texts.insert(0, f"Numbers are {found.worths[0].wanting}.")
    return texts


def carried_by_few(found: Iterable[Worth]) -> list[str]:
    """Which numbers few audits carry, those of which the same is so together."""
    names: dict[str, list[str]] = {}
    for one in found:
        few = few_text(one)
        if few:
            names.setdefault(few, []).append(number_text(one))
    return [f"{', '.join(alike)}: {few}" for few, alike in names.items()]


def judge_text(found: SampleNumbers) -> list[str]:
    """What more audits would give, where the judge does not help, which numbers few carry, and
    where it goes wrong.
    """
    texts: list[str] = []
    for one in found.worths:
        if one.estimate is None:
            continue
        if one.measure is one.trait.measures[HEADLINE] and further_text(one):
            texts.append(f"{number_text(one)}: {further_text(one)}")
        if not one.estimate.helps:
            texts.append(f"{number_text(one)}: {help_text(one)}")
    texts += carried_by_few(found.worths)
    texts += [side_text(one) for one in found.errors if one.by is not None]
    return texts
