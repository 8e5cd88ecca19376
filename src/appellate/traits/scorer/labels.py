"""The labels of a scorer cell, a correction of them, and values as files mean them."""

from collections.abc import Mapping, Sequence
from math import inf, isfinite, isinf, isnan
from typing import Any, Literal

from msgspec import Struct, field

from appellate.core.kind import Table
from appellate.core.trace import Trace
from appellate.stats.aggregates import is_scored, value_to_float
from appellate.traits.matching import Offsets
from appellate.traits.scorer.spec import ScorePart, ScorerRubricTrait
from appellate.traits.verdict.kind import RowEdit

Scalar = str | float | bool
UNSCORED = "unscored"
"""The value of what was left out: it is in no number, and counted."""
LETTERS = {"C": "correct", "P": "partly correct", "I": "incorrect", "N": "no answer"}
_BY_NUMBER = {1.0: "C", 0.5: "P", 0.0: "I"}
_SAID = {"yes": True, "true": True, "no": False, "false": False}
ANY = ScorePart("", is_letter=False, low=-inf, high=inf)
"""The value of a trait that is not known."""


class Ruling(Struct, frozen=True):
    """Values by key ("" of a single one), the answer they rest on, where it is, and why.

    `named_step` is the step of a conversation that the judge named for the answer, unless it was
    found there.
    """

    values: Mapping[str, Scalar] = field(default_factory=dict)
    answer: str = ""
    spans: tuple[Offsets, ...] = ()
    why: str = ""
    named_step: int | None = None

    @property
    def value(self) -> Scalar | None:
        return self.of("")

    def of(self, key: str) -> Scalar | None:
        """The value of a key; None where there is none."""
        return self.values.get(key)


class Labels(Struct, frozen=True):
    """What stands, what the scorer or judge gave (None where nobody did), and the target."""

    standing: Ruling = field(default_factory=Ruling)
    proposed: Ruling | None = None
    target: tuple[str, ...] = ()

    @property
    def is_judged(self) -> bool:
        """Whether there is a value at all."""
        return bool(self.standing.values)

    @property
    def is_overruled(self) -> bool:
        """Whether a person says otherwise than the scorer, in a value or the answer."""
        return self.proposed is not None and self.standing != self.proposed


class Edit(RowEdit, frozen=True):
    """One correction.

    "overrule" says `value`, of the `key` of a dictionary; "answer" says what was answered, as words
    selected in the response (`start`, `end`) or as `text`; "restore" takes both back.
    """

    OF = "a scorer trait"

    action: Literal["overrule", "answer", "restore"]
    value: Scalar | None = None
    key: str = ""
    text: str | None = None
    start: int | None = None
    end: int | None = None


# -- values ----------------------------------------------------------------------------------------


def texts(given: str | Sequence[str]) -> list[str]:
    """A text, or several, as a list."""
    if isinstance(given, str):
        return [given]
    return list(given)


def targets_of(trace: Trace) -> list[str]:
    """What is right, as the trace says; a blank text says nothing: any response holds it."""
    return [text for text in texts(trace.reference or "") if text.strip()]


def value_text(value: Any) -> str:
    """A value in a word: C, 0.67, yes; nothing for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not is_scored(value):
        return UNSCORED
    if isinstance(value, int | float):
        return f"{value:.4g}"
    return str(value)


def spoken(value: Scalar | None) -> str:
    """A value as people say it: "C, correct"."""
    if value in LETTERS and isinstance(value, str):
        return f"{value}, {LETTERS[value]}"
    return value_text(value)


def scalar(part: ScorePart, given: object) -> Scalar | None:
    """The value that a file means for a part (1, 0.5 or 0 may be a letter); None for none."""
    value = _plain(given)
    if value is None or value == UNSCORED or not part.is_letter or isinstance(value, str):
        return value
    return _BY_NUMBER.get(float(value))


def fits(part: ScorePart, value: Scalar) -> bool:
    """Whether a value lies within the bounds of a part."""
    return value == UNSCORED or part.low <= value_to_float(value) <= part.high


def legal(part: ScorePart, given: object) -> Scalar | None:
    """The value that is meant; None for one outside of the bounds, too."""
    value = scalar(part, given)
    if value is not None and fits(part, value):
        return value
    return None


def _plain(given: object) -> Scalar | None:
    if isinstance(given, str):
        if given in LETTERS or given == UNSCORED:
            return given
        is_known = _SAID.get(given.strip().lower())
        if is_known is None:
            return finite(given)
        return is_known
    if isinstance(given, bool):
        return given
    if isinstance(given, float) and isnan(given):
        return UNSCORED
    if isinstance(given, int | float):
        return finite(given)
    return None


def finite(given: str | float) -> float | None:
    """The finite number that something is; None for anything else."""
    try:
        value = float(given)
    except (ValueError, OverflowError):
        return None
    if isfinite(value):
        return value
    return None


def values_in(trait: ScorerRubricTrait, table: Table) -> dict[str, Scalar]:
    """The values of a table by key, in the order of the trait's."""
    given = table.get("value")
    found = dict[str, Scalar]()
    for part in trait.parts:
        one = given
        if part.key and isinstance(given, dict):
            one = given.get(part.key)
        value = scalar(part, one)
        if value is not None:
            found[part.key] = value
    return found


def wanted(part: ScorePart) -> str:
    """What a value is, for a sentence."""
    if part.is_letter:
        return "C, P, I, N or unscored"
    if isinf(part.low):
        return "C, P, I, N, a number, true or false, or unscored"
    return f"a number from {part.low:g} to {part.high:g}, C, P, I, N, yes, no or unscored"
