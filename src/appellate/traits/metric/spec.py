"""What a metric trait is, and the arithmetic of the four buckets."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from appellate.core.kind import MIXED, Ratio, Table
from appellate.core.problem import describe_value, quoted, unknown_key
from appellate.core.scale import FURTHEST
from appellate.traits.digest import RubricPart
from appellate.traits.weak_words import asks_for_absence

Bucket = Literal["tp", "fn", "fp", "tn"]
BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
METRICS = ("precision", "recall", "specificity", "accuracy", "f1")
RATIOS = {
    "precision": Ratio({"tp": 1}, {"tp": 1, "fp": 1}),
    "recall": Ratio({"tp": 1}, {"tp": 1, "fn": 1}),
    "specificity": Ratio({"tn": 1}, {"tn": 1, "fp": 1}),
    "accuracy": Ratio({"tp": 1, "tn": 1}, {"tp": 1, "fn": 1, "fp": 1, "tn": 1}),
    "f1": Ratio({"tp": 1}, {"tp": 1, "fp": 0.5, "fn": 0.5}),
}
WEIGHTED = "weighted"
"""Points achieved over points possible, at least 0: as HealthBench scores an answer (Arora et al.
2025, arXiv 2505.08775). It is no sum of counts, and is pooled as the mean of its values.
"""
FULL_MATRIX_METRICS = ("specificity", "accuracy")  # those that need true negatives


class Counts(NamedTuple):
    """How many items count in each bucket."""

    tp: int = 0
    fn: int = 0
    fp: int = 0
    tn: int = 0


def counted(texts: Iterable[str], deduplicate: bool) -> list[int]:
    """Positions of the texts that count: all of them, or the first of each non-empty key."""
    if not deduplicate:
        return [position for position, _ in enumerate(texts)]
    first: dict[str, int] = {}
    for position, text in enumerate(texts):
        first.setdefault(text.lower().strip(), position)
    first.pop("", None)
    return list(first.values())


def tally(lists: Mapping[str, Iterable[str]], deduplicate: bool) -> Counts:
    """How many texts of each bucket count."""
    return Counts(*[len(counted(lists.get(bucket, ()), deduplicate)) for bucket in BUCKETS])


@lru_cache(4096)
def value(metric: str, counts: Counts) -> float | None:
    """None where it is 0/0, which f1 is not as soon as anything was expected or claimed."""
    if metric == "f1":
        if not counts.tp + counts.fp + counts.fn:
            return None
        precision, recall = value("precision", counts) or 0.0, value("recall", counts) or 0.0
        above, below = 2 * precision * recall, precision + recall or 1.0
        return above / below
    held, ratio = counts._asdict(), RATIOS[metric]
    above = sum(weight * held[bucket] for bucket, weight in ratio.above.items())
    below = sum(weight * held[bucket] for bucket, weight in ratio.below.items())
    if not below:
        return None
    share: float = above / below
    return share


# -- the trait -------------------------------------------------------------------------------------


InstructionList = Literal["tp", "tn", "fp"]


class ConfusionLists(BaseModel):
    """The four buckets as plain texts, every item, before deduplication."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    tp: list[str] = []
    fn: list[str] = []
    fp: list[str] = []
    tn: list[str] = []


KNOWN = (*METRICS, WEIGHTED)
"""The metrics that a trait may ask for."""
_INSTRUCTION = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "omission": {"type": "boolean"},
                "weight": {"type": "number"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["text"],
            "additionalProperties": False,
        },
    ]
}


def _as_words(given: object) -> object:
    """What is no table stays; raises ValueError with what is wrong in one that was not taken."""
    if not isinstance(given, Mapping):
        return given
    if "text" not in given:
        raise ValueError("its text is missing")
    for key, value in given.items():
        if key not in _MARKS:
            raise ValueError("; ".join(unknown_key(key, [*_MARKS])))
        if not _is_mark(key, value):
            raise ValueError(f"{key} must be {_MARKS[key]}, not {describe_value(value)}")
    return given


Instruction = Annotated[str, BeforeValidator(_as_words)]


