"""Questions asked by files of requests and by the Batch API, and their answers taken in.

A request names its cell and round, and hashes of terms, trait and prompt; its answer is a judgment.
Batches are noted in the workspace until their answers are in.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace

from appellate.core.facts import Failed, Proposed
from appellate.core.kind import Briefing, Example
from appellate.core.problem import Refused, quoted
from appellate.core.trace import Trace
from appellate.core.transcript import ConversationTrace, as_conversation
from appellate.judges.batches import (
    Batch,
    BatchRow,
    BatchServer,
    Broken,
    NoSuchBatch,
    ReadRow,
    row,
    rows,
)
from appellate.judges.completion import Trouble, text
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge
from appellate.judges.overlong import refused_for_length
from appellate.judges.proposal import JudgeRecord, JudgmentFailed, Question
from appellate.judging.questions import has_failed_so, savable
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace
from appellate.talk.dialogue import Prompt, Unreadable

_LABEL = re.compile(r"(\d{1,12})-(\d{1,6})-([0-9a-f]{8})-([0-9a-f]{12})-([0-9a-f]{12})", re.ASCII)
_UNTOLD = ("model", "messages", "input", "instructions", "response_format", "text")


class RequestId(NamedTuple):
    """A request's custom id: cell, round, tag of its terms, hashes of its subject and prompt."""

    cell: int
    round: int
    tag: str
    subject: str
    prompt: str

    def __str__(self) -> str:
        return "-".join(map(str, self))

    @classmethod
    def read(cls, text: str) -> "RequestId | None":
        found = _LABEL.fullmatch(text)
        if not found:
            return None
        return cls(int(found[1]), int(found[2]), *found.groups()[2:])


def subject_hash(question: Question) -> str:
    """The hash of all that an answer is about: response, question, trait."""
    trace = question.trace
    shown = [trace.id, trace.epoch, trace.question, trace.reference, trace.text]
    return _digest([*shown, question.subject.trait.sha256()], 12)


def prompt_hash(prompt: Prompt, *, listed: bool) -> str:
    """The beginning of the hash by which a judgment names its prompt."""
    return prompt.sha256(as_lists=listed)[:12]


def _digest(value: object, length: int) -> str:
    whole = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()[:length]


