"""`appellate new`: a rubric and examples of traces, from criteria and questions in words."""

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path

from appellate.cli.outcome import command, say
from appellate.core.inert import in_unicode
from appellate.core.problem import many, quoted
from appellate.store.files import atomic
from appellate.store.files.rubric_file import read_rubric
from appellate.store.files.text_file import (
    MIB,
    standard_input,
    stream_text,
    text_of,
    unusable,
)
from appellate.store.files.toml import emit
from appellate.store.files.trace_file import read_traces

RUBRIC = "rubric.toml"
TRACES = "traces.jsonl"
_LARGEST = 64 * MIB
_COMMENTS = {
    "[[metric_traits]]": "A trait: what is looked for in every response.",
    "evaluation_mode": "tp_only: what is stated or missing; full_matrix: what must not be, too.",
    "metrics": "Also: specificity and accuracy with full_matrix; weighted with weights.",
    "tp_instructions": "What a good answer states or does: one fact or act each.",
    "tn_instructions": "What it must not state or do.",
    "[[questions]]": "A question; [[questions.metric_traits]] below it are for its answers alone.",
}


def new(arguments: argparse.Namespace) -> None:
    folder = Path(arguments.folder)
    for name in (RUBRIC, TRACES):
        if (folder / name).exists():
            raise unusable(str(folder / name), "is there already", "name another folder")
    wanted, avoided, questions = _wishes(arguments)
    if not wanted:
        right = "--criterion TEXT, or --criteria FILE with one a line"
        raise unusable("new", "there is no criterion", right)
    for text in avoided:
        if text in wanted:
            raise unusable("--avoid", f"{quoted(text)} is a criterion, too", "leave one out")
    atomic.make_folder(folder, parents=True)
    rubric = folder / RUBRIC
    traces = folder / TRACES
    name = in_unicode(arguments.name or folder.resolve().name or "Rubric")
    atomic.write(rubric, [_rubric(name, wanted, avoided, questions).encode()])
    atomic.write(traces, [_traces(questions).encode()])
    read_traces(traces, read_rubric(rubric).usable()).usable()
    say(
        f"wrote {rubric} ({len(wanted)} to state, {len(avoided)} to avoid,"
        f" {many(len(questions), 'question')}) and {traces}",
        f"Put your answers into {traces}, one a line, then: {command('review', rubric, traces)}",
        f"What makes the rubric weak: {command('check', '--lint', rubric)}",
    )


def _wishes(arguments: argparse.Namespace) -> tuple[list[str], list[str], list[str]]:
    """What is to be stated, what not, and the questions; asked for where no criterion is given."""
    if arguments.criteria == arguments.questions == "-":
        raise unusable("--questions", "standard input has the criteria", "name a file")
    wanted = _distinct([*_listed(arguments.criteria), *(arguments.criterion or ())])
    avoided = _distinct(arguments.avoid or ())
    questions = _distinct([*_listed(arguments.questions), *(arguments.question or ())])
    if not wanted and sys.stdin and sys.stdin.isatty():
        wanted = _asked("What must a good answer state or do?")
        avoided = avoided or _asked("What must it not state or do?")
        questions = questions or _asked("Which questions are answered? (None: any.)")
    return wanted, avoided, questions


def _listed(file: str | None) -> list[str]:
    """The lines of a file, or a column of a table: `FILE:COLUMN` where it has several."""
    if not file:
        return []
    if file == "-":
        return stream_text(standard_input(), file, _LARGEST).splitlines()
    name, colon, column = file.rpartition(":")
    if not colon or Path(file).exists():
        name = file
        column = ""
    text = text_of(name, _LARGEST)
    if Path(name).suffix.lower() == ".csv":
        return list(_column(text, column, name))
    return [line.removeprefix("- ") for line in text.splitlines()]


def _column(text: str, column: str, file: str) -> Iterator[str]:
    rows = csv.DictReader(StringIO(text, newline=""))
    heads = list(rows.fieldnames or ())
    if not heads:
        raise unusable(file, "this file is empty")
    if not column and len(heads) == 1:
        column = heads[0]
    if column not in heads:
        right = f"FILE:COLUMN with one of {', '.join(map(quoted, heads))}"
        raise unusable(file, "which column has the texts?", right)
    try:
        for row in rows:
            yield row[column] or ""
    except csv.Error as error:
        raise unusable(file, str(error), place=f"line {rows.line_num}") from error


def _distinct(texts: Iterable[str]) -> list[str]:
    """Each text once and on one line; empty ones are none."""
    return list(dict.fromkeys(filter(None, (" ".join(text.split()) for text in texts))))


def _asked(question: str) -> list[str]:
    say(f"{question} One a line; an empty line ends.")
    lines = []
    while line := sys.stdin.readline().strip():
        lines.append(line)
    return _distinct(lines)


def _rubric(
    name: str, wanted: Sequence[str], avoided: Sequence[str], questions: Sequence[str]
) -> str:
    trait = {
        "name": "Criteria",
        "evaluation_mode": "full_matrix" if avoided else "tp_only",
        "metrics": ["precision", "recall", "f1"],
        "tp_instructions": wanted,
    }
    if avoided:
        trait["tn_instructions"] = avoided
    table = {"name": name, "metric_traits": [trait]}
    if questions:
        asked = [{"id": f"q{n}", "question": text} for n, text in enumerate(questions, 1)]
        table["questions"] = asked
    lines = ["# A rubric; `appellate help rubrics` has all that it may hold.\n"]
    comments = dict(_COMMENTS)
    for line in "".join(emit(table)).splitlines(keepends=True):
        comment = comments.pop(line.split(" =")[0].strip(), "")
        if comment:
            lines.append(f"# {comment}\n")
        lines.append(line)
    return "".join(lines)


def _traces(questions: Sequence[str]) -> str:
    """An example of a trace for each question."""
    response = {"response": "Put what was answered here."}
    rows = [{"id": "example", "question": "What was asked?"} | response]
    if questions:
        numbers = range(1, len(questions) + 1)
        rows = [{"id": f"example-{n}", "question_id": f"q{n}"} | response for n in numbers]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
