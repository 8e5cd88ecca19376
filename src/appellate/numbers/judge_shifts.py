"""What the judges of two audits say of the same cells, without any sign-off.

An answer that differs is a *shift*. Where both judges read the same (text, question, reference,
documents and turns), the judge has shifted; where that differs, the answers, the judge or both may
have, and no two audits alone can tell which.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from appellate.core.agreement import cluster_of
from appellate.core.cell import Cell, turned_answers
from appellate.core.describe import judge_name
from appellate.core.kind import Instruction, headline, json_sha256
from appellate.core.problem import many
from appellate.core.trace import TraceKey, name_of
from appellate.numbers.formatting import percent
from appellate.stats.aggregates import clustered_stderr, mean
from appellate.stats.clustered import pooled_share
from appellate.stats.estimates import Interval
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit import AuditedCell, CellKey
from appellate.store.audits.two_audits import ASIDE

_FEWEST = 8
"""Traces, or clusters of them, from which on intervals are given."""
_Z = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


class JudgedCell(Struct, frozen=True):
    """What a judge said of a cell, and of what."""

    trace: TraceKey
    trait: str
    cluster: object
    """What hangs together, by `cluster_of`: the trace's cluster, else all epochs of it."""
    trait_sha256: str
    read_sha256: str
    """The fingerprint of the trace as it is read: text, question, reference, documents …"""
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
        """Count the answers of one cell: how many turned, of how many that both judges gave.

        They are added to what was counted of the same cluster before. A cell without such answers
        only counts as a cell.
        """
        self.cells += 1
        if not answers:
            return
        self.answers += answers
        self.turned += turned
        turned_before, answers_before = self.by_cluster.get(cluster, (0, 0))
        turned_in_cluster = turned_before + turned
        answers_in_cluster = answers_before + answers
        self.by_cluster[cluster] = (turned_in_cluster, answers_in_cluster)

    @property
    def share(self) -> Interval | None:
        """The share of answers that turned, 0 to 1, with its 95 % interval by clusters.

        None below `_FEWEST` traces or clusters (8) with answers of both judges.
        """
        if len(self.by_cluster) < _FEWEST:
            return None
        counts = list(self.by_cluster.values())
        by_clusters = pooled_share(counts)
        share = self.turned / self.answers
        return Interval(share, by_clusters.low, by_clusters.high)


class TraitDrift(Struct):
    """How the headline of one trait moved from the first audit to the second, by the judges."""

    trait: str
    measure: str
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    clusters: list[object] = field(default_factory=list)
    same_text: list[bool] = field(default_factory=list)

    def add(self, first_judged: JudgedCell, second_judged: JudgedCell) -> None:
        """Count a cell that both judged; it is left out if either judge's number is None."""
        if first_judged.value is None or second_judged.value is None:
            return
        self.before.append(first_judged.value)
        self.after.append(second_judged.value)
        self.clusters.append(first_judged.cluster)
        self.same_text.append(first_judged.read_sha256 == second_judged.read_sha256)

    def moved(self, *, same_text: bool | None = None) -> Interval | None:
        """Return by how much the mean moved, with its 95 % interval, clustered by trace.

        It is the second audit's less the first's, in the unit of the measure, over the cells that
        have a number in both. With `same_text` True it is the part of that from cells with the same
        text, and with False the part from the others; the two add up. None below `_FEWEST` traces
        or clusters of all cells.
        """
        differences = self.differences(same_text=same_text)
        if len(set(self.clusters)) < _FEWEST:
            return None
        value = mean(differences)
        half = _Z * clustered_stderr(
            differences,
            [str(cluster) for cluster in self.clusters],
        )
        return Interval(value, value - half, value + half)

    def differences(self, *, same_text: bool | None = None) -> list[float]:
        """Return by how much the number of each cell moved, in the order of the cells.

        With `same_text` only cells with the same text count, or with False only the others; a cell
        that does not count is 0. So the list always has all cells.
        """
        differences: list[float] = []
        for value_before, value_after, is_same in zip(
            self.before,
            self.after,
            self.same_text,
            strict=True,
        ):
            counts = same_text is None or is_same == same_text
            differences.append((value_after - value_before) * counts)
        return differences


