"""How far a long step has come, in words: how much is done, how fast, and how long it will take."""

from collections.abc import Callable

from msgspec import Struct

OnProgress = Callable[[int, float | None], None]
"""Called with how many are done so far, and with the part of the whole, where that is known."""

PATIENCE = 1.0
_EVERY = 0.2


def ignore_progress(done: int, part: float | None = None) -> None:
    """Does nothing."""


class Progress(Struct):
    """Says how a step goes, several times a second, from its second second on.

    `clock` tells seconds.
    """

    what: str
    say: Callable[[str], None]
    clock: Callable[[], float]
    total: int | None = None
    was_shown: bool = False
    _began: float = 0
    _next: float = 0

    def __post_init__(self) -> None:
        self._began = self.clock()
        self._next = self._began + PATIENCE

    def received(self, done: int, part: float | None = None) -> None:
        now = self.clock()
        if now < self._next:
            return
        self._next = now + _EVERY
        self.was_shown = True
        if part is None and self.total:
            part = done / self.total
        self.say(self._describe(done, part, now - self._began))

    def _describe(self, done: int, part: float | None, took: float) -> str:
        count = f"{done:,}"
        if self.total:
            count += f" of {self.total:,}"
        parts = [f"{self.what}: {count}", f"{done / took:,.0f}/s"]
        if part:
            parts.append(f"{clock(took * (1 - part) / part)} to go")
        return " · ".join(parts)


def clock(seconds: float) -> str:
    """A duration: 0:42, 10:00, 1:02:03."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{rest:02}"
    return f"{minutes}:{rest:02}"
