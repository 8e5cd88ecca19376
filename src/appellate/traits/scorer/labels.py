"""The labels of a scorer cell: what stands, and what the scorer itself said; their shape in files,
and what they come to.

A judge's table has `value` (a letter, a number, true or false, or a dictionary of them; nan or
"unscored" where it was left out), `answer` (what was extracted), `spans` (where that stands in the
response), `explanation` (why) and `target` (what it was compared with).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from math import inf, isfinite, isinf, isnan
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from appellate.core.kind import (
    Called,
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
from appellate.core.problem import describe_value, quoted
from appellate.core.trace import Trace
from appellate.stats.aggregates import is_scored, value_to_float
from appellate.traits.evidence import Finder
from appellate.traits.matching import Offsets, Unmatched
from appellate.traits.scorer.grades import majority as more_than_half
from appellate.traits.scorer.spec import ScorePart, ScorerRubricTrait
from appellate.traits.verdict.kind import UNANSWERED, pair_faults, pairs_schema

if TYPE_CHECKING:
    from appellate.traits.scorer.rules import Score

_VALUE: Table = {"type": ["string", "number", "boolean"]}
LABEL_SCHEMA: Table = {
    "value": {
        "description": 'C, P, I or N, a number, true or false; "unscored"; or a table of them',
        "type": ["string", "number", "boolean", "object"],
        "additionalProperties": _VALUE,
    },
    "answer": {"type": "string", "description": "what was extracted from the response"},
    "spans": pairs_schema("start and end of what was extracted, codepoints of the response"),
    "explanation": {"type": "string", "description": "why it matched or did not"},
    "target": {
        "type": ["string", "array"],
        "items": {"type": "string"},
        "description": "what the response was compared with",
    },
}

Scalar = str | float | bool
UNSCORED = "unscored"
"""The value of what was left out: it is in no number, and counted."""
LETTERS = {"C": "correct", "P": "partly correct", "I": "incorrect", "N": "no answer"}
_BY_NUMBER = {1.0: "C", 0.5: "P", 0.0: "I"}
_SAID = {"yes": True, "true": True, "no": False, "false": False}
_UNKNOWN = ScorePart("", is_letter=False, low=-inf, high=inf)
FEWEST = 3
"""An answer of fewer characters is looked for nowhere: it would be found anywhere."""


class Ruling(Struct, frozen=True):
    """Values by key ("" of a single one), the answer they rest on, where it is, and why."""

    values: tuple[tuple[str, Scalar], ...] = ()
    answer: str = ""
    spans: tuple[Offsets, ...] = ()
    why: str = ""

    @property
    def value(self) -> Scalar | None:
        """The single value."""
        return self.of("")

    def of(self, key: str) -> Scalar | None:
        """The value of a key; None where there is none."""
        return dict(self.values).get(key)


class Labels(Struct, frozen=True):
    """What stands, what the scorer or judge said (None where nobody did), and the target."""

    standing: Ruling = field(default_factory=Ruling)
    proposed: Ruling | None = None
    target: tuple[str, ...] = ()

    @property
    def value(self) -> Scalar | None:
        """The single value that stands."""
        return self.standing.value

    @property
    def found(self) -> Scalar | None:
        """That of the scorer."""
        return self.proposed.value if self.proposed else None

    @property
    def is_judged(self) -> bool:
        """Whether there is a value at all."""
        return bool(self.standing.values)

    @property
    def is_overruled(self) -> bool:
        """Whether a person says otherwise than the scorer, in a value or the answer."""
        return self.proposed is not None and self.standing != self.proposed


def texts(given: str | Sequence[str]) -> list[str]:
    """A text, or several, as a list."""
    if isinstance(given, str):
        return [given]
    return list(given)


def shown(value: Any) -> str:
    """A value for a sentence: C, 0.67, yes."""
    if value is True:
        return "yes"
    if value is False:
        return "no"
    if not is_scored(value):
        return "unscored"
    if isinstance(value, int | float):
        return f"{value:.4g}"
    return str(value)


def value_text(value: Scalar | None) -> str:
    """A value in a word; nothing for none."""
    if value is None:
        return ""
    return shown(value)


def spoken(value: Scalar | None) -> str:
    """A value as people say it: "C, correct"."""
    if value in LETTERS and isinstance(value, str):
        return f"{value}, {LETTERS[value]}"
    return value_text(value)


def scalar(part: ScorePart, given: object) -> Scalar | None:
    """The value that a file means for a part; None for what is none.

    A letter may be given by its number, 1, 0.5 or 0.
    """
    value = _plain(given)
    if value is None or value == UNSCORED or not part.is_letter:
        return value
    if isinstance(value, str):
        return value
    return _BY_NUMBER.get(float(value))


def fits(part: ScorePart, value: Scalar) -> bool:
    """Whether a value lies within the bounds of a part."""
    return value == UNSCORED or part.low <= value_to_float(value) <= part.high


def legal(part: ScorePart, given: object) -> Scalar | None:
    """The value that is meant; None for one outside of the bounds, too."""
    value = scalar(part, given)
    if value is None or not fits(part, value):
        return None
    return value


def _plain(given: object) -> Scalar | None:
    if isinstance(given, str):
        if given in LETTERS or given == UNSCORED:
            return given
        is_known = _SAID.get(given.strip().lower())
        if is_known is not None:
            return is_known
        return _finite(given)
    if isinstance(given, bool):
        return given
    if isinstance(given, int | float):
        if isinstance(given, float) and isnan(given):
            return UNSCORED
        return _finite(given)
    return None


def _finite(given: str | float) -> float | None:
    try:
        value = float(given)
    except (ValueError, OverflowError):
        return None
    if not isfinite(value):
        return None
    return value


# -- tables ----------------------------------------------------------------------------------------


def targets_of(trace: Trace) -> list[str]:
    """What is right, as the trace says."""
    if trace.reference is None:
        return []
    return texts(trace.reference)


def compute(trait: ScorerRubricTrait, trace: Trace) -> dict[str, Any]:
    """The table of a scorer that asks nobody; raises NotComputed with why there is none."""
    from appellate.traits.scorer.rules import Unscorable, scored  # only where something is scored

    targets = targets_of(trace)
    if not targets:
        raise NotComputed(
            "The trace has no reference, which is what the response is compared with."
        )
    try:
        found = scored(trait, trace.response, targets, trace.choices or ())
    except (Unmatched, Unscorable) as failure:
        raise NotComputed(str(failure)) from None
    return table_of(found, trace.response, targets)


def table_of(found: "Score", response: str, targets: Sequence[str]) -> dict[str, Any]:
    """A score as a judge's table has it; an answer that is the whole response is not repeated."""
    answer = found.answer or ""
    if answer.strip().casefold() == response.strip().casefold():
        answer = ""
        if len(found.spans) == 1:
            start, end = found.spans[0]
            answer = response[start:end]
    table: dict[str, Any] = {"value": found.value, "explanation": found.explanation}
    if answer:
        table["answer"] = answer
    table["spans"] = list(map(list, found.spans))
    table["target"] = list(targets)
    return table


