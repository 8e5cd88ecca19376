"""Cases of which the quick tests try some and the slow ones all others."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def partly_quick(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases for `parametrize`: the first and each `every`-th are quick, the others slow."""
    params: list[Any] = []
    for index, case in enumerate(cases):
        marks = [pytest.mark.slow] if index % every else []
        values: Sequence[Any] = case if isinstance(case, tuple) else (case,)
        params.append(pytest.param(*values, marks=marks))
    return params


def partly_quick_sizes(sizes: Iterable[tuple[int, int]], every: int) -> list[Any]:
    """The same of sizes, each of which is one value."""
    return partly_quick([(size,) for size in sizes], every)
