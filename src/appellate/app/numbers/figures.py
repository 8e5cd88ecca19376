"""The measures of every trait, of the cells signed off and of all, beside the judge's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appellate.app.numbers.known import KnownNumbers, TraitNumbers
from appellate.app.numbers.plots import bar
from appellate.app.numbers.queries import SIGNED, part, undefined
from appellate.core.figures import FigureColumn, FigureRow, FigureTable, ShownFigure, count_of
from appellate.core.kind import Measure
from appellate.core.problem import many
from appellate.core.scale import full_name, part_name
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF, AnswerStats, summary
from appellate.query.language import of_trait
from appellate.ui.figure_list import Block
from appellate.ui.marks import Marks
from appellate.ui.measures_bar import number, signed

ASIDES = (
    FigureColumn("signed off", 10),
    FigureColumn("judge, same", 11),
    FigureColumn("all cells", 9),
    FigureColumn("judge, all", 10),
)
ASIDE_SIDES = {
    "signed": "in the cells signed off",
    "judge": "by the judge in the same cells",
    "standing": "in all cells, as they are now",
    "judge_all": "by the judge in all cells",
}


def asides(known: KnownNumbers) -> list[FigureTable]:
    """A row for each trait and what is said of any of its instructions; no table of none."""
    rows: list[FigureRow] = []
    for trait in known.traits:
        totals = trait.totals
        rows += [
            _aside_row(trait, word)
            for word in trait.kind.aside_words
            if totals.get(f"standing:{word}") or totals.get(f"judge_all:{word}")
        ]
    if not rows:
        return []
    return [FigureTable("asides", "Beside the measures", ASIDES, rows, least=LEAST)]


def _aside_row(trait: TraitNumbers, word: str) -> FigureRow:
    spelled = trait.kind.spelled.get(word, word)
    figures = []
    for side, where in ASIDE_SIDES.items():
        count = trait.totals.get(f"{side}:{word}", 0)
        only = SIGNED if side == "signed" else ""
        query = of_trait(trait.name, only, f"{word}>0")
        if side.startswith("judge"):
            query = ""  # queries ask for what stands
        text = f"{many(count, 'instruction')} {where}: {spelled}."
        figures.append(count_of(count, text, query))
    name = f"{trait.name} · {spelled}"
    return FigureRow(name, figures, detail=f"{name}.", query=of_trait(trait.name, f"{word}>0"))


def spelled(found: Sequence[tuple[TraitNumbers, AnswerStats]]) -> dict[str, str]:
    """The asides that any of these instructions has, and what people call them."""
    given: set[str] = set()
    known: dict[str, str] = {}
    for trait, stats in found:
        given.update(stats.asides)
        for word in trait.kind.aside_words:
            known[word] = trait.kind.spelled.get(word, word)
    return {word: spelled for word, spelled in known.items() if word in given}


def count_in(stats: AnswerStats, word: str, spelled: str, query: str) -> ShownFigure:
    """In how many cells it is said of an instruction."""
    count = stats.asides.get(word, 0)
    text = f"{spelled} in {many(count, 'cell')} of {stats.cells}."
    return count_of(count, text, f"{query} {word}>0")


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


def figures(known: KnownNumbers) -> list[Block]:
    """Two tables: of the cells signed off, and of what stands in every cell; then what no measure
    heeds. A sentence where there is none of these.
    """
    tables = [
        _table("Signed off", known, SIGNED_OFF),
        _table(ALL_CELLS, known, AS_THEY_STAND),
        *asides(known),
    ]
    found = [table for table in tables if table.rows]
    if not found:
        return [FigureTable("figures", ALL_CELLS, (), empty=NO_LABELS)]
    return [*found]


def _table(heading: str, known: KnownNumbers, sides: tuple[str, str]) -> FigureTable:
    rows: list[FigureRow] = []
    for trait in known.traits:
        rows += _rows(trait, known, sides)
    return FigureTable("figures", heading, COLUMNS, rows, least=LEAST)


def _rows(trait: TraitNumbers, known: KnownNumbers, sides: tuple[str, str]) -> Iterator[FigureRow]:
    only = SIGNED if sides == SIGNED_OFF else ""
    for measure in trait.measures:
        people = summary(trait.totals, sides[0], measure)
        judge = summary(trait.totals, sides[1], measure)
        if not has_cells(people) and not has_cells(judge):
            continue
        name = f"{trait.name} · {full_name(measure)}"
        query = of_trait(trait.name, only)
        found = [
            _count(people, judge, query),
            _undefined(people, judge, trait, measure, only),
            *_compared("micro", measure, people, judge, query),
            *_compared("macro", measure, people, judge, query),
            *_spread(trait, measure, known, sides[0], query),
        ]
        yield FigureRow(name, found, detail=_whole(name, people, judge), query=query)


def has_cells(side: Side) -> bool:
    """Whether any cell has the measure, were it as 0/0."""
    return bool(side["n"] + side["undefined"])


def _whole(name: str, people: Side, judge: Side) -> str:
    text = f"{name}: {value(people, 'micro')} over {many(people['n'], 'cell')}"
    if people["undefined"]:
        text += f", {people['undefined']} left out as 0/0"
    return f"{text}; the judge's {value(judge, 'micro')} over {judge['n']}."


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
    mean: str, measure: Measure, people: Side, judge: Side, query: str
) -> Iterator[ShownFigure]:
    """A mean of the people's labels, the judge's, and by how much they differ."""
    ours, theirs = people[mean], judge[mean]
    text = f"{measure.name}, {MEANS[mean]}: {value(people, mean)}, the judge's {value(judge, mean)}"
    by, style = "", ""
    difference = None
    if ours is not None and theirs is not None:
        difference = ours - theirs
    if difference is not None and number(ours) != number(theirs):
        by, style = signed(difference), "corrected"
        text += f" ({by})"
    text = f"{text}."
    yield ShownFigure(value(people, mean), ours, text, query, "key")
    yield ShownFigure(value(judge, mean), theirs, text, query, "muted")
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


# -- how cells are spread over a scale ------------------------------------------------------------

NARROWEST, WIDEST = 12, 40  # cells of a bar
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
        wide = min(max((room - NAMES - 2 * COUNT) // 2 - 4, NARROWEST), WIDEST)
    columns = (
        FigureColumn("cells", COUNT),
        FigureColumn("now", wide, left=True),
        FigureColumn("cells", COUNT),
        FigureColumn("judge", wide, left=True),
    )
    if not sides:
        empty = f"It is being counted {marks.ellipsis}"
        return FigureTable(f"spread {trait.name}", heading, columns, empty=empty)
    count = len(sides[AS_THEY_STAND[0]])
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
