"""Draw units at random into a sample, from strata or without.

Every unit has a *permanent random number* (Brewer, Early and Joyce 1972; Ohlsson 1995): a fraction
that depends only on the seed and the name of the unit. A sample is the units with the smallest
numbers. So anybody can draw it again. A larger sample of the same seed contains the smaller one.

Planning a sample (`store/samples/sample_plans.py`) calls `strata_of()` or `terciles()`, then
`allocate()`, then `draw()`. Or it calls `giants()`, which says which units are better not left to
chance, and then `draw_after_whole()`. Checking the sample in a file (`design_faults.py`) draws it
again. `written()` and `read()` turn the strata of all traces into a short text and back.

Strata are numbered from 0. Lists such as `sizes` or `drawn_before` have an entry for each stratum.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import groupby
from math import ceil, inf
from operator import mul
from typing import NamedTuple

FLOOR = 2
"""The fewest units to draw from a stratum: one unit has no spread."""
DISAGREEMENT_FLOOR = 8
"""The fewest units to draw from a stratum of disagreement: its spread decides the allocation."""
UNIFORM = 0.5
"""The share of a draw by disagreement that goes by size instead, or gives all units equal chances.
What all judges get wrong in the same way is found only where they agree.
"""
_STEP_NAME = re.compile(r"disagreement (\d+)/10")
"""The name of a stratum in a draw by chances: its step of disagreement."""
OTHERS = "others"
"""The stratum of the groups that are too small to be one of their own."""
NOT_DRAWABLE = "-"
"""Stands in a written frame for traces that could not be drawn."""
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The letters that stand for strata in a written frame, by number."""
MOST = 10_000_000
"""The most traces in a frame."""
_LONGEST_RUN = 12  # digits
_RUN = re.compile(r"(?<!\d)(?P<length>\d*)(?P<letter>[A-Za-z-])")
_BITS = 53  # a float has as many


class CannotDraw(ValueError):
    """A sample cannot be drawn as asked. The message is a sentence for people."""


class FrameUnit(NamedTuple):
    """A unit that could be drawn."""

    name: str
    stratum: int = 0


def permanent_number(seed: int, unit_name: str) -> float:
    """Return a fraction from 0 to below 1 that depends on nothing but the seed and the name.

    It is the same on every machine, and is taken from the SHA-256 of both. So a unit keeps its
    number when others are added to a frame.
    """
    text = f"{seed} {unit_name}"
    digest = sha256(text.encode()).digest()
    first_64_bits = int.from_bytes(digest[:8])
    kept_bits = first_64_bits >> (64 - _BITS)
    return kept_bits / (1 << _BITS)


def fingerprint(units: Iterable[FrameUnit]) -> str:
    """Return the SHA-256 of a frame: of the names and strata of its units, in any order.

    It is 64 hexadecimal digits in lower case. Two equal units count as two.
    """
    lines = [f"{unit.stratum} {unit.name}\n" for unit in units]
    lines.sort()
    text = "".join(lines)
    return sha256(text.encode()).hexdigest()


# -- strata ---------------------------------------------------------------------------------------


def strata_of(groups: Sequence[str], n: int) -> tuple[list[str], list[int]]:
    """Divide units into strata by their groups, for a sample of `n` units.

    `groups` has the group of each unit. Returns the names of the strata, largest first and equal
    ones by name, and the number of the stratum of each unit, from 0. The last stratum, `OTHERS`, is
    shared by small groups, if there are any: those of which fewer than `FLOOR` units would be
    drawn, and the smallest if there are more groups than 52 letters. Raises CannotDraw, with a
    sentence that says why, if fewer than two strata result, as without units.
    """
    if not groups:
        raise CannotDraw(f"{n:,} are more than the 0 that could be drawn.")
    counts = Counter(groups)

    def larger_first(group: str) -> tuple[int, str]:
        """Return the number of units of a group, with a minus, and its name."""
        return -counts[group], group

    by_size = sorted(counts, key=larger_first)
    names: list[str] = []
    for group in by_size:
        # at least FLOOR would be drawn, in whole numbers
        if n * counts[group] >= FLOOR * len(groups):
            names.append(group)
    some_are_small = len(names) < len(by_size)
    if some_are_small or len(by_size) > len(_LETTERS):
        if OTHERS in names:
            names.remove(OTHERS)
        names = names[: len(_LETTERS) - 1]
        names.append(OTHERS)

    if len(names) < 2:  # noqa: PLR2004 - one stratum divides nothing
        group_count = len(by_size)
        if group_count > 1:
            why = (
                f"{group_count:,} groups are too many to draw at least {FLOOR} of each"
                f" in {n:,}"
            )
        else:
            name = by_size[0] or "which has no name"
            why = f"all of them are one group ({name})"
        raise CannotDraw(
            f"The units cannot be divided into strata: {why}. Choose other strata, or none.",
        )

    numbers = {name: number for number, name in enumerate(names)}
    last = len(names) - 1
    return names, [numbers.get(group, last) for group in groups]


