"""What the judges of two audits say of the same cells, without any sign-off.

An answer that differs is a *shift*. Where both judged the same text, the judge has shifted; where
the texts differ, the answers, the judge or both may have, and no two audits alone can tell which.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from appellate.core.cell import Cell
from appellate.core.describe import judge_name
from appellate.core.kind import Instruction, headline
from appellate.core.problem import many
from appellate.core.trace import TraceKey, name_of
from appellate.numbers.formatting import percent
from appellate.stats.aggregates import clustered_stderr, mean
from appellate.stats.clustered import pooled_share
from appellate.stats.estimates import Interval
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit import AuditedCell

_FEWEST = 8
"""Traces, or clusters of them, from which on intervals are given."""
_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


class JudgedCell(Struct, frozen=True):
    """What a judge said of a cell, and of what."""

    trace: TraceKey
    trait: str
    cluster: object
    """What hangs together: the trace's cluster, else its id."""
    trait_sha256: str
    text: str
    """The text that was judged."""
    judge: str
    """The judge's name."""
    answers: Mapping[Instruction, str]
    words: Mapping[Instruction, str]
    """The words of each instruction."""
    measure: str
    """The name of the headline of the trait."""
    value: float | None
    """The headline by the judge's labels; None for 0/0."""


class Shift(Struct, frozen=True):
    """An answer that the second judge gives otherwise than the first."""

    trace: TraceKey
    trait: str
    instruction: str
    """The words of what was asked; "" for a trait with one question."""
    before: str
    after: str
    same_text: bool


class ShiftCount(Struct):
    """The shifts in the cells of one sort."""

    cells: int = 0
    answers: int = 0
    """Answers that both judges gave."""
    turned: int = 0
    """Those that differ."""
    by_cluster: dict[object, tuple[int, int]] = field(default_factory=dict)
    """How many answers turned, and how many there are, by cluster."""

    def add(self, cluster: object, turned: int, answers: int) -> None:
        """Count the answers of one cell."""
        self.cells += 1
        self.answers += answers
        self.turned += turned
        turned_before, answers_before = self.by_cluster.get(cluster, (0, 0))
        self.by_cluster[cluster] = (turned_before + turned, answers_before + answers)

    @property
    def share(self) -> Interval | None:
        """The share of answers that turned, with its 95 % interval; None for too few traces."""
        if len(self.by_cluster) < _FEWEST or not self.answers:
            return None
        share = pooled_share(list(self.by_cluster.values()))
        return Interval(self.turned / self.answers, share.low, share.high)


class TraitDrift(Struct):
    """How the headline of one trait moved from the first audit to the second, by the judges."""

    trait: str
    measure: str
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    clusters: list[object] = field(default_factory=list)
    same_text: list[bool] = field(default_factory=list)

    def add(self, one: JudgedCell, other: JudgedCell) -> None:
        """Count a cell that both judged; without a number in one of them it is left out."""
        if one.value is None or other.value is None:
            return
        self.before.append(one.value)
        self.after.append(other.value)
        self.clusters.append(one.cluster)
        self.same_text.append(one.text == other.text)

    def moved(self, *, same_text: bool | None = None) -> Interval | None:
        """Return by how much the mean moved, with its 95 % interval, clustered by trace.

        With `same_text` it is the part of that which comes from cells with the same text, or from
        the others; the two add up. None without cells, or of too few traces.
        """
        differences: list[float] = []
        for before, after, is_same in zip(self.before, self.after, self.same_text, strict=True):
            counts = same_text is None or is_same == same_text
            differences.append((after - before) * counts)
        if len(set(self.clusters)) < _FEWEST:
            return None
        value = mean(differences)
        half = _Z * clustered_stderr(differences, [str(cluster) for cluster in self.clusters])
        return Interval(value, value - half, value + half)


