"""`appellate gold`: freezes labels by people as a gold set, and tests judges on it for CI."""

import argparse
import asyncio
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from appellate.cli.opening import open_audit, reading_audit
from appellate.cli.outcome import (
    Ended,
    Exit,
    command,
    notes,
    say,
    show_json,
    show_json_text,
    show_lines,
    telling,
)
from appellate.cli.stopping import stopped_by_signals
from appellate.cli.text_table import sentence_lines, text_lines
from appellate.core.inert import inert_json
from appellate.core.problem import Refused, Unusable, many, quoted
from appellate.gold import is_gold
from appellate.gold.gold_file import Gold, read_gold, write_gold
from appellate.stats.looks import TrustBar, read_bar
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable
from appellate.traits.rubric import Rubric

if TYPE_CHECKING:
    from appellate.gold.asking import JudgeAnswers
    from appellate.gold.checking import Flip, JudgeCheck
    from appellate.gold.replies import ReplyFile
    from appellate.judging.choice import JudgeChoice
    from appellate.store.audits.audit import AuditedCell

_FOR_MODELS = (
    "base_url",
    "api_key_env",
    "prompt",
    "concurrency",
    "rpm",
    "tpm",
    "timeout",
)
"""Options that only a judge that asks a model takes."""


def gold(arguments: argparse.Namespace) -> None:
    """Carry out the action of `appellate gold` that the command line names: freeze, check or drift.

    `freeze` writes a gold set of audits into a file, and says on standard error what it is. `check`
    asks judges about a gold set, or takes their answers from audits or saved replies, and prints
    how each does; it raises Ended with its exit code. `drift` only reads two audits and prints.
    Raises Unusable for what cannot be used, also instead of Refused, and Ended if printing fails.
    Raises OSError for a file that cannot be written, NotKept if replies cannot be recorded, and
    NotWritten for an audit of --review.
    """
    try:
        match arguments.action:
            case "freeze":
                _freeze(arguments)
            case "check":
                _check(arguments)
            case _:
                from appellate.cli.judge_shifts import drift

                drift(arguments)
    except Refused as refusal:
        raise unusable("gold", str(refusal).rstrip(".")) from refusal


# -- freezing --------------------------------------------------------------------------------------


def _freeze(arguments: argparse.Namespace) -> None:
    """Write the gold set of one audit, or of several on which reviewers agree, and say what it is.

    Of the cells that --where finds, or all, it has those that people signed off or ruled on, and
    with --agents-too those that agents labelled. Of several audits only those are taken that
    --agree reviewers answer alike. The bars of --bar are written with them. A gold set in the
    target is replaced. On standard error it is said what it holds, what was left out, and that a
    set without a bar passes no judge.

    With --where an audit gets a workspace if it has none, and the person is asked at a terminal if
    file and workspace disagree. Raises Unusable for options that do not go together, and for an
    audit, a bar or a query that cannot be read. Raises Refused for audits without gold and for a
    bar that it has no number for, and OSError for a target that cannot be written.
    """
    from appellate.gold.freezing import agreed, freeze, rulings
    from appellate.gold.telling import gold_notes, gold_text

    paths = [Path(path) for path in arguments.audits]
    target = Path(arguments.output)
    bars = _bars(arguments.bar or ())
    _check_freezing(arguments, paths, target)
    with ExitStack() as audits:
        rubrics: list[Rubric] = []
        cells_of_audits: list[Iterator[AuditedCell]] = []
        for path in paths:
            rubric, cells = _cells_of(audits, path, arguments.where)
            rubrics.append(rubric)
            cells_of_audits.append(cells)
        agents_too = arguments.agents_too
        if len(paths) > 1:
            selection = agreed(
                rubrics[0],
                cells_of_audits,
                arguments.agree,
                agents_too=agents_too,
            )
        else:
            selection = rulings(cells_of_audits[0], agents_too=agents_too)
        frozen = freeze(rubrics[0], selection, bars, paths)
    write_gold(target, frozen)
    frozen = read_gold(target)
    say(f"{target}: {gold_text(frozen)}")
    for reason, count in selection.left_out.items():
        say(f"Left out: {many(count, 'cell')} {reason}.")
    notes(gold_notes(frozen))
    if not bars:
        notes(
            [
                "It has no bar, so no judge can pass it: --bar 'judge.kappa>=.6' sets one.",
            ],
        )
    say(f"{command('gold', 'check', target, '--model', 'MODEL')} tests a judge on it.")