class RequestSettings(Struct, frozen=True, dict=True):
    """How requests are made, kept in the workspace, so that taking answers in needs no options."""

    endpoint: Endpoint
    briefing: Briefing
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def tag(self) -> str:
        return _digest(self.to_json(), 8)

    def to_json(self) -> dict[str, Any]:
        examples = [
            [
                example.trace.model_dump(exclude_none=True),
                example.table,
                example.judged,
                example.trace.transcript is not None,
                _longest_result(example.trace),
            ]
            for example in self.briefing.examples
        ]
        return {
            "endpoint": to_builtins(self.endpoint),
            "parts": dict(self.briefing.parts),
            "examples": examples,
            "parameters": dict(self.parameters),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        endpoint = convert(fields["endpoint"], Endpoint)
        examples: list[Example] = []
        for body, table, judged, *how in fields["examples"]:
            trace = Trace.model_validate(body)
            is_conversation, longest_result = [*how, False, None][:2]
            if is_conversation:
                trace = as_conversation(trace, longest_result)
            examples.append(Example(trace, table, judged))
        briefing = Briefing(fields["parts"], tuple(examples))
        return cls(endpoint, briefing, fields["parameters"])


def _longest_result(trace: Trace) -> int | None:
    """Return how long the results of tools in a conversation are at most; None for no bound."""
    if isinstance(trace, ConversationTrace):
        return trace.longest_result
    return None


def parameters_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request's parameters as they are recorded: the format by its name, its schema left out."""
    fields = {name: value for name, value in body.items() if name not in _UNTOLD}
    form = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    return {**fields, "response_format": form.get("type", "text"), "batch": True}


MOST_LINES = 50_000
MOST_BYTES = 200_000_000
"""What the Batch API takes in one file."""


class Shard(NamedTuple):
    file: Path
    lines: int


class Shards:
    """The files of one export: named once all are whole, and gone where something fails."""

    def __init__(
        self, out: Path, most_lines: int = MOST_LINES, most_bytes: int = MOST_BYTES
    ) -> None:
        """Raises Unusable where the files would take the place of others."""
        if not out.name:
            raise unusable(str(out), "this is a folder", "name a file in it")
        if not out.parent.is_dir():
            raise unusable(str(out), f"there is no folder {out.parent}", "make it first")
        for path in (out, numbered(out, 1)):
            if path.exists():
                raise unusable(str(path), "there is a file of this name", "name another with -o")
        self._out = out
        self._most_lines = most_lines
        self._most_bytes = most_bytes
        self._done: list[Shard] = []
        self._file: IO[bytes] | None = None
        self._lines = self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()
        for number in range(1, len(self._done) + 2):
            self._unnamed(number).unlink(missing_ok=True)

    def add(self, line: bytes) -> None:
        """Adds a request; raises OSError, which names the file that was asked for."""
        with atomic.naming(self._out):
            self._add(line)

    def _add(self, line: bytes) -> None:
        too_large = self._lines and self._size + len(line) > self._most_bytes
        if too_large or self._lines >= self._most_lines:
            self._finish()
        if self._file is None:
            unnamed = self._unnamed(len(self._done) + 1)
            self._file = open(unnamed, "wb", opener=atomic.private)  # noqa: SIM115
        self._file.write(line)
        self._lines, self._size = self._lines + 1, self._size + len(line)

    def named(self) -> list[Shard]:
        """The finished files: one under the name that was asked for, several with numbers in it."""
        with atomic.naming(self._out):
            return self._named()

    def _named(self) -> list[Shard]:
        self._finish()
        named = []
        for number, shard in enumerate(self._done, 1):
            file = self._out
            if len(self._done) > 1:
                file = numbered(file, number)
            named.append(shard._replace(file=shard.file.rename(file)))
        if named:
            atomic.settle(self._out.parent)
        return named

    def _finish(self) -> None:
        if self._file:
            self._file.close()
            atomic.flush(self._unnamed(len(self._done) + 1))
            self._done.append(Shard(self._unnamed(len(self._done) + 1), self._lines))
        self._file = None
        self._lines = 0
        self._size = 0

    def _unnamed(self, number: int) -> Path:
        return self._out.with_name(f".{self._out.name}.{number}.tmp")


def numbered(out: Path, number: int) -> Path:
    """`x-0001.jsonl` for `x.jsonl`."""
    return out.with_name(f"{out.stem}-{number:04}{out.suffix}")


_SEPARATORS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}
"""Where some readers of lines would break one."""


def line_of(custom_id: str, path: str, body: Mapping[str, Any]) -> bytes:
    return as_line({"custom_id": custom_id, "method": "POST", "url": path, "body": body})


def as_line(fields: Mapping[str, Any]) -> bytes:
    """A line of JSON that every reader takes for one line."""
    text = json.dumps(fields, ensure_ascii=False).translate(_SEPARATORS)
    return text.encode("utf-8", "replace") + b"\n"


def export(
    questions: Iterable[Question],
    judge: OpenAIJudge,
    workspace: Workspace,
    shards: Shards,
    line: Callable[[str, str, Mapping[str, Any]], bytes] = line_of,
    sent_to: str | None = None,
) -> list[Shard]:
    """Writes requests in the order of the cells; `sent_to` is the server's URL, if it is known."""
    endpoint = replace(judge.endpoint, base_url=sent_to or judge.endpoint.base_url)
    kept: set[str] = set()
    for question in questions:
        try:
            prompt = next(question.dialogue())
        except Unreadable:
            continue  # nothing can be asked about it: `judge` says why
        body = judge.request(prompt)
        settings = RequestSettings(endpoint, question.briefing, parameters_of(body))
        if settings.tag not in kept:
            workspace.set_meta(meta.batch(settings.tag), json.dumps(settings.to_json()))
            kept.add(settings.tag)
        request_id = RequestId(
            question.cell,
            question.round,
            settings.tag,
            subject_hash(question),
            prompt_hash(prompt, listed=judge.asks_in_lists(prompt)),
        )
        shards.add(line(str(request_id), path_of(judge), body))
    return shards.named()


