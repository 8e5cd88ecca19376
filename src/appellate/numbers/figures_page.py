"""The measures of traits, people's beside the judge's: over all cells, by groups, of epochs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import ceil

from msgspec.structs import replace

from appellate.core.breakdown import BySide, GroupFigures, SideFigures
from appellate.core.figures import (
    NO_FIGURE,
    FigureColumn,
    FigureRow,
    FigureTable,
    Sentence,
    ShownFigure,
    count_of,
)
from appellate.core.kind import CANNOT_TELL, CANNOT_TELL_COUNT, Measure
from appellate.core.problem import many
from appellate.core.scale import SHARE_OF_CLASS, bound_text, full_name, part_name
from appellate.core.totals import AS_THEY_STAND, SIDES, SIGNED_OFF
from appellate.numbers.formatting import change, figure, mean, side_word
from appellate.numbers.judge_page import (
    AGREEMENT,
    INSTRUCTIONS,
    SIGNED,
    Change,
    Sides,
    TraitNumbers,
    agreement_figures,
    beside_people,
    instructions,
    less,
    ruled_instructions,
)
from appellate.query.language import of_trait, quoted, written_name

ALL_CELLS = "All cells, as they are now"
NO_LABELS = (
    "No cell has labels yet: {cell.judge:J} has one judged, {text.select:v} and {item.missing:m}"
    " fill it in yourself."
)
COUNTING = "It is being counted …"
FEW = 12
"""Groups with all of their measures on a screen; of more each has its headline alone."""
GROUPS = 100
"""Groups in a table; JSON and CSV have them all."""
_LEAST = 26
_MEANS = {
    "micro": "the counts of all cells pooled (micro)",
    "macro": "the mean over the cells (macro)",
}


def figures_page(traits: Sequence[TraitNumbers]) -> list[FigureTable]:
    """Return the tables of the page Figures: cells signed off, all cells, and the asides.

    An aside is a count that is in no measure. Tables without rows are left out; if none has rows,
    there is one empty table that says that no cell has labels.
    """
    tables = [
        measures("Signed off", traits, SIGNED_OFF),
        measures(ALL_CELLS, traits, AS_THEY_STAND),
        counted(traits, only_asides=True),
    ]
    filled_tables = [table for table in tables if table.rows]
    return filled_tables or [FigureTable("figures", ALL_CELLS, (), empty=NO_LABELS)]


def _columns(sides: Sides) -> tuple[FigureColumn, ...]:
    """Return the headings of a table of measures: a title, a width and a longer title each.

    `sides` are the names of people's side and the judge's; they are only in the longer titles. The
    columns are people's counts, and of both means people's, the judge's and the change. Then come
    the errors, the judge's counts and the unscored. There are always 14.
    """
    people, judge = map(side_word, sides)
    means: list[FigureColumn] = []
    for mean_name in _MEANS:
        means += [
            FigureColumn(mean_name, 6, words=f"{mean_name} {people}"),
            FigureColumn("judge", 6, words=f"{mean_name} {judge}"),
            FigureColumn("by", 6, words=f"{mean_name} change"),
        ]
    return (
        FigureColumn("n", 5, words=f"n {people}"),
        FigureColumn("0/0", 4, words=f"0/0 {people}"),
        *means,
        FigureColumn("stderr", 6, words=f"stderr {people}"),
        FigureColumn("its err", 7, words=f"stderr {judge}"),
        FigureColumn("std", 6, words=f"std {people}"),
        FigureColumn("its n", 5, words=f"n {judge}"),
        FigureColumn("its 0/0", 7, words=f"0/0 {judge}"),
        FigureColumn("unscored", 8),
    )


def measures(
    heading: str,
    traits: Sequence[TraitNumbers],
    sides: Sides,
    *,
    named: bool = True,
) -> FigureTable:
    """Return a table with a row for each trait and measure that any cell has.

    A measure that is 0/0 in all cells, or that could not be told in some, has a row, too. `sides`
    are the names of people's side and the judge's. The title of the table is `heading`. With
    `named` a row is called by its trait and measure, else by its measure only. Rows lead to the
    cells of their trait, of `SIGNED_OFF` to those signed off; nowhere if the measure is in none of
    people's labels there. Without such a measure there are no rows.
    """
    only = SIGNED if sides == SIGNED_OFF else ""
    rows: list[FigureRow] = []
    for trait in traits:
        query = of_trait(trait.name, only)
        for measure in trait.numbers.measures:
            by_side = trait.sides(measure)
            if not any(
                _cells(by_side[side]) + by_side[side].cannot_tell for side in sides
            ):
                continue
            name = full_name(measure)
            if named:
                name = f"{trait.name} · {name}"
            known_change = trait.changes.get(measure.name, {}).get(sides)
            rows.append(
                _measure_row(name, measure, by_side, sides, query, known_change),
            )
    return FigureTable("figures", heading, _columns(sides), rows, least=_LEAST)


def _cells(side: SideFigures) -> int:
    """Return how many cells have the measure, counting those where it is 0/0.

    Cells without a score, or of which it cannot be told, are not counted.
    """
    return side.n + side.undefined


def _mean_difference(
    mean_name: str,
    people: SideFigures,
    judge: SideFigures,
) -> float | None:
    """Return by how much people's mean is above the judge's; None if they are of other cells.

    `mean_name` is "micro" or "macro". They are of other cells if the numbers of cells differ, and
    for "macro" also if those of defined values do. None, too, if either mean is.
    """
    if _cells(people) != _cells(judge):
        return None
    if mean_name == "macro" and people.n != judge.n:
        return None
    return less(getattr(people, mean_name), getattr(judge, mean_name))


def _measure_row(
    name: str,
    measure: Measure,
    by_side: BySide,
    sides: Sides,
    query: str,
    known_change: Change | None = None,
) -> FigureRow:
    """Return the row of a measure, called `name`: people's side, the judge's, and the change.

    `sides` are the names of both in `by_side`. `query` finds the cells; if no cell on people's side
    has the measure, the row leads nowhere. `known_change` is the change over the cells on both
    sides. Without it the change is the difference of the means shown, and a dash if these are of
    other cells. Counts of the judge that equal people's are left empty, and so is a count of 0
    unscored.
    """
    people = by_side[sides[0]]
    judge = by_side[sides[1]]
    if not _cells(people):
        query = ""
    figures = [_cells_figure(people, judge, query)]
    figures.append(_undefined_figure(measure, people, judge, query))
    for mean_name in _MEANS:
        difference = _mean_difference(mean_name, people, judge)
        if known_change:
            difference = getattr(known_change, mean_name)
        figures += _mean_figures(mean_name, measure, people, judge, difference, query)
    figures += _error_figures(measure, people, judge, query)
    figures.append(_count_unless(judge.n, people.n))
    figures.append(_count_unless(judge.undefined, people.undefined))
    figures.append(_count_unless(people.unscored, 0))
    detail = _row_text(name, people, judge)
    return FigureRow(name, figures, detail=detail, query=query)


def _cells_figure(
    people: SideFigures,
    judge: SideFigures,
    query: str,
) -> ShownFigure:
    """Return how many cells people's number is of, as a figure.

    Its detail has the judge's count, too, if that differs. It leads to all cells of `query`, also
    those that the number leaves out.
    """
    text = f"{many(people.n, 'cell')} in the numbers"
    if judge.n != people.n:
        text += f", {judge.n} in the judge's"
    return ShownFigure(f"{people.n:,}", people.n, f"{text}.", query, "muted")


def _undefined_figure(
    measure: Measure,
    people: SideFigures,
    judge: SideFigures,
    query: str,
) -> ShownFigure:
    """Return in how many cells people's measure is 0/0, as a figure that leads to these cells.

    Its detail has the judge's count, too. Its query is `query` and a term such as `f1:undefined`,
    which leaves out cells of which people could not tell; it leads nowhere for a count of 0.
    """
    count = people.undefined
    cells = many(count, "cell")
    text = f"0/0 in {cells}, which are left out; the judge's in {judge.undefined}."
    term = f"{measure.name}:undefined"
    if measure.word == SHARE_OF_CLASS:
        term = "-class:*"
    query_of_undefined = ""
    if count:
        query_of_undefined = f"{query} {term}"
    if count and people.cannot_tell:
        query_of_undefined += f" -{CANNOT_TELL_COUNT}>0"
    return ShownFigure(f"{count:,}", count, text, query_of_undefined, "muted")


def _count_unless(count: int, usual: int) -> ShownFigure:
    """Return a count as a figure, or an empty figure if it is the usual one."""
    if count == usual:
        return NO_FIGURE
    return ShownFigure(f"{count:,}", count)


def _row_text(name: str, people: SideFigures, judge: SideFigures) -> str:
    """Return people's number, what it leaves out, and the judge's, each with its cells.

    It is a sentence such as "f1: 0.812 over 20 cells, 2 left out as 0/0; the judge's 0.790 over
    22.", and has cells of which people could not tell in the same way; counts of 0 are not told.
    Both numbers are pooled (micro).
    """
    people_mean = mean(people.micro, _cells(people))
    judge_mean = mean(judge.micro, _cells(judge))
    cells = many(people.n, "cell")
    text = f"{name}: {people_mean} over {cells}"
    if people.undefined:
        text += f", {people.undefined} left out as 0/0"
    if people.cannot_tell:
        text += f", {people.cannot_tell} left out as it cannot be told"
    return f"{text}; the judge's {judge_mean} over {judge.n}."


def _mean_figures(
    mean_name: str,
    measure: Measure,
    people: SideFigures,
    judge: SideFigures,
    difference: float | None,
    query: str,
) -> Iterator[ShownFigure]:
    """Yield three figures: people's mean, the judge's, and by how much they differ.

    `mean_name` is "micro" or "macro", and `difference` people's mean less the judge's. If that
    rounds to 0 or is None, the third leads to no cells; else it leads to those that people changed.
    `query` finds the cells of the first two. Means are "0/0" if undefined, and a dash without
    cells.
    """
    people_mean = getattr(people, mean_name)
    judge_mean = getattr(judge, mean_name)
    people_text = mean(people_mean, _cells(people))
    judge_text = mean(judge_mean, _cells(judge))
    difference_text = change(difference)
    name = f"{measure.name}, {_MEANS[mean_name]}"
    text = f"{name}: {people_text}, the judge's {judge_text} ({difference_text})."
    yield ShownFigure(people_text, people_mean, text, query, "key")
    yield ShownFigure(judge_text, judge_mean, text, query, "muted")
    if difference_text in {"0", "–"}:
        yield ShownFigure(difference_text, difference, text, style="muted")
        return
    differing = ""
    if query:
        differing = f"{query} overruled>0"
    yield ShownFigure(difference_text, difference, text, differing, "corrected")


def _error_figures(
    measure: Measure,
    people: SideFigures,
    judge: SideFigures,
    query: str,
) -> Iterator[ShownFigure]:
    """Yield the standard errors of both means, and the standard deviation of people's values.

    There are always three figures: people's, the judge's, the deviation. A standard error is a dash
    for fewer than two values or clusters, the deviation for fewer than two values. `query` finds
    the cells of all three.
    """
    for side in (people, judge):
        text = "A standard error takes two clusters of traces at the least."
        stderr = None
        if side.n > 1:
            stderr = side.stderr
        if stderr is not None:
            clusters = many(side.clusters, "cluster")
            text = (
                "The standard error of the mean, its cells clustered:"
                f" {clusters} (by the trace's cluster, else by its id)."
            )
        yield ShownFigure(figure(stderr), stderr, text, query)
    cells = many(people.n, "cell")
    text = f"The standard deviation of {measure.name} over {cells}."
    std = None
    if people.n > 1:
        std = people.std
    yield ShownFigure(figure(std), std, text, query)


def trait_page(
    trait: TraitNumbers,
    most: int = INSTRUCTIONS,
) -> Iterator[FigureTable | Sentence]:
    """Yield all figures of one trait, in the order of `metrics` and of the report.

    If cells are signed off, these and the judge on them come first; else a sentence says that there
    are none. Then come all cells if some with labels are not signed off, else a sentence says that
    there are no others, unless no cell has labels. The judge's own scores against the signed ones
    follow in a sentence, if there are any. The tables after these are what is counted, the judge
    beside people, epochs, groups and instructions; those without rows and notes are left out. At
    most `most` instructions are in their table. A first sentence says if traits of the name read
    different texts.
    """
    numbers = trait.numbers
    totals = numbers.whole
    if len(numbers.read) > 1:
        yield Sentence(
            "Some traits of this name read the response, others the whole conversation: the"
            " figures are of both together.",
        )
    sides = AS_THEY_STAND
    if totals.signed:
        sides = SIGNED_OFF
        heading = "The cells signed off, and the judge on the same cells"
        yield measures(heading, [trait], SIGNED_OFF, named=False)
    else:
        yield Sentence("No cell is signed off: there are no audited numbers yet.")
    labelled = trait.sides(trait.headline)["standing"]
    cells = labelled.n + labelled.undefined + labelled.unscored + labelled.cannot_tell
    if cells > totals.signed:
        rest = many(cells - totals.signed, "cell")
        heading = f"Not audited: {rest} that nobody signed off, and the judge on every judged cell"
        if totals.signed:
            heading = (
                f"Mixed, and nobody's number: {many(totals.signed, 'cell')} signed off and {rest}"
                " not, and the judge on every judged cell"
            )
        yield measures(heading, [trait], AS_THEY_STAND, named=False)
    elif totals.signed:
        yield Sentence("No other cell has labels.")
    if totals.between:
        cells = max(figures.n for figures in totals.between.values())
        means = [
            f"{name} {figure(figures.macro)}"
            for name, figures in totals.between.items()
        ]
        text = f"The judge's scores against the signed ones of the same {many(cells, 'cell')}"
        yield Sentence(f"{text}, as a mean: {', '.join(means)}.")
    tables = [counted([trait]), *beside_people(trait), epochs(trait, sides)]
    if numbers.by:
        tables += group_agreements(trait), group_measures(trait, sides)
    tables += ruled_instructions([trait]), instructions([trait], most)
    yield from (table for table in tables if table.rows or table.notes)


def groups_page(
    traits: Sequence[TraitNumbers],
    ids: Collection[str],
) -> list[FigureTable]:
    """Return the tables of each trait's groups and epochs, without those that have no rows.

    Trait by trait they are the judge beside people, the measures and the epochs. They are of signed
    cells, and headlines of all cells too; without signed cells they are of all cells. `ids` are the
    ids of questions. With more than `FEW` groups only the headlines are in them.
    """
    tables: list[FigureTable] = []
    for trait in traits:
        sides = SIGNED_OFF if trait.numbers.whole.signed else AS_THEY_STAND
        tables.append(group_agreements(trait, ids))
        tables.append(
            group_measures(trait, sides, ids, every=len(trait.numbers.groups) <= FEW),
        )
        if sides == SIGNED_OFF:
            tables.append(group_measures(trait, AS_THEY_STAND, ids, every=False))
        tables.append(epochs(trait, sides))
    return [table for table in tables if table.rows]


# -- what is counted ------------------------------------------------------------------------------

_COUNTED = {
    "signed": (FigureColumn("signed off", 10), "in the cells signed off"),
    "judge": (FigureColumn("judge, same", 11), "by the judge in the same cells"),
    "standing": (FigureColumn("all cells", 9), "in all cells, as they are now"),
    "judge_all": (FigureColumn("judge, all", 10), "by the judge in all cells"),
}
"""The column of each side, and where it is counted, in words."""


def counted(
    traits: Sequence[TraitNumbers],
    *,
    only_asides: bool = False,
) -> FigureTable:
    """Return a table of what is counted in each trait's labels, without what is 0 on all sides.

    The sides are cells signed off, the judge in these, all cells, and the judge in all. A row has
    the name of what is counted, without its trait. With `only_asides` it has only what is in no
    measure, and each row is named with its trait.
    """
    rows: list[FigureRow] = []
    for trait in traits:
        for name in _counted_names(trait):
            if only_asides and not _is_aside(trait, name):
                continue
            row = _count_row(trait, name)
            if only_asides:
                row = replace(row, name=f"{trait.name} · {row.name}")
            rows.append(row)
    heading = "Beside the measures" if only_asides else "Counted"
    columns = [column for column, _ in _COUNTED.values()]
    return FigureTable("asides", heading, columns, rows, least=_LEAST)


def _counted_names(trait: TraitNumbers) -> list[str]:
    """Return the names of what is counted in a trait's labels, in the order of occurrence.

    All sides are looked at. A name whose count is 0 on all of them is left out.
    """
    counts = trait.numbers.whole.counts
    names: dict[str, None] = {}
    for side in SIDES:
        names |= dict.fromkeys(counts[side])
    counted_names: list[str] = []
    for name in names:
        if any(counts[side].get(name) for side in SIDES):
            counted_names.append(name)
    return counted_names


def _is_aside(trait: TraitNumbers, name: str) -> bool:
    """Return whether a count is in no measure of the trait's kind, as what cannot be told."""
    return name in trait.kind.aside_words or name == CANNOT_TELL_COUNT


