"""The Batch API of a server: upload a file, start a batch, ask for its state, download results.

`BatchServer` sends the requests, and `rows()` reads the files of results. A batch costs money, so
the request that starts one is never repeated. Where its answer was lost, `BatchServer.begun_from`
finds out whether the server started the batch.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.problem import Refused
from appellate.judges.client import client, describe_no_client, why_unreached
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
"""The only window that the Batch API offers. Requests that take longer expire."""
ENDED = ("completed", "failed", "expired", "cancelled")
"""States of a batch that no longer changes."""
_TIMEOUT = 300.0
"""Seconds for one request. An upload may be of 200 MB."""
_TRIES = 4
"""Retries of requests that are safe to repeat."""
_MOST_ERRORS = 3
"""Errors of a batch that are repeated to people. A batch may list one for each of its lines."""
_OK = 200
_NOT_FOUND = 404
_EXPIRED = ("batch_expired", "batch_cancelled")
"""Error codes of lines that the batch did not get to."""


class Batch(Struct, frozen=True):
    """A batch as its server describes it."""

    id: str
    state: str
    done: int = 0
    """Requests that were answered."""
    failed: int = 0
    total: int = 0
    files: tuple[str, ...] = ()
    """Ids of the files with answers and with errors, as far as the server made them."""
    message: str = ""
    """The server's first errors in one text, or "" if it reports none."""

    @property
    def ended(self) -> bool:
        """Whether the batch will not change any more."""
        return self.state in ENDED


class NotDone(Refused):
    """A request to the Batch API that failed, or whose answer was lost; the message says why."""


class NoSuchBatch(NotDone):
    """The server has no batch or file of this id, or deleted it."""


