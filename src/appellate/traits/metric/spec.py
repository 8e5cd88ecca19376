"""Defines a metric trait, as rubric files have it, and the arithmetic of the four buckets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, NewType, Self, get_args

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
from appellate.traits.digest import (
    HeadlineKey,
    LongestResultKey,
    ReadsKey,
    RubricPart,
    check_headline,
)
from appellate.traits.weak_words import asks_for_absence

Bucket = Literal["tp", "fn", "fp", "tn"]
BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
"""TP and FN of instructions about what should be said; FP and TN of what should not."""
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
    """The number of items that count in each bucket."""

    tp: int = 0
    fn: int = 0
    fp: int = 0
    tn: int = 0


FoldedText = NewType("FoldedText", str)
"""A text in lower case without white space around it, by which repeats and names are compared."""


def folded(text: str) -> FoldedText:
    """Return a text as it is compared with others: in lower case, without white space around it.

    White space within the text stays.
    """
    return FoldedText(text.lower().strip())


@lru_cache(4096)
def value(metric: str, counts: Counts) -> float | None:
    """Return a metric of these counts, from 0 to 1, or None if it is 0/0.

    F1 is 0 rather than None as soon as anything was expected or claimed. Raises KeyError for a
    metric that is no ratio of counts, as `weighted`.
    """
    if metric == "f1":
        if not counts.tp + counts.fp + counts.fn:
            return None
        precision = value("precision", counts) or 0.0
        recall = value("recall", counts) or 0.0
        numerator = 2 * precision * recall
        denominator = precision + recall or 1.0
        return numerator / denominator
    count_of = counts._asdict()
    ratio = RATIOS[metric]
    numerator = sum(weight * count_of[bucket] for bucket, weight in ratio.above.items())
    denominator = sum(
        weight * count_of[bucket] for bucket, weight in ratio.below.items()
    )
    if not denominator:
        return None
    share: float = numerator / denominator
    return share


# -- the trait -------------------------------------------------------------------------------------


InstructionList = Literal["tp", "tn", "fp"]
Link = tuple[InstructionList, int]
"""An instruction: the list it is in, and its number from 1."""
Links = Mapping[Bucket, Sequence[Link | None]]
"""The instruction that each item of a bucket answers, None for an unlinked one."""


class Numbering(NamedTuple):
    """The numbers of a list's instructions, by their words and by their other names."""

    by_text: Mapping[str, int]
    """The number (from 1) by the exact words of the instruction."""
    by_alias: Mapping[FoldedText, int]
    """The number (from 1) by another name of the instruction, folded."""

    def number(self, text: str) -> int | None:
        """Return the number (from 1) of the instruction that a text names, or None.

        The words must be identical. One of its other names may be in any case, with blanks around
        it. Words go before names.
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
    ],
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
    ],
}


def _as_words(value: object, marks: Collection[str]) -> object:
    """Return `value` if it is a text; raise ValueError with what is wrong in a table or a list.

    What is neither is returned for its type to be refused. Tables and lists of names that are right
    have been taken apart by `_take_marks` before, so the ones that come here are wrong. `marks` are
    the keys that a table may have.
    """
    if isinstance(value, list):
        raise ValueError(  # noqa: TRY004 - pydantic collects ValueError alone
            "a list in place of an instruction has its words and then its other names, all texts",
        )
    if not isinstance(value, Mapping):
        return value
    if "text" not in value:
        raise ValueError("its text is missing")
    for key, mark in value.items():
        if key not in marks:
            raise ValueError("; ".join(unknown_key(key, [*marks])))
        if not _is_mark(key, mark):
            raise ValueError(f"{key} must be {_MARKS[key]}, not {describe_value(mark)}")
    return value


Instruction = Annotated[str, BeforeValidator(lambda given: _as_words(given, _MARKS))]
Hint = Annotated[str, BeforeValidator(lambda given: _as_words(given, _MARKS_OF_HINTS))]


class MetricRubricTrait(RubricPart):
    """A checklist of countable items; `evaluation_mode="auto"` is resolved as the trait is made.

    An instruction is its words, or in a file `{text = "…", omission = true, weight = 5}`: what such
    tables say of the words is in `omissions` (whether they ask for something that is left out),
    `weights` (their points in the metric `weighted`), `tags` and `aliases` (their other names).
    """

    model_config = ConfigDict(
        json_schema_extra={"required": ["name", "metrics", "tp_instructions"]},
    )

    PLAINLY_WRITTEN = True

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    summary: str | None = None
    evaluation_mode: Literal["tp_only", "full_matrix", "auto"] = "tp_only"
    aliases: SkipJsonSchema[Annotated[dict[str, list[str]], Field(exclude=True)]] = {}
    tp_instructions: Annotated[
        list[Instruction],
        Field(
            validate_default=True,
            json_schema_extra={"minItems": 1, "items": _INSTRUCTION},
        ),
    ] = []
    tn_instructions: Annotated[
        list[Instruction],
        Field(validate_default=True, json_schema_extra={"items": _INSTRUCTION}),
    ] = []
    metrics: Annotated[
        list[str],
        Field(min_length=1, json_schema_extra={"items": {"enum": [*KNOWN]}}),
    ]
    headline: HeadlineKey = None
    fp_instructions: Annotated[
        list[Hint],
        Field(json_schema_extra={"items": _HINT}),
    ] = []
    fn_instructions: Annotated[
        list[Hint],
        Field(json_schema_extra={"items": _HINT}),
    ] = []
    repeated_extraction: bool = True
    reads: ReadsKey = "response"
    longest_result: LongestResultKey = None
    higher_is_better: bool | None = None
    omissions: SkipJsonSchema[Annotated[dict[str, bool], Field(exclude=True)]] = {}
    weights: SkipJsonSchema[Annotated[dict[str, float], Field(exclude=True)]] = {}
    tags: SkipJsonSchema[Annotated[dict[str, list[str]], Field(exclude=True)]] = {}

    @model_validator(mode="before")
    @classmethod
    def _take_marks(cls, values: Any) -> Any:
        """Return a trait's values with plain texts as instructions and their marks in own fields.

        It runs before validation. An instruction may be a table with a text and marks, such as
        `weight`. Each mark goes into the field that holds it for all instructions, such as
        `weights`. What is no right table stays, for the validators to refuse; so do values that are
        no dictionary. The argument is not changed.
        """
        if not isinstance(values, dict):
            return values
        return _with_marks_apart(values)

    @classmethod
    def kept(cls, table: Table) -> Self:
        """Return the trait that `to_file` wrote as this table, with marks in fields of their own.

        A table with the right keys is not validated again. Raises ValidationError for keys that
        `to_file` cannot have written, and for missing ones.
        """
        return super().kept(_with_marks_apart(table))

    @field_validator("omissions", "weights", "tags", "aliases", mode="before")
    @classmethod
    def _not_a_key(cls, value: object, info: ValidationInfo) -> object:
        """Return the value if `_take_marks` made it; raise ValueError if a rubric has it as a key.

        These fields are filled from tables of instructions only, so for a rubric they are unknown
        keys.
        """
        if isinstance(value, _SaidOfWords):
            return value
        keys = cls.model_fields.keys() - set(_APART.values())
        texts = unknown_key(str(info.field_name), sorted(keys))
        raise ValueError("; ".join(texts))

    @model_validator(mode="before")
    @classmethod
    def _resolve_auto(cls, values: Any) -> Any:
        """Return a trait's values with the mode "auto" replaced, before validation.

        It becomes "full_matrix" if there are TN instructions, else "tp_only". Other values are
        returned as they are.
        """
        if not isinstance(values, dict) or values.get("evaluation_mode") != "auto":
            return values
        mode = "full_matrix" if values.get("tn_instructions") else "tp_only"
        return {**values, "evaluation_mode": mode}

    @field_validator("metrics")
    @classmethod
    def _known_and_computable(
        cls,
        metrics: list[str],
        info: ValidationInfo,
    ) -> list[str]:
        """Return the metrics as they are; raise ValueError for any that is not possible.

        Unknown are those not in `KNOWN`, also if only the case differs. A `tp_only` trait cannot
        compute specificity and accuracy. The error names all of them and what to do.
        """
        faults = []
        for metric in dict.fromkeys(metrics):
            lower_case = metric.strip().lower()
            advice = f"choose from {', '.join(KNOWN)}"
            if lower_case in KNOWN:
                advice = f"write it as {quoted(lower_case)}"
            if metric not in KNOWN:
                faults.append(f"{quoted(metric)} is not a metric: {advice}")
        if info.data.get("evaluation_mode") == "tp_only":
            way_out = 'set evaluation_mode = "full_matrix" and give tn_instructions'
            if info.data.get("tn_instructions"):
                way_out = 'set evaluation_mode = "auto" or "full_matrix" to use the tn_instructions'
            for metric in FULL_MATRIX_METRICS:
                if metric in metrics:
                    faults.append(
                        f"{metric} counts true negatives, which tp_only has not: "
                        f"drop it, or {way_out}",
                    )
        if faults:
            raise ValueError("; ".join(faults))
        return metrics

    @field_validator("headline")
    @classmethod
    def _one_of_the_metrics(
        cls,
        headline: str | None,
        info: ValidationInfo,
    ) -> str | None:
        """Return a headline as it is, which may be None.

        Raises ValueError for one that is not among the metrics. Wrong metrics are refused already.
        """
        if "metrics" in info.data:
            check_headline(headline, info.data["metrics"])
        return headline

    @field_validator("tp_instructions")
    @classmethod
    def _something_expected(cls, instructions: list[str]) -> list[str]:
        """Return the TP instructions as they are; raise ValueError if there are none."""
        if not instructions:
            raise ValueError(
                "a metric trait needs at least one TP instruction: what the response should say",
            )
        return instructions

    @field_validator(
        "tp_instructions",
        "tn_instructions",
        "fp_instructions",
        "fn_instructions",
    )
    @classmethod
    def _distinct_names(
        cls,
        instructions: list[str],
        info: ValidationInfo,
    ) -> list[str]:
        """Return one list's instructions as they are; raise ValueError if two share a name.

        Names are the words and the other names, compared without regard to case. The same
        instruction twice, in the very same words, is allowed. A trait without other names is not
        checked. Only the first such name is reported.
        """
        aliases = info.data.get("aliases")
        if not aliases:
            return instructions
        owners: dict[str, str] = {}
        for text in instructions:
            for name in (text, *aliases.get(text, ())):
                owner = owners.setdefault(folded(name), text)
                if owner != text:
                    both = f"{quoted(owner)} and {quoted(text)}"
                    raise ValueError(
                        f"{both} are both called {quoted(name)}: take it from one",
                    )
        return instructions

    @field_validator("tn_instructions")
    @classmethod
    def _something_forbidden(
        cls,
        instructions: list[str],
        info: ValidationInfo,
    ) -> list[str]:
        """Return the TN instructions; raise ValueError if there are none in `full_matrix`."""
        if not instructions and info.data.get("evaluation_mode") == "full_matrix":
            raise ValueError(
                "full_matrix needs at least one TN instruction: what the response should not say; "
                'add one, or set evaluation_mode = "tp_only"',
            )
        return instructions

    @property
    def material(self) -> Materials:
        """The names of what a judge is given: question, earlier turns, reference and response.

        They are the same for all metric traits.
        """
        return frozenset({EARLIER_TURNS, QUESTION, REFERENCE, RESPONSE})

    @property
    def full(self) -> bool:
        """Whether the trait counts true negatives."""
        return self.evaluation_mode == "full_matrix"

    def instructions(self, list_name: InstructionList) -> Sequence[str]:
        """Return the words of the instructions of a list, in order; those of "fp" are hints.

        In `tp_only` "tn" has none.
        """
        match list_name:
            case "tp":
                return self.tp_instructions
            case "tn":
                return self.tn_instructions if self.full else []
            case "fp":
                return self.fp_instructions

    def words(self, list_name: InstructionList, number: int) -> str:
        """Return the words of an instruction, whose number counts from 1.

        Returns "" if the list has none of that number.
        """
        return "".join(self.instructions(list_name)[number - 1 : number])

    def names(self, list_name: InstructionList, number: int) -> list[str]:
        """Return the words of an instruction, then its other names; empty if there is none.

        `number` counts from 1.
        """
        names: list[str] = []
        for text in self.instructions(list_name)[number - 1 : number]:
            names.append(text)
            names.extend(self.aliases.get(text, ()))
        return names

    def numbering(self, list_name: InstructionList) -> Numbering:
        """Return the numbers (from 1) of a list's instructions, to look up by any of their names.

        If two instructions share a name, the first has it.
        """
        by_text: dict[str, int] = {}
        by_alias: dict[FoldedText, int] = {}
        for number, text in enumerate(self.instructions(list_name), 1):
            by_text.setdefault(text, number)
            for name in self.aliases.get(text, ()):
                by_alias.setdefault(folded(name), number)
        return Numbering(by_text, by_alias)

    def same_as(self, bucket: Bucket) -> dict[FoldedText, FoldedText]:
        """Return the words of instructions by their other names, both folded, as {"ba": "asthma"}.

        These are the names that items of a bucket may have in place of the words. If two
        instructions share a name, the first has it. Empty if the trait has no other names.
        """
        words_by_name: dict[FoldedText, FoldedText] = {}
        if not self.aliases:
            return words_by_name
        for list_name in lists_of(self, bucket):
            for text in self.instructions(list_name):
                for name in self.aliases.get(text, ()):
                    words_by_name.setdefault(folded(name), folded(text))
        return words_by_name

    def may_be_omitted(self, list_name: InstructionList, number: int) -> bool:
        """Return whether an instruction can be met by what the response leaves out.

        What the rubric says decides, else whether the instruction's own words ask for absence.
        Hints cannot be met so, and neither can a number that the list lacks. `number` counts from
        1.
        """
        if list_name == "fp":
            return False
        text = self.words(list_name, number)
        return self.omissions.get(text, asks_for_absence(text))

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """The buckets that items go to, in order; `tp_only` has no TN."""
        return BUCKETS if self.full else BUCKETS[:3]

    def get_required_buckets(self) -> set[str]:
        """Return the names of the buckets that items go to."""
        return set(self.buckets)

    def deduplicate(self, lists: ConfusionLists) -> ConfusionLists:
        """Return the items that count: of those with the same words the first, with its own words.

        Words are compared without regard to case, and a name of an instruction counts as its words.
        Blank items are left out. Without `repeated_extraction` nothing is left out. The lists that
        are given stay as they are.
        """
        texts_that_count = {}
        for bucket in BUCKETS:
            texts = getattr(lists, bucket)
            texts_that_count[bucket] = [
                texts[position] for position in self.counting(bucket, texts)
            ]
        return ConfusionLists(**texts_that_count)

    def counts_by_link(self, bucket: Bucket) -> bool:
        """Return whether linked items of a bucket are repeats by their instruction alone.

        Wrong candidates of `tp_only` are not: two for one instruction are two errors. It is False
        for a trait that counts repeats.
        """
        return self.repeated_extraction and (self.full or bucket != "fp")

    def counting(
        self,
        bucket: Bucket,
        texts: Sequence[str],
        links: Sequence[Link | None] = (),
    ) -> list[int]:
        """Return the positions (from 0) of a bucket's items that count, in order.

        Without `repeated_extraction` all of them count, else the first of those that repeat each
        other. Linked items do so if they answer the same instruction, and wrong candidates of a
        `tp_only` trait only if their words are the same, too. Unlinked items do so if their words
        are the same. Words are compared folded, and other names for an instruction are as its
        words. Items told by words that have none do not count. `links` has the instruction of each
        text; if it is empty, all are unlinked.
        """
        if not self.repeated_extraction:
            return list(range(len(texts)))
        words_by_name = self.same_as(bucket)
        # as `counts_by_link`, with fewer calls
        is_told_by_words = bucket == "fp" and not self.full
        first: dict[tuple[Link | None, FoldedText], int] = {}
        for position, text in enumerate(texts):
            link = links[position] if links else None
            words = FoldedText("")
            if link is None or is_told_by_words:
                words = folded(text)
                words = words_by_name.get(words, words)
                if not words:
                    continue
            first.setdefault((link, words), position)
        return list(first.values())

    def tally(
        self,
        lists: Mapping[str, Sequence[str]],
        links: Links | None = None,
    ) -> Counts:
        """Return how many items of each bucket count, such as 2 of TP; weights make no difference.

        With `repeated_extraction` those that repeat another are not counted (see `counting`).
        `links` has the instruction of each item by bucket; without it all are unlinked. A bucket
        that is missing in `lists` has none.
        """
        counts = []
        for bucket in BUCKETS:
            links_of_bucket = links.get(bucket, ()) if links else ()
            counts.append(
                len(self.counting(bucket, lists.get(bucket, ()), links_of_bucket)),
            )
        return Counts(*counts)

    def counts(self, lists: ConfusionLists) -> Counts:
        """Return how many items of each bucket count."""
        return self.tally(vars(lists))

    def numbers(
        self,
        counts: Counts,
        met: Collection[tuple[str, str]],
    ) -> dict[str, float | None]:
        """Return each metric that the trait asks for, by name in the trait's order; None for 0/0.

        `met` are the instructions that the response meets, as ("tp", "names the drug"), or "tn".
        Only `weighted` is computed from them, the others from `counts`.
        """
        numbers = {}
        for metric in self.metrics:
            numbers[metric] = (
                self.points(met) if metric == WEIGHTED else value(metric, counts)
            )
        return numbers

    def measure(self, lists: ConfusionLists) -> dict[str, float]:
        """Return each metric that the trait asks for, computed from the items that count.

        One that is 0/0 is 0.0 here; `undefined` names it. They are by name, in the trait's order.
        """
        numbers = self.numbers(self.counts(lists), self._met(lists))
        return {metric: number or 0.0 for metric, number in numbers.items()}

    def undefined(self, lists: ConfusionLists) -> set[str]:
        """Return the names of the metrics that the trait asks for and that are 0/0.

        `measure` gives 0.0 for them, which is no score.
        """
        numbers = self.numbers(self.counts(lists), self._met(lists))
        return {metric for metric, number in numbers.items() if number is None}

    def weight(self, list_name: InstructionList, text: str) -> float:
        """Return the points of an instruction, found by its words.

        By default they are 1, or −1 in the TN list. Other words get the default too.
        """
        return self.weights.get(text, -1.0 if list_name == "tn" else 1.0)

    def points(self, met: Collection[tuple[str, str]]) -> float | None:
        """Return points achieved over points possible, cut to 0 to 1; None if none are possible.

        `met` are the instructions that the response meets, as ("tp", "names the drug"), or "tn".
        Possible are the positive weights; a negative weight takes off points if its instruction is
        met.
        """
        achieved = possible = 0.0
        lists: tuple[InstructionList, ...] = ("tp", "tn")
        for list_name in lists:
            for text in self.instructions(list_name):
                weight = self.weight(list_name, text)
                possible += max(weight, 0.0)
                if (list_name, text) in met:
                    achieved += weight
        if not possible:
            return None
        return min(max(achieved / possible, 0.0), 1.0)

    def _met(self, lists: ConfusionLists) -> set[tuple[str, str]]:
        """Return the instructions that plain lists of texts meet, as ("tp", words).

        Texts of TP and FN are compared with the TP instructions and their other names, those of FP
        and TN with the TN instructions. Met are those named by a text of TP or FP. If a text of TP
        names no instruction, all TP instructions that FN does not name are met too; so for FP, with
        TN.
        """
        met: set[tuple[str, str]] = set()
        sides: tuple[tuple[InstructionList, list[str], list[str]], ...] = (
            ("tp", lists.tp, lists.fn),
            ("tn", lists.fp, lists.tn),
        )
        for list_name, present, absent in sides:
            instructions = self.instructions(list_name)
            present_words = set(self._in_words(list_name, present))
            absent_words = set(self._in_words(list_name, absent))
            has_other_words = not present_words.issubset(instructions)
            for text in instructions:
                if text in present_words or (
                    has_other_words and text not in absent_words
                ):
                    met.add((list_name, text))
        return met

    def _in_words(self, list_name: InstructionList, texts: Iterable[str]) -> list[str]:
        """Return texts with an instruction's words in place of its other names, in order.

        A text that names no instruction of the list stays as it is.
        """
        numbering = self.numbering(list_name)
        worded: list[str] = []
        for text in texts:
            number = numbering.number(text)
            if number is None:
                worded.append(text)
            else:
                worded.append(self.words(list_name, number))
        return worded

    def to_file(self) -> dict[str, Any]:
        """Return the trait as a rubric file has it: only what differs from the defaults.

        Name, description, summary, mode and metrics come first. An instruction is its words, or
        with marks a table such as {"text": "Fever", "weight": 5}.
        """
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
        """Return an instruction as a file has it: its words, or a table if it has marks.

        `marks` are the keys that a table of its list may have; others are left out.
        """
        table: dict[str, Any] = {"text": text}
        for key, field in _APART.items():
            mark_by_text = getattr(self, field)
            if key in marks and text in mark_by_text:
                table[key] = mark_by_text[text]
        if len(table) == 1:
            return text
        return table


def lists_of(trait: MetricRubricTrait, bucket: Bucket) -> tuple[InstructionList, ...]:
    """Return the instruction lists that items of a bucket may answer, the usual one first.

    For "tp" and "fn" that is "tp", for "tn" it is "tn", whatever the mode. For "fp" they are ("tn",
    "fp") in `full_matrix` and ("tp", "fp") in `tp_only`.
    """
    if bucket == "fp":
        return ("tn", "fp") if trait.full else ("tp", "fp")
    if bucket == "tn":
        return ("tn",)
    return ("tp",)


_WRITTEN_FIRST = (
    "name",
    "description",
    "summary",
    "evaluation_mode",
    "metrics",
    "headline",
)
"""The keys that a file has before the instructions. `metrics` is validated after the
instructions, since which metrics are possible depends on them.
"""
_APART = {
    "omission": "omissions",
    "weight": "weights",
    "tags": "tags",
    "aliases": "aliases",
}
"""The marks that a table gives an instruction, and the field that holds each."""
_MARKS = {
    "text": "text in quotes",
    "omission": "true or false",
    "weight": f"a number from -{FURTHEST:,} to {FURTHEST:,}",
    "tags": "a list of texts",
    "aliases": "a list of texts that are not empty",
}
"""The keys of an instruction's table, and what each must be."""
_MARKS_OF_HINTS = ("text", "aliases")
_MARKS_OF: Mapping[str, Collection[str]] = {
    "tp_instructions": _MARKS,
    "tn_instructions": _MARKS,
    "fp_instructions": _MARKS_OF_HINTS,
    "fn_instructions": _MARKS_OF_HINTS,
}
"""The keys that a table of an instruction may have, by list."""


