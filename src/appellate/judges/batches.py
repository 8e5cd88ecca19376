"""The Batch API of a server, driven by its client: upload a file, start it, look, download.

A batch is money spent by one request, so the request that starts it is never repeated here: where
its answer got lost, `begun_from` finds out whether it came through.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from appellate.core.problem import Refused
from appellate.judges.client import client, no_way
from appellate.judges.completion import read_error
from appellate.judges.endpoint import Access, secretless

if TYPE_CHECKING:
    from openai import AsyncOpenAI
import json
from collections.abc import Mapping
from dataclasses import field, replace

from appellate.judges.completion import LONGEST_RAW, Trouble

WINDOW: Literal["24h"] = "24h"
"""What the Batch API offers; answers that take longer expire."""
ENDED = ("completed", "failed", "expired", "cancelled")
_TIMEOUT = 300.0
_TRIES = 4
_MOST_SAID = 3


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as its server tells it.

    `state` is the server's word, `files` hold answers and errors.
    """

    id: str
    state: str
    done: int = 0
    failed: int = 0
    total: int = 0
    files: tuple[str, ...] = ()
    said: str = ""

    @property
    def ended(self) -> bool:
        return self.state in ENDED


class NotDone(Refused):
    """The server did not do it, or nobody heard that it did."""


class NoSuchBatch(NotDone):
    """The server does not know it (any more)."""


class BatchServer:
    """One server's files and batches: an asynchronous context.

    What goes wrong is NotDone, in words.
    """

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
            return str(made.id)

    async def begin(self, file: str, path: Any) -> Batch:
        """Starts a batch over an uploaded file; `path` is the one that each line names."""
        once = self._client.with_options(max_retries=0)
        async with self._asking():
            return _batch(
                await once.batches.create(
                    input_file_id=file, endpoint=path, completion_window=WINDOW
                )
            )

    async def begun_from(self, file: str) -> Batch | None:
        """The batch that was started over a file, if the request to start it came through."""
        async with self._asking():
            async for one in self._client.batches.list(limit=100):
                if one.input_file_id == file:
                    return _batch(one)
        return None

    async def look(self, batch: str) -> Batch:
        """The batch as it stands; raises NoSuchBatch."""
        async with self._asking():
            return _batch(await self._client.batches.retrieve(batch))

    async def download(self, file: str, path: Path) -> None:
        """Writes a file of answers or errors, piece by piece."""
        async with (
            self._asking(),
            self._client.files.with_streaming_response.content(file) as answer,
        ):
            await answer.stream_to_file(path)

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[None]:
        """Whatever the client raises, as a sentence without the key."""
        from httpx2 import HTTPError
        from openai import APIStatusError, OpenAIError

        from appellate.judges.size_limit import TooLarge

        try:
            yield
        except APIStatusError as error:
            trouble = read_error(error.status_code, error.response.content, error.response.headers)
            kind = NoSuchBatch if error.status_code == 404 else NotDone  # noqa: PLR2004 - HTTP's number
            said = f"{self.host} answered {error.status_code}: {trouble.said or 'no reason given'}"
            raise kind(secretless(said, self._access.key)) from None
        except OSError as error:
            raise NotDone(f"A file of the batch could not be read or written: {error}.") from None
        except (
            OpenAIError,
            HTTPError,
            TooLarge,
            AttributeError,
            TypeError,
            ValueError,
        ) as error:  # of another shape
            said = f"{self.host} gave no usable answer: {error}"
            raise NotDone(secretless(said, self._access.key)) from None


def _batch(made: Any) -> Batch:
    """What a server says of a batch; the client builds it without looking."""
    counts = made.request_counts
    wrong = [one.message for one in (made.errors.data if made.errors else None) or []]
    return Batch(
        id=str(made.id),
        state=str(made.status),
        done=_count(counts, "completed"),
        failed=_count(counts, "failed"),
        total=_count(counts, "total"),
        files=tuple(str(file) for file in (made.output_file_id, made.error_file_id) if file),
        said="; ".join(str(words) for words in wrong[:_MOST_SAID]),
    )


def _count(counts: Any, name: str) -> int:
    count = getattr(counts, name, 0)
    return count if isinstance(count, int) else 0


_EXPIRED = ("batch_expired", "batch_cancelled")
_OK = 200


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One answered line: the completion's body, or the trouble in its place.

    `unasked` where nobody was asked.
    """

    custom_id: str
    body: Mapping[str, Any] = field(default_factory=dict)
    trouble: Trouble | None = None

    @property
    def unasked(self) -> bool:
        """Whether the batch ended before this line's turn: that says nothing about the cell."""
        return self.trouble is not None and self.trouble.code in _EXPIRED


class Broken(Exception):
    """A line that is no answer to anything; the message says why."""


def row(line: bytes) -> BatchRow:
    """What one line of a result or error file says; raises Broken."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise Broken("is not JSON") from None
    if not isinstance(value, dict):
        raise Broken("is not an object")
    custom_id = value.get("custom_id")
    if not isinstance(custom_id, str) or not custom_id:
        raise Broken("has no custom_id")
    if "method" in value and "url" in value and not _answer(value):
        raise Broken("is a request, not an answer")
    return _read(custom_id, value)


def _read(custom_id: str, value: Mapping[str, Any]) -> BatchRow:
    answer, error = _answer(value), value.get("error") or value.get("__inference_error__")
    status = answer.get("status_code", _OK)
    if not isinstance(status, int) or isinstance(status, bool):
        raise Broken("has a status_code that is no number")
    body: Mapping[str, Any] = {}
    if "body" in answer:
        body = _object(answer["body"])
    elif "status_code" not in answer:
        body = answer
    if status == _OK and not error and body:
        return BatchRow(custom_id, body)
    if not (error or body or answer):
        raise Broken("holds neither a response nor an error")
    said = {"error": _inner(error)} if error else body or {"error": "no reason given"}
    return BatchRow(custom_id, trouble=_trouble(status, said))


def _answer(value: Mapping[str, Any]) -> dict[str, Any]:
    """The part with the answer in it, as a response, an HTTP response or a generated text."""
    for name in ("response", "http_response"):
        if found := _object(value.get(name)):
            return found
    return _generated(value) if isinstance(value.get("generated_text"), str) else {}


def _generated(value: Mapping[str, Any]) -> dict[str, Any]:
    """The completion that a row of Ray Data stands for."""
    counts = {
        "prompt_tokens": value.get("num_input_tokens"),
        "completion_tokens": value.get("num_generated_tokens"),
    }
    choice = {
        "message": {"content": value["generated_text"]},
        "finish_reason": value.get("finish_reason") or "stop",
    }
    return {"choices": [choice], "usage": counts}


def _object(value: Any) -> dict[str, Any]:
    """An object, also where it is kept as a JSON string."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _inner(error: Any) -> Any:
    """The error itself: vLLM wraps it once more."""
    return error["error"] if isinstance(error, dict) and error.get("error") else error


def _trouble(status: int, said: Mapping[str, Any]) -> Trouble:
    text = secretless(json.dumps(said, ensure_ascii=False))
    trouble = read_error(status, text.encode("utf-8", "replace"), {})
    return replace(trouble, raw=trouble.raw[:LONGEST_RAW])