class BatchServer:
    """The files and batches at one server, as an asynchronous context that opens the client.

    Every method raises NotDone where a request fails.
    """

    def __init__(self, access: Access) -> None:
        """Prepare to ask the server; `async with` opens the client, before any request."""
        self._access = access
        self.host = access.host
        self._client: AsyncOpenAI

    async def __aenter__(self) -> Self:
        """Make the client for the requests, and return this object; nothing is sent.

        Raises NotDone if the environment allows no client.
        """
        try:
            self._client = client(self._access, _TIMEOUT).with_options(
                max_retries=_TRIES,
            )
        except (ValueError, ImportError, OSError) as error:
            raise NotDone(describe_no_client(self.host, error)) from None
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def upload(self, path: Path) -> str:
        """Upload a file of requests for a batch, and return the id that the server gave it.

        Raises NotDone if the request fails or the file cannot be read.
        """
        async with self._errors_in_words():
            with path.open("rb") as file:
                uploaded = await self._client.files.create(
                    file=(path.name, file),
                    purpose="batch",
                )
            return readable(str(uploaded.id))

    async def begin(self, file_id: str, path: str) -> Batch:
        """Start a batch over an uploaded file, and return it; the request is never sent twice.

        `file_id` is the id that `upload` returned. `path` is the one that each line of the file
        names, such as "/v1/chat/completions". Raises NotDone if the request fails or its answer is
        lost: then `begun_from` tells whether the batch started.
        """
        client_without_retries = self._client.with_options(max_retries=0)
        async with self._errors_in_words():
            started = await client_without_retries.batches.create(
                input_file_id=file_id,
                endpoint=cast("Any", path),  # the client lists the paths of its own API
                completion_window=WINDOW,
            )
            return self._describe(started)

    async def begun_from(self, file_id: str) -> Batch | None:
        """Return the batch that was started over an uploaded file, or None if there is none.

        `file_id` is the id that `upload` returned. Of several batches over it the first that the
        server lists is returned. Raises NotDone if a request fails.
        """
        async with self._errors_in_words():
            async for batch in self._client.batches.list(limit=100):
                if batch.input_file_id == file_id:
                    return self._describe(batch)
        return None

    async def look(self, batch_id: str) -> Batch:
        """Ask for a batch's current state, and return the batch.

        Raises NoSuchBatch if the server has none of this id, and NotDone if the request fails.
        """
        async with self._errors_in_words():
            return self._describe(await self._client.batches.retrieve(batch_id))

    async def download(self, file_id: str, path: Path) -> None:
        """Download a file of answers or errors to `path`, in pieces, and replace what is there.

        Raises NoSuchBatch if the server has no file of this id, and NotDone if the request fails or
        `path` cannot be written. After a failure `path` may hold a part of the file.
        """
        async with (
            self._errors_in_words(),
            self._client.files.with_streaming_response.content(file_id) as response,
        ):
            await response.stream_to_file(path)

    def _describe(self, told: "Told") -> Batch:
        """Return our `Batch` for what the client read of the server's, without the key.

        Its texts can be encoded. The client does not check types: counts that are missing or no
        numbers become 0. The message has the first `_MOST_ERRORS` errors, parted by "; ". Raises
        AttributeError or TypeError for an answer of another shape.
        """
        counts: dict[str, int] = {}
        for name in ("completed", "failed", "total"):
            count = getattr(told.request_counts, name, 0)
            counts[name] = count if isinstance(count, int) else 0

        texts: list[str] = []
        if told.errors:
            for error in (told.errors.data or [])[:_MOST_ERRORS]:
                texts.append(readable(str(error.message)))
        file_ids = (told.output_file_id, told.error_file_id)
        return Batch(
            id=readable(str(told.id)),
            state=readable(str(told.status)),
            done=counts["completed"],
            failed=counts["failed"],
            total=counts["total"],
            files=tuple(readable(str(file_id)) for file_id in file_ids if file_id),
            message=secretless("; ".join(texts), self._access.key),
        )

    @asynccontextmanager
    async def _errors_in_words(self) -> AsyncIterator[None]:
        """Return a context in which every error of the client or of a file becomes NotDone.

        The message is a sentence with the reason and without the key. Status 404 becomes
        NoSuchBatch, which is a NotDone, too. What an answer of another shape raises while it is
        read, such as AttributeError, is such an error.
        """
        from httpx2 import HTTPError
        from openai import APIConnectionError, APIStatusError, OpenAIError

        from appellate.judges.size_limit import TooLarge

        try:
            yield
        except APIStatusError as error:
            trouble = read_error(
                error.status_code,
                error.response.content,
                error.response.headers,
            )
            text = (
                f"{self.host} answered {error.status_code}:"
                f" {trouble.message or 'no reason given'}"
            )
            text = secretless(text, self._access.key)
            if error.status_code == _NOT_FOUND:
                raise NoSuchBatch(text) from None
            raise NotDone(text) from None
        except OSError as error:
            raise NotDone(
                f"A file of the batch could not be read or written: {error}.",
            ) from None
        except APIConnectionError as error:
            reason = why_unreached(error)
            text = f"{self.host} cannot be reached: {reason}"
            if not reason:
                text = f"{self.host} gave no usable answer: {error}"
            raise NotDone(secretless(text, self._access.key)) from None
        except (
            OpenAIError,
            HTTPError,
            TooLarge,
            AttributeError,
            TypeError,
            ValueError,
            RecursionError,
        ) as error:
            # the last four: an answer of another shape
            text = f"{self.host} gave no usable answer: {error}"
            raise NotDone(secretless(text, self._access.key)) from None


# -- files of answers -----------------------------------------------------------------------------


class BatchRow(Struct, frozen=True):
    """One line of a file of results: a completion, or the trouble that came instead of one."""

    custom_id: str
    body: Mapping[str, Any] = field(default_factory=dict)
    """The body of the completion; empty where there is trouble."""
    trouble: Trouble | None = None

    @property
    def unasked(self) -> bool:
        """Whether the batch ended before this request was sent, so that it can be sent again."""
        return self.trouble is not None and self.trouble.code in _EXPIRED


class Broken(Exception):
    """A line that is no result; the message says why and follows the place of the line."""


Translate = Callable[[dict[str, Any]], Mapping[str, Any]]
"""Turns the object of a line from another tool into one with OpenAI's fields."""


def row(line: bytes, translate: Translate = dict) -> BatchRow:
    """Return the result in one line of a file of results, which is JSON.

    `translate` gets the line's object and returns one with OpenAI's fields; without it the object
    stays as it is. A result is the body of a completion, or the trouble that an error, a status
    other than 200 or an empty body tells of. Raises Broken for a line that is no JSON object, has
    no custom_id, is a request, has a status that is no whole number or holds neither a response nor
    an error.
    """
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
    if "method" in value and "url" in value and not _answer_in(value):
        raise Broken("is a request, not an answer")
    return _result_in(custom_id, value)


