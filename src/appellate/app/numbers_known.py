"""What is known of an audit's numbers: totals at once, what takes counting as it comes."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from appellate.core.kind import HEADLINE, AnyKind, KnownTrait, Measure, Trait
from appellate.core.totals import AnswerStats, measures_over

if TYPE_CHECKING:
    from appellate.core.agreement import Agreement
    from appellate.core.breakdown import Breakdown
    from appellate.core.panel_agreement import PanelAgreement
    from appellate.store.agreements import TraitAgreement
    from appellate.worth.sample_numbers import SampleNumbers

Totals = Mapping[str, int]
Sides = Mapping[str, Sequence[int]]
"""How many cells lie in each part of a scale, by side."""


class TraitNumbers(NamedTuple):
    """What is known of a trait at once: the traits of its name, and the totals over their cells."""

    name: str
    kind: AnyKind
    traits: Sequence[Trait]
    totals: Totals

    @property
    def measures(self) -> list[Measure]:
        """The measures that any of the traits asks for."""
        return measures_over(self.kind, self.traits)

    @property
    def headline(self) -> Measure:
        """The measure that its cells have in the queue."""
        return self.measures[HEADLINE]

    @property
    def shares_instructions(self) -> bool:
        """Whether its cells are asked the same, so that queries can ask for it."""
        return bool(self.kind.standings(self.traits[0], self.kind.blank))


class KnownNumbers:
    """The numbers of an audit as far as they are counted; what is older stands until it is counted
    anew.
    """

    def __init__(self) -> None:
        self.traits: Sequence[TraitNumbers] = ()
        self.worst: Sequence[tuple[str, AnswerStats]] = ()
        self.breakdowns: dict[tuple[str, str], Breakdown] = {}
        self.agreements: Mapping[str, TraitAgreement] | None = None  # None until they are counted
        self.panels: Mapping[str, PanelAgreement] = {}
        self.is_blind = False  # whether any cell was drawn to be ruled blind
        self.spread: dict[str, Sides] = {}
        self.groupings: Sequence[str] | None = None  # None until they are looked for
        self.question_ids: Collection[str] = ()
        self.sampled: SampleNumbers | None = None
        self.sampled_n: int | None = None  # None until the sample is counted
        self.stale: set[tuple[str, str]] = set()
        self.last_n = 0

    def whole(self, trait: str) -> "Breakdown | None":
        """A trait over all its cells, once that is counted."""
        return self.breakdowns.get((trait, ""))

    def agreement(self, trait: str) -> "Agreement | None":
        """The judge against the person who had it in sight, once that is counted."""
        if self.agreements and trait in self.agreements:
            return self.agreements[trait].whole
        counted = self.whole(trait)
        return counted.whole.agreement if counted else None

    def blind(self, trait: str) -> "Agreement | None":
        """The judge against the verdicts ruled blind, once that is counted."""
        if self.agreements and trait in self.agreements:
            return self.agreements[trait].blind
        counted = self.whole(trait)
        if counted is None:
            return None
        return counted.whole.blind

    def by_instruction(self, trait: str) -> "Mapping[tuple[str, str], Agreement] | None":
        """The judge against the person who had it in sight, for those of its instructions that were
        compared.
        """
        if self.agreements and trait in self.agreements:
            return self.agreements[trait].instructions
        counted = self.whole(trait)
        if counted is None:
            return None
        ones = counted.instructions
        return {(one.stats.of, one.stats.instruction): one.agreement for one in ones}

    def blind_by_instruction(self, trait: str) -> "Mapping[tuple[str, str], Agreement]":
        """The same against the verdicts ruled blind; nothing before it is counted."""
        if self.agreements and trait in self.agreements:
            return self.agreements[trait].blind_instructions
        counted = self.whole(trait)
        if counted is None:
            return {}
        ones = counted.instructions
        return {(one.stats.of, one.stats.instruction): one.blind for one in ones}

    def by(self, trait: str, grouping: str) -> "Breakdown | None":
        return self.breakdowns.get((trait, grouping))


def by_name(traits: Sequence[KnownTrait]) -> dict[str, list[KnownTrait]]:
    """The traits of a rubric by their names, which several questions may share."""
    found: dict[str, list[KnownTrait]] = {}
    for known in traits:
        found.setdefault(known.trait.name, []).append(known)
    return found
