"""The progress of a long step in words: how much is done, how fast, and how long it will take."""

from collections.abc import Callable

from msgspec import Struct

OnProgress = Callable[[int, float | None], None]
"""Called with how many are done so far, and with the part of the whole; None if that is unknown."""

PATIENCE = 1.0
"""Seconds before the first message."""
_EVERY = 0.2
"""Seconds between two messages."""


def ignore_progress(done: int, part: float | None = None) -> None:
    """Do nothing, where nobody wants to know."""


class Progress(Struct):
    """Says how a step goes several times a second, after its first second."""

    what: str
    """What is done, for the beginning of the message."""
    say: Callable[[str], None]
    clock: Callable[[], float]
    """Returns the time in seconds."""
    total: int | None = None
    was_shown: bool = False
    """Whether anything was said."""
    _began: float = 0
    _next: float = 0

    def __post_init__(self) -> None:
        """Begin now: the first message is due `PATIENCE` seconds later."""
        self._began = self.clock()
        self._next = self._began + PATIENCE

    def received(self, done: int, part: float | None = None) -> None:
        """Say how many are done so far, unless it is too early for another message.

        The first comes `PATIENCE` seconds after the beginning, others `_EVERY` seconds after the
        one before. `part` is the share of the whole that is done, from 0 to 1; None if only `total`
        tells it, or nothing.
        """
        now = self.clock()
        if now < self._next:
            return
        self._next = now + _EVERY
        self.was_shown = True
        if part is None and self.total:
            part = done / self.total
        self.say(self._describe(done, part, now - self._began))

    def _describe(self, done: int, part: float | None, elapsed: float) -> str:
        """Return the message, as `reading: 1,200 of 3,000 · 300/s · 0:06 to go`.

        `elapsed` is in seconds, above 0. `part` is the share of the whole that is done, from 0 to
        1; if that is 0 or None, there is no time to go. Without a `total` there is no "of 3,000".
        """
        count = f"{done:,}"
        if self.total:
            count += f" of {self.total:,}"
        rate = done / elapsed
        text = f"{self.what}: {count} · {rate:,.0f}/s"
        if part:
            seconds_left = elapsed * (1 - part) / part
            text += f" · {clock(seconds_left)} to go"
        return text


def clock(seconds: float) -> str:
    """Return a duration as text: 0:42, 10:00, 1:02:03; a negative one is 0:00.

    It is rounded to whole seconds.
    """
    whole_seconds = max(0, round(seconds))
    minutes, seconds_left = divmod(whole_seconds, 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes_left:02}:{seconds_left:02}"
    return f"{minutes}:{seconds_left:02}"
