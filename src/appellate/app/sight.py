"""How long each cell was in sight in this session, by the clock that keys arrive by."""

from collections import defaultdict
from collections.abc import Callable


class SightTime:
    """The seconds that cells were in sight; one of them is, since some moment."""

    def __init__(self, clock: Callable[[], float], number: int) -> None:
        self._clock = clock
        self._spent: defaultdict[int, float] = defaultdict(float)
        self._number, self._since = number, clock()

    def opened(self, number: int) -> None:
        """Another cell comes into sight."""
        now = self._clock()
        self._spent[self._number] += max(now - self._since, 0)
        self._number, self._since = number, now

    def seconds(self, pressed: float) -> float:
        """How long the cell was in sight by the time that a key was pressed; by now, where that was
        a key for another cell.
        """
        until = pressed if pressed > self._since else self._clock()
        return self._spent[self._number] + max(until - self._since, 0)
