"""How good the judge is: estimates over all that could be drawn, from an audited sample."""

from collections.abc import Sequence

from msgspec.structs import replace

from appellate.app.numbers.known import KnownNumbers
from appellate.app.numbers.queries import of_trait
from appellate.app.numbers.session import sentences
from appellate.core.agreement import Agreement
from appellate.stats.looks import Decision
from appellate.ui.figure_list import Block, PlainRows
from appellate.ui.figure_table import NO_FIGURE, FigureColumn, FigureRow, FigureTable, ShownFigure
from appellate.ui.lines import ListRow
from appellate.ui.marks import Marks, spelt
from appellate.worth.sample_numbers import SampleNumbers
from appellate.worth.worth_page import NO_SAMPLE, carried_by_few, estimate_figures, notes
from appellate.worth.worth_sentences import (
    FURTHER,
    between,
    difference_text,
    gate_text,
    has_sides,
    sample_text,
    side_text,
    whose,
    wrongly,
)
from appellate.worth.worths import GroupDifference, JudgeErrors, Worth

ESTIMATES = (
    FigureColumn("n", 4),
    FigureColumn("judge", 6),
    FigureColumn("people", 6),
    FigureColumn("corrected", 9),
    FigureColumn("95 %", 11),
    FigureColumn(f"{FURTHER} more", 7),
    FigureColumn("weight", 6),
    FigureColumn("judge's", 7),
)
ERRORS = (
    FigureColumn("n", 4),
    FigureColumn("off by", 6),
    FigureColumn("too often", 9),
    FigureColumn("too seldom", 10),
    FigureColumn("too high", 8),
    FigureColumn("too low", 7),
)
STYLES = {"n": "muted", "judge": "muted", "people": "muted", "corrected": "key"}
DIFFERENCE = (FigureColumn("by", 6), FigureColumn("95 %", 16))
BARS = "Bars"
TWO_GROUPS = "Two groups are compared once both have 20 audited."
LEAST = 24
DECIDED: dict[Decision, str] = {
    "reached": "reviewed",
    "not reached": "failed",
    "undecided": "corrected",
}
COUNTING = "It is being counted …"
NO_BAR = (
    "No bar is planned: p plans at which audits one is decided, before the first verdict. Else the"
    " one look is at the end of the sample (appellate gate)."
)


def worths(known: KnownNumbers, room: int, marks: Marks) -> list[Block]:
    """The sample, its numbers, bars, where the judge goes wrong, groups."""
    found = known.sampled
    if found is None:
        text = f"{NO_SAMPLE} On the bench it is %."
        if known.sampled_n is None:
            text = COUNTING
        return [PlainRows("Estimates", sentences([spelt(text, marks)], room))]
    if found.at.wanting:
        why = [spelt(note, marks) for note in (sample_text(found.at), *notes(found))]
        return [PlainRows("Estimates", sentences(why, room))]
    blocks: list[Block] = [_estimates(found, marks)]
    if found.gates:
        blocks.append(PlainRows(BARS, _bars(found, room, marks)))
    if any(one.by is not None for one in found.errors):
        blocks.append(_errors(found, marks))
    if any(one.estimate for one in found.by_group):
        blocks.append(_groups(found, marks))
    if found.differences:
        blocks.append(_differences(found.differences, marks))
    return blocks


def _estimates(found: SampleNumbers, marks: Marks) -> FigureTable:
    rows = [_row(one, found, _name(one, marks), marks) for one in found.worths]
    texts = [sample_text(found.at), *notes(found), *carried_by_few(found.worths)]
    if not found.gates:
        texts.append(NO_BAR)
    below = [spelt(note, marks) for note in texts]
    return FigureTable("worth", "Estimates", ESTIMATES, rows, notes=below, least=LEAST)


def _name(one: Worth | JudgeErrors, marks: Marks) -> str:
    return f"{whose(one)} {marks.dot} {one.measure.name}"