class JudgeShifts(Struct):
    """All that two judges say otherwise of the cells of two audits."""

    names: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    """The names of the judges of the first and of the second audit."""
    same: ShiftCount = field(default_factory=ShiftCount)
    """The cells of which both judges read the same."""
    other: ShiftCount = field(default_factory=ShiftCount)
    """The cells of which they read something else."""
    shifts: list[Shift] = field(default_factory=list)
    drifts: dict[tuple[str, str], TraitDrift] = field(default_factory=dict)
    """How each trait moved, by its name and its measure's: several questions may have the name."""
    unpaired: int = 0
    """Cells that only one of the judges judged, also those that the other audit lacks."""
    other_traits: int = 0
    """Cells whose trait is another in the second audit, which are not compared."""
    hidden: int = 0
    """Cells whose judge is hidden in one of the audits."""

    def add(self, first_judged: JudgedCell, second_judged: JudgedCell) -> None:
        """Count a cell that both judged, with the answers that turned and how its number moved.

        Only answers that both judges gave are compared. If the trait reads otherwise now, the cell
        counts in `other_traits` only. Cells of which both judges read the same are counted in
        `same`, others in `other`. The names of both judges are noted in any case, each once.
        """
        for names, judged in zip(
            self.names,
            (first_judged, second_judged),
            strict=True,
        ):
            if judged.judge not in names:
                names.append(judged.judge)
        if first_judged.trait_sha256 != second_judged.trait_sha256:
            self.other_traits += 1
            return
        same_text = first_judged.read_sha256 == second_judged.read_sha256
        turned = turned_answers(first_judged.answers, second_judged.answers)
        for instruction, (answer_before, answer_after) in turned.items():
            shift = Shift(
                first_judged.trace,
                first_judged.trait,
                first_judged.words.get(instruction, ""),
                answer_before,
                answer_after,
                same_text,
            )
            self.shifts.append(shift)
        answered_by_both = first_judged.answers.keys() & second_judged.answers.keys()
        count = self.same if same_text else self.other
        count.add(first_judged.cluster, len(turned), len(answered_by_both))
        drift = self.drifts.setdefault(
            (first_judged.trait, first_judged.measure),
            TraitDrift(first_judged.trait, first_judged.measure),
        )
        drift.add(first_judged, second_judged)


def judge_shifts(first: AnyAudit, second: AnyAudit) -> JudgeShifts:
    """Return what the judge of the second audit says otherwise than that of the first.

    Cells are paired by trace and trait. A cell whose judge is hidden in either audit is only
    counted as hidden, once. A cell that only one judge judged, be it that the other audit lacks it,
    is counted in `unpaired`. A cell that neither judged is in no count.
    """
    shifts = JudgeShifts()
    judged_before: dict[CellKey, JudgedCell] = {}
    hidden: set[CellKey] = set()
    for audited in first.cells:
        key = audited.key
        if audited.cell.hidden:
            hidden.add(key)
        elif audited.cell.judge is not None:
            judged_before[key] = _judged(audited)
    for audited in second.cells:
        key = audited.key
        first_judged = judged_before.pop(key, None)
        if audited.cell.hidden or key in hidden:
            hidden.add(key)
        elif first_judged is not None and audited.cell.judge is not None:
            shifts.add(first_judged, _judged(audited))
        elif first_judged is not None or audited.cell.judge is not None:
            shifts.unpaired += 1
    shifts.unpaired += len(judged_before)
    shifts.hidden = len(hidden)
    return shifts