def _check_freezing(
    arguments: argparse.Namespace,
    paths: Sequence[Path],
    target: Path,
) -> None:
    """Raise Unusable for options of `gold freeze` that do not go together.

    Refused are several audits without --agree, and --agree for fewer than two reviewers or for more
    than there are audits, so that it is always refused for one. Also refused is a target that is
    one of these audits, or an existing file that is no gold set. A target that is a gold set
    passes. Whether the audits exist is not looked at.
    """
    if len(paths) > 1 and arguments.agree is None:
        adjudicate = command("compare", paths[0], paths[1], "--adjudicate", "-o", "C")
        right = f"say --agree {len(paths)}, or let a third rule ({adjudicate}) and freeze that"
        raise unusable("gold freeze", "several audits are several reviewers", right)
    if arguments.agree is not None and not 2 <= arguments.agree <= len(paths):  # noqa: PLR2004
        right = "name an audit of each reviewer, and 2 up to as many"
        raise unusable(
            "--agree",
            f"{arguments.agree} of {many(len(paths), 'audit')}",
            right,
        )
    if target.exists() and not is_gold(target):
        raise unusable(
            str(target),
            "is there and is no gold set",
            "name another file with -o",
        )
    if any(os.path.realpath(target) == os.path.realpath(path) for path in paths):
        raise unusable(str(target), "is the audit itself", "name another file with -o")


def _cells_of(
    audits: ExitStack,
    path: Path,
    where: str | None,
) -> "tuple[Rubric, Iterator[AuditedCell]]":
    """Return the rubric of an audit and its cells, or those that the query `where` finds.

    Without a query the audit is only read. With one it is opened for writing, which makes its
    workspace if there is none, but only read if another process writes it. If file and workspace
    disagree then, the person is asked at a terminal. "me" in a query is the reviewer of the
    settings. The cells that a query finds come in the order of their numbers.

    Notes on the audit go to standard error. The audit stays open until `audits` is closed, and the
    cells must be gone through before. Raises Unusable for an audit that cannot be opened, and with
    a query for one or for settings that cannot be read.
    """
    if not where:
        audit = audits.enter_context(reading_audit(path))
        return audit.rubric, iter(audit.cells)

    from appellate.query.language import QueryUnreadable, parse
    from appellate.session import settings
    from appellate.store.audits.audit import AuditedCell
    from appellate.store.queue import look_up, vocabulary

    options = {
        "paths": [str(path)],
        "audit": str(path),
        "workspace": None,
        "take": None,
    }
    opened = audits.enter_context(
        open_audit(argparse.Namespace(**options), may_read=True),
    )
    notes(opened.notes)
    workspace = opened.workspace
    try:
        query = parse(where, vocabulary(workspace.path))
    except QueryUnreadable as unreadable:
        raise unusable("--where", str(unreadable)) from unreadable
    reviewer = settings.load({}).settings.reviewer
    numbers = sorted(look_up(workspace.path, query, by=reviewer).numbers)
    return workspace.rubric, (
        AuditedCell(*workspace.cell(number)) for number in numbers
    )


def _bars(texts: Sequence[str]) -> list[TrustBar]:
    """Return the bars that texts such as `judge.kappa>=.6` or `TRAIT:f1>=.8` name, in their order.

    Raises Unusable for the first text that is no bar. Whether there are such traits and numbers is
    not looked at.
    """
    bars: list[TrustBar] = []
    for text in texts:
        try:
            bars.append(read_bar(text))
        except ValueError as error:
            raise unusable("--bar", f"{quoted(text)} {error}") from error
    return bars


# -- checking --------------------------------------------------------------------------------------


