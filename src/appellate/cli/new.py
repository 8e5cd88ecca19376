"""`appellate new`: writes a rubric and examples of traces, from criteria and questions in words."""

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from appellate.cli.outcome import command, say, typed_line
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
"""Bytes of a file of criteria or questions."""
_COMMENTS = {
    "[[metric_traits]]": "A trait: what is looked for in every response.",
    "evaluation_mode": "tp_only: what is stated or missing; full_matrix: what must not be, too.",
    "metrics": "Also: specificity and accuracy with full_matrix; weighted with weights.",
    "tp_instructions": "What a good answer states or does: one fact or act each.",
    "tn_instructions": "What it must not state or do.",
    "[[questions]]": "A question; [[questions.metric_traits]] below it are for its answers alone.",
}
"""Comments that the rubric gets above the first line with each of these keys."""


def new(arguments: argparse.Namespace) -> None:
    """Write a rubric and traces into a folder, and say what to do with them.

    What is said goes to standard error. The folder is made if it is missing, and those above it.
    The rubric is called as --name says, or else like the folder. Criteria and questions are those
    of the command line and its files, or are asked for at a terminal. Raises Unusable if the folder
    has such files already, there is no criterion, one is also to be avoided, or a file of texts
    cannot be read. Raises OSError if a file cannot be written.
    """
    folder = Path(arguments.folder)
    for name in (RUBRIC, TRACES):
        if (folder / name).exists():
            raise unusable(
                str(folder / name),
                "is there already",
                "name another folder",
            )
    required, avoided, questions = _criteria_and_questions(arguments)
    if not required:
        right = "--criterion TEXT, or --criteria FILE with one a line"
        raise unusable("new", "there is no criterion", right)
    for text in avoided:
        if text in required:
            raise unusable(
                "--avoid",
                f"{quoted(text)} is a criterion, too",
                "leave one out",
            )
    atomic.make_folder(folder, parents=True)
    rubric = folder / RUBRIC
    traces = folder / TRACES
    name = in_unicode(arguments.name or folder.resolve().name or "Rubric")
    atomic.write(rubric, [_rubric_text(name, required, avoided, questions).encode()])
    atomic.write(traces, [_example_traces(questions).encode()])
    read_traces(traces, read_rubric(rubric).usable()).usable()
    counts = f"{len(required)} to state, {len(avoided)} to avoid"
    questions_text = many(len(questions), "question")
    review = command("review", rubric, traces)
    lint = command("check", "--lint", rubric)
    say(
        f"wrote {rubric} ({counts}, {questions_text}) and {traces}",
        f"Put your answers into {traces}, one a line, then: {review}",
        f"What makes the rubric weak: {lint}",
    )


class _Texts(NamedTuple):
    """The texts that a rubric is made of: each once, on one line, and none empty."""

    required: list[str]
    """What answers must state."""
    avoided: list[str]
    """What answers must not state."""
    questions: list[str]


def _criteria_and_questions(arguments: argparse.Namespace) -> _Texts:
    """Return the criteria and questions of a command line, or those that the person types.

    `required` has the lines of --criteria, then each --criterion; `avoided` each --avoid;
    `questions` the lines of --questions, then each --question. If `required` is empty, the person
    is asked for it at a terminal, and then for the others if they are empty. Without a terminal
    nothing is asked, and lists may be empty. Raises Unusable for files that cannot be read, and for
    standard input that is named twice.
    """
    if arguments.criteria == arguments.questions == "-":
        raise unusable("--questions", "standard input has the criteria", "name a file")
    required_texts = _texts_of_file(arguments.criteria) + (arguments.criterion or [])
    required = _distinct_texts(required_texts)
    avoided = _distinct_texts(arguments.avoid or ())
    question_texts = _texts_of_file(arguments.questions) + (arguments.question or [])
    questions = _distinct_texts(question_texts)
    if not required and sys.stdin and sys.stdin.isatty():
        required = _ask_for_lines("What must a good answer state or do?")
        avoided = avoided or _ask_for_lines("What must it not state or do?")
        questions = questions or _ask_for_lines(
            "Which questions are answered? (None: any.)",
        )
    return _Texts(required, avoided, questions)


