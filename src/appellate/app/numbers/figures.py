"""The measures of every trait, of the cells signed off and of all, beside the judge's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appellate.app.numbers.asides import asides
from appellate.app.numbers.known import KnownNumbers, TraitNumbers
from appellate.app.numbers.queries import SIGNED, of_trait, undefined
from appellate.core.kind import Measure
from appellate.core.scale import full_name
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF, summary
from appellate.core.wordforms import many
from appellate.ui.figure_list import Block
from appellate.ui.figure_table import FigureColumn, FigureRow, FigureTable, ShownFigure
from appellate.ui.marks import Marks
from appellate.ui.measures_bar import number, signed

COLUMNS = (
    FigureColumn("n", 5),
    FigureColumn("0/0", 4),
    FigureColumn("micro", 6),
    FigureColumn("judge", 6),
    FigureColumn("by", 6),
    FigureColumn("macro", 6),
    FigureColumn("judge", 6),
    FigureColumn("by", 6),
    FigureColumn("std", 6),
    FigureColumn("stderr", 6),
)
ALL_CELLS = "All cells, as they are now"
NO_LABELS = "No cell has labels yet: J has one judged, v and m fill it by hand."
LEAST = 26  # cells of a trait and a measure
Side = Mapping[str, Any]


def figures(known: KnownNumbers, marks: Marks) -> list[Block]:
    """Two tables: of the cells signed off, and of what stands in every cell; then what no measure
    heeds. A sentence where there is none of these.
    """
    tables = [
        _table("Signed off", known, SIGNED_OFF, marks),
        _table(ALL_CELLS, known, AS_THEY_STAND, marks),
        *asides(known, marks),
    ]
    found = [table for table in tables if table.rows]
    if not found:
        return [FigureTable("figures", ALL_CELLS, (), empty=NO_LABELS)]
    return [*found]


def _table(heading: str, known: KnownNumbers, sides: tuple[str, str], marks: Marks) -> FigureTable:
    rows: list[FigureRow] = []
    for trait in known.traits:
        rows += _rows(trait, known, sides, marks)
    return FigureTable("figures", heading, COLUMNS, rows, least=LEAST)


def _rows(
    trait: TraitNumbers, known: KnownNumbers, sides: tuple[str, str], marks: Marks
) -> Iterator[FigureRow]:
    only = SIGNED if sides == SIGNED_OFF else ""
    for measure in trait.measures:
        people = summary(trait.totals, sides[0], measure)
        judge = summary(trait.totals, sides[1], measure)
        if not has_cells(people) and not has_cells(judge):
            continue
        name = f"{trait.name} {marks.dot} {full_name(measure)}"
        query = of_trait(trait.name, only)
        found = [
            _count(people, judge, query),
            _undefined(people, judge, trait, measure, only),
            *_compared("micro", measure, people, judge, query, marks),
            *_compared("macro", measure, people, judge, query, marks),
            *_spread(trait, measure, known, sides[0], query),
        ]
        yield FigureRow(name, found, detail=_whole(name, people, judge, marks), query=query)


def has_cells(side: Side) -> bool:
    """Whether any cell has the measure, were it as 0/0."""
    return bool(side["n"] + side["undefined"])


def _whole(name: str, people: Side, judge: Side, marks: Marks) -> str:
    text = f"{name}: {value(people, 'micro')} over {many(people['n'], 'cell')}"
    if people["undefined"]:
        text += f", {people['undefined']} left out as 0/0"
    return f"{text}; the judge's {value(judge, 'micro')} over {judge['n']}.".replace(
        "−", marks.minus
    )


def _count(people: Side, judge: Side, query: str) -> ShownFigure:
    text = f"{many(people['n'], 'cell')} in the numbers"
    if judge["n"] != people["n"]:
        text += f", {judge['n']} in the judge's"
    return ShownFigure(str(people["n"]), people["n"], f"{text}.", query, "muted")


def _undefined(
    people: Side, judge: Side, trait: TraitNumbers, measure: Measure, only: str
) -> ShownFigure:
    count = people["undefined"]
    text = f"0/0 in {many(count, 'cell')}, which are left out; the judge's in {judge['undefined']}."
    query = ""
    if count:
        query = of_trait(trait.name, only, undefined(measure))
    return ShownFigure(str(count), count, text, query, "muted")


MEANS = {
    "micro": "the counts of all cells pooled (micro)",
    "macro": "the mean over the cells (macro)",
}


def _compared(
    mean: str, measure: Measure, people: Side, judge: Side, query: str, marks: Marks
) -> Iterator[ShownFigure]:
    """A mean of the people's labels, the judge's, and by how much they differ."""
    ours, theirs = people[mean], judge[mean]
    text = f"{measure.name}, {MEANS[mean]}: {value(people, mean)}, the judge's {value(judge, mean)}"
    by, style = "", ""
    difference = None
    if ours is not None and theirs is not None:
        difference = ours - theirs
    if difference is not None and number(ours) != number(theirs):
        by, style = signed(difference, marks), "corrected"
        text += f" ({by})"
    text = f"{text}.".replace("−", marks.minus)
    yield ShownFigure(value(people, mean).replace("−", marks.minus), ours, text, query, "key")
    yield ShownFigure(value(judge, mean).replace("−", marks.minus), theirs, text, query, "muted")
    differing = f"{query} overruled>0" if by else ""
    yield ShownFigure(by, difference, text, differing, style)


def value(side: Side, mean: str) -> str:
    """A number, `0/0`, or a dash where there is no cell to have it."""
    if not has_cells(side):
        return "-"
    if side[mean] is None:
        return "0/0"
    return number(side[mean])


def _spread(
    trait: TraitNumbers, measure: Measure, known: KnownNumbers, side: str, query: str
) -> Sequence[ShownFigure]:
    """The standard deviation of the cells' values, and the standard error of their mean, once they
    are counted.
    """
    counted = known.whole(trait.name)
    found = counted.whole.sides.get(measure.name, {}).get(side) if counted else None
    if found is None or found.std is None:
        return ShownFigure(), ShownFigure()
    text = f"The standard deviation of {measure.name} over {many(found.n, 'cell')}."
    std = ShownFigure(number(found.std), found.std, text, query)
    if found.stderr is None:
        return std, ShownFigure(
            detail="A standard error takes two clusters of traces at the least."
        )
    text = (
        f"The standard error of the mean, its cells clustered: {many(found.clusters, 'cluster')}"
        " (by the trace's cluster, else by its id)."
    )
    return std, ShownFigure(number(found.stderr), found.stderr, text, query)
