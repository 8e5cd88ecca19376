"""What the judge is worth: estimates over all that could be drawn, from an audited sample."""

from collections.abc import Iterator, Sequence

from appellate.app.numbers import sentences
from appellate.app.numbers_known import KnownNumbers
from appellate.app.numbers_queries import of_trait
from appellate.core.agreement import Agreement
from appellate.stats.looks import Decision
from appellate.ui.figure_list import Block, PlainRows
from appellate.ui.figure_table import NO_FIGURE, FigureColumn, FigureRow, FigureTable, ShownFigure
from appellate.ui.lines import ListRow
from appellate.ui.marks import Marks, spelt
from appellate.worth.sample_numbers import SampleNumbers
from appellate.worth.worth_sentences import (
    BY_WIDTH_TOLD,
    FURTHER,
    READING,
    between,
    difference_told,
    figure,
    further_told,
    gate_told,
    has_sides,
    help_told,
    passed_over,
    percent,
    sample_told,
    side_told,
    whose,
    worth_told,
    wrongly,
)
from appellate.worth.worths import GroupDifference, JudgeErrors, Worth

ESTIMATES = (
    FigureColumn("n", 4),
    FigureColumn("judge", 6),
    FigureColumn("people", 6),
    FigureColumn("corrected", 9),
    FigureColumn("95 %", 11),
    FigureColumn(f"+{FURTHER}", 6),
    FigureColumn("weight", 6),
    FigureColumn("judge's", 7),
)
ERRORS = (
    FigureColumn("n", 4),
    FigureColumn("by", 6),
    FigureColumn("too often", 9),
    FigureColumn("seldom", 6),
    FigureColumn("higher", 6),
    FigureColumn("lower", 6),
)
DIFFERENCE = (FigureColumn("by", 6), FigureColumn("95 %", 16))
BARS = 1
"""The place of the bars on the page."""
LEAST = 24
DECIDED: dict[Decision, str] = {
    "trusted": "reviewed",
    "not trusted": "failed",
    "undecided": "corrected",
}
COUNTING = "It is being counted …"
NO_SAMPLE = (
    "There is no random sample, so no number has an interval that holds: `appellate sample` (or %)"
    " draws traces to be ruled on blind, before the judge is seen."
)
NO_BAR = (
    "No bar is planned: p plans at which audits one is decided, before the first verdict. Else the"
    " one look is at the end of the sample (appellate gate)."
)


def worths(known: KnownNumbers, room: int, marks: Marks) -> list[Block]:
    """The sample, its numbers, bars, where the judge goes wrong, groups."""
    found = known.sampled
    if found is None:
        told = NO_SAMPLE
        if known.sampled_n is None:
            told = COUNTING
        return [PlainRows("Estimates", sentences([spelt(told, marks)], room))]
    bars = PlainRows("Bars", _bars(found, room, marks))
    blocks: list[Block] = [_estimates(found, marks), bars]
    if any(one.by is not None for one in found.errors):
        blocks.append(_errors(found, marks))
    if any(one.estimate for one in found.by_group):
        blocks += [_groups(found, marks), _differences(found.differences, marks)]
    return blocks


def _estimates(found: SampleNumbers, marks: Marks) -> FigureTable:
    rows = [_row(one, found, _name(one, marks), marks) for one in found.worths]
    unit = found.at.unit
    passed = passed_over(found.worths, unit)
    told = [sample_told(found.at), *passed]
    if any(one.estimate for one in found.worths):
        told.append(f"{READING} {BY_WIDTH_TOLD}")
    else:
        told += [f"Numbers are {one.wanting}." for one in found.worths[:1]]
    notes = [spelt(note, marks) for note in told]
    return FigureTable("worth", "Estimates", ESTIMATES, rows, notes=notes, least=LEAST)


def _name(one: Worth | JudgeErrors, marks: Marks) -> str:
    return f"{whose(one)} {marks.dot} {one.measure.name}"


def _row(one: Worth, found: SampleNumbers, name: str, marks: Marks) -> FigureRow:
    told = spelt(worth_told(one, found.at.unit), marks)
    figures = [*_figures(one, told, marks)]
    query = "is:sampled"
    if one.trait.name:
        query = of_trait(one.trait.name, query)
    return FigureRow(name, figures, told=told, query=query)


