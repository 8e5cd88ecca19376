"""Running totals: what one cell adds to the numbers over all cells, so that a change costs a
difference.

Values, and their squares, are summed in whole units of 10⁻¹², so that a sum kept by differences
equals a recount exactly. A number of such units that 64 bits could not sum is kept in digits to the
base `STEP`, each under a key of its own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import (
    CANNOT_TELL_COUNT,
    AnyKind,
    Figures,
    Instruction,
    Measure,
    Trait,
)

UNIT = 10**12
STEP = 2**43
_DIGITS = 4
"""Enough for the square of `NO_BOUND`, with room for many cells in the last."""
_NEXT = ":steps"
"""What the key of the next digit has behind that of the one before."""
SIGNED_OFF = ("signed", "judge")
AS_THEY_STAND = ("standing", "judge_all")
SIDES = ("signed", "judge", "judge_all", "standing")
"""What numbers over cells are of: `signed`, the labels of the cells that a person signed off;
`judge`, the judge's labels on the same cells; `judge_all`, the judge's on every judged cell;
`standing`, the labels that stand on every cell that has any, signed off or not.
"""

Sides = tuple[Figures | None, Figures | None]


def standing_and_judge(cell: Cell) -> Sides:
    """The figures of the current labels, and of the judge's, where that is not hidden."""
    if cell.hidden:
        return cell.figures, None
    return cell.figures, cell.judge_figures


def by_side(cell: Cell) -> dict[str, Figures]:
    """What a cell brings to each of the `SIDES` that it belongs to."""
    standing, judge = standing_and_judge(cell)
    found = {"judge_all": judge, "standing": standing}
    if cell.signed:
        found |= {"signed": standing, "judge": judge}
    return {side: figures for side, figures in found.items() if figures}


def contribution(cell: Cell) -> Counter[str]:
    """What a cell adds: its state, flag and, for each side, pooled counts and sums of values."""
    sums = Counter(_status(cell))
    for side, figures in by_side(cell).items():
        sums.update(numbers(side, figures))
    return sums


def changes(before: Cell, after: Cell) -> list[tuple[dict[str, int], dict[str, int]]]:
    """What must be taken from the totals, and what added, when a cell changes.

    Sides whose figures stayed are left out.
    """
    found = [(_status(before), _status(after))]
    was = by_side(before)
    now = by_side(after)
    for side in SIDES:
        old = was.get(side)
        new = now.get(side)
        if old is not new:
            found.append((numbers(side, old), numbers(side, new)))
    return found


def _status(cell: Cell) -> dict[str, int]:
    """What a cell adds by its state and its flag."""
    sums = {"cells": 1, f"state:{cell.state}": 1}
    if cell.flag:
        sums["flagged"] = 1
    return sums


def numbers(side: str, figures: Figures | None) -> dict[str, int]:
    """What the figures of a cell add to one side, under keys that no other side has."""
    if figures is None:
        return {}
    sums = {f"{side}:{bucket}": count for bucket, count in figures.counts.items()}
    for metric, value in figures.values.items():
        key = f"{side}:{metric}"
        if metric in figures.unscored:
            sums[f"{key}:unscored"] = 1
        elif metric in figures.cannot_tell:
            sums[f"{key}:{CANNOT_TELL_COUNT}"] = 1
        elif metric in figures.undefined:
            sums[f"{key}:undefined"] = 1
        else:
            sums[f"{key}:n"] = 1
            _add(sums, f"{key}:sum", value)
            _add(sums, f"{key}:squares", value * value)
    return sums


def _add(sums: dict[str, int], key: str, value: float) -> None:
    units = round(value * UNIT)
    while abs(units) >= STEP:
        units, sums[key] = divmod(units, STEP)
        key += _NEXT
    sums[key] = units


def total(totals: Mapping[str, int], key: str) -> float:
    """A sum of values, or of their squares: `standing:f1:sum`."""
    units = 0
    step = 1
    for _ in range(_DIGITS):
        units += step * totals.get(key, 0)
        step *= STEP
        key += _NEXT
    return units / UNIT


class AnswerStats(Struct, frozen=True):
    """How one instruction was answered over all cells that have labels, pooled by its words.

    `answers` are the numbers of cells by how the current labels answer it, in no order;
    `overruled` is in how many of the `cells` the judge had answered it otherwise, `asides` in how
    many each of its asides is given (`TraitKind.asides`).
    """

    of: str
    instruction: str
    answers: Mapping[str, int]
    overruled: int
    cells: int
    asides: Mapping[str, int] = {}

    def times(self, answer: str) -> int:
        """In how many cells it is answered so."""
        return self.answers.get(answer, 0)


