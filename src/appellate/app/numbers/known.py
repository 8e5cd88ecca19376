"""What is known of an audit's numbers: totals at once, what takes counting as it comes."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.agreement import Agreement
from appellate.core.breakdown import Breakdown, GroupFigures, InstructionFigures, SideFigures
from appellate.core.figures import RowOrder
from appellate.core.kind import HEADLINE, AnyKind, KnownTrait, Measure, Trait
from appellate.core.panel_agreement import PanelAgreement
from appellate.core.totals import SIDES, AnswerStats, counts, measures_over, summary
from appellate.numbers.judge_page import TraitNumbers
from appellate.store.agreements import TraitAgreement
from appellate.ui.figure_list import FigureList
from appellate.ui.row_layout import Cursor

if TYPE_CHECKING:
    from appellate.numbers.samples import SampleNumbers

JUDGE = "judge"
FIGURES = "figures"
WORTH = "worth"
PAGES = {JUDGE: "Judge", WORTH: "Estimate", FIGURES: "Figures", "session": "Session"}
"""The pages by what they are called; where the judge is bad comes first."""

TOP = Cursor(0, 0)


class PagePlace(Struct):
    """The cursor on a page, its column, and how far the page is scrolled."""

    cursor: Cursor = TOP
    column: int = 0
    scrolled: float = 0


class NumbersPlace(Struct):
    """The page in sight, how its tables are sorted, the words that narrow it, what is grouped by.

    `chosen` is the query of the figure whose cells were shown last.
    """

    page: str = next(iter(PAGES))
    words: str = ""
    grouping: str = ""
    chosen: str = ""
    orders: dict[str, RowOrder] = field(default_factory=dict)
    pages: dict[str, PagePlace] = field(default_factory=dict)

    def leave(self, lines: FigureList) -> None:
        """Takes note of where the cursor is."""
        self.pages[self.page] = PagePlace(lines.cursor, lines.column, lines.scroll_offset.y)

    def come_back(self, lines: FigureList) -> None:
        """Puts the cursor to where it was on the page in sight."""
        place = self.pages.get(self.page, PagePlace())
        lines.column = place.column
        lines.go(*place.cursor)
        self.scroll_back(lines)

    def scroll_back(self, lines: FigureList) -> None:
        """Shows the part of the page that was in sight, once there is room, unless the cursor is
        elsewhere by now.
        """
        place = self.pages.get(self.page, PagePlace())
        if lines.cursor == place.cursor:
            lines.scroll_to(y=place.scrolled, animate=False, force=True, immediate=True)

    def turn(self, by: int) -> None:
        """Goes to another page, round the corner."""
        names = list(PAGES)
        self.page = names[(names.index(self.page) + by) % len(names)]

    def sort(self, key: str, column: int) -> None:
        """Sorts tables by a column: first the highest figures, or names from A on, then the other
        way, then as they were.
        """
        before, first = self.orders.get(key), RowOrder(column, column > 0)
        if before == first:
            self.orders[key] = RowOrder(column, not first.falling)
        elif before is not None and before.column == column:
            del self.orders[key]
        else:
            self.orders[key] = first


Spread = Mapping[str, Sequence[int]]
"""How many cells lie in each part of a scale, by side."""


class TraitTotals(NamedTuple):
    """What is known of a trait at once: the traits of its name, and the totals over their cells."""

    name: str
    kind: AnyKind
    traits: Sequence[Trait]
    totals: Mapping[str, int]

    @property
    def measures(self) -> list[Measure]:
        """The measures that any of the traits asks for."""
        return measures_over(self.kind, self.traits)

    @property
    def headline(self) -> Measure:
        """The measure that its cells have in the queue."""
        return self.measures[HEADLINE]

    def numbers(self) -> Breakdown:
        """The same as far as totals go."""
        sides: dict[str, dict[str, SideFigures]] = {}
        for measure in self.measures:
            for side in SIDES:
                known = summary(self.totals, side, measure)
                figures = SideFigures(**known, std=None, stderr=None, clusters=0)
                sides.setdefault(measure.name, {})[side] = figures
        cells, signed = self.totals.get("cells", 0), self.totals.get("state:reviewed", 0)
        by_side = {side: counts(self.totals, side) for side in SIDES}
        nothing = Agreement({})
        whole = GroupFigures("", 0, cells, signed, 0, sides, nothing, {}, (), by_side, nothing)
        words: dict[str, None] = {}
        for trait in self.traits:
            words |= dict.fromkeys(self.kind.vocabulary(trait))
        measures = tuple(self.measures)
        return Breakdown(self.name, self.kind, measures, tuple(words), "", whole, (), (), None)


class KnownNumbers:
    """The numbers of an audit as far as they are counted; what is older stands until it is counted
    anew.
    """

    def __init__(self) -> None:
        self.traits: Sequence[TraitTotals] = ()
        self.worst: Sequence[tuple[str, AnswerStats]] = ()
        self.breakdowns: dict[tuple[str, str], Breakdown] = {}
        self.agreements: Mapping[str, TraitAgreement] | None = None  # None until they are counted
        self.panels: Mapping[str, PanelAgreement] = {}
        self.is_blind = False  # whether any cell was drawn to be ruled blind
        self.spread: dict[str, Spread] = {}
        self.groupings: Sequence[str] | None = None  # None until they are looked for
        self.question_ids: Collection[str] = ()
        self.sampled: SampleNumbers | None = None
        self.sampled_n: int | None = None  # None until the sample is counted
        self.stale: set[tuple[str, str]] = set()
        self.last_n = 0

    def numbers(self) -> list[TraitNumbers]:
        """All traits over their cells: totals as they are now, and what was counted last."""
        return list(map(self._trait, self.traits))

    def _trait(self, trait: TraitTotals) -> TraitNumbers:
        numbers, counted = trait.numbers(), self.breakdowns.get((trait.name, ""))
        whole, compared = numbers.whole, self._compared(trait.name)
        if counted is not None:
            sides: dict[str, dict[str, SideFigures]] = {}
            for name, by_side in whole.sides.items():
                known = counted.whole.sides.get(name, {})
                for side, figures in by_side.items():
                    one = known.get(side, figures)
                    sides.setdefault(name, {})[side] = replace(
                        figures, std=one.std, stderr=one.stderr, clusters=one.clusters
                    )
            whole = replace(whole, sides=sides)
        instructions: list[InstructionFigures] = []
        for name, stats in self.worst:
            if name == trait.name:
                key, nothing = (stats.of, stats.instruction), Agreement({})
                sighted = blind = nothing
                if compared is not None:
                    sighted = compared.instructions.get(key, nothing)
                    blind = compared.blind_instructions.get(key, nothing)
                instructions.append(InstructionFigures(stats, sighted, blind))
        if compared is not None:
            whole = replace(whole, agreement=compared.whole, blind=compared.blind)
        panel = self.panels.get(trait.name)
        shares = bool(trait.kind.standings(trait.traits[0], trait.kind.blank))
        numbers = replace(numbers, whole=whole, instructions=tuple(instructions), panel=panel)
        return TraitNumbers(numbers, shares, is_compared=compared is not None)

    def _compared(self, trait: str) -> TraitAgreement | None:
        """The judge against the person, once that is counted."""
        if self.agreements and trait in self.agreements:
            return self.agreements[trait]
        counted = self.breakdowns.get((trait, ""))
        if counted is None:
            return None
        named = {(one.stats.of, one.stats.instruction): one for one in counted.instructions}
        sighted = {key: one.agreement for key, one in named.items()}
        blind = {key: one.blind for key, one in named.items()}
        return TraitAgreement(counted.whole.agreement, sighted, counted.whole.blind, blind)

    def grouped(self, grouping: str) -> list[TraitNumbers]:
        """The traits by groups of traces, as far as they are counted."""
        found: list[TraitNumbers] = []
        for trait in self.numbers():
            counted = self.breakdowns.get((trait.name, grouping))
            if counted is not None:
                found.append(replace(trait, numbers=counted))
        return found


def by_name(traits: Sequence[KnownTrait]) -> dict[str, list[KnownTrait]]:
    """The traits of a rubric by their names, which several questions may share."""
    found: dict[str, list[KnownTrait]] = {}
    for known in traits:
        found.setdefault(known.trait.name, []).append(known)
    return found
