"""Comparisons that no screen draws: made on a bench, their rows read as words, their acts called."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from appellate.app.compare.asked import AskedCells
from appellate.app.compare.by_instruction import InstructionList
from appellate.app.compare.screen import CompareContext, Comparison
from appellate.app.compare.side_by_side import Sides
from appellate.core.cell import Cell
from appellate.core.problem import USUAL, with_keys
from appellate.session.acts import Acts
from appellate.store.files.wordings import Wordings
from appellate.ui.conversation import begin
from appellate.ui.marks import UNICODE
from linear.linear_stage import bench_of


def context_of(bench: Any = None, shown: Cell | None = None) -> CompareContext:
    """What comparisons take from a review screen; `shown` is the cell in sight."""
    if shown is not None:
        bench = SimpleNamespace(
            open=lambda _: (shown.subject.trace, shown),
            readonly=False,
        )
    return CompareContext(
        bench,
        Acts(bench),
        UNICODE,
        keys=(),
        reasons=(),
        cell_no=1,
        said="",
        renders_markdown=False,
        pressed=lambda *_: None,
        arrived=lambda _: 0.0,
        with_own_keys=partial(with_keys, names=USUAL),
    )


@contextmanager
def listed(folder: Path, scene: Any, number: int = 4) -> Iterator[InstructionList]:
    """The cells that are asked an instruction of the first cell's trait."""
    with bench_of(folder, scene) as bench:
        subject = bench.open(1)[1].subject
        asked = [*subject.kind.standings(subject.trait, subject.kind.blank)][number - 1]
        wordings = Wordings(bench.workspace.rubric)
        wording = wordings.of(subject.trait.name, asked)
        assert wording is not None
        yield drawn(InstructionList(context_of(bench), wordings, wording))


@contextmanager
def paired(folder: Path, scene: Any) -> Iterator[Sides]:
    """The first cell beside the other answers to its question."""
    with bench_of(folder, scene) as bench:
        trace_no = bench.workspace.cells.trace_of(1)
        others = bench.workspace.traces.other_answers(1, trace_no, bench.open(1)[0])
        yield drawn(Sides(context_of(bench), 1, others))


def drawn(of: Any) -> Any:
    """A comparison on a screen of 80 columns that hears of changes."""
    of.width = lambda: 80
    of.bench.listeners.append(of.changed)
    words(of)
    return of


def words(of: Comparison) -> str:
    """The words of all rows, which are in sight from then on."""
    found = []
    for section in of.rows().sections:
        for row in section.rows:
            found += [*row.left, (row.text,), *row.right]
            found += [
                piece for pieces in (*row.below, *row.under_cursor) for piece in pieces
            ]
    return " ".join(" ".join(piece[0] for piece in found).split())


def counts(of: Comparison) -> str:
    """What the line above the rows says."""
    rows = of.rows()
    return " ".join(part.text for part in (*rows.left, *rows.right))


def chosen(of: InstructionList, key: str, what: str = "only") -> list[int]:
    """The cells that are shown once somebody has picked which, or in which order."""

    async def pick(*_: Any) -> str:
        return key

    async def sort() -> None:
        assert list(await of.choose(what)) is not None

    of.pick = pick
    begin(sort())
    return [asked.cell for asked in of.places]


def cell(of: AskedCells, number: int) -> Cell:
    return of.bench.open(number)[1]


def stands(of: Any, number: int) -> str:
    """How a cell answers instruction 4."""
    standings = cell(of, number).standings
    return next(word for one, word in standings.items() if one.number == 4)
