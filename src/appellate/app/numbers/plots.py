"""Small pictures in the terminal: bars and lines over time, drawn with characters alone.

A picture reads the same without colour and has an ASCII twin; what was counted at all is never
drawn as nothing.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from appellate.app.numbers.known import KnownNumbers, Spread
from appellate.core.figures import FigureColumn, FigureRow, FigureTable
from appellate.core.scale import full_name
from appellate.core.totals import AS_THEY_STAND
from appellate.numbers.figures_page import spread_rows
from appellate.numbers.judge_page import TraitNumbers
from appellate.ui.marks import UNICODE, Marks


def heights(counts: Sequence[int], levels: int, top: int | None = None) -> list[int]:
    """Each count as 0 to `levels`, which stands for `top`; 0 only for a count of 0."""
    if top is None:
        top = max(counts, default=0)
    if top <= 0:
        return [0] * len(counts)
    return [min(-(-max(count, 0) * levels // top), levels) for count in counts]


def bar(count: int, top: int, room: int, marks: Marks = UNICODE) -> str:
    """A bar of at most `room` cells, all of them at `top`; none where bars are not wanted."""
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
    """One character for each slot of time, the latest last; where there is no room for all, the
    latest.
    """
    room = max(room, 0)
    if marks.bars:
        shown = counts[max(len(counts) - room, 0) :]
        steps = f" {marks.rising}"
        return "".join(steps[height] for height in heights(shown, len(marks.rising)))
    line = " ".join(map(str, counts))
    if len(line) <= room:
        return line
    return line[len(line) - room :].partition(" ")[2]


NARROWEST, WIDEST = 12, 40  # cells of a bar
COUNT = 6
NAMES = 12


def spread(known: KnownNumbers, room: int, marks: Marks) -> list[FigureTable]:
    """A histogram of each trait that has labels, people's cells beside the judge's."""
    found: list[FigureTable] = []
    for trait in known.numbers():
        if not trait.numbers.measures:
            continue
        sides = trait.numbers.whole.sides[trait.headline.name]
        if any(sides[side].n for side in AS_THEY_STAND):
            found.append(_histogram(trait, known.spread.get(trait.name, {}), room, marks))
    return found


def _histogram(trait: TraitNumbers, counted: Spread, room: int, marks: Marks) -> FigureTable:
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
            now, judge = row.figures
            bars = [bar(int(one.rank or 0), top, wide, marks) for one in row.figures]
            figures = [now, replace(now, text=bars[0], style="reviewed")]
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
