"""The page on the session, and the histograms: blocks with bars and lines of characters.

They read the same without colour, and a count above 0 is never drawn as nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from appellate.app.header import STATES
from appellate.app.numbers.known import Spread
from appellate.core.figures import (
    NO_FIGURE,
    FigureBlock,
    FigureColumn,
    FigureRow,
    FigureTable,
    Sentence,
    Sentences,
    ShownFigure,
    count_of,
)
from appellate.core.kind import TraitKey
from appellate.core.problem import many
from appellate.core.scale import full_name, is_bounded
from appellate.core.totals import AS_THEY_STAND
from appellate.numbers.figures_page import spread_rows
from appellate.numbers.judge_page import TraitNumbers
from appellate.session.review_session import ReviewSession, roughly, span
from appellate.ui.marks import UNICODE, Marks, progress

_BAR = 30
_SLOTS = "sign-offs in each 10 min  "


def session_of(
    session: ReviewSession,
    totals: Mapping[str, int],
    room: int,
    marks: Marks,
) -> list[FigureBlock]:
    """Return the blocks of the page on the session: progress, cells, pace and a summary.

    `totals` are counts of the workspace by name. `room` is the width in columns. The pace is left
    out before it is known.
    """
    cells = totals.get("cells", 0)
    reviewed = totals.get("state:reviewed", 0)
    text = f"{reviewed} of {many(cells, 'cell')} signed off  "
    if cells:
        text += f"{reviewed * 100 // cells} %"
    drawn = progress(reviewed, cells, min(_BAR, room - len(text) - 4), marks)
    pace = list(_pace(session, totals, room, marks))
    return [
        Sentences("Progress", [Sentence(f"{text}  {drawn}")]),
        _states(totals, room, marks),
        *([Sentences("Pace", pace)] if pace else []),
        Sentences("This session", list(map(Sentence, session.summary()))),
    ]


def _states(totals: Mapping[str, int], room: int, marks: Marks) -> FigureTable:
    """Return a table with the number of cells in each state, and of flagged ones.

    `totals` are counts of the workspace by name; what is missing is 0. Each state has its meaning
    and a bar, which would be full if all cells were in it. A row with cells opens them. The bars
    have what `room`, the width in columns, leaves, up to `_BAR` columns.
    """
    cells = totals.get("cells", 0)
    wide = min(max(room - 50, 0), _BAR)
    rows: list[FigureRow] = []
    for state, meaning in STATES:
        count = totals.get(f"state:{state}", 0)
        drawn = bar(count, cells, wide, marks)
        query = f"state:{state}"
        text = f"{state}: {meaning}."
        figures = [count_of(count, text, query), ShownFigure(meaning, style="muted")]
        figures.append(ShownFigure(drawn, style=state))
        tag = getattr(marks, state)
        behind = query if count else ""
        rows.append(FigureRow(state, figures, tag=tag, detail=text, query=behind))
    flagged = totals.get("flagged", 0)
    figures = [count_of(flagged, "flagged", "is:flagged"), NO_FIGURE, NO_FIGURE]
    behind = "is:flagged" if flagged else ""
    rows.append(FigureRow("flagged", figures, tag=marks.flag, query=behind))
    columns = (FigureColumn("cells", 6), FigureColumn("", 24, left=True))
    drawn_column = FigureColumn("", wide, left=True)
    return FigureTable(
        "states",
        "Cells",
        (*columns, drawn_column),
        rows,
        least=12,
        tags=2,
    )


def _pace(
    session: ReviewSession,
    totals: Mapping[str, int],
    room: int,
    marks: Marks,
) -> Iterator[Sentence]:
    """Yield the time for a cell with the time left, and the sign-offs over time, a sentence each.

    Yields nothing before the pace is known, and no line over time without room for it.
    """
    reviewed = totals.get("state:reviewed", 0)
    cells = totals.get("cells", 0)
    each = session.time_per_cell(reviewed)
    time = session.time_left(reviewed, cells)
    if each is None:
        return
    text = f"{span(each)} for a cell, pauses left out; {many(cells - reviewed, 'cell')} left"
    if time:
        text += f", about {roughly(time)}"
    yield Sentence(text)
    line = sparkline(session.slots(), room - len(_SLOTS) - 2, marks)
    if line:
        yield Sentence(f"{_SLOTS}{line}", "reviewed")


def heights(counts: Sequence[int], levels: int, top: int | None = None) -> list[int]:
    """Return each count scaled to 0 … `levels`, rounded up, where `levels` stands for `top`.

    Without `top` the largest count is the top. Counts above the top are at `levels`, negative ones
    at 0. If the top is 0 or less, all are 0.
    """
    if top is None:
        top = max(counts, default=0)
    if top <= 0:
        return [0] * len(counts)
    all_heights: list[int] = []
    for count in counts:
        height = _ceil_div(max(count, 0) * levels, top)
        all_heights.append(min(height, levels))
    return all_heights


def _ceil_div(number: int, divisor: int) -> int:
    """Return a whole number divided by another, rounded up."""
    return -(-number // divisor)


def bar(count: int, top: int, room: int, marks: Marks = UNICODE) -> str:
    """Return a bar for a count; it is `room` columns long at `top`, and at most.

    A count above 0 has at least the thinnest bar. Returns "" for marks without bars.
    """
    if not marks.bars:
        return ""
    steps = len(marks.growing)
    (level,) = heights([count], max(room, 0) * steps, max(top, 0))
    full, part = divmod(level, steps)
    drawn = marks.growing[-1] * full
    if part:
        drawn += marks.growing[part - 1]
    return drawn


def sparkline(counts: Sequence[int], room: int, marks: Marks = UNICODE) -> str:
    """Return a line with a character for each count, the latest that fit into `room` columns.

    The largest of them has the highest character. For marks without bars the counts are written as
    numbers, of which the first may be left out, too.
    """
    room = max(room, 0)
    if marks.bars:
        first = max(len(counts) - room, 0)
        steps = f" {marks.rising}"
        levels = heights(counts[first:], len(marks.rising))
        return "".join(steps[level] for level in levels)
    line = " ".join(map(str, counts))
    if len(line) <= room:
        return line
    end_of_line = line[len(line) - room :]
    return end_of_line.partition(" ")[2]


NARROWEST = 12
"""Columns of a histogram's bar at least."""
WIDEST = 40
"""Columns of a histogram's bar at most."""
COUNT = 6
"""Columns of a count."""
NAMES = 12
"""Columns of the names of the parts of a scale."""


