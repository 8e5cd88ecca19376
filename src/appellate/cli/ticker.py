"""How a run of the judge goes: a bar on a terminal, lines in a log, events for a program."""

import json
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from appellate.cli.outcome import say, show
from appellate.core.step_progress import clock
from appellate.core.wordforms import many
from appellate.judges.patience import Waiting
from appellate.judges.proposal import JudgmentFailure, NoLabels, Outcome
from appellate.judging.choice import JudgeChoice
from appellate.judging.jobs import JobResult
from appellate.judging.progress import Progress, was_computed
from appellate.workbench import Workbench

_BAR, _LINE, _EVENT = 0.2, 10.0, 1.0
"""Seconds between two drawings of the bar, two lines in a log, two events of progress."""
_CELLS = 20
_REASONS = 3
_THOUSAND, _MILLION = 10_000, 1_000_000


class Ending(NamedTuple):
    """How a run ended: in a sentence if before its end, and the cells by state."""

    why: str
    states: dict[str, int]


class Ticker(Protocol):
    """Hears how a run goes."""

    def started(self, choice: JudgeChoice, cells: int, computed: int = 0) -> None: ...
    def progressed(self, progress: Progress) -> None: ...
    def kept(self, bench: Workbench, group: Sequence[JobResult]) -> None: ...
    def ended(self, ending: Ending) -> None: ...


def ticker(*, events: bool) -> Ticker:
    """The one that suits where the output goes."""
    if events:
        return Events()
    if sys.stderr.isatty():
        return Bar()
    return Log()


class _Words:
    """What bar and log have in common.

    Who is asked, and why cells failed, but nothing about single ones.
    """

    def __init__(self) -> None:
        self._last = 0.0
        self._now: Progress | None = None
        self._reasons = Counter[str]()

    def started(self, choice: JudgeChoice, cells: int, computed: int = 0) -> None:
        if cells and choice.name == "recorded":
            say(f"Looking for labels that came with the traces, for {many(cells, 'cell')}.")
        elif cells:
            say(f"Judging {many(cells, 'cell')} by {choice.who}.")
        if not cells and not computed:
            say("No cell waits for this judge.")
        self._last = time.monotonic()

    def kept(self, bench: Workbench, group: Sequence[JobResult]) -> None:  # noqa: ARG002
        for one in group:
            if isinstance(one.outcome, JudgmentFailure):
                self._reasons[one.outcome.reason] += 1

    def _describe(self, ending: Ending) -> list[str]:
        """Why cells failed, the commonest reasons first, and why the run ended."""
        most = self._reasons.most_common(_REASONS)
        texts = [f"{cells} failed: {reason}" for reason, cells in most]
        rest = self._reasons.total() - sum(cells for _, cells in most)
        if rest:
            texts.append(f"{rest} failed for other reasons; the audit names them.")
        if ending.why:
            texts.append(ending.why)
        return texts

    def _due(self, progress: Progress, every: float) -> bool:
        self._now, now = progress, time.monotonic()
        if now - self._last < every:
            return False
        self._last = now
        return True


class Bar(_Words):
    """One line that is written over."""

    def __init__(self) -> None:
        super().__init__()
        self._shown = False

    def progressed(self, progress: Progress) -> None:
        if self._due(progress, _BAR):
            self._draw(progress)

    def ended(self, ending: Ending) -> None:
        if self._now and self._now.done:
            self._draw(self._now)
        if self._shown:
            sys.stderr.write("\n")
        say(*self._describe(ending))

    def _draw(self, progress: Progress) -> None:
        self._shown = True
        room, words = shutil.get_terminal_size().columns - 1, describe(progress)
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


