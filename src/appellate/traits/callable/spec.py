"""Defines a callable trait by Karenina's keys and rules: a function by name, not pickled code."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Literal, Self

from pydantic import field_validator, model_validator

from appellate.core.problem import describe_value, quoted
from appellate.core.scale import NO_BOUND, WholeBound
from appellate.traits.digest import LongestResultKey, ReadsKey
from appellate.traits.functions import NAMED, checked_name
from appellate.traits.verdict.scale import (
    DIGITS,
    HigherIsBetter,
    OrderKey,
    Value,
    VerdictTrait,
)

_SCORERS = 'a [[scorer_traits]] with scorer = "callable" takes'


class CallableRubricTrait(VerdictTrait):
    """A function of a response that returns yes or no, a score, or the name of a class.

    The value of a `literal` trait is the index of its class in `classes` (name → description).
    """

    kind: Literal["boolean", "score", "literal"]
    callable: str
    min_score: WholeBound | None = None
    max_score: WholeBound | None = None
    invert_result: bool = False
    classes: dict[str, str] | None = None
    reads: ReadsKey = "response"
    longest_result: LongestResultKey = None
    higher_is_better: HigherIsBetter = True
    order: OrderKey = None

    @model_validator(mode="before")
    @classmethod
    def _never_pickled(cls, values: object) -> object:
        """Return the trait's values unchanged.

        Raises ValueError if they have the key `callable_code`, of pickled code, whatever its value.
        """
        if isinstance(values, dict) and "callable_code" in values:
            raise ValueError(
                f"callable_code is pickled code, which is never loaded: {NAMED}",
            )
        return values

    @field_validator("callable")
    @classmethod
    def _names_a_function(cls, name: str) -> str:
        """Return the name; raise ValueError if it cannot be a function's."""
        return checked_name(name)

    @model_validator(mode="after")
    def _has_bounds_in_order(self) -> Self:
        """Return the trait; raise ValueError if a score's least value is not below its greatest."""
        if self.kind == "score" and self.low >= self.high:
            raise ValueError(
                f"min_score ({self.min_score}) must be less than max_score ({self.max_score})",
            )
        return self

    # -- its values -------------------------------------------------------------------------------

    @property
    def low(self) -> float:
        """The least value; `-NO_BOUND`, far below 0, if a score has no lower bound.

        It is 0 for yes or no and for classes.
        """
        lower_bound = -NO_BOUND if self.min_score is None else self.min_score
        return lower_bound if self.kind == "score" else super().low

    @property
    def high(self) -> float:
        """The greatest value; `NO_BOUND`, far above 0, if a score has no upper bound.

        It is 1 (yes) for yes or no, and the index of the last class.
        """
        upper_bound = NO_BOUND if self.max_score is None else self.max_score
        return upper_bound if self.kind == "score" else super().high

    @property
    def values(self) -> range:
        """All verdicts as numbers; empty for scores, which need not be whole."""
        return range(0) if self.kind == "score" else super().values

    @property
    def is_inverted(self) -> bool:
        """Whether yes here means that the function returns False."""
        return self.kind == "boolean" and self.invert_result

    @property
    def choices(self) -> Sequence[Value]:
        """All verdicts that can be listed: yes before no, scores upwards, classes by index.

        Scores are listed only if both bounds are from 0 to 9, and then only whole ones; else it is
        empty.
        """
        has_digit_bounds = self.low >= 0 and self.high <= DIGITS
        if self.kind == "score" and has_digit_bounds:
            return range(int(self.low), int(self.high) + 1)
        return super().choices

    @property
    def is_picked_from_list(self) -> bool:
        """Whether a person picks a verdict from a list of all; False for scores, which are typed.

        A score may be a fraction, and no list has them all.
        """
        return self.kind != "score"

    def offered(self, *extra_values: Value | None) -> list[Value]:
        """Return the verdicts that get a row on the screen: those of `choices`, in their order.

        Fractions on the scale among `extra_values`, such as the current score, have rows between
        whole scores; None and other values are left out. Empty for scores unless both bounds are
        from 0 to 9.
        """
        verdicts = list(self.choices)
        if self.kind != "score" or not verdicts:
            return verdicts
        for value in extra_values:
            if value is None or value in verdicts:
                continue
            if self.is_value(value):
                verdicts.append(value)
        return sorted(verdicts)

    def is_value(self, value: object) -> bool:
        """Return whether a value is a verdict of this trait.

        A score is any number within the bounds, also a fraction; true and false are none. A verdict
        of yes or no is true or false, never 1 or 0, and one of a literal trait is the index of a
        class, not its name.
        """
        if self.kind != "score" or isinstance(value, bool):
            return super().is_value(value)
        if not isinstance(value, int | float):
            return False
        return self.low <= value <= self.high

    def legal_values(self) -> str:
        """Return what a verdict of this trait must be, for a sentence that refuses another.

        For example "true or false", "the index of a class, 0 to 2" or "a number from 1 to 5". With
        one bound or none a score must also be "no further from 0 than" `NO_BOUND`.
        """
        if self.kind != "score":
            return super().legal_values()
        text = f"a number {self.span()}".strip()
        if None in (self.min_score, self.max_score):
            text += f", no further from 0 than {NO_BOUND:g}"
        return text

    def form(self) -> str:
        """Return "function, " and the sort of verdict in the words of any trait with a verdict."""
        return f"function, {super().form()}"

    def scale_text(self) -> str:
        """Return the sort of verdict and its good end: "Yes or no · yes is better".

        If yes and no are inverted, it is "Yes or no, the contrary of what the function returns ·
        yes is better".
        """
        text = super().scale_text()
        if self.is_inverted:
            return text.replace(
                " ·",
                ", the contrary of what the function returns ·",
                1,
            )
        return text

    def span(self) -> str:
        """Return the bounds that are set as text: "from 1 to 5", "from 1 on" or "up to 5".

        Returns "" if there is none. The kind of the trait makes no difference.
        """
        lower_bound = self.min_score
        upper_bound = self.max_score
        if lower_bound is not None and upper_bound is not None:
            return f"from {lower_bound} to {upper_bound}"
        if lower_bound is not None:
            return f"from {lower_bound} on"
        if upper_bound is not None:
            return f"up to {upper_bound}"
        return ""

    def verdict_of(self, returned: object) -> Value:
        """Return the verdict that a function's value stands for.

        True and False are exchanged if the trait inverts. The name of a class becomes its index
        from 0, and a score is returned as it is. Raises ValueError, with what was returned and what
        would be right, for anything that is no verdict of the trait, such as None or a score out of
        bounds.
        """
        if isinstance(returned, dict):
            wrong = f"returned a dictionary, not one verdict; {_SCORERS} one"
            raise ValueError(wrong)  # noqa: TRY004 - a wrong value, as any other
        if self.kind == "boolean":
            if not isinstance(returned, bool):
                raise ValueError(
                    f"returned {describe_value(returned)}, not True or False",
                )
            return returned != self.invert_result
        if self.kind == "literal":
            if returned not in self.class_names:
                class_list = ", ".join(map(quoted, self.class_names))
                raise ValueError(
                    f"returned {describe_value(returned)}, not a class: {class_list}",
                )
            return self.class_names.index(str(returned))
        if not isinstance(returned, int | float) or not self.is_value(returned):
            wrong = f"returned {describe_value(returned)}, not {self.legal_values()}"
            if returned in ("C", "P", "I", "N"):
                wrong += f"; {_SCORERS} letters"
            raise ValueError(wrong)
        return returned

    def runs_the_same(self, other: Self) -> bool:
        """Return whether this trait and `other` give the same verdict on every response.

        That is so if function, kind, bounds, class names in order, inversion, the text that is read
        and its longest result are the same. Descriptions do not count.
        """
        result = attrgetter(
            *("callable", "kind", "invert_result", "low", "high", "class_names"),
            *("reads", "longest_result"),
        )
        return bool(result(self) == result(other))


def notes(trait: CallableRubricTrait) -> Iterator[str]:
    """Yield a phrase without its subject for what is legal in a trait, but probably not meant.

    For example "is score, so invert_result has no effect". There may be one each on an inverted
    result of a kind that is not boolean, a bound of one that is no score, classes of one that is
    not literal, and a score that lacks a bound.
    """
    bounds = [trait.min_score, trait.max_score]
    has_bound = bounds != [None, None]
    if trait.kind != "boolean" and trait.invert_result:
        yield f"is {trait.kind}, so invert_result has no effect"
    if trait.kind != "score" and has_bound:
        yield f"is {trait.kind}, so min_score and max_score have no effect"
    if trait.kind != "literal" and trait.classes is not None:
        yield f"is {trait.kind}, so its classes have no effect"
    if trait.kind == "score" and None in bounds:
        yield "has no min_score or no max_score, so that pictures of its scores have no scale"