def _texts_of_file(file: str | None) -> list[str]:
    """Return the lines of a file, or the texts of a CSV file's column; [] for no file.

    A CSV file with several columns is named as `FILE:COLUMN`, unless there is a file of
    that whole name; `-` is standard input. If a file is not CSV, a "- " at the beginning of
    a line is removed. Empty lines are returned, too. Raises Unusable for a file that cannot
    be read and for a column that it lacks.
    """
    if not file:
        return []
    if file == "-":
        return _items_of(stream_text(standard_input(), file, _LARGEST))
    name, _, column = file.rpartition(":")
    if not _is_csv(name) or Path(file).exists():
        name = file
        column = ""
    text = text_of(name, _LARGEST)
    if _is_csv(name):
        return list(_texts_of_column(text, column, name))
    return _items_of(text)


def _is_csv(file: str) -> bool:
    """Return whether the name of a file ends in `.csv`, in any case."""
    return Path(file).suffix.lower() == ".csv"


def _items_of(text: str) -> list[str]:
    """Return the lines of a text, empty ones too, each without a "- " at its beginning."""
    return [line.removeprefix("- ") for line in text.splitlines()]


def _texts_of_column(text: str, column: str, file: str) -> Iterator[str]:
    """Yield the texts of a column of a CSV table, row by row, "" for those that are missing.

    `text` is the whole table with its header. `column` is the column's name; "" names the only
    column. Raises Unusable, once the texts are gone through, for an empty text, a table that lacks
    this column, several columns and "" for a name, and for what is no CSV. `file` is its name for
    the message.
    """
    rows = csv.DictReader(StringIO(text, newline=""))
    try:
        headers = list(rows.fieldnames or ())
        if not headers:
            raise unusable(file, "this file is empty")
        if not column and len(headers) == 1:
            column = headers[0]
        if column not in headers:
            right = f"FILE:COLUMN with one of {', '.join(map(quoted, headers))}"
            raise unusable(file, "which column has the texts?", right)
        for row in rows:
            yield row[column] or ""
    except csv.Error as error:
        raise unusable(
            file,
            str(error),
            place=f"line {rows.reader.line_num}",
        ) from error


def _distinct_texts(texts: Iterable[str]) -> list[str]:
    """Return each text once, in the order of their first places; case counts.

    Runs of white space become a space, and line breaks with them; none is left at the ends. Texts
    that are empty then are left out.
    """
    distinct_texts: dict[str, None] = {}
    for text in texts:
        on_one_line = " ".join(text.split())
        if on_one_line:
            distinct_texts[on_one_line] = None
    return list(distinct_texts)


def _ask_for_lines(question: str) -> list[str]:
    """Ask a question on standard error and return the lines typed, up to an empty one.

    They are read from standard input; its end ends them, too. Each comes once, with single spaces.
    """
    say(f"{question} One a line; an empty line ends.")
    lines: list[str] = []
    while True:
        line = typed_line()
        if not line:
            return _distinct_texts(lines)
        lines.append(line)


def _rubric_text(
    name: str,
    required: Sequence[str],
    avoided: Sequence[str],
    questions: Sequence[str],
) -> str:
    """Return the text of a rubric called `name`, with one trait and comments, in TOML.

    `required` is what answers must state, `avoided` what they must not, both as the person wrote
    them: TOML's escapes are set here. The trait counts false positives too (full_matrix) only if
    something is to be avoided, else it is tp_only. The questions get the ids q1, q2 and so on.
    """
    trait = {
        "name": "Criteria",
        "evaluation_mode": "full_matrix" if avoided else "tp_only",
        "metrics": ["precision", "recall", "f1"],
        "tp_instructions": required,
    }
    if avoided:
        trait["tn_instructions"] = avoided
    table = {"name": name, "metric_traits": [trait]}
    if questions:
        table["questions"] = [
            {"id": f"q{number}", "question": text}
            for number, text in enumerate(questions, 1)
        ]
    lines = ["# A rubric; `appellate help rubrics` has all that it may hold.\n"]
    comments = dict(_COMMENTS)
    for line in "".join(emit(table)).splitlines(keepends=True):
        comment = comments.pop(line.split(" =")[0].strip(), "")
        if comment:
            lines.append(f"# {comment}\n")
        lines.append(line)
    return "".join(lines)


def _example_traces(questions: Sequence[str]) -> str:
    """Return JSON Lines with an example of a trace for each question, to be filled in.

    The examples have the ids example-1 and so on, and name their question by its id: q1, q2 and so
    on. Without questions it is one example that has a question of its own.
    """
    response = {"response": "Put what was answered here."}
    rows = [{"id": "example", "question": "What was asked?"} | response]
    if questions:
        rows = []
        for number in range(1, len(questions) + 1):
            rows.append(
                {"id": f"example-{number}", "question_id": f"q{number}"} | response,
            )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
