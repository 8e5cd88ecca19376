"""What labels say of instructions beside their answers: that the response denies them, that the
judge's evidence was wrong. Counted by trait and by instruction, and in no measure.
"""

from collections.abc import Sequence

from appellate.app.numbers.known import KnownNumbers, TraitNumbers
from appellate.app.numbers.queries import SIGNED, of_trait
from appellate.core.totals import AnswerStats
from appellate.core.wordforms import many
from appellate.ui.figure_table import FigureColumn, FigureRow, FigureTable, ShownFigure, count_of
from appellate.ui.marks import Marks

COLUMNS = (
    FigureColumn("signed off", 10),
    FigureColumn("judge, same", 11),
    FigureColumn("all cells", 9),
    FigureColumn("judge, all", 10),
)
SIDES = {
    "signed": "in the cells signed off",
    "judge": "by the judge in the same cells",
    "standing": "in all cells, as they are now",
    "judge_all": "by the judge in all cells",
}
LEAST = 26


def asides(known: KnownNumbers, marks: Marks) -> list[FigureTable]:
    """A row for each trait and what is said of any of its instructions; no table of none."""
    rows: list[FigureRow] = []
    for trait in known.traits:
        texts = [word for word in trait.kind.aside_words if _is_used(trait, word)]
        rows += [_row(trait, word, marks) for word in texts]
    if not rows:
        return []
    return [FigureTable("asides", "Beside the measures", COLUMNS, rows, least=LEAST)]


def _is_used(trait: TraitNumbers, word: str) -> bool:
    return any(trait.totals.get(f"{side}:{word}") for side in ("standing", "judge_all"))


def _row(trait: TraitNumbers, word: str, marks: Marks) -> FigureRow:
    spelled = trait.kind.spelled.get(word, word)
    figures = []
    for side, where in SIDES.items():
        count = trait.totals.get(f"{side}:{word}", 0)
        only = SIGNED if side == "signed" else ""
        query = of_trait(trait.name, only, f"{word}>0")
        if side.startswith("judge"):
            query = ""  # queries ask for what stands
        text = f"{many(count, 'instruction')} {where}: {spelled}."
        figures.append(count_of(count, text, query))
    name = f"{trait.name} {marks.dot} {spelled}"
    return FigureRow(name, figures, detail=f"{name}.", query=of_trait(trait.name, f"{word}>0"))


def spelled(found: Sequence[tuple[TraitNumbers, AnswerStats]]) -> dict[str, str]:
    """The asides that any of these instructions has, and what people call them."""
    given: set[str] = set()
    known: dict[str, str] = {}
    for trait, stats in found:
        given.update(stats.asides)
        for word in trait.kind.aside_words:
            known[word] = trait.kind.spelled.get(word, word)
    return {word: spelled for word, spelled in known.items() if word in given}


def count_in(stats: AnswerStats, word: str, spelled: str, query: str) -> ShownFigure:
    """In how many cells it is said of an instruction."""
    count = stats.asides.get(word, 0)
    text = f"{spelled} in {many(count, 'cell')} of {stats.cells}."
    return count_of(count, text, f"{query} {word}>0")
