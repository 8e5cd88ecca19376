"""How units are drawn at random into a sample.

Every unit has a *permanent random number* (Brewer, Early and Joyce 1972; Ohlsson 1995): a fraction
that follows from the seed and the unit's name alone. A sample is made of the units with the
smallest of them, so that it can be drawn again by anybody, and a larger one of the same seed holds
the smaller one whole.

Strata are numbered from 0; `sizes`, `before` and the like have an entry for each.
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
"""Units of each stratum, at the least: a spread takes two."""
DISAGREEMENT_FLOOR = 8
"""The same where strata are of disagreement, whose spread is what allocation goes by."""
UNIFORM = 0.5
"""How much of a draw that goes by disagreement does not: it goes by size, or the chance is the same
for all units. What all judges get wrong alike is found only where they agree.
"""
_LEVEL = re.compile(r"disagreement (\d+)/10")
"""The name of a stratum by chances: a step of disagreement."""
OTHERS = "others"
OUTSIDE = "-"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST = 10_000_000
"""Traces in a frame at the most."""
_LONGEST_RUN = 12  # digits
_RUN = re.compile(r"(?<!\d)(\d*)([A-Za-z-])")
_BITS = 53


class CannotDraw(ValueError):
    """A sample cannot be drawn like this; the message is a sentence."""


class FrameUnit(NamedTuple):
    """A unit that could be drawn, and the number of its stratum."""

    name: str
    stratum: int = 0


def permanent_number(seed: int, unit: str) -> float:
    """A fraction from 0 up to 1, the same wherever and whenever it is asked for."""
    digest = sha256(f"{seed} {unit}".encode()).digest()
    return (int.from_bytes(digest[:8]) >> (64 - _BITS)) / (1 << _BITS)


def fingerprint(units: Iterable[FrameUnit]) -> str:
    """The SHA-256 of a frame: its units by name, each with its stratum."""
    lines = sorted(f"{unit.stratum} {unit.name}\n" for unit in units)
    return sha256("".join(lines).encode()).hexdigest()


# -- strata ---------------------------------------------------------------------------------------


def strata_of(groups: Sequence[str], n: int) -> tuple[list[str], list[int]]:
    """The strata that units fall into by their groups, for a sample of n: names, and a number for
    each unit.

    Groups of which fewer than two would be drawn are one stratum, the last. Raises CannotDraw where
    that leaves one alone.
    """
    counts = Counter(groups)
    order = sorted(counts, key=lambda name: (-counts[name], name))
    names = [name for name in order if n * counts[name] >= FLOOR * len(groups)]
    if len(names) < len(order) or len(order) > len(_LETTERS):
        if OTHERS in names:
            names.remove(OTHERS)
        names = [*names[: len(_LETTERS) - 1], OTHERS]
    if len(names) < 2:  # noqa: PLR2004 - one stratum parts nothing
        text = f"{len(order):,} groups are too many to draw {FLOOR} of each, at the least, of {n:,}"
        if len(order) == 1:
            text = f"all of them are one group ({order[0] or 'which has no name'})"
        raise CannotDraw(f"That makes no strata: {text}. Go by something else, or by nothing.")
    places = {name: place for place, name in enumerate(names)}
    return names, [places.get(group, len(names) - 1) for group in groups]


def terciles(values: Sequence[float]) -> list[int]:
    """In which third each value is: 0, 1 or 2. Equal values are together, so one may be empty."""
    if not values:
        return []
    ordered = sorted(values)
    low, high = (ordered[ceil(len(ordered) * third / 3) - 1] for third in (1, 2))
    return [(value > low) + (value > high) for value in values]


def disagreement_weights(strata: Sequence[int], spreads: Sequence[float]) -> list[float]:
    """The weights of strata: half by size, half by their units' spreads (Neyman 1934)."""
    whole = sum(spreads) or 1.0
    weights = [0.0] * (max(strata) + 1)
    for stratum, spread in zip(strata, spreads, strict=True):
        weights[stratum] += UNIFORM / len(strata) + (1 - UNIFORM) * spread / whole
    return weights


def allocate(
    n: int,
    sizes: Sequence[int],
    weights: Sequence[float] | None = None,
    floor: int = FLOOR,
    before: Sequence[int] = (),
) -> list[int]:
    """How many of n are of each stratum: in proportion to its weight (its size, unless given), no
    fewer than `floor` or than were drawn before.

    One after the other goes to the stratum that lacks most (Sainte-Laguë), so that none has fewer
    for a larger n. Raises CannotDraw.
    """
    total = sum(sizes)
    if n > total:
        raise CannotDraw(f"{n:,} are more than the {total:,} that could be drawn.")
    drawn = []
    for size, one in zip(sizes, before or [0] * len(sizes), strict=True):
        drawn.append(max(min(floor, size), one))
    least = sum(drawn)
    if n < least:
        text = f"{n:,} are too few: {floor} of each of {len(sizes)} strata"
        raise CannotDraw(f"{text}, or all where there are fewer, make {least:,}.")
    weights = weights or sizes
    for _ in range(n - least):
        drawn[_lacking(drawn, sizes, weights)] += 1
    return drawn