def _count_row(trait: TraitNumbers, name: str) -> FigureRow:
    """Return the row of a count in a trait's labels, with a figure for each side.

    The sides are cells signed off, the judge in these, all cells, and the judge in all. The row is
    called by what people call the count. Only counts that are in no measure lead to their cells,
    and only those in people's labels.
    """
    spelled = trait.kind.spelled.get(name, name)
    if name == CANNOT_TELL_COUNT:
        spelled = CANNOT_TELL
    is_aside = _is_aside(trait, name)
    figures: list[ShownFigure] = []
    for side, (_, where) in _COUNTED.items():
        count = trait.numbers.whole.counts[side].get(name, 0)
        query = ""
        if is_aside and not side.startswith("judge"):  # queries ask only for labels now
            only = SIGNED if side == "signed" else ""
            query = of_trait(trait.name, only, f"{name}>0")
        text = f"{spelled}: {count:,} {where}."
        figures.append(count_of(count, text, query))
    _, _, standing, _ = figures
    detail = f"{trait.name} · {spelled}."
    return FigureRow(spelled, figures, detail=detail, query=standing.query)


# -- groups and epochs ----------------------------------------------------------------------------


def epochs(trait: TraitNumbers, sides: Sides) -> FigureTable:
    """Return a table of the epochs of each trace reduced to one value, measured over traces.

    It has a row for each measure and reducer. `sides` are the names of people's side and the
    judge's, both of which are in a row. Counts are of traces, and the figures of pooled counts are
    empty. It has no rows if nothing is reduced.
    """
    rows = []
    for measure in trait.numbers.measures:
        for reduced in trait.numbers.epochs:
            name = f"{full_name(measure)} · {reduced.reducer} of epochs"
            row = _measure_row(
                name,
                measure,
                reduced.sides[measure.name],
                sides,
                of_trait(trait.name),
            )
            figures = list(row.figures)
            figures[2:5] = [NO_FIGURE] * 3  # values of epochs are not pooled
            rows.append(replace(row, figures=figures))
    heading = f"{trait.name}: epochs of each trace reduced to one value"
    note = (
        "The n are of traces; unscored is a trace that has no value, or too few epochs."
    )
    notes = [note] if rows else []
    return FigureTable(
        "epochs",
        heading,
        _columns(sides),
        rows,
        notes=notes,
        least=_LEAST,
        named="metric",
    )