class _SaidOfWords(dict[str, Any]):
    """One mark of all instructions, by their words."""


def _with_marks_apart(values: Table) -> dict[str, Any]:
    """Return a trait's values with plain texts as instructions, and marks in own fields.

    The TP instruction {"text": "Names Paris", "weight": 2} becomes "Names Paris", and `weights`
    gets {"Names Paris": 2}. Instructions that are no right table stay as they are, and so does a
    mark's field that the values have already. The argument is not changed.
    """
    texts_only = dict(values)
    marks_by_field = dict[str, _SaidOfWords]()
    for key, marks in _MARKS_OF.items():
        if isinstance(values.get(key), list | tuple):
            texts_only[key] = [
                _words(instruction, marks_by_field, marks)
                for instruction in values[key]
            ]
    # a key that the rubric has itself stays, so that it is refused
    return marks_by_field | texts_only


def _words(
    value: Any,
    marks_by_field: dict[str, _SaidOfWords],
    marks: Collection[str],
) -> Any:
    """Return the words of an instruction, and add its marks to `marks_by_field`.

    Of {"text": "Names Paris", "weight": 2} the words are "Names Paris", and {"weights": {"Names
    Paris": 2}} is added. A list has the words and then other names: ["Names Paris", "Paris"].
    `marks` are the keys that a table may have. A plain text is returned as it is, and so is what is
    no possible table or list of names: the validator refuses it. Empty other names and marks of
    None are left out. Other names of the same words are joined; of any other mark the last counts.
    """
    if isinstance(value, str):
        return value
    table = value
    if isinstance(value, list):
        table = _table_of_names(value)
    if not isinstance(table, Mapping) or not all(map(_is_mark, table, table.values())):
        return value
    text = table.get("text")
    if text is None or not table.keys() <= {*marks}:
        return value
    for key, field in _APART.items():
        mark = table.get(key)
        if mark is None or (key == "aliases" and not mark):
            continue
        mark_by_text = marks_by_field.setdefault(field, _SaidOfWords())
        if key == "aliases":  # those of words that stand in two lists come together
            mark = list(dict.fromkeys([*mark_by_text.get(text, ()), *mark]))
        mark_by_text[text] = mark
    return text


