"""A verdict that a person may overrule, and what any comes to: one number, one answer in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Fault, Figures, Instruction, Measure, QueryField, Table
from appellate.core.kind_defaults import Called
from appellate.core.problem import describe_value, quoted
from appellate.traits.verdict.scale import Scale, Value

UNANSWERED = "unanswered"
NAMES = {"boolean": "yes", "score": "score", "literal": "class_index"}
"""The measure by the sort of verdict.

`yes` is the share of answers that are yes, and is that whether yes is good or bad: `passed` would
be wrong of a trait for which lower is better. `class_index` leaves `class` to the name.
"""
YES = Measure("yes", "Yes", higher_is_better=None, word="verdict", steps=("no", "yes"))
EVERY_MEASURE = (
    YES,
    Measure("score", "Score", float("-inf"), float("inf"), higher_is_better=None),
    Measure("class_index", "Class", 0, float("inf"), higher_is_better=None, word="class"),
)
"""The measures as queries know them, of whatever trait: bounds and direction are the trait's."""
_MEASURES = {measure.name: measure for measure in EVERY_MEASURE}
MOST_STEPS = 20
FIELDS = (
    QueryField("verdict", "words.verdict", "text", "the verdict: yes, no, a score, a class"),
    QueryField("class", "words.class", "text", "the name of the class"),
)


class Verdict(Struct, frozen=True):
    """The verdict that stands, or None, and the source's own."""

    value: Value | None = None
    found: Value | None = None

    @property
    def is_overruled(self) -> bool:
        """Whether a person says otherwise than the source."""
        return self.found is not None and self.value != self.found


# -- in files --------------------------------------------------------------------------------------


def table_of(trait: Scale, value: Value) -> dict[str, Any]:
    """A verdict as files have it."""
    table: dict[str, Any] = {"value": value}
    if trait.kind == "literal":
        table["class"] = trait.describe(value)
    return table


def value_of(trait: Scale, table: Table) -> Value | None:
    """The verdict of a table: its `value`, else the index of its `class`; None where it has
    neither.
    """
    value: Value | None = table.get("value")
    if value is None and "class" in table:
        value = trait.get_class_index(table["class"])
    return value


def value_faults(
    trait: Scale | None, table: Table, wanted: str, types: tuple[type, ...]
) -> Iterator[Fault]:
    """What is wrong with the verdict of a table that has one: its value, of one of the `types`
    where the trait is not known, and its class.
    """
    value, name = table.get("value"), table.get("class")
    fits = trait.is_value(value) if trait else isinstance(value, types)
    if value is not None and not fits:
        yield Fault(("value",), f"must be {wanted}, not {describe_value(value)}")
    if name is None:
        return
    if not isinstance(name, str):
        yield Fault(("class",), f"must be the name of a class, not {describe_value(name)}")
    elif trait is not None and trait.kind != "literal":
        wrong = f"there are no classes in a trait of kind {quoted(trait.kind)}"
        yield Fault(("class",), wrong, "give a value")
    elif trait is not None:
        yield from _class_faults(trait, name, value)


def _class_faults(trait: Scale, name: str, value: object) -> Iterator[Fault]:
    index = trait.get_class_index(name)
    if index < 0:
        known = ", ".join(map(quoted, trait.class_names))
        yield Fault(("class",), f"there is no class {quoted(name)}; classes are {known}")
    elif trait.is_value(value) and index != value:
        wrong = f"{quoted(name)} is class {index}, but the value is {describe_value(value)}"
        yield Fault(("class",), wrong)


def pairs_schema(description: str) -> Table:
    """The JSON Schema of stretches of the response, [start, end] each."""
    offset = {"type": "integer", "minimum": 0}
    pair = {"type": "array", "items": offset, "minItems": 2, "maxItems": 2}
    return {"type": "array", "description": description, "items": pair}


def pair_faults(key: str, pairs: object, size: int, least: int) -> Iterator[Fault]:
    """What is wrong with such stretches of a response of `size` characters, of `least` each."""
    if not isinstance(pairs, list):
        wrong = f"must be a list of pairs [start, end], not {describe_value(pairs)}"
        yield Fault((key,), wrong)
        return
    for index, pair in enumerate(pairs):
        is_pair = isinstance(pair, list | tuple) and len(pair) == 2  # noqa: PLR2004
        if not is_pair or not all(map(is_count, pair)):
            yield Fault((key, index), "must be a pair [start, end] of whole numbers from 0")
        elif not pair[0] + least <= pair[1] <= size:
            yield Fault((key, index), f"{pair} marks no part of a response of {size} characters")


def is_count(value: object) -> TypeGuard[int]:
    """Whether something is a whole number from 0."""
    return type(value) is int and value >= 0


# -- figures ---------------------------------------------------------------------------------------


def measures(trait: Scale) -> Sequence[Measure]:
    """The one number of the trait, with its bounds and the end of it that is good."""
    steps: tuple[str, ...] = ()
    if len(trait.values) <= MOST_STEPS:
        steps = tuple(map(trait.describe, trait.values))
    known, better = _MEASURES[NAMES[trait.kind]], trait.higher_is_better
    return (replace(known, low=trait.low, high=trait.high, higher_is_better=better, steps=steps),)


def figures(trait: Scale, value: Value | None, counts: Mapping[str, int] | None = None) -> Figures:
    """The verdict as a number, 0/0 while there is none, and in words; with what is counted."""
    name, counted = NAMES[trait.kind], dict(counts or {})
    if value is None:
        return Figures({name: 0.0}, frozenset({name}), counted)
    words = {"verdict": trait.describe(value)}
    if trait.kind == "literal":
        words["class"] = trait.describe(value)
    return Figures({name: float(value)}, frozenset(), counted, words)


def vocabulary(trait: Scale) -> Sequence[str]:
    """What answers may be, in the order of telling; of scores without end none."""
    if trait.kind == "boolean":
        return ("yes", "no", UNANSWERED)
    return [*map(trait.describe, trait.values), UNANSWERED] if trait.values else ()


def word_of(trait: Scale, value: Value | None) -> str:
    """The verdict as an answer, in a word."""
    return trait.describe(value) or UNANSWERED


def sayable(trait: Scale, asked: Instruction) -> Mapping[str, str]:  # noqa: ARG001
    """The word for each answer that a person may give."""
    return {answer: trait.describe(value) for answer, value in trait.sayable.items()}


def called(trait: Scale, labels: object, asked: Instruction) -> Called:  # noqa: ARG001
    """The one question in words."""
    return Called("", trait.question)
