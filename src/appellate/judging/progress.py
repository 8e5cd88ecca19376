"""How far a run of a judge is: what a bar, a line of a log and the screen's header tell."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Table
from appellate.core.problem import many
from appellate.core.step_progress import clock
from appellate.judges.proposal import JudgeRecord, JudgmentFailure, NoLabels, Outcome, Proposal
from appellate.judges.rate_limiter import Waiting
from appellate.traits.kinds import kinds

_MARKS = 60
_APART = 0.5
"""The rate is over the latest half minute: so many marks, so many seconds apart."""
_LONG = 15.0
_TIMES = 5.0
_UNKNOWN = 60.0
"""A run stalls after so many seconds and usual ones; where none are known, after so many."""


class DeadMember(Struct, frozen=True):
    """A judge of a panel that gave labels for none of some cells, and the cause it gave first."""

    name: str
    cells: int
    cause: str

    @property
    def describe(self) -> str:
        return f"{self.name} gave no labels for any of {many(self.cells, 'cell')}: {self.cause}"


class Progress(Struct):
    """Where a run stands: cells `done` (failed, unrecorded and cached ones too), what is `left`.

    `rate` is in cells per second lately, `silent` seconds since the last answer, `usual` seconds
    for a cell; where a judge is asked, rate and usual are of such cells alone. `cost` is by the
    server or the prices, `paid` for how many cells. `absent` counts cells without all judges of
    a panel, `dead` are judges that gave no labels at all. `computed` cells took no judge, nor
    will `left_computed` of those left.
    """

    done: int = 0
    failed: int = 0
    unrecorded: int = 0
    cached: int = 0
    left: int | None = None
    under_way: int = 0
    rate: float = 0.0
    silent: float = 0.0
    usual: float | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    paid: int = 0
    absent: int = 0
    computed: int = 0
    left_computed: int = 0
    waiting: Waiting | None = None
    dead: tuple[DeadMember, ...] = ()

    @property
    def seconds_left(self) -> float | None:
        """None until there is a rate to go by."""
        if self.left is None or not self.rate:
            return None
        return (self.left - self.left_computed) / self.rate

    @property
    def expected_cost(self) -> float | None:
        """What the whole run will cost if the cells that are left cost what the others did."""
        if self.cost is None or self.left is None or not self.paid:
            return None
        return self.cost * (1 + (self.left - self.left_computed) / self.paid)

    @property
    def stalled(self) -> bool:
        """Whether no answer came for long, as answers usually go, or the server says why."""
        if self.waiting and self.waiting.is_long:
            return True
        long = _UNKNOWN
        if self.usual is not None:
            long = max(_LONG, _TIMES * self.usual)
        return self.under_way > 0 and self.silent > long

    @property
    def silence_text(self) -> str:
        """Since when nobody was answered, and what the server says and asks for."""
        waiting = self.waiting
        if waiting is None:
            return f"no answer for {clock(self.silent)}"
        text = f"no answer for {clock(waiting.silent)}"
        why = []
        if waiting.status:
            why.append(str(waiting.status))
        if waiting.asked:
            why.append(f"asks to wait {waiting.asked:.0f} s")
        if why:
            text += f" ({', '.join(why)})"
        return text

    @property
    def cause_text(self) -> str:
        """What the server did in place of answering, in a sentence; "" where that is not known."""
        if self.waiting is None or not self.waiting.trouble:
            return ""
        return f"{self.waiting.host} {self.waiting.trouble.rstrip('. ')}."

    @property
    def end_text(self) -> str:
        """When a server is given up that answers nobody; nothing where none is waited for."""
        if self.waiting is None:
            return ""
        return f"given up in {clock(self.waiting.left)}"


@cache
def computing() -> frozenset[str]:
    """What the records of kinds are named by that need no judge."""
    return frozenset(kind.computed.name for kind in kinds().values() if kind.computed)


def was_computed(outcome: Outcome) -> bool:
    """Whether nobody was asked: the cell's kind made its labels by itself."""
    if isinstance(outcome, NoLabels) or not outcome.record:
        return False
    return outcome.record.model is None and outcome.record.name in computing()


class Counter:
    """Counts what arrived; of `total` cells `to_compute` need no judge, `clock` gives seconds."""

    def __init__(
        self,
        total: int | None,
        to_compute: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._now = Progress(left=total)
        self._to_compute = to_compute
        self._asks = total is None or total > to_compute
        self._clock = clock
        self._latest = clock()
        self._marks = deque([(self._latest, 0)], _MARKS)
        self._panels = 0
        self._dead: dict[int, DeadMember] | None = None

    def count(self, outcome: Outcome, seconds: float) -> None:
        """One cell is done, and took so long."""
        now = self._now
        now.done += 1
        if now.left:
            now.left -= 1
        now.failed += isinstance(outcome, JudgmentFailure)
        now.unrecorded += isinstance(outcome, NoLabels)
        computed = was_computed(outcome)
        now.computed += computed
        if not (computed and self._asks):
            if now.usual is None:
                now.usual = seconds
            now.usual += (seconds - now.usual) / 20
        if not isinstance(outcome, NoLabels) and outcome.record:
            self._spend(outcome.record)
            self._call(outcome.record.members)
        if isinstance(outcome, Proposal):
            now.absent += any("error" in member for member in outcome.record.members)
        self._latest = self._clock()
        if self._latest - self._marks[-1][0] >= _APART:
            self._marks.append((self._latest, self._counting))

    def _spend(self, record: JudgeRecord) -> None:
        """Adds what a judge's answer took."""
        now = self._now
        now.cached += record.cached
        now.tokens_in += record.tokens_in or 0
        now.tokens_out += record.tokens_out or 0
        if record.cost is not None and not record.cached:
            now.cost = (now.cost or 0.0) + record.cost
            now.paid += 1

    def _call(self, members: Sequence[Table]) -> None:
        """Notes which of a panel's judges still gave labels for no cell."""
        if not members:
            return
        if self._dead is None:
            self._dead = {
                place: DeadMember(member.get("model") or member["name"], 0, member["error"])
                for place, member in enumerate(members)
                if "error" in member
            }
        self._panels += 1
        for place, member in enumerate(members):
            if "error" not in member:
                self._dead.pop(place, None)

    @property
    def _counting(self) -> int:
        """The cells done that the rate is of."""
        if self._asks:
            return self._now.done - self._now.computed
        return self._now.done

    def progress(self, under_way: int = 0, waiting: Waiting | None = None) -> Progress:
        moment = self._clock()
        since, before = self._marks[0]
        rate = 0.0
        left_computed = 0
        if moment > since:
            rate = (self._counting - before) / (moment - since)
        if self._now.left is not None and self._asks:
            left_computed = min(self._now.left, max(0, self._to_compute - self._now.computed))
        return replace(
            self._now,
            left_computed=left_computed,
            under_way=under_way,
            rate=rate,
            silent=moment - self._latest,
            waiting=waiting,
            dead=tuple(replace(one, cells=self._panels) for one in (self._dead or {}).values()),
        )
