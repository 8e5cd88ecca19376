"""The pictures of a report, as SVG by hand, and elements of HTML: a str is text until one is made
of it.

What people say is filled and what the judge says an outline, so that no colour is needed; each has
a title and says in words what it shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import chain

from appellate.core.agreement import Agreement
from appellate.core.breakdown import SideFigures
from appellate.core.kind import Measure
from appellate.core.scale import NO_BOUND, bounds, part_name, share
from appellate.core.totals import AnswerStats
from appellate.numbers.estimates import Worth
from appellate.numbers.formatting import (
    answer_name,
    bar_name,
    between,
    called,
    cut,
    figure,
    number,
    side_word,
)
from appellate.numbers.judge_page import Sides
from appellate.numbers.report import Metric, TraitReport
from appellate.numbers.sentences import whose
from appellate.stats.estimates import Estimate, Interval

Attribute = str | int | float


class Markup(str):
    """Text that is markup already; only this module makes it."""

    __slots__ = ()


def element(name: str, /, *inside: str, **attributes: Attribute) -> Markup:
    """An element; `class_` is its class, `aria_label` its `aria-label`."""
    return Markup(f"{void(name, **attributes)}{together(*inside)}</{name}>")


def void(name: str, /, **attributes: Attribute) -> Markup:
    """An element that HTML never closes."""
    opening = name
    for key, value in attributes.items():
        text = f"{value:.4g}" if isinstance(value, float) else escape(str(value))
        opening += f' {key.rstrip("_").replace("_", "-")}="{text}"'
    return Markup(f"<{opening}>")


def together(*parts: str) -> Markup:
    """Markup as it is, and text escaped, one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def own(text: str) -> Markup:
    """Markup written in this package, never anything from a file."""
    return Markup(text)


# -- pictures -------------------------------------------------------------------------------------

WIDTH = 480
_LEFT, _RIGHT = 86, 50
_ROW = 40
_TALL = 120
_LABEL = 64
_CHARACTER = 8  # about the width of one
_NAME = 12  # characters of a metric's name beside its bars
FEW = 4  # answers whose numbers find room behind the bar
_NUMBERS = 130  # room for the numbers after the longest bar
_SIDE, _SQUARE, _HIGH = 128, 64, 34  # room for the judge's answers; a pair of answers
_MOST_WORDS = 5
_GROUP, _THIN = 112, 36  # room for a group's name; the height of a group
_MOST_GROUPS = 20
COLOURS = 8
"""Colours of answers in `report.css`; of more answers some share one."""
PLOT_KEYS = ("signed", "people", "judge")
PLOT_WORDS = ("corrected", "people only", "judge only")
_ESTIMATE_ROW = 46
_ESTIMATE_NAME = 52  # characters of what is estimated, above its row
_ESTIMATE_NUMBERS = 118  # room for the number and its interval


def metric_bars(anchor: str, metrics: Sequence[Metric], mean: str, sides: Sides) -> Markup:
    """Of each metric the value on people's side and on the judge's, on the metric's own scale."""
    rows, texts = [], []
    for index, metric in enumerate(metrics):
        parts = [text(0, index * _ROW + 22, cut(bar_name(metric.measure), _NAME))]
        values = []
        for side, down in zip(sides, (5, 20), strict=True):
            value = getattr(metric.sides[side], mean)
            filled = 0.0 if value is None else share(metric.measure, value)
            parts += _bar(side, filled, number(value), index * _ROW + down)
            values.append(f"{side_word(side)} {number(value)}")
        rows.append(element("g", *parts))
        texts.append(f"{called(metric.measure)}: {', '.join(values)}")
    title = f"Measures ({mean}): {' and '.join(map(side_word, sides))}"
    return picture(anchor, len(metrics) * _ROW, title, "; ".join(texts), rows)