def _check(arguments: argparse.Namespace) -> None:
    """Hold judges against a gold set and print how each does; raise Ended with the exit code.

    It is on standard output, and in the files of -o and --junit. Models are asked by requests,
    which is said on standard error; --record writes their replies, and with --replies nothing is
    sent. The code is DONE (0) if all judges passed, FAILED (1) if one did not, else UNDECIDED (3);
    with --any the best of them counts.

    With --restate nothing is asked, what changed is printed, and the code is DONE. With --review
    exactly one judge is asked, and an audit is made and opened instead of printing. Without a
    terminal it is only made, and Ended is not raised, but NotWritten if it cannot be written.
    Raises Unusable or Refused for a gold set, a judge or options that cannot be used, OSError for a
    file that cannot be written, and NotKept if replies cannot be recorded.
    """
    from appellate.gold.choosing import together

    frozen = read_gold(Path(arguments.gold))
    judges = judges_named(arguments)
    if arguments.restate:
        _restate(arguments, frozen)
        raise Ended(Exit.DONE)
    if arguments.review:
        from appellate.cli.judge_shifts import audit_to_make, review_turned
        from appellate.gold.flip_queue import turned_cells

        if len(judges) != 1:
            wrong = f"there are {many(len(judges), 'judge')}"
            right = "name the one whose flips are gone through"
            raise unusable("--review", wrong, right)
        audit_to_make(arguments)  # refuses before any judge is asked
        (check,) = checked(arguments, frozen)
        review_turned(arguments, frozen.rubric, turned_cells(check))
        return
    checks = checked(arguments, frozen)
    _publish(arguments, frozen, checks)
    verdict = together(checks, is_any=arguments.any)
    codes = {
        "passed": Exit.DONE,
        "not passed": Exit.FAILED,
        "undecided": Exit.UNDECIDED,
    }
    raise Ended(codes[verdict])


def _other_rubric(arguments: argparse.Namespace, frozen: Gold) -> Rubric | None:
    """Return the rubric that --rubric names, or None without that option.

    Raises Unusable for one that cannot be read, and for one that has none of the gold set's
    traits.
    """
    from appellate.gold.asking import unusable_rubric
    from appellate.store.files.rubric_file import load_rubric

    if not arguments.rubric:
        return None
    rubric = load_rubric(arguments.rubric)
    problems = list(unusable_rubric(frozen, rubric, arguments.rubric))
    if problems:
        raise Unusable(problems)
    return rubric


def judges_named(
    arguments: argparse.Namespace,
) -> list[tuple[str, Literal["judge", "model", "audit"]]]:
    """Return the name of each judge of a `gold check`, with the option that named it.

    First come those of --judge, then --model, then --audit, each in the order given. The judge of
    an audit is named by its file, without the folder. The list is empty only with --restate and
    --rubric together. Raises Unusable without a judge otherwise, for the judge `recorded`, for
    --replies with --record, and for a file to write (-o, --junit, --record) that is a folder or
    whose folder is missing.
    """
    names_judge = bool(arguments.model or arguments.judge or arguments.audit)
    needs_judge = not (arguments.restate and arguments.rubric)
    if needs_judge and not names_judge:
        right = "name one with --model, --judge or --audit"
        raise unusable("gold check", "which judge?", right)
    if "recorded" in (arguments.judge or ()):
        right = "--audit AUDIT takes the labels of a judge that are in an audit"
        raise unusable("--judge", "a gold set has no recorded labels", right)
    for option in ("output", "junit", "record"):
        path = getattr(arguments, option)
        if path and not Path(path).absolute().parent.is_dir():
            raise unusable(path, "its folder is not there", "make it, or name another")
        if path and Path(path).is_dir():
            raise unusable(path, "this is a folder", "name a file in it")
    if arguments.replies and arguments.record:
        raise unusable(
            "--record",
            "asks, and --replies asks nobody",
            "leave out one of them",
        )

    judges: list[tuple[str, Literal["judge", "model", "audit"]]] = []
    judges += [(name, "judge") for name in arguments.judge or ()]
    judges += [(name, "model") for name in arguments.model or ()]
    judges += [(Path(path).name, "audit") for path in arguments.audit or ()]
    return judges


