"""Opening, correcting and saving with 100 and with 20,000 traces; the baseline is the same with 100.

Run: python tests/benchmarks/workspace.py [--traces 20000]
"""

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from figures import medians, tell

from appellate import Rubric, Trace
from appellate.core.deciding import Correct
from appellate.core.facts import Proposed
from appellate.query.language import parse
from appellate.query.sql import ORDERS
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles, create, resume
from appellate.store.queue import FoundQueue, look_up, vocabulary
from appellate.store.workspace import Workspace
from appellate.traits.metric.edits import Edit

TP = [f"States fact number {n} of the answer" for n in range(1, 9)]
TN = [f"Claims falsehood number {n}" for n in range(1, 5)]
RUBRIC = Rubric.model_validate(
    {
        "metric_traits": [
            {
                "name": "Facts",
                "evaluation_mode": "full_matrix",
                "metrics": ["precision", "recall", "specificity", "accuracy", "f1"],
                "tp_instructions": TP,
                "tn_instructions": TN,
            },
        ],
    },
)
RESPONSE = " ".join(
    f"Here the answer comes to fact {n}, and it says so at some length."
    for n in range(30)
)


def judged_table(number: int) -> dict[str, Any]:
    """Labels that differ from cell to cell."""
    expected, claimed = number % 7 + 1, number % 5
    return {
        "tp": [f"fact {n}" for n in range(1, expected + 1)],
        "fn": TP[expected:],
        "fp": ["fact 9"] * min(claimed, 1),
        "tn": TN[claimed:],
        "items": [
            {"bucket": "tp", "index": n, "instruction": n + 1} for n in range(expected)
        ],
    }


SITES = ("berlin", "paris", "rome", "oslo")


def metadata(number: int) -> dict[str, Any]:
    """As an evaluation leaves them: a few short values, a list, a table, a longer text."""
    return {
        "site": SITES[number % len(SITES)],
        "turns": number % 9,
        "tags": ["a", f"b{number % 5}"],
        "run": {"id": f"run-{number % 40}", "seconds": number / 7},
        "notes": f"Note {number}. " * 20,
    }


def made(folder: Path, count: int) -> AuditFiles:
    """A workspace in which every cell is judged and the audit is written."""
    place = AuditFiles.of(folder / f"{count}.audit.toml")
    traces = [
        Trace(
            id=str(n),
            question="What?",
            response=f"{n}. {RESPONSE}",
            metadata=metadata(n),
        )
        for n in range(count)
    ]
    start = time.perf_counter()
    opened = create(place, RUBRIC, traces, "0")
    loaded = time.perf_counter()
    bench = Workbench(opened.workspace, place.audit, "ada")
    with bench.workspace.transaction():
        for number in range(1, count + 1):
            bench.receive(number, Proposed(judged_table(number), {"name": "bench"}))
    judged = time.perf_counter()
    bench.save()
    saved = time.perf_counter()
    opened.workspace.close()
    print(
        f"{count} traces: made in {loaded - start:.2f} s, {count / (judged - loaded):.0f} cells/s received,"
        f" first save {saved - judged:.2f} s, audit {place.audit.stat().st_size / 1e6:.1f} MB",
    )
    return place


def opening(place: AuditFiles) -> None:
    opened = resume(place)
    bench = Workbench(opened.workspace, place.audit, "ada")
    bench.open(bench.position().cell)
    bench.workspace.cells.rows(0, 50)
    bench.workspace.totals()
    opened.workspace.close()


def correcting(bench: Workbench, number: int) -> None:
    bench.do(
        number,
        Correct(
            Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}),
        ),
    )
    bench.undo()


