"""How fast somebody signs off, and what that makes of the cells that are left."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import NamedTuple

LEAST = 3
IDLE = timedelta(minutes=5)


class Pace(NamedTuple):
    """The median seconds from one sign-off to the next, and of how many such steps."""

    seconds: float
    steps: int


def pace(times: Sequence[datetime], idle: timedelta = IDLE) -> Pace | None:
    """The pace of these sign-offs, in any order; longer gaps than `idle` were spent elsewhere.

    None for fewer than three sign-offs, or where every gap is idle.
    """
    gaps = [later - earlier for earlier, later in pairwise(sorted(times))]
    worked = [gap.total_seconds() for gap in gaps if gap <= idle]
    return Pace(median(worked), len(worked)) if len(times) >= LEAST and worked else None


def left(pace: Pace, cells: int) -> timedelta:
    """The time that this many cells take at this pace."""
    return timedelta(seconds=pace.seconds * cells)