def terciles(values: Sequence[float]) -> list[int]:
    """Return for each value the third that it is in: 0 for the lowest, 1, or 2.

    Equal values are all in the lowest third that one of them would be in, so a third may be empty.
    [] without values.
    """
    if not values:
        return []
    in_order = sorted(values)
    count = len(in_order)
    last_of_first = ceil(count / 3) - 1
    last_of_second = ceil(count * 2 / 3) - 1
    low = in_order[last_of_first]
    high = in_order[last_of_second]

    thirds: list[int] = []
    for value in values:
        third = 0
        if value > low:
            third += 1
        if value > high:
            third += 1
        thirds.append(third)
    return thirds


def disagreement_weights(
    strata: Sequence[int],
    spreads: Sequence[float],
) -> list[float]:
    """Return the weight of each stratum for `allocate`: half by size, half by spread.

    `strata` and `spreads` have an entry for each unit: the number of its stratum, from 0, and how
    far judges differ there. Spreads are 0 or more. The weights add up to 1, or to one half if all
    spreads are 0; only their proportions matter. There must be a unit. Source: Neyman (1934).
    """
    total_spread = sum(spreads) or 1.0
    weights = [0.0] * (max(strata) + 1)
    for stratum, spread in zip(strata, spreads, strict=True):
        weights[stratum] += (
            UNIFORM / len(strata) + (1 - UNIFORM) * spread / total_spread
        )
    return weights


def allocate(
    n: int,
    sizes: Sequence[int],
    weights: Sequence[float] | None = None,
    floor: int = FLOOR,
    drawn_before: Sequence[int] = (),
) -> list[int]:
    """Return how many of `n` units are drawn from each stratum.

    The counts are in proportion to the weights, or to the sizes without weights, and add up to `n`.
    None is below `floor`, but a smaller stratum is drawn whole. None is below what was drawn
    before, which the counts include, nor above the size. A larger `n` makes none of them smaller:
    each further unit goes to the stratum that lacks most (Sainte-Laguë), of strata of weight 0 by
    size. Raises CannotDraw if `n` is larger than all sizes together, or too small for the floors
    and what was drawn before. Raises ValueError if `drawn_before` has not as many entries as
    `sizes`; () is for nothing.
    """
    total = sum(sizes)
    if n > total:
        raise CannotDraw(f"{n:,} are more than the {total:,} that could be drawn.")
    if not drawn_before:
        drawn_before = [0] * len(sizes)
    if not weights:
        weights = sizes

    counts = []
    for size, before in zip(sizes, drawn_before, strict=True):
        least_of_stratum = min(floor, size)
        counts.append(max(least_of_stratum, before))
    least = sum(counts)
    if n < least:
        text = f"{n:,} are too few: at least {floor} of each of {len(sizes)} strata"
        raise CannotDraw(
            f"{text} are drawn, or all of a smaller one, which makes {least:,}.",
        )

    def lack(stratum: int) -> tuple[float, float]:
        """Return a stratum's weight and its size, each divided by its count plus a half."""
        seats = counts[stratum] + 0.5
        return weights[stratum] / seats, sizes[stratum] / seats

    for _ in range(n - least):
        unfinished: list[int] = []
        for stratum, size in enumerate(sizes):
            if counts[stratum] < size:
                unfinished.append(stratum)
        lacks_most = max(unfinished, key=lack)
        counts[lacks_most] += 1
    return counts


