"""The answers of a batch engine, taken in line by line and kept in groups."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from appellate.core.briefing import UNBRIEFED
from appellate.core.cell import Cell, round_of
from appellate.core.facts import Failed, Proposed
from appellate.core.problem import quoted
from appellate.judges.batch_rows import Broken, Row, row
from appellate.judges.completion import Trouble
from appellate.judges.endpoint import Endpoint
from appellate.judges.judge import JudgeRecord, JudgmentFailed
from appellate.judges.openai import OpenAIJudge
from appellate.judging.assign import Ask
from appellate.judging.batch_ids import Label, Terms, key_of, prompt_hash, subject_hash
from appellate.workbench import Workbench

MOST_FAULTS = 20
"""Lines that are told one by one; the rest is counted."""
_GROUP = 200


@dataclass(slots=True)
class Taken:
    """What became of the lines: how many of each sort, and the first that could not be used.

    Sorts: judged, failed, known (there already), unasked (the batch ended first), strange (about no cell
    of this audit as it is) and broken.
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, sort: str, told: str) -> None:
        self.counts[sort] += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(told)


def take(bench: Workbench, files: Iterable[Path]) -> Taken:
    """Takes in the answers in these files; what is known already changes nothing. Raises NotKept."""
    intake = _Intake(bench)
    for path in files:
        with path.open("rb") as lines:
            intake.read(path.name, lines)
    return intake.taken


class _Asked(NamedTuple):
    """What is known of how a request was made: `terms` is None where this workspace did not make it."""

    judge: OpenAIJudge
    terms: Terms | None


class _Intake:
    """One import."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._cells = bench.workspace.count()
        self._asked: dict[str, _Asked] = {}
        self._group: dict[int, Proposed | Failed] = {}
        self.taken = Taken()

    def read(self, name: str, lines: Iterable[bytes]) -> None:
        for number, line in enumerate(lines, 1):
            if line.strip():
                self._line(f"{name}: line {number}", line)
        self._keep()

    def _line(self, place: str, line: bytes) -> None:
        try:
            found = row(line)
        except Broken as broken:
            told = str(broken) if line.endswith(b"\n") else "ends in the middle: the file is not whole yet"
            self.taken.fault("broken", f"{place} {told}")
            return
        label = Label.read(found.custom_id)
        if label is None or not 1 <= label.cell <= self._cells:
            self.taken.fault("strange", f"{place} has the custom_id {quoted(found.custom_id)}, and no cell here has it")
        else:
            self._answer(place, label, found)

    def _answer(self, place: str, label: Label, found: Row) -> None:
        if label.cell in self._group:
            self._keep()
        trace, cell = self._bench.open(label.cell)
        ask = Ask(label.cell, cell.subject, self._bench.workspace.rubric.asked(trace))
        if not self._is_about(ask, label, found):
            self.taken.fault("strange", f"{place} is about cell {label.cell} with other words than it has now")
        elif found.unasked:
            self.taken.counts["unasked"] += 1
        elif label.round <= cell.round:
            self.taken.counts["known"] += 1
        else:
            self._take(label, ask, cell, found)

    def _is_about(self, ask: Ask, label: Label, found: Row) -> bool:
        """Whether the cell is what was asked about: a trait that is only measured otherwise asks the same."""
        if subject_hash(ask) == label.subject:
            return True
        terms = self._how(label, found).terms
        if terms is None:
            return False
        asked = replace(ask, briefing=terms.briefing)
        return any(prompt_hash(asked, listed=listed) == label.prompt for listed in (False, True))

    def _take(self, label: Label, ask: Ask, cell: Cell, found: Row) -> None:
        what = self._judged(label, ask, found)
        if isinstance(what, Failed) and _is_known(cell, what):
            self.taken.counts["known"] += 1
            return
        self._group[label.cell] = what
        if len(self._group) >= _GROUP:
            self._keep()

    def _keep(self) -> None:
        group, self._group = self._group, {}
        kept = {change.no for change in self._bench.receive_many(group.items())}
        for number, what in group.items():
            sort = "failed" if isinstance(what, Failed) else "judged"
            self.taken.counts[sort if number in kept else "known"] += 1

    def _judged(self, label: Label, ask: Ask, found: Row) -> Proposed | Failed:
        judge, terms = self._how(label, found)
        unknown = JudgeRecord(judge.name, judge.name)
        if found.trouble:
            return Failed(_said(found.trouble), found.trouble.raw, _told(unknown, label, terms))
        briefing = terms.briefing if terms else UNBRIEFED
        try:
            proposal = judge.replayed(ask.subject, ask.trace, briefing, found.body, sent=label.prompt)
        except JudgmentFailed as failure:
            return Failed(failure.reason, failure.raw, _told(failure.record or unknown, label, terms))
        return Proposed(proposal.labels, _told(proposal.record, label, terms))

    def _how(self, label: Label, found: Row) -> _Asked:
        """How the request was made, as this workspace remembers it, else what the answer itself says."""
        if label.tag not in self._asked:
            told = self._bench.workspace.meta(key_of(label.tag))
            terms = Terms.from_json(json.loads(told)) if told else None
            endpoint = terms.endpoint if terms else Endpoint(_model(found))
            self._asked[label.tag] = _Asked(OpenAIJudge(endpoint, keyless=True), terms)
        return self._asked[label.tag]


def _model(found: Row) -> str:
    model = found.body.get("model")
    return model if isinstance(model, str) and model else "batch"


def _said(trouble: Trouble) -> str:
    answered = f"answered {trouble.status}" if trouble.status >= 400 else "gave no answer"  # noqa: PLR2004 - HTTP's
    return f"The batch {answered}: {trouble.said}"


def _told(record: JudgeRecord, label: Label, terms: Terms | None) -> dict[str, Any]:
    """The record as facts keep it; it claims no prompt but the one that was sent, and no parameter that was not."""
    if not (record.prompt_sha256 or "").startswith(label.prompt):
        record = replace(record, prompt_sha256=None, template_sha256=None)
    served = {name: record.parameters[name] for name in ("served_model",) if name in record.parameters}
    sent = dict(terms.parameters) if terms else {"batch": True}
    url = {"base_url": terms.endpoint.base_url} if terms and terms.endpoint.base_url else {}
    told = replace(record, parameters=dict(sorted((sent | served | url).items())), latency=None).to_file()
    return told | ({"round": label.round} if label.round > 1 else {})


def _is_known(cell: Cell, failed: Failed) -> bool:
    """Whether the cell failed so already, in this round."""
    known = cell.error
    return known is not None and known.error == failed.error and round_of(known) == round_of(failed)
