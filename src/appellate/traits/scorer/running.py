"""Runs the functions of scorer traits in a process of their own, and reads their values."""

from collections.abc import Mapping
from typing import Any

from appellate.core.problem import describe_value, quoted
from appellate.core.trace import Trace
from appellate.traits.code_runner import CodeRunner
from appellate.traits.scorer.labels import UNSCORED, Scalar, legal, wanted
from appellate.traits.scorer.spec import ScorePart, ScorerRubricTrait


class ScorerRunner(CodeRunner):
    """A session in which functions may run, each for the score or scores of its trait."""

    def compute(self, trait: ScorerRubricTrait, trace: Trace) -> dict[str, Any]:
        """Run the trait's function on a response, and return the judge's table.

        It is such as {"value": 0.5}, or {"value": {"a": 1, "b": 2}} for a trait with keys. Raises
        NotComputed if there is no score: the function failed, took too long, or returned something
        that is no score of the trait.
        """
        return self.table(
            trait.function,
            trace,
            lambda returned: table_of(trait, returned),
        )


def table_of(trait: ScorerRubricTrait, returned: object) -> dict[str, Any]:
    """Return what a function returned as a judge's table, which has only a value.

    For a trait with keys it must be a dictionary with exactly these; None in it is unscored.
    Raises ValueError, with what was returned and what would be right, for anything else, for a
    value out of bounds, and for a dictionary if the trait has no keys.
    """
    if not trait.keys:
        if isinstance(returned, Mapping):
            names = ", ".join(map(quoted, returned))
            raise ValueError(
                f"returned a dictionary: say keys = [{names}] in the trait",
            )
        return {"value": _value(trait.parts[0], returned)}
    if not isinstance(returned, Mapping):
        keys = ", ".join(trait.keys)
        wrong = f"returned {describe_value(returned)}, not a dictionary of {keys}"
        raise ValueError(wrong)  # noqa: TRY004 - a wrong value, as any other
    for key in returned:
        if key not in trait.keys:
            known_keys = ", ".join(trait.keys)
            raise ValueError(
                f"returned the key {quoted(key)}, which is none of {known_keys}",
            )
    values: dict[str, Scalar] = {}
    for part in trait.parts:
        if part.key not in returned:
            raise ValueError(
                f"returned a dictionary without {part.key}; None is unscored",
            )
        returned_value = returned[part.key]
        values[part.key] = (
            UNSCORED if returned_value is None else _value(part, returned_value)
        )
    return {"value": values}


def _value(part: ScorePart, returned_value: object) -> Scalar:
    """Return a value that a function returned, as the part of the score has it.

    Raises ValueError, with what would be right, for anything that is no score, such as None,
    and for a value out of bounds.
    """
    value = legal(part, returned_value)
    if value is None:
        for_key = f" for {part.key}" if part.key else ""
        raise ValueError(
            f"returned {describe_value(returned_value)}{for_key}, not {wanted(part)}",
        )
    return value
