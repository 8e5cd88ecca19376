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
from math import isnan
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
HOPELESS = 32  # failures of the server in a row, after which a worker leaves the rest
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
    """Return the requests that still have no answer, dealt into parts for up to `workers` workers.

    `requests` is the path of a file with a JSON request a line, perhaps behind a byte-order mark,
    and `folder` that of the folder with the answers, `part-0.jsonl` and so on. Each part has a run
    of lines that follow each other in the file, as prefix caches like, and names the file that its
    answers go to. All parts but the last have the same size, so there may be fewer than `workers`;
    [] if all is answered. Rewrites the files in `folder` without lines that are errors or cut
    short. A line that is no JSON counts as unanswered, a blank one is left out. Raises OSError,
    also if `requests` does not exist.
    """
    answered_ids = set[str]()
    for part in Path(folder).glob("part-*.jsonl"):
        answered_ids |= answered(part)
    with Path(requests).open(encoding="utf-8-sig", newline="\n") as lines:
        todo = [
            line for line in lines if line.strip() and id_of(line) not in answered_ids
        ]
    size = max(-(-len(todo) // workers), 1)
    stretches = [todo[start : start + size] for start in range(0, len(todo), size)]
    return [
        Part(lines, str(Path(folder, f"part-{part_no}.jsonl")))
        for part_no, lines in enumerate(stretches)
    ]


def _open_private(path: str, flags: int) -> int:
    """Open a file of answers so that only its owner can read a new one; return the descriptor.

    It is an `opener` for `open`, and `flags` are those that `open` gives it. Raises OSError.
    """
    return os.open(path, flags, 0o600)


def answered(part: Path) -> set[str]:
    """Return the ids of the requests that have an answer in a part's file, and clean the file.

    Only a whole line with status 200 and a body is an answer. All other lines are dropped from the
    file on the disk: errors, lines that are no JSON, and a last line that a kill cut short. Returns
    an empty set if the file does not exist. Raises OSError.
    """
    answered_ids = set[str]()
    if not part.exists():
        return answered_ids
    kept_path = part.with_suffix(".kept")
    with part.open("rb") as lines, open(kept_path, "wb", opener=_open_private) as file:
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
        _sync_folder(part.parent)
    else:
        kept_path.unlink()
    return answered_ids


def _sync_folder(folder: Path) -> None:
    """Flush a folder to the disk (fsync), so that a file renamed in it survives a crash.

    Does nothing, and raises nothing, on a system that cannot do so.
    """
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def id_of(line: str) -> str:
    """Return the `custom_id` of a line with a JSON request, as text.

    Returns "" for a line that is no JSON, no table, or has no such key.
    """
    with suppress(ValueError, KeyError, TypeError):
        return str(json.loads(line)["custom_id"])
    return ""


def work(part: Part, terms: Terms) -> int:
    """Send the requests of one part that have no answer yet; return how many lines were written.

    Each answer is appended to the part's file as soon as it arrives, so not in the order of the
    requests. Errors are appended and counted, too. The key, from the environment variable
    `terms.key_env`, is replaced by "[key]" in what is written. `terms.concurrency` requests are
    under way at once. After `HOPELESS` failures of the server in a row no further request is sent,
    and the rest stays unanswered. It may be run again for the same part: what is answered is not
    asked twice, and errors are asked again. Raises OSError if the file cannot be written.
    """
    key = os.environ.get(terms.key_env, "")
    answered_ids = answered(Path(part.file))
    rest = (line for line in part.lines if id_of(line) not in answered_ids)
    count = failed = 0
    pending = set[Future[dict[str, Any]]]()
    with (
        open(part.file, "ab", buffering=0, opener=_open_private) as file,
        ThreadPoolExecutor(terms.concurrency) as pool,
    ):
        while True:
            if failed < HOPELESS:
                for line in islice(rest, terms.concurrency * 2 - len(pending)):
                    pending.add(
                        pool.submit(ask, line, terms.base_url, key, terms.timeout),
                    )
            if not pending:
                os.fsync(file.fileno())
                _sync_folder(Path(part.file).parent)
                return count
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                answer = future.result()
                file.write((_without_key(json.dumps(answer), key) + "\n").encode())
                count += 1
                failed = failed + 1 if _is_failure_of_server(answer) else 0


def _is_failure_of_server(answer: dict[str, Any]) -> bool:
    """Return whether an answer is the server's failure rather than the one request's.

    `answer` is what `ask` returns. It is if there was no response at all (`None`), or if the status
    is in `RETRIED` or `REFUSED`, such as 429, 503 or 401.
    """
    if answer["response"] is None:
        return True
    return answer["response"]["status_code"] in (*RETRIED, *REFUSED)


def _without_key(text: str, key: str) -> str:
    """Return a text with the API key, and each piece of it from `PIECE` letters on, as "[key]".

    A key shorter than `PLACEHOLDER` letters, also "", is not looked for: the text is returned as it
    is.
    """
    if len(key) < PLACEHOLDER:
        return text
    shortest = min(len(key), PIECE)
    for start in range(len(key) - shortest + 1):
        first_end = start + shortest
        if key[start:first_end] not in text:
            continue
        for end in range(len(key), first_end - 1, -1):
            piece = key[start:end]
            text = text.replace(piece, "[key]")
    return text


def ask(
    line: str,
    base_url: str,
    key: str,
    timeout: float,
    first: float = FIRST,
) -> dict[str, Any]:
    """Send one request and return its answer as a line of OpenAI's batch output has it: a dict.

    For any answer of the server, also with a status other than 200, it is `{"custom_id",
    "response": {"status_code", "body"}, "error": None}`. Otherwise "response" is None and
    "error" has a "message": if the server does not answer, if a successful answer is no
    JSON, and if the line is no request. A failed connection and a status in `RETRIED` are
    tried again, up to `TRIES` times in all. `timeout` is in seconds a try, and `first` is
    the wait before the second try, which doubles from then on. With "" as `key` none is
    sent. Raises nothing.
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
    request: dict[str, Any],
    base_url: str,
    key: str,
    timeout: float,
    first: float,
) -> tuple[int, Any]:
    """Send one request of a batch, up to `TRIES` times; return the answer's status and body.

    The address is `base_url` and the request's `url` without "/v1". A status in `RETRIED` and a
    failed connection are tried again after a wait, which begins with `first` seconds and doubles,
    or is what the server's Retry-After says. Any other status, and the last one in `RETRIED`, is
    returned. The body is JSON; that of an error status may be made of its text. Raises OSError or
    HTTPException if the last try fails to connect, ValueError if a successful answer is no JSON
    (which is not tried again), and KeyError for a request without `url` or `body`. `timeout` is in
    seconds a try; no key is sent for "".
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
    """Yield how long to wait after each of `TRIES` attempts, in seconds, and None after the last.

    It is `first`, doubled each time up to `LONGEST`.
    """
    for number in range(TRIES - 1):
        yield min(first * 2**number, LONGEST)
    yield None


def _pause(wished: str | None, otherwise: float) -> float:
    """Return the seconds to wait for, from a server's Retry-After header.

    A number is kept between 0 and `LONGEST`. Without the header (None, ""), for a date and for NaN,
    `otherwise` is returned.
    """
    try:
        seconds = float(wished or otherwise)
    except ValueError:
        return otherwise
    if isnan(seconds):
        return otherwise
    return min(max(seconds, 0), LONGEST)


def _body(error: HTTPError) -> Any:
    """Return the JSON body of an HTTP error's response.

    A body that is no JSON is returned as `{"error": {"message": TEXT}}`, the text cut to 2000
    characters. Reads the response to its end.
    """
    text = error.read().decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return {"error": {"message": text[:2000]}}


# -- engines ---------------------------------------------------------------------------------------


def on_ray(todo: Sequence[Part], terms: Terms, address: str = "") -> int:
    """Answer parts on the engine Ray and return how many lines were written, with those of errors.

    `address` is that of a Ray cluster; "" starts Ray on this machine. Parts run at once as
    far as processors are free, and all are done at the return. Ray is left running. Raises
    ImportError without Ray, ConnectionError if the cluster is not there, and what a part
    raises.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR")
    # workers need not have this module
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    task: Any = ray.remote(num_cpus=SHARE)(work)
    return sum(ray.get([task.remote(part, terms) for part in todo]))


def on_daft(todo: Sequence[Part], terms: Terms, address: str = "") -> int:
    """Answer parts on the engine Daft, all at once; return how many lines were written, errors too.

    `address` is that of a Ray cluster that Daft runs on, with a partition for each part; "" is this
    machine. `todo` must not be empty. Does not return before all parts are done. Raises ImportError
    without Daft, and what a part raises.
    """
    os.environ.setdefault("DO_NOT_TRACK", "1")
    os.environ.setdefault("DAFT_PROGRESS_BAR", "0")
    import daft
    from daft.pickle import cloudpickle

    # workers need not have this module
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    if address:
        daft.set_runner_ray(address)  # before anything else, which chooses one
    frame = daft.from_pydict({"at": list(range(len(todo)))})
    if address:
        frame = frame.into_partitions(len(todo))

    # so that parts are answered at once, whatever the processors
    async def answer(part_no: int) -> int:
        """Send the requests of the part with this number, from 0, by `work` in a thread.

        Returns how many lines were written.
        """
        with ThreadPoolExecutor(1) as thread:
            return await asyncio.get_running_loop().run_in_executor(
                thread,
                work,
                todo[part_no],
                terms,
            )

    ask_all = daft.func(max_concurrency=len(todo), return_dtype=daft.DataType.int64())(
        answer,
    )
    counts = frame.select(ask_all(frame["at"]).alias("count")).to_pydict()
    return sum(counts["count"])
