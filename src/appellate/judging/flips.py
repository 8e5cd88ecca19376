"""What turned with a round of judging: for whoever asked another judge, or the same one again."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from appellate.core.problem import many
from appellate.store.database import reading
from appellate.store.fact_rows import cell_reader

FOUND_BY = "is:flipped"
"""The query that finds the cells whose answers turned."""


class RoundFlips(Struct):
    """How the answers of a round differ from those of the round before it."""

    round_no: int
    cells: int = 0
    """Cells that were judged in this round and in one before."""
    turned_cells: int = 0
    """Those of them with an answer that turned."""
    answers: int = 0
    """Answers that turned."""
    gained: int = 0
    """Answers that turned to what a person signed off."""
    lost: int = 0
    """Answers that turned away from what a person signed off."""
    most_of_a_cell: int = 0
    """The most answers of one signed cell that turned: several hang together."""

    def describe(self) -> Iterator[str]:
        """Yield up to three sentences: what turned, what turned right, and how to find the cells.

        There is none if no cell was judged before, and only the first if no answer turned. The
        second also says how many turned wrong, and is left out if both numbers are 0. It has
        McNemar's p if no signed-off cell had several answers that turned. Keys are written in them
        as `{id:usual key}`, for `with_keys`. The round may still be going on.
        """
        if not self.cells:
            return
        beginning = f"Round {self.round_no}"
        cells = many(self.cells, "cell")
        if not self.answers:
            yield f"{beginning}: no answer turned, in {cells} judged before."
            return
        answers = many(self.answers, "answer")
        yield f"{beginning}: {answers} turned, in {self.turned_cells:,} of {cells}."
        if self.gained or self.lost:
            text = f"By what people signed off {self.gained:,} turned right and {self.lost:,} wrong"
            if self.most_of_a_cell == 1:
                # not where nothing was signed off
                from appellate.stats.paired import mcnemar

                p = mcnemar(self.gained, self.lost)
                text += f" (McNemar's exact p = {p:.2g})"
            yield f"{text}."
        lists = f"`{{queue.filter:f}}` {FOUND_BY} lists these cells"
        yield f"In the queue {lists}; `{{cell.proposals:V}}` shows what each judge said."


_JUDGED_BEFORE = (
    "SELECT c.no, c.flipped, c.trait, t.body FROM cells c JOIN traces t ON t.no = c.trace"
    " WHERE c.round = ? AND c.sampled <> 2 AND EXISTS (SELECT 1 FROM facts f"
    " WHERE f.cell = c.no AND f.name = 'proposed' AND ifnull(f.body ->> '$.judge.round', 1) < ?)"
)
"""The cells of a round that an earlier round judged, too, without those whose judge is hidden."""


def round_flips(path: Path, round_no: int) -> RoundFlips:
    """Count in how many cells and answers a round's judge differs from the round before.

    `cells` counts those whose latest labels of a judge are of this round and that were judged
    before: one that was judged again in a later round is not counted, nor a hidden one.
    `turned_cells` and `answers` count what differs in these. `gained`, `lost` and `most_of_a_cell`
    count only in cells that are signed off, by their current labels. The workspace at `path` is
    opened anew and only read, so any thread may call this. Raises sqlite3.Error if it cannot be
    read.
    """
    flips = RoundFlips(round_no)
    with reading(path) as db:
        cell_of = cell_reader(db)
        for number, has_turned, trait, body in db.execute(
            _JUDGED_BEFORE,
            (round_no, round_no),
        ):
            flips.cells += 1
            if not has_turned:
                continue
            cell = cell_of(number, trait, body)
            turned = cell.flips
            flips.turned_cells += bool(turned)
            flips.answers += len(turned)
            if cell.signed is None:
                continue
            flips.most_of_a_cell = max(flips.most_of_a_cell, len(turned))
            for instruction, (before, now) in turned.items():
                by_person = cell.answers.get(instruction)
                flips.gained += now == by_person
                flips.lost += before == by_person
    return flips
