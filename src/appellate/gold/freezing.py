"""Makes a gold set of what people ruled on or signed off in one audit, or alike in several.

`rulings()` gives the cells of one audit that are gold, `agreed()` those on which several reviewers
agree, each with an audit of their own. `freeze()` makes the gold set of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from appellate.core.cell import Cell, fold
from appellate.core.facts import (
    Adopted,
    Contested,
    Corrected,
    Fact,
    Revised,
    Ruled,
    SignedOff,
)
from appellate.core.inert import in_unicode
from appellate.core.kind import Instruction, Subject
from appellate.core.problem import Refused, many
from appellate.core.trace import Trace, TraceKey
from appellate.gold.gold_file import (
    ADJUDICATED,
    AGREED,
    BLIND,
    SIGNED,
    Gold,
    GoldCell,
    RulingKind,
    gold_cell,
    own_judgment,
)
from appellate.installed import running
from appellate.numbers.bars import hold_in_range
from appellate.numbers.estimates import estimated_traits
from appellate.stats.looks import JUDGE, TrustBar
from appellate.store.audits.audit import AuditedCell, CellKey
from appellate.traits.rubric import Rubric

AGENTS = "labelled by an agent, which is no gold (--agents-too keeps such cells apart)"
COMPUTED = "computed by a rule or by code, so that no judge is asked about them"
LACKING = "of traces that lack what the trait asks about, so that no judge can answer"
UNWRITTEN = "with labels that no table can hold"
UNRULED = "on which two reviewers differ, and nobody ruled yet"
OTHERWISE = "whose text, question or trait is not that of the first audit"
NOT_ALIKE = "labelled alike by too few people (a reviewer with several audits is one)"


class Ruling(Struct, frozen=True):
    """A cell of an audit that somebody ruled on or signed off."""

    trace: Trace
    """As it was recorded."""
    cell: Cell
    settled: Cell
    """The cell as it was when its labels were settled."""
    how: RulingKind
    """How they were given."""
    fact: Fact
    """The ruling or sign-off."""

    @property
    def answers(self) -> Mapping[Instruction, str]:
        """How the labels answer each question of the trait."""
        return self.settled.answers


class Selection(Struct):
    """The cells that a gold set is made of, and how many were left out, by the reason."""

    rulings: list[GoldCell]
    traces: dict[TraceKey, Trace]
    left_out: dict[str, int]

    def add_or_leave_out(
        self,
        ruling: Ruling,
        names: Sequence[str],
        how: RulingKind,
        *,
        agents_too: bool,
    ) -> None:
        """Add a ruling as a cell of gold with its trace, or count in `left_out` why it is left out.

        `names` are of those who ruled so; labels, time and judge are those of `ruling`. The reason
        is `COMPUTED` for a cell that a rule or code computes, `LACKING` for a trace that lacks what
        the trait asks about, `AGENTS` for a ruling by an agent unless `agents_too`, and `UNWRITTEN`
        for labels that no table can hold. Of several reasons the first of these counts.
        """
        cell = ruling.cell
        if cell.subject.source_name != "model":
            self.leave_out(COMPUTED)
            return
        if cell.subject.kind.lacking(cell.subject.trait, cell.subject.asked):
            self.leave_out(LACKING)
            return
        if ruling.fact.as_agent and not agents_too:
            self.leave_out(AGENTS)
            return
        judge = None
        if cell.judge is not None:
            judge = own_judgment(cell.judge.table, cell.judge.judge)
        try:
            gold = gold_cell(
                ruling.settled,
                names,
                ruling.fact.at,
                how,
                is_by_agent=ruling.fact.as_agent,
                judge=judge,
            )
        except Refused:
            self.leave_out(UNWRITTEN)
            return
        self.traces.setdefault(ruling.trace.key, ruling.trace)
        self.rulings.append(gold)

    def leave_out(self, reason: str) -> None:
        """Count a cell that is left out; `reason` ends a sentence that begins with the cells."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


