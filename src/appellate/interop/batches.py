"""Batches beside OpenAI's own: Anthropic's Message Batches; and batches on engines (Ray and Daft,
on a cluster or on this machine), with the scripts for whoever submits the job themselves.

A request to Anthropic is `{"custom_id", "params"}`; a result `{"custom_id", "result": {"type", …}}`
with the `message` that succeeded, or the `error`. A schema is asked for as the one tool that must
be used.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from appellate.core.problem import Problem, Refused, Unusable, quoted
from appellate.interop import batch_worker
from appellate.interop.batch_worker import Part, Terms
from appellate.judges.batches import BatchRow, Broken, row, rows
from appellate.judges.completion import count, mapping, mappings, text
from appellate.judging.batches import MOST_FAULTS, json_line, openai_line

Row = dict[str, Any]

TOOL = "answer"
_SAME = ("model", "temperature", "top_p", "top_k", "metadata", "service_tier")
_RENAMED = {
    "max_completion_tokens": "max_tokens",
    "max_tokens": "max_tokens",
    "stop": "stop_sequences",
}
_ROOM = 8192
"""Tokens for a reply where the profile sets no limit: here every request needs one."""
_FORMATTED = ("messages", "response_format")


def request_line(custom_id: str, _path: str, body: Mapping[str, Any]) -> bytes:
    """Return a chat request as a line of a batch file for Anthropic, in bytes with the line end.

    `body` is the request as OpenAI takes it; `params` translates it. `_path` is ignored:
    Anthropic's lines have none. Raises Refused for a key of the body that `params` does not
    translate, as `stream` or `tools`, and KeyError without `messages`.
    """
    return json_line({"custom_id": custom_id, "params": params(body)})


SHAPES: Mapping[str, Callable[[str, str, Mapping[str, Any]], bytes]] = {
    "openai": openai_line,
    "anthropic": request_line,
}
"""How a request is written, by the batch files that it is for."""


def params(body: Mapping[str, Any]) -> Row:
    """Return the parameters of Anthropic's Messages for a chat request's body as OpenAI takes it.

    All system messages are joined into `system`, with an empty line between them. A JSON
    schema in `response_format` becomes one tool that the model must call; any other format
    is dropped. `stop` becomes the list `stop_sequences`. A limit of tokens (`max_tokens`,
    else `max_completion_tokens`) becomes `max_tokens`; without one it is `_ROOM`, since
    Anthropic requires one. The keys in `_SAME`, as `model` and `temperature`, stay. `body`
    is not changed.

    Raises Refused, with the key's name, for the first other key, also for `stream` and
    `tools`. Raises KeyError without `messages`.
    """
    known_names = {*_SAME, *_RENAMED, *_FORMATTED}
    strange = [name for name in body if name not in known_names]
    if strange:
        raise Refused(
            f"Anthropic's Messages have no {quoted(strange[0])}: ask without it.",
        )
    request: Row = {"max_tokens": _ROOM}
    request |= {name: body[name] for name in _SAME if name in body}
    request |= {
        ours: body[theirs] for theirs, ours in _RENAMED.items() if theirs in body
    }
    if isinstance(request.get("stop_sequences"), str):
        request["stop_sequences"] = [request["stop_sequences"]]
    system = [
        message["content"]
        for message in body["messages"]
        if message["role"] == "system"
    ]
    if system:
        request["system"] = "\n\n".join(system)
    request["messages"] = [
        message for message in body["messages"] if message["role"] != "system"
    ]
    schema = mapping(mapping(body.get("response_format")).get("json_schema")).get(
        "schema",
    )
    if schema:
        description = "The answer, whole: every field of it."
        request["tools"] = [
            {"name": TOOL, "description": description, "input_schema": schema},
        ]
        request["tool_choice"] = {"type": "tool", "name": TOOL}
    return request


# -- results --------------------------------------------------------------------------------------


def any_row(line: bytes) -> BatchRow:
    """Return the result in one line of a batch's results, which OpenAI or Anthropic wrote.

    An answer with an error is returned, too, with its `trouble`. Raises Broken for a line that is
    no JSON object, has no id, is a request or holds no result.
    """
    return row(line, _as_completion)


def _as_completion(value: Row) -> Row:
    """Return a line of Anthropic's batch results as OpenAI's batch output would have it.

    A value whose `result.type` is none of Anthropic's four is returned unchanged: it may be a line
    of OpenAI's.
    """
    result = mapping(value.get("result"))
    line_of_sort = _SORTS.get(text(result.get("type")))
    if line_of_sort is None:
        return value
    return {"custom_id": value.get("custom_id")} | line_of_sort(result)


def _succeeded(result: Mapping[str, Any]) -> Row:
    """Return a successful result of Anthropic's batch as a line of OpenAI's output, without its id.

    The line has `response` with status 200 and a body of model, one choice and usage. The
    text blocks are joined to the content, and the thinking blocks to `reasoning_content`.
    If the model called our tool, the content is the tool's input as JSON instead. The
    reason for stopping is "length" for a token limit, stays for a refusal, and is "stop"
    for any other.
    """
    message = mapping(result.get("message"))
    blocks = mappings(message.get("content"))
    answer = "".join(
        text(block.get("text")) for block in blocks if block.get("type") == "text"
    )
    thoughts = ""
    for block in blocks:
        if block.get("type") == "thinking":
            thoughts += text(block.get("thinking"))
        if block.get("type") == "tool_use" and block.get("name") == TOOL:
            answer = json.dumps(block.get("input"), ensure_ascii=False)
    choice = {
        "message": {"content": answer, "reasoning_content": thoughts},
        "finish_reason": _FINISHED.get(text(message.get("stop_reason")), "stop"),
    }
    model = message.get("model")
    usage = _usage(mapping(message.get("usage")))
    body = {"model": model, "choices": [choice], "usage": usage}
    return {"response": {"status_code": 200, "body": body}}


_FINISHED = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


def _usage(usage: Mapping[str, Any]) -> Row:
    """Return Anthropic's counts of tokens as OpenAI's: `prompt_tokens` includes those of the cache.

    The other keys are `completion_tokens`, and `prompt_tokens_details` with `cached_tokens`. A
    count that Anthropic does not give is None; tokens read from the cache are 0 then.
    """
    read = count(usage.get("cache_read_input_tokens")) or 0
    written_to_cache = count(usage.get("cache_creation_input_tokens")) or 0
    uncached = count(usage.get("input_tokens"))
    return {
        "prompt_tokens": None
        if uncached is None
        else uncached + read + written_to_cache,
        "completion_tokens": count(usage.get("output_tokens")),
        "prompt_tokens_details": {"cached_tokens": read},
    }


def _failed(result: Mapping[str, Any]) -> Row:
    """Return a failed result of an Anthropic batch as a line of OpenAI's output, without its id.

    Its "error" is the innermost table of the error, or says "no reason given" if there is none.
    """
    error = mapping(result.get("error"))
    inner = mapping(error.get("error")) or error
    return {"error": inner or {"message": "no reason given"}}


def _expired(_result: Mapping[str, Any]) -> Row:
    """Return OpenAI's line for a canceled or expired request of Anthropic, without its id.

    Its "error" is always the same, with `batch_expired` as code, so that the request can be sent
    again.
    """
    return {
        "error": {
            "code": "batch_expired",
            "message": "The batch ended before its turn.",
        },
    }


_SORTS: Mapping[str, Callable[[Mapping[str, Any]], Row]] = {
    "succeeded": _succeeded,
    "errored": _failed,
    "canceled": _expired,
    "expired": _expired,
}

# -- engines ---------------------------------------------------------------------------------------

ENGINES: Mapping[str, Callable[[Sequence[Part], Terms, str], int]] = {
    "ray": batch_worker.on_ray,
    "daft": batch_worker.on_daft,
}


def check_requests(path: Path) -> None:
    """Raise Unusable if a line of a file is no request that Ray or Daft can send.

    Blank lines are allowed, and an empty file passes. The error names the lines by their number
    from 1, at most `MOST_FAULTS`. Checking stops at the first request to Anthropic, which engines
    cannot send. Raises OSError.
    """
    problems = list[Problem]()
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            wrong = line.strip() and _fault_of_request(line)
            if wrong:
                right = "`batch export` makes such files"
                problems.append(Problem(str(path), f"line {number}", str(wrong), right))
            if len(problems) == MOST_FAULTS or wrong == _OF_ANTHROPIC:
                break
    if problems:
        raise Unusable(problems)


_OF_ANTHROPIC = "is a request to Anthropic, and engines ask OpenAI-compatible endpoints"


def _fault_of_request(line: bytes) -> str:
    """Return why a line is no request for an engine, such as "is not JSON"; "" if it is one.

    The words follow the line's number in a message. A request to Anthropic is not one. A request
    needs `custom_id`, `url` and a `body` that is not empty; what is in the body is not checked.
    """
    try:
        value = mapping(json.loads(line))
    except (ValueError, RecursionError):
        return "is not JSON"
    if "params" in value:
        return _OF_ANTHROPIC
    if not (
        text(value.get("custom_id"))
        and text(value.get("url"))
        and mapping(value.get("body"))
    ):
        return "has no custom_id, url and body"
    return ""


class Outcomes(NamedTuple):
    """The ids that have an answer, and how many failed for which reason."""

    answered: set[str]
    failed: Counter[str]


def outcomes(folder: Path) -> Outcomes:
    """Return the ids that a folder's files `part-*.jsonl` answer, and how often each error came.

    A line with an error is counted by its message, and its id is not among the answered ones unless
    another line answers it. Lines that are no result are ignored. Both are empty without files.
    Raises OSError.
    """
    totals = Outcomes(set(), Counter())
    for _, answer_row in rows(folder.glob("part-*.jsonl"), any_row):
        if isinstance(answer_row, Broken):
            continue
        if answer_row.trouble:
            totals.failed[answer_row.trouble.message] += 1
        else:
            totals.answered.add(answer_row.custom_id)
    return totals


# -- scripts --------------------------------------------------------------------------------------

JOBS: Sequence[str] = ("vllm", "slurm", *ENGINES)

_HEAD = """\
# Answers {requests!r} into {folder!r}, on {engine}; run again, it goes on where it was stopped.
# A key is read from JUDGE_KEY in the environment of each worker, where there is one.
"""
_TAIL = """

