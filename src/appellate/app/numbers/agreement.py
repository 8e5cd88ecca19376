"""Figures of how far a judge agrees with the person: of a trait, an instruction, a group."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from appellate.app.numbers.known import TraitNumbers
from appellate.app.numbers.queries import RULED, SIGNED, pair, wording
from appellate.core.agreement import ENOUGH, Agreement, Known
from appellate.core.wordforms import many
from appellate.ui.figure_table import FigureColumn, ShownFigure, count_of
from appellate.ui.marks import Marks, spelt
from appellate.ui.measures_bar import number

COUNTS = (
    FigureColumn("n", 5),
    FigureColumn("differ", 6),
    FigureColumn("missed", 6),
    FigureColumn("wrong", 5),
)
RATES = (
    FigureColumn("sens", 5),
    FigureColumn("prec", 5),
    FigureColumn("kappa", 5),
    FigureColumn("AC1", 5),
    FigureColumn("prev", 5),
)
COLUMNS = (*COUNTS, *RATES)


class Sight(NamedTuple):
    """Whether the judge was in sight when a person answered: the query for such cells, and words of
    them.
    """

    query: str
    heading: str
    person: str
    done: str
    key: str


SIGHTED = Sight(
    SIGNED,
    "Judge in sight",
    "of labels that a person signed off",
    "signed off",
    "a signs cells off",
)
BLIND = Sight(RULED, "Ruled blind", "of verdicts ruled blind", "ruled blind", "a rules cells")


def figures_of(
    agreement: Agreement | None,
    trait: TraitNumbers,
    query: str,
    marks: Marks,
    sight: Sight = SIGHTED,
) -> Iterator[ShownFigure]:
    """One for each of `COLUMNS`; `query` finds the cells, signed off or not. None is not counted
    yet. Behind a figure of blind verdicts stand the cells that were ruled, for queries know how
    labels stand now.
    """
    if agreement is None:
        yield ShownFigure(marks.ellipsis, detail="It is being counted.", style="muted")
        yield from [ShownFigure()] * (len(COLUMNS) - 1)
        return
    query = f"{query} {sight.query}"
    found = [
        _compared(agreement, sight, query),
        _differing(agreement, query),
        *_errors(agreement, trait, query),
    ]
    if not agreement.is_shown:
        found += [ShownFigure(detail=wanting(agreement, sight))] * len(RATES)
    else:
        found += _rates(agreement, trait, query, marks)
    if sight is BLIND:
        found = list(with_query(found, query))
    yield from found


def with_query(figures: Iterable[ShownFigure], query: str) -> Iterator[ShownFigure]:
    """The same with one query behind each that has any."""
    for figure in figures:
        if figure.query:
            yield replace(figure, query=query)
        else:
            yield figure


def wanting(agreement: Agreement, sight: Sight) -> str:
    """Why nothing but counts is shown."""
    if agreement.reason:
        return agreement.reason
    wants = ENOUGH - agreement.n
    return f"Shown from {ENOUGH} compared answers on: {wants} more are needed ({sight.key})."


def _compared(agreement: Agreement, sight: Sight, query: str) -> ShownFigure:
    text = (
        f"{many(agreement.n, 'answer')} of the judge beside those {sight.person}, of"
        f" {many(agreement.traces, 'cluster of traces', 'clusters of traces')};"
        f" {agreement.agreed} are alike."
    )
    return count_of(agreement.n, text, query)


def _differing(agreement: Agreement, query: str) -> ShownFigure:
    count = agreement.n - agreement.agreed
    if not agreement.n:
        return ShownFigure()
    text = f"{many(count, 'answer')} of {agreement.n} the person gives otherwise than the judge."
    return count_of(count, text, f"{query} overruled>0", "corrected")


def _errors(agreement: Agreement, trait: TraitNumbers, query: str) -> Iterator[ShownFigure]:
    """What the judge missed of the positive answers, and what it gave wrongly."""
    positives = agreement.positives
    if not positives or not agreement.n:
        yield from [ShownFigure()] * 2
        return
    others = [word for word in agreement.words if word not in positives]
    missed = _count(agreement, others, positives)
    wrong = _count(agreement, positives, others)
    is_so = " or ".join(sorted(positives))
    behind = pair(trait, others, sorted(positives))
    text = f"{missed} that the person calls {is_so} and the judge does not."
    yield count_of(missed, text, f"{query} {behind}")
    behind = pair(trait, sorted(positives), others)
    text = f"{wrong} that the judge calls {is_so} and the person does not."
    yield count_of(wrong, text, f"{query} {behind}")


def _count(agreement: Agreement, judge: Collection[str], person: Collection[str]) -> int:
    total = 0
    for (judged, stands), count in agreement.counts.items():
        if judged in judge and stands in person:
            total += count
    return total


def _rates(
    agreement: Agreement, trait: TraitNumbers, query: str, marks: Marks
) -> Iterator[ShownFigure]:
    positives = sorted(agreement.positives)
    is_so = " or ".join(positives)
    people = f"{query} {wording(trait, 'answer', positives)}".rstrip()
    judges = f"{query} {wording(trait, 'judged', positives)}".rstrip()
    for name, text, behind in (
        ("sensitivity", f"Sensitivity: of the person's {is_so}, the judge's too", people),
        ("precision", f"Precision: of the judge's {is_so}, the person's too", judges),
        ("kappa", "Cohen's kappa: beyond chance; low where nearly all are one word", query),
        ("ac1", "Gwet's AC1: beyond chance, steady where one answer prevails", query),
        ("prevalence", f"Prevalence: the person's share of {is_so}", people),
    ):
        yield rate(agreement.known(name), f"{text}, of {agreement.n}", behind, marks)


def rate(known: Known, text: str, query: str, marks: Marks) -> ShownFigure:
    if known.value is None:
        return ShownFigure(detail=f"{text}. There is nothing to compute it from.")
    shown = spelt(number(known.value), marks)
    return ShownFigure(shown, known.value, f"{text}{interval(known, marks)}.", query, "key")


def interval(known: Known, marks: Marks) -> str:
    """Between which values a coefficient lies, and by how many traces."""
    if known.bounds is None:
        return "; too few traces for an interval"
    low, high = (spelt(number(value), marks) for value in known.bounds[:2])
    return f"; {low} to {high} (95 %), by {known.bounds.clusters} traces or clusters"
