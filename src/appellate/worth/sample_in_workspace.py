"""A sample as a workspace keeps it; by a connection of its own, for a thread."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from appellate.core.agreement import Answers
from appellate.core.design_facts import of_this_sample
from appellate.core.kind import Figures
from appellate.core.samples import sample_of
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.store import answered, meta, metadata_rows
from appellate.store.agreements import ComparedAnswers
from appellate.store.database import reading
from appellate.store.samples.design_faults import BLIND, IN_SIGHT, OUT, FramedTrace, sample_faults
from appellate.store.samples.design_rows import facts_in
from appellate.store.samples.sample_progress import first_verdict
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric
from appellate.worth.audit_units import UnitCell
from appellate.worth.audited_sample import AuditedSample, FrameUnits
from appellate.worth.worths import estimated_traits

_CELLS = (
    "SELECT c.trace, t.id, t.epoch, h.model, c.trait, c.kind, m.judge, m.members,"
    " c.sampled, c.state, m.verdict, c.ruled_as, c.standing, c.figures, c.answered, c.judged_as"
    " FROM cells c JOIN traces t ON t.no = c.trace JOIN heads h ON h.trace = c.trace"
    " LEFT JOIN measured m ON m.cell = c.no ORDER BY c.no"
)
SIGHTED, RULED = 1, 3


def sample_at(path: Path, on_progress: OnProgress = ignore_progress) -> AuditedSample | None:
    """The sample of a workspace, its cells grouped by model; None where there is none.

    `on_progress` is called after every cell, and may raise to have it stop.
    """
    with reading(path) as db:
        facts = of_this_sample(facts_in(db))
        sample = sample_of(facts)
        if sample is None:
            return None
        (rubric,) = db.execute("SELECT value FROM meta WHERE key = ?", (meta.RUBRIC,)).fetchone()
        clusters = dict(metadata_rows.by_trace(db, "cluster"))
        answers = _AnswerPairs(answered.letters(db))
        frame = FrameUnits(sample)
        for done, row in enumerate(db.execute(_CELLS)):
            trace, trace_id, epoch, model, *of = row
            cell = _unit_cell(answers, model, *of)
            frame.add(trace, (trace_id, epoch), clusters.get(trace, ""), cell)
            on_progress(done, None)
        verdict = first_verdict(db)
        faults = list(sample_faults(facts, list(_framed(db, clusters))))
    traits = estimated_traits(Rubric.model_validate_json(rubric).every_trait())
    return AuditedSample(sample, facts, traits, frame.units, verdict, "model", faults)


def _framed(db: sqlite3.Connection, clusters: Mapping[int, str]) -> Iterator[FramedTrace]:
    """The traces, and what their cells tell of the draw."""
    fields: dict[int, set[int]] = {}
    for trace, mark in db.execute("SELECT DISTINCT trace, min(sampled, 2) FROM cells"):
        fields.setdefault(trace, set()).add((OUT, IN_SIGHT, BLIND)[mark])
    for no, trace_id, epoch in db.execute("SELECT no, id, epoch FROM traces ORDER BY no"):
        yield FramedTrace((trace_id, epoch), clusters.get(no, ""), fields.get(no, ()))


class _AnswerPairs:
    """How often judge and person give which answers, under traits of any kind."""

    def __init__(self, letters: Mapping[str, str]) -> None:
        self._letters = letters
        self._words: dict[str, ComparedAnswers] = {}

    def of(self, kind: str, judge: str, person: str) -> Counter[Answers]:
        """In one cell."""
        if kind not in self._words:
            self._words[kind] = ComparedAnswers(kinds()[kind], self._letters)
        return Counter(pair for _, pair in self._words[kind].pairs(judge, person))


def _unit_cell(
    answers: _AnswerPairs,
    model: str,
    trait: str,
    kind: str,
    judge: str | None,
    members: str | None,
    sampled: int,
    state: str,
    verdict: str | None,
    ruled_as: str,
    standing: str | None,
    figures: str,
    answered_as: str,
    judged_as: str,
) -> UnitCell:
    person, pairs = None, Counter[Answers]()
    if sampled == RULED and verdict:
        person = _figures(json.loads(verdict))
        pairs = answers.of(kind, judged_as, ruled_as)
    elif sampled == SIGHTED and state == "reviewed" and standing:
        counts = json.loads(figures).get("counts", {})
        person = _figures({"values": json.loads(standing), "counts": counts})
        pairs = answers.of(kind, judged_as, answered_as)
    judges = []
    if members:
        judges = list(map(_figures, json.loads(members)))
    elif judge:
        judges = [_figures(json.loads(judge))]
    return UnitCell(trait, model, judges, person, pairs)


def _figures(fields: Mapping[str, Any]) -> Figures:
    values = fields["values"]
    undefined = frozenset(name for name, value in values.items() if value is None)
    known = {name: value or 0.0 for name, value in values.items()}
    return Figures(known, undefined, fields["counts"])
