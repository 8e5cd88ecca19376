"""`appellate judge`: judges what is missing without a screen, and writes the audit."""

import argparse
import asyncio
import json
import re
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from appellate.cli import judge_options
from appellate.cli.judge_options import chosen
from appellate.cli.opening import open_audit, revised, save
from appellate.cli.outcome import Ended, Exit, notes, say, show
from appellate.cli.prompting import on_a_copy, preview
from appellate.core.describe import other_models
from appellate.core.problem import many
from appellate.core.step_progress import clock
from appellate.core.trace import name_of
from appellate.judges.proposal import Answered, JudgmentFailure, NoLabels, Outcome
from appellate.judges.rate_limiter import Waiting
from appellate.judging.batches import warning
from appellate.judging.choice import JudgeChoice, names_a_model
from appellate.judging.estimate import unshown
from appellate.judging.process import started_ahead
from appellate.judging.progress import Progress, was_computed
from appellate.judging.questions import (
    CellScope,
    PendingCells,
    code_names,
    count_computed,
    describe_left_out,
)
from appellate.judging.run import BrokenDown, Run
from appellate.numbers.suspicions import CELLS as NAMED
from appellate.numbers.suspicions import addressed_text, other_model_text
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.database import NotKept
from appellate.store.injection import addressing

_BAR = 0.2
_LINE = 10.0
_EVENT = 1.0
"""Seconds between two drawings of the bar, two lines in a log, two events of progress."""
_CELLS = 20
_REASONS = 3
_NUMBER = re.compile(r"\d[\d,.]*")
_THOUSAND = 10_000
_MILLION = 1_000_000
_FIGURES = (
    *("done", "failed", "unrecorded", "cached", "absent", "left", "under_way", "rate"),
    *("seconds_left", "silent", "waiting", "tokens_in", "tokens_out", "cost", "expected_cost"),
)
"""Of an event of progress, in this order."""


class Log:
    """A line every so often, when answers stop, and at the end: why cells failed, not which."""

    every = _LINE

    def __init__(self) -> None:
        self._last = 0.0
        self._now: Progress | None = None
        self._stalled = False
        self._reasons: dict[str, Counter[str]] = {}
        """How many cells failed for each reason, by the reason without its numbers."""
        self._other_models: dict[tuple[str, str], list[str]] = {}

    def started(self, choice: JudgeChoice, cells: int, computed: int = 0) -> None:
        if cells and choice.name == "recorded":
            say(f"Looking for labels that came with the traces, for {many(cells, 'cell')}.")
        elif cells:
            say(f"Judging {many(cells, 'cell')} by {choice.who}.")
        if not cells and not computed:
            say("No cell waits for this judge.")
        self._last = time.monotonic()

    def progressed(self, progress: Progress) -> None:
        self._now = progress
        if progress.stalled and not self._stalled:
            self._stall(progress)
        self._stalled = progress.stalled
        if time.monotonic() - self._last >= self.every:
            self._show(progress)

    def kept(self, bench: Workbench, group: Sequence[Answered]) -> None:
        for one in group:
            if isinstance(one.outcome, JudgmentFailure):
                reason = one.outcome.reason
                alike = self._reasons.setdefault(_NUMBER.sub("", reason), Counter())
                alike[reason] += 1
            self._meet_models(bench, one)

    def _meet_models(self, bench: Workbench, answered: Answered) -> None:
        """Notes a model that answered where another was asked for."""
        record = getattr(answered.outcome, "record", None)
        if record is None:
            return
        for pair in other_models(record.to_file()):
            row = bench.workspace.cells.row(answered.cell)
            name = f"{name_of(row.trace_id, row.epoch)} · {row.trait}"
            self._other_models.setdefault(pair, []).append(name)

    @property
    def other_models(self) -> list[str]:
        """A sentence for each model that answered where another was asked for."""
        texts = []
        for (asked, served), names in self._other_models.items():
            texts.append(other_model_text(asked, served, names[:NAMED], len(names)))
        return texts

    def ended(self, why: str, states: dict[str, int]) -> None:  # noqa: ARG002
        """`why` in a sentence where a run ended before its end; the cells by state."""
        if self._now and self._now.done:
            self._show(self._now)
        self._finish()
        groups = sorted(self._reasons.values(), key=Counter.total, reverse=True)
        texts = []
        for reasons in groups[:_REASONS]:
            (reason, _), *others = reasons.most_common()
            alike = " alike, one so" if others else ""
            texts.append(f"{reasons.total()} failed{alike}: {reason}")
        rest = sum(map(Counter.total, groups[_REASONS:]))
        if rest:
            texts.append(f"{rest} failed for other reasons; the audit names them.")
        say(*filter(None, (*texts, why)))

    def _show(self, progress: Progress) -> None:
        self._last = time.monotonic()
        say(describe(progress))

    def _stall(self, progress: Progress) -> None:
        self._show(progress)
        if progress.cause_text:
            self._finish()
            say(progress.cause_text)

    def _finish(self) -> None:
        """Everything is shown."""


