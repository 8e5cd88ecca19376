"""Where the judge is good or bad: against the person by trait, and by instruction, worst first."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from appellate.app.numbers.agreement import BLIND, COLUMNS, SIGHTED, Sight, figures_of
from appellate.app.numbers.figures import count_in, spelled
from appellate.app.numbers.known import KnownNumbers, TraitNumbers
from appellate.app.numbers.queries import words
from appellate.core.agreement import ENOUGH, Agreement
from appellate.core.figures import FigureColumn, FigureRow, FigureTable, ShownFigure, count_of
from appellate.core.problem import many
from appellate.core.totals import AnswerStats
from appellate.query.language import of_trait
from appellate.ui.figure_list import Block

INSTRUCTIONS = 200  # as many as one reads; `metrics` and `report` tell all
DIFFER = 1  # the column of how many answers differ: traits with most of them come first
NAMED = 3  # traits that a sentence names
TAG = 6
BY_TRAIT = "By trait"
LEAST = 30
NOT_JUDGED = (
    "Nothing has been judged yet: {cell.judge:J} has one cell judged, {cell.sign:a} signs it off."
)
NOT_COMPARED = "No verdict yet: each cell that you sign off ({cell.sign:a}) is compared here."


class InstructionLine(NamedTuple):
    """A line of an instruction: the name of its traits, its list and its words."""

    trait: str
    of: str
    text: str


def judge(known: KnownNumbers) -> list[Block]:
    """The judge against the person, blind and sighted apart, and the instructions on which it was
    overruled; what has no row is left out.
    """
    heading = SIGHTED.heading if known.is_blind else BY_TRAIT
    sighted = _traits(known, heading)
    instructions = _instructions(known)
    compared = [sighted]
    if known.is_blind:
        blind = _traits(known, BLIND.heading, BLIND)
        compared = [blind, _ruled(known), sighted]
    found = [table for table in compared if table.rows]
    if not found:
        empty = NOT_COMPARED if instructions.rows else NOT_JUDGED
        found.append(FigureTable("judge", BY_TRAIT, (), empty=empty))
    if instructions.rows:
        found.append(instructions)
    return [*found]


def _traits(
    known: KnownNumbers,
    heading: str,
    sight: Sight = SIGHTED,
) -> FigureTable:
    rows: list[FigureRow] = []
    few: dict[str, int] = {}
    without: list[str] = []
    reasons: dict[str, None] = {}
    for trait in known.traits:
        compared, agreement = known.compared(trait.name), None
        if compared is not None:
            agreement = compared.blind if sight is BLIND else compared.whole
        if _is_without(agreement, trait, sight):
            without.append(trait.name)
            continue
        query = of_trait(trait.name)
        figures = list(figures_of(agreement, trait, query, sight))
        signed, cells = trait.totals.get("state:reviewed", 0), trait.totals.get("cells", 0)
        text = f"{trait.name}: {signed} of {many(cells, 'cell')} signed off."
        rows.append(FigureRow(trait.name, figures, detail=text, query=query))
        if agreement is None:
            continue
        if agreement.reason:
            reasons[agreement.reason] = None
        elif agreement.n < ENOUGH:
            few[trait.name] = ENOUGH - agreement.n
    rows.sort(key=lambda row: -(row.figures[DIFFER].rank or 0))
    notes = [*_few(few, sight), *reasons]
    if without:
        named = ", ".join(without[:NAMED]) + ", …" * (len(without) > NAMED)
        notes.append(f"No verdict yet for {many(len(without), 'trait')}: {named}")
    return FigureTable(f"judge {sight.query}", heading, COLUMNS, rows, notes=notes)


def _is_without(agreement: Agreement | None, trait: TraitNumbers, sight: Sight) -> bool:
    """Whether nothing was compared; before it is counted, whether nothing can have been."""
    if agreement is None:
        return sight is SIGHTED and not trait.totals.get("state:reviewed")
    return not agreement.n


def _few(few: Mapping[str, int], sight: Sight) -> Iterator[str]:
    """A sentence for the traits that have not enough to compare."""
    if not few:
        return
    named = [f"{name} needs {count} more" for name, count in list(few.items())[:NAMED]]
    more = len(few) - len(named)
    if more > 0:
        named.append(f"{many(more, 'trait')} more likewise")
    yield (
        f"Rates are shown from {ENOUGH} compared answers on, of cells that are {sight.done}"
        f" ({{cell.sign:a}}): {', '.join(named)}."
    )


def _instructions(known: KnownNumbers) -> FigureTable:
    traits = {trait.name: trait for trait in known.traits}
    compared = {trait.name: known.compared(trait.name) for trait in known.traits}
    found = [(traits[name], stats) for name, stats in known.worst if name in traits]
    fields = spelled(found)
    rows: list[FigureRow] = []
    for trait, stats in found:
        agreement, ones = None, compared[trait.name]
        if ones is not None:
            agreement = ones.instructions.get((stats.of, stats.instruction), Agreement({}))
        rows.append(_instruction(trait, stats, agreement, fields))
    heading = "Instructions"
    if len(rows) >= INSTRUCTIONS:
        heading = f"{INSTRUCTIONS} instructions"
    asides = tuple(FigureColumn(spelled, len(spelled)) for spelled in fields.values())
    columns = (FigureColumn("overruled", 9), FigureColumn("asked", 5), *asides, *COLUMNS)
    table = FigureTable("instructions", heading, columns, rows, least=LEAST, tags=TAG)
    return replace(table, order="most overruled first")


def _ruled(known: KnownNumbers) -> FigureTable:
    """The instructions that were ruled blind, those that differ most first."""
    traits = {trait.name: trait for trait in known.traits}
    compared = {name: known.compared(name) for name in traits}
    rows: list[FigureRow] = []
    for name, stats in known.worst:
        ones = compared.get(name)
        if ones is None:
            continue
        agreement = ones.blind_instructions.get((stats.of, stats.instruction))
        if agreement is None or not agreement.n:
            continue
        trait = traits[name]
        query = _query(trait, stats)
        tag = trait.kind.spelled.get(stats.of, "")
        differ = agreement.n - agreement.agreed
        text = (
            f"{stats.instruction} ({f'{name} {tag}'.strip()}): {differ} of"
            f" {many(agreement.n, 'blind verdict')} otherwise than the judge."
        )
        figures = tuple(figures_of(agreement, trait, query, BLIND))
        rows.append(
            FigureRow(stats.instruction, figures, tag=tag, detail=text, query=query, about=name)
        )
    rows.sort(key=lambda row: -(row.figures[DIFFER].rank or 0))
    heading = "Instructions ruled blind"
    return FigureTable("instructions blind", heading, COLUMNS, rows, least=LEAST, tags=TAG)


def _query(trait: TraitNumbers, stats: AnswerStats) -> str:
    """The cells that are asked an instruction."""
    asked = ""
    if trait.shares_instructions:
        asked = words("instruction", [stats.instruction])
    return of_trait(trait.name, asked)


def _instruction(
    trait: TraitNumbers,
    stats: AnswerStats,
    agreement: Agreement | None,
    fields: Mapping[str, str],
) -> FigureRow:
    query = _query(trait, stats)
    goes = None
    if trait.kind.answering is not None:
        goes = InstructionLine(trait.name, stats.of, stats.instruction)
    tag = trait.kind.spelled.get(stats.of, "")
    given = sorted(stats.answers.items(), key=lambda pair: -pair[1])
    answers = ", ".join(f"{word} {count}" for word, count in given)
    text = f"{stats.instruction} ({f'{trait.name} {tag}'.strip()}: {answers})"
    overruled = count_of(
        stats.overruled,
        f"{many(stats.overruled, 'answer')} of {stats.cells} in the labels now: otherwise"
        " than the judge's.",
        f"{query} overruled>0",
        "corrected",
    )
    cells = ShownFigure(
        str(stats.cells), stats.cells, f"Answered {many(stats.cells, 'time')}.", query, "muted"
    )
    asides = [count_in(stats, word, spelled, query) for word, spelled in fields.items()]
    return FigureRow(
        stats.instruction,
        (overruled, cells, *asides, *figures_of(agreement, trait, query)),
        tag=tag,
        detail=text,
        query=query,
        goes=goes,
        about=trait.name,
    )
