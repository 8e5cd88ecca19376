"""`appellate compare`: tells how far two reviewers agree, and joins their audits for a ruling."""

import argparse
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from secrets import randbelow

from appellate.cli.acting import person
from appellate.cli.judge_shifts import NO_JUDGE, compare_judges
from appellate.cli.opening import (
    files_named,
    openable,
    reading_audit,
    resumed,
    unless_refused,
    writable,
)
from appellate.cli.outcome import (
    Ended,
    ProgressLine,
    command,
    say,
    show_json,
    show_lines,
)
from appellate.cli.text_table import figure_lines, sentence_lines, text_lines
from appellate.core.agreement import Agreement
from appellate.core.problem import many
from appellate.numbers.blocks import ReportTable
from appellate.numbers.formatting import cut
from appellate.numbers.judge_page import coefficients
from appellate.numbers.sentences import agreement_text
from appellate.numbers.two_reviewers import (
    QuestionAgreement,
    ReviewersAgreement,
    StandIn,
    by_trait,
    comparison_document,
    stand_in_table,
    stand_in_text,
    stand_ins,
)
from appellate.session.acts import sentence
from appellate.session.workbench import Workbench, now
from appellate.store import meta
from appellate.store.audits.adjudication import (
    begin,
    is_joined_of,
    joined_of,
    not_ruled,
)
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit_sync import digest
from appellate.store.audits.open_audit import AuditFiles, Opened, unexported
from appellate.store.audits.two_audits import TwoAudits, beside
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import stamp

SEEDS = 10**6
"""Seeds to choose from for the order of the two label sets."""
MOST_ANSWERS = 12
"""Answers that a table of pairs has room for."""
SHOWN = 10
"""Traces that are shown of a question; --json has them all."""


def compare(arguments: argparse.Namespace) -> None:
    """Print how far two audits agree, or with --adjudicate join them into a third.

    It is text on standard output, or with --json one object; notes on the audits are on standard
    error. --third names one more audit, which helps to tell if the judge may stand in for a person.
    With --judges it is printed what the judges of the audits say otherwise. The audits are only
    read.

    --adjudicate and --review write an audit of their own and open it. Before that, the person may
    be asked at a terminal: which counts, if file and workspace of the third disagree, and if a
    reviewer with the name of a model is a person. Without a terminal the audit is only written,
    which is said on standard error, and Ended is not raised.

    Raises Unusable for options or audits that do not go together or cannot be used, for an agent
    that would rule, and for an --epsilon that is not from 0 to below 1. Raises NotKept if a
    workspace cannot be saved, NotWritten if an audit is only written and that fails, and Ended with
    the exit code of a review or if standard output fails.
    """
    _check_options(arguments)
    if arguments.judges:
        compare_judges(arguments)
        return
    with ExitStack() as audits:
        first = audits.enter_context(reading_audit(Path(arguments.one)))
        two = _read_beside(audits, arguments, first, Path(arguments.other))
        if arguments.adjudicate:
            _adjudicate(arguments, two)
            return
        if not 0 <= arguments.epsilon < 1:
            wrong = f"{arguments.epsilon:g} is not a share"
            raise unusable("--epsilon", wrong, "0 to below 1, as .2")
        third = None
        if arguments.third:
            third = _read_beside(audits, arguments, first, Path(arguments.third))
            if os.path.realpath(arguments.third) == os.path.realpath(arguments.other):
                wrong = "this is the second audit again"
                raise unusable(arguments.third, wrong, "name a third")
        traits = by_trait(two.pairs, two.reason)
        tests = stand_ins(two, third, arguments.epsilon)
        if arguments.json:
            document = comparison_document(two, traits)
            document["alternative_annotator"] = list(map(stand_in_table, tests))
            show_json(document)
        else:
            show_lines(_agreement_lines(two, traits, tests))


def _check_options(arguments: argparse.Namespace) -> None:
    """Raise Unusable for options of `compare` that do not go together.

    -o goes only with --adjudicate, and --review only with --judges. Neither --third, --judges nor
    --agent goes with --adjudicate, as an agent does not rule, and --third does not go with
    --judges. With --adjudicate it is also raised for settings that cannot be read.
    """
    if arguments.output and not arguments.adjudicate:
        raise unusable("-o", "names the third audit", "add --adjudicate")
    if arguments.review and not arguments.judges:
        raise unusable(
            "--review",
            "goes through what judges say otherwise",
            "add --judges",
        )
    if arguments.adjudicate:
        if arguments.third:
            wrong = (
                "is compared with the other two, and --adjudicate makes an audit of two"
            )
            raise unusable("--third", wrong, "leave one of them out")
        person(arguments, "rules between two reviewers")
    if arguments.judges and (arguments.adjudicate or arguments.third):
        right = "leave --adjudicate and --third out"
        raise unusable("--judges", "compares judges, not reviewers", right)


