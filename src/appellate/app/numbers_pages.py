"""The pages of the numbers: what stands on each, as it is narrowed and sorted."""

from msgspec.structs import replace

from appellate.app import (
    numbers,
    numbers_figures,
    numbers_groups,
    numbers_judge,
    numbers_matrix,
    numbers_spread,
    numbers_worth,
)
from appellate.app.numbers_known import KnownNumbers
from appellate.app.numbers_place import NumbersPlace
from appellate.review_session import ReviewSession
from appellate.ui.figure_list import Block
from appellate.ui.figure_table import FigureTable
from appellate.ui.marks import Marks
from appellate.workbench import Workbench


def blocks(
    place: NumbersPlace,
    known: KnownNumbers,
    bench: Workbench,
    session: ReviewSession,
    room: int,
    marks: Marks,
) -> list[Block]:
    """What the page in sight shows in so many cells."""
    page: list[Block] = []
    match place.page:
        case "judge":
            page = [*numbers_judge.judge(known, marks), *numbers_matrix.matrices(known, marks)]
        case "worth":
            page = numbers_worth.worths(known, room, marks)
        case "figures":
            page = [
                *numbers_figures.figures(known, marks),
                *numbers_groups.groups(known, place.grouping, marks),
                *numbers_spread.spread(known, room, marks),
            ]
        case "session":
            totals = bench.workspace.totals()
            page = numbers.session_of(session, totals, room, marks)
    return _as_wished(page, place)


def _as_wished(page: list[Block], place: NumbersPlace) -> list[Block]:
    """The page's rows that hold the words typed, sorted; a table with none is left out, unless all
    are.
    """
    found: list[Block] = []
    for block in page:
        if not isinstance(block, FigureTable):
            found.append(block)
            continue
        table = block.holding(place.words)
        if block.rows and not table.rows:
            table = replace(table, empty=f"No row has {place.words}: Esc shows all.")
        found.append(table.sorted(place.orders.get(table.key)))
    held = [one for one in found if not isinstance(one, FigureTable) or one.rows]
    return held if place.words and held else found
