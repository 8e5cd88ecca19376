"""A second pass: cells that a reviewer signed off, drawn at random and ruled on again, blind."""

from collections.abc import Mapping
from datetime import timedelta
from random import Random
from statistics import median
from typing import Any, NamedTuple

from msgspec import Struct, field

from appellate.core.agreement import Agreement, Answers, PairCounts, cluster_of
from appellate.core.cell import Cell
from appellate.core.kind import AnyKind, Instruction
from appellate.core.trace import Trace, TraceKey, name_of
from appellate.installed import running
from appellate.store import meta
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.open_audit import AuditFiles, Opened, create
from appellate.store.audits.two_audits import reason_in
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.files.toml import moment
from appellate.store.samples import sampling
from appellate.store.samples.sample_plans import SampleWish, plan
from appellate.traits.rubric import LISTS, Rubric


def signed_by(audit: AnyAudit, reviewer: str) -> list[Trace]:
    """Return the traces with a cell that a reviewer signed off, each once, in the order loaded.

    Empty if there are none. `reviewer` is a name as the audit has it.
    """
    traces_by_key: dict[TraceKey, Trace] = {}
    for audited in audit.cells:
        if _is_of(audited.cell, reviewer):
            traces_by_key[audited.trace.key] = audited.trace
    return list(traces_by_key.values())


def _is_of(cell: Cell, reviewer: str) -> bool:
    return cell.signed is not None and cell.signed.by == reviewer


# -- beginning -------------------------------------------------------------------------------------


def begin(
    place: AuditFiles,
    audit: AnyAudit,
    reviewer: str,
    *,
    traces: int,
    seed: int,
    at: str,
) -> Opened:
    """Make and open an audit of traces that a reviewer signed off, to be ruled on blind.

    `traces` of them are drawn at random by the seed; there must be that many, or ValueError is
    raised. It has only the traits that the reviewer signed off, no labels, and all cells are in its
    sample, drawn by the reviewer at `at` (UTC in ISO 8601). Its file is written on the first save.
    Raises Unusable if it cannot be made, WorkspaceLocked if there is one already, and NotKept if
    the disk refuses.
    """
    chance = Random(seed)  # noqa: S311 - to be repeated, not to be unguessable
    chosen = chance.sample(signed_by(audit, reviewer), traces)
    rubric = _rubric_of_signed(audit, reviewer)
    unlabelled = [trace.model_copy(update={"judgments": {}}) for trace in chosen]
    opened = create(place, rubric, unlabelled, running())
    workspace = opened.workspace
    everything = SampleWish(len(unlabelled), seed)
    planned = plan(workspace.path, everything).what
    sampling.draw(workspace, planned, at, reviewer)
    workspace.set_meta(meta.JUDGE, "recorded")  # nobody is to judge unasked
    first_trace_no = workspace.design.drawn()[0]
    cells = workspace.cells.of_trace(first_trace_no)
    first_cell_no = min(cells.values())
    workspace.set_meta(meta.START, str(first_cell_no))
    return opened


def _rubric_of_signed(audit: AnyAudit, reviewer: str) -> Rubric:
    """Return an audit's rubric with only the traits of which a reviewer signed off a cell.

    The questions stay, with those of their own traits. The audit is not changed. Raises Unusable if
    that is no rubric, as without any trait.
    """
    names: set[str] = set()
    for audited in audit.cells:
        if _is_of(audited.cell, reviewer):
            names.add(audited.cell.subject.trait.name)
    table = audit.rubric.to_file()
    for holder in (table, *table.get("questions", ())):
        for key in LISTS:
            if key in holder:
                holder[key] = [trait for trait in holder[key] if trait["name"] in names]
    return parse_rubric(table, "rubric").usable()


# -- what came of it -------------------------------------------------------------------------------


class ChangedAnswer(NamedTuple):
    """A question that a reviewer answered differently the second time."""

    trace: str
    """The trace's name."""
    question: Instruction
    answers: Answers
    """The first and the second answer."""
    judge: str
    """The judge's answer at the first time, or ""."""


