"""`appellate probe`: the same cells asked about otherwise: does the judge keep to its answers?"""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

from appellate.cli.judge_options import chosen
from appellate.cli.opening import at_bench, save, unless_stopped
from appellate.cli.outcome import Ended, Exit, notes, say, show, show_json, telling
from appellate.cli.prompting import amounts
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


def probe(arguments: argparse.Namespace) -> None:
    probes = list(map(PROBES.__getitem__, dict.fromkeys(arguments.probe or PROBES)))
    with unless_stopped("probe"), at_bench(arguments, may_read=False) as bench:
        run = _run(arguments, bench.workspace)
        if _describe(arguments, run, probes):
            _agree(arguments)
        probed: list[Probed] = []
        ended = Exit.DONE
        try:
            asyncio.run(_ask(run, probes, probed, bench))
        except KeyboardInterrupt:
            say("Stopped. The replies that came are saved: run it again to go on.")
            ended = Exit.INTERRUPTED
        _show(arguments, run, probed)
        save(bench)
        if run.failures and not ended:
            ended = Exit.FAILED
        raise Ended(ended)


def _run(arguments: argparse.Namespace, workspace: Workspace) -> ProbeRun:
    """The cells and the judge of this command line; raises Unusable where there are none."""
    lacking = ": say which one to probe, by --model or --judge"
    choice = chosen(arguments, workspace, lacking=lacking)
    if choice.name == "recorded":
        text = "labels that came with the traces answer no questions"
        raise unusable("judge", text, "name a judge with --model or --judge")
    time = 1
    for fact in workspace.design.facts():
        time += isinstance(fact.what, Probed) and fact.what.probe == "again"
    run = ProbeRun(
        workspace,
        choice,
        traces=arguments.traces,
        terms=ProbeTerms(arguments.seed, arguments.padding or "", arguments.contrary or ""),
        time=time,
    )
    if not run.drawn:
        raise unusable(str(arguments.audit), f"{choice.who} is asked about none of its cells")
    if choice.few_shot:
        notes(["Probes show the judge no examples: other questions would need others."])
    return run


def _describe(arguments: argparse.Namespace, run: ProbeRun, probes: Sequence[Probe]) -> bool:
    """Tells what it will take; whether requests would be sent."""
    cells = f"{many(run.traces, 'trace')}, {many(len(run.drawn), 'cell')}"
    say(f"{cells}, drawn with seed {arguments.seed}; the judge is {run.choice.who}.")
    for kind, count in run.passed_over.items():
        say(f"{many(count, 'cell')} of {kind} traits: this judge is not asked about them.")
    if not run.choice.sends:
        return False
    cost = run.cost(probes)
    for name, asked in cost.asked.items():
        text = PROBES[name].description if name else "the plain question"
        known = cost.known[name]
        line = f"  {asked:>6,} {name or 'plain':9} {text}"
        if not asked:
            line += " (nothing can be asked so)"
        elif known == asked:
            line += " (all known already)"
        elif known:
            line += f" ({known:,} known already)"
        say(line)
    if not cost.requests:
        say("Nothing needs to be sent.")
        return False
    say(f"At most {many(cost.requests, 'request')} to send.")
    for one in cost.models:
        say(f"  {one.model} at {one.host}: {amounts(one)}")
    if cost.cost is None:
        say("  The cost is not known: a profile of config.toml can have prices.")
    return True