class JudgeShifts(Struct):
    """All that two judges say otherwise of the cells of two audits."""

    names: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    """The names of the judges of the first and of the second audit."""
    same: ShiftCount = field(default_factory=ShiftCount)
    """The cells whose texts are the same."""
    other: ShiftCount = field(default_factory=ShiftCount)
    """The cells whose texts differ."""
    shifts: list[Shift] = field(default_factory=list)
    drifts: dict[str, TraitDrift] = field(default_factory=dict)
    """How each trait moved, by its name."""
    unpaired: int = 0
    """Cells that only one of the judges judged, or that are in one audit only."""
    other_traits: int = 0
    """Cells whose trait is another in the second audit, which are not compared."""
    hidden: int = 0
    """Cells whose judge is hidden in one of the audits."""

    def add(self, one: JudgedCell, other: JudgedCell) -> None:
        """Count a cell that both judged."""
        for names, judged in zip(self.names, (one, other), strict=True):
            if judged.judge not in names:
                names.append(judged.judge)
        if one.trait_sha256 != other.trait_sha256:
            self.other_traits += 1
            return
        same_text = one.text == other.text
        turned = 0
        shared = [instruction for instruction in one.answers if instruction in other.answers]
        for instruction in shared:
            before = one.answers[instruction]
            after = other.answers[instruction]
            if before != after:
                turned += 1
                words = one.words.get(instruction, "")
                shift = Shift(one.trace, one.trait, words, before, after, same_text)
                self.shifts.append(shift)
        count = self.same if same_text else self.other
        count.add(one.cluster, turned, len(shared))
        drift = self.drifts.setdefault(one.trait, TraitDrift(one.trait, one.measure))
        drift.add(one, other)


def judge_shifts(first: AnyAudit, second: AnyAudit) -> JudgeShifts:
    """Return what the judge of the second audit says otherwise than that of the first.

    Cells are paired by trace and trait. The judge's words on a hidden cell are not looked at.
    """
    found = JudgeShifts()
    before: dict[tuple[TraceKey, str], JudgedCell] = {}
    for audited in first.cells:
        if audited.cell.hidden:
            found.hidden += 1
        elif audited.cell.judge is None:
            found.unpaired += 1
        else:
            judged = _judged(audited)
            before[judged.trace, judged.trait] = judged
    for audited in second.cells:
        key = (audited.trace.key, audited.cell.subject.trait.name)
        one = before.pop(key, None)
        if audited.cell.hidden:
            found.hidden += 1
        elif one is None or audited.cell.judge is None:
            found.unpaired += 1
        else:
            found.add(one, _judged(audited))
    found.unpaired += len(before)
    return found


def _judged(audited: AuditedCell) -> JudgedCell:
    """Return what the judge said of a cell that is judged and not hidden."""
    cell: Cell = audited.cell
    subject = cell.subject
    words: dict[Instruction, str] = {}
    for instruction in cell.judge_answers:
        words[instruction] = subject.kind.called(subject.trait, cell.judge_labels, instruction).text
    measure = headline(subject.kind.measures(subject.trait)).name
    value: float | None = None
    figures = cell.judge_figures
    if figures is not None and measure not in figures.undefined:
        value = figures.values.get(measure)
    record = cell.judge.judge if cell.judge is not None else {}
    return JudgedCell(
        audited.trace.key,
        subject.trait.name,
        audited.trace.cluster or audited.trace.id,
        subject.trait.sha256(),
        subject.text,
        judge_name(record),
        cell.judge_answers,
        words,
        measure,
        value,
    )


# -- in words -------------------------------------------------------------------------------------


def shifts_texts(found: JudgeShifts) -> Iterator[str]:
    """Yield what two judges say otherwise, in sentences."""
    first, second = (", ".join(names) or "no judge" for names in found.names)
    yield f"{second} beside {first}, on the same cells:"
    if found.same.cells:
        yield f"On the same texts {_turned(found.same)}"
    if found.other.cells:
        yield f"On texts that differ {_turned(found.other)}"
    if not found.same.cells and not found.other.cells:
        yield "No cell was judged in both."
    yield from _left_out(found)


def _turned(count: ShiftCount) -> str:
    """Return how many answers turned, with the interval, as the end of a sentence."""
    text = f"{count.turned:,} of {many(count.answers, 'answer')} turned"
    share = count.share
    if share is None:
        return f"{text}, in {many(count.cells, 'cell')} (too few traces for an interval)."
    low = percent(share.low).removesuffix(" %")
    high = percent(share.high).removesuffix(" %")
    return f"{text} ({percent(share.value)}, {low}–{high}), in {many(count.cells, 'cell')}."


def _left_out(found: JudgeShifts) -> Iterator[str]:
    """Yield sentences on the cells that are not compared."""
    if found.other_traits:
        yield f"{many(found.other_traits, 'cell')} not compared: the trait is another."
    if found.unpaired:
        yield f"{many(found.unpaired, 'cell')} judged in one of the audits only."
    if found.hidden:
        yield f"{many(found.hidden, 'cell')} left out: the judge is hidden there."


