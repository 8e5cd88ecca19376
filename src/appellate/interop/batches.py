"""Batches beside OpenAI's own: Anthropic's Message Batches; and batches on engines (Ray and Daft,
on a cluster or on this machine), with the scripts for whoever submits the job themselves.

A request to Anthropic is `{"custom_id", "params"}`; a result `{"custom_id", "result": {"type", …}}`
with the `message` that succeeded, or the `error`. A schema is asked for as the one tool that must
be used.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from appellate.core.problem import Refused, quoted
from appellate.interop import batch_worker
from appellate.judges.batches import BatchRow, row
from appellate.judges.completion import count, mapping, mappings, text
from appellate.judging.batches import as_line, line_of

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
    """The request for a chat's body, as a line of a file."""
    return as_line({"custom_id": custom_id, "params": params(body)})


SHAPES: Mapping[str, Callable[[str, str, Mapping[str, Any]], bytes]] = {
    "openai": line_of,
    "anthropic": request_line,
}
"""How a request is written, by the batch files that it is for."""


def params(body: Mapping[str, Any]) -> Row:
    """What Messages takes for the body of a chat; raises Refused for what it has no place for."""
    strange = [name for name in body if name not in (*_SAME, *_RENAMED, *_FORMATTED)]
    if strange:
        raise Refused(f"Anthropic's Messages have no {quoted(strange[0])}: ask without it.")
    made: Row = {"max_tokens": _ROOM}
    made |= {name: body[name] for name in _SAME if name in body}
    made |= {ours: body[theirs] for theirs, ours in _RENAMED.items() if theirs in body}
    if isinstance(made.get("stop_sequences"), str):
        made["stop_sequences"] = [made["stop_sequences"]]
    system = [one["content"] for one in body["messages"] if one["role"] == "system"]
    if system:
        made["system"] = "\n\n".join(system)
    made["messages"] = [one for one in body["messages"] if one["role"] != "system"]
    schema = mapping(mapping(body.get("response_format")).get("json_schema")).get("schema")
    if schema:
        about = "The answer, whole: every field of it."
        made["tools"] = [{"name": TOOL, "description": about, "input_schema": schema}]
        made["tool_choice"] = {"type": "tool", "name": TOOL}
    return made


# -- results --------------------------------------------------------------------------------------


def any_row(line: bytes) -> BatchRow:
    """What a line of results says, whoever wrote it; raises Broken."""
    return row(line, _as_completion)


def _as_completion(value: Row) -> Row:
    """A result of Anthropic's as OpenAI would write it; any other value is what it was."""
    result = mapping(value.get("result"))
    if result.get("type") not in _SORTS:
        return value
    return {"custom_id": value.get("custom_id")} | _SORTS[result["type"]](result)


def _succeeded(result: Mapping[str, Any]) -> Row:
    message = mapping(result.get("message"))
    blocks = mappings(message.get("content"))
    answer = "".join(text(block.get("text")) for block in blocks if block.get("type") == "text")
    for block in blocks:
        if block.get("type") == "tool_use" and block.get("name") == TOOL:
            answer = json.dumps(block.get("input"), ensure_ascii=False)
    choice = {
        "message": {"content": answer, "reasoning_content": "".join(_thoughts(blocks))},
        "finish_reason": _FINISHED.get(text(message.get("stop_reason")), "stop"),
    }
    model, usage = message.get("model"), _usage(mapping(message.get("usage")))
    body = {"model": model, "choices": [choice], "usage": usage}
    return {"response": {"status_code": 200, "body": body}}


def _thoughts(blocks: list[Row]) -> Iterator[str]:
    for block in blocks:
        if block.get("type") == "thinking":
            yield text(block.get("thinking"))


_FINISHED = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


def _usage(usage: Mapping[str, Any]) -> Row:
    """Tokens as OpenAI counts them: those of the cache are among those that came in."""
    read = count(usage.get("cache_read_input_tokens")) or 0
    made = count(usage.get("cache_creation_input_tokens")) or 0
    came = count(usage.get("input_tokens"))
    return {
        "prompt_tokens": None if came is None else came + read + made,
        "completion_tokens": count(usage.get("output_tokens")),
        "prompt_tokens_details": {"cached_tokens": read},
    }


def _errored(result: Mapping[str, Any]) -> Row:
    error = mapping(result.get("error"))
    inner = mapping(error.get("error")) or error
    return {"error": inner or {"message": "no reason given"}}


def _unasked(_result: Mapping[str, Any]) -> Row:
    return {"error": {"code": "batch_expired", "message": "The batch ended before its turn."}}


_SORTS: Mapping[str, Callable[[Mapping[str, Any]], Row]] = {
    "succeeded": _succeeded,
    "errored": _errored,
    "canceled": _unasked,
    "expired": _unasked,
}

# -- engines ---------------------------------------------------------------------------------------


SHARE = 0.25
"""Of a processor, that a worker on Ray takes: with whole ones two hold a small machine for ever."""