class Bar(Log):
    """One line that is written over."""

    every = _BAR
    _shown = False

    def _finish(self) -> None:
        if self._shown:
            sys.stderr.write("\n")
            self._shown = False

    def _show(self, progress: Progress) -> None:
        self._last = time.monotonic()
        self._shown = True
        room = shutil.get_terminal_size().columns - 1
        words = describe(progress)
        sys.stderr.write(f"\r\x1b[K{f'{_bar(progress, room - len(words))}{words}'[:room]}")
        sys.stderr.flush()


def _bar(progress: Progress, room: int) -> str:
    """As long as the words leave room for, if that is worth drawing."""
    cells = min(_CELLS, room - len("[] 100% "))
    if cells < _CELLS // 4 or not (progress.left or progress.done):
        return ""
    part = progress.done / (progress.done + (progress.left or 0))
    full = int(part * cells)
    return f"[{'#' * full}{'-' * (cells - full)}] {part:4.0%} "


class Events(Log):
    """JSON Lines on standard output."""

    every = _EVENT

    def started(self, choice: JudgeChoice, cells: int, computed: int = 0) -> None:
        self._tell(
            "started",
            cells=cells,
            computed=computed or None,
            judge=choice.name,
            model=choice.model or None,
            host=choice.host or None,
        )

    def kept(self, bench: Workbench, group: Sequence[Answered]) -> None:
        super().kept(bench, group)
        for result in group:
            row = bench.workspace.cells.row(result.cell)
            where = {"trace": row.trace_id, "epoch": row.epoch, "trait": row.trait}
            self._tell("cell", cell=result.cell, **where, **_outcome(result.outcome))

    def ended(self, why: str, states: dict[str, int]) -> None:
        if self._now:
            self._show(self._now)
        self._tell("ended", why=why or "done", **states)

    def _show(self, progress: Progress) -> None:
        self._last = time.monotonic()
        self._tell("progress", **_figures(progress))

    def _stall(self, progress: Progress) -> None:
        silent = round(progress.silent, 1)
        under_way = progress.under_way
        cause = progress.cause_text or None
        self._tell("stalled", silent=silent, usual=progress.usual, under_way=under_way, cause=cause)

    def _tell(self, event: str, **more: Any) -> None:
        known = {key: value for key, value in more.items() if value is not None}
        show(json.dumps({"event": event, **known}))


def _figures(progress: Progress) -> dict[str, Any]:
    figures = {name: getattr(progress, name) for name in _FIGURES}
    figures["rate"] = round(progress.rate, 2)
    if progress.seconds_left is not None:
        figures["seconds_left"] = round(progress.seconds_left, 1)
    return figures | {"silent": round(progress.silent, 1), "waiting": _waiting(progress.waiting)}


def _waiting(waiting: Waiting | None) -> dict[str, Any] | None:
    if waiting is None or not waiting.is_long:
        return None
    fields = {name: getattr(waiting, name) for name in ("host", "trouble", "asked")}
    return fields | {"silent": round(waiting.silent, 1), "given_up_in": round(waiting.left, 1)}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, NoLabels):
        return {"state": "pending", "reason": outcome.reason}
    fields: dict[str, Any] = {"state": "proposed"}
    if isinstance(outcome, JudgmentFailure):
        fields = {"state": "failed", "reason": outcome.describe}
    if was_computed(outcome):
        fields["computed"] = True
    if outcome.record:
        for name in ("tokens_in", "tokens_out", "cost", "latency"):
            fields[name] = getattr(outcome.record, name)
        fields["cached"] = outcome.record.cached or None
        fields["served_model"] = outcome.record.parameters.get("served_model")
    return fields


def describe(progress: Progress) -> str:
    """Progress in words: cells, rate and time left, tokens, cost, and whether answers stay out."""
    parts = [f"{progress.done - progress.unrecorded} done"]
    for count, words in (
        (progress.unrecorded, "without labels"),
        (progress.failed, "failed"),
        (progress.absent, "without all judges"),
        (progress.cached, "known already"),
    ):
        if count:
            parts.append(f"{count} {words}")
    if progress.left is not None:
        parts.append(f"{progress.left} left")
    if progress.stalled:
        parts.append(", ".join(filter(None, [progress.silence_text, progress.end_text])))
    else:
        if progress.rate:
            parts.append(f"{progress.rate:.1f}/s")
        if progress.seconds_left and progress.seconds_left >= 1:
            parts.append(f"{clock(progress.seconds_left)} to go")
    tokens = progress.tokens_in + progress.tokens_out
    if tokens:
        parts.append(f"{_short(tokens)} tokens")
    if progress.cost is not None:
        cost = f"cost {progress.cost:.2f}"
        if progress.left and progress.expected_cost:
            cost += f" of about {progress.expected_cost:.2f}"
        parts.append(cost)
    return " · ".join(parts)


