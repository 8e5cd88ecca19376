"""`appellate probe`: asks the judge about cells in other words, and tells which answers change.

Each probe changes the request in one way. Its result is saved in the audit.
"""

import argparse
import asyncio
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

from appellate.cli.judge_options import chosen_judge
from appellate.cli.opening import at_bench, save, unless_stopped
from appellate.cli.outcome import (
    Ended,
    Exit,
    can_ask,
    is_confirmed,
    notes,
    say,
    show,
    show_json,
    telling,
)
from appellate.cli.prompting import amounts
from appellate.cli.stopping import stopped_by_signals
from appellate.cli.text_table import WIDTH, sentence_lines
from appellate.core.design_facts import Probed
from appellate.core.inert import visible
from appellate.core.problem import many
from appellate.judging.probes import PROBES, Probe, ProbeRun, ProbeTerms
from appellate.numbers.formatting import cut, figure
from appellate.session.workbench import Workbench, now
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import stamp
from appellate.store.workspace import Workspace

FORMAT = "appellate-probes/1"
"""The name of the JSON format."""


def probe(arguments: argparse.Namespace) -> None:
    """Run probes, print and save their results; always raises Ended with the exit code.

    Before anything is sent it is said on standard error what it takes, and the person is asked at a
    terminal unless --yes is given. Results are printed on standard output and saved in the
    workspace and the audit file. If the audit's file and workspace disagree, the person is asked
    unless --take is given.

    The code is FAILED (1) if a question failed or something cannot be written. It is INTERRUPTED
    (130) after Ctrl+C, or that of a signal; results that came are saved then. It is DONE (0) if the
    person answers no. Raises Unusable without a judge to probe, without a cell that it judges, and
    if there is something to send, no --yes and no terminal to ask at.
    """
    probes = list(map(PROBES.__getitem__, dict.fromkeys(arguments.probe or PROBES)))
    with unless_stopped("probe"), at_bench(arguments, may_read=False) as bench:
        run = _planned_run(arguments, bench.workspace)
        if _say_what_it_takes(arguments, run, probes):
            _confirm_sending(arguments)
        results: list[Probed] = []
        code = Exit.DONE
        stopped = "Stopped. The replies that came are saved: run it again to continue."
        try:
            with stopped_by_signals():
                asyncio.run(_run_and_save(run, probes, results, bench))
        except KeyboardInterrupt:
            say(stopped)
            code = Exit.INTERRUPTED
        except Ended as ended:
            say(stopped)
            code = Exit(ended.code)
        try:
            _show_results(arguments, run, results)
        except Ended as ended:
            # the results cannot be printed; they are saved nevertheless
            code = code or Exit(ended.code)
        save(bench)
        if run.failures and not code:
            code = Exit.FAILED
        raise Ended(code)


def _planned_run(arguments: argparse.Namespace, workspace: Workspace) -> ProbeRun:
    """Return the run of probes with the judge that is named; traces are drawn and nothing is asked.

    --traces says how many are drawn at most, by --seed. The run's `repeat_no` is one more than the
    runs of the probe `again` in the audit, so that this probe gets new replies each time. That
    examples are not shown is noted on standard error. Raises Unusable for a judge that cannot be
    used or is only labels that came with the traces, if the audit was judged by a model that is not
    named, and if no cell is for the judge.
    """
    lacking = ": say which one to probe, by --model or --judge"
    choice = chosen_judge(arguments, workspace, lacking=lacking)
    if choice.name == "recorded":
        text = "labels that came with the traces answer no questions"
        raise unusable("judge", text, "name a judge with --model or --judge")
    # another number each time that the probe `again` is made, to get new answers
    repeat_no = 1
    for fact in workspace.design.facts():
        if isinstance(fact.what, Probed) and fact.what.probe == "again":
            repeat_no += 1
    run = ProbeRun(
        workspace,
        choice,
        traces=arguments.traces,
        terms=ProbeTerms(
            arguments.seed,
            arguments.padding or "",
            arguments.contrary or "",
        ),
        repeat_no=repeat_no,
    )
    if not run.drawn:
        raise unusable(
            str(arguments.audit),
            f"none of its cells is for {choice.who} to judge",
        )
    if choice.few_shot:
        notes(["Probes show the judge no examples: other questions would need others."])
    return run


