"""Batches on engines that exist: Ray and Daft, on a cluster or on this machine; and the scripts for
whoever submits the job themselves.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from appellate.core.problem import Refused
from appellate.interop import batch_worker

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
    for row in frame.with_column("count", answered).iter_rows():
        on_part(row["count"])


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
