"""`appellate new`: a rubric and an example of a trace, from criteria in words."""

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from appellate.cli.outcome import Exit, say
from appellate.core.problem import quoted
from appellate.store.files import atomic
from appellate.store.files.rubric_file import read_rubric
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import emit

RUBRIC, TRACES = "rubric.toml", "traces.jsonl"
_TRACE = """\
{"id": "example", "question": "What was asked?", "response": "What was answered."}
"""


def new(arguments: argparse.Namespace) -> Exit:
    folder = Path(arguments.folder)
    for name in (RUBRIC, TRACES):
        if (folder / name).exists():
            raise unusable(str(folder / name), "is there already", "name another folder")
    wanted = list(_criteria(arguments.criteria, arguments.criterion))
    avoided = list(_distinct(arguments.avoid or ()))
    asks = not wanted and sys.stdin.isatty()
    if asks:
        wanted = list(
            _asked("What must a good answer state or do? One a line, an empty line ends.")
        )
        avoided += _asked("What must it not state or do? One a line, an empty line ends.")
    if not wanted:
        right = "--criterion TEXT, or --criteria FILE with one a line"
        raise unusable("new", "there is no criterion", right)
    text = _rubric(arguments.name or folder.resolve().name, wanted, avoided)
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write(folder / RUBRIC, [text.encode()])
    atomic.write(folder / TRACES, [_TRACE.encode()])
    read_rubric(folder / RUBRIC).usable()
    rubric, traces = folder / RUBRIC, folder / TRACES
    say(
        f"wrote {rubric} ({len(wanted)} to state, {len(avoided)} to avoid) and {traces}",
        f"Put your answers into {traces}, one a line, then: appellate review {rubric} {traces}",
        f"What makes the rubric weak: appellate check --lint {rubric}",
    )
    return Exit.DONE


def _criteria(file: str | None, given: Iterable[str] | None) -> Iterator[str]:
    """The criteria of a file, one a line, or of a column of a table, then those given."""
    texts: list[str] = []
    if file:
        name, _, column = file.partition(":")
        path = Path(name if column else file)
        try:
            text = path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise unusable(str(path), f"cannot be read: {error}") from error
        if path.suffix.lower() == ".csv":
            texts = list(_column(text, column, path))
        else:
            texts = [line.removeprefix("- ") for line in text.splitlines()]
    yield from _distinct([*texts, *(given or ())])


def _column(text: str, column: str, path: Path) -> Iterator[str]:
    rows = csv.DictReader(text.splitlines())
    heads = list(rows.fieldnames or ())
    if not column and len(heads) == 1:
        column = heads[0]
    if column not in heads:
        right = f"FILE:COLUMN with one of {', '.join(map(quoted, heads))}"
        raise unusable(str(path), "which column has the criteria?", right)
    for row in rows:
        yield row[column] or ""


def _distinct(texts: Iterable[str]) -> Iterator[str]:
    yield from dict.fromkeys(filter(None, (text.strip() for text in texts)))


def _asked(question: str) -> list[str]:
    say(question)
    lines = []
    while line := sys.stdin.readline().strip():
        lines.append(line)
    return list(_distinct(lines))


def _rubric(name: str, wanted: list[str], avoided: list[str]) -> str:
    """A rubric with what its keys mean."""
    trait = {
        "name": "Criteria",
        "evaluation_mode": "full_matrix" if avoided else "tp_only",
        "metrics": ["precision", "recall", "f1"],
        "tp_instructions": wanted,
    }
    if avoided:
        trait["tn_instructions"] = avoided
    return "".join(
        [
            "# What a good answer states (tp_instructions) and must not state (tn_instructions).\n",
            "# One fact or act each, so that a judge can say found or missing.\n",
            "# More: appellate help rubrics\n",
            *emit({"name": name, "metric_traits": [trait]}),
        ]
    )