def _say_what_it_takes(
    arguments: argparse.Namespace,
    run: ProbeRun,
    probes: Sequence[Probe],
) -> bool:
    """Say on standard error what the probes will take; return whether requests would be sent.

    First come how many traces and cells are drawn, the judge, and the cells that it is not asked
    about. Only for a judge that sends requests, then come how many questions each probe has and how
    many are known already, and the requests, tokens and cost of each model. Returns False for a
    judge that sends nothing, and if saved replies answer all questions, which is said.
    """
    cells = f"{many(run.traces, 'trace')}, {many(len(run.drawn), 'cell')}"
    say(f"{cells}, drawn with seed {arguments.seed}; the judge is {run.choice.who}.")
    for kind, count in run.passed_over.items():
        say(
            f"{many(count, 'cell')} of {kind} traits: this judge is not asked about them.",
        )
    if not run.choice.sends:
        return False
    cost = run.cost(probes)
    for name, question_count in cost.asked.items():
        text = PROBES[name].description if name else "the plain question"
        known_count = cost.known[name]
        line = f"  {question_count:>6,} {name or 'plain':9} {text}"
        if not question_count:
            line += " (nothing can be asked so)"
        elif known_count == question_count:
            line += " (all known already)"
        elif known_count:
            line += f" ({known_count:,} known already)"
        say(line)
    if not cost.requests:
        say("Nothing needs to be sent.")
        return False
    say(f"At most {many(cost.requests, 'request')} to send.")
    for model in cost.models:
        say(f"  {model.model} at {model.host}: {amounts(model)}")
    if cost.cost is None:
        say("  The cost is not known: a profile of config.toml can have prices.")
    return True


def _confirm_sending(arguments: argparse.Namespace) -> None:
    """Ask the person at the terminal whether requests may be sent; return if so.

    With --yes nothing is asked. After a no, "Nothing was sent." is said and Ended raised with DONE.
    Raises Unusable without --yes if there is no terminal to ask at.
    """
    if arguments.yes:
        return
    if not can_ask():
        raise unusable(
            "probe",
            "nothing was sent: there is no terminal to ask at",
            "say --yes to send it",
        )
    if not is_confirmed("Send them?"):
        say("Nothing was sent.")
        raise Ended(Exit.DONE)
    say("")


async def _run_and_save(
    run: ProbeRun,
    probes: Sequence[Probe],
    results: list[Probed],
    bench: Workbench,
) -> None:
    """Run probes, and append the result of each to `results` and to the workspace as it comes.

    Requests are sent to the judge; progress is shown on standard error at a terminal. A result
    without any answer is only in `results`. If it is interrupted, the results so far stay in both.
    Raises NotKept if one cannot be saved.
    """
    with telling("Asking") as on_progress:
        async for result in run.results(probes, on_progress):
            results.append(result)
            if result.outcome["answers"]:
                bench.workspace.design.append(result, stamp(now()), "")


def _show_results(
    arguments: argparse.Namespace,
    run: ProbeRun,
    results: Sequence[Probed],
) -> None:
    """Print the results of probes on standard output, and say on standard error what was asked.

    With --json the results are one object with format, judge, traces (how many) and probes, also if
    there are none; the judge is {} then. As text nothing is printed without results.

    For a judge that sends requests it is said how many questions were asked and what they cost. For
    any judge it is said what failed: how many cells without an answer to the plain question, which
    are in no probe, and at most `REASONS` reasons why questions failed, the most frequent first.
    Raises Ended if printing fails, before anything of this is said.
    """
    if arguments.json:
        rows = []
        for result in results:
            rows.append(
                {"probe": result.probe, "cells": result.cells, **result.outcome},
            )
        judge = results[0].judge if results else {}
        show_json(
            {"format": FORMAT, "judge": judge, "traces": run.traces, "probes": rows},
        )
    elif results:
        show(
            "\n\n".join(
                visible("\n".join(_result_lines(result))) for result in results
            ),
        )

    spent = run.spent
    if run.choice.sends:
        text = (
            f"{many(spent.done, 'question')}, {spent.cached:,} of them answered before"
        )
        if spent.tokens_in:
            text += f"; {spent.tokens_in:,} tokens in, {spent.tokens_out:,} out"
        if spent.cost:
            text += f"; cost {spent.cost:.2f}"
        say(f"{text}.")
    if run.failed:
        say(
            f"{many(run.failed, 'cell')} got no answer to the plain question and are in no probe.",
        )
    for reason, count in run.failures.most_common(REASONS):
        say(f"{many(count, 'question')} failed: {reason}")


# -- what is printed -------------------------------------------------------------------------------


WORST = 8
"""Instructions that are shown of each trait: those farthest from what is expected."""
TRAITS = 12
"""Traits that are shown: those farthest from what is expected."""
REASONS = 3
"""Reasons that are shown why judgments failed."""
_FIGURES = 46
"""Characters of the figures before a name."""


