"""How long `import` takes beside parsing the same file, for tables of 10,000 rows.

    python tests/benchmarks/importing.py [ROWS]

Everything is measured in one process and one run, in seconds of CPU: parsing, taking in (rubric,
cells, verdicts, all durable), and writing the audit file. Printed last is the most memory so far.
"""

import csv
import json
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

from appellate.interop.recognise import read
from appellate.interop.taking_in import take_in
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles

TEXT = "the model answered a question about water with many words and figures that a judge has read"
WORDS = TEXT.split()


def rows(count: int, width: int) -> Iterator[dict[str, Any]]:
    """Answers with one verdict; `width` is how many words an answer has."""
    for number in range(count):
        row = {
            "id": f"r{number}",
            "question": " ".join(WORDS[:9]) + f" {number}?",
            "response": " ".join(WORDS[(number + at) % len(WORDS)] for at in range(width)),
            "reference": " ".join(WORDS[5:]),
        }
        yield row | {"helpful": number % 3 > 0, "why": " ".join(WORDS[3:])}


def as_lines(path: Path, table: Iterator[dict[str, Any]]) -> None:
    with path.open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in table)


def as_csv(path: Path, table: Iterator[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "question", "response", "reference", "helpful", "why"])
        writer.writeheader()
        writer.writerows(table)


def as_results(path: Path, table: Iterator[dict[str, Any]]) -> None:
    """The rows as promptfoo has them, one a line."""
    with path.open("w") as file:
        for row in table:
            part = {
                "pass": row["helpful"],
                "score": float(row["helpful"]),
                "reason": row["why"],
                "assertion": {"type": "llm-rubric", "value": "is helpful", "metric": "helpful"},
            }
            result = {
                "id": row["id"],
                "vars": {"question": row["question"], "expected": row["reference"]},
                "prompt": {"raw": row["question"], "label": "p"},
                "provider": {"id": "openai:x", "label": ""},
                "response": {"output": row["response"]},
                "testCase": {"vars": {"question": row["question"]}, "assert": [part["assertion"]]},
                "gradingResult": {"pass": row["helpful"], "componentResults": [part]},
                "failureReason": 0,
            }
            file.write(json.dumps(result) + "\n")


def parsed_lines(path: Path) -> int:
    with path.open() as file:
        return sum(1 for line in file if json.loads(line))


def parsed_csv(path: Path) -> int:
    with path.open(newline="") as file:
        return sum(1 for _ in csv.DictReader(file))


def main(count: int) -> None:
    mapped = {"verdict.helpful": "helpful", "reason.helpful": "why"}
    print(f"{count:,} rows, CPU s      parse  taken in  saved   times parsing     MiB")
    for width in (60, 600):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, write, parse in FORMATS:
                path = folder / file
                write(path, rows(count, width))
                began = process_time()
                parse(path)
                parsing = process_time() - began
                began = process_time()
                taken = take_in(
                    read([path], {} if write is as_results else mapped),
                    path.name,
                    AuditFiles.of(path.with_suffix(".audit.toml")),
                    "0",
                )
                in_store = process_time() - began
                Workbench(taken.workspace, path.with_suffix(".audit.toml"), "").save()
                all_of_it = process_time() - began
                taken.workspace.close()
                print(
                    f"{file:10} {width:4} words {parsing:8.3f} {in_store:9.2f} {all_of_it:6.2f}"
                    f" {all_of_it / parsing:8.1f} {most_memory():14.0f}"
                )


def most_memory() -> float:
    """What the process had at most so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


FORMATS: tuple[
    tuple[str, Callable[[Path, Iterator[dict[str, Any]]], None], Callable[[Path], int]], ...
] = (
    ("lines.jsonl", as_lines, parsed_lines),
    ("table.csv", as_csv, parsed_csv),
    ("results.jsonl", as_results, parsed_lines),
)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