def located(trait: ScorerRubricTrait, trace: Trace, table: Table) -> dict[str, Any]:
    """A table with its values in one form, and the place of its answer."""
    values = dict(values_in(trait, table))
    found: dict[str, Any] = {"value": values.get("", values)}
    answer, why = table.get("answer") or "", table.get("explanation") or ""
    if answer:
        found["answer"] = answer
    spans = table.get("spans")
    if spans is None and not trait.takes_answer and len(answer.strip()) >= FEWEST:
        spans = Finder(trace.response).find_parts(answer)
    if spans is not None:
        found["spans"] = list(map(list, spans))
    if why and why.strip() != trace.response.strip():  # as inspect_ai explains what is no judge's
        found["explanation"] = why
    found["target"] = texts(table.get("target", targets_of(trace)))
    return found


def values_in(trait: ScorerRubricTrait, table: Table) -> Iterator[tuple[str, Scalar]]:
    """The values of a table by key, in the order of the trait's."""
    given = table.get("value")
    for part in trait.parts:
        one = given
        if part.key and isinstance(given, dict):
            one = given.get(part.key)
        value = scalar(part, one)
        if value is not None:
            yield part.key, value


def from_table(trait: ScorerRubricTrait, trace: Trace, table: Table) -> Labels:  # noqa: ARG001
    """The labels that a located table stands for."""
    spans = tuple((start, end) for start, end in table.get("spans", ()))
    ruling = Ruling(
        tuple(values_in(trait, table)),
        table.get("answer", ""),
        spans,
        table.get("explanation", ""),
    )
    return Labels(ruling, ruling, tuple(texts(table.get("target", ()))))


