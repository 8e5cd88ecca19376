"""How fast cells were signed off, and how often as the judge proposed: whether they may have been
waved through.
"""

from collections.abc import Iterable, Iterator
from statistics import median

from msgspec import Struct

from appellate.core.cell import MOMENT, Cell
from appellate.core.facts import Adopted, Corrected, Fact, Ruled, SignedOff
from appellate.core.problem import many
from appellate.core.trace import TraceKey

SKIMMED = 15
"""Words in a second: four times as many as people read (238 in a minute: Brysbaert, Journal of
Memory and Language 109, 2019).
"""
LONGEST = 5.0
"""Seconds beyond which nobody was too fast, however long the response."""
FAST_RUN = 10
"""Sign-offs too fast to have read, one after the other, that are worth a word."""
ACCEPTED_RUN = 40
"""Proposals signed off as they were, one after the other: a judge that is right in 95 of 100 cells
gets there one time in eight.
"""


class Signing(Struct, frozen=True):
    """A sign-off: its seconds in sight, if known, the words to read, and whether a model's proposal
    was left as it was.
    """

    seconds: float | None
    words: int
    accepted: bool

    @property
    def fast(self) -> bool:
        """Whether nobody could have read the words in that time."""
        least = min(max(self.words / SKIMMED, MOMENT), LONGEST)
        return self.seconds is not None and self.seconds < least


class PaceTally(Struct, frozen=True):
    """One person's sign-offs; `timed` are those with known seconds, runs are the longest."""

    signed: int = 0
    timed: int = 0
    median_seconds: float | None = None
    fast: int = 0
    fast_run: int = 0
    accepted: int = 0
    accepted_run: int = 0

    def describe(self) -> Iterator[str]:
        """What is worth a word about it, in sentences; nothing where all was taken with care."""
        if self.fast_run >= FAST_RUN:
            of = many(self.timed, "sign-off")
            yield (
                f"{self.fast:,} of {of} came sooner than the response can be read,"
                f" {self.fast_run:,} of them one after the other."
            )
        if self.accepted_run >= ACCEPTED_RUN:
            yield (
                f"{self.accepted_run:,} cells in a row were signed off just as the judge proposed"
                " them."
            )


class PaceWatch:
    """Counts the sign-offs of one person and the runs that go on; any other act ends a run."""

    def __init__(self) -> None:
        self._seconds: list[float] = []
        self._signed = self._fast = self._accepted = 0
        self._fast_now = self._accepted_now = 0
        self._longest_fast = self._longest_accepted = 0
        self._next_fast = FAST_RUN
        self._next_accepted = ACCEPTED_RUN
        self._read: TraceKey | None = None
        self._words_read = 0

    def take(self, cell: Cell, fact: Fact) -> None:
        """One act of the person, in their order; `cell` may have gone on since."""
        if isinstance(fact.what, SignedOff | Ruled) and fact.n not in cell.undone:
            self.signed(self._signing(cell, fact.n, fact.what))
        else:
            self.acted()

    def _signing(self, cell: Cell, n: int, what: SignedOff | Ruled) -> Signing:
        """What was read for one cell of a trace is not to be read again for the next.

        After its response the rest of its conversation is; after that nothing more.
        """
        trace = cell.subject.trace
        if trace.key != self._read:
            self._words_read = 0
        self._read = trace.key
        whole = trace.text.count(" ") + 1
        words = max(whole - self._words_read, 0)
        self._words_read += words
        accepted = cell.judge is not None and cell.subject.source_name == "model"
        accepted = accepted and isinstance(what, SignedOff)
        for one in cell.facts:
            if one.n < n and one.n not in cell.undone:
                accepted = accepted and not isinstance(one.what, Corrected | Adopted)
        return Signing(what.seconds, words, accepted)

    def signed(self, signing: Signing) -> None:
        self._signed += 1
        if signing.seconds is not None:
            self._seconds.append(signing.seconds)
        self._fast += signing.fast
        self._accepted += signing.accepted
        self._fast_now = (self._fast_now + 1) * signing.fast
        self._accepted_now = (self._accepted_now + 1) * signing.accepted
        self._longest_fast = max(self._longest_fast, self._fast_now)
        self._longest_accepted = max(self._longest_accepted, self._accepted_now)

    def acted(self) -> None:
        """Something else was done: whoever does that has looked."""
        self._fast_now = self._accepted_now = 0

    def warning(self) -> str:
        """What to say of the runs that go on, once for each; a longer one is worth another word
        when it is twice as long. "" is nothing.
        """
        if self._fast_now >= self._next_fast:
            self._next_fast = 2 * self._fast_now
            return (
                f"{self._fast_now} cells in a row signed off sooner than their responses can be"
                " read."
            )
        if self._accepted_now >= self._next_accepted:
            self._next_accepted = 2 * self._accepted_now
            return (
                f"{self._accepted_now} cells in a row signed off just as the judge proposed them:"
                " few judges are that good."
            )
        return ""

    def tally(self) -> PaceTally:
        return PaceTally(
            self._signed,
            len(self._seconds),
            round(median(self._seconds), 2) if self._seconds else None,
            self._fast,
            self._longest_fast,
            self._accepted,
            self._longest_accepted,
        )


def tally(acts: Iterable[tuple[Cell, Fact]]) -> PaceTally:
    """One person's sign-offs: of all that they did in its order, with each cell as it is now."""
    watch = PaceWatch()
    for cell, fact in acts:
        watch.take(cell, fact)
    return watch.tally()
