"""`appellate judge`: judges the missing cells without a screen, and writes the audit file.

How a run goes is told by a `Log` (lines), a `Bar` (one line of a terminal) or `Events` (JSON).
"""

import argparse
import asyncio
import json
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from appellate.cli import judge_options
from appellate.cli.judge_options import chosen_judge
from appellate.cli.opening import open_audit, revised, save
from appellate.cli.outcome import Ended, Exit, notes, overwrite_line, say, show
from appellate.cli.prompting import on_a_copy, preview
from appellate.cli.stopping import stopped_by_signals
from appellate.core.describe import other_models
from appellate.core.problem import USUAL, many, with_keys
from appellate.core.step_progress import clock
from appellate.core.trace import name_of
from appellate.judges.proposal import Answered, JudgmentFailure, NoLabels, Outcome
from appellate.judges.rate_limiter import Waiting
from appellate.judging.batches import double_payment_warning
from appellate.judging.choice import JudgeChoice, names_a_model
from appellate.judging.estimate import missing_examples_warning
from appellate.judging.flips import round_flips
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

_BAR_SECONDS = 0.2
"""Seconds between two drawings of the bar."""
_LOG_SECONDS = 10.0
"""Seconds between two lines of a log."""
_EVENT_SECONDS = 1.0
"""Seconds between two events of progress."""
_BAR_WIDTH = 20
"""Characters of the bar at most."""
_MOST_REASONS = 3
"""Reasons of failures that are told at the end."""
_NUMBER = re.compile(r"\d[\d,.]*")
_THOUSAND = 10_000
_MILLION = 1_000_000
_FIGURES = (
    "done",
    "failed",
    "unrecorded",
    "cached",
    "absent",
    "left",
    "under_way",
    "rate",
    "seconds_left",
    "silent",
    "waiting",
    "tokens_in",
    "tokens_out",
    "cost",
    "expected_cost",
)
"""The fields of an event of progress, in this order."""


