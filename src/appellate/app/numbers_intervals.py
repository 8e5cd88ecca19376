"""Coefficients of agreement with their intervals, blind and sighted apart."""

from functools import partial

from msgspec.structs import replace

from appellate.app.numbers_agreement import rate
from appellate.app.numbers_known import KnownNumbers
from appellate.app.numbers_queries import RULED, SIGNED, of_trait
from appellate.core.agreement import FULL_NAMES, Agreement
from appellate.core.wordforms import many
from appellate.ui.figure_table import FigureColumn, FigureRow, FigureTable, ShownFigure
from appellate.ui.marks import Marks, spelt
from appellate.ui.measures_bar import number

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
    left out; None for none.
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
    notes = [f"Left out: {'; '.join(names)}. {why}" for why, names in left_out.items()]
    if rows:
        notes.insert(0, HEED)
    if not notes:
        return None
    columns = list(map(partial(FigureColumn, width=_ROOM), INTERVALS.values()))
    empty = "There is no interval to show."
    return FigureTable("intervals", "95 % intervals", columns, rows, empty, notes)


HEED = "Intervals heed that the answers on one trace, or cluster of traces, belong together."


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
