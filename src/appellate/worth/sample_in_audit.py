"""A sample as an audit file tells it."""

from collections import Counter
from collections.abc import Iterator

from appellate.core.agreement import Answers, compared
from appellate.core.cell import Cell
from appellate.core.describe import answered
from appellate.core.design_facts import of_this_sample
from appellate.core.facts import Ruled, SignedOff
from appellate.core.kind import Figures, KnownTrait
from appellate.core.samples import sample_of
from appellate.core.trace import TraceKey
from appellate.store.audits.audit import Audit, AuditedCell
from appellate.store.breakdowns import words_of
from appellate.store.samples.design_faults import BLIND, IN_SIGHT, OUT, FramedTrace, sample_faults
from appellate.worth.audit_units import UnitCell
from appellate.worth.audited_sample import AuditedSample, FrameUnits
from appellate.worth.sample_numbers import SampleNumbers, sample_numbers
from appellate.worth.worths import estimated_traits


def sampled_in(audit: Audit, by: str = "") -> SampleNumbers | None:
    """The numbers of an audit's sample, by model unless something else is given."""
    at = sample_in(audit, by or "model")
    if at is None:
        return None
    return sample_numbers(at)


def sample_in(audit: Audit, by: str = "") -> AuditedSample | None:
    """The sample of an audit, None where it has none; `by` is what cells are grouped by."""
    sample = sample_of(audit.design)
    if sample is None:
        return None
    places = {trace.key: place for place, trace in enumerate(audit.traces, 1)}
    frame = FrameUnits(sample)
    known: dict[int, KnownTrait] = {}
    verdicts: list[int] = []
    for audited in audit.cells:
        cell, trace = audited.cell, audited.trace
        subject = cell.subject
        known.setdefault(id(subject.trait), KnownTrait(subject.kind, subject.trait))
        found = _unit_cell(audited, by)
        frame.add(places[trace.key], trace.key, trace.cluster or "", found)
        verdicts += _verdicts(cell)
    first = min(verdicts, default=None)
    facts, traits = of_this_sample(audit.design), estimated_traits(known.values())
    faults = list(sample_faults_in(audit))
    return AuditedSample(sample, facts, traits, frame.units, first, by, faults)


def drawable_units(audit: Audit) -> int:
    """How many units could be drawn, by the rules of `store.sample_frame`."""
    shown: dict[TraceKey, bool] = {}
    for audited in audit.cells:
        key = audited.trace.key
        shown[key] = audited.cell.example or shown.get(key, False)
    units: dict[str | TraceKey, list[bool]] = {}
    for trace in audit.traces:
        examples = units.setdefault(trace.cluster or trace.key, [])
        if trace.key in shown:
            examples.append(shown[trace.key])
    return sum(bool(examples) and not any(examples) for examples in units.values())


def sample_faults_in(audit: Audit) -> Iterator[str]:
    """Why the sample of an audit does not agree with itself."""
    fields: dict[TraceKey, set[int]] = {}
    for audited in audit.cells:
        cell, mark = audited.cell, OUT
        if cell.drawn is not None:
            mark = BLIND if cell.is_blind else IN_SIGHT
        fields.setdefault(audited.trace.key, set()).add(mark)
    traces = [
        FramedTrace(trace.key, trace.cluster or "", fields.get(trace.key, ()))
        for trace in audit.traces
    ]
    return sample_faults(audit.design, traces)


def _unit_cell(audited: AuditedCell, by: str) -> UnitCell:
    cell = audited.cell
    group = " + ".join(words_of(audited.trace, by))
    person = _person(cell)
    pairs = Counter[Answers]()
    if person is not None:
        pairs.update(pair for _, pair in compared(cell))
    return UnitCell(cell.subject.trait.name, group, _judges(cell), person, pairs)


def _judges(cell: Cell) -> list[Figures]:
    """What the members of the panel measure, or the one judge."""
    if cell.judge is None:
        return []
    subject = cell.subject
    members = answered(cell.judge.judge)
    if members:
        measure = subject.kind.measure_table
        return [measure(subject.trait, subject.trace, member.table) for member in members]
    return list(filter(None, [cell.measure_judge()]))


def _person(cell: Cell) -> Figures | None:
    """What a person's labels of a sampled cell measure: the verdict, or in sight of the judge what
    was signed off.
    """
    if cell.drawn is None:
        return None
    if cell.is_blind:
        return cell.measure_verdict()
    if cell.signed is None:
        return None
    return cell.measure()


def _verdicts(cell: Cell) -> list[int]:
    """The facts by which a sampled cell was ruled, or signed off since it was drawn."""
    if cell.drawn is None:
        return []
    since = cell.drawn.n
    return [
        fact.n for fact in cell.facts if fact.n > since and isinstance(fact.what, Ruled | SignedOff)
    ]
