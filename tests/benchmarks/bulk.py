"""Taking in N recorded traces of about 3 kB, and writing the audit after one correction.

The baselines, of the same run, are `json.loads` of the lines, and copying the audit to the disk.
Run: python tests/benchmarks/bulk.py [--traces 1000 10000 100000] [--source SRC] [--folder FOLDER]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
TP = [f"States finding number {n} of the report" for n in range(1, 9)]
TN = [f"Claims error number {n}" for n in range(1, 5)]
SAID = (
    "the patient report says that blood pressure was measured twice and both values were high so a doctor should look"
    " at it soon because treatment may help while rest water sleep and less salt are worth trying first unless pain"
    " fever or a rash comes with it then emergency care is the place to go and nobody should wait for that"
)
WORDS = SAID.split()
RUBRIC = f"""
[[metric_traits]]
name = "Findings"
evaluation_mode = "full_matrix"
metrics = ["precision", "recall", "specificity", "accuracy", "f1"]
tp_instructions = {json.dumps(TP)}
tn_instructions = {json.dumps(TN)}
"""
CORRECTION = """
import sys, time
from pathlib import Path
from appellate.traits.metric.edits import Edit
from appellate.core.deciding import Correct
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.session.workbench import Workbench

place = AuditFiles.of(Path(sys.argv[1]))
with resume(place).workspace as workspace:
    bench = Workbench(workspace, place.audit, "ada")
    for move in ({"bucket": "tp", "to": "fn"}, {"bucket": "tp", "to": "fn"}, {"bucket": "tp", "to": "fn"}):
        bench.do(workspace.cells.count() // 2, Correct(Edit.from_row({"action": "move", "index": 0, **move})))
        began, cpu = time.perf_counter(), time.process_time()
        bench.save()
        print(time.perf_counter() - began, time.process_time() - cpu)
"""


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(8, 18))).capitalize() + "."


def trace(n: int) -> dict[str, object]:
    """A recorded trace: paragraphs, excerpts of it in TP and FP, one of them with its offsets."""
    chance = random.Random(n)
    said = [sentence(chance) for _ in range(24)]
    response = "\n\n".join(" ".join(said[at : at + 4]) for at in range(0, 24, 4))
    tp, fp = said[0:10:2], [said[11]]
    items = [
        {"bucket": "tp", "index": at, "instruction": at + 1, "of": "tp"}
        for at in range(5)
    ]
    items.append({"bucket": "fp", "index": 0, "instruction": 1, "of": "tn"})
    items[0] |= {"start": 0, "end": len(said[0])}
    labels = {
        "tp": tp,
        "fn": TP[5:],
        "fp": fp,
        "tn": TN[1:],
        "items": items,
        "model": "judge-1",
    }
    question = f"What does report {n} come to?"
    metadata = {"split": "test", "n": n, "tags": ["a", "b"]}
    return {
        "id": f"trace-{n}",
        "question": question,
        "response": response,
        "metadata": metadata,
        "judgments": {"Findings": labels},
    }


@dataclass(frozen=True)
class Run:
    """What a process took: seconds, seconds of processor time, and the most memory that it held, in MiB."""

    seconds: float
    cpu: float
    memory: float
    said: str

    @classmethod
    def of(cls, source: Path, *argv: str) -> "Run":
        """Runs Python on a source tree; memory is that of the largest process, of which there is one."""
        env = os.environ | {
            "PYTHONPATH": str(source),
            "APPELLATE_CONFIG": tempfile.gettempdir(),
        }
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, *argv],
            env=env,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            said = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{argv} ended with {process.returncode}")
        cpu = used.ru_utime + used.ru_stime
        return cls(time.perf_counter() - began, cpu, used.ru_maxrss / 1024, said)


def parsing(path: Path) -> tuple[float, float]:
    """Seconds, and seconds of processor time, that `json.loads` takes for all lines: the least of three."""

    def once() -> tuple[float, float]:
        began, cpu = time.perf_counter(), time.process_time()
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                json.loads(line)
        return time.perf_counter() - began, time.process_time() - cpu

    taken = [once() for _ in range(3)]
    return min(wall for wall, _ in taken), min(cpu for _, cpu in taken)


def copying(path: Path) -> float:
    """Seconds that a copy of the file takes until the disk has it: the median of three."""
    copy = path.with_suffix(".copy")

    def once() -> float:
        began = time.perf_counter()
        with path.open("rb") as source, copy.open("wb") as target:
            while chunk := source.read(1 << 20):
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())
        taken = time.perf_counter() - began
        copy.unlink()
        return taken

    return sorted(once() for _ in range(3))[1]


def measure(count: int, source: Path, folder: Path) -> None:
    rubric, traces, audit = (
        folder / name for name in ("rubric.toml", "traces.jsonl", "x.audit.toml")
    )
    rubric.write_text(RUBRIC, encoding="utf-8")
    with traces.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(trace(n)) + "\n" for n in range(count))
    base, base_cpu = parsing(traces)
    print(
        f"{count} traces, {traces.stat().st_size / 1e6:.0f} MB; json.loads {base:.3f} s, cpu {base_cpu:.3f} s",
    )
    run = Run.of(
        source,
        "-m",
        "appellate",
        "judge",
        str(rubric),
        str(traces),
        "-o",
        str(audit),
    )
    told = f"{run.seconds:.1f} s ({run.seconds / base:.0f} ×), cpu {run.cpu:.1f} s ({run.cpu / base_cpu:.0f} ×)"
    print(f"  judge, recorded: {told}, at most {run.memory:.0f} MiB", flush=True)
    again = Run.of(source, "-c", CORRECTION, str(audit))
    copied = copying(audit)
    print(
        f"  audit of {audit.stat().st_size / 1e6:.0f} MB; a copy takes {copied:.2f} s",
    )
    for line in again.said.splitlines():
        took, cpu = map(float, line.split())
        print(
            f"  written after one correction: {took:.2f} s ({took / copied:.2f} ×), cpu {cpu:.2f} s",
        )
    print(f"  … at most {again.memory:.0f} MiB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument(
        "--source",
        type=Path,
        default=SOURCE,
        help="the tree to measure, such as an older one's src",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        help="where the files are made (and taken away again)",
    )
    given = parser.parse_args()
    for count in given.traces:
        with tempfile.TemporaryDirectory(dir=given.folder) as name:
            measure(count, given.source, Path(name))


if __name__ == "__main__":
    main()
