"""Figures of how far a judge agrees with the person: of a trait, an instruction, a group."""

from collections.abc import Collection, Iterator

from appellate.app.numbers_known import TraitNumbers
from appellate.app.numbers_queries import SIGNED, pair, said
from appellate.core.agreement import ENOUGH, Agreement
from appellate.core.wordforms import many
from appellate.ui.figure_table import FigureColumn, ShownFigure, count_of
from appellate.ui.marks import Marks
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


def figures_of(
    agreement: Agreement | None, trait: TraitNumbers, query: str, marks: Marks
) -> Iterator[ShownFigure]:
    """One for each of `COLUMNS`; `query` finds the cells, signed off or not. None is not counted
    yet.
    """
    if agreement is None:
        yield ShownFigure(marks.ellipsis, told="It is being counted.", style="muted")
        yield from [ShownFigure()] * (len(COLUMNS) - 1)
        return
    query = f"{query} {SIGNED}"
    yield _compared(agreement, query)
    yield _differing(agreement, query)
    yield from _errors(agreement, trait, query)
    if agreement.n < ENOUGH:
        yield from [ShownFigure(told=wanting(agreement))] * len(RATES)
    else:
        yield from _rates(agreement, trait, query, marks)


def wanting(agreement: Agreement) -> str:
    """How many answers there are to compare before numbers are told."""
    return (
        f"Told from {ENOUGH} compared answers on: {ENOUGH - agreement.n} more are wanting"
        " (a signs cells off)."
    )


def _compared(agreement: Agreement, query: str) -> ShownFigure:
    told = (
        f"{many(agreement.n, 'answer')} of the judge beside those of labels that a person signed"
        f" off; {agreement.agreed} are alike."
    )
    return count_of(agreement.n, told, query)


def _differing(agreement: Agreement, query: str) -> ShownFigure:
    count = agreement.n - agreement.agreed
    if not agreement.n:
        return ShownFigure()
    told = f"{many(count, 'answer')} of {agreement.n} the person gives otherwise than the judge."
    return count_of(count, told, f"{query} overruled>0", "corrected")


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
    told = f"{missed} that the person calls {is_so} and the judge does not."
    yield count_of(missed, told, f"{query} {behind}")
    behind = pair(trait, sorted(positives), others)
    told = f"{wrong} that the judge calls {is_so} and the person does not."
    yield count_of(wrong, told, f"{query} {behind}")


def _count(agreement: Agreement, judge: Collection[str], person: Collection[str]) -> int:
    total = 0
    for (judged, stands), count in agreement.counts.items():
        if judged in judge and stands in person:
            total += count
    return total


def _rates(
    agreement: Agreement, trait: TraitNumbers, query: str, marks: Marks
) -> Iterator[ShownFigure]:
    n, rates = agreement.n, agreement.rates
    positives = sorted(agreement.positives)
    is_so = " or ".join(positives)
    people = f"{query} {said(trait, 'answer', positives)}".rstrip()
    judges = f"{query} {said(trait, 'judged', positives)}".rstrip()
    told = f"Sensitivity: of what the person calls {is_so}, the judge does as well"
    yield _rate(rates.sensitivity, f"{told}, over {n} answers.", people, marks)
    told = f"Precision: of what the judge calls {is_so}, the person does as well"
    yield _rate(rates.precision, f"{told}, over {n} answers.", judges, marks)
    told = f"Cohen's kappa: agreement beyond chance, over {n} answers; low where nearly all"
    yield _rate(agreement.kappa, f"{told} answers are one word (AC1 then tells).", query, marks)
    told = f"Gwet's AC1: agreement beyond chance, over {n} answers, steady where one answer"
    yield _rate(agreement.ac1, f"{told} prevails.", query, marks)
    told = f"Prevalence: the person's share of {is_so}, of {n} answers."
    yield _rate(rates.prevalence, told, people if rates.prevalence else "", marks)


def _rate(value: float | None, told: str, query: str, marks: Marks) -> ShownFigure:
    if value is None:
        return ShownFigure(told=f"{told} There is nothing to compute it from.")
    return ShownFigure(number(value).replace("−", marks.minus), value, told, query, "key")
