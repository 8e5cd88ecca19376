"""A panel's members against each other and against the person, and the votes they are worth."""

from collections.abc import Iterator
from functools import partial

from appellate.app.numbers.agreement import BLIND, SIGHTED, Sight, interval
from appellate.app.numbers.known import KnownNumbers
from appellate.app.numbers.queries import of_trait
from appellate.core.agreement import ENOUGH, Agreement, Known
from appellate.core.panel_agreement import PanelAgreement
from appellate.core.wordforms import many
from appellate.ui.figure_table import FigureColumn, FigureRow, FigureTable, ShownFigure, count_of
from appellate.ui.marks import Marks, spelt
from appellate.ui.measures_bar import number
from appellate.ui.text import clip

AGAINST = (
    FigureColumn("n", 5),
    FigureColumn("differ", 6),
    FigureColumn("kappa", 5),
    FigureColumn("AC1", 5),
)
WIDEST = 12


def panel_tables(known: KnownNumbers, marks: Marks) -> Iterator[FigureTable]:
    """A table for each trait that a panel judged."""
    for trait in known.traits:
        panel = known.panels.get(trait.name)
        if panel is not None:
            yield _table(trait.name, panel, marks)


def _table(trait: str, panel: PanelAgreement, marks: Marks) -> FigureTable:
    others = [FigureColumn(clip(name, WIDEST, marks), WIDEST) for name in panel.members]
    sight = BLIND if panel.blind else SIGHTED
    query = of_trait(trait, sight.query)
    rows = []
    for place, name in enumerate(panel.members):
        figures = [*_against(panel, place, sight, query, marks), *_beside(panel, place, marks)]
        text = f"{name}, a member of the panel."
        rows.append(FigureRow(name, figures, detail=text, query=query))
    notes = list(map(partial(spelt, marks=marks), texts_of(panel)))
    heading = f"{trait}: panel"
    return FigureTable(f"panel {trait}", heading, (*AGAINST, *others), rows, notes=notes)


def _against(
    panel: PanelAgreement, place: int, sight: Sight, query: str, marks: Marks
) -> Iterator[ShownFigure]:
    """A member beside the person."""
    found, name = panel.against[place], panel.members[place]
    text = f"{many(found.n, 'answer')} of {name} beside those {sight.person}."
    yield count_of(found.n, text, query)
    count = found.n - found.agreed
    yield count_of(count, f"{count} of {found.n} the person gives otherwise.", query, "corrected")
    yield _shown(found, "kappa", f"Cohen's kappa of {name} and the person", marks)
    yield _shown(found, "ac1", f"Gwet's AC1 of {name} and the person", marks)


def _beside(panel: PanelAgreement, place: int, marks: Marks) -> Iterator[ShownFigure]:
    """A member beside each of the members."""
    for other, name in enumerate(panel.members):
        pair: Agreement | None = panel.between.get((min(place, other), max(place, other)))
        if pair is None:
            yield ShownFigure(marks.none, style="muted", detail="The member itself.")
            continue
        text = f"Cohen's kappa of {panel.members[place]} and {name}, of {pair.n}"
        yield _shown(pair, "kappa", text, marks)


def _shown(found: Agreement, name: str, text: str, marks: Marks) -> ShownFigure:
    if found.reason:
        return ShownFigure(detail=f"{text} is left out. {found.reason}")
    known = found.known(name)
    if known.value is None:
        return ShownFigure(detail=f"{text}: too few answers, or but one.")
    shown = spelt(number(known.value), marks)
    return ShownFigure(shown, known.value, f"{text}{interval(known, marks)}.", style="key")


def texts_of(panel: PanelAgreement) -> Iterator[str]:
    """How far the members agree in all, and how many votes they are worth."""
    if panel.n < ENOUGH:
        yield f"How far members agree is shown from {ENOUGH} answers on: there are {panel.n}."
        return
    beside = ("labels signed off", "verdicts ruled blind")[panel.blind]
    yield f"The first columns are beside {beside}; under a member's name is the kappa of the two."
    alpha, ac1 = _between(panel.alpha), _between(panel.ac1)
    yield f"All members, over {many(panel.n, 'answer')}: Krippendorff's alpha {alpha}, AC1 {ac1}."
    if panel.reason:
        yield panel.reason
        return
    found = panel.votes
    if found is None:
        yield (
            f"What their votes are worth is shown from {ENOUGH} answers of a person on, and where"
            " two members err at all."
        )
        return
    text = f"{len(panel.members)} members are worth {found.votes:.1f} independent votes"
    if found.low is not None:
        text += f" ({found.low:.1f} to {found.high:.1f})"
    yield f"{text}: their errors correlate by {number(found.correlation)} on the mean."


def _between(known: Known) -> str:
    if known.value is None:
        return "0/0"
    if known.bounds is None:
        return number(known.value)
    low, high = map(number, known.bounds[:2])
    return f"{number(known.value)} ({low} to {high})"
