"""`appellate gate`: whether a bar is reached, for people and for continuous integration."""

import argparse
from collections.abc import Sequence
from contextlib import suppress

from appellate.cli.opening import open_audit, save, unless_refused
from appellate.cli.outcome import Ended, Exit, notes, say, show_json, show_lines, telling
from appellate.cli.text_table import sentence_lines
from appellate.core.problem import quoted
from appellate.numbers.bars import Gate, keep_looks, no_sample, planned
from appellate.numbers.data import gates_table
from appellate.numbers.estimates import AuditedSample
from appellate.numbers.samples import gates, sample_at
from appellate.numbers.sentences import (
    gate_texts,
    plan_text,
    sample_text,
    too_small,
    unsettled_text,
)
from appellate.session import settings
from appellate.session.workbench import Workbench
from appellate.stats.looks import TrustBar, read_bar, read_looks
from appellate.store.audits.open_audit import Opened
from appellate.store.files.text_file import unusable


def gate(arguments: argparse.Namespace) -> None:
    bars = list(dict.fromkeys(map(_bar, arguments.bars)))
    looks: Sequence[int] = ()
    if arguments.plan is not None:
        try:
            looks = read_looks(arguments.plan)
        except ValueError as error:
            raise unusable("--plan", f"{quoted(arguments.plan)} {error}") from error
    given = {"paths": [arguments.audit]} | vars(arguments)
    with open_audit(argparse.Namespace(**given), may_read=not looks) as opened:
        notes(opened.notes)
        reviewer = settings.load(vars(arguments)).settings.reviewer
        bench = Workbench(opened.workspace, opened.place.audit, reviewer)
        with unless_refused(str(bench.audit)):
            if looks:
                _plan(bench, bars, looks)
                return
            at, found = _decided(opened, bench, bars)
    if arguments.json:
        show_json(gates_table(at, found))
    else:
        lines = [sample_text(at), *sentence_lines(too_small(at), indent=0)]
        lines += sentence_lines(unsettled_text(at), indent=0)
        for head, *rest in gate_texts(found, at.unit):
            lines += ["", *sentence_lines(head, indent=0), *sentence_lines(*rest)]
        show_lines(lines)
    decisions = [one.standing.decision for one in found]
    if "not reached" in decisions:
        raise Ended(Exit.FAILED)
    if "undecided" in decisions:
        raise Ended(Exit.UNDECIDED)


def _plan(bench: Workbench, bars: Sequence[TrustBar], looks: Sequence[int]) -> None:
    """Keeps at which looks bars are to be decided."""
    for bar in bars:  # refuses before any is kept
        planned(bench.workspace, bar, looks)
    is_new = False
    for bar in bars:
        plan = planned(bench.workspace, bar, looks)
        if plan.is_new:
            bench.record(plan.what)
            is_new = True
        say(plan_text(plan))
    if is_new:
        save(bench)


def _decided(
    opened: Opened, bench: Workbench, bars: Sequence[TrustBar]
) -> tuple[AuditedSample, Sequence[Gate]]:
    """How far each bar is decided; the looks that were taken just now are kept."""
    with telling("Counting") as on_progress:
        at = sample_at(bench.workspace.path, on_progress)
    if at is None:
        raise no_sample(bench.workspace.path)
    found = gates(at, bars)
    if opened.held and any(one.standing.new for one in found):
        say(f"note: looks are not saved, since this audit is open elsewhere. {opened.held}")
    if keep_looks(bench, found):
        with suppress(Ended):  # the exit code says how the bar is decided
            save(bench)
    return at, found


def _bar(text: str) -> TrustBar:
    try:
        return read_bar(text)
    except ValueError as error:
        raise unusable(quoted(text), str(error)) from error
