"""Small pictures in the terminal: columns, bars and lines over time, drawn with characters alone.

A picture reads the same without colour and has an ASCII twin; what was counted at all is never
drawn as nothing.
"""

from collections.abc import Sequence
from itertools import chain

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rendered_text import StyledText, cut
from appellate.ui.text import cell_width, column

WIDEST = 3  # cells of one column: wider ones are harder to take in at a glance
AXIS = "0", ".5", "1"


def heights(counts: Sequence[int], levels: int, top: int | None = None) -> list[int]:
    """Each count as 0 to `levels`, which stands for `top`; 0 only for a count of 0."""
    if top is None:
        top = max(counts, default=0)
    if top <= 0:
        return [0] * len(counts)
    return [min(-(-max(count, 0) * levels // top), levels) for count in counts]


def fewer(counts: Sequence[int], most: int) -> list[int]:
    """The counts in at most `most` slots: neighbours are put together, nothing is lost."""
    if most <= 0:
        return []
    share = max(-(-len(counts) // most), 1)
    return [sum(counts[start : start + share]) for start in range(0, len(counts), share)]


def columns(
    counts: Sequence[int],
    room: int,
    rows: int = 1,
    marks: Marks = UNICODE,
    *,
    top: int | None = None,
    widest: int = WIDEST,
) -> list[str]:
    """Upright columns in `rows` lines, the highest first, each as wide as `column_width` says."""
    counts = fewer(counts, room)
    steps = len(marks.rising)
    wide = column_width(len(counts), room, widest)
    tall = heights(counts, rows * steps, top)
    lines: list[str] = []
    for row in reversed(range(rows)):
        below = steps * row  # levels that stand below this line
        lines.append("".join(_slice(height - below, marks) * wide for height in tall))
    return lines


def _slice(level: int, marks: Marks) -> str:
    """One cell of a column that reaches `level` steps into it."""
    if level <= 0:
        return " "
    return marks.rising[min(level, len(marks.rising)) - 1]


def column_width(count: int, room: int, widest: int = WIDEST) -> int:
    """The cells that each of so many columns gets."""
    if not count:
        return 0
    return min(max(room // count, 1), widest)


def axis(count: int, room: int, labels: Sequence[str] = AXIS) -> str:
    """The labels below columns: at both ends and, where there is room, in the middle."""
    count = min(count, max(room, 0))
    wide = count * column_width(count, room)
    left, middle, right = labels
    if wide < len(left + middle + right) + 2:
        return (left + right.rjust(wide - len(left)))[:wide] if wide > 1 else ""
    line = left.ljust((wide - len(middle)) // 2) + middle
    return line + right.rjust(wide - len(line))


def bar(count: int, top: int, room: int, marks: Marks = UNICODE) -> str:
    """A bar of at most `room` cells, all of them at `top`; none where bars are not wanted."""
    if not marks.bars:
        return ""
    steps = len(marks.growing)
    (level,) = heights([count], max(room, 0) * steps, max(top, 0))
    full, part = divmod(level, steps)
    drawn = marks.growing[-1] * full
    if part:
        drawn += marks.growing[part - 1]
    return drawn


def sparkline(counts: Sequence[int], room: int, marks: Marks = UNICODE) -> str:
    """One character for each slot of time, the latest last; where there is no room for all, the
    latest.
    """
    room = max(room, 0)
    if marks.bars:
        shown = counts[max(len(counts) - room, 0) :]
        return "".join(_slice(height, marks) for height in heights(shown, len(marks.rising)))
    line = " ".join(map(str, counts))
    if len(line) <= room:
        return line
    return line[len(line) - room :].partition(" ")[2]


def histogram(
    sides: Sequence[tuple[str, Sequence[int]]],
    room: int,
    rows: int = 2,
    marks: Marks = UNICODE,
    *,
    labels: Sequence[str] = AXIS,
    steps: Sequence[str] = (),
) -> list[list[StyledText]]:
    """Counts over a scale, one side above the other, each with its name, and the axis below.

    `labels` are those of the axis; where the parts are `steps`, the name of each stands below its
    columns instead. Where bars are not wanted, a line of words for each side.
    """
    if not marks.bars:
        styled = [StyledText(f"{side}: {_in_words(counts, steps)}") for side, counts in sides]
        return [cut([line], room, marks) for line in styled]
    longest = max((cell_width(name) for name, _ in sides), default=0)
    beside = min(longest + 2, room // 2)
    space = room - beside
    pooled = [fewer(counts, space) for _, counts in sides]
    top = max(chain.from_iterable(pooled), default=0)
    slots = max(map(len, pooled), default=0)
    widest = max(WIDEST, max(map(cell_width, steps), default=0) + 1)
    drawn: list[list[StyledText]] = []
    for (name, _), counts in zip(sides, pooled, strict=True):
        if drawn:
            drawn.append([])  # or two tall columns would look like one
        *above, last = columns(counts, space, rows, marks, top=top, widest=widest)
        drawn += [_named("", line, beside, room, marks) for line in above]
        drawn.append(_named(name, last, beside, room, marks))
    below = axis(slots, space, labels)
    if steps and slots == len(steps):
        wide = column_width(slots, space, widest)
        below = "".join(column(step, wide, marks) for step in steps)
    return [*drawn, _named("", below, beside, room, marks, style="muted")]


def _named(
    name: str, line: str, beside: int, room: int, marks: Marks, *, style: str = ""
) -> list[StyledText]:
    return cut(
        [StyledText(column(name, beside, marks), "muted"), StyledText(line, style)], room, marks
    )


def _in_words(counts: Sequence[int], steps: Sequence[str]) -> str:
    """Where anything was counted: `3 from .50, 1 from .95`; of steps, `2 no, 5 yes`."""
    found = []
    for place, count in enumerate(counts):
        if count and steps:
            found.append(f"{count} {steps[place]}")
        elif count:
            begins = f"{place / len(counts):.2f}".removeprefix("0")
            found.append(f"{count} from {begins}")
    return ", ".join(found) or "none"
