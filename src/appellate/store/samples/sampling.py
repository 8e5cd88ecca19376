"""The sample of a workspace: drawing it, withdrawing it, and how far it is worked through."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from appellate.core.deciding import Draw, Undraw, decide
from appellate.core.design_facts import DesignFact, Sampled, Withdrawn, sample_of
from appellate.core.problem import Refused
from appellate.core.trace import name_of
from appellate.store.database import reading
from appellate.store.fact_rows import design_in, units_of_earlier_waves
from appellate.store.workspace import Workspace

NO_SAMPLE = "There is no sample to withdraw."


def draw(
    workspace: Workspace,
    sampled: Sampled,
    at: str,
    by: str,
    *,
    as_agent: bool = False,
) -> DesignFact:
    """Keep all of a draw or nothing, with fingerprints of what it is drawn over; return its fact.

    `at` is UTC in ISO 8601, `by` the name of who draws, `as_agent` whether that is an agent.
    Raises Refused for a trace that is not there and for a cell that cannot be drawn, and NotKept if
    the disk refuses.
    """
    # not before the first paint
    from appellate.store.samples.drawn_over import drawn_over_in

    with workspace.transaction():
        for unit in sampled.drawn:
            for trace_id, epoch in unit["traces"]:
                trace_no = workspace.traces.number((trace_id, epoch))
                if trace_no is None:
                    name = name_of(trace_id, epoch)
                    raise Refused(f"There is no trace {name} to draw.")
                for number in workspace.cells.of_trace(trace_no).values():
                    _, cell = workspace.cell(number)
                    event = decide(cell, Draw(sampled.blind))
                    workspace.facts.append(
                        number,
                        cell,
                        event,
                        at,
                        by,
                        as_agent=as_agent,
                    )
        drawn_over = drawn_over_in(workspace.db, sampled, workspace.facts.last_n() + 1)
        signed = replace(
            sampled,
            rubric_sha256=workspace.rubric.sha256(),
            texts_sha256=drawn_over.texts_sha256,
            judged_sha256=drawn_over.judged_sha256,
        )
        return workspace.design.append(signed, at, by, as_agent=as_agent)


def withdraw(
    workspace: Workspace,
    at: str,
    by: str,
    *,
    as_agent: bool = False,
) -> DesignFact:
    """Take the sample back, all or nothing; return the fact that says so.

    Of a sample in waves only the last goes. `at` is UTC in ISO 8601, `by` the name of who does it,
    `as_agent` whether that is an agent. Raises Refused if there is no sample, or if a cell of what
    goes is ruled or signed off, and NotKept if the disk refuses.
    """
    sample = workspace.design.sample()
    if sample is None:
        raise Refused(NO_SAMPLE)
    begun = 0
    with workspace.transaction():
        for trace_no in workspace.design.drawn_in_last_wave():
            for number in workspace.cells.of_trace(trace_no).values():
                _, cell = workspace.cell(number)
                begun += cell.hidden and bool(cell.edits)
                event = decide(cell, Undraw())
                workspace.facts.append(number, cell, event, at, by, as_agent=as_agent)
        return workspace.design.append(
            Withdrawn(len(sample.waves[-1]), begun),
            at,
            by,
            as_agent=as_agent,
        )


# -- how far it is --------------------------------------------------------------------------------

_COUNTS = "c.sampled = 3 OR (c.sampled = 1 AND c.state = 'reviewed')"
"""Of a cell of the sample: whether what a person says of it counts."""
_DONE = f"""
SELECT stratum, count(*) FROM (
  SELECT d.stratum, min({_COUNTS}) AS done
  FROM drawn d JOIN cells c ON c.trace = d.trace GROUP BY d.unit)
WHERE done GROUP BY stratum
"""  # noqa: S608 - made of the text above alone
_NEXT = f"""
SELECT t.id, t.epoch, c.no FROM drawn d JOIN traces t ON t.no = d.trace
  JOIN cells c ON c.trace = d.trace
WHERE NOT ({_COUNTS}) AND c.sampled <> 4 ORDER BY d.place, c.no LIMIT 1
"""  # noqa: S608 - likewise


_IN_LAST_WAVE = "trace IN (SELECT trace FROM drawn WHERE unit > ?)"
_BEGUN = (
    "SELECT count(*) FROM cells WHERE sampled = 2 AND state = 'corrected'"  # noqa: S608 - the above
    f" AND {_IN_LAST_WAVE}"
)
_VERDICT = (
    "SELECT min(f.n) FROM facts f JOIN cells c ON c.no = f.cell WHERE c.sampled > 0"  # noqa: S608
    f" AND c.{_IN_LAST_WAVE}"
    " AND f.name IN ('ruled', 'signed_off') AND f.n >"
    " (SELECT max(d.n) FROM facts d WHERE d.cell = c.no AND d.name = 'drawn')"
)


_JUDGED = """
SELECT count(*), ifnull(sum(judged), 0) FROM (
  SELECT min(c.round > 0 AND c.state NOT IN ('pending', 'failed')) AS judged
  FROM drawn d JOIN cells c ON c.trace = d.trace GROUP BY d.unit)
"""


class SampleProgress(NamedTuple):
    """How far the sample is."""

    done: Sequence[int]
    """How many units of each stratum count already."""
    next: str
    """The name of the next trace in the order of the draw, or ""."""
    begun: int = 0
    """How many blind cells of the last wave have labels that are not locked."""
    may_go: bool = False
    """Whether the last wave, which is all of most samples, may still be withdrawn."""


def progress(path: Path, strata: int) -> SampleProgress:
    """Return how far the sample is, which has this number of strata.

    The workspace is opened anew, so any thread may call this.
    """
    with reading(path) as db:
        done = dict(db.execute(_DONE).fetchall())
        row = db.execute(_NEXT).fetchone()
        (begun,) = db.execute(_BEGUN, (_first_units(db),)).fetchone()
        may_go = first_verdict(db) is None
    name = ""
    if row is not None:
        trace_id, epoch = row[:2]
        name = name_of(trace_id, epoch)
    counts = [done.get(stratum, 0) for stratum in range(strata)]
    return SampleProgress(counts, name, begun, may_go)


def first_verdict(db: sqlite3.Connection) -> int | None:
    """Return the number of the fact that is the first ruling or sign-off in the last wave; or None.

    That wave is all of most samples. Verdicts before the cell was drawn do not count.
    """
    fact_no: int | None = db.execute(_VERDICT, (_first_units(db),)).fetchone()[0]
    return fact_no


def _first_units(db: sqlite3.Connection) -> int:
    """Return how many units are of earlier waves than the last."""
    return units_of_earlier_waves(sample_of(design_in(db)))


def next_cell(path: Path) -> int | None:
    """Return the first cell, in draw order, that does not count yet; None if there is none.

    Cells that were ruled over what was changed since are passed over. The workspace is opened anew,
    so any thread may call this.
    """
    with reading(path) as db:
        row = db.execute(_NEXT).fetchone()
    return row[2] if row else None


def count_judged(path: Path) -> tuple[int, int]:
    """Return how many units are drawn, and of how many of these every cell is judged.

    The workspace is opened anew, so any thread may call this.
    """
    with reading(path) as db:
        drawn_count, judged = db.execute(_JUDGED).fetchone()
    return drawn_count, judged
