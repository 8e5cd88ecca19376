"""What a metric trait is: Karenina's rules for it, and what its instructions make of confusion
lists.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from appellate.core.problem import quoted
from appellate.traits.digest import digest
from appellate.traits.metric.measures import (
    BUCKETS,
    FULL_MATRIX_METRICS,
    METRICS,
    Bucket,
    Counts,
    counted,
    defined,
    value,
)
from appellate.traits.weak_words import asks_for_absence

InstructionList = Literal["tp", "tn", "fp"]


class ConfusionLists(BaseModel):
    """The four buckets as plain texts, every item, before deduplication."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tp: list[str] = []
    fn: list[str] = []
    fp: list[str] = []
    tn: list[str] = []


_MARKED = {"text", "omission"}
_INSTRUCTION = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"text": {"type": "string"}, "omission": {"type": "boolean"}},
            "required": ["text"],
            "additionalProperties": False,
        },
    ]
}


class MetricRubricTrait(BaseModel):
    """A checklist of countable items; `evaluation_mode="auto"` is resolved as the trait is made.

    An instruction is its words, or in a file `{text = "…", omission = true}`: `omissions` is what
    such tables say of the words, whether they ask for something that is left out.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"required": ["name", "metrics", "tp_instructions"]},
    )

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    summary: str | None = None
    evaluation_mode: Literal["tp_only", "full_matrix", "auto"] = "tp_only"
    metrics: Annotated[
        list[str], Field(min_length=1, json_schema_extra={"items": {"enum": [*METRICS]}})
    ]
    tp_instructions: Annotated[
        list[str],
        Field(validate_default=True, json_schema_extra={"minItems": 1, "items": _INSTRUCTION}),
    ] = []
    tn_instructions: Annotated[
        list[str], Field(validate_default=True, json_schema_extra={"items": _INSTRUCTION})
    ] = []
    fp_instructions: list[str] = []
    fn_instructions: list[str] = []
    repeated_extraction: bool = True
    higher_is_better: bool | None = None
    omissions: SkipJsonSchema[Annotated[dict[str, bool], Field(exclude=True)]] = {}

    @model_validator(mode="before")
    @classmethod
    def _take_marks(cls, given: Any) -> Any:
        """The words of instructions that are tables, with what those say of them apart."""
        if not isinstance(given, dict):
            return given
        fresh, fields = dict(given), dict[str, bool]()
        for key in ("tp_instructions", "tn_instructions"):
            if isinstance(given.get(key), list):
                fresh[key] = [_words(one, fields) for one in given[key]]
        if fields:
            fresh["omissions"] = fields
        return fresh

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
            if metric in METRICS:
                continue
            if known in METRICS:
                faults.append(f"{quoted(metric)} is not a metric: write it as {quoted(known)}")
            else:
                faults.append(f"{quoted(metric)} is not a metric: choose from {', '.join(METRICS)}")
        for metric in FULL_MATRIX_METRICS:
            needs_tn = info.data.get("evaluation_mode") == "tp_only"
            if needs_tn and metric in metrics:
                faults.append(
                    f"{metric} counts true negatives, which tp_only has not: drop it, or set "
                    'evaluation_mode = "full_matrix" and give tn_instructions'
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
        """Whether TN instructions are in play."""
        return self.evaluation_mode == "full_matrix"

    def instructions(self, of: InstructionList) -> list[str]:
        """The list an item may link to; TN instructions are ignored in `tp_only`, "fp" are the
        hints.
        """
        if of == "tn" and not self.full:
            return []
        lists = {"tp": self.tp_instructions, "tn": self.tn_instructions, "fp": self.fp_instructions}
        return lists[of]

    def may_be_omitted(self, of: InstructionList, number: int) -> bool:
        """Whether an instruction may be met by what the response leaves out: as the rubric says,
        else by its words.
        """
        if of == "fp":
            return False
        (text,) = self.instructions(of)[number - 1 : number] or ("",)
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
        sizes = (
            len(counted(getattr(lists, bucket), self.repeated_extraction)) for bucket in BUCKETS
        )
        return Counts(*sizes)

    def measure(self, lists: ConfusionLists) -> dict[str, float]:
        """Each requested metric, in the order asked, from the items that count."""
        counts = self.counts(lists)
        return {metric: value(metric, counts) for metric in self.metrics}

    def undefined(self, lists: ConfusionLists) -> set[str]:
        """The requested metrics that are 0/0: their value 0.0 is no score."""
        counts = self.counts(lists)
        return {metric for metric in self.metrics if not defined(metric, counts)}

    def to_file(self) -> dict[str, Any]:
        """The trait as a rubric file writes it: only what differs from the defaults."""
        table = self.model_dump(exclude_defaults=True)
        for key in ("tp_instructions", "tn_instructions"):
            if not self.omissions.keys().isdisjoint(table.get(key, ())):
                table[key] = [self._marked(text) for text in table[key]]
        return table

    def _marked(self, text: str) -> str | dict[str, Any]:
        if text not in self.omissions:
            return text
        return {"text": text, "omission": self.omissions[text]}

    def sha256(self) -> str:
        return digest(self.to_file())


def _words(given: Any, fields: dict[str, bool]) -> Any:
    """The words of an instruction; whether it asks for an omission is added to what is said."""
    if not isinstance(given, Mapping) or not given.keys() <= _MARKED:
        return given
    text, omission = given.get("text"), given.get("omission", None)
    if not isinstance(text, str) or not isinstance(omission, bool | None):
        return given
    if omission is not None:
        fields[text] = omission
    return text
