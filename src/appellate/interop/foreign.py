"""What a file of another tool holds, in our terms: traces, verdicts of judges and of people, and
the traits that these verdicts are about.

A reader yields `ForeignTrace`s; `rubric_of` makes the rubric from the verdicts that they bear.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from msgspec import Struct, field

Row = dict[str, Any]
"""A table of a foreign file, or of ours in the making."""
LETTERS = frozenset("CPIN")
UNSCORED = "unscored"
"""What a scorer left out; it is no value of a trait."""
MOST_CLASSES = 20
LONGEST_NAME = 60


class JudgeVerdict(Struct, frozen=True):
    """What a judge ruled on one trait: a value with its reason, or why there is none (`failed`).

    `value` is a bool, number, class name, letter, table of these by key, or a table of lists.
    """

    trait: str
    value: Any = None
    reason: str = ""
    judge: str = ""
    failed: str = ""


class PersonVerdict(Struct, frozen=True):
    """What a person ruled on one trait; `signed` where the tool says that they were done."""

    trait: str
    value: Any
    by: str
    reason: str = ""
    signed: bool = True


class ForeignTrait(Struct):
    """A trait as its tool describes it: what it asks for, its scorer, or the whole of it (`table`
    under the list `key` of a rubric).
    """

    name: str
    description: str = ""
    scorer: str = ""
    key: str = ""
    table: Row = field(default_factory=dict)


class ForeignTrace(Struct):
    """One answer: `record` has the keys of a trace file (SPEC 3) but no judgments."""

    record: Row
    judged: Sequence[JudgeVerdict] = ()
    people: Sequence[PersonVerdict] = ()


class ForeignFile(Struct):
    """A recognised file. `traces` reads it from the beginning, as often as it is called.

    `mapping` says which of their fields became which of ours, `lost` what has no place here. The
    traits of `groups` are of single questions, by the id of the question.
    """

    form: str
    traces: Callable[[], Iterator[ForeignTrace]]
    mapping: Mapping[str, str]
    traits: dict[str, ForeignTrait] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    questions: Sequence[Row] = ()
    groups: Mapping[str, Collection[str]] = field(default_factory=dict)

    def describe(self) -> list[str]:
        """Which of their fields became which of ours, and what has no place here: a line each."""
        fields = (f"{ours} ← {theirs}" for ours, theirs in self.mapping.items())
        lines = [f"fields: {', '.join(fields)}"]
        if self.lost:
            lines.append(f"left out: {'; '.join(self.lost)}")
        return lines


# -- values ---------------------------------------------------------------------------------------


def table_at(row: Mapping[str, Any], *path: str) -> Row:
    """The table under a path of keys; an empty one where there is none."""
    value: Any = row
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, dict) else {}


def known(record: Row) -> Row:
    """A record without what is not known."""
    return {key: value for key, value in record.items() if value not in (None, "", [], {})}


def number_in(text: object) -> float | None:
    try:
        return float(str(text))
    except ValueError:
        return None


def cell_value(text: object) -> Any:
    """The value of a table's cell: a number, yes or no, or a class; None of an empty one."""
    if text is None or isinstance(text, bool | int | float):
        return text
    bare = str(text).strip()
    if bare.lower() in ("true", "false"):
        return bare.lower() == "true"
    number = number_in(bare)
    if number is None:
        return bare or None
    return int(number) if number.is_integer() else number


# -- names ----------------------------------------------------------------------------------------


def trait_name(text: str) -> str:
    """A name that a trait may have: one line without dots, at most 60 characters."""
    name = " ".join(text.replace(".", " ").split())
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 1].rstrip() + "…"
    return name or "verdict"


# -- the rubric -----------------------------------------------------------------------------------


class _Values:
    """The values that one trait was given."""

    def __init__(self) -> None:
        self.numbers: set[float] = set()
        self.words: dict[str, None] = {}
        self.keys: dict[str, None] = {}
        self.fractions = False

    @property
    def are_letters(self) -> bool:
        """Whether they are Inspect's letters."""
        return bool(self.words) and self.words.keys() <= LETTERS

    def add(self, value: object) -> None:
        if isinstance(value, Mapping):
            self.keys |= dict.fromkeys(value)
            for below in value.values():
                self.add(below)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.fractions = self.fractions or isinstance(value, float)
            if isfinite(value):
                self.numbers.add(float(value))
        elif isinstance(value, str) and value.strip() and value != UNSCORED:
            self.words[value] = None


