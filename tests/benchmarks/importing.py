"""How long other tools' files take to import, beside parsing the same file, and how much memory.

    python tests/benchmarks/importing.py [--rows 10000] [--source SRC]

Each format is measured in a process of its own, in seconds of CPU: parsing; reading, which is
going through what the readers make of the rows, once; taking in (rubric, cells, verdicts, all
durable); and writing the audit file. Memory is the most that was held, for a fifth of the rows and
for all of them: that of line-wise formats does not grow with them, but for the ids. The last column is
what SQLite alone takes of the import: the rows of the workspace, written again into an empty file.
With --bound N the exit code is 1 if taking in and writing a CSV table takes more than N times
parsing it (35 is what holds).
"""

import argparse
import csv
import gc
import json
import multiprocessing
import resource
import sqlite3
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from time import process_time
from typing import Any

from figures import processor

SOURCE = Path(__file__).resolve().parents[2] / "src"
TEXT = "the model answered a question about water with many words and figures that a judge has read"
WORDS = TEXT.split()
MAPPED = {"verdict.helpful": "helpful", "reason.helpful": "why"}
Row = dict[str, Any]


def rows(count: int, width: int) -> Iterator[Row]:
    """Answers with one verdict; `width` is how many words an answer has."""
    for number in range(count):
        row = {
            "id": f"r{number}",
            "question": " ".join(WORDS[:9]) + f" {number}?",
            "response": " ".join(
                WORDS[(number + at) % len(WORDS)] for at in range(width)
            ),
            "reference": " ".join(WORDS[5:]),
        }
        yield row | {"helpful": number % 3 > 0, "why": " ".join(WORDS[3:])}


def plain(row: Row) -> Row:
    return row


def promptfoo(row: Row) -> Row:
    part = {
        "pass": row["helpful"],
        "score": float(row["helpful"]),
        "reason": row["why"],
        "assertion": {"type": "llm-rubric", "value": "is helpful", "metric": "helpful"},
    }
    return {
        "id": row["id"],
        "vars": {"question": row["question"], "expected": row["reference"]},
        "prompt": {"raw": row["question"], "label": "p"},
        "provider": {"id": "openai:x", "label": ""},
        "response": {"output": row["response"]},
        "testCase": {
            "vars": {"question": row["question"]},
            "assert": [part["assertion"]],
        },
        "gradingResult": {"pass": row["helpful"], "componentResults": [part]},
        "failureReason": 0,
    }


def lm_eval(row: Row) -> Row:
    """A metric, and what the harness keeps with each document."""
    document = {
        "question": row["question"],
        "best_answer": row["reference"],
        "type": "water",
    }
    asked = {"arg_0": f"Q: {TEXT}\nA: {TEXT}\n\n" * 4, "arg_1": {"until": ["\n\n"]}}
    return {
        "doc_id": row["id"],
        "doc": document | {"correct_answers": [row["reference"]] * 5},
        "target": row["reference"],
        "arguments": {"gen_args_0": asked},
        "resps": [[row["response"]]],
        "filtered_resps": [row["response"]],
        "filter": "none",
        "metrics": ["acc"],
        "acc": float(row["helpful"]),
        **{f"{name}_hash": row["id"] * 8 for name in ("doc", "prompt", "target")},
    }


def healthbench(row: Row) -> Row:
    return {
        "prompt_id": row["id"],
        "question": f"user: {row['question']}",
        "model_id": "x",
        "rollout_index": 0,
        "score": float(row["helpful"]),
        "criteria_met": int(row["helpful"]),
        "mean_score_across_rollouts": 0.5,
        "sample_count": 1,
        "model_response": row["response"],
        "grader_explanation": row["why"],
    }


def inspect(row: Row) -> Row:
    asked = {"role": "user", "content": row["question"]}
    said = {"role": "assistant", "content": row["response"], "source": "generate"}
    value = "C" if row["helpful"] else "I"
    score = {"value": value, "answer": row["response"], "explanation": row["why"]}
    return {
        "id": row["id"],
        "epoch": 1,
        "input": row["question"],
        "target": row["reference"],
        "messages": [asked, said],
        "output": {
            "model": "x",
            "choices": [{"message": said}],
            "completion": row["response"],
        },
        "scores": {"helpful": score},
        "metadata": {},
    }