ReadRow = Callable[[bytes], BatchRow]
"""Reads a line of results; raises Broken."""


def rows(
    files: Iterable[Path],
    read: ReadRow = row,
) -> Iterator[tuple[str, BatchRow | Broken]]:
    """Yield the place and the content of each line of these files, in order, without blank lines.

    A place is `x.jsonl: line 3`, where blank lines are counted. `read` makes the content of a line.
    A line for which it raises Broken is yielded with that exception as its content, and the next
    lines follow. Such a line at the end of a file, without a line end, is said to be incomplete.
    Raises OSError for a file that cannot be read.
    """
    for path in files:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                content: BatchRow | Broken
                try:
                    content = read(line)
                except Broken as broken:
                    content = broken
                    if not line.endswith(b"\n"):
                        content = Broken(
                            "ends in the middle: the file is not complete yet",
                        )
                yield f"{path.name}: line {number}", content


def _result_in(custom_id: str, value: Mapping[str, Any]) -> BatchRow:
    """Return the result in an object with OpenAI's fields; raises Broken if it holds none.

    A result is the body of a completion, or trouble. The field `error`, or vLLM's
    `__inference_error__`, is trouble, and so are a status other than 200 and an answer with an
    empty body. An answer without a status counts as 200. Raises Broken also for a status that is
    not a whole number.
    """
    answer = _answer_in(value)
    status = answer.get("status_code", _OK)
    if isinstance(status, bool) or not isinstance(status, int):
        raise Broken("has a status_code that is not a number")
    error = value.get("error") or value.get("__inference_error__")
    if error:
        wrapped = mapping(error).get("error")  # vLLM wraps it once more
        return _row_of_failure(custom_id, status, {"error": wrapped or error})
    if not answer:
        raise Broken("holds neither a response nor an error")

    body = answer
    if "body" in answer:
        body = _as_object(answer["body"])
    elif "status_code" in answer:
        body = {}
    if not body:
        return _row_of_failure(custom_id, status, {"error": "no reason given"})
    if status != _OK:
        return _row_of_failure(custom_id, status, body)
    return BatchRow(custom_id, body)


def _row_of_failure(custom_id: str, status: int, fields: Mapping[str, Any]) -> BatchRow:
    """Return the row of a request that failed, with the trouble that `fields` describe.

    `fields` are those of an error's body, such as {"error": {"message": "…"}}. `status` is its HTTP
    status; for 200 a status within the error has precedence. What looks like a key is replaced by
    `[key]`, and the raw text is cut to `LONGEST_RAW`. The row has no body.
    """
    text = secretless(json.dumps(fields, ensure_ascii=False))
    body = text.encode("utf-8", "replace")
    trouble = read_error(status, body, {})
    shortened = replace(trouble, raw=trouble.raw[:LONGEST_RAW])
    return BatchRow(custom_id, trouble=shortened)


def _answer_in(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object that holds the answer in an object of a line, or {} if there is none.

    It is `response` of OpenAI, or else `http_response` of Ray Data; either may be JSON in a string.
    Otherwise a completion is made of the text in Ray Data's `generated_text`. Such a completion
    counts as ended well if the line does not say how it ended.
    """
    for name in ("response", "http_response"):
        response = _as_object(value.get(name))
        if response:
            return response
    if not isinstance(value.get("generated_text"), str):
        return {}
    # a row of Ray Data
    usage = {
        "prompt_tokens": value.get("num_input_tokens"),
        "completion_tokens": value.get("num_generated_tokens"),
    }
    choice = {
        "message": {"content": value["generated_text"]},
        "finish_reason": value.get("finish_reason") or "stop",
    }
    return {"choices": [choice], "usage": usage}


def _as_object(value: object) -> dict[str, Any]:
    """Return a value that is an object, or the object in a string of JSON; {} for any other."""
    if isinstance(value, str):
        value = parsed(value)
    return mapping(value)
