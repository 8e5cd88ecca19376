"""What a metric trait is, and the arithmetic of the four buckets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
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
from appellate.core.trace import EARLIER_TURNS, QUESTION, REFERENCE, RESPONSE, Materials
from appellate.traits.digest import LongestResultKey, ReadsKey, RubricPart
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


def folded(text: str) -> str:
    """Return a text as it is compared with others when repeats are looked for."""
    return text.lower().strip()


def counted(
    texts: Iterable[str], deduplicate: bool, same_as: Mapping[str, str] | None = None
) -> list[int]:
    """Return the positions of the texts that count: all, or the first of each non-empty key.

    The key is the folded text, or what `same_as` has for it.
    """
    if not deduplicate:
        return [position for position, _ in enumerate(texts)]
    first: dict[str, int] = {}
    for position, text in enumerate(texts):
        key = folded(text)
        if same_as:
            key = same_as.get(key, key)
        first.setdefault(key, position)
    first.pop("", None)
    return list(first.values())


@lru_cache(4096)
def value(metric: str, counts: Counts) -> float | None:
    """None where it is 0/0, which f1 is not as soon as anything was expected or claimed."""
    if metric == "f1":
        if not counts.tp + counts.fp + counts.fn:
            return None
        precision = value("precision", counts) or 0.0
        recall = value("recall", counts) or 0.0
        above = 2 * precision * recall
        below = precision + recall or 1.0
        return above / below
    held = counts._asdict()
    ratio = RATIOS[metric]
    above = sum(weight * held[bucket] for bucket, weight in ratio.above.items())
    below = sum(weight * held[bucket] for bucket, weight in ratio.below.items())
    if not below:
        return None
    share: float = above / below
    return share


# -- the trait -------------------------------------------------------------------------------------


InstructionList = Literal["tp", "tn", "fp"]


class Numbering(NamedTuple):
    """The numbers of a list's instructions, by their words and by their other names."""

    by_text: Mapping[str, int]
    by_alias: Mapping[str, int]
    """By the folded name."""

    def number(self, text: str) -> int | None:
        """Return the number of the instruction that a text names, or None.

        The words are to be the same; a name of `aliases` in whatever case.
        """
        number = self.by_text.get(text)
        if number is None and self.by_alias:
            number = self.by_alias.get(folded(text))
        return number


