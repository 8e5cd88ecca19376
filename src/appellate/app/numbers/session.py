"""How far one is and how fast it goes: the rows of the numbers' last page.

A row's key is the query that shows its cells in the queue.
"""

from collections.abc import Mapping
from textwrap import wrap

from appellate.app.header import STATES
from appellate.app.numbers.plots import bar, sparkline
from appellate.core.figures import Sentence, Sentences
from appellate.core.problem import many
from appellate.session.review_session import ReviewSession, roughly, span
from appellate.ui.figure_list import Block, PlainRows
from appellate.ui.marks import Marks, progress
from appellate.ui.rows import ListRow, StyledText

_BAR = 30
_SLOTS = "sign-offs in each 10 min  "


def session_of(
    session: ReviewSession, totals: Mapping[str, int], room: int, marks: Marks
) -> list[Block]:
    """Progress, pace once there is any, and what was done in this session."""
    pace = pace_of(session, totals, room, marks)
    return [
        PlainRows("Progress", progress_of(totals, room, marks)),
        *([PlainRows("Pace", pace)] if pace else []),
        Sentences("This session", list(map(Sentence, session.summary()))),
    ]


def progress_of(totals: Mapping[str, int], room: int, marks: Marks) -> list[ListRow]:
    """How many cells are in each state."""
    cells, reviewed = totals.get("cells", 0), totals.get("state:reviewed", 0)
    text = f"{reviewed} of {many(cells, 'cell')} signed off  "
    if cells:
        text += f"{reviewed * 100 // cells} %"
    drawn = progress(reviewed, cells, min(_BAR, room - len(text) - 4), marks)
    rows = [ListRow(f"{text}  {drawn}")]
    for state, meaning in STATES:
        count = totals.get(f"state:{state}", 0)
        left = (
            StyledText(f"{getattr(marks, state)} ", state),
            StyledText(f"{count:>6}  {state:11}"),
            StyledText(f"{meaning:24}", "muted"),
        )
        drawn = bar(count, cells, min(room - 50, _BAR), marks)
        rows.append(ListRow(drawn, left, style=state, key=f"state:{state}" if count else ""))
    flagged = totals.get("flagged", 0)
    mark = (StyledText(f"{marks.flag} ", "flag"),)
    rows.append(ListRow(f"{flagged:>6}  flagged", mark, key="is:flagged" if flagged else ""))
    return rows


def pace_of(
    session: ReviewSession, totals: Mapping[str, int], room: int, marks: Marks
) -> list[ListRow]:
    """How fast it goes, what is left, the sign-offs over time; nothing before there is a pace."""
    reviewed, cells = totals.get("state:reviewed", 0), totals.get("cells", 0)
    each, time = session.each(reviewed), session.time_left(reviewed, cells)
    if each is None:
        return []
    text = f"{span(each)} for a cell, pauses left out; {many(cells - reviewed, 'cell')} left"
    if time:
        text += f", about {roughly(time)}"
    rows = list(map(ListRow, wrap(text, max(room - 2, 20))))
    line = sparkline(session.slots(), room - len(_SLOTS) - 2, marks)
    if line:
        rows.append(ListRow(line, (StyledText(_SLOTS, "muted"),), style="reviewed"))
    return rows
