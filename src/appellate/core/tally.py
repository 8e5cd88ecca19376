"""What one reviewer did since they sat down, how fast it went and how much is left, in plain words."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
SLOT = 10 * MINUTE
_UNITS = ((DAY, HOUR, "d", "h"), (HOUR, MINUTE, "h", "min"), (MINUTE, timedelta(seconds=1), "min", "s"))
_ROUGH = ((10 * HOUR, HOUR), (HOUR, 10 * MINUTE))


def span(time: timedelta) -> str:
    """A time in at most two units: `45 s`, `2 min 5 s`, `5 h 30 min`, `2 d 4 h`."""
    time = timedelta(seconds=max(round(time.total_seconds()), 0))
    for unit, smaller, name, below in _UNITS:
        if time >= unit:
            rest = time % unit // smaller
            return f"{time // unit} {name}" + (f" {rest} {below}" if rest else "")
    return f"{time.seconds} s"


def roughly(time: timedelta) -> str:
    """An estimated time: in minutes below an hour, in tens of minutes below ten hours, in hours above."""
    step = next((step for above, step in _ROUGH if time >= above), MINUTE)
    return span(max(round(time / step), 1) * step)


def slots(times: Sequence[datetime], until: datetime, most: int) -> list[int]:
    """How many of the times lie in each ten minutes up to now, the latest last; from the first time on."""
    ages = [(until - time) // SLOT for time in times]
    counted = [age for age in ages if 0 <= age < most]
    return [counted.count(age) for age in range(max(counted, default=-1), -1, -1)]


def summary(
    tally: Mapping[str, int], spent: timedelta, each: timedelta | None, left: int, time_left: timedelta | None
) -> list[str]:
    """The session in sentences: what was done, and what is left to do."""
    done = ", ".join(_done(tally, each)) or "nothing was changed"
    return [f"This session, {span(spent)}: {done}.", still(left, time_left)]


def still(left: int, time_left: timedelta | None) -> str:
    """How much is left, in a sentence."""
    if not left:
        return "Every cell is signed off."
    return f"{many(left, 'cell')} left" + (f", about {roughly(time_left)}." if time_left else ".")


def many(count: int, what: str) -> str:
    """`1 cell`, `12 cells`."""
    return f"{count} {what}" + ("" if count == 1 else "s")


def _done(tally: Mapping[str, int], each: timedelta | None) -> Iterator[str]:
    if signed := tally.get("signed_off", 0):
        yield f"{many(signed, 'cell')} signed off" + (f" ({span(each)} each)" if each else "")
    if corrected := tally.get("corrected", 0):
        kinds = ", ".join(_kinds(tally))
        yield many(corrected, "correction") + (f" ({kinds})" if kinds else "")
    if commented := tally.get("commented", 0):
        yield many(commented, "comment")
    if flagged := tally.get("flagged", 0):
        yield f"{flagged} flagged"
    if undone := tally.get("undone", 0):
        yield f"{undone} undone"


def _kinds(tally: Mapping[str, int]) -> Iterator[str]:
    """The kinds of corrections by how often they were made: `3 TP → FN`, `2 drop FP`."""
    found = [(_told(name), times) for name, times in tally.items() if ":" in name]
    for told, times in sorted(found, key=lambda pair: (-pair[1], pair[0])):
        yield f"{times} {told}"


def _told(name: str) -> str:
    """`move:tp→fn` as `TP → FN`, `drop:fp` as `drop FP`."""
    action, _, where = name.partition(":")
    here, _, there = where.upper().partition("→")
    return f"{here} → {there}" if there else f"{action} {here}".strip()
