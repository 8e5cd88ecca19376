"""Whether the peers take our exports: promptfoo imports its results with people's ratings, truescore
recognises the files, Inspect counts the edited scores.

Installs promptfoo (npm) and truescore and inspect_ai (PyPI) into a temporary folder, which takes minutes:

    python tests/benchmarks/peers.py
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared/data"
RATED = DATA / "interop/promptfoo/made_rated_human_v3.json"
LOG = DATA / "inspect/graded_qa_30x3.eval"
COUNT = """
import sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
scores = [score for sample in log.samples for score in sample.scores.values()]
print(sum(any(edit.provenance for edit in score.history) for score in scores))
"""


def run(*command: str | Path, folder: Path, typed: str = "") -> str:
    """What a command prints on standard output; ends the script where it fails."""
    env = os.environ | {
        "APPELLATE_CONFIG": str(folder / "settings"),
        "APPELLATE_REVIEWER": "ada",
        "PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
    }
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=env,
        input=typed,
        text=True,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def ratings(document: Any) -> list[tuple[int, int, bool, str]]:
    """People's ratings in promptfoo's results, by test and prompt: an import gives rows new ids."""
    found = []
    for row in document["results"]["results"]:
        parts = (row.get("gradingResult") or {}).get("componentResults") or []
        people = [
            one for one in parts if (one.get("assertion") or {}).get("type") == "human"
        ]
        place = row["testIdx"], row["promptIdx"]
        found += [(*place, one["pass"], one["comment"]) for one in people]
    return sorted(found)


def by_promptfoo(folder: Path, appellate: Sequence[str | Path]) -> None:
    run(
        "npm",
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "promptfoo",
        folder=folder,
    )
    promptfoo = folder / "node_modules/.bin/promptfoo"
    run(*appellate, "import", RATED, "-o", "rated.audit.toml", folder=folder)
    export = ("export", "rated.audit.toml", "--to", "promptfoo", "--source", RATED)
    run(*appellate, *export, "-o", "rated.json", folder=folder)
    run(promptfoo, "import", "rated.json", folder=folder)
    run(promptfoo, "export", "eval", "latest", "-o", "back.json", folder=folder)
    ours, theirs = (
        ratings(json.loads((folder / name).read_text("utf-8")))
        for name in ("rated.json", "back.json")
    )
    print(
        f"promptfoo: {len(theirs)} of {len(ours)} ratings back, equal: {ours == theirs}",
    )


def by_truescore_and_inspect(folder: Path) -> None:
    run(sys.executable, "-m", "venv", "peers", folder=folder)
    python = folder / "peers/bin/python"
    run(
        python,
        "-m",
        "pip",
        "install",
        "-q",
        "truescore",
        f"{ROOT}[inspect]",
        folder=folder,
    )
    appellate = (python, "-m", "appellate")
    run(*appellate, "import", LOG, "-o", "log.audit.toml", folder=folder)
    run(
        *appellate,
        "review",
        "log.audit.toml",
        "--lines",
        folder=folder,
        typed="a.a.aq",
    )
    for name in ("log.eval", "log.json"):
        export = (
            "export",
            "log.audit.toml",
            "--to",
            "inspect",
            "--source",
            LOG,
            "-o",
            name,
        )
        run(*appellate, *export, folder=folder)
        print(
            f"Inspect: {run(python, '-c', COUNT, name, folder=folder).strip()} edits in {name}",
        )
    for name in ("rated.json", "log.json"):
        said = run(folder / "peers/bin/truescore", "doctor", name, folder=folder)
        print("truescore:", *re.findall(r".*recognized as.*", said))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        by_promptfoo(Path(name), (sys.executable, "-m", "appellate"))
        by_truescore_and_inspect(Path(name))


if __name__ == "__main__":
    main()
