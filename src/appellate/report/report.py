"""What a report says, as one value: a pure function of the audit, the same for every form it is
written in.

Texts are as the audit has them; making them inert and escaping them belongs to each form.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from appellate.core.cell import STATES as IN_ORDER
from appellate.core.cell import Cell, reason_of
from appellate.core.describe import NO_PLACE, describe, undone_by
from appellate.core.facts import (
    Adopted,
    Commented,
    Corrected,
    Fact,
    Failed,
    Flagged,
    Proposed,
    Revised,
    Shown,
    SignedOff,
)
from appellate.core.kind import AnyKind, Figures, Measure
from appellate.core.scale import part_name, part_of, parts
from appellate.core.totals import SIDES, AnswerStats, by_side, counts
from appellate.core.trace import name_of
from appellate.report.measured import answers_of, by_trait, figures_of, measures_of, vocabulary_of
from appellate.store.audit import Audit, AuditedCell

FORMAT = "appellate-report/2"
BINS = 10
_CORRECTING = Corrected | Adopted
STATES = IN_ORDER[::-1]  # the furthest first


Sides = tuple[str, str]
"""People's side and the judge's: `totals.SIGNED_OFF` or `totals.AS_THEY_STAND`."""


class CellPlace(NamedTuple):
    """Which cell is meant."""

    trace: str
    epoch: int
    trait: str

    @property
    def at(self) -> str:
        """The trace, with its epoch where it is not the first."""
        return name_of(self.trace, self.epoch)


@dataclass(frozen=True, slots=True)
class Side:
    """One metric over the cells of a trait that are on one side; None is 0/0 in all of them, or no
    cell.
    """

    micro: float | None
    macro: float | None
    n: int
    undefined: int


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure on every side (`totals.SIDES`), and in which part of its scale the cells of each
    are.
    """

    measure: Measure
    sides: Mapping[str, Side]
    spread: Mapping[str, tuple[int, ...]]

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def parts(self) -> tuple[str, ...]:
        """What each part of the spread is called, or begins with."""
        count = parts(self.measure, BINS)
        return tuple(part_name(self.measure, part, count) for part in range(count))

    def difference(self, mean: str, people: str, judge: str) -> float | None:
        """People's side less the judge's."""
        return less(getattr(self.sides[people], mean), getattr(self.sides[judge], mean))


def less(people: float | None, judge: float | None) -> float | None:
    """People's less the judge's; None where one of them is 0/0 or missing."""
    return None if people is None or judge is None else people - judge


@dataclass(frozen=True, slots=True)
class TraitReport:
    """One trait name over every question that has it; `vocabulary` are the words that answers are
    given in.
    """

    name: str
    kind: AnyKind
    cells: int
    states: Mapping[str, int]
    counts: Mapping[str, Mapping[str, int]]
    metrics: tuple[Metric, ...]
    instructions: tuple[AnswerStats, ...]
    vocabulary: tuple[str, ...]

    @property
    def signed(self) -> int:
        """How many cells are signed off."""
        return self.states["reviewed"]

    @property
    def unsigned(self) -> int:
        """How many cells have labels that nobody signed off."""
        return self.states["proposed"] + self.states["corrected"]

    @property
    def headline(self) -> Metric:
        """The measure that was asked for last, as in the queue."""
        return self.metrics[-1]


@dataclass(frozen=True, slots=True)
class Reviewer:
    """What one person did that still stands, what was taken back, and between which moments."""

    name: str
    corrections: int
    signed_off: int
    comments: int
    undone: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class ActReport:
    """One act on one cell: who did what, when and why, who took it back, and whether it is in the
    labels for all that.

    `left` where a later proposal had no place for it, `replaced` where other labels came in whole.
    """

    n: int
    at: str
    by: str
    place: CellPlace
    did: str
    reason: str = ""
    undone_by: str = ""
    left: bool = False
    replaced: bool = False

    @property
    def fate(self) -> str:
        """What became of an act that does not stand, but for who took it back."""
        if self.undone_by:
            return "undone by "
        if self.left:
            return NO_PLACE
        return "superseded by later labels" if self.replaced else ""


@dataclass(frozen=True, slots=True)
class FailedCell:
    """A cell where the judge failed last, and how the cell stands now."""

    place: CellPlace
    state: str
    at: str
    error: str


@dataclass(frozen=True, slots=True)
class Amiss:
    """What is wrong in a cell's labels: excerpts that are not there, and inconsistencies."""

    place: CellPlace
    unverified: int
    breaches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CellMeasure:
    """One metric of one cell; None where there are no labels or it is 0/0."""

    metric: str
    standing: float | None
    judge: float | None


