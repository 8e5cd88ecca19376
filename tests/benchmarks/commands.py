"""Processor seconds and memory of the commands that count, beside those of `log`, with few and with many traces.

Run: python tests/benchmarks/commands.py [--traces 10000]
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from figures import tell
from workspace import made

from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.samples.sample_plans import SampleWish, plan

COMMANDS = {
    "log": ["log"],
    "metrics": ["metrics", "--json"],
    "gate": ["gate", "accuracy>=.8"],
    "report, Markdown": ["report"],
    "report, JSON": ["report", "--format", "json"],
    "report, HTML": ["report", "--format", "html"],
    "report, CSV": ["report", "--format", "csv"],
    "log, JSON": ["log", "--json"],
    "check": ["check"],
    "status": ["status"],
}
MEASURED = """
import os
import sys
from pathlib import Path
from appellate.cli import main
main(sys.argv[1:])
print(sum(os.times()[:2]), Path("/proc/self/status").read_text(), file=sys.stderr)
"""


class Used(NamedTuple):
    """What a command took: processor seconds, and the most memory that it held, in MiB."""

    seconds: float
    memory: float


def used_by(command: str, audit: Path, *options: str) -> Used:
    """Runs a command of this Python; only Linux tells the memory."""
    argv = [sys.executable, "-c", MEASURED, command, str(audit), *options]
    with tempfile.TemporaryDirectory() as settings:
        env = os.environ | {"APPELLATE_CONFIG": settings}
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=True)
    told = done.stderr
    seconds = re.search(r"([\d.]+) Name:", told)
    most_held = re.search(r"VmHWM:\s+(\d+) kB", told)
    return Used(float(seconds[1]), int(most_held[1]) / 1024)


def sampled(folder: Path, count: int) -> AuditFiles:
    """An audit in which every cell is judged and 60 traces are drawn."""
    place = made(folder, count)
    opened = resume(place)
    with opened.workspace:
        bench = Workbench(opened.workspace, place.audit, "ada")
        bench.draw(plan(place.workspace, SampleWish(60, seed=1)).what)
        bench.save()
    return place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=10_000)
    many = parser.parse_args().traces
    with tempfile.TemporaryDirectory() as name:
        for count in (many // 10, many):
            place = sampled(Path(name), count)
            taken = {
                of: used_by(command, place.audit, *options)
                for of, (command, *options) in COMMANDS.items()
            }
            for of, used in taken.items():
                tell(f"{of}, {count} traces", used.seconds, taken["log"].seconds)
                tell(
                    f"{of}, {count} traces",
                    used.memory,
                    taken["log"].memory,
                    "MiB",
                    1,
                )


if __name__ == "__main__":
    main()
