"""Runs the functions of scorer traits, and reads their values: a letter, a number, a dictionary."""

from collections.abc import Mapping
from typing import Any

from appellate.core.problem import describe_value, quoted
from appellate.core.trace import Trace
from appellate.traits.code_runner import CodeRunner
from appellate.traits.scorer.labels import UNSCORED, Scalar, legal, wanted
from appellate.traits.scorer.spec import ScorePart, ScorerRubricTrait


class ScorerRunner(CodeRunner):
    """Functions that may run, each for the score or scores of its trait."""

    def compute(self, trait: ScorerRubricTrait, trace: Trace) -> dict[str, Any]:
        """The judge's table of a response; raises NotComputed where there is no score."""
        return self.table(trait.function, trace, lambda returned: table_of(trait, returned))


def table_of(trait: ScorerRubricTrait, returned: object) -> dict[str, Any]:
    """What a function returned as a judge's table has it; raises ValueError for no score of these.

    A dictionary has the trait's keys, all of them and no other; None in it is unscored.
    """
    if not trait.keys:
        if isinstance(returned, Mapping):
            names = ", ".join(map(quoted, returned))
            raise ValueError(f"returned a dictionary: say keys = [{names}] in the trait")
        return {"value": _value(trait.parts[0], returned)}
    if not isinstance(returned, Mapping):
        keys = ", ".join(trait.keys)
        wrong = f"returned {describe_value(returned)}, not a dictionary of {keys}"
        raise ValueError(wrong)  # noqa: TRY004 - a wrong value, as any other
    for key in returned:
        if key not in trait.keys:
            known = ", ".join(trait.keys)
            raise ValueError(f"returned the key {quoted(key)}, which is none of {known}")
    values: dict[str, Scalar] = {}
    for part in trait.parts:
        if part.key not in returned:
            raise ValueError(f"returned a dictionary without {part.key}; None is unscored")
        given = returned[part.key]
        values[part.key] = UNSCORED if given is None else _value(part, given)
    return {"value": values}


def _value(part: ScorePart, given: object) -> Scalar:
    value = legal(part, given)
    if value is None:
        of = f" for {part.key}" if part.key else ""
        raise ValueError(f"returned {describe_value(given)}{of}, not {wanted(part)}")
    return value