def _judged(audited: AuditedCell) -> JudgedCell:
    """Return what the judge said of a cell: its answers, what each is to, and its number.

    The cell must be judged and not hidden. It also has the fingerprints of the trait and of what
    the judge read. Its `value` is that of the trait's headline; None if that is 0/0 or has no
    figure.
    """
    cell: Cell = audited.cell
    subject = cell.subject
    words: dict[Instruction, str] = {}
    for instruction in cell.judge_answers:
        words[instruction] = subject.kind.called(
            subject.trait,
            cell.judge_labels,
            instruction,
        ).text
    measure = headline(subject.kind.measures(subject.trait)).name
    value: float | None = None
    figures = cell.judge_figures
    if figures is not None and measure not in figures.undefined:
        value = figures.values.get(measure)
    record = cell.judge.judge if cell.judge is not None else {}
    return JudgedCell(
        audited.trace.key,
        subject.trait.name,
        cluster_of(audited.trace.cluster, audited.trace.id),
        subject.trait.sha256(),
        json_sha256(subject.asked.model_dump(exclude=ASIDE)),
        judge_name(record),
        cell.judge_answers,
        words,
        measure,
        value,
    )


# -- in words -------------------------------------------------------------------------------------


def shifts_texts(shifts: JudgeShifts) -> Iterator[str]:
    """Yield what two judges say otherwise, in sentences, after a line that names both.

    A side with several judges has all their names in it, and one without any is "no judge". The
    sentences count the answers that turned: on the same texts, then on others, each if there are
    such cells. If no cell was judged in both, one says so. The last ones count the cells left out,
    by the reason.
    """
    first_names, second_names = shifts.names
    first = ", ".join(first_names) or "no judge"
    second = ", ".join(second_names) or "no judge"
    yield f"{second} beside {first}, on the same cells:"
    if shifts.same.cells:
        yield f"On the same texts {_turned(shifts.same)}"
    if shifts.other.cells:
        yield f"On texts that differ {_turned(shifts.other)}"
    if not shifts.same.cells and not shifts.other.cells:
        yield "No cell was judged in both."
    yield from _left_out(shifts)


def _turned(count: ShiftCount) -> str:
    """Return how many answers turned, with the share and its interval, as the end of a sentence.

    The shares are in percent without decimals. Its full stop is in it. If there are too few traces
    for an interval, it says so and has no share.
    """
    answers = many(count.answers, "answer")
    cells = many(count.cells, "cell")
    text = f"{count.turned:,} of {answers} turned"
    share = count.share
    if share is None:
        return f"{text}, in {cells} (too few traces for an interval)."
    value = percent(round(share.value, 2))
    low = percent(round(share.low, 2)).removesuffix(" %")
    high = percent(round(share.high, 2)).removesuffix(" %")
    return f"{text} ({value}, {low}–{high}), in {cells}."


def _left_out(shifts: JudgeShifts) -> Iterator[str]:
    """Yield a sentence for each sort of cells that are not compared, with their count.

    The sorts are, in this order: the trait is another, only one judge judged it, and the judge is
    hidden. One without cells has no sentence.
    """
    if shifts.other_traits:
        yield f"{many(shifts.other_traits, 'cell')} not compared: the trait is another."
    if shifts.unpaired:
        yield f"{many(shifts.unpaired, 'cell')} judged in one of the audits only."
    if shifts.hidden:
        yield f"{many(shifts.hidden, 'cell')} left out: the judge is hidden there."


def drift_texts(shifts: JudgeShifts) -> Iterator[str]:
    """Yield how each trait's number moved, and how much of it is the judge's, in sentences.

    Traits without a number in both are left out. It is said if too few traces make an interval, and
    if no text is the same in both. Nothing is yielded if no cell was judged in both.
    """
    for drift in shifts.drifts.values():
        if not drift.before:
            continue
        before = mean(drift.before)
        after = mean(drift.after)
        cells = many(len(drift.before), "cell")
        name = f"{drift.trait}: the judge's mean {drift.measure}"
        text = f"{name} went from {before:.2f} to {after:.2f}"
        if drift.moved() is None:
            yield f"{text}, on {cells}: too few traces for an interval."
            continue
        yield f"{text} ({_moved(drift)}), on {cells}."
        if any(drift.same_text):
            judge = _moved(drift, same_text=True)
            yield f"On the same texts, so by the judge alone: {judge}."
        if not all(drift.same_text):
            system = _moved(drift, same_text=False)
            yield f"On texts that differ, by the answers, the judge or both: {system}."
    if shifts.other.cells and not shifts.same.cells:
        yield "No text is the same in both, so the judge's drift cannot be told from the system's."