class ConfusionLists(BaseModel):
    """The four buckets as plain texts, every item, before deduplication."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    tp: list[str] = []
    fn: list[str] = []
    fp: list[str] = []
    tn: list[str] = []


KNOWN = (*METRICS, WEIGHTED)
"""The metrics that a trait may ask for."""
_NAMES = {"type": "array", "items": {"type": "string", "minLength": 1}}
_OLD_NAMES = {**_NAMES, "minItems": 1, "deprecated": True}
"""The words of an instruction and then its other names, as the oldest rubrics have them."""
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
                "aliases": _NAMES,
            },
            "required": ["text"],
            "additionalProperties": False,
        },
        _OLD_NAMES,
    ]
}
_HINT = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"text": {"type": "string"}, "aliases": _NAMES},
            "required": ["text"],
            "additionalProperties": False,
        },
        _OLD_NAMES,
    ]
}


def _as_words(given: object, marks: Collection[str]) -> object:
    """Return what is text as it is; raise ValueError with what is wrong in anything else.

    A table that may say no more than `marks`, or a list of names, has been taken apart before.
    """
    if isinstance(given, list):
        raise ValueError(  # noqa: TRY004 - pydantic collects ValueError alone
            "a list in place of an instruction has its words and then its other names, all texts"
        )
    if not isinstance(given, Mapping):
        return given
    if "text" not in given:
        raise ValueError("its text is missing")
    for key, value in given.items():
        if key not in marks:
            raise ValueError("; ".join(unknown_key(key, [*marks])))
        if not _is_mark(key, value):
            raise ValueError(f"{key} must be {_MARKS[key]}, not {describe_value(value)}")
    return given


Instruction = Annotated[str, BeforeValidator(lambda given: _as_words(given, _MARKS))]
Hint = Annotated[str, BeforeValidator(lambda given: _as_words(given, _MARKS_OF_HINTS))]


class MetricRubricTrait(RubricPart):
    """A checklist of countable items; `evaluation_mode="auto"` is resolved as the trait is made.

    An instruction is its words, or in a file `{text = "…", omission = true, weight = 5}`: what such
    tables say of the words is in `omissions` (whether they ask for something that is left out),
    `weights` (their points in the metric `weighted`), `tags` and `aliases` (their other names).
    """

    model_config = ConfigDict(
        json_schema_extra={"required": ["name", "metrics", "tp_instructions"]}
    )

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    summary: str | None = None
    evaluation_mode: Literal["tp_only", "full_matrix", "auto"] = "tp_only"
    aliases: SkipJsonSchema[Annotated[dict[str, list[str]], Field(exclude=True)]] = {}
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
    fp_instructions: Annotated[list[Hint], Field(json_schema_extra={"items": _HINT})] = []
    fn_instructions: Annotated[list[Hint], Field(json_schema_extra={"items": _HINT})] = []
    repeated_extraction: bool = True
    reads: ReadsKey = "response"
    longest_result: LongestResultKey = None
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
        fresh = dict(given)
        apart = dict[str, _SaidOfWords]()
        for key, marks in _MARKS_OF.items():
            if isinstance(given.get(key), list | tuple):
                fresh[key] = [_words(one, apart, marks) for one in given[key]]
        return fresh | apart

    @field_validator("omissions", "weights", "tags", "aliases", mode="before")
    @classmethod
    def _not_a_key(cls, given: object, info: ValidationInfo) -> object:
        """Refuse what stands under such a key of the trait itself."""
        if isinstance(given, _SaidOfWords):
            return given
        keys = cls.model_fields.keys() - set(_APART.values())
        raise ValueError("; ".join(unknown_key(str(info.field_name), sorted(keys))))

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
            known = metric.strip().lower()
            right = f"choose from {', '.join(KNOWN)}"
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

    @field_validator("tp_instructions", "tn_instructions", "fp_instructions", "fn_instructions")
    @classmethod
    def _distinct_names(cls, instructions: list[str], info: ValidationInfo) -> list[str]:
        """Refuse a name that would stand for two instructions of a list."""
        aliases = info.data.get("aliases")
        if not aliases:
            return instructions
        owners: dict[str, str] = {}
        for text in instructions:
            for name in (text, *aliases.get(text, ())):
                owner = owners.setdefault(folded(name), text)
                if owner != text:
                    both = f"{quoted(owner)} and {quoted(text)}"
                    raise ValueError(f"{both} are both called {quoted(name)}: take it from one")
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
    def material(self) -> Materials:
        """What a request holds of each trace."""
        return frozenset({EARLIER_TURNS, QUESTION, REFERENCE, RESPONSE})

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

    def names(self, of: InstructionList, number: int) -> list[str]:
        """Return the words of an instruction and its other names; nothing for no such number."""
        found: list[str] = []
        for text in self.instructions(of)[number - 1 : number]:
            found += [text, *self.aliases.get(text, ())]
        return found

    def numbering(self, of: InstructionList) -> Numbering:
        """Return the numbers of a list's instructions by all their names."""
        by_text: dict[str, int] = {}
        by_alias: dict[str, int] = {}
        for number, text in enumerate(self.instructions(of), 1):
            by_text.setdefault(text, number)
            for name in self.aliases.get(text, ()):
                by_alias.setdefault(folded(name), number)
        return Numbering(by_text, by_alias)

    def same_as(self, bucket: Bucket) -> dict[str, str]:
        """Return the words for every other name that a bucket's items may have, both folded."""
        found: dict[str, str] = {}
        if not self.aliases:
            return found
        for of in lists_of(self, bucket):
            for text in self.instructions(of):
                for name in self.aliases.get(text, ()):
                    found.setdefault(folded(name), folded(text))
        return found

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
            kept[bucket] = [texts[at] for at in self.counting(bucket, texts)]
        return ConfusionLists(**kept)

    def counting(self, bucket: Bucket, texts: Sequence[str]) -> list[int]:
        """Return the positions of a bucket's texts that count."""
        return counted(texts, self.repeated_extraction, self.same_as(bucket))

    def tally(self, lists: Mapping[str, Sequence[str]]) -> Counts:
        """Return how many texts of each bucket count."""
        return Counts(*[len(self.counting(bucket, lists.get(bucket, ()))) for bucket in BUCKETS])

    def counts(self, lists: ConfusionLists) -> Counts:
        """How many items of each bucket count."""
        return self.tally(vars(lists))

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
            there_named = set(self._in_words(of, there))
            missing_named = set(self._in_words(of, missing))
            others = not there_named.issubset(known)
            for text in known:
                if text in there_named or (others and text not in missing_named):
                    met.add((of, text))
        return met

    def _in_words(self, of: InstructionList, texts: Iterable[str]) -> list[str]:
        """Return texts with an instruction's words in place of its other names."""
        numbering = self.numbering(of)
        found = []
        for text in texts:
            number = numbering.number(text)
            found.append(text if number is None else self.words(of, number))
        return found

    def to_file(self) -> dict[str, Any]:
        """The trait as a rubric file writes it: only what differs from the defaults."""
        values = self.model_dump(exclude_defaults=True)
        table: dict[str, Any] = {}
        for key in _WRITTEN_FIRST:
            if key in values:
                table[key] = values[key]
        table |= values
        for key, marks in _MARKS_OF.items():
            if key in table:
                table[key] = [self._marked(text, marks) for text in table[key]]
        return table

    def _marked(self, text: str, marks: Collection[str]) -> str | dict[str, Any]:
        """An instruction as a file has it: a table where more is known than its words."""
        table: dict[str, Any] = {"text": text}
        for key, known in _APART.items():
            found = getattr(self, known)
            if key in marks and text in found:
                table[key] = found[text]
        return table if len(table) > 1 else text


