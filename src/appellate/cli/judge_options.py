"""The judge and the cells that a command line names: `--judge` and its kin, `--again` and
`--where`.

What stands in the way of it is told like any other unusable input.
"""

import argparse
from typing import TYPE_CHECKING

from appellate.cli.outcome import say
from appellate.core.problem import Refused, quoted
from appellate.judging.choice import JudgeChoice, choose
from appellate.store.text_file import unusable
from appellate.store.workspace import Workspace
from appellate.workbench import Round, Workbench

if TYPE_CHECKING:
    from appellate.judging.pending import PendingCells


def chosen(
    arguments: argparse.Namespace, workspace: Workspace, *, sending: bool = True
) -> JudgeChoice:
    """`choose` for this workspace; raises Unusable."""
    try:
        return choose(vars(arguments), workspace.meta, workspace=workspace.path, sending=sending)
    except Refused as refusal:
        raise unusable("judge", str(refusal)) from refusal


def check(arguments: argparse.Namespace) -> None:
    """Raises Unusable where a query limits nothing."""
    if arguments.where and not arguments.again:
        raise unusable("--where", "limits what is judged again", "say --again, too")


def ahead(arguments: argparse.Namespace, bench: Workbench, choice: JudgeChoice) -> Round:
    """The round that this command line means; nothing is kept."""
    if not arguments.again:
        return bench.round
    from appellate.judging.pending import next_round

    try:
        return next_round(bench, choice, arguments.where or "")
    except Refused as refusal:
        raise unusable("--where", str(refusal).rstrip(".")) from refusal


def begun(arguments: argparse.Namespace, bench: Workbench, choice: JudgeChoice) -> "PendingCells":
    """What is asked about, in a round of its own where that is wanted.

    Raises Unusable where a query finds nothing.
    """
    from appellate.judging.pending import CellScope, PendingCells

    opened = ahead(arguments, bench, choice)
    cells = CellScope(opened, alone=arguments.again)
    pending = PendingCells(bench.workspace, choice, cells)
    computed = PendingCells(bench.workspace, choice, cells, computed=True)
    if arguments.where and not pending.left and not computed.left:
        raise unusable("--where", f"no judged cell fits {quoted(arguments.where)}")
    if arguments.again:
        bench.open_round(opened)
        say(
            f"Round {opened.no}: what is signed off stays; elsewhere corrections carry over where"
            " they still fit."
        )
    return pending
