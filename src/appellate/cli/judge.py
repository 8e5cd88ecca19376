"""`appellate judge`: judges what is missing without a screen, and writes the audit."""

import argparse
import asyncio
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from appellate.cli import judge_options
from appellate.cli.judge_options import chosen
from appellate.cli.opening import open_audit, revised
from appellate.cli.outcome import Exit, notes, say
from appellate.cli.prompting import on_a_copy, preview
from appellate.cli.saving import is_saved
from appellate.cli.ticker import Ending, Ticker, ticker
from appellate.judging.choice import JudgeChoice
from appellate.judging.estimate import unshown
from appellate.judging.pending import (
    CellScope,
    PendingCells,
    count_computed,
    functions,
    left_out,
)
from appellate.judging.run import BrokenDown, Run
from appellate.judging.submitted_batches import warning
from appellate.store import meta
from appellate.store.database import NotKept
from appellate.store.text_file import unusable
from appellate.store.workspace import Workspace
from appellate.workbench import Workbench

STATES = ("proposed", "corrected", "reviewed", "failed", "pending")


def judge(arguments: argparse.Namespace) -> Exit:
    judge_options.check(arguments)
    if arguments.show_prompt or arguments.dry_run:
        return _previewed(arguments)
    with open_audit(arguments, may_read=False) as opened:
        choice = _choice(arguments, opened.workspace)
        notes(opened.notes + revised(arguments, opened))
        bench = Workbench(opened.workspace, opened.place.audit, "")
        ended = _judged(arguments, bench, choice)
        if not is_saved(bench):
            return Exit.FAILED
        say(_summary(bench, opened.place.audit.name))
        text = left_out(bench.workspace, choice)
        if text:
            say(text)
        if not ended and bench.workspace.totals().get("state:failed"):
            return Exit.FAILED
        return ended or Exit.DONE


def _previewed(arguments: argparse.Namespace) -> Exit:
    with on_a_copy(arguments) as given, open_audit(given, may_read=False) as opened:
        notes(opened.notes + revised(given, opened))
        return preview(given, Workbench(opened.workspace, opened.place.audit, ""))


def _judged(arguments: argparse.Namespace, bench: Workbench, choice: JudgeChoice) -> Exit | None:
    """Has what is missing computed, and judged if there is a judge.

    Returns how the command ends, None where it ends well.
    """
    if choice.judge is None:
        pending = PendingCells(bench.workspace, choice, CellScope(bench.round))
    else:
        if choice.sends:
            notes(warning(bench.workspace))
        pending = judge_options.begun(arguments, bench, choice)
        bench.workspace.set_meta(meta.JUDGE, choice.name)
        notes(unshown(pending, choice))
    computed = judge_options.count_to_compute(bench, choice, pending.cells)
    if PendingCells(bench.workspace, choice, pending.cells, source="code").left:
        say(f"Running {functions(bench.workspace)}, as --allow-code allows.")
    asked = 0
    if choice.judge:
        asked = pending.left
    elif not computed:
        return None
    found = ticker(events=arguments.json)
    found.started(choice, asked, computed)
    if computed and not arguments.json:
        those = judge_options.those_to_compute(arguments, bench.workspace, computed)
        say(f"Computing {those}: nobody is asked.")
    ended, why = _describe(bench, choice, found, pending.cells)
    found.ended(Ending(why, _states(bench)))
    return ended


def _choice(arguments: argparse.Namespace, workspace: Workspace) -> JudgeChoice:
    """The judge; none is needed where there is a rubric to be taken and nobody is named."""
    choice = chosen(arguments, workspace)
    if choice.judge is None and (arguments.again or not arguments.revise):
        text = "this audit was judged by a model, and asking it again takes --model"
        raise unusable("judge", f"{text} on the command line")
    judge_options.refuse_again(arguments, choice)
    return choice


def _describe(
    bench: Workbench, choice: JudgeChoice, ticker: Ticker, cells: CellScope
) -> tuple[Exit | None, str]:
    """The run, told as it goes: how the command ends if not well, and why the run ended."""
    try:
        stopped, dead = asyncio.run(_run(bench, choice, ticker, cells))
    except KeyboardInterrupt:
        stopped, dead = Exit.INTERRUPTED, ""
    except NotKept as refusal:
        return Exit.FAILED, f"The judge was stopped: {refusal}. {refusal.standing}"
    except BrokenDown as trouble:
        return Exit.FAILED, f"{trouble} What arrived before is saved."
    if stopped:
        return stopped, "Stopped; what has arrived is saved. Run it again to go on."
    if dead:
        return Exit.FAILED, dead
    return None, ""


async def _run(
    bench: Workbench, choice: JudgeChoice, ticker: Ticker, cells: CellScope
) -> tuple[Exit | None, str]:
    """None where the run came to its end, and which judges of a panel were dead throughout.

    SIGTERM and SIGHUP end it as Ctrl+C does.
    """
    signals = {signal.SIGTERM: Exit.TERMINATED, signal.SIGHUP: Exit.HUNG_UP}
    came: list[Exit] = []
    dead = ""
    with _heeding(signals, came):
        try:
            with Run(bench, choice, cells, computing=choice.judge is None) as running:
                async for group in running:
                    ticker.kept(bench, group)
                    ticker.progressed(running.progress)
            dead = " ".join(one.describe for one in running.progress.dead)
        except asyncio.CancelledError:
            if not came:
                raise
    if not came:
        return None, dead
    return came[0], dead


@contextmanager
def _heeding(signals: Mapping[signal.Signals, Exit], came: list[Exit]) -> Iterator[None]:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def stop(ends: Exit) -> None:
        came.append(ends)
        if task:
            task.cancel()

    for number, ends in signals.items():
        loop.add_signal_handler(number, stop, ends)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


def _states(bench: Workbench) -> dict[str, int]:
    totals = bench.workspace.totals()
    states = {state: totals.get(f"state:{state}", 0) for state in STATES}
    return {"cells": totals.get("cells", 0), **states}


def _summary(bench: Workbench, name: str) -> str:
    states = _states(bench)
    text = ", ".join(f"{states[state]} {state}" for state in STATES if states[state])
    computed = count_computed(bench.workspace)
    if computed:
        text += f"; {computed} of them computed, which asks nobody"
    return f"{name}: {states['cells']} cells: {text}."