def drift_texts(found: JudgeShifts) -> Iterator[str]:
    """Yield how each trait's number moved, and how much of it is the judge's, in sentences."""
    for drift in found.drifts.values():
        if not drift.before:
            continue
        name = f"{drift.trait}: the judge's {drift.measure}"
        head = f"{name} went from {mean(drift.before):.2f} to {mean(drift.after):.2f}"
        whole = drift.moved()
        if whole is None:
            yield f"{head}, on {many(len(drift.before), 'cell')}: too few traces for an interval."
            continue
        yield f"{head} ({_signed(whole)}), on {many(len(drift.before), 'cell')}."
        if any(drift.same_text):
            judge = drift.moved(same_text=True)
            yield f"On the same texts, so by the judge alone: {_signed(judge)}."
        if not all(drift.same_text):
            system = drift.moved(same_text=False)
            text = f"On texts that differ, by the answers, the judge or both: {_signed(system)}."
            yield text
    if not found.same.cells:
        yield "No text is the same in both, so the judge's drift cannot be told from the system's."


def _signed(interval: Interval | None) -> str:
    """Return a difference with its interval, each with its sign: "+.05 (−.01 to +.11)"."""
    if interval is None:
        return "unknown"
    if interval.low == interval.high:
        return "in no cell another"
    low = _difference(interval.low)
    high = _difference(interval.high)
    return f"{_difference(interval.value)} ({low} to {high})"


def _difference(value: float) -> str:
    text = f"{value:+.2f}".replace("0.", ".", 1)
    return text.replace("-", "−")


# -- as data ---------------------------------------------------------------------------------------

SHIFTS_FORMAT = "appellate-judge-shifts/1"


def shifts_table(found: JudgeShifts) -> Mapping[str, object]:
    """Return what two judges say otherwise as plain data, with every shift and each drift."""
    drifts: list[Mapping[str, object]] = []
    for drift in found.drifts.values():
        drifts.append(
            {
                "trait": drift.trait,
                "metric": drift.measure,
                "n": len(drift.before),
                "before": mean(drift.before) if drift.before else None,
                "after": mean(drift.after) if drift.after else None,
                "moved": _interval_table(drift.moved()),
                "by_judge": _interval_table(drift.moved(same_text=True)),
                "by_other_texts": _interval_table(drift.moved(same_text=False)),
            }
        )
    return {
        "format": SHIFTS_FORMAT,
        "judges": [list(names) for names in found.names],
        "same_texts": _count_table(found.same),
        "other_texts": _count_table(found.other),
        "unpaired": found.unpaired,
        "other_traits": found.other_traits,
        "hidden": found.hidden,
        "drift": drifts,
        "shifts": [_shift_table(shift) for shift in found.shifts],
    }


def _count_table(count: ShiftCount) -> Mapping[str, object]:
    table: dict[str, object] = {"cells": count.cells, "answers": count.answers}
    return {**table, "turned": count.turned, "share": _interval_table(count.share)}


def _interval_table(interval: Interval | None) -> Mapping[str, float] | None:
    """Return an interval as plain data; None for none."""
    if interval is None:
        return None
    return {"value": interval.value, "low": interval.low, "high": interval.high}


def _shift_table(shift: Shift) -> Mapping[str, object]:
    """Return a shift as plain data; `instruction` is None if it has no words."""
    trace_id, epoch = shift.trace
    return {
        "trace": trace_id,
        "epoch": epoch,
        "trait": shift.trait,
        "instruction": shift.instruction or None,
        "before": shift.before,
        "after": shift.after,
        "same_text": shift.same_text,
    }


SHOWN = 20
"""Shifts that are printed."""


def shift_lines(shifts: Sequence[Shift]) -> Iterator[str]:
    """Yield the first shifts, a line each, and how many more there are."""
    for shift in shifts[:SHOWN]:
        text = f"{name_of(*shift.trace)} · {shift.trait}: {shift.before} → {shift.after}"
        if shift.instruction:
            text += f": {shift.instruction}"
        yield text
    if len(shifts) > SHOWN:
        yield f"and {len(shifts) - SHOWN:,} more (--json has them all)"
