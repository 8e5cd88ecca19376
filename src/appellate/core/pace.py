"""How fast cells were signed off, and how often just as the judge proposed them.

Both tell whether cells may have been waved through.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from appellate.core.cell import MOMENT, Cell, undone
from appellate.core.facts import Adopted, Corrected, Fact, Proposed, Ruled, SignedOff
from appellate.core.problem import many
from appellate.core.trace import TraceKey

SKIMMED = 15
"""Words in a second: four times as many as people read.

People read 238 words in a minute (Brysbaert, Journal of Memory and Language 109, 2019).
"""
LONGEST = 5.0
"""Seconds. Whoever takes longer was not too fast, however long the response."""
FAST_RUN = 10
"""Sign-offs too fast to have read, one after the other, that are worth a warning."""
ACCEPTED_RUN = 40
"""Proposals signed off unchanged, one after the other, that are worth a warning.

A judge that is right in 95 of 100 cells gets there one time in eight.
"""


class Signing(Struct, frozen=True):
    """One sign-off."""

    seconds: float | None
    """How long the person had the cell in sight; None if unknown."""
    words: int
    """The words to read."""
    accepted: bool
    """Whether a model's proposal was left unchanged."""

    @property
    def fast(self) -> bool:
        """Whether nobody could have read the words in that time; False if the time is unknown.

        At `SKIMMED` words a second it is too short. Less than a `MOMENT` is always fast, `LONGEST`
        or more never.
        """
        least = min(max(self.words / SKIMMED, MOMENT), LONGEST)
        return self.seconds is not None and self.seconds < least


class PaceAct(NamedTuple):
    """One act of a person, as far as their pace goes by it."""

    trace: TraceKey
    signs: bool
    """Whether it is a sign-off or a ruling that is in force."""
    text_words: int = 0
    """The words of what the person signed off or ruled on; 0 for other acts."""
    seconds: float | None = None
    """How long the person had the cell in sight; None if unknown."""
    accepted: bool = False
    """Whether a model's proposal was signed off unchanged."""


def pace_act(cell: Cell, fact: Fact) -> PaceAct:
    """Return how an act counts for the pace of the person who acted.

    For a sign-off or ruling in force it tells how many words the text has that is judged, and how
    long the cell was in sight. Of any other act it tells only the trace, and that it does not sign.
    A sign-off counts as accepting a model's proposal if no act in force then had changed the
    labels; a ruling never does. `cell` may be as later acts left it.
    """
    trace = cell.subject.trace
    event = fact.what
    if not isinstance(event, SignedOff | Ruled) or fact.n in cell.undone:
        return PaceAct(trace.key, signs=False)

    text_words = trace.text.count(" ") + 1
    accepted = isinstance(event, SignedOff) and _accepts_proposal(cell, fact)
    return PaceAct(trace.key, True, text_words, event.seconds, accepted)


def _accepts_proposal(cell: Cell, sign_off: Fact) -> bool:
    """Return whether a sign-off of a cell left what a model proposed as it was.

    It did if there was a proposal in force, and no correction or adoption, when it was made; what
    was undone or redone afterwards does not count. False for a trait that asks no model.
    """
    if cell.subject.source_name != "model":
        return False
    before = tuple(fact for fact in cell.facts if fact.n < sign_off.n)
    undone_before = undone(before)
    is_judged = False
    for fact in before:
        if fact.n in undone_before:
            continue
        if isinstance(fact.what, Corrected | Adopted):
            return False
        if isinstance(fact.what, Proposed):
            is_judged = True
    return is_judged