def written(labels: Labels) -> dict[str, Any]:
    """What a file has of the labels that stand."""
    one = labels.standing
    audited: dict[str, Any] = {}
    if one.value is not None:
        audited["value"] = one.value
    elif one.values:
        audited["value"] = dict(one.values)
    if one.answer:
        audited["answer"] = one.answer
    if one.spans:
        audited["spans"] = list(map(list, one.spans))
    return {"audited": audited}


# -- what is wrong with a table --------------------------------------------------------------------


def faults(trait: ScorerRubricTrait | None, trace: Trace, table: Table) -> Iterator[Fault]:
    """What is wrong with a recorded, judged or audited table."""
    yield from _value_faults(trait, table)
    for key in ("answer", "explanation"):
        given = table.get(key, "")
        if not isinstance(given, str):
            yield Fault((key,), f"must be text, not {describe_value(given)}")
    if "items" in table:
        wrong = "a scorer trait has no items"
        yield Fault(("items",), wrong, "spans = [[start, end], …] says where the answer is")
    target = table.get("target", [])
    listed = isinstance(target, list) and set(map(type, target)) <= {str}
    if not (listed or isinstance(target, str)):
        yield Fault(("target",), "must be a text, or a list of texts")
    yield from pair_faults("spans", table.get("spans", []), len(trace.response), least=1)


def _value_faults(trait: ScorerRubricTrait | None, table: Table) -> Iterator[Fault]:
    given = table.get("value")
    if given is None:
        yield Fault(("value",), "is missing", "value is C, P, I or N, a number, true or false")
        return
    parts = _parts(trait, given)
    if not parts[0].key:
        if legal(parts[0], given) is None:
            yield Fault(("value",), f"must be {wanted(parts[0])}, not {describe_value(given)}")
    elif isinstance(given, dict):
        yield from _key_faults({part.key: part for part in parts}, given)
    else:
        keys = ", ".join(map(attrgetter("key"), parts))
        yield Fault(("value",), f"must be a table of {keys}, not {describe_value(given)}")


def _parts(trait: ScorerRubricTrait | None, given: object) -> tuple[ScorePart, ...]:
    """The values that there are; of an unknown trait those that are given."""
    if trait is not None:
        return trait.parts
    if isinstance(given, dict) and given:
        return tuple(_UNKNOWN._replace(key=str(key)) for key in given)
    return (_UNKNOWN,)


def _key_faults(known: Mapping[str, ScorePart], given: Table) -> Iterator[Fault]:
    if not given:
        yield Fault(("value",), "is an empty table", "give a value for each key")
    for key, value in given.items():
        if key not in known:
            yield Fault(("value", key), f"the trait has no value {quoted(key)}")
        elif legal(known[key], value) is None:
            wrong = f"must be {wanted(known[key])}, not {describe_value(value)}"
            yield Fault(("value", key), wrong)


def wanted(part: ScorePart) -> str:
    """What a value is, for a sentence."""
    if part.is_letter:
        return "C, P, I, N or unscored"
    if isinf(part.low):
        return "C, P, I, N, a number, true or false, or unscored"
    return f"a number from {part.low:g} to {part.high:g}, C, P, I, N, yes, no or unscored"


# -- figures ---------------------------------------------------------------------------------------

SCORE = "score"
POSITIVES = frozenset({"C", "yes"})
FIELDS = (
    QueryField("value", "words.value", "values", "a score: C, P, I, N, a number, yes or no"),
    QueryField("extracted", "words.extracted", "text", "what was extracted from the response"),
)
_LONGEST = 80
"""So many characters of an answer can be asked for."""
READING = (
    "A scorer gives a response a value: C (correct, 1), P (partly, 0.5), I (incorrect, 0), N (no"
    " answer, 0), a number, or yes and no (1 and 0). A value that was left out (unscored) is in no"
    " mean, and counted."
)


def name_of(part: ScorePart) -> str:
    """The measure of a value."""
    return f"{SCORE}.{part.key}".rstrip(".")


def measures(trait: ScorerRubricTrait) -> tuple[Measure, ...]:
    """One for each value, with its bounds and the end of it that is good: "score", and "score."
    with the keys of a dictionary.
    """
    found = []
    for part in trait.parts:
        short, word = part.key or "Score", "" if part.key else "value"
        better = trait.higher_is_better
        found.append(Measure(name_of(part), short, part.low, part.high, better, word=word))
    return tuple(found)


def measure(trait: ScorerRubricTrait, labels: Labels) -> Figures:
    """Each value as a number, 0/0 while there is none, and in words."""
    return _figures(trait, dict(labels.standing.values), labels.standing.answer)