def group_agreements(trait: TraitNumbers, ids: Collection[str] = ()) -> FigureTable:
    """Return a table of each group's counts, and the judge beside people in it.

    The counts are its traces, its cells and those signed off. The first `GROUPS` groups are in it,
    in the order of the numbers; a note counts the others. `ids` are the ids of questions: a group
    of that name is found by the id in its row's query. A group without a name is called "–".
    """
    numbers = trait.numbers
    notes = []
    listed = numbers.groups[:GROUPS]
    if len(numbers.groups) > len(listed):
        left_out = many(len(numbers.groups) - len(listed), "group")
        notes.append(f"{left_out} left out here; JSON and CSV have them all.")
    if not all(group.name for group in numbers.groups):
        notes.append("– are the traces that say nothing of it.")
    rows = [
        _group_row(trait, group, _group_query(trait, group, ids)) for group in listed
    ]
    columns = (
        FigureColumn("traces", 6),
        FigureColumn("cells", 6),
        FigureColumn("signed", 6),
    )
    heading = f"{trait.name} by {numbers.by}: the judge beside people"
    return FigureTable(
        "groups",
        heading,
        (*columns, *AGREEMENT),
        rows,
        notes=notes,
        named=numbers.by,
    )


def group_measures(
    trait: TraitNumbers,
    sides: Sides,
    ids: Collection[str] = (),
    *,
    every: bool = True,
) -> FigureTable:
    """Return a table with a row for each measure and group, of the first `GROUPS` groups.

    All groups of one measure come before those of the next; nothing says that there are more.
    `sides` are the names of people's side and the judge's. A row leads to the cells of its group,
    of `SIGNED_OFF` to those signed off. Without `every` it has only the headline. `ids` are the ids
    of questions: a group of that name is found by the id in its row's query. A group without a name
    is called "–".
    """
    numbers = trait.numbers
    rows = []
    listed = numbers.groups[:GROUPS]
    for measure in numbers.measures if every else [trait.headline]:
        for group in listed:
            name = f"{full_name(measure)} · {group.name or '–'}"
            by_side = group.sides[measure.name]
            query = _group_query(trait, group, ids)
            if sides == SIGNED_OFF:
                query = f"{query} {SIGNED}"
            rows.append(_measure_row(name, measure, by_side, sides, query))
    whose = "signed off" if sides == SIGNED_OFF else "as they are now"
    heading = f"{trait.name} by {numbers.by}: {whose}"
    return FigureTable(
        "beside",
        heading,
        _columns(sides),
        rows,
        least=_LEAST,
        named="metric",
    )


