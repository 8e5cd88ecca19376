"""One reviewer's session: what was done, how fast, and how long the remaining cells will take.

The header, the page of numbers, line mode and the end of `review` show it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from appellate.core.pace import PaceTally, PaceWatch, pace_act
from appellate.core.problem import many
from appellate.session.workbench import Change, Clock, Workbench, now
from appellate.store.fact_rows import Done

RECENT = 50
"""Sign-offs that the pace is computed from."""
CHARTED = 500
"""Sign-offs that the chart over time is made of."""
MOST_SLOTS = 48
"""Slots of ten minutes in the chart: eight hours."""
LEAST = 3
"""Sign-offs that a pace needs."""

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
IDLE = 5 * MINUTE
"""A longer time between two sign-offs was a break."""
SLOT = 10 * MINUTE
_UNITS = (
    (DAY, HOUR, "d", "h"),
    (HOUR, MINUTE, "h", "min"),
    (MINUTE, timedelta(seconds=1), "min", "s"),
)
"""A unit, the next smaller one, and their symbols."""
_ROUNDING = ((10 * HOUR, HOUR), (HOUR, 10 * MINUTE))
"""From which time on an estimate is rounded to what."""


class ReviewSession:
    """The time since a reviewer opened an audit, and what they did in it."""

    def __init__(self, bench: Workbench, clock: Clock = now) -> None:
        """Begin the session at the time of `clock`, and listen to the changes of `bench`."""
        self._bench = bench
        self._clock = clock
        self._began = clock()
        self._began_n = bench.began_n
        self._computed_pace: tuple[int, timedelta | None] | None = None
        """The count of signed-off cells that the pace was last computed at, and the pace."""
        self._watch = PaceWatch()
        bench.listeners.append(self._watch_change)

    def _watch_change(self, change: Change) -> None:
        """Pass each new fact by this reviewer on to the watch for careless sign-offs.

        They are the facts that the change added to its cell; those of others are left out.
        """
        before = change.before.facts
        previous_n = before[-1].n if before else 0
        for fact in change.after.facts:
            is_new = fact.n > previous_n
            if is_new and fact.by == self._bench.reviewer:
                act = pace_act(change.after, fact)
                self._watch.take(act)

    def warning(self) -> str:
        """Return a warning of careless sign-offs in a row; "" if none is due.

        They are faster than the response can be read, or leave every proposal as it is. A warning
        is returned once, and again when there are twice as many in a row.
        """
        return self._watch.warning()

    def pace_tally(self) -> PaceTally:
        """Return how fast this session's sign-offs were, and how many of them changed nothing."""
        return self._watch.tally()

    def time_per_cell(self, signed_off: int) -> timedelta | None:
        """Return the median time between this reviewer's latest sign-offs, in any session.

        Rulings count as sign-offs. The latest `RECENT` are taken; gaps longer than `IDLE` are
        breaks and left out. None before the third sign-off, or if there were breaks between all of
        them. `signed_off` is the count of signed-off cells: the result of the last call is returned
        again while it is the same.
        """
        if self._computed_pace is not None:
            signed_off_then, computed = self._computed_pace
            if signed_off_then == signed_off:
                return computed
        time = pace(self._sign_off_times(RECENT))
        self._computed_pace = signed_off, time
        return time

    def time_left(self, signed_off: int, cells: int) -> timedelta | None:
        """Return how long the remaining cells take at this reviewer's `time_per_cell`.

        `signed_off` and `cells` count the signed-off cells and all cells of the audit. None if the
        time per cell is unknown or no cell remains.
        """
        time_per_cell = self.time_per_cell(signed_off)
        if time_per_cell is None or cells <= signed_off:
            return None
        return time_per_cell * (cells - signed_off)

    def done(self) -> Done:
        """Return how many acts of each kind, and which edits, this reviewer did in this session.

        Acts that were undone do not count; their number is told besides. What was done to labels
        while the judge was hidden is part of the ruling, and no edit. A cell on which no ruling
        followed counts as "begun".
        """
        return self._bench.workspace.facts.done_since(
            self._began_n,
            self._bench.reviewer,
        )

    def slots(self) -> list[int]:
        """Return how many of this reviewer's latest sign-offs were in each slot of ten minutes.

        The oldest slot is first, and the last one ends now. The list begins with the slot of the
        earliest of the latest `CHARTED` sign-offs, in any session, but has at most `MOST_SLOTS`
        slots. It is empty without a sign-off in these.
        """
        times = self._sign_off_times(CHARTED)
        return slots(times, self._clock(), MOST_SLOTS)

    def summary(self) -> list[str]:
        """Return sentences on what was done in this session, how carefully, and how much remains.

        The first is that of `describe_done` and the last that of `describe_remaining`. Between them
        are warnings of runs of careless sign-offs, if there were any.
        """
        totals = self._bench.workspace.totals()
        signed_off = totals.get("state:reviewed", 0)
        cells = totals.get("cells", 0)
        spent = self._clock() - self._began
        time_per_cell = self.time_per_cell(signed_off)
        time_left = self.time_left(signed_off, cells)

        sentences = [describe_done(self.done(), spent, time_per_cell)]
        sentences.extend(self.pace_tally().describe())
        sentences.append(describe_remaining(cells - signed_off, time_left))
        return sentences

    def _sign_off_times(self, limit: int) -> list[datetime]:
        """Return when this reviewer last signed off or ruled on cells, the newest first.

        There are at most `limit` times, of any session. Those that were undone are left out.
        """
        stamps = self._bench.workspace.facts.sign_offs(self._bench.reviewer, limit)
        return [datetime.fromisoformat(stamp) for stamp in stamps]