def write(path: Path, made: Iterator[Row]) -> None:
    if path.suffix == ".csv":
        first = next(made)
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(first))
            writer.writeheader()
            writer.writerows([first])
            writer.writerows(made)
    elif path.suffix == ".eval":
        log = {"version": 2, "status": "success", "eval": {"model": "x"}}
        log["eval"]["scorers"] = [{"name": "helpful", "options": {}}]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("header.json", json.dumps(log))
            for row in made:
                file.writestr(f"samples/{row['id']}_epoch_1.json", json.dumps(row))
    else:
        with path.open("w") as file:
            file.writelines(json.dumps(row) + "\n" for row in made)


def parse(path: Path) -> None:
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            for _ in csv.DictReader(file):
                pass
    elif path.suffix == ".eval":
        with zipfile.ZipFile(path) as log:
            for name in log.namelist():
                json.loads(log.read(name))
    else:
        with path.open() as file:
            for line in file:
                json.loads(line)


def database_alone(workspace: Path, copy: Path) -> float:
    """Return the seconds that SQLite takes to write the rows of a workspace into an empty file."""
    with (
        closing(sqlite3.connect(workspace)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        statements = source.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
        )
        for (statement,) in statements.fetchall():
            target.execute(statement)
        names = source.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        )
        rows_by_table = {}
        for (name,) in names.fetchall():
            rows_by_table[name] = source.execute(f'SELECT * FROM "{name}"').fetchall()  # noqa: S608
        began = process_time()
        for name, table_rows in rows_by_table.items():
            if table_rows:
                marks = ", ".join("?" * len(table_rows[0]))
                target.executemany(f'INSERT INTO "{name}" VALUES ({marks})', table_rows)  # noqa: S608
        target.commit()
        return process_time() - began


FORMATS: dict[str, tuple[Callable[[Row], Row], dict[str, str]]] = {
    "rows.jsonl": (plain, MAPPED),
    "rows.csv": (plain, MAPPED),
    "promptfoo.jsonl": (promptfoo, {}),
    "lm-eval.jsonl": (lm_eval, {}),
    "healthbench.csv": (healthbench, {}),
    "inspect.eval": (inspect, {}),
}


TABLE = "rows.csv"
"""The format that --bound is about."""


def measured(name: str, count: int, width: int) -> tuple[list[float], float]:
    """Seconds of each step, and the most memory, in MiB."""
    from appellate.interop.recognise import read
    from appellate.interop.table_map import map_of
    from appellate.interop.taking_in import take_in
    from appellate.session.workbench import Workbench
    from appellate.store.audits.open_audit import AuditFiles

    made, mapped = FORMATS[name]
    gc.set_threshold(50_000)  # as the command line has it
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        place = AuditFiles.of(path.with_suffix(".audit.toml"))
        write(path, map(made, rows(count, width)))
        steps = [min(processor(lambda: parse(path)) for _ in range(3))]
        steps.append(
            processor(lambda: [None for _ in read([path], map_of(mapped)).traces()]),
        )
        began = process_time()
        taken = take_in(read([path], map_of(mapped)), name, place, "0")
        steps.append(process_time() - began)
        bench = Workbench(taken.workspace, place.audit, "")
        steps.append(processor(bench.save))
        taken.workspace.close()
        most_held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        steps.append(database_alone(place.workspace, Path(folder) / "copy.db"))
    return steps, most_held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument(
        "--source",
        type=Path,
        default=SOURCE,
        help="the tree to measure",
    )
    parser.add_argument("--only", choices=FORMATS, help="this format alone")
    parser.add_argument(
        "--bound",
        type=float,
        help="times parsing, for a CSV table, at most",
    )
    given = parser.parse_args()
    sys.path.insert(0, str(given.source))
    print(f"{given.rows:,} rows, CPU s: parsed, read, taken in, saved; of it SQLite;")
    print("times parsing: read, taken in, both steps; MiB for a fifth, for all")
    context = multiprocessing.get_context("spawn")
    is_over = False
    for name in [given.only] if given.only else FORMATS:
        for width in (60, 600):
            with context.Pool(1, maxtasksperchild=1) as pool:
                _, few = pool.apply(measured, (name, given.rows // 5, width))
                steps, most = pool.apply(measured, (name, given.rows, width))
            parsed, read, taken, saved, database = steps
            times = (taken + saved) / parsed
            is_over = is_over or (name == TABLE and times > (given.bound or times))
            took = (
                f"{parsed:6.3f} {read:6.3f} {taken:6.2f} {saved:6.2f} {database:6.2f}"
            )
            ratios = f"{read / parsed:5.1f} × {taken / parsed:6.1f} × {times:6.1f} ×"
            print(
                f"{name:16} {width:4} words  {took}  {ratios}  {few:5.0f} {most:5.0f}",
                flush=True,
            )
    sys.exit(is_over)


if __name__ == "__main__":
    main()