class Log:
    """Lines on standard error about a run.

    There is one every few seconds, one when answers stop, and at the end why cells failed.
    """

    every = _LOG_SECONDS
    """Seconds between two reports of progress."""

    def __init__(self) -> None:
        """Begin a log of a run of which nothing is known yet."""
        self._shown_at = 0.0
        """When progress was last shown, in seconds of a monotonic clock."""
        self._progress: Progress | None = None
        self._was_stalled = False
        self._reasons: dict[str, Counter[str]] = {}
        """How many cells failed for each reason, by the reason without its numbers."""
        self._other_models: dict[tuple[str, str], list[str]] = {}
        """The names of cells by the model that was asked and the one that answered instead."""

    def started(self, choice: JudgeChoice, cells: int, computed: int = 0) -> None:
        """Say on standard error that a run begins: how many cells are judged by whom.

        `cells` counts those that are judged, `computed` those that ask nobody. If both are 0, it
        says that no cell is left. The time until the next line of progress begins.
        """
        if cells and choice.name == "recorded":
            say(
                f"Looking for labels that came with the traces, for {many(cells, 'cell')}.",
            )
        elif cells:
            say(f"Judging {many(cells, 'cell')} by {choice.who}.")
        if not cells and not computed:
            say("No cell is left for this judge.")
        self._shown_at = time.monotonic()

    def progressed(self, progress: Progress) -> None:
        """Tell how far the run is, if `every` seconds have passed since that was last told.

        That answers have stopped is told at once, and only once until answers come again. A log and
        a bar write on standard error. Events are printed on standard output, and Ended is raised if
        that fails. `progress` is kept for the end.
        """
        self._progress = progress
        if progress.stalled and not self._was_stalled:
            self._stall(progress)
        self._was_stalled = progress.stalled
        if time.monotonic() - self._shown_at >= self.every:
            self._show(progress)

    def kept(self, bench: Workbench, group: Sequence[Answered]) -> None:
        """Remember saved results, to say at the end why cells failed; nothing is said now.

        Reasons that differ only in numbers are counted together. Cells for which another model
        answered than was asked are remembered for `other_models`.
        """
        for result in group:
            if isinstance(result.outcome, JudgmentFailure):
                reason = result.outcome.reason
                similar_reasons = self._reasons.setdefault(
                    _NUMBER.sub("", reason),
                    Counter(),
                )
                similar_reasons[reason] += 1
            self._note_other_models(bench, result)

    def _note_other_models(self, bench: Workbench, answered: Answered) -> None:
        """Remember the cell of a result for which another model answered than was asked.

        Does nothing for any other result.
        """
        record = getattr(answered.outcome, "record", None)
        if record is None:
            return
        for pair in other_models(record.to_file()):
            row = bench.workspace.cells.row(answered.cell)
            name = f"{name_of(row.trace_id, row.epoch)} · {row.trait}"
            self._other_models.setdefault(pair, []).append(name)

    @property
    def other_models(self) -> list[str]:
        """A sentence for each pair of the model that was asked and the one that answered instead.

        It counts the cells, and names the first `NAMED` of them. [] if there was no other model.
        """
        texts = []
        for (asked, served), names in self._other_models.items():
            texts.append(other_model_text(asked, served, names[:NAMED], len(names)))
        return texts

    def ended(self, why: str, states: dict[str, int]) -> None:  # noqa: ARG002
        """Say on standard error the last progress and why cells failed, frequent reasons first.

        The progress is left out if no cell was done. A reason comes with the number of cells that
        failed for it; reasons that differ only in numbers are counted together, and the commonest
        of them is told. At most `_MOST_REASONS` reasons are told, and then how many cells failed
        for others. `why` is a sentence if the run was stopped, else ""; it comes last. `states` is
        not used here.
        """
        if self._progress and self._progress.done:
            self._show(self._progress)
        self._finish()
        groups = sorted(self._reasons.values(), key=Counter.total, reverse=True)
        texts = []
        for reasons in groups[:_MOST_REASONS]:
            (reason, _), *others = reasons.most_common()
            alike = " alike, one so" if others else ""
            texts.append(f"{reasons.total()} failed{alike}: {reason}")
        other_failures = sum(map(Counter.total, groups[_MOST_REASONS:]))
        if other_failures:
            texts.append(
                f"{other_failures} failed for other reasons; the audit names them.",
            )
        if why:
            texts.append(why)
        say(*texts)

    def _show(self, progress: Progress) -> None:
        """Say on standard error how far the run is, in one line, and note when that was."""
        self._shown_at = time.monotonic()
        say(progress_line(progress))

    def _stall(self, progress: Progress) -> None:
        """Say on standard error how far the run is, and below why answers have stopped, if known.

        The next line of progress comes `every` seconds from now. A bar's line is ended only
        if the reason follows.
        """
        self._show(progress)
        if progress.cause_text:
            self._finish()
            say(progress.cause_text)

    def _finish(self) -> None:
        """End the line that is being overwritten; a log has none."""


class Bar(Log):
    """One line of a terminal that is overwritten while a run goes on."""

    every = _BAR_SECONDS
    _is_shown = False

    def _finish(self) -> None:
        """End the line of the bar on standard error, so that the next text begins below it.

        Does nothing if no bar is shown.
        """
        if self._is_shown:
            say("")
            self._is_shown = False

    def _show(self, progress: Progress) -> None:
        """Draw the bar and the progress in words over the terminal's line, on standard error.

        The line is cut to the terminal's width. The time of the drawing is noted, and that the line
        is shown.
        """
        self._shown_at = time.monotonic()
        self._is_shown = True
        width = shutil.get_terminal_size().columns - 1
        text = progress_line(progress)
        overwrite_line(_bar_text(progress, width - len(text)) + text)


