"""What the judge said against what the person says: rows judge, columns person."""

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from appellate.app.numbers.agreement import rate, with_query
from appellate.app.numbers.known import KnownNumbers, TraitNumbers
from appellate.app.numbers.panel import panel_tables
from appellate.app.numbers.queries import RULED, SIGNED, of_trait, pair, wording
from appellate.core.agreement import FULL_NAMES, Agreement
from appellate.core.wordforms import many
from appellate.ui.figure_list import Block
from appellate.ui.figure_table import FigureColumn, FigureRow, FigureTable, ShownFigure, count_of
from appellate.ui.marks import Marks, spelt
from appellate.ui.measures_bar import number
from appellate.ui.text import cell_width, clip

INTERVALS = {
    "observed": "alike",
    "kappa": "kappa",
    "ac1": "AC1",
    "alpha": "alpha",
    "macro_f1": "macro F1",
    "weighted_kappa": "w. kappa",
    "icc": "ICC",
}
_ROOM = 13
_ABOUT = {
    "observed": "The share of answers that are alike",
    "alpha": "Krippendorff's alpha: beyond chance, which has the answers of both",
    "macro_f1": "HealthBench's physician macro-F1: the mean of the F1 of both answers",
    "weighted_kappa": "Weighted kappa: scores far apart count more, by the square",
    "icc": "ICC(A,1): how far single scores are the same, offsets counted",
}


def intervals_table(known: KnownNumbers, marks: Marks) -> FigureTable | None:
    """A row for each trait with enough answers to tell of, blind ones apart, and a note on what is
    left out; None for no row.
    """
    rows: list[FigureRow] = []
    left_out: dict[str, list[str]] = {}
    for trait in known.traits:
        blind, sighted = known.blind(trait.name), known.agreement(trait.name)
        for agreement, name, only in (
            (blind, f"{trait.name}, blind", RULED),
            (sighted, trait.name + ", in sight" * known.is_blind, SIGNED),
        ):
            if agreement is None or not agreement.n:
                continue
            if agreement.reason:
                left_out.setdefault(agreement.reason, []).append(name)
            if not agreement.is_shown:
                continue
            query = of_trait(trait.name, only)
            figures = [_bounded(agreement, one, query, marks) for one in INTERVALS]
            text = f"{name}: {many(agreement.n, 'answer')} compared."
            rows.append(FigureRow(name, figures, detail=text, query=query))
    if not rows:
        return None
    columns = list(map(partial(FigureColumn, width=_ROOM), INTERVALS.values()))
    notes = [TOGETHER]
    notes += [f"Left out: {'; '.join(names)}. {why}" for why, names in left_out.items()]
    return FigureTable("intervals", "95 % intervals", columns, rows, notes=notes)


TOGETHER = (
    "Answers on one trace, or on a cluster of traces, are alike; the intervals are wider for that."
)


def _bounded(agreement: Agreement, name: str, query: str, marks: Marks) -> ShownFigure:
    """A coefficient and its interval; what says nothing of such answers is blank."""
    text = _ABOUT.get(name, FULL_NAMES[name])
    if not agreement.tells(name):
        return ShownFigure(detail=f"{text}: for answers of another sort.")
    known = agreement.known(name)
    figure = rate(known, text, query, marks)
    if known.bounds is None:
        return figure
    low, high = (spelt(number(value), marks) for value in known.bounds[:2])
    return replace(figure, text=f"{figure.text} {low}{marks.none}{high}")


NARROWEST, WIDEST = 5, 12  # cells of a column
TOTAL = FigureColumn("in all", 6)


def matrices(known: KnownNumbers, marks: Marks) -> list[Block]:
    """The coefficients with their intervals, a table of pairs for each trait with anything to
    compare, and of each panel.
    """
    found: list[Block] = []
    intervals = intervals_table(known, marks)
    if intervals is not None:
        found.append(intervals)
    for trait in known.traits:
        agreement, blind = known.agreement(trait.name), known.blind(trait.name)
        if blind is not None and blind.n:
            found.append(_ruled(trait, blind, marks))
        if agreement is not None and agreement.n:
            found.append(_matrix(trait, agreement, marks, " in sight" * known.is_blind))
    return [*found, *panel_tables(known, marks)]


def _matrix(trait: TraitNumbers, agreement: Agreement, marks: Marks, how: str) -> FigureTable:
    columns: list[FigureColumn] = []
    for word in agreement.words:
        title = clip(word, WIDEST, marks)
        columns.append(FigureColumn(title, max(cell_width(title), NARROWEST)))
    query = of_trait(trait.name, SIGNED)
    rows: list[FigureRow] = []
    for word in agreement.words:
        figures = list(_row(trait, agreement, word, query))
        text = f"The judge says {word}."
        rows.append(FigureRow(word, figures, detail=text, query=figures[-1].query))
    rows.append(_totals(trait, agreement, query))
    heading = f"{trait.name}{how}"
    return FigureTable(
        f"matrix {heading}", heading, (*columns, TOTAL), rows, named=r"judge \ person"
    )


def _ruled(trait: TraitNumbers, agreement: Agreement, marks: Marks) -> FigureTable:
    """Of verdicts ruled blind: all of their cells stand behind each figure, for queries know how
    labels stand now.
    """
    table = _matrix(trait, agreement, marks, " ruled blind")
    query = of_trait(trait.name, RULED)
    rows = []
    for row in table.rows:
        figures = list(with_query(row.figures, query))
        rows.append(replace(row, figures=figures, query=query))
    return replace(table, rows=rows)


def _row(
    trait: TraitNumbers, agreement: Agreement, judge: str, query: str
) -> Iterator[ShownFigure]:
    total = 0
    for person in agreement.words:
        count = agreement.counts.get((judge, person), 0)
        total += count
        text = f"The judge says {judge}, the person {person}: {count} of {agreement.n} answers."
        behind = f"{query} {pair(trait, [judge], [person])}"
        style = "key" if judge == person else "corrected"
        yield count_of(count, text, behind, style)
    text = f"The judge says {judge} {total} times, of {agreement.n}."
    behind = f"{query} {wording(trait, 'judged', [judge])}".rstrip()
    yield count_of(total, text, behind, "muted")


def _totals(trait: TraitNumbers, agreement: Agreement, query: str) -> FigureRow:
    """How often the person says each."""
    figures: list[ShownFigure] = []
    for person in agreement.words:
        count = sum(_column(agreement, person))
        text = f"The person says {person} {count} times, of {agreement.n}."
        behind = f"{query} {wording(trait, 'answer', [person])}".rstrip()
        figures.append(count_of(count, text, behind, "muted"))
    text = f"{agreement.n} answers compared, {agreement.agreed} of them alike."
    figures.append(ShownFigure(str(agreement.n), agreement.n, text, query, "muted"))
    return FigureRow("in all", figures, detail=text, query=query, last=True)


def _column(agreement: Agreement, person: str) -> Sequence[int]:
    return [agreement.counts.get((judge, person), 0) for judge in agreement.words]