def _figures(one: Worth, told: str, marks: Marks) -> Iterator[ShownFigure]:
    """One for each of `ESTIMATES`."""
    part, found = one.part, one.estimate
    yield ShownFigure(str(part.n), part.n, told, style="muted")
    if found is None:
        yield ShownFigure(marks.none, told=told, style="muted")
        yield from [NO_FIGURE] * (len(ESTIMATES) - 2)
        return
    people = found.people_only
    over = f"The judge's labels on all {found.frame:,}, as nobody put them right."
    yield _shown(found.judge_only, over, "muted", marks)
    over = f"People's labels of the {found.n} audited alone: {between(people.low, people.high)}."
    yield _shown(people.value, over, "muted", marks)
    yield _shown(found.value, told, "key", marks)
    interval = between(found.low, found.high).replace("−", marks.minus)
    yield ShownFigure(interval, found.half, told)
    if found.n < found.frame:
        yield _shown(found.further(FURTHER), further_told(one), "", marks)
    else:
        yield NO_FIGURE
    helps = spelt(help_told(one), marks)
    yield ShownFigure(f"{found.weight:.2f}", found.weight, helps)
    share = percent(round(found.judge_share, 2))
    yield ShownFigure(share, found.judge_share, helps, style="failed" * (not found.helps))


def _shown(value: float | None, told: str, style: str, marks: Marks) -> ShownFigure:
    shown = figure(value).replace("−", marks.minus)
    return ShownFigure(shown, value, spelt(told, marks), style=style)


def _errors(found: SampleNumbers, marks: Marks) -> FigureTable:
    """Where the judge is bad, and on which side; the worst first."""
    ranked = sorted(found.errors, key=lambda one: -abs(one.by or 0))
    rows = [_errors_row(one, marks) for one in ranked]
    return FigureTable("errors", "Where the judge goes wrong", ERRORS, rows, least=LEAST)


def _errors_row(one: JudgeErrors, marks: Marks) -> FigureRow:
    told = spelt(side_told(one), marks)
    figures = [ShownFigure(str(one.n), one.n, told, style="muted"), NO_FIGURE]
    if one.by is not None:
        by = f"{one.by:+.3f}".replace("-", marks.minus)
        over = f"By how much the judge's {one.measure.name} is above the estimate."
        figures[1] = ShownFigure(by, one.by, over, style="corrected")
    query = of_trait(one.trait.name, "is:sampled", "overruled>0")
    figures += _sides(one.agreement, told, query)
    for count in (one.higher, one.lower):
        figures.append(ShownFigure(str(count), count, told, query))
    return FigureRow(_name(one, marks), figures, told=told, query=query)


def _sides(agreement: Agreement, told: str, query: str) -> list[ShownFigure]:
    if not has_sides(agreement):
        return [NO_FIGURE, NO_FIGURE]
    return [ShownFigure(str(count), count, told, query) for count in wrongly(agreement)]


def _groups(found: SampleNumbers, marks: Marks) -> FigureTable:
    rows = []
    for one in found.by_group:
        name = f"{one.group or marks.none} {marks.dot} {_name(one, marks)}"
        rows.append(_row(one, found, name, marks))
    heading = f"By {found.at.by}, each by its own audits"
    return FigureTable("worth", heading, ESTIMATES, rows, least=LEAST)


def _differences(found: Sequence[GroupDifference], marks: Marks) -> FigureTable:
    rows = []
    for one in found:
        told = spelt(difference_told(one), marks)
        name = f"{one.one} less {one.other} {marks.dot} {whose(one)} {one.measure.name}"
        interval = between(one.by.low, one.by.high).replace("−", marks.minus)
        by = f"{one.by.value:+.3f}".replace("-", marks.minus)
        shown = [ShownFigure(by, one.by.value, told), ShownFigure(interval, one.by.half, told)]
        rows.append(FigureRow(name, shown, told=told))
    empty = "Two groups are compared once both have 20 audited."
    return FigureTable("differences", "Differences", DIFFERENCE, rows, empty, least=LEAST)


def _bars(found: SampleNumbers, room: int, marks: Marks) -> list[ListRow]:
    """What is decided of the planned bars."""
    if not found.gates:
        return sentences([spelt(NO_BAR, marks)], room)
    rows: list[ListRow] = []
    for gate in found.gates:
        decided, *rest = [spelt(told, marks) for told in gate_told(gate, found.at.unit)]
        rows.append(ListRow(decided, style=DECIDED[gate.standing.decision]))
        rows += sentences(rest, room)
    return rows