def spread(
    traits: Iterable[TraitNumbers],
    counted: Mapping[TraitKey, Spread],
    room: int,
    marks: Marks,
) -> list[FigureTable]:
    """Return a histogram for each trait that has labels: current labels beside the judge's.

    Current labels are those that count now, be they a person's or the judge's own. A trait has no
    histogram if its main measure has no bounds, as its scale has no parts. `counted` has the
    histograms that were counted so far, by trait; others have no rows yet. `room` is the width in
    columns.
    """
    histograms: list[FigureTable] = []
    for trait in traits:
        if not trait.numbers.measures or not is_bounded(trait.headline):
            continue
        sides = trait.numbers.whole.sides[trait.headline.name]
        if any(sides[side].n for side in AS_THEY_STAND):
            histograms.append(
                _histogram(trait, counted.get(trait.key, {}), room, marks),
            )
    return histograms


def _histogram(
    trait: TraitNumbers,
    counted: Spread,
    room: int,
    marks: Marks,
) -> FigureTable:
    """Return the histogram of a trait's main measure, current labels beside the judge's.

    `counted` has the counts of each part of the scale by side; if empty, there are no rows yet.
    Bars share one scale, and have their width from `room`; marks without bars have none.
    """
    measure = trait.headline
    wide = 0
    if marks.bars:
        wide = min(max((room - NAMES - 2 * COUNT) // 2 - 4, NARROWEST), WIDEST)
    cells = FigureColumn("cells", COUNT)
    drawn = [FigureColumn(title, wide, left=True) for title in ("now", "judge")]
    rows: list[FigureRow] = []
    if counted:
        top = max(max(counts) for counts in counted.values())
        for row in spread_rows(trait, counted):
            current, judge = row.figures
            bars = [
                bar(int(figure.rank or 0), top, wide, marks) for figure in row.figures
            ]
            figures = [current, replace(current, text=bars[0], style="reviewed")]
            figures += [judge, replace(judge, text=bars[1], style="muted")]
            rows.append(replace(row, figures=figures))
    return FigureTable(
        f"spread {trait.name}",
        f"{trait.name} {marks.dot} {full_name(measure)}",
        (cells, drawn[0], cells, drawn[1]),
        rows,
        empty="" if rows else f"It is being counted {marks.ellipsis}",
        least=NAMES,
        named=measure.name if rows else "",
    )
