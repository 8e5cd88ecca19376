"""Batch engines for tests: files answered as engines answer them, and a server with the Batch API.

`answers(files)` gives a result line for each request; `with batch_api() as server:` is a real server on the
loopback interface whose batches end when the test says so.
"""

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from loopback import Answer, Asked, truthful

RUBRIC = """
[[metric_traits]]
name = "Facts"
evaluation_mode = "full_matrix"
metrics = ["precision", "recall", "specificity", "f1"]
tp_instructions = ["Says that water boils at 100 degrees", "Says that ice floats"]
tn_instructions = ["Says that ice sinks"]

[[metric_traits]]
name = "Ice"
metrics = ["recall"]
tp_instructions = ["Says that ice floats"]
"""
TRACES = [
    {
        "id": "a",
        "question": "Water?",
        "response": "Water boils at 100 degrees Celsius. Ice floats.",
    },
    {
        "id": "b",
        "question": "Water?",
        "response": "Ice sinks like a stone. Call sk-1234567890 for more.",
    },
    {
        "id": "c",
        "question": "Water?",
        "response": "Nobody knows. Ice floats, says my aunt.",
    },
]
CELLS = 6

Line = dict[str, Any]


def written(folder: Path) -> Path:
    """The rubric and the traces in a folder."""
    (folder / "r.toml").write_text(RUBRIC)
    (folder / "t.jsonl").write_text(
        "".join(json.dumps(trace) + "\n" for trace in TRACES),
    )
    return folder


def requests(*files: Path) -> list[Line]:
    return [
        json.loads(line) for file in files for line in file.read_bytes().splitlines()
    ]


def answered(request: Line) -> Line:
    """A result line as OpenAI writes it."""
    body = truthful(Asked(1, "POST", request["url"], {}, request["body"])).body
    response = {"status_code": 200, "request_id": "req_1", "body": body}
    return {
        "id": "batch_req_1",
        "custom_id": request["custom_id"],
        "response": response,
        "error": None,
    }


def answers(requests: Iterable[Line]) -> list[Line]:
    return [answered(request) for request in requests]


def lines(rows: Iterable[Line]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


class BatchApi:
    """Files and batches of one server, and what it was asked; `end` lets every batch end in a state."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Line] = {}
        self.asked: list[tuple[str, str, str]] = []
        self.faults: list[Callable[[str, str], Answer | None]] = []

    def answer(self, method: str, path: str, body: bytes) -> Answer:
        for fault in self.faults:
            if (answer := fault(method, path)) is not None:
                return answer
        match method, *path.removeprefix("/v1/").partition("?")[0].split("/"):
            case "POST", "files":
                return self._upload(body)
            case "POST", "batches":
                return self._begin(json.loads(body))
            case "GET", "batches":
                return Answer(
                    {
                        "object": "list",
                        "data": list(self.batches.values()),
                        "has_more": False,
                    },
                )
            case "GET", "batches", name if name in self.batches:
                return Answer(self.batches[name])
            case "GET", "files", name, "content" if name in self.files:
                return Answer(self.files[name])
        return Answer({"error": {"message": f"There is nothing at {path}."}}, 404)

    def _upload(self, body: bytes) -> Answer:
        found = re.search(
            rb'name="file"; filename="[^"]+"\r\n(?:[^\r]+\r\n)*\r\n(.*?)\r\n--',
            body,
            re.DOTALL,
        )
        name = f"file-{len(self.files) + 1}"
        self.files[name] = found.group(1) if found else b""
        return Answer({"id": name, "object": "file", "purpose": "batch"})

    def _begin(self, given: Line) -> Answer:
        name = f"batch_{len(self.batches) + 1}"
        total = len(self.files[given["input_file_id"]].splitlines())
        counts = {"total": total, "completed": 0, "failed": 0}
        told = {
            "id": name,
            "object": "batch",
            "status": "in_progress",
            "request_counts": counts,
            "created_at": 0,
        }
        self.batches[name] = told | given
        return Answer(self.batches[name])

    def end(self, state: str, done: int | None = None) -> None:
        """Every batch ends, with its first `done` requests answered and the rest in the error file."""
        for batch in self.batches.values():
            asked = [
                json.loads(line)
                for line in self.files[batch["input_file_id"]].splitlines()
            ]
            count = len(asked) if done is None else done
            expired = {
                "code": "batch_expired",
                "message": "This request could not be executed in time.",
            }
            late = [
                {"custom_id": one["custom_id"], "response": None, "error": expired}
                for one in asked[count:]
            ]
            batch["status"], batch["request_counts"]["completed"] = state, count
            for key, rows in (
                ("output_file_id", answers(asked[:count])),
                ("error_file_id", late),
            ):
                if rows:
                    batch[key] = f"{batch['id']}-{key}"
                    self.files[batch[key]] = lines(reversed(rows))


@contextmanager
def batch_api() -> Iterator[BatchApi]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _exchange(self) -> None:
            body = (
                self.rfile.read(int(self.headers.get("content-length") or 0))
                or self._chunks()
            )
            api.asked.append(
                (self.command, self.path, self.headers.get("authorization", "")),
            )
            answer = api.answer(self.command, self.path, body)
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(answer.raw)))
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(answer.raw)

        def _chunks(self) -> bytes:
            if self.headers.get("transfer-encoding") != "chunked":
                return b""
            whole = b""
            while size := int(self.rfile.readline(), 16):
                whole += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return whole

        do_GET = do_POST = _exchange  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        api = BatchApi(server.server_address[1])
        thread = threading.Thread(
            target=server.serve_forever,
            kwargs={"poll_interval": 0.01},
        )
        thread.start()
        try:
            yield api
        finally:
            server.shutdown()
            thread.join()