def path_of(judge: OpenAIJudge) -> str:
    """The path that each request names, without the server's base URL."""
    return f"/v1{judge.path}"


# -- answers about cells ---------------------------------------------------------------------------


MOST_FAULTS = 20
"""Lines that are listed one by one; the rest is counted."""
_GROUP = 200


class ImportOutcome(Struct):
    """What became of the lines, by sort, and the first that could not be used.

    `unasked`: the batch ended first; `strange`: about no cell of this audit as it is.
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def fault(self, sort: str, text: str) -> None:
        self.counts[sort] += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(text)


def import_results(bench: Workbench, files: Iterable[Path], row: ReadRow = row) -> ImportOutcome:
    """Takes in these files' answers; what is known already changes nothing. Raises NotKept."""
    intake = _Intake(bench)
    for place, found in rows(files, row):
        if isinstance(found, Broken):
            intake.taken.fault("broken", f"{place} {found}")
        else:
            intake.take(place, found)
    intake.keep()
    return intake.taken


class _RequestOrigin(NamedTuple):
    """How a request was made; `settings` is None where this workspace did not make it."""

    judge: OpenAIJudge
    settings: RequestSettings | None


class _Intake:
    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._cells = bench.workspace.cells.count()
        self._asked: dict[str, _RequestOrigin] = {}
        self._group: dict[int, Proposed | Failed] = {}
        self.taken = ImportOutcome()

    def take(self, place: str, found: BatchRow) -> None:
        request_id = RequestId.read(found.custom_id)
        if request_id is None or not 1 <= request_id.cell <= self._cells:
            text = f"has the custom_id {quoted(found.custom_id)}, and no cell here has it"
            self.taken.fault("strange", f"{place} {text}")
        else:
            self._answer(place, request_id, found)

    def _answer(self, place: str, request_id: RequestId, found: BatchRow) -> None:
        if request_id.cell in self._group:
            self.keep()
        trace, cell = self._bench.open(request_id.cell)
        question = Question(cell.subject, trace, cell=request_id.cell)
        if not self._is_about(question, request_id, found):
            text = f"is about cell {request_id.cell} with other words than it has now"
            self.taken.fault("strange", f"{place} {text}")
        elif found.unasked:
            self.taken.counts["unasked"] += 1
        elif request_id.round <= cell.round:
            self.taken.counts["known"] += 1
        else:
            what = savable(self._judged(request_id, question, found))
            if isinstance(what, Failed) and has_failed_so(cell, what):
                self.taken.counts["known"] += 1
                return
            self._group[request_id.cell] = what
            if len(self._group) >= _GROUP:
                self.keep()

    def _is_about(self, question: Question, request_id: RequestId, found: BatchRow) -> bool:
        """Whether the cell is what was asked about; a trait that is only measured otherwise is."""
        if subject_hash(question) == request_id.subject:
            return True
        settings = self._how(request_id, found).settings
        if settings is None:
            return False
        if question.lacking:
            return False
        asked = replace(question, briefing=settings.briefing)
        prompt = next(asked.dialogue())
        hashes = (prompt_hash(prompt, listed=False), prompt_hash(prompt, listed=True))
        return request_id.prompt in hashes

    def keep(self) -> None:
        group = self._group
        self._group = {}
        kept = {change.no for change in self._bench.receive_many(group.items())}
        for number, what in group.items():
            if number not in kept:
                self.taken.counts["known"] += 1
            elif isinstance(what, Failed):
                self.taken.counts["failed"] += 1
            else:
                self.taken.counts["judged"] += 1

    def _judged(
        self, request_id: RequestId, question: Question, found: BatchRow
    ) -> Proposed | Failed:
        judge, settings = self._how(request_id, found)
        unknown = JudgeRecord(judge.name, judge.name)
        asked = question
        if settings:
            asked = replace(question, briefing=settings.briefing)
        if question.lacking:
            return Failed(question.lacking, "", _describe(unknown, request_id, settings))
        if found.trouble:
            record = _describe(unknown, request_id, settings)
            wording = _wording(found.trouble)
            refusal = refused_for_length(found.trouble)
            if refusal:
                wording = refusal.describe(judge.name, next(asked.dialogue()))
            text, raw = map(judge.secretless, (wording, found.trouble.raw))
            return Failed(text, raw, record)
        try:
            proposal = judge.replayed(asked, found.body, sent=request_id.prompt)
        except JudgmentFailed as failed:
            failure = failed.failure
            record = _describe(failure.record or unknown, request_id, settings)
            return Failed(failure.describe, failure.raw, record)
        return Proposed(proposal.labels, _describe(proposal.record, request_id, settings))

    def _how(self, request_id: RequestId, found: BatchRow) -> _RequestOrigin:
        """How the request was made, as this workspace remembers it, else as the answer says."""
        if request_id.tag not in self._asked:
            settings = None
            endpoint = Endpoint(text(found.body.get("model")) or "batch")
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
    """The record as facts keep it, with no prompt or parameter but what was sent."""
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


