"""What stands on a request: which cell it is about, and under which terms it was asked."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from msgspec import Struct, field, to_builtins

from appellate.core.kind import Briefing, Example
from appellate.core.trace import Trace
from appellate.judges.endpoint import Endpoint, Prices
from appellate.judging.planning import ModelMember
from appellate.judging.questions import Question
from appellate.store import meta
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace
from appellate.talk.dialogue import Unreadable

_LABEL = re.compile(r"(\d{1,12})-(\d{1,6})-([0-9a-f]{8})-([0-9a-f]{12})-([0-9a-f]{12})", re.ASCII)
_UNTOLD = ("model", "messages", "input", "instructions", "response_format", "text")


class RequestId(NamedTuple):
    """A request's custom id.

    Cell and round, the tag of its terms, hashes of what it is about and of its prompt.
    """

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


def subject_hash(job: Question) -> str:
    """The hash of all that an answer is about.

    Another response, question or trait makes it another cell.
    """
    trace = job.trace
    shown = [trace.id, trace.epoch, trace.question, trace.reference, trace.response]
    return _digest([*shown, job.subject.trait.sha256()], 12)


def _prompt_hash(job: Question, member: ModelMember) -> str:
    """The beginning of the hash of the prompt as a model is sent it now."""
    prompt = next(job.subject.dialogue(job.trace, job.briefing))
    return prompt_hash(job, listed=member.judge.asks_in_lists(prompt))


def prompt_hash(job: Question, *, listed: bool) -> str:
    """The beginning of the hash by which a judgment names its prompt."""
    prompt = next(job.subject.dialogue(job.trace, job.briefing))
    return prompt.sha256(listed=listed)[:12]


def _digest(value: object, length: int) -> str:
    whole = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()[:length]


class RequestSettings(Struct, frozen=True, dict=True):
    """How requests are made.

    Kept in the workspace, so that taking in their answers needs no options.

    `parameters` are the body's, as they are recorded.
    """

    endpoint: Endpoint
    briefing: Briefing
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def tag(self) -> str:
        return _digest(self.to_json(), 8)

    def to_json(self) -> dict[str, Any]:
        examples = [
            [example.trace.model_dump(exclude_none=True), example.table, example.judged]
            for example in self.briefing.examples
        ]
        briefing = {"parts": dict(self.briefing.parts), "examples": examples}
        return {
            "endpoint": to_builtins(self.endpoint),
            **briefing,
            "parameters": dict(self.parameters),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        prices = fields["endpoint"]["prices"]
        endpoint = Endpoint(**{**fields["endpoint"], "prices": prices and Prices(**prices)})
        examples = tuple(
            Example(Trace.model_validate(trace), *tables) for trace, *tables in fields["examples"]
        )
        return cls(endpoint, Briefing(fields["parts"], examples), fields["parameters"])


def parameters_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request's parameters as they are recorded: the format by its name, its schema left out."""
    fields = {name: value for name, value in body.items() if name not in _UNTOLD}
    form = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    return {**fields, "response_format": form.get("type", "text"), "batch": True}


MOST_LINES, MOST_BYTES = 50_000, 200_000_000
"""What the Batch API takes in one file."""


class Shard(NamedTuple):
    """One file of requests."""

    file: Path
    lines: int


class Shards:
    """The files of one export.

    They get their names when all are whole, and none stays where something fails.
    """

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
        self._most_lines, self._most_bytes = most_lines, most_bytes
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
        too_large = self._lines and self._size + len(line) > self._most_bytes
        if too_large or self._lines >= self._most_lines:
            self._finish()
        if self._file is None:
            self._file = self._unnamed(len(self._done) + 1).open("wb")
        self._file.write(line)
        self._lines, self._size = self._lines + 1, self._size + len(line)

    def named(self) -> list[Shard]:
        """The finished files: one under the name that was asked for, several with numbers in it."""
        self._finish()
        named = []
        for number, shard in enumerate(self._done, 1):
            file = self._out
            if len(self._done) > 1:
                file = numbered(file, number)
            named.append(shard._replace(file=shard.file.rename(file)))
        return named

    def _finish(self) -> None:
        if self._file:
            self._file.close()
            self._done.append(Shard(self._unnamed(len(self._done) + 1), self._lines))
        self._file, self._lines, self._size = None, 0, 0

    def _unnamed(self, number: int) -> Path:
        return self._out.with_name(f".{self._out.name}.{number}.tmp")


def numbered(out: Path, number: int) -> Path:
    """`x-0001.jsonl` for `x.jsonl`."""
    return out.with_name(f"{out.stem}-{number:04}{out.suffix}")


_SEPARATORS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}
"""Where some readers of lines would break one."""


def line_of(custom_id: str, path: str, body: Mapping[str, Any]) -> bytes:
    """A request as a line of a file."""
    return as_line({"custom_id": custom_id, "method": "POST", "url": path, "body": body})


def as_line(fields: Mapping[str, Any]) -> bytes:
    """A line of JSON that stays one, whoever reads it."""
    text = json.dumps(fields, ensure_ascii=False).translate(_SEPARATORS)
    return text.encode("utf-8", "replace") + b"\n"


def export(
    jobs: Iterable[Question],
    member: ModelMember,
    workspace: Workspace,
    shards: Shards,
    line: Callable[[str, str, Mapping[str, Any]], bytes] = line_of,
) -> list[Shard]:
    """Writes the requests in the order of the cells, which keeps a trace's together."""
    kept: set[str] = set()
    for job in jobs:
        try:
            body = member.judge.first_request(job.subject, job.trace, job.briefing)
        except Unreadable:
            continue  # nothing can be asked about it: `judge` says why
        settings = RequestSettings(member.endpoint, job.briefing, parameters_of(body))
        if settings.tag not in kept:
            workspace.set_meta(meta.batch(settings.tag), json.dumps(settings.to_json()))
            kept.add(settings.tag)
        request_id = RequestId(
            job.cell,
            job.round,
            settings.tag,
            subject_hash(job),
            _prompt_hash(job, member),
        )
        shards.add(line(str(request_id), path_of(member), body))
    return shards.named()


def path_of(member: ModelMember) -> str:
    """The path that each request names, whatever the server's base URL is."""
    return f"/v1{member.judge.path}"
