"""`appellate second-pass`: tells how far a reviewer agrees with themselves.

The first call draws a tenth of the traces that the reviewer signed off into an audit of its own, to
be ruled on blind. The second call compares both rulings.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import closing
from math import ceil
from pathlib import Path

from appellate.cli.acting import person
from appellate.cli.opening import at_bench, openable, resumed, writable
from appellate.cli.outcome import command, say, show_lines
from appellate.cli.text_table import figure_lines, sentence_lines
from appellate.core.design_facts import SecondPass
from appellate.core.problem import many, quoted
from appellate.numbers.formatting import cut
from appellate.numbers.judge_page import coefficients
from appellate.numbers.sentences import agreement_text
from appellate.session.review_session import DAY, span
from appellate.session.workbench import Workbench, now
from appellate.store.audits.any_audit import AnyAudit, WorkspaceAudit
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.audits.second_pass import (
    SecondPassFound,
    SelfAgreement,
    begin,
    signed_by,
)
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import stamp

ENDING = ".audit.toml"
SHOWN = 20
"""Changed answers that are shown."""
_FIRST = {False: "with the judge visible the first time", True: "blind both times"}


def second_pass(arguments: argparse.Namespace) -> None:
    """Begin the second pass, or compare it with the first one if the file of its audit exists.

    The second pass is an audit of its own, which is made and written. How both agree is printed on
    standard output and saved in the first audit; all else is said on standard error. If file and
    workspace of an audit disagree, the person is asked at a terminal; --take answers for the first
    audit. Raises Unusable with --agent, for a new audit that cannot be made, and for a second pass
    that cannot be compared. Raises NotWritten if an audit file cannot be written, NotKept if a
    workspace cannot, and Ended if printing fails.
    """
    person(arguments, "rules a second time")
    with at_bench(arguments, may_read=False) as bench:
        audit = WorkspaceAudit(bench.workspace.db)
        files = AuditFiles.of(_second_audit(arguments, bench.audit))
        if files.exists:
            _compare_passes(bench, audit, files)
        else:
            _begin_second_pass(arguments, bench, audit, files)


def _second_audit(arguments: argparse.Namespace, audit: Path) -> Path:
    """Return the path of the second pass's audit: that of -o, or else one beside the audit.

    The latter is `x.again.audit.toml` for `x.audit.toml`; another ending stays in the name, as in
    `x.toml.again.audit.toml`. Whether it exists is not looked at. Raises Unusable if -o names the
    audit itself, also by a link.
    """
    if not arguments.output:
        return audit.with_name(f"{audit.name.removesuffix(ENDING)}.again{ENDING}")
    path = Path(arguments.output)
    if os.path.realpath(path) == os.path.realpath(audit):
        raise unusable(str(path), "this is the audit itself", "name another file")
    return path


def _begin_second_pass(
    arguments: argparse.Namespace,
    bench: Workbench,
    audit: AnyAudit,
    files: AuditFiles,
) -> None:
    """Draw a share of the traces that the reviewer signed off into a new audit, to rule on blind.

    --share is the share in percent, rounded up to whole traces, at least one, and --seed says
    which. Its file is written, and it is said on standard error how to go on. Raises Unusable if
    the reviewer has signed nothing off, or the new audit cannot be made. Raises NotWritten if its
    file cannot be written, and NotKept if its workspace cannot note that.
    """
    signed = signed_by(audit, bench.reviewer)
    if not signed:
        others = ", ".join(audit.reviewers) or "nobody has"
        text = f"{quoted(bench.reviewer)} has signed nothing off in it"
        raise unusable(
            bench.audit.name,
            text,
            f"name who has with --reviewer ({others})",
        )
    count = max(ceil(len(signed) * arguments.share / 100), 1)
    with openable(files):
        writable(files)
        opened = begin(
            files,
            audit,
            bench.reviewer,
            traces=count,
            seed=arguments.seed,
            at=stamp(now()),
        )
    with opened.workspace as workspace:
        Workbench(workspace, files.audit, bench.reviewer).save()
    drawn = many(count, "trace")
    review = command("review", files.audit)
    again = command("second-pass", bench.audit)
    say(
        f"Drew {drawn} of the {len(signed):,} that {bench.reviewer} signed off, to be ruled on"
        " blind.",
        f"`{review}` goes through them; then `{again}` shows how far you agree with yourself.",
    )


def _compare_passes(bench: Workbench, audit: AnyAudit, files: AuditFiles) -> None:
    """Print how far both passes agree, if every cell of the second is ruled on.

    It is printed on standard output and saved in the audit, the same result only once. Before that
    it is only said on standard error how many of the second pass's cells are ruled on, and by what
    command to go on. If the second pass's file and workspace disagree, the person is asked at a
    terminal. Raises Unusable for a second pass that has none of the cells the reviewer signed off,
    or cannot be opened. Raises NotKept if the result cannot be saved, NotWritten if the audit file
    cannot be written, and Ended if printing fails.
    """
    with openable(files), closing(resumed(files).workspace) as workspace:
        comparison = SecondPassFound(
            audit,
            WorkspaceAudit(workspace.db),
            bench.reviewer,
        )
    if not comparison.drawn:
        text = f"it has no cell that {quoted(bench.reviewer)} signed off in {bench.audit.name}"
        raise unusable(str(files.audit), text, "name another file with -o")
    if comparison.ruled < comparison.drawn:
        cells = many(comparison.drawn, "cell")
        review = command("review", files.audit)
        say(
            f"{comparison.ruled:,} of {cells} ruled on a second time. How far they agree is shown"
            f" when all are: `{review}`.",
        )
        return
    event = SecondPass(bench.reviewer, comparison.ruled, comparison.outcome())
    design = bench.workspace.design
    if all(fact.what != event for fact in design.facts()):
        design.append(event, stamp(now()), bench.reviewer)
        bench.save()
    show_lines(_comparison_lines(comparison, bench.reviewer))


def _comparison_lines(comparison: SecondPassFound, reviewer: str) -> Iterator[str]:
    """Yield the lines on how far a reviewer agrees with themselves.

    First come the number of cells and the median time between both passes, with a warning if it is
    less than a day, and how many cells are not compared since their trait was changed. For each
    trait, after an empty line, follow its agreement in a sentence and in figures, and the answers
    that changed.
    """
    text = f"{cut(reviewer)}, a second time: {many(comparison.ruled, 'cell')}"
    if comparison.gap is not None:
        text += f", {span(comparison.gap)} after the first (median)"
    yield from sentence_lines(f"{text}.", indent=0)
    if comparison.gap is not None and comparison.gap < DAY:
        yield "After less than a day one may remember what one said: agreement looks better then."
    if comparison.others:
        yield f"{many(comparison.others, 'cell')} not compared: the trait was changed since."
    for trait in comparison.parts:
        yield ""
        yield f"{cut(trait.trait)}, {_FIRST[trait.is_blind]}: {many(trait.cells, 'cell')}"
        yield from sentence_lines(agreement_text(trait.agreement))
        if trait.agreement.is_shown:
            yield from figure_lines(
                coefficients(trait.agreement, right="the second answers"),
            )
        yield from _changed_answer_lines(trait)


def _changed_answer_lines(trait: SelfAgreement) -> Iterator[str]:
    """Yield lines on the answers to a trait that changed between the two passes.

    Unless the judge was hidden the first time, the first says how many of them were the judge's
    then, how many are now, and if what was there may have been taken over. Then come the first
    `SHOWN` changes in their order, with the trace, both answers and the question, and how many more
    there are. Nothing if none changed.
    """
    if not trait.changed:
        return
    if not trait.is_blind:
        are = "is" if trait.joined == 1 else "are"
        text = (
            f"Of {many(len(trait.changed), 'changed answer')}, {trait.left:,} had been the judge's"
            f" the first time, and {trait.joined:,} {are} now."
        )
        if trait.left > 2 * trait.joined:
            text += " What was there may have been taken over."
        yield from sentence_lines(text)
    for change in trait.changed[:SHOWN]:
        first, second = change.answers
        text = (
            f"{cut(change.trace)}: {first}, now {second}: {cut(change.question.text)}"
        )
        yield from sentence_lines(text, indent=4, hanging=2)
    remaining = len(trait.changed) - SHOWN
    if remaining > 0:
        yield f"    and {remaining:,} more"
