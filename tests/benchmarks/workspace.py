"""Opening, correcting and saving with 100 and with 20,000 traces; the baseline is the same with 100.

Run: python tests/benchmarks/workspace.py [--traces 20000]
"""

import argparse
import tempfile
import time
from pathlib import Path

from figures import medians, tell

from appellate import Rubric, Trace
from appellate.core.commands import Correct
from appellate.core.facts import Proposed
from appellate.query.language import parse
from appellate.store.queue import ORDERS, FoundQueue, look_up, vocabulary
from appellate.store.session import Place, create, resume
from appellate.store.workspace import Workspace
from appellate.traits.metric.edits import Edit
from appellate.workbench import Workbench

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
            }
        ]
    }
)
RESPONSE = " ".join(f"Here the answer comes to fact {n}, and it says so at some length." for n in range(30))


def made(folder: Path, count: int) -> Place:
    """A workspace in which every cell is judged and the audit is written."""
    place = Place.of(folder / f"{count}.audit.toml")
    traces = [Trace(id=str(n), question="What?", response=f"{n}. {RESPONSE}") for n in range(count)]
    start = time.perf_counter()
    opened = create(place, RUBRIC, traces, "0")
    loaded = time.perf_counter()
    bench = Workbench(opened.workspace, place.audit, "ada")
    table = {"tp": ["fact 1", "fact 2"], "fn": TP[2:], "fp": ["fact 9"], "tn": TN[1:]}
    table["items"] = [
        {"bucket": "tp", "index": 0, "instruction": 1},
        {"bucket": "tp", "index": 1, "instruction": 2},
    ]
    with bench.workspace.transaction():
        for number in range(1, count + 1):
            bench.receive(number, Proposed(table, {"name": "bench"}))
    judged = time.perf_counter()
    bench.save()
    saved = time.perf_counter()
    opened.workspace.close()
    print(
        f"{count} traces: made in {loaded - start:.2f} s, {count / (judged - loaded):.0f} cells/s received,"
        f" first save {saved - judged:.2f} s, audit {place.audit.stat().st_size / 1e6:.1f} MB"
    )
    return place


def opening(place: Place) -> None:
    opened = resume(place)
    bench = Workbench(opened.workspace, place.audit, "ada")
    bench.open(bench.position().cell)
    bench.workspace.cells.rows(0, 50)
    bench.workspace.totals()
    opened.workspace.close()


def correcting(bench: Workbench, number: int) -> None:
    bench.do(number, Correct(Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"})))
    bench.undo()


def looking(place: Place) -> None:
    """Every order, and the kinds of filters: by state, by figure, by words."""
    known = vocabulary(place.workspace)
    asks = {order.told: ("", order.id) for order in ORDERS}
    asks |= {text: (text, "loaded") for text in ("state:proposed", "f1<0.5", "id:99*", 'text:"fact 9"', "text:zzz")}
    for told, (text, order) in asks.items():
        query = parse(text, known)
        times = medians({told: lambda query=query, order=order: look_up(place.workspace, query, order, 7, "ada")}, 3)
        tell(f"look up: {told}", times[told], times[told])


def going(place: Place) -> None:
    """The dearest step through what was found: no cell is open."""
    with Workspace(place.workspace, readonly=True) as workspace:
        found = look_up(place.workspace, parse("", vocabulary(place.workspace)), "random", 7)
        queue = FoundQueue(workspace, found)
        found.open[:] = bytes(len(queue))
        first, last = queue.number(0), queue.number(len(queue) - 1)
        tries = {
            "next open": lambda: queue.next_open(first, 1),
            "next trace": lambda: queue.step_trace(last, -1),
            "50 rows": lambda: queue.rows(len(queue) // 2, 50),
        }
        for told, time in medians(tries, 21).items():
            tell(f"in a queue of {len(queue)}: {told}", time, time)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=20_000)
    many = parser.parse_args().traces
    with tempfile.TemporaryDirectory() as name:
        few, lots = made(Path(name), 100), made(Path(name), many)
        times = medians({"few": lambda: opening(few), "many": lambda: opening(lots)}, 15)
        tell("open a workspace of 100 traces", times["few"], times["few"])
        tell(f"open a workspace of {many} traces", times["many"], times["few"])
        benches = [Workbench(resume(place).workspace, place.audit, "ada") for place in (few, lots)]
        numbers = [50, many // 2]
        times = medians(
            {
                "few": lambda: correcting(benches[0], numbers[0]),
                "many": lambda: correcting(benches[1], numbers[1]),
            },
            51,
        )
        tell("a correction and its undo, kept, 100 traces", times["few"], times["few"])
        tell(f"a correction and its undo, kept, {many} traces", times["many"], times["few"])
        times = medians({"few": benches[0].save, "many": benches[1].save}, 5)
        tell("write the audit, 100 traces", times["few"], times["few"])
        tell(f"write the audit, {many} traces", times["many"], times["few"])
        raw = lots.audit.read_bytes()
        copy = medians({"copy": lambda: (Path(name) / "copy").write_bytes(raw)}, 5)["copy"]
        tell("  … beside copying the same bytes", times["many"], copy)
        for bench in benches:
            bench.workspace.close()
        for place in (few, lots):
            going(place)
        looking(lots)


if __name__ == "__main__":
    main()
