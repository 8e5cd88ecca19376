"""Defines the labels and corrections of a scorer cell, and reads values as files mean them."""

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
"""The part of a score whose trait is not known."""


class Ruling(Struct, frozen=True):
    """The values of a score, and what they are based on."""

    values: Mapping[str, Scalar] = field(default_factory=dict)
    """The values by key; the key of a single one is ""."""
    answer: str = ""
    """The answer that was extracted, or ""."""
    spans: tuple[Offsets, ...] = ()
    """Where the answer is in the response, in code points."""
    why: str = ""
    """The explanation of the values, or ""."""
    named_step: int | None = None
    """The step of a conversation that the judge named for the answer, unless it is there."""

    @property
    def value(self) -> Scalar | None:
        """The single value, or None."""
        return self.of("")

    def of(self, key: str) -> Scalar | None:
        """Return the value of a key, or None if there is none."""
        return self.values.get(key)


class Labels(Struct, frozen=True):
    """The current ruling of a cell, and what it started from."""

    standing: Ruling = field(default_factory=Ruling)
    proposed: Ruling | None = None
    """What the scorer or judge gave; None if neither did."""
    target: tuple[str, ...] = ()
    """What the response was compared with."""

    @property
    def is_judged(self) -> bool:
        """Whether there is any value."""
        return bool(self.standing.values)

    @property
    def is_overruled(self) -> bool:
        """Whether a person changed a value or the answer; False if nothing was proposed."""
        return self.proposed is not None and self.standing != self.proposed


class Edit(RowEdit, frozen=True):
    """One correction.

    "overrule" gives a `value`, for the `key` of a dictionary; "answer" says what was answered, as
    words selected in the response (`start`, `end`) or as `text`; "restore" takes both back.
    """

    OF = "a scorer trait"

    action: Literal["overrule", "answer", "restore"]
    value: Scalar | None = None
    key: str = ""
    text: str | None = None
    start: int | None = None
    end: int | None = None


# -- values ----------------------------------------------------------------------------------------


def texts(value: str | Sequence[str]) -> list[str]:
    """Return a single text in a list, or several texts as a new list."""
    if isinstance(value, str):
        return [value]
    return list(value)


def targets_of(trace: Trace) -> list[str]:
    """Return the texts that the trace says are right: its reference, or each text of it.

    A reference may be several texts. Blank ones are left out, since any response contains them.
    Empty if the trace has no reference.
    """
    return [text for text in texts(trace.reference or "") if text.strip()]


def value_text(value: Any) -> str:
    """Return a value as a word: C, 0.67, yes, unscored; "" for None.

    Numbers have four significant digits. NaN is unscored.
    """
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
    """Return a value as people say it, as "C, correct"; "" for None.

    A value that is no letter is one word: yes, no, unscored, or a number with four significant
    digits.
    """
    if value in LETTERS and isinstance(value, str):
        return f"{value}, {LETTERS[value]}"
    return value_text(value)


def scalar(part: ScorePart, file_value: object) -> Scalar | None:
    """Return the value that a file means for a part of a score, or None if it means none.

    It is a letter, a float, a boolean or "unscored"; texts such as "3" and "yes" are read. For a
    part of letters, 1 and true become C, 0.5 becomes P, 0 and false become I, and any other number
    gives None. Bounds are not checked.
    """
    value = _value_in_file(file_value)
    if value is None or isinstance(value, str):  # "unscored" is a text, too
        return value
    if not part.is_letter:
        return value
    return _BY_NUMBER.get(float(value))


def fits(part: ScorePart, value: Scalar) -> bool:
    """Return whether a value, counted as a number, is within the bounds of a part.

    "unscored" always is.
    """
    return value == UNSCORED or part.low <= value_to_float(value) <= part.high


def legal(part: ScorePart, file_value: object) -> Scalar | None:
    """Return the value that a file means for a part, as `scalar` reads it, if it is within bounds.

    Returns None for one that means no value, and for one outside of the part's bounds.
    """
    value = scalar(part, file_value)
    if value is not None and fits(part, value):
        return value
    return None


def _value_in_file(file_value: object) -> Scalar | None:
    """Return a file's value as a letter, number, boolean or "unscored"; None for anything else.

    Numbers become floats. Texts may be capital letters, "unscored", finite numbers, or yes, no,
    true and false in any case. The number NaN becomes "unscored". Infinity, and "nan" as a text,
    give None.
    """
    if isinstance(file_value, str):
        if file_value in LETTERS or file_value == UNSCORED:
            return file_value
        yes_or_no = _SAID.get(file_value.strip().lower())
        if yes_or_no is None:
            return finite(file_value)
        return yes_or_no
    if isinstance(file_value, bool):
        return file_value
    if isinstance(file_value, float) and isnan(file_value):
        return UNSCORED
    if isinstance(file_value, int | float):
        return finite(file_value)
    return None


def finite(number_or_text: str | float) -> float | None:
    """Return the finite number that a text or number is, as Python's float reads it.

    For example " 1_000 " is 1000.0, and True is 1.0. Returns None for anything else.
    """
    try:
        value = float(number_or_text)
    except (ValueError, OverflowError):
        return None
    if isfinite(value):
        return value
    return None


def values_in(trait: ScorerRubricTrait, table: Table) -> dict[str, Scalar]:
    """Return the values under "value" in a table by key, in the order of the trait's parts.

    The key of a single value is "". A value that is missing, or that is none for its part, is left
    out; bounds are not checked. If the table has a single value and the trait has keys, each key
    gets it.
    """
    table_value = table.get("value")
    values = dict[str, Scalar]()
    for part in trait.parts:
        part_value = table_value
        if part.key and isinstance(table_value, dict):
            part_value = table_value.get(part.key)
        value = scalar(part, part_value)
        if value is not None:
            values[part.key] = value
    return values


def wanted(part: ScorePart) -> str:
    """Return what values a part may have, in words, for a sentence that refuses another.

    A part of letters has "C, P, I, N or unscored". Any other may also be yes, no or a number within
    its bounds: "a number from 0 to 1, C, P, I, N, yes, no or unscored". For `ANY` it is "C, P, I,
    N, a number, true or false, or unscored".
    """
    if part.is_letter:
        return "C, P, I, N or unscored"
    if isinf(part.low):
        return "C, P, I, N, a number, true or false, or unscored"
    number = f"a number {part.span}".rstrip()
    return f"{number}, C, P, I, N, yes, no or unscored"
