"""Batches on engines: cells a second by workers, beside `judge --concurrency`, and what a kill costs.

720 cells, the server is tests/loopback.py in a process of its own. An engine that is not installed is left out;
`bash tests/benchmarks/engines.sh PYTHON` installs both. Run: python tests/benchmarks/engines.py [pace] [kill]
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from judge import ROOT, Server

TRACES, TRAITS = 120, 6
CELLS = TRACES * TRAITS
RESPONSE = (
    "Water boils at 100 degrees Celsius. Ice floats, and salt lowers the melting point."
)
ENGINES = [name for name in ("daft", "ray") if importlib.util.find_spec(name)]
ENV = os.environ | {
    "PYTHONPATH": str(ROOT / "src"),
    "APPELLATE_CONFIG": tempfile.gettempdir(),
}


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "appellate", *map(str, words)]


def run(folder: Path, *words: object) -> float:
    """Seconds that a command takes, from its start to its end."""
    began = time.perf_counter()
    subprocess.run(
        command(*words),
        cwd=folder,
        env=ENV,
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - began


def written(folder: Path) -> None:
    """A rubric, its traces, and the requests about them."""
    traits = [
        f'[[metric_traits]]\nname = "T{n}"\nmetrics = ["recall"]\n'
        f'tp_instructions = ["Says fact {n} of water and ice"]\n'
        for n in range(TRAITS)
    ]
    (folder / "r.toml").write_text("".join(traits))
    traces = [
        {"id": str(n), "question": "Water?", "response": RESPONSE}
        for n in range(TRACES)
    ]
    (folder / "t.jsonl").write_text(
        "".join(json.dumps(trace) + "\n" for trace in traces),
    )
    run(
        folder,
        "batch",
        "export",
        "r.toml",
        "t.jsonl",
        "-o",
        "requests.jsonl",
        "--model",
        "m",
    )


def on_engine(url: str, engine: str, answers: str, workers: int) -> list[object]:
    to = ["-o", answers, "--engine", engine, "--base-url", url, "--workers", workers]
    return ["batch", "run", "requests.jsonl", *to]


def pace(folder: Path, delay: float) -> None:
    print(
        f"{CELLS} cells, a server that answers after {delay:.1f} s; cells a second, start and all",
    )
    server = Server("plain", delay)
    for at_once in (16, 32, 64):
        given = [
            "--model",
            "m",
            "--base-url",
            server.url,
            "--concurrency",
            at_once,
            "--no-cache",
        ]
        taken = run(
            folder,
            "judge",
            "r.toml",
            "t.jsonl",
            "-o",
            f"{delay}-{at_once}.audit.toml",
            *given,
        )
        print(f"  judge --concurrency {at_once:3} {CELLS / taken:6.0f}", flush=True)
    for engine in ENGINES:
        for workers in (1, 2, 4):
            taken = run(
                folder,
                *on_engine(server.url, engine, f"{delay}-{engine}-{workers}", workers),
            )
            print(
                f"  {engine:4} --workers {workers}      {CELLS / taken:6.0f}",
                flush=True,
            )
    server.ended()


def kill(folder: Path) -> None:
    """Kill -9 once half is answered, then on; a reply takes .2 s, so 32 requests are under way."""
    for engine in ENGINES:
        server, answers = Server("plain", 0.2), f"kill-{engine}"
        words = command(*on_engine(server.url, engine, answers, 2))
        with subprocess.Popen(
            words,
            cwd=folder,
            env=ENV,
            stderr=subprocess.DEVNULL,
        ) as process:
            while lines(folder / answers) < CELLS // 2 and process.poll() is None:
                time.sleep(0.02)
            process.kill()
        before = lines(folder / answers)
        run(folder, *words[3:])
        took = run(folder, "batch", "import", "t.audit.toml", answers)
        asked = server.ended()["asked"]
        print(
            f"{engine}: killed at {before} of {CELLS}; {lines(folder / answers)} answers in the end,"
            f" {asked - CELLS} requests asked twice; imported in {took:.1f} s",
            flush=True,
        )


def lines(folder: Path) -> int:
    return sum(part.read_bytes().count(b"\n") for part in folder.glob("part-*.jsonl"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["pace", "kill"])
    what = parser.parse_args().what
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder)
        if "pace" in what:
            pace(folder, 0.0)
            pace(folder, 0.5)
        if "kill" in what:
            kill(folder)


if __name__ == "__main__":
    main()