def _group_query(
    trait: TraitNumbers,
    group: GroupFigures,
    question_ids: Collection[str],
) -> str:
    """Return the query of a group's cells of a trait: `trait:tone topic:"late bus"`.

    The field is what the numbers are broken down by, and the name is quoted where a query needs it.
    A group without a name gives `-topic:*`, which finds the traces that have no value. A question
    whose name is one of `question_ids`, or is empty, is found by its id.
    """
    field = written_name(trait.numbers.by)
    name = group.name
    if field == "question" and (not name or name in question_ids):
        field = "question_id"
    term = f"{field}:{quoted(name)}" if name else f"-{field}:*"
    return of_trait(trait.name, term)


def _group_row(trait: TraitNumbers, group: GroupFigures, query: str) -> FigureRow:
    """Return the row of a group: its counts, and the judge beside people in it.

    The counts are its traces, its cells and those signed off. `query` finds its cells. The row is
    called "–" if the group has no name.
    """
    name = group.name or "–"
    traces = many(group.traces, "trace")
    text = f"{name}: {traces}, {group.signed} of {group.cells} signed off."
    signed_query = ""
    if group.signed:
        signed_query = f"{query} {SIGNED}"
    figures: list[ShownFigure] = []
    for count, cells_query in (
        (group.traces, query),
        (group.cells, query),
        (group.signed, signed_query),
    ):
        figures.append(ShownFigure(f"{count:,}", count, text, cells_query, "muted"))
    figures += agreement_figures(group.agreement, trait, query)
    return FigureRow(name, figures, detail=text, query=query, about=trait.name)