def rubric_of(file: ForeignFile) -> Row:
    """The rubric, as a rubric file has it: one trait for whatever was judged, of the kind that its
    values show.
    """
    own = {trait["name"] for question in file.questions for trait in own_traits(question)}
    seen: dict[str, _Values] = {name: _Values() for name in file.traits}
    for trace in file.traces():
        verdicts: list[JudgeVerdict | PersonVerdict] = [*trace.judged, *trace.people]
        for verdict in verdicts:
            if verdict.trait not in own:
                seen.setdefault(verdict.trait, _Values()).add(verdict.value)
    traits = {}
    for name, values in seen.items():
        key, table = _trait(file.traits.get(name) or ForeignTrait(name), values)
        traits[name] = key, {"name": name} | table
    grouped = set().union(*file.groups.values())
    rubric: Row = {"name": file.form}
    for name, (key, table) in traits.items():
        if name not in grouped:
            rubric.setdefault(key, []).append(table)
    questions = [*file.questions, *_grouped(file, traits)]
    if questions:
        rubric["questions"] = questions
    return rubric


def _grouped(file: ForeignFile, traits: Mapping[str, tuple[str, Row]]) -> Iterator[Row]:
    """The questions that have traits of their own."""
    for number, names in file.groups.items():
        question: Row = {"id": number}
        for name in names:
            key, table = traits[name]
            question.setdefault(key, []).append(table)
        yield question


def own_traits(question: Row) -> Iterator[Row]:
    """The traits of one question of a rubric."""
    for traits in question.values():
        if isinstance(traits, list):
            yield from (trait for trait in traits if isinstance(trait, dict))


def _trait(trait: ForeignTrait, values: _Values) -> tuple[str, Row]:
    """The list of a rubric that a trait belongs to, and its table but for the name."""
    if trait.key:
        return trait.key, trait.table
    table: Row = known({"description": trait.description})
    if trait.scorer or values.keys or values.are_letters:
        return "scorer_traits", table | _scorer(trait, values)
    if values.words and not values.numbers and len(values.words) <= MOST_CLASSES:
        return "llm_traits", table | _classes(values)
    if values.fractions or not values.numbers <= {0.0, 1.0}:
        return _numbers(values, table)
    return "llm_traits", table | {"kind": "boolean"}


def _classes(values: _Values) -> Row:
    names = sorted(values.words)
    if len(names) == 1:
        names.append(f"not {names[0]}")
    return {"kind": "literal", "classes": {name: f"The verdict is “{name}”." for name in names}}


def _numbers(values: _Values, table: Row) -> tuple[str, Row]:
    """A score where all numbers are whole and few, else a recorded scorer with its bounds."""
    low, high = min(values.numbers, default=0.0), max(values.numbers, default=1.0)
    if not values.fractions and high - low <= MOST_CLASSES:
        whole = {"min_score": int(min(low, 1)), "max_score": int(max(high, low + 1))}
        return "llm_traits", table | {"kind": "score"} | whole
    return "scorer_traits", table | {"scorer": "recorded", **_bounds(values)}


def _scorer(trait: ForeignTrait, values: _Values) -> Row:
    if values.keys:
        return {"scorer": "recorded", "keys": list(values.keys), **_bounds(values)}
    if values.are_letters:
        if trait.scorer in _OF_LETTERS:
            return {"scorer": trait.scorer}
        return {"scorer": "model_graded_qa", "partial_credit": "P" in values.words}
    return {"scorer": "recorded", **_bounds(values)}


_OF_LETTERS = ("match", "includes", "exact", "choice", "model_graded_qa", "model_graded_fact")


def _bounds(values: _Values) -> Row:
    low, high = min(values.numbers, default=0.0), max(values.numbers, default=1.0)
    bounds: Row = {}
    if low < 0:
        bounds["min_score"] = low
    if high > 1:
        bounds["max_score"] = high
    return bounds


# -- labels ---------------------------------------------------------------------------------------


def labels_of(key: str, trait: Row, verdict: JudgeVerdict | PersonVerdict) -> Row:
    """A judge's table (SPEC 5) for a trait of a rubric's list: what a verdict comes to there.

    Raises ValueError for a value that the trait cannot have.
    """
    value = verdict.value
    if key == "metric_traits":
        return dict(value)
    if key == "scorer_traits":
        return {"value": value} | known({"explanation": verdict.reason})
    if key == "regex_traits":
        return {"value": bool(value)}
    return {"value": _llm_value(trait, value)} | known({"rationale": verdict.reason})


def _llm_value(trait: Row, value: object) -> bool | int:
    if trait["kind"] == "boolean":
        if value in (True, False):
            return bool(value)
    elif trait["kind"] == "literal":
        classes = list(trait["classes"])
        if value in classes:
            return classes.index(str(value))
    elif isinstance(value, int | float) and float(value).is_integer():
        return int(value)
    raise ValueError(f"{value!r} is no value of {trait['kind']}")
