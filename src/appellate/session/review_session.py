"""One reviewer's session: what was done, how fast it goes and how much is left, in words."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from appellate.core.pace import PaceTally, PaceWatch
from appellate.core.problem import many
from appellate.session.workbench import Change, Clock, Workbench, now
from appellate.store.fact_rows import Done

RECENT = 50  # sign-offs that the pace is taken from
SHOWN = 500  # sign-offs that the line over time looks at
MOST = 48  # ten-minute slots: eight hours
LEAST = 3  # sign-offs before there is a pace

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
IDLE = 5 * MINUTE  # a longer gap between sign-offs was spent elsewhere
SLOT = 10 * MINUTE
_UNITS = (
    (DAY, HOUR, "d", "h"),
    (HOUR, MINUTE, "h", "min"),
    (MINUTE, timedelta(seconds=1), "min", "s"),
)
_ROUGH = ((10 * HOUR, HOUR), (HOUR, 10 * MINUTE))


class ReviewSession:
    """From when a reviewer opened the audit; the pace is read anew after each sign-off only."""

    def __init__(self, bench: Workbench, clock: Clock = now) -> None:
        self._bench = bench
        self._clock = clock
        self._began = clock()
        self._n = bench.began_n
        self._known: tuple[int, timedelta | None] | None = None
        self._watch = PaceWatch()
        bench.listeners.append(self._received)

    def _received(self, change: Change) -> None:
        """Watches how this reviewer's sign-offs follow each other."""
        before = change.before.facts
        last = before[-1].n if before else 0
        for fact in change.after.facts:
            if fact.n > last and fact.by == self._bench.reviewer:
                self._watch.take(change.after, fact)

    def warning(self) -> str:
        """Warns once of sign-offs that come too fast or never change anything; "" is nothing."""
        return self._watch.warning()

    def care(self) -> PaceTally:
        """What this session's sign-offs come to."""
        return self._watch.tally()

    def each(self, reviewed: int) -> timedelta | None:
        """The time that a cell takes, with so many signed off; None before there are three."""
        if self._known is None or self._known[0] != reviewed:
            self._known = reviewed, pace(self._times(RECENT))
        return self._known[1]

    def time_left(self, reviewed: int, cells: int) -> timedelta | None:
        """How long the rest takes at this pace."""
        each = self.each(reviewed)
        if each is None or cells <= reviewed:
            return None
        return each * (cells - reviewed)

    def done(self) -> Done:
        return self._bench.workspace.facts.done_since(self._n, self._bench.reviewer)

    def slots(self) -> list[int]:
        """Sign-offs in each of the last ten minutes, up to eight hours back."""
        return slots(self._times(SHOWN), self._clock(), MOST)

    def summary(self) -> list[str]:
        totals = self._bench.workspace.totals()
        reviewed = totals.get("state:reviewed", 0)
        cells = totals.get("cells", 0)
        spent = self._clock() - self._began
        each = self.each(reviewed)
        rest = describe_rest(cells - reviewed, self.time_left(reviewed, cells))
        return [describe_done(self.done(), spent, each), *self.care().describe(), rest]

    def _times(self, limit: int) -> list[datetime]:
        found = self._bench.workspace.facts.sign_offs(self._bench.reviewer, limit)
        return [datetime.fromisoformat(at) for at in found]


# -- how fast ----------------------------------------------------------------------------------


def pace(times: Sequence[datetime]) -> timedelta | None:
    """The median time between sign-offs, gaps above `IDLE` aside; None for fewer than three."""
    worked = []
    for earlier, later in pairwise(sorted(times)):
        if later - earlier <= IDLE:
            worked.append((later - earlier).total_seconds())
    if len(times) < LEAST or not worked:
        return None
    return timedelta(seconds=median(worked))


def slots(times: Sequence[datetime], until: datetime, most: int) -> list[int]:
    """How many times lie in each ten minutes up to now, latest last, from the first time on."""
    ages = [(until - time) // SLOT for time in times]
    counted = [age for age in ages if 0 <= age < most]
    return [counted.count(age) for age in range(max(counted, default=-1), -1, -1)]


# -- in words ----------------------------------------------------------------------------------


def span(time: timedelta) -> str:
    """A time in at most two units: `45 s`, `2 min 5 s`, `5 h 30 min`, `2 d 4 h`."""
    time = timedelta(seconds=max(round(time.total_seconds()), 0))
    for unit, smaller, name, below in _UNITS:
        if time >= unit:
            text = f"{time // unit} {name}"
            rest = time % unit // smaller
            if rest:
                text += f" {rest} {below}"
            return text
    return f"{time.seconds} s"


def roughly(time: timedelta) -> str:
    """An estimate: minutes below an hour, tens of minutes below ten hours, hours above."""
    step = next((step for above, step in _ROUGH if time >= above), MINUTE)
    return span(max(round(time / step), 1) * step)


def describe_done(done: Done, spent: timedelta, each: timedelta | None) -> str:
    text = ", ".join(_acts(done, each)) or "nothing was changed"
    return f"This session, {span(spent)}: {text}."


def describe_rest(cells: int, time: timedelta | None) -> str:
    """How many cells are not signed off, and how long they will take, in a sentence."""
    if not cells:
        return "Every cell is signed off."
    if time is None:
        return f"{many(cells, 'cell')} left."
    return f"{many(cells, 'cell')} left, about {roughly(time)}."


def _acts(done: Done, each: timedelta | None) -> Iterator[str]:
    spent = f" ({span(each)} each)" if each else ""
    for name, wording in (("signed_off", "signed off"), ("ruled", "ruled on")):
        if stood_by := done.acts.get(name, 0):
            yield f"{many(stood_by, 'cell')} {wording}{spent}"
            spent = ""
    if corrected := done.acts.get("corrected", 0):
        edits = sorted(done.edits.items(), key=lambda pair: (-pair[1], pair[0]))
        text = ", ".join(f"{times} {edit}" for edit, times in edits)
        yield f"{many(corrected, 'correction')} ({text})"
    if adopted := done.acts.get("adopted", 0):
        yield f"{many(adopted, 'proposal')} adopted"
    if commented := done.acts.get("commented", 0):
        yield many(commented, "comment")
    if flagged := done.acts.get("flagged", 0):
        yield f"{flagged} flagged"
    if taken := done.acts.get("rubric_taken", 0):
        yield f"{many(taken, 'revised rubric')} taken"
    if done.undone:
        yield f"{done.undone} undone"
