"""Questions that are asked by files of requests or the Batch API, and the import of their answers.

`export()` writes the requests, `submit()` starts a batch of them, and `import_results()` reads the
answers. The id of a request names its cell and round, and has hashes of its settings, its trait and
its prompt. The settings and the submitted batches are saved in the workspace.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import IO, Any, Literal, NamedTuple, Self

from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace

from appellate.core.facts import Failed, Proposed
from appellate.core.kind import Briefing, Example
from appellate.core.problem import Refused, many, quoted
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
from appellate.judging.estimate import first_prompt
from appellate.judging.questions import has_same_failure, savable
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace
from appellate.talk.dialogue import Prompt

_REQUEST_ID = re.compile(
    r"(\d{1,12})-(\d{1,6})-([0-9a-f]{8})-([0-9a-f]{12})-([0-9a-f]{12})",
    re.ASCII,
)
_NOT_RECORDED = (
    "model",
    "messages",
    "input",
    "instructions",
    "response_format",
    "text",
)
"""Fields of a request that are no parameters."""


class RequestId(NamedTuple):
    """The `custom_id` of a request: what it asks about, and by which settings."""

    cell: int
    round: int
    tag: str
    """The hash of its settings, under which the workspace has them."""
    subject: str
    """The hash of the trace and the trait."""
    prompt: str
    """The beginning of the prompt's hash."""

    def __str__(self) -> str:
        return "-".join(map(str, self))

    @classmethod
    def parse(cls, text: str) -> "RequestId | None":
        """Return the id that a text is as a whole, or None if it is none.

        An id looks like `12-1-0a1b2c3d-0123456789ab-0123456789ab`: the number of a cell, its round,
        and hashes of 8, 12 and 12 lower-case hexadecimal digits. No cell is looked up, so the id
        may be that of another audit.
        """
        match = _REQUEST_ID.fullmatch(text)
        if match is None:
            return None
        cell, round_no, tag, subject, prompt = match.groups()
        return cls(int(cell), int(round_no), tag, subject, prompt)


def subject_hash(question: Question) -> str:
    """Return the first 12 hexadecimal digits of the hash of all that an answer is about.

    That is the trace's id, epoch, question, reference and text, and the trait. The judge, its
    examples and its parts of prompts are not in it.
    """
    trace = question.trace
    parts = [trace.id, trace.epoch, trace.question, trace.reference, trace.text]
    return _digest([*parts, question.subject.trait.sha256()], 12)


def prompt_hash(prompt: Prompt, *, listed: bool) -> str:
    """Return the first 12 hexadecimal digits of the hash by which a judgment names its prompt.

    `listed` says whether the reply is to be one list of answers. The hash is then another if the
    prompt has a form for that, and the same if it has none.
    """
    return prompt.sha256(as_lists=listed)[:12]


def _digest(value: object, length: int) -> str:
    """Return the first `length` hexadecimal digits of the SHA-256 of a value as JSON.

    The order of keys does not matter. Raises TypeError for a value that JSON cannot hold.
    """
    hashed_text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(hashed_text.encode()).hexdigest()[:length]


