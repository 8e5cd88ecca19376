"""What the judge said against what the person says: rows judge, columns person."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from appellate.app.numbers.known import KnownNumbers, TraitNumbers
from appellate.app.numbers.queries import RULED, SIGNED, pair, wording
from appellate.core.agreement import ENOUGH, FULL_NAMES, Agreement, Known
from appellate.core.figures import FigureColumn, FigureRow, FigureTable, ShownFigure, count_of
from appellate.core.panel_agreement import PanelAgreement
from appellate.core.problem import many
from appellate.numbers.sentences import panel_text
from appellate.query.language import of_trait
from appellate.ui.figure_list import Block
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
    sight: Sight = SIGHTED,
) -> Iterator[ShownFigure]:
    """One for each of `COLUMNS`; `query` finds the cells, signed off or not. None is not counted
    yet. Behind a figure of blind verdicts stand the cells that were ruled, for queries know how
    labels stand now.
    """
    if agreement is None:
        yield ShownFigure("…", detail="It is being counted.", style="muted")
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
        found += _rates(agreement, trait, query)
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


def _rates(agreement: Agreement, trait: TraitNumbers, query: str) -> Iterator[ShownFigure]:
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
        yield rate(agreement.known(name), f"{text}, of {agreement.n}", behind)


def rate(known: Known, text: str, query: str) -> ShownFigure:
    if known.value is None:
        return ShownFigure(detail=f"{text}. There is nothing to compute it from.")
    shown = number(known.value)
    return ShownFigure(shown, known.value, f"{text}{interval(known)}.", query, "key")


def interval(known: Known) -> str:
    """Between which values a coefficient lies, and by how many traces."""
    if known.bounds is None:
        return "; too few traces for an interval"
    low, high = (number(value) for value in known.bounds[:2])
    return f"; {low} to {high} (95 %), by {known.bounds.clusters} traces or clusters"


AGAINST = (
    FigureColumn("n", 5),
    FigureColumn("differ", 6),
    FigureColumn("kappa", 5),
    FigureColumn("AC1", 5),
)
MEMBER = 12


def panel_tables(known: KnownNumbers) -> Iterator[FigureTable]:
    """A table for each trait that a panel judged."""
    for trait in known.traits:
        panel = known.panels.get(trait.name)
        if panel is not None:
            yield _panel_table(trait.name, panel)


def _panel_table(trait: str, panel: PanelAgreement) -> FigureTable:
    others = [FigureColumn(name, MEMBER) for name in panel.members]
    sight = BLIND if panel.blind else SIGHTED
    query = of_trait(trait, sight.query)
    rows = []
    for place, name in enumerate(panel.members):
        figures = [*_against(panel, place, sight, query), *_beside(panel, place)]
        text = f"{name}, a member of the panel."
        rows.append(FigureRow(name, figures, detail=text, query=query))
    notes = list(panel_text(panel))
    heading = f"{trait}: panel"
    return FigureTable(f"panel {trait}", heading, (*AGAINST, *others), rows, notes=notes)


def _against(panel: PanelAgreement, place: int, sight: Sight, query: str) -> Iterator[ShownFigure]:
    """A member beside the person."""
    found, name = panel.against[place], panel.members[place]
    text = f"{many(found.n, 'answer')} of {name} beside those {sight.person}."
    yield count_of(found.n, text, query)
    count = found.n - found.agreed
    yield count_of(count, f"{count} of {found.n} the person gives otherwise.", query, "corrected")
    yield _shown(found, "kappa", f"Cohen's kappa of {name} and the person")
    yield _shown(found, "ac1", f"Gwet's AC1 of {name} and the person")


def _beside(panel: PanelAgreement, place: int) -> Iterator[ShownFigure]:
    """A member beside each of the members."""
    for other, name in enumerate(panel.members):
        pair: Agreement | None = panel.between.get((min(place, other), max(place, other)))
        if pair is None:
            yield ShownFigure("–", style="muted", detail="The member itself.")
            continue
        text = f"Cohen's kappa of {panel.members[place]} and {name}, of {pair.n}"
        yield _shown(pair, "kappa", text)


def _shown(found: Agreement, name: str, text: str) -> ShownFigure:
    if found.reason:
        return ShownFigure(detail=f"{text} is left out. {found.reason}")
    known = found.known(name)
    if known.value is None:
        return ShownFigure(detail=f"{text}: too few answers, or but one.")
    shown = number(known.value)
    return ShownFigure(shown, known.value, f"{text}{interval(known)}.", style="key")


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


def intervals_table(known: KnownNumbers) -> FigureTable | None:
    """A row for each trait with enough answers to tell of, blind ones apart, and a note on what is
    left out; None for no row.
    """
    rows: list[FigureRow] = []
    left_out: dict[str, list[str]] = {}
    for trait in known.traits:
        compared = known.compared(trait.name)
        if compared is None:
            continue
        for agreement, name, only in (
            (compared.blind, f"{trait.name}, blind", RULED),
            (compared.whole, trait.name + ", in sight" * known.is_blind, SIGNED),
        ):
            if not agreement.n:
                continue
            if agreement.reason:
                left_out.setdefault(agreement.reason, []).append(name)
            if not agreement.is_shown:
                continue
            query = of_trait(trait.name, only)
            figures = [_bounded(agreement, one, query) for one in INTERVALS]
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


def _bounded(agreement: Agreement, name: str, query: str) -> ShownFigure:
    """A coefficient and its interval; what says nothing of such answers is blank."""
    text = _ABOUT.get(name, FULL_NAMES[name])
    if not agreement.tells(name):
        return ShownFigure(detail=f"{text}: for answers of another sort.")
    known = agreement.known(name)
    figure = rate(known, text, query)
    if known.bounds is None:
        return figure
    low, high = (number(value) for value in known.bounds[:2])
    return replace(figure, text=f"{figure.text} {low}–{high}")


NARROWEST, WIDEST = 5, 12  # cells of a column
TOTAL = FigureColumn("in all", 6)


def matrices(known: KnownNumbers) -> list[Block]:
    """The coefficients with their intervals, a table of pairs for each trait with anything to
    compare, and of each panel.
    """
    found: list[Block] = []
    intervals = intervals_table(known)
    if intervals is not None:
        found.append(intervals)
    for trait in known.traits:
        compared = known.compared(trait.name)
        if compared is not None and compared.blind.n:
            found.append(_ruled(trait, compared.blind))
        if compared is not None and compared.whole.n:
            found.append(_matrix(trait, compared.whole, " in sight" * known.is_blind))
    return [*found, *panel_tables(known)]


def _matrix(trait: TraitNumbers, agreement: Agreement, how: str) -> FigureTable:
    columns = [FigureColumn(word, NARROWEST, widest=WIDEST) for word in agreement.words]
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


def _ruled(trait: TraitNumbers, agreement: Agreement) -> FigureTable:
    """Of verdicts ruled blind: all of their cells stand behind each figure, for queries know how
    labels stand now.
    """
    table = _matrix(trait, agreement, " ruled blind")
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
