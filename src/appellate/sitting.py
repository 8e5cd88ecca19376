"""One reviewer's sitting at the bench: what was done since it began, how fast it goes, and how much is left."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from appellate.core.pace import Pace, left, pace
from appellate.core.tally import slots, summary
from appellate.workbench import Clock, Workbench, now

RECENT = 50  # sign-offs that the pace is taken from
SHOWN = 500  # sign-offs that the line over time looks at
MOST = 48  # ten-minute slots: eight hours


class Sitting:
    """Since a reviewer sat down; the pace is read anew after a sign-off and not before."""

    def __init__(self, bench: Workbench, clock: Clock = now) -> None:
        self._bench = bench
        self._clock = clock
        self._began = clock()
        self._n = bench.began_n
        self._known: tuple[int, Pace | None] | None = None

    def pace(self, reviewed: int) -> Pace | None:
        """How long a sign-off takes, with so many cells signed off by now; None before there are three."""
        if self._known is None or self._known[0] != reviewed:
            self._known = reviewed, pace(self._times(RECENT))
        return self._known[1]

    def each(self, reviewed: int) -> timedelta | None:
        """The time that a cell takes."""
        known = self.pace(reviewed)
        return timedelta(seconds=known.seconds) if known else None

    def time_left(self, reviewed: int, cells: int) -> timedelta | None:
        """How long the rest takes at this pace."""
        known = self.pace(reviewed)
        return left(known, cells - reviewed) if known and cells > reviewed else None

    def tally(self) -> Mapping[str, int]:
        """What was done since, by what it was."""
        return self._bench.workspace.tally_since(self._n, self._bench.reviewer)

    def slots(self) -> list[int]:
        """Sign-offs in each of the last ten minutes, up to eight hours back."""
        return slots(self._times(SHOWN), self._clock(), MOST)

    def summary(self) -> list[str]:
        """The sitting in sentences."""
        totals = self._bench.workspace.totals()
        reviewed, cells = totals.get("state:reviewed", 0), totals.get("cells", 0)
        spent = self._clock() - self._began
        return summary(self.tally(), spent, self.each(reviewed), cells - reviewed, self.time_left(reviewed, cells))

    def _times(self, limit: int) -> list[datetime]:
        found = self._bench.workspace.sign_offs(self._bench.reviewer, limit)
        return [datetime.fromisoformat(at) for at in found]
