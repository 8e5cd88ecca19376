"""The pictures of a report, as SVG by hand, and elements of HTML: a str is text until one is made
of it. What people say is filled and what the judge says an outline, so that no colour is needed;
each has a title and says in words what it shows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import chain
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.agreement import Agreement
from appellate.core.breakdown import SideFigures
from appellate.core.kind import Measure
from appellate.core.scale import bound_text, bounds, is_bounded, part_name, share
from appellate.core.totals import AnswerStats
from appellate.numbers.estimates import COVERAGE, Worth
from appellate.numbers.formatting import (
    answer_name,
    bar_name,
    between,
    called,
    cut,
    figure,
    number,
    percent,
    side_word,
)
from appellate.numbers.judge_page import Sides
from appellate.numbers.report import TraitReport
from appellate.stats.estimates import Estimate

Attribute = str | int | float


class Markup(str):
    """Text that is markup already; only this module makes it."""

    __slots__ = ()


def element(name: str, /, *inside: str, **attributes: Attribute) -> Markup:
    """Return an element of HTML with both its tags; `inside` is escaped unless it is markup.

    `inside` may be several texts, which follow each other without a space. A name of an attribute
    may end with `_`, as in `class_`; other underscores become hyphens. Values are escaped, and
    floats have four significant digits.
    """
    return Markup(f"{void(name, **attributes)}{together(*inside)}</{name}>")


def void(name: str, /, **attributes: Attribute) -> Markup:
    """Return the opening tag of an element, for one that has no closing tag.

    A name of an attribute may end with `_`, as in `class_`; other underscores become hyphens. Every
    attribute is written, in order. Values are escaped, and floats have four significant digits.
    """
    opening = name
    for key, value in attributes.items():
        attribute_name = key.rstrip("_").replace("_", "-")
        text = escape(str(value))
        if isinstance(value, float):
            text = f"{value:.4g}"
        opening += f' {attribute_name}="{text}"'
    return Markup(f"<{opening}>")


def together(*parts: str) -> Markup:
    """Return the parts one after the other as markup; text that is no markup is escaped."""
    return Markup(
        "".join(part if isinstance(part, Markup) else escape(part) for part in parts),
    )


def own(text: str) -> Markup:
    """Return a text as markup, without escaping: only for text that is written in this package."""
    return Markup(text)


# -- pictures -------------------------------------------------------------------------------------

WIDTH = 480
_LEFT = 86
_RIGHT = 50
_ROW = 40
_TALL = 120
_LABEL = 64
_CHARACTER = 8  # about the width of one
_NAME = 12  # characters of a metric's name beside its bars
PART = 12
"""Characters of what a part of a histogram is called."""
PICTURED = 12
"""Instructions in a picture."""
_WIDE = 32  # characters of the longest bar in a histogram of characters
FEW = 4  # answers whose numbers find room behind the bar
_NUMBERS = 130  # room for the numbers after the longest bar
_SIDE = 128  # room for the judge's answers
_SQUARE = 64  # a pair of answers
_HIGH = 34
_MOST_WORDS = 5
_GROUP = 112  # room for a group's name
_THIN = 36  # the height of a group
_MOST_GROUPS = 20
COLOURS = 8
"""Colours of answers in `report.css`; of more answers some share one."""
_ESTIMATE_ROW = 46
_ESTIMATE_NAME = 52  # characters of what is estimated, above its row
_ESTIMATE_NUMBERS = 118  # room for the number and its interval


class Picture(Struct, frozen=True):
    """A drawing, `height` pixels high, in `words`; `keys` are classes and what they stand for,
    `characters` the same without a drawing.
    """

    height: int
    title: str
    words: Sequence[str]
    parts: Sequence[Markup]
    caption: str
    keys: Sequence[tuple[str, str]] = ()
    characters: str = ""

    def svg(self, anchor: str) -> Markup:
        """Return the drawing as SVG, with its title and its words for who does not see it.

        `anchor`, unique on the page, begins the ids in it.
        """
        title = f"{anchor}-title"
        words = f"{anchor}-desc"
        return element(
            "svg",
            element("title", self.title, id=title),
            element("desc", "; ".join(self.words), id=words),
            *self.parts,
            viewBox=f"0 0 {WIDTH} {self.height}",
            role="img",
            aria_labelledby=f"{title} {words}",
        )


def _keys(sides: Iterable[str]) -> list[tuple[str, str]]:
    """Return the class of each side, and what the side is called."""
    return [(side, side_word(side)) for side in sides]


def metric_bars(trait: TraitReport, sides: Sides) -> Picture:
    """Return bars for each measure's mean over traces, people's above the judge's.

    A bar is as long as its share of the measure's scale. A mean of 0/0 or at the lowest end has
    none, nor has a mean of a measure without bounds. The number stands behind it. `sides` are the
    names of people's side and the judge's. All measures of the trait are drawn.
    """
    people, judge = sides
    rows = []
    texts = []
    for index, measure in enumerate(trait.numbers.measures):
        top = index * _ROW
        by_side = trait.sides(measure)
        name = cut(bar_name(measure), _NAME)
        parts = [text(0, top + 22, name)]
        parts += _bar(people, measure, by_side[people].macro, top + 5)
        parts += _bar(judge, measure, by_side[judge].macro, top + 20)
        rows.append(element("g", *parts))
        values = [f"{side_word(side)} {number(by_side[side].macro)}" for side in sides]
        texts.append(f"{called(measure)}: {', '.join(values)}")
    height = len(rows) * _ROW
    title = f"Measures (macro): {' and '.join(map(side_word, sides))}"
    caption = "Macro: the mean over traces"
    return Picture(height, title, texts, rows, caption, _keys(sides))


def _bar(
    side: str,
    measure: Measure,
    value: float | None,
    top: int,
) -> Iterator[Markup]:
    """Yield a bar as long as a value's share of its measure's scale, and the value behind it.

    There is no bar for None, which is written as 0/0, for a value at the lowest end, and for a
    measure without bounds. `side` is the class of the bar, and `top` is in pixels.
    """
    filled = 0.0
    if value is not None and is_bounded(measure):
        filled = share(measure, value)
    length = (WIDTH - _LEFT - _RIGHT) * filled
    if filled:
        yield element("rect", x=_LEFT, y=top, width=length, height=12, class_=side)
    right_end = _LEFT + length
    yield text(right_end + 6, top + 10, number(value), "small")


Spread = Mapping[str, Sequence[int]]


def histogram(measure: Measure, spread: Spread) -> Picture:
    """Return how many cells are in each part of a measure's scale, by side.

    `spread` has the counts of each side, from the lowest part on; there must be a side. It also has
    a form in characters. The words leave out parts without cells, and say so if there is no cell.
    """
    counts = list(spread.values())
    tallest = max(1, *chain.from_iterable(counts))
    part_count = max(map(len, counts))
    names = [part_name(measure, part, part_count) for part in range(part_count)]
    wide = WIDTH / part_count
    name_length = max(int(wide / _CHARACTER), 2)
    columns = []
    below = []
    texts = []
    for part, name in enumerate(names):
        columns.append(_column(spread, part, wide, tallest))
        short_name = cut(name, name_length)
        below.append(text(wide * part + 4, _TALL + 32, short_name, "small"))
        if any(cells[part] for cells in counts):
            texts.append(_part_text(measure, spread, part, name))
    if not texts:
        texts = ["No cell has this metric."]
    axis = line(0, WIDTH, _TALL + 16, "axis")
    answer = answer_name(measure)
    whose = " and ".join(map(side_word, spread))
    title = f"How many cells have which {answer}: {whose}"
    caption = f"Cells by {answer}"
    if not measure.steps:
        scale = filter(None, (bounds(measure), "in tenths"))
        caption = ", ".join([caption, *scale])
    lines = _lines_of_characters(spread, names, tallest)
    return Picture(
        height=_TALL + 40,
        title=title,
        words=texts,
        parts=[*columns, axis, *below],
        caption=caption,
        keys=_keys(spread),
        characters="\n".join(lines),
    )


def _part_text(measure: Measure, spread: Spread, part: int, name: str) -> str:
    """Return how many cells are in one part of a scale on each side, in words: "from 0.1: …".

    `part` is its number from 0, and `name` what it is called. A scale of steps has no "from".
    """
    counts: list[str] = []
    for side, cells in spread.items():
        counts.append(f"{side_word(side)} {cells[part]}")
    counts_text = ", ".join(counts)
    part_text = cut(name)
    if not measure.steps:
        part_text = f"from {part_text}"
    return f"{part_text}: {counts_text}"


def _lines_of_characters(
    spread: Spread,
    names: Sequence[str],
    tallest: int,
) -> Iterator[str]:
    """Yield a histogram in characters: a line for each part and side, with a bar and its count.

    `names` are those of the parts, and `tallest` is the largest count, whose bar is `_WIDE`
    characters long. Others are rounded up, so that a count above 0 has a bar. Lines have no line
    end.
    """
    cut_names = [cut(name, PART) for name in names]
    name_width = max(map(len, cut_names))
    side_width = max(len(side_word(side)) for side in spread)
    for part, name in enumerate(cut_names):
        for side, cells in spread.items():
            count = cells[part]
            bar = "█" * ceil(_WIDE * count / tallest)
            padded_name = name.rjust(name_width)
            padded_side = side_word(side).ljust(side_width)
            yield f"{padded_name} {padded_side} {bar} {count}"


def _column(spread: Spread, part: int, wide: float, tallest: int) -> Markup:
    """Return the bars of one part of a scale: people's at the left, the judge's at the right.

    Each has its count above it, and a count of 0 has no bar. `part` is its number from 0, `wide`
    the width of a part in pixels, and `tallest` the largest count of any.
    """
    parts = []
    bar_width = (wide - 10) / 2
    for index, (side, counts) in enumerate(spread.items()):
        count = counts[part]
        if not count:
            continue
        bar_left = wide * part + 3 + index * (bar_width + 2)
        height = _TALL * count / tallest
        top = _TALL + 16 - height
        bar = element(
            "rect",
            x=bar_left,
            y=top,
            width=bar_width,
            height=height,
            class_=side,
        )
        parts.append(bar)
        middle = bar_left + bar_width / 2
        parts.append(text(middle, top - 4, str(count), "small middle"))
    return element("g", *parts)


def stacked(trait: TraitReport) -> Picture:
    """Return a picture with a bar for each instruction, parted by how often each answer was given.

    A thin line below a bar is longer the more often the instruction was overruled. All bars have
    one scale, in cells. The first `PICTURED` instructions of the trait are drawn, and nothing says
    that there are others. Raises ValueError for a trait without any.
    """
    listed = [
        instruction.stats for instruction in trait.numbers.instructions[:PICTURED]
    ]
    words: list[str] = []
    for word in trait.numbers.vocabulary:
        if any(word in stats.answers for stats in listed):
            words.append(word)
    most_cells = max(stats.cells for stats in listed)
    scale = (WIDTH - _NUMBERS) / most_cells
    bars = []
    texts = []
    for index, stats in enumerate(listed):
        bars.append(_instruction(stats, words, index * _ROW, scale))
        name = cut(stats.instruction, _LABEL)
        answers = ", ".join(f"{cut(word)} {stats.times(word)}" for word in words)
        texts.append(f"{name}: {answers}, overruled {stats.overruled}")
    title = "Instructions: how they are answered, and how often overruled"
    keys: list[tuple[str, str]] = []
    for index, word in enumerate(words):
        keys.append((f"answer-{index % COLOURS}", cut(word)))
    keys.append(("overruled", "overruled"))
    all_words = " / ".join(map(cut, words))
    caption = f"The instructions overruled most; {all_words} / overruled"
    height = len(listed) * _ROW
    return Picture(height, title, texts, bars, caption, keys)


def _instruction(
    stats: AnswerStats,
    words: Sequence[str],
    top: int,
    scale: float,
) -> Markup:
    """Return the bar of an instruction, parted by its answers, with its numbers behind it.

    The text of the instruction is above it, cut. A thin line below is as long as it was overruled
    often; 0 has none. `top` is in pixels, and `scale` is the pixels of one cell. The numbers are
    how often each of `words` was given and how often it was overruled; with more than `FEW` words
    only the latter.
    """
    right_end = 0.0
    parts = [text(0, top + 13, cut(stats.instruction, _LABEL))]
    for index, word in enumerate(words):
        width = stats.times(word) * scale
        if width:
            part_of_bar = element(
                "rect",
                x=right_end,
                y=top + 19,
                width=width,
                height=11,
                class_=f"answer-{index % COLOURS}",
            )
            parts.append(part_of_bar)
        right_end += width
    if stats.overruled:
        width = stats.overruled * scale
        parts.append(
            element("rect", x=0, y=top + 32, width=width, height=3, class_="overruled"),
        )
    wording = f"{stats.overruled} overruled"
    if len(words) <= FEW:
        counts = [stats.times(word) for word in words]
        counts.append(stats.overruled)
        wording = " / ".join(map(str, counts))
    parts.append(text(right_end + 6, top + 29, wording, "small"))
    return element("g", *parts)


def text(x: float, y: float, words: str, class_: str = "label") -> Markup:
    """Return words as an element of SVG at a position in pixels."""
    return element("text", words, x=x, y=y, class_=class_)


def line(left: float, right: float, down: float, class_: str) -> Markup:
    """Return a level line as an element of SVG, at `down` pixels from the top."""
    return element("line", x1=left, x2=right, y1=down, y2=down, class_=class_)


def confusion_grid(agreement: Agreement) -> Picture:
    """Return a square for each pair of answers: the judge's downwards, the person's across.

    A square has the count, and is darker the larger it is. Answers after the first `_MOST_WORDS`
    have no room, and the words of the picture count them. Something must have been compared.
    """
    words = agreement.words[:_MOST_WORDS]
    most = max(agreement.counts.values())
    parts = [text(_SIDE, 12, "person", "small")]
    texts = []
    for column, person in enumerate(words):
        middle = _SIDE + _SQUARE * (column + 0.5)
        name = cut(person, _SQUARE // _CHARACTER)
        parts.append(text(middle, 28, name, "small middle"))
    for row, judge in enumerate(words):
        top = 36 + row * _HIGH
        name = cut(f"judge: {judge}", _SIDE // _CHARACTER)
        parts.append(text(0, top + 20, name, "small"))
        for column, person in enumerate(words):
            count = agreement.counts.get((judge, person), 0)
            left = _SIDE + column * _SQUARE
            parts += _square(left, top, count, most, is_alike=row == column)
            if count:
                texts.append(f"judge {cut(judge)}, person {cut(person)}: {count}")
    rest = len(agreement.words) - len(words)
    if rest:
        texts.append(f"{rest} more answers have no room here")
    title = "The judge's answers by the person's"
    caption = "Judge's answers by the person's: the darker, the more"
    height = 40 + len(words) * _HIGH
    return Picture(height, title, texts, parts, caption)


def _square(
    left: int,
    top: int,
    count: int,
    most: int,
    *,
    is_alike: bool,
) -> Iterator[Markup]:
    """Yield a square for a pair of answers: its shade, its frame and its count.

    The shade is darker the nearer the count is to `most`, the largest of any pair; there is none
    for 0. The frame of a pair of equal answers has another class. `left` and `top` are in pixels.
    """
    size = {"width": _SQUARE - 3, "height": _HIGH - 3}
    if count:
        opacity = round(0.1 + 0.5 * count / most, 3)
        yield element(
            "rect",
            x=left,
            y=top,
            **size,
            class_="shade",
            fill_opacity=opacity,
        )
    frame = "alike" if is_alike else "other"
    yield element("rect", x=left, y=top, **size, class_=frame)
    middle = left + _SQUARE / 2
    yield text(middle, top + 20, f"{count:,}", "label middle")


def group_means(trait: TraitReport, sides: Sides) -> Picture:
    """Return for each group the headline's mean over traces on either side, and its standard error.

    The first `_MOST_GROUPS` groups are drawn, and nothing says that there are others. `sides` are
    the names of people's side and the judge's. A group without a name is called "–". The axis of a
    measure without bounds is from the least to the largest of what is drawn.
    """
    measure = trait.headline
    listed = trait.numbers.groups[:_MOST_GROUPS]
    ends: list[float] = []
    for group in listed:
        for side in sides:
            figures = group.sides[measure.name][side]
            if figures.macro is not None:
                error = figures.stderr or 0.0
                ends += figures.macro - error, figures.macro + error
    scale = _drawn_scale(measure, ends)
    parts = []
    lines = []
    for row, group in enumerate(listed):
        top = row * _THIN
        name = cut(group.name, _GROUP // _CHARACTER) or "–"
        parts.append(text(0, top + 21, name, "small"))
        texts = []
        for side, down in zip(sides, (10, 25), strict=True):
            figures = group.sides[measure.name][side]
            parts += _mean(scale, figures, side, top + down)
            mean_text = number(figures.macro)
            texts.append(f"{side_word(side)} {mean_text} of {figures.n}")
        lines.append(f"{name}: {', '.join(texts)}")
    right = WIDTH - _RIGHT
    bottom = len(listed) * _THIN + 8
    parts.append(line(_GROUP, right, bottom, "axis"))
    parts.append(text(_GROUP, bottom + 14, bound_text(scale.low), "small middle"))
    parts.append(text(right, bottom + 14, bound_text(scale.high), "small middle"))
    measure_name = called(measure)
    grouping = cut(trait.numbers.by)
    title = f"{measure_name} by {grouping}, with the standard error"
    caption = f"{measure_name}, macro and its stderr, by {grouping}"
    return Picture(bottom + 20, title, lines, parts, caption, _keys(sides))


def _drawn_scale(measure: Measure, values: Sequence[float]) -> Measure:
    """Return a measure as it is drawn: one without bounds gets the least and the largest value.

    Without values it is returned as it is.
    """
    if is_bounded(measure) or not values:
        return measure
    return replace(measure, low=min(values), high=max(values))


def _mean(
    measure: Measure,
    figures: SideFigures,
    side: str,
    middle: float,
) -> Iterator[Markup]:
    """Yield a dot at a mean, a line of one standard error to both sides, and the mean as text.

    Nothing without a mean, and no line without an error. The class of the dot is `side`. `middle`
    is in pixels from the top.
    """
    mean = figures.macro
    if mean is None:
        return
    full_length = WIDTH - _GROUP - _RIGHT
    centre = _GROUP + full_length * share(measure, mean)
    if figures.stderr:
        low = _GROUP + full_length * share(measure, mean - figures.stderr)
        high = _GROUP + full_length * share(measure, mean + figures.stderr)
        yield line(low, high, middle, "error")
    yield element("circle", cx=centre, cy=middle, r=4, class_=side)
    right = WIDTH - _RIGHT
    yield text(right + 12, middle + 4, number(mean), "small")


# -- estimates ------------------------------------------------------------------------------------


def estimate_rows(worths: Sequence[Worth]) -> Picture:
    """Return a picture with a row for each number: corrected and people's own, with intervals.

    The judge's own value is a mark without an interval. Each is on its measure's own scale. Title
    and caption have the levels of the intervals. A number without an estimate leaves its row empty,
    and is not in the words.
    """
    rows = []
    texts = []
    levels: dict[str, None] = {}
    for index, worth in enumerate(worths):
        estimate = worth.estimate
        if estimate is None:
            continue
        row = _estimate_row(worth, estimate, index * _ESTIMATE_ROW)
        rows.append(element("g", *row))
        texts.append(_estimate_text(worth, estimate))
        levels[percent(estimate.level)] = None
    height = len(worths) * _ESTIMATE_ROW
    levels_text = " and ".join(levels)
    title = f"Estimates with {levels_text} intervals"
    caption = f"Corrected, people only and judge only, with {levels_text} intervals"
    keys = [("signed", "corrected"), ("people", "people only"), ("judge", "judge only")]
    return Picture(height, title, texts, rows, caption, keys)


def _estimate_text(worth: Worth, estimate: Estimate) -> str:
    """Return a number in words: corrected and people only, each with its interval, and judge only.

    A judge's number that is not known is a dash. Intervals of another level than 95 %, as of one of
    several planned looks, have their level at the end.
    """
    people = estimate.people_only
    name = _estimate_name(worth)
    value = figure(estimate.value)
    interval = between(estimate.low, estimate.high)
    people_value = figure(people.value)
    people_interval = between(people.low, people.high)
    judge_value = figure(estimate.judge_only)
    words = (
        f"{name}: corrected {value}, {interval}, people only {people_value}, {people_interval},"
        f" judge only {judge_value}"
    )
    if estimate.level != COVERAGE:
        words += f", intervals of {percent(estimate.level)}"
    return words


def _estimate_name(worth: Worth) -> str:
    """Return what a number is called above its row, inert and cut.

    It is measure and trait with the bounds of the scale, after the group if it is of one.
    """
    measure = worth.measure
    scale = bounds(measure)
    if (measure.low, measure.high) == (0, 1):
        scale = "0–1"
    name = f"{bar_name(measure)} · {worth.trait.describe}"
    if scale:
        name = f"{name}, {scale}"
    if worth.group is not None:
        group = worth.group or "–"
        name = f"{group}: {name}"
    return cut(name, _ESTIMATE_NAME)


def _estimate_row(worth: Worth, estimate: Estimate, top: int) -> Iterator[Markup]:
    """Yield the row of a number: both intervals, the judge's own value, and the number as text.

    The corrected interval is above people's own, each a line with a dot at its value. The judge's
    value is an upright mark, left out if it is not known. A measure without bounds is drawn between
    the least and the largest of its values. `top` is in pixels.
    """
    measure = worth.measure
    people = estimate.people_only
    judge_value = estimate.judge_only
    full_length = WIDTH - _ESTIMATE_NUMBERS
    values = [estimate.low, estimate.high, people.low, people.high]
    if judge_value is not None:
        values.append(judge_value)
    measure = _drawn_scale(measure, values)
    yield text(0, top + 13, _estimate_name(worth), "small")
    yield line(0, full_length, top + 40, "axis")
    for interval, down, class_ in (
        (estimate.interval, 22, "signed"),
        (people, 33, "people"),
    ):
        centre = full_length * share(measure, interval.value)
        low = full_length * share(measure, interval.low)
        high = full_length * share(measure, interval.high)
        yield line(low, high, top + down, f"error {class_}")
        yield element("circle", cx=centre, cy=top + down, r=4, class_=class_)
    if judge_value is not None:
        centre = full_length * share(measure, judge_value)
        yield element(
            "line",
            x1=centre,
            x2=centre,
            y1=top + 17,
            y2=top + 40,
            class_="judge",
        )
    value_text = figure(estimate.value)
    interval_text = between(estimate.low, estimate.high)
    yield text(full_length + 6, top + 27, f"{value_text}  {interval_text}", "small")