def lists_of(trait: MetricRubricTrait, bucket: Bucket) -> tuple[InstructionList, ...]:
    """The instruction lists that items of a bucket may answer, the usual one first."""
    if bucket == "fp":
        return ("tn", "fp") if trait.full else ("tp", "fp")
    if bucket == "tn":
        return ("tn",)
    return ("tp",)


_WRITTEN_FIRST = ("name", "description", "summary", "evaluation_mode", "metrics")
"""The keys that a file has before the instructions; `metrics` is validated after them, since what
may be asked for depends on them.
"""
_APART = {"omission": "omissions", "weight": "weights", "tags": "tags", "aliases": "aliases"}
"""What a table says of an instruction's words, and the field that holds it."""
_MARKS = {
    "text": "text in quotes",
    "omission": "true or false",
    "weight": f"a number from -{FURTHEST:,} to {FURTHEST:,}",
    "tags": "a list of texts",
    "aliases": "a list of texts that are not empty",
}
"""What such a table has, and what that is."""
_MARKS_OF_HINTS = ("text", "aliases")
_MARKS_OF: Mapping[str, Collection[str]] = {
    "tp_instructions": _MARKS,
    "tn_instructions": _MARKS,
    "fp_instructions": _MARKS_OF_HINTS,
    "fn_instructions": _MARKS_OF_HINTS,
}
"""What the tables of each list may have."""


class _SaidOfWords(dict[str, Any]):
    """What tables of instructions say of their words, by these."""


def _words(given: Any, apart: dict[str, _SaidOfWords], marks: Collection[str]) -> Any:
    """The words of an instruction; what else its table says is added to `apart`, by field.

    What is neither a table that may be so nor a list of names stays as it is.
    """
    table = given
    if isinstance(given, list):
        table = _table_of_names(given)
    if not isinstance(table, Mapping) or not all(map(_is_mark, table, table.values())):
        return given
    text = table.get("text")
    if text is None or not table.keys() <= {*marks}:
        return given
    for key, field in _APART.items():
        value = table.get(key)
        if value is None or (key == "aliases" and not value):
            continue
        known = apart.setdefault(field, _SaidOfWords())
        if key == "aliases":  # those of words that stand in two lists come together
            value = list(dict.fromkeys([*known.get(text, ()), *value]))
        known[text] = value
    return text


def _table_of_names(names: list[Any]) -> dict[str, Any]:
    """Return the table that a list of an instruction's words and other names stands for."""
    if not names:
        return {}
    if len(names) == 1:
        return {"text": names[0]}
    return {"text": names[0], "aliases": names[1:]}


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
        case "aliases":
            return isinstance(value, list) and all(map(_is_name, value))
    return key == "text" and isinstance(value, str)


def _is_name(value: Any) -> bool:
    """Whether something may be another name of an instruction."""
    return isinstance(value, str) and value.strip() != ""


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

    In the oldest form a trait with TN instructions is `full_matrix` where it names no mode, and an
    instruction that has other names is a list of them.
    """
    fresh = dict(table)
    texts = []
    if key == MIXED and "evaluation_mode" not in table and table.get("tn_instructions"):
        fresh["evaluation_mode"] = "full_matrix"
        texts.append('its evaluation_mode is "full_matrix", since it has tn_instructions')
    for list_name in _MARKS_OF:
        instructions = table.get(list_name)
        if isinstance(instructions, list) and any(isinstance(one, list) for one in instructions):
            texts.append(f"a list in {list_name} is written {{text = …, aliases = […]}} now")
    return fresh, "; ".join(texts)
