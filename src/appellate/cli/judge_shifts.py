"""What two judges say otherwise: `compare A B --judges` and `gold drift A B`.

Also the audit of what turned, which `--review` makes here and in `gold check`.
"""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from appellate.cli.opening import openable, reading_audit, writable
from appellate.cli.outcome import Ended, command, say, show_json, show_lines
from appellate.cli.text_table import sentence_lines
from appellate.core.facts import Proposed
from appellate.core.problem import many
from appellate.judging.two_rounds import TwiceJudged, make_two_rounds
from appellate.numbers.judge_shifts import (
    JudgeShifts,
    drift_texts,
    judge_shifts,
    shift_lines,
    shifts_table,
    shifts_texts,
)
from appellate.session import settings
from appellate.session.workbench import Workbench
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit import CellKey
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.files.text_file import unusable
from appellate.traits.rubric import Rubric


def compare_judges(arguments: argparse.Namespace) -> None:
    """Print what the judges of two audits say otherwise, or with --review open an audit of that.

    It is text on standard output, or with --json one object; notes on the audits are on standard
    error. No sign-off is needed. Raises Unusable for an audit that cannot be read, and Ended if
    printing fails.

    With --review nothing is printed there; the audit is made and opened. Before that, a reviewer
    with the name of a model is asked at a terminal if they are a person. Without a terminal and
    --lines it is only written, which is said on standard error, and nothing is raised but
    NotWritten if that fails. Raises Unusable if no answer turned or the new audit is there already,
    NotKept if its workspace cannot be saved, and Ended with the exit code of the review.
    """
    with (
        reading_audit(Path(arguments.one)) as first,
        reading_audit(Path(arguments.other)) as second,
    ):
        comparison = judge_shifts(first, second)
        rubric = first.rubric
        turned: list[TwiceJudged] = []
        if arguments.review:
            turned = list(_turned_on_same_text(comparison, first, second))
    if arguments.review:
        review_turned(arguments, rubric, turned)
        return
    if arguments.json:
        show_json(shifts_table(comparison))
        return
    lines = list(sentence_lines(*shifts_texts(comparison), indent=0))
    lines += _same_text_lines(comparison)
    show_lines(lines)


def drift(arguments: argparse.Namespace) -> None:
    """Print how a judge's numbers moved between two audits of the same traces, and by what.

    It is text on standard output, or with --json one object; notes on the audits are on standard
    error. Below the text are the cells that the judge answers differently on the same text. Raises
    Unusable for an audit that cannot be read, and Ended if printing fails.
    """
    with (
        reading_audit(Path(arguments.one)) as first,
        reading_audit(Path(arguments.other)) as second,
    ):
        comparison = judge_shifts(first, second)
    if arguments.json:
        show_json(shifts_table(comparison))
        return
    lines = list(sentence_lines(*shifts_texts(comparison), indent=0))
    lines.append("")
    lines += sentence_lines(*drift_texts(comparison), indent=0)
    lines += _same_text_lines(comparison)
    show_lines(lines)


def _same_text_lines(comparison: JudgeShifts) -> Iterator[str]:
    """Yield an empty line, then a line for each of the first shifts that are on the same text.

    A last line says how many more such shifts there are, if there are any. Yields nothing without
    such shifts.
    """
    on_same_texts = [shift for shift in comparison.shifts if shift.same_text]
    if on_same_texts:
        yield ""
        yield from shift_lines(on_same_texts)


def _turned_on_same_text(
    comparison: JudgeShifts,
    first: AnyAudit,
    second: AnyAudit,
) -> Iterator[TwiceJudged]:
    """Yield the cells that two judges answer differently although both read the same text.

    `comparison` is that of the two audits. Each cell comes with the labels of both judges, in the
    order of the `first` audit. A cell without a judge's labels in either audit is left out.
    """
    turned: set[CellKey] = set()
    for shift in comparison.shifts:
        if shift.same_text:
            turned.add((shift.trace, shift.trait))
    seconds: dict[CellKey, Proposed] = {}
    for audited in second.cells:
        key = audited.key
        if key in turned and audited.cell.judge is not None:
            seconds[key] = audited.cell.judge
    for audited in first.cells:
        key = audited.key
        if key in seconds and audited.cell.judge is not None:
            trait_name = audited.cell.subject.trait.name
            yield TwiceJudged(
                audited.trace,
                trait_name,
                audited.cell.judge,
                seconds[key],
            )


NO_JUDGE = {"judge": "recorded", "model": None}
"""Options of `review` that these commands do not have, with their values."""


def audit_to_make(arguments: argparse.Namespace) -> AuditFiles:
    """Return the files of the audit that --review names, which does not exist yet.

    Raises Unusable if its file or its workspace exists, or could not be written. Nothing is
    written.
    """
    files = AuditFiles.of(Path(arguments.review))
    if files.exists:
        wrong = "there is an audit already"
        raise unusable(
            str(files.audit),
            wrong,
            f"go on: {command('review', files.audit)}",
        )
    writable(files)
    return files


def review_turned(
    arguments: argparse.Namespace,
    rubric: Rubric,
    cells: Iterable[TwiceJudged],
) -> None:
    """Make the audit that --review names of cells that turned, and open it on the first of them.

    It is opened on the screen, or in line mode with --lines. Before that, a reviewer with the name
    of a model is asked at a terminal if they are a person. Without a terminal and --lines it is
    only written. The name of the audit and how many cells turned is then said on standard error,
    and nothing is raised but NotWritten if that fails.

    Raises Unusable if `cells` is empty, if the audit is there already or cannot be made, or if
    settings cannot be used. Raises NotKept if the workspace cannot be saved, and Ended with the
    exit code of the review.
    """
    from appellate.cli.review import has_screen, sit

    judged = list(cells)
    if not judged:
        raise unusable("--review", "no answer turned", "there is nothing to go through")
    files = audit_to_make(arguments)
    preferred = settings.load(vars(arguments))
    reviewer = preferred.settings.reviewer
    with openable(files):
        opened, turned = make_two_rounds(files, rubric, judged, reviewer)
    with opened.workspace as workspace:
        opened.notes.append(
            f"{many(turned, 'cell')} turned: V shows both judges' words, n goes on.",
        )
        if getattr(arguments, "lines", False) or has_screen():
            options = argparse.Namespace(
                **{"order": None, "lines": False} | vars(arguments) | NO_JUDGE,
            )
            raise Ended(sit(opened, options, preferred))
        Workbench(workspace, files.audit, reviewer).save()
    review = command("review", files.audit)
    say(f"{files.audit}: {many(turned, 'cell')} turned; {review} opens it.")
