"""Running totals: what one cell adds to the numbers over all cells, so that a change costs a
difference.

Values and their squares are summed in whole units of 10⁻¹², so that a sum kept by differences
equals a recount exactly. A number of units that 64 bits could not sum is kept in digits to the base
`STEP`, each under a key of its own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal

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
"""Units in 1."""
STEP = 2**43
"""The base of the digits."""
_DIGITS = 4
"""Digits of a sum: enough for the square of `NO_BOUND`, with room for many cells in the last."""
_NEXT = ":steps"
"""What the key of a digit has after the key of the digit before."""
Side = Literal["signed", "judge", "judge_all", "standing"]
"""One of the `SIDES`."""
SIGNED_OFF: tuple[Side, Side] = ("signed", "judge")
AS_THEY_STAND: tuple[Side, Side] = ("standing", "judge_all")
SIDES: tuple[Side, ...] = ("signed", "judge", "judge_all", "standing")
"""What numbers over cells are of:

- `signed`: the labels of the cells that a person signed off;
- `judge`: the judge's labels in the same cells;
- `judge_all`: the judge's labels in every judged cell;
- `standing`: the current labels in every cell that has any, signed off or not.
"""

BothFigures = tuple[Figures | None, Figures | None]
"""Figures of the current labels, and of the judge's."""


def standing_and_judge(cell: Cell) -> BothFigures:
    """Return the figures of the current labels, and those of the judge's.

    Either is None if there are no such labels, and the judge's while it is hidden.
    """
    if cell.hidden:
        return cell.figures, None
    return cell.figures, cell.judge_figures


def by_side(cell: Cell) -> dict[Side, Figures]:
    """Return the figures of a cell on each of the `SIDES` that it belongs to.

    Any cell is on "standing" and "judge_all"; a signed one also on "signed", with the figures of
    "standing", and on "judge", with those of "judge_all". Sides without figures are left out, and
    the judge's while it is hidden.
    """
    standing, judge = standing_and_judge(cell)
    figures_by_side: dict[Side, Figures] = {}
    if judge:
        figures_by_side["judge_all"] = judge
    if standing:
        figures_by_side["standing"] = standing
    if not cell.signed:
        return figures_by_side

    if standing:
        figures_by_side["signed"] = standing
    if judge:
        figures_by_side["judge"] = judge
    return figures_by_side


def contribution(cell: Cell) -> Counter[str]:
    """Return what a cell adds to the totals: its state, its flag, and the numbers of each side.

    The keys are such as "cells", "state:reviewed", "flagged" and "standing:f1:sum". Values are
    counts, sums of values and sums of their squares, the sums in units of 10⁻¹².
    """
    sums = Counter(_status(cell))
    for side, figures in by_side(cell).items():
        sums.update(numbers(side, figures))
    return sums


def changes(before: Cell, after: Cell) -> list[tuple[dict[str, int], dict[str, int]]]:
    """Return what must be subtracted from the totals, and what added, when a cell changes.

    Each pair is what the cell added before and what it adds after. The first pair, which is always
    there, is of its state and its flag, each other one of a side in `SIDES`. Sides whose figures
    are the same object before and after are left out.
    """
    differences = [(_status(before), _status(after))]
    sides_before = by_side(before)
    sides_after = by_side(after)

    for side in SIDES:
        old = sides_before.get(side)
        new = sides_after.get(side)
        if old is new:
            continue
        subtracted = numbers(side, old)
        added = numbers(side, new)
        differences.append((subtracted, added))
    return differences


def _status(cell: Cell) -> dict[str, int]:
    """Return what a cell adds by its state and its flag.

    The keys are "cells" and one as "state:proposed", and "flagged" if it is. Each has 1.
    """
    sums = {"cells": 1, f"state:{cell.state}": 1}
    if cell.flag:
        sums["flagged"] = 1
    return sums


def numbers(side: Side, figures: Figures | None) -> dict[str, int]:
    """Return what the figures of a cell add to the totals of one side; {} for None.

    The keys begin with the side, so that no other side has them: "standing:f1:sum". After it they
    are those of `side_numbers`: each count of the labels by its name, and for each measure 1 in one
    count of cells, for a defined value also its sum and squares in units of 10⁻¹².
    """
    if figures is None:
        return {}
    sums = side_numbers(figures)
    return {f"{side}:{key}": count for key, count in sums.items()}