# -- how cells are spread over a scale ------------------------------------------------------------


def _class_terms(field: str, class_name: str, *, is_it: bool) -> list[str]:
    """Return the terms of a query for cells of a class: `class:calm`; all terms must be met.

    With `is_it` False they are for cells of another class, `class:*` and `-class:calm`. Cells
    without a class are in neither. A class is quoted where a query needs it.
    """
    if is_it:
        return [f"{field}:{quoted(class_name)}"]
    return [f"{field}:*", f"-{field}:{quoted(class_name)}"]


def spread_rows(
    trait: TraitNumbers,
    spread: Mapping[str, Sequence[int]],
) -> list[FigureRow]:
    """Return a row for each part of the headline's scale, from the lowest on, parts of one width.

    `spread` has the number of cells in each part for both sides of `AS_THEY_STAND`: the labels now
    ("standing") and the judge's ("judge_all"). Raises KeyError without one of them. A row is called
    by its ends, as "0.25 to 0.5", or by its step on a scale of steps. It has both counts, the
    labels now first, each with the query of its cells, and with none for 0.
    """
    measure = trait.headline
    rows = []
    people_side, _ = AS_THEY_STAND
    count = len(spread[people_side])
    step = (measure.high - measure.low) / count
    for place in range(count):
        part = part_name(measure, place, count)
        if not measure.steps:
            high = measure.low + (place + 1) * step
            part = f"{part} to {bound_text(high)}"
        figures = []
        for side in AS_THEY_STAND:
            whose = "the labels now" if side == people_side else "the judge's labels"
            cells = spread[side][place]
            query = ""
            if cells:
                query = of_trait(trait.name, *_part_terms(trait, side, place, count))
            text = f"{many(cells, 'cell')} of {sum(spread[side])}"
            text += f": {measure.name} of {whose}, {part}."
            figures.append(ShownFigure(str(cells), cells, text, query))
        first = figures[0]
        rows.append(FigureRow(part, figures, detail=first.detail, query=first.query))
    return rows