def _table_of_names(names: list[Any]) -> dict[str, Any]:
    """Return the table that a list of an instruction's words and other names stands for.

    ["Names Paris", "Paris"] gives {"text": "Names Paris", "aliases": ["Paris"]}; one text gives
    {"text": "Names Paris"}, and an empty list {}.
    """
    if not names:
        return {}
    if len(names) == 1:
        return {"text": names[0]}
    return {"text": names[0], "aliases": names[1:]}


def _is_mark(key: str, value: Any) -> bool:
    """Return whether a table of an instruction may have this value for this key.

    "text" is a text, "aliases" and "tags" are lists of texts, and no alias is blank. "weight" must
    lie within ±`FURTHEST`; "omission" may be None. It is False for an unknown key.
    """
    match key:
        case "omission":
            return isinstance(value, bool | None)
        case "weight":
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return is_number and -FURTHEST <= value <= FURTHEST
        case "tags":
            return isinstance(value, list) and all(
                isinstance(tag, str) for tag in value
            )
        case "aliases":
            return isinstance(value, list) and all(map(_is_name, value))
    return key == "text" and isinstance(value, str)


def _is_name(value: Any) -> bool:
    """Return whether a value can be another name of an instruction."""
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
"""The keys that only a metric trait has, by which an old file's trait is recognised."""


def renew(key: str, table: Table) -> tuple[dict[str, Any], str]:
    """Return a trait's table in today's form, and what was old in it ("" if nothing was).

    In the oldest form, under the key `MIXED`, a trait with `tn_instructions` and no
    `evaluation_mode` gets the mode "full_matrix". An instruction that is a list of its names is
    only mentioned, since it can be read still. Texts on several old things are joined by "; ".
    `table` is not changed.
    """
    renewed = dict(table)
    texts = []
    if key == MIXED and "evaluation_mode" not in table and table.get("tn_instructions"):
        renewed["evaluation_mode"] = "full_matrix"
        texts.append(
            'its evaluation_mode is "full_matrix", since it has tn_instructions',
        )
    for list_name in _MARKS_OF:
        instructions = table.get(list_name)
        if isinstance(instructions, list) and any(
            isinstance(instruction, list) for instruction in instructions
        ):
            texts.append(
                f"a list in {list_name} is written {{text = …, aliases = […]}} now",
            )
    return renewed, "; ".join(texts)
