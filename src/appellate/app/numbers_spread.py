"""How the headline of each trait lies over the cells: a bar for each part of its scale, the labels
that stand beside the judge's.
"""

from collections.abc import Mapping, Sequence

from appellate.app.numbers_known import KnownNumbers, TraitNumbers
from appellate.app.numbers_queries import of_trait, part
from appellate.core.kind import Measure
from appellate.core.scale import full_name, part_name, parts
from appellate.core.totals import AS_THEY_STAND
from appellate.core.wordforms import many
from appellate.ui.figure_list import Block
from appellate.ui.figure_table import FigureColumn, FigureRow, FigureTable, ShownFigure
from appellate.ui.marks import Marks
from appellate.ui.plots import bar

PARTS = 10
LEAST, MOST = 12, 40  # cells of a bar
COUNT = 6
NAMES = 12


def spread(known: KnownNumbers, room: int, marks: Marks) -> list[Block]:
    """A histogram for each trait that has labels."""
    labelled = filter(_has_labels, known.traits)
    return [_histogram(trait, known.spread.get(trait.name, {}), room, marks) for trait in labelled]


def _has_labels(trait: TraitNumbers) -> bool:
    if not trait.measures:
        return False
    return any(f"{side}:{trait.headline.name}:n" in trait.totals for side in AS_THEY_STAND)


def _histogram(
    trait: TraitNumbers, sides: Mapping[str, Sequence[int]], room: int, marks: Marks
) -> FigureTable:
    measure = trait.headline
    heading = f"{trait.name} {marks.dot} {full_name(measure)}"
    wide = 0
    if marks.bars:
        wide = min(max((room - NAMES - 2 * COUNT) // 2 - 4, LEAST), MOST)
    columns = (
        FigureColumn("cells", COUNT),
        FigureColumn("now", wide, left=True),
        FigureColumn("cells", COUNT),
        FigureColumn("judge", wide, left=True),
    )
    if not sides:
        empty = f"It is being counted {marks.ellipsis}"
        return FigureTable(f"spread {trait.name}", heading, columns, empty=empty)
    count = parts(measure, PARTS)
    top = max(max(counts) for counts in sides.values())
    rows: list[FigureRow] = []
    for place in range(count):
        figures: list[ShownFigure] = []
        for side in AS_THEY_STAND:
            figures += _bar(trait, side, place, sides[side], top, wide, marks)
        name = _part(measure, place, count)
        rows.append(FigureRow(name, figures, detail=figures[0].detail, query=figures[0].query))
    return FigureTable(
        f"spread {trait.name}", heading, columns, rows, least=NAMES, named=measure.name
    )


def _part(measure: Measure, place: int, count: int) -> str:
    """What a part is called: its step, or from where to where it goes."""
    name = part_name(measure, place, count)
    if measure.steps:
        return name
    step = (measure.high - measure.low) / count
    return f"{name} to {measure.low + (place + 1) * step:g}"


def _bar(
    trait: TraitNumbers,
    side: str,
    place: int,
    counts: Sequence[int],
    top: int,
    wide: int,
    marks: Marks,
) -> Sequence[ShownFigure]:
    """A count, and the bar that stands for it."""
    measure, count = trait.headline, counts[place]
    judge = side != AS_THEY_STAND[0]
    whose = "the judge's labels" if judge else "the labels now"
    name = _part(measure, place, len(counts))
    text = f"{many(count, 'cell')} of {sum(counts)}: {measure.name} of {whose}, {name}."
    query = ""
    if count:
        query = of_trait(trait.name, part(trait.kind, measure, place, len(counts), judge=judge))
    drawn = bar(count, top, wide, marks)
    style = "muted" if judge else "reviewed"
    return (
        ShownFigure(str(count), count, text, query),
        ShownFigure(drawn, count, text, query, style),
    )
