"""`appellate plant`: plants known errors to see whether they are caught."""

import argparse
from collections import Counter
from collections.abc import Iterator
from random import Random

from appellate.cli.opening import at_bench, save, unless_refused
from appellate.cli.outcome import say, show_lines
from appellate.core.cell import Cell
from appellate.core.deciding import Act, Plant
from appellate.core.facts import Planted
from appellate.core.planted_errors import errors, outcome, outcome_texts, plantable
from appellate.core.problem import many
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace


def plant(arguments: argparse.Namespace) -> None:
    with at_bench(arguments, may_read=not arguments.n) as bench:
        if not arguments.n:
            show_lines(outcome_texts(Counter(outcomes(bench.workspace))))
            return
        found = choose(bench.workspace, arguments.n, arguments.seed)
        if not found:
            right = "it takes a model's proposals that nobody has touched, outside of the sample"
            raise unusable(bench.audit.name, "there is no cell to plant an error in", right)

        def put(act: Act) -> None:
            for number, error in found:
                act.do(number, [Plant(error)])

        with unless_refused(bench.audit.name):
            bench.do_together(put)
        save(bench)
    say(f"Planted {many(len(found), 'known error')} where nobody has been yet; where is hidden.")
    if len(found) < arguments.n:
        say("There are no more cells that could take one.")


# -- where ----------------------------------------------------------------------------------------


def choose(workspace: Workspace, count: int, seed: int) -> list[tuple[int, Planted]]:
    """So many errors at most, each with an untouched proposal outside of the sample."""
    chance = Random(seed)  # noqa: S311 - to be repeated, not to be unguessable
    numbers = workspace.column(
        "SELECT no FROM cells WHERE state = 'proposed' AND source = 'model'"
        " AND flag = 0 AND example = 0 ORDER BY lot, no"
    )
    chance.shuffle(numbers)
    found: list[tuple[int, Planted]] = []
    for number in numbers:
        if len(found) == count:
            break
        _, cell = workspace.cell(number)
        error = _error(cell, chance)
        if error is not None:
            found.append((number, error))
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
