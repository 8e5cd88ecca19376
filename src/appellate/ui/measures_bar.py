"""The numbers of a cell on one line: as much as fits, in words, then in letters.

Parentheses are always against the judge; `−.11` outside them is what the last key did.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rendered_text import cells, spread
from appellate.ui.rows import StyledText


class MeasureValue(Struct, frozen=True):
    """A measure's value now, None while there is none, `undefined` where it is 0/0.

    `before` is the value before the last key, if that is shown, `judge` that of the judge's labels,
    `scale` the bounds other than 0 and 1, `word` what is shown in place of a number.
    """

    name: str
    short: str
    value: float | None = None
    undefined: bool = False
    before: "MeasureValue | None" = None
    judge: "MeasureValue | None" = None
    scale: str = ""
    lower_is_better: bool = False
    word: str = ""

    @property
    def delta(self) -> float | None:
        """How far the last key moved it; None where it did not, or it is or was 0/0."""
        return change(self.before, self)

    @property
    def out_of(self) -> str:
        """What is behind a number with other bounds than 0 and 1: ` of 5`."""
        if not self.scale or self.word:
            return ""
        return f" of {self.scale}"


class MeasureLine(Struct, frozen=True):
    """What the bar shows: the values, a note for the right end, and what the source of the labels
    is called, whose numbers the values are compared with.
    """

    now: Sequence[MeasureValue] = ()
    note: str = ""
    source: str = "judge"


Judge = Literal["whole", "brief", "none"]
_WIDEST = len(" 1.00 (−1.00)   ")


def number(value: float) -> str:
    """`.75`, `1.00`, `−.11`: two decimals, no leading zero."""
    shown = f"{abs(value):.2f}".removeprefix("0")
    if value < 0 and shown != ".00":
        return f"−{shown}"
    return shown


def signed(by: float, marks: Marks = UNICODE) -> str:
    """A difference with its sign, however small: `+.11`, `−.11`, `−.00`."""
    sign = marks.minus if by < 0 else "+"
    return f"{sign}{number(abs(by))}"


def value(one: MeasureValue, marks: Marks = UNICODE) -> str:
    if one.undefined:
        return "0/0"
    if one.value is None:
        return marks.none
    if one.word:
        return one.word
    return number(one.value).replace("−", marks.minus)


def change(before: MeasureValue | None, now: MeasureValue) -> float | None:
    """The difference between two numbers; None where there is none, or one is 0/0 or missing."""
    if before is None or before.undefined or now.undefined or now.word:
        return None
    if before.value is None or now.value is None:
        return None
    return now.value - before.value or None


def differs(before: MeasureValue | None, now: MeasureValue) -> bool:
    """Whether two values are not the same, 0/0 and none among them."""
    if before is None:
        return False
    if before.undefined or now.undefined:
        return before.undefined != now.undefined
    return before.value != now.value


def sentences(shown: MeasureLine) -> str:
    """The values in full sentences, a line each: what a tooltip says."""
    return "\n".join(_sentence(one, shown.source) for one in shown.now)


def _sentence(one: MeasureValue, source: str) -> str:
    text = f"{one.name} {value(one)}{one.out_of}"
    if one.lower_is_better:
        text += " (lower is better)"
    if one.judge:
        text += f", the {source}'s {value(one.judge)}"
    by = change(one.judge, one)
    if by:
        text += f", {signed(by)} since the {source}"
    if one.before and _moved(one):
        text += f", {value(one.before)} before the last key"
    return text


# -- on one line -------------------------------------------------------------------------------


class _Fullness(Struct, frozen=True):
    """How much is shown: whole names or letters, values before the key, the judge's number, and
    differences made by the last key.
    """

    named: bool
    full: bool
    judge: Judge
    moved: bool = True


_FULLEST_FIRST = (
    _Fullness(named=True, full=True, judge="whole"),
    _Fullness(named=True, full=True, judge="brief"),
    _Fullness(named=True, full=False, judge="brief"),
    _Fullness(named=False, full=True, judge="whole"),
    _Fullness(named=False, full=True, judge="brief"),
    _Fullness(named=False, full=False, judge="brief"),
    _Fullness(named=False, full=False, judge="none"),
)
_BRIEFEST = _Fullness(named=False, full=False, judge="none", moved=False)


def line(shown: MeasureLine, room: int, marks: Marks = UNICODE) -> list[StyledText]:
    """The fullest telling that fits into `room` cells; the shortest, clipped, if none does."""
    for left, right in _tellings(shown, room, marks):
        gap = 2 if right else 0
        if cells(left) + cells(right) + gap <= room:
            break
    return spread(left, right, room, marks)


def _tellings(
    shown: MeasureLine, room: int, marks: Marks
) -> Iterator[tuple[list[StyledText], list[StyledText]]]:
    note: list[StyledText] = []
    if shown.note:
        note = [StyledText(shown.note, "muted"), StyledText(" ")]
    widest = 0  # of whole names whatever changes, so that they do not come and go with every key
    for one in shown.now:
        widest += cells([StyledText(one.name)]) + _WIDEST + len(one.out_of)
    for fullness in _FULLEST_FIRST:
        if fullness.named and widest > room:
            continue
        now = _values(shown, fullness, marks)
        for legend in _legends(shown, fullness.judge):
            yield [*now, StyledText(f"   {legend}", "muted")], note
        yield now, note
        yield now, []
    yield _values(shown, _BRIEFEST, marks), []


def _legends(shown: MeasureLine, judge: Judge) -> Sequence[str]:
    """What the parentheses say, or why there are none, the fullest first."""
    judged = [one for one in shown.now if one.judge]
    if judged and not any(differs(one.judge, one) or _moved(one) for one in judged):
        return f"same numbers as the {shown.source}", f"= {shown.source}'s numbers"
    if judge == "brief" and any(_tells_judge(one) for one in shown.now):
        return (f"(since the {shown.source})",)
    return ()


def _tells_judge(one: MeasureValue) -> bool:
    """Whether the judge's number is shown: it differs, and is not what was there before the key."""
    is_known = _moved(one) and not differs(one.judge, one.before or one)
    return differs(one.judge, one) and not is_known


