"""The labels of a callable cell: the verdict, and what the function returned; their shape in files,
and what they come to.

A table has `value` (true or false, after inversion; a number; the index of a class) and, of a
literal trait, `class`, which alone will do in recorded labels.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from appellate.core.kind import (
    Check,
    Fault,
    Figures,
    Grounds,
    Instruction,
    NotComputed,
    Span,
    Table,
)
from appellate.core.trace import Trace
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.verdict.labels import (
    Verdict,
    figures,
    table_of,
    value_faults,
    value_of,
    word_of,
)

LABEL_KEYS = ("value", "class")
LABEL_SCHEMA: Table = {
    "value": {
        "type": ["boolean", "number"],
        "description": "yes or no, after inversion; the score; the index of the class, from 0",
    },
    "class": {"type": "string", "description": "the name of the class, of a literal trait"},
}


# -- where they come from --------------------------------------------------------------------------


def function(trait: CallableRubricTrait) -> str:
    """The code that the trait has run."""
    return trait.callable


def never(trait: CallableRubricTrait, trace: Trace) -> dict[str, Any]:  # noqa: ARG001
    """Runs nothing: a function runs in a session alone, which takes a permission."""
    raise NotComputed(f"{trait.callable} was not run: that takes --allow-code.")


class FunctionSession:
    """Functions that may run; each gives the judge's table of a response."""

    def __init__(self, folders: Sequence[str]) -> None:
        from appellate.traits.callable.running import CodeRunner  # only where functions run

        self._runner = CodeRunner(folders)

    def compute(self, trait: CallableRubricTrait, trace: Trace) -> dict[str, Any]:
        """Raises NotComputed where the function gives no verdict."""
        from appellate.traits.callable.running import NotRun

        given = trace.model_dump(mode="json", exclude={"judgments"})
        try:
            value = trait.verdict_of(self._runner.run(trait.callable, given))
        except NotRun as why:
            raise NotComputed(str(why)) from None
        except ValueError as wrong:
            raise NotComputed(f"{trait.callable} {wrong}.") from None
        return table_of(trait, value)

    def close(self) -> None:
        self._runner.close()


# -- tables ----------------------------------------------------------------------------------------


def located(
    trait: CallableRubricTrait,
    trace: Trace,  # noqa: ARG001
    table: Table,
) -> dict[str, Any]:
    """A table with both its value and its class."""
    value = value_of(trait, table)
    return {} if value is None else table_of(trait, value)


def from_table(trait: CallableRubricTrait, trace: Trace, table: Table) -> Verdict:  # noqa: ARG001
    """The labels that a located table stands for."""
    value = value_of(trait, table)
    return Verdict(value, value)


def written(labels: Verdict) -> dict[str, Any]:
    """What a file has of the labels that stand."""
    if labels.value is None:
        return {"audited": {}}
    return {"audited": {"value": labels.value}}


def faults(
    trait: CallableRubricTrait | None,
    trace: Trace,  # noqa: ARG001
    table: Table,
) -> Iterator[Fault]:
    """What is wrong with a recorded, judged or audited table."""
    wanted = "true, false or a number"
    if trait:
        wanted = trait.wanted()
    if table.get("value") is None and table.get("class") is None:
        yield Fault(("value",), "is missing", f"value is {wanted}")
    yield from value_faults(trait, table, wanted, (bool, int, float))
    if "items" in table:
        yield Fault(("items",), "a callable trait has no items")


# -- figures ---------------------------------------------------------------------------------------


READING = (
    "A response answers a callable trait with what its function returned, or with what a person"
    " says instead: yes or no, a score, or a class, which counts as its place in the trait's list,"
    " from 0. yes is the share of responses whose verdict is yes, be that good or bad."
)


def measure(trait: CallableRubricTrait, labels: Verdict) -> Figures:
    """The verdict as a number, 0/0 while there is none, and in words."""
    return figures(trait, labels.value)


def measure_table(
    trait: CallableRubricTrait,
    trace: Trace,  # noqa: ARG001
    table: Table,
) -> Figures:
    """The same, of a judge's table."""
    return figures(trait, value_of(trait, table))


def answers(trait: CallableRubricTrait, labels: Verdict) -> dict[Instruction, str]:
    """The verdict in words, as the answer to the trait's one question."""
    question = Instruction("verdict", 1, trait.description or trait.callable)
    return {question: word_of(trait, labels.value)}


def grounds(
    trait: CallableRubricTrait,
    labels: Verdict,
    asked: Instruction,  # noqa: ARG001
) -> Grounds:
    """The verdict; a function gives no words for it."""
    return Grounds(word_of(trait, labels.value))


def checks(trait: CallableRubricTrait, labels: Verdict) -> Sequence[Check]:  # noqa: ARG001
    """Nothing can be inconsistent in one value."""
    return ()


def evidence(trait: CallableRubricTrait, labels: Verdict) -> Sequence[Span]:  # noqa: ARG001
    """A function does not say where it looked."""
    return ()