FILTERS = (
    "state:proposed",
    "f1<0.5",
    "judge.f1=0.33",
    "tp>1 -is:flagged",
    "id:99*",
    "judge:bench",
    "by:ada",
    "answer:missing",
    'instruction:"fact number 3"',
    'instruction:"fact number 3" answer:missing',
    'instruction:"fact number 3" -answer:missing',
    "overruled>0",
    "is:hasty",
    "meta.site:berlin",
    "meta.turns>3",
    "meta.tags:b1 meta.run.id:*-7",
    "-meta.none:*",
    "meta.notes:*99*",
)
WORDS = (
    'text:"fact 9"',
    "text:zzz",
    "text:unheard,absent",
    '"fact 9" nowhere',
    "question:what",
    "model:gpt*",
)


def scanned(workspace: Path) -> None:
    """The plain way: every row of the cells as a value, its figures read."""
    with closing(sqlite3.connect(workspace)) as db:
        for figures, *_ in db.execute("SELECT figures, * FROM cells"):
            json.loads(figures or "{}")


def looking(place: AuditFiles) -> None:
    """Every order and filter of rows beside a plain full scan; words are sought in all texts."""
    known = vocabulary(place.workspace)._replace(more_keys=True)
    orders = [order.id for order in ORDERS] + ["lowest f1"]
    asks = {"order: " + order: ("", order) for order in orders}
    asks |= {text: (text, "loaded") for text in (*FILTERS, *WORDS)}
    tries = {"scan": lambda: scanned(place.workspace)}
    tries["names"] = lambda: vocabulary(place.workspace)
    for told, (text, order) in asks.items():
        query = parse(text, known)
        tries[told] = lambda query=query, order=order: look_up(
            place.workspace,
            query,
            order,
            7,
            "ada",
        )
    times = medians(tries, 5)
    tell("a plain scan of every cell", times["scan"], times["scan"])
    tell("the names that queries may use", times["names"], times["scan"])
    for told in asks:
        tell(f"look up: {told}", times[told], times["scan"])


def going(place: AuditFiles) -> None:
    """Steps through what was found."""
    with Workspace(place.workspace, readonly=True) as workspace:
        found = look_up(
            place.workspace,
            parse("", vocabulary(place.workspace)),
            "random",
            7,
        )
        queue = FoundQueue(workspace, found)
        first, last = queue.number(0), queue.number(len(queue) - 1)
        tries = {
            "next open": lambda: queue.next_open(first, 1),
            "next trace": lambda: queue.step_trace(last, -1),
            "50 rows": lambda: queue.rows(len(queue) // 2, 50),
        }
        for told, time in medians(tries, 21).items():
            tell(f"in a queue of {len(queue)}: {told}", time, time)


def beside(
    name: str,
    count: int,
    few: Callable[[], object],
    many: Callable[[], object],
    times: int,
) -> float:
    """Tells of the same with 100 and with so many traces; returns what it takes with many."""
    taken = medians({"few": few, "many": many}, times)
    tell(f"{name}, 100 traces", taken["few"], taken["few"])
    tell(f"{name}, {count} traces", taken["many"], taken["few"])
    return taken["many"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=20_000)
    many = parser.parse_args().traces
    with tempfile.TemporaryDirectory() as name:
        few, lots = made(Path(name), 100), made(Path(name), many)
        beside(
            "open a workspace",
            many,
            lambda: opening(few),
            lambda: opening(lots),
            15,
        )
        benches = [
            Workbench(resume(place).workspace, place.audit, "ada")
            for place in (few, lots)
        ]
        corrects = [
            partial(correcting, bench, number)
            for bench, number in zip(benches, (50, many // 2), strict=True)
        ]
        beside("a correction and its undo, kept", many, *corrects, 51)
        taken = beside("write the audit", many, *(bench.save for bench in benches), 5)
        raw = lots.audit.read_bytes()
        copy = medians({"copy": lambda: (Path(name) / "copy").write_bytes(raw)}, 5)[
            "copy"
        ]
        tell("  … beside copying the same bytes", taken, copy)
        for bench in benches:
            bench.workspace.close()
        for place in (few, lots):
            going(place)
        looking(lots)


if __name__ == "__main__":
    main()
