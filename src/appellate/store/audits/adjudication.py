"""A third audit out of two: what both agree on is settled, the rest is ruled on blind.

Both label sets of a contested cell are kept in an order that a seed shuffles; who the two are is
in the head of the audit alone.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import count
from typing import Any

from msgspec.structs import replace

from appellate.core.cell import JUDGED, Cell, fold, labels_of_side
from appellate.core.design_facts import (
    DesignFact,
    Joined,
    LooksPlanned,
    Sampled,
    of_this_sample,
    to_body,
)
from appellate.core.facts import (
    Adopted,
    Contested,
    Fact,
    Proposed,
    Ruled,
    SignedOff,
    What,
)
from appellate.core.kind import KnownTrait, Table
from appellate.core.problem import Refused
from appellate.core.trace import Trace, TraceKey, name_of
from appellate.installed import running
from appellate.store import meta
from appellate.store.audits.audit_sync import digest
from appellate.store.audits.open_audit import AuditFiles, Opened, making
from appellate.store.audits.two_audits import AuditSide, CellPair, TwoAudits
from appellate.store.fact_rows import REVISED
from appellate.store.judgment import labels_in
from appellate.store.workspace import Workspace


def side_of(cell: Cell) -> dict[str, Any]:
    """Return the current labels of a cell as one of the two label sets of a contested cell.

    Such a side has a proposal's labels as `table`, left out if there was no proposal, and the
    corrections to them as `edits`. Made labels again, it gives the same labels, or at least the
    same answers. Raises Refused if there is no such side.
    """
    subject = cell.subject
    kind = subject.kind
    for side in _candidate_sides(cell):
        try:
            labels = labels_of_side(subject, side)
        except (Refused, KeyError, ValueError, TypeError):
            continue
        if labels == cell.labels or kind.answers(subject.trait, labels) == cell.answers:
            return side
    raise Refused(f"The labels of {subject.trait.name} cannot be put beside others.")


def _starting_side(cell: Cell) -> Table:
    """Return the proposal that the labels started from, as a side of a contested cell.

    The side has the proposal's labels as `table`, those of the adopted panel member if one was
    adopted. In a contested cell it is the side that was adopted, else the first, just as the fact
    has it, with its `edits`. It is empty without a proposal.
    """
    if cell.base is None:
        return {}
    base = cell.base.what
    member = None
    for fact in cell.facts:
        if fact.n in cell.edits and isinstance(fact.what, Adopted):
            member = fact.what.member
    if isinstance(base, Contested):
        return base.sides[member or 0]
    if not isinstance(base, Proposed):
        return {}
    if member is None:
        return {"table": dict(base.table)}
    return {"table": labels_in(cell.subject.kind, base.judge["members"][member])}


def _candidate_sides(cell: Cell) -> Iterator[dict[str, Any]]:
    """Yield label sets for a contested cell that may give this cell's labels, the likeliest first.

    The first is the proposal as `table`, left out if there was none, with its corrections as
    `edits`. The second has the labels as a file writes them as `table`, and no edits. If the labels
    started from a judge's proposal, the third has these over the judge's table.
    """
    side = dict(_starting_side(cell))
    edits: list[dict[str, Any]] = list(side.get("edits", ()))
    for step in cell.steps:
        if step.n in cell.edits:
            edits.append(dict(step.edit.to_row()))
    side["edits"] = edits
    yield side

    written = cell.subject.kind.write(cell.labels)
    table = dict(written["audited"])
    if "items" in written:
        table["items"] = written["items"]
    yield {"table": table, "edits": []}

    if cell.base and isinstance(cell.base.what, Proposed):
        over_judge = dict(cell.base.what.table)
        over_judge.pop("items", None)
        over_judge.update(table)
        yield {"table": over_judge, "edits": []}


def begin(place: AuditFiles, two: TwoAudits, seed: int, at: str, by: str) -> Opened:
    """Make and open a third audit of the traces with a cell that both reviewers signed off.

    Cells that both signed off have both sign-offs or are contested; the others are as nobody ruled
    on them. If both audits have the same sample, all traces are in it, with the draws and
    proposals. It begins at the first contested cell, or at cell 1 if there is none, and asks no
    judge. `seed` decides in each contested cell whose labels come first; `at` (UTC in ISO 8601) and
    `by` say when it is made and by whom. Raises Unusable, WorkspaceLocked or NotKept if it cannot
    be made, Refused if labels cannot become a side of a contested cell, and OSError if one of the
    two files cannot be read.
    """
    audit = two.first.audit
    design = shared_design(two)
    pairs = list(two.pairs)
    if design:  # what was drawn is estimated with all that it was drawn from
        pairs += two.rest
    by_trace: dict[TraceKey, list[CellPair]] = {}
    for pair in pairs:
        pairs_of_trace = by_trace.setdefault(pair.first.subject.trace.key, [])
        pairs_of_trace.append(pair)
    traces = [trace for trace in audit.traces if design or trace.key in by_trace]
    with making(place.workspace, audit.rubric, running()) as workspace:
        for trait in audit.earlier.values():
            workspace.keep_earlier(trait)
        workspace.add_all(traces, audit.trace_extra)
        filling = _Filling(workspace, two, seed, at, by)
        filling.take_design(design)
        for trace in traces:
            traits = workspace.rubric.traits_of(trace)
            for pair in by_trace.get(trace.key, ()):
                filling.add(trace, traits[pair.first.subject.trait.name], pair)
        filling.name_both()
        workspace.set_meta(meta.JUDGE, "recorded")  # nobody is to judge unasked
        first_contested = next(iter(contested(workspace)), 1)
        workspace.set_meta(meta.START, str(first_contested))
    return Opened(workspace, place)


def shared_design(two: TwoAudits) -> list[DesignFact]:
    """Return the draws and the planned looks of the current sample that both audits have, in order.

    They are those of the first audit, with its numbers. Empty if there is no sample, or if the two
    audits differ in it, in their traces or in their traits.
    """
    first_design = _draws_and_plans(two.first)
    second_design = _draws_and_plans(two.second)
    if two.notes or [to_body(fact.what) for fact in first_design] != [
        to_body(fact.what) for fact in second_design
    ]:
        return []
    return first_design


def _draws_and_plans(side: AuditSide) -> list[DesignFact]:
    """Return the draws and plans of the current sample of an audit, in order.

    The fingerprints of what was drawn over are left out. They cover the numbers of facts, and a
    joined audit gives its facts new numbers.
    """
    facts: list[DesignFact] = []
    for fact in of_this_sample(side.audit.design):
        event = fact.what
        if isinstance(event, Sampled):
            event = replace(
                event,
                rubric_sha256=None,
                texts_sha256=None,
                judged_sha256=None,
            )
        if isinstance(event, Sampled | LooksPlanned):
            facts.append(replace(fact, what=event))
    return facts


class _Filling:
    """Gives the cells of a new workspace their facts of two audits, under new numbers."""

    def __init__(
        self,
        workspace: Workspace,
        two: TwoAudits,
        seed: int,
        at: str,
        by: str,
    ) -> None:
        """Write nothing yet, and number facts from 1.

        `seed` decides in each contested cell whose labels come first; `at` (UTC in ISO 8601) and
        `by` are those of the contested facts and of the one that names both audits.
        """
        self._workspace = workspace
        self._two = two
        self._seed = seed
        self._at = at
        self._by = by
        self._numbers = count(1)
        self._sampled = False
        self._settled = self._contested = 0

    def add(self, trace: Trace, trait: KnownTrait, pair: CellPair) -> None:
        """Write the facts of a cell of two audits into the new workspace, under new numbers.

        If both signed off the same answers, they are the first reviewer's facts with the second's
        sign-off, and the cell counts as settled. If the answers differ, the cell is contested and
        counts so: it has what was known before and both sides, in an order that the seed decides. A
        cell that either did not sign off has only what was known before. Raises Refused if labels
        cannot become a side of a contested cell. The caller has a transaction open.
        """
        subject = self._workspace.subject(trait, trace)
        if not pair.is_signed:
            facts = list(self._known_before_ruling(pair))
        elif pair.differs:
            self._contested += 1
            sides = [side_of(pair.first), side_of(pair.second)]
            if is_turned(self._seed, pair.first):
                sides.reverse()
            facts = list(self._known_before_ruling(pair))
            fact_no = next(self._numbers)
            facts.append(Fact(fact_no, self._at, self._by, Contested(sides)))
        else:
            self._settled += 1
            facts = list(self._renumbered(pair.first.facts))
            facts.extend(self._second_sign_off(pair.second))
        number = self._workspace.cells.number(trace.key, trait.trait.name)
        self._workspace.restore(number, fold(subject, facts), {})

    def take_design(self, design: Iterable[DesignFact]) -> None:
        """Write the draws and plans of a sample into the new workspace, under new numbers.

        If there are any, cells that are added later keep their draws; so it comes before all of
        `add`.
        """
        for fact in design:
            self._workspace.design.insert(replace(fact, n=next(self._numbers)))
            self._sampled = True

    def _known_before_ruling(self, pair: CellPair) -> Iterator[Fact]:
        """Yield a cell's proposal and draw as the first audit has them, under new numbers.

        The proposal is left out if there is none or the two reviewers were shown different ones,
        and the draw if the cell was not drawn or the new audit has no draws.
        """
        first_cell = pair.first
        if first_cell.judged and first_cell.judge and pair.is_judged_alike:
            yield self._next(first_cell.judged, first_cell.judge)
        if first_cell.drawn and self._sampled:
            yield self._next(first_cell.drawn, first_cell.drawn.what)

    def _second_sign_off(self, second_cell: Cell) -> Iterator[Fact]:
        """Yield the second reviewer's sign-off or ruling as one sign-off, under a new number.

        Its time and name stay. What the judge said is left out of what was read: that is the first
        reviewer's here. Nothing is yielded if the cell is not signed.
        """
        signed = second_cell.signed
        if signed and isinstance(signed.what, SignedOff | Ruled):
            sign_off = signed.what
            read = sign_off.read
            if read is not None:  # what the judge said is the first reviewer's here
                read = {name: part for name, part in read.items() if name != JUDGED}
            seconded = SignedOff(
                sign_off.trait_sha256,
                sign_off.seconds,
                sign_off.read_sha256,
                read,
            )
            if isinstance(sign_off, SignedOff):
                seconded = replace(
                    seconded,
                    said_at=sign_off.said_at,
                    said_blind=sign_off.said_blind,
                )
            yield self._next(signed, seconded)

    def _renumbered(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """Yield each fact under the next free number of the new audit, in the order of `facts`.

        Numbers of facts in `part_of` and in an event's `of` are replaced, too. `part_of` becomes
        None if that fact is not among `facts`; for an `of` that is not, KeyError is raised.
        """
        new_numbers: dict[int, int] = {}
        for fact in facts:
            event: Any = fact.what
            if hasattr(event, "of"):
                event = replace(event, of=new_numbers[event.of])
            renumbered = self._next(fact, event)
            new_numbers[fact.n] = renumbered.n
            yield replace(renumbered, part_of=new_numbers.get(fact.part_of or 0))

    def _next(self, fact: Fact, event: What) -> Fact:
        return Fact(next(self._numbers), fact.at, fact.by, event)

    def name_both(self) -> None:
        """Write the fact that names the two audits, their reviewers and their files' SHA-256.

        It has how many cells were settled and contested, so it comes after all of `add`. Raises
        OSError if one of the files cannot be read.
        """
        sides: list[dict[str, Any]] = []
        for side in self._two.sides:
            reviewers = list(side.audit.reviewers)
            sha256 = digest(side.path)
            side_table = {
                "name": side.name,
                "file": side.path.name,
                "reviewers": reviewers,
            }
            sides.append(side_table | {"sha256": sha256})
        joined = Joined(sides, self._seed, self._settled, self._contested)
        self._workspace.design.insert(
            DesignFact(next(self._numbers), self._at, self._by, joined),
        )


def is_turned(seed: int, cell: Cell) -> bool:
    """Return whether a contested cell shows the second reviewer's labels before the first's.

    It depends only on the seed, the trace's id and epoch, and the trait's name.
    """
    trace = name_of(*cell.subject.trace.key)
    text = f"{seed} {trace} {cell.subject.trait.name}"
    octets = text.encode(errors="surrogatepass")
    [digest] = blake2b(octets, digest_size=1).digest()
    return digest % 2 == 1


def joined_of(workspace: Workspace) -> Joined | None:
    """Return the fact that names the two audits that this one was made of; None if it was not."""
    for fact in workspace.design.facts():
        if isinstance(fact.what, Joined) and len(fact.what.sides) == 2:  # noqa: PLR2004 - the two
            return fact.what
    return None


def is_joined_of(joined: Joined, two: TwoAudits) -> bool:
    """Return whether an audit was made of these two, in this order.

    Only the names of their files are compared, without folders.
    """
    for side_table, side in zip(joined.sides, two.sides, strict=True):
        if side_table.get("file") != side.path.name:
            return False
    return True


def whose(joined: Joined, cell: Cell) -> tuple[str, str]:
    """Return the names of the two reviewers, in the order in which a cell shows their labels.

    Both are "" while the judge is hidden, that is before it is ruled on.
    """
    if cell.hidden:
        return "", ""
    first_name = str(joined.sides[0].get("name"))
    second_name = str(joined.sides[1].get("name"))
    if is_turned(joined.seed, cell):
        return second_name, first_name
    return first_name, second_name


def contested(workspace: Workspace) -> list[int]:
    """Return the numbers, ascending, of the cells that two reviewers answered differently.

    Cells that were ruled on since are among them, but not those whose trait was revised since. The
    cells are looked up once for a rubric, and kept in the workspace unless it is only read. Raises
    NotKept if the disk refuses that.
    """
    revision = workspace.meta(meta.REVISION)
    saved = json.loads(workspace.meta(meta.CONTESTED) or "{}")
    if saved and saved["revision"] == revision:
        cells: list[int] = saved["cells"]
        return cells
    contested_cells = workspace.column(
        "SELECT cell FROM facts f WHERE name = 'contested'"  # noqa: S608
        " AND NOT EXISTS (SELECT 1 FROM facts r"
        f" WHERE r.cell = f.cell AND r.n > f.n AND {REVISED}) ORDER BY cell",
    )
    if not workspace.readonly:  # none comes later but with another rubric
        text = json.dumps({"revision": revision, "cells": contested_cells})
        workspace.set_meta(meta.CONTESTED, text)
    return contested_cells


def not_ruled(workspace: Workspace) -> list[int]:
    """Return the numbers, ascending, of the contested cells that still await a ruling.

    A cell whose ruling was undone, or counts no more, awaits one again. Which cells are contested
    is looked up once for a rubric, and kept in the workspace unless it is only read. Raises NotKept
    if the disk refuses that.
    """
    sql = (
        "SELECT c.no FROM json_each(?) j JOIN cells c ON c.no = j.value"
        " WHERE c.state <> 'reviewed' ORDER BY c.no"
    )
    return workspace.column(sql, json.dumps(contested(workspace)))