AnswerKey = tuple[str, str, str | None]
"""The list and the words of an instruction, and an answer; None where it was overruled.

An aside is counted as an answer of a list of its own (`aside_list`).
"""


_ASIDE = ":aside"


def aside_list(of: str) -> str:
    """The list that the asides of a list's instructions are kept under."""
    return of + _ASIDE


def is_aside(of: str) -> bool:
    """Whether a list is one of asides."""
    return of.endswith(_ASIDE)


def answer_counts(cell: Cell) -> Counter[AnswerKey]:
    """What a cell adds to how instructions were answered."""
    given: list[AnswerKey] = [(one.of, one.text, answer) for one, answer in cell.answers.items()]
    given += [(one.of, one.text, None) for one in _overruled(cell)]
    for one, asides in cell.asides.items():
        given += [(aside_list(one.of), one.text, aside) for aside in asides]
    return Counter(given)


def overruled(cell: Cell) -> int:
    """How many instructions the current labels answer otherwise than the judge did."""
    return sum(1 for _ in _overruled(cell))


def _overruled(cell: Cell) -> Iterator[Instruction]:
    """None of a judge's own example, which says nothing about it, and of what is hidden."""
    if cell.example or cell.hidden:
        return
    if cell.edits or cell.base is not cell.judged:
        judged = cell.judge_answers
        for one, answer in cell.answers.items():
            if judged.get(one, answer) != answer:
                yield one


def answer_stats(counts: Mapping[AnswerKey, int]) -> list[AnswerStats]:
    """The same by instruction, in the order of the counts; one that no cell answers is left out."""
    answers: dict[tuple[str, str], dict[str, int]] = {}
    for (of, text, answer), count in counts.items():
        given = answers.setdefault((of, text), {})
        if answer is not None and count:
            given[answer] = count
    found = []
    for (of, text), given in answers.items():
        overruled = counts.get((of, text, None), 0)
        if given and not is_aside(of):
            asides = answers.get((aside_list(of), text), {})
            found.append(AnswerStats(of, text, given, overruled, sum(given.values()), asides))
    return found


def pooled(cells: Iterable[Cell]) -> Counter[str]:
    """A full recount."""
    total: Counter[str] = Counter()
    for cell in cells:
        total.update(contribution(cell))
    return total


def counts(totals: Mapping[str, int], side: str) -> dict[str, int]:
    """The pooled counts of one side: the keys of the totals that name nothing more."""
    found: dict[str, int] = {}
    for key, count in totals.items():
        of, _, name = key.partition(":")
        if of == side and ":" not in name:
            found[name] = count
    return found


def macro(totals: Mapping[str, int], side: str, measure: str) -> float | None:
    """The mean over the traces where the measure is defined; None where it is nowhere."""
    n = totals.get(f"{side}:{measure}:n", 0)
    if not n:
        return None
    return total(totals, f"{side}:{measure}:sum") / n


def micro(totals: Mapping[str, int], side: str, measure: Measure) -> float | None:
    """The measure of the counts of all cells together; the mean where it is not made of counts."""
    if measure.pool is None:
        return macro(totals, side, measure.name)
    return measure.pool(counts(totals, side))


def summary(totals: Mapping[str, int], side: str, measure: Measure) -> dict[str, Any]:
    """One measure of one side, in the shape of `metrics --json`."""
    return {
        "micro": micro(totals, side, measure),
        "macro": macro(totals, side, measure.name),
        "n": totals.get(f"{side}:{measure.name}:n", 0),
        "undefined": totals.get(f"{side}:{measure.name}:undefined", 0),
        "unscored": totals.get(f"{side}:{measure.name}:unscored", 0),
        CANNOT_TELL_COUNT: totals.get(f"{side}:{measure.name}:{CANNOT_TELL_COUNT}", 0),
    }


def measures_over(kind: AnyKind, traits: Iterable[Trait]) -> list[Measure]:
    """The measures that any of some traits of one kind asks for, in the order asked."""
    different = {id(trait): trait for trait in traits}.values()
    return widest(chain.from_iterable(map(kind.measures, different)))


def widest(measures: Iterable[Measure]) -> list[Measure]:
    """Measures, one of each name.

    Where two bound it otherwise, it has bounds that hold both; where they disagree which end is
    better, it has no direction, and where about its steps, none.
    """
    found: dict[str, Measure] = {}
    for other in measures:
        one = found.get(other.name, other)
        higher = one.higher_is_better
        steps = one.steps
        if other.higher_is_better != higher:
            higher = None
        if other.steps != steps:
            steps = ()
        low = min(one.low, other.low)
        high = max(one.high, other.high)
        found[one.name] = replace(one, low=low, high=high, higher_is_better=higher, steps=steps)
    return list(found.values())