def _result_lines(result: Probed) -> Iterator[str]:
    """Yield the lines on the result of one probe: all answers, each trait, its instructions.

    First comes what the probe does. The figures over all answers are left out if there is only one
    trait, and all figures if there is no answer. If answers should stay, a sentence compares them
    with what people signed off. Cells that the probe left out come last, with the reason, and how
    many questions failed. A line may hold a line break.
    """
    outcome = result.outcome
    probe = PROBES[result.probe]
    text = f"{probe.name}: {probe.description}. {probe.expected.capitalize()}."
    yield from sentence_lines(text, indent=0)
    if outcome.get("words"):
        yield from sentence_lines(f"In words of your own: {outcome['words']}")
    if outcome["answers"]:
        yield f"{'turned':>6}{'answers':>8}{'units':>7}{'share':>7}  95 % interval"
        if len(outcome["traits"]) > 1:
            yield _figures_and_name(
                outcome,
                f"all traits, {many(result.cells, 'cell')}",
            )
        yield from _trait_lines(outcome)
        signed = outcome["signed"]
        if outcome["expected"] == "stay" and signed["answers"]:
            answers = many(signed["answers"], "answer")
            text = (
                f"Of {answers} that a person signed off, the judge gave"
                f" {signed['plain']:,} alike"
            )
            yield from sentence_lines(
                f"{text} to the plain question and {signed['probe']:,} to this one.",
            )
    for row in outcome["left_out"]:
        yield from sentence_lines(
            f"Left out: {many(row['cells'], 'cell')}: {row['why']}.",
        )
    if outcome["failed"]:
        yield f"  {many(outcome['failed'], 'question')} failed."


def _trait_lines(outcome: Mapping[str, Any]) -> Iterator[str]:
    """Yield the line of each trait and of its worst instructions, and what is left out of them.

    Traits and instructions that are farthest from what the probe expects come first. At most
    `TRAITS` traits and `WORST` instructions of each are shown, and the others counted. Instructions
    in too few units have no line; a sentence at the end counts them. A trait with one instruction
    has no further line.
    """
    should_turn = outcome["expected"] == "turn"
    traits = _worst_first(outcome["traits"], should_turn=should_turn)
    for trait in traits[:TRAITS]:
        yield _figures_and_name(trait, cut(trait["trait"]))
        if len(trait["instructions"]) == 1:  # the line of the trait says it
            continue
        with_share = [row for row in trait["instructions"] if "share" in row]
        for row in _worst_first(with_share, should_turn=should_turn)[:WORST]:
            instruction = f"{row['of']} {row['number']} {cut(row['text'])}"
            yield _figures_and_name(row, f"  {instruction}")
        remaining = len(with_share) - WORST
        if remaining > 0:
            yield f"{'':{_FIGURES}}  and {remaining:,} more, nearer to what is expected"
    if len(traits) > TRAITS:
        yield f"{'':{_FIGURES}}and {many(len(traits) - TRAITS, 'trait')} more (--json)"
    without_share = 0
    for trait in traits:
        without_share += sum("share" not in row for row in trait["instructions"])
    if without_share:
        are = "instruction is" if without_share == 1 else "instructions are"
        text = f"{without_share:,} {are} in fewer than {outcome['floor']} units: no share is shown"
        yield from sentence_lines(f"{text} (--json has the counts).")


def _worst_first(
    rows: Sequence[Mapping[str, Any]],
    *,
    should_turn: bool,
) -> list[Mapping[str, Any]]:
    """Return the rows in a new list, those first that are farthest from what the probe expects.

    A row has `turned` of `answers`, and a `share` if its units suffice. If answers should turn, the
    smallest part that turned is worst, else the largest. Rows without a share come last, in the
    same order.
    """

    def key(row: Mapping[str, Any]) -> tuple[bool, float]:
        share: float = row["turned"] / max(row["answers"], 1)
        return "share" not in row, share if should_turn else -share

    return sorted(rows, key=key)


def _figures_and_name(row: Mapping[str, Any], name: str) -> str:
    """Return the figures of a trait or an instruction, then its name, on one line or two.

    It is one text. The figures are turned, answers and units of the `row`, and its share with low
    and high, or a dash if it lacks them. Blanks at the start of `name` indent it. A name that is
    too long for two lines is cut, with an ellipsis. Control characters stay as they are.
    """
    interval = "–"
    if "share" in row:
        interval = f"{row['low']:.3f} to {row['high']:.3f}"
    share = figure(row.get("share"))
    counts = f"{row['turned']:>6,}{row['answers']:>8,}{row['units']:>7,}"
    figures = f"{counts}{share:>7}  {interval:14}  "
    indent = name[: len(name) - len(name.lstrip())]
    below = f"{'':{_FIGURES}}{indent}  "
    return fill(
        name.strip(),
        WIDTH,
        initial_indent=f"{figures:{_FIGURES}}{indent}",
        subsequent_indent=below,
        max_lines=2,
        placeholder=" …",
    )
