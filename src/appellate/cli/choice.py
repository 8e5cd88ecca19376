"""The judge that a command line names.

What stands in the way of it is told like any other unusable input.
"""

import argparse

from appellate.core.problem import Problem, Unusable
from appellate.core.refused import Refused
from appellate.judging.choice import JudgeChoice
from appellate.judging.choose import choose
from appellate.store.workspace import Workspace


def chosen(
    arguments: argparse.Namespace, workspace: Workspace, *, sending: bool = True
) -> JudgeChoice:
    """`choose` for this workspace; raises Unusable."""
    try:
        return choose(vars(arguments), workspace.meta, workspace=workspace.path, sending=sending)
    except Refused as refusal:
        raise Unusable([Problem("judge", "", str(refusal))]) from refusal
