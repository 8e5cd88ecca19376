"""Answers requests of a batch one by one: what a worker of any engine does, on any machine.

Only the standard library is imported, so that `batch job` can print this file as it is. A request
is read as a line and its body sent untouched: engines that parse JSON rewrite it.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from http.client import HTTPException
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TRIES = 6  # attempts
FIRST = 1.0  # seconds before the second
LONGEST = 60.0  # seconds between two, at most
RETRIED = (408, 409, 429, 500, 502, 503, 504, 529)
REFUSED = (401, 403, 404)  # whatever is asked
OK = 200
HOPELESS = (
    32  # failures of the server's own in a row, after which a worker leaves the rest
)
SHARE = 0.25  # of a processor, a worker's: with whole ones two hold a small machine for ever
PIECE = 12  # letters of a key that give it away
PLACEHOLDER = 8  # letters; a shorter text is no key


class Part(NamedTuple):
    """What one worker answers, and the file that the answers go to."""

    lines: Sequence[str]
    file: str


class Terms(NamedTuple):
    """How requests are sent; `key_env` names the variable of the worker that holds the key."""

    base_url: str
    key_env: str = ""
    concurrency: int = 16
    timeout: float = 600.0


def parts(requests: str, folder: str, workers: int) -> list[Part]:
    """Return the lines that have no answer yet, dealt to workers in stretches of equal size.

    `requests` is a file, and `folder` the one with the parts' answers. Lines that follow each other
    stay together, as prefix caches like. There may be fewer parts than `workers`, and [] if all is
    answered. Drops errors from the files in `folder`, as `answered` does.
    """
    answered_ids = set[str]()
    for part in Path(folder).glob("part-*.jsonl"):
        answered_ids |= answered(part)
    with Path(requests).open(encoding="utf-8", newline="\n") as lines:
        todo = [
            line for line in lines if line.strip() and id_of(line) not in answered_ids
        ]
    size = max(-(-len(todo) // workers), 1)
    stretches = [todo[start : start + size] for start in range(0, len(todo), size)]
    return [
        Part(lines, str(Path(folder, f"part-{part_no}.jsonl")))
        for part_no, lines in enumerate(stretches)
    ]


def _private(path: str, flags: int) -> int:
    """Open a file of answers that nobody else may read, and return its number."""
    return os.open(path, flags, 0o600)


def answered(part: Path) -> set[str]:
    """Return the ids of requests that a part's file has an answer to; empty if there is no file.

    Errors, and a line that was cut short by a kill, are no answers: they are dropped from the file.
    """
    answered_ids = set[str]()
    if not part.exists():
        return answered_ids
    kept_path = part.with_suffix(".kept")
    with part.open("rb") as lines, open(kept_path, "wb", opener=_private) as file:
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):
                answer = json.loads(line)
                response = answer["response"]
                if (
                    response["status_code"] == OK
                    and response["body"]
                    and line.endswith(b"\n")
                ):
                    answered_ids.add(answer["custom_id"])
                    file.write(line)
        file.flush()
        os.fsync(file.fileno())
    if kept_path.stat().st_size < part.stat().st_size:
        kept_path.replace(part)
        _settle(part.parent)
    else:
        kept_path.unlink()
    return answered_ids


def _settle(folder: Path) -> None:
    """Wait until the disk has the names in a folder, if the system can wait for that.

    Nothing is raised if it cannot.
    """
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def id_of(line: str) -> str:
    """Return the custom id of a request on a line, or "" if it cannot be read."""
    with suppress(ValueError, KeyError, TypeError):
        return str(json.loads(line)["custom_id"])
    return ""


def work(part: Part, terms: Terms) -> int:
    """Answer the lines of a part that have no answer yet, and return how many were written.

    Each answer is added to the part's file as it arrives, an error too, with the key taken out. The
    number counts errors as well. After `HOPELESS` failures of the server in a row nothing more is
    asked. An engine may start the same part again.
    """
    key = os.environ.get(terms.key_env, "")
    answered_ids = answered(Path(part.file))
    rest = (line for line in part.lines if id_of(line) not in answered_ids)
    count = failed = 0
    pending = set[Future[dict[str, Any]]]()
    with (
        open(part.file, "ab", buffering=0, opener=_private) as file,
        ThreadPoolExecutor(terms.concurrency) as pool,
    ):
        while True:
            if failed < HOPELESS:
                for line in islice(rest, terms.concurrency * 2 - len(pending)):
                    pending.add(
                        pool.submit(ask, line, terms.base_url, key, terms.timeout)
                    )
            if not pending:
                os.fsync(file.fileno())
                _settle(Path(part.file).parent)
                return count
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                answer = future.result()
                file.write((_without(json.dumps(answer), key) + "\n").encode())
                count += 1
                failed = failed + 1 if _is_the_servers(answer) else 0


def _is_the_servers(answer: dict[str, Any]) -> bool:
    """Return whether an answer is a failure of the server, whatever was asked.

    Such are no response at all, and a status in `RETRIED` or `REFUSED`.
    """
    if answer["response"] is None:
        return True
    return answer["response"]["status_code"] in (*RETRIED, *REFUSED)


def _without(text: str, key: str) -> str:
    """Return a text in which the key, and pieces of it from `PIECE` letters on, are "[key]".

    A key shorter than `PLACEHOLDER` is not looked for.
    """
    if len(key) < PLACEHOLDER:
        return text
    piece = min(len(key), PIECE)
    for start in range(len(key) - piece + 1):
        if key[start : start + piece] in text:
            for end in range(len(key), start + piece - 1, -1):
                text = text.replace(key[start:end], "[key]")
    return text


def ask(
    line: str, base_url: str, key: str, timeout: float, first: float = FIRST
) -> dict[str, Any]:
    """Return the answer to one request as a line of batch output has it, or why there is none.

    Without a response "error" has a message; an answer with another status than 200 is a response.
    `timeout` is in seconds, and no `key` is sent for "". Raises nothing. `first` is how many
    seconds are waited before the second attempt.
    """
    custom_id = id_of(line)
    try:
        status, body = _sent(json.loads(line), base_url, key, timeout, first)
    except Exception as error:  # noqa: BLE001 - no row ends the others
        failure = {"message": f"{type(error).__name__}: {error}"}
        return {"custom_id": custom_id, "response": None, "error": failure}
    response = {"status_code": status, "body": body}
    return {"custom_id": custom_id, "response": response, "error": None}


def _sent(
    request: dict[str, Any], base_url: str, key: str, timeout: float, first: float
) -> tuple[int, Any]:
    """Send one request of a batch and return the status and the body of the answer.

    A status in `RETRIED` and a connection that fails are tried again, `TRIES` times in all, after a
    wait: the first of `first` seconds, or what the server wishes. The last such status is returned.
    Raises OSError or HTTPException if the last connection fails, and ValueError for an answer that
    is no JSON. `timeout` is in seconds, and no key is sent for "".
    """
    url = base_url.rstrip("/") + request["url"].removeprefix("/v1")
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = json.dumps(request["body"]).encode()
    for wait_for in _waits(first):
        try:
            # the command takes http and https alone
            with urlopen(Request(url, data, headers), timeout=timeout) as answer:  # noqa: S310
                return answer.status, json.loads(answer.read())
        except HTTPError as error:
            if error.code not in RETRIED or wait_for is None:
                return error.code, _body(error)
            time.sleep(_pause(error.headers.get("Retry-After"), wait_for))
        except (OSError, HTTPException):
            if wait_for is None:
                raise
            time.sleep(wait_for)
    raise AssertionError


def _waits(first: float) -> Iterator[float | None]:
    """Yield the seconds to wait after each of `TRIES` attempts, doubled each time; None at last."""
    for number in range(TRIES - 1):
        yield min(first * 2**number, LONGEST)
    yield None


def _pause(wished: str | None, otherwise: float) -> float:
    """Return the seconds that a server wishes for, from 0 to `LONGEST`.

    Without a wish, and for a date, it is `otherwise`.
    """
    try:
        return min(max(float(wished or otherwise), 0), LONGEST)
    except ValueError:
        return otherwise


def _body(error: HTTPError) -> Any:
    """Return the JSON that an error of HTTP came with.

    Text that is no JSON becomes the message of an error as OpenAI writes it, cut to 2000 letters.
    """
    text = error.read().decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return {"error": {"message": text[:2000]}}


# -- engines ---------------------------------------------------------------------------------------


def on_ray(todo: Sequence[Part], terms: Terms, address: str = "") -> int:
    """Answer parts on Ray, here or at a cluster's address, and return how many lines were written.

    "" as address is this machine. Starts Ray, which is not stopped again. What a part raises ends
    it.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR")
    ray.cloudpickle.register_pickle_by_value(
        sys.modules[__name__]
    )  # workers need not have it
    task: Any = ray.remote(num_cpus=SHARE)(work)
    return sum(ray.get([task.remote(part, terms) for part in todo]))