def checked(arguments: argparse.Namespace, frozen: Gold) -> "list[JudgeCheck]":
    """Return how each judge of a command line does on a gold set; models are sent requests.

    Judges that are asked come first, then those of audits, each in the order given. With --rubric,
    cells that people would read differently under that rubric are not asked. With --replies nothing
    is sent. With --record the replies are written, also if asking is stopped by Ctrl+C or a signal,
    and how many is said on standard error; replies in that file are used and kept. Cells without an
    answer are told in the result, and not raised.

    Raises Unusable or Refused for a judge that cannot be asked. Raises Unusable for options that do
    not go together, for replies or an audit that cannot be read, for a file into which another
    check records, and for a rubric that cannot be read or has none of the gold set's traits. Raises
    Ended with the code of a signal that stops asking, KeyboardInterrupt for Ctrl+C, and NotKept or
    OSError if replies cannot be recorded.
    """
    from appellate.gold.asking import ask, in_audit, stale_under, told_apart
    from appellate.gold.checking import check

    rubric = _other_rubric(arguments, frozen)
    prompts = None if rubric is None else rubric.prompts
    stale = [] if rubric is None else stale_under(rubric, frozen)
    cells = many(len(frozen.cells) - len(stale), "cell")
    asked: list[JudgeAnswers] = []
    with stopped_by_signals(), _reply_file(arguments) as replies:
        for name, choice in list(_judges_to_ask(arguments, replies)):
            if choice.sends and not arguments.replies:
                say(f"Asking {choice.who} about {cells}.")
            with telling(f"Asking {name}") as on_progress:
                asking = ask(
                    choice,
                    name,
                    frozen,
                    stale,
                    prompts,
                    answered_from=replies if arguments.replies else None,
                    failures_into=replies if arguments.record else None,
                    on_progress=on_progress,
                )
                asked.append(asyncio.run(asking))

    in_audits: list[JudgeAnswers] = []
    for audit_path in arguments.audit or ():
        with reading_audit(Path(audit_path)) as audit:
            in_audits.append(in_audit(audit, Path(audit_path).name, frozen))
    all_answers = told_apart(asked, in_audits)
    return [check(frozen, answers, frozen.bars) for answers in all_answers]


@contextmanager
def _reply_file(arguments: argparse.Namespace) -> "Iterator[ReplyFile | None]":
    """Yield the replies of --replies, or those to which --record adds, or None without both.

    What is recorded is written when the block is left, also by an error, and how many is said on
    standard error. Raises Unusable for a file that holds no replies, or if another check records
    into it. Raises NotKept if the file system has no locks, and OSError if the disk refuses the
    replies.
    """
    from appellate.gold.replies import read_replies, recording

    def say_count(count: int) -> None:
        said = many(count, "reply", "replies")
        say(f"{arguments.record}: {said} recorded.")

    if arguments.replies:
        yield read_replies(Path(arguments.replies))
    elif arguments.record:
        with recording(Path(arguments.record), say_count) as replies:
            yield replies
    else:
        yield None


def _judges_to_ask(
    arguments: argparse.Namespace,
    replies: "ReplyFile | None",
) -> "Iterator[tuple[str, JudgeChoice]]":
    """Yield each judge that is to be asked, after its name: those of --judge, then of --model.

    Judges of audits are left out, since their answers are there already. A model is not asked about
    what `replies` answer, which are those of --replies or --record, and what it replies is added to
    them. If `replies` is None, the file of --cache takes their place, if one is named. With
    --replies no key is needed. Raises Unusable for options that do not go together. Raises Unusable
    or Refused for a judge that cannot be asked, when it is that judge's turn.
    """
    from appellate.judging.choice import choose, sends_nothing
    from appellate.judging.planning import choice_of_plan

    sending = not arguments.replies
    for name, option in judges_named(arguments):
        if option == "audit":
            continue
        if option == "judge" and sends_nothing(name):
            yield name, choose({"judge": [name]}, lambda _: None)
            continue
        options = {key: getattr(arguments, key) for key in _FOR_MODELS}
        options |= {
            "patience": arguments.patience,
            "cache": arguments.cache,
            option: [name],
        }
        options["no_cache"] = replies is not None or not arguments.cache
        choice = choose(options, lambda _: None, sending=sending)
        if replies is not None and choice.plan is not None:
            choice = choice_of_plan(choice.plan, sending=sending, replies=replies)
        yield name, choice