def _moved(one: MeasureValue) -> bool:
    return differs(one.before, one)


def _values(shown: MeasureLine, fullness: _Fullness, marks: Marks) -> list[StyledText]:
    gap = StyledText("   " if fullness.named else "  ")
    pieces = [StyledText(" ")]
    for place, one in enumerate(shown.now):
        if place:
            pieces.append(gap)
        pieces += _value(one, fullness, marks)
        pieces += _against_judge(one, shown.source, fullness.judge, marks)
    return pieces


def _value(one: MeasureValue, fullness: _Fullness, marks: Marks) -> list[StyledText]:
    """A measure's name, what it was, what it is, and how far it moved."""
    name = one.name if fullness.named else one.short
    pieces = [StyledText(f"{name} ", "name")]
    by, moved = one.delta, _moved(one)
    if moved and one.before and fullness.moved and (fullness.full or not by):
        pieces.append(StyledText(f"{value(one.before, marks)} {marks.arrow} ", "muted"))
    pieces.append(StyledText(value(one, marks), "moved" if moved else "value"))
    if one.out_of and fullness.named:
        pieces.append(StyledText(one.out_of, "muted"))
    if by and fullness.moved:
        pieces.append(StyledText(f" {signed(by, marks)}", "delta"))
    return pieces


def _against_judge(one: MeasureValue, source: str, judge: Judge, marks: Marks) -> list[StyledText]:
    """How a value compares with the judge's: `(judge .60, +.15)`, briefly `(+.15)`."""
    if judge == "none" or one.judge is None or not _tells_judge(one):
        return []
    text = f"{source} {value(one.judge, marks)}"
    by = change(one.judge, one)
    if by is not None and judge == "brief":
        text = signed(by, marks)
    elif by is not None:
        text += f", {signed(by, marks)}"
    return [StyledText(f" ({text})", "muted")]
