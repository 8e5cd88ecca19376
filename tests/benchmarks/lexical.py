"""How fast the offline judge is; the baseline is one fuzzy comparison of every instruction with its response.

Run: python tests/benchmarks/lexical.py [--data ../shared/data/healthbench]
"""

import argparse
import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

from figures import medians
from rapidfuzz import fuzz

from appellate import load_rubric, load_traces
from appellate.judges.lexical import Lexical
from appellate.choosing import Choice
from appellate.judging import ask, run
from appellate.store.session import Place, create
from appellate.workbench import Workbench

DATA = Path(__file__).resolve().parents[3] / "shared/data/healthbench"


def opened(data: Path, folder: str) -> Workbench:
    """A new workspace with nothing judged."""
    rubric = load_rubric(data / "rubric.toml")
    place = Place.of(Path(folder) / "x.audit.toml")
    return Workbench(create(place, rubric, load_traces(data / "traces.jsonl", rubric), "0").workspace, place.audit, "")


def judging(bench: Workbench) -> Callable[[], None]:
    """Every cell put to the judge, nothing kept."""
    asks = [ask(bench, number + 1) for number in range(bench.workspace.count())]

    async def all_of_them() -> None:
        judge = Lexical()
        for one in asks:
            await judge.judge(one.subject, one.trace)
        await judge.close()

    return lambda: asyncio.run(all_of_them())


def keeping(data: Path) -> None:
    """Every cell judged and kept in a new workspace, as `appellate judge` does it, opening included."""
    with tempfile.TemporaryDirectory() as folder:
        bench = opened(data, folder)
        asyncio.run(run(bench, Choice("lexical", Lexical(), concurrency=1)))
        bench.workspace.close()


def comparing(bench: Workbench) -> Callable[[], None]:
    pairs = []
    for number in range(bench.workspace.count()):
        trace, cell = bench.workspace.cell(number + 1)
        trait = cell.subject.trait
        pairs += [(told, trace.response) for told in (*trait.tp_instructions, *trait.tn_instructions)]
    print(f"{bench.workspace.count()} cells, {len(pairs)} instructions")
    return lambda: [fuzz.partial_ratio(told, response) for told, response in pairs] and None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    data = parser.parse_args().data
    with tempfile.TemporaryDirectory() as folder:
        bench = opened(data, folder)
        works = {
            "rapidfuzz partial_ratio alone (baseline)": comparing(bench),
            "lexical": judging(bench),
            "lexical, opened and kept in a workspace": lambda: keeping(data),
        }
        times = medians(works)
        cells = bench.workspace.count()
        bench.workspace.close()
    least = next(iter(times.values()))
    for name, taken in times.items():
        rate = f"{cells / taken:8.0f} cells/s {taken / cells * 1000:8.2f} ms/cell"
        print(f"{name:44} {rate} {taken / least:6.2f} × baseline")


if __name__ == "__main__":
    main()