def _restate(arguments: argparse.Namespace, frozen: Gold) -> None:
    """Print what changed since a gold set was frozen, and which cells need a person.

    These are the cells that people would read differently under the rubric of --rubric, and those
    that audits of the command line read otherwise. It is text on standard output, or with --json
    one object of the gold set and these cells; notes on the audits are on standard error. Raises
    Unusable for an audit that cannot be read, and for a rubric that cannot be read or has none of
    the gold set's traits. Raises Ended if printing fails.
    """
    from appellate.gold.asking import in_audit, stale_under
    from appellate.gold.telling import FORMAT, gold_table, restatement, stale_table

    rubric = _other_rubric(arguments, frozen)
    stale_cells = [] if rubric is None else list(stale_under(rubric, frozen))
    for audit_path in arguments.audit or ():
        with reading_audit(Path(audit_path)) as audit:
            stale_cells += in_audit(audit, Path(audit_path).name, frozen).stale
    if arguments.json:
        rows = list(map(stale_table, stale_cells))
        show_json({"format": FORMAT, "gold": gold_table(frozen), "stale": rows})
        return
    first, *others = restatement(frozen, stale_cells)
    lines = list(sentence_lines(first, indent=0))
    lines += sentence_lines(*others)
    show_lines(lines)


def _publish(
    arguments: argparse.Namespace,
    frozen: Gold,
    checks: "Sequence[JudgeCheck]",
) -> None:
    """Print a check on standard output, and write it into the files of -o and --junit.

    It is text, or with --json one object; -o gets the object in any case. In GitHub Actions the
    annotations go to standard error, and no printed line is a command. The files are written even
    if printing fails. Older files are replaced, and kept beside them with `.bak` at their names'
    ends. Raises Ended if printing fails, and OSError for a file that cannot be written, once the
    check was printed.
    """
    from appellate.gold.annotations import (
        annotations,
        json_without_commands,
        no_commands,
    )
    from appellate.gold.telling import check_document

    document = check_document(frozen, checks, is_any=arguments.any)
    in_actions = bool(os.environ.get("GITHUB_ACTIONS"))
    try:
        if arguments.json:
            text = inert_json(document, 2)
            show_json_text(json_without_commands(text) if in_actions else text)
        else:
            lines = list(_check_lines(frozen, checks))
            show_lines(no_commands(lines) if in_actions else lines)
    finally:  # what was asked and paid for is lost neither with the output nor with a file
        if arguments.output:
            text = f"{inert_json(document, 2)}\n"
            atomic.write(Path(arguments.output), [text.encode()])
        if arguments.junit:
            from appellate.gold.junit import junit_xml

            atomic.write(Path(arguments.junit), [junit_xml(checks)])
    if in_actions:
        say(*annotations(checks, arguments.gold))


def _check_lines(frozen: Gold, checks: "Sequence[JudgeCheck]") -> Iterator[str]:
    """Yield a check as lines: the gold set, which judge to use of several, then each judge.

    The first table has the members of panels, too, and is there only for more than one row. Below
    it is said which of several judges to use, how steady each is that was asked twice, and what the
    columns mean. At most `SHOWN` flips of a judge, changed answers, are listed, lost ones first.
    The others are counted.
    """
    from appellate.gold.telling import (
        SAVES,
        SHOWN,
        flip_line,
        gold_notes,
        gold_text,
        judge_paragraphs,
        repeat_text,
        repeats_in,
        which_judge,
    )
    from appellate.numbers.which_judge import choice_text, choose_judge

    yield from sentence_lines(gold_text(frozen), *gold_notes(frozen), indent=0)
    table = which_judge(frozen, checks)
    if len(table.rows) > 1:
        sentences = [*map(repeat_text, repeats_in(checks)), SAVES]
        if len(checks) > 1:
            sentences.insert(0, choice_text(choose_judge(checks)))
        yield ""
        yield from text_lines(table, indent=0)
        yield ""
        yield from sentence_lines(*sentences, indent=0)
    for check in checks:
        yield ""
        first, *others = judge_paragraphs(check)
        yield from sentence_lines(first, indent=0)
        yield from sentence_lines(*others)
        for flip in sorted(check.flips.flips, key=_lost_first)[:SHOWN]:
            yield from sentence_lines(flip_line(flip), indent=4, hanging=7)
        remaining = len(check.flips.flips) - SHOWN
        if remaining > 0:
            yield f"    and {remaining:,} more (--json has them all)"


def _lost_first(flip: "Flip") -> bool:
    """Return False for a flip that is lost, else True: a key that sorts lost ones first."""
    return flip.sort != "lost"