def _read_beside(
    audits: ExitStack,
    arguments: argparse.Namespace,
    first: AnyAudit,
    other_path: Path,
) -> TwoAudits:
    """Read another audit and return the first one together with it, in this order.

    The path of `first` is taken from `arguments.one`. The other stays open until `audits` is
    closed. Notes on it are printed on standard error. Raises Unusable if both paths lead to the
    same file, if the other cannot be read, or if no cell is signed off in both.
    """
    first_path = Path(arguments.one)
    if os.path.realpath(first_path) == os.path.realpath(other_path):
        wrong = "this is the first audit again"
        raise unusable(str(other_path), wrong, "name that of another reviewer")
    second = audits.enter_context(reading_audit(other_path))
    return beside((first_path, first), (other_path, second))


def _refuse_unexported(two: TwoAudits) -> None:
    """Raise Unusable if the file of one of two audits lacks facts that its workspace has.

    A third audit refers to the two by their files. An audit without a workspace passes. Nothing is
    written.
    """
    for side in two.sides:
        ahead = unexported(files_named(side.path))
        if ahead:
            wrong = f"it lacks {many(ahead, 'fact')} of its workspace"
            raise unusable(
                str(side.path),
                wrong,
                f"export first: {command('review', side.path)}",
            )


def _adjudicate(arguments: argparse.Namespace, two: TwoAudits) -> None:
    """Make the third audit or continue it, and open it if there is a terminal or --lines.

    It begins with the cells that await a ruling, wherever the reviewer was last. Without a terminal
    it is only written, and that is said on standard error. Notes say which audits it was made of,
    and if the reviewer is one of the two. The person may be asked at a terminal: which counts, if
    file and workspace of an existing one disagree, and if a reviewer with the name of a model is a
    person.

    Raises Unusable without -o, if -o names one of the two or an audit of others, if the file of one
    of the two lacks facts of its workspace, and for settings or an audit that cannot be used.
    Raises NotWritten if it is only written and that fails, NotKept if the workspace cannot be
    saved, and Ended with the exit code of the review.
    """
    from appellate.cli.review import has_screen, sit
    from appellate.session import settings

    if not arguments.output:
        raise unusable("--adjudicate", "makes a third audit", "name it with -o")
    _refuse_unexported(two)
    ProgressLine.in_lines = arguments.lines
    preferred = settings.load(vars(arguments))
    reviewer = preferred.settings.reviewer
    files = AuditFiles.of(Path(arguments.output))
    audits = [os.path.realpath(side.path) for side in two.sides]
    if os.path.realpath(files.audit) in audits:
        wrong = "this is one of the two audits"
        raise unusable(str(files.audit), wrong, "name another file")

    opened = _open_third(files, two, reviewer, arguments.shuffle)
    joined = joined_of(opened.workspace)
    if joined:
        opened.notes.append(sentence(str(joined)))
    if any(reviewer in side.audit.reviewers for side in two.sides):
        text = (
            f"{reviewer} is one of the two: better let somebody else rule (--reviewer)."
        )
        opened.notes.append(text)

    with opened.workspace as workspace:
        # it begins with the cells to rule on, wherever the reviewer was last
        unruled = not_ruled(workspace)
        if unruled and not workspace.readonly:
            workspace.set_meta(meta.START, str(unruled[0]))
            workspace.set_meta(meta.position(reviewer), "")

        if arguments.lines or has_screen():
            options = argparse.Namespace(**vars(arguments), **NO_JUDGE)
            raise Ended(sit(opened, options, preferred))
        say(*opened.notes)
        Workbench(workspace, files.audit, reviewer).save()
    say(f"{files.audit}: made; {command('review', files.audit)} opens it.")


def _open_third(
    files: AuditFiles,
    two: TwoAudits,
    reviewer: str,
    seed: int | None,
) -> Opened:
    """Open the third audit, or make it of the two audits if there is none; the caller closes it.

    A new one shows the two label sets of a cell in an order that `seed` makes; None draws a seed at
    random. Only its workspace is written. For an existing one the seed does not count, and the
    person is asked at a terminal if its file and workspace disagree. Raises Unusable for one that
    was not made of these two, and for one that cannot be opened or made, as of labels that cannot
    be put beside others.
    """
    with openable(files), unless_refused(str(files.audit)):
        if files.exists:
            return _resume_third(files, two)
        writable(files)
        if seed is None:
            seed = randbelow(SEEDS)
        return begin(files, two, seed, stamp(now()), reviewer)


def _resume_third(files: AuditFiles, two: TwoAudits) -> Opened:
    """Open the third audit as it was left and return it; the caller closes it.

    Its notes have one for each of the two audits whose file was changed since. If the third's file
    and workspace disagree, the person is asked at a terminal which counts. Raises Unusable without
    an answer, and for an audit that was not made of these two; it is closed again then. The errors
    that `openable` turns into Unusable pass through.
    """
    opened = resumed(files)
    joined = joined_of(opened.workspace)
    if joined is None or not is_joined_of(joined, two):
        opened.workspace.close()
        text = "there is an audit of this name, which was not made of these two"
        raise unusable(str(files.audit), text, "name another with -o")
    for side, joined_side in zip(two.sides, joined.sides, strict=True):
        if joined_side.get("sha256") != digest(side.path):
            text = "was changed after this audit was made of it: the changes are missing here"
            opened.notes.append(f"{side.path.name} {text}.")
    return opened


