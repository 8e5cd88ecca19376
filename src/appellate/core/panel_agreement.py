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
    Agreement,
    Known,
    PairCounts,
    answers_of_person,
    cluster_of,
)
from appellate.core.cell import Cell
from appellate.core.describe import answered
from appellate.core.kind import AnyKind, Instruction
from appellate.core.only_counts import SHOWN, Reasons
from appellate.stats.agreement_tables import (
    Pattern,
    Statistic,
    gwet_ac1,
    krippendorff_alpha,
    total,
)
from appellate.stats.clustered import (
    Clusters,
    EffectiveVotes,
    clustered,
    effective_votes,
    exact_bounds,
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
        """How many questions all members answered."""
        return int(total(pooled(self.among)))

    @cached_property
    def compared(self) -> int:
        """How many of the questions that all members answered a person answered, too."""
        return int(total(pooled(self.beside)))

    @cached_property
    def alpha(self) -> Known:
        """Krippendorff's alpha of all members together, with its interval.

        Both are None for 0/0, or if fewer than `ENOUGH` questions were answered by all of them.
        """
        return self._with_interval(krippendorff_alpha)

    @cached_property
    def ac1(self) -> Known:
        """Gwet's AC1 of all members together, with its interval.

        Both are None for 0/0, or if fewer than `ENOUGH` questions were answered by all of them.
        """
        return self._with_interval(partial(gwet_ac1, answer_count=self.words))

    @cached_property
    def votes(self) -> EffectiveVotes | None:
        """How many independent votes the members are worth.

        None if only counts are shown, if too few answers are compared, or if too few
        members err.
        """
        if self.compared < ENOUGH or self.reason:
            return None
        return effective_votes(self.beside)

    def _with_interval(self, statistic: Statistic) -> Known:
        """Return a coefficient of all members together, with its interval.

        Both are None for 0/0, or if fewer than `ENOUGH` questions were answered by all of
        them. The interval is also None if there are too few clusters.
        """
        coefficient = statistic(pooled(self.among))
        if coefficient is None or self.n < ENOUGH:
            return Known()
        return Known(coefficient.value, exact_bounds(statistic, self.among))


_Row = tuple[Hashable, bool, str | None, tuple[str, ...]]
"""One question: what it depends on, whether it was ruled blind, and the answers.

These are the person's answer, None if there is none, and the answers of the members.
"""


class PanelCounts:
    """The answers of panels to a trait, cell by cell; cells without a panel and hidden cells are
    skipped.
    """

    def __init__(self) -> None:
        """Begin without any panel."""
        self._panels: dict[tuple[str, ...], list[_Row]] = {}
        self._kind: AnyKind | None = None
        self._words: dict[str, None] = {}

    def add(self, cell: Cell) -> None:
        """Add the questions of a cell that all members of its panel answered.

        Its panel is the judges that answered, by their names in order. Skipped are a cell that is
        hidden, an example or answered by fewer than two, questions of lists that the kind does not
        compare, and those that a member could not tell. All cells must be of one kind.
        """
        judge = cell.judge
        if judge is None or cell.hidden or cell.example:
            return
        voices = answered(judge.judge)
        if len(voices) < _PANEL:
            return

        subject = cell.subject
        kind = subject.kind
        self._kind = kind
        self._words |= dict.fromkeys(kind.vocabulary(subject.trait))
        members = tuple(voice.name for voice in voices)
        rows = self._panels.setdefault(members, [])

        member_answers: list[Mapping[Instruction, str]] = []
        for voice in voices:
            labels = subject.labels(voice.table)
            member_answers.append(kind.answers(subject.trait, labels))
        person_answers = answers_of_person(cell)
        cluster = cluster_of(subject.trace.cluster, subject.trace.id)
        untold = kind.untold(subject.trait)

        for instruction in member_answers[0]:
            if kind.compared and instruction.of not in kind.compared:
                continue
            answers = tuple(
                given[instruction] for given in member_answers if instruction in given
            )
            all_answered = len(answers) == len(voices)
            if all_answered and untold.isdisjoint(answers):
                person = person_answers.get(instruction)
                rows.append((cluster, cell.ruled_blind, person, answers))

    def agreement(self, reasons: Reasons = SHOWN) -> PanelAgreement | None:
        """Return the agreement of the panel that judged most questions; None if no panel was added.

        Of panels with equally many, the one added first counts. People are compared by their blind
        answers if there are `ENOUGH`, else by the others. `reasons` say for either sort why nothing
        but counts is shown; "" for no reason.
        """
        if self._kind is None:
            return None

        members = max(self._panels, key=self._question_count)
        rows = self._panels[members]
        blind_count = 0
        for _, is_blind, person, _ in rows:
            if is_blind and person is not None:
                blind_count += 1
        blind = blind_count >= ENOUGH

        occurring: set[str] = set()
        among: dict[Hashable, Counter[Pattern]] = {}
        beside: dict[Hashable, Counter[Pattern]] = {}
        against = [PairCounts() for _ in members]
        pairs = list(combinations(range(len(members)), 2))
        between = {pair: PairCounts() for pair in pairs}
        for cluster, is_blind, person, answers in rows:
            occurring.update(answers)
            among.setdefault(cluster, Counter())[answers] += 1
            for first, second in pairs:
                pair = (answers[first], answers[second])
                between[first, second].add(cluster, pair)
            if person is None or is_blind != blind:
                continue
            beside.setdefault(cluster, Counter())[person, *answers] += 1
            for index, answer in enumerate(answers):
                against[index].add(cluster, (answer, person))

        positives = self._kind.positives
        words = list(self._words)
        reason = reasons.of(blind=blind)
        agreements: list[Agreement] = []
        for counts in against:
            agreements.append(counts.agreement(positives, words, reason))
        agreements_between: dict[tuple[int, int], Agreement] = {}
        for positions, counts in between.items():
            agreements_between[positions] = counts.agreement(positives, words)
        return PanelAgreement(
            members,
            clustered(among.values()),
            clustered(beside.values()),
            blind,
            len(occurring),
            tuple(agreements),
            agreements_between,
            reason,
        )

    def _question_count(self, members: tuple[str, ...]) -> int:
        """Return how many questions the panel of these members judged."""
        return len(self._panels[members])
