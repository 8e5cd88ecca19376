"""The Batch API of a server: upload a file, start it, look, download.

A batch costs money, so the request that starts one is never repeated: where its answer got lost,
`begun_from` finds out.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.problem import Refused
from appellate.judges.client import client, no_way, why_unreached
from appellate.judges.completion import (
    LONGEST_RAW,
    Trouble,
    loaded,
    mapping,
    parsed,
    read_error,
)
from appellate.judges.endpoint import Access, secretless
from appellate.talk.dialogue import readable

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Batch as Told

WINDOW: Literal["24h"] = "24h"
"""What the Batch API offers; answers that take longer expire."""
ENDED = ("completed", "failed", "expired", "cancelled")
_TIMEOUT = 300.0
_TRIES = 4
_MOST_SAID = 3
_OK = 200
_NOT_FOUND = 404
_EXPIRED = ("batch_expired", "batch_cancelled")


class Batch(Struct, frozen=True):
    """A batch as its server tells it; `files` hold answers and errors."""

    id: str
    state: str
    done: int = 0
    failed: int = 0
    total: int = 0
    files: tuple[str, ...] = ()
    message: str = ""

    @property
    def ended(self) -> bool:
        return self.state in ENDED


class NotDone(Refused):
    """The server did not do it, or gave no answer that it did."""


class NoSuchBatch(NotDone):
    """The server does not know it (any more)."""


class BatchServer:
    """One server's files and batches; what goes wrong is NotDone, in words."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self.host = access.host
        self._client: AsyncOpenAI

    async def __aenter__(self) -> Self:
        try:
            self._client = client(self._access, _TIMEOUT).with_options(max_retries=_TRIES)
        except (ValueError, ImportError, OSError) as error:
            raise NotDone(no_way(self.host, error)) from None
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def upload(self, path: Path) -> str:
        """The id of a file of requests that the server now has."""
        async with self._asking():
            with path.open("rb") as file:
                made = await self._client.files.create(file=(path.name, file), purpose="batch")
            return readable(str(made.id))

    async def begin(self, file: str, path: Any) -> Batch:
        """Starts a batch over an uploaded file; `path` is the one that each line names."""
        once = self._client.with_options(max_retries=0)
        async with self._asking():
            made = await once.batches.create(
                input_file_id=file, endpoint=path, completion_window=WINDOW
            )
            return self._describe(made)

    async def begun_from(self, file: str) -> Batch | None:
        """The batch that was started over a file, if the request to start it came through."""
        async with self._asking():
            async for one in self._client.batches.list(limit=100):
                if one.input_file_id == file:
                    return self._describe(one)
        return None

    async def look(self, batch: str) -> Batch:
        """The batch as it is; raises NoSuchBatch."""
        async with self._asking():
            return self._describe(await self._client.batches.retrieve(batch))

    async def download(self, file: str, path: Path) -> None:
        """Writes a file of answers or errors, piece by piece."""
        async with (
            self._asking(),
            self._client.files.with_streaming_response.content(file) as answer,
        ):
            await answer.stream_to_file(path)

    def _describe(self, made: "Told") -> Batch:
        """What a server says of a batch; the client builds it without looking."""
        counts = {}
        for name in ("completed", "failed", "total"):
            count = getattr(made.request_counts, name, 0)
            counts[name] = count if isinstance(count, int) else 0
        texts = []
        if made.errors:
            texts = [readable(str(one.message)) for one in (made.errors.data or [])[:_MOST_SAID]]
        files = (made.output_file_id, made.error_file_id)
        return Batch(
            id=readable(str(made.id)),
            state=readable(str(made.status)),
            done=counts["completed"],
            failed=counts["failed"],
            total=counts["total"],
            files=tuple(readable(str(file)) for file in files if file),
            message=secretless("; ".join(texts), self._access.key),
        )

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[None]:
        """Whatever the client raises, as a sentence without the key."""
        from httpx2 import HTTPError
        from openai import APIConnectionError, APIStatusError, OpenAIError

        from appellate.judges.size_limit import TooLarge

        try:
            yield
        except APIStatusError as error:
            trouble = read_error(error.status_code, error.response.content, error.response.headers)
            text = (
                f"{self.host} answered {error.status_code}: {trouble.message or 'no reason given'}"
            )
            text = secretless(text, self._access.key)
            if error.status_code == _NOT_FOUND:
                raise NoSuchBatch(text) from None
            raise NotDone(text) from None
        except OSError as error:
            raise NotDone(f"A file of the batch could not be read or written: {error}.") from None
        except APIConnectionError as error:
            why = why_unreached(error)
            text = f"{self.host} cannot be reached: {why}"
            if not why:
                text = f"{self.host} gave no usable answer: {error}"
            raise NotDone(secretless(text, self._access.key)) from None
        except (OpenAIError, HTTPError, TooLarge, AttributeError, TypeError, ValueError) as error:
            # the last three: an answer of another shape
            text = f"{self.host} gave no usable answer: {error}"
            raise NotDone(secretless(text, self._access.key)) from None