def _agreement_lines(
    two: TwoAudits,
    traits: list[ReviewersAgreement],
    tests: list[StandIn],
) -> Iterator[str]:
    """Yield the lines on how far two reviewers agree.

    First come the numbers of cells, then notes, then each trait in the order given after an empty
    line. At the end comes whether the judge could replace one of them, for each of `tests`, if
    there are any.
    """
    names = " and ".join(f"{side.name} ({side.path.name})" for side in two.sides)
    counts = f"{many(len(two.pairs), 'cell')} signed off by both, of {two.cells:,} in both audits"
    first_count, second_count = two.signed
    text = f"{names}: {counts} ({first_count:,} and {second_count:,})."
    yield from sentence_lines(text, indent=0)
    yield from sentence_lines(*two.notes)
    for trait in traits:
        yield ""
        yield from _trait_lines(two, trait)
    if tests:
        yield ""
        yield "The judge in place of one of them:"
    for test in tests:
        yield f"  {cut(test.trait)}{', all blind' * test.is_blind}"
        yield from sentence_lines(*stand_in_text(test), indent=4)


def _trait_lines(two: TwoAudits, trait: ReviewersAgreement) -> Iterator[str]:
    """Yield the lines on how far two reviewers agree on a trait, and where they differ.

    After the agreement comes how many cells one of them cannot tell, a table of both answers and
    coefficients. The table is left out if there are more than `MOST_ANSWERS` different answers, or
    no cell. Then come the questions on which they differ, the one with most differences first. Each
    of these parts is left out if there is nothing to say.
    """
    blind = ", both blind" if trait.is_blind else ""
    yield f"{cut(trait.trait)}{blind}   {many(trait.cells, 'cell')}"
    agreement = trait.agreement
    yield from sentence_lines(agreement_text(agreement))
    if trait.untold:
        cells = many(trait.untold, "cell")
        text = f"In {cells} one of them cannot tell: that is in no agreement."
        yield from sentence_lines(text)
    if agreement.n and len(agreement.words) <= MOST_ANSWERS:
        yield from text_lines(_pair_table(two, agreement))
    if agreement.is_shown:
        yield ""
        yield from figure_lines(
            coefficients(agreement, right=f"what {two.second.name} says"),
        )
    differing = [question for question in trait.questions if question.differing]
    if not differing:
        return
    yield ""
    yield f"  Where they differ ({two.first.name}, {two.second.name}):"
    differing.sort(key=lambda question: len(question.differing), reverse=True)
    for question in differing:
        yield from _question_lines(trait, question)


def _pair_table(two: TwoAudits, agreement: Agreement) -> ReportTable:
    """Return a table of counts: a row for each first reviewer's answer, a column for each second's.

    Both have all answers that either gave, headed by the reviewers' names. Each number is a text,
    with commas between thousands; a pair that never came is "0". The last column, "all", has the
    sum of each row. Long answers are cut.
    """
    rows = []
    for first_answer in agreement.words:
        row = [cut(first_answer)]
        total = 0
        for second_answer in agreement.words:
            count = agreement.counts.get((first_answer, second_answer), 0)
            row.append(f"{count:,}")
            total += count
        row.append(f"{total:,}")
        rows.append(tuple(row))

    headers = [two.first.name]
    for answer in agreement.words:
        headers.append(f"{two.second.name}: {cut(answer)}")
    headers.append("all")
    return ReportTable(tuple(headers), rows, 1)


def _question_lines(
    trait: ReviewersAgreement,
    question: QuestionAgreement,
) -> Iterator[str]:
    """Yield the lines of a question: how often two reviewers differ on it, its text, and where.

    The first is as "2 of 4: TP 1 Mentions BCL2 gene", broken where it is long. The first `SHOWN`
    traces on which they differ get a line each as "t1: missing, found", with the first reviewer's
    answer first. A last line counts the others, if there are any.
    """
    list_name, number, text = question.question
    label = ""
    if list_name:
        list_text = trait.kind.spelled.get(list_name, list_name)
        label = f"{list_text} {number} "
    differing = f"{len(question.differing):,} of {question.agreement.n:,}"
    heading = f"{differing}: {label}{cut(text)}"
    yield from sentence_lines(heading, indent=4, hanging=8)
    for trace in question.differing[:SHOWN]:
        answers = f"{cut(trace.trace)}: {', '.join(map(cut, trace.answers))}"
        yield from sentence_lines(answers, indent=8, hanging=2)
    remaining = len(question.differing) - SHOWN
    if remaining > 0:
        yield f"{'':8}and {remaining:,} more (--json has them all)"