def _lacking(drawn: Sequence[int], sizes: Sequence[int], weights: Sequence[float]) -> int:
    def lacks(stratum: int) -> tuple[float, float]:
        seats = drawn[stratum] + 0.5
        return weights[stratum] / seats, sizes[stratum] / seats

    return max((k for k in range(len(sizes)) if drawn[k] < sizes[k]), key=lacks)


# -- draws ----------------------------------------------------------------------------------------


def draw(
    units: Sequence[FrameUnit], seed: int, wanted: Sequence[int], before: Sequence[int]
) -> list[FrameUnit]:
    """The units that come in, in the order in which they are worked through: of each stratum those
    with the smallest numbers, as many as wanted, beyond those drawn before.

    The strata take turns, so that the first of them are drawn about as all of them are.
    """
    members = defaultdict[int, list[tuple[float, FrameUnit]]](list)
    for unit in units:
        members[unit.stratum].append((permanent_number(seed, unit.name), unit))
    ranked = []
    for stratum, those in sorted(members.items()):
        those.sort()
        new = those[before[stratum] : wanted[stratum]]
        for place, (number, unit) in enumerate(new):
            ranked.append(((place + 0.5) / len(new), number, unit))
    return [unit for *_, unit in sorted(ranked)]


# -- draws of earlier versions, made again to check the audits that have them ----------------------


class DrawByChance(NamedTuple):
    """The units that were drawn, in order, and the chance that a unit of each stratum had."""

    units: list[FrameUnit]
    chances: list[float]


def shares(names: Sequence[str], sizes: Sequence[int]) -> list[float]:
    """The share of a unit of each stratum: half the same for all, half by its step of disagreement.

    The steps are in the names of the strata. Raises ValueError for a name without one.
    """
    steps = []
    for name in names:
        level = _LEVEL.fullmatch(name)
        if level is None:
            raise ValueError(f"{name} is no step of disagreement")
        steps.append(int(level[1]))
    count = sum(sizes)
    whole = sum(map(mul, sizes, steps))
    if not whole:
        return [1 / count] * len(sizes)
    return [UNIFORM / count + (1 - UNIFORM) * step / whole for step in steps]


def drawn_by_chance(
    units: Sequence[FrameUnit], seed: int, share: Sequence[float], n: int, before: int = 0
) -> DrawByChance:
    """Sequential Poisson sampling (Ohlsson 1998): the n units whose number is smallest for their
    share, beyond those drawn before.

    The chance of a unit is what it had with all the others' numbers as they are: to be below the
    first one that did not come in. Estimates that are weighted by it are unbiased (Duffield, Lund
    and Thorup 2007). Raises CannotDraw.
    """
    if n > len(units):
        raise CannotDraw(f"{n:,} are more than the {len(units):,} that could be drawn.")
    ranked = sorted(
        (permanent_number(seed, unit.name) / share[unit.stratum], unit) for unit in units
    )
    reach = inf
    if n < len(units):
        reach = ranked[n][0]
    chances = [min(1.0, one * reach) for one in share]
    return DrawByChance([unit for _, unit in ranked[before:n]], chances)


# -- a frame as files have it ---------------------------------------------------------------------


def written(strata: Iterable[int | None]) -> str:
    """The strata of all traces, in order, as runs of letters: `412a-3b`; - could not be drawn."""
    runs = []
    for stratum, run in groupby(strata):
        letter = OUTSIDE if stratum is None else _LETTERS[stratum]
        length = len(list(run))
        runs.append(letter if length == 1 else f"{length}{letter}")
    return "".join(runs)


def read(text: str) -> list[int | None]:
    """The inverse of `written`; raises ValueError, also for more traces than `MOST`."""
    strata: list[int | None] = []
    place = 0
    for run in _RUN.finditer(text):
        if run.start() != place:
            break
        place = run.end()
        stratum = None if run[2] == OUTSIDE else _LETTERS.index(run[2])
        length = int(run[1] or 1) if len(run[1]) < _LONGEST_RUN else MOST + 1
        if len(strata) + length > MOST:
            raise ValueError(f"more than {MOST:,} traces")
        strata += [stratum] * length
    if place != len(text):
        raise ValueError(f"not strata of traces: {text[place : place + 20]!r}")
    return strata
