"""The numbers of parts of the traces: by who answered, question, cluster, epoch or metadata."""

from collections.abc import Collection, Iterator, Sequence

from appellate.app.numbers.agreement import COLUMNS, figures_of
from appellate.app.numbers.known import KnownNumbers, TraitNumbers
from appellate.app.numbers.queries import SIGNED, of_group
from appellate.core.breakdown import Breakdown, GroupFigures, SideFigures
from appellate.core.figures import NO_FIGURE, FigureColumn, FigureRow, FigureTable, ShownFigure
from appellate.core.kind import Measure
from appellate.core.problem import many
from appellate.core.scale import full_name
from appellate.query.language import of_trait
from appellate.ui.figure_list import Block
from appellate.ui.measures_bar import number, signed

BESIDE = 12  # groups that stand beside each other; of more each is a row alone
NARROW, WIDE = 6, 16  # cells of a group's column
MOST = 100  # groups that are told
GROUPS = ("beside", "groups")  # the keys of the tables
GROUP = (
    FigureColumn("traces", 6),
    FigureColumn("signed", 6),
    FigureColumn("people", 6),
    FigureColumn("judge", 6),
    FigureColumn("by", 6),
    FigureColumn("labels", 6),
)


def groups(known: KnownNumbers, grouping: str) -> list[Block]:
    """The groups side by side where they are few, then a table for each trait."""
    if not grouping or not known.traits:
        return []
    found = [
        (trait, counted)
        for trait in known.traits
        if (counted := known.by(trait.name, grouping)) is not None
    ]
    if not found:
        text = "It is being counted …"
        return [FigureTable("groups", f"By {grouping}", (), empty=text)]
    named: dict[str, None] = {}
    for _, counted in found:
        named |= dict.fromkeys(group.name for group in counted.groups)
    ids = known.question_ids
    tables = [_of_trait(trait, counted, ids) for trait, counted in found]
    if len(named) > BESIDE:
        return [*tables]
    return [_beside(found, list(named), ids), *tables]


def _name(name: str) -> str:
    return name or "–"


def _beside(
    found: Sequence[tuple[TraitNumbers, Breakdown]],
    named: Sequence[str],
    ids: Collection[str],
) -> FigureTable:
    """A row for each measure, a column for each group, and epochs put together."""
    grouping = found[0][1].by
    reduced = next((counted.epochs for _, counted in found if counted.epochs), ())
    titles = [f"{grouping} {name}" if grouping == "epoch" else _name(name) for name in named]
    titles += [f"{one.reducer} of epochs" for one in reduced]
    columns = [FigureColumn(title, NARROW, widest=WIDE) for title in titles]
    rows: list[FigureRow] = []
    for trait, counted in found:
        for measure in counted.measures:
            figures = list(_across(trait, counted, measure, named, ids))
            figures += [NO_FIGURE] * (len(columns) - len(figures))
            name = f"{trait.name} · {full_name(measure)}"
            text = f"{name} of all cells as they are now, {grouping} by {grouping}."
            rows.append(FigureRow(name, figures, detail=text, query=of_trait(trait.name)))
    heading = f"Side by side, by {grouping}: all cells, as they are now"
    return FigureTable("beside", heading, columns, rows, named="macro")


def _across(
    trait: TraitNumbers,
    counted: Breakdown,
    measure: Measure,
    named: Sequence[str],
    ids: Collection[str],
) -> Iterator[ShownFigure]:
    by_name = {group.name: group for group in counted.groups}
    for name in named:
        if name in by_name:
            figures = by_name[name].sides[measure.name]["standing"]
            query = of_trait(trait.name, of_group(counted.by, name, ids))
            yield _mean(figures, f"{measure.name} of {_name(name)}", query)
        else:
            yield NO_FIGURE
    for one in counted.epochs:
        text = f"{measure.name}, each trace's epochs reduced to their {one.reducer}"
        yield _mean(one.sides[measure.name]["standing"], text, of_trait(trait.name))


def _mean(figures: SideFigures, text: str, query: str) -> ShownFigure:
    """A mean with what it rests on."""
    if not figures.n:
        shown = "0/0" if figures.undefined else ""
        return ShownFigure(shown, detail=f"{text}: no cell has it.", query=query, style="muted")
    text = f"{text}: {number(figures.macro or 0)}, the mean over {figures.n}"
    if figures.stderr is not None:
        text += f", standard error {number(figures.stderr)}"
    if figures.undefined:
        text += f"; {figures.undefined} left out as 0/0"
    shown = number(figures.macro or 0)
    return ShownFigure(shown, figures.macro, f"{text}.", query)


def _of_trait(trait: TraitNumbers, counted: Breakdown, ids: Collection[str]) -> FigureTable:
    """A row for each group: its headline, and the judge beside the person."""
    rows: list[FigureRow] = []
    for group in counted.groups[:MOST]:
        query = of_trait(trait.name, of_group(counted.by, group.name, ids))
        figures = (
            *_headline(trait, group, query),
            *figures_of(group.agreement, trait, query),
        )
        name = _name(group.name)
        text = f"{name}: {many(group.traces, 'trace')}, {group.signed} of {group.cells} signed off."
        rows.append(FigureRow(name, figures, detail=text, query=query, about=trait.name))
    notes = []
    if len(counted.groups) > MOST:
        notes.append(f"{len(counted.groups) - MOST} more groups: appellate metrics shows all.")
    heading = f"{trait.name} · {trait.headline.name} by {counted.by}"
    columns = (*GROUP, *COLUMNS)
    return FigureTable("groups", heading, columns, rows, notes=notes, named=counted.by)


def _headline(trait: TraitNumbers, group: GroupFigures, query: str) -> Iterator[ShownFigure]:
    """Traces, cells signed off, the measure of the person's labels, the judge's, as all stand."""
    sides = group.sides[trait.headline.name]
    text = f"{many(group.traces, 'trace')}, {group.cells} cells."
    yield ShownFigure(str(group.traces), group.traces, text, query, "muted")
    text = f"{group.signed} of {group.cells} cells signed off."
    behind = f"{query} {SIGNED}" if group.signed else ""
    yield ShownFigure(str(group.signed), group.signed, text, behind, "muted")
    name = trait.headline.name
    people, judge = sides["signed"], sides["judge"]
    yield _mean(people, f"{name} of the cells signed off", behind)
    yield _mean(judge, f"the judge's {name} on the same cells", behind)
    by, style, difference = "", "", None
    if people.macro is not None and judge.macro is not None:
        difference = people.macro - judge.macro
    if difference:
        by, style = signed(difference), "corrected"
    text = f"By how much the person's {name} is another than the judge's."
    yield ShownFigure(by, difference, text, f"{behind} overruled>0" if by else "", style)
    yield _mean(sides["standing"], f"{name} of all cells as they are now", query)