def _bar_text(progress: Progress, width: int) -> str:
    """Return a bar like "[####----]  50% ", of the cells that are done among all that are judged.

    It ends in a blank, takes at most `width` columns, and its inside at most `_BAR_WIDTH`. It is ""
    if `width` is too small for one, or if there is nothing to count.
    """
    bar_width = min(_BAR_WIDTH, width - len("[] 100% "))
    if bar_width < _BAR_WIDTH // 4 or not (progress.left or progress.done):
        return ""
    share = progress.done / (progress.done + (progress.left or 0))
    full = int(share * bar_width)
    inside = "#" * full + "-" * (bar_width - full)
    return f"[{inside}] {share:4.0%} "


class Events(Log):
    """JSON Lines on standard output about a run: started, cell, progress, stalled, ended."""

    every = _EVENT_SECONDS

    def started(self, choice: JudgeChoice, cells: int, computed: int = 0) -> None:
        """Print the event `started` on standard output: judge, model, host, cells and computed.

        `cells` counts those that are judged, `computed` those that ask nobody, which is left out if
        it is 0. `host` is the judge's server. The model and the host are left out if the judge has
        none. Raises Ended if it cannot be printed.
        """
        self._tell(
            "started",
            cells=cells,
            computed=computed or None,
            judge=choice.name,
            model=choice.model or None,
            host=choice.host or None,
        )

    def kept(self, bench: Workbench, group: Sequence[Answered]) -> None:
        """Print on standard output an event `cell` for each result that was saved.

        It has the cell's number (cell), trace, epoch and trait, its state and what asking took.
        Cells for which another model answered than was asked are remembered for `other_models`.
        Raises Ended if an event cannot be printed.
        """
        super().kept(bench, group)
        for result in group:
            row = bench.workspace.cells.row(result.cell)
            cell_key = {"trace": row.trace_id, "epoch": row.epoch, "trait": row.trait}
            self._tell(
                "cell",
                cell=result.cell,
                **cell_key,
                **_outcome_fields(result.outcome),
            )

    def ended(self, why: str, states: dict[str, int]) -> None:
        """Print on standard output the last progress, and the event `ended` with counts of cells.

        `why` is a sentence if the run was stopped; "" is printed as "done". `states` is added as
        fields. Without any progress only the event `ended` is printed. Raises Ended if it cannot be
        printed.
        """
        if self._progress:
            self._show(self._progress)
        self._tell("ended", why=why or "done", **states)

    def _show(self, progress: Progress) -> None:
        """Print an event `progress` on standard output, and note when that was.

        Raises Ended if it cannot be printed.
        """
        self._shown_at = time.monotonic()
        self._tell("progress", **_progress_fields(progress))

    def _stall(self, progress: Progress) -> None:
        """Print an event `stalled` on standard output: silent, usual, under_way and cause.

        `silent` is the seconds without an answer, `usual` how many are usual, `under_way` the
        number of requests that wait, and `cause` why, in words. What is not known is left out. The
        time until the next event of progress goes on. Raises Ended if it cannot be printed.
        """
        silent = round(progress.silent, 1)
        under_way = progress.under_way
        cause = progress.cause_text or None
        self._tell(
            "stalled",
            silent=silent,
            usual=progress.usual,
            under_way=under_way,
            cause=cause,
        )

    def _tell(self, event: str, **fields: Any) -> None:
        """Print an event as a line of JSON on standard output, without fields that are None.

        Its name comes first, as `event`. Raises Ended if it cannot be printed: with DONE if the
        reader has gone, else with FAILED.
        """
        known_fields = {
            key: value for key, value in fields.items() if value is not None
        }
        show(json.dumps({"event": event, **known_fields}))


