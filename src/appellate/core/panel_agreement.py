"""How far a panel's members agree with each other and with people, and how many independent votes
they are worth.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from functools import cached_property, partial
from itertools import combinations

from msgspec import Struct

from appellate.core.agreement import (
    ENOUGH,
    SHOWN,
    Agreement,
    Known,
    PairCounts,
    Reasons,
    cluster_of,
    stands,
)
from appellate.core.cell import Cell
from appellate.core.describe import answered
from appellate.core.kind import AnyKind
from appellate.stats.agreement_tables import Pattern, Statistic, gwet_ac1, krippendorff_alpha, total
from appellate.stats.clustered import (
    Clusters,
    EffectiveVotes,
    bounds,
    clustered,
    effective_votes,
    pooled,
)

_PANEL = 2


class PanelAgreement(Struct, frozen=True, dict=True):
    """A panel's members over the cells of a trait that all of them judged, and could tell.

    `among` are their answers by what belongs together, `beside` the same behind the person's where
    there is one, who ruled `blind` or signed off with the judge in sight. `words` are as many as
    there are to choose from.
    """

    members: tuple[str, ...]
    among: Clusters
    beside: Clusters
    blind: bool
    words: int
    against: tuple[Agreement, ...]
    """Each member against the person."""
    between: Mapping[tuple[int, int], Agreement]
    """Two members against each other, by their places, the first of them as the judge."""

    reason: str = ""
    """Why nothing but counts is shown of what people answered."""

    @cached_property
    def n(self) -> int:
        """How many questions the members answered."""
        return int(total(pooled(self.among)))

    @cached_property
    def compared(self) -> int:
        """How many of them a person answered too."""
        return int(total(pooled(self.beside)))

    @cached_property
    def alpha(self) -> Known:
        """Krippendorff's, of all members together."""
        return self._known(krippendorff_alpha)

    @cached_property
    def ac1(self) -> Known:
        """Gwet's, of all members together."""
        return self._known(partial(gwet_ac1, answer_count=self.words))

    @cached_property
    def votes(self) -> EffectiveVotes | None:
        """None where too few answers are compared, or too few members err."""
        if self.compared < ENOUGH or self.reason:
            return None
        return effective_votes(self.beside)

    def _known(self, statistic: Statistic) -> Known:
        found = statistic(pooled(self.among))
        if found is None or self.n < ENOUGH:
            return Known()
        return Known(found.value, bounds(statistic, self.among))


_Row = tuple[Hashable, bool, str | None, tuple[str, ...]]
"""What one question belongs to, whether it was ruled blind, how the person answered it (None: they
did not), and how each member did.
"""


class PanelCounts:
    """The cells of a trait as they come; those without a panel say nothing, nor do hidden ones."""

    def __init__(self) -> None:
        self._panels: dict[tuple[str, ...], list[_Row]] = {}
        self._kind: AnyKind | None = None
        self._words: dict[str, None] = {}

    def add(self, cell: Cell) -> None:
        judge = cell.judge
        subject = cell.subject
        if judge is None or cell.hidden or cell.example:
            return
        voices = answered(judge.judge)
        if len(voices) < _PANEL:
            return
        self._kind = subject.kind
        self._words |= dict.fromkeys(subject.kind.vocabulary(subject.trait))
        values = [
            subject.kind.answers(subject.trait, subject.labels(voice.table)) for voice in voices
        ]
        person = stands(cell)
        cluster = cluster_of(subject.trace.cluster, subject.trace.id)
        members = tuple(voice.name for voice in voices)
        untold = subject.kind.untold(subject.trait)
        rows = self._panels.setdefault(members, [])
        for one in values[0]:
            if subject.kind.compared and one.of not in subject.kind.compared:
                continue
            answers = tuple(answer[one] for answer in values if one in answer)
            if len(answers) == len(values) and untold.isdisjoint(answers):
                rows.append((cluster, cell.ruled_blind, person.get(one), answers))

    def agreement(self, reasons: Reasons = SHOWN) -> PanelAgreement | None:
        """Of the members that judged most together; None where no panel judged."""
        if self._kind is None:
            return None
        members = max(self._panels, key=lambda one: len(self._panels[one]))
        rows = self._panels[members]
        kind = self._kind
        words = list(self._words)
        blind = sum(row[1] for row in rows if row[2] is not None) >= ENOUGH
        given: set[str] = set()
        among: dict[Hashable, Counter[Pattern]] = {}
        beside: dict[Hashable, Counter[Pattern]] = {}
        against = [PairCounts() for _ in members]
        pairs = list(combinations(range(len(members)), 2))
        between = {pair: PairCounts() for pair in pairs}
        for cluster, ruled, person, answers in rows:
            given.update(answers)
            among.setdefault(cluster, Counter())[answers] += 1
            for one, other in pairs:
                between[one, other].add(cluster, (answers[one], answers[other]))
            if person is None or ruled != blind:
                continue
            beside.setdefault(cluster, Counter())[person, *answers] += 1
            for place, answer in enumerate(answers):
                against[place].add(cluster, (answer, person))
        reason = reasons.of(blind=blind)
        return PanelAgreement(
            members,
            clustered(among.values()),
            clustered(beside.values()),
            blind,
            len(given),
            tuple(one.agreement(kind.positives, words, reason) for one in against),
            {pair: one.agreement(kind.positives, words) for pair, one in between.items()},
            reason,
        )