def on_daft(todo: Sequence[Part], terms: Terms, address: str = "") -> int:
    """Answer parts on Daft, here or on the Ray cluster at an address; return how many lines.

    "" as address is this machine. There must be a part. All parts are worked on at once.
    """
    os.environ.setdefault("DO_NOT_TRACK", "1")
    os.environ.setdefault("DAFT_PROGRESS_BAR", "0")
    import daft
    from daft.pickle import cloudpickle

    cloudpickle.register_pickle_by_value(
        sys.modules[__name__]
    )  # workers need not have it
    if address:
        daft.set_runner_ray(address)  # before anything else, which chooses one
    frame = daft.from_pydict({"at": list(range(len(todo)))})
    if address:
        frame = frame.into_partitions(len(todo))

    # so that parts are answered at once, whatever the processors
    async def answer(part_no: int) -> int:
        """Return what `work` makes of one part, computed in a thread of its own."""
        with ThreadPoolExecutor(1) as thread:
            return await asyncio.get_running_loop().run_in_executor(
                thread, work, todo[part_no], terms
            )

    ask_all = daft.func(max_concurrency=len(todo), return_dtype=daft.DataType.int64())(
        answer
    )
    return sum(frame.select(ask_all(frame["at"]).alias("count")).to_pydict()["count"])
