"""Defines an LLM trait, one question that a model judges, by Karenina's keys and rules."""

from typing import Any, Literal, Self

from pydantic import field_validator, model_validator

from appellate.core.kind import CANNOT_TELL, Table
from appellate.core.problem import quoted
from appellate.core.scale import WholeBound
from appellate.core.trace import EARLIER_TURNS, QUESTION, REFERENCE, RESPONSE, Materials
from appellate.traits.digest import LongestResultKey, ReadsKey, Unused
from appellate.traits.verdict.scale import (
    CannotTellKey,
    HigherIsBetter,
    OrderKey,
    VerdictTrait,
)

MOST_SCORES = 10_000
"""The largest number of scores from bound to bound: each is a value that can be chosen and counted.
"""
LOWEST = 0
"""The default of `min_score`, as in Karenina, if a file has null."""
HIGHEST = 5
"""The bounds of a score trait whose `min_score` or `max_score` is null, as Karenina has them."""


class LLMRubricTrait(VerdictTrait):
    """One criterion that a model judges: yes or no, a score, or a class.

    The value of a `literal` trait is the index of its class in `classes` (name → description).
    `higher_is_better` says which end of the scale is good. Classes have such ends only with an
    `order`; else none of them is better. If the trait allows it, judges and people may say that
    they cannot tell.
    """

    DESCRIBED = True

    kind: Literal["boolean", "score", "literal"]
    min_score: WholeBound | None = 1
    max_score: WholeBound | None = 5
    classes: dict[str, str] | None = None
    deep_judgment_enabled: Unused[bool] = False
    deep_judgment_excerpt_enabled: bool = True
    deep_judgment_max_excerpts: int | None = None
    deep_judgment_fuzzy_match_threshold: Unused[float | None] = None
    deep_judgment_excerpt_retry_attempts: Unused[int | None] = None
    deep_judgment_search_enabled: Unused[bool] = False
    include_ground_truth: bool = False
    reads: ReadsKey = "response"
    longest_result: LongestResultKey = None
    higher_is_better: HigherIsBetter = True
    order: OrderKey = None
    cannot_tell: CannotTellKey = False

    @field_validator("kind", mode="before")
    @classmethod
    def _not_a_template(cls, value: object) -> object:
        """Return the kind as it is; raise ValueError for a table, which is Karenina's template.

        Anything else that is no kind is left to be refused by its type.
        """
        if isinstance(value, dict):
            raise ValueError(  # noqa: TRY004 - pydantic collects ValueError alone
                "a trait that fills in a template of its own is not audited here: "
                'write a trait of kind "boolean", "score" or "literal" for each of its fields',
            )
        return value

    @classmethod
    def kept(cls, table: Table) -> Self:
        """Return the trait that `to_file` wrote as this table, without validating its values again.

        A literal trait's bounds, which are not in it, become 0 and its number of classes less one.
        Raises ValidationError for keys that `to_file` cannot have written, and for missing ones.
        """
        classes = table.get("classes")
        if table.get("kind") != "literal" or not classes:
            return super().kept(table)
        with_bounds = {**table, "min_score": 0, "max_score": len(classes) - 1}
        return super().kept(with_bounds)

    @model_validator(mode="after")
    def _has_values(self) -> Self:
        """Set the bounds of a literal trait that has classes to its indexes, and return the trait.

        Raises ValueError for score bounds that leave fewer than two or more than `MOST_SCORES`
        scores. It does too for a class that is called "cannot tell", in any case, if the trait has
        that verdict. That a literal trait has classes is not checked here.
        """
        if self.kind == "literal" and self.classes:
            object.__setattr__(self, "min_score", 0)
            object.__setattr__(self, "max_score", len(self.classes) - 1)
        if self.cannot_tell and self.get_class_index(CANNOT_TELL) >= 0:
            raise ValueError(
                f"cannot_tell = true adds the verdict {quoted(CANNOT_TELL)}: no class may have that"
                " name too",
            )
        if self.kind == "score" and self.low >= self.high:
            raise ValueError(
                f"min_score ({self.low}) must be less than max_score ({self.high})",
            )
        if self.kind == "score" and self.high - self.low >= MOST_SCORES:
            most = f"{MOST_SCORES} may lie from min_score to max_score"
            raise ValueError(
                f"there are {self.high - self.low + 1} scores, and at most {most}",
            )
        return self

    @property
    def low(self) -> int:
        """The lowest verdict as a number: 0 for no and for the first class, else `min_score`.

        A `min_score` of None, from a null in a file, is 0.
        """
        least = LOWEST if self.min_score is None else self.min_score
        return 0 if self.kind == "boolean" else least

    @property
    def high(self) -> int:
        """The highest verdict as a number: 1 for yes, the last class's index, else `max_score`.

        A `max_score` of None, from a null in a file, is 5.
        """
        most = HIGHEST if self.max_score is None else self.max_score
        return 1 if self.kind == "boolean" else most

    @property
    def wants_excerpts(self) -> bool:
        """Whether a model is asked for excerpts: they are enabled, and more than 0 are allowed."""
        return (
            self.deep_judgment_excerpt_enabled and self.deep_judgment_max_excerpts != 0
        )

    @property
    def material(self) -> Materials:
        """The parts of a trace that a request to a judge contains.

        They are question, earlier turns and response, and with `include_ground_truth` the
        reference.
        """
        names = {EARLIER_TURNS, QUESTION, RESPONSE}
        if self.include_ground_truth:
            names.add(REFERENCE)
        return frozenset(names)

    def get_class_index(self, name: str) -> int:
        """Return the index (from 0) of the class called `name`, whatever the case of its letters.

        Returns −1 if there is none.
        """
        for index, class_name in enumerate(self.class_names):
            if class_name.lower() == name.lower():
                return index
        return -1

    def legal_values(self) -> str:
        """Return what a verdict of this trait must be, for a sentence that refuses another.

        That is true or false, the index of a class, or a whole number within the bounds. "Cannot
        tell" is named if the trait allows it.
        """
        if self.kind != "score":
            return super().legal_values()
        return self.with_cannot_tell(f"a whole number from {self.low} to {self.high}")

    def span(self) -> str:
        """Return the lowest and the highest verdict as in "1–5"."""
        return f"{self.low}–{self.high}"

    def asked(self) -> tuple[object, ...]:
        """Return what a judge sees of the trait, as a tuple to compare two versions by.

        These are the name, the description, the kind with its bounds or classes in order, whether
        the ground truth is shown and "cannot tell" is allowed, how many excerpts are wanted, and
        which text is read with results of which length. Versions with equal values are asked the
        same. So are some that differ: no limit of excerpts is another value than 3, but is asked as
        3.
        """
        values: object = None
        if self.kind == "score":
            values = self.low, self.high
        elif self.classes is not None and self.kind == "literal":
            values = tuple(self.classes.items())
        max_excerpts: int | None = 0
        if self.wants_excerpts:
            max_excerpts = self.deep_judgment_max_excerpts
        return (
            self.name,
            self.description,
            self.kind,
            self.include_ground_truth,
            values,
            max_excerpts,
            self.reads,
            self.longest_result,
            self.cannot_tell,
        )

    def notes(self) -> list[str]:
        """Return a predicate without subject for each key that is legal but probably not meant.

        There is one: "is boolean, so its classes are ignored", for classes of a trait that is not
        literal. Otherwise the list is empty.
        """
        if self.kind != "literal" and self.classes is not None:
            return [f"is {self.kind}, so its classes are ignored"]
        return []

    def to_file(self) -> dict[str, Any]:
        """Return the trait as a rubric file has it: only what differs from the defaults.

        A literal trait has no bounds there, since its classes give them.
        """
        if self.kind == "literal":
            return self.model_dump(
                exclude_defaults=True,
                exclude={"min_score", "max_score"},
            )
        return super().to_file()


class RubricTrait(LLMRubricTrait):
    """An LLM trait under its oldest name, where `kind = "binary"` is yes or no."""

    @model_validator(mode="before")
    @classmethod
    def _rename(cls, values: Any) -> Any:
        """Return a trait's values in today's form, before validation.

        "binary" becomes "boolean". What is no dictionary is returned as it is.
        """
        if not isinstance(values, dict):
            return values
        return renew("", values)[0]


def renew(key: str, table: Table) -> tuple[dict[str, Any], str]:
    """Return a trait's table in today's form, and what was old in it ("" if nothing was).

    Only the kind "binary" is old; it becomes "boolean". `table` is not changed, and `key`, the name
    of the list that it is in, makes no difference.
    """
    renewed = dict(table)
    if renewed.get("kind") != "binary":
        return renewed, ""
    renewed["kind"] = "boolean"
    return renewed, 'kind = "binary" is called "boolean" now'