# -- files of answers -----------------------------------------------------------------------------


class BatchRow(Struct, frozen=True):
    """One answered line: the completion's body, or the trouble in its place."""

    custom_id: str
    body: Mapping[str, Any] = field(default_factory=dict)
    trouble: Trouble | None = None

    @property
    def unasked(self) -> bool:
        """Whether the batch ended before this line's turn: that says nothing about the cell."""
        return self.trouble is not None and self.trouble.code in _EXPIRED


class Broken(Exception):
    """A line that is no answer to anything; the message says why."""


Translate = Callable[[dict[str, Any]], Mapping[str, Any]]


def row(line: bytes, translate: Translate = dict) -> BatchRow:
    """What a line of results or errors says, by OpenAI's fields or `translate`; raises Broken."""
    try:
        value = loaded(line)
    except ValueError:
        raise Broken("is not JSON") from None
    if not isinstance(value, dict):
        raise Broken("is not an object")
    value = translate(value)
    custom_id = value.get("custom_id")
    if not isinstance(custom_id, str) or not custom_id:
        raise Broken("has no custom_id")
    if "method" in value and "url" in value and not _answer(value):
        raise Broken("is a request, not an answer")
    return _read(custom_id, value)


ReadRow = Callable[[bytes], BatchRow]


def rows(files: Iterable[Path], read: ReadRow = row) -> Iterator[tuple[str, BatchRow | Broken]]:
    """What each line of these files says, or why it is no answer, with its place."""
    for path in files:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                found: BatchRow | Broken
                try:
                    found = read(line)
                except Broken as broken:
                    found = broken
                    if not line.endswith(b"\n"):
                        found = Broken("ends in the middle: the file is not whole yet")
                yield f"{path.name}: line {number}", found


def _read(custom_id: str, value: Mapping[str, Any]) -> BatchRow:
    answer = _answer(value)
    status = answer.get("status_code", _OK)
    if not isinstance(status, int) or isinstance(status, bool):
        raise Broken("has a status_code that is no number")
    error = value.get("error") or value.get("__inference_error__")
    if error:
        inner = mapping(error).get("error")  # vLLM wraps it once more
        return _failed(custom_id, status, {"error": inner or error})
    if not answer:
        raise Broken("holds neither a response nor an error")
    body = answer
    if "body" in answer:
        body = _object(answer["body"])
    elif "status_code" in answer:
        body = {}
    if body and status == _OK:
        return BatchRow(custom_id, body)
    return _failed(custom_id, status, body or {"error": "no reason given"})


def _failed(custom_id: str, status: int, fields: Mapping[str, Any]) -> BatchRow:
    text = secretless(json.dumps(fields, ensure_ascii=False))
    trouble = read_error(status, text.encode("utf-8", "replace"), {})
    return BatchRow(custom_id, trouble=replace(trouble, raw=trouble.raw[:LONGEST_RAW]))


def _answer(value: Mapping[str, Any]) -> dict[str, Any]:
    """The part with the answer in it, as a response, an HTTP response or a generated text."""
    for name in ("response", "http_response"):
        found = _object(value.get(name))
        if found:
            return found
    if not isinstance(value.get("generated_text"), str):
        return {}
    counts = {  # a row of Ray Data, as the completion that it stands for
        "prompt_tokens": value.get("num_input_tokens"),
        "completion_tokens": value.get("num_generated_tokens"),
    }
    choice = {
        "message": {"content": value["generated_text"]},
        "finish_reason": value.get("finish_reason") or "stop",
    }
    return {"choices": [choice], "usage": counts}


def _object(value: object) -> dict[str, Any]:
    """An object, also where it is kept as a JSON string."""
    if isinstance(value, str):
        value = parsed(value)
    return mapping(value)
