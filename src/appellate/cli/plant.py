"""`appellate plant`: plants known errors to see whether they are caught, and says what came of
them.
"""

import argparse
from collections import Counter

from appellate.cli.opening import at_bench, is_saved, unless_refused
from appellate.cli.outcome import Exit, say, show
from appellate.core.deciding import Act, Plant
from appellate.core.planted_errors import outcome_texts
from appellate.core.problem import many
from appellate.session.workbench import Workbench
from appellate.store.files.text_file import unusable
from appellate.store.samples.planting import choose, outcomes


def plant(arguments: argparse.Namespace) -> Exit:
    with at_bench(arguments, may_read=not arguments.n) as bench:
        if arguments.n:
            return _plant(bench, arguments)
        show("\n".join(outcome_texts(Counter(outcomes(bench.workspace)))))
    return Exit.DONE


def _plant(bench: Workbench, arguments: argparse.Namespace) -> Exit:
    found = choose(bench.workspace, arguments.n, arguments.seed)
    if not found:
        right = "it takes a model's proposals that nobody has touched, outside of the sample"
        raise unusable(bench.audit.name, "there is no cell to plant an error in", right)

    def put(act: Act) -> None:
        for error in found:
            act.do(error.cell, [Plant(error.what)])

    with unless_refused(bench.audit.name):
        bench.do_together(put)
    if not is_saved(bench):
        return Exit.FAILED
    say(f"Planted {many(len(found), 'known error')} where nobody has been yet; where is hidden.")
    if len(found) < arguments.n:
        say("There are no more cells that could take one.")
    return Exit.DONE
