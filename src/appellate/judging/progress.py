"""The progress of a run of the judge, for a progress bar, lines of a log and the screen's header.

A `Counter` counts results, and its `progress()` gives a `Progress` to show.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Table
from appellate.core.problem import many
from appellate.core.step_progress import clock
from appellate.judges.proposal import (
    JudgeRecord,
    JudgmentFailure,
    NoLabels,
    Outcome,
    Proposal,
)
from appellate.judges.rate_limiter import Waiting
from appellate.traits.kinds import kinds

_MARKS = 60
"""Marks that the rate is computed from: they cover the latest half minute."""
_MARK_INTERVAL = 0.5
"""Seconds between two marks."""
_SHORTEST_STALL = 15.0
"""Seconds without an answer before a run counts as stalled, if cells usually take less."""
_USUAL_TIMES = 5.0
"""A run counts as stalled after so many times the usual seconds of a cell."""
_STALL_IF_UNKNOWN = 60.0
"""Seconds without an answer before a run counts as stalled, if the usual time is not known."""


class DeadMember(Struct, frozen=True):
    """A judge of a panel that gave no labels for any of `cells` cells, and its first error."""

    name: str
    cells: int
    cause: str

    @property
    def sentence(self) -> str:
        """`m gave no labels for any of 3 cells:` and the error, which ends as it came."""
        return f"{self.name} gave no labels for any of {many(self.cells, 'cell')}: {self.cause}"


class Progress(Struct):
    """The state of a run at one moment."""

    done: int = 0
    """Cells that are done, whatever their result."""
    failed: int = 0
    unrecorded: int = 0
    """Done cells for which the judge had no labels."""
    cached: int = 0
    """Done cells whose replies all came from the cache."""
    left: int | None = None
    """Cells that are left; None if not known."""
    under_way: int = 0
    """Cells in progress."""
    rate: float = 0.0
    """Cells a second over the latest half minute.

    Like `usual`, it leaves out computed cells if a judge is asked as well.
    """
    silent: float = 0.0
    """Seconds since the latest result."""
    usual: float | None = None
    """Seconds that a cell usually takes; None before the first."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    """What the server or the prices say; None if neither does."""
    paid: int = 0
    """Cells that `cost` is for."""
    absent: int = 0
    """Cells for which some judge of a panel gave no labels."""
    computed: int = 0
    """Done cells whose labels were computed."""
    left_computed: int = 0
    """Cells that are left and will be computed."""
    waiting: Waiting | None = None
    """The state of the server that requests wait for; None if they do not wait."""
    dead: tuple[DeadMember, ...] = ()
    """Judges of a panel that gave no labels for any cell so far."""

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the cells left will still take at the current rate.

        If a judge is asked, these are only the cells that it is asked about. None if the number of
        cells left is not known, or while the rate is 0.
        """
        if self.left is None or not self.rate:
            return None
        return (self.left - self.left_computed) / self.rate

    @property
    def expected_cost(self) -> float | None:
        """The cost of the whole run if each cell left costs the average of those paid for.

        Cells left that will be computed cost nothing. None if the number of cells is not known, or
        none was paid for so far.
        """
        if self.cost is None or self.left is None or not self.paid:
            return None
        left_to_pay = self.left - self.left_computed
        return self.cost * (1 + left_to_pay / self.paid)

    @property
    def stalled(self) -> bool:
        """Whether no result came for much longer than usual, or a server in trouble is waited for.

        Without cells in progress no result is missed. Longer is `_USUAL_TIMES` the usual time and
        at least `_SHORTEST_STALL`, or `_STALL_IF_UNKNOWN` while the usual time is None. A server
        counts once its wait `is_long`, whatever came from others meanwhile.
        """
        if self.waiting and self.waiting.is_long:
            return True
        limit = _STALL_IF_UNKNOWN
        if self.usual is not None:
            limit = max(_SHORTEST_STALL, _USUAL_TIMES * self.usual)
        return self.under_way > 0 and self.silent > limit

    @property
    def silence_text(self) -> str:
        """The phrase for how long no answer came: `no answer for 0:20 (429, asks to wait 30 s)`.

        It is the time since the last good answer of the server that is waited for. If none is, it
        is the time since the latest result, without brackets. The brackets hold the status of the
        server and the wait it asks for, as far as they are known.
        """
        waiting = self.waiting
        if waiting is None:
            return f"no answer for {clock(self.silent)}"
        text = f"no answer for {clock(waiting.silent)}"
        details = []
        if waiting.status:
            details.append(str(waiting.status))
        if waiting.asked:
            details.append(f"asks to wait {waiting.asked:.0f} s")
        if details:
            text += f" ({', '.join(details)})"
        return text

    @property
    def cause_text(self) -> str:
        """The sentence on what the server did instead of answering: `x.org answered 503: Busy.`

        It begins with the server's host and ends with a full stop. It is "" if no server is waited
        for, or no request to it failed since its last good answer.
        """
        if self.waiting is None or not self.waiting.trouble:
            return ""
        return f"{self.waiting.host} {self.waiting.trouble.rstrip('. ')}."

    @property
    def end_text(self) -> str:
        """The phrase for when the server is given up: `given up in 1:30`.

        It is "" if no server is waited for. A server that is in no trouble yet has one, too.
        """
        if self.waiting is None:
            return ""
        return f"given up in {clock(self.waiting.left)}"


