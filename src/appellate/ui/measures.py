"""The numbers of a cell as plain values: what they are, whose, and since when they changed.

A number is told in one form everywhere: its value, and behind it the difference to one other
number. The line says whose the values are and what all its differences are to: the numbers before
the last key, until the next one, else those of the judge. Differences are of the figures as shown.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import CANNOT_TELL, Figures, Measure
from appellate.core.scale import bounds
from appellate.ui.marks import UNICODE, Marks, spelt


class MeasureValue(Struct, frozen=True):
    """A measure's value, None while there is none, `undefined` where it is 0/0.

    `base` is the value that it is compared with, None where it is with none. `scale` are the
    bounds other than 0 and 1, `word` is what is shown in place of a number.
    """

    name: str
    short: str
    value: float | None = None
    undefined: bool = False
    base: "MeasureValue | None" = None
    scale: str = ""
    lower_is_better: bool = False
    word: str = ""

    @property
    def out_of(self) -> str:
        """What is behind a number with other bounds than 0 and 1: ` of 5`."""
        if not self.scale or self.word:
            return ""
        return f" of {self.scale}"


class MeasureLine(Struct, frozen=True):
    """What the bar shows: the values, whose they are, since what they differ, a note at the right.

    `whose` and `since` are in words, the fullest first; `since` is empty where the values are
    compared with none.
    """

    now: Sequence[MeasureValue] = ()
    note: str = ""
    whose: str = ""
    since: Sequence[str] = ()

    @property
    def legends(self) -> Sequence[str]:
        """What the line says of its values behind them, the fullest first."""
        if not self.since:
            return [self.whose] if self.whose else []
        full = self.since[0]
        if self.whose:
            full = f"{self.whose}, {full}"
        return [full, *self.since]


LAST_KEY = ("± since the last key", "± last key", "± key")


def measure_line(before: Cell | None, cell: Cell, note: str, source: str = "judge") -> MeasureLine:
    """A cell's numbers for the bar. Where they are others than `before` the last key they are
    compared with those, else with those of the `source` of the labels; those that nobody touched
    with none.
    """
    judged = cell.judge_figures
    is_untouched = judged is not None and cell.base is cell.judged and not cell.edits
    earlier = before.figures if before else None
    moved = _values(cell, cell.figures, earlier)
    if any(differs(one) for one in moved):
        return MeasureLine(moved, note, _whose(cell, source, is_untouched), LAST_KEY)
    if is_untouched or judged is None:
        values = _values(cell, cell.figures, None)
        return MeasureLine(values, note, _whose(cell, source, is_untouched))
    values = _values(cell, cell.figures, judged)
    since: Sequence[str] = (f"± since the {source}", f"± {source}")
    if not any(differs(one) for one in values):
        since = (f"same numbers as the {source}",)
    return MeasureLine(values, note, _whose(cell, source, is_untouched), since)


def _whose(cell: Cell, source: str, is_untouched: bool) -> str:
    """Return in words where the labels come from that a cell's numbers are of: "corrected".

    `source` is who gave the labels, such as "judge". It is named where `is_untouched`, that is,
    where no person changed them. Returns "" for a cell without labels.
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


def _values(cell: Cell, now: Figures | None, base: Figures | None) -> list[MeasureValue]:
    """The measures of a cell, each with what it is compared with."""
    values = []
    for measure in cell.subject.kind.measures(cell.subject.trait):
        value = _value(measure, now)
        if value is not None:
            values.append(replace(value, base=_value(measure, base)))
    return values


def _value(measure: Measure, measured: Figures | None) -> MeasureValue | None:
    if measured is None or measure.name not in measured.values:
        return None
    found = MeasureValue(
        measure.word or measure.name,
        measure.word or measure.short,
        measured.values[measure.name],
        measure.name in measured.undefined,
        scale=bounds(measure),
        lower_is_better=measure.higher_is_better is False,
        word=measured.words.get(measure.word, ""),
    )
    if measure.name in measured.cannot_tell:
        return replace(found, undefined=False, word=CANNOT_TELL)
    return found


# -- in print -------------------------------------------------------------------------------------


def number(value: float) -> str:
    """`.75`, `1.00`, `−.11`: two decimals, no leading zero."""
    shown = f"{abs(value):.2f}".removeprefix("0")
    if value < 0 and shown != ".00":
        return f"−{shown}"
    return shown


def value(one: MeasureValue, marks: Marks = UNICODE) -> str:
    """The value alone, in figures or in its word."""
    if one.undefined:
        return "0/0"
    if one.value is None:
        return marks.none
    if one.word:
        return one.word
    return number(one.value).replace("−", marks.minus)


def differs(one: MeasureValue) -> bool:
    """Whether a value is shown otherwise than the one that it is compared with."""
    return one.base is not None and value(one) != value(one.base)


def difference(one: MeasureValue, marks: Marks = UNICODE) -> str:
    """How a value differs from its base: `+.11`, `−.11`, and `(was 0/0)` where one is no number.

    Nothing where the two look alike. What is added is the difference of the figures as shown.
    """
    base = one.base
    if base is None or not differs(one):
        return ""
    is_number = not (one.undefined or base.undefined or one.word or base.word)
    if not is_number or one.value is None or base.value is None:
        return f"(was {value(base, marks)})"
    by = round(one.value, _DECIMALS) - round(base.value, _DECIMALS)
    sign = marks.minus if by < 0 else "+"
    return f"{sign}{number(abs(by))}"


_DECIMALS = 2


def in_print(shown: MeasureLine, marks: Marks = UNICODE) -> str:
    """The line in print: every value by its whole name, then whose they are and since what."""
    texts = []
    for one in shown.now:
        texts.append(f"{one.name} {value(one, marks)} {difference(one, marks)}".rstrip())
    legends = [spelt(legend, marks) for legend in shown.legends[:1]]
    return "; ".join([", ".join(texts) or "no numbers yet", *legends])