class BatchJob(NamedTuple):
    """What is to be answered, by whom, and how much at once."""

    requests: str
    folder: str
    base_url: str
    key: str = ""
    workers: int = 2
    concurrency: int = 16
    timeout: float = 600.0
    address: str = ""

    def parts(self) -> list[tuple[list[str], str]]:
        """The lines for each worker, and the part that it writes."""
        shards = batch_worker.shards(self.requests, self.folder, self.workers)
        return [(lines, f"{self.folder}/part-{at}.jsonl") for at, lines in enumerate(shards)]

    def terms(self) -> tuple[str, str, int, float]:
        """What `batch_worker.work` takes behind lines and part."""
        return self.base_url, self.key, self.concurrency, self.timeout


def on_ray(job: BatchJob, on_part: Callable[[int], None]) -> None:
    """Runs a job on Ray; raises Refused where it is not installed."""
    try:
        import ray
    except ImportError:
        raise Refused("Ray is not installed: install appellate[ray].") from None
    ray.init(address=job.address or None, log_to_driver=False)
    ray.cloudpickle.register_pickle_by_value(batch_worker)  # workers need not have us
    work: Any = batch_worker.work
    task = ray.remote(num_cpus=SHARE)(work)
    running = [task.remote(lines, part, *job.terms()) for lines, part in job.parts()]
    while running:
        done, running = ray.wait(running)
        for one in done:
            on_part(ray.get(one))
    ray.shutdown()


def on_daft(job: BatchJob, on_part: Callable[[int], None]) -> None:
    """Runs a job on Daft; raises Refused where it is not installed."""
    try:
        import daft
    except ImportError:
        raise Refused("Daft is not installed: install appellate[daft].") from None
    parts = job.parts()
    if not parts:
        return

    def answer(number: int) -> int:
        lines, part = parts[number]
        return batch_worker.work(lines, part, *job.terms())

    frame = daft.from_pydict({"part": list(range(len(parts)))})
    if job.address:
        daft.set_runner_ray(job.address)
        frame = frame.into_partitions(len(parts))
    answered = frame["part"].apply(answer, return_dtype=daft.DataType.int64())
    for done in frame.with_column("count", answered).iter_rows():
        on_part(done["count"])


ENGINES: dict[str, Callable[[BatchJob, Callable[[int], None]], None]] = {
    "ray": on_ray,
    "daft": on_daft,
}


# -- scripts --------------------------------------------------------------------------------------

_PYTHON = """\
# Answers {requests} into {folder}, on {engine}. JUDGE_KEY of the workers' environment is the key.
{worker}

def run(lines, part):
    import os

    key = os.environ.get("JUDGE_KEY", "")
    return work(lines, part, {base_url!r}, key, {concurrency}, {timeout})


if __name__ == "__main__":
    Path({folder!r}).mkdir(exist_ok=True)
    todo = shards({requests!r}, {folder!r}, {workers})
    parts = [(lines, f"{folder}/part-{{at}}.jsonl") for at, lines in enumerate(todo)]
{engine_lines}
"""
_RAY = """\
    import ray

    ray.init(address={address!r} or None)
    task = ray.remote(num_cpus=0.25)(run)
    print(sum(ray.get([task.remote(*part) for part in parts])), "answered")
"""
_DAFT = """\
    import daft

    frame = daft.from_pydict({{"at": list(range(len(parts)))}})
    if {address!r}:
        daft.set_runner_ray({address!r})
        frame = frame.into_partitions(max(len(parts), 1))
    done = frame["at"].apply(lambda at: run(*parts[at]), return_dtype=daft.DataType.int64())
    print(sum(frame.with_column("n", done).to_pydict()["n"]), "answered")
"""
_VLLM = """\
#!/bin/sh
# Answers {requests} with vLLM on this machine: MODEL is the one that the requests name.
mkdir -p {folder}
vllm run-batch -i {requests} -o {folder}/part-0.jsonl --model "${{MODEL:?}}"
"""
_SLURM = """\
#!/bin/sh
#SBATCH --job-name=appellate-judge
#SBATCH --gpus=1
#SBATCH --time=24:00:00
# Answers {requests} with vLLM on a node with a GPU: sbatch --export=MODEL=… this-script
mkdir -p {folder}
srun vllm run-batch -i {requests} -o {folder}/part-${{SLURM_JOB_ID}}.jsonl --model "${{MODEL:?}}"
"""
_SCRIPTS = {"vllm": _VLLM, "slurm": _SLURM}
_ENGINE_LINES = {"ray": _RAY, "daft": _DAFT}
JOBS: Sequence[str] = (*_SCRIPTS, *_ENGINE_LINES)


def script(engine: str, job: BatchJob) -> str:
    """A short script that answers a job, for whoever submits it; no key is in it."""
    fields: dict[str, Any] = job._asdict()
    if engine in _SCRIPTS:
        return _SCRIPTS[engine].format(**fields)
    fields["worker"] = Path(batch_worker.__file__).read_text("utf-8")
    fields["engine_lines"] = _ENGINE_LINES[engine].format(**fields)
    return _PYTHON.format(engine=engine, **fields)
