"""`appellate probe`: the same cells asked about otherwise, to see whether a judge keeps to its
answers.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from appellate.cli.judge_options import chosen
from appellate.cli.opening import open_audit
from appellate.cli.outcome import WRITING, Exit, notes, say, show, telling
from appellate.cli.probe_printing import cost_lines, probed_text, spent_lines
from appellate.core.design_facts import Probed
from appellate.core.inert import visible
from appellate.core.problem import Problem, Unusable
from appellate.core.wordforms import many
from appellate.judging.choice import JudgeChoice
from appellate.judging.probe_run import ProbeRun
from appellate.judging.probes import PROBES, RESTS_ON_ANSWERS, Probe
from appellate.store.audit_sync import NotWritten
from appellate.store.text_file import unusable
from appellate.store.toml import stamp
from appellate.store.workspace import Workspace
from appellate.workbench import Workbench, now

FORMAT = "appellate-probes/1"


def probe(arguments: argparse.Namespace) -> Exit:
    probes = list(map(PROBES.__getitem__, dict.fromkeys(arguments.probe or PROBES)))
    given = argparse.Namespace(**{**vars(arguments), "paths": [arguments.audit]})
    with open_audit(given, may_read=False) as opened:
        notes(opened.notes)
        if arguments.answers:
            _take_in(arguments, opened.workspace, probes)
        if arguments.batch:
            return _exported(arguments, _run(arguments, opened.workspace, sending=False), probes)
        run = _run(arguments, opened.workspace)
        if not _agreed(arguments, run, probes):
            return Exit.DONE
        bench = Workbench(opened.workspace, opened.place.audit, "")
        probed: list[Probed] = []
        try:
            asyncio.run(_ask(run, probes, probed, bench))
        except KeyboardInterrupt:
            say("Stopped. The replies that came are kept: run it again to go on.")
            return _ended(arguments, run, bench, probed, Exit.INTERRUPTED)
        return _ended(arguments, run, bench, probed, Exit.DONE)


def _run(arguments: argparse.Namespace, workspace: Workspace, *, sending: bool = True) -> ProbeRun:
    """The cells and the judge of this command line; raises Unusable where there are none."""
    choice = chosen(arguments, workspace, sending=sending)
    if choice.judge is None:
        told = "this audit was judged by a model: say which one to probe, by --model or --judge"
        raise unusable("judge", told)
    if choice.name == "recorded":
        told = "labels that came with the traces answer no questions"
        raise unusable("judge", told, "name a judge with --model or --judge")
    time = 1
    for fact in workspace.design.facts():
        time += isinstance(fact.what, Probed) and fact.what.probe == "again"
    run = ProbeRun(workspace, choice, traces=arguments.traces, seed=arguments.seed, time=time)
    if not run.jobs:
        raise unusable(str(arguments.audit), f"{choice.who} is asked about none of its cells")
    if choice.few_shot:
        notes(["Probes show the judge no examples: other questions would need others."])
    return run


def _agreed(arguments: argparse.Namespace, run: ProbeRun, probes: Sequence[Probe]) -> bool:
    """Tells what it will take, and asks the person where requests would be sent."""
    cells = f"{many(run.traces, 'trace')}, {many(len(run.jobs), 'cell')}"
    say(f"{cells}, drawn with seed {arguments.seed}; the judge is {run.choice.who}.")
    for kind, count in run.passed_over.items():
        say(f"{many(count, 'cell')} of {kind} traits: this judge is not asked about them.")
    if not run.choice.sends:
        return True
    cost = run.cost(probes)
    say(*cost_lines(cost))
    if arguments.yes or not cost.requests:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise unusable("probe", "nothing was sent, as nobody can be asked", "say --yes to send it")
    sys.stderr.write("Send them? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in {"y", "yes"}:
        say("")
        return True
    say("Nothing was sent.")
    return False


async def _ask(
    run: ProbeRun, probes: Sequence[Probe], probed: list[Probed], bench: Workbench
) -> None:
    """Asks, and keeps what came of each probe at once."""
    with telling("Asking") as heard:
        async for one in run.results(probes, heard):
            probed.append(one)
            if one.outcome["answers"]:
                bench.workspace.design.append(one, stamp(now()), "")


def _ended(
    arguments: argparse.Namespace,
    run: ProbeRun,
    bench: Workbench,
    probed: Sequence[Probed],
    ended: Exit,
) -> Exit:
    """Tells what came, and writes the audit."""
    if arguments.json:
        told = [{"probe": one.probe, "cells": one.cells, **one.outcome} for one in probed]
        judge = probed[0].judge if probed else {}
        whole = {"format": FORMAT, "judge": judge, "traces": run.traces, "probes": told}
        show(json.dumps(whole, ensure_ascii=False, indent=2))
    elif probed:
        show(visible("\n\n".join(map(probed_text, probed))))
    say(*spent_lines(run))
    try:
        with telling(WRITING) as heard:
            bench.save(heard)
    except NotWritten as refusal:
        say(refusal, bench.standing)
        return Exit.FAILED
    if run.spent.failures and ended == Exit.DONE:
        return Exit.FAILED
    return ended


# -- by a batch engine ----------------------------------------------------------------------------


def _exported(arguments: argparse.Namespace, run: ProbeRun, probes: Sequence[Probe]) -> Exit:
    from appellate.judging.batch_requests import Shards
    from appellate.judging.probe_batch import export

    _one_model(run.choice)
    with Shards(Path(arguments.batch)) as shards:
        made = export(run, probes, shards)
    if not made:
        say("Every answer is there already: run it without --batch.")
        return Exit.DONE
    for file, lines in made:
        say(f"{many(lines, 'request')} to {run.choice.who} in {file}.")
    say(
        "The same command with --answers FILE in place of --batch takes the answers in.",
    )
    if PROBES[RESTS_ON_ANSWERS] in probes:
        say(
            f"The probe {RESTS_ON_ANSWERS} is not among them: what is cut out rests on the answers."
            " It is asked directly, then."
        )
    return Exit.DONE


def _take_in(arguments: argparse.Namespace, workspace: Workspace, probes: Sequence[Probe]) -> None:
    """Keeps what a batch engine answered, for the probes to find."""
    from appellate.judges import reply_cache
    from appellate.judging.probe_batch import take_in

    files = list(map(Path, arguments.answers))
    absent = [
        Problem(str(path), "", "there is no such file") for path in files if not path.is_file()
    ]
    if absent:
        raise Unusable(absent)
    run = _run(arguments, workspace, sending=False)
    cache = _one_model(run.choice)
    told = take_in(run, probes, reply_cache.opened(cache), files)
    say(f"Answers: {told or 'none'}.")


def _one_model(choice: JudgeChoice) -> Path:
    """The file that its replies are kept in; raises Unusable where a batch cannot be asked."""
    if len(choice.members) != 1:
        raise unusable("--batch", "a batch asks one model", "name one with --model or --judge")
    if choice.cache is None:
        raise unusable("--no-cache", "answers of a batch are taken in by the cache", "leave it out")
    return choice.cache
