"""The labels of a callable cell: the verdict, and what the function returned; their shape in files,
and what they come to.

A table has `value` (true or false, after inversion; a number; the index of a class) and, of a
literal trait, `class`, which alone will do in recorded labels.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import (
    Check,
    Fault,
    Figures,
    Instruction,
    Measure,
    NotComputed,
    QueryField,
    Span,
    Table,
)
from appellate.core.kind_defaults import Called
from appellate.core.problem import describe_value, quoted
from appellate.core.trace import Trace
from appellate.traits.callable.spec import CallableRubricTrait, Value

LABEL_KEYS = ("value", "class")
LABEL_SCHEMA: Table = {
    "value": {
        "type": ["boolean", "number"],
        "description": "yes or no, after inversion; the score; the index of the class, from 0",
    },
    "class": {"type": "string", "description": "the name of the class, of a literal trait"},
}
UNANSWERED = "unanswered"


class Labels(Struct, frozen=True):
    """The verdict that stands, or None, and the function's own."""

    value: Value | None = None
    found: Value | None = None

    @property
    def is_overruled(self) -> bool:
        """Whether a person says otherwise than the function."""
        return self.found is not None and self.value != self.found


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


def table_of(trait: CallableRubricTrait, value: Value) -> dict[str, Any]:
    """A verdict as files have it."""
    table: dict[str, Any] = {"value": value}
    if trait.kind == "literal":
        table["class"] = trait.describe(value)
    return table


# -- tables ----------------------------------------------------------------------------------------


def value_of(trait: CallableRubricTrait, table: Table) -> Value:
    """The verdict of a table: its `value`, else the index of its `class`."""
    value: Value | None = table.get("value")
    if value is None:
        value = trait.class_names.index(table["class"])
    return value


def located(
    trait: CallableRubricTrait,
    trace: Trace,  # noqa: ARG001
    table: Table,
) -> dict[str, Any]:
    """A table with both its value and its class."""
    return table_of(trait, value_of(trait, table))


def from_table(trait: CallableRubricTrait, trace: Trace, table: Table) -> Labels:  # noqa: ARG001
    """The labels that a located table stands for."""
    value = value_of(trait, table)
    return Labels(value, value)


def written(labels: Labels) -> dict[str, Any]:
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
    value, name = table.get("value"), table.get("class")
    wanted = "true, false or a number"
    if trait:
        wanted = trait.wanted()
    if value is None and name is None:
        yield Fault(("value",), "is missing", f"value is {wanted}")
    fits = trait.is_value(value) if trait else isinstance(value, bool | int | float)
    if value is not None and not fits:
        yield Fault(("value",), f"must be {wanted}, not {describe_value(value)}")
    if name is not None:
        yield from _class_faults(trait, name, value)
    if "items" in table:
        yield Fault(("items",), "a callable trait has no items")


def _class_faults(
    trait: CallableRubricTrait | None, name: object, value: object
) -> Iterator[Fault]:
    if not isinstance(name, str):
        yield Fault(("class",), f"must be the name of a class, not {describe_value(name)}")
    elif trait is not None and trait.kind != "literal":
        wrong = f"there are no classes in a trait of kind {quoted(trait.kind)}"
        yield Fault(("class",), wrong, "give a value")
    elif trait is not None and name not in trait.class_names:
        known = ", ".join(map(quoted, trait.class_names))
        yield Fault(("class",), f"there is no class {quoted(name)}; classes are {known}")
    elif trait is not None and value is not None and trait.class_names.index(name) != value:
        wrong = f"{quoted(name)} is class {trait.class_names.index(name)}"
        yield Fault(("class",), f"{wrong}, but the value is {describe_value(value)}")


# -- figures ---------------------------------------------------------------------------------------


NAMES = {"boolean": "yes", "score": "score", "literal": "class_index"}
"""The measure by the kind of the trait; as in LLM traits, `yes` is that whether it is good or bad.
"""
EVERY_MEASURE = (
    Measure("yes", "Yes", higher_is_better=None, word="verdict", steps=("no", "yes")),
    Measure("score", "Score", float("-inf"), float("inf"), higher_is_better=None),
    Measure("class_index", "Class", 0, float("inf"), higher_is_better=None, word="class"),
)
"""The measures as queries know them, of whatever trait: bounds and direction are the trait's."""
_MEASURES = {measure.name: measure for measure in EVERY_MEASURE}
FIELDS = (
    QueryField("verdict", "words.verdict", "text", "the verdict: yes, no, a score, a class"),
    QueryField("class", "words.class", "text", "the name of the class"),
)
READING = (
    "A response answers a callable trait with what its function returned, or with what a person"
    " says instead: yes or no, a score, or a class, which counts as its place in the trait's list,"
    " from 0. yes is the share of responses whose verdict is yes, be that good or bad."
)


def measures(trait: CallableRubricTrait) -> Sequence[Measure]:
    """The one measure, with the trait's bounds and direction."""
    known = _MEASURES[NAMES[trait.kind]]
    better, steps = trait.higher_is_better, known.steps
    if trait.kind == "literal":
        steps = tuple(trait.class_names)
    return (replace(known, low=trait.low, high=trait.high, higher_is_better=better, steps=steps),)


def measure(trait: CallableRubricTrait, labels: Labels) -> Figures:
    """The verdict as a number, 0/0 while there is none, and in words."""
    return _figures(trait, labels.value)


def measure_table(
    trait: CallableRubricTrait,
    trace: Trace,  # noqa: ARG001
    table: Table,
) -> Figures:
    """The same, of a judge's table."""
    return _figures(trait, value_of(trait, table))


def _figures(trait: CallableRubricTrait, value: Value | None) -> Figures:
    name = NAMES[trait.kind]
    if value is None:
        return Figures({name: 0.0}, frozenset({name}), {})
    words = {"verdict": trait.describe(value)}
    if trait.kind == "literal":
        words["class"] = trait.describe(value)
    return Figures({name: float(value)}, frozenset(), {}, words)


def form(trait: CallableRubricTrait) -> str:
    """What sort of verdict the function gives."""
    if trait.kind == "boolean":
        return "function, yes or no"
    if trait.kind == "literal":
        return f"function, {len(trait.class_names)} classes"
    return f"function, score {trait.span()}".strip()


def vocabulary(trait: CallableRubricTrait) -> Sequence[str]:
    """What `answers` says, in the order that it is told in; of scores there is no end."""
    if trait.kind == "boolean":
        return ("yes", "no", UNANSWERED)
    return [*trait.class_names, UNANSWERED] if trait.class_names else ()


def answers(trait: CallableRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """The verdict in words, as the answer to the trait's one question."""
    question = Instruction("verdict", 1, trait.description or trait.callable)
    return {question: trait.describe(labels.value) or UNANSWERED}


def called(
    trait: CallableRubricTrait,
    labels: Labels,  # noqa: ARG001 - as `TraitKind.called`
    asked: Instruction,  # noqa: ARG001
) -> Called:
    """The one question in words: the function's name tells people nothing."""
    return Called("", trait.description or trait.name)


def checks(trait: CallableRubricTrait, labels: Labels) -> Sequence[Check]:  # noqa: ARG001
    """Nothing can be inconsistent in one value."""
    return ()


def evidence(trait: CallableRubricTrait, labels: Labels) -> Sequence[Span]:  # noqa: ARG001
    """A function does not say where it looked."""
    return ()