def _bar(side: str, filled: float, wording: str, top: int) -> Iterator[Markup]:
    length = (WIDTH - _LEFT - _RIGHT) * filled
    if filled:
        yield element("rect", x=_LEFT, y=top, width=length, height=12, class_=side)
    yield text(_LEFT + length + 6, top + 10, wording, "small")


Spread = Mapping[str, Sequence[int]]


def histogram(anchor: str, measure: Measure, spread: Spread) -> Markup:
    """How many cells are in each part of the measure's scale."""
    tallest = max(1, *chain.from_iterable(spread.values()))
    parts = max(map(len, spread.values()))
    wide, columns, names = WIDTH / parts, [], []
    for part in range(parts):
        columns.append(_column(spread, part, wide, tallest))
        shown = cut(part_name(measure, part, parts), max(int(wide / _CHARACTER), 2))
        names.append(text(wide * part + 4, _TALL + 32, shown, "small"))
    axis = element("line", x1=0, x2=WIDTH, y1=_TALL + 16, y2=_TALL + 16, class_="axis")
    whose = " and ".join(map(side_word, spread))
    title = f"How many cells have which {answer_name(measure)}: {whose}"
    in_words = _in_words(measure, spread, parts)
    return picture(anchor, _TALL + 40, title, in_words, [*columns, axis, *names])


def _in_words(measure: Measure, spread: Spread, parts: int) -> str:
    texts = []
    begins = "" if measure.steps else "from "
    for part in range(parts):
        if any(cells[part] for cells in spread.values()):
            counts = ", ".join(f"{side_word(side)} {cells[part]}" for side, cells in spread.items())
            texts.append(f"{begins}{cut(part_name(measure, part, parts))}: {counts}")
    return "; ".join(texts) or "No cell has this metric."


def _column(spread: Spread, part: int, wide: float, tallest: int) -> Markup:
    """The cells of one part: people's side on the left, the judge's on the right."""
    parts = []
    bar = (wide - 10) / 2
    for place, (side, counts) in enumerate(spread.items()):
        count = counts[part]
        height, left = _TALL * count / tallest, wide * part + 3 + place * (bar + 2)
        if count:
            top = _TALL + 16 - height
            parts.append(element("rect", x=left, y=top, width=bar, height=height, class_=side))
            parts.append(text(left + bar / 2, top - 4, str(count), "small middle"))
    return element("g", *parts)


def stacked(anchor: str, shown: Sequence[AnswerStats], words: Sequence[str]) -> Markup:
    """Of each instruction in how many cells it was answered how, and below how often overruled."""
    longest = max(one.cells for one in shown)
    scale = (WIDTH - _NUMBERS) / longest
    bars, texts = [], []
    for index, one in enumerate(shown):
        bars.append(_instruction(one, words, index * _ROW, scale))
        answers = ", ".join(f"{cut(word)} {one.times(word)}" for word in words)
        texts.append(f"{cut(one.instruction, _LABEL)}: {answers}, overruled {one.overruled}")
    title = "Instructions: how they are answered, and how often overruled"
    return picture(anchor, len(shown) * _ROW, title, "; ".join(texts), bars)


def _instruction(one: AnswerStats, words: Sequence[str], top: int, scale: float) -> Markup:
    left, parts = 0.0, [text(0, top + 13, cut(one.instruction, _LABEL))]
    for place, word in enumerate(words):
        width = one.times(word) * scale
        if width:
            colour = f"answer-{place % COLOURS}"
            parts.append(element("rect", x=left, y=top + 19, width=width, height=11, class_=colour))
        left += width
    if one.overruled:
        width = one.overruled * scale
        parts.append(element("rect", x=0, y=top + 32, width=width, height=3, class_="overruled"))
    if len(words) <= FEW:
        wording = " / ".join(map(str, (*map(one.times, words), one.overruled)))
    else:
        wording = f"{one.overruled} overruled"
    parts.append(text(left + 6, top + 29, wording, "small"))
    return element("g", *parts)