def _progress_fields(progress: Progress) -> dict[str, Any]:
    """Return the fields of an event of progress, in a fixed order and rounded.

    They are counts of cells (`done`, `failed`, `left` and the like), the `rate` in cells a second,
    times in seconds (`seconds_left`, `silent`), tokens and cost, and a table on a server that is
    `waiting`. What is not known is None.
    """
    figures = {name: getattr(progress, name) for name in _FIGURES}
    figures["rate"] = round(progress.rate, 2)
    if progress.seconds_left is not None:
        figures["seconds_left"] = round(progress.seconds_left, 1)
    return figures | {
        "silent": round(progress.silent, 1),
        "waiting": _waiting_fields(progress.waiting),
    }


def _waiting_fields(waiting: Waiting | None) -> dict[str, Any] | None:
    """Return the fields about a server that is waited for, or None if that is not long yet.

    They are its `host`, its latest failure in words (`trouble`), and in seconds: how long it asked
    to wait (`asked`), how long there was no good answer (`silent`), and until it is given up
    (`given_up_in`). None also if no server is waited for.
    """
    if waiting is None or not waiting.is_long:
        return None
    fields = {name: getattr(waiting, name) for name in ("host", "trouble", "asked")}
    return fields | {
        "silent": round(waiting.silent, 1),
        "given_up_in": round(waiting.left, 1),
    }


def _outcome_fields(outcome: Outcome) -> dict[str, Any]:
    """Return the fields of an event about the result of one cell.

    They are the state ("proposed", "failed", or "pending" for no labels), the reason unless it is
    proposed, and `computed`, True if no model was asked and left out otherwise. What asking took is
    tokens_in, tokens_out, cost, latency, cached and served_model; these are left out for a cell
    without a judge's record. What is not known is None, and so is `cached` for a reply that was
    asked for.
    """
    if isinstance(outcome, NoLabels):
        return {"state": "pending", "reason": outcome.reason}
    fields: dict[str, Any] = {"state": "proposed"}
    if isinstance(outcome, JudgmentFailure):
        fields = {"state": "failed", "reason": outcome.full_reason}
    if was_computed(outcome):
        fields["computed"] = True
    if outcome.record:
        for name in ("tokens_in", "tokens_out", "cost", "latency"):
            fields[name] = getattr(outcome.record, name)
        fields["cached"] = outcome.record.cached or None
        fields["served_model"] = outcome.record.parameters.get("served_model")
    return fields


def progress_line(progress: Progress) -> str:
    """Return progress on one line with " · " between: cells, rate, time left, tokens, cost.

    It is "3 done · 1 failed · 7 left · 1.2/s · 0:06 to go", for example. "done" counts cells that
    failed, too, but not those that got no labels. Counts of what went otherwise are there only if
    they are not 0. What is not known is left out, and so are 0 tokens and less than a second left.
    While answers have stopped, how long the server is silent replaces rate and time.
    """
    parts = [f"{progress.done - progress.unrecorded} done"]
    for count, name in (
        (progress.unrecorded, "without labels"),
        (progress.failed, "failed"),
        (progress.absent, "without all judges"),
        (progress.cached, "known already"),
    ):
        if count:
            parts.append(f"{count} {name}")
    if progress.left is not None:
        parts.append(f"{progress.left} left")
    if progress.stalled:
        parts.append(
            ", ".join(filter(None, (progress.silence_text, progress.end_text))),
        )
    else:
        if progress.rate:
            parts.append(f"{progress.rate:.1f}/s")
        if progress.seconds_left and progress.seconds_left >= 1:
            parts.append(f"{clock(progress.seconds_left)} to go")
    tokens = progress.tokens_in + progress.tokens_out
    if tokens:
        parts.append(f"{_short_count(tokens)} tokens")
    if progress.cost is not None:
        cost = f"cost {progress.cost:.2f}"
        if progress.left and progress.expected_cost:
            cost += f" of about {progress.expected_cost:.2f}"
        parts.append(cost)
    return " · ".join(parts)


def _short_count(count: int) -> str:
    """Return a count in few characters: `9999`, `12k`, `3.4M`.

    Counts below `_THOUSAND` are exact. Counts from there are rounded to thousands, and those from
    `_MILLION` to tenths of a million.
    """
    if count >= _MILLION:
        return f"{count / _MILLION:.1f}M"
    if count >= _THOUSAND:
        return f"{count / 1000:.0f}k"
    return str(count)


