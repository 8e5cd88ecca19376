"""Runs the functions of callable traits."""

from typing import Any

from appellate.core.trace import Trace
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.code_runner import CodeRunner


class CallableRunner(CodeRunner):
    """Functions that may run, each for the one verdict of its trait."""

    def compute(self, trait: CallableRubricTrait, trace: Trace) -> dict[str, Any]:
        """The judge's table of a response; raises NotComputed where there is no verdict."""
        return self.table(
            trait.callable, trace, lambda returned: trait.table(trait.verdict_of(returned))
        )
