"""The answers of a batch engine, taken in line by line and kept in groups."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.facts import Failed, Proposed
from appellate.core.kind import UNBRIEFED
from appellate.core.problem import quoted
from appellate.judges.batches import BatchRow, Broken, row
from appellate.judges.coerce import text
from appellate.judges.completion import Trouble
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import JudgeRecord, JudgmentFailed
from appellate.judging.batch_requests import (
    RequestId,
    RequestSettings,
    prompt_hash,
    subject_hash,
)
from appellate.judging.questions import Question, has_failed_so
from appellate.session.workbench import Workbench
from appellate.store import meta

MOST_FAULTS = 20
"""Lines that are told one by one; the rest is counted."""
_GROUP = 200
ReadRow = Callable[[bytes], BatchRow]


class ImportOutcome(Struct):
    """What became of the lines: how many of each sort, and the first that could not be used.

    Sorts: judged, failed, known (there already), unasked (the batch ended first), strange (about no
    cell of this audit as it is) and broken.
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, sort: str, text: str) -> None:
        self.counts[sort] += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(text)


def import_results(bench: Workbench, files: Iterable[Path], row: ReadRow = row) -> ImportOutcome:
    """Takes in these files' answers; what is known already changes nothing. Raises NotKept."""
    intake = _Intake(bench, row)
    for path in files:
        with path.open("rb") as lines:
            intake.read(path.name, lines)
    return intake.taken


class _RequestOrigin(NamedTuple):
    """What is known of how a request was made.

    `settings` is None where this workspace did not make it.
    """

    judge: OpenAIJudge
    settings: RequestSettings | None


class _Intake:
    """One import."""

    def __init__(self, bench: Workbench, row: ReadRow) -> None:
        self._bench = bench
        self._row = row
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
            found = self._row(line)
        except Broken as broken:
            text = str(broken)
            if not line.endswith(b"\n"):
                text = "ends in the middle: the file is not whole yet"
            self.taken.fault("broken", f"{place} {text}")
            return
        request_id = RequestId.read(found.custom_id)
        if request_id is None or not 1 <= request_id.cell <= self._cells:
            text = f"has the custom_id {quoted(found.custom_id)}, and no cell here has it"
            self.taken.fault("strange", f"{place} {text}")
        else:
            self._answer(place, request_id, found)

    def _answer(self, place: str, request_id: RequestId, found: BatchRow) -> None:
        if request_id.cell in self._group:
            self._keep()
        trace, cell = self._bench.open(request_id.cell)
        job = Question(request_id.cell, cell.subject, self._bench.workspace.rubric.asked(trace))
        if not self._is_about(job, request_id, found):
            text = f"is about cell {request_id.cell} with other words than it has now"
            self.taken.fault("strange", f"{place} {text}")
        elif found.unasked:
            self.taken.counts["unasked"] += 1
        elif request_id.round <= cell.round:
            self.taken.counts["known"] += 1
        else:
            what = self._judged(request_id, job, found)
            if isinstance(what, Failed) and has_failed_so(cell, what):
                self.taken.counts["known"] += 1
                return
            self._group[request_id.cell] = what
            if len(self._group) >= _GROUP:
                self._keep()

    def _is_about(self, job: Question, request_id: RequestId, found: BatchRow) -> bool:
        """Whether the cell is what was asked about.

        A trait that is only measured otherwise asks the same.
        """
        if subject_hash(job) == request_id.subject:
            return True
        settings = self._how(request_id, found).settings
        if settings is None:
            return False
        asked = replace(job, briefing=settings.briefing)
        prompts = (prompt_hash(asked, listed=False), prompt_hash(asked, listed=True))
        return request_id.prompt in prompts

    def _keep(self) -> None:
        group, self._group = self._group, {}
        kept = {change.no for change in self._bench.receive_many(group.items())}
        for number, what in group.items():
            if number not in kept:
                self.taken.counts["known"] += 1
            elif isinstance(what, Failed):
                self.taken.counts["failed"] += 1
            else:
                self.taken.counts["judged"] += 1

    def _judged(self, request_id: RequestId, job: Question, found: BatchRow) -> Proposed | Failed:
        judge, settings = self._how(request_id, found)
        unknown = JudgeRecord(judge.name, judge.name)
        if found.trouble:
            record = _describe(unknown, request_id, settings)
            text, raw = map(judge.secretless, (_wording(found.trouble), found.trouble.raw))
            return Failed(text, raw, record)
        briefing = UNBRIEFED
        if settings:
            briefing = settings.briefing
        try:
            proposal = judge.replayed(
                job.subject, job.trace, briefing, found.body, sent=request_id.prompt
            )
        except JudgmentFailed as failed:
            failure = failed.failure
            record = _describe(failure.record or unknown, request_id, settings)
            return Failed(failure.describe, failure.raw, record)
        return Proposed(proposal.labels, _describe(proposal.record, request_id, settings))

    def _how(self, request_id: RequestId, found: BatchRow) -> _RequestOrigin:
        """How the request was made, as this workspace remembers it, else as the answer says."""
        if request_id.tag not in self._asked:
            settings, endpoint = None, Endpoint(text(found.body.get("model")) or "batch")
            wording = self._bench.workspace.meta(meta.batch(request_id.tag))
            if wording:
                settings = RequestSettings.from_json(json.loads(wording))
                endpoint = settings.endpoint
            judge = OpenAIJudge(endpoint, keyless=True)
            self._asked[request_id.tag] = _RequestOrigin(judge, settings)
        return self._asked[request_id.tag]


def _wording(trouble: Trouble) -> str:
    if trouble.status < 400:  # noqa: PLR2004 - HTTP's
        return f"The batch gave no answer: {trouble.message}"
    return f"The batch answered {trouble.status}: {trouble.message}"


def _describe(
    record: JudgeRecord, request_id: RequestId, settings: RequestSettings | None
) -> dict[str, Any]:
    """The record as facts keep it.

    It claims no prompt but the one that was sent, and no parameter that was not.
    """
    if not (record.prompt_sha256 or "").startswith(request_id.prompt):
        record = replace(record, prompt_sha256=None, template_sha256=None)
    sent: dict[str, Any] = {"batch": True}
    if settings:
        sent = dict(settings.parameters)
    if "served_model" in record.parameters:
        sent["served_model"] = record.parameters["served_model"]
    if settings and settings.endpoint.base_url:
        sent["base_url"] = settings.endpoint.base_url
    fields = replace(record, parameters=dict(sorted(sent.items())), latency=None).to_file()
    if request_id.round > 1:
        fields["round"] = request_id.round
    return fields