STATES = ("proposed", "corrected", "reviewed", "failed", "pending")


def judge(arguments: argparse.Namespace) -> None:
    """Judge the missing cells of an audit, write the audit and say what came of it.

    An audit that does not exist is made of the files that are named. With --again cells are judged
    that have labels, in a new round; with --revise the rubric is replaced first. If file and
    workspace disagree, --take says which counts; without it the person is asked at a terminal. What
    is said goes to standard error, and with --json events go to standard output.

    With --show-prompt or --dry-run nothing is judged or changed: what would be sent is printed on
    standard output, and this returns. Otherwise Ended is raised with the exit code. It is DONE (0),
    the code of what stopped the run, or FAILED (1) if the audit has a failed cell or cannot be
    written. Raises Unusable for what cannot be used, and NotKept if a round cannot be saved.
    """
    judge_options.check_where(arguments)
    if arguments.show_prompt or arguments.dry_run:
        with (
            on_a_copy(arguments) as on_copy,
            open_audit(on_copy, may_read=False) as opened,
        ):
            notes(opened.notes + revised(on_copy, opened))
            preview(on_copy, Workbench(opened.workspace, opened.place.audit, ""))
        return

    asks_model = names_a_model(vars(arguments))
    with (
        started_ahead(wanted=asks_model),
        open_audit(arguments, may_read=False) as opened,
    ):
        lacking = ", and asking it again takes --model on the command line"
        if arguments.revise and not arguments.again:
            lacking = ""  # a rubric is revised without a judge, too
        choice = chosen_judge(arguments, opened.workspace, lacking=lacking)
        notes(opened.notes + revised(arguments, opened))
        bench = Workbench(opened.workspace, opened.place.audit, "")
        code = _judge_missing(arguments, bench, choice)
        save(bench)
        states = _cell_counts(bench)
        _tell_result(bench, choice, states)
        if not code and states["failed"]:
            code = Exit.FAILED
        raise Ended(code or Exit.DONE)


def _tell_result(bench: Workbench, choice: JudgeChoice, states: dict[str, int]) -> None:
    """Say on standard error how many cells are in which state, and how many of them were computed.

    A computed cell has labels or a failure that a rule or code gave, without a model. Then it is
    said what changed in a new round, which cells are left out, and which address the judge, each if
    there are any. The cells that address the judge are counted, and the first `NAMED` are named.
    `states` has the counts of `_cell_counts`: of all `cells` and of every state; states without
    cells are not told.
    """
    text = ", ".join(f"{states[state]} {state}" for state in STATES if states[state])
    computed = count_computed(bench.workspace)
    if computed:
        text += f"; {computed} of them computed without a model"
    say(f"{bench.audit.name}: {many(states['cells'], 'cell')}: {text}.")

    if bench.round.no > 1:
        for sentence in round_flips(bench.workspace.path, bench.round.no).describe():
            say(with_keys(sentence, USUAL))
    left_out = describe_left_out(bench.workspace, choice)
    if left_out:
        say(left_out)

    cells = []
    for trace, epoch, trait in addressing(bench.workspace):
        cells.append(f"{name_of(trace, epoch)} · {trait}")
    if cells:
        say(addressed_text(cells[:NAMED], len(cells)))


