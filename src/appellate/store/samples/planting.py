"""Where known errors are planted: in proposals that nobody has touched, outside of the sample."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from appellate.core.cell import Cell
from appellate.core.facts import Planted
from appellate.core.planted_errors import errors, outcome, plantable
from appellate.store.workspace import Workspace


class PlantedError(NamedTuple):
    """An error, and the number of the cell that it is for."""

    cell: int
    what: Planted


def choose(workspace: Workspace, count: int, seed: int) -> list[PlantedError]:
    """So many errors, each in a cell of its own; the same for the same seed, and fewer where there
    are not so many.
    """
    chance = Random(seed)  # noqa: S311 - to be repeated, not to be unguessable
    numbers = workspace.column(
        "SELECT no FROM cells WHERE state = 'proposed' AND source = 'model'"
        " AND flag = 0 AND example = 0 ORDER BY lot, no"
    )
    chance.shuffle(numbers)
    found: list[PlantedError] = []
    for number in numbers:
        if len(found) == count:
            break
        _, cell = workspace.cell(number)
        error = _error(cell, chance)
        if error is not None:
            found.append(PlantedError(number, error))
    return found


def _error(cell: Cell, chance: Random) -> Planted | None:
    """One error in one of the answers of a cell; None where none can be."""
    if not plantable(cell):
        return None
    questions = sorted(cell.answers, key=lambda asked: asked[:2])
    chance.shuffle(questions)
    for asked in questions:
        possible = list(errors(cell, asked))
        if possible:
            return chance.choice(possible)
    return None


def outcomes(workspace: Workspace) -> Iterator[str]:
    """What came of each error that was ever planted, as `core.planted_errors.outcome` has it."""
    for number in workspace.column("SELECT DISTINCT cell FROM facts WHERE name = 'planted'"):
        _, cell = workspace.cell(number)
        came = outcome(cell)
        if came:
            yield came
