"""Finds the judge and the cells that a command line names: --judge, --model, --again, --where.

The commands `judge`, `batch`, `probe`, `review` and `serve` use it.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from appellate.cli.outcome import say
from appellate.core.problem import Refused, many, quoted
from appellate.judging.choice import JudgeChoice, choose
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace

if TYPE_CHECKING:
    from appellate.judging.questions import CellScope, PendingCells


def chosen_judge(
    arguments: argparse.Namespace,
    workspace: Workspace,
    *,
    sending: bool = True,
    lacking: str = "",
) -> JudgeChoice:
    """Return the judge of the command line, or else of the audit, of the traces, or word overlap.

    An audit remembers its judge. The judge of the traces is `recorded`: the labels that came with
    them. Word overlap is `lexical`. If the audit's judge is a model, it is asked again only if the
    command line names it: else the `judge` of the choice is None. If `lacking` is not "", that is
    refused instead; `lacking` ends the sentence "this audit was judged by a model", as in ": name
    it with --model". `sending` is false if no request will be sent, so that no key is needed.

    With --allow-code the choice has the folders in which other people's code is looked for: the
    current one, then those of the files that are named. Nothing is saved. Raises Unusable for a
    judge that cannot be used, for options that only go with a model, and for --again with recorded
    labels.
    """
    try:
        choice = choose(
            vars(arguments),
            workspace.meta,
            workspace=workspace.path,
            sending=sending,
        )
    except Refused as refusal:
        raise unusable("judge", str(refusal)) from refusal
    if choice.judge is None and lacking:
        raise unusable("judge", f"this audit was judged by a model{lacking}")
    if choice.name == "recorded" and getattr(arguments, "again", False):
        right = "name a judge with --model or --judge"
        raise unusable(
            "--again",
            "labels that came with the traces are not judged again",
            right,
        )
    if not getattr(arguments, "allow_code", False):
        return choice
    files = [Path(path) for path in getattr(arguments, "paths", ()) if path != "-"]
    if getattr(arguments, "revise", None):
        files.append(Path(arguments.revise))
    # other people's code is looked for in the current folder, then next to the files
    folders = [Path.cwd(), *(file.resolve().parent for file in files)]
    return replace(choice, code=tuple(dict.fromkeys(map(str, folders))))


def why_none_waits(workspace: Workspace) -> str:
    """Return why no cell is left to ask a model about, as a clause without a full stop.

    It is to be called only if none is left, which is not looked at. The clause is "Every cell is
    judged", or "No cell is left for a model" if the audit has cells that are missing or failed.
    """
    totals = workspace.totals()
    if totals.get("state:pending") or totals.get("state:failed"):
        return "No cell is left for a model"
    return "Every cell is judged"


def count_to_compute(bench: Workbench, choice: JudgeChoice, cells: "CellScope") -> int:
    """Return how many of the cells wait to be computed by rules, or by code that may run.

    Code may run with --allow-code. Cells whose computation failed count, too, as it is tried again.
    """
    from appellate.judging.questions import PendingCells

    by_rule = PendingCells(bench.workspace, choice, cells, source="rule").left
    by_code = PendingCells(bench.workspace, choice, cells, source="code").left
    return by_rule + by_code


def text_of_cells_to_compute(
    arguments: argparse.Namespace,
    workspace: Workspace,
    count: int,
) -> str:
    """Return in words which cells are computed: "12 cells" for a `count` of 12.

    If labels came with the traces, it is "those of 12 cells that came without labels", except with
    --again.
    """
    if workspace.meta(meta.RECORDED) and not arguments.again:
        return f"those of {many(count, 'cell')} that came without labels"
    return many(count, "cell")


def check_where(arguments: argparse.Namespace) -> None:
    """Raise Unusable for --where without --again, since it limits only what is judged again."""
    if arguments.where and not arguments.again:
        raise unusable("--where", "limits what is judged again", "say --again, too")


def cells_to_judge(
    arguments: argparse.Namespace,
    bench: Workbench,
    choice: JudgeChoice,
) -> "PendingCells":
    """Return the cells that a command line wants judged, without beginning a round.

    They are the missing ones, failed ones too, and those that are left of an open round. With
    --again they are only those of one round: the open one if it was begun for the same judge and
    --where, else a new one with the cells that --where finds, or all. Nothing is changed. Raises
    Unusable if --where cannot be read or matches no cell to judge or compute.
    """
    from appellate.judging.questions import CellScope, PendingCells, next_round

    judging_round = bench.round
    if arguments.again:
        try:
            judging_round = next_round(bench, choice, arguments.where or "")
        except Refused as refusal:
            raise unusable("--where", str(refusal).rstrip(".")) from refusal
    cells = CellScope(judging_round, alone=arguments.again)
    pending = PendingCells(bench.workspace, choice, cells)
    if not arguments.where or pending.left:
        return pending
    if not count_to_compute(bench, choice, cells):
        raise unusable("--where", f"no judged cell fits {quoted(arguments.where)}")
    return pending


def begin_round(
    arguments: argparse.Namespace,
    bench: Workbench,
    choice: JudgeChoice,
) -> "PendingCells":
    """Return the cells that a command line wants judged, and with --again begin their round.

    Without --again they are the missing ones, failed ones too, and those that are left of an open
    round. With it a new round is saved in the workspace, or an open one for the same judge and
    --where is continued. It is then said on standard error what happens to corrections. Raises
    Unusable if --where cannot be read or matches no cell to judge or compute, and NotKept if the
    round cannot be saved.
    """
    pending = cells_to_judge(arguments, bench, choice)
    if arguments.again:
        new_round = pending.cells.round
        bench.open_round(new_round)
        say(
            f"Round {new_round.no}: signed-off cells stay as they are; elsewhere corrections"
            " carry over where they still fit.",
        )
    return pending