def _judge_missing(
    arguments: argparse.Namespace,
    bench: Workbench,
    choice: JudgeChoice,
) -> Exit | None:
    """Have the missing cells computed and judged, and with --again only those of a new round.

    Cells that are left of an open round are judged, too. Without a judge cells are only computed;
    other people's code is run for that only with --allow-code. With a judge requests may be sent,
    and its name is saved as that of the audit's judge. How the run goes is told on standard error,
    or with --json on standard output. The audit file is not written.

    Returns the exit code if the run was stopped or failed, else None, also if nothing was to be
    done. Cells that failed do not count. Raises Unusable for a --where that finds nothing, NotKept
    if the round or the judge's name cannot be saved, and Ended if no event can be printed at the
    start.
    """
    if choice.judge is None:
        pending = PendingCells(bench.workspace, choice, CellScope(bench.round))
    else:
        if choice.sends:
            notes(double_payment_warning(bench.workspace))
        pending = judge_options.begin_round(arguments, bench, choice)
        bench.workspace.set_meta(meta.JUDGE, choice.name)
        notes(missing_examples_warning(pending, choice))
    computed = judge_options.count_to_compute(bench, choice, pending.cells)
    if PendingCells(bench.workspace, choice, pending.cells, source="code").left:
        say(f"Running {code_names(bench.workspace)}, as --allow-code allows.")
    judged = 0
    if choice.judge:
        judged = pending.left
    elif not computed:
        return None

    log = Log()
    if arguments.json:
        log = Events()
    elif sys.stderr.isatty():
        log = Bar()
    log.started(choice, judged, computed)
    if computed and not arguments.json:
        which_cells = judge_options.text_of_cells_to_compute(
            arguments,
            bench.workspace,
            computed,
        )
        say(f"Computing {which_cells}, without asking a model.")
    code, why = _run_to_end(bench, choice, log, pending.cells)
    try:
        log.ended(why, _cell_counts(bench))
    except Ended as ended:  # the last events are lost; the audit is saved nevertheless
        code = code or Exit(ended.code)
    say(*log.other_models)
    return code


def _run_to_end(
    bench: Workbench,
    choice: JudgeChoice,
    log: Log,
    cells: CellScope,
) -> tuple[Exit | None, str]:
    """Run the judge over cells, told by `log`; what stops the run is returned and not raised.

    Without a judge in `choice` the cells are computed. Returns the exit code and why in a sentence,
    or (None, "") if the run was neither stopped nor failed. What stops it is Ctrl+C, a signal, a
    disk that refuses, an error of the judge, or events that cannot be printed: with DONE if their
    reader has gone. A judge of a panel that could not be reached counts as a failure, although the
    other cells are judged.
    """
    stopped = "Stopped; what has arrived is saved. Run it again to continue."
    try:
        with stopped_by_signals():
            dead_judges = asyncio.run(_run_judge(bench, choice, log, cells))
    except KeyboardInterrupt:
        return Exit.INTERRUPTED, stopped
    except Ended as ended:
        return Exit(ended.code), stopped
    except NotKept as refusal:
        return Exit.FAILED, f"The judge was stopped: {refusal}. {refusal.standing}"
    except BrokenDown as error:
        return Exit.FAILED, f"{error} What arrived before is saved."
    if dead_judges:
        return Exit.FAILED, dead_judges
    return None, ""


async def _run_judge(
    bench: Workbench,
    choice: JudgeChoice,
    log: Log,
    cells: CellScope,
) -> str:
    """Run the judge over cells until it has ended, or compute them if the choice has no judge.

    `log` is given each group of results once it is saved, and then the progress. Returns sentences
    about judges of a panel that could not be reached, or "". Results that came before a
    cancellation are saved. Raises NotKept if the disk refuses an answer, BrokenDown if the judge
    itself fails, and Ended if `log` cannot print.
    """
    async with Run(bench, choice, cells, computing=choice.judge is None) as running:
        async for group in running:
            log.kept(bench, group)
            log.progressed(running.progress)
    return " ".join(dead_judge.sentence for dead_judge in running.progress.dead)


def _cell_counts(bench: Workbench) -> dict[str, int]:
    """Return the counts of cells: all of them under "cells", and those in each of `STATES`.

    A state without cells has 0.
    """
    totals = bench.workspace.totals()
    states = {state: totals.get(f"state:{state}", 0) for state in STATES}
    return {"cells": totals.get("cells", 0), **states}