def ruling_of(audited: AuditedCell) -> Ruling | None:
    """Return what a person or agent said of a cell that may be gold; None if nothing is settled.

    A blind ruling (`BLIND`) counts with the labels as they were locked, whatever was changed after
    the judge was seen. Without one it is the sign-off or ruling with the current labels:
    `ADJUDICATED` if it settled what two reviewers had labelled differently, else `SIGNED`. Labels
    that nobody signed off, and a sign-off of none, settle nothing. Whether a person or an agent
    said it is left to the caller. Nothing is changed.
    """
    cell = audited.cell
    if cell.ruled_blind and cell.ruled is not None:
        settled = cell
        if cell.verdict is not cell.labels:
            ruled_no = cell.ruled.n
            facts = [fact for fact in cell.facts if fact.n <= ruled_no]
            settled = fold(cell.subject, facts)
        return Ruling(audited.trace, cell, settled, BLIND, cell.ruled)
    if cell.signed is None or cell.labels is None:
        return None
    ruling_kind: RulingKind = SIGNED
    if cell.contest is not None and cell.signed is cell.ruled:
        ruling_kind = ADJUDICATED
    return Ruling(audited.trace, cell, cell, ruling_kind, cell.signed)


def rulings(cells: Iterable[AuditedCell], *, agents_too: bool = False) -> Selection:
    """Return the gold of one audit: the cells that are ruled on or signed off, in their order.

    A cell that several people signed off alike names them all and counts as `AGREED`. A blind
    ruling counts with the labels as they were locked. Left out and counted, by reason, are those of
    these cells that a rule or code computes, whose trace lacks what the trait asks about, whose
    labels no table can hold, or that an agent settled, unless `agents_too`. Of cells without a
    ruling or sign-off, those that two reviewers label differently are counted, too, and the others
    are not.
    """
    selection = Selection([], {}, {})
    for audited in cells:
        ruling = ruling_of(audited)
        if ruling is None:
            if audited.cell.contest is not None:
                selection.leave_out(UNRULED)
            continue
        names = [ruling.fact.by]
        how = ruling.how
        if how == SIGNED and not ruling.fact.as_agent:
            names = _signers(audited.cell)
            how = AGREED if len(names) > 1 else SIGNED
        selection.add_or_leave_out(ruling, names, how, agents_too=agents_too)
    return selection


def _signers(cell: Cell) -> list[str]:
    """Return the persons who signed off or ruled on a cell's current labels, each once, in order.

    There are several if one signed after another without a correction, as where two reviewers'
    audits are joined. What was undone does not count, nor does what an agent did. A person without
    a name is "". Empty if no person has settled the current labels.
    """
    names: dict[str, None] = {}
    for fact in cell.facts:
        if fact.n in cell.undone:
            continue
        if isinstance(fact.what, Corrected | Adopted | Contested | Revised):
            names = {}
        elif isinstance(fact.what, SignedOff | Ruled) and not fact.as_agent:
            names[fact.by] = None
    return list(names)


def agreed(
    rubric: Rubric,
    audits: Sequence[Iterable[AuditedCell]],
    least: int,
    *,
    agents_too: bool = False,
) -> Selection:
    """Return the gold of several audits: what at least `least` reviewers answer alike.

    `rubric` is that of the gold set, and `least` is 1 or more. Rulings of agents are ignored and
    not counted, unless `agents_too`. Agents then count beside persons where persons alone are too
    few, and the cell is one by agents, with the labels of the first agent. A reviewer who signed in
    several audits is one, by name. Of several groups that answer alike the largest counts, and of
    equally large ones the first. Labels, time and judge are those of the first audit in the group.

    Left out and counted are cells on which too few agree (`NOT_ALIKE`), and those that read
    otherwise than under `rubric` with the trace of the first audit that has it (`OTHERWISE`). So
    are cells that no judge is asked about or can answer, and those whose labels no table can hold.
    Cells that nobody settled are left out and not counted.
    """
    traces: dict[TraceKey, Trace] = {}
    by_cell: dict[tuple[CellKey, str], list[Ruling]] = {}
    for cells in audits:
        for audited in cells:
            traces.setdefault(audited.trace.key, audited.trace)
            ruling = ruling_of(audited)
            if ruling is None:
                continue
            if ruling.fact.as_agent and not agents_too:
                continue
            rulings_on_cell = by_cell.setdefault(
                (audited.key, _read_hash(audited.cell.subject)),
                [],
            )
            rulings_on_cell.append(ruling)

    selection = Selection([], {}, {})
    for ((trace_key, trait_name), read_sha256), of_cell in by_cell.items():
        if read_sha256 != _read_under(rubric, traces[trace_key], trait_name):
            selection.leave_out(OTHERWISE)
            continue
        by_persons = [ruling for ruling in of_cell if not ruling.fact.as_agent]
        alike = _largest_group(by_persons)
        names = _names(alike)
        if len(names) < least:
            alike = _largest_group(of_cell)
            # a group that needs an agent is one of agents: an agent's ruling comes first
            alike.sort(key=_is_by_person)
            names = _names(alike)
        if len(names) < least:
            selection.leave_out(NOT_ALIKE)
            continue
        selection.add_or_leave_out(alike[0], names, AGREED, agents_too=agents_too)
    return selection


