"""`appellate check`: whether files can be used, with every problem at once, before a day is spent
on them.
"""

import argparse
import tomllib
from pathlib import Path

from appellate.cli.outcome import Exit, notes, say, show
from appellate.core.problem import Problem, Unusable
from appellate.core.wordforms import many
from appellate.store.audit import is_audit, load_audit
from appellate.store.rubric_file import read_rubric
from appellate.store.trace_file import read_traces
from appellate.traits.rubric import Rubric


def check(arguments: argparse.Namespace) -> Exit:
    """Checks each file for what it is; traces are held against a rubric that stands before them."""
    rubric: Rubric | None = None
    problems: list[Problem] = []
    for name in arguments.files:
        path = Path(name)
        if name != "-" and is_audit(path):
            problems += _audit(path)
        elif name != "-" and _is_rubric(path):
            loaded = read_rubric(path)
            notes(loaded.notes)
            problems += loaded.problems
            rubric = None
            if loaded.value and not loaded.problems:
                rubric = loaded.value
                show(f"{name}: a rubric, {_size(rubric)}.")
        else:
            problems += _traces(name, rubric)
    say(*problems)
    if problems:
        return Exit.UNUSABLE
    return Exit.DONE


def _is_rubric(path: Path) -> bool:
    """A TOML file without traces; one that is broken is taken for a rubric, and the errors tell."""
    if path.suffix != ".toml":
        return False
    try:
        return "traces" not in tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return True


def _audit(path: Path) -> list[Problem]:
    try:
        audit = load_audit(path)
    except Unusable as error:
        return error.problems
    show(f"{path}: an audit, {many(len(audit.traces), 'trace')}, {many(len(audit.cells), 'cell')}.")
    return []


def _traces(name: str, rubric: Rubric | None) -> list[Problem]:
    loaded = read_traces(name, rubric)
    notes(loaded.notes)
    if not loaded.problems:
        told = many(len(loaded.value or []), "trace")
        if not rubric:
            told += " (not held against a rubric: name one before it)"
        show(f"{name}: {told}.")
    return loaded.problems


def _size(rubric: Rubric) -> str:
    shared, own = len(list(rubric.own_traits())), len(list(rubric.every_trait()))
    traits, questions = many(shared, "global trait"), many(len(rubric.questions), "question")
    return f"{traits}, {questions} with {own - shared} of their own"
