"""`appellate check`: whether files can be used, with every problem at once, before a day is spent
on them; `--lint` says what makes their rubrics weak.
"""

import argparse
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from appellate.cli.outcome import Exit, notes, say, show
from appellate.core.inert import visible
from appellate.core.problem import Problem, Unusable
from appellate.core.wordforms import many
from appellate.store.audits.audit import is_audit, load_audit
from appellate.store.files.rubric_file import read_rubric
from appellate.store.files.text_file import unusable
from appellate.store.files.trace_file import read_traces
from appellate.store.files.wording import key_path
from appellate.traits.lint import Answers, answers_of, findings
from appellate.traits.rubric import Rubric
from appellate.worth.audited_sample import DISAGREES
from appellate.worth.sample_in_audit import sample_faults_in


class _Linted:
    """A usable rubric of a file, and how the traces that were named with it answer it."""

    def __init__(self, file: str, rubric: Rubric) -> None:
        self.file = file
        self.rubric = rubric
        self.labelled: list[tuple[str, Answers]] = []


def check(arguments: argparse.Namespace) -> Exit:
    """Checks each file for what it is; traces are held against a rubric that stands before them."""
    checked = _Checked(lint=arguments.lint)
    for name in arguments.files:
        checked.file(name)
    say(*checked.problems)
    if checked.problems:
        return Exit.UNUSABLE
    if arguments.lint and not checked.linted:
        raise unusable("--lint", "there is no rubric to look at", "name one before the traces")
    if arguments.lint and _tell(checked.linted):
        return Exit.FAILED
    return Exit.DONE


class _Checked:
    """What came of the files so far; with `lint` it is kept what `_tell` needs."""

    def __init__(self, *, lint: bool) -> None:
        self.problems: list[Problem] = []
        self.linted: list[_Linted] = []
        self._lint = lint
        self._last: _Linted | None = None

    def file(self, name: str) -> None:
        path = Path(name)
        if name != "-" and is_audit(path):
            self._audit(path)
        elif name != "-" and _is_rubric(path):
            self._rubric(path)
        else:
            self._traces(name)

    def _audit(self, path: Path) -> None:
        try:
            audit = load_audit(path)
        except Unusable as error:
            self.problems += error.problems
            return
        text = f"{many(len(audit.traces), 'trace')}, {many(len(audit.cells), 'cell')}"
        show(f"{path}: an audit, {text}.")
        for wrong in sample_faults_in(audit):
            self.problems.append(Problem(str(path), "design", f"{DISAGREES}: {wrong}"))
        linted = _Linted(str(path), audit.rubric)
        for one in audit.cells:
            if self._lint and one.cell.measure():
                linted.labelled.append((one.cell.subject.trait.name, one.cell.answers))
        self.linted.append(linted)

    def _rubric(self, path: Path) -> None:
        loaded = read_rubric(path)
        notes(loaded.notes)
        self.problems += loaded.problems
        self._last = None
        if loaded.value and not loaded.problems:
            self._last = _Linted(str(path), loaded.value)
            self.linted.append(self._last)
            show(f"{path}: a rubric, {_size(loaded.value)}.")

    def _traces(self, name: str) -> None:
        rubric = self._last.rubric if self._last else None
        loaded = read_traces(name, rubric)
        notes(loaded.notes)
        self.problems += loaded.problems
        if loaded.problems:
            return
        traces = loaded.value or []
        text = many(len(traces), "trace")
        if self._last is None:
            text += " (not held against a rubric: name one before it)"
        elif self._lint:
            self._last.labelled += answers_of(self._last.rubric, traces)
        show(f"{name}: {text}.")


def _tell(linted: Iterable[_Linted]) -> int:
    """Shows what makes rubrics weak, a line each; how many there are."""
    counts: Counter[str] = Counter()
    for one in linted:
        for path, _, weakness in findings(one.rubric, one.labelled):
            counts[weakness.id] += 1
            wording = f"{weakness.reason}; {weakness.fix}"
            show(visible(f"{one.file}: {key_path(path)}: [{weakness.id}] {wording}"))
    if counts:
        text = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        say(f"{many(counts.total(), 'weakness', 'weaknesses')}: {text}.")
    else:
        say("No weakness found by its words.")
    return counts.total()


def _is_rubric(path: Path) -> bool:
    """A TOML file without traces; one that is broken is taken for a rubric, and the errors tell."""
    if path.suffix != ".toml":
        return False
    try:
        return "traces" not in tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return True


def _size(rubric: Rubric) -> str:
    shared, own = len(list(rubric.own_traits())), len(list(rubric.every_trait()))
    traits, questions = many(shared, "global trait"), many(len(rubric.questions), "question")
    counts = Counter(known.kind.name for known in rubric.every_trait())
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"{traits}, {questions} with {own - shared} of their own ({kinds})"
