"""The page Estimate: what a sample says and in which order, for the screen, the lines of `metrics`
and the bench line by line, which draw it.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from appellate.core.agreement import Agreement
from appellate.core.figures import (
    NO_FIGURE,
    FigureBlock,
    FigureColumn,
    FigureRow,
    FigureTable,
    Sentence,
    Sentences,
    ShownFigure,
)
from appellate.core.kind import HEADLINE
from appellate.numbers.estimates import GroupDifference, JudgeErrors, Worth
from appellate.numbers.formatting import between, capital, figure, percent, signed
from appellate.numbers.samples import SampleNumbers
from appellate.numbers.sentences import (
    BY_WIDTH_TOLD,
    FURTHER,
    READING,
    difference_text,
    few_text,
    further_text,
    gate_text,
    has_sides,
    help_text,
    number_text,
    passed_over,
    side_text,
    whose,
    worth_text,
    wrongly,
)
from appellate.query.language import of_trait
from appellate.stats.looks import Decision

HEADING = "How good the judge is"
NO_SAMPLE = (
    "There is no random sample, so no number has an interval that holds: `appellate sample` draws"
    " traces to be ruled on blind, before the judge is seen."
)


ESTIMATES = (
    FigureColumn("n", 4, words="audited"),
    FigureColumn("judge", 6, words="judge only"),
    FigureColumn("people", 6, words="people only"),
    FigureColumn("corrected", 9),
    FigureColumn("95 %", 11),
    FigureColumn(f"{FURTHER} more", 7, words=f"± after {FURTHER} more"),
    FigureColumn("weight", 6, words="the judge's weight"),
    FigureColumn("judge's", 7, words="its share"),
    FigureColumn("people 95 %", 11, words="people only, 95 %"),
    FigureColumn("of", 6),
)
ERRORS = (
    FigureColumn("n", 4),
    FigureColumn("off by", 6),
    FigureColumn("too often", 9),
    FigureColumn("too seldom", 10),
    FigureColumn("too high", 8),
    FigureColumn("too low", 7),
)
DIFFERENCE = (FigureColumn("by", 6), FigureColumn("95 %", 16))
BARS = "Bars"
TWO_GROUPS = "Two groups are compared once both have 20 audited."
DECIDED: dict[Decision, str] = {
    "reached": "reviewed",
    "not reached": "failed",
    "undecided": "corrected",
}
_LEAST = 24


def estimate_page(found: SampleNumbers) -> list[FigureBlock]:
    """The numbers of a sample, bars, where the judge goes wrong, groups and their differences; or
    what is wanting for all of it.
    """
    if found.at.wanting:
        return [Sentences("Estimates", list(map(Sentence, notes(found))))]
    blocks: list[FigureBlock] = [_estimates(found)]
    decisions: list[Sentence] = []
    for gate in found.gates:
        decided, *rest = gate_text(gate, found.at.unit)
        decisions.append(Sentence(decided, DECIDED[gate.standing.decision]))
        decisions += map(Sentence, rest)
    if decisions:
        blocks.append(Sentences(BARS, decisions))
    if any(one.by is not None for one in found.errors):
        blocks.append(_errors(found))
    if any(one.estimate for one in found.by_group):
        blocks.append(_groups(found))
    if found.differences:
        blocks.append(_differences(found.differences))
    return blocks


# -- estimates ------------------------------------------------------------------------------------


def _estimates(found: SampleNumbers) -> FigureTable:
    legend = (
        f"judge: on all {found.at.sample.last.frame:,} that could be drawn. people: on the n"
        " audited alone. corrected: the judge on all, put right by the audited, with its interval."
        " judge's: the share of the uncertainty that the judge took away."
    )
    return FigureTable(
        "worth",
        "Estimates",
        ESTIMATES,
        [_row(one, found, _name(one)) for one in found.worths],
        notes=[*notes(found), *carried_by_few(found.worths)],
        legend=" ".join([legend, *_not_shown(found.worths)]),
        in_words=list(_further(found.worths)),
        least=_LEAST,
    )


def _name(one: Worth | JudgeErrors) -> str:
    return f"{whose(one)} · {one.measure.name}"


def _row(one: Worth, found: SampleNumbers, name: str) -> FigureRow:
    query = "is:sampled"
    if one.trait.name:
        query = of_trait(one.trait.name, query)
    text = worth_text(one, found.at.unit)
    figures = list(_figures(one, text))
    return FigureRow(name, figures, detail=text, query=query)


def _figures(found: Worth, text: str) -> Iterator[ShownFigure]:
    """A figure for each of `ESTIMATES`; where there is no estimate only how many are audited."""
    one = found.estimate
    yield ShownFigure(f"{found.part.n:,}", found.part.n, text, style="muted")
    if one is None:
        yield ShownFigure("–", None, text, style="muted")
        yield from [NO_FIGURE] * (len(ESTIMATES) - 2)
        return
    over = f"The judge's labels on all {one.frame:,}, as nobody put them right."
    yield ShownFigure(figure(one.judge_only), one.judge_only, over, style="muted")
    people = one.people_only
    over = f"People's labels of the {one.n} audited alone: {between(people.low, people.high)}."
    yield ShownFigure(figure(people.value), people.value, over, style="muted")
    yield ShownFigure(figure(one.value), one.value, text, style="key")
    yield ShownFigure(between(one.low, one.high), one.half, few_text(found) or text)
    if one.frame - one.n >= FURTHER:
        more = one.further(FURTHER)
        yield ShownFigure(figure(more), more, further_text(found))
    else:
        yield NO_FIGURE
    helps = help_text(found)
    yield ShownFigure(f"{one.weight:.2f}", one.weight, helps)
    share = percent(round(one.judge_share, 2))
    yield ShownFigure(share, one.judge_share, helps, style="" if one.helps else "failed")
    yield ShownFigure(between(people.low, people.high), people.half, over, style="muted")
    yield ShownFigure(f"{one.frame:,}", one.frame, "What could be drawn.", style="muted")


def notes(found: SampleNumbers) -> list[str]:
    """How the estimates are to be read, or what is wanting for any."""
    wanting = found.at.wanting
    if wanting:
        return [f"{capital(wanting)}."]
    texts = passed_over(found.worths, found.at.unit)
    if any(one.estimate for one in found.worths):
        return [f"{READING} {BY_WIDTH_TOLD}", *texts]
    if found.worths:
        texts.insert(0, f"Numbers are {found.worths[0].wanting}.")
    return texts


def carried_by_few(found: Iterable[Worth]) -> list[str]:
    """Which numbers few audits carry, those of which the same is so together."""
    names: dict[str, list[str]] = {}
    for one in found:
        few = few_text(one)
        if few:
            names.setdefault(few, []).append(number_text(one))
    return [f"{', '.join(alike)}: {few}" for few, alike in names.items()]


def _further(found: Iterable[Worth]) -> Iterator[str]:
    """What more audits would give, and where the judge does not help."""
    unhelped: list[str] = []
    for one in found:
        if one.measure is one.trait.measures[HEADLINE] and further_text(one):
            yield f"{number_text(one)}: {further_text(one)}"
        if one.estimate is not None and not one.estimate.helps:
            unhelped.append(number_text(one))
    if unhelped:
        yield f"The judge does not help here (its weight is 0): {', '.join(unhelped)}."


def _not_shown(found: Iterable[Worth]) -> Iterator[str]:
    """Which numbers have no estimate, and why, those of one reason together."""
    why: dict[str, list[str]] = {}
    for one in found:
        if one.estimate is None:
            why.setdefault(one.wanting, []).append(number_text(one))
    for reason, names in why.items():
        yield f"Not shown: {', '.join(names)}. {capital(reason)}."


# -- bars, errors, groups -------------------------------------------------------------------------


def _errors(found: SampleNumbers) -> FigureTable:
    """Where the judge is bad, and on which side; the worst first."""
    ranked = sorted(found.errors, key=lambda one: -abs(one.by or 0))
    rows = list(map(_errors_row, ranked))
    heading = "Where the judge goes wrong"
    return FigureTable("errors", heading, ERRORS, rows, in_sentences=True, least=_LEAST)


def _errors_row(one: JudgeErrors) -> FigureRow:
    text = side_text(one)
    figures = [ShownFigure(str(one.n), one.n, text, style="muted"), NO_FIGURE]
    if one.by is not None:
        over = f"By how much the judge's {one.measure.name} is above the estimate."
        figures[1] = ShownFigure(signed(one.by), one.by, over, style="corrected")
    query = of_trait(one.trait.name, "is:sampled", "overruled>0")
    figures += _sides(one.agreement, text, query)
    for count in (one.higher, one.lower):
        figures.append(ShownFigure(str(count), count, text, query))
    return FigureRow(_name(one), figures, detail=text, query=query)


def _sides(agreement: Agreement, text: str, query: str) -> list[ShownFigure]:
    if not has_sides(agreement):
        return [NO_FIGURE, NO_FIGURE]
    return [ShownFigure(str(count), count, text, query) for count in wrongly(agreement)]


def _groups(found: SampleNumbers) -> FigureTable:
    rows = [_row(one, found, f"{one.group or '–'} · {_name(one)}") for one in found.by_group]
    table = FigureTable("worth", f"By {found.at.by}, each by its own audits", ESTIMATES, rows)
    few = carried_by_few(found.by_group)
    below = [] if found.differences else [TWO_GROUPS]
    legend = "One correction shared by all groups could turn their order round."
    legend = " ".join([legend, *_not_shown(found.by_group)])
    return replace(table, notes=below, legend=legend, in_words=few, least=_LEAST)


def _differences(found: Sequence[GroupDifference]) -> FigureTable:
    rows = []
    for one in found:
        text, by = difference_text(one), one.by
        name = f"{one.one} less {one.other} · {whose(one)} {one.measure.name}"
        shown = [ShownFigure(signed(by.value), by.value, text)]
        shown.append(ShownFigure(between(by.low, by.high), by.half, text))
        rows.append(FigureRow(name, shown, detail=text))
    heading = "Differences"
    return FigureTable("differences", heading, DIFFERENCE, rows, in_sentences=True, least=_LEAST)