def _figures(trait: ScorerRubricTrait, values: dict[str, Scalar], answer: str) -> Figures:
    numbers, undefined, unscored = {}, set(), set()
    for part in trait.parts:
        name, value = name_of(part), values.get(part.key)
        numbers[name] = 0.0
        if value is None or value == UNSCORED:
            undefined.add(name)
            if value is not None:
                unscored.add(name)
        else:
            numbers[name] = value_to_float(value)
    words = {}
    if values:
        words["value"] = ", ".join(
            f"{key} {value_text(value)}".strip() for key, value in values.items()
        )
    if answer.strip():
        words["extracted"] = " ".join(answer.split())[:_LONGEST]
    return Figures(numbers, frozenset(undefined), {}, words, frozenset(unscored))


def form(trait: ScorerRubricTrait) -> str:
    """Which scorer it is."""
    return trait.scorer.replace("_", " ")


def vocabulary(trait: ScorerRubricTrait) -> Sequence[str]:
    """What `answers` says, in the order that it is told in, where all of it are letters."""
    if all(map(attrgetter("is_letter"), trait.parts)):
        return (*LETTERS, UNSCORED, UNANSWERED)
    return ()


def answers(trait: ScorerRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """Each value in a word, as the answer to the trait's question, or to that of its key."""
    found = {}
    for number, part in enumerate(trait.parts, 1):
        asked = Instruction(SCORE, number, part.key or trait.question)
        found[asked] = value_text(labels.standing.of(part.key)) or UNANSWERED
    return found


def called(
    trait: ScorerRubricTrait,
    labels: Labels,  # noqa: ARG001 - as `TraitKind.called`
    asked: Instruction,
) -> Called:
    """A value by its key; the only one by the question."""
    return Called(trait.parts[asked.number - 1].key, asked.text)


def checks(trait: ScorerRubricTrait, labels: Labels) -> list[Check]:
    """A value outside of its scale, and an answer that a judge gave, but that is not there."""
    found = list(_outside(trait, labels))
    one = labels.standing
    if one.answer and not one.spans and trait.is_graded:
        shown = " ".join(one.answer.split())[:60]
        found.append(Check("unverified", f"“{shown}” is not in the response."))
    return found


def _outside(trait: ScorerRubricTrait, labels: Labels) -> Iterator[Check]:
    for part in trait.parts:
        value = labels.standing.of(part.key)
        if value is None or fits(part, value):
            continue
        scale = f"{part.low:g} to {part.high:g}"
        text = f"The score {part.key}".rstrip()
        yield Check("breach", f"{text} is {value_text(value)}, outside of {scale}.")


def evidence(trait: ScorerRubricTrait, labels: Labels) -> list[Span]:  # noqa: ARG001
    """Where the answer stands."""
    return list(starmap(Span, labels.standing.spans))


# -- several graders -------------------------------------------------------------------------------


def majority(
    trait: ScorerRubricTrait,
    trace: Trace,  # noqa: ARG001
    tables: Sequence[Table],
) -> dict[str, Any]:
    """The table of what more than half of the graders say, unscored where no value has so many.

    With `reducer = "mode"` it is what most of them say; even votes go with the first.
    """
    given = [dict(values_in(trait, table)) for table in tables]
    chosen: dict[str, Scalar] = {}
    for part in trait.parts:
        if all(part.key not in own for own in given):
            continue
        values = [own.get(part.key, UNSCORED) for own in given]
        if trait.reducer == "mode" and trait.scorer != "multi_scorer":
            chosen[part.key] = max(values, key=values.count)
        else:
            chosen[part.key] = _majority(values)
    for table, own in zip(tables, given, strict=True):
        if own == chosen:
            return dict(table)
    text = "; ".join(_votes(part, given) for part in trait.parts if part.key in chosen)
    value = chosen.get("", chosen)
    return {"value": value, "explanation": f"The graders do not agree: {text}.", "spans": []}


def _majority(values: Sequence[Scalar]) -> Scalar:
    known = [(type(value), value) for value in values if value != UNSCORED]
    found: tuple[type, Scalar] | None = more_than_half(known, len(values))
    if found is None:
        return UNSCORED
    return found[1]


def _votes(part: ScorePart, given: Sequence[dict[str, Scalar]]) -> str:
    votes = ", ".join(value_text(values.get(part.key, UNSCORED)) for values in given)
    return f"{part.key}: {votes}".removeprefix(": ")
