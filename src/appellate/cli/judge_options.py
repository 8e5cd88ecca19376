"""The judge and the cells of a command line: `--judge` and its kin, `--again`, `--where`."""

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


def chosen(
    arguments: argparse.Namespace, workspace: Workspace, *, sending: bool = True, lacking: str = ""
) -> JudgeChoice:
    """`choose` for this workspace; raises Unusable, also where there is no judge (`lacking`)."""
    try:
        choice = choose(vars(arguments), workspace.meta, workspace=workspace.path, sending=sending)
    except Refused as refusal:
        raise unusable("judge", str(refusal)) from refusal
    if choice.judge is None and lacking:
        raise unusable("judge", f"this audit was judged by a model{lacking}")
    if choice.name == "recorded" and getattr(arguments, "again", False):
        right = "name a judge with --model or --judge"
        raise unusable("--again", "labels that came with the traces are not judged again", right)
    if not getattr(arguments, "allow_code", False):
        return choice
    files = [Path(path) for path in getattr(arguments, "paths", ()) if path != "-"]
    if getattr(arguments, "revise", None):
        files.append(Path(arguments.revise))
    # where other people's code is looked for: here, then beside the files
    folders = [Path.cwd(), *(file.resolve().parent for file in files)]
    return replace(choice, code=tuple(dict.fromkeys(map(str, folders))))


def none_waits(workspace: Workspace) -> str:
    """Why there is nothing to ask about, to go on after."""
    totals = workspace.totals()
    if totals.get("state:pending") or totals.get("state:failed"):
        return "No cell waits for a model"
    return "Every cell is judged"


def count_to_compute(bench: Workbench, choice: JudgeChoice, cells: "CellScope") -> int:
    """How many of the cells rules and the code that may run compute."""
    from appellate.judging.questions import PendingCells

    ruled = PendingCells(bench.workspace, choice, cells, source="rule").left
    return ruled + PendingCells(bench.workspace, choice, cells, source="code").left


def those_to_compute(arguments: argparse.Namespace, workspace: Workspace, count: int) -> str:
    """The cells that are computed, in words: labels that came with traces go before, but once."""
    if workspace.meta(meta.RECORDED) and not arguments.again:
        return f"those of {many(count, 'cell')} that came without labels"
    return many(count, "cell")


def check(arguments: argparse.Namespace) -> None:
    """Raises Unusable where a query limits nothing."""
    if arguments.where and not arguments.again:
        raise unusable("--where", "limits what is judged again", "say --again, too")


def ahead(arguments: argparse.Namespace, bench: Workbench, choice: JudgeChoice) -> "PendingCells":
    """What is asked about; nothing is kept. Raises Unusable where a query finds nothing."""
    from appellate.judging.questions import CellScope, PendingCells, next_round

    opened = bench.round
    if arguments.again:
        try:
            opened = next_round(bench, choice, arguments.where or "")
        except Refused as refusal:
            raise unusable("--where", str(refusal).rstrip(".")) from refusal
    cells = CellScope(opened, alone=arguments.again)
    pending = PendingCells(bench.workspace, choice, cells)
    if arguments.where and not pending.left and not count_to_compute(bench, choice, cells):
        raise unusable("--where", f"no judged cell fits {quoted(arguments.where)}")
    return pending


def begun(arguments: argparse.Namespace, bench: Workbench, choice: JudgeChoice) -> "PendingCells":
    """What is asked about, perhaps in a new round."""
    pending = ahead(arguments, bench, choice)
    if arguments.again:
        opened = pending.cells.round
        bench.open_round(opened)
        say(
            f"Round {opened.no}: what is signed off stays; elsewhere corrections carry over where"
            " they still fit."
        )
    return pending