class Log(_Words):
    """A line every so often, one when answers stop coming, and one at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._stalled = False

    def progressed(self, progress: Progress) -> None:
        fell_silent = progress.stalled and not self._stalled
        self._stalled = progress.stalled
        if self._due(progress, _LINE) or fell_silent:
            say(describe(progress))

    def ended(self, ending: Ending) -> None:
        if self._now and self._now.done:
            say(describe(self._now))
        say(*self._describe(ending))


class Events:
    """JSON Lines on standard output."""

    def __init__(self) -> None:
        self._last = 0.0
        self._stalled = False
        self._now: Progress | None = None

    def started(self, choice: JudgeChoice, cells: int, computed: int = 0) -> None:
        self._tell(
            "started",
            cells=cells,
            computed=computed or None,
            judge=choice.name,
            model=choice.model or None,
            host=choice.host or None,
        )

    def progressed(self, progress: Progress) -> None:
        self._now = progress
        if progress.stalled and not self._stalled:
            self._tell(
                "stalled",
                silent=round(progress.silent, 1),
                usual=progress.usual,
                under_way=progress.under_way,
            )
        self._stalled = progress.stalled
        if time.monotonic() - self._last >= _EVENT:
            self._last = time.monotonic()
            self._tell("progress", **_figures(progress))

    def kept(self, bench: Workbench, group: Sequence[JobResult]) -> None:
        for result in group:
            row = bench.workspace.cells.row(result.cell)
            where = {"trace": row.trace_id, "epoch": row.epoch, "trait": row.trait}
            self._tell("cell", cell=result.cell, **where, **_outcome(result.outcome))

    def ended(self, ending: Ending) -> None:
        if self._now:
            self._tell("progress", **_figures(self._now))
        self._tell("ended", why=ending.why or "done", **ending.states)

    def _tell(self, event: str, **more: Any) -> None:
        known = {key: value for key, value in more.items() if value is not None}
        show(json.dumps({"event": event, **known}))
        sys.stdout.flush()


def _figures(progress: Progress) -> dict[str, Any]:
    seconds_left = progress.seconds_left
    if seconds_left is not None:
        seconds_left = round(seconds_left, 1)
    return {
        "done": progress.done,
        "failed": progress.failed,
        "unrecorded": progress.unrecorded,
        "cached": progress.cached,
        "absent": progress.absent,
        "left": progress.left,
        "under_way": progress.under_way,
        "rate": round(progress.rate, 2),
        "seconds_left": seconds_left,
        "silent": round(progress.silent, 1),
        "waiting": _waiting(progress.waiting),
        "tokens_in": progress.tokens_in,
        "tokens_out": progress.tokens_out,
        "cost": progress.cost,
        "expected_cost": progress.expected_cost,
    }


def _waiting(waiting: Waiting | None) -> dict[str, Any] | None:
    """Who answers nobody, where that is worth telling."""
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
    return fields


def describe(progress: Progress) -> str:
    """Progress in words: cells, rate and time left, tokens, cost, and whether answers stay out."""
    parts = [f"{progress.done - progress.unrecorded} done"]
    if progress.unrecorded:
        parts.append(f"{progress.unrecorded} without labels")
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if progress.absent:
        parts.append(f"{progress.absent} without all judges")
    if progress.cached:
        parts.append(f"{progress.cached} known already")
    if progress.left is not None:
        parts.append(f"{progress.left} left")
    if progress.stalled:
        parts.append(", ".join(filter(None, [progress.silence_text, progress.end_text])))
    else:
        parts += _going(progress)
    tokens = progress.tokens_in + progress.tokens_out
    if tokens:
        parts.append(f"{_short(tokens)} tokens")
    if progress.cost is not None:
        cost = f"cost {progress.cost:.2f}"
        if progress.left and progress.expected_cost:
            cost += f" of about {progress.expected_cost:.2f}"
        parts.append(cost)
    return " · ".join(parts)


def _going(progress: Progress) -> list[str]:
    parts: list[str] = []
    if progress.rate:
        parts.append(f"{progress.rate:.1f}/s")
    if progress.seconds_left and progress.seconds_left >= 1:
        parts.append(f"{clock(progress.seconds_left)} to go")
    return parts


def _short(count: int) -> str:
    if count >= _MILLION:
        return f"{count / _MILLION:.1f}M"
    if count >= _THOUSAND:
        return f"{count / 1000:.0f}k"
    return str(count)