@dataclass(frozen=True, slots=True)
class CellReport:
    """One cell in numbers."""

    place: CellPlace
    question_id: str
    model: str
    judged_by: str
    round: int | None
    state: str
    flagged: bool
    signed_by: str
    signed_at: str
    corrections: int
    counts: Mapping[str, Mapping[str, int]]
    words: Mapping[str, Mapping[str, str]]
    figures: tuple[CellMeasure, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The whole of it; `saved` is the moment that everything in it is true of."""

    rubric: str
    rubric_sha256: str
    saved: str | None
    version: str
    traces: int
    states: Mapping[str, int]
    judges: tuple[tuple[str, int], ...]
    reviewers: tuple[Reviewer, ...]
    traits: tuple[TraitReport, ...]
    cells: tuple[CellReport, ...]
    corrections: tuple[ActReport, ...]
    comments: tuple[ActReport, ...]
    flags: tuple[ActReport, ...]
    failures: tuple[FailedCell, ...]
    amiss: tuple[Amiss, ...]
    examples: int
    revised: int

    @property
    def signed(self) -> list[CellReport]:
        """The cells that somebody stands by, in the order of signing."""
        return sorted(
            (cell for cell in self.cells if cell.signed_by), key=lambda cell: cell.signed_at
        )

    @property
    def undone(self) -> int:
        return sum(bool(act.undone_by) for act in self.corrections)

    @property
    def gone(self) -> int:
        """How many corrections are not in the labels, though nobody undid them."""
        return sum(act.left or act.replaced for act in self.corrections)


def report(audit: Audit) -> Report:
    """Everything there is to say about an audit."""
    acts = _acts(audit)
    states = Counter[str](audited.cell.state for audited in audit.cells)
    return Report(
        rubric=audit.rubric.name or "",
        rubric_sha256=audit.rubric.sha256(),
        saved=audit.saved,
        version=audit.version,
        traces=len(audit.traces),
        states=_states(states),
        judges=tuple(sorted(Counter(_judges(audit)).items())),
        reviewers=tuple(_reviewer(name, mine) for name, mine in _by_reviewer(acts)),
        traits=tuple(map(_trait, by_trait(audit))),
        cells=tuple(map(_cell, audit.cells)),
        corrections=tuple(
            _act(fact, one) for fact, one in acts if isinstance(fact.what, _CORRECTING)
        ),
        comments=tuple(_act(fact, one) for fact, one in acts if isinstance(fact.what, Commented)),
        flags=tuple(_act(_flagging(one.cell), one) for one in audit.cells if one.cell.flag),
        failures=tuple(_failures(audit)),
        amiss=tuple(_amiss(audit)),
        examples=sum(one.cell.example for one in audit.cells),
        revised=sum(bool(one.cell.revised) for one in audit.cells),
    )


def _states(states: Mapping[str, int]) -> dict[str, int]:
    return {state: states.get(state, 0) for state in STATES}


# -- cells ----------------------------------------------------------------------------------------


def _place(audited: AuditedCell) -> CellPlace:
    return CellPlace(*audited.trace.key, audited.cell.subject.trait.name)


def _cell(audited: AuditedCell) -> CellReport:
    cell, trace = audited.cell, audited.trace
    sides = {"standing": cell.measure(), "judge": cell.measure_judge()}
    measured = {side: figures for side, figures in sides.items() if figures}
    trait = cell.subject.trait
    names = dict.fromkeys(measure.name for measure in cell.subject.kind.measures(trait))
    return CellReport(
        place=_place(audited),
        question_id=trace.question_id or "",
        model=trace.model or "",
        judged_by=_judge(cell),
        round=cell.round or None,
        state=cell.state,
        flagged=cell.flag,
        signed_by=cell.signed.by if cell.signed else "",
        signed_at=cell.signed.at if cell.signed else "",
        corrections=len(cell.edits),
        counts={side: dict(figures.counts) for side, figures in measured.items()},
        words={side: dict(figures.words) for side, figures in measured.items()},
        figures=tuple(
            CellMeasure(name, _value(sides["standing"], name), _value(sides["judge"], name))
            for name in names
        ),
    )


def _value(figures: Figures | None, measure: str) -> float | None:
    if figures is None or measure in figures.undefined:
        return None
    return figures.values.get(measure)


def _judges(audit: Audit) -> Iterator[str]:
    for cell in (audited.cell for audited in audit.cells):
        if cell.judge:
            yield _judge(cell) + (f" · round {cell.round}" if cell.round > 1 else "")


def _judge(cell: Cell) -> str:
    """Who judged last; nothing where nobody did."""
    record = cell.judge.judge if cell.judge else {}
    return " · ".join(
        dict.fromkeys(str(record[key]) for key in ("name", "model") if record.get(key))
    )


def _failures(audit: Audit) -> Iterator[FailedCell]:
    for audited in audit.cells:
        failure = audited.cell.failure
        if failure and isinstance(failure.what, Failed):
            yield FailedCell(_place(audited), audited.cell.state, failure.at, failure.what.error)


def _amiss(audit: Audit) -> Iterator[Amiss]:
    for audited in audit.cells:
        cell = audited.cell
        unverified = cell.unverified
        breaches = tuple(cell.breaches())
        if unverified or breaches:
            yield Amiss(_place(audited), unverified, breaches)


# -- people ---------------------------------------------------------------------------------------


def _acts(audit: Audit) -> list[tuple[Fact, AuditedCell]]:
    """Everything that people did to single cells, in the order it happened."""
    others = Proposed | Failed | Shown | Revised
    done = [
        (fact, one)
        for one in audit.cells
        for fact in one.cell.facts
        if not isinstance(fact.what, others)
    ]
    return sorted(done, key=lambda act: act[0].n)


def _by_reviewer(
    acts: Sequence[tuple[Fact, AuditedCell]],
) -> list[tuple[str, list[tuple[Fact, AuditedCell]]]]:
    found: dict[str, list[tuple[Fact, AuditedCell]]] = {}
    for fact, audited in acts:
        found.setdefault(fact.by, []).append((fact, audited))
    return sorted(found.items())


def _reviewer(name: str, acts: Sequence[tuple[Fact, AuditedCell]]) -> Reviewer:
    stand = Counter(
        type(fact.what) for fact, one in acts if fact.is_act and _stands(fact, one.cell)
    )
    undone = sum(fact.is_act and fact.n in one.cell.undone for fact, one in acts)
    moments = [fact.at for fact, _ in acts]
    corrections = stand[Corrected] + stand[Adopted]
    return Reviewer(
        name, corrections, stand[SignedOff], stand[Commented], undone, min(moments), max(moments)
    )


def _stands(fact: Fact, cell: Cell) -> bool:
    """Whether an act holds: nobody undid it, nothing came in its place, and no edit followed a
    sign-off.
    """
    match fact.what:
        case Corrected() | Adopted():
            return fact.n in cell.edits
        case SignedOff():
            return cell.signed is not None and cell.signed.n == fact.n
        case _:
            return fact.n not in cell.undone


def _act(fact: Fact, audited: AuditedCell) -> ActReport:
    cell = audited.cell
    did = fact.what.text if isinstance(fact.what, Commented) else describe(cell, fact)
    undone, left = undone_by(cell, fact), fact.n in cell.orphaned
    gone = not undone and not _stands(fact, cell)
    reason = reason_of(cell, fact)
    return ActReport(
        fact.n,
        fact.at,
        fact.by,
        _place(audited),
        did,
        reason,
        undone,
        gone and left,
        gone and not left,
    )


def _flagging(cell: Cell) -> Fact:
    """The act by which the cell's flag stands."""
    up = [fact for fact in cell.facts if fact.what == Flagged(True) and fact.n not in cell.undone]
    return up[-1]


# -- traits ---------------------------------------------------------------------------------------


def _trait(cells: Sequence[Cell]) -> TraitReport:
    figures, total = figures_of(cells)
    measured = list(map(by_side, cells))
    instructions = answers_of(cells)
    return TraitReport(
        name=figures["name"],
        kind=cells[0].subject.kind,
        cells=figures["cells"],
        states=_states({state: total[f"state:{state}"] for state in STATES}),
        counts={side: counts(total, side) for side in SIDES},
        metrics=tuple(
            _metric(measure, figures["metrics"][measure.name], measured)
            for measure in measures_of(cells)
        ),
        instructions=tuple(instructions),
        vocabulary=tuple(vocabulary_of(cells, instructions)),
    )


def _metric(
    measure: Measure, sides: Mapping[str, Any], measured: Sequence[Mapping[str, Figures]]
) -> Metric:
    spread = {}
    for side in SIDES:
        spread[side] = _spread(measure, [cell[side] for cell in measured if side in cell])
    return Metric(measure, {side: Side(**summary) for side, summary in sides.items()}, spread)


def _spread(measure: Measure, figures: Sequence[Figures]) -> tuple[int, ...]:
    """How many cells are in each part of the measure's scale, where it is defined."""
    found = [0] * parts(measure, BINS)
    for each in figures:
        if measure.name in each.values and measure.name not in each.undefined:
            found[part_of(measure, each.values[measure.name], len(found))] += 1
    return tuple(found)