def text(x: float, y: float, words: str, class_: str = "label") -> Markup:
    return element("text", words, x=x, y=y, class_=class_)


def picture(anchor: str, height: int, title: str, text: str, parts: Sequence[Markup]) -> Markup:
    named = (
        element("title", title, id=f"{anchor}-title"),
        element("desc", text, id=f"{anchor}-desc"),
    )
    return element(
        "svg",
        *named,
        *parts,
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_labelledby=f"{anchor}-title {anchor}-desc",
    )


def confusion_grid(anchor: str, agreement: Agreement) -> Markup:
    """A square for each pair of answers, the judge's from above to below, the person's across."""
    words = agreement.words[:_MOST_WORDS]
    most = max(agreement.counts.values())
    parts, texts = [text(_SIDE, 12, "person", "small")], []
    for column, word in enumerate(words):
        shown = cut(word, _SQUARE // _CHARACTER)
        parts.append(text(_SIDE + _SQUARE * (column + 0.5), 28, shown, "small middle"))
    for row, judge in enumerate(words):
        top = 36 + row * _HIGH
        parts.append(text(0, top + 20, cut(f"judge: {judge}", _SIDE // _CHARACTER), "small"))
        for column, person in enumerate(words):
            count = agreement.counts.get((judge, person), 0)
            left = _SIDE + column * _SQUARE
            parts += _square(left, top, count, count / most, alike=row == column)
            if count:
                texts.append(f"judge {cut(judge)}, person {cut(person)}: {count}")
    rest = len(agreement.words) - len(words)
    if rest:
        texts.append(f"{rest} more answers have no room here")
    height = 40 + len(words) * _HIGH
    return picture(anchor, height, "The judge's answers by the person's", "; ".join(texts), parts)


def _square(left: float, top: float, count: int, filled: float, *, alike: bool) -> Iterator[Markup]:
    """One pair of answers; where the two are alike it has a frame."""
    frame = "alike" if alike else "other"
    size = {"width": _SQUARE - 3, "height": _HIGH - 3}
    if count:
        shade = round(0.1 + 0.5 * filled, 3)
        yield element("rect", x=left, y=top, **size, class_="shade", fill_opacity=shade)
    yield element("rect", x=left, y=top, **size, class_=frame)
    yield text(left + _SQUARE / 2, top + 20, f"{count:,}", "label middle")


def group_means(anchor: str, trait: TraitReport, sides: Sides) -> Markup:
    """Of each group the headline's macro on either side, with a line as long as two errors."""
    measure = trait.headline.measure
    shown = trait.numbers.groups[:_MOST_GROUPS]
    parts, lines = [], []
    for row, group in enumerate(shown):
        name = cut(group.name, _GROUP // _CHARACTER) or "–"
        parts.append(text(0, row * _THIN + 21, name, "small"))
        texts = []
        for side, down in zip(sides, (10, 25), strict=True):
            figures = group.sides[measure.name][side]
            parts += _mean(measure, figures, side, row * _THIN + down)
            texts.append(f"{side_word(side)} {number(figures.macro)} of {figures.n}")
        lines.append(f"{name}: {', '.join(texts)}")
    low, high = f"{measure.low:g}", f"{measure.high:g}"
    bottom = len(shown) * _THIN + 8
    ends = element("line", x1=_GROUP, x2=WIDTH - _RIGHT, y1=bottom, y2=bottom, class_="axis")
    parts += ends, text(_GROUP, bottom + 14, low, "small middle")
    parts.append(text(WIDTH - _RIGHT, bottom + 14, high, "small middle"))
    title = f"{called(measure)} by {cut(trait.numbers.by)}, with the standard error"
    return picture(anchor, bottom + 20, title, "; ".join(lines), parts)


def _mean(measure: Measure, figures: SideFigures, side: str, middle: float) -> Iterator[Markup]:
    """A dot at a mean, and a line from one error below it to one above."""
    if figures.macro is None:
        return
    reach = WIDTH - _GROUP - _RIGHT
    at = _GROUP + reach * share(measure, figures.macro)
    if figures.stderr:
        low = _GROUP + reach * share(measure, figures.macro - figures.stderr)
        high = _GROUP + reach * share(measure, figures.macro + figures.stderr)
        yield element("line", x1=low, x2=high, y1=middle, y2=middle, class_="error")
    yield element("circle", cx=at, cy=middle, r=4, class_=side)
    yield text(WIDTH - _RIGHT + 12, middle + 4, number(figures.macro), "small")


# -- estimates ------------------------------------------------------------------------------------


def estimate_rows(anchor: str, found: Sequence[Worth]) -> Markup:
    """Of each number the corrected estimate, people's own and the judge's, on its own scale."""
    rows, texts = [], []
    for place, one in enumerate(found):
        if one.estimate is None:
            continue
        rows.append(element("g", *_estimate_row(one, one.estimate, place * _ESTIMATE_ROW)))
        people = one.estimate.people_only
        texts.append(
            f"{_estimate_name(one)}: corrected {figure(one.estimate.value)},"
            f" {between(one.estimate.low, one.estimate.high)},"
            f" people only {figure(people.value)}, {between(people.low, people.high)},"
            f" judge only {figure(one.estimate.judge_only)}"
        )
    title = "Estimates with 95 % intervals"
    return picture(anchor, len(found) * _ESTIMATE_ROW, title, "; ".join(texts), rows)


def _estimate_name(found: Worth) -> str:
    scale = bounds(found.measure)
    if (found.measure.low, found.measure.high) == (0, 1):
        scale = "0–1"
    name = ", ".join(filter(None, (f"{bar_name(found.measure)} · {whose(found)}", scale)))
    if found.group is not None:
        name = f"{found.group or '–'}: {name}"
    return cut(name, _ESTIMATE_NAME)


def _estimate_row(found: Worth, one: Estimate, top: int) -> Iterator[Markup]:
    scale = _Scale(found.measure, one)
    yield text(0, top + 13, _estimate_name(found), "small")
    yield element("line", x1=0, x2=scale.reach, y1=top + 40, y2=top + 40, class_="axis")
    yield from _estimate_interval(scale, one.interval, top + 22, "signed")
    yield from _estimate_interval(scale, one.people_only, top + 33, "people")
    if one.judge_only is not None:
        at = scale.place(one.judge_only)
        yield element("line", x1=at, x2=at, y1=top + 17, y2=top + 40, class_="judge")
    wording = f"{figure(one.value)}  {between(one.low, one.high)}"
    yield text(scale.reach + 6, top + 27, wording, "small")


def _estimate_interval(
    scale: "_Scale", one: Interval, middle: int, class_: str
) -> Iterator[Markup]:
    ends = {"x1": scale.place(one.low), "x2": scale.place(one.high)}
    yield element("line", **ends, y1=middle, y2=middle, class_=f"error {class_}")
    yield element("circle", cx=scale.place(one.value), cy=middle, r=4, class_=class_)


class _Scale:
    """From the lower bound of a measure to the upper; from what is shown, where it has none."""

    reach = WIDTH - _ESTIMATE_NUMBERS

    def __init__(self, measure: Measure, one: Estimate) -> None:
        shown = [one.low, one.high, one.people_only.low, one.people_only.high]
        if one.judge_only is not None:
            shown.append(one.judge_only)
        self._low, self._high = measure.low, measure.high
        if self._low <= -NO_BOUND or self._high >= NO_BOUND:
            self._low, self._high = min(shown), max(shown)

    def place(self, value: float) -> float:
        """How far to the right a value is."""
        wide = self._high - self._low or 1.0
        return self.reach * min(max((value - self._low) / wide, 0.0), 1.0)