def _row(one: Worth, found: SampleNumbers, name: str, marks: Marks) -> FigureRow:
    shown: dict[str, ShownFigure] = {}
    for estimate_figure in estimate_figures(one, found.at.unit):
        text = estimate_figure.text.replace("−", marks.minus)
        style = STYLES.get(estimate_figure.title, "")
        shown[estimate_figure.title] = ShownFigure(
            text, estimate_figure.value, spelt(estimate_figure.detail, marks), style=style
        )
    if one.estimate is None:
        shown["judge"] = replace(shown["n"], text=marks.none, rank=None)
    elif not one.estimate.helps:
        shown["judge's"] = replace(shown["judge's"], style="failed")
    figures = [shown.get(column.title, NO_FIGURE) for column in ESTIMATES]
    query = "is:sampled"
    if one.trait.name:
        query = of_trait(one.trait.name, query)
    return FigureRow(name, figures, detail=shown["n"].detail, query=query)


def _errors(found: SampleNumbers, marks: Marks) -> FigureTable:
    """Where the judge is bad, and on which side; the worst first."""
    ranked = sorted(found.errors, key=lambda one: -abs(one.by or 0))
    rows = [_errors_row(one, marks) for one in ranked]
    return FigureTable("errors", "Where the judge goes wrong", ERRORS, rows, least=LEAST)


def _errors_row(one: JudgeErrors, marks: Marks) -> FigureRow:
    text = spelt(side_text(one), marks)
    figures = [ShownFigure(str(one.n), one.n, text, style="muted"), NO_FIGURE]
    if one.by is not None:
        by = f"{one.by:+.3f}".replace("-", marks.minus)
        over = f"By how much the judge's {one.measure.name} is above the estimate."
        figures[1] = ShownFigure(by, one.by, over, style="corrected")
    query = of_trait(one.trait.name, "is:sampled", "overruled>0")
    figures += _sides(one.agreement, text, query)
    for count in (one.higher, one.lower):
        figures.append(ShownFigure(str(count), count, text, query))
    return FigureRow(_name(one, marks), figures, detail=text, query=query)


def _sides(agreement: Agreement, text: str, query: str) -> list[ShownFigure]:
    if not has_sides(agreement):
        return [NO_FIGURE, NO_FIGURE]
    return [ShownFigure(str(count), count, text, query) for count in wrongly(agreement)]


def _groups(found: SampleNumbers, marks: Marks) -> FigureTable:
    rows = []
    for one in found.by_group:
        name = f"{one.group or marks.none} {marks.dot} {_name(one, marks)}"
        rows.append(_row(one, found, name, marks))
    heading = f"By {found.at.by}, each by its own audits"
    below = [] if found.differences else [TWO_GROUPS]
    return FigureTable("worth", heading, ESTIMATES, rows, notes=below, least=LEAST)


def _differences(found: Sequence[GroupDifference], marks: Marks) -> FigureTable:
    rows = []
    for one in found:
        text = spelt(difference_text(one), marks)
        name = f"{one.one} less {one.other} {marks.dot} {whose(one)} {one.measure.name}"
        interval = between(one.by.low, one.by.high).replace("−", marks.minus)
        by = f"{one.by.value:+.3f}".replace("-", marks.minus)
        shown = [ShownFigure(by, one.by.value, text), ShownFigure(interval, one.by.half, text)]
        rows.append(FigureRow(name, shown, detail=text))
    return FigureTable("differences", "Differences", DIFFERENCE, rows, least=LEAST)


def _bars(found: SampleNumbers, room: int, marks: Marks) -> list[ListRow]:
    """What is decided of the planned bars."""
    rows: list[ListRow] = []
    for gate in found.gates:
        decided, *rest = [spelt(text, marks) for text in gate_text(gate, found.at.unit)]
        rows.append(ListRow(decided, style=DECIDED[gate.standing.decision]))
        rows += sentences(rest, room)
    return rows
