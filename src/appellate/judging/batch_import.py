"""The answers of a batch engine, taken in line by line and kept in groups."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from appellate.core.cell import Cell
from appellate.core.facts import Failed, Proposed
from appellate.core.kind import UNBRIEFED
from appellate.core.problem import quoted
from appellate.judges.batches import BatchRow, Broken, row
from appellate.judges.completion import Trouble
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import JudgeRecord, JudgmentFailed
from appellate.judging.batch_requests import (
    RequestId,
    RequestSettings,
    key_of,
    prompt_hash,
    subject_hash,
)
from appellate.judging.jobs import Job, has_failed_so
from appellate.workbench import Workbench

MOST_FAULTS = 20
"""Lines that are told one by one; the rest is counted."""
_GROUP = 200


@dataclass(slots=True)
class ImportOutcome:
    """What became of the lines: how many of each sort, and the first that could not be used.

    Sorts: judged, failed, known (there already), unasked (the batch ended first), strange (about no
    cell of this audit as it is) and broken.
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, sort: str, told: str) -> None:
        self.counts[sort] += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(told)


def import_results(bench: Workbench, files: Iterable[Path]) -> ImportOutcome:
    """Takes in these files' answers; what is known already changes nothing. Raises NotKept."""
    intake = _Intake(bench)
    for path in files:
        with path.open("rb") as lines:
            intake.read(path.name, lines)
    return intake.taken


class _RequestOrigin(NamedTuple):
    """What is known of how a request was made.

    `terms` is None where this workspace did not make it.
    """

    judge: OpenAIJudge
    settings: RequestSettings | None


class _Intake:
    """One import."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._cells = bench.workspace.cells.count()
        self._asked: dict[str, _RequestOrigin] = {}
        self._group: dict[int, Proposed | Failed] = {}
        self.taken = ImportOutcome()

    def read(self, name: str, lines: Iterable[bytes]) -> None:
        for number, line in enumerate(lines, 1):
            if line.strip():
                self._line(f"{name}: line {number}", line)
        self._keep()

    def _line(self, place: str, line: bytes) -> None:
        try:
            found = row(line)
        except Broken as broken:
            told = (
                str(broken)
                if line.endswith(b"\n")
                else "ends in the middle: the file is not whole yet"
            )
            self.taken.fault("broken", f"{place} {told}")
            return
        request_id = RequestId.read(found.custom_id)
        if request_id is None or not 1 <= request_id.cell <= self._cells:
            self.taken.fault(
                "strange",
                f"{place} has the custom_id {quoted(found.custom_id)}, and no cell here has it",
            )
        else:
            self._answer(place, request_id, found)

    def _answer(self, place: str, request_id: RequestId, found: BatchRow) -> None:
        if request_id.cell in self._group:
            self._keep()
        trace, cell = self._bench.open(request_id.cell)
        job = Job(request_id.cell, cell.subject, self._bench.workspace.rubric.asked(trace))
        if not self._is_about(job, request_id, found):
            self.taken.fault(
                "strange",
                f"{place} is about cell {request_id.cell} with other words than it has now",
            )
        elif found.unasked:
            self.taken.counts["unasked"] += 1
        elif request_id.round <= cell.round:
            self.taken.counts["known"] += 1
        else:
            self._take(request_id, job, cell, found)

    def _is_about(self, job: Job, request_id: RequestId, found: BatchRow) -> bool:
        """Whether the cell is what was asked about.

        A trait that is only measured otherwise asks the same.
        """
        if subject_hash(job) == request_id.subject:
            return True
        settings = self._how(request_id, found).settings
        if settings is None:
            return False
        asked = replace(job, briefing=settings.briefing)
        return any(
            prompt_hash(asked, listed=listed) == request_id.prompt for listed in (False, True)
        )

    def _take(self, request_id: RequestId, job: Job, cell: Cell, found: BatchRow) -> None:
        what = self._judged(request_id, job, found)
        if isinstance(what, Failed) and has_failed_so(cell, what):
            self.taken.counts["known"] += 1
            return
        self._group[request_id.cell] = what
        if len(self._group) >= _GROUP:
            self._keep()

    def _keep(self) -> None:
        group, self._group = self._group, {}
        kept = {change.no for change in self._bench.receive_many(group.items())}
        for number, what in group.items():
            sort = "failed" if isinstance(what, Failed) else "judged"
            self.taken.counts[sort if number in kept else "known"] += 1

    def _judged(self, request_id: RequestId, job: Job, found: BatchRow) -> Proposed | Failed:
        judge, settings = self._how(request_id, found)
        unknown = JudgeRecord(judge.name, judge.name)
        if found.trouble:
            return Failed(
                _said(found.trouble), found.trouble.raw, _told(unknown, request_id, settings)
            )
        briefing = settings.briefing if settings else UNBRIEFED
        try:
            proposal = judge.replayed(
                job.subject, job.trace, briefing, found.body, sent=request_id.prompt
            )
        except JudgmentFailed as failed:
            failure = failed.failure
            return Failed(
                failure.reason, failure.raw, _told(failure.record or unknown, request_id, settings)
            )
        return Proposed(proposal.labels, _told(proposal.record, request_id, settings))

    def _how(self, request_id: RequestId, found: BatchRow) -> _RequestOrigin:
        """How the request was made, as this workspace remembers it, else as the answer says."""
        if request_id.tag not in self._asked:
            told = self._bench.workspace.meta(key_of(request_id.tag))
            settings = RequestSettings.from_json(json.loads(told)) if told else None
            endpoint = settings.endpoint if settings else Endpoint(_model(found))
            self._asked[request_id.tag] = _RequestOrigin(
                OpenAIJudge(endpoint, keyless=True), settings
            )
        return self._asked[request_id.tag]


def _model(found: BatchRow) -> str:
    model = found.body.get("model")
    return model if isinstance(model, str) and model else "batch"


def _said(trouble: Trouble) -> str:
    answered = f"answered {trouble.status}" if trouble.status >= 400 else "gave no answer"  # noqa: PLR2004 - HTTP's
    return f"The batch {answered}: {trouble.said}"


def _told(
    record: JudgeRecord, request_id: RequestId, settings: RequestSettings | None
) -> dict[str, Any]:
    """The record as facts keep it.

    It claims no prompt but the one that was sent, and no parameter that was not.
    """
    if not (record.prompt_sha256 or "").startswith(request_id.prompt):
        record = replace(record, prompt_sha256=None, template_sha256=None)
    served = {
        name: record.parameters[name] for name in ("served_model",) if name in record.parameters
    }
    sent = dict(settings.parameters) if settings else {"batch": True}
    url = (
        {"base_url": settings.endpoint.base_url} if settings and settings.endpoint.base_url else {}
    )
    told = replace(
        record, parameters=dict(sorted((sent | served | url).items())), latency=None
    ).to_file()
    return told | ({"round": request_id.round} if request_id.round > 1 else {})