@cache
def computing_names() -> frozenset[str]:
    """Return the names that records of computed labels have: one for each kind that computes."""
    return frozenset(kind.computed.name for kind in kinds().values() if kind.computed)


def was_computed(outcome: Outcome) -> bool:
    """Return whether the labels or the failure of a cell were computed, without asking a judge.

    Word overlap is a judge. It is False for NoLabels, for labels that a trace brought for a
    computed trait, and if nothing is recorded about who made the labels.
    """
    if isinstance(outcome, NoLabels) or not outcome.record:
        return False
    return outcome.record.model is None and outcome.record.name in computing_names()


class Counter:
    """Counts the results of a run of `total` cells, of which `to_compute` need no judge.

    `clock` gives seconds.
    """

    def __init__(
        self,
        total: int | None,
        to_compute: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with no result and with `total` cells left; None if their number is not known.

        `to_compute` of them need no judge. If there are no others, no judge is asked in this run,
        and the rate is that of computing. `clock` gives seconds; it is asked now, and the silence
        is counted from here until the first result.
        """
        self._progress = Progress(left=total)
        self._to_compute = to_compute
        self._asks_judge = total is None or total > to_compute
        self._clock = clock
        self._latest_at = clock()
        self._timed_cells = 0  # done cells that the rate is computed from
        self._marks = deque([(self._latest_at, 0)], _MARKS)
        self._panel_cells = 0  # done cells that a panel was asked about
        self._dead_members: dict[int, DeadMember] = {}  # by their place in the panel

    def count(self, outcome: Outcome, seconds: float) -> None:
        """Count the result of one cell: one more is done, and one less is left.

        A JudgmentFailure also counts as failed, NoLabels as unrecorded, a computed cell as
        computed, and labels that lack a judge of the panel as absent. Tokens and cost of its record
        are added, and the judges of a panel that gave no labels yet are noted. The silence begins
        anew with each cell. The rate and the usual seconds follow each, except a computed one if a
        judge is asked as well; `seconds` is how long the cell took.
        """
        progress = self._progress
        progress.done += 1
        if progress.left:
            progress.left -= 1
        progress.failed += isinstance(outcome, JudgmentFailure)
        progress.unrecorded += isinstance(outcome, NoLabels)
        is_computed = was_computed(outcome)
        progress.computed += is_computed
        if not (is_computed and self._asks_judge):
            self._timed_cells += 1
            if progress.usual is None:
                progress.usual = seconds
            progress.usual += (seconds - progress.usual) / 20
        if not isinstance(outcome, NoLabels) and outcome.record:
            self._add_cost(outcome.record)
            self._note_members(outcome.record.members)
        if isinstance(outcome, Proposal):
            progress.absent += any(
                "error" in member for member in outcome.record.members
            )
        self._latest_at = self._clock()
        if self._latest_at - self._marks[-1][0] >= _MARK_INTERVAL:
            self._marks.append((self._latest_at, self._timed_cells))

    def _add_cost(self, record: JudgeRecord) -> None:
        """Add the tokens and the cost in a cell's record to those of the run.

        The cost of the run is None until a record has one, and each such cell counts as paid. A
        result from the cache counts as cached: its tokens are added, but not its cost, and it is
        not paid. Tokens that are not known count as none.
        """
        progress = self._progress
        progress.cached += record.cached
        progress.tokens_in += record.tokens_in or 0
        progress.tokens_out += record.tokens_out or 0
        if record.cost is None or record.cached:
            return
        if progress.cost is None:
            progress.cost = 0.0
        progress.cost += record.cost
        progress.paid += 1

    def _note_members(self, members: Sequence[Table]) -> None:
        """Count one more cell of a panel, and note which judges gave no labels for any cell so far.

        `members` are the judges' records of that cell, in the panel's order; one with an "error"
        gave no labels. The first cell notes all judges that failed on it, with their errors, and
        each further cell only strikes out those that gave labels. Nothing is counted or noted
        without members.
        """
        if not members:
            return
        if self._panel_cells == 0:
            for index, member in enumerate(members):
                if "error" in member:
                    name = member.get("model") or member["name"]
                    self._dead_members[index] = DeadMember(name, 0, member["error"])

        self._panel_cells += 1
        for index, member in enumerate(members):
            if "error" not in member:
                self._dead_members.pop(index, None)

    def progress(self, under_way: int = 0, waiting: Waiting | None = None) -> Progress:
        """Return a copy of the counts now, with what changes while no result comes.

        That is the rate over the latest half minute, the seconds since the latest result, and the
        two arguments: `under_way` counts the cells in progress, and `waiting` is the state of the
        server that requests wait for, or None. The counter itself is left unchanged.
        """
        now = self._clock()
        first_mark_at, count_then = self._marks[0]
        rate = 0.0
        left_computed = 0
        if now > first_mark_at:
            rate = (self._timed_cells - count_then) / (now - first_mark_at)
        if self._progress.left is not None and self._asks_judge:
            not_computed_yet = max(0, self._to_compute - self._progress.computed)
            left_computed = min(self._progress.left, not_computed_yet)
        dead = [
            replace(member, cells=self._panel_cells)
            for member in self._dead_members.values()
        ]
        return replace(
            self._progress,
            left_computed=left_computed,
            under_way=under_way,
            rate=rate,
            silent=now - self._latest_at,
            waiting=waiting,
            dead=tuple(dead),
        )
