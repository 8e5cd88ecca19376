"""The cells of a gold set whose answers a judge gives otherwise than the gold's own judge."""

from collections.abc import Iterator

from appellate.gold.checking import JudgeCheck, judged_cell, own_cell
from appellate.gold.gold_file import GoldCell
from appellate.judges.proposal import Proposal
from appellate.judging.two_rounds import TwiceJudged


def turned_cells(check: JudgeCheck) -> Iterator[TwiceJudged]:
    """Yield each cell with a flip once, in the order of the gold set, with what both judges said.

    A flip is an answer that the judge gives otherwise than the gold's own judge, right or wrong. A
    cell that one of them did not judge is left out. Each comes as its trace, the name of its trait,
    the judgment of the gold's own judge (`first`) and that of this judge (`second`).
    """
    by_name: dict[str, GoldCell] = {}
    for flip in check.flips.flips:
        by_name[flip.cell.name] = flip.cell
    for cell in by_name.values():
        outcome = check.answers.outcomes.get(cell.key)
        if not isinstance(outcome, Proposal):
            continue
        own = own_cell(cell)
        if own is None or own.judge is None:
            continue
        judged = judged_cell(cell, outcome).judge
        if judged is not None:
            yield TwiceJudged(cell.trace, cell.trait, own.judge, judged)
