"""`appellate probe`: the same cells asked about otherwise, to see whether a judge keeps to its
answers.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from appellate.cli.judge_options import chosen
from appellate.cli.opening import is_saved, open_audit
from appellate.cli.outcome import Exit, notes, say, show, telling
from appellate.cli.probe_printing import (
    answer_lines,
    cost_lines,
    probed_text,
    spent_lines,
    written_lines,
)
from appellate.core.design_facts import Probed
from appellate.core.inert import visible
from appellate.core.problem import Refused, many
from appellate.judges.batches import NotDone
from appellate.judging.choice import JudgeChoice
from appellate.judging.probe_run import ProbeRun
from appellate.judging.probes import PROBES, Probe, ProbeTerms
from appellate.judging.submitted_batches import refuse_twice, warning
from appellate.session.workbench import Workbench, now
from appellate.store.database import NotKept
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import stamp
from appellate.store.workspace import Workspace

if TYPE_CHECKING:
    from appellate.judging.batch_requests import Shard

FORMAT = "appellate-probes/1"


def probe(arguments: argparse.Namespace) -> Exit:
    try:
        return _probe(arguments)
    except NotDone as trouble:
        say(trouble)
        return Exit.FAILED
    except Refused as refusal:
        raise unusable("probe", str(refusal)) from refusal
    except NotKept as refusal:
        say(f"Not saved: {refusal}. {refusal.standing}")
        return Exit.FAILED


def _probe(arguments: argparse.Namespace) -> Exit:
    probes = list(map(PROBES.__getitem__, dict.fromkeys(arguments.probe or PROBES)))
    given = argparse.Namespace(**{**vars(arguments), "paths": [arguments.audit]})
    with open_audit(given, may_read=False) as opened:
        notes(opened.notes)
        if arguments.answers:
            _take_in(arguments, opened.workspace, probes)
        bench = Workbench(opened.workspace, opened.place.audit, "")
        if arguments.submit:
            refuse_twice(opened.workspace, bench.audit.name, "questions")
        run = _run(arguments, opened.workspace, sending=not (arguments.batch or arguments.submit))
        needed = _describe(arguments, run, probes)
        if arguments.batch or arguments.submit:
            ended = _by_batch(arguments, run, probes, bench)
            if ended is not None:
                return ended
        elif needed and not _agreed(arguments, warning(opened.workspace, "questions")):
            return Exit.DONE
        probed: list[Probed] = []
        try:
            asyncio.run(_ask(run, probes, probed, bench))
        except KeyboardInterrupt:
            say("Stopped. The replies that came are saved: run it again to go on.")
            return _ended(arguments, run, bench, probed, Exit.INTERRUPTED)
        return _ended(arguments, run, bench, probed, Exit.DONE)


def _run(arguments: argparse.Namespace, workspace: Workspace, *, sending: bool = True) -> ProbeRun:
    """The cells and the judge of this command line; raises Unusable where there are none."""
    choice = chosen(arguments, workspace, sending=sending)
    if not sending:
        _one_model(choice)
    if choice.judge is None:
        text = "this audit was judged by a model: say which one to probe, by --model or --judge"
        raise unusable("judge", text)
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
        sending=sending,
    )
    if not run.jobs:
        raise unusable(str(arguments.audit), f"{choice.who} is asked about none of its cells")
    if choice.few_shot:
        notes(["Probes show the judge no examples: other questions would need others."])
    return run


def _describe(arguments: argparse.Namespace, run: ProbeRun, probes: Sequence[Probe]) -> bool:
    """Tells what it will take; whether requests would be sent."""
    cells = f"{many(run.traces, 'trace')}, {many(len(run.jobs), 'cell')}"
    say(f"{cells}, drawn with seed {arguments.seed}; the judge is {run.choice.who}.")
    for kind, count in run.passed_over.items():
        say(f"{many(count, 'cell')} of {kind} traits: this judge is not asked about them.")
    if not run.choice.sends:
        return False
    cost = run.cost(probes)
    say(*cost_lines(cost))
    return cost.requests > 0


def _agreed(arguments: argparse.Namespace, warnings: Sequence[str] = ()) -> bool:
    """Whether requests may be sent; asks the person."""
    notes(warnings)
    if arguments.yes:
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
    with telling("Asking") as on_progress:
        async for one in run.results(probes, on_progress):
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
        values = [{"probe": one.probe, "cells": one.cells, **one.outcome} for one in probed]
        judge = probed[0].judge if probed else {}
        whole = {"format": FORMAT, "judge": judge, "traces": run.traces, "probes": values}
        show(json.dumps(whole, ensure_ascii=False, indent=2))
    elif probed:
        show(visible("\n\n".join(map(probed_text, probed))))
    say(*spent_lines(run))
    if not is_saved(bench):
        return Exit.FAILED
    if run.spent.failures and ended == Exit.DONE:
        return Exit.FAILED
    return ended


# -- by a batch engine ----------------------------------------------------------------------------


def _by_batch(
    arguments: argparse.Namespace, run: ProbeRun, probes: Sequence[Probe], bench: Workbench
) -> Exit | None:
    """Writes or submits the requests that are open; None where none is."""
    from appellate.judging.batch_requests import Shards
    from appellate.judging.probe_batch import export

    with TemporaryDirectory() as folder:
        out = Path(arguments.batch or Path(folder, "requests.jsonl"))
        with Shards(out) as shards:
            written = export(run, probes, shards)
        if not written.files:
            say("Every answer is there: nothing is left to ask.")
            return None
        say(*written_lines(written))
        if arguments.submit:
            return _submitted(arguments, run, bench, written.files)
    for file, lines in written.files:
        say(f"{many(lines, 'request')} in {file}; nothing was sent.")
    say(
        "Then: the same command with --answers RESULTS takes the answers in. What is open",
        "after that is asked directly, or written to another file that --batch names.",
    )
    return Exit.DONE


def _submitted(
    arguments: argparse.Namespace, run: ProbeRun, bench: Workbench, files: "list[Shard]"
) -> Exit:
    """Sends files of requests to the server's Batch API, where the person agrees."""
    from appellate.cli.batch import send
    from appellate.judges.endpoint import access

    replies, member = _one_model(run.choice), run.choice.members[0]
    way = access(member.endpoint)
    if not _agreed(arguments):
        return Exit.DONE
    ended = send(bench, member, way, files, str(replies.resolve()))
    if ended == Exit.DONE:
        say("Then the same command submits what they leave open, or shows what came of it.")
    return ended


def _take_in(arguments: argparse.Namespace, workspace: Workspace, probes: Sequence[Probe]) -> None:
    """Keeps what a batch engine answered, for the probes to find."""
    from appellate.cli.batch import result_files
    from appellate.judges import reply_cache
    from appellate.judges.endpoint import access
    from appellate.judging.probe_batch import read_answers, take_in

    files = result_files(arguments.answers)

    def run() -> ProbeRun:
        return _run(arguments, workspace, sending=False)

    choice = run().choice
    cache = reply_cache.opened(_one_model(choice))
    key = access(choice.members[0].endpoint, keyless=True).key
    known, found = cache.keys(), read_answers(files, key)
    taken = take_in(run, probes, cache, found.replies)
    say(*answer_lines(taken, len(known & found.replies.keys()), found))


def _one_model(choice: JudgeChoice) -> Path:
    """The file that replies of its one model are kept in; raises Unusable where a batch is no way
    to ask it.
    """
    if len(choice.members) != 1:
        raise unusable("probe", "a batch asks one model", "name one with --model or --judge")
    if choice.cache is None:
        raise unusable("--no-cache", "answers of a batch are taken in by the cache", "leave it out")
    return choice.cache
