"""Defines a regex trait, by Karenina's keys, defaults and rules."""

import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Self

from pydantic import field_validator, model_validator

from appellate.core.kind import MIXED, Table
from appellate.traits.digest import LongestResultKey, ReadsKey
from appellate.traits.matching import fault
from appellate.traits.verdict.scale import HigherIsBetter, Sort, Value, VerdictTrait

MANUAL = "manual_traits"
"""The list of a rubric that held such traits in earlier forms."""


class RegexRubricTrait(VerdictTrait):
    """A pattern that a response has to match somewhere or, with `invert_result`, nowhere."""

    pattern: str
    case_sensitive: bool = True
    invert_result: bool = False
    reads: ReadsKey = "response"
    longest_result: LongestResultKey = None
    higher_is_better: HigherIsBetter = True

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        """Return the pattern; raise ValueError if it is no regular expression."""
        wrong = fault(pattern)
        if wrong:
            raise ValueError(wrong)
        return pattern

    @property
    def kind(self) -> Sort:
        return "boolean"

    @property
    def question(self) -> str:
        """The description of the pattern, else the pattern."""
        return self.description or self.pattern

    @property
    def is_inverted(self) -> bool:
        return self.invert_result

    @property
    def sayable(self) -> Mapping[str, Value]:
        return {"yes": True, "no": False}

    def verdict(self, *, is_found: bool) -> bool:
        """Return the trait's verdict for a pattern that is found, or is not."""
        return is_found != self.invert_result

    def matches_the_same(self, other: Self) -> bool:
        """Return whether another version of the trait has the same verdict on every response.

        Its pattern, `case_sensitive`, `invert_result`, `reads` and `longest_result` must be the
        same. The name and the description make no difference.
        """
        keys = ("pattern", "case_sensitive", "invert_result", "reads", "longest_result")
        return all(getattr(self, key) == getattr(other, key) for key in keys)


class ManualRubricTrait(RegexRubricTrait):
    """A regex trait under its oldest name, where `invert` inverts and case is ignored by default.

    It is written as the `RegexRubricTrait` that means the same.
    """

    case_sensitive: bool = False

    @model_validator(mode="before")
    @classmethod
    def _rename(cls, values: Any) -> Any:
        """Return a trait's values with `invert` as `invert_result`, before validation.

        If both are there, or for what is no dictionary, nothing is renamed.
        """
        if not isinstance(values, dict):
            return values
        return _with_invert_result(values)

    def to_file(self) -> dict[str, Any]:
        """Return the table as a rubric file writes it, by the defaults of a regex trait."""
        return RegexRubricTrait(**self.model_dump()).to_file()


def _with_invert_result(table: Table) -> dict[str, Any]:
    """Return a copy of a table in which `invert` is called `invert_result`.

    If it has `invert_result` already, `invert` stays.
    """
    renewed = dict(table)
    if "invert" in renewed and "invert_result" not in renewed:
        renewed["invert_result"] = renewed.pop("invert")
    return renewed


def notes(trait: RegexRubricTrait) -> Iterator[str]:
    """Yield a predicate for each thing in a trait that is legal but probably not meant.

    It goes on from the trait's name: "has an empty pattern, which matches every response". The
    others quote a warning of Python about the pattern. Raises re.error if the pattern is no regular
    expression. Patterns that Python has compiled before are forgotten, so that it warns again.
    """
    if not trait.pattern:
        yield "has an empty pattern, which matches every response"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        re.purge()  # a pattern that is known already is compiled without a warning
        re.compile(trait.pattern)
    for warning in warned:
        yield f"has a pattern of which Python says: {warning.message}"


def renew(key: str, table: Table) -> tuple[dict[str, Any], str]:
    """Return a trait's table in today's form, and a clause on its case, or "".

    `key` is the list that the trait was in. In a list of the old forms, case is ignored unless the
    table says otherwise, and `invert` becomes `invert_result`. The clause is then "its
    case_sensitive is false" or "… true", even if nothing changed. A table of another list is only
    copied, and the clause is "".
    """
    if key not in (MANUAL, MIXED):
        return dict(table), ""
    renewed = _with_invert_result(table)
    renewed.setdefault("case_sensitive", False)
    case = "true" if renewed["case_sensitive"] else "false"
    return renewed, f"its case_sensitive is {case}"
