"""Answers requests of a batch one by one: what a worker of any engine does, on any machine.

Only the standard library is imported, so that `batch job` can print this file as it is. A request
is read as a line and its body sent untouched: engines that parse JSON rewrite it.
"""

import json
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TRIES, FIRST, LONGEST = 6, 1.0, 60.0  # attempts; seconds before the second; seconds at most
RETRIED = (408, 409, 429, 500, 502, 503, 504, 529)


def answered(folder: str) -> set[str]:
    """The ids to which the parts in a folder have an answer; a line cut short is none."""
    found = set()
    for part in Path(folder).glob("part-*.jsonl"):
        for line in part.read_text("utf-8", "replace").splitlines():
            try:
                found.add(json.loads(line)["custom_id"])
            except (ValueError, KeyError, TypeError):
                continue
    return found


def shards(requests: str, folder: str, workers: int) -> list[list[str]]:
    """The lines that have no answer yet, dealt to workers in stretches, as prefix caches like."""
    known = answered(folder)
    lines = Path(requests).read_text("utf-8").splitlines()
    todo = [line for line in lines if line.strip() and json.loads(line)["custom_id"] not in known]
    size = -(-len(todo) // max(workers, 1))
    return [todo[at : at + size] for at in range(0, len(todo), size)] if todo else []


def work(
    lines: Iterable[str], part: str, base_url: str, key: str, concurrency: int, timeout: float
) -> int:
    """Answers lines into a part, each as it arrives, and returns how many."""
    count, rest = 0, iter(lines)
    _drop_cut_line(Path(part))
    with Path(part).open("a", encoding="utf-8") as file, ThreadPoolExecutor(concurrency) as pool:
        while group := list(islice(rest, concurrency * 8)):
            asked = [pool.submit(ask, line, base_url, key, timeout) for line in group]
            for answer in as_completed(asked):
                file.write(json.dumps(answer.result(), ensure_ascii=False) + "\n")
                file.flush()
                count += 1
    return count


def _drop_cut_line(part: Path) -> None:
    """Takes away what a killed worker wrote of a line."""
    if part.exists():
        whole = part.read_bytes()
        part.write_bytes(whole[: whole.rfind(b"\n") + 1])


def ask(line: str, base_url: str, key: str, timeout: float, first: float = FIRST) -> dict[str, Any]:
    """The answer to one request, or why there is none; raises nothing. The second attempt comes
    `first` seconds after the first.
    """
    custom_id = ""
    try:
        request = json.loads(line)
        custom_id = request["custom_id"]
        status, body = _sent(request, base_url, key, timeout, first)
    except Exception as error:  # noqa: BLE001 - no row ends the others
        text = f"{type(error).__name__}: {error}".replace(key or "\n", "[key]")
        return {"custom_id": custom_id, "response": None, "error": {"message": text}}
    response = {"status_code": status, "body": body}
    return {"custom_id": custom_id, "response": response, "error": None}


def _sent(
    request: dict[str, Any], base_url: str, key: str, timeout: float, first: float
) -> tuple[int, Any]:
    url = base_url.rstrip("/") + request["url"].removeprefix("/v1")
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = json.dumps(request["body"]).encode()
    for wait in _waits(first):
        try:
            # the command takes http and https alone
            with urlopen(Request(url, data, headers), timeout=timeout) as answer:  # noqa: S310
                return answer.status, json.loads(answer.read())
        except HTTPError as error:
            if error.code not in RETRIED or wait is None:
                return error.code, _body(error)
            time.sleep(float(error.headers.get("Retry-After") or wait))
        except OSError:
            if wait is None:
                raise
            time.sleep(wait)
    raise AssertionError


def _waits(first: float) -> Iterator[float | None]:
    """Seconds to wait after each attempt; None after the last."""
    for number in range(TRIES - 1):
        yield min(first * 2**number, LONGEST)
    yield None


def _body(error: HTTPError) -> Any:
    text = error.read().decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return {"error": {"message": text[:2000]}}