def _moved(drift: TraitDrift, *, same_text: bool | None = None) -> str:
    """Return by how much a number moved, with its interval: "+0.05 (−0.01 to +0.11)".

    Every number has its sign and two decimals. It is "the same in every cell" if none moved, and
    has no interval but "in every cell" if all moved alike. With `same_text` it is the part from
    cells with the same text, or from the others. It is "unknown" for too few traces.
    """
    differences = drift.differences(same_text=same_text)
    if not any(differences):
        return "the same in every cell"
    interval = drift.moved(same_text=same_text)
    if interval is None:
        return "unknown"
    value = _difference(interval.value)
    if len(set(differences)) == 1:
        return f"{value} in every cell"
    low = _difference(interval.low)
    high = _difference(interval.high)
    return f"{value} ({low} to {high})"


def _difference(value: float) -> str:
    """Return a difference with its sign, a true minus and two decimals: `+0.05`."""
    return f"{value:+.2f}".replace("-", "−")


# -- as data ---------------------------------------------------------------------------------------

SHIFTS_FORMAT = "appellate-judge-shifts/1"


def shifts_table(all_shifts: JudgeShifts) -> Mapping[str, object]:
    """Return what two judges say otherwise as plain data, with every shift and each drift.

    The keys are format, judges, same_texts, other_texts, unpaired, other_traits, hidden, drift and
    shifts. unpaired, other_traits and hidden count cells. same_texts and other_texts have cells,
    answers, turned and share. A drift has its trait, metric, n, before, after, moved, by_judge and
    by_other_texts. "before" and "after" are means over n cells, and None without any; an interval
    of too few traces is None.
    """
    drifts: list[Mapping[str, object]] = []
    for drift in all_shifts.drifts.values():
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
            },
        )
    return {
        "format": SHIFTS_FORMAT,
        "judges": [list(names) for names in all_shifts.names],
        "same_texts": _count_table(all_shifts.same),
        "other_texts": _count_table(all_shifts.other),
        "unpaired": all_shifts.unpaired,
        "other_traits": all_shifts.other_traits,
        "hidden": all_shifts.hidden,
        "drift": drifts,
        "shifts": [_shift_table(shift) for shift in all_shifts.shifts],
    }


def _count_table(count: ShiftCount) -> Mapping[str, object]:
    """Return a count as plain data, with the keys cells, answers, turned and share.

    "share" is None if the count has none, and else has value, low and high.
    """
    return {
        "cells": count.cells,
        "answers": count.answers,
        "turned": count.turned,
        "share": _interval_table(count.share),
    }


def _interval_table(interval: Interval | None) -> Mapping[str, float] | None:
    """Return an interval as plain data, with the keys value, low and high; None for none."""
    if interval is None:
        return None
    return {"value": interval.value, "low": interval.low, "high": interval.high}


def _shift_table(shift: Shift) -> Mapping[str, object]:
    """Return a shift as plain data.

    The keys are trace, epoch, trait, instruction, before, after and same_text. `instruction` is
    None if it has no words.
    """
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
    """Yield the first `SHOWN` shifts in their order, a line each, and how many more there are.

    Lines have no line end. Texts are neither cut nor made inert.
    """
    for shift in shifts[:SHOWN]:
        trace = name_of(*shift.trace)
        text = f"{trace} · {shift.trait}: {shift.before} → {shift.after}"
        if shift.instruction:
            text += f": {shift.instruction}"
        yield text
    rest = len(shifts) - SHOWN
    if rest > 0:
        yield f"and {rest:,} more (--json has them all)"