if __name__ == "__main__":
    Path({folder!r}).mkdir(exist_ok=True)
    todo = parts({requests!r}, {folder!r}, {workers})
    terms = {terms!r}
    print(on_{engine}(todo, terms, {address!r}) if todo else 0, "requests asked")
"""
_SHELL = """\
#!/bin/sh
{slurm}# Answers {requests!r} into {folder!r} with vLLM; run again, it goes on where it was stopped.
# {start}: the model that the requests name.
export PORT="${{PORT:-{port}}}"
vllm serve "${{MODEL:?the model that the requests name}}" --port "$PORT" &
server=$!
trap 'kill $server; wait $server' EXIT
until python3 -c "from urllib import request; request.urlopen('http://localhost:$PORT/health')" 2>&-
do
    kill -0 $server || exit 1
    sleep 1
done
python3 - <<'END'
{worker}

Path({folder!r}).mkdir(exist_ok=True)
terms = Terms(f"http://localhost:{{os.environ['PORT']}}/v1", "", {concurrency}, {timeout})
print(sum(work(part, terms) for part in parts({requests!r}, {folder!r}, 1)), "requests asked")
END
"""
_SLURM = """\
#SBATCH --job-name=appellate-judge
#SBATCH --gpus=1
#SBATCH --time=24:00:00
#SBATCH --requeue
"""


def script(
    engine: str,
    requests: str,
    folder: str,
    workers: int,
    terms: Terms,
    address: str = "",
) -> str:
    """Return the text of a script that answers the requests of a batch file; nothing is written.

    `engine` is one of `JOBS`. For "ray" and "daft" the script is in Python, and the key is read
    from the variable `JUDGE_KEY` where it runs; `address` is a Ray cluster's, or "" for the machine
    itself. For "vllm" and "slurm" it is in shell, starts a vLLM server and asks it without a key;
    "slurm" adds the lines for that queue, and `address` is ignored. `requests` and `folder` are
    paths as the script shall use them. `workers` times `terms.concurrency` requests are sent at
    once. No key is in the text.
    """
    worker = Path(batch_worker.__file__).read_text("utf-8")
    files = {"requests": requests, "folder": folder}
    if engine in ENGINES:
        terms = terms._replace(key_env="JUDGE_KEY")
        ends = {
            **files,
            "engine": engine,
            "workers": workers,
            "terms": terms,
            "address": address,
        }
        return _HEAD.format(**ends) + worker + _TAIL.format(**ends)
    head = {"slurm": "", "start": "MODEL=NAME sh SCRIPT", "port": "8000"}
    if engine == "slurm":
        head = {"slurm": _SLURM, "start": "sbatch --export=ALL,MODEL=NAME SCRIPT"}
        head["port"] = "$((20000 + SLURM_JOB_ID % 20000))"  # nodes may be shared
    at_once = {"concurrency": workers * terms.concurrency, "timeout": terms.timeout}
    return _SHELL.format(**files, **head, **at_once, worker=worker)