def side_numbers(figures: Figures) -> dict[str, int]:
    """Return what the figures of a cell add to a side that it is on.

    Its counts are under their own names. A measure with a defined value adds 1 under "f1:n", and
    the value and its square under "f1:sum" and "f1:squares", in units of 10⁻¹². A large one takes
    several keys. Any other measure adds only 1: under "f1:unscored", "f1:cannot_tell", or
    "f1:undefined" for 0/0.
    """
    sums = dict(figures.counts)
    for metric, value in figures.values.items():
        if metric in figures.unscored:
            sums[f"{metric}:unscored"] = 1
        elif metric in figures.cannot_tell:
            sums[f"{metric}:{CANNOT_TELL_COUNT}"] = 1
        elif metric in figures.undefined:
            sums[f"{metric}:undefined"] = 1
        else:
            sums[f"{metric}:n"] = 1
            sums |= _digits_by_key(f"{metric}:sum", value)
            sums |= _digits_by_key(f"{metric}:squares", value * value)
    return sums


def _digits_by_key(key: str, value: float) -> dict[str, int]:
    """Return a finite value, rounded to units of 10⁻¹², as integers by their keys.

    That is one integer under `key`. A value too large for one takes several: the lowest digit to
    the base `STEP` is under `key`, each next one under the key before it with ":steps" at its end.
    """
    digits: dict[str, int] = {}
    units = round(value * UNIT)
    while abs(units) >= STEP:
        units, digits[key] = divmod(units, STEP)
        key += _NEXT
    digits[key] = units
    return digits


def total(totals: Mapping[str, int], key: str) -> float:
    """Return a sum of values, or of their squares, by its key with the side: `standing:f1:sum`.

    The digits that a large sum has under further keys are put together. It is 0 if nothing has that
    key.
    """
    units = 0
    step = 1
    for _ in range(_DIGITS):
        units += step * totals.get(key, 0)
        step *= STEP
        key += _NEXT
    return units / UNIT


class AnswerStats(Struct, frozen=True):
    """How one instruction was answered over all cells that have labels, pooled by its words."""

    of: str
    """The list of the instruction."""
    instruction: str
    answers: Mapping[str, int]
    """The number of cells by how the current labels answer it, in no order."""
    overruled: int
    """In how many of the `cells` the judge had answered it differently."""
    cells: int
    asides: Mapping[str, int] = {}
    """In how many cells each of its asides is given (`TraitKind.asides`)."""

    def times(self, answer: str) -> int:
        """Return in how many cells the current labels give this answer; 0 for an unknown one."""
        return self.answers.get(answer, 0)


AnswerKey = tuple[str, str, str | None]
"""The list and the words of an instruction, and an answer; None if the judge was overruled.

An aside is counted as an answer in a list of its own (`aside_list`).
"""


_ASIDE = ":aside"


def aside_list(list_name: str) -> str:
    """Return the name of the list under which the asides of a list's instructions are kept:
    `tp:aside`.
    """
    return list_name + _ASIDE


def is_aside(list_name: str) -> bool:
    """Return whether a list, by its name, is one that `aside_list` names."""
    return list_name.endswith(_ASIDE)


def answer_counts(cell: Cell) -> Counter[AnswerKey]:
    """Return what a cell adds to the counts of answers: 1 for each of its `answer_keys`."""
    return Counter(answer_keys(cell))


def answer_keys(cell: Cell) -> list[AnswerKey]:
    """Return the keys under which the answers of a cell are counted: one for each answer it gives.

    A key has the list and the words of an instruction, and the answer. Beside these there is a key
    with None for each instruction in which the judge was overruled. Each aside has a key with
    ":aside" at its list's end. The answers are those of the current labels.
    """
    keys: list[AnswerKey] = []
    for instruction, answer in cell.answers.items():
        keys.append((instruction.of, instruction.text, answer))
    for instruction in _overruled_instructions(cell):
        keys.append((instruction.of, instruction.text, None))

    for instruction, asides in cell.asides.items():
        list_of_asides = aside_list(instruction.of)
        for aside in asides:
            keys.append((list_of_asides, instruction.text, aside))
    return keys


def overruled(cell: Cell) -> int:
    """Return how many instructions the current labels answer differently than the judge did.

    0 for a cell that the judge saw as an example, for a hidden one, and if nobody changed the
    judge's labels.
    """
    return sum(1 for _ in _overruled_instructions(cell))


def _overruled_instructions(cell: Cell) -> Iterator[Instruction]:
    """Yield the instructions that the current labels answer differently than the judge did.

    An instruction that only one of them answers is not among these. Yields nothing for a cell that
    the judge saw as an example, for a hidden one, and if nobody changed the judge's labels.
    """
    if cell.example or cell.hidden:
        return
    if cell.edits or cell.base is not cell.judged:
        judge_answers = cell.judge_answers
        for instruction, answer in cell.answers.items():
            if judge_answers.get(instruction, answer) != answer:
                yield instruction