def _short(count: int) -> str:
    if count >= _MILLION:
        return f"{count / _MILLION:.1f}M"
    if count >= _THOUSAND:
        return f"{count / 1000:.0f}k"
    return str(count)


STATES = ("proposed", "corrected", "reviewed", "failed", "pending")


def judge(arguments: argparse.Namespace) -> None:
    judge_options.check(arguments)
    if arguments.show_prompt or arguments.dry_run:
        with on_a_copy(arguments) as given, open_audit(given, may_read=False) as opened:
            notes(opened.notes + revised(given, opened))
            preview(given, Workbench(opened.workspace, opened.place.audit, ""))
        return
    asks = names_a_model(vars(arguments))
    with started_ahead(wanted=asks), open_audit(arguments, may_read=False) as opened:
        lacking = ", and asking it again takes --model on the command line"
        if arguments.revise and not arguments.again:  # a rubric is taken without a judge, too
            lacking = ""
        choice = chosen(arguments, opened.workspace, lacking=lacking)
        notes(opened.notes + revised(arguments, opened))
        bench = Workbench(opened.workspace, opened.place.audit, "")
        ended = _judged(arguments, bench, choice)
        save(bench)
        states = _states(bench)
        text = ", ".join(f"{states[state]} {state}" for state in STATES if states[state])
        if computed := count_computed(bench.workspace):
            text += f"; {computed} of them computed, which asks nobody"
        say(f"{bench.audit.name}: {many(states['cells'], 'cell')}: {text}.")
        text = describe_left_out(bench.workspace, choice)
        if text:
            say(text)
        cells = [
            f"{name_of(trace, epoch)} · {trait}"
            for trace, epoch, trait in addressing(bench.workspace)
        ]
        if cells:
            say(addressed_text(cells[:NAMED], len(cells)))
        if not ended and states["failed"]:
            ended = Exit.FAILED
        raise Ended(ended or Exit.DONE)


def _judged(arguments: argparse.Namespace, bench: Workbench, choice: JudgeChoice) -> Exit | None:
    """Has what is missing computed, and judged; returns how the command ends, None where well."""
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
        say(f"Running {code_names(bench.workspace)}, as --allow-code allows.")
    asked = 0
    if choice.judge:
        asked = pending.left
    elif not computed:
        return None
    found = Log()
    if arguments.json:
        found = Events()
    elif sys.stderr.isatty():
        found = Bar()
    found.started(choice, asked, computed)
    if computed and not arguments.json:
        those = judge_options.those_to_compute(arguments, bench.workspace, computed)
        say(f"Computing {those}: nobody is asked.")
    ended, why = _describe(bench, choice, found, pending.cells)
    found.ended(why, _states(bench))
    say(*found.other_models)
    return ended


def _describe(
    bench: Workbench, choice: JudgeChoice, ticker: Log, cells: CellScope
) -> tuple[Exit | None, str]:
    """The run, shown as it goes: how the command ends if not well, and why the run ended."""
    try:
        stopped, dead = asyncio.run(_run(bench, choice, ticker, cells))
    except KeyboardInterrupt:
        stopped = Exit.INTERRUPTED
        dead = ""
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
    bench: Workbench, choice: JudgeChoice, ticker: Log, cells: CellScope
) -> tuple[Exit | None, str]:
    """How SIGTERM or SIGHUP stopped the run, if they did, and which judges of a panel were dead."""
    signals = {signal.SIGTERM: Exit.TERMINATED, signal.SIGHUP: Exit.HUNG_UP}
    came: list[Exit] = []
    dead = ""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def stop(ends: Exit) -> None:
        came.append(ends)
        if task:
            task.cancel()

    for number, ends in signals.items():
        loop.add_signal_handler(number, stop, ends)
    try:
        with Run(bench, choice, cells, computing=choice.judge is None) as running:
            async for group in running:
                ticker.kept(bench, group)
                ticker.progressed(running.progress)
        dead = " ".join(one.describe for one in running.progress.dead)
    except asyncio.CancelledError:
        if not came:
            raise
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
    if not came:
        return None, dead
    return came[0], dead


def _states(bench: Workbench) -> dict[str, int]:
    totals = bench.workspace.totals()
    states = {state: totals.get(f"state:{state}", 0) for state in STATES}
    return {"cells": totals.get("cells", 0), **states}
