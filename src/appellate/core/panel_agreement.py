"""How far a panel's members agree with each other and with people.

Also: how many independent votes they are worth.
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
    """The members of a panel over those questions of a trait that all of them answered."""

    members: tuple[str, ...]
    among: Clusters
    """The members' answers, by what depends on each other."""
    beside: Clusters
    """The person's answer followed by the members', by what depends on each other."""
    blind: bool
    """Whether the person ruled blind; else they signed off with the judge in sight."""
    words: int
    """How many different answers occur."""
    against: tuple[Agreement, ...]
    """Each member against the person."""
    between: Mapping[tuple[int, int], Agreement]
    """Two members against each other, by their positions; the first one counts as the judge."""

    reason: str = ""
    """Why nothing but counts is shown of people's answers; "" for no reason."""

    @cached_property
    def n(self) -> int:
        """How many questions the members answered."""
        return int(total(pooled(self.among)))

    @cached_property
    def compared(self) -> int:
        """How many of these a person answered, too."""
        return int(total(pooled(self.beside)))

    @cached_property
    def alpha(self) -> Known:
        """Krippendorff's alpha of all members together."""
        return self._known(krippendorff_alpha)

    @cached_property
    def ac1(self) -> Known:
        """Gwet's AC1 of all members together."""
        return self._known(partial(gwet_ac1, answer_count=self.words))

    @cached_property
    def votes(self) -> EffectiveVotes | None:
        """How many independent votes the members are worth.

        None if too few answers are compared, or too few members err.
        """
        if self.compared < ENOUGH or self.reason:
            return None
        return effective_votes(self.beside)

    def _known(self, statistic: Statistic) -> Known:
        """Return a coefficient of all members with its interval; empty for 0/0 or too few
        answers.
        """
        coefficient = statistic(pooled(self.among))
        if coefficient is None or self.n < ENOUGH:
            return Known()
        return Known(coefficient.value, bounds(statistic, self.among))


_Row = tuple[Hashable, bool, str | None, tuple[str, ...]]
"""One question: what it depends on, whether it was ruled blind, and the answers.

These are the person's answer, None if there is none, and the answers of the members.
"""


class PanelCounts:
    """The answers of panels to a trait, cell by cell; cells without a panel and hidden cells are
    skipped.
    """

    def __init__(self) -> None:
        self._panels: dict[tuple[str, ...], list[_Row]] = {}
        self._kind: AnyKind | None = None
        self._words: dict[str, None] = {}

    def add(self, cell: Cell) -> None:
        """Add a cell."""
        judge = cell.judge
        subject = cell.subject
        if judge is None or cell.hidden or cell.example:
            return

        voices = answered(judge.judge)
        if len(voices) < _PANEL:
            return

        self._kind = subject.kind
        self._words |= dict.fromkeys(subject.kind.vocabulary(subject.trait))
        member_answers = [
            subject.kind.answers(subject.trait, subject.labels(voice.table)) for voice in voices
        ]
        person_answers = stands(cell)
        cluster = cluster_of(subject.trace.cluster, subject.trace.id)
        members = tuple(voice.name for voice in voices)
        untold = subject.kind.untold(subject.trait)
        rows = self._panels.setdefault(members, [])

        for instruction in member_answers[0]:
            if subject.kind.compared and instruction.of not in subject.kind.compared:
                continue
            answers = tuple(
                answer[instruction] for answer in member_answers if instruction in answer
            )
            if len(answers) == len(member_answers) and untold.isdisjoint(answers):
                rows.append((cluster, cell.ruled_blind, person_answers.get(instruction), answers))

    def agreement(self, reasons: Reasons = SHOWN) -> PanelAgreement | None:
        """Return the agreement of the panel that judged most cells; None if no panel judged."""
        if self._kind is None:
            return None

        members = max(self._panels, key=lambda panel: len(self._panels[panel]))
        rows = self._panels[members]
        kind = self._kind
        words = list(self._words)
        blind = sum(row[1] for row in rows if row[2] is not None) >= ENOUGH
        occurring: set[str] = set()
        among: dict[Hashable, Counter[Pattern]] = {}
        beside: dict[Hashable, Counter[Pattern]] = {}
        against = [PairCounts() for _ in members]
        pairs = list(combinations(range(len(members)), 2))
        between = {pair: PairCounts() for pair in pairs}

        for cluster, is_blind, person, answers in rows:
            occurring.update(answers)
            among.setdefault(cluster, Counter())[answers] += 1
            for panel, other in pairs:
                between[panel, other].add(cluster, (answers[panel], answers[other]))
            if person is None or is_blind != blind:
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
            len(occurring),
            tuple(panel.agreement(kind.positives, words, reason) for panel in against),
            {pair: panel.agreement(kind.positives, words) for pair, panel in between.items()},
            reason,
        )