class SelfAgreement(Struct):
    """How a reviewer answered the questions of a trait twice."""

    trait: str
    kind: AnyKind
    is_blind: bool
    """Whether the cells were blind the first time, too."""
    reason: str
    """Why only counts are shown; "" if agreement is computed."""
    cells: int = 0
    """How many cells were added."""
    pairs: PairCounts = field(default_factory=PairCounts)
    """The pairs of answers, without those of which one says that it cannot be told."""
    changed: list[ChangedAnswer] = field(default_factory=list)

    @property
    def agreement(self) -> Agreement:
        return self.pairs.agreement(self.kind.positives, (), self.reason)

    @property
    def left(self) -> int:
        """Changed answers that had been the judge's."""
        return sum(change.judge == change.answers[0] for change in self.changed)

    @property
    def joined(self) -> int:
        """Changed answers that are the judge's now."""
        return sum(change.judge == change.answers[1] for change in self.changed)

    def add(self, first: Cell, second: Cell) -> None:
        """Count a cell that the reviewer signed off both times, question by question.

        Both cells are of this trait. Questions that are not answered both times, or that its kind
        does not compare, are left out. An answer that was changed is kept in `changed`. A pair in
        which one answer says that it cannot be told does not count for the agreement, but a change
        of it is kept.
        """
        self.cells += 1
        first_answers = _answers(first)
        second_answers = _answers(second)
        trace = first.subject.trace
        untold = first.subject.kind.untold(first.subject.trait)
        compared_lists = self.kind.compared
        for question, first_answer in first_answers.items():
            if question not in second_answers:
                continue
            if compared_lists and question.of not in compared_lists:
                continue
            second_answer = second_answers[question]
            answers = (first_answer, second_answer)
            if untold.isdisjoint(answers):
                self.pairs.add(cluster_of(trace.cluster, trace.id), answers)
            if first_answer != second_answer:
                name = name_of(*trace.key)
                judge = first.judge_answers.get(question, "")
                self.changed.append(ChangedAnswer(name, question, answers, judge))

    def outcome(self) -> dict[str, Any]:
        """Return the numbers as the audit keeps them.

        Its keys are `trait` (the name), `blind_before` (whether the cells were blind the first
        time), `cells`, `answers` (pairs that are compared), `alike`, `changed_from_judge`,
        `changed_to_judge`, `kappa` and `ac1`. The last two are None if they have no value.
        """
        agreement = self.agreement
        fields = {
            "trait": self.trait,
            "blind_before": self.is_blind,
            "cells": self.cells,
        }
        fields |= {"answers": agreement.n, "alike": agreement.agreed}
        fields |= {"changed_from_judge": self.left, "changed_to_judge": self.joined}
        return fields | {"kappa": agreement.kappa, "ac1": agreement.ac1}


def _answers(cell: Cell) -> Mapping[Instruction, str]:
    """Return what a reviewer answers in a cell, by question, as far as a judge did not sway them.

    Those are the answers of the verdict if it was given before any judge was seen, and else those
    of the current labels.
    """
    if cell.ruled_blind:
        return cell.verdict_answers
    return cell.answers


class SecondPassFound:
    """How far a second pass is, and its agreement with the first, by trait and blindness."""

    def __init__(self, first: AnyAudit, second: AnyAudit, reviewer: str) -> None:
        """Compare what `reviewer` signed off in the audit `first` with the second pass.

        Only cells that the reviewer signed off in `first` count. `drawn` counts those that the
        second pass has under the same trait, and `ruled` those of them that the reviewer signed off
        there, too. Cells whose trait is not the same any more are only counted, in `others`.
        """
        self._parts: dict[tuple[str, bool], SelfAgreement] = {}
        reason = reason_in(first, second)
        self.drawn = self.ruled = self.others = 0
        self._gaps: list[float] = []
        cells: dict[tuple[TraceKey, str], Cell] = {}
        for audited in first.cells:
            if _is_of(audited.cell, reviewer):
                cells[audited.key] = audited.cell
        for audited in second.cells:
            first_cell = cells.get(audited.key)
            second_cell = audited.cell
            if first_cell is None or first_cell.signed is None:
                continue
            if first_cell.subject.trait != second_cell.subject.trait:
                self.others += 1
                continue
            self.drawn += 1
            if second_cell.signed is None or not _is_of(second_cell, reviewer):
                continue
            self.ruled += 1
            first_time = moment(first_cell.signed.at)
            second_time = moment(second_cell.signed.at)
            self._gaps.append((second_time - first_time).total_seconds())
            subject = first_cell.subject
            trait_name = subject.trait.name
            is_blind = first_cell.ruled_blind
            part = self._parts.get((trait_name, is_blind))
            if part is None:
                part = SelfAgreement(trait_name, subject.kind, is_blind, reason)
                self._parts[trait_name, is_blind] = part
            part.add(first_cell, second_cell)

    @property
    def gap(self) -> timedelta | None:
        """The median time from first to second sign-off; None if nothing was signed off twice.

        Only cells whose trait is the same count.
        """
        if not self._gaps:
            return None
        return timedelta(seconds=median(self._gaps))

    @property
    def parts(self) -> list[SelfAgreement]:
        return list(self._parts.values())

    def outcome(self) -> dict[str, Any]:
        """Return the numbers as the audit keeps them: the key `traits`, and `median_hours_between`.

        `traits` is a list with a table for each trait, and another for its cells that were blind
        the first time. `median_hours_between` is rounded to two digits, and left out if nothing was
        signed twice.
        """
        fields: dict[str, Any] = {"traits": [part.outcome() for part in self.parts]}
        if self.gap is not None:
            fields["median_hours_between"] = round(self.gap / timedelta(hours=1), 2)
        return fields
