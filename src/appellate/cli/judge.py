"""`appellate judge`: judges what is missing without a screen, and writes the audit."""

import argparse
import asyncio
import sys
import time

from appellate.cli.opening import open_audit
from appellate.cli.outcome import Exit, notes, say
from appellate.core.problem import Problem, Unusable
from appellate.core.refused import Refused
from appellate.judges.assigner import Progress
from appellate.choosing import Choice, choose
from appellate.judging import left, run
from appellate.store.workspace import NotKept
from appellate.store.written import NotWritten
from appellate.workbench import Workbench

STATES = ("proposed", "corrected", "reviewed", "failed", "pending")
_EVERY = 0.2  # seconds between lines of progress on a terminal


def judge(arguments: argparse.Namespace) -> Exit:
    opened = open_audit(arguments, may_read=False)
    with opened.workspace:
        notes(opened.notes)
        bench = Workbench(opened.workspace, opened.place.audit, "")
        choice = _choice(arguments, bench)
        say(_announced(choice, left(bench)))
        ended = _judged(bench, choice)
        try:
            bench.save()
        except NotWritten as refusal:
            say(refusal, f"Everything is kept in {opened.place.workspace}.")
            return Exit.FAILED
        say(_summary(bench, opened.place.audit.name))
        return ended or (Exit.FAILED if bench.workspace.totals().get("state:failed") else Exit.DONE)


def _choice(arguments: argparse.Namespace, bench: Workbench) -> Choice:
    try:
        choice = choose(vars(arguments), bench.workspace.meta)
    except Refused as refusal:
        raise Unusable([Problem("judge", "", str(refusal))]) from refusal
    if choice.judge is None:
        told = "this audit was judged by a model, and asking it again takes --model on the command line"
        raise Unusable([Problem("judge", "", told)])
    bench.workspace.set_meta("judge", choice.name)
    return choice


def _announced(choice: Choice, cells: int) -> str:
    who = f"{choice.model} at {choice.host}" if choice.sends else choice.name
    return f"Judging {cells} cells by {who}." if cells else "Every cell is judged."


def _judged(bench: Workbench, choice: Choice) -> Exit | None:
    line = _ProgressLine()
    try:
        asyncio.run(_closing(bench, choice, line))
    except KeyboardInterrupt:
        line.end()
        say("Stopped; what has arrived is kept. Run it again to go on.")
        return Exit.INTERRUPTED
    except NotKept as refusal:
        line.end()
        say(f"The disk refuses: {refusal}. What arrived before is kept.")
        return Exit.FAILED
    line.end()
    return None


async def _closing(bench: Workbench, choice: Choice, line: "_ProgressLine") -> None:
    try:
        await run(bench, choice, progressed=line.show)
    finally:
        if choice.judge:
            await choice.judge.close()


class _ProgressLine:
    """One line that is written over, on a terminal only."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()
        self._last = 0.0
        self._shown = False

    def show(self, progress: Progress) -> None:
        if not self._on or (time.monotonic() - self._last < _EVERY and progress.left):
            return
        self._last, self._shown = time.monotonic(), True
        sys.stderr.write(f"\r\x1b[K{told(progress)}")
        sys.stderr.flush()

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\n")


def told(progress: Progress) -> str:
    """Progress in words: done, failed, left, rate and time left."""
    parts = [f"{progress.done} done"]
    parts += [f"{progress.failed} failed"] if progress.failed else []
    parts += [f"{progress.left} left"] if progress.left is not None else []
    parts += [f"{progress.rate:.1f}/s"] if progress.rate else []
    seconds = progress.seconds_left
    parts += [f"{_clock(seconds)} to go"] if seconds and seconds >= 1 else []
    return " · ".join(parts)


def _clock(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    minutes = f"{hours}:{rest // 60:02}" if hours else f"{rest // 60}"
    return f"{minutes}:{rest % 60:02}"


def _summary(bench: Workbench, name: str) -> str:
    totals = bench.workspace.totals()
    states = [
        (totals.get(f"state:{state}", 0), state) for state in ("proposed", "corrected", "reviewed", "failed", "pending")
    ]
    told = ", ".join(f"{count} {state}" for count, state in states if count)
    return f"{name}: {totals.get('cells', 0)} cells: {told}."
