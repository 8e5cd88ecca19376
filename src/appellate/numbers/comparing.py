"""The judge beside the person, epochs reduced, and numbers by groups of traces, as parts of a
report.
"""

from collections.abc import Iterator, Sequence

from appellate.core.agreement import ENOUGH, FULL_NAMES, Agreement, Known, Rates
from appellate.core.breakdown import (
    Breakdown,
    BySide,
    GroupFigures,
    InstructionFigures,
    SideFigures,
)
from appellate.core.figures import Sentence
from appellate.core.panel_agreement import PanelAgreement
from appellate.core.problem import many
from appellate.numbers.blocks import Block, Confusion, GroupMeans, ReportTable
from appellate.numbers.formatting import called, cut, figure, mean, side_word
from appellate.numbers.report import Sides, TraitReport
from appellate.numbers.sentences import panel_text

BLIND = "the verdicts ruled blind"
SIGHTED = "the person who signed off"
RATES = ("sensitivity", "precision", "specificity", "prevalence")
WORDS = 12
"""Answers that a table of pairs has room for."""
INSTRUCTIONS = 50
"""Instructions in a table; JSON has them all."""
GROUPS = 100
"""Groups in a table; JSON and CSV have them all."""
SAYS_NOTHING = "–"


def judge_beside_person(trait: TraitReport) -> Iterator[Block]:
    """How far their answers agree, pair by pair, blind and sighted apart, and a panel's members
    with each other; nothing where none is compared.
    """
    whole = trait.numbers.whole
    if whole.between:
        yield Sentence(between_text(whole.between))
    for against, agreement in against_people(whole):
        yield Sentence(agreement_text(agreement, against))
        yield Confusion(agreement)
        if len(agreement.words) <= WORDS:
            yield pairs(agreement)
        if agreement.is_shown:
            yield rates(agreement)
            yield coefficients(agreement)
    yield from _by_instruction(trait)
    panel = trait.numbers.panel
    if panel is None:
        return
    yield from map(Sentence, panel_text(panel))
    if panel.n >= ENOUGH:
        yield members(panel)


def _by_instruction(trait: TraitReport) -> Iterator[Block]:
    """The same instruction by instruction, where there are several."""
    every = trait.numbers.instructions
    blind: list[_ByInstruction] = []
    sighted: list[_ByInstruction] = []
    is_shown = False
    for one in every:
        if one.blind.n:
            blind.append((one, one.blind))
        if one.agreement.n:
            sighted.append((one, one.agreement))
        is_shown = is_shown or one.agreement.n >= ENOUGH
    if not is_shown:
        sighted = []  # how often the judge was overruled stands among the instructions
    for against, found in ((BLIND, blind), (SIGHTED, sighted)):
        if len(every) == 1 or not found:
            continue
        found.sort(key=_differing)
        yield Sentence(
            f"The judge against {against}, by instruction, those that differ most first."
        )
        yield _instruction_table(trait, found[:INSTRUCTIONS])
        rest = len(found) - INSTRUCTIONS
        if rest > 0:
            left_out = many(rest, "further instruction")
            yield Sentence(f"{left_out} left out here; --format json has them all.")


_ByInstruction = tuple[InstructionFigures, Agreement]


def _differing(one: _ByInstruction) -> int:
    return one[1].agreed - one[1].n


def _instruction_table(trait: TraitReport, found: Sequence[_ByInstruction]) -> ReportTable:
    texts = ["instruction"]
    if trait.kind.lists:
        texts.append("the response")
    rows = []
    for one, agreement in found:
        row = [cut(one.stats.instruction)]
        if trait.kind.lists:
            row.append(trait.kind.lists.get(one.stats.of, one.stats.of))
        rates = agreement.rates
        known = agreement.observed, agreement.ac1, rates.sensitivity, rates.precision
        counts = (f"{agreement.n:,}", f"{agreement.n - agreement.agreed:,}")
        rows.append((*row, *counts, *map(figure, known)))
    heads = ("compared", "differ", "alike", "AC1", "sensitivity", "precision")
    return ReportTable((*texts, *heads), rows, len(texts))


def against_people(group: GroupFigures) -> Iterator[tuple[str, Agreement]]:
    """The agreements of which there is anything, and whom each is against."""
    if group.blind.n:
        yield BLIND, group.blind
    if group.agreement.n:
        yield SIGHTED, group.agreement


def between_text(between: BySide) -> str:
    """How far the judge's scores of the cells are from the signed ones, in a sentence."""
    cells = max(figures.n for figures in between.values())
    means = [f"{name} {figure(figures.macro)}" for name, figures in between.items()]
    text = f"The judge's scores against the signed ones of the same {many(cells, 'cell')}"
    return f"{text}, as a mean: {', '.join(means)}."


