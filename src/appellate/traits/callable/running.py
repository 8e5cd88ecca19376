"""Runs the functions of callable traits in a process of their own."""

from typing import Any

from appellate.core.trace import Trace
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.code_runner import CodeRunner


class CallableRunner(CodeRunner):
    """A session in which functions may run, each for the one verdict of its trait."""

    def compute(self, trait: CallableRubricTrait, trace: Trace) -> dict[str, Any]:
        """Run the trait's function on a response, and return the judge's table.

        It is such as {"value": true}, or {"value": 1, "class": "billing"} for a literal trait.
        Raises NotComputed if there is no verdict: the function failed, took too long, or returned
        something that is no verdict of the trait, or the session was closed.
        """
        return self.table(
            trait.callable,
            trace,
            lambda returned: trait.table(trait.verdict_of(returned)),
        )