# -- giants ---------------------------------------------------------------------------------------

TOO_LARGE = 5
"""A largest unit of more than so many times the mean size carries a number too much (a guess)."""
STANDS_OUT = 2
"""Where there is one so large, units of more than so many times the mean size are giants."""
MOST_WHOLE = 3
"""At most one in so many units of a sample is a giant: chance must choose most of it."""


def giants(sizes: Sequence[float], n: int) -> list[int]:
    """Return the indexes of the units that a sample of `n` units should take whole, ascending.

    `sizes` is how large each unit is, as it is known before anybody rules. There are none unless
    the largest has more than 5 times the mean size (`TOO_LARGE`). They are the largest of those
    with more than 2 times the mean (`STANDS_OUT`), at most a third of `n` (`MOST_WHOLE`).
    """
    if not sizes:
        return []
    mean = sum(sizes) / len(sizes)
    if max(sizes) <= TOO_LARGE * mean:
        return []
    large: list[int] = []
    for index in largest(sizes, n // MOST_WHOLE):
        if sizes[index] > STANDS_OUT * mean:
            large.append(index)
    large.sort()
    return large


def largest(sizes: Sequence[float], count: int) -> list[int]:
    """Return the indexes of the `count` largest units, the largest first.

    Equal ones are in the order of `sizes`. All are returned if there are fewer than `count`.
    """

    def larger_first(index: int) -> float:
        """Return the size of a unit with a minus, so that larger units are sorted first."""
        return -sizes[index]

    indexes = range(len(sizes))
    return sorted(indexes, key=larger_first)[:count]


# -- draws ----------------------------------------------------------------------------------------


def draw(
    units: Sequence[FrameUnit],
    seed: int,
    wanted: Sequence[int],
    drawn_before: Sequence[int],
) -> list[FrameUnit]:
    """Return the units that are added to a sample, in the order in which they are audited.

    From each stratum come the units with the smallest permanent numbers, which follow from `seed`
    and the unit's name, until as many as `wanted` are drawn or none is left. `wanted` and
    `drawn_before` have a count for each stratum, by its number, and `wanted` includes what was
    drawn before. Of a stratum that has as many already, none is added. The strata take turns in
    proportion to their counts, so any first part of the result is divided among them about as the
    whole is.
    """
    members = defaultdict[int, list[tuple[float, FrameUnit]]](list)
    for unit in units:
        number = permanent_number(seed, unit.name)
        members[unit.stratum].append((number, unit))

    ranked: list[tuple[float, float, FrameUnit]] = []
    for stratum, numbered_units in sorted(members.items()):
        numbered_units.sort()
        added = numbered_units[drawn_before[stratum] : wanted[stratum]]
        for index, (number, unit) in enumerate(added):
            turn = (index + 0.5) / len(added)
            ranked.append((turn, number, unit))
    ranked.sort()
    return [unit for _, _, unit in ranked]


def draw_after_whole(
    units: Sequence[FrameUnit],
    seed: int,
    wanted: Sequence[int],
    drawn_before: Sequence[int],
) -> list[FrameUnit]:
    """Return the units that are added to a sample whose first stratum is drawn whole.

    Its units come first, so that they are known when those that chance chose are counted. The
    others follow in the order in which strata take turns. `wanted` and `drawn_before` have a count
    for each stratum, and `wanted` includes what was drawn before. `wanted` must begin with the size
    of the first stratum, for all of its units to be drawn. Both must have a stratum at least.
    """
    size_of_first, *wanted_of_others = wanted
    _, *before_of_others = drawn_before
    whole = draw(units, seed, [size_of_first, *before_of_others], drawn_before)
    others = draw(units, seed, [0, *wanted_of_others], [0, *before_of_others])
    return whole + others


# -- draws of earlier versions, made again to check the audits that have them ----------------------


class DrawByChance(NamedTuple):
    """A sample whose units had unequal chances of being drawn."""

    units: list[FrameUnit]
    """The units that were added, in the order of the draw."""
    chances: list[float]
    """The chance that a unit of each stratum had, at most 1."""


def shares(names: Sequence[str], sizes: Sequence[int]) -> list[float]:
    """Return the share of one unit of each stratum, for `drawn_by_chance`.

    `names` are those of the strata, as in "disagreement 3/10", where 3 is the step of disagreement,
    and `sizes` their numbers of units. Half of a share is the same for all units, the other half is
    in proportion to the step. If all steps are 0, all shares are equal. The shares of all units add
    up to 1, so there must be a unit. Raises ValueError for a name of any other form.
    """
    steps = []
    for name in names:
        step = _STEP_NAME.fullmatch(name)
        if step is None:
            raise ValueError(f"{name} is not a step of disagreement")
        steps.append(int(step[1]))

    count = sum(sizes)
    total_steps = sum(map(mul, sizes, steps))
    if not total_steps:
        return [1 / count] * len(sizes)
    uniform_part = UNIFORM / count
    return [uniform_part + (1 - UNIFORM) * step / total_steps for step in steps]


def drawn_by_chance(
    units: Sequence[FrameUnit],
    seed: int,
    share: Sequence[float],
    n: int,
    drawn_before: int = 0,
) -> DrawByChance:
    """Draw a sample of `n` units by sequential Poisson sampling (Ohlsson 1998).

    The sample is the `n` units whose permanent number is smallest in proportion to their share,
    that one first. `share` has the share of a unit of each stratum, above 0. The units returned are
    without the first `drawn_before`, so at most `n` - `drawn_before`.

    The chances returned are those of a unit of each stratum, 1 at most, and 1 if all units are
    drawn. A unit's chance is that its number is below that of the first unit that was not drawn,
    with all other numbers fixed. Estimates weighted by these chances are unbiased (Duffield, Lund
    and Thorup 2007). Raises CannotDraw if there are fewer units than `n`.
    """
    if n > len(units):
        raise CannotDraw(f"{n:,} are more than the {len(units):,} that could be drawn.")
    ranked: list[tuple[float, FrameUnit]] = []
    for unit in units:
        number = permanent_number(seed, unit.name)
        ranked.append((number / share[unit.stratum], unit))
    ranked.sort()

    first_not_drawn = inf
    if n < len(units):
        first_not_drawn, _ = ranked[n]
    chances = [min(1.0, unit_share * first_not_drawn) for unit_share in share]
    added = [unit for _, unit in ranked[drawn_before:n]]
    return DrawByChance(added, chances)


# -- a frame as files have it ---------------------------------------------------------------------


def written(strata: Iterable[int | None]) -> str:
    """Return the strata of all traces, in order, as runs of letters, as in `412a-3b`.

    A number counts a run of two or more; a run of one is the letter alone. `a` stands for stratum
    0, `z` for 25, `A` for 26. None, for a trace that could not be drawn, is written as `-`. ""
    without traces. Raises IndexError for a stratum above the 52 letters.
    """
    runs = []
    for stratum, run in groupby(strata):
        letter = NOT_DRAWABLE if stratum is None else _LETTERS[stratum]
        length = len(list(run))
        if length > 1:
            runs.append(f"{length}{letter}")
        else:
            runs.append(letter)
    return "".join(runs)


def read(text: str) -> list[int | None]:
    """Return the stratum of each trace from runs of letters, as `written` makes them: `412a-3b`.

    The result is None for `-`, and [] for "". A run of `1a` or `0a` is read, too, though `written`
    makes none. Raises ValueError for any other text, also with blanks, and for more traces than
    `MOST`.
    """
    strata: list[int | None] = []
    end = 0
    for run in _RUN.finditer(text):
        if run.start() != end:
            break
        end = run.end()
        stratum = None
        if run["letter"] != NOT_DRAWABLE:
            stratum = _LETTERS.index(run["letter"])
        digits = run["length"]
        length = MOST + 1  # of more digits, which would take long to read
        if len(digits) < _LONGEST_RUN:
            length = int(digits or 1)
        if len(strata) + length > MOST:
            raise ValueError(f"more than {MOST:,} traces")
        strata += [stratum] * length

    if end != len(text):
        unread = text[end : end + 20]
        raise ValueError(f"not strata of traces: {unread!r}")
    return strata