def answer_stats(counts: Mapping[AnswerKey, int]) -> list[AnswerStats]:
    """Return how each instruction was answered, in the order in which they are first counted.

    `counts` may have 0 for answers that no cell gives any more. Instructions that no cell answers
    are left out. Asides, which are counted in lists of their own, are in the `asides` of their
    instruction.
    """
    answers: dict[tuple[str, str], dict[str, int]] = {}
    for (list_name, text, answer), count in counts.items():
        by_answer = answers.setdefault((list_name, text), {})
        if answer is not None and count:
            by_answer[answer] = count

    stats: list[AnswerStats] = []
    for (list_name, text), by_answer in answers.items():
        if is_aside(list_name):
            continue
        if not by_answer:
            continue
        key_of_asides = (aside_list(list_name), text)
        stats.append(
            AnswerStats(
                of=list_name,
                instruction=text,
                answers=by_answer,
                overruled=counts.get((list_name, text, None), 0),
                cells=sum(by_answer.values()),
                asides=answers.get(key_of_asides, {}),
            ),
        )
    return stats


def pooled(cells: Iterable[Cell]) -> Counter[str]:
    """Return the totals of some cells, all sides of them, by a full recount.

    The keys are such as "cells", "state:reviewed", "flagged" and "standing:f1:sum". Empty without
    cells.
    """
    total: Counter[str] = Counter()
    for cell in cells:
        total.update(contribution(cell))
    return total


def counts(totals: Mapping[str, int], side: Side) -> dict[str, int]:
    """Return the pooled counts of one side by their names, such as "tp"; {} if there are none.

    `totals` has the keys of `contribution`, such as "standing:tp". Only counts of the kind itself
    are returned, not what is kept for each measure.
    """
    prefix = f"{side}:"
    side_counts: dict[str, int] = {}
    for key, count in totals.items():
        if not key.startswith(prefix):
            continue
        name = key.removeprefix(prefix)
        is_of_measure = ":" in name
        if not is_of_measure:
            side_counts[name] = count
    return side_counts


def macro(totals: Mapping[str, int], side: Side, measure_name: str) -> float | None:
    """Return the mean of a measure on one side, over the cells for which it is defined.

    `totals` has the keys of `contribution`. None if it is defined for no cell.
    """
    key = f"{side}:{measure_name}"
    defined_count = totals.get(f"{key}:n", 0)
    if not defined_count:
        return None
    return total(totals, f"{key}:sum") / defined_count


def micro(totals: Mapping[str, int], side: Side, measure: Measure) -> float | None:
    """Return the measure of the counts of all cells of a side together; None if it is 0/0.

    A measure that is not made of counts gives the mean of the cells for which it is defined, and
    None if there are none. `totals` has the keys of `contribution`.
    """
    if measure.pool is None:
        return macro(totals, side, measure.name)
    return measure.pool(counts(totals, side))


def summary(totals: Mapping[str, int], side: Side, measure: Measure) -> dict[str, Any]:
    """Return one measure of one side as a table.

    "n", "undefined", "unscored" and "cannot_tell" are numbers of cells. "micro" is the measure of
    the counts of all cells together, "macro" the mean over the `n` cells for which it is defined.
    Both are None without a value.
    """
    key = f"{side}:{measure.name}"
    return {
        "micro": micro(totals, side, measure),
        "macro": macro(totals, side, measure.name),
        "n": totals.get(f"{key}:n", 0),
        "undefined": totals.get(f"{key}:undefined", 0),
        "unscored": totals.get(f"{key}:unscored", 0),
        CANNOT_TELL_COUNT: totals.get(f"{key}:{CANNOT_TELL_COUNT}", 0),
    }


def measures_over(kind: AnyKind, traits: Iterable[Trait]) -> list[Measure]:
    """Return the measures that any of some traits of one kind has, one for each name.

    They are in the order in which traits and kind give them; [] without traits. Those with one name
    are merged as by `widest`: their bounds hold both, and where they differ there is no direction
    and no steps.
    """
    different = {id(trait): trait for trait in traits}.values()
    return widest(chain.from_iterable(map(kind.measures, different)))


def widest(measures: Iterable[Measure]) -> list[Measure]:
    """Return measures, one for each name, in the order of the first of each.

    If two have different bounds, it gets bounds that hold both. If they disagree about which end is
    better, it has no direction (None), and if about the steps, no steps (). All else is that of the
    first.
    """
    by_name: dict[str, Measure] = {}
    for other in measures:
        merged = by_name.get(other.name, other)
        higher = merged.higher_is_better
        steps = merged.steps
        if other.higher_is_better != higher:
            higher = None
        if other.steps != steps:
            steps = ()
        low = min(merged.low, other.low)
        high = max(merged.high, other.high)
        by_name[merged.name] = replace(
            merged,
            low=low,
            high=high,
            higher_is_better=higher,
            steps=steps,
        )
    return list(by_name.values())