class RequestSettings(Struct, frozen=True, dict=True):
    """How requests were made, saved in the workspace so that an import needs no options."""

    endpoint: Endpoint
    briefing: Briefing
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the request, as a judgment records them."""

    @cached_property
    def tag(self) -> str:
        """The first 8 hexadecimal digits of the hash of `to_json`, a part of each request's id."""
        return _digest(self.to_json(), 8)

    def to_json(self) -> dict[str, Any]:
        """Return the settings as the workspace saves them, as an object for JSON.

        Its keys are `endpoint`, `parts`, `examples` and `parameters`. An example is a list: its
        trace, its audited labels, its judge's labels, whether it is a conversation, and the
        characters to which results of its tools are shortened or None. `tag` is the hash of this,
        so its shape is a part of each request's id.
        """
        examples: list[list[Any]] = []
        for example in self.briefing.examples:
            is_conversation = example.trace.transcript is not None
            longest_result = None
            if isinstance(example.trace, ConversationTrace):
                longest_result = example.trace.longest_result
            examples.append(
                [
                    example.trace.model_dump(exclude_none=True),
                    example.table,
                    example.judged,
                    is_conversation,
                    longest_result,
                ],
            )
        return {
            "endpoint": to_builtins(self.endpoint),
            "parts": dict(self.briefing.parts),
            "examples": examples,
            "parameters": dict(self.parameters),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return the settings that `to_json` saved, also those that an older version saved.

        The list of an example of an older version may lack the last two fields: then it is no
        conversation. If it lacks only the last, results of its tools are not shortened.
        """
        endpoint = convert(fields["endpoint"], Endpoint)
        examples: list[Example] = []
        for trace_fields, table, judged, *about_conversation in fields["examples"]:
            trace = Trace.model_validate(trace_fields)
            is_conversation, *lengths = about_conversation or [False]
            if is_conversation:
                longest_result = lengths[0] if lengths else None
                trace = as_conversation(trace, longest_result)
            examples.append(Example(trace, table, judged))
        briefing = Briefing(fields["parts"], tuple(examples))
        return cls(endpoint, briefing, fields["parameters"])


def parameters_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters in the body of a request, as a judgment records them.

    The fields with the model, the prompt and the format of replies are left out. `response_format`
    is then only the name of the format, such as "json_schema", or "text" if the body has none.
    `batch` is added, and is True: such as {"temperature": 0, "response_format": "text", "batch":
    True}. The body may be one of the chat API or of the responses API.
    """
    fields = {name: value for name, value in body.items() if name not in _NOT_RECORDED}
    reply_format = body.get("response_format")
    if not reply_format:
        text_settings = body.get("text") or {}
        reply_format = text_settings.get("format") or {}
    fields["response_format"] = reply_format.get("type", "text")
    fields["batch"] = True
    return fields


MOST_LINES = 50_000
"""Lines that the Batch API takes in one file."""
MOST_BYTES = 200_000_000
"""Bytes that the Batch API takes in one file."""


class Shard(NamedTuple):
    """One file of an export, and the number of its requests."""

    file: Path
    lines: int


class Shards:
    """The files of one export, as a context in which requests are added.

    The files get their names once all are complete. They are deleted if something fails before
    that.
    """

    def __init__(
        self,
        out: Path,
        most_lines: int = MOST_LINES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """Check the name of the files, and write nothing yet.

        A file gets at most `most_lines` lines and `most_bytes` bytes, and further files get the
        rest. Raises Unusable if `out` has no name, if its folder does not exist, or if there is a
        file of its name or of the first name with a number, such as `x-0001.jsonl`.
        """
        if not out.name:
            raise unusable(str(out), "this is a folder", "name a file in it")
        if not out.parent.is_dir():
            raise unusable(
                str(out),
                f"there is no folder {out.parent}",
                "make it first",
            )
        for path in (out, numbered(out, 1)):
            _refuse_existing(path)
        self._out = out
        self._most_lines = most_lines
        self._most_bytes = most_bytes
        self._finished: list[Shard] = []
        self._file: IO[bytes] | None = None
        self._lines = self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the current file, and delete all files that `name_files` has not renamed.

        An error in the block passes on. The rest of a file that could not be written, as on a full
        disk, is dropped with it. Raises OSError if a file cannot be deleted.
        """
        if self._file:
            # the file is deleted, so what its buffer still holds need not be written
            with suppress(OSError):
                self._file.close()
        for number in range(1, len(self._finished) + 2):
            self._temporary_path(number).unlink(missing_ok=True)

    def add(self, line: bytes) -> None:
        """Write one line of requests to the current file, or to a new one if that is full.

        `line` is the whole line with its line end, as `json_line` returns it. A line that is larger
        than any file may be gets a file of its own. Raises OSError with the name that the user
        asked for.
        """
        with atomic.naming(self._out):
            has_too_many_bytes = self._size + len(line) > self._most_bytes
            has_too_many_lines = self._lines >= self._most_lines
            if has_too_many_lines or (self._lines and has_too_many_bytes):
                self._finish()
            if self._file is None:
                path = self._temporary_path(len(self._finished) + 1)
                self._file = open(path, "wb", opener=atomic.private)  # noqa: SIM115
            self._file.write(line)
            self._lines += 1
            self._size += len(line)

    def name_files(self) -> list[Shard]:
        """Finish the last file, give all files their names, and return them in order.

        One file gets the name that the user asked for. Several get names with numbers, such as
        `x-0001.jsonl`. The list is empty if no line was added. Raises Unusable, with nothing named,
        if a file of such a name is there. Raises OSError, and then some files may have their names.
        """
        with atomic.naming(self._out):
            self._finish()
            files = [self._out]
            if len(self._finished) > 1:
                numbers = range(1, len(self._finished) + 1)
                files = [numbered(self._out, number) for number in numbers]
            for file in files:
                _refuse_existing(file)
            shards = []
            for shard, file in zip(self._finished, files, strict=False):
                shards.append(shard._replace(file=shard.file.rename(file)))
            if shards:
                atomic.sync_folder(self._out.parent)
            return shards

    def _finish(self) -> None:
        """Close the current file if there is one, and list it as finished under its hidden name.

        It waits until the file is on the disk. There is no current file afterwards, so that the
        next line begins a new one. Raises OSError; then the file is not listed.
        """
        if self._file:
            self._file.close()
            path = self._temporary_path(len(self._finished) + 1)
            atomic.sync_path(path)
            self._finished.append(Shard(path, self._lines))
        self._file = None
        self._lines = 0
        self._size = 0

    def _temporary_path(self, number: int) -> Path:
        """Return the hidden path of file `number`, from 1, until it gets its name.

        For `x.jsonl` and 1 it is `.x.jsonl.1.tmp`.
        """
        return self._out.with_name(f".{self._out.name}.{number}.tmp")


def _refuse_existing(file: Path) -> None:
    """Raise Unusable if there is a file or folder of this name."""
    if file.exists():
        wrong = "there is a file of this name"
        raise unusable(str(file), wrong, "name another with -o")


def numbered(out: Path, number: int) -> Path:
    """Return the path of file `number` of several: `x-0001.jsonl` beside `x.jsonl` for 1."""
    return out.with_name(f"{out.stem}-{number:04}{out.suffix}")


_SEPARATORS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}
"""Escapes of the characters at which some programs would end a line."""


def openai_line(custom_id: str, path: str, body: Mapping[str, Any]) -> bytes:
    """Return one line of a file of requests for OpenAI's Batch API, as `json_line` writes it.

    For example {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {…}}
    with those blanks and a line end. `path` is that of the request at the server, here
    "/v1/chat/completions".
    """
    return json_line(
        {"custom_id": custom_id, "method": "POST", "url": path, "body": body},
    )


def json_line(fields: Mapping[str, Any]) -> bytes:
    """Return an object as one line of JSON in UTF-8, with its line end and no other.

    For example {"a": "é"} and a line end, with a blank after each colon and comma. Characters that
    could end a line are escaped. Half characters (lone surrogates) become question marks.
    """
    text = json.dumps(fields, ensure_ascii=False).translate(_SEPARATORS)
    return text.encode("utf-8", "replace") + b"\n"


def export(
    questions: Iterable[Question],
    judge: OpenAIJudge,
    workspace: Workspace,
    shards: Shards,
    line: Callable[[str, str, Mapping[str, Any]], bytes] = openai_line,
    sent_to: str | None = None,
) -> list[Shard]:
    """Write the first request about each question into `shards`, and return the named files.

    Questions without a prompt are left out: those that no model is asked, and those whose trace
    lacks what the trait needs. No file is made if none is left. One that takes several requests
    must not be among `questions`. The settings of the requests are saved in the workspace, under
    the hash in each request's id. `sent_to` replaces the judge's base URL in these settings, and
    only there.

    `line` makes a line of a file from a request's id, path and body, such as `openai_line`; what it
    raises passes through. Raises OSError for a file that cannot be written, Unusable if its name
    was taken meanwhile, and NotKept for settings that cannot be saved.
    """
    endpoint = replace(judge.endpoint, base_url=sent_to or judge.endpoint.base_url)
    saved_tags: set[str] = set()
    for question in questions:
        prompt = first_prompt(question)
        if prompt is None:
            continue  # the trace lacks what the trait needs: `appellate judge` says so
        body = judge.request(prompt)
        settings = RequestSettings(endpoint, question.briefing, parameters_of(body))
        if settings.tag not in saved_tags:
            workspace.set_meta(meta.batch(settings.tag), json.dumps(settings.to_json()))
            saved_tags.add(settings.tag)
        request_id = RequestId(
            question.cell,
            question.round,
            settings.tag,
            subject_hash(question),
            prompt_hash(prompt, listed=judge.asks_in_lists(prompt)),
        )
        shards.add(line(str(request_id), path_of(judge), body))
    return shards.name_files()


def path_of(judge: OpenAIJudge) -> str:
    """Return the path that each request names, such as "/v1/chat/completions", without the host."""
    return f"/v1{judge.path}"


# -- answers about cells ---------------------------------------------------------------------------


MOST_FAULTS = 20
"""Unusable lines that are listed one by one. All of them are counted."""
_MOST_UNSAVED = 200
"""Answers that are saved together."""


class ImportOutcome(Struct):
    """The result of importing files of answers."""

    counts: Counter[str] = field(default_factory=Counter)
    """Lines by their result: judged, failed, known, unasked, strange or broken.

    `known` lines change nothing. `unasked` ones were not sent before the batch ended. `strange`
    ones are about no current cell of this audit. `broken` ones are no answers.
    """
    faults: list[str] = field(default_factory=list)
    """Sentences about the first lines that could not be used."""

    def fault(self, kind: Literal["strange", "broken"], text: str) -> None:
        """Add 1 to `counts[kind]` for a line that cannot be used, and its sentence to `faults`.

        `text` is the sentence. It is dropped once `faults` has `MOST_FAULTS`; the line is counted
        all the same.
        """
        self.counts[kind] += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(text)


def import_results(
    bench: Workbench,
    files: Iterable[Path],
    row: ReadRow = row,
) -> ImportOutcome:
    """Save labels and failures from files of answers, and return how many lines were of each sort.

    An answer changes nothing if its cell has a judge's labels of that round or a later one, also
    those of another judge. Nor does a failure that was saved before, or a request that was not
    sent. A line that is no answer to this audit changes nothing either, and there is a sentence
    about each of the first `MOST_FAULTS`. `row` reads a line; by default it takes OpenAI's form.

    Answers are saved in groups: raises NotKept for a group that cannot be saved, and those before
    it stay. Raises OSError for a file that cannot be read, and Refused for saved settings whose
    base URL or parameters cannot be used. Then the last answers before it may not be saved. Raises
    Refused, with nothing saved, in a session that only reads.
    """
    intake = _Intake(bench)
    for place, result in rows(files, row):
        if isinstance(result, Broken):
            intake.outcome.fault("broken", f"{place} {result}")
        else:
            intake.add(place, result)
    intake.save()
    return intake.outcome


class _Intake:
    """Reads answers, and saves their judgments in groups."""

    def __init__(self, bench: Workbench) -> None:
        """Begin with empty counts, no judgments to be saved, and the audit's cells of now.

        A cell that is added to the audit later is none of this audit to `add`. The session must not
        be one that only reads, in which `save` raises Refused.
        """
        self._bench = bench
        self._cell_count = bench.workspace.cells.count()
        self._settings: dict[str, RequestSettings | None] = {}
        self._unsaved: dict[int, Proposed | Failed] = {}
        self.outcome = ImportOutcome()

    def add(self, place: str, result: BatchRow) -> None:
        """Read one answer: count it in `outcome` at once, or let it wait to be saved.

        It is counted as `strange`, with a sentence, if its id is no request's, names no cell of
        this audit, or is about another trace or trait than the cell has now. It is `unasked` if the
        request was not sent. It is `known` if the cell has an answer of that round or a later one,
        or failed in the same way before. `place` is its file and line, for the sentence.

        Labels and any other failure wait. They are counted by `save`, which this calls before it
        reads another answer about their cell, and whenever many wait. So this raises NotKept if
        those that wait cannot be saved. Raises Refused if the base URL or the parameters of the
        request's saved settings cannot be used.
        """
        request_id = RequestId.parse(result.custom_id)
        if request_id is None or not 1 <= request_id.cell <= self._cell_count:
            problem = (
                f"has the custom_id {quoted(result.custom_id)}, and no cell here has it"
            )
            self.outcome.fault("strange", f"{place} {problem}")
            return
        if request_id.cell in self._unsaved:
            self.save()

        trace, cell = self._bench.open(request_id.cell)
        question = Question(cell.subject, trace, cell=request_id.cell)
        settings = self._settings_of(request_id.tag)
        if not _is_about(question, request_id, settings):
            problem = f"is about cell {request_id.cell} with another text or trait than it has now"
            self.outcome.fault("strange", f"{place} {problem}")
            return
        if result.unasked:
            self.outcome.counts["unasked"] += 1
            return
        if request_id.round <= cell.round:
            self.outcome.counts["known"] += 1
            return

        fact = savable(_fact_of_answer(request_id, question, result, settings))
        if isinstance(fact, Failed) and has_same_failure(cell, fact):
            self.outcome.counts["known"] += 1
            return
        self._unsaved[request_id.cell] = fact
        if len(self._unsaved) >= _MOST_UNSAVED:
            self.save()

    def save(self) -> None:
        """Save the judgments that wait, all or none, and count each in `outcome` by its result.

        `judged` are labels that were saved, and `failed` are failures that were. `known` are those
        that the workspace did not take, since their cells got an answer of that round meanwhile.
        Nothing waits afterwards. Raises NotKept: then those that waited are lost and not counted.
        """
        unsaved = self._unsaved
        self._unsaved = {}
        saved = {change.no for change in self._bench.receive_many(unsaved.items())}
        for number, fact in unsaved.items():
            if number not in saved:
                self.outcome.counts["known"] += 1
            elif isinstance(fact, Failed):
                self.outcome.counts["failed"] += 1
            else:
                self.outcome.counts["judged"] += 1

    def _settings_of(self, tag: str) -> RequestSettings | None:
        """Return the settings that this workspace saved for requests with a tag, or None.

        The workspace is read once for each tag: the next call gives the same value.
        """
        if tag not in self._settings:
            saved_settings = self._bench.workspace.meta(meta.batch(tag))
            self._settings[tag] = None
            if saved_settings:
                self._settings[tag] = RequestSettings.from_json(
                    json.loads(saved_settings),
                )
        return self._settings[tag]


def _is_about(
    question: Question,
    request_id: RequestId,
    settings: RequestSettings | None,
) -> bool:
    """Return whether the cell still has the trace and the trait that an answer is about.

    `question` is about the cell as it is now. It has them if their hash in the id is the current
    one. Else it has them if the prompt by `settings` is still the one that was sent, in its usual
    form or with the reply as a list. So an answer fits after a change of the trait's measurement.
    That cannot be told, and is False, if `settings` is None, if no model is asked about the cell,
    and if the trace lacks what the trait needs.
    """
    if subject_hash(question) == request_id.subject:
        return True
    if settings is None:
        return False
    prompt = first_prompt(replace(question, briefing=settings.briefing))
    if prompt is None:
        return False
    hashes = (prompt_hash(prompt, listed=False), prompt_hash(prompt, listed=True))
    return request_id.prompt in hashes


def _fact_of_answer(
    request_id: RequestId,
    question: Question,
    result: BatchRow,
    settings: RequestSettings | None,
) -> Proposed | Failed:
    """Return the labels in an answer as a fact to be saved, or the failure in place of labels.

    It is a failure if the trace lacks what the trait needs, if the batch reports trouble, and if
    the answer is no judgment. The answer is read as one to the prompt that `settings` give. If they
    are None, it is read as one to a prompt without examples and parts of the user's. It is read by
    `_judge_of_answer`, whose key is removed from the server's words. Nothing is saved. Raises
    Refused if the base URL or the parameters of the settings cannot be used.
    """
    judge = _judge_of_answer(result, settings)
    unknown = JudgeRecord(judge.name, judge.name)
    question_as_sent = question
    if settings:
        question_as_sent = replace(question, briefing=settings.briefing)
    if question.lacking:
        return Failed(
            question.lacking,
            "",
            _saved_record(unknown, request_id, settings),
        )
    if result.trouble:
        return Failed(
            _reason_of_trouble(result.trouble, judge, question_as_sent),
            judge.secretless(result.trouble.raw),
            _saved_record(unknown, request_id, settings),
        )
    try:
        proposal = judge.replayed(
            question_as_sent,
            result.body,
            sent=request_id.prompt,
        )
    except JudgmentFailed as failed:
        failure = failed.failure
        record = _saved_record(failure.record or unknown, request_id, settings)
        return Failed(failure.full_reason, failure.raw, record)
    return Proposed(
        proposal.labels,
        _saved_record(proposal.record, request_id, settings),
    )


def _judge_of_answer(result: BatchRow, settings: RequestSettings | None) -> OpenAIJudge:
    """Return the judge that gave an answer, to read it with; it needs no key.

    It is the one of `settings`. If they are None, it is the model that the answer names, or "batch"
    if it names none. Raises Refused if the base URL or the parameters of the settings cannot be
    used. An OPENAI_BASE_URL that cannot be used is ignored.
    """
    endpoint = Endpoint(text(result.body.get("model")) or "batch")
    if settings:
        endpoint = settings.endpoint
    try:
        return OpenAIJudge(endpoint, keyless=True)
    except Refused:
        # nothing is sent, so the variables of another server keep no answer from being read
        return OpenAIJudge(endpoint, keyless=True, environ={})


def _reason_of_trouble(trouble: Trouble, judge: OpenAIJudge, question: Question) -> str:
    """Return in words why a batch gave no labels, without the key of the judge.

    They are "The batch answered 500: …", with the server's message, or "The batch gave no answer:
    …" for a status below 400. If the request was too long, they say so, how many tokens it had, and
    what a person can do. If the server does not tell how many, those of the first prompt of
    `question` are estimated, so it must have one.
    """
    overlong = refused_for_length(trouble)
    if overlong:
        prompt = next(question.dialogue())
        reason = overlong.describe(judge.name, prompt)
    elif trouble.status >= 400:  # noqa: PLR2004 - HTTP's
        reason = f"The batch answered {trouble.status}: {trouble.message}"
    else:
        reason = f"The batch gave no answer: {trouble.message}"
    return judge.secretless(reason)


def _saved_record(
    record: JudgeRecord,
    request_id: RequestId,
    settings: RequestSettings | None,
) -> dict[str, Any]:
    """Return the record of a judge with the parameters of its batch, as a fact saves it.

    `record` says what reading the answer found. Its hashes of prompt and template are left out
    unless the prompt is the one that was sent. The parameters are those of `settings`, with the
    base URL if it has one and the model that served it. If `settings` is None, they say only that
    it was a batch, and that model. The latency is left out, and the round if it is the first.
    """
    if not (record.prompt_sha256 or "").startswith(request_id.prompt):
        record = replace(record, prompt_sha256=None, template_sha256=None)
    parameters: dict[str, Any] = {"batch": True}
    if settings:
        parameters = dict(settings.parameters)
    if "served_model" in record.parameters:
        parameters["served_model"] = record.parameters["served_model"]
    if settings and settings.endpoint.base_url:
        parameters["base_url"] = settings.endpoint.base_url
    fields = replace(
        record,
        parameters=dict(sorted(parameters.items())),
        latency=None,
    ).to_file()
    if request_id.round > 1:
        fields["round"] = request_id.round
    return fields


# -- submitted batches -----------------------------------------------------------------------------


class SubmittedFile(Struct, frozen=True):
    """A file of requests that was uploaded to a server, as the workspace saves it."""

    file: str
    """The id of the file at the server."""
    url: str
    """The base URL that the options led to."""
    model: str
    cells: int
    base_url: str | None = None
    """The option --base-url."""
    api_key_env: str | None = None
    """The option --api-key-env."""
    id: str = ""
    """The id of its batch; "" as long as it is not known to have started."""
    over: bool = False
    """Whether all answers were fetched, or none will come."""
    replies: str = ""
    """A file of replies if an earlier version asked the requests of a probe; else ""."""


class EntryStatus(NamedTuple):
    """A submitted file and the current state of its batch."""

    entry: SubmittedFile
    batch: Batch | None
    """None if the server has no batch of the file."""


def outstanding_files(workspace: Workspace) -> list[SubmittedFile]:
    """Return the submitted files of requests whose answers are still outstanding, the oldest first.

    A file is outstanding from its upload until it is saved with `over`, as after its answers were
    imported; also if its batch is not known to have started. Left out are files of probes from an
    earlier version, which `outstanding_probe_files` returns.
    """
    return [
        entry
        for entry in _submitted_files(workspace)
        if not entry.over and not entry.replies
    ]


def outstanding_probe_files(workspace: Workspace) -> list[SubmittedFile]:
    """Return the submitted files of probes that an earlier version left, oldest first.

    Their answers are not fetched any more. A file whose answers are no longer awaited is left out.
    """
    return [
        entry
        for entry in _submitted_files(workspace)
        if not entry.over and entry.replies
    ]


def double_payment_warning(workspace: Workspace) -> list[str]:
    """Return the warning that judging now would pay twice for cells whose batch is not imported.

    The list has one sentence, or none if there are no `outstanding_files`. It counts the cells of
    each such file, as many as were submitted, and a cell in two files twice.
    """
    count = sum(entry.cells for entry in outstanding_files(workspace))
    if not count:
        return []
    cells_are = many(count, "cell is", "cells are")
    state = f"{cells_are} in batches whose answers are not imported (batch fetch)"
    them = "it" if count == 1 else "them"
    return [f"{state}: if you ask now, you pay for {them} twice."]


def refuse_second_payment(workspace: Workspace, audit: Path) -> None:
    """Raise Refused while `outstanding_files` has a submitted file, whose answers may still come.

    The message has the command that imports them. `audit` is the audit's file, for that command.
    """
    if outstanding_files(workspace):
        advice = (
            f"import its answers first with `appellate batch fetch {quote(str(audit))}`"
        )
        raise Refused(f"An earlier batch may still be answered: {advice}.")


def _submitted_files(workspace: Workspace) -> list[SubmittedFile]:
    """Return all submitted files, oldest first, also of probes and those that are over."""
    return [
        SubmittedFile(**value)
        for value in json.loads(workspace.meta(meta.BATCHES) or "[]")
    ]


def keep_submitted(workspace: Workspace, entry: SubmittedFile) -> None:
    """Save what is known of a submitted file in the workspace.

    It takes the place of the entry with the same `file`, whatever its batch, or is added as the
    last. Raises NotKept.
    """
    by_file = {submitted.file: submitted for submitted in _submitted_files(workspace)}
    by_file[entry.file] = entry
    rows = [to_builtins(submitted) for submitted in by_file.values()]
    workspace.set_meta(meta.BATCHES, json.dumps(rows))


async def submit(
    server: BatchServer,
    workspace: Workspace,
    shard: Shard,
    judge: OpenAIJudge,
    url: str,
) -> EntryStatus:
    """Upload a file of requests to a judge, start its batch, and return the saved entry and batch.

    `url` is the base URL of `server`, for the entry. The entry is saved after the upload without
    the id of a batch, so that no batch is forgotten, and again with the id once the batch has
    started. Raises NotDone if the upload fails, with nothing saved, and if the start fails or its
    answer is lost. Raises NotKept if the entry cannot be saved. A saved entry then stays without an
    id, and its batch may have started all the same: `current_status` tells.
    """
    file_id = await server.upload(shard.file)
    endpoint = judge.endpoint
    entry = SubmittedFile(
        file_id,
        url,
        endpoint.model,
        shard.lines,
        endpoint.base_url,
        endpoint.api_key_env,
    )
    keep_submitted(workspace, entry)
    batch = await server.begin(file_id, path_of(judge))
    entry = replace(entry, id=batch.id)
    keep_submitted(workspace, entry)
    return EntryStatus(entry, batch)


async def current_status(server: BatchServer, entry: SubmittedFile) -> EntryStatus:
    """Return the current state of a submitted file's batch; nothing is saved.

    If the entry has no id of a batch, the batch is searched by its file, and its id is in the
    returned entry. If the server has no such batch, the entry is returned as it was, with None for
    the batch. Raises NotDone if a request fails.
    """
    batch = None
    with suppress(NoSuchBatch):
        if entry.id:
            batch = await server.look(entry.id)
        else:
            batch = await server.begun_from(entry.file)
    if batch:
        entry = replace(entry, id=batch.id)
    return EntryStatus(entry, batch)
