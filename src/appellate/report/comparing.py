"""The judge beside the person, epochs reduced, and numbers by groups of traces, as parts of a
report.
"""

from collections.abc import Iterator, Sequence

from appellate.core.agreement import ENOUGH, Agreement, Rates
from appellate.core.breakdown import Breakdown, BySide, GroupFigures, SideFigures
from appellate.core.scale import full_name
from appellate.core.wordforms import many
from appellate.report.blocks import Block, Confusion, GroupMeans, ReportTable, Sentence
from appellate.report.contents import Sides, TraitReport
from appellate.report.formatting import cut, mean, number_or_dash

WORDS = 12
"""Answers that a table of pairs has room for."""
GROUPS = 100
"""Groups in a table; JSON and CSV have them all."""
SAYS_NOTHING = "–"


def judge_beside_person(trait: TraitReport) -> Iterator[Block]:
    """How far their answers agree, pair by pair; nothing where none is compared."""
    agreement, between = trait.numbers.whole.agreement, trait.numbers.whole.between
    if between:
        yield Sentence(between_told(between))
    if not agreement.n:
        return
    yield Sentence(agreement_told(agreement))
    yield Confusion(agreement)
    if len(agreement.words) <= WORDS:
        yield pairs(agreement)
    if agreement.n >= ENOUGH:
        yield rates(agreement)


def between_told(between: BySide) -> str:
    """How far the judge's scores of the cells are from the signed ones, in a sentence."""
    cells = max(figures.n for figures in between.values())
    means = [f"{name} {number_or_dash(figures.macro)}" for name, figures in between.items()]
    told = f"The judge's scores against the signed ones of the same {many(cells, 'cell')}"
    return f"{told}, as a mean: {', '.join(means)}."


def agreement_told(agreement: Agreement) -> str:
    """The judge against the person in a sentence or two."""
    alike = f"{agreement.agreed:,} alike"
    told = f"The judge against the person who signed off: {many(agreement.n, 'answer')}, {alike}"
    if agreement.n < ENOUGH:
        return f"{told}. What they come to is told from {ENOUGH} answers on."
    shares = f"({number_or_dash(agreement.observed)})"
    kappa = f"Cohen's kappa {number_or_dash(agreement.kappa)}"
    return f"{told} {shares}; {kappa}, Gwet's AC1 {number_or_dash(agreement.ac1)}."


def pairs(agreement: Agreement) -> ReportTable:
    """A row for each answer of the judge, a column for each of the person."""
    rows = []
    for judge in agreement.words:
        counts = [agreement.counts.get((judge, person), 0) for person in agreement.words]
        rows.append((cut(judge), *(f"{count:,}" for count in counts), f"{sum(counts):,}"))
    columns = (f"person: {cut(word)}" for word in agreement.words)
    return ReportTable(("judge", *columns, "all"), rows, 1)


def rates(agreement: Agreement) -> ReportTable:
    """How the judge does on the positive answers, or on each answer where none is positive."""
    positive = [word for word in agreement.words if word in agreement.positives]
    if agreement.positives:
        told = ", ".join(map(cut, positive)) or "positive"
        rows = [(told, *_rates(agreement.rates))]
    else:
        rows = [(cut(word), *_rates(agreement.rates_of(word))) for word in agreement.words]
    return ReportTable(("answer", *Rates._fields), rows, 1)


def _rates(found: Rates) -> list[str]:
    """Those of `Rates`; 0/0 is a dash, as what is of too few."""
    return list(map(number_or_dash, found))


# -- epochs ---------------------------------------------------------------------------------------


def epochs(trait: TraitReport, sides: Sides) -> Iterator[Block]:
    """One value for each trace out of its epochs, and what these come to."""
    if not trait.numbers.epochs:
        return
    yield Sentence(
        "The epochs of each trace reduced to one value, then measured over traces; unscored is a"
        " trace that has none, or too few."
    )
    yield reduced(trait.numbers, sides)


def reduced(trait: Breakdown, sides: Sides) -> ReportTable:
    """A row for each metric and reducer."""
    heads = ["metric", "epochs by"]
    for side in sides:
        heads += [f"{of} {side}" for of in ("mean", "stderr", "n", "unscored")]
    rows: list[tuple[str, ...]] = []
    for measure in trait.measures:
        for one in trait.epochs:
            row = [cut(full_name(measure)), cut(one.reducer)]
            for side in sides:
                figures = one.sides[measure.name][side]
                counts = f"{figures.n:,}", f"{figures.unscored:,}"
                row += number_or_dash(figures.macro), number_or_dash(figures.stderr), *counts
            rows.append(tuple(row))
    return ReportTable(tuple(heads), rows, 2)


# -- groups ---------------------------------------------------------------------------------------


def by_group(trait: TraitReport, sides: Sides) -> Iterator[Block]:
    """The metrics of each group, and the judge against the person there."""
    numbers = trait.numbers
    if not numbers.by:
        return
    told = f"By {cut(numbers.by)}: {many(len(numbers.groups), 'group')}"
    rest = len(numbers.groups) - GROUPS
    if rest > 0:
        told += f", {rest:,} of them left out here; --format json has them all"
    if not all(group.name for group in numbers.groups):
        told += f"; {SAYS_NOTHING} are the traces that say nothing of it"
    yield Sentence(f"{told}.")
    yield GroupMeans(trait, sides)
    yield group_table(numbers, sides)
    compared = [group for group in numbers.groups[:GROUPS] if group.agreement.n]
    if compared:
        yield Sentence(f"The judge against the person, by {cut(numbers.by)}.")
        yield agreement_table(numbers.by, compared)


def group_table(trait: Breakdown, sides: Sides) -> ReportTable:
    """A row for each metric and group."""
    heads = ["metric", cut(trait.by), "cells", "signed off"]
    for side in sides:
        heads += [f"{of} {side}" for of in ("micro", "macro", "stderr", "n")]
    rows: list[tuple[str, ...]] = []
    for measure in trait.measures:
        for group in trait.groups[:GROUPS]:
            row = [cut(full_name(measure)), group_name(group)]
            row += f"{group.cells:,}", f"{group.signed:,}"
            for side in sides:
                row += side_told(group.sides[measure.name][side])
            rows.append(tuple(row))
    return ReportTable(tuple(heads), rows, 2)


def side_told(side: SideFigures) -> list[str]:
    """Micro, macro, the error of macro, and n."""
    cells = side.n + side.undefined
    means = [mean(side.micro, cells), mean(side.macro, cells)]
    return [*means, number_or_dash(side.stderr), f"{side.n:,}"]


def agreement_table(by: str, groups: Sequence[GroupFigures]) -> ReportTable:
    """A row for each group."""
    heads = (cut(by), "answers", "alike", "share", "kappa", "AC1", *Rates._fields)
    rows = []
    for group in groups:
        found = group.agreement
        figures = (found.observed, found.kappa, found.ac1, *found.rates)
        counts = f"{found.n:,}", f"{found.agreed:,}"
        rows.append((group_name(group), *counts, *map(number_or_dash, figures)))
    return ReportTable(heads, rows, 1)


def group_name(group: GroupFigures) -> str:
    return cut(group.name) or SAYS_NOTHING