def agreement_text(agreement: Agreement, against: str) -> str:
    """The judge against the person in a sentence or two."""
    alike = f"{agreement.agreed:,} alike"
    text = f"The judge against {against}: {many(agreement.n, 'answer')}, {alike}"
    if agreement.reason:
        return f"{text}. {agreement.reason}"
    if agreement.n < ENOUGH:
        return f"{text}. What they come to is shown from {ENOUGH} answers on."
    shares = f"({figure(agreement.observed)})"
    kappa = f"Cohen's kappa {figure(agreement.kappa)}"
    return f"{text} {shares}; {kappa}, Gwet's AC1 {figure(agreement.ac1)}."


def coefficients(agreement: Agreement) -> ReportTable:
    """A row for each coefficient, with the interval that heeds what belongs together."""
    rows = []
    names = [*agreement.coefficients, *filter(agreement.tells, RATES)]
    for name in names:
        known = agreement.known(name)
        if known.value is not None:
            rows.append((FULL_NAMES.get(name, name), *known_text(known)))
    heads = ("coefficient", "value", "95 % from", "to", "of clusters")
    return ReportTable(heads, rows, 1)


def known_text(known: Known) -> list[str]:
    """A value, where its interval begins and ends, and by how many clusters."""
    value = figure(known.value)
    if known.bounds is None:
        return [value, SAYS_NOTHING, SAYS_NOTHING, SAYS_NOTHING]
    found = known.bounds
    return [value, *map(figure, (found.low, found.high)), f"{found.clusters:,}"]


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
        text = ", ".join(map(cut, positive)) or "positive"
        rows = [(text, *_rates(agreement.rates))]
    else:
        rows = [(cut(word), *_rates(agreement.rates_of(word))) for word in agreement.words]
    return ReportTable(("answer", *Rates._fields), rows, 1)


def _rates(found: Rates) -> list[str]:
    """Those of `Rates`; 0/0 is a dash, as what is of too few."""
    return list(map(figure, found))


# -- a panel --------------------------------------------------------------------------------------


def members(panel: PanelAgreement) -> ReportTable:
    """A row for each member: against the person, and under each other member Cohen's kappa."""
    heads = ["member", "answers", "alike", "kappa", "AC1"]
    heads += map(cut, panel.members)
    rows = []
    for place, (name, against) in enumerate(zip(panel.members, panel.against, strict=True)):
        figures = map(figure, (against.observed, against.kappa, against.ac1))
        row = [cut(name), f"{against.n:,}", *figures]
        for other in range(len(panel.members)):
            if other == place:
                row.append(SAYS_NOTHING)
            else:
                pair = panel.between[min(place, other), max(place, other)]
                row.append(figure(pair.kappa))
        rows.append(tuple(row))
    return ReportTable(tuple(heads), rows, 1)


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
        heads += [f"{of} {side_word(side)}" for of in ("mean", "stderr", "n", "unscored")]
    rows: list[tuple[str, ...]] = []
    for measure in trait.measures:
        for one in trait.epochs:
            row = [called(measure), cut(one.reducer)]
            for side in sides:
                figures = one.sides[measure.name][side]
                counts = f"{figures.n:,}", f"{figures.unscored:,}"
                row += figure(figures.macro), figure(figures.stderr), *counts
            rows.append(tuple(row))
    return ReportTable(tuple(heads), rows, 2)


# -- groups ---------------------------------------------------------------------------------------


def by_group(trait: TraitReport, sides: Sides) -> Iterator[Block]:
    """The metrics of each group, and the judge against the person there."""
    numbers = trait.numbers
    if not numbers.by:
        return
    text = f"By {cut(numbers.by)}: {many(len(numbers.groups), 'group')}"
    rest = len(numbers.groups) - GROUPS
    if rest > 0:
        text += f", {rest:,} of them left out here; --format json has them all"
    if not all(group.name for group in numbers.groups):
        text += f"; {SAYS_NOTHING} are the traces that say nothing of it"
    yield Sentence(f"{text}.")
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
        heads += [f"{of} {side_word(side)}" for of in ("micro", "macro", "stderr", "n")]
    rows: list[tuple[str, ...]] = []
    for measure in trait.measures:
        for group in trait.groups[:GROUPS]:
            row = [called(measure), group_name(group)]
            row += f"{group.cells:,}", f"{group.signed:,}"
            for side in sides:
                row += side_text(group.sides[measure.name][side])
            rows.append(tuple(row))
    return ReportTable(tuple(heads), rows, 2)


def side_text(side: SideFigures) -> list[str]:
    """Micro, macro, the error of macro, and n."""
    cells = side.n + side.undefined
    means = [mean(side.micro, cells), mean(side.macro, cells)]
    return [*means, figure(side.stderr), f"{side.n:,}"]


def agreement_table(by: str, groups: Sequence[GroupFigures]) -> ReportTable:
    """A row for each group."""
    heads = (cut(by), "answers", "alike", "share", "kappa", "AC1", *Rates._fields)
    rows = []
    for group in groups:
        found = group.agreement
        figures = (found.observed, found.kappa, found.ac1, *found.rates)
        counts = f"{found.n:,}", f"{found.agreed:,}"
        rows.append((group_name(group), *counts, *map(figure, figures)))
    return ReportTable(heads, rows, 1)


def group_name(group: GroupFigures) -> str:
    return cut(group.name) or SAYS_NOTHING
