"""The numbers of a cell as plain values: what they are, whose they are, and how they changed.

Every number is shown in one form: its value, then its difference from one other number. The line
says whose the values are and what they differ from. That is the numbers before the last key, until
the next key, and otherwise the judge's. Differences are taken from the figures as shown.

`measures_bar` draws a `MeasureLine` on the screen; `in_print()` returns it for line mode.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import CANNOT_TELL, Figures, Measure
from appellate.core.scale import bounds, of_one_cell
from appellate.ui.marks import UNICODE, Marks, spelt


class MeasureValue(Struct, frozen=True):
    """The value of one measure of a cell, with the value that it is compared with."""

    name: str
    short: str
    value: float | None = None
    """None while there is no value."""
    undefined: bool = False
    """Whether the measure is 0/0."""
    base: "MeasureValue | None" = None
    """The value that this one is compared with; None for no comparison."""
    scale: str = ""
    """The bounds as they are shown, `1–5`; "" for 0 to 1, or if either is missing."""
    lower_is_better: bool = False
    word: str = ""
    """Shown instead of a number, if not ""."""

    @property
    def out_of(self) -> str:
        """The text after a number with bounds other than 0 and 1, such as ` of 1–5`; else ""."""
        if not self.scale or self.word:
            return ""
        return f" of {self.scale}"


class MeasureLine(Struct, frozen=True):
    """What the bar of measures shows: the values, whose they are, and what they are
    compared with.
    """

    now: Sequence[MeasureValue] = ()
    note: str = ""
    """Text at the right end of the line."""
    whose: str = ""
    """In words, whose the values are; "" for a cell without labels."""
    since: Sequence[str] = ()
    """In words, the fullest first, what the values are compared with; empty for no comparison."""

    @property
    def is_since_last_key(self) -> bool:
        """Whether the values are compared with those before the last key."""
        return self.since in (LAST_KEY, LAST_KEY_IN_WORDS)

    @property
    def legends(self) -> Sequence[str]:
        """The words after the values that say whose they are, in several forms, the fullest first.

        The fullest says whose the values are, if that is known, and what they are compared with;
        shorter ones leave out whose. Empty if neither is known.
        """
        if not self.since:
            return [self.whose] if self.whose else []
        full = self.since[0]
        if self.whose:
            full = f"{self.whose}, {full}"
        return [full, *self.since]


LAST_KEY = ("± since the last key", "± last key", "± key")
"""Words for a comparison with the numbers before the last key, the fullest first."""
LAST_KEY_IN_WORDS = ("was: before the last key", "was: last key", "was: key")
"""The same where no difference is a number: "verdict no (was yes)"."""


def measure_line(
    before: Cell | None,
    cell: Cell,
    note: str,
    source: str = "judge",
) -> MeasureLine:
    """Return a cell's numbers for the bar, with a `note` at its right end.

    If they look different from those `before` the last key, they are compared with those; None is
    for no such cell. Otherwise they are compared with the judge's, or with none if no person
    changed anything or there is no judge. Numbers that look like the judge's after a person's
    changes are said to be the same. `source` is who gave the labels, in the sentences: "judge",
    "rule".
    """
    judged = cell.judge_figures
    is_of_judge = judged is not None and cell.base is cell.judged
    is_untouched = is_of_judge and not cell.edits
    whose = _whose(cell, source, is_untouched)

    figures_before = before.figures if before else None
    values = _values(cell, cell.figures, figures_before)
    since: Sequence[str]
    if any(differs(value) for value in values):
        since = LAST_KEY if _has_number(values) else LAST_KEY_IN_WORDS
        return MeasureLine(values, note, whose, since)
    if is_untouched or judged is None:
        values = _values(cell, cell.figures, None)
        return MeasureLine(values, note, whose)

    values = _values(cell, cell.figures, judged)
    if any(differs(value) for value in values):
        since = (f"± since the {source}", f"± {source}")
        if not _has_number(values):
            since = (f"was: the {source}'s", f"was: {source}")
        return MeasureLine(values, note, whose, since)
    same_numbers = f"same numbers as the {source}"
    return MeasureLine(values, note, whose, (same_numbers,))


def _has_number(values: Sequence[MeasureValue]) -> bool:
    """Return whether the difference of any value is a number: `+.11`, not `(was yes)`."""
    differing = [value for value in values if differs(value)]
    return any(map(is_number, differing))


def _whose(cell: Cell, source: str, is_untouched: bool) -> str:
    """Return in words whose labels a cell's numbers are of; "" for a cell without labels.

    That is "the judge's numbers" if `is_untouched`: no person changed the judge's labels. `source`
    stands for "judge", as it may be "rule". Else it is "by hand" if a person began them,
    "corrected" if a person changed any, and "signed off" if none of these.
    """
    if cell.labels is None:
        return ""
    if is_untouched:
        return f"the {source}'s numbers"
    if cell.base is None:
        return "by hand"
    if cell.edits:
        return "corrected"

    return "signed off"


def _values(
    cell: Cell,
    figures: Figures | None,
    base_figures: Figures | None,
) -> list[MeasureValue]:
    """Return the measures of a cell that have a value in `figures`, in the order of its kind.

    Each has its value in `base_figures` to be compared with, if there is one. Measures that are
    only computed over many cells are left out. Without figures the list is empty.
    """
    values = []
    subject = cell.subject
    measures = subject.kind.measures(subject.trait)
    for measure in of_one_cell(measures):
        value = _value(measure, figures)
        if value is None:
            continue
        base = _value(measure, base_figures)
        values.append(replace(value, base=base))
    return values


def _value(measure: Measure, figures: Figures | None) -> MeasureValue | None:
    """Return a measure's value in some figures; None without figures or without this measure.

    It is called by the measure's word if it has one. If a judge could not tell the value,
    `CANNOT_TELL` is shown in its place. A measure whose values are words has its word.
    """
    if figures is None or measure.name not in figures.values:
        return None

    measure_value = MeasureValue(
        measure.word or measure.name,
        measure.word or measure.short,
        figures.values[measure.name],
        measure.name in figures.undefined,
        scale=bounds(measure),
        lower_is_better=measure.higher_is_better is False,
        word=figures.words.get(measure.word, ""),
    )
    if measure.name in figures.cannot_tell:
        return replace(measure_value, undefined=False, word=CANNOT_TELL)
    return measure_value


# -- in print -------------------------------------------------------------------------------------


def number(value: float) -> str:
    """Return `value` with two decimals and no zero before the point: `.75`, `1.00`, `−.11`.

    The minus is U+2212. What rounds to 0 has no sign.
    """
    digits = f"{abs(value):.2f}".removeprefix("0")
    if value < 0 and digits != ".00":
        return f"−{digits}"
    return digits


def value(measure_value: MeasureValue, marks: Marks = UNICODE) -> str:
    """Return the value as text: `0/0` if undefined, a dash for None, its word, or its number.

    The first of these that applies counts. A number has two decimals and no zero before the point.
    """
    if measure_value.undefined:
        return "0/0"
    if measure_value.value is None:
        return marks.none
    if measure_value.word:
        return measure_value.word
    return number(measure_value.value).replace("−", marks.minus)


def differs(measure_value: MeasureValue) -> bool:
    """Return whether a value and its base look different when shown; False without a base."""
    if measure_value.base is None:
        return False
    return value(measure_value) != value(measure_value.base)


def difference(measure_value: MeasureValue, marks: Marks = UNICODE) -> str:
    """Return how a value differs from its base: `+.11`, `−.11`, or `(was 0/0)` if one is no number.

    Returns "" if the two look alike. The change is the difference of the figures as shown.
    """
    base = measure_value.base
    if base is None or not differs(measure_value):
        return ""

    if measure_value.value is None or base.value is None:
        return f"(was {value(base, marks)})"
    if not is_number(measure_value):
        return f"(was {value(base, marks)})"

    shown_value = round(measure_value.value, _DECIMALS)
    shown_base = round(base.value, _DECIMALS)
    change = shown_value - shown_base
    sign = marks.minus if change < 0 else "+"
    return f"{sign}{number(abs(change))}"


def is_number(measure_value: MeasureValue) -> bool:
    """Return whether a value and its base are both numbers, so that their difference is one.

    No number is a value that is missing, 0/0, or shown as a word. False without a base.
    """
    base = measure_value.base
    if base is None or measure_value.value is None or base.value is None:
        return False
    if measure_value.undefined or base.undefined:
        return False
    return not (measure_value.word or base.word)


_DECIMALS = 2


def in_print(measures: MeasureLine, marks: Marks = UNICODE) -> str:
    """Return a line of text for line mode: each value by its full name with its difference.

    After the values comes the fullest of the `legends`: whose they are, and what they are compared
    with. "no numbers yet" replaces the values if there are none.
    """
    texts = []
    for entry in measures.now:
        text = f"{entry.name} {value(entry, marks)}"
        change = difference(entry, marks)
        if change:
            text += f" {change}"
        texts.append(text)
    line = ", ".join(texts) or "no numbers yet"
    if measures.legends:
        legend = spelt(measures.legends[0], marks)
        line += f"; {legend}"
    return line