class PaceTally(Struct, frozen=True):
    """One person's sign-offs in numbers."""

    signed: int = 0
    timed: int = 0
    """Sign-offs with known seconds."""
    median_seconds: float | None = None
    fast: int = 0
    fast_run: int = 0
    """The longest run of sign-offs that were too fast to have read."""
    accepted: int = 0
    accepted_run: int = 0
    """The longest run of proposals signed off unchanged."""

    def describe(self) -> Iterator[str]:
        """Yield what is worth saying about the pace, in at most two sentences.

        The first is about fast sign-offs, if the longest run of them has `FAST_RUN` or more, and
        the second about unchanged proposals, if the longest run of these has `ACCEPTED_RUN` or
        more.
        """
        if self.fast_run >= FAST_RUN:
            timed = many(self.timed, "sign-off")
            yield (
                f"{self.fast:,} of {timed} came sooner than the response can be read,"
                f" {self.fast_run:,} of them one after the other."
            )
        if self.accepted_run >= ACCEPTED_RUN:
            yield (
                f"{self.accepted_run:,} cells in a row were signed off just as the judge proposed"
                " them."
            )


class PaceWatch:
    """Counts the sign-offs of one person, and the current runs; any other act ends a run."""

    def __init__(self) -> None:
        """Begin with no act counted, no run, and nothing told."""
        self._seconds: list[float] = []
        self._signed = self._fast = self._accepted = 0
        self._fast_now = self._accepted_now = 0
        self._longest_fast = self._longest_accepted = 0
        self._next_fast = FAST_RUN
        self._next_accepted = ACCEPTED_RUN
        self._read: TraceKey | None = None
        self._words_read = 0

    def take(self, act: PaceAct) -> None:
        """Count one act of the person; acts must come in the order in which they acted.

        A sign-off or ruling that is in force is counted as `signed` does, and every other act ends
        the runs. What was read for one cell of a trace need not be read again for the next
        sign-off, if that is of the same trace: of a longer text only the rest of the words counts,
        of any other none.
        """
        if not act.signs:
            self.acted()
            return
        if act.trace != self._read:
            self._words_read = 0
        self._read = act.trace
        words = max(act.text_words - self._words_read, 0)
        self._words_read += words
        self.signed(Signing(act.seconds, words, act.accepted))

    def signed(self, signing: Signing) -> None:
        """Count a sign-off, which continues or ends the runs of fast and of accepted ones.

        One that is not fast, also if its time is unknown, ends the run of fast ones, and one that
        is not accepted the other. What `warning` has told of is not forgotten at the end of a run.
        """
        self._signed += 1
        if signing.seconds is not None:
            self._seconds.append(signing.seconds)
        if signing.fast:
            self._fast += 1
            self._fast_now += 1
            self._longest_fast = max(self._longest_fast, self._fast_now)
        else:
            self._fast_now = 0
        if signing.accepted:
            self._accepted += 1
            self._accepted_now += 1
            self._longest_accepted = max(self._longest_accepted, self._accepted_now)
        else:
            self._accepted_now = 0

    def acted(self) -> None:
        """Note an act that is no sign-off, which ends both runs: whoever acts has looked."""
        self._fast_now = self._accepted_now = 0

    def warning(self) -> str:
        """Return a sentence about one of the current runs, the too fast one first; "" for nothing.

        A run is told of if it is `FAST_RUN` or `ACCEPTED_RUN` long. From then on only one that is
        twice as long as the last of its sort that was told of is, whether it is the same run or a
        later one. Calling this counts as telling; if both are due, the next call tells of the
        other.
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
        """Return the numbers so far; the runs are the longest ones, not the current ones.

        The median of seconds has two decimals, and is None if no sign-off has a known time.
        """
        median_seconds = None
        if self._seconds:
            from statistics import median  # not before the first paint

            median_seconds = round(median(self._seconds), 2)
        return PaceTally(
            self._signed,
            len(self._seconds),
            median_seconds,
            self._fast,
            self._longest_fast,
            self._accepted,
            self._longest_accepted,
        )


def tally(acts: Iterable[PaceAct]) -> PaceTally:
    """Return the numbers of one person's sign-offs; `acts` are all that they did, in order."""
    watch = PaceWatch()
    for act in acts:
        watch.take(act)
    return watch.tally()
