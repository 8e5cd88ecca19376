"""The cells of a gold set whose answers a judge gives otherwise than the gold's own judge."""

from collections.abc import Iterator

from appellate.core.facts import Proposed
from appellate.gold.checking import JudgeCheck, judged_cell, own_cell
from appellate.gold.gold_file import GoldCell
from appellate.judges.proposal import Proposal
from appellate.judging.two_rounds import TwiceJudged
from appellate.store.judgment import labels_in


def turned_cells(check: JudgeCheck) -> Iterator[TwiceJudged]:
    """Yield each cell with a flip once, in the order of the gold set, with what both said."""
    by_name: dict[str, GoldCell] = {}
    for flip in check.flips.flips:
        by_name[flip.cell.name] = flip.cell
    for cell in by_name.values():
        outcome = check.answers.outcomes.get(cell.key)
        own = own_cell(cell)
        if own is None or own.judge is None or not isinstance(outcome, Proposal):
            continue
        judged = judged_cell(cell, outcome).judge
        if judged is not None:
            yield TwiceJudged(
                cell.trace, cell.trait, _parted(cell, own.judge), _parted(cell, judged)
            )


def _parted(cell: GoldCell, what: Proposed) -> Proposed:
    """Return a judgment of a gold set's table with labels and record apart, as facts have them."""
    labels = labels_in(cell.subject.kind, what.table)
    record = {key: value for key, value in what.judge.items() if key not in labels}
    return Proposed(labels, record)