def _read_hash(subject: Subject) -> str:
    """Return the hash of all that is read about a subject: text, question, reference and trait."""
    trait_sha256 = subject.trait.sha256()
    return subject.read_sha256(trait_sha256)


def _read_under(rubric: Rubric, trace: Trace, trait_name: str) -> str | None:
    """Return the hash of all that is read of a trace under a trait of this rubric.

    `trace` is as it was recorded; the rubric adds its question and reference. None if the rubric
    has no such trait for the trace.
    """
    subject = rubric.subject(trait_name, trace)
    return None if subject is None else _read_hash(subject)


def _names(of_cell: Sequence[Ruling]) -> list[str]:
    """Return the names of those who made these rulings, each once, by their first ruling."""
    names: dict[str, None] = {}
    for ruling in of_cell:
        names[ruling.fact.by] = None
    return list(names)


def _is_by_person(ruling: Ruling) -> bool:
    return not ruling.fact.as_agent


def _largest_group(of_cell: Sequence[Ruling]) -> list[Ruling]:
    """Return those rulings on one cell that give the same answers, of the most reviewers.

    They must answer all questions alike. A reviewer with several rulings counts once, by name. Of
    equally large groups it is the one whose first ruling comes first. They keep their order; empty
    without rulings.
    """
    groups: dict[frozenset[Any], list[Ruling]] = {}
    for ruling in of_cell:
        answers = frozenset(ruling.answers.items())
        group = groups.setdefault(answers, [])
        group.append(ruling)
    return max(groups.values(), key=_reviewer_count, default=[])


def _reviewer_count(group: Sequence[Ruling]) -> int:
    return len(_names(group))


def freeze(
    rubric: Rubric,
    selection: Selection,
    bars: Sequence[TrustBar],
    sources: Sequence[Path],
) -> Gold:
    """Return a gold set of the cells and traces in `selection`, with the bars for judges.

    `sources` are the files of the audits; they are not read, only their names are kept, with U+FFFD
    for bytes that are no UTF-8. A bar that is there twice is kept once. `frozen` is the time of the
    last ruling. The gold set has no digest; a file gets one when it is written. Raises Refused if
    nothing was selected, with the reasons why cells were left out. Raises Refused, too, for a bar
    that is not on a judge, that the traits of the selected cells have no number for, or that is out
    of its number's range.
    """
    if not selection.rulings:
        reasons: list[str] = []
        for reason, count in selection.left_out.items():
            count_text = many(count, "cell")
            reasons.append(f"{count_text} {reason}")
        why = "; ".join(reasons) or "nothing is signed off or ruled on"
        raise Refused(f"No cell in it is gold: {why}.")
    traces = list(selection.traces.values())
    different_bars = tuple(dict.fromkeys(bars))
    last_ruling = max(cell.at for cell in selection.rulings)
    gold = Gold(
        rubric,
        traces,
        selection.rulings,
        different_bars,
        last_ruling,
        ", ".join(in_unicode(path.name) for path in sources),
        version=running(),
    )
    traits = estimated_traits(gold.known_traits)
    for bar in different_bars:
        if not bar.is_on_judge:
            meant = f"{JUDGE}{bar.condition}"
            raise Refused(
                f"{bar} is on the responses; a gold set takes bars on a judge, as {meant}.",
            )
        hold_in_range(traits, bar)
    return gold