def _part_terms(trait: TraitNumbers, side: str, place: int, count: int) -> list[str]:
    """Return the terms of a query for the cells in one part of the headline's scale.

    Cells must meet all terms. With `place` 1 of `count` 4 equal parts from 0 to 1 they are
    `f1>=0.25` and `f1<0.5`. The last part has no upper end. `side` is "standing" for the labels
    now, else the field is the judge's, `judge.f1`. Ends have at most three decimals, and are
    rounded up to whole numbers for a count in the labels now. The share of a class has no ends:
    place 0 finds the cells of other classes, any other place the cells of the class, by the fields
    `class` or `judged`.
    """
    measure = trait.headline
    is_judge = side != AS_THEY_STAND[0]
    if measure.word == SHARE_OF_CLASS:
        # no field of a query, as it is called by a class
        field = "judged" if is_judge else "class"
        return _class_terms(field, measure.steps[-1], is_it=place > 0)
    step = (measure.high - measure.low) / count
    low = measure.low + place * step
    high = measure.low + (place + 1) * step
    low_text = _end_text(low)
    high_text = _end_text(high)
    field = measure.name
    if is_judge:
        field = f"judge.{measure.name}"
    elif _is_count(trait, measure):
        low_text = str(ceil(low))
        high_text = str(ceil(high))
    terms = [f"{field}>={low_text}"]
    is_last = place + 1 == count
    if not is_last:
        terms.append(f"{field}<{high_text}")
    return terms


def _end_text(value: float) -> str:
    """Return a number for a query, with at most three decimals and no zeros at its end."""
    text = f"{value:.3f}"
    return text.rstrip("0").rstrip(".")


def _is_count(trait: TraitNumbers, measure: Measure) -> bool:
    """Return whether queries know a measure of a trait as a count, which has no decimals.

    The measure is looked up by its name; False for one that queries of the trait do not know.
    """
    for field in trait.kind.fields:
        if field.name == measure.name:
            return field.shape == "count"
    return False
