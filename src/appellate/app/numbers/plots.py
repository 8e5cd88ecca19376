"""Small pictures in the terminal: bars and lines over time, drawn with characters alone.

A picture reads the same without colour and has an ASCII twin; what was counted at all is never
drawn as nothing.
"""

from collections.abc import Sequence

from appellate.ui.marks import UNICODE, Marks


def heights(counts: Sequence[int], levels: int, top: int | None = None) -> list[int]:
    """Each count as 0 to `levels`, which stands for `top`; 0 only for a count of 0."""
    if top is None:
        top = max(counts, default=0)
    if top <= 0:
        return [0] * len(counts)
    return [min(-(-max(count, 0) * levels // top), levels) for count in counts]


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
        steps = f" {marks.rising}"
        return "".join(steps[height] for height in heights(shown, len(marks.rising)))
    line = " ".join(map(str, counts))
    if len(line) <= room:
        return line
    return line[len(line) - room :].partition(" ")[2]