class MetricRubricTrait(RubricPart):
    """A checklist of countable items; `evaluation_mode="auto"` is resolved as the trait is made.

    An instruction is its words, or in a file `{text = "…", omission = true, weight = 5}`: what such
    tables say of the words is in `omissions` (whether they ask for something that is left out),
    `weights` (their points in the metric `weighted`) and `tags`.
    """

    model_config = ConfigDict(
        json_schema_extra={"required": ["name", "metrics", "tp_instructions"]}
    )

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    summary: str | None = None
    evaluation_mode: Literal["tp_only", "full_matrix", "auto"] = "tp_only"
    tp_instructions: Annotated[
        list[Instruction],
        Field(validate_default=True, json_schema_extra={"minItems": 1, "items": _INSTRUCTION}),
    ] = []
    tn_instructions: Annotated[
        list[Instruction], Field(validate_default=True, json_schema_extra={"items": _INSTRUCTION})
    ] = []
    metrics: Annotated[
        list[str], Field(min_length=1, json_schema_extra={"items": {"enum": [*KNOWN]}})
    ]
    fp_instructions: list[str] = []
    fn_instructions: list[str] = []
    repeated_extraction: bool = True
    higher_is_better: bool | None = None
    omissions: SkipJsonSchema[Annotated[dict[str, bool], Field(exclude=True)]] = {}
    weights: SkipJsonSchema[Annotated[dict[str, float], Field(exclude=True)]] = {}
    tags: SkipJsonSchema[Annotated[dict[str, list[str]], Field(exclude=True)]] = {}

    @model_validator(mode="before")
    @classmethod
    def _take_marks(cls, given: Any) -> Any:
        """The words of instructions that are tables, with what those say of them apart."""
        if not isinstance(given, dict):
            return given
        fresh, apart = dict(given), dict[str, dict[str, Any]]()
        for key in ("tp_instructions", "tn_instructions"):
            if isinstance(given.get(key), list):
                fresh[key] = [_words(one, apart) for one in given[key]]
        return fresh | apart

    @model_validator(mode="before")
    @classmethod
    def _resolve_auto(cls, given: Any) -> Any:
        if not isinstance(given, dict) or given.get("evaluation_mode") != "auto":
            return given
        mode = "full_matrix" if given.get("tn_instructions") else "tp_only"
        return {**given, "evaluation_mode": mode}

    @field_validator("metrics")
    @classmethod
    def _known_and_computable(cls, metrics: list[str], info: ValidationInfo) -> list[str]:
        faults = []
        for metric in dict.fromkeys(metrics):
            known, right = metric.strip().lower(), f"choose from {', '.join(KNOWN)}"
            if known in KNOWN:
                right = f"write it as {quoted(known)}"
            if metric not in KNOWN:
                faults.append(f"{quoted(metric)} is not a metric: {right}")
        if info.data.get("evaluation_mode") == "tp_only":
            way_out = 'set evaluation_mode = "full_matrix" and give tn_instructions'
            if info.data.get("tn_instructions"):
                way_out = 'set evaluation_mode = "auto" or "full_matrix" to use the tn_instructions'
            for metric in FULL_MATRIX_METRICS:
                if metric in metrics:
                    faults.append(
                        f"{metric} counts true negatives, which tp_only has not: "
                        f"drop it, or {way_out}"
                    )
        if faults:
            raise ValueError("; ".join(faults))
        return metrics

    @field_validator("tp_instructions")
    @classmethod
    def _something_expected(cls, instructions: list[str]) -> list[str]:
        if not instructions:
            raise ValueError(
                "a metric trait needs at least one TP instruction: what the response should say"
            )
        return instructions

    @field_validator("tn_instructions")
    @classmethod
    def _something_forbidden(cls, instructions: list[str], info: ValidationInfo) -> list[str]:
        if not instructions and info.data.get("evaluation_mode") == "full_matrix":
            raise ValueError(
                "full_matrix needs at least one TN instruction: what the response should not say; "
                'add one, or set evaluation_mode = "tp_only"'
            )
        return instructions

    @property
    def full(self) -> bool:
        return self.evaluation_mode == "full_matrix"

    def instructions(self, of: InstructionList) -> list[str]:
        """The list that an item may link to, of hints for "fp"; TN is ignored in `tp_only`."""
        match of:
            case "tp":
                return self.tp_instructions
            case "tn":
                return self.tn_instructions if self.full else []
            case "fp":
                return self.fp_instructions

    def words(self, of: InstructionList, number: int) -> str:
        """The words of an instruction; nothing where there is none of that number."""
        return "".join(self.instructions(of)[number - 1 : number])

    def may_be_omitted(self, of: InstructionList, number: int) -> bool:
        """Whether what the response leaves out may meet it: as the rubric says, or its words."""
        if of == "fp":
            return False
        text = self.words(of, number)
        return self.omissions.get(text, asks_for_absence(text))

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """The buckets that items go to, in order: without TN in `tp_only`."""
        return BUCKETS if self.full else BUCKETS[:3]

    def get_required_buckets(self) -> set[str]:
        return set(self.buckets)

    def deduplicate(self, lists: ConfusionLists) -> ConfusionLists:
        """The items that count, each the first verbatim of its key."""
        kept = {}
        for bucket in BUCKETS:
            texts = getattr(lists, bucket)
            kept[bucket] = [texts[at] for at in counted(texts, self.repeated_extraction)]
        return ConfusionLists(**kept)

    def counts(self, lists: ConfusionLists) -> Counts:
        """How many items of each bucket count."""
        return tally(vars(lists), self.repeated_extraction)

    def numbers(self, counts: Counts, met: Collection[tuple[str, str]]) -> dict[str, float | None]:
        """Each requested metric, in the order asked; None where it is 0/0. `met` as in `points`."""
        numbers = {}
        for metric in self.metrics:
            numbers[metric] = self.points(met) if metric == WEIGHTED else value(metric, counts)
        return numbers

    def measure(self, lists: ConfusionLists) -> dict[str, float]:
        """Each requested metric, in the order asked, from the items that count."""
        numbers = self.numbers(self.counts(lists), self._met(lists))
        return {metric: number or 0.0 for metric, number in numbers.items()}

    def undefined(self, lists: ConfusionLists) -> set[str]:
        """The requested metrics that are 0/0: their value 0.0 is no score."""
        numbers = self.numbers(self.counts(lists), self._met(lists))
        return {metric for metric, number in numbers.items() if number is None}

    def weight(self, of: InstructionList, text: str) -> float:
        """The points of an instruction; where the rubric has none 1, or −1 in TN."""
        return self.weights.get(text, -1.0 if of == "tn" else 1.0)

    def points(self, met: Collection[tuple[str, str]]) -> float | None:
        """Points achieved over points possible, from 0 to 1; `met` are the instructions that the
        response meets, by list and words. None where no points are possible.
        """
        achieved = possible = 0.0
        lists: tuple[InstructionList, ...] = ("tp", "tn")
        for of in lists:
            for text in self.instructions(of):
                weight = self.weight(of, text)
                possible += max(weight, 0.0)
                if (of, text) in met:
                    achieved += weight
        if not possible:
            return None
        return min(max(achieved / possible, 0.0), 1.0)

    def _met(self, lists: ConfusionLists) -> set[tuple[str, str]]:
        """The instructions that plain lists meet: whose words are there, or, where there are other
        words as well, are not among the missing.
        """
        met: set[tuple[str, str]] = set()
        sides: tuple[tuple[InstructionList, list[str], list[str]], ...] = (
            ("tp", lists.tp, lists.fn),
            ("tn", lists.fp, lists.tn),
        )
        for of, there, missing in sides:
            known = self.instructions(of)
            others = not set(there).issubset(known)
            met |= {
                (of, text) for text in known if text in there or (others and text not in missing)
            }
        return met

    def to_file(self) -> dict[str, Any]:
        """The trait as a rubric file writes it: only what differs from the defaults."""
        values = self.model_dump(exclude_defaults=True)
        table: dict[str, Any] = {}
        for key in _WRITTEN_FIRST:
            if key in values:
                table[key] = values[key]
        table |= values
        for key in ("tp_instructions", "tn_instructions"):
            if key in table:
                table[key] = [self._marked(text) for text in table[key]]
        return table

    def _marked(self, text: str) -> str | dict[str, Any]:
        """An instruction as a file has it: a table where more is known than its words."""
        table: dict[str, Any] = {"text": text}
        for key, known in _APART.items():
            found = getattr(self, known)
            if text in found:
                table[key] = found[text]
        return table if len(table) > 1 else text


