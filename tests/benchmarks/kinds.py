"""Traces of every kind of trait at once: a start, a key and a query with 100 and with 20,000 of them.

Run: python tests/benchmarks/kinds.py [--traces 20000]. Cells of each kind that ships, six to a trace; the baseline is
the same with 100 traces, in the same run. Needs the driver of ../shared.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from figures import medians
from screen import (
    Program,
    Reaction,
    heading,
    reactions,
    row,
    starts,
    tell_starts,
    whole,
)

from appellate.cli import main as appellate
from appellate.core.cell import Cell
from appellate.core.deciding import Correct, decide
from appellate.core.kind import Edit
from appellate.core.problem import Refused
from appellate.query.language import parse
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.queue import look_up, vocabulary

RUBRIC = """
[[metric_traits]]
name = "Facts"
metrics = ["precision", "recall", "f1"]
tp_instructions = ["States that BCL2 is on chromosome 18", "States that venetoclax binds BCL2"]

[[llm_traits]]
name = "Clear"
kind = "score"

[[regex_traits]]
name = "Names A Gene"
pattern = 'BCL\\d'

[[callable_traits]]
name = "Length"
callable = "nothing.runs:it"
kind = "boolean"

[[grounding_traits]]
name = "Grounded"

[[scorer_traits]]
name = "Ends Right"
scorer = "match"
"""
RESPONSE = "BCL2 is on chromosome 18. It keeps cells alive. Venetoclax binds BCL{}."
DOCUMENTS = [
    "BCL2 sits on chromosome 18. It was found in lymphoma.",
    "Venetoclax binds BCL2. It is taken by mouth.",
]
EDITS: dict[str, list[dict[str, Any]]] = {
    "callable": [{"action": "overrule", "value": value} for value in (False, True)],
    "grounding": [{"action": "relevant", "key": "0b", "on": True}],
    "llm": [{"action": "set", "value": value} for value in (1, 2)],
    "metric": [{"action": "drop", "bucket": "tp", "index": 0}],
    "regex": [{"action": "overrule", "value": value} for value in (False, True)],
    "scorer": [{"action": "overrule", "value": "P"}],
}
"""Of each kind, of which one changes something in any cell."""
QUERIES = (
    'trait:"Ends Right" state:proposed',
    "verdict:no",
    "adherence<1",
    "supported>1",
    "tp>1",
    "meta.site:berlin",
    "meta.turns>7 score<3",
    "model:large -text:venetoclax",
)


def judgments(number: int) -> dict[str, Any]:
    """Labels that differ from trace to trace."""
    supported = [
        {
            "response_sentence_key": key,
            "supporting_sentence_keys": ["0a"] if number % count else [],
            "fully_supported": bool(number % count),
        }
        for key, count in (("a", 2), ("b", 3), ("c", 5))
    ]
    return {
        "Facts": {
            "tp": ["BCL2 is on chromosome 18"],
            "fn": ["States that venetoclax binds BCL2"],
            "fp": ["keeps cells alive"] * (number % 2),
        },
        "Clear": {"value": number % 5 + 1},
        "Length": {"value": number % 3 > 0},
        "Grounded": {
            "all_relevant_sentence_keys": ["0a", "1a"],
            "all_utilized_sentence_keys": ["0a"],
            "sentence_support_information": supported,
        },
    }


def trace(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "question": "What does venetoclax bind?",
        "response": RESPONSE.format(number % 3),
        "reference": "BCL2.",
        "documents": DOCUMENTS,
        "model": ("small", "large")[number % 2],
        "metadata": {"site": ("berlin", "rome")[number % 2], "turns": number % 9},
        "judgments": judgments(number),
    }


def judged(folder: Path, count: int) -> Path:
    """An audit of so many traces, every cell judged."""
    rubric, traces = folder / "r.toml", folder / f"{count}.jsonl"
    rubric.write_text(RUBRIC, encoding="utf-8")
    traces.write_text(
        "".join(json.dumps(trace(n)) + "\n" for n in range(count)),
        encoding="utf-8",
    )
    audit = folder / f"{count}.audit.toml"
    code = appellate(
        ["judge", str(rubric), str(traces), "-o", str(audit), "--judge", "recorded"],
    )
    if code:
        raise SystemExit(code)
    return audit


def review(name: str, audit: Path) -> Program:
    return Program(
        name,
        [sys.executable, "-m", "appellate", "review", str(audit)],
        "keys",
    )


def all_reactions(program: Program, times: int) -> dict[str, Reaction]:
    """A key goes over cells of all kinds."""
    with program.start() as term:
        term.startup(ready=program.ready)
        term.wait_stable(1000)
        return {
            "cursor to the next row": reactions(term, ("k", "j"), times, whole),
            "next trace": reactions(term, (">", "<"), times, heading),
            "next cell": reactions(term, (".", "."), times, whole),
        }


def opened(audit: Path) -> Workbench:
    return Workbench(resume(AuditFiles.of(audit)).workspace, audit, "ada")


def is_possible(cell: Cell, edit: Edit) -> bool:
    try:
        decide(cell, Correct(edit))
    except Refused:
        return False
    return True


def corrected(bench: Workbench, kind: str) -> Callable[[], object]:
    """A correction of the last trace's cell of a kind, and its undo."""
    at = bench.workspace
    for number in at.cells.of_trace(at.traces.count()).values():
        cell = at.cell(number)[1]
        if cell.subject.kind.name == kind:
            break
    edits = [cell.subject.kind.edit(row) for row in EDITS[kind]]
    edit = next(edit for edit in edits if is_possible(cell, edit))

    def work() -> None:
        bench.do(number, Correct(edit))
        bench.undo()

    return work


def queried(audit: Path, text: str) -> Callable[[], object]:
    """Looking for the cells that a query asks for."""
    workspace = AuditFiles.of(audit).workspace
    asked = parse(text, vocabulary(workspace))
    return lambda: look_up(workspace, asked)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=5, help="starts of each")
    parser.add_argument(
        "--keys",
        type=int,
        default=24,
        help="presses of each kind of key",
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        few, many = judged(Path(name), 100), judged(Path(name), given.traces)
        programs = [review("100 traces", few), review(f"{given.traces} traces", many)]
        tell_starts(starts(programs, given.times))
        before, after = (all_reactions(program, given.keys) for program in programs)
        for key, small in before.items():
            large = after[key]
            row(
                key,
                f"{small.p50:.1f}",
                f"{large.p50:.1f} ({large.p50 / small.p50:.2f}×)",
            )
        benches = {path.stem: opened(path) for path in (few, many)}
        for kind in EDITS:
            took = medians(
                {stem: corrected(bench, kind) for stem, bench in benches.items()},
                9,
            )
            row(
                f"correct and undo, {kind}",
                *(f"{1000 * seconds:.1f} ms" for seconds in took.values()),
            )
        for text in QUERIES:
            works = {path.stem: queried(path, text) for path in (few, many)}
            took = medians(works, 5)
            row(text, *(f"{1000 * seconds:.1f} ms" for seconds in took.values()))


if __name__ == "__main__":
    main()