def _agree(arguments: argparse.Namespace) -> None:
    """Asks the person whether requests may be sent; ends where not."""
    if arguments.yes:
        return
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        raise unusable("probe", "nothing was sent, as nobody can be asked", "say --yes to send it")
    sys.stderr.write("Send them? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        say("Nothing was sent.")
        raise Ended(Exit.DONE)
    say("")


async def _ask(
    run: ProbeRun, probes: Sequence[Probe], probed: list[Probed], bench: Workbench
) -> None:
    """Asks, and keeps what came of each probe at once."""
    with telling("Asking") as on_progress:
        async for one in run.results(probes, on_progress):
            probed.append(one)
            if one.outcome["answers"]:
                bench.workspace.design.append(one, stamp(now()), "")


def _show(arguments: argparse.Namespace, run: ProbeRun, probed: Sequence[Probed]) -> None:
    """Shows what came of probes; says what asking took, and what failed."""
    if arguments.json:
        values = [{"probe": one.probe, "cells": one.cells, **one.outcome} for one in probed]
        judge = probed[0].judge if probed else {}
        show_json({"format": FORMAT, "judge": judge, "traces": run.traces, "probes": values})
    elif probed:
        show("\n\n".join(visible("\n".join(_lines(one))) for one in probed))
    spent = run.spent
    if run.choice.sends:
        text = f"{many(spent.done, 'question')}, {spent.cached:,} of them answered before"
        if spent.tokens_in:
            text += f"; {spent.tokens_in:,} tokens in, {spent.tokens_out:,} out"
        if spent.cost:
            text += f"; cost {spent.cost:.2f}"
        say(f"{text}.")
    if run.failed:
        say(f"{many(run.failed, 'cell')} could not be asked about plainly and are in no probe.")
    for reason, count in run.failures.most_common(REASONS):
        say(f"{many(count, 'question')} failed: {reason}")


# -- what is printed -------------------------------------------------------------------------------


WORST = 8
"""Instructions that are shown of each trait: those farthest from what is expected."""
TRAITS = 12
"""Traits that are shown, likewise."""
REASONS = 3
"""Reasons that are shown why judgments failed."""
_FIGURES = 46  # characters of the figures before a name


def _lines(probed: Probed) -> Iterator[str]:
    """What came of one probe: all answers, those of each trait, and the worst instructions."""
    outcome = probed.outcome
    probe = PROBES[probed.probe]
    text = f"{probe.name}: {probe.description}. {probe.expected.capitalize()}."
    yield from sentence_lines(text, indent=0)
    if outcome.get("words"):
        yield from sentence_lines(f"In words of your own: {outcome['words']}")
    if outcome["answers"]:
        yield f"{'turned':>6}{'answers':>8}{'units':>7}{'share':>7}  95 % interval"
        if len(outcome["traits"]) > 1:
            yield _line(outcome, f"all traits, {many(probed.cells, 'cell')}")
        yield from _traits(outcome)
        signed = outcome["signed"]
        if outcome["expected"] == "stay" and signed["answers"]:
            of = many(signed["answers"], "answer")
            text = f"Of {of} that a person signed off, the judge gave {signed['plain']:,} alike"
            yield from sentence_lines(
                f"{text} to the plain question and {signed['probe']:,} to this one."
            )
    for one in outcome["left_out"]:
        yield from sentence_lines(f"Left out: {many(one['cells'], 'cell')}: {one['why']}.")
    if outcome["failed"]:
        yield f"  {many(outcome['failed'], 'question')} failed."


def _traits(outcome: Mapping[str, Any]) -> Iterator[str]:
    turn = outcome["expected"] == "turn"
    traits = _worst(outcome["traits"], turn)
    for trait in traits[:TRAITS]:
        yield _line(trait, cut(trait["trait"]))
        known = [one for one in trait["instructions"] if "share" in one]
        if len(trait["instructions"]) == 1:  # the line of the trait says it
            continue
        for one in _worst(known, turn)[:WORST]:
            yield _line(one, f"  {one['of']} {one['number']} {cut(one['text'])}")
        if len(known) > WORST:
            yield f"{'':{_FIGURES}}  and {len(known) - WORST:,} more, nearer to what is expected"
    if len(traits) > TRAITS:
        yield f"{'':{_FIGURES}}and {many(len(traits) - TRAITS, 'trait')} more (--json)"
    few = 0
    for trait in traits:
        for one in trait["instructions"]:
            few += "share" not in one
    if few:
        are = "instruction is" if few == 1 else "instructions are"
        text = f"{few:,} {are} in fewer than {outcome['floor']} units: no share is shown"
        yield from sentence_lines(f"{text} (--json has the counts).")


def _worst(rows: Sequence[Mapping[str, Any]], turn: bool) -> list[Mapping[str, Any]]:
    """Those farthest from what is expected first, those of which little is known last."""

    def key(row: Mapping[str, Any]) -> tuple[bool, float]:
        share: float = row["turned"] / row["answers"]
        return "share" not in row, share if turn else -share

    return sorted(rows, key=key)


def _line(row: Mapping[str, Any], name: str) -> str:
    """Figures before a name, which takes two lines at most."""
    interval = "–"
    if "share" in row:
        interval = f"{row['low']:.3f} to {row['high']:.3f}"
    share = figure(row.get("share"))
    figures = (
        f"{row['turned']:>6,}{row['answers']:>8,}{row['units']:>7,}{share:>7}  {interval:14}  "
    )
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