# -- how fast ----------------------------------------------------------------------------------


def pace(times: Sequence[datetime]) -> timedelta | None:
    """Return the median time between sign-offs, leaving out breaks: gaps longer than `IDLE`.

    `times` may be in any order. None for fewer than three sign-offs, or if there were breaks
    between all of them.
    """
    gaps = []
    for earlier, later in pairwise(sorted(times)):
        gap = later - earlier
        if gap <= IDLE:
            gaps.append(gap.total_seconds())
    if len(times) < LEAST or not gaps:
        return None
    from statistics import median  # not before the first paint

    return timedelta(seconds=median(gaps))


def slots(times: Sequence[datetime], until: datetime, most: int) -> list[int]:
    """Return how many of these times are in each slot of ten minutes, oldest slot first.

    The last slot ends at `until`. The list begins with the slot of the earliest time, at most
    `most` slots back: 25 and 1 minutes before `until` give [1, 0, 1]. Times before that or after
    `until` are not counted. [] if no time is counted.
    """
    ages = []
    for time in times:
        age = (until - time) // SLOT
        if 0 <= age < most:
            ages.append(age)
    if not ages:
        return []
    oldest_first = range(max(ages), -1, -1)
    return [ages.count(age) for age in oldest_first]


# -- in words ----------------------------------------------------------------------------------


def span(time: timedelta) -> str:
    """Return a time in at most two units: `45 s`, `2 min 5 s`, `5 h 30 min`, `2 d 4 h`.

    It is rounded to seconds. Smaller units than those shown are cut off, and a second unit of zero
    is left out. A negative time is `0 s`.
    """
    whole_seconds = max(round(time.total_seconds()), 0)
    time = timedelta(seconds=whole_seconds)
    for unit, smaller_unit, name, smaller_name in _UNITS:
        if time < unit:
            continue
        text = f"{time // unit} {name}"
        remainder = time % unit // smaller_unit
        if remainder:
            text += f" {remainder} {smaller_name}"
        return text
    return f"{time.seconds} s"


def roughly(time: timedelta) -> str:
    """Return an estimated time, rounded, as text such as `1 h 20 min`.

    It is rounded to minutes below an hour, to tens of minutes below ten hours, and to hours from
    there on. It is at least one minute.
    """
    step = MINUTE
    for least, step_from_there in _ROUNDING:
        if time >= least:
            step = step_from_there
            break
    steps = max(round(time / step), 1)
    return span(steps * step)


def describe_done(done: Done, spent: timedelta, time_per_cell: timedelta | None) -> str:
    """Return a sentence about what was done in a session, and how long it has lasted.

    An example is `This session, 12 min: 8 cells signed off (40 s each), 2 corrections (1 drop, 1
    move), 1 undone.` The time per cell is said of sign-offs, or else of rulings, if it is known.
    Acts that were not done are left out, and so are flags that were removed. Without any act it is
    `This session, 12 min: nothing was changed.`
    """
    phrases: list[str] = []
    time_text = f" ({span(time_per_cell)} each)" if time_per_cell else ""
    for name, wording in (("signed_off", "signed off"), ("ruled", "ruled on")):
        count = done.acts.get(name, 0)
        if count:
            cells = many(count, "cell")
            phrases.append(f"{cells} {wording}{time_text}")
            time_text = ""
    begun = done.acts.get("begun", 0)
    if begun:
        cells = many(begun, "blind cell")
        phrases.append(f"{cells} begun and not locked")
    corrected = done.acts.get("corrected", 0)
    if corrected:
        corrections = many(corrected, "correction")
        phrases.append(f"{corrections} ({_edit_counts(done.edits)})")
    adopted = done.acts.get("adopted", 0)
    if adopted:
        proposals = many(adopted, "proposal")
        phrases.append(f"{proposals} adopted")
    commented = done.acts.get("commented", 0)
    if commented:
        phrases.append(many(commented, "comment"))
    flagged = done.acts.get("flagged", 0)
    if flagged:
        phrases.append(f"{flagged} flagged")
    rubrics_taken = done.acts.get("rubric_taken", 0)
    if rubrics_taken:
        rubrics = many(rubrics_taken, "revised rubric")
        phrases.append(f"{rubrics} taken")
    if done.undone:
        phrases.append(f"{done.undone} undone")

    acts = ", ".join(phrases) or "nothing was changed"
    return f"This session, {span(spent)}: {acts}."


def _edit_counts(times_by_edit: Mapping[str, int]) -> str:
    """Return how often each edit was made, as `3 drop, 1 add`; "" if none was made.

    The most frequent comes first, and of equally frequent ones the first by name.
    """
    by_name = sorted(times_by_edit)
    most_frequent_first = sorted(by_name, key=times_by_edit.__getitem__, reverse=True)
    return ", ".join(f"{times_by_edit[edit]} {edit}" for edit in most_frequent_first)


def describe_remaining(cells: int, time: timedelta | None) -> str:
    """Return a sentence like `3 cells left, about 4 min.`, or `Every cell is signed off.` for none.

    `cells` counts those that are not signed off. `time` is how long they will take; None is
    unknown, and then it is only `3 cells left.`
    """
    if not cells:
        return "Every cell is signed off."
    count = many(cells, "cell")
    if time is None:
        return f"{count} left."
    return f"{count} left, about {roughly(time)}."