# -- submitted batches -----------------------------------------------------------------------------


class SubmittedFile(Struct, frozen=True):
    """One file of requests at a server; `id` is empty until its batch is known to have begun.

    `base_url` and `api_key_env` are options, `url` is what came of them. `over`: nothing is left
    to fetch. `replies` is "", or a file of replies where an earlier version asked for a probe.
    """

    file: str
    url: str
    model: str
    cells: int
    base_url: str | None = None
    api_key_env: str | None = None
    id: str = ""
    over: bool = False
    replies: str = ""


class Standing(NamedTuple):
    """An entry and its batch, None where the server knows of none."""

    entry: SubmittedFile
    batch: Batch | None


def entries(workspace: Workspace) -> list[SubmittedFile]:
    """Return the batches of cells whose answers are not in, oldest first."""
    return [entry for entry in _submitted(workspace) if not entry.over and not entry.replies]


def probe_entries(workspace: Workspace) -> list[SubmittedFile]:
    """Return the batches that an earlier version submitted for probes, which nobody fetches."""
    return [entry for entry in _submitted(workspace) if not entry.over and entry.replies]


def warning(workspace: Workspace) -> list[str]:
    """What to say before asking: what is in a batch would be paid for twice."""
    count = sum(entry.cells for entry in entries(workspace))
    if not count:
        return []
    text = f"{count} cells are in batches whose answers are not in (batch fetch)"
    return [f"{text}: asked now, they are paid for twice."]


def refuse_twice(workspace: Workspace, audit: str) -> None:
    """Raises Refused while answers may come: never pay twice for the same."""
    if entries(workspace):
        text = f"take the answers in first with `appellate batch fetch {audit}`"
        raise Refused(f"What was submitted before may still be answered: {text}.")


def _submitted(workspace: Workspace) -> list[SubmittedFile]:
    return [SubmittedFile(**value) for value in json.loads(workspace.meta(meta.BATCHES) or "[]")]


def keep_submitted(workspace: Workspace, entry: SubmittedFile) -> SubmittedFile:
    """Keeps an entry, in place of what was known of its file."""
    known = {one.file: one for one in _submitted(workspace)} | {entry.file: entry}
    workspace.set_meta(meta.BATCHES, json.dumps([to_builtins(one) for one in known.values()]))
    return entry


async def submit(
    server: BatchServer, workspace: Workspace, shard: Shard, about: SubmittedFile, path: str
) -> Standing:
    """Uploads a file and starts its batch; the file is kept first, so that none is forgotten."""
    file = await server.upload(shard.file)
    entry = keep_submitted(workspace, replace(about, file=file, cells=shard.lines))
    batch = await server.begin(file, path)
    return Standing(keep_submitted(workspace, replace(entry, id=batch.id)), batch)


async def look_at(server: BatchServer, entry: SubmittedFile) -> Standing:
    """Where a batch stands; one whose id never came back is looked for by its file."""
    batch = None
    with suppress(NoSuchBatch):
        if entry.id:
            batch = await server.look(entry.id)
        else:
            batch = await server.begun_from(entry.file)
    if batch:
        entry = replace(entry, id=batch.id)
    return Standing(entry, batch)