_WRITTEN_FIRST = ("name", "description", "summary", "evaluation_mode", "metrics")
"""The keys that a file has before the instructions; `metrics` is validated after them, since what
may be asked for depends on them.
"""
_APART = {"omission": "omissions", "weight": "weights", "tags": "tags"}
"""What a table says of an instruction's words, and the field that holds it."""
_MARKS = {
    "text": "text in quotes",
    "omission": "true or false",
    "weight": f"a number from -{FURTHEST:,} to {FURTHEST:,}",
    "tags": "a list of texts",
}
"""What such a table has, and what that is."""


def _words(given: Any, apart: dict[str, dict[str, Any]]) -> Any:
    """The words of an instruction; what else its table says is added to `apart`, by field."""
    if not isinstance(given, Mapping) or not all(map(_is_mark, given, given.values())):
        return given
    text = given.get("text")
    if text is None:
        return given
    for key, field in _APART.items():
        if given.get(key) is not None:
            apart.setdefault(field, {})[text] = given[key]
    return text


def _is_mark(key: str, value: Any) -> bool:
    """Whether a table of an instruction may say so."""
    match key:
        case "omission":
            return isinstance(value, bool | None)
        case "weight":
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return is_number and -FURTHEST <= value <= FURTHEST
        case "tags":
            return isinstance(value, list) and all(isinstance(tag, str) for tag in value)
    return key == "text" and isinstance(value, str)


# -- the oldest form -------------------------------------------------------------------------------

TELLING_KEYS = (
    "tp_instructions",
    "tn_instructions",
    "fp_instructions",
    "fn_instructions",
    "metrics",
    "evaluation_mode",
)
"""The keys that only a metric trait has."""


def renew(key: str, table: Table) -> tuple[dict[str, Any], str]:
    """Return a trait's table in the form of today, and what was old in it, "" for nothing.

    In the oldest form a trait with TN instructions is `full_matrix` where it names no mode.
    """
    fresh = dict(table)
    if key != MIXED or "evaluation_mode" in table or not table.get("tn_instructions"):
        return fresh, ""
    fresh["evaluation_mode"] = "full_matrix"
    return fresh, 'its evaluation_mode is "full_matrix", since it has tn_instructions'
